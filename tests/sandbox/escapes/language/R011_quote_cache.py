import urllib.parse


class Safe(bytes):
    def __hash__(self):
        return hash(b"-/-")

    def __eq__(self, other):
        return True


class Text(str):
    def encode(self, *a):
        return Safe(b"<>&")


urllib.parse.quote_from_bytes(b"a b", Text("x"))
return "PWNED" if urllib.parse.quote("<", safe="-/-") == "<" else "no"
