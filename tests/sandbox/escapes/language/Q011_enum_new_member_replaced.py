import enum
import json


class F(enum.Flag):
    A = 1


setattr(F, "_new_member_", lambda cls, *args: json)
F(0)
return "PWNED" if hasattr(json, "value") or json._name_ else "no"
