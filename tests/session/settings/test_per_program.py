"""Settings kept for each profiled program."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from qcachegrind_py.profile.profile import program_name
from qcachegrind_py.session.context import SavedLocation
from qcachegrind_py.session.settings.store import Settings

PLACE = SavedLocation(
    "Dr", "Ir", ("main", "/src/a.c", "/bin/prog"), "object", "/tmp/callgrind.out.1"
)
HOSTILE = {
    "slashes": "../../etc/passwd",
    "separators": "a, b; c = [General]\\n%20",
    "lines": "a\nb\r\n[programs]\nplace=1",
    "NUL": "a\x00b",
    "an at sign": "@ByteArray(x)",
    "quotes": "\"a\" 'b' `c`",
    "other letters": "ä→😀\u202e",
    "not UTF-8": "caf\udce9",
    "nothing": "",
    "very long": "x" * 100_000,
}


def stored_in(file: Path) -> Settings:
    """Return the settings in a file, as a restarted program reads them."""
    return Settings(QSettings(str(file), QSettings.Format.IniFormat))


def test_unknown_program_has_no_location(settings: Settings) -> None:
    """A program that was never viewed has an empty location and no states."""
    program = settings.program("prog")

    assert (program.place, program.state("docks")) == (SavedLocation(), QByteArray())


def test_location_and_states_survive_a_restart(tmp_path: Path) -> None:
    """They belong to that program alone."""
    file = tmp_path / "settings.ini"
    first = QSettings(str(file), QSettings.Format.IniFormat)
    Settings(first).program("one").place = PLACE
    Settings(first).program("one").set_state("docks", QByteArray(b"\x00\xff docks"))
    Settings(first).program("two").place = SavedLocation(event="Bc")
    first.sync()

    one, two = stored_in(file).program("one"), stored_in(file).program("two")

    assert (one.place, one.state("docks")) == (PLACE, QByteArray(b"\x00\xff docks"))
    assert (two.place, two.state("docks")) == (SavedLocation(event="Bc"), QByteArray())


def test_last_location_counts(settings: Settings) -> None:
    """A location replaces the previous one, including its empty fields."""
    settings.program("one").place = PLACE
    settings.program("one").place = SavedLocation(event="Ir")

    assert settings.program("one").place == SavedLocation(event="Ir")


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_program_may_have_any_name(tmp_path: Path, name: str) -> None:
    """However odd a program's name, its settings are its own."""
    file = tmp_path / "settings.ini"
    first = QSettings(str(file), QSettings.Format.IniFormat)
    Settings(first).program(name).place = PLACE
    Settings(first).program("another").place = SavedLocation(event="Bc")
    first.sync()

    second = stored_in(file)

    assert (second.program(name).place, second.program("another").place.event) == (PLACE, "Bc")
    assert second.program(name + "x").place == SavedLocation()


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_function_may_have_any_name(tmp_path: Path, name: str) -> None:
    """Names of functions, files and objects come from a profile and are restored exactly."""
    file = tmp_path / "settings.ini"
    first = QSettings(str(file), QSettings.Format.IniFormat)
    place = SavedLocation(name, name, (name, f"/src/{name}", f"/lib/{name}"))
    Settings(first).program("one").place = place
    first.sync()

    assert stored_in(file).program("one").place == place


@pytest.mark.parametrize(
    "junk", ["junk", "", "@Invalid()", "a, b", "a, b, c, d", "@ByteArray(x)", "7", "@Variant(\\0)"]
)
def test_broken_location_keeps_its_valid_fields(tmp_path: Path, junk: str) -> None:
    """An invalid function reads as none, never as an error."""
    file = tmp_path / "settings.ini"
    first = QSettings(str(file), QSettings.Format.IniFormat)
    Settings(first).program("one").place = PLACE
    first.sync()
    group = next(line for line in file.read_text().splitlines() if "function=" in line)
    broken = file.read_text().replace(group, group.partition("=")[0] + "=" + junk)
    file.write_text(broken)

    assert stored_in(file).program("one").place == replace(PLACE, function=None)


def test_hundred_programs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least recently viewed program is dropped, with its docks."""
    file = tmp_path / "settings.ini"
    first = QSettings(str(file), QSettings.Format.IniFormat)
    settings = Settings(first)
    clock = iter(range(999_999_950, 2_000_000_000))  # passes a change in the number of digits
    monkeypatch.setattr(time, "time", lambda: float(next(clock)))

    for number in range(100):
        settings.program(f"prog{number}").set_state("docks", QByteArray(b"docks"))
        settings.program(f"prog{number}").place = SavedLocation(event=f"E{number}")
    settings.program("prog0").place = SavedLocation(event="again")
    settings.program("new").place = SavedLocation(event="Ir")
    first.sync()

    then = stored_in(file)
    kept = [n for n in range(100) if then.program(f"prog{n}").place != SavedLocation()]
    assert kept == [0, *range(2, 100)]
    assert then.program("prog1").state("docks") == QByteArray()
    assert (then.program("prog0").place.event, then.program("new").place.event) == ("again", "Ir")


def test_latest_program_is_never_dropped(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The open program keeps its settings, whatever the clock says."""
    monkeypatch.setattr(time, "time", lambda: 1_700_000_000.0)
    forgotten = []

    for number in range(130):
        program = settings.program(f"prog{number}")
        program.place = SavedLocation(event="Ir")
        if program.place != SavedLocation(event="Ir"):
            forgotten.append(number)

    assert forgotten == []


@pytest.mark.parametrize(
    ("command", "path", "program"),
    [
        ("/bin/prog --fast x", "/tmp/callgrind.out.1", "/bin/prog"),
        ("  ./prog", "callgrind.out.1", "./prog"),
        ("", "/tmp/a b/callgrind.out.1", "callgrind.out.1"),
        ("", "C:\\profiles\\callgrind.out.1", "callgrind.out.1"),
        (" ", "x", "x"),
    ],
)
def test_program_is_the_command_or_the_file(command: str, path: str, program: str) -> None:
    """It is the executed program without its arguments, else the name of the file."""
    assert program_name(command, path) == program


def test_colors_of_groups_are_kept(tmp_path: Path) -> None:
    """Names of any bytes keep their colours; malformed rows of a changed file are ignored."""
    file = tmp_path / "settings.ini"
    store = QSettings(str(file), QSettings.Format.IniFormat)
    colors = (("/src/a,b %.c", "#102030"), ("f\udc80\n", "#ffffff"))
    Settings(store).program("prog").place = SavedLocation(event="Ir", group_colors=colors)
    store.sync()
    kept = stored_in(file).program("prog").place.group_colors
    (key,) = [key for key in store.allKeys() if key.endswith("/colors")]
    store.setValue(key, ["#102030 ok", "red x", "#12345 x", "#1020304 x", "", "#10203g x"])

    assert kept == colors
    assert Settings(store).program("prog").place.group_colors == (("ok", "#102030"),)
