"""Journeys through profiles with parts, running calls and counters that overflowed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from tests.columns import CALLS, FUNCTIONS, PARTS
from tests.profile_text import THIN, dump_rows
from tests.user_input import go_to, process_events
from tests.views.parts.lane_texts import lane_titles

OpenFile = Callable[..., None]


def part(number: int, thread: int, cost: int) -> str:
    """The text of a part of one process."""
    header = (
        f"version: 1\ncreator: callgrind-3.22\npid: 7\ncmd: ./p\npart: {number}\nthread: {thread}"
    )
    return f"{header}\n\nevents: Ir\nfn=main\n1 {cost}\ntotals: {cost}\n"


def test_parts_are_listed_and_drawn_in_time(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot
) -> None:
    """Part 1 comes before part 2, whichever file was written or named first."""
    files = {
        "callgrind.out.7.2-01": (2, 1),
        "callgrind.out.7-02": (3, 2),
        "callgrind.out.7": (1, 1),
    }
    for name, (number, thread) in files.items():
        (tmp_path / name).write_text(part(number, thread, 10 * number))
    window.show()
    open_file(tmp_path / "callgrind.out.7")
    window.docks.show("part_list")
    view = window.views.part_list
    qtbot.waitUntil(lambda: view.panel.timeline is not None)
    process_events()

    assert dump_rows(view.model, PARTS.NAME) == [
        "PID 7, part 1, thread 1",
        "PID 7, part 2, thread 1",
        "PID 7, part 3, thread 2",
    ]
    qtbot.waitUntil(lambda: lane_titles(view) == ["Thread 1", "Thread 2"])


def test_parts_of_a_run_with_another_name_are_opened(
    window: MainWindow, open_file: OpenFile, tmp_path: Path
) -> None:
    """With --callgrind-out-file=foo.out the parts are foo.out.1, foo.out.2, …; all belong to it."""
    for number, name in enumerate(("foo.out.1", "foo.out.2", "foo.out"), start=1):
        (tmp_path / name).write_text(part(number, 1, 5))
    open_file(tmp_path / "foo.out")

    assert window.session.queries is not None
    assert len(window.session.queries.profile.parts) == 3
    assert window.notices.notice_texts()["information"] == (
        "Opened together with 2 other files of the same run."
    )


def test_running_calls_are_marked_active(
    window: MainWindow, open_file: OpenFile, tmp_path: Path
) -> None:
    """A function whose calls had not returned when the part was written was not called 0 times."""
    path = tmp_path / "callgrind.out.9"
    path.write_text(
        "creator: callgrind-3.22\nevents: Ir\nfn=main\n1 1\ncfn=f\ncalls=0 1\n1 7\nfn=f\n1 7\n"
    )
    open_file(path)
    go_to(window.session, window.navigation, "f")
    process_events()

    called = dump_rows(window.views.function_list.model, FUNCTIONS.NAME, FUNCTIONS.CALLED)
    assert called == ["main | 0", "f | (active)"]
    assert window.views.callers.model.index(0, CALLS.COUNT).data() == "(active)"


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
