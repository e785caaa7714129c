import datetime

text = bytes([65] * 8)


class D(datetime.datetime):
    def __new__(cls, *args, **named):
        return text


D.now()
return "PWNED" if bytes([65] * 8) != text else "no"
