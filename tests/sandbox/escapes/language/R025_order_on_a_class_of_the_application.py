import functools

try:
    functools.total_ordering(type(application.lamp))
except TypeError as error:
    return str(error)
