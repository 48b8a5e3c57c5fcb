"""Saving lists and trees as CSV and JSON: exact numbers, full names, complete files."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.call_lists import (
    CallList,
    CallStackList,
    Direction,
    TransitiveCallList,
)
from qcachegrind_py.views.lists.call_tree_view import CallTreeView
from qcachegrind_py.views.lists.event_list import EventList
from qcachegrind_py.views.lists.function_list import FunctionList
from qcachegrind_py.views.tables.table_actions import (
    SAVE_SLOT,
    table_as_csv,
    table_export,
    write_table,
)
from qcachegrind_py.write.separated import ExportTable
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
Save = Callable[[Callable[[], object]], None]
pytestmark = ignore_offscreen_warnings


class Dialogs:
    """A file dialog stub that answers with a name, and the messages shown."""

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
def save(session: Session, qtbot: QtBot) -> Save:
    """Choose “Save Table” in a menu, and wait until the job has ended."""

    def save(open_menu: Callable[[], object]) -> None:
        choose_action(open_menu, "Save Table…")
        qtbot.waitUntil(lambda: not session.jobs.is_running(SAVE_SLOT))

    return save


@pytest.fixture
def functions(opened: Callable[..., FunctionList], session: Session) -> FunctionList:
    """The list of the test profile."""
    switch = QAction("Regular Expression", session, checkable=True)
    return opened(lambda s: FunctionList(s, switch), DRAWING)


def read_csv(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))


def read_json(path: Path) -> list[dict[str, Any]]:
    """The rows of a file with keys in order; numbers are not rounded."""
    rows: list[dict[str, Any]] = json.loads(path.read_bytes().decode("utf-8"))
    return rows


def test_a_list_is_saved_as_csv_and_json(
    functions: FunctionList, dialogs: Dialogs, save: Save, tmp_path: Path
) -> None:
    """The typed suffix decides; numbers are plain and exact, and names complete.

    Only CSV has an apostrophe before text that a spreadsheet takes for a formula.
    """
    for name in ("list.csv", "list.json"):
        dialogs.name = str(tmp_path / name)
        save(row_menu(functions.table, 0))

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
    functions: FunctionList, dialogs: Dialogs, save: Save, tmp_path: Path
) -> None:
    """The matches of the search are saved; a name without suffix gets the filter's."""
    dialogs.name, dialogs.filter = str(tmp_path / "list"), "JSON (*.json)"
    functions.search.setText("main")
    process_events()
    save(row_menu(functions.table, 0))

    assert [row["Function"] for row in read_json(tmp_path / "list.json")] == ["main"]


def test_undefined_ratio_is_null(
    opened: Callable[..., TransitiveCallList], dialogs: Dialogs, save: Save, tmp_path: Path
) -> None:
    """Estimates are plain numbers with a column that marks them; an undefined ratio is null."""
    drawing = "main 10 -> a 1x60\nother 0 -> a 1x20\na 20 -> c 4x60\nc 60"
    view = opened(lambda s: TransitiveCallList(s, Direction.CALLEES), drawing)
    dialogs.name = str(tmp_path / "callees.json")
    save(row_menu(view.table, 0))

    assert read_json(tmp_path / "callees.json") == [
        {
            "Incl.": 60, "Self": 15, "Distance": 1, "Called": 1, "Callee": "a",
            "Location": "???", "Proven": "cost only",
        },
        {
            "Incl.": 45, "Self": 45, "Distance": 2, "Called": 3, "Callee": "c",
            "Location": "???", "Proven": "no",
        },
    ]  # fmt: skip


def test_the_open_branches_of_the_tree_are_saved(
    opened: Callable[..., CallTreeView], dialogs: Dialogs, save: Save, tmp_path: Path
) -> None:
    """Each visible node is a row with its level; estimates are rounded and marked."""
    drawing = "main 10 -> a 2x60, b 1x30\na 20 -> c 4x40\nb 10 -> c 1x20\nc 60"
    view = opened(CallTreeView, drawing)
    view.tree.setCurrentIndex(view.model.index(0, 0))
    choose_action(context_menu_opener(view.tree), "Expand Costliest Branch")
    for name in ("tree.json", "tree.csv"):
        dialogs.name = str(tmp_path / name)
        save(context_menu_opener(view.tree))

    titles = ["Level", "Incl.", "Self", "Calls", "Function", "Location", "Proven"]
    rows = [
        [0, 100, 10, None, "main", "???", "yes"],
        [1, 60, 20, 2, "a", "???", "yes"],
        [2, 40, 40, 4, "c", "???", "cost only"],  # of 60, so that its self cost is shared
        [1, 30, 10, 1, "b", "???", "yes"],
    ]
    assert read_json(tmp_path / "tree.json") == [dict(zip(titles, r, strict=True)) for r in rows]
    assert read_csv(tmp_path / "tree.csv")[1] == ["0", "100", "10", "", "main", "???", "yes"]


