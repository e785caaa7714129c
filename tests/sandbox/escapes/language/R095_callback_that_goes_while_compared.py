import asyncio

kept = []
met = []


class Stranger:
    __slots__ = ("a", "b")


class Equal:
    def __eq__(self, other):
        return True


class Goes:
    __slots__ = ("future", "b")

    def __call__(self, *_):
        pass

    def __eq__(self, other):
        future = getattr(self, "future", None)
        if future is not None:
            self.future = None
            self = other = None
            future.remove_done_callback(Equal())
            kept.extend(Stranger() for _ in range(500))
        return NotImplemented


class Sought:
    def __eq__(self, other):
        if type(other) is not Goes:
            met.append("PWNED " + type(other).__name__)
        return False


def going(future):
    goes = Goes()
    goes.future = future
    return goes


async def main():
    for turn in range(50):
        future = asyncio.get_running_loop().create_future()
        future.add_done_callback(going(future))
        future.remove_done_callback(Sought())
    return met[0] if met else "no"


return asyncio.run(main())
