"""The Parts dock: the list, and the timeline."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QGraphicsView, QScrollBar, QToolButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.app.style import theme
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.parts import Lanes, lanes_of
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.parts.bar_content import BarContent, Share, share_levels
from qcachegrind_py.views.parts.part_list import PartList
from qcachegrind_py.views.parts.part_timeline import BAR_HEIGHT, PartTimeline, Viewport, bar_items
from tests.columns import PARTS
from tests.profile_text import dump_rows
from tests.user_input import (
    CTRL,
    LEFT,
    NONE,
    active_name,
    choose_action,
    click_row,
    go_to,
    ignore_offscreen_warnings,
    move_mouse,
    process_events,
    row_menu,
    without_mnemonic,
)
from tests.views.parts.lane_texts import lane_titles

# process, thread, and main's cost of each part; f is called in all but the last
DRAWN_PARTS = [(5, 1, 10), (5, 2, 20), (6, 1, 30), (6, 2, 40)]
SEEN = (PARTS.NAME, PARTS.TOTAL, PARTS.INCLUSIVE, PARTS.SELF, PARTS.CALLED)
THIN = "\N{THIN SPACE}"
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
    for number, (pid, thread, cost) in enumerate(DRAWN_PARTS):
        calls = " -> f 2x5" if number < 3 else ""
        f = "\nf 5" if number < 3 else ""
        drawing = f"pid: {pid}\nthread: {thread}\nmain {cost}{calls}{f}"
        files.append(draw(drawing, f"callgrind.out.{number}"))
    open_profile(*files)
    qtbot.waitUntil(lambda: view.panel.timeline is not None)
    process_events()
    return view


def test_titles_say_what_percentages_are_of(parts: PartList) -> None:
    """The total of a part is a percentage of the profile, costs in it are of the part."""

    def tips() -> list[str]:
        model, columns = parts.model, (PARTS.TOTAL, PARTS.SELF)
        role = Qt.ItemDataRole.ToolTipRole
        return [str(model.headerData(each, Qt.Orientation.Horizontal, role)) for each in columns]

    percent = tips()
    parts.navigation.set(unit=CostUnit.ABSOLUTE)
    process_events()
    assert percent == [
        "Cost of the part, in percent of the whole profile",
        "Self cost of the active function in the part, in percent of this part",
    ]
    assert tips() == ["Cost of the part", "Self cost of the active function in the part"]


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


def timeline_of(view: PartList) -> PartTimeline:
    """The timeline, once it was imported."""
    assert view.panel.timeline is not None
    return view.panel.timeline


def plot(view: PartList) -> QGraphicsView:
    """The picture of the timeline."""
    found = timeline_of(view).findChild(QGraphicsView)
    assert isinstance(found, QGraphicsView)
    return found


def at(view: PartList, lane: float, position: float) -> QPoint:
    """The pixel in the middle of a lane, or between two, at a cost from the left."""
    picture = plot(view)
    box = picture.getViewBox()  # type: ignore[attr-defined]
    return picture.mapFromScene(box.mapViewToScene(QPointF(position, lane + 0.5)))


def brush(view: PartList, qtbot: QtBot, start: QPoint, stop: QPoint) -> None:
    """Drag the mouse over the timeline."""
    area = plot(view).viewport()
    QTest.mousePress(area, LEFT, NONE, start)
    for step in range(1, 5):
        qtbot.wait(12)  # the plot handles a hundred moves a second
        move_mouse(area, start + (stop - start) * step / 4, LEFT)
    QTest.mouseRelease(area, LEFT, NONE, stop)


def click(view: PartList, lane: int, keys: Qt.KeyboardModifier = NONE) -> None:
    """Click on the bar of a lane, which begins at the left."""
    QTest.mouseClick(plot(view).viewport(), LEFT, keys, at(view, lane, 5))


def test_parts_are_listed_with_the_costs_of_the_function(
    parts: PartList, session: Session, navigation: Navigation
) -> None:
    """A part has its share of the total, and the active function's cost in it, or counts."""
    go_to(session, navigation, "f")
    percent = dump_rows(parts.model, *SEEN)
    navigation.set(unit=CostUnit.ABSOLUTE)
    process_events()

    assert percent == [
        "PID 5, thread 1 | 13.04 | 33.33 | 33.33 | 2",  # 15 of 115, of which f has 5
        "PID 5, thread 2 | 21.74 | 20.00 | 20.00 | 2",
        "PID 6, thread 1 | 30.43 | 14.29 | 14.29 | 2",
        "PID 6, thread 2 | 34.78 |  |  | 0",
    ]
    costs = dump_rows(parts.model, PARTS.TOTAL, PARTS.INCLUSIVE, PARTS.SELF)
    assert costs == ["15 | 5 | 5", "25 | 5 | 5", "35 | 5 | 5", "40 |  | "]
    assert parts.status_label.text() == "All 4 parts are active. Click or drag to select."


