"""The parts of a profile, chosen in the table, on the time line, by thread and by process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QGraphicsView, QToolButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.style import theme
from qcachegrind_py.models.parts import PartModel
from qcachegrind_py.session.context import CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.part_list import PartList
from qcachegrind_py.views.lists.part_timeline import PartTimeline
from tests.profile_text import dump_rows
from tests.user_input import CTRL, LEFT, NONE, click_row, go_to, process_events, without_mnemonic

# process, thread, and main's cost of each part; f is called in all but the last
PARTS = [(5, 1, 10), (5, 2, 20), (6, 1, 30), (6, 2, 40)]
SEEN = (PartModel.NAME, PartModel.TOTAL, PartModel.INCLUSIVE, PartModel.SELF, PartModel.CALLED)
OpenProfile = Callable[..., None]


@pytest.fixture
def parts(
    session: Session,
    draw: Callable[..., Path],
    open_profile: OpenProfile,
    show_view: Callable[[PartList], PartList],
    qtbot: QtBot,
) -> PartList:
    """Four parts: two threads in each of two processes."""
    view = show_view(PartList(session))
    files = []
    for number, (pid, thread, cost) in enumerate(PARTS):
        calls = " -> f 2x5" if number < 3 else ""
        f = "\nf 5" if number < 3 else ""
        drawing = f"pid: {pid}\nthread: {thread}\nmain {cost}{calls}{f}"
        files.append(draw(drawing, f"callgrind.out.{number}"))
    open_profile(*files)
    qtbot.waitUntil(lambda: view.timeline is not None)
    process_events()
    return view


def chosen(view: PartList) -> list[int] | None:
    """The parts that are active; None for all."""
    active = view.navigation.context.scope.parts
    return None if active is None else sorted(active)


def selected(view: PartList) -> list[int]:
    """The selected rows."""
    return sorted(index.row() for index in view.table.selectionModel().selectedRows())


def settled(view: PartList, qtbot: QtBot, act: Callable[[], object]) -> list[int] | None:
    """The active parts after an act has taken effect."""
    with qtbot.waitSignal(view.navigation.changed):
        act()
    process_events()
    return chosen(view)


def plot(view: PartList) -> QGraphicsView:
    """The picture of the time line."""
    assert view.timeline is not None
    found = view.timeline.findChild(QGraphicsView)
    assert isinstance(found, QGraphicsView)
    return found


def part_position(view: PartList, part: float) -> QPoint:
    """The position on the time line of a part, or between two of them."""
    picture = plot(view)
    box = picture.getViewBox()  # type: ignore[attr-defined]
    (_, _), (low, high) = box.viewRange()
    return picture.mapFromScene(box.mapViewToScene(QPointF(part, (low + high) / 2)))


def brush(view: PartList, qtbot: QtBot, start: float, stop: float) -> None:
    """Drag the mouse over the time line."""
    area = plot(view).viewport()
    QTest.mousePress(area, LEFT, NONE, part_position(view, start))
    for step in range(1, 5):
        qtbot.wait(12)  # the plot handles a hundred moves a second
        QTest.mouseMove(area, part_position(view, start + (stop - start) * step / 4))
    QTest.mouseRelease(area, LEFT, NONE, part_position(view, stop))


def click(view: PartList, part: float, keys: Qt.KeyboardModifier = NONE) -> None:
    """Click on the time line."""
    QTest.mouseClick(plot(view).viewport(), LEFT, keys, part_position(view, part))


def test_parts_are_listed_with_the_costs_of_the_function(
    parts: PartList, session: Session, navigation: Navigation
) -> None:
    """A part has its share of the total, and the active function's cost in it."""
    go_to(session, navigation, "f")

    assert dump_rows(parts.model, *SEEN) == [
        "PID 5, thread 1 | 13.04 | 33.33 | 33.33 | 2",  # 15 of 115, of which f has 5
        "PID 5, thread 2 | 21.74 | 20.00 | 20.00 | 2",
        "PID 6, thread 1 | 30.43 | 14.29 | 14.29 | 2",
        "PID 6, thread 2 | 34.78 |  |  | 0",
    ]
    assert parts.status_label.text() == "All 4 parts are active. Click or drag to select."


def test_rows_that_are_selected_are_the_active_parts(parts: PartList, qtbot: QtBot) -> None:
    """A click activates a part everywhere, Ctrl adds one."""
    found = [settled(parts, qtbot, lambda: click_row(parts.table, 1))]
    found.append(settled(parts, qtbot, lambda: click_row(parts.table, 3, CTRL)))
    said = parts.status_label.text()
    found.append(settled(parts, qtbot, lambda: click_row(parts.table, 1, CTRL)))

    assert (found, said) == ([[1], [1, 3], [3]], "2 of 4 parts are active.")


