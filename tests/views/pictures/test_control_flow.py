"""The Control Flow dock, of one profile and of both sides of a comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontInfo, QPalette, QPen
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.code.basic_blocks import NEVER_EXECUTED
from qcachegrind_py.app.style import theme
from qcachegrind_py.present.context import CostUnit, Position
from qcachegrind_py.present.picture import Line, Step
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.file_search import PathRule
from qcachegrind_py.views.pictures.control_flow_view import ControlFlowView
from qcachegrind_py.views.pictures.diagram_items import BoxItem
from qcachegrind_py.views.widgets.saving import to_svg
from tests.present.flow_text import JUMPS, LOOP
from tests.profile_rows import DATA
from tests.profile_text import THIN
from tests.user_input import (
    LEFT,
    NONE,
    choose_action,
    click_row,
    context_menu_opener,
    enabled_texts,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
)
from tests.views.pictures.conftest import Flow, Settle, option

FILE = "././jumps.c"  # as the profile has it


def blocks(view: ControlFlowView) -> list[str]:
    """The heading of each block, by address."""
    found = sorted((item.box for item in view.canvas.boxes), key=lambda box: box.key)
    return [f"{t.name} {t.cost} {t.count}".replace(THIN, "").strip() for t in found]


def lines(view: ControlFlowView, address: int) -> list[str]:
    """The instructions of a block."""
    return [f"{t.text} | {t.cost}".replace(THIN, "") for t in block(view, address).box.lines]


def block(view: ControlFlowView, address: int) -> BoxItem:
    (found,) = [node for node in view.canvas.boxes if node.box.key == address]
    return found


def line_position(view: ControlFlowView, address: int, line: int) -> QPoint:
    """The position of a block's line on the screen."""
    item = block(view, address)
    metrics_height = (item.area.height() - item.box.head - 8) / len(item.box.lines)
    down = item.area.top() + item.box.head + (line + 0.5) * metrics_height
    return view.canvas.on_screen(QPointF(item.area.left() + 30, down)).toPoint()


def click(view: ControlFlowView, place: QPoint) -> None:
    assert view.canvas.viewport().rect().contains(place)
    QTest.mouseClick(view.canvas.viewport(), LEFT, NONE, place)
    process_events()


# ---------------------------------------------------------------- content


def test_blocks_keep_their_place_in_another_event(
    flow_of: Flow, navigation: Navigation, session: Session, settle: Settle
) -> None:
    """The picture follows event and unit; the current block stays where it was."""
    view = flow_of(LOOP, "spin")
    assert blocks(view) == ["20 4.55% 3×", "22 – 24 90.91% 30×", "26 4.55% 3×"]
    place = view.canvas.on_screen(block(view, 0x22).area.center())

    assert session.queries is not None
    navigation.set(event=session.queries.events.find("Dr"), unit=CostUnit.ABSOLUTE)
    settle(view)
    assert blocks(view) == ["20 1 3×", "22 – 24 5 30×", "26 2 3×"]
    moved = view.canvas.on_screen(block(view, 0x22).area.center()) - place
    assert moved.manhattanLength() < 4


