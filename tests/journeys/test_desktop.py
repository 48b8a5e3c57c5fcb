"""Desktop integration: the system's own programs recognize our files and open them with us."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import qcachegrind_py
from tests.app.desktop.folder_snapshot import snapshot
from tests.patience import wait_until
from tests.profile_rows import DATA
from tests.resources.icons import icon_path

ROOT = Path(qcachegrind_py.__file__).parents[1]
CALLGRIND = DATA / "toggle/callgrind.out.22360.2"
OURS = "io.github.qcachegrind_py.qcachegrind_py.desktop"
PROFILE = "application/x-kcachegrind"
PACKED = "application/x-kcachegrind-compressed"
OF_PYTHON = "application/x-python-profile"
SAMPLED = "application/x-sampled-stacks"
ODD_NAME = "an “odd” \"name\" 'of' 100% %F $HOME `é`.callgrind"
PROPERTIES = ("_NET_WM_NAME", "WM_CLASS", "_GTK_APPLICATION_ID")
OTHER_TYPES = """<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
<mime-type type="application/x-other"><glob pattern="*.other"/></mime-type></mime-info>"""
OTHER_ENTRY = """[Desktop Entry]
Type=Application
Name=Other
Exec=/bin/true %F
MimeType=application/x-kcachegrind;
"""


@dataclass
class Desktop:
    """A user's home on this system, where another program opens profiles."""

    home: Path
    system: Path
    variables: dict[str, str]

    def run(self, *command: object) -> str:
        """The output of a program, which must succeed."""
        words = [str(word) for word in command]
        ran = subprocess.run(
            words, cwd=self.home, env=self.variables, capture_output=True, check=False
        )
        assert ran.returncode == 0, (words, ran.stderr)
        return ran.stdout.decode().strip()

    def ours(self, *words: str) -> str:
        """Run our command as from a checkout."""
        return self.run("env", "-C", ROOT, sys.executable, "-m", "qcachegrind_py", *words)

    def default(self, type_: str = PROFILE) -> str:
        return self.run("xdg-mime", "query", "default", type_)

    def types_in_kde(self) -> dict[str, str]:
        """The types as Qt reports them, which KDE's programs use."""
        program = (
            "import sys; from PySide6.QtCore import QMimeDatabase\n"
            "for path in sys.argv[1:]: print(QMimeDatabase().mimeTypeForFile(path).name())"
        )
        paths = sorted((self.home / "profiles").iterdir())
        types = self.run(sys.executable, "-c", program, *paths).splitlines()
        return {path.name: type_ for path, type_ in zip(paths, types, strict=True)}

    def types(self) -> dict[str, str]:
        """The types of the files in the home's folder of profiles."""
        paths = sorted((self.home / "profiles").iterdir())
        return {path.name: self.run("xdg-mime", "query", "filetype", path) for path in paths}


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [program for program in programs if not shutil.which(program)]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


