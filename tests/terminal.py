"""A real terminal, for tests of what commands ask there."""

import os
import pty
import subprocess
import termios
import tty
from collections.abc import Sequence
from pathlib import Path

from tests.server import SCRIPTOOL


def typed(words: Sequence[str | Path], talk: Sequence[tuple[str, str]]) -> tuple[int, str, str]:
    """Run scriptool at a terminal; type each answer of *talk* once what it waits for stands there.

    Gives the exit code, the output, and all that stood on the terminal.
    """
    ours, theirs = pty.openpty()
    tty.setraw(theirs, when=termios.TCSANOW)
    attributes = termios.tcgetattr(theirs)
    attributes[tty.LFLAG] |= termios.ICANON
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    command = [str(SCRIPTOOL), *map(str, words)]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        shown = ""
        for awaited, answer in talk:
            shown += _until(ours, awaited)
            os.write(ours, answer.encode())
        shown += _until(ours, None)
        assert process.stdout
        output = process.stdout.read().decode()
    os.close(ours)
    return process.returncode, output, shown


def _until(terminal: int, awaited: str | None) -> str:
    """Read until *awaited* stands there, or to the end."""
    shown = ""
    while awaited is None or awaited not in shown:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # how Linux says that nobody has the other side open any more
            data = b""
        if not data:
            assert awaited is None, f"{awaited!r} is not in {shown!r}"
            break
        shown += data.decode()
    return shown
