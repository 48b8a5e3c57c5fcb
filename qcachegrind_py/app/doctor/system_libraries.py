"""The libraries of the system that Qt loads, which of them are missing, and what to type then.

The table is `resources/system_libraries.tsv`. Whether a library is there is asked of the loader,
which is right on every distribution; Linux alone has them in packages of their own. No Qt here:
this is asked when Qt cannot be loaded.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from qcachegrind_py.app.style.resources import resource_path

_FAMILIES = {
    "debian": "apt-get", "ubuntu": "apt-get", "fedora": "dnf", "rhel": "dnf", "centos": "dnf",
    "arch": "pacman", "suse": "zypper", "opensuse": "zypper", "alpine": "apk",
}  # fmt: skip
_LINES = {
    "apt-get": "apt-get install",
    "dnf": "dnf install",
    "pacman": "pacman -S --needed",
    "zypper": "zypper install",
    "apk": "apk add",
}
_RELEASES = (Path("/etc/os-release"), Path("/usr/lib/os-release"))
_LISTS = Path("/var/lib/apt/lists")


def package_manager(releases: Iterable[Path] = _RELEASES) -> str:
    """apt-get, dnf, pacman, zypper or apk; empty where nobody knows, as on Windows."""
    release = _os_release(releases)
    families = [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
    for family in families:
        if (manager := _FAMILIES.get(family.partition("-")[0])) is not None:
            return manager
    return next((manager for manager in _LINES if shutil.which(manager)), "")


def install_line(manager: str, packages: Iterable[str], *, lists: Path = _LISTS) -> str:
    """What to type to have these packages: as root, or by sudo.

    A system that never asked for the names of its packages has to be told to do so first.
    """
    words = shlex.join(dict.fromkeys(packages))
    sudo = "" if getattr(os, "geteuid", lambda: 0)() == 0 else "sudo "
    line = f"{sudo}{_LINES[manager]} {words}"
    if manager == "apt-get" and not any(lists.glob("*_Packages*")):
        return f"{sudo}apt-get update && {line}"
    return line


def remedy(packages: Mapping[str, str]) -> str:
    """What to type for the packages, which `packages` names by manager; empty where unknown."""
    manager = package_manager()
    names = packages.get(manager, "").split()
    return install_line(manager, names) if names else ""


def _os_release(files: Iterable[Path]) -> dict[str, str]:
    """What the first of the files that can be read says; values may stand in quotes."""
    for file in files:
        try:
            lines = file.read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
        pairs = (line.partition("=") for line in lines if not line.startswith("#"))
        return {key.strip(): value.strip().strip("\"'").lower() for key, _, value in pairs}
    return {}


KINDS = {"xcb": ("qt", "x11"), "wayland": ("qt", "wayland")}  # by Qt's platform; others: qt alone
_NAMED = 4  # in a sentence; the line that installs them has all
_NOT_THERE = ": cannot open shared object file"


class Library(NamedTuple):
    """A library by the name the loader knows; the packages are empty where that is unknown."""

    kind: str  # qt, x11 or wayland
    name: str
    apt: str
    dnf: str
    pacman: str


def known_libraries() -> list[Library]:
    """All libraries of the table."""
    lines = resource_path("system_libraries.tsv").read_text("utf-8").splitlines()
    return [Library(*line.split("\t")) for line in lines if not line.startswith("#")]


def missing_libraries(platforms: Iterable[str] = ()) -> list[Library]:
    """What Qt needs on these platforms of its, and the loader does not find."""
    if not sys.platform.startswith("linux"):
        return []
    kinds = {"qt"}.union(*(KINDS.get(platform, ()) for platform in platforms))
    known = {library.name: library for library in known_libraries()}
    missing = {}
    for library in known.values():
        if library.kind in kinds and (name := lacked(library.name)):
            missing[name] = known.get(name, Library(library.kind, name, "", "", ""))
    return list(missing.values())


def lacked(name: str) -> str:
    """The library that is not there: itself or one that it needs in turn; empty for none."""
    try:
        ctypes.CDLL(name)
    except OSError as error:
        return library_named_in(str(error)) or name
    return ""


def library_named_in(error: str) -> str:
    """The library that the loader's message says is not there; empty for another message."""
    name, found, _ = error.partition(_NOT_THERE)
    return name.rpartition(" ")[2] if found else ""


def named(libraries: Sequence[Library]) -> str:
    """The names of the libraries, for a sentence; of many the first few."""
    names = [library.name for library in libraries]
    if len(names) > _NAMED + 1:
        names[_NAMED:] = [f"{len(names) - _NAMED} more"]
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def line_for(libraries: Sequence[Library], manager: str | None = None) -> str:
    """The line that installs what has these libraries, or a sentence where nobody knows it."""
    manager = package_manager() if manager is None else manager
    if manager == "zypper":  # its packages say which libraries they have
        bits = "()(64bit)" if sys.maxsize > 2**32 else ""
        return install_line(manager, (f"{library.name}{bits}" for library in libraries))
    column = {"apt-get": "apt"}.get(manager, manager)
    packages = [getattr(library, column, "") for library in libraries]
    if not packages or not all(packages):
        return f"Install the packages of your system that have {named(libraries)}."
    return install_line(manager, packages)
