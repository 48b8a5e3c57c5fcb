"""Journeys through source and assembler with costs, in the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.formats.loading import load
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.views.code.code_views import CodeView
from tests.code_view_text import (
    BINARY,
    ELSEWHERE,
    JUMPS,
    PROGRAMS,
    RECUR,
    SOURCE,
    column_texts,
    configure_file_search,
    is_busy,
    numbered_source,
    objdump_instructions,
    recorded_elsewhere,
    rows_without_location,
)
from tests.columns import CODE_LINES
from tests.formats.callgrind.reference_reader import CallRow, CostRow
from tests.profile_rows import cost_rows
from tests.user_input import (
    LEFT,
    active_name,
    click_row,
    docks_by_title,
    double_click_row,
    go_to,
    ignore_offscreen_warnings,
    process_events,
)

Row = CostRow | CallRow
pytestmark = ignore_offscreen_warnings


class User:
    """A user who looks at code and waits for each result."""

    def __init__(self, window: MainWindow, open_file: Callable[..., None], qtbot: QtBot) -> None:
        self._window, self._open_file, self._qtbot = window, open_file, qtbot
        self.source, self.assembler = window.views.source, window.views.assembler

    def wait(self) -> None:
        """Wait for all background jobs."""
        for _ in range(2):
            process_events()
            self._qtbot.waitUntil(lambda: not is_busy(self._window))
        process_events()

    def open(self, path: Path, function: str = "main") -> None:
        """Open a profile and go to a function."""
        self._open_file(path)
        self.go(function)

    def go(self, function: str) -> None:
        """Make a function active."""
        go_to(self._window.session, self._window.navigation, function)
        self.wait()

    def press(self, key: str) -> None:
        """Press a key in the focused widget."""
        combination = QKeySequence(key)[0]
        widget = QApplication.focusWidget() or self._window
        QTest.keyClick(widget, combination.key(), combination.keyboardModifiers())
        self.wait()

    def click(self, button: QWidget) -> None:
        """Click a visible button."""
        assert button.isVisible()
        QTest.mouseClick(button, LEFT)
        self.wait()

    def click_row(self, view: CodeView, row: int, *, double: bool = False) -> None:
        """Scroll to a row of the code and click it."""
        view.table.scrollTo(view.model.index(row, 0))
        (double_click_row if double else click_row)(view.table, row)
        self.wait()

    @property
    def active(self) -> str:
        return active_name(self._window.session, self._window.navigation)

    @property
    def docks(self) -> list[str]:
        """The docks that are visible, not behind a tab."""
        area, by_title = self._window.rect(), docks_by_title(self._window)
        return [t for t, d in by_title.items() if d.isVisible() and area.intersects(d.geometry())]


@pytest.fixture
def stranger(window: MainWindow, open_file: Callable[..., None], qtbot: QtBot) -> User:
    """A user without path rules and search folders."""
    window.resize(1280, 800)
    window.docks.reset()
    return User(window, open_file, qtbot)


@pytest.fixture
def user(stranger: User, window: MainWindow, tmp_path: Path) -> User:
    """A user who sees the source of main, and the assembler by a key."""
    configure_file_search(window)
    window.actions_["absolute"].trigger()
    stranger.open(recorded_elsewhere(tmp_path))
    stranger.press("F11")
    return stranger


@pytest.fixture
def choosing(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], list[str]]:
    """Let the user choose a file in dialogs; return the dialogs' questions."""

    def choosing(chosen: Path) -> list[str]:
        queries: list[str] = []

        def ask(_parent: QWidget, question: str, *_rest: object) -> tuple[str, str]:
            queries.append(question)
            return str(chosen), ""

        monkeypatch.setattr(QFileDialog, "getOpenFileName", ask)
        return queries

    return choosing


def of_function(rows: list[Row], name: str) -> list[Row]:
    """The records of a function's code."""
    return [row for row in rows if (row[1][0] == name)]


def test_missing_source_takes_two_clicks(
    stranger: User, choosing: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    """The missing file is named; once one file is chosen, the others are found."""
    user, source, assembler = stranger, stranger.source, stranger.assembler
    recorded = {row.line for row in of_function(cost_rows(load(RECUR)), "main")}
    profile = recorded_elsewhere(tmp_path)
    user.open(profile)
    user.press("F11")
    strip, places = (source.missing_file_bar.label.text(), source.missing_file_bar.label.toolTip())
    without = column_texts(source, CODE_LINES.LOCATION, source.model.place("text"))
    queries = choosing(SOURCE)
    user.click(source.missing_file_bar.choose_button)
    seen = column_texts(source, CODE_LINES.LOCATION, source.model.place("text"))
    user.press("F12")
    bar_below = assembler.missing_file_bar.label.text()
    addresses = column_texts(assembler, CODE_LINES.LOCATION)
    queries_below = choosing(BINARY)
    user.click(assembler.missing_file_bar.choose_button)
    decoded = column_texts(assembler, CODE_LINES.LOCATION)
    fold = rows_without_location(assembler)[-1]
    user.press("F11")
    user.open(recorded_elsewhere(tmp_path, JUMPS))
    other = column_texts(source, CODE_LINES.LOCATION, source.model.place("text"))

    assert strip == "././recur.c was not found in 2 places."
    assert all(f"{folder}/recur.c" in places for folder in (tmp_path, Path.cwd()))
    assert without == [f"{line} |" for line in sorted(recorded)]
    assert (queries, seen) == (["Where Is recur.c?"], numbered_source())
    program = f"{ELSEWHERE}/recur-O1"
    assert bar_below == f"{program} was not found."
    assert queries_below == ["Where Is recur-O1?"]
    *begin, _one, _two, _three = [address for address, _ in objdump_instructions("main")]
    assert (decoded, fold) == (begin, "3 instructions without cost")
    assert set(addresses) < set(decoded)
    assert other == numbered_source("jumps.c")
    assert (source.missing_file_bar.isVisible(), assembler.missing_file_bar.isVisible()) == (
        False,
        False,
    )
    assert [rule.replacement for rule in Settings().path_rules] == [
        str(PROGRAMS),
        str(SOURCE.parent),
    ]
