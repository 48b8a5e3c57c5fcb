"""What the program needs of the system, and the line that installs what is missing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import PySide6
import pytest
import shiboken6

from qcachegrind_py.app.doctor.checks import QT_MODULES
from qcachegrind_py.tools import system_packages
from qcachegrind_py.tools.elf.headers import opened, read_headers, text_at
from qcachegrind_py.tools.system_packages import (
    KINDS,
    Requirement,
    has_compiler,
    install_line,
    library_named_in,
    missing,
    package_manager,
    requirements,
)

ROOT = Path(__file__).parents[2]
CURSOR = Requirement("x11", "libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor", "xcb-cursor")
GL = Requirement("qt", "libGL.so.1", "libgl1", "libglvnd-glx", "libglvnd")
EGL = Requirement("qt", "libEGL.so.1", "libegl1", "libglvnd-egl", "libglvnd")
VENV, HEADERS = (row for row in requirements(*KINDS) if row.name in ("ensurepip", "Python.h"))
APT = "apt-get install --no-install-recommends"
_NEEDED = 1  # DT_NEEDED
_C_LIBRARY = re.compile(r"(ld-linux.*|lib(c|dl|m|pthread|resolv|rt|gcc_s))\.so\.\d+")
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries of Linux")


@pytest.fixture(autouse=True)
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)


def test_each_requirement_has_its_packages() -> None:
    """A row has the packages of apt, dnf and pacman; no library is named twice."""
    rows = requirements(*KINDS)

    assert {row.kind for row in rows} == set(KINDS)
    assert [row for row in rows if not (row.apt and row.dnf and row.pacman)] == []
    assert len({row.name for row in rows}) == len(rows) > 20


def needed_by(file: Path) -> set[str]:
    """The libraries in the dynamic section of a library of 64 bits."""
    with opened(file) as elf:
        headers = read_headers(elf)
    data = file.read_bytes()
    dynamic, strings = (
        data[int(row["offset"]) : int(row["offset"]) + int(row["size"])]
        for row in headers.sections[[headers.row(".dynamic"), headers.row(".dynstr")]]
    )
    tags = np.frombuffer(dynamic, np.uint64).reshape(-1, 2)
    return {text_at(strings, int(offset)) for offset in tags[tags[:, 0] == _NEEDED, 1]}


def needed_of_the_system(*names: str) -> set[str]:
    """What these files of Qt need, and their libraries, without Qt's and the C library's own."""
    tops = [Path(package.__file__).parent for package in (PySide6, shiboken6)]
    own = {file.name: file for top in tops for file in top.rglob("*.so*")}
    found: set[str] = set()
    waiting = {name for name in names if name in own}
    assert waiting
    while waiting:
        found |= waiting
        waiting = set().union(*(needed_by(own[name]) for name in waiting if name in own)) - found
    return {name for name in found - own.keys() if not _C_LIBRARY.fullmatch(name)}


@on_linux
@pytest.mark.parametrize(
    ("kinds", "files"),
    {
        ("qt",): [f"{module.removeprefix('PySide6.')}.abi3.so" for module in QT_MODULES],
        ("qt", "x11"): ["libqxcb.so"],
        ("qt", "wayland"): ["libqwayland.so", "libqwayland-generic.so"],  # before Qt 6.10
    }.items(),
)
def test_table_has_all_libraries_that_qt_needs(kinds: tuple[str, ...], files: list[str]) -> None:
    """What the modules and platforms of Qt name in their files is in the table."""
    table = {row.name for row in requirements(*kinds)}

    assert needed_of_the_system(*files) - table == set()


@on_linux
def test_missing_library_is_named_by_the_loader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if another library needs it; other messages of the loader name none."""
    rows = [CURSOR, Requirement("x11", "libno-such-library.so.7")]
    monkeypatch.setattr(system_packages, "requirements", lambda *kinds: rows)
    assert rows[1] in missing("x11")
    deep = "libb.so.2: cannot open shared object file: No such file or directory"
    assert library_named_in(deep) == "libb.so.2"
    assert library_named_in("/a/libQt6Gui.so.6: undefined symbol: x") == ""


