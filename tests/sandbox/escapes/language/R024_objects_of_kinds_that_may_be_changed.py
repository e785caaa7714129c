def tried(attempt):
    try:
        return attempt()
    except (TypeError, AttributeError) as error:
        return str(error)


def write():
    application.box.size = 2


def read():
    return application.box._key


def look():
    return application.box.__dict__["_key"]


def count():
    application.context.prec = 2


def wrap():
    application.wrapper.width = 2


def blame():
    application.error.args = ("changed",)


return [tried(attempt) for attempt in (write, read, look, count, wrap, blame)]