def test_rows_that_are_selected_are_the_active_parts(parts: PartList, qtbot: QtBot) -> None:
    """A click activates a part everywhere, Ctrl adds one, and arrow keys do alike.

    Every row means all parts; so does the button, which undoes every choice.
    """
    table, shift = parts.table, Qt.KeyboardModifier.ShiftModifier
    found = [settled(parts, qtbot, lambda: click_row(table, 1))]
    found.append(settled(parts, qtbot, lambda: click_row(table, 3, CTRL)))
    said = parts.status_label.text()
    found.append(settled(parts, qtbot, lambda: click_row(table, 1, CTRL)))
    found.append(settled(parts, qtbot, lambda: qtbot.keyClick(table, Qt.Key.Key_Up)))
    found.append(settled(parts, qtbot, lambda: qtbot.keyClick(table, Qt.Key.Key_Down, shift)))
    assert (found, said) == ([[1], [1, 3], [3], [0], [0, 1]], "2 of 4 parts are active.")

    for everything in (table.selectAll, parts.all_button.click):
        settled(parts, qtbot, lambda: click_row(table, 1))
        assert (settled(parts, qtbot, everything), selected(parts)) == (None, [])


def buttons(view: PartList) -> dict[str, QToolButton]:
    """The visible buttons, by their texts."""
    found = [button for button in view.findChildren(QToolButton) if button.isVisible()]
    return {without_mnemonic(button.text()): button for button in found}


def press(view: PartList, qtbot: QtBot, text: str) -> list[int] | None:
    """The active parts after a click on a button."""
    return settled(view, qtbot, lambda: qtbot.mouseClick(buttons(view)[text], LEFT))


def test_threads_and_processes_are_one_click(parts: PartList, qtbot: QtBot) -> None:
    """Each thread and process has a button that activates all its parts."""
    offered = [text for text in buttons(parts) if text != "Bars"]
    found = [press(parts, qtbot, text) for text in ("Thread 2", "Thread 1", "Process 6")]

    assert offered == ["All Parts", "Thread 1", "Thread 2", "Process 5", "Process 6"]
    assert found == [[1, 3], [0, 2], [2, 3]]
    assert selected(parts) == [2, 3]


