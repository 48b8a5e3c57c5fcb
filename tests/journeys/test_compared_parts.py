"""Journeys through the Parts dock while profiles, or parts of one, are compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.views.parts.part_list import PartList
from tests.columns import PARTS
from tests.profile_text import THIN, dump_rows
from tests.seen_cell import SeenCell
from tests.user_input import LEFT, click_row, settle
from tests.views.parts.lane_texts import lane_titles

OpenFile = Callable[..., None]


def written(path: Path, pid: int, *costs: tuple[int, int, int]) -> Path:
    """A profile whose parts have these numbers, threads and costs."""
    parts = "".join(
        f"pid: {pid}\npart: {number}\nthread: {thread}\nfn=main\n1 {cost}\n"
        for number, thread, cost in costs
    )
    path.write_text(f"creator: callgrind-3.22\nevents: Ir\n{parts}", encoding="utf-8")
    return path


@pytest.fixture
def compared(window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot) -> PartList:
    """Two runs of two threads; thread 2 of the new one has a second dump."""
    window.resize(1366, 1100)
    base = written(tmp_path / "old.out", 7, (1, 1, 1000), (1, 2, 2000))
    new = written(tmp_path / "new.out", 9, (1, 1, 1500), (1, 2, 1900), (2, 2, 300))
    window.show()
    open_file(new)
    window.file_commands.comparing.compare_with([base])
    settle(window, qtbot)
    window.docks.show("part_list")
    view = window.views.part_list
    qtbot.waitUntil(lambda: view.panel.timeline is not None)
    settle(window, qtbot)
    return view


def described(view: PartList, part: int) -> tuple[str, ...]:
    """What the timeline says of a part."""
    detail = view.panel._describe(PartId(part), None)
    return (detail.name, *(text.replace(THIN, " ") for text in detail.numbers))


def test_the_base_stands_above_the_new_side(
    window: MainWindow, compared: PartList, qtbot: QtBot
) -> None:
    """Both runs have lanes on one scale, thread by thread, though their processes differ.

    The same dump of the same thread is the counterpart; what has none says its own cost. A click on
    a part of the base changes nothing; one on a new part chooses it.
    """
    assert lane_titles(compared) == [
        *("Thread 1 · Base", "Thread 1 · New"),
        *("Thread 2 · Base", "Thread 2 · New"),
    ]
    marks = [SeenCell(compared.model.index(row, 0)).mark for row in range(5)]
    assert dump_rows(compared.model, PARTS.NAME) == [
        *("PID 9, part 1, thread 1", "PID 9, part 1, thread 2", "PID 9, part 2, thread 2"),
        *("PID 7, part 1, thread 1", "PID 7, part 1, thread 2"),
    ]
    assert marks == ["", "", "", "base", "base"]
    assert compared.status_label.text() == (
        "All 3 parts are active. Click or drag to select. The base has 2."
    )
    assert described(compared, 0)[0] == "PID 9, part 1, thread 1 (new)"
    assert described(compared, 0)[-2:] == ("base 1 000", "change +500")
    assert described(compared, 3)[0] == "PID 7, part 1, thread 1 (base)"
    assert described(compared, 4)[-2:] == ("new 1 900", "change −100")
    assert not any("change" in text for text in described(compared, 2))

    before = window.navigation.context.scope.parts
    click_row(compared.table, 3)
    settle(window, qtbot)
    unchanged = window.navigation.context.scope.parts
    click_row(compared.table, 1)
    settle(window, qtbot)
    assert unchanged == before == {0, 1, 2}
    assert window.navigation.context.scope.parts == {1}
    assert window.navigation.context.base_parts == {3, 4}


def test_two_profiles_of_one_part_each(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot
) -> None:
    """Alone, a part is not worth a list; compared, the two have a lane each."""
    window.show()
    open_file(written(tmp_path / "new.out", 9, (0, 0, 15)))
    window.docks.show("part_list")
    view = window.views.part_list
    settle(window, qtbot)
    window.file_commands.comparing.compare_with([written(tmp_path / "old.out", 7, (0, 0, 10))])
    settle(window, qtbot)
    qtbot.waitUntil(lambda: view.panel.timeline is not None)
    settle(window, qtbot)

    assert lane_titles(view) == ["Base", "New"]
    assert view.status_label.text() == "The new side has one part. The base has 1."


def test_parts_of_one_profile_have_lanes_by_side(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot
) -> None:
    """Use as Base puts the chosen dumps into a lane of their own; All Parts ends it."""
    window.show()
    open_file(written(tmp_path / "one.out", 7, (1, 1, 10), (2, 1, 20), (3, 1, 30)))
    window.docks.show("part_list")
    view = window.views.part_list
    qtbot.waitUntil(lambda: view.panel.timeline is not None)
    alone = lane_titles(view)
    view.table.selectRow(0)
    settle(window, qtbot)
    QTest.mouseClick(view.base_button, LEFT)
    settle(window, qtbot)

    assert alone == []
    assert lane_titles(view) == ["Base", "New"]


def test_both_sides_are_seen_on_a_laptop(
    window: MainWindow, compared: PartList, qtbot: QtBot
) -> None:
    """The lanes of two threads have their room beside a row of the list, and none lies over it.

    Behind a tab the dock asks for no more than others.
    """
    window.resize(1366, 768)
    settle(window, qtbot)
    lanes, panel, table = lane_titles(compared), compared.panel.geometry(), compared.table
    row = table.rowHeight(0)
    asked = compared.minimumSizeHint().height()
    window.docks.show("callers")
    settle(window, qtbot)

    assert (window.width(), window.height()) == (1366, 768)
    assert len(lanes) == 4
    assert panel.bottom() < table.geometry().top()
    assert table.viewport().height() >= row
    assert compared.minimumSizeHint().height() < asked / 2
