"""Copying and saving lists and trees: as they are seen, or with exact numbers and full names."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.call_lists import TransitiveCallList
from qcachegrind_py.views.lists.call_tree import CallTreeView
from qcachegrind_py.views.lists.event_list import EventList
from qcachegrind_py.views.profile_view import ProfileView
from qcachegrind_py.views.tables.table_actions import (
    SAVE_SLOT,
    table_as_csv,
    table_export,
    text_export,
    write_table,
)
from qcachegrind_py.write.separated import ExportTable
from tests.columns import FUNCTIONS
from tests.profile_text import THIN
from tests.user_input import (
    CTRL,
    choose_action,
    click_row,
    context_menu_opener,
    enabled_texts,
    ignore_offscreen_warnings,
    inspect_menu,
    menu_actions,
    process_events,
    row_menu,
    without_mnemonic,
)
from tests.views.tables.all_lists import LISTS, Make, Show, every_list, functions

LARGE = 2**53 + 1
LONG = "long_" * 200
DRAWING = """
    main@a.c@/bin/prog 1000 -> f 3x7000, g 1x2000
    f@b.c@/bin/prog 7000
    g@b.c 2000
    """
EXACT = f"""
    events: Ir Dr
    main@a.c@/bin/prog {LARGE},1 -> =f 3x7000,2, {LONG} 1x2000,0
    =f@b.c@/bin/prog 7000,2
    {LONG}@b.c 2000,0
    """
ESTIMATED = "main 10 -> a 1x60\nother 0 -> a 1x20\na 20 -> c 4x60\nc 60"
pytestmark = ignore_offscreen_warnings


def clipboard() -> str:
    """The text on the clipboard."""
    return QGuiApplication.clipboard().text()


def copied(view: ProfileView, action: str, row: int = 0) -> str:
    """What an action of a row's menu copies."""
    choose_action(row_menu(view.table, row), action)  # type: ignore[attr-defined]
    return clipboard()


def copied_csv(view: ProfileView) -> list[list[str]]:
    """The rows of a list that was copied as CSV."""
    return list(csv.reader(io.StringIO(copied(view, "Copy Table as CSV"))))


# ---------------------------------------------------------------- copying


@every_list
def test_every_list_is_copied_as_it_is_seen(opened: Show, make: Make) -> None:
    """A cell, the selected rows, and the table with its titles."""
    view = opened(make, DRAWING if make is not EventList else EXACT)
    table, model = view.table, view.model
    shown = [n for n in range(model.columnCount()) if not table.isColumnHidden(n)]
    rows = [
        "\t".join(str(model.index(row, n).data()) for n in shown) for row in range(model.rowCount())
    ]
    titles = "\t".join(model.columns[n].heading for n in shown)
    table.clearSelection()
    table.selectRow(1)
    one = inspect_menu(row_menu(table, 1), enabled_texts)
    table.selectAll()
    several = inspect_menu(row_menu(table, 0), enabled_texts)
    QTest.keyClick(table, Qt.Key.Key_C, CTRL)

    whole = ["Copy Table as Text", "Copy Table as CSV", "Save Table…"]
    assert [texts[texts.index("Copy Cell") :] for texts in (one, several)] == [
        ["Copy Cell", "Copy Row", *whole],
        ["Copy Cell", "Copy Rows", *whole],
    ]
    assert clipboard() == copied(view, "Copy Rows") == "\n".join(rows)
    assert copied(view, "Copy Cell", 1) == str(model.index(1, shown[0]).data())
    assert copied(view, "Copy Table as Text") == "\n".join([titles, *rows, ""])
    assert copied_csv(view)[0] == [model.columns[n].written_title for n in shown] + (
        ["Proven"] if isinstance(view, TransitiveCallList) else []
    )


def test_what_is_copied_of_functions(opened: Show) -> None:
    """Text has what is displayed; CSV exact counts. Moved and hidden columns are as arranged.

    Rows are copied from the top, whatever was clicked first.
    """
    view = opened(functions, DRAWING)
    click_row(view.table, 2)
    click_row(view.table, 1, CTRL)
    assert copied(view, "Copy Rows") == "20.00\t20.00\t1\tg\tb.c\n100.00\t10.00\t0\tmain\tprog: a.c"
    view.table.setColumnHidden(FUNCTIONS.PER_CALL, False)
    click_row(view.table, 0)
    assert copied(view, "Copy Row", 0) == f"70.00\t70.00\t3\t2{THIN}333\tf\tprog: b.c"
    view.table.setColumnHidden(FUNCTIONS.PER_CALL, True)
    assert copied(view, "Copy Table as Text").startswith("Incl. %\tSelf %\tCalled\tFunction\t")
    assert copied_csv(view) == [
        ["Incl.", "Self", "Called", "Function", "Location"],
        ["7000", "7000", "3", "f", "prog: b.c"],
        ["2000", "2000", "1", "g", "b.c"],
        ["10000", "1000", "0", "main", "prog: a.c"],
    ]
    view.table.setColumnHidden(FUNCTIONS.CALLED, True)
    header = view.table.horizontalHeader()
    header.moveSection(header.visualIndex(FUNCTIONS.NAME), 0)
    view.search.setText("f")
    assert copied_csv(view) == [
        ["Function", "Incl.", "Self", "Location"],
        ["f", "7000", "7000", "prog: b.c"],
    ]


