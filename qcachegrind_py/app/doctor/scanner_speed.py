"""Whether the scanner is compiled, and how to compile it: without a compiler files open slowly."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path

from qcachegrind_py.app.doctor.packages import compile_line, remedy
from qcachegrind_py.formats.callgrind.scanner import COMPILED

# MB/s of processor time, from file to profile: 8 MB that Callgrind recorded of GCC's cc1 with
# --dump-instr=yes. In November 2026 these took 0.033 s compiled, and 2.2 to 2.7 s interpreted.
COMPILED_SPEED, INTERPRETED_SPEED = 250, 3.5
SPEEDS = f"{INTERPRETED_SPEED} MB/s instead of {COMPILED_SPEED}"
_COMPILER = {
    "apt-get": "gcc libc6-dev python3-dev", "dnf": "gcc python3-devel", "pacman": "gcc",
    "zypper": "gcc python3-devel", "apk": "gcc musl-dev python3-dev",
}  # fmt: skip


def compiling_steps() -> list[str]:
    """Return the lines to type, one after the other, that compile the scanner."""
    if _has_compiler():
        return [compile_line()]
    return [remedy(_COMPILER) or "Install a C compiler, then:", compile_line()]


def slow_scanner_text() -> str:
    """Return a sentence on the interpreted scanner and its remedy; empty if it is compiled."""
    if COMPILED:
        return ""
    steps = compiling_steps()
    joint = " " if steps[0].endswith(":") else " && "
    return f"The scanner is not compiled and reads {SPEEDS}. To compile it: {joint.join(steps)}"


def _has_compiler() -> bool:
    """Return whether there are a compiler and Python's headers."""
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    header = Path(sysconfig.get_path("include")) / "Python.h"
    return shutil.which(command.split()[0]) is not None and header.exists()
