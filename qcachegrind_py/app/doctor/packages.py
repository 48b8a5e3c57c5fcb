"""Packages of the system and of Python that are missing, and the lines that install them."""

from __future__ import annotations

import ctypes
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from qcachegrind_py.app.style.resources import resource_path

_CHECKOUT = Path(__file__).resolve().parents[3]
_NAME = "qcachegrind_py"
_COMMAND = "qcachegrind-py"
_PROJECT = "pyproject.toml"  # of a source folder
_ARCHIVES = (".tar.gz", ".zip")  # of source; a wheel holds what was compiled elsewhere
_DEV = "sh dev.sh run"  # sets up a checkout


def package_line(name: str) -> str:
    """Return the line that installs a missing package."""
    if sys.prefix == sys.base_prefix and _is_checkout():  # pip must not change the system's Python
        return _DEV
    return pip_line(name)


def compile_line() -> str:
    """Return the line that installs this program again, now with a C compiler."""
    if _is_checkout():
        return _DEV
    path = _source_path()
    source = [path] if path else [f"--no-binary={_NAME}", _NAME]
    return pip_line("--force-reinstall", "--no-cache-dir", "--no-deps", *source)


def program_line(*words: str) -> str:
    """Return the line that starts this program with these arguments."""
    beside = Path(sys.executable).with_name(_COMMAND)
    if shutil.which(_COMMAND):
        return shlex.join([_COMMAND, *words])
    if beside.is_file():
        return shlex.join([str(beside), *words])
    return shlex.join([sys.executable or "python3", "-m", _NAME, *words])


def pip_line(*words: str) -> str:
    """Return a `pip install` line for the running Python."""
    return shlex.join([sys.executable or "python3", "-m", "pip", "install", *words])


def _is_checkout() -> bool:
    return (_CHECKOUT / "dev.sh").exists()


def _source_path() -> str:
    """Return the folder or source archive that was installed; empty if none, or if it is gone."""
    try:
        recorded = Distribution.from_name(_NAME).read_text("direct_url.json")
        url = urlsplit(json.loads(recorded or "{}").get("url", ""))
    except (PackageNotFoundError, ValueError, AttributeError):
        return ""
    path = Path(unquote(url.path))
    is_source = path.is_file() if path.name.endswith(_ARCHIVES) else (path / _PROJECT).is_file()
    return str(path) if url.scheme == "file" and is_source else ""


_FAMILIES = {
    "debian": "apt-get", "ubuntu": "apt-get", "fedora": "dnf", "rhel": "dnf", "centos": "dnf",
    "arch": "pacman", "suse": "zypper", "opensuse": "zypper", "alpine": "apk",
}  # fmt: skip
_INSTALL = {
    "apt-get": "apt-get install",
    "dnf": "dnf install",
    "pacman": "pacman -S --needed",
    "zypper": "zypper install",
    "apk": "apk add",
}
_RELEASES = (Path("/etc/os-release"), Path("/usr/lib/os-release"))
_APT_LISTS = Path("/var/lib/apt/lists")
_KINDS = {"xcb": ("qt", "x11"), "wayland": ("qt", "wayland")}  # other platforms need "qt" only
_MOST_NAMED = 4  # in a sentence; the line that installs them has all
_NOT_FOUND = ": cannot open shared object file"  # in a message of the loader


class Library(NamedTuple):
    """A library by its file name, with the packages that contain it; empty if unknown."""

    kind: str  # qt, x11 or wayland
    name: str
    apt: str
    dnf: str
    pacman: str


def known_libraries() -> list[Library]:
    """Return all libraries of the table."""
    lines = resource_path("system_libraries.tsv").read_text("utf-8").splitlines()
    return [Library(*line.split("\t")) for line in lines if not line.startswith("#")]


