"""What is remembered between two starts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from qcachegrind_py.session.context import CostUnit
from qcachegrind_py.session.settings import ColorScheme, Settings


def store(path: Path) -> QSettings:
    return QSettings(str(path), QSettings.Format.IniFormat)


def everything(settings: Settings) -> tuple[object, ...]:
    """All that is remembered."""
    return (
        settings.recent_files,
        settings.unit,
        settings.cycles,
        settings.color_scheme,
        *settings.window,
    )


DEFAULTS = ([], CostUnit.PERCENT, True, ColorScheme.SYSTEM, QByteArray(), QByteArray())


def test_settings_of_a_first_start_are_the_defaults(settings: Settings) -> None:
    """Where nothing was ever remembered, everything has its default."""
    assert everything(settings) == DEFAULTS


def test_settings_are_the_same_after_a_restart(tmp_path: Path) -> None:
    """What was set is there at the next start, each value of its own type."""
    file = tmp_path / "settings.ini"
    first_store = store(file)
    first = Settings(first_store)
    geometry, docks = QByteArray(b"\x00\xff geometry"), QByteArray(b"docks\x00")

    first.add_recent_file(Path("/a, b/callgrind.out.1"))
    first.add_recent_file(Path("/ä/callgrind.out.2"))
    first.unit = CostUnit.ABSOLUTE
    first.cycles = False
    first.color_scheme = ColorScheme.DARK
    first.set_window(geometry, docks)
    first_store.sync()

    assert (
        [Path("/ä/callgrind.out.2"), Path("/a, b/callgrind.out.1")],
        CostUnit.ABSOLUTE,
        False,
        ColorScheme.DARK,
        geometry,
        docks,
    ) == everything(Settings(store(file)))


def test_one_recent_file_is_remembered(tmp_path: Path) -> None:
    """A list of one is a list after a restart, too."""
    file = tmp_path / "settings.ini"
    first_store = store(file)
    Settings(first_store).add_recent_file(Path("/a/b"))
    first_store.sync()

    assert Settings(store(file)).recent_files == [Path("/a/b")]


def test_recent_files_are_the_last_ten_each_once(settings: Settings) -> None:
    """The latest comes first, one that comes again moves up, the eleventh is forgotten."""
    for number in range(12):
        settings.add_recent_file(Path(f"/{number}"))
    settings.add_recent_file(Path("/5"))

    expected = [Path(f"/{number}") for number in (5, 11, 10, 9, 8, 7, 6, 4, 3, 2)]
    assert settings.recent_files == expected


def test_recent_files_are_forgotten(settings: Settings) -> None:
    """Who says forget is left with none."""
    settings.add_recent_file(Path("/a"))
    settings.forget_recent_files()

    assert settings.recent_files == []


def test_recent_file_whose_name_is_not_utf8_is_remembered(tmp_path: Path) -> None:
    """A file name is bytes: what was opened can be opened again, whatever its name."""
    file = tmp_path / "settings.ini"
    path = Path(os.fsdecode(b"/caf\xe9/callgrind.out.1"))
    first_store = store(file)
    Settings(first_store).add_recent_file(path)
    first_store.sync()

    assert Settings(store(file)).recent_files == [path]


@pytest.mark.parametrize(
    "junk",
    ["junk", "", "@Invalid()", "1e999", "@ByteArray(x)", "a, b, c", "@Variant(\\0\\0)", "-1"],
)
def test_junk_in_the_settings_is_the_default(tmp_path: Path, junk: str) -> None:
    """Settings that somebody broke never keep the program from starting."""
    file = tmp_path / "settings.ini"
    keys = ("unit", "color_scheme", "geometry", "docks")
    file.write_text("[General]\n" + "".join(f"{key}={junk}\n" for key in keys))

    settings = Settings(store(file))

    assert (settings.unit, settings.color_scheme) == (CostUnit.PERCENT, ColorScheme.SYSTEM)
    assert {type(value) for value in settings.window} == {QByteArray}


@pytest.mark.parametrize("junk", ["@Invalid()", "@ByteArray(x)", "7", "@Variant(\\0\\0)", ""])
def test_junk_in_the_other_settings_is_taken_as_it_can_be(tmp_path: Path, junk: str) -> None:
    """Whatever stands there, recent files are paths and a switch is a switch."""
    file = tmp_path / "settings.ini"
    file.write_text(f"[General]\nrecent_files={junk}\ncycles={junk}\n")

    settings = Settings(store(file))

    assert all(isinstance(path, Path) for path in settings.recent_files)
    assert isinstance(settings.cycles, bool)


def test_file_of_settings_that_is_no_text_is_the_default(tmp_path: Path) -> None:
    """A file of noise is as good as none."""
    file = tmp_path / "settings.ini"
    file.write_bytes(bytes(range(256)) * 20)

    assert everything(Settings(store(file))) == DEFAULTS


def test_settings_of_a_test_are_not_the_user_s(settings: Settings, tmp_path: Path) -> None:
    """No test reads or writes what the user's own program remembers."""
    assert str(tmp_path) in Settings()._store.fileName()
