"""What an installed wheel has to do on a machine without a display; run by cibuildwheel.

    python check_wheel.py PROFILE     the example profile

It is compiled and contains no C that was generated for that, its commands start, and it reads what
the profile says.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import files
from pathlib import Path

COMMANDS = ("qcachegrind-py", "qcachegrind_py", "qcachegrind-py-gui")
# As callgrind_annotate says: all instructions, and those of the costliest function by itself
TOTAL, FUNCTION, SELF = 1_866_861, "_dl_lookup_symbol_x", 640_822


def output(*command: str) -> str:
    """What the command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main(profile: str) -> None:
    """Check all; the first failure is an exception."""
    module = (sys.executable, "-m", "qcachegrind_py")
    assert output(*module, "--version").endswith("(compiled scanner)\n")
    generated = [file for file in files("qcachegrind_py") or () if file.suffix == ".c"]
    assert all("example" in file.parts for file in generated), generated
    for command in COMMANDS:
        assert list(Path(sys.executable).parent.glob(f"{command}*")), command

    report = json.loads(output(*module, "report", profile, "--format", "json"))
    own, name = max((function["self"]["Ir"], function["name"]) for function in report["functions"])
    assert (report["summary"]["Ir"], name, own) == (TOTAL, FUNCTION, SELF)
    print(output(*module, "--version").strip())


if __name__ == "__main__":
    main(sys.argv[1])
