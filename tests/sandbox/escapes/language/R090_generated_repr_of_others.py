import asyncio
import dataclasses


@dataclasses.dataclass
class Peek:
    _loop: int
    _coro: int


async def go():
    return Peek.__repr__(asyncio.current_task())


seen = asyncio.run(go())
return "PWNED " + seen if "Loop" in seen else "no"