def test_instruction_of_a_function_without_cost_in_the_active_parts(
    flow_of: Flow, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Its blocks come from the binary, and its line from the parts in which it has costs."""
    view = flow_of(JUMPS, "main")
    view.select_address(0x12F6)
    with_cost = navigation.context.position
    navigation.set(scope=replace(navigation.context.scope, parts=()), position=None)
    settle(view)
    view.select_address(0x12F6)

    assert with_cost is not None
    assert navigation.context.position == with_cost


# ---------------------------------------------------------------- empty views


def test_empty_view_is_explained(
    flow_of: Flow, navigation: Navigation, session: Session, settle: Settle
) -> None:
    """Without a function or instructions, and for a cycle, the view says what to do."""
    cyclic = LOOP + "    cfn=main\n    calls=1 0x10 1\n    0x26 8 1 1\n"
    view = flow_of(cyclic, "spin")
    assert (view.message, len(view.canvas.boxes)) == ("", 3)
    assert session.queries is not None
    navigation.select_function(session.queries.function_count)
    settle(view)
    assert view.message.startswith("A cycle has no code of its own.")
    assert (len(view.canvas.boxes), view.block_model.rowCount()) == (0, 0)
    navigation.set(function=-1)
    settle(view)
    assert view.message == "Choose a function in the list."

    without = "events: Ir\n\nfl=a.c\nfn=main\n1 5\n"
    assert "--dump-instr=yes --collect-jumps=yes" in flow_of(without, "main").message


def test_a_function_without_recorded_instructions(
    flow_of: Flow, navigation: Navigation, session: Session, settle: Settle
) -> None:
    """A function that is called but has no self cost says so."""
    view = flow_of(LOOP + "    cfn=gone\n    calls=1 0x99 1\n    0x26 8 1 1\n", "spin")
    assert session.queries is not None
    navigation.select_function(session.queries.names.with_name("gone")[0])
    settle(view)
    assert view.message == "No instruction of this function was recorded."


# ---------------------------------------------------------------- selection


def test_choosing_an_instruction_chooses_its_line(
    flow_of: Flow, navigation: Navigation, session: Session
) -> None:
    """A click on an instruction or block sets the position of all code views."""
    view = flow_of(LOOP, "spin")
    texts_of_profile = session.queries.profile.texts if session.queries else ()
    view.canvas.setFocus()
    click(view, line_position(view, 0x22, 1))
    position = navigation.context.position
    assert position is not None
    assert texts_of_profile[position.file] == "a.c"
    assert (position.line, position.address) == (7, 0x24)
    assert [n.box.key for n in view.canvas.boxes if n.is_selected] == [0x22]
    assert block(view, 0x22).marked_lines == {0x24}

    QTest.keyClick(view.canvas, Qt.Key.Key_Down)
    process_events()
    assert navigation.context.position == Position(position.file, 8, 0x26)
    QTest.keyClick(view.canvas, Qt.Key.Key_Home)  # the hottest block
    process_events()
    assert navigation.context.position == Position(position.file, 6, 0x22)


def chain(hottest: int) -> str:
    """A function of 60 blocks, one after the other, of which one has the most cost."""
    rows = []
    for number in range(60):
        cost = 900 if number == hottest else 3
        at = 0x1000 + 16 * number
        rows.append(f"{at:#x} {number + 1} {cost}")
        rows.append(f"jcnd=1/3 {at + 16:#x} {number + 2}\n{at + 4:#x} {number + 1}")
        rows.append(f"{at + 4:#x} {number + 1} 3")
    return "positions: instr line\nevents: Ir\nfl=a.c\nfn=f\n" + "\n".join(rows) + "\n"


def test_it_opens_at_the_hottest_block(flow_of: Flow) -> None:
    """The block is in the middle, and its letters can be read, also in a long chain that is fitted.

    Before, the picture began with the entry, and all of it was a string of beads.
    """
    view = flow_of(chain(hottest=40), "f")
    canvas, key = view.canvas, 0x1000 + 16 * 40

    def place() -> tuple[int, bool, bool]:
        middle = canvas.on_screen(block(view, key).area.center()).toPoint()
        away = middle - canvas.viewport().rect().center()
        letters = QFontInfo(canvas.fonts.code).pixelSize() * canvas.zoom
        return canvas.key_of(canvas.current), away.manhattanLength() < 8, letters >= 10

    opened = place()
    canvas.zoom_by(0.1)
    canvas.fit()
    assert (opened, place()) == ((key, True, True), (key, True, True))


def test_a_position_from_elsewhere_marks_its_blocks(
    flow_of: Flow, navigation: Navigation, session: Session
) -> None:
    """An instruction marks its block, a line all its blocks, and scrolls to them."""
    view = flow_of(JUMPS, "main")
    assert session.queries is not None
    costs = session.queries.instructions(navigation.context.function, None)
    file = int(costs.file[np.flatnonzero(costs.line == 30)[0]])
    view.canvas.zoom_by(4)

    def marked() -> list[int]:
        process_events()
        return sorted(node.box.key for node in view.canvas.boxes if node.is_selected)

    navigation.set(position=Position(file, 99, 0x13A7))
    assert marked() == [0x139F]
    assert view.canvas.visible_area().intersects(block(view, 0x139F).area)
    navigation.set(position=Position(file, 30))
    of_line = costs.address[(costs.file == file) & (costs.line == 30)].tolist()
    starts = sorted(item.box.key for item in view.canvas.boxes)
    expected = {max(start for start in starts if start <= a) for a in of_line}
    assert marked() == sorted(expected)
    navigation.set(position=None)
    assert marked() == []


def test_the_tables_beside(flow_of: Flow, navigation: Navigation) -> None:
    """Tables list all blocks and edges; a row goes to its block and sets the position."""
    view = flow_of(LOOP, "spin")
    view.table_button.setChecked(True)
    table = view.tables[0]
    table.setFocus()
    click_row(table, 1)

    chosen = navigation.context.position
    assert chosen is not None
    assert chosen.address == 0x20
    assert view.canvas.boxes[view.canvas.current].box.key == 0x20
    view.tables[1].setFocus()
    click_row(view.tables[1], 0)
    assert navigation.context.position == Position(chosen.file, 7, 0x24)
    assert [n.box.key for n in view.canvas.boxes if n.is_selected] == [0x22]


# ---------------------------------------------------------------- folding and options


def test_folding(flow_of: Flow, settle: Settle) -> None:
    """A double click or Return folds and unfolds a block; “… more” shows all of it."""
    view = flow_of(JUMPS, "main")
    assert lines(view, 0x1352)[6] == "… 3 more | "
    assert len(lines(view, 0x1352)) == 13
    view.show_match(block(view, 0x1352).row)
    click(view, line_position(view, 0x1352, 6))
    settle(view)
    assert len(lines(view, 0x1352)) == 15

    view.show_match(block(view, 0x1352).row)
    QTest.keyClick(view.canvas, Qt.Key.Key_Return)
    settle(view)
    assert (lines(view, 0x1352), len(lines(view, 0x139F))) == ([], 13)
    place = view.canvas.on_screen(block(view, 0x1352).area.center()).toPoint()
    QTest.mouseDClick(view.canvas.viewport(), LEFT, NONE, place)
    settle(view)
    assert len(lines(view, 0x1352)) == 13
    option(view, settle, instructions="none")
    assert lines(view, 0x1352) == []


def test_options(flow_of: Flow, settle: Settle) -> None:
    """Options take effect at once, and are in the saved state."""
    view = flow_of(JUMPS, "main")
    option(view, settle, least_block=0.02, instructions="costly", addresses=False)
    assert [text.split()[0] for text in blocks(view)] == ["12e0", "12f6", "132c", "1352", "139d"]
    assert lines(view, 0x12F6)[0] == "movl %ebp, %edi | 8.29"

    option(view, settle, least_block=NEVER_EXECUTED, horizontal=True)
    first = block(view, 0x12E0)
    assert all(first.area.center().x() <= node.area.center().x() for node in view.canvas.boxes)
    remembered = view.save_state()
    option(view, settle, least_block=0.0, horizontal=False)
    first = block(view, 0x12E0)
    assert all(first.area.center().y() <= node.area.center().y() for node in view.canvas.boxes)
    view.restore_state(remembered)
    assert (view.options.current.least_block, view.options.current.horizontal) == (-1.0, True)


def test_search(flow_of: Flow) -> None:
    """The search finds blocks by their instructions, elided or not, and fades the others."""
    view = flow_of(JUMPS, "main")
    view.search.setText("RAISE@plt")
    assert view.match_label.text() == "1 of 10"
    assert [n.box.key for n in view.canvas.boxes if not n.is_faded] == [0x1352]
    view.show_next_match()
    assert view.canvas.boxes[view.canvas.current].box.key == 0x1352
    view.search.setText("")
    assert not any(node.is_faded for node in view.canvas.boxes)


@ignore_offscreen_warnings
def test_the_menu(flow_of: Flow, settle: Settle) -> None:
    """A block's menu folds it; the menu of the ground is about the picture."""
    view = flow_of(LOOP, "spin")
    corner, middle = QPoint(2, 2), view.canvas.on_screen(block(view, 0x22).area.center()).toPoint()

    def menu_at(place: QPoint) -> list[str]:
        return inspect_menu(context_menu_opener(view.canvas.viewport(), place), enabled_texts)

    picture = ["Fit in Window\t0", "Actual Size\t1"]
    assert menu_at(corner)[:2] == picture
    assert menu_at(middle)[:4] == ["Expand or Collapse\tReturn", "Show All Instructions", *picture]
    assert {"Copy Picture", "Copy as DOT", "Copy as CSV"} < set(menu_at(middle))
    choose_action(context_menu_opener(view.canvas.viewport(), middle), "Expand or Collapse\tReturn")
    settle(view)
    assert lines(view, 0x22) == []


def test_keys_reach_every_block_and_every_arrow(flow_of: Flow) -> None:
    """From where reading begins, in a picture of loops and branches."""
    picture = flow_of(JUMPS, "main").canvas.picture
    assert picture is not None
    seen = {(picture.entered(picture.home), -1)}
    waiting = list(seen)
    while waiting:
        spot, origin = waiting.pop()
        for step in Step:
            reached = picture.next_spot(spot, step, origin)
            came_from = spot.box if spot.box >= 0 else origin
            place = reached, came_from if reached.arrow >= 0 else -1
            if place not in seen:
                seen.add(place)
                waiting.append(place)

    assert {spot.box for spot, _ in seen} == {-1, *range(len(picture))}
    assert {spot.arrow for spot, _ in seen} == {-1, *range(len(picture.arrows))}


# ---------------------------------------------------------------- geometry and style


def test_boxes_loops_and_labels_keep_apart(
    flow_of: Flow, settle: Settle, navigation: Navigation, session: Session
) -> None:
    """Boxes do not overlap, a self-loop with its label is beside its box, arrows end at boxes."""
    view = flow_of(JUMPS, "main")
    assert session.queries is not None
    for name, horizontal in (("main", True), ("dl_main", False), ("main", False)):
        navigation.select_function(session.queries.names.with_name(name)[0])
        option(view, settle, horizontal=horizontal)
        picture = view.canvas.picture
        assert picture is not None
        boxes = [node.area for node in view.canvas.boxes]
        assert not any(a.intersects(b) for n, a in enumerate(boxes) for b in boxes[n + 1 :])
        for path, item in zip(picture.paths, view.canvas.arrows, strict=True):
            source, target = item.arrow.source, item.arrow.target
            for row, end in ((source, path[0]), (target, path[-1])):
                near = boxes[row].adjusted(-2, -2, 2, 2)
                inner = boxes[row].adjusted(2, 2, -2, -2)
                assert near.contains(QPointF(*end))
                assert not inner.contains(QPointF(*end))
            if source == target:
                assert not any(item.label.intersects(box) for box in boxes)
                assert not item.label.isEmpty()


def test_kinds_differ_in_line_and_colour(flow_of: Flow) -> None:
    """Each kind of arrow has its own dashes and a colour visible on light and dark."""
    view = flow_of(JUMPS, "main")
    by_kind = {item.arrow.line: item for item in view.canvas.arrows}
    assert set(by_kind) == {Line.EXACT, Line.TAKEN, Line.NOT_TAKEN}
    for dark in (False, True):
        palette = theme.palette(dark)
        patterns, colors = [], []
        for arrow in by_kind.values():
            pen = QPen()
            arrow.set_dashes(pen)
            patterns.append(tuple(pen.dashPattern()))
            colors.append(arrow.line_color(palette).name())
            ground = palette.color(QPalette.ColorRole.Base)
            solid = arrow.line_color(palette)
            assert abs(solid.lightnessF() - ground.lightnessF()) > 0.3
        assert len(set(patterns)) == len(set(colors)) == 3
    assert "dashed: branch taken" in view.note.text()


def test_picture_exports(flow_of: Flow) -> None:
    """The picture is saved with all its texts, as DOT, and as CSV."""
    view = flow_of(LOOP, "spin")
    root = ET.fromstring(to_svg(view.canvas))
    written = {"".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"20", "22 – 24", "22  a.c:6", "taken 27", "not taken 3", "30×"} <= written
    saved = view.text_exports()
    assert 'n1 -> n1 [label="taken 27", style=dashed' in saved["DOT"]()
    assert saved["CSV"]().splitlines()[:2] == [
        "Self,Incl.,Executed,Instructions,Address,Last", "60,660,30,2,0x22,0x24",
    ]  # fmt: skip
    assert view.suggested_file_name() == "control flow spin"


def test_another_profile_leaves_nothing_behind(
    flow_of: Flow,
    open_profile: Callable[..., None],
    draw_lines: Callable[[str], Path],
    settle: Settle,
    navigation: Navigation,
    session: Session,
) -> None:
    """Blocks, tables and folds disappear with their profile."""
    view = flow_of(LOOP, "spin")
    view.toggle_fold(0x22)
    settle(view)
    assert lines(view, 0x22) == []

    open_profile(draw_lines(LOOP.replace("0x26 8 3 2", "0x26 8 5 2")))
    assert session.queries is not None
    navigation.select_function(session.queries.names.with_name("spin")[0])
    settle(view)
    assert (len(lines(view, 0x22)), view.block_model.rowCount()) == (2, 3)
    assert blocks(view)[2] == "26 7.35% 5×"


SUMS = DATA / "comparison" / "sums"
PARTS = """
    positions: instr line
    events: Ir Dr
    part: 1

    fn=f
    0x10 1 3 0
    0x12 2 30 10
    jcnd=27/30 0x12 2
    0x12 2
    0x14 3 3 0

    part: 2

    fn=f
    0x10 1 3 0
    0x12 2 63 5
    jcnd=60/63 0x12 2
    0x12 2
    0x14 3 3 0
    0x16 4 3 0
    """


@pytest.fixture
def compared_flow(
    flow_of: Flow, session: Session, navigation: Navigation, settle: Settle, qtbot: QtBot
) -> Callable[..., ControlFlowView]:
    """Compare two builds, in absolute costs, at one function."""

    def compared_flow(
        function: str, base: str = "sums-O2", new: str = "sums-edited", *, finds: bool = True
    ) -> ControlFlowView:
        navigation.set(unit=CostUnit.ABSOLUTE)
        view = flow_of(SUMS / f"callgrind.out.{new}", function, finds=finds)
        rules = (PathRule("/corpus/comparison", str(SUMS)),) if finds else ()
        session.set_file_search(rules, ())
        session.comparing.compare_with(ProfileFiles((SUMS / f"callgrind.out.{base}",)))
        qtbot.waitUntil(lambda: session.comparison is not None)
        settle(view)
        return view

    return compared_flow


def plain(text: str) -> str:
    return text.replace(THIN, "")


def blocks_of_both(view: ControlFlowView) -> list[str]:
    """The heading of each block, by address."""
    found = sorted((item.box for item in view.canvas.boxes), key=lambda box: box.key)
    return [plain(f"{t.name}: {t.cost}, {t.count}") for t in found]


def test_without_the_program_of_the_base_only_the_new_side_is_shown(
    compared_flow: Flow, session: Session, settle: Settle
) -> None:
    """Addresses of two builds mean nothing to each other, so nothing is paired, and it says so."""
    view = compared_flow("weighted.constprop.0", finds=False)
    assert not view.base_bar.isHidden()
    assert view.base_bar.label.text() == (
        "Base: /corpus/comparison/sums-O2 was not found. Choose the file or its folder."
    )
    assert blocks_of_both(view)[0] == "770 – 77e: 250, 50×"
    session.set_file_search(
        (PathRule("/corpus/comparison/sums-edited", str(SUMS / "sums-edited")),), ()
    )
    settle(view)
    assert not view.base_bar.isHidden()
    view.base_bar.chosen.emit(view.base_bar.recorded_path, SUMS / "sums-O2")
    settle(view)
    assert view.base_bar.isHidden()
    assert blocks_of_both(view)[0] == "770 – 77e: 150→250 (+66.67%), 50×"


def test_parts_of_one_profile_are_paired_by_address(
    flow_of: Flow, session: Session, navigation: Navigation, settle: Settle, qtbot: QtBot
) -> None:
    """One recording has one program, so nothing else needs to be known."""
    navigation.set(unit=CostUnit.ABSOLUTE)
    view = flow_of(PARTS, "f")
    session.comparing.use_parts_as_base([PartId(0)])
    qtbot.waitUntil(lambda: session.comparison is not None)
    settle(view)
    assert blocks_of_both(view) == [
        "10: 3, 3×",
        "12: 30→63 (+110.00%), 30→63×",
        "14 – 16: 3→6 (+100.00%), 3×",
    ]
    dr = session.queries.events.find("Dr") if session.queries else None
    navigation.set(event=dr)
    settle(view)
    assert blocks_of_both(view)[1] == "12: 10→5 (−50.00%), 30→63×"
    assert block(view, 0x12).box.change is not None
    session.comparing.stop()
    settle(view)
    assert block(view, 0x12).box.change is None
    assert blocks_of_both(view)[1] == "12: 15, 93×"