def test_arrow_keys_choose_parts(parts: PartList, qtbot: QtBot) -> None:
    """Down activates the next part, Shift+Down adds it."""
    shift = Qt.KeyboardModifier.ShiftModifier
    parts.table.setFocus()
    down = settled(parts, qtbot, lambda: qtbot.keyClick(parts.table, Qt.Key.Key_Down))
    both = settled(parts, qtbot, lambda: qtbot.keyClick(parts.table, Qt.Key.Key_Down, shift))

    assert (down, both) == ([1], [1, 2])


def test_all_rows_are_all_parts(parts: PartList, qtbot: QtBot) -> None:
    """Selecting every row means all parts, and clears the selection."""
    settled(parts, qtbot, lambda: click_row(parts.table, 1))
    found = settled(parts, qtbot, parts.table.selectAll)

    assert (found, selected(parts)) == (None, [])


def test_button_looks_at_all_parts_again(parts: PartList, qtbot: QtBot) -> None:
    """One button undoes every choice."""
    settled(parts, qtbot, lambda: click_row(parts.table, 1))
    found = settled(parts, qtbot, lambda: qtbot.mouseClick(parts.all_button, LEFT))

    assert (found, selected(parts)) == (None, [])


def buttons(view: PartList) -> dict[str, QToolButton]:
    """The visible buttons, by their texts."""
    found = [button for button in view.findChildren(QToolButton) if button.isVisible()]
    return {without_mnemonic(button.text()): button for button in found}


def press(view: PartList, qtbot: QtBot, text: str) -> list[int] | None:
    """The active parts after a click on a button."""
    return settled(view, qtbot, lambda: qtbot.mouseClick(buttons(view)[text], LEFT))


def test_threads_and_processes_are_one_click(parts: PartList, qtbot: QtBot) -> None:
    """Each thread and process has a button that activates all its parts."""
    offered = list(buttons(parts))
    found = [press(parts, qtbot, text) for text in ("Thread 2", "Thread 1", "Process 6")]

    assert offered == ["All Parts", "Thread 1", "Thread 2", "Process 5", "Process 6"]
    assert found == [[1, 3], [0, 2], [2, 3]]
    assert selected(parts) == [2, 3]


def test_one_thread_is_not_offered(
    parts: PartList, draw: Callable[..., Path], open_profile: OpenProfile
) -> None:
    """If all parts are of one thread and process, there are no such buttons."""
    one, two = (draw(f"pid: 5\npart: {n}\nmain 1", f"part.{n}") for n in (1, 2))
    open_profile(one, two)
    process_events()

    assert list(buttons(parts)) == ["All Parts"]
    assert dump_rows(parts.model, PartModel.NAME) == ["PID 5, part 1", "PID 5, part 2"]


