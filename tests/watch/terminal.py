"""A command in a terminal of its own: keys go in, what it draws comes out."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.cli.arena import command, environment

# Makes the terminal the process's own, so that its Ctrl-C is sent to it, and becomes the command.
_OWN = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
# Leaves the alternate screen.
LEFT = "\x1b[?1049l"
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\r")


def plain(raw: str) -> str:
    """Return what was drawn, without what moves the cursor and colours."""
    return _CONTROL.sub("", raw)


class Terminal:
    """A running command and all that it has written to its terminal so far."""

    def __init__(self, process: subprocess.Popen[bytes], end: int) -> None:
        self.process = process
        self.raw = ""
        self._end = end
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def text(self) -> str:
        """What was drawn, without what moves the cursor and colours."""
        return plain(self.raw)

    def await_text(self, text: str) -> None:
        """Wait until a text has been drawn; the command must not end before."""
        with self._changed:
            while text not in self.text:
                assert self._changed.wait(60) or self.process.poll() is None, self.text
                assert self._reader.is_alive() or text in self.text, self.text

    def press(self, keys: bytes) -> None:
        os.write(self._end, keys)

    def end(self) -> int:
        """Wait for the command's end and all that it wrote; return its exit code.

        A command that does not end is an error of the test, and is ended with its context.
        """
        code = self.process.wait(timeout=120)
        self._reader.join()
        return code

    def settings(self) -> list[object]:
        """Return the terminal's settings, which a command has to leave as they were."""
        return termios.tcgetattr(self._end)

    def _read(self) -> None:
        while True:
            try:
                piece = os.read(self._end, 65536)
            except OSError:
                piece = b""
            with self._changed:
                self.raw += piece.decode("utf-8", errors="replace")
                self._changed.notify_all()
            if not piece:
                return


@contextmanager
def terminal(
    *arguments: str | Path,
    cwd: Path,
    width: int = 100,
    height: int = 30,
    env: Mapping[str, str] | None = None,
) -> Iterator[Terminal]:
    """Run a command in a new terminal of this size; it is ended with the context."""
    end, other = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    settings = {"TERM": "xterm-256color", **(env or {})}
    inherited = {name: value for name, value in environment(**settings).items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-c", _OWN, *command(*arguments)],
        cwd=cwd,
        env=inherited if env is None or "NO_COLOR" not in env else environment(**settings),
        stdin=other,
        stdout=other,
        stderr=other,
        start_new_session=True,
    )
    os.close(other)
    shown = Terminal(process, end)
    try:
        yield shown
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
        os.close(end)
