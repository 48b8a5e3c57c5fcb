"""Lists and trees saved as CSV and JSON: exact numbers, whole names, whole files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.call_tree_view import CallTreeView
from qcachegrind_py.views.lists.event_list import EventList
from qcachegrind_py.views.lists.function_list import FunctionList
from qcachegrind_py.views.lists.transitive_call_list import CALLEES, TransitiveCallList
from tests.user_input import (
    choose_action,
    context_menu_opener,
    ignore_offscreen_warnings,
    process_events,
    row_menu,
)

LARGE = 2**53 + 1
LONG = "long_" * 200
DRAWING = f"""
    events: Ir Dr
    main@a.c@/bin/prog {LARGE},1 -> =f 3x7000,2, {LONG} 1x2000,0
    =f@b.c@/bin/prog 7000,2
    {LONG}@b.c 2000,0
    """
pytestmark = ignore_offscreen_warnings


class Dialogs:
    """The file dialog that answers with a name, and what messages said."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.name, self.filter = "", "CSV (*.csv)"
        self.starts: list[str] = []
        self.messages: list[str] = []
        monkeypatch.setattr(QFileDialog, "getSaveFileName", self._answer)
        monkeypatch.setattr(QMessageBox, "warning", self._message)

    def _answer(self, _parent: object, _title: str, start: str, filters: str) -> tuple[str, str]:
        self.starts.append(start)
        assert filters == "CSV (*.csv);;JSON (*.json)"
        return self.name, self.filter

    def _message(self, _parent: object, _title: str, text: str) -> None:
        self.messages.append(text)


@pytest.fixture
def dialogs(monkeypatch: pytest.MonkeyPatch) -> Dialogs:
    """Dialogs that answer."""
    return Dialogs(monkeypatch)


@pytest.fixture
def functions(opened: Callable[..., FunctionList], session: Session) -> FunctionList:
    """The list of the drawing."""
    switch = QAction("Regular Expression", session, checkable=True)
    return opened(lambda s: FunctionList(s, switch), DRAWING)


def read_csv(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))


def read_json(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, keys in their order; no number is rounded."""
    rows: list[dict[str, Any]] = json.loads(path.read_bytes().decode("utf-8"))
    return rows


def test_a_list_is_saved_as_csv_and_json(
    functions: FunctionList, dialogs: Dialogs, tmp_path: Path
) -> None:
    """The suffix that is typed decides; numbers are bare and exact, and names are whole.

    Only CSV has an apostrophe before what a spreadsheet would take for a formula.
    """
    for name in ("list.csv", "list.json"):
        dialogs.name = str(tmp_path / name)
        choose_action(row_menu(functions.table, 0), "Save Table…")

    titles = ["Incl.", "Self", "Called", "Function", "Location"]
    rows: list[list[int | str]] = [
        [LARGE + 9000, LARGE, 0, "main", "prog: a.c"],
        [7000, 7000, 3, "=f", "prog: b.c"],
        [2000, 2000, 1, LONG, "b.c"],
    ]
    assert read_json(tmp_path / "list.json") == [dict(zip(titles, r, strict=True)) for r in rows]
    rows[1][3] = "'=f"
    assert read_csv(tmp_path / "list.csv") == [titles, *([*map(str, row)] for row in rows)]
    assert (tmp_path / "list.csv").read_bytes().count(b"\r\n") == 4
    assert dialogs.starts == ["Functions", str(tmp_path / "Functions")]
    assert dialogs.messages == []


def test_a_filter_of_the_dialog_gives_the_suffix(
    functions: FunctionList, dialogs: Dialogs, tmp_path: Path
) -> None:
    """What is searched for is saved, and a name without suffix gets that of the kind."""
    dialogs.name, dialogs.filter = str(tmp_path / "list"), "JSON (*.json)"
    functions.search.setText("main")
    process_events()
    choose_action(row_menu(functions.table, 0), "Save Table…")

    assert [row["Function"] for row in read_json(tmp_path / "list.json")] == ["main"]


def test_what_is_no_number_is_null(
    opened: Callable[..., TransitiveCallList], dialogs: Dialogs, tmp_path: Path
) -> None:
    """Estimates are bare numbers, told from others by a column; a ratio of nothing is no number."""
    drawing = "main 10 -> a 1x60\nother 0 -> a 1x20\na 20 -> c 4x60\nc 60"
    view = opened(lambda s: TransitiveCallList(s, CALLEES), drawing)
    dialogs.name = str(tmp_path / "callees.json")
    choose_action(row_menu(view.table, 0), "Save Table…")

    assert read_json(tmp_path / "callees.json") == [
        {
            "Incl.": 60, "Self": 15, "Distance": 1, "Count": 1, "Callee": "a",
            "Location": "???", "Proven": "cost only",
        },
        {
            "Incl.": 45, "Self": 45, "Distance": 2, "Count": 3, "Callee": "c",
            "Location": "???", "Proven": "no",
        },
    ]  # fmt: skip


def test_the_open_branches_of_the_tree_are_saved(
    opened: Callable[..., CallTreeView], dialogs: Dialogs, tmp_path: Path
) -> None:
    """A row a node that is open, with its level; estimates are rounded, and said to be some."""
    drawing = "main 10 -> a 2x60, b 1x30\na 20 -> c 4x40\nb 10 -> c 1x20\nc 60"
    view = opened(CallTreeView, drawing)
    view.tree.setCurrentIndex(view.model.index(0, 0))
    choose_action(context_menu_opener(view.tree), "Open Costliest Branch")
    for name in ("tree.json", "tree.csv"):
        dialogs.name = str(tmp_path / name)
        choose_action(context_menu_opener(view.tree), "Save Table…")

    titles = ["Level", "Cost", "Count", "Function", "Location", "Proven"]
    rows = [
        [0, 100, None, "main", "???", "yes"],
        [1, 60, 2, "a", "???", "yes"],
        [2, 40, 4, "c", "???", "yes"],
        [1, 30, 1, "b", "???", "yes"],
    ]
    assert read_json(tmp_path / "tree.json") == [dict(zip(titles, r, strict=True)) for r in rows]
    assert read_csv(tmp_path / "tree.csv")[1] == ["0", "100", "", "main", "???", "yes"]


def test_why_a_table_is_not_saved(
    functions: FunctionList, dialogs: Dialogs, tmp_path: Path
) -> None:
    """A folder that is not there is said, with what to do; a dialog that is cancelled is silent."""
    choose_action(row_menu(functions.table, 0), "Save Table…")
    dialogs.name = str(tmp_path / "no <b>" / "a.csv")
    choose_action(row_menu(functions.table, 0), "Save Table…")

    assert dialogs.messages == [
        f"<qt>{tmp_path}/no &lt;b&gt;/a.csv: cannot be written: No such file or directory. "
        "Choose a folder that is there.</qt>"
    ]


def test_every_column_has_a_name_of_its_own(
    opened: Callable[..., EventList], dialogs: Dialogs, tmp_path: Path, qtbot: QtBot
) -> None:
    """Objects have a value for each column that is seen."""
    view = opened(EventList, DRAWING)
    dialogs.name = str(tmp_path / "events.json")
    choose_action(row_menu(view.table, 0), "Save Table…")
    first = read_json(tmp_path / "events.json")[0]

    header = view.table.horizontalHeader()
    assert len(first) == header.count() - header.hiddenSectionCount()
