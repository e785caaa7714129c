import json


def staticmethod(function):
    return function


class A:
    @staticmethod
    def m(self):
        self.loads = 1

        def inner():
            self.dumps = 2

        inner()
        return "PWNED"


return A.m(json)
