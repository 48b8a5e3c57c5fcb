"""The modules of this package that the first frame imports, and the list that a test holds them to.

    python -m tests.first_frame

It writes `first_frame.txt` anew: what the window imports before it is painted, without a file and
with one. Each module costs a start about half a millisecond, so one that joins the list should show
something in the first frame; what does not is imported where it is used.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.profile_text import EXAMPLE

LIST = Path(__file__).with_name("first_frame.txt")
STARTS: Mapping[str, Sequence[str]] = {"without a file": (), "with a file": (str(EXAMPLE),)}
_PACKAGE = "qcachegrind_py."
_CODE = """
import linecache, sys
from qcachegrind_py.cli.main import main
assert main(sys.argv[1:]) == 0
print(*sys.modules)
print(*(path for path in linecache.cache if 'qcachegrind_py' in path))
"""


def imported(files: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of all modules of a first frame, and the source files that were read."""
    with TemporaryDirectory() as folder:
        ran = subprocess.run(
            [sys.executable, "-c", _CODE, "--screenshot", f"{folder}/window.png", *files],
            cwd=Path(__file__).parents[1],
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
    modules, read = (line.split() for line in ran.stdout.splitlines())
    return modules, read


def by_folder(modules: Iterable[str]) -> dict[str, list[str]]:
    """Return the modules of this package, without the packages themselves, by their folders."""
    own = sorted(name.removeprefix(_PACKAGE) for name in modules if name.startswith(_PACKAGE))
    found = defaultdict[str, list[str]](list)
    for name in own:
        if not any(other.startswith(f"{name}.") for other in own):
            folder, _, module = name.rpartition(".")
            found[folder].append(module)
    return dict(sorted(found.items()))


def described(start: str, modules: Iterable[str]) -> str:
    """Return the lines of the list for a start: a line for each folder."""
    folders = by_folder(modules)
    lines = (f"{folder or '.'}: {' '.join(names)}" for folder, names in folders.items())
    return "\n".join((f"{start}, {sum(map(len, folders.values()))} modules", *lines, ""))


def listed(start: str) -> list[str]:
    """Return the lines of the list for a start."""
    parts = LIST.read_text(encoding="utf-8").split("\n\n")
    return next(part.splitlines() for part in parts if part.startswith(f"{start}, "))


def main() -> None:
    """Write the list anew."""
    parts = (described(start, imported(files)[0]) for start, files in STARTS.items())
    LIST.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
