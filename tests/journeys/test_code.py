"""Journeys through source and assembler with costs, in the real window."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.settings.paths_dialog import PathsDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.formats.loading import load
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools import editor
from qcachegrind_py.views.code.annotated_view import CodeView
from tests.code_view_text import (
    BINARY,
    DUMPS,
    ELSEWHERE,
    JUMPS,
    PROGRAMS,
    RECUR,
    SOURCE,
    button_of,
    call_row,
    column_texts,
    configure_file_search,
    current,
    highlighted_locations,
    is_busy,
    numbered_source,
    objdump_instructions,
    recorded_elsewhere,
    row_of,
    rows_without_location,
    shown_locations,
)
from tests.columns import CODE_LINES
from tests.formats.callgrind.reference_reader import CallRow, CostRow
from tests.profile_rows import call_rows, cost_rows
from tests.profile_text import THIN
from tests.user_input import (
    DOCK_IDS,
    LEFT,
    active_name,
    click_row,
    docks_by_title,
    double_click_row,
    function_id,
    go_to,
    ignore_offscreen_warnings,
    process_events,
)

BASIC = ["Functions", "Callers", "Callees", "Source"]
BESIDE = ["Functions", "Source", "Assembler"]
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

    def type(self, text: str) -> None:
        """Type into the focused widget."""
        QTest.keyClicks(QApplication.focusWidget(), text)
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


def line_sums(path: Path, name: str, event: int = 0, parts: range = range(99)) -> Counter[str]:
    """Self and inclusive cost of a function's lines, added up naively: `26`, `26 incl`."""
    profile, sums = load(path), Counter[str]()
    for cost in of_function(cost_rows(profile), name):
        if cost.part in parts:
            sums[f"{cost.line}"] += cost.costs[event]
            sums[f"{cost.line} incl"] += cost.costs[event]
    for call in of_function(call_rows(profile), name):
        if call.part in parts:
            sums[f"{call.line} incl"] += call.costs[event]
    return sums


def shown_sums(view: CodeView) -> Counter[str]:
    """The same, as shown in the columns of the lines."""
    sums, model = Counter[str](), view.model
    for record in shown_locations(view):
        place = model.listing.texts.location(record)
        for column, suffix in ((model.place("self"), ""), (model.place("inclusive"), " incl")):
            text = model.shown_text(record, column).replace(THIN, "")
            sums[place + suffix] += int(text or 0)
    return sums


