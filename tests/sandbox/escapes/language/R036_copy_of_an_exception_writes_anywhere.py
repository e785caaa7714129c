import copy


class Error(Exception):
    def __new__(cls, *args):
        return target if target is not None else super().__new__(cls)


target = None
error = Error()
error.__dict__["log"] = "PWNED"
target = ctx
copy.copy(error)
return ctx.log
