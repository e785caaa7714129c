"""Warm-up: everything the library would read or import late is read and imported before confinement."""

import codecs
import datetime
import hashlib
import random
import time
import unicodedata
import uuid

from sandbox.runtime.faces import surroundings

_TEXT_ENCODINGS = ("ascii", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-16", "utf-32", "latin-1", "cp1252", "cp437")
_OTHER_ENCODINGS = ("iso8859-15", "idna", "punycode", "unicode_escape", "hex", "base64", "rot13", "quopri", "zlib")


def touch() -> None:
    """Touch what would otherwise need a file later: zones, encodings, algorithms, the local time."""
    surroundings.time_zones()
    for encoding in _TEXT_ENCODINGS + _OTHER_ENCODINGS:
        codecs.lookup(encoding)
    for algorithm in hashlib.algorithms_available:
        _touch_algorithm(algorithm)
    # The first strptime imports the module that does it.
    datetime.datetime.strptime("2024-04-01", "%Y-%m-%d").strftime("%A")
    time.strptime("2024", "%Y")
    time.localtime()
    unicodedata.name("a")
    random.random()
    uuid.uuid4()


def _touch_algorithm(name: str) -> None:
    try:
        hashlib.new(name, b"")
    except ValueError:
        return  # listed, but not built in here
