import dataclasses

field = dataclasses.field(default=1)
for way in (
    lambda: field.__set_name__(int, "x"),
    lambda: setattr(field, "name", "gi_frame"),
    lambda: dataclasses.Field.__set_name__(field, int, "x"),
    lambda: dataclasses.Field.__init__(field, 1, 2, 3, 4, 5, 6, 7, 8, 9),
):
    try:
        way()
        return "PWNED"
    except AttributeError:
        pass
return "no"