def missing_libraries(platforms: Iterable[str] = ()) -> list[Library]:
    """Return the libraries that Qt needs on these platforms and that the loader cannot find."""
    if not sys.platform.startswith("linux"):
        return []
    kinds = {"qt"}.union(*(_KINDS.get(platform, ()) for platform in platforms))
    known = {library.name: library for library in known_libraries()}
    needed = (library.name for library in known.values() if library.kind in kinds)
    names = dict.fromkeys(filter(None, map(missing_name, needed)))
    return [known.get(name) or unknown_library(name) for name in names]


def missing_name(name: str) -> str:
    """Return the missing file, of the library or of a dependency; empty if the library loads."""
    try:
        ctypes.CDLL(name)
    except OSError as error:
        return library_named_in(str(error)) or name
    return ""


def library_named_in(error: str) -> str:
    """Return the library that the loader did not find; empty if the message says otherwise."""
    name, found, _ = error.partition(_NOT_FOUND)
    return name.rpartition(" ")[2] if found else ""


def unknown_library(name: str) -> Library:
    """Return a library that is not in the table."""
    return Library("qt", name, "", "", "")


def names_text(libraries: Sequence[Library]) -> str:
    """Return the names of the libraries for a sentence, only the first few if there are many."""
    names = [library.name for library in libraries]
    if len(names) > _MOST_NAMED + 1:
        names[_MOST_NAMED:] = [f"{len(names) - _MOST_NAMED} more"]
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def libraries_line(libraries: Sequence[Library], manager: str | None = None) -> str:
    """Return the line that installs the libraries, or a sentence if the packages are unknown."""
    manager = package_manager() if manager is None else manager
    if manager == "zypper":  # finds packages by the libraries that they provide
        bits = "()(64bit)" if sys.maxsize > 2**32 else ""
        return install_line(manager, (f"{library.name}{bits}" for library in libraries))
    column = "apt" if manager == "apt-get" else manager
    packages = [getattr(library, column, "") for library in libraries]
    if not packages or not all(packages):
        return f"Install the system packages that contain {names_text(libraries)}."
    return install_line(manager, packages)


def package_manager(releases: Iterable[Path] = _RELEASES) -> str:
    """Return apt-get, dnf, pacman, zypper or apk; empty if unknown, as on Windows."""
    release = _os_release(releases)
    for family in (release.get("ID", ""), *release.get("ID_LIKE", "").split()):
        if (manager := _FAMILIES.get(family.partition("-")[0])) is not None:
            return manager
    return next((manager for manager in _INSTALL if shutil.which(manager)), "")


def install_line(manager: str, packages: Iterable[str], *, lists: Path = _APT_LISTS) -> str:
    """Return the line that installs packages, with `sudo` unless the user is root.

    A system that has never fetched its package lists has to do so first.
    """
    words = shlex.join(dict.fromkeys(packages))
    sudo = "" if getattr(os, "geteuid", lambda: 0)() == 0 else "sudo "
    line = f"{sudo}{_INSTALL[manager]} {words}"
    if manager == "apt-get" and not any(lists.glob("*_Packages*")):
        return f"{sudo}apt-get update && {line}"
    return line


def remedy(packages: Mapping[str, str]) -> str:
    """Return the line that installs packages, given by manager; empty if the manager is unknown."""
    manager = package_manager()
    names = packages.get(manager, "").split()
    return install_line(manager, names) if names else ""


def _os_release(files: Iterable[Path]) -> dict[str, str]:
    """Return the pairs of the first readable file, in lower case and without quotes."""
    for file in files:
        try:
            lines = file.read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
        pairs = (line.partition("=") for line in lines if not line.startswith("#"))
        return {key.strip(): value.strip().strip("\"'").lower() for key, _, value in pairs}
    return {}


# MB/s of processor time, from file to profile: 8 MB that Callgrind recorded of GCC's cc1 with
# --dump-instr=yes. In November 2026 these took 0.033 s compiled, and 2.2 to 2.7 s interpreted.
