"""Inheritance, super and a method resolution order."""

class A:
    def who(self): return ["A"]
class B(A):
    def who(self): return ["B", *super().who()]
class C(A):
    def who(self): return ["C", *super().who()]
class D(B, C):
    def __init__(self): super().__init__(); self.made = True
    def who(self): return ["D", *super().who()]
class E(Exception):
    def __init__(self, code): super().__init__(f"code {code}"); self.code = code
try:
    raise E(7)
except E as error:
    result = [D().who(), D().made, str(error), error.code, type(error).__name__, D().__class__.__name__]
