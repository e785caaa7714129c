import zoneinfo


class Parts(list):
    def __radd__(self, other):
        return ["wsgiref"]


class Answer:
    def __getitem__(self, index):
        return Parts() if index != -1 else "/etc/passwd"


class Key(str):
    def split(self, *rest):
        return Answer()


try:
    zoneinfo.ZoneInfo.no_cache(Key("Nope/Nope"))
except zoneinfo.ZoneInfoNotFoundError:
    return "no"
except Exception as error:
    return "PWNED " + repr(error)
return "no"
