import asyncio
import dataclasses

got = []


class Base:
    __slots__ = ()

    def __init_subclass__(cls):
        got.append(cls.__repr__)


@dataclasses.dataclass(slots=True)
class Peek(Base):
    _loop: int
    _coro: int


async def go():
    return got[-1](asyncio.current_task())


seen = asyncio.run(go())
return "PWNED " + seen if "Loop" in seen else "no"
