"""Journeys through the code views: what their columns, rows and scroll bars show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.code.annotated_view import CodeView
from tests.code_view_text import (
    RECUR,
    button_of,
    cell_texts,
    configure_file_search,
    is_busy,
    shown_locations,
)
from tests.user_input import LEFT, go_to, ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
_LONG = "events: Ir\nfl=long.c\nfn=cheap\n1 9000\nfn=f\n"


class Reader:
    """A user who reads the code of one function."""

    def __init__(self, window: MainWindow, open_file: Callable[..., None], qtbot: QtBot) -> None:
        self._window, self._open_file, self._qtbot = window, open_file, qtbot

    def open(self, path: Path, function: str, *actions: str) -> None:
        """Open a profile at a function, and trigger actions."""
        self._open_file(path)
        go_to(self._window.session, self._window.navigation, function)
        for action in actions:
            self.trigger(action)
        self.wait()

    def trigger(self, action: str) -> None:
        """Choose an action from the menus, and wait for what it shows."""
        self._window.actions_[action].trigger()
        self.wait()

    def wait(self) -> None:
        """Wait until the code is shown."""
        for _ in range(2):
            process_events()
            self._qtbot.waitUntil(lambda: not is_busy(self._window))
        process_events()


@pytest.fixture
def reader(window: MainWindow, open_file: Callable[..., None], qtbot: QtBot) -> Reader:
    """A user with the source in front, in a window of common size."""
    configure_file_search(window)
    window.resize(1366, 768)
    window.docks.reset()
    window.docks.show("source")
    return Reader(window, open_file, qtbot)


def costs(view: CodeView) -> list[str]:
    """The self costs of all lines that have one, as displayed."""
    texts = (cell_texts(view, record, view.model.SELF)[0] for record in shown_locations(view))
    return [text for text in texts if text]


def visible_bars(view: CodeView) -> list[str]:
    """The horizontal scroll bars that can be seen below the code."""
    bars = {"columns": view.table.horizontalScrollBar(), "code": view.table.text_bar}
    return [name for name, bar in bars.items() if bar.isVisible()]


def test_percentages_in_code_are_of_the_function_until_switched(
    reader: Reader, window: MainWindow, tmp_path: Path
) -> None:
    """Lines of a cheap function show their part of it, and by a button that of the total."""
    profile = tmp_path / "callgrind.out.1"
    profile.write_text(f"{_LONG}5 750\n7 250\n")
    reader.open(profile, "f")
    source, switch = window.views.source, window.actions_["percent_of_function"]
    button = button_of(source, "percent_of_function", window)
    seen = [costs(source)]
    for _ in range(2):
        QTest.mouseClick(button, LEFT)
        reader.wait()
        seen.append(costs(source))
    reader.trigger("absolute")

    assert seen == [["75.00", "25.00"], ["7.50", "2.50"], ["75.00", "25.00"]]
    assert costs(source) == ["750", "250"]
    assert not switch.isEnabled()  # counts are of nothing


def test_hot_lines_are_shown_in_the_middle(
    reader: Reader, window: MainWindow, tmp_path: Path
) -> None:
    """F4 shows each hot line with the lines around it, wherever it was before."""
    (tmp_path / "long.c").write_text("".join(f"line {n};\n" for n in range(1, 401)))
    hot = {300: 50, 312: 40, 290: 30, 100: 20}  # the second and third are in sight of the first
    profile = tmp_path / "callgrind.out.1"
    lines = (f"{line} {cost}\n" for line, cost in sorted(hot.items()))
    profile.write_text(_LONG + "".join(lines))
    reader.open(profile, "f")
    table = window.views.source.table
    visited, away = [], []
    for _ in hot:
        row = table.visualRect(table.currentIndex())
        visited.append(table.currentIndex().row() + 1)
        away.append(abs(row.center().y() - table.viewport().height() // 2) <= row.height())
        reader.trigger("next_hot")

    assert (visited, away) == (list(hot), [True] * len(hot))


@pytest.mark.parametrize("width", [1600, 1920])
@pytest.mark.parametrize("second", [None, "Dr"])
def test_columns_fit_into_source_beside_assembler(
    reader: Reader, window: MainWindow, width: int, second: str | None
) -> None:
    """Columns never scroll sideways, and code only if some of it is wider than its column."""
    reader.open(RECUR, "main", "side_by_side")
    window.resize(width, 900)
    window.navigation.set(second_event=window.navigation.context.events.find(second or ""))
    reader.wait()
    for view in (window.views.source, window.views.assembler):
        longest = view.table._delegate.text_width(
            max((view.model.full_text(record) for record in shown_locations(view)), key=len)
        )
        is_wider = longest > view.table.columnWidth(view.table._delegate.text_column)
        assert visible_bars(view) == ["code"] * is_wider
