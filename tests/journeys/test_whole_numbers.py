"""Numbers and titles are whole in the default layout of a small screen, whatever they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QHeaderView, QTreeView
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.views.tables.bars import number_and_bar
from qcachegrind_py.views.tables.record_table import RecordTable
from tests.seen_cell import SeenCell
from tests.user_input import go_to, ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
# costs and counts as large as those of a compiler, small and negative ones, and recursion
WIDE = "\n".join(
    [
        "events: Ir Dr DLmr",
        "main@/src/main.cpp@/bin/prog 41,7,1 -> parse 1x2940422208,941269815,8151612, tidy 3x2,1,0",
        "parse@/src/parse.cpp 1940422208,441269815,-51612 -> "
        "parse 1604067x2950000000,7,1, lex 252089x1000000000,500000000,8203224",
        "lex@/src/lex.cpp 1000000000,500000000,8203224",
        "tidy 2,1,0",
    ]
)
SMALLER = WIDE.replace("2940422208", "1940422209").replace(" 1940422208", " 940422209")
Draw = Callable[..., Path]
Open = Callable[..., None]


def cut(table: RecordTable) -> list[str]:
    """The numbers and titles of a table that have no room, in any row and shown column."""
    metrics, model, header = table.fontMetrics(), table.model(), table.horizontalHeader()
    found = []
    for column, declared in enumerate(table._columns):
        if table.isColumnHidden(column) or not declared.is_number:
            continue
        cell = table.visualRect(model.index(0, column))
        cell.setWidth(header.sectionSize(column))
        room = number_and_bar(cell, table._beside_bars.get(column, cell.width()))[0].width()
        texts = [str(model.headerData(column, Qt.Orientation.Horizontal))]
        for row in range(model.rowCount()):
            cells = model.index(row, column)
            whole, short = str(cells.data() or ""), SeenCell(cells).short
            texts.append(min(whole, short, key=metrics.horizontalAdvance))
        found += [text for text in texts if metrics.horizontalAdvance(text) > room]
    return found


def tables(window: MainWindow) -> Iterator[tuple[str, RecordTable]]:
    """The lists of the window with their names, each on the screen."""
    for dock_id in (
        "function_list", "callers", "callees", "all_callers", "all_callees", "call_stack",
        "event_list", "part_list", "source",
    ):  # fmt: skip
        if dock_id in window.docks.by_id:
            window.docks.show(dock_id)
            process_events()
            view = window.docks.view(dock_id)
            for table in view.findChildren(RecordTable):
                if table.isVisible():
                    yield f"{dock_id} {table.accessibleName()}", table


@pytest.mark.parametrize("width", [1280, 1366])
@pytest.mark.parametrize("is_compared", [False, True], ids=["alone", "compared"])
@pytest.mark.parametrize("unit", [CostUnit.PERCENT, CostUnit.ABSOLUTE])
def test_no_number_and_no_title_is_cut(
    window: MainWindow,
    draw: Draw,
    open_file: Open,
    qtbot: QtBot,
    unit: CostUnit,
    is_compared: bool,
    width: int,
) -> None:
    """Ten digits, minus signs, changes and counts of both sides, also of a second event."""
    window.resize(width, 720)
    window.docks.reset()  # the layout of a window that had this width from the beginning
    window.show()
    if is_compared:
        base, new = draw(SMALLER, "callgrind.out.1"), draw(WIDE, "callgrind.out.2")
        window.file_commands.open_here([new], base=(base,))
        qtbot.waitUntil(lambda: window.navigation.context.base is not None)
    else:
        open_file(draw(WIDE))
    found, seen = {}, set()
    for function in ("parse", "main"):
        go_to(window.session, window.navigation, function)
        for second in ("", "DLmr"):
            event = window.navigation.context.events.find(second) if second else None
            window.navigation.set(unit=unit, second_event=event)
            process_events()
            for name, table in tables(window):
                seen.add(name)
                if texts := cut(table):
                    found[function, second, name] = texts

    assert len(seen) >= 8
    assert found == {}


def test_file_dialog_shows_whole_sizes_and_dates(
    window: MainWindow, draw: Draw, qtbot: QtBot
) -> None:
    """Its columns are as wide as what is in them."""
    path = draw("main 1")
    path.with_name("callgrind.out.2").write_bytes(bytes(557_000))
    window.show()
    window.file_commands.open_here([path])
    qtbot.waitUntil(lambda: window.session.loaded is not None)
    found = []

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QFileDialog)
        (tree,) = [t for t in dialog.findChildren(QTreeView) if t.objectName() == "treeView"]
        qtbot.waitUntil(lambda: tree.model().rowCount(tree.rootIndex()) > 0)
        header = tree.header()
        fitted = QHeaderView.ResizeMode.ResizeToContents
        found.extend(header.sectionResizeMode(n) is fitted for n in (1, 3))
        assert all(header.sectionSize(n) >= tree.sizeHintForColumn(n) for n in (1, 3))
        dialog.reject()

    QTimer.singleShot(100, look)
    window.actions_["open"].trigger()

    assert found == [True, True]
