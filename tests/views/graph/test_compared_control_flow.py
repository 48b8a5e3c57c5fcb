"""The control flow of a comparison: both sides in blocks, lines and arrows, and how they pair."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.style import theme
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.file_search import PathRule
from qcachegrind_py.views.graph.control_flow_view import ControlFlowView
from qcachegrind_py.views.pictures.diagram_items import BoxItem
from qcachegrind_py.views.widgets.colors import contrast
from tests.columns import FLOW_BLOCKS, FLOW_EDGES
from tests.profile_rows import DATA
from tests.profile_text import THIN, dump_rows

Flow = Callable[..., ControlFlowView]
Settle = Callable[[ControlFlowView], None]
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


def blocks(view: ControlFlowView) -> list[str]:
    """The heading of each block, by address."""
    found = sorted((item.box for item in view.canvas.boxes), key=lambda box: box.key)
    return [plain(f"{t.name}: {t.cost}, {t.count}") for t in found]


def block(view: ControlFlowView, address: int) -> BoxItem:
    (found,) = [node for node in view.canvas.boxes if node.box.key == address]
    return found


def lines(view: ControlFlowView, address: int) -> list[str]:
    return [plain(f"{t.text} | {t.cost}") for t in block(view, address).box.lines]


def arrows(view: ControlFlowView) -> set[str]:
    """The ends and texts of each arrow."""
    keys = [item.box.key for item in view.canvas.boxes]
    return {
        f"{keys[arrow.source]:x}>{keys[arrow.target]:x} {', '.join(arrow.labels)}".replace(
            THIN, ""
        ).strip()
        for arrow in (item.arrow for item in view.canvas.arrows)
    }


def tip(view: ControlFlowView, address: int) -> str:
    return plain("\n".join(block(view, address).box.tip()))


def test_blocks_and_arrows_have_both_sides(compared_flow: Flow) -> None:
    """Added up by hand from both disassemblies and profiles: the edit adds a test to the loop."""
    view = compared_flow("weighted.constprop.0")
    assert blocks(view) == [
        "770 – 77e: 150→250 (+66.67%), 50×",
        "780 – 783: 1072→2144 (+100.00%), 1072×",
        "785 – 78b: 0→4338 (new), 2169×",
        "7a4 – 7ab: 3216→6507 (+102.33%), 1072→2169×",
        "7ad – 7b3: 6507, 2169×",
        "7b5 – 7be: 4388→5485 (+25.00%), 1097×",
        "7c0 – 7c2: 100, 50×",
    ]
    assert arrows(view) == {
        "770>7ad jump 50", "780>785 1072", "785>7a4 taken 2169", "7a4>7ad not taken 1072→2119",
        "7a4>7c0 taken 0→50", "7ad>780 taken 1072", "7ad>7b5 not taken 1097", "7b5>785 jump 1097",
    }  # fmt: skip
    assert lines(view, 0x7B5) == [
        "  7b5  movl %eax, %esi | ",
        "  7b7  negl %esi | ",
        "  7b9  cmovnsl %esi, %eax | ",
        "  7bc  subl %eax, %edx | ",
        "+ 7be  jmp 785 <weighted.constprop.0+0x15> | +1097",
    ]
    assert view.base_bar.isHidden()
    note = plain(view.note.text())
    assert f"paired by text with {SUMS / 'sums-O2'}" in note
    assert "4463 of the base in instructions that are gone" in note


def test_the_unit_of_both_costs_is_written_once(
    compared_flow: Flow, navigation: Navigation, settle: Settle
) -> None:
    """As in the call graph: 1.2 → 2.0 %."""
    view = compared_flow("weighted.constprop.0")
    navigation.set(unit=CostUnit.PERCENT)
    settle(view)

    assert [text.partition(": ")[2].count("%") for text in blocks(view)[:1]] == [2]
    assert "%→" not in "".join(blocks(view))


def test_costs_of_both_sides_add_up_to_the_function(compared_flow: Flow, session: Session) -> None:
    """What is paired, what is new and what is gone is all of both sides."""
    view = compared_flow("weighted.constprop.0")
    assert view.content is not None
    flow, queries = view.content.flow, session.queries
    assert queries is not None
    context = session.navigation.context
    assert context.event is not None
    assert context.base is not None
    base, new = (
        queries.node_costs(context.function, context.event, scope)[1]
        for scope in (context.base, context.scope)
    )
    assert flow.self_cost.base.sum() + flow.gone == base
    assert flow.self_cost.new.sum() == new
    assert flow.self_cost.change.sum() - flow.gone == new - base


def test_tips_and_tables_have_both_sides(compared_flow: Flow) -> None:
    view = compared_flow("weighted.constprop.0")
    assert "Base 1072, new 2144, change +1072" in tip(view, 0x780)
    assert "executed 1072→2169×" in tip(view, 0x7A4)
    assert "The base has no instruction of this block." in tip(view, 0x785)
    model = FLOW_BLOCKS
    shown = dump_rows(
        view.block_model, model.FIRST, model.SELF, model.BASE, model.NEW, model.GROWTH,
        model.EXECUTED,
    )  # fmt: skip
    assert [plain(row) for row in shown if row.startswith(("780", "7a4"))] == [
        "7a4 | +3291 | 3216 | 6507 | +102.33% | 1072→2169",
        "780 | +1072 | 1072 | 2144 | +100.00% | 1072",
    ]
    edges = dump_rows(view.edge_model, FLOW_EDGES.FROM, FLOW_EDGES.COUNT)
    assert sorted(plain(row) for row in edges if row.startswith("7ab")) == [
        "7ab | 0→50", "7ab | 1072→2119",
    ]  # fmt: skip


def test_without_the_program_of_the_base_only_the_new_side_is_shown(
    compared_flow: Flow, session: Session, settle: Settle
) -> None:
    """Addresses of two builds mean nothing to each other, so nothing is paired, and it says so."""
    view = compared_flow("weighted.constprop.0", finds=False)
    assert not view.base_bar.isHidden()
    assert view.base_bar.label.text() == (
        "Base: /corpus/comparison/sums-O2 was not found. Choose the file or its folder."
    )
    assert blocks(view)[0] == "770 – 77e: 250, 50×"
    session.set_file_search(
        (PathRule("/corpus/comparison/sums-edited", str(SUMS / "sums-edited")),), ()
    )
    settle(view)
    assert not view.base_bar.isHidden()
    view.base_bar.chosen.emit(view.base_bar.recorded_path, SUMS / "sums-O2")
    settle(view)
    assert view.base_bar.isHidden()
    assert blocks(view)[0] == "770 – 77e: 150→250 (+66.67%), 50×"


def test_parts_of_one_profile_are_paired_by_address(
    flow_of: Flow, session: Session, navigation: Navigation, settle: Settle, qtbot: QtBot
) -> None:
    """One recording has one program, so nothing else needs to be known."""
    navigation.set(unit=CostUnit.ABSOLUTE)
    view = flow_of(PARTS, "f")
    session.comparing.use_parts_as_base([PartId(0)])
    qtbot.waitUntil(lambda: session.comparison is not None)
    settle(view)
    assert blocks(view) == [
        "10: 3, 3×",
        "12: 30→63 (+110.00%), 30→63×",
        "14 – 16: 3→6 (+100.00%), 3×",
    ]
    assert arrows(view) == {
        "10>12 3", "12>12 taken 27→60", "12>14 not taken 3",
    }  # fmt: skip
    dr = session.queries.events.find("Dr") if session.queries else None
    navigation.set(event=dr)
    settle(view)
    assert blocks(view)[1] == "12: 10→5 (−50.00%), 30→63×"
    assert block(view, 0x12).box.change is not None
    session.comparing.stop()
    settle(view)
    assert block(view, 0x12).box.change is None
    assert blocks(view)[1] == "12: 15, 93×"


@pytest.mark.parametrize("dark", [False, True])
def test_changed_blocks_are_legible_in_their_colours(compared_flow: Flow, dark: bool) -> None:
    """Growth is vermilion and shrinkage blue, and both are behind texts."""
    theme.apply_palette(dark=dark)
    view = compared_flow("weighted.constprop.0")
    palette = view.canvas.palette()
    for address in (0x770, 0x785, 0x7A4):
        ground = block(view, address).background(palette)
        assert contrast(ground, palette.text().color()) >= 4.5
        assert ground.red() > ground.blue()
    assert block(view, 0x7AD).background(palette) == palette.alternateBase().color()
