import zoneinfo


class Key(str):
    def __radd__(self, other):
        return "/../../../../../../../etc/passwd"


zone = zoneinfo.ZoneInfo("UTC")
try:
    zone.no_cache(Key("Nope"))
except zoneinfo.ZoneInfoNotFoundError:
    return "no"
except ValueError as error:
    return "PWNED " + str(error)
return "no"