def test_many_threads_are_all_offered(
    parts: PartList, draw: Callable[..., Path], open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """However many threads there are, each can be chosen, and the view stays narrow."""
    files = [draw(f"pid: 5\nthread: {n}\nmain 1", f"part.{n}") for n in range(1, 31)]
    open_profile(*files)
    process_events()
    texts = list(buttons(parts))
    inner = [
        without_mnemonic(action.text())
        for action in buttons(parts)["More Threads"].menu().actions()
    ]
    action = buttons(parts)["More Threads"].menu().actions()[-1]

    assert texts[0] == "All Parts"
    assert [*texts[1:-1], *inner] == [f"Thread {n}" for n in range(1, 31)]
    assert settled(parts, qtbot, action.trigger) == [29]
    assert parts.minimumSizeHint().width() < 700


def test_click_on_the_time_line_chooses_a_part(parts: PartList, qtbot: QtBot) -> None:
    """A click on a bar activates its part, a second click all parts."""
    first = settled(parts, qtbot, lambda: click(parts, 2))
    rows = selected(parts)
    QTest.qWait(QApplication.doubleClickInterval() // 100)
    again = settled(parts, qtbot, lambda: click(parts, 2))

    assert (first, rows, again) == ([2], [2], None)


def test_click_with_ctrl_on_the_time_line_adds_and_takes_away(
    parts: PartList, qtbot: QtBot
) -> None:
    """Ctrl+click adds the part to the choice or removes it."""
    settled(parts, qtbot, lambda: click(parts, 0))
    added = settled(parts, qtbot, lambda: click(parts, 3, CTRL))
    taken = settled(parts, qtbot, lambda: click(parts, 0, CTRL))

    assert (added, taken) == ([0, 3], [3])


def test_click_with_ctrl_where_nothing_is_chosen_chooses_one(parts: PartList, qtbot: QtBot) -> None:
    """The first Ctrl+click activates the part alone, as in the table."""
    in_table = settled(parts, qtbot, lambda: click_row(parts.table, 2, CTRL))
    settled(parts, qtbot, lambda: parts.select_parts([]))

    assert settled(parts, qtbot, lambda: click(parts, 2, CTRL)) == in_table == [2]


@pytest.mark.parametrize(
    ("start", "stop", "expected"),
    [(0.8, 2.2, [1, 2]), (2.2, 0.8, [1, 2]), (1.9, 3.4, [2, 3]), (-0.4, 3.4, None)],
    ids=["right", "left", "to the end", "everything"],
)
def test_brush_chooses_a_range(
    parts: PartList, qtbot: QtBot, start: float, stop: float, expected: list[int] | None
) -> None:
    """Dragging over bars in either direction activates their parts."""
    settled(parts, qtbot, lambda: click_row(parts.table, 0))

    assert settled(parts, qtbot, lambda: brush(parts, qtbot, start, stop)) == expected


def test_another_profile_clears_the_choice(
    parts: PartList, draw: Callable[..., Path], open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """Parts of the old profile are not chosen in the new one."""
    settled(parts, qtbot, lambda: click_row(parts.table, 3))
    open_profile(draw("main 1", "one"), draw("main 2", "two"))
    process_events()

    assert (chosen(parts), selected(parts)) == (None, [])
    assert dump_rows(parts.model, PartModel.NAME) == ["1: one", "2: two"]


def test_profile_of_one_part_says_how_to_write_several(
    parts: PartList, draw: Callable[..., Path], open_profile: OpenProfile
) -> None:
    """For a single part the view says how to record several."""
    open_profile(draw("main 1", "one"))
    process_events()

    assert parts.message.startswith("The profile has one part.\n")
    assert "--dump-every-bb" in parts.message


def test_absolute_costs_of_parts(parts: PartList, navigation: Navigation) -> None:
    """Without percentages the table has absolute costs."""
    navigation.set(unit=CostUnit.ABSOLUTE)
    process_events()

    assert dump_rows(parts.model, PartModel.TOTAL, PartModel.INCLUSIVE, PartModel.SELF) == [
        "15 | 15 | 10",
        "25 | 25 | 20",
        "35 | 35 | 30",
        "40 | 40 | 40",
    ]


def test_order_of_the_table_survives_a_choice(parts: PartList, qtbot: QtBot) -> None:
    """Choosing a part keeps the order of the rows."""
    parts.table.sortByColumn(PartModel.TOTAL, Qt.SortOrder.DescendingOrder)
    before = dump_rows(parts.model, PartModel.NAME, PartModel.TOTAL)
    found = settled(parts, qtbot, lambda: click_row(parts.table, 0))

    assert (found, selected(parts)) == ([3], [0])
    assert dump_rows(parts.model, PartModel.NAME, PartModel.TOTAL) == before


def test_time_line_has_a_name_and_follows_the_colours(parts: PartList) -> None:
    """The time line has an accessible name and follows the palette."""
    grounds = []
    for dark in (False, True, False):
        theme.apply_palette(dark)
        process_events()
        image = plot(parts).grab().toImage()
        expected = theme.palette(dark).color(theme.palette(dark).ColorRole.Base)
        grounds.append(image.pixelColor(image.width() - 2, 2) == expected)

    assert plot(parts).accessibleName() == "Time line of parts"
    assert grounds == [True, True, True]


def test_time_line_draws_a_bounded_number_of_bars(qtbot: QtBot) -> None:
    """Of 100,000 parts, a bar stands for several, as high as the costliest; zoomed in, for one."""
    count = 100_000
    costs = np.ones(count)
    costs[54_321] = 9
    timeline = PartTimeline()
    qtbot.addWidget(timeline)
    timeline.set_parts([""] * count, costs * 0, costs * 0, costs, None)

    heights = drawn_heights(timeline)
    assert len(heights) <= 2_000
    assert sorted(heights)[-2:] == [1, 9]

    plotted = timeline.findChild(QGraphicsView)
    plotted.setXRange(54_300, 54_340)
    assert [height for height in drawn_heights(timeline) if height > 1] == [9]
    assert len(drawn_heights(timeline)) < 200


def drawn_heights(timeline: PartTimeline) -> list[float]:
    """The upper ends of the drawn bars of the parts' total cost."""
    plotted = timeline.findChild(QGraphicsView)
    assert plotted is not None
    bars = [item for item in plotted.listDataItems() if item.opts["y1"].max() > 0]  # type: ignore[attr-defined]
    return [float(height) for item in bars for height in item.opts["y1"]]


def test_numbers_of_parts_may_have_any_length(
    session: Session,
    draw: Callable[..., Path],
    open_profile: OpenProfile,
    show_view: Callable[[PartList], PartList],
) -> None:
    """A process number beyond 64 bits is shown as the file has it."""
    view = show_view(PartList(session))
    texts = [f"pid: {10**30}\nmain 1", "pid: 7\nmain 2"]
    open_profile(*(draw(text, f"callgrind.out.{n}") for n, text in enumerate(texts)))
    process_events()

    assert sorted(dump_rows(view.model, PartModel.PID)) == [str(10**30), "7"]