def test_why_a_table_is_not_saved(
    functions: FunctionList, dialogs: Dialogs, save: Save, tmp_path: Path
) -> None:
    """A missing folder is reported with a remedy; a cancelled dialog is silent."""
    save(row_menu(functions.table, 0))
    dialogs.name = str(tmp_path / "no <b>" / "a.csv")
    save(row_menu(functions.table, 0))

    assert dialogs.messages == [
        f"<qt>{tmp_path}/no &lt;b&gt;/a.csv cannot be written: No such file or directory. "
        "Choose an existing folder.</qt>"
    ]


def test_column_names_are_unique(
    opened: Callable[..., EventList], dialogs: Dialogs, save: Save, tmp_path: Path
) -> None:
    """JSON objects have a value for each visible column."""
    view = opened(EventList, DRAWING)
    dialogs.name = str(tmp_path / "events.json")
    save(row_menu(view.table, 0))
    first = read_json(tmp_path / "events.json")[0]

    header = view.table.horizontalHeader()
    assert len(first) == header.count() - header.hiddenSectionCount()


@pytest.mark.parametrize(
    "create",
    [
        lambda s: FunctionList(s, QAction("Regular Expression", s, checkable=True)),
        lambda s: CallList(s, Direction.CALLEES),
        lambda s: TransitiveCallList(s, Direction.CALLEES),
        lambda s: CallStackList(s),
        lambda s: EventList(s),
    ],
)
def test_the_saved_table_is_the_one_on_the_screen_at_that_time(
    create: Callable[[Session], Any],
    opened: Callable[..., Any],
    open_profile: Callable[..., None],
    draw: Callable[..., Path],
    qtbot: QtBot,
) -> None:
    """The job reads a snapshot: a profile opened meanwhile does not change what is saved."""
    view = opened(create, "main 10 -> a 1x60\na 20 -> c 4x40\nc 40")
    qtbot.waitUntil(lambda: view.table.model().rowCount() > 0)
    before, export = table_as_csv(view.table), table_export(view.table)
    open_profile(draw("other 1 -> x 1x2\nx 2"))
    process_events()

    assert before.count("\n") > 1
    assert export(NoProgress()).to_csv("\n") == before != table_as_csv(view.table)


class CancelledAfter:
    """Progress that is cancelled at one of its checks, and remembers the fractions."""

    def __init__(self, checks: int) -> None:
        self.fractions: list[float] = []
        self._checks = checks

    def check(self, fraction: float, _text: str = "") -> None:
        self.fractions.append(fraction)
        if len(self.fractions) == self._checks:
            raise Cancelled


@pytest.mark.parametrize("kind", ["CSV", "JSON"])
def test_cancelled_saving_leaves_the_file_as_it_was(kind: str, tmp_path: Path) -> None:
    """Progress is reported for every 5,000 rows, and each report may cancel."""
    path, rows = tmp_path / "list", [(number, "f") for number in range(20_001)]
    path.write_text("before")
    table = ExportTable(("Cost", "Function"), rows)
    with pytest.raises(Cancelled):
        write_table(CancelledAfter(4), path, kind, lambda _progress: table)
    cancelled = path.read_text(), len(list(tmp_path.iterdir()))
    whole = CancelledAfter(0)
    write_table(whole, path, kind, lambda _progress: table)

    assert cancelled == ("before", 1)
    assert whole.fractions == pytest.approx([0.5 + n * 5000 / 20_001 / 2 for n in range(5)])
    read = read_csv(path)[1:] if kind == "CSV" else [[*r.values()] for r in read_json(path)]
    assert [(int(cost), name) for cost, name in read] == rows


def test_tables_are_saved_one_after_the_other(
    functions: FunctionList, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second job would cancel the first, so a message says that one is being saved."""
    said: list[str] = []
    monkeypatch.setattr(QMessageBox, "information", lambda _parent, _title, text: said.append(text))
    goes_on = threading.Event()
    session.jobs.start(SAVE_SLOT, lambda _progress: goes_on.wait(20))
    choose_action(row_menu(functions.table, 0), "Save Table…")
    goes_on.set()

    assert said == ["Another table is still being saved."]
    assert session.jobs.is_running(SAVE_SLOT)
