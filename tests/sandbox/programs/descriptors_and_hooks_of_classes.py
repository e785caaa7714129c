"""Descriptors and hooks of classes."""

class Positive:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, instance, owner=None): return getattr(instance, self.name, None)
    def __set__(self, instance, value):
        if value < 0: raise ValueError(self.name)
        setattr(instance, self.name, value)
class Plugin:
    known = []
    price = Positive()
    def __init_subclass__(cls, tag=None, **rest): cls.known.append((cls.__name__, tag)); super().__init_subclass__(**rest)
    def __class_getitem__(cls, item): return f"{cls.__name__}[{item}]"
    def __getattr__(self, name): return f"no {name}"
class One(Plugin, tag="t"): pass
one = One()
one.price = 5
try: one.price = -1
except ValueError as error: message = str(error)
class Same:
    made = None
    def __new__(cls):
        if cls.made is None: cls.made = super().__new__(cls)
        return cls.made
result = [Plugin.known, One["x"], one.anything, one.price, message, Same() is Same()]
