import json


class A:
    def generator(self):
        self.loads = 1
        self.x = 2
        yield 1

    async def coroutine(self):
        self.loads = 1
        self.x = 2

    @staticmethod
    def static(self):
        self.loads = 1
        self.x = 2

    other = staticmethod(generator)


def through():
    yield lambda: next(A.generator(json))
    yield lambda: next(A.other(json))
    yield lambda: A.static(json)
    yield lambda: A.coroutine(json).send(None)


for way in through():
    try:
        way()
        return "PWNED"
    except StopIteration:
        return "PWNED"
    except TypeError:
        pass
return "no"
