"""Settings files, mutated: each value is read, some are written, and the file is opened again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random
from urllib.parse import quote

from PySide6.QtCore import QByteArray, QSettings

from qcachegrind_py.session.context import SavedLocation
from qcachegrind_py.session.settings.ini_checks import why_broken
from qcachegrind_py.session.settings.recent import Recent
from qcachegrind_py.session.settings.store import Settings
from tests.fuzz.kinds.callgrind import same
from tests.fuzz.mutation import NUMBERS, mutate
from tests.fuzz.outcome import Content

WRITTEN = sorted((Path(__file__).parents[2] / "data" / "settings").glob("*.ini"))
"""Files that versions of the program have written."""
_KEYS = [key for key, option in vars(Settings).items() if hasattr(type(option), "__set__")]
_LISTS = ("events", "recent_files", "path_rules", "source_folders")
_PROGRAMS = ("", "/usr/bin/true")
_VALUES = [
    *(b"true", b"false", b"", b"a, b, c", b'"a\\x1f"b, c, "d', b'"', b"%41%ff%", b"$HOME"),
    *(b"\\", b"x\\\ny", b"\\x41\\xffff\\x110000", b"\xc3\xa9", b"\xff", b"@@", b"@Invalid()"),
    *(b"@ByteArray(\\0\\xff)", b"@Size(1 2)", b"@Rect(1 2 3", b"@Point(9999999999 1)"),
    # Qt's serialisation: a boolean, a list of two thousand million values, an unknown type
    *(rb"@Variant(\0\0\0\x1\x1)", rb"@Variant(\0\0\0\t\x7f\xff\xff\xff)", rb"@Variant(\0\0\0\x7f)"),
    *NUMBERS,
]
_SECTIONS = (b"\n[%b]\n" % name for name in (b"General", b"layouts", b"%General", b"programs"))
_WORDS = [*_SECTIONS, b"\n[", *_VALUES]


def make(random: Random) -> bytes:
    """A file with options of any value, or one that the program wrote, with some changes."""
    data, other = (random.choice((_written, _drawn))(random) for _ in range(2))
    return mutate(random, data, other, _WORDS) if random.random() < 0.8 else data


def check(data: bytes, folder: Path) -> Content:
    """The values of the file; those that are written are there when it is opened again."""
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(folder))
    path = folder / "qcachegrind_py" / "qcachegrind_py.ini"
    path.parent.mkdir()
    path.write_bytes(data)
    settings = Settings()
    content = {"problems": len(settings.problems), **_values(settings)}
    settings.decimals = 3
    settings.add_recent(Recent((Path("/tmp/recent"),)))
    settings.set_layout("mine/é", QByteArray(b"\0\xff"))
    settings.program("").place = SavedLocation("Ir", "", ("f\udc80", "a,b", ""), "file")
    del settings
    again = Settings()
    same("", why_broken(path), "a file that was written is broken")
    same(3, again.decimals, "an option is not kept")
    same(Path("/tmp/recent"), again.recent_files[0], "a recent file is not kept")
    same(b"\0\xff", again.layout("mine/é").data(), "a layout is not kept")
    same(("f\udc80", "a,b", ""), again.program("").place.function, "a location is not kept")
    return content


def _values(settings: Settings) -> Content:
    """Every option, list, layout and state; reading one never fails."""
    values: Content = {key: str(getattr(settings, key)) for key in _KEYS}
    values["recent"] = list(map(str, settings.recent_files))
    values["definitions"] = settings.definitions
    values["geometry"] = settings.geometry.size()
    values["layouts"] = [settings.layout(name).size() for name in settings.layouts()]
    for name in _PROGRAMS:
        program = settings.program(name)
        values[f"place of {name}"] = program.place
        values[f"states of {name}"] = len(program.view_states("function_list"))
    return values


def _written(random: Random) -> bytes:
    return random.choice(WRITTEN).read_bytes()


def _drawn(random: Random) -> bytes:
    keys = random.choices([*_KEYS, *_LISTS, "version", "geometry", "x y"], k=random.randint(0, 12))
    return b"[General]\n" + b"".join(_lines(random, keys))


def _lines(random: Random, keys: Iterable[str]) -> Iterable[bytes]:
    for key in keys:
        value = random.choice(_VALUES)
        if random.random() < 0.3:
            value = b", ".join(random.choices(_VALUES, k=3))
        yield quote(key).encode() + b"=" + value + b"\n"