def test_csv_says_which_numbers_are_estimates(opened: Show) -> None:
    """CSV numbers have no marks, so the column of estimates is copied though hidden."""
    view = opened(LISTS["all callees"], ESTIMATED)

    assert copied_csv(view) == [
        ["Incl.", "Self", "Distance", "Calls", "Callee", "Location", "Proven"],
        ["60", "15", "1", "1", "a", "???", "cost only"],
        ["45", "45", "2", "3", "c", "???", "no"],
    ]
    assert "Proven" not in text_export(view.table)(NoProgress())


def test_hostile_names_survive_csv(
    opened: Show, open_profile: Callable[..., None], tmp_path: Path
) -> None:
    """Commas, quotes and markup in names are preserved; a name cannot end a row.

    Nor is it a spreadsheet formula: an apostrophe makes it text. Names are complete.
    """
    view = opened(functions, DRAWING)
    names = ['a,b"c"', "<b>x</b>", "'; tab\\there", LONG]
    formulas = ["=1+1", "-[NSObject init]", "+1", "@x"]
    body = "".join(f"fn={name}\n1 {cost}\n" for cost, name in enumerate(names + formulas, 1))
    path = tmp_path / "hostile"
    path.write_text(f"events: Ir\nfl=a.c\n{body}")
    open_profile(path)
    process_events()
    title, *rows = copied_csv(view)

    place = title.index("Function")
    written = [*names, *(f"'{name}" for name in formulas)]
    assert sorted(row[place] for row in rows) == sorted(written)
    assert {len(row) for row in rows} == {len(title)}


@pytest.mark.parametrize("text", ["Copy Cell", "Copy Row", "Go to Function"])
def test_menu_outlives_its_profile(
    opened: Show, draw: Callable[..., Path], open_profile: Callable[..., None], text: str
) -> None:
    """A menu of a row of the old profile does nothing."""
    view = opened(functions, DRAWING)
    QGuiApplication.clipboard().setText("before")

    def look(menu: QMenu) -> None:
        open_profile(draw("other 1", "next"))
        process_events()
        if menu.isVisible():  # or else it was closed together with its row
            texts = {without_mnemonic(action.text()): action for action in menu_actions(menu)}
            texts[text].trigger()

    inspect_menu(row_menu(view.table, 2), look)

    assert view.table.current_function() == view.navigation.context.function == 0
    assert clipboard() == "before"


def test_many_rows_are_copied_in_a_job(opened: Show, qtbot: QtBot) -> None:
    """The window stays usable; the text is that of the rows when the user copied them."""
    view = opened(functions, "\n".join(f"f{number:04} {number + 1}" for number in range(1500)))
    view.table.selectAll()
    with qtbot.waitSignal(QGuiApplication.clipboard().dataChanged):
        view.table.copy_rows()
        at_once = clipboard()
        view.search.setText("nothing like it")

    lines = clipboard().splitlines()
    assert at_once == "before"  # as the fixture leaves it
    assert len(lines) == 1500
    assert [line.split("\t")[-2] for line in lines[:2]] == ["f1499", "f1498"]


# ---------------------------------------------------------------- saving


