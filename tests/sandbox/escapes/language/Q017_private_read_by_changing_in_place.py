import logging

import httpx

taken = []


class Taker:
    def __radd__(self, other):
        taken.append(repr(other))
        return other


logger, client = logging.getLogger("x"), httpx.Client()


def change(target):
    target.level = 1
    target._logging += Taker()


try:
    logger._logging += Taker()
except AttributeError:
    pass
try:
    change(logger)
except AttributeError:
    pass
try:
    httpx.Client()._asking += Taker()
except AttributeError:
    pass
return f"PWNED {taken}" if taken else "no"
