"""Journeys through profiles with parts, running calls and counters that overflowed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from tests.columns import FUNCTIONS
from tests.profile_rows import DATA
from tests.profile_text import THIN
from tests.user_input import click_row, go_to, process_events, settle

OpenFile = Callable[..., None]


def test_impossible_percentages_are_flagged_and_explained(
    window: MainWindow, open_file: OpenFile, tmp_path: Path
) -> None:
    """A counter that overflowed gives no number of many digits, but >100 and its cause."""
    path = tmp_path / "callgrind.out.9"
    overflowed = 2**62
    path.write_text(
        "events: Ir\nfn=main\n1 10\ncfn=fib\n"
        f"calls=3 1\n1 {overflowed}\nfn=fib\n1 90\ncfn=fib\ncalls=2 1\n1 {overflowed}\n"
    )
    open_file(path)
    model = window.views.function_list.model
    index = model.index_of_function(1)
    cell = index.siblingAtColumn(FUNCTIONS.INCLUSIVE)
    tip = cell.data(Qt.ItemDataRole.ToolTipRole)

    assert cell.data() == ">100.00"
    assert f"{overflowed:,}".replace(",", THIN) in tip
    assert "more than these calls can cost; a counter overflowed" in tip
    go_to(window.session, window.navigation, "fib")
    process_events()
    assert "a counter overflowed" in window.panels.first.header.costs.labels[0][1].toolTip()


def test_excess_of_recursion_is_told_from_that_of_counters(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot
) -> None:
    """With cycles off, a member of a cycle may cost more than all; the tip says it is that."""
    path = tmp_path / "callgrind.out.9"
    path.write_text(
        "events: Ir\nfn=main\n1 10\ncfn=a\ncalls=1 1\n1 90\n"
        "fn=a\n1 45\ncfn=b\ncalls=5 1\n1 80\nfn=b\n1 45\ncfn=a\ncalls=4 1\n1 70\n"
    )
    open_file(path)
    model = window.views.function_list.model

    def cell() -> QModelIndex:
        return model.index_of_function(1).siblingAtColumn(FUNCTIONS.INCLUSIVE)

    control_shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_C, control_shift)  # Detect Cycles
    qtbot.waitUntil(lambda: cell().data() == ">100.00")

    tip = cell().data(Qt.ItemDataRole.ToolTipRole)
    assert "calls within calls are counted again, as cycles are not detected" in tip
    assert "overflowed" not in tip


def test_a_thread_shows_what_costs_there(
    window: MainWindow, open_file: OpenFile, qtbot: QtBot
) -> None:
    """main costs nothing in a worker thread, and yet the list shows what is hot in that."""
    window.resize(1366, 600)
    window.show()
    window.docks.reset()
    open_file(DATA / "threads-combined-bb" / "callgrind.out.22283.xz")
    window.docks.show("part_list")
    go_to(window.session, window.navigation, "main")
    process_events()
    functions, parts = window.views.function_list, window.views.part_list
    click_row(parts.table, 2)
    qtbot.waitUntil(lambda: window.navigation.context.scope.parts == {2})
    process_events()

    names = functions.model.place("name")
    top = functions.table.indexAt(QPoint(1, 1))
    assert top.row() == 0
    assert {str(functions.model.index(row, names).data()) for row in range(4)} >= {"work_even"}
    assert functions.table.current_function() == window.navigation.context.function


def test_parts_give_back_the_room_that_they_took(
    window: MainWindow, open_file: OpenFile, qtbot: QtBot
) -> None:
    """On a laptop the time line and its table push the callees down only while they are seen."""
    window.resize(1366, 768)
    window.show()
    qtbot.waitExposed(window)
    window.docks.reset()
    open_file(DATA / "separate-threads" / "callgrind.out.22265")
    settle(window, qtbot)
    callees = window.docks.by_id["callees"]
    heights = [callees.height()]
    for view in ("part_list", "callers", "part_list", "callers"):
        window.docks.show(view)
        settle(window, qtbot)
        heights.append(callees.height())

    first, with_parts, again, with_parts_again, last = heights
    assert max(with_parts, with_parts_again) < first - 10
    assert min(again, last) > first - 3  # shares are rounded
