"""Abstract classes."""

import abc
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
    @property
    @abc.abstractmethod
    def name(self): ...
class Meta(metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def f(self): ...
class Square(Shape):
    name = "square"
    def area(self): return 4
def refused(cls):
    try: cls()
    except TypeError: return True
result = [refused(Shape), refused(Meta), Square().area(), isinstance(Square(), Shape), issubclass(Square, Shape)]
