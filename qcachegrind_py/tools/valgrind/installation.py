"""Valgrind on this machine: its location, how to install it, and the status of a running program.

The status comes from `vgdb`, a part of valgrind. callgrind_control uses it, too, but passes its
arguments to a shell, and is confused by line ends in a program's arguments.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.tools.command_line import program_path

_INSTALLERS = {
    "debian": "apt install valgrind",
    "ubuntu": "apt install valgrind",
    "fedora": "dnf install valgrind",
    "rhel": "dnf install valgrind",
    "centos": "dnf install valgrind",
    "arch": "pacman -S valgrind",
    "suse": "zypper install valgrind",
    "opensuse": "zypper install valgrind",
    "alpine": "apk add valgrind",
    "gentoo": "emerge dev-debug/valgrind",
    "void": "xbps-install valgrind",
    "nixos": "nix-env -iA nixos.valgrind",
    "freebsd": "pkg install valgrind",
}  # by the ids of os-release; distributions before their families
_OWN_PACKAGE_MANAGER = {"nixos"}  # users install packages for themselves
_OS_RELEASE = ("/etc/os-release", "/usr/lib/os-release")
_RECORD_ELSEWHERE = (
    "Record on a Linux machine, in a virtual one or in a container, copy the file "
    "callgrind.out.… here, and open it."
)
_ON_MACOS = f"Valgrind does not run on current versions of macOS. {_RECORD_ELSEWHERE}"
_ON_WINDOWS = (
    "Valgrind does not run on Windows. Record in the Windows Subsystem for Linux (WSL): "
    "valgrind --tool=callgrind PROGRAM. Then open the callgrind.out file here."
)
_INSTALL_FROM_SITE = "Install it from your system's packages or from valgrind.org."
_COUNTER_SIGN_BIT = 1 << 63
_VALUE = re.compile(r"^([\w-]+): (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RecordingTools:
    """The recording programs by absolute path; None if missing."""

    valgrind: str | None = None
    vgdb: str | None = None  # without it, a recording can only be stopped


@dataclass(frozen=True, slots=True)
class InstallAdvice:
    """Advice on installing valgrind: a sentence, and a command if there is one."""

    sentence: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class LiveState:
    """The status of a program running under callgrind."""

    is_counting: bool = True
    event: str = ""  # the first event, such as Ir
    count: int = 0  # of that event, in all threads, since the last part was written
    threads: int = 0
    stack: tuple[str, ...] = ()  # the current thread's active functions, the innermost first

    @property
    def function(self) -> str:
        """The current thread's function."""
        return next(iter(self.stack), "")


def find_tools() -> RecordingTools:
    """Find the programs on the path."""
    return RecordingTools(program_path("valgrind"), program_path("vgdb"))


def install_advice(platform: str = sys.platform, os_release: str | None = None) -> InstallAdvice:
    """Return how to install valgrind on this system, as identified by its os-release file."""
    if platform == "darwin":
        return InstallAdvice(_ON_MACOS)
    if platform in ("win32", "cygwin"):
        return InstallAdvice(_ON_WINDOWS)
    release = _read_os_release() if os_release is None else os_release
    fields = dict(line.split("=", 1) for line in release.splitlines() if "=" in line)
    ids = f"{fields.get('ID', '')} {fields.get('ID_LIKE', '')}".replace('"', "").split()
    system = next((i for i in (i.partition("-")[0] for i in ids) if i in _INSTALLERS), "")
    if not system:
        return InstallAdvice(f"Valgrind is not installed. {_INSTALL_FROM_SITE}")
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    prefix = "" if is_root or system in _OWN_PACKAGE_MANAGER else "sudo "
    return InstallAdvice(
        "Valgrind is not installed. Install it with this command:", prefix + _INSTALLERS[system]
    )


def _read_os_release() -> str:
    for path in _OS_RELEASE:
        with contextlib.suppress(OSError):
            return Path(path).read_text(encoding="utf-8", errors="replace")
    return ""


def parse_live_state(answer: str) -> LiveState | None:
    """Parse the answer to `status internal`; None if it is incomplete, as during the start."""
    values = dict(_VALUE.findall(answer))
    if "instrumentation" not in values:
        return None
    if values["instrumentation"] != "on":
        return LiveState(is_counting=False)
    threads = len(_thread_ids(values))
    costs = [values[f"events-{thread}"].split()[:1] for thread in _thread_ids(values)]
    event = values.get("events", "").split()[:1]
    count = sum(map(_parse_count, costs))
    return LiveState(True, "".join(event), count, threads, _current_stack(values))


def _thread_ids(values: dict[str, str]) -> list[str]:
    """Return the ids of the threads whose costs are reported."""
    matches = (re.fullmatch(r"events-(\d+)", key) for key in values)
    return [match[1] for match in matches if match]


def _current_stack(values: dict[str, str]) -> tuple[str, ...]:
    """Return the current thread's functions; callgrind lists them from the outermost."""
    thread = values.get("current-tid", "")
    names = [name for key, name in values.items() if key.startswith(f"function-{thread}-")]
    return tuple(reversed(names))


def _parse_count(texts: list[str]) -> int:
    """Return the number in the texts; 0 if there is none."""
    text = "".join(texts)
    number = int(text) if text.isascii() and text.isdigit() else 0
    # after a pause, callgrind counts from below zero
    return number if number < _COUNTER_SIGN_BIT else 0


def remove_pipes(process: int) -> None:
    """Remove the vgdb pipes left behind by a killed valgrind."""
    folder = Path(os.environ.get("TMPDIR") or "/tmp")  # valgrind's choice
    for pipe in folder.glob(f"vgdb-pipe-*-{process}-by-*"):
        with contextlib.suppress(OSError):
            pipe.unlink()
