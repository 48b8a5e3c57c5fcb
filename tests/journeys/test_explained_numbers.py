"""Journeys of a user who asks where a number comes from: the dock Explain This Number."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.views.code.annotated_view import CodeView
from qcachegrind_py.views.tables.record_table import FunctionTable
from tests.code_view_text import record_of
from tests.columns import CALLS, FUNCTIONS
from tests.profile_text import EXAMPLE, THIN, write_profile_text
from tests.user_input import go_to, ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
SHEET = EXAMPLE.parent / "sheet/callgrind.out.sheet.xz"
EXPLAIN = DockRegistry.explain_number.id
DRAWING = """
    main@m.c@prog 1000 -> f 2x4000, g 1x500
    f@f.c@prog 4000
    g@g.c@prog 500
    """
OpenFile = Callable[..., None]
Page = Callable[[], list[str]]


@pytest.fixture
def page(shown: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot) -> Page:
    """Open a profile with *main* active; return the lines of the page, once it is there."""
    open_file(write_profile_text(tmp_path, DRAWING), own_parts=False)
    process_events()

    def page() -> list[str]:
        jobs = shown.session.jobs
        qtbot.waitUntil(lambda: not jobs.is_running("explanation"))
        process_events()
        text = shown.views.explain_number.page.toPlainText()
        return [line for line in text.split("\n") if line]

    return page


def put_cursor(table: FunctionTable, name: str, column: int) -> None:
    """Make the cell of a function current, and give the list the keyboard focus."""
    model = table.model()
    for row in range(model.rowCount()):
        names = [str(model.index(row, c).data()) for c in range(model.columnCount())]
        if name in names:
            table.setFocus()
            table.setCurrentIndex(model.index(row, column))
            process_events()
            return
    raise LookupError(name)


def press_ctrl_u(window: MainWindow) -> None:
    QTest.keyClick(window, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    process_events()


def test_the_dock_explains_the_inclusive_cost_of_the_active_function(
    shown: MainWindow, page: Page, tmp_path: Path
) -> None:
    """Its value and share, self cost and calls, and the lines of the file with their sum."""
    shown.docks.show(EXPLAIN)
    assert page() == [
        f"Inclusive cost of main, Ir: 5{THIN}500",
        f"5{THIN}500 / 5{THIN}500 = 100.00 % of the sum of all self costs, as the file records no "
        "total (summary:).",
        "Its self cost, and what the calls from it cost.",
        f"1{THIN}000",
        "self cost",
        f"4{THIN}000",
        "2 calls to f",
        "500",
        "1 call to g",
        f"m.c:1: 5{THIN}500",
        f"in {tmp_path / 'callgrind.out.1'}:",
        f"1{THIN}000",
        "line 6",
        "1 1000",
        f"4{THIN}000",
        "line 11",
        "calls=2 1 / 1 4000",
        "500",
        "line 16",
        "calls=1 1 / 1 500",
        f"Sum of 3 lines of the profile: 5{THIN}500",
    ]


@pytest.mark.parametrize(
    ("column", "title"),
    [
        (FUNCTIONS.INCLUSIVE, f"Inclusive cost of f, Ir: 4{THIN}000"),
        (FUNCTIONS.SELF, f"Self cost of f, Ir: 4{THIN}000"),
        (FUNCTIONS.CALLED, "Calls of f: 2"),
    ],
)
def test_ctrl_u_explains_the_number_under_the_cursor(
    shown: MainWindow, page: Page, column: int, title: str
) -> None:
    """In Functions, the column chooses what is explained; the active function stays."""
    put_cursor(shown.views.function_list.table, "f", column)
    press_ctrl_u(shown)
    assert page()[0] == title
    assert shown.docks.is_seen(EXPLAIN)


@pytest.mark.parametrize(
    ("column", "title"),
    [
        (CALLS.COST, f"Inclusive cost of the calls from main to f, Ir: 4{THIN}000"),
        (CALLS.COUNT, "Calls from main to f: 2"),
    ],
)
def test_calls_are_explained_in_callees(
    shown: MainWindow, page: Page, column: int, title: str
) -> None:
    """Cost and count of a row of *Callees* are those of the calls from the active function."""
    shown.docks.show(DockRegistry.callees.id)
    put_cursor(shown.views.callees.table, "f", column)
    press_ctrl_u(shown)
    assert page()[0] == title


@pytest.mark.parametrize(
    ("dock", "location", "column", "lines"),
    [
        (
            "source",
            "42",
            "inclusive",
            [f"Inclusive cost of formula.c:42 in factor, Ir: 10{THIN}300{THIN}568"],
        ),
        ("source", "42", "self", [f"Self cost of formula.c:42 in factor, Ir: 4{THIN}000"]),
        (
            "assembler",
            "1819",
            "self",
            [
                f"Self cost of the instruction at 0x1819 in factor, Ir: 2{THIN}000",
                f"Sum of 1 line of the profile: 2{THIN}000",
            ],
        ),
    ],
)
def test_lines_and_instructions_are_explained(
    shown: MainWindow,
    page: Page,
    open_file: OpenFile,
    qtbot: QtBot,
    dock: str,
    location: str,
    column: str,
    lines: list[str],
) -> None:
    """In Source and Assembler it is the cost of the current row, by the current column."""
    open_file(SHEET)
    go_to(shown.session, shown.navigation, "factor")
    shown.docks.show(dock)
    view = shown.docks.view(dock)
    assert isinstance(view, CodeView)
    qtbot.waitUntil(lambda: view.model.rowCount() > 0)
    keys = [each.key for each in view.model.columns]
    index = view.model.index_of_record(record_of(view, location))
    view.table.setCurrentIndex(index.siblingAtColumn(keys.index(column)))
    view.table.setFocus()
    process_events()
    press_ctrl_u(shown)
    text = page()
    assert [line for line in text if line in lines] == lines


def test_calls_from_a_line_are_explained(
    shown: MainWindow, page: Page, open_file: OpenFile, qtbot: QtBot
) -> None:
    """In Source, the row of a call below a line has the calls from there."""
    open_file(SHEET)
    go_to(shown.session, shown.navigation, "factor")
    shown.docks.show("source")
    view = shown.docks.view("source")
    assert isinstance(view, CodeView)
    qtbot.waitUntil(lambda: view.model.rowCount() > 0)
    view.table.setCurrentIndex(view.model.index_of_record(record_of(view, "42") + 1))
    view.table.setFocus()
    process_events()
    press_ctrl_u(shown)
    title = page()[0]
    assert title.startswith("Inclusive cost of the calls from factor to ")
    assert " at formula.c:42, Ir: " in title


def follow(window: MainWindow, text: str) -> None:
    """Click the link with this text."""
    html = window.views.explain_number.page.toHtml()
    (link,) = re.findall(rf'href="(#\d+)"[^>]*>(?:<span[^>]*>)?{re.escape(text)}<', html)
    window.views.explain_number.page.anchorClicked.emit(QUrl(link))
    process_events()


def test_terms_are_links(shown: MainWindow, page: Page) -> None:
    """A click on a term explains it; another active function brings its own cost back."""
    shown.docks.show(EXPLAIN)
    page()
    follow(shown, "2 calls to f")
    assert page()[0] == f"Inclusive cost of the calls from main to f, Ir: 4{THIN}000"
    shown.navigation.select_function(shown.session.queries.names.with_name("g")[0])
    process_events()
    assert page()[0] == "Inclusive cost of g, Ir: 500"


def test_the_explanation_can_be_copied_as_text(shown: MainWindow, page: Page) -> None:
    """The text is that of the command."""
    shown.docks.show(EXPLAIN)
    page()
    button = next(
        each
        for each in shown.views.explain_number.findChildren(QToolButton)
        if each.text() == "Copy"
    )
    button.click()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[:2] == [
        f"Inclusive cost of main, Ir: 5{THIN}500",
        f"  5{THIN}500 / 5{THIN}500 = 100.00 % of the sum of all self costs, as the file records "
        "no total (summary:).",
    ]
    assert copied[-1] == f"Sum of 3 lines of the profile: 5{THIN}500"


def test_a_file_that_has_changed_keeps_its_terms(
    shown: MainWindow, page: Page, tmp_path: Path
) -> None:
    """The number and its terms are known; the lines are not shown, as they may be others."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(path.read_text() + "# more\n")
    shown.docks.show(EXPLAIN)
    lines = page()
    assert lines[0] == f"Inclusive cost of main, Ir: 5{THIN}500"
    assert "2 calls to f" in lines
    assert lines[-1] == (
        f"{path} has changed since it was read, so its lines cannot be shown. Read it again."
    )


def test_a_file_that_was_removed_cannot_be_read_again(
    shown: MainWindow, page: Page, tmp_path: Path
) -> None:
    """Nobody is sent to reload what is no longer there."""
    path = tmp_path / "callgrind.out.1"
    path.unlink()
    shown.docks.show(EXPLAIN)
    assert page()[-1] == f"{path} was removed, so its lines cannot be shown."


def test_both_sides_of_a_comparison_are_explained(
    shown: MainWindow, page: Page, tmp_path: Path, qtbot: QtBot
) -> None:
    """New, then base, each with the lines of its own file."""
    folder = tmp_path / "old"
    folder.mkdir()
    base = write_profile_text(folder, DRAWING.replace("1000", "900"))
    shown.session.comparing.compare_with(ProfileFiles((base,), with_siblings=False))
    qtbot.waitUntil(lambda: shown.session.comparison is not None)
    shown.docks.show(EXPLAIN)
    text = page()
    assert f"New: Inclusive cost of main, Ir: 5{THIN}500" in text
    assert f"Base: Inclusive cost of main, Ir: 5{THIN}400" in text
    assert f"in {base}:" in text