def test_missing_source_takes_two_clicks(
    stranger: User, choosing: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    """The missing file is named; once one file is chosen, the others are found."""
    user, source, assembler = stranger, stranger.source, stranger.assembler
    recorded = {row.line for row in of_function(cost_rows(load(RECUR)), "main")}
    profile = recorded_elsewhere(tmp_path)
    user.open(profile)
    user.press("F11")
    strip = source.missing_file_bar.label.text()
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

    looked = f"{tmp_path / 'recur.c'}, {Path.cwd() / 'recur.c'}"
    assert strip == f"././recur.c was not found. Searched {looked}."
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


def test_call_is_followed_and_back(user: User, window: MainWindow) -> None:
    """Two clicks on a call follow it, and Back returns to the costliest line.

    So do two clicks and Return in the assembler.
    """
    source, assembler = user.source, user.assembler
    began = current(source)
    user.click_row(source, row_of(source, "23"))
    user.click_row(source, call_row(source, "hanoi"))
    selected = window.navigation.context.selected
    user.click_row(source, call_row(source, "sort_them"), double=True)
    followed = (user.active, current(source))
    user.press("Alt+Left")
    back = (user.active, current(source))
    user.press("F12")
    at = (highlighted_locations(assembler), rows_without_location(assembler)[:2])
    user.click_row(assembler, row_of(assembler, "132c"))
    user.press("Down")
    user.press("Return")
    followed_below = (user.active, current(assembler))

    assert selected == function_id(window.session, "hanoi")
    assert (began, followed, back) == ("26", ("sort_them", "20"), ("main", "26"))
    assert at == (["131d", "1320", "1327", "132c"], ["main:", "sort_them  recur-O1: recur.c"])
    assert followed_below == ("sort_them", "116d")


def test_costs_are_those_of_the_event_and_the_parts(user: User, window: MainWindow) -> None:
    """Line costs are those recorded for the chosen event and parts."""
    source, shown = user.source, {}
    shown["Ir"] = shown_sums(source)
    user.press("Ctrl+E")
    event = window.navigation.context.event
    shown["Dr"] = shown_sums(source)
    user.click_row(source, row_of(source, "25"))
    user.press("Ctrl+E")
    still = current(source)
    user.open(DUMPS)
    shown["all"] = shown_sums(source)
    window.docks.show("part_list")
    window.views.part_list.select_parts([2])
    user.wait()
    user.press("F11")
    shown["part"] = shown_sums(source)

    assert event is not None
    assert (event.name, still) == ("Dr", "25")
    assert shown["Ir"] == line_sums(RECUR, "main")
    assert shown["Dr"] == line_sums(RECUR, "main", 1)
    assert shown["all"] == line_sums(DUMPS, "main")
    assert shown["part"] == line_sums(DUMPS, "main", parts=range(2, 3))
    assert shown["part"] != shown["all"]


def test_lines_and_instructions_light_each_other_side_by_side(
    user: User, window: MainWindow
) -> None:
    """Side by side, each view marks the other's rows; one more click restores the layout."""
    source, assembler = user.source, user.assembler
    before, had_room = user.docks, source.table.height()
    user.click(button_of(source, "side_by_side", window))
    beside = user.docks
    widths = [window.docks.by_id[DOCK_IDS[title]].width() for title in BESIDE]
    user.click_row(source, row_of(source, "25"))
    of_line = highlighted_locations(assembler)
    user.click_row(assembler, row_of(assembler, "1331"))
    of_instruction = (
        highlighted_locations(source),
        current(source),
        highlighted_locations(assembler),
    )
    user.press("Down")
    next_one = (highlighted_locations(source), highlighted_locations(assembler))
    user.click(button_of(assembler, "side_by_side", window))

    rows = [r for r in of_function(cost_rows(load(RECUR)), "main") if r.line == 25]
    assert (before, beside, user.docks) == (BASIC, BESIDE, BASIC)
    assert abs(widths[1] - widths[2]) < 20
    assert widths[0] < widths[1]
    assert source.table.height() == had_room
    assert of_line == sorted({f"{row.address:x}" for row in rows})
    assert of_instruction == (["27"], "27", ["1331"])
    assert next_one == (["27"], ["1336"])


def test_text_is_found(user: User) -> None:
    """Keys start the search and step through the matches, in source and assembler."""
    source, assembler = user.source, user.assembler
    matching = [line.split()[0] for line in numbered_source() if "cyc_" in line]
    visited = []
    user.press("Ctrl+Shift+F")
    user.type("CYC_")
    said = [source.match_label.text()]
    for key in ("Return", "F3", "F3", "Shift+F3", "Shift+F3"):
        user.press(key)
        visited.append(current(source))
        said.append(source.match_label.text())
    user.press("Escape")
    cleared = (source.search.text(), source.match_label.text())
    user.press("F12")
    user.press("Ctrl+Shift+F")
    has_keyboard = assembler.search.hasFocus()
    user.type("1376")
    user.press("Return")

    assert matching == ["14", "15", "16", "17", "27"]
    assert visited == ["27", "14", "15", "14", "27"]
    assert said == ["5 found", "5 of 5", "1 of 5", "2 of 5", "1 of 5", "5 of 5"]
    assert cleared == ("", "")
    assert (has_keyboard, current(assembler), source.search.text()) == (True, "1376", "")


def test_hot_lines_come_by_key_and_cheap_ones_fold(user: User) -> None:
    """F4 steps from the costliest line to cheaper ones, Shift+F4 back; folds open."""
    source = user.source
    sums = {k.split()[0]: v for k, v in line_sums(RECUR, "main").items() if " " in k}
    hot = sorted(sums, key=lambda line: -sums[line])
    visited = []
    for key in ("F4", "F4", "Shift+F4", "Shift+F4", "Shift+F4"):
        user.press(key)
        visited.append(current(source))
    user.click_row(source, call_row(source, "hanoi"))
    user.press("F4")
    below_call = current(source)
    user.press("Shift+F4")
    user.press("Shift+F4")
    user.press("Ctrl+Shift+S")
    folded = column_texts(source, CODE_LINES.LOCATION, source.model.place("text"))
    fold = rows_without_location(source)[0]
    still = current(source)
    user.click_row(source, 0)
    opened = (
        column_texts(source, CODE_LINES.LOCATION, source.model.place("text")),
        current(source),
    )
    user.press("Ctrl+Shift+S")

    assert hot[:3] == ["26", "27", "25"]
    assert (visited, below_call) == (["27", "25", "27", "26", hot[-1]], "25")
    assert (fold, still) == ("18 lines without cost", "26")
    assert folded == numbered_source()[18:]
    assert opened == (numbered_source(), "1")
    assert (
        column_texts(source, CODE_LINES.LOCATION, source.model.place("text")) == numbered_source()
    )


def test_line_is_opened_in_the_editor(
    user: User, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    """One key starts the configured editor with file and line, without a shell."""
    told = tmp_path / "told"
    writer = tmp_path / "an editor.py"
    writer.write_text(
        "import os, sys\n"
        f"open({str(told) + '.new'!r}, 'w').write('\\n'.join(sys.argv[1:]))\n"
        f"os.rename({str(told) + '.new'!r}, {str(told)!r})\n"
    )
    window.settings.editor = f"'{sys.executable}' '{writer}' --at={{line}} {{file}} '$(x)'"
    user.click_row(user.source, row_of(user.source, "25"))
    user.press("Ctrl+Shift+O")
    qtbot.waitUntil(told.exists)
    started = editor._started[-1]
    started.wait()

    assert told.read_text().splitlines() == ["--at=25", str(SOURCE), "$(x)"]
    assert window.notices.notice_texts() == {}


def test_paths_are_seen_and_changed(user: User, window: MainWindow, qtbot: QtBot) -> None:
    """The dialog lists earlier choices; a removed one makes its file missing at once."""
    window.actions_["paths"].trigger()
    (dialog,) = window.findChildren(PathsDialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    model, table = dialog.rules.model, dialog.rules.table
    rules = [model.text(row, 0) for row in range(model.rowCount())]
    strip = user.source.missing_file_bar.isVisible()
    table.selectRow(0)
    for _ in rules:
        QTest.keyClick(table, Qt.Key.Key_Delete)
    user.wait()
    missing = user.source.missing_file_bar.label.text().split(".c ")[0]
    dialog.reject()
    process_events()

    assert (rules, strip) == (["/corpus/a-small", ".", "/home/somebody else"], False)
    assert (user.source.missing_file_bar.isVisible(), missing) == (True, "././recur")
