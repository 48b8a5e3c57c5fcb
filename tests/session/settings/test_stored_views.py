"""Saved views in the settings: one list for each program, of bounded length."""

from itertools import count
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from qcachegrind_py.formats.saved_views import SavedFunction, SavedView
from qcachegrind_py.session.context import SavedLocation
from qcachegrind_py.session.settings.store import Settings
from tests.session.settings.test_per_program import HOSTILE, stored_in

A, B = SavedView("a", filter="self>1%"), SavedView("b")


def save(settings: Settings, program: str, *views: SavedView) -> None:
    settings.program(program).change_views(lambda _before: views)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_views_survive_a_restart(tmp_path: Path, text: str) -> None:
    """Whatever a person typed and a profile named, they belong to that program alone."""
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    view = SavedView("name", text[:4000], SavedFunction(text, text, text), filter=text)
    save(Settings(store), "one", view, A)
    store.sync()

    again = stored_in(tmp_path / "settings.ini")
    assert (again.program("one").views, again.program("two").views) == ((view, A), ())


def test_views_of_two_instances_are_kept(tmp_path: Path) -> None:
    """A change starts from what is stored, also from what another instance has stored since."""
    file = tmp_path / "settings.ini"
    first, second = stored_in(file), stored_in(file)
    assert (first.program("one").views, second.program("one").views) == ((), ())
    for settings, view in ((first, A), (second, B)):
        settings.program("one").change_views(lambda before, view=view: (*before, view))  # type: ignore[misc]  # bound now
    assert stored_in(file).program("one").views == (A, B)


def test_damaged_views_read_as_none(settings: Settings) -> None:
    save(settings, "one", A)
    store = settings._store
    key = next(key for key in store.allKeys() if key.endswith("/views"))
    store.setValue(key, '{"format": ')
    assert settings.program("one").views == ()


def test_at_most_a_hundred_views_are_kept(settings: Settings) -> None:
    save(settings, "one", *(SavedView(str(number)) for number in range(120)))
    assert [view.name for view in settings.program("one").views] == [str(n) for n in range(100)]


def test_programs_with_saved_views_are_forgotten_last(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person saved them on purpose; the places of other programs were stored by themselves."""
    times = count(1)
    monkeypatch.setattr("time.time", lambda: next(times))
    save(settings, "oldest", A)
    for number in range(101):
        settings.program(str(number)).place = SavedLocation(event="Ir")
    assert settings.program("oldest").views == (A,)
    assert settings.program("0").place == SavedLocation()
