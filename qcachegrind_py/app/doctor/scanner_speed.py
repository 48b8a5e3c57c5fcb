"""Whether the scanner is compiled, and how to compile it: without a compiler files open slowly."""

from __future__ import annotations

from qcachegrind_py.app.doctor.packages import compile_line
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.tools.system_packages import has_compiler, install_line, requirements

# MB/s of processor time, from file to profile: 8 MB that Callgrind recorded of GCC's cc1 with
# --dump-instr=yes. In November 2026 these took 0.033 s compiled, and 2.2 to 2.7 s interpreted.
COMPILED_SPEED, INTERPRETED_SPEED = 290, 3.5
SPEEDS = f"{INTERPRETED_SPEED} MB/s instead of {COMPILED_SPEED}"


def compiling_steps() -> list[str]:
    """Return the lines to type, one after the other, that compile the scanner."""
    if has_compiler():
        return [compile_line()]
    line = install_line(requirements("compiler"))
    return ["Install a C compiler, then:" if line.startswith("Install") else line, compile_line()]


def slow_scanner_text() -> str:
    """Return a sentence on the interpreted scanner and its remedy; empty if it is compiled."""
    if COMPILED:
        return ""
    steps = compiling_steps()
    joint = " " if steps[0].endswith(":") else " && "
    return f"The scanner is not compiled and reads {SPEEDS}. To compile it: {joint.join(steps)}"
