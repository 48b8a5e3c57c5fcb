"""Settings kept for each profiled program: where the user was, docks, saved views."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray

from qcachegrind_py.formats.saved_views import SavedFunction, SavedView
from qcachegrind_py.profile.profile import program_name
from qcachegrind_py.session.context import SavedLocation
from qcachegrind_py.session.settings.store import Settings
from tests.session.settings.conftest import HOSTILE, Stored, settings_in

PLACE = SavedLocation(
    "Dr", "Ir", ("main", "/src/a.c", "/bin/prog"), "object", "/tmp/callgrind.out.1"
)
A, B = SavedView("a", filter="self>1%"), SavedView("b")


def at(event: str) -> SavedLocation:
    return SavedLocation(event=event)


def test_unknown_program_has_no_location(settings: Settings) -> None:
    """A program that was never viewed has an empty location and no states."""
    program = settings.program("prog")

    assert (program.place, program.state("docks")) == (SavedLocation(), QByteArray())


def test_location_and_states_survive_a_restart(restarted: Stored) -> None:
    """They belong to that program alone; a location replaces the one before, with empty fields."""

    def change(settings: Settings) -> None:
        settings.program("one").place = PLACE
        settings.program("one").set_state("docks", QByteArray(b"\x00\xff docks"))
        settings.program("two").place = PLACE
        settings.program("two").place = at("Bc")

    again = restarted(change)
    one, two = again.program("one"), again.program("two")

    assert (one.place, one.state("docks")) == (PLACE, QByteArray(b"\x00\xff docks"))
    assert (two.place, two.state("docks")) == (at("Bc"), QByteArray())


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_names_may_be_any(restarted: Stored, name: str) -> None:
    """However odd, names of programs, functions, files and objects, and of views, are kept."""
    place = SavedLocation(name, name, (name, f"/src/{name}", f"/lib/{name}"))
    view = SavedView("name", name[:4000], SavedFunction(name, name, name), filter=name)

    def change(settings: Settings) -> None:
        settings.program(name).place = place
        settings.program("another").place = at("Bc")
        settings.program(name).change_views(lambda _: (view, A))

    again = restarted(change)
    assert (again.program(name).place, again.program("another").place) == (place, at("Bc"))
    assert again.program(name + "x").place == SavedLocation()
    assert (again.program(name).views, again.program("another").views) == ((view, A), ())


@pytest.mark.parametrize(
    "junk", ["junk", "", "@Invalid()", "a, b", "a, b, c, d", "@ByteArray(x)", "7", "@Variant(\\0)"]
)
def test_broken_location_keeps_its_valid_fields(
    restarted: Stored, tmp_path: Path, junk: str
) -> None:
    """An invalid function reads as none, never as an error."""
    restarted(lambda settings: setattr(settings.program("one"), "place", PLACE))
    text = (tmp_path / "settings.ini").read_text()
    key = next(line for line in text.splitlines() if "function=" in line)

    again = settings_in(tmp_path, text.replace(key, f"{key.partition('=')[0]}={junk}"))

    assert again.program("one").place == replace(PLACE, function=None)


def test_hundred_programs_are_kept(restarted: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least recently viewed program is dropped, with its docks; those with views come last.

    A person saved views on purpose; the places of other programs were stored by themselves.
    """
    clock = count(999_999_950)  # passes a change in the number of digits
    monkeypatch.setattr(time, "time", lambda: float(next(clock)))

    def change(settings: Settings) -> None:
        settings.program("views").change_views(lambda _: (A,))
        for number in range(99):
            settings.program(f"prog{number}").set_state("docks", QByteArray(b"docks"))
            settings.program(f"prog{number}").place = at(f"E{number}")
        settings.program("prog0").place = at("again")
        settings.program("new").place = at("Ir")

    then = restarted(change)
    kept = [n for n in range(99) if then.program(f"prog{n}").place != SavedLocation()]
    assert kept == [0, *range(2, 99)]
    assert then.program("prog1").state("docks") == QByteArray()
    assert (then.program("prog0").place, then.program("new").place) == (at("again"), at("Ir"))
    assert then.program("views").views == (A,)


def test_latest_program_is_never_dropped(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The open program keeps its settings, whatever the clock says."""
    monkeypatch.setattr(time, "time", lambda: 1_700_000_000.0)
    places = []
    for number in range(130):
        program = settings.program(f"prog{number}")
        program.place = at("Ir")
        places.append(program.place)

    assert places == [at("Ir")] * 130


def test_colors_of_groups_are_kept(restarted: Stored) -> None:
    """Names of any bytes keep their colours; malformed rows of a changed file are ignored."""
    colors = (("/src/a,b %.c", "#102030"), ("f\udc80\n", "#ffffff"))
    place = SavedLocation(event="Ir", group_colors=colors)
    again = restarted(lambda settings: setattr(settings.program("prog"), "place", place))
    kept, store = again.program("prog").place.group_colors, again._store
    (key,) = [key for key in store.allKeys() if key.endswith("/colors")]
    store.setValue(key, ["#102030 ok", "red x", "#12345 x", "#1020304 x", "", "#10203g x"])

    assert kept == colors
    assert again.program("prog").place.group_colors == (("ok", "#102030"),)


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


# ---------------------------------------------------------------- saved views


def test_views_of_two_instances_are_kept(tmp_path: Path) -> None:
    """A change starts from what is stored, also from what another instance has stored since."""
    first, second = settings_in(tmp_path), settings_in(tmp_path)
    assert (first.program("one").views, second.program("one").views) == ((), ())
    for settings, view in ((first, A), (second, B)):
        settings.program("one").change_views(lambda before, view=view: (*before, view))  # type: ignore[misc]  # bound now
    assert settings_in(tmp_path).program("one").views == (A, B)


def test_views_are_bounded_and_damaged_ones_are_none(settings: Settings) -> None:
    """At most a hundred are kept."""
    program, store = settings.program("one"), settings._store
    program.change_views(lambda _: tuple(SavedView(str(number)) for number in range(120)))
    assert [view.name for view in program.views] == [str(number) for number in range(100)]

    (key,) = [key for key in store.allKeys() if key.endswith("/views")]
    store.setValue(key, '{"format": ')
    assert program.views == ()
