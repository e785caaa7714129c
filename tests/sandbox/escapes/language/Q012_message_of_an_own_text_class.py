import traceback


class Text(str):
    def __getitem__(self, key):
        return self

    def replace(self, old, new):
        raise RuntimeError(old)


class Mine(Exception):
    def __str__(self):
        return Text("x")


try:
    raise Mine
except Mine:
    try:
        traceback.format_exc()
    except RuntimeError as error:
        return "PWNED " + error.args[0]
return "no"
