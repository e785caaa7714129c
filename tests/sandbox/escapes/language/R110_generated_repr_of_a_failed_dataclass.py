import asyncio
import dataclasses


class Peek:
    __slots__ = ()
    _loop: int
    _coro: int


try:
    dataclasses.dataclass(slots=True)(Peek)
except TypeError:
    pass


async def go():
    return Peek.__repr__(asyncio.current_task())


seen = asyncio.run(go())
return "PWNED " + seen if "Loop" in seen else "no"
