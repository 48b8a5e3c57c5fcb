"""Signals that ask the program to end, remembered until its event loop can act on them.

Python runs the handlers of signals between its own instructions, and Qt's event loop has none: the
system writes the number of each signal to a pipe, which the event loop watches. Qt is not imported
here, so that a signal during the start is not lost either.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Ctrl+C, `kill` or logging out, a closed terminal


class SignalPipe:
    """The numbers of the signals received since it was created; on Windows, none.

    A signal that the program was started to ignore, as by `nohup`, stays ignored.
    """

    def __init__(self) -> None:
        self.descriptor, write_end = os.pipe()
        if sys.platform == "win32":
            return
        for end in (self.descriptor, write_end):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        for number in (getattr(signal, name) for name in _NAMES):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda _number, _frame: None)

    def read(self) -> bytes:
        """Return the numbers of the signals that came since the last call."""
        with suppress(BlockingIOError):
            return os.read(self.descriptor, 64)
        return b""
