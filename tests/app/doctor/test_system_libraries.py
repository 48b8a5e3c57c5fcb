"""System libraries that Qt needs, and the line that installs missing ones."""

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
from qcachegrind_py.app.doctor.packages import (
    Library,
    install_line,
    known_libraries,
    libraries_line,
    library_named_in,
    missing_libraries,
    missing_name,
    package_manager,
)
from qcachegrind_py.app.doctor.qt_checks import why_not_imported, why_not_started
from qcachegrind_py.tools.elf.headers import opened, read_headers, text_at

ROOT = Path(__file__).parents[3]
CURSOR = Library("x11", "libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor", "xcb-cursor")
GL = Library("qt", "libGL.so.1", "libgl1", "libglvnd-glx", "libglvnd")
EGL = Library("qt", "libEGL.so.1", "libegl1", "libglvnd-egl", "libglvnd")
UNKNOWN = Library("qt", "libnew.so.1", "", "", "")
_NEEDS = (
    'root=. python=python3 cc=cc header=Python.h; eval "$(sed -n "/^needs()/,/^}/p" dev.sh)"; needs'
)
_NEEDED = 1  # DT_NEEDED
_C_LIBRARY = re.compile(r"(ld-linux.*|lib(c|dl|m|pthread|resolv|rt|gcc_s))\.so\.\d+")


@pytest.fixture(autouse=True)
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)


@pytest.mark.skipif(sys.platform == "win32", reason="no sh there")
def test_table_agrees_with_dev_sh() -> None:
    """Program and script check the same libraries and name the same packages."""
    ran = subprocess.run(["sh", "-c", _NEEDS], cwd=ROOT, capture_output=True, text=True, check=True)

    libraries = known_libraries()
    assert [line.split() for line in ran.stdout.splitlines()] == [
        ["venv", "ensurepip", "python3-venv", "python3", "python"],
        ["compiler", "cc", "gcc,libc6-dev", "gcc", "gcc"],
        ["compiler", "Python.h", "python3-dev", "python3-devel", "python"],
        *([*library] for library in libraries),
    ]
    assert {library.kind for library in libraries} == {"qt", "x11", "wayland"}
    assert len({library.name for library in libraries}) == len(libraries) > 20


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


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries of Linux")
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
    table = {library.name for library in known_libraries() if library.kind in kinds}

    assert needed_of_the_system(*files) - table == set()


def test_missing_library_is_named_by_the_loader() -> None:
    """Also if another library needs it; other messages of the loader name none."""
    assert missing_name("libno-such-library.so.7") == "libno-such-library.so.7"
    deep = "libb.so.2: cannot open shared object file: No such file or directory"
    assert library_named_in(deep) == "libb.so.2"
    assert library_named_in("/a/libQt6Gui.so.6: undefined symbol: x") == ""


def test_no_library_is_missing_here() -> None:
    """Offscreen, Qt needs no library of X11 or Wayland, and it has all others here."""
    assert missing_libraries(["offscreen"]) == []


@pytest.mark.parametrize(
    ("manager", "line"),
    {
        "apt-get": "apt-get install libxcb-cursor0 libgl1 libegl1",
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
def test_install_line_of_each_package_manager(manager: str, line: str, tmp_path: Path) -> None:
    """Each package appears once; if packages are unknown, a sentence names the libraries."""
    assert libraries_line([CURSOR, GL, EGL], manager).removeprefix("apt-get update && ") == line


def test_install_line_fits_user_and_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who is not root needs sudo; a fresh system has to fetch its package lists."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    bare = install_line("apt-get", ["a", "b", "a"], lists=tmp_path)
    (tmp_path / "deb_main_binary-amd64_Packages.lz4").touch()

    assert bare == "sudo apt-get update && sudo apt-get install a b"
    assert install_line("apt-get", ["a"], lists=tmp_path) == "sudo apt-get install a"
    assert install_line("dnf", ["a"], lists=tmp_path) == "sudo dnf install a"


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


@pytest.mark.parametrize(
    ("told", "environment", "sentence"),
    [
        (
            "",
            {},
            "There is no display: DISPLAY and WAYLAND_DISPLAY are not set.\nWithout a display, ",
        ),
        (
            "plugins are: offscreen, xcb, wayland-egl.",
            {"QT_QPA_PLATFORM": "x;y:z"},
            "QT_QPA_PLATFORM is “x;y:z”, but Qt only supports offscreen, xcb, wayland-egl.\n"
            "To let Qt choose:\n    unset QT_QPA_PLATFORM",
        ),
        (
            "Could not initialize egl display",
            {"QT_QPA_PLATFORM": "eglfs", "DISPLAY": ":0"},
            "Qt cannot start: Could not initialize egl display\nWithout a display, ",
        ),
    ],
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays of Linux")
def test_reason_why_qt_does_not_start(
    told: str, environment: dict[str, str], sentence: str
) -> None:
    """No display, an unknown platform, and one that fails have different remedies."""
    assert why_not_started(told, environment).startswith(sentence)


def test_reason_why_qt_cannot_be_loaded() -> None:
    """Qt is not installed, an unknown library is missing, or the system is too old."""
    absent = why_not_imported(ModuleNotFoundError("No module named 'PySide6'", name="PySide6"))
    old = why_not_imported(ImportError("libc.so.6: version `GLIBC_2.34' not found"))
    library = why_not_imported(
        ImportError("libnew.so.1: cannot open shared object file: No such file or directory")
    )

    assert absent.startswith("PySide6 is not installed")
    assert old.startswith("Qt requires a newer system: libc.so.6: version")
    assert "libnew.so.1" in library.splitlines()[0]
    assert "Install the system packages that contain" in library.splitlines()[1]
