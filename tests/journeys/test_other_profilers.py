"""Journeys through profiles of other profilers: times, sizes, and Python sources."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.context import CostUnit
from tests.code_view_text import column_texts, is_busy, rows_without_location
from tests.columns import FUNCTIONS
from tests.user_input import go_to, ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings

PROGRAM = "def f():\n    return 1\n\n\ndef main():\n    f()\n    f()\n"


@pytest.fixture
def python_profile(tmp_path: Path) -> Path:
    """A Python program and its profile with known times."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    main, f = (str(program), 5, "main"), (str(program), 1, "f")
    path = tmp_path / "program.prof"
    statistics = {
        main: (1, 1, 0.25, 1.0, {}),
        f: (2, 2, 0.75, 0.75, {main: (2, 2, 0.75, 0.75)}),
    }
    path.write_bytes(marshal.dumps(statistics))
    return path


def shown(window: MainWindow, *columns: int) -> list[list[str]]:
    """The rows of the function list."""
    model = window.views.function_list.model
    return [
        [str(model.index(row, column).data()) for column in columns]
        for row in range(model.rowCount())
    ]


def test_a_profile_of_python(
    window: MainWindow, open_file: Callable[..., None], qtbot: QtBot, python_profile: Path
) -> None:
    """It opens like any other; times are in seconds, and sources are found."""
    open_file(python_profile)
    window.navigation.set(unit=CostUnit.ABSOLUTE)
    window.docks.show("source")
    go_to(window.session, window.navigation, "main")
    for _ in range(2):
        process_events()
        qtbot.waitUntil(lambda: not is_busy(window))
    process_events()
    source, columns = window.views.source, FUNCTIONS

    assert shown(
        window, columns.NAME, columns.INCLUSIVE, columns.SELF, columns.CALLED, columns.LOCATION
    ) == [
        ["f", "750.0 ms", "750.0 ms", "2", "program.py"],
        ["main", "1.000 s", "250.0 ms", "1", "program.py"],
        ["(root)", "1.000 s", "", "0", "???"],
    ]
    assert window.status_bar.total.text() == "Total Time: 1.000 s"
    model = source.model
    lines = column_texts(source, *model.places("location", "self", "inclusive", "text"))
    assert "5 | 250.0 ms | 1.000 s | def main():" in lines
    assert [text.split()[0] for text in rows_without_location(source) if "f" in text.split()] == [
        "f"
    ]
