"""Copying from lists: a cell, rows, and tables as text or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QTableView
from pytestqt.qtbot import QtBot

from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.call_lists import CallList, Direction, TransitiveCallList
from qcachegrind_py.views.lists.function_list import FunctionList
from qcachegrind_py.views.tables.table_actions import table_as_text
from tests.columns import FUNCTIONS
from tests.profile_text import THIN
from tests.user_input import (
    CTRL,
    choose_action,
    click_row,
    enabled_texts,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    menu_actions,
    process_events,
    row_menu,
    without_mnemonic,
)

DRAWING = """
    main@a.c@/bin/prog 1000 -> f 3x7000, g 1x2000
    f@b.c@/bin/prog 7000
    g@b.c 2000
    """
KEY_C = Qt.Key.Key_C
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def functions(opened: Callable[..., FunctionList], session: Session) -> FunctionList:
    """The list of the test profile."""
    switch = QAction("Regular Expression", session, checkable=True)
    return opened(lambda s: FunctionList(s, switch), DRAWING)


def clipboard() -> str:
    """The text on the clipboard."""
    return QGuiApplication.clipboard().text()


def shown_cell(table: QTableView, row: int, column: int) -> str:
    """The displayed text of a cell."""
    return str(table.model().index(row, column).data())


def test_menu_offers_all_ways_to_copy(functions: FunctionList) -> None:
    """Every row's menu offers cell, row and table; several rows are named as such."""
    click_row(functions.table, 1)
    one = inspect_menu(row_menu(functions.table, 1), enabled_texts)[-5:]
    click_row(functions.table, 2, CTRL)
    several = inspect_menu(row_menu(functions.table, 2), enabled_texts)[-5:]

    table = ["Copy Table as Text", "Copy Table as CSV", "Save Table…"]
    assert (one, several) == (["Copy Cell", "Copy Row", *table], ["Copy Cell", "Copy Rows", *table])


def test_cell_is_copied_as_it_is_seen(functions: FunctionList) -> None:
    """Copy Cell copies the displayed text of the cell under the mouse."""
    choose_action(row_menu(functions.table, 1), "Copy Cell")

    assert clipboard() == "70.00"


def test_rows_are_copied_from_the_top(functions: FunctionList, qtbot: QtBot) -> None:
    """Selected rows are copied in table order, not in click order."""
    click_row(functions.table, 2)
    click_row(functions.table, 0, CTRL)
    qtbot.keyClick(functions.table, KEY_C, CTRL)
    by_key = clipboard()
    choose_action(row_menu(functions.table, 0), "Copy Rows")

    assert by_key == "100.00\t10.00\t0\tmain\tprog: a.c\n20.00\t20.00\t1\tg\tb.c"
    assert clipboard() == by_key


def test_table_is_copied_as_text_with_titles(functions: FunctionList) -> None:
    """Copy Table as Text has titles and all rows as displayed and sorted."""
    choose_action(row_menu(functions.table, 0), "Copy Table as Text")

    assert clipboard() == (
        "Incl. %\tSelf %\tCalled\tFunction\tLocation\n"
        "100.00\t10.00\t0\tmain\tprog: a.c\n"
        "70.00\t70.00\t3\tf\tprog: b.c\n"
        "20.00\t20.00\t1\tg\tb.c\n"
    )


def test_table_is_copied_as_csv_with_whole_numbers(functions: FunctionList) -> None:
    """Copy Table as CSV has exact counts, whatever is displayed."""
    choose_action(row_menu(functions.table, 0), "Copy Table as CSV")

    assert list(csv.reader(io.StringIO(clipboard()))) == [
        ["Incl.", "Self", "Called", "Function", "Location"],
        ["10000", "1000", "0", "main", "prog: a.c"],
        ["7000", "7000", "3", "f", "prog: b.c"],
        ["2000", "2000", "1", "g", "b.c"],
    ]


def test_columns_are_copied_as_they_are_arranged(functions: FunctionList) -> None:
    """Hidden columns are not copied, moved ones in their displayed order."""
    functions.table.setColumnHidden(FUNCTIONS.CALLED, True)
    header = functions.table.horizontalHeader()
    header.moveSection(header.visualIndex(FUNCTIONS.NAME), 0)
    choose_action(row_menu(functions.table, 0), "Copy Table as CSV")

    assert next(csv.reader(io.StringIO(clipboard()))) == ["Function", "Incl.", "Self", "Location"]


def test_csv_says_which_numbers_are_estimates(opened: Callable[..., TransitiveCallList]) -> None:
    """CSV numbers have no marks, so the column of estimates is copied though hidden."""
    drawing = "main 10 -> a 1x60\nother 0 -> a 1x20\na 20 -> c 4x60\nc 60"
    view = opened(lambda s: TransitiveCallList(s, Direction.CALLEES), drawing)
    choose_action(row_menu(view.table, 0), "Copy Table as CSV")

    assert list(csv.reader(io.StringIO(clipboard()))) == [
        ["Incl.", "Self", "Distance", "Called", "Callee", "Location", "Proven"],
        ["60", "15", "1", "1", "a", "???", "cost only"],
        ["45", "45", "2", "3", "c", "???", "no"],
    ]
    assert "Proven" not in table_as_text(view.table)


