import enum, http

class F(enum.Flag):
    A = 1
    B = 2

class Evil:
    def __new__(cls, *args):
        return http.HTTPStatus.OK

F._member_type_ = Evil
try:
    F(3)
except TypeError:
    pass
return "PWNED" if http.HTTPStatus.OK.name != "OK" else "no"
