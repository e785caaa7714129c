import asyncio


async def f():
    await asyncio.sleep(0.01)


async def g():
    task = asyncio.create_task(f())
    both = asyncio.gather(task)
    text = repr(task)
    await both
    return text


text = asyncio.run(g())
return "PWNED " + text if "/asyncio/" in text else "no"