def test_many_threads_are_all_offered(
    parts: PartList, draw: Callable[..., Path], open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """However many threads there are, each can be chosen, and the view stays narrow.

    A single thread or process is not offered.
    """
    open_profile(*(draw(f"pid: 5\npart: {n}\nmain 1", f"part.{n}") for n in (1, 2)))
    process_events()
    assert list(buttons(parts)) == ["All Parts", "Bars"]
    assert dump_rows(parts.model, PARTS.NAME) == ["PID 5, part 1", "PID 5, part 2"]
    open_profile(*(draw(f"pid: 5\nthread: {n}\nmain 1", f"part.{n}") for n in range(1, 31)))
    process_events()
    texts = [text for text in buttons(parts) if text != "Bars"]
    further = buttons(parts)["More Threads"].menu().actions()

    inner = [without_mnemonic(action.text()) for action in further]
    assert [*texts[:-1], *inner] == ["All Parts", *(f"Thread {n}" for n in range(1, 31))]
    assert settled(parts, qtbot, further[-1].trigger) == [29]
    assert parts.minimumSizeHint().width() < 700


def test_named_threads_are_known_by_their_names(
    parts: PartList, draw: Callable[..., Path], open_profile: OpenProfile
) -> None:
    """Names are in lists, buttons and lanes; equal ones with numbers, hostile ones as text."""
    names = {1: "main", 7: "R&D <b>", 8: "worker", 9: "worker"}
    open_profile(
        *(
            draw(f"thread: {number}\ndesc: Thread: {name}\nmain {number}", f"thread.{number}")
            for number, name in names.items()
        )
    )
    process_events()

    assert dump_rows(parts.model, PARTS.NAME) == [
        "main, thread 1",
        "R&D <b>, thread 7",
        "worker, thread 8",
        "worker, thread 9",
    ]
    assert list(buttons(parts))[:-1] == ["All Parts", "main", "R&D <b>", "worker 8", "worker 9"]
    assert lane_titles(parts) == ["main", "R&D <b>", "worker 8", "worker 9"]


def test_click_on_the_time_line_chooses_a_part(parts: PartList, qtbot: QtBot) -> None:
    """A click on a bar activates its part, a second click all; Ctrl adds one or removes it.

    The first Ctrl+click activates the part alone, as in the table.
    """
    found = [settled(parts, qtbot, lambda: click(parts, 2))]
    rows = selected(parts)
    QTest.qWait(QApplication.doubleClickInterval() // 100)
    for lane, keys in ((2, NONE), (3, CTRL), (0, CTRL), (3, CTRL)):
        found.append(settled(parts, qtbot, lambda: click(parts, lane, keys)))  # noqa: B023

    assert (rows, found) == ([2], [[2], None, [3], [0, 3], [0]])


def test_brush_chooses_the_bars_that_it_touches(parts: PartList, qtbot: QtBot) -> None:
    """Dragging over lanes, from a cost to another in any direction, activates the bars there."""
    drags = [
        ((1, 2), (2, 8), [1, 2]),
        ((1, 16), (3, 24), [1, 2, 3]),
        ((2, 8), (1, 2), [1, 2]),
        ((0, 16), (3, 24), [1, 2, 3]),  # beside the shortest
        ((0, -1), (3, 24), None),
    ]
    for start, stop, expected in drags:
        area = at(parts, *start), at(parts, *stop)
        assert settled(parts, qtbot, lambda: brush(parts, qtbot, *area)) == expected  # noqa: B023


def test_another_profile_clears_the_choice(
    parts: PartList, draw: Callable[..., Path], open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """Parts of the old profile are not chosen in the new one; a single part says what to do."""
    settled(parts, qtbot, lambda: click_row(parts.table, 3))
    open_profile(draw("main 1", "one"), draw("main 2", "two"))
    process_events()

    assert (chosen(parts), selected(parts)) == (None, [])
    assert dump_rows(parts.model, PARTS.NAME) == ["1: one", "2: two"]
    open_profile(draw("main 1", "one"))
    process_events()
    assert parts.message.startswith("The profile has one part.\n")
    assert "--dump-every-bb" in parts.message


def test_order_of_the_table_survives_a_choice(parts: PartList, qtbot: QtBot) -> None:
    """Choosing a part keeps the order of the rows."""
    parts.table.sortByColumn(PARTS.TOTAL, Qt.SortOrder.DescendingOrder)
    before = dump_rows(parts.model, PARTS.NAME, PARTS.TOTAL)
    found = settled(parts, qtbot, lambda: click_row(parts.table, 0))

    assert (found, selected(parts)) == ([3], [0])
    assert dump_rows(parts.model, PARTS.NAME, PARTS.TOTAL) == before


def wait_for_detail(
    view: PartList, qtbot: QtBot, lane: float, position: float, expected: str
) -> None:
    """Point at a place until the line below the timeline says what is expected.

    Of moves within 10 ms, the plot skips the second; a place moves until the plot is laid out.
    """
    steps = cycle((QPoint(0, 0), QPoint(1, 0)))

    def is_said() -> bool:
        move_mouse(plot(view).viewport(), at(view, lane, position) + next(steps))
        process_events()
        return timeline_of(view).detail_line.shown_text == expected

    qtbot.waitUntil(is_said)


def test_pointing_at_a_bar_says_what_it_costs(
    parts: PartList, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """At once: the part above, the active function's share below; nothing beside it."""
    go_to(session, navigation, "f")
    process_events()
    nothing = "Each bar is a part, as wide as its cost. Point at one to see its name and cost."
    for lane, position, expected in (
        (-0.3, 5, f"PID 5, thread 1 · 13.04{THIN}% · 15 Ir"),
        (0.35, 5, f"PID 5, thread 1: f, self · 4.35{THIN}% · 5 Ir"),
        (0.35, 39, nothing),
    ):
        wait_for_detail(parts, qtbot, lane, position, expected)


def choose_bars(view: PartList, qtbot: QtBot, text: str) -> None:
    """Choose what the bars show from the menu of their button, and wait until they do."""
    choose_action(view.panel.bars_button.click, text)
    qtbot.waitUntil(lambda: not view.session.jobs.is_running("timeline bars"))
    process_events()


@ignore_offscreen_warnings
def test_bars_show_the_callees_of_the_active_function(
    parts: PartList, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """A double click on the share of a callee makes it the active function."""
    go_to(session, navigation, "main")
    choose_bars(parts, qtbot, "Callees of the Active Function")
    itself, callee = "main, self · 8.70{}% · 10 Ir", "f · 4.35{}% · 5 Ir"
    for height, share in ((0.35, itself), (-0.35, callee)):
        wait_for_detail(parts, qtbot, height, 5, f"PID 5, thread 1: {share.format(THIN)}")
    area, place = plot(parts).viewport(), at(parts, -0.35, 5)
    settled(parts, qtbot, lambda: QTest.mouseClick(area, LEFT, NONE, place))
    QTest.mouseDClick(area, LEFT, NONE, place)
    QTest.mouseRelease(area, LEFT, NONE, place)
    process_events()

    assert active_name(session, navigation) == "f"


@ignore_offscreen_warnings
def test_bars_show_the_costliest_groups(parts: PartList, session: Session, qtbot: QtBot) -> None:
    """Grouped they are groups, in the groups' colours; without a grouping, functions."""
    choose_bars(parts, qtbot, "Hottest Functions or Groups")
    wait_for_detail(parts, qtbot, 0.35, 5, f"PID 5, thread 1: main · 8.70{THIN}% · 10 Ir")
    session.set_grouping(Grouping.OBJECT)
    qtbot.waitUntil(lambda: session.navigation.context.grouping is Grouping.OBJECT)
    process_events()
    qtbot.waitUntil(lambda: not session.jobs.is_running("timeline bars"))
    process_events()
    wait_for_detail(parts, qtbot, 0.35, 5, f"PID 5, thread 1: ??? · 13.04{THIN}% · 15 Ir")


@ignore_offscreen_warnings
def test_hidden_parts_are_counted_nowhere(
    parts: PartList, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """They leave the list, the timeline and every sum, also when the files are read again.

    A menu entry shows them again, and so does the button for all parts.
    """
    settled(parts, qtbot, lambda: click_row(parts.table, 1))
    settled(parts, qtbot, lambda: choose_action(row_menu(parts.table, 1), "Hide Part"))
    hidden = (
        dump_rows(parts.model, PARTS.NAME),
        parts.status_label.text(),
        chosen(parts),
        selected(parts),
        lane_titles(parts),
    )
    with qtbot.waitSignal(session.ended):
        session.open(session.paths, with_siblings=session.with_siblings)
    process_events()
    reloaded = chosen(parts)
    settled(parts, qtbot, lambda: choose_action(row_menu(parts.table, 0), "Show Hidden Parts"))

    assert hidden == (
        ["PID 5, thread 1", "PID 6, thread 1", "PID 6, thread 2"],
        "All 3 parts are active. Click or drag to select. 1 hidden.",
        [0, 2, 3],
        [],
        ["PID 5 · Thread 1", "PID 6 · Thread 1", "PID 6 · Thread 2"],
    )
    assert reloaded == [0, 2, 3]
    assert (chosen(parts), parts.model.rowCount()) == (None, 4)
    settled(parts, qtbot, lambda: parts.hide_parts([0]))
    assert settled(parts, qtbot, parts.all_button.click) is None
    assert parts.model.rowCount() == 4


def test_hidden_view_frees_the_old_profile(
    parts: PartList,
    session: Session,
    draw: Callable[..., Path],
    open_profile: OpenProfile,
    qtbot: QtBot,
) -> None:
    """Behind a tab the view holds nothing of a profile that was replaced."""
    old = weakref.ref(session.queries)
    parts.hide()
    open_profile(draw("main 1", "one"), draw("main 2", "two"))

    qtbot.waitUntil(lambda: old() is None)


def test_active_function_that_is_not_in_a_part(
    parts: PartList, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """The view says so and offers the hottest function of the part, one click away."""
    go_to(session, navigation, "f")
    seen = [parts.missing_bar.isVisible()]
    settled(parts, qtbot, lambda: click_row(parts.table, 3))
    seen.append(parts.missing_bar.isVisible())
    said = parts.missing_bar.label.text(), parts.missing_bar.button.text()
    settled(parts, qtbot, lambda: qtbot.mouseClick(parts.missing_bar.button, LEFT))
    seen.append(parts.missing_bar.isVisible())

    assert said == ("f is not in the selected part.", "Go to main")
    assert (seen, active_name(session, navigation)) == ([False, True, False], "main")


def test_time_line_has_a_name_and_follows_the_colours(parts: PartList) -> None:
    """The timeline has an accessible name and follows the palette."""
    grounds = []
    for dark in (False, True, False):
        theme.apply_palette(dark)
        process_events()
        image = plot(parts).grab().toImage()
        expected = theme.palette(dark).color(theme.palette(dark).ColorRole.Base)
        grounds.append(image.pixelColor(image.width() - 2, 2) == expected)

    assert plot(parts).accessibleName() == "Timeline of parts"
    assert grounds == [True, True, True]


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

    assert sorted(dump_rows(view.model, PARTS.PID)) == [str(10**30), "7"]


def test_lanes_that_have_no_room_are_a_scroll_away(parts: PartList, qtbot: QtBot) -> None:
    """A low timeline shows fewer lanes, of which none is lower than a line of text."""
    timeline = timeline_of(parts)
    low = timeline.fontMetrics().height() * 5
    timeline.setFixedHeight(low)
    parts.panel.setFixedHeight(low)
    process_events()
    (_, _), (top, bottom) = plot(parts).getViewBox().viewRange()  # type: ignore[attr-defined]
    height = plot(parts).getViewBox().height() / (bottom - top)  # type: ignore[attr-defined]

    assert bottom - top < 4
    assert height >= 0.9 * timeline.fontMetrics().height()
    assert timeline.findChild(QScrollBar).isVisible()


Part = tuple[int, int, int, float]  # process, thread, number, cost


def lanes(*parts: Part, hidden: tuple[int, ...] = ()) -> Lanes:
    """The lanes of parts."""
    pid, thread, number = (np.array([part[i] for part in parts], np.int64) for i in range(3))
    shown = np.array([index not in hidden for index in range(len(parts))])
    return lanes_of(pid, thread, number, np.array([part[3] for part in parts], float), shown)


def drawn(placed: Lanes) -> list[str]:
    """The lanes as text: the title, then each part as `number: left-right`."""
    rows = zip(
        placed.lane.tolist(),
        placed.part.tolist(),
        placed.left.tolist(),
        placed.right.tolist(),
        strict=True,
    )
    texts = [f"{title}:" for title in placed.titles]
    for lane, part, left, right in rows:
        texts[lane] += f" [{part}: {left:g}-{right:g}]"
    return texts


def test_parts_of_one_number_begin_together() -> None:
    """A number begins where the widest part of the number before ends, in each lane."""
    placed = lanes((7, 1, 1, 10), (7, 2, 1, 30), (7, 1, 2, 5), (7, 2, 2, 5), (7, 2, 4, 1))

    assert drawn(placed) == [
        "Thread 1: [0: 0-10] [2: 30-35]",
        "Thread 2: [1: 0-30] [3: 30-35] [4: 35-36]",
    ]
    assert (placed.number.tolist(), placed.start.tolist()) == ([1, 2, 4], [0, 30, 35, 36])


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([(0, 0, 0, 2.0), (0, 0, 0, 3.0)], [": [0: 0-2] [1: 2-5]"]),
        ([(0, 0, 1, 2.0), (0, 0, 1, 3.0)], [": [0: 0-2] [1: 2-5]"]),
        ([(5, 0, 0, 2.0), (6, 0, 0, 3.0)], ["PID 5: [0: 0-2]", "PID 6: [1: 0-3]"]),
        (
            [(5, 1, 0, 2.0), (5, 2, 0, 1.0), (6, 1, 0, 3.0)],
            [
                "PID 5 · Thread 1: [0: 0-2]",
                "PID 5 · Thread 2: [1: 0-1]",
                "PID 6 · Thread 1: [2: 0-3]",
            ],
        ),
        ([(0, 0, 1, 0.0), (0, 0, 2, 0.0)], [": [0: 0-1] [1: 1-2]"]),
        ([(0, 0, 1, -4.0), (0, 0, 2, 2.0)], [": [0: 0-0] [1: 0-2]"]),
    ],
    ids=["no numbers", "one number", "processes", "both", "no cost", "negative cost"],
)
def test_lanes_of_other_profiles(parts: list[Part], expected: list[str]) -> None:
    """Parts follow one another in a lane, which is named by what tells it from the others."""
    assert drawn(lanes(*parts)) == expected


def test_hidden_parts_have_no_place() -> None:
    """The other parts close the gap."""
    placed = lanes((1, 1, 1, 2), (1, 1, 2, 3), (1, 1, 3, 4), hidden=(1,))

    assert drawn(placed) == [": [0: 0-2] [2: 2-6]"]


@pytest.mark.parametrize(
    ("lane", "position", "expected"),
    [
        (0, 0.0, 0),
        (0, 9.9, 0),
        (0, 10.4, 0),  # within reach
        (0, 12.0, None),
        (0, 30.1, 2),
        (1, 29.0, 1),
        (2, 5.0, None),
        (-1, 5.0, None),
    ],
)
def test_part_at_a_position(lane: int, position: float, expected: int | None) -> None:
    """The part right there, or one so near that it may be narrower than the mouse is exact."""
    placed = lanes((7, 1, 1, 10), (7, 2, 1, 30), (7, 1, 2, 5))

    assert placed.part_at(lane, position, tolerance=0.5) == expected


def test_parts_in_a_rectangle() -> None:
    """All that the rectangle touches, in the order of the profile."""
    placed = lanes((7, 1, 1, 10), (7, 2, 1, 30), (7, 1, 2, 5), (7, 2, 2, 5))

    found = [
        placed.parts_between((0, 0), (5, 31)),
        placed.parts_between((0, 1), (9, 12)),
        placed.parts_between((1, 4), (30, 99)),
    ]

    assert found == [[0, 2], [0, 1], [3]]


def test_narrow_parts_share_a_bar() -> None:
    """Parts under a unit share the bar of their unit; wide ones and other lanes have their own."""
    narrow = [(7, 1, n, 0.25) for n in range(1, 9)]
    placed = lanes(*narrow, (7, 1, 9, 3.0), (7, 1, 10, 0.25), (7, 2, 1, 0.25))

    begins = placed.merged(np.arange(11), unit=1.0)

    assert placed.part[begins].tolist() == [0, 4, 8, 9, 10]


# ---------------------------------------------------------------- bars


RED, GREY = QColor("red"), QColor("grey")
WHOLE = Viewport((0, 0), (0, 100), 0.1)


def items(
    costs: list[float],
    shares: list[list[float]],
    viewport: Viewport = WHOLE,
    active: list[bool] | None = None,
) -> list[pg.BarGraphItem]:
    """The bars of parts in one lane: `shares` are their shares in red."""
    count = len(costs)
    zeros, numbers = np.zeros(count, np.int64), np.arange(1, count + 1)
    total = np.array(costs)
    lanes = lanes_of(zeros, zeros, numbers, total, np.ones(count, bool))
    red = [Share("", RED, np.array(share)) for share in shares]
    is_active = np.array(active or [True] * count)
    return bar_items(lanes, BarContent(total, red, is_active, GREY), viewport)


def boxes(bars: list[pg.BarGraphItem]) -> list[str]:
    """The bars as `color left-right low-high`, heights as fractions of a whole bar."""
    bottom = (1 + BAR_HEIGHT) / 2
    texts = []
    for bar in bars:
        opts = bar.opts
        name = {RED.rgb(): "red", GREY.rgb(): "grey"}[QColor(opts["brush"].rgb()).rgb()]
        name = name if opts["brush"].alpha() == 255 else f"faint {name}"
        for x0, x1, y0, y1 in zip(opts["x0"], opts["x1"], opts["y0"], opts["y1"], strict=True):
            low, high = ((bottom - y) / BAR_HEIGHT for y in (y0, y1))
            texts.append(f"{name} {x0:g}-{x1:g} {low:.2g}-{high:.2g}")
    return texts


def test_bars_are_divided_by_cost(qtbot: QtBot) -> None:
    """Each share has its part of the height, the rest is above; a pixel parts the bars."""
    assert boxes(items([40, 60], [[10, 0], [10, 30]])) == [
        "red 0-39.9 0-0.25",
        "red 0-39.9 0.25-0.5",
        "red 40-99.9 0-0.5",
        "grey 0-39.9 0.5-1",
        "grey 40-99.9 0.5-1",
    ]


def test_bars_of_inactive_parts_are_faint(qtbot: QtBot) -> None:
    """They are drawn in the same colours, and let the background through."""
    assert boxes(items([40, 60], [[20, 60]], active=[True, False])) == [
        "red 0-39.9 0-0.5",
        "faint red 40-99.9 0-1",
        "grey 0-39.9 0.5-1",
    ]


def test_shares_beyond_the_total_end_at_the_top() -> None:
    """Recursion can make an inclusive cost larger than its part."""
    levels = share_levels(np.array([[15.0], [10.0]]), np.array([20.0]))

    assert levels.tolist() == [[0], [0.75], [1], [1]]


def test_bars_under_a_pixel_are_divided_as_they_are_together(qtbot: QtBot) -> None:
    """Four parts in one pixel are one bar, at least a pixel wide."""
    found = boxes(items([1, 1, 1, 1, 96], [[1, 0, 1, 0, 0]], Viewport((0, 0), (0, 100), 4)))

    assert found == ["red 0-4 0-0.5", "grey 0-4 0.5-1", "grey 4-96 0-1"]


@pytest.mark.parametrize("span", [(0, 100_000), (54_000, 56_000)], ids=["all", "some"])
def test_the_number_of_bars_is_bounded(qtbot: QtBot, span: tuple[int, int]) -> None:
    """However many parts there are, there are about as many bars as pixels."""
    count, pixel = 100_000, (span[1] - span[0]) / 800
    drawn = items([1.0] * count, [], Viewport((0, 0), span, pixel))

    assert sum(len(bar.opts["x0"]) for bar in drawn) <= 802
