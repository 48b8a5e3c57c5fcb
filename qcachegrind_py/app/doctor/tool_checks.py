"""Findings about programs that we work with: valgrind, editors."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

from qcachegrind_py.app.doctor.findings import Finding, State
from qcachegrind_py.app.doctor.system_libraries import remedy
from qcachegrind_py.tools.sources.editor import known_editors

_VALGRIND = dict.fromkeys(("apt-get", "dnf", "pacman", "zypper", "apk"), "valgrind")
_SECONDS = 10.0


def tool_findings() -> Iterator[Finding]:
    """None of these is needed to look at a profile."""
    yield _program("valgrind")
    yield _program("callgrind_control")
    editors = list(dict.fromkeys(name for name, _ in known_editors()))
    if editors:
        yield Finding(State.GOOD, "Editors", ", ".join(editors))
    else:
        how = "Any editor can be named in the settings, such as: code --goto {file}:{line}"
        yield Finding(State.NOTE, "Editors", "none that is known; source lines open nowhere", how)


def _program(name: str) -> Finding:
    path = shutil.which(name)
    if path is None:
        how = remedy(_VALGRIND) or "See https://valgrind.org"
        return Finding(State.NOTE, name, "not found; it records profiles", how)
    return Finding(State.GOOD, name, f"{_version(path)}{path}")


def _version(path: str) -> str:
    """What the program says of its version, with a comma; nothing where it says nothing."""
    try:
        ran = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    first = ran.stdout.decode("utf-8", "replace").strip().partition("\n")[0]
    return f"{first}, " if first else ""