@on_linux
def test_a_compiler_is_a_program_and_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One without the other compiles nothing."""
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))
    monkeypatch.setenv("CC", f"{sys.executable} --option")
    assert [row.name for row in missing("compiler")] == ["Python.h"]
    (tmp_path / "Python.h").touch()
    assert has_compiler()
    monkeypatch.setenv("CC", "no-such-compiler")
    assert [row.name for row in missing("compiler")] == ["cc"]


@on_linux
def test_a_bare_system_is_told_everything_in_four_lines() -> None:
    """What `dev.sh` reads: needed, optional, their packages, and the line that installs them.

    Without site packages and variables, as before anything is installed.
    """
    ran = subprocess.run(
        [sys.executable, "-I", "-B", "-c", _BARE, ROOT / "qcachegrind_py" / "tools"],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": ""},
    )

    assert ran.stdout.splitlines() == [
        "ensurepip libnone.so.1",
        "cc libnone-x.so.1",
        "python3-venv libnone1 gcc libnone-x1",
        f"{APT} python3-venv libnone1 gcc libnone-x1",
    ]


_BARE = """
import importlib.util, os, sys
sys.path.insert(0, sys.argv[1])
import system_packages as s
rows = [s.Requirement(*row.split()) for row in (
    "python ensurepip python3-venv", "qt libnone.so.1 libnone1", "qt libc.so.6 libc6",
    "compiler cc gcc", "x11 libnone-x.so.1 libnone-x1",
)]
s.requirements = lambda *kinds: rows
s._of_this_python = lambda package: [package]
importlib.util.find_spec = lambda name: None
sys.prefix = sys.base_prefix
os.geteuid = lambda: 0
s._APT_LISTS.__class__.glob = lambda path, pattern: iter("x")
s.package_manager = lambda: "apt-get"
s.main()
"""


@pytest.mark.parametrize(
    ("manager", "line"),
    {
        "apt-get": f"{APT} libxcb-cursor0 libgl1 libegl1",
        "dnf": "dnf install xcb-util-cursor libglvnd-glx libglvnd-egl",
        "pacman": "pacman -S --needed xcb-cursor libglvnd",
        "zypper": "zypper install 'libxcb-cursor.so.0()(64bit)' 'libGL.so.1()(64bit)' "
        "'libEGL.so.1()(64bit)'",
        "apk": "Install the system packages that contain libxcb-cursor.so.0, libGL.so.1 and "
        "libEGL.so.1.",
        "": "Install the system packages that contain libxcb-cursor.so.0, libGL.so.1 and "
        "libEGL.so.1.",
    }.items(),
)
def test_install_line_of_each_package_manager(manager: str, line: str) -> None:
    """Each package appears once; if packages are unknown, a sentence names the libraries."""
    assert install_line([CURSOR, GL, EGL], manager).removeprefix("apt-get update && ") == line


def test_install_line_fits_user_and_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who is not root needs sudo, or su; a fresh system fetches its package lists first."""
    (tmp_path / "sudo").touch(mode=0o755)
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    bare = install_line([GL, GL], "apt-get", lists=tmp_path)
    (tmp_path / "deb_main_binary-amd64_Packages.lz4").touch()

    assert bare == f"sudo apt-get update && sudo {APT} libgl1"
    assert install_line([GL], "apt-get", lists=tmp_path) == f"sudo {APT} libgl1"
    assert install_line([GL], "dnf", lists=tmp_path) == "sudo dnf install libglvnd-glx"
    (tmp_path / "sudo").unlink()
    assert install_line([GL], "apt-get", lists=tmp_path) == f"su -c '{APT} libgl1'"


def test_packages_are_those_of_the_running_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's other Pythons have their own; apt has none for a Python from elsewhere."""
    monkeypatch.setattr(system_packages, "_SYSTEM_PYTHONS", tmp_path)
    for name in ("python3.11", "python3.14"):
        (tmp_path / name).touch()
    (tmp_path / "python3").symlink_to(tmp_path / "python3.11")
    found = []
    for running in (tmp_path / "python3.11", tmp_path / "python3.14", Path("/opt/python3.14")):
        monkeypatch.setattr(sys, "_base_executable", str(running))
        found.append(VENV.packages("apt-get") + HEADERS.packages("apt-get"))

    assert found == [
        ["python3-venv", "python3-dev"],
        ["python3.14-venv", "python3.14-dev"],
        [],
    ]


@pytest.mark.parametrize(
    ("release", "manager"),
    {
        'ID=debian\nNAME="Debian"\n': "apt-get",
        "ID=linuxmint\nID_LIKE='ubuntu debian'\n": "apt-get",
        "# x\nID=fedora\n": "dnf",
        'ID="rocky"\nID_LIKE="rhel centos fedora"\n': "dnf",
        "ID=manjaro\nID_LIKE=arch\n": "pacman",
        'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n': "zypper",
        "ID=alpine\n": "apk",
    }.items(),
)
def test_package_manager_follows_the_family(release: str, manager: str, tmp_path: Path) -> None:
    """The first existing os-release names the system, or one that it is like."""
    (tmp_path / "os-release").write_text(release, "utf-8")

    assert package_manager([tmp_path / "none", tmp_path / "os-release"]) == manager


def test_unknown_system_uses_an_installed_manager(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a known family, an installed package manager decides; there may be none."""
    (tmp_path / "dnf").write_text("#!/bin/sh\n")
    (tmp_path / "dnf").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = package_manager([tmp_path / "none"])
    monkeypatch.setenv("PATH", str(tmp_path / "none"))

    assert (found, package_manager([tmp_path / "none"])) == ("dnf", "")
