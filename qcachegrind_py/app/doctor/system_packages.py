"""How packages are installed on this system: the exact line to type.

Which system this is stands in `os-release` (freedesktop.org's os-release specification); a system
that is none of the known families is told by its package manager. Nothing is installed here.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

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
