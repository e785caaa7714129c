import asyncio

got = []


class Loop:
    def get_debug(self):
        return True

    def call_exception_handler(self, context):
        got.append(context)

    def __getattr__(self, name):
        return lambda *a, **k: None


future = asyncio.Future(loop=Loop())
future.set_exception(ValueError("x"))
del future
return "PWNED " + str([frame.filename for frame in got[0]["source_traceback"]][:3])
