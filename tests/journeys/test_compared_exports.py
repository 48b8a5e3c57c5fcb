"""Lists of a comparison are saved with base and new, and in a form that other programs read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.views.tables.record_table import RecordTable
from qcachegrind_py.views.tables.table_actions import table_export
from tests.user_input import (
    VIEW_IDS,
    go_to,
    ignore_offscreen_warnings,
    settle,
)

pytestmark = ignore_offscreen_warnings

BASE = "main 10 -> a 2x30, old 1x5\na 10 -> leaf 2x20\nold 5\nleaf 20"
NEW = "main 11 -> a 3x34, fresh 1x9\na 10 -> leaf 3x24\nfresh 9\nleaf 24"


@pytest.fixture
def compared(
    window: MainWindow,
    draw: Callable[..., Path],
    open_file: Callable[..., None],
    qtbot: QtBot,
) -> MainWindow:
    """A window that compares both profiles, at main."""
    open_file(draw(NEW, "new"))
    session = window.session
    session.comparing.compare_with(ProfileFiles((draw(BASE, "base"),), with_siblings=False))
    qtbot.waitUntil(lambda: session.comparison is not None)
    go_to(session, window.navigation, "main")
    settle(window, qtbot)
    return window


def saved(window: MainWindow, title: str, qtbot: QtBot) -> list[dict[str, object]]:
    """The rows of a list as JSON."""
    window.docks.show(VIEW_IDS[title])
    settle(window, qtbot)
    view = window.docks.view(VIEW_IDS[title])
    table = next(table for table in view.findChildren(RecordTable) if table.model().rowCount())
    text = "".join(table_export(table)(NoProgress()).json_chunks(NoProgress()))
    rows: list[dict[str, object]] = json.loads(text)
    return rows


def test_new_functions_are_saved_without_a_growth(compared: MainWindow, qtbot: QtBot) -> None:
    """From nothing, growth has no limit, for which JSON has no number."""
    rows = {str(row["Function"]): row for row in saved(compared, "Functions", qtbot)}
    growth = {name: row["Growth"] for name, row in rows.items()}

    assert growth == {
        "main": pytest.approx(9 / 45),
        "fresh": None,
        "old": -1.0,
        "a": pytest.approx(4 / 30),
        "leaf": pytest.approx(4 / 20),
    }
    assert (rows["fresh"]["Base"], rows["fresh"]["New"]) == (0, 9)


def test_calls_parts_and_events_of_both_sides_are_saved(compared: MainWindow, qtbot: QtBot) -> None:
    """Changes are called so, and calls of the base are in a column of their own.

    Parts say which are of the base, as the mark beside a name is not saved.
    """
    for title, name in (
        ("Functions", "called"),
        ("Callees", "calls"),
        ("All Callees", "calls"),
        ("Callee Map", "calls"),
    ):
        rows = saved(compared, title, qtbot)
        (row,) = [row for row in rows if "a" in (row.get("Function"), row.get("Callee"))]

        costs = {key: row[key] for key in ("Incl. ±", "Base", "New")}
        assert costs == {"Incl. ±": 4, "Base": 30, "New": 34}, title
        assert (row[f"Base {name}"], row[name.capitalize()]) == (2, 3), title

    parts = saved(compared, "Parts", qtbot)
    assert [str(row["Part"]).endswith("(base)") for row in parts] == [False, True]
    assert [row["Incl."] for row in parts] == [54, 45]
    assert saved(compared, "Event Types", qtbot)[0]["Growth"] == pytest.approx(9 / 45)


def test_without_a_comparison_no_column_is_of_the_base(
    window: MainWindow,
    draw: Callable[..., Path],
    open_file: Callable[..., None],
    qtbot: QtBot,
) -> None:
    """Costs are called costs, and there is one number of calls."""
    open_file(draw(NEW, "new"))
    settle(window, qtbot)

    assert list(saved(window, "Functions", qtbot)[0]) == [
        "Incl.", "Self", "Called", "Function", "Location",
    ]  # fmt: skip
