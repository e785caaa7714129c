import enum


class E(enum.Enum):
    A = 1


E.A._add_alias_("__subclasshook__")
return "PWNED" if "__subclasshook__" in E._member_map_ else "no"
