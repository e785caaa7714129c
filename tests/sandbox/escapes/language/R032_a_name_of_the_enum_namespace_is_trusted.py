import enum


class A:
    def m(_generate_next_value_):
        _generate_next_value_.a = 1
        _generate_next_value_.b = 2

        class E(enum.Enum):
            _generate_next_value_.poked = 1
            X = 1

        return E


class Other(enum.Enum):
    Y = 1


A().m()
return "PWNED" if hasattr(Other._generate_next_value_, "poked") else "no"
