"""What this program needs of the system: what is missing, and the one line that installs it all.

`dev.sh` and `installers/build.sh` run this file before anything is installed: it needs nothing but
Python. The table is `resources/system_libraries.tsv`.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

KINDS = ("python", "qt", "x11", "wayland", "compiler")
_REQUIRED = ("python", "qt")  # without the others something is slower, or not shown
_PACKAGE = Path(__file__).resolve().parents[1]
_TABLES = (_PACKAGE / "resources", _PACKAGE.parent / "resources")
_FAMILIES = {
    "debian": "apt-get", "ubuntu": "apt-get", "fedora": "dnf", "rhel": "dnf", "centos": "dnf",
    "arch": "pacman", "suse": "zypper", "opensuse": "zypper", "alpine": "apk",
}  # fmt: skip
_INSTALL = {
    "apt-get": "apt-get install --no-install-recommends",
    "dnf": "dnf install",
    "pacman": "pacman -S --needed",
    "zypper": "zypper install",
    "apk": "apk add",
}
_RELEASES = (Path("/etc/os-release"), Path("/usr/lib/os-release"))
_APT_LISTS = Path("/var/lib/apt/lists")
_SYSTEM_PYTHONS = Path("/usr/bin")
_NOT_FOUND = ": cannot open shared object file"  # in a message of the loader
_MOST_NAMED = 4  # in a sentence; the line that installs them has all


class Requirement(NamedTuple):
    """A row of the table: what is needed, and the packages that contain it; empty if unknown."""

    kind: str
    name: str
    apt: str = ""
    dnf: str = ""
    pacman: str = ""
    zypper: str = ""
    apk: str = ""

    def packages(self, manager: str) -> list[str]:
        """Return the packages for a package manager."""
        if manager == "zypper" and ".so" in self.name:  # finds packages by what they provide
            return [f"{self.name}{'()(64bit)' if sys.maxsize > 2**32 else ''}"]
        names = getattr(self, "apt" if manager == "apt-get" else manager, "").split()
        if manager == "apt-get" and self.kind in ("python", "compiler"):
            return [package for name in names for package in _of_this_python(name)]
        return list(names)


def requirements(*kinds: str) -> list[Requirement]:
    """Return the rows of the table that are of these kinds."""
    table = next(folder for folder in _TABLES if folder.is_dir()) / "system_libraries.tsv"
    lines = table.read_text("utf-8").splitlines()
    rows = [Requirement(*line.split("\t")) for line in lines if not line.startswith("#")]
    return [row for row in rows if row.kind in kinds]


def missing(*kinds: str) -> list[Requirement]:
    """Return what is needed and not here; a library may lack another one, which is named then."""
    if not sys.platform.startswith("linux"):
        return []
    known = {row.name: row for row in requirements(*KINDS)}
    names = (_missing_name(row) for row in requirements(*kinds))
    return [known.get(name) or Requirement("qt", name) for name in dict.fromkeys(names) if name]


def has_compiler() -> bool:
    """Return whether there are a C compiler and Python's headers."""
    return not any(map(_missing_name, requirements("compiler")))


def library_named_in(error: str) -> str:
    """Return the library that the loader did not find; empty if the message says otherwise."""
    name, found, _ = error.partition(_NOT_FOUND)
    return name.rpartition(" ")[2] if found else ""


def names_text(lacking: Sequence[Requirement]) -> str:
    """Return the names for a sentence, only the first few if there are many."""
    names = [row.name for row in lacking]
    if len(names) > _MOST_NAMED + 1:
        names[_MOST_NAMED:] = [f"{len(names) - _MOST_NAMED} more"]
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def package_manager(releases: Iterable[Path] = _RELEASES) -> str:
    """Return apt-get, dnf, pacman, zypper or apk; empty if unknown, as on Windows."""
    release = _os_release(releases)
    for family in (release.get("ID", ""), *release.get("ID_LIKE", "").split()):
        if (manager := _FAMILIES.get(family.partition("-")[0])) is not None:
            return manager
    return next((manager for manager in _INSTALL if shutil.which(manager)), "")


def install_line(
    lacking: Sequence[Requirement], manager: str | None = None, *, lists: Path = _APT_LISTS
) -> str:
    """Return the one line that installs all of this, or a sentence if the packages are unknown.

    Whoever is not root needs `sudo`, or `su` where there is none. A system that has never fetched
    its package lists has to do so first.
    """
    manager = package_manager() if manager is None else manager
    packages = _package_names(lacking, manager)
    if not packages:
        return f"Install the system packages that contain {names_text(lacking)}."
    commands = [f"{_INSTALL[manager]} {shlex.join(packages)}"]
    if manager == "apt-get" and not any(lists.glob("*_Packages*")):
        commands.insert(0, "apt-get update")
    if getattr(os, "geteuid", lambda: 0)() == 0:
        return " && ".join(commands)
    if shutil.which("sudo"):
        return " && ".join(f"sudo {command}" for command in commands)
    return f"su -c {shlex.quote(' && '.join(commands))}"


def _package_names(lacking: Sequence[Requirement], manager: str) -> list[str]:
    """Return the packages, each once; none if one of the libraries is in no known package."""
    packages = [row.packages(manager) for row in lacking]
    if any(not names and ".so" in row.name for row, names in zip(lacking, packages, strict=True)):
        return []
    return list(dict.fromkeys(name for names in packages for name in names))


def _missing_name(row: Requirement) -> str:
    """Return what is missing, the requirement or a library that it needs; empty if it is there."""
    if row.kind == "python":  # an environment was made with something else
        is_there = sys.prefix != sys.base_prefix or importlib.util.find_spec(row.name) is not None
        return "" if is_there else row.name
    if row.name == "Python.h":
        return "" if (Path(sysconfig.get_path("include")) / row.name).exists() else row.name
    if ".so" not in row.name:
        asked = os.environ.get("CC") or sysconfig.get_config_var("CC") if row.name == "cc" else ""
        return "" if shutil.which((asked or row.name).split()[0]) else row.name
    try:
        ctypes.CDLL(row.name)
    except OSError as error:
        return library_named_in(str(error)) or row.name
    return ""


def _of_this_python(package: str) -> list[str]:
    """Return the package of the running Python; none if Python came by another way than apt."""
    if not package.startswith("python3-"):
        return [package]
    running = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    if running == (_SYSTEM_PYTHONS / "python3").resolve():
        return [package]
    if running.parent != _SYSTEM_PYTHONS:
        return []
    return [package.replace("python3", running.name)]


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


def main() -> None:
    """Print what is missing for the shell; nothing if all is there.

    The lines are: what the program cannot do without, what it can, their packages, and how to
    install them.
    """
    if lacking := missing(*KINDS):
        print(*(row.name for row in lacking if row.kind in _REQUIRED))
        print(*(row.name for row in lacking if row.kind not in _REQUIRED))
        print(*_package_names(lacking, package_manager()))
        print(install_line(lacking))


if __name__ == "__main__":
    main()