@pytest.fixture
def desktop(tmp_path: Path) -> Desktop:
    """A user with cached desktop files and another profile viewer."""
    home, system = tmp_path / "home", tmp_path / "system"
    usual = {name: text for name, text in os.environ.items() if not name.startswith(("XDG_", "QT"))}
    variables = {
        "HOME": str(home),
        "XDG_DATA_DIRS": f"{system}:/usr/local/share:/usr/share",
        "XDG_CURRENT_DESKTOP": "GNOME",  # makes xdg-mime ask GLib, which is always installed here
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    desktop = Desktop(home, system, {**usual, **variables})
    entries, types = home / ".local/share/applications", home / ".local/share/mime/packages"
    for folder in (entries, types, home / "profiles", system / "applications", home / ".config"):
        folder.mkdir(parents=True)
    (entries / "own.desktop").write_text(OTHER_ENTRY.replace("kcachegrind", "other"))
    (types / "own.xml").write_text(OTHER_TYPES)
    (system / "applications/other.desktop").write_text(OTHER_ENTRY)
    (home / ".config/mimeapps.list").write_text("[Default Applications]\ntext/plain=own.desktop")
    icons = home / ".local/share/icons/hicolor"
    (icons / "16x16/apps").mkdir(parents=True)
    (icons / "16x16/apps/own.png").write_bytes(icon_path(16).read_bytes())
    if shutil.which("gtk-update-icon-cache"):
        desktop.run("gtk-update-icon-cache", "--ignore-theme-index", "--quiet", icons)
    for command in (
        ("update-desktop-database", entries),
        ("update-desktop-database", system / "applications"),
        ("update-mime-database", types.parent),
    ):
        desktop.run(*command)
    return desktop


def assert_icons_are_found(theme: Path) -> None:
    """Assert that the theme's icon cache has our icon and is up to date."""
    cache = theme / "icon-theme.cache"
    if cache.exists():
        assert b"qcachegrind_py" in cache.read_bytes()
        assert cache.stat().st_mtime >= theme.stat().st_mtime


def put_profiles(folder: Path) -> None:
    """Write real files of each kind, under usual and unusual names."""
    callgrind = CALLGRIND.read_bytes()
    cachegrind = lzma.decompress((DATA / "cachegrind/cachegrind.out.templ-O2.xz").read_bytes())
    python = b"\xfb)\x03\xfa\x01~\xe9\x00\x00\x00\x00"  # the header of a Python 3.11 profile
    for name, content in {
        "callgrind.out.1234": callgrind,
        "callgrind.out.1234.1-02": callgrind,
        "unusual": callgrind,
        "saved.callgrind": callgrind,
        "saved.callgrind.gz": gzip.compress(callgrind),
        "cachegrind.out.99": cachegrind,
        "program.prof": python,
        "program.pstats": python,
        "output": python,
        "notes": b"events: one, two\n",
        "run.folded": b"main;parse 42\n",
        "run.cpuprofile": b'{"nodes": []}',
        "run.speedscope.json": b"{}",
        "run.json": b"{}",
        "cachegrind.out.123.gz": (DATA / "xdebug-gz/cachegrind.out.plain.gz").read_bytes(),
    }.items():
        (folder / name).write_bytes(content)


@needs("xdg-mime", "gio", "update-mime-database", "update-desktop-database")
def test_install_and_uninstall(desktop: Desktop) -> None:
    """The desktop recognizes profiles by name and content and opens them with us.

    Uninstalling restores the folders to the byte, and the other viewer as the default.
    """
    put_profiles(desktop.home / "profiles")
    there, other = snapshot(desktop.home), desktop.default()

    desktop.ours("desktop", "install")

    types = desktop.types()
    of_kde = {"cachegrind.out.123.gz": PACKED, "run.speedscope.json": SAMPLED}
    assert desktop.types_in_kde() == types | of_kde
    assert types == {
        "cachegrind.out.123.gz": "application/gzip",  # GLib looks at the last suffix only
        "callgrind.out.1234": PROFILE,
        "callgrind.out.1234.1-02": PROFILE,
        "unusual": PROFILE,
        "saved.callgrind": PROFILE,
        "saved.callgrind.gz": PACKED,
        "cachegrind.out.99": PROFILE,
        "program.prof": OF_PYTHON,
        "program.pstats": OF_PYTHON,
        "output": OF_PYTHON,
        "notes": "text/plain",
        "run.folded": SAMPLED,
        "run.cpuprofile": SAMPLED,
        "run.speedscope.json": "application/json",
        "run.json": "application/json",
    }
    types_of_ours = PROFILE, PACKED, OF_PYTHON, SAMPLED
    assert [desktop.default(type_) for type_ in types_of_ours] == [OURS] * 4
    assert_icons_are_found(desktop.home / ".local/share/icons/hicolor")
    assert desktop.run("gio", "mime", PROFILE).splitlines()[0].split()[-1] == OURS
    desktop.ours("desktop", "uninstall")
    assert snapshot(desktop.home) == there
    assert (other, desktop.default()) == ("other.desktop", "other.desktop")


@needs("gio", "desktop-file-validate", "update-desktop-database", "update-mime-database")
def test_a_program_with_an_odd_path_is_started(desktop: Desktop, tmp_path: Path) -> None:
    """Whatever the paths of program and file, the program gets the file."""
    told, folder = tmp_path / "told", tmp_path / "a b" / '\\"it\'s" 100% %f $HOME `é` (x);&'
    folder.mkdir(parents=True)
    program = folder / "qcachegrind-py"
    program.write_text(
        f"#!{sys.executable}\nimport sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from qcachegrind_py.cli.main import main\n"
        "if sys.argv[1] in ('--version', 'desktop'): sys.exit(main())\n"
        f"open({str(told)!r}, 'w').write(repr(sys.argv))\n"
    )
    program.chmod(0o755)
    profile = desktop.home / "profiles" / ODD_NAME
    profile.write_bytes(CALLGRIND.read_bytes())

    icons = desktop.home / ".local/share/icons/hicolor/icon-theme.cache"
    icons.unlink(missing_ok=True)

    desktop.run(program, "desktop", "install")
    assert not icons.exists(), "with a cache, icons put there by hand later would not be seen"
    entry = desktop.home / ".local/share/applications" / OURS
    said = desktop.run("desktop-file-validate", entry)
    desktop.run("gio", "open", profile)

    wait_until(lambda: told.exists() and told.stat().st_size, "not started")
    assert (said, told.read_text()) == ("", repr([str(program), str(profile)]))


@pytest.fixture
def display() -> Iterator[str]:
    """A display for this test alone."""
    read, write = os.pipe()
    # without -noreset it starts anew, and refuses clients, each time that the last one has left
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as told:
        number = told.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait()


@needs(
    "Xvfb",
    "xprop",
    "xwininfo",
    "gio",
    "xdg-open",
    "update-mime-database",
    "update-desktop-database",
)
@pytest.mark.parametrize("opener", [("gio", "open"), ("xdg-open",)], ids=["gio", "xdg-open"])
def test_a_profile_opens_in_our_window(
    desktop: Desktop, display: str, opener: tuple[str, ...]
) -> None:
    """The desktop's opener shows the file in our window, whatever its name.

    The window is linked to the desktop entry by name.
    """
    profile = desktop.home / "profiles" / ODD_NAME
    profile.write_bytes(CALLGRIND.read_bytes())
    desktop.ours("desktop", "install")
    desktop.variables |= {"DISPLAY": display, "LC_ALL": "C.UTF-8"}
    if opener == ("xdg-open",):
        del desktop.variables["XDG_CURRENT_DESKTOP"]  # otherwise it delegates to gio

    opening = subprocess.Popen([*opener, str(profile)], env=desktop.variables)
    try:
        said = until_window(desktop)
    finally:
        opening.kill()  # the program itself ends with its display
        opening.wait()

    name = ODD_NAME.replace('"', r"\"")
    assert f'_NET_WM_NAME = "{name} [' in said
    assert 'WM_CLASS = "qcachegrind_py", "qcachegrind_py"' in said
    assert '_GTK_APPLICATION_ID = "io.github.qcachegrind_py.qcachegrind_py"' in said


def until_window(desktop: Desktop) -> str:
    """The properties of our window, once its title has the file."""
    return wait_until(lambda: properties_with_file(desktop), "no window came")


def properties_with_file(desktop: Desktop) -> str:
    """The properties of the window whose title has a file; empty if there is none."""
    tree = printed(desktop, "xwininfo", "-root", "-tree")
    for window in re.findall(r'(0x\w+) .*\("qcachegrind_py" ', tree):
        said = printed(desktop, "xprop", "-id", window, "-notype", *PROPERTIES)
        if " [" in said:
            return said
    return ""


def printed(desktop: Desktop, *command: str) -> str:
    """The output of a program; a window may vanish before it is queried."""
    ran = subprocess.run(command, env=desktop.variables, capture_output=True, check=False)
    return ran.stdout.decode()
