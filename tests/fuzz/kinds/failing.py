"""Cases that fail, each in a way that the fuzzer has to notice; for its own tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np

from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.profile.errors import NotAProfile
from tests.fuzz.outcome import Content, Difference


def check(data: bytes, folder: Path) -> Content:
    """Fail in the way that the case says."""
    if b"crash" in data:
        os.kill(os.getpid(), signal.SIGSEGV)
    match data:
        case b"exception":
            raise KeyError(data)
        case b"difference":
            raise Difference("one and two differ", "1\n2")
        case b"exit":
            os._exit(7)
        case b"memory":
            return {"size": len(b"x" * (450 << 20))}
        case b"addresses":
            return {"size": len(np.zeros(1 << 40, np.uint8))}
        case b"endless":
            while True:
                pass
        case b"compiled" if COMPILED:
            raise AssertionError
        case b"refused":
            return {"error": str(NotAProfile(folder, "is a drawing."))}
    return {}