class Dialogs:
    """A file dialog that answers with a name, and the messages shown."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.name, self.filter = "", "CSV (*.csv)"
        self.starts: list[str] = []
        self.messages: list[str] = []
        for kind in ("warning", "information"):
            monkeypatch.setattr(QMessageBox, kind, lambda *said: self.messages.append(said[2]))
        monkeypatch.setattr(QFileDialog, "getSaveFileName", self._answer)

    def _answer(self, _parent: object, _title: str, start: str, filters: str) -> tuple[str, str]:
        self.starts.append(start)
        assert filters == "CSV (*.csv);;JSON (*.json)"
        return self.name, self.filter


Save = Callable[[Callable[[], object], str], Path]


@pytest.fixture
def dialogs(monkeypatch: pytest.MonkeyPatch) -> Dialogs:
    """Dialogs that answer."""
    return Dialogs(monkeypatch)


@pytest.fixture
def save(session: Session, dialogs: Dialogs, tmp_path: Path, qtbot: QtBot) -> Save:
    """Choose “Save Table” in a menu, answer with a name, and wait until the job has ended."""

    def save(open_menu: Callable[[], object], name: str) -> Path:
        dialogs.name = str(tmp_path / name) if name else ""
        choose_action(open_menu, "Save Table…")
        qtbot.waitUntil(lambda: not session.jobs.is_running(SAVE_SLOT))
        return tmp_path / name

    return save


def read_csv(path: Path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))


def read_json(path: Path) -> list[dict[str, Any]]:
    """The rows of a file with keys in order; numbers are not rounded."""
    rows: list[dict[str, Any]] = json.loads(path.read_bytes().decode("utf-8"))
    return rows


def as_objects(titles: list[str], rows: list[list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(titles, row, strict=True)) for row in rows]


def test_a_list_is_saved_as_csv_and_json(opened: Show, dialogs: Dialogs, save: Save) -> None:
    """The typed suffix decides, or else the dialog's; numbers are plain and exact, names complete.

    Only CSV has an apostrophe before text that a spreadsheet takes for a formula.
    """
    view = opened(functions, EXACT)
    as_csv, as_json = (save(row_menu(view.table, 0), f"list.{kind}") for kind in ("csv", "json"))

    titles = ["Incl.", "Self", "Called", "Function", "Location"]
    rows: list[list[int | str]] = [
        [LARGE + 9000, LARGE, 0, "main", "prog: a.c"],
        [7000, 7000, 3, "=f", "prog: b.c"],
        [2000, 2000, 1, LONG, "b.c"],
    ]
    assert read_json(as_json) == as_objects(titles, rows)
    rows[1][3] = "'=f"
    assert read_csv(as_csv) == [titles, *([*map(str, row)] for row in rows)]
    assert as_csv.read_bytes().count(b"\r\n") == 4
    assert dialogs.starts == ["Functions", str(as_csv.with_name("Functions"))]
    dialogs.filter = "JSON (*.json)"
    view.search.setText("main")
    process_events()
    without_suffix = save(row_menu(view.table, 0), "other")
    assert read_json(without_suffix.with_suffix(".json")) == as_objects(titles, rows[:1])
    assert dialogs.messages == []


def test_the_open_branches_of_the_tree_are_saved(opened: Show, save: Save) -> None:
    """Each visible node is a row with its level; estimates are rounded and marked."""
    drawing = "main 10 -> a 2x60, b 1x30\na 20 -> c 4x40\nb 10 -> c 1x20\nc 60"
    view = opened(CallTreeView, drawing)
    view.tree.setCurrentIndex(view.model.index(0, 0))
    choose_action(context_menu_opener(view.tree), "Expand Costliest Branch")
    as_json, as_csv = (
        save(context_menu_opener(view.tree), name) for name in ("tree.json", "tree.csv")
    )

    titles = ["Level", "Incl.", "Self", "Calls", "Function", "Location", "Proven"]
    assert read_json(as_json) == as_objects(
        titles,
        [
            [0, 100, 10, None, "main", "???", "yes"],
            [1, 60, 20, 2, "a", "???", "yes"],
            [2, 40, 40, 4, "c", "???", "cost only"],  # of 60, so that its self cost is shared
            [1, 30, 10, 1, "b", "???", "yes"],
        ],
    )
    assert read_csv(as_csv)[:2] == [titles, ["0", "100", "10", "", "main", "???", "yes"]]


def test_why_a_table_is_not_saved(
    opened: Show, session: Session, dialogs: Dialogs, save: Save, tmp_path: Path
) -> None:
    """A missing folder has a remedy, tables are saved one by one; a cancelled dialog is silent."""
    view = opened(functions, DRAWING)
    save(row_menu(view.table, 0), "")
    save(row_menu(view.table, 0), "no <b>/a.csv")
    goes_on = threading.Event()
    session.jobs.start(SAVE_SLOT, lambda _progress: goes_on.wait(20))
    choose_action(row_menu(view.table, 0), "Save Table…")
    is_going_on = session.jobs.is_running(SAVE_SLOT)
    goes_on.set()

    assert is_going_on
    assert dialogs.messages == [
        f"<qt>{tmp_path}/no &lt;b&gt;/a.csv cannot be written: No such file or directory. "
        "Choose an existing folder.</qt>",
        "Another table is still being saved.",
    ]


@every_list
def test_the_saved_table_is_the_one_on_the_screen_at_that_time(
    make: Make, opened: Show, open_profile: Callable[..., None], draw: Callable[..., Path]
) -> None:
    """The job reads a snapshot: a profile opened meanwhile does not change what is saved.

    Each row has a value for each column.
    """
    view = opened(make, "main 10 -> a 1x60\na 20 -> c 4x40\nc 40")
    before, export = table_as_csv(view.table), table_export(view.table)
    open_profile(draw("other 1 -> x 1x2\nx 2"))
    process_events()
    table = export(NoProgress())

    assert before.count("\n") > 1
    assert table.to_csv("\n") == before != table_as_csv(view.table)
    assert len(set(table.titles)) == len(table.titles) == len(table.rows[0])


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
