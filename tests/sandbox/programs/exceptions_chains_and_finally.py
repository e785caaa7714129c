"""Exceptions, chains and finally."""

log = []
def fail():
    try:
        {}["missing"]
    except KeyError as error:
        raise ValueError("no such thing") from error
    finally:
        log.append("finally")
try:
    fail()
except (TypeError, ValueError) as error:
    log.append(f"{type(error).__name__}: {error}")
else:
    log.append("else")
error = ValueError("noted")
error.add_note("see the manual")
try: raise error
except ValueError as caught: log.append(caught.args)
try: assert 1 == 2, "no"
except AssertionError as caught: log.append(str(caught))
result = log
