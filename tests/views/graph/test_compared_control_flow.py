"""The control flow of a comparison: what pairs both sides, and what refreshes it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.file_search import PathRule
from qcachegrind_py.views.pictures.control_flow_view import ControlFlowView
from qcachegrind_py.views.pictures.diagram_items import BoxItem
from tests.profile_rows import DATA
from tests.profile_text import THIN

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
    dr = session.queries.events.find("Dr") if session.queries else None
    navigation.set(event=dr)
    settle(view)
    assert blocks(view)[1] == "12: 10→5 (−50.00%), 30→63×"
    assert block(view, 0x12).box.change is not None
    session.comparing.stop()
    settle(view)
    assert block(view, 0x12).box.change is None
    assert blocks(view)[1] == "12: 15, 93×"