def test_filtered_table_is_copied_as_it_is_seen(functions: FunctionList) -> None:
    """Rows hidden by the search are not copied."""
    functions.search.setText("f")
    choose_action(row_menu(functions.table, 0), "Copy Table as CSV")

    assert [row[3] for row in csv.reader(io.StringIO(clipboard()))] == ["Function", "f"]


def test_hostile_names_survive_csv(
    functions: FunctionList, open_profile: Callable[..., None], tmp_path: Path
) -> None:
    """Commas, quotes and markup in names are preserved; a name cannot end a row.

    Nor is it a spreadsheet formula: an apostrophe makes it text.
    """
    names = ['a,b"c"', "<b>x</b>", "'; tab\\there", "=1+1", "-[NSObject init]", "+1", "@x"]
    formulas = names[3:]
    body = "".join(f"fn={name}\n1 {cost}\n" for cost, name in enumerate(names, 1))
    path = tmp_path / "hostile"
    path.write_text(f"events: Ir\nfl=a.c\n{body}")
    open_profile(path)
    process_events()
    choose_action(row_menu(functions.table, 0), "Copy Table as CSV")
    title, *rows = csv.reader(io.StringIO(clipboard()))

    place = title.index("Function")
    assert sorted(row[place] for row in rows) == sorted(
        [*names[:3], *(f"'{name}" for name in formulas)]
    )
    assert {len(row) for row in rows} == {len(title)}


def test_names_are_copied_to_csv_in_full(
    functions: FunctionList, open_profile: Callable[..., None], tmp_path: Path
) -> None:
    """A name elided in the list is complete in CSV."""
    name = "long_" * 1000
    path = tmp_path / "long"
    path.write_text(f"events: Ir\nfl=a.c\nfn={name}\n1 1\n")
    open_profile(path)
    process_events()
    choose_action(row_menu(functions.table, 0), "Copy Table as CSV")
    title, row = csv.reader(io.StringIO(clipboard()))

    assert row[title.index("Function")] == name


def test_large_costs_are_copied_exactly(
    functions: FunctionList, draw: Callable[..., Path], open_profile: Callable[..., None]
) -> None:
    """Counts above 2^53 keep all digits."""
    open_profile(draw(f"main {2**53 + 1}", "large"))
    process_events()
    choose_action(row_menu(functions.table, 0), "Copy Table as CSV")

    assert str(2**53 + 1) in clipboard().splitlines()[1].split(",")


def test_call_lists_are_copied_the_same_way(
    opened: Callable[..., CallList], session: Session
) -> None:
    """Lists of calls have the same menu."""
    view = opened(lambda s: CallList(s, Direction.CALLEES), DRAWING)
    go_to(session, view.navigation, "main")
    choose_action(row_menu(view.table, 0), "Copy Table as CSV")

    assert list(csv.reader(io.StringIO(clipboard()))) == [
        ["Incl.", "Per call", "Calls", "Callee", "Location"],
        ["7000", "2333", "3", "f", "prog: b.c"],
        ["2000", "2000", "1", "g", "b.c"],
    ]


def test_rows_are_copied_with_their_thin_spaces(functions: FunctionList) -> None:
    """Text is copied as displayed, with digits in groups."""
    functions.table.setColumnHidden(FUNCTIONS.PER_CALL, False)
    click_row(functions.table, 1)
    choose_action(row_menu(functions.table, 1), "Copy Row")

    assert shown_cell(functions.table, 1, FUNCTIONS.PER_CALL) == f"2{THIN}333"
    assert clipboard() == f"70.00\t70.00\t3\t2{THIN}333\tf\tprog: b.c"


@pytest.mark.parametrize("text", ["Copy Cell", "Copy Row", "Go to Function"])
def test_menu_outlives_its_profile(
    functions: FunctionList,
    draw: Callable[..., Path],
    open_profile: Callable[..., None],
    text: str,
) -> None:
    """A menu of a row of the old profile does nothing."""
    QGuiApplication.clipboard().setText("before")

    def look(menu: QMenu) -> None:
        open_profile(draw("other 1", "next"))
        process_events()
        if not menu.isVisible():  # closed together with its row
            return
        (action,) = [
            action for action in menu_actions(menu) if without_mnemonic(action.text()) == text
        ]
        action.trigger()

    inspect_menu(row_menu(functions.table, 2), look)

    assert functions.table.current_function() == 0
    assert functions.navigation.context.function == 0
    assert clipboard() == "before"


def test_many_rows_are_copied_in_a_job(opened: Callable[..., FunctionList], qtbot: QtBot) -> None:
    """The window stays usable; the text is that of the rows when the user copied them."""
    many = "\n".join(f"f{number:04} {number + 1}" for number in range(1500))
    view = opened(lambda s: FunctionList(s, QAction()), many)
    view.table.selectAll()
    with qtbot.waitSignal(QGuiApplication.clipboard().dataChanged):
        view.table.copy_rows()
        at_once = clipboard()
        view.search.setText("nothing like it")

    lines = clipboard().splitlines()
    assert at_once == "before"  # as the fixture leaves it
    assert len(lines) == 1500
    assert [line.split("\t")[-2] for line in lines[:2]] == ["f1499", "f1498"]
