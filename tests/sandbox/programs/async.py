"""Async."""

import asyncio
log = []
async def work(name, delay):
    await asyncio.sleep(delay)
    log.append(name)
    return name
async def ticks(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i
class Session:
    async def __aenter__(self): log.append("in"); return self
    async def __aexit__(self, *error): log.append("out")
async def all_of_it():
    async with Session(), asyncio.timeout(5):
        gathered = await asyncio.gather(work("b", 0.02), work("a", 0.01))
        async with asyncio.TaskGroup() as group:
            task = group.create_task(work("t", 0))
        queue, lock, event = asyncio.Queue(), asyncio.Lock(), asyncio.Event()
        await queue.put(1); event.set(); await event.wait()
        async with lock: item = await queue.get()
        try: await asyncio.wait_for(asyncio.sleep(60), 0.001)
        except asyncio.TimeoutError: late = True
        done, pending = await asyncio.wait([asyncio.create_task(work("w", 0))])
        return [gathered, task.result(), item, late, [i async for i in ticks(3)], [i * 2 async for i in ticks(2) if i], len(done),
                await asyncio.to_thread(len, "abc")]
result = [asyncio.run(all_of_it()), log]
