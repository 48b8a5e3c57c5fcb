"""Valgrind on this machine: where it is, how to get it, and what it says of a running program.

A running program is asked by `vgdb`, which valgrind brings along. It is what callgrind_control
asks, too, but that one hands its words to a shell, and loses its way in arguments with line ends.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

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
}  # by the ids of os-release; those of a family come first in none of them
_OWN_PACKAGE_MANAGER = {"nixos"}  # what users install for themselves
_OS_RELEASE = ("/etc/os-release", "/usr/lib/os-release")
_RECORD_ELSEWHERE = (
    "Record on a Linux machine, in a virtual one or in a container, copy the file "
    "callgrind.out.… here, and open it."
)
_ON_MACOS = f"Valgrind does not run on current versions of macOS. {_RECORD_ELSEWHERE}"
_ON_WINDOWS = (
    "Valgrind does not run on Windows. Record in WSL, the Linux that Windows brings along: "
    "valgrind --tool=callgrind PROGRAM. Then open the file callgrind.out.… here."
)
_INSTALL_FROM_SITE = "Get it from valgrind.org, or from the packages of your system."
_COUNTER_SIGN_BIT = 1 << 63
_VALUE = re.compile(r"^([\w-]+): (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RecordingTools:
    """The programs that record, by absolute paths; None for what is not here."""

    valgrind: str | None = None
    vgdb: str | None = None  # without it a recording can only be stopped


@dataclass(frozen=True, slots=True)
class InstallAdvice:
    """How to get valgrind: a sentence, and where there is one a command to type."""

    sentence: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class LiveState:
    """What callgrind says of the running program."""

    is_counting: bool = True
    event: str = ""  # the first event, such as Ir
    count: int = 0  # of that event, over all threads, since the last part was written
    threads: int = 0
    function: str = ""  # in which the current thread is


def find_tools() -> RecordingTools:
    """The programs on the path; those that lie in the current folder by chance are none."""
    found = (shutil.which(name) for name in ("valgrind", "vgdb"))
    return RecordingTools(*(path if path and Path(path).is_absolute() else None for path in found))


def install_advice(platform: str = sys.platform, os_release: str | None = None) -> InstallAdvice:
    """How to get valgrind on this system, which is said by its os-release file."""
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
    by = "" if is_root or system in _OWN_PACKAGE_MANAGER else "sudo "
    return InstallAdvice(
        "Valgrind is not installed. Get it by this command:", by + _INSTALLERS[system]
    )


def _read_os_release() -> str:
    for path in _OS_RELEASE:
        with contextlib.suppress(OSError):
            return Path(path).read_text(encoding="utf-8", errors="replace")
    return ""


def parse_live_state(answer: str) -> LiveState | None:
    """What an answer to `status internal` says; None where it is none, as while it starts."""
    values = dict(_VALUE.findall(answer))
    if "instrumentation" not in values:
        return None
    if values["instrumentation"] != "on":
        return LiveState(is_counting=False)
    threads = len(_thread_ids(values))
    costs = [values[f"events-{thread}"].split()[:1] for thread in _thread_ids(values)]
    event = values.get("events", "").split()[:1]
    function = _current_function(values)
    return LiveState(True, "".join(event), sum(map(_parse_count, costs)), threads, function)


def _thread_ids(values: dict[str, str]) -> list[str]:
    """The numbers of the threads whose costs are said."""
    found = (re.fullmatch(r"events-(\d+)", key) for key in values)
    return [match[1] for match in found if match]


def _current_function(values: dict[str, str]) -> str:
    """The function in which the current thread is: the last one of its frames."""
    thread = values.get("current-tid", "")
    names = [name for key, name in values.items() if key.startswith(f"function-{thread}-")]
    return names[-1] if names else ""


def _parse_count(texts: list[str]) -> int:
    """The number in a text that is one."""
    text = "".join(texts)
    number = int(text) if text.isascii() and text.isdigit() else 0
    return (
        number if number < _COUNTER_SIGN_BIT else 0
    )  # after a pause callgrind counts from below zero


def remove_pipes(process: int) -> None:
    """Take away the pipes for vgdb that a killed valgrind leaves behind."""
    folder = Path(os.environ.get("TMPDIR") or "/tmp")  # as valgrind has it
    for pipe in folder.glob(f"vgdb-pipe-*-{process}-by-*"):
        with contextlib.suppress(OSError):
            pipe.unlink()
