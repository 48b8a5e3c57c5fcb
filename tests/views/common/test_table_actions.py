"""What is copied from lists: a cell, rows, a table as text and as CSV."""

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

from qcachegrind_py.models.functions import FunctionModel
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.table_actions import table_as_text
from qcachegrind_py.views.lists.call_list import CallList, Direction
from qcachegrind_py.views.lists.function_list import FunctionList
from qcachegrind_py.views.lists.transitive_call_list import CALLEES, TransitiveCallList
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
    """The list of the drawing."""
    switch = QAction("Regular Expression", session, checkable=True)
    return opened(lambda s: FunctionList(s, switch), DRAWING)


def clipboard() -> str:
    """What was copied."""
    return QGuiApplication.clipboard().text()


def shown_cell(table: QTableView, row: int, column: int) -> str:
    """The text that is seen in a cell."""
    return str(table.model().index(row, column).data())


def test_menu_offers_all_ways_to_copy(functions: FunctionList) -> None:
    """Cell, row and table are offered in the menu of every row; several rows by their name."""
    click_row(functions.table, 1)
    one = inspect_menu(row_menu(functions.table, 1), enabled_texts)[-5:]
    click_row(functions.table, 2, CTRL)
    several = inspect_menu(row_menu(functions.table, 2), enabled_texts)[-5:]

    table = ["Copy Table as Text", "Copy Table as CSV", "Save Table…"]
    assert (one, several) == (["Copy Cell", "Copy Row", *table], ["Copy Cell", "Copy Rows", *table])


def test_cell_is_copied_as_it_is_seen(functions: FunctionList) -> None:
    """Copy Cell copies the cell under the mouse."""
    choose_action(row_menu(functions.table, 1), "Copy Cell")

    assert clipboard() == "70.00"


def test_rows_are_copied_from_the_top(functions: FunctionList, qtbot: QtBot) -> None:
    """The rows that are selected are copied in their order, in whatever order they were clicked."""
    click_row(functions.table, 2)
    click_row(functions.table, 0, CTRL)
    qtbot.keyClick(functions.table, KEY_C, CTRL)
    by_key = clipboard()
    choose_action(row_menu(functions.table, 0), "Copy Rows")

    assert by_key == "100.00\t10.00\t0\tmain\tprog: a.c\n20.00\t20.00\t1\tg\tb.c"
    assert clipboard() == by_key


def test_table_is_copied_as_text_with_titles(functions: FunctionList) -> None:
    """Copy Table as Text has the titles and all rows as they are seen, sorted as they are."""
    choose_action(row_menu(functions.table, 0), "Copy Table as Text")

    assert clipboard() == (
        "Incl. %\tSelf %\tCalled\tFunction\tLocation\n"
        "100.00\t10.00\t0\tmain\tprog: a.c\n"
        "70.00\t70.00\t3\tf\tprog: b.c\n"
        "20.00\t20.00\t1\tg\tb.c\n"
    )


def test_table_is_copied_as_csv_with_whole_numbers(functions: FunctionList) -> None:
    """Copy Table as CSV has counts that other programs can add up, whatever is seen."""
    choose_action(row_menu(functions.table, 0), "Copy Table as CSV")

    assert list(csv.reader(io.StringIO(clipboard()))) == [
        ["Incl.", "Self", "Called", "Function", "Location"],
        ["10000", "1000", "0", "main", "prog: a.c"],
        ["7000", "7000", "3", "f", "prog: b.c"],
        ["2000", "2000", "1", "g", "b.c"],
    ]


def test_columns_are_copied_as_they_are_arranged(functions: FunctionList) -> None:
    """A column that is hidden is not copied, and one that was moved is copied in its place."""
    functions.table.setColumnHidden(FunctionModel.CALLED, True)
    header = functions.table.horizontalHeader()
    header.moveSection(header.visualIndex(FunctionModel.NAME), 0)
    choose_action(row_menu(functions.table, 0), "Copy Table as CSV")

    assert next(csv.reader(io.StringIO(clipboard()))) == ["Function", "Incl.", "Self", "Location"]


def test_csv_says_which_numbers_are_estimates(opened: Callable[..., TransitiveCallList]) -> None:
    """Numbers have no marks there, so the column that tells them apart is copied though hidden."""
    drawing = "main 10 -> a 1x60\nother 0 -> a 1x20\na 20 -> c 4x60\nc 60"
    view = opened(lambda s: TransitiveCallList(s, CALLEES), drawing)
    choose_action(row_menu(view.table, 0), "Copy Table as CSV")

    assert list(csv.reader(io.StringIO(clipboard()))) == [
        ["Incl.", "Self", "Distance", "Count", "Callee", "Location", "Proven"],
        ["60", "15", "1", "1", "a", "???", "cost only"],
        ["45", "45", "2", "3", "c", "???", "no"],
    ]
    assert "Proven" not in table_as_text(view.table)


def test_filtered_table_is_copied_as_it_is_seen(functions: FunctionList) -> None:
    """What the search hides is not copied."""
    functions.search.setText("f")
    choose_action(row_menu(functions.table, 0), "Copy Table as CSV")

    assert [row[3] for row in csv.reader(io.StringIO(clipboard()))] == ["Function", "f"]


def test_hostile_names_survive_csv(
    functions: FunctionList, open_profile: Callable[..., None], tmp_path: Path
) -> None:
    """Commas, quotes and markup in names are read back as they are; a name cannot end a row.

    Nor is one a formula of a spreadsheet: an apostrophe makes it a text there.
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
    """A name that is cut in the list is whole for other programs."""
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
    """Counts above 2^53 keep their last digit."""
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
        ["Cost", "Per call", "Count", "Callee", "Location"],
        ["7000", "2333", "3", "f", "prog: b.c"],
        ["2000", "2000", "1", "g", "b.c"],
    ]


def test_rows_are_copied_with_their_thin_spaces(functions: FunctionList) -> None:
    """What is copied as text is what is seen, digits in groups included."""
    functions.table.setColumnHidden(FunctionModel.PER_CALL, False)
    click_row(functions.table, 1)
    choose_action(row_menu(functions.table, 1), "Copy Row")

    assert shown_cell(functions.table, 1, FunctionModel.PER_CALL) == f"2{THIN}333"
    assert clipboard() == f"70.00\t70.00\t3\t2{THIN}333\tf\tprog: b.c"


@pytest.mark.parametrize("text", ["Copy Cell", "Copy Row", "Go to Function"])
def test_menu_that_is_open_while_another_profile_comes_does_no_harm(
    functions: FunctionList,
    draw: Callable[..., Path],
    open_profile: Callable[..., None],
    text: str,
) -> None:
    """A menu of a row that is no more does nothing: the row is gone with the old profile."""
    QGuiApplication.clipboard().setText("before")

    def look(menu: QMenu) -> None:
        open_profile(draw("other 1", "next"))
        process_events()
        if not menu.isVisible():  # closed with its row: then nothing can be chosen
            return
        (action,) = [
            action for action in menu_actions(menu) if without_mnemonic(action.text()) == text
        ]
        action.trigger()

    inspect_menu(row_menu(functions.table, 2), look)

    assert functions.table.current_function() == 0
    assert functions.navigation.context.function == 0
    assert clipboard() == "before"
