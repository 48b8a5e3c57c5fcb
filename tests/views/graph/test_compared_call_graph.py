"""The call graph while profiles are compared: what refreshes it, its exports, and its cycles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.pictures.call_graph_view import CallGraphView
from qcachegrind_py.views.widgets.saving import to_svg
from tests.compared_graphs import BASE, NEW
from tests.profile_text import THIN
from tests.user_input import go_to, ignore_offscreen_warnings

pytestmark = ignore_offscreen_warnings

Compared = Callable[..., CallGraphView]
Settle = Callable[[CallGraphView], None]


@pytest.fixture
def compared(
    graph_of: Compared,
    draw: Callable[..., Path],
    session: Session,
    navigation: Navigation,
    settle: Settle,
    qtbot: QtBot,
) -> Compared:
    """Show the graph around main of two profiles, in absolute numbers and with all functions."""

    def compared(new: str = NEW, base: str = BASE) -> CallGraphView:
        path = draw(base, "base")
        view = graph_of(new)
        session.comparing.compare_with(ProfileFiles((path,), with_siblings=False))
        qtbot.waitUntil(lambda: session.comparison is not None)
        navigation.set(unit=CostUnit.ABSOLUTE)
        view.options.set("least_node", 0.01)
        go_to(session, navigation, "main")
        settle(view)
        return view

    return compared


def plain(text: str) -> str:
    """A text without thin spaces."""
    return text.replace(THIN, "")


def boxes(view: CallGraphView) -> dict[str, str]:
    """The cost of each box, by its name."""
    return {node.box.name: plain(node.box.cost) for node in view.canvas.boxes}


def test_a_swap_and_the_end_of_the_comparison_refresh_the_graph(
    compared: Compared, session: Session, settle: Settle, qtbot: QtBot
) -> None:
    """Swapped sides change places; without a base there is one cost, and no columns of both."""
    view = compared()
    assert view.canvas.accessibleName() == "Call graph of base and new"
    assert plain(view.canvas.accessibleDescription()) == "main · 440→880 (+100.00%)"
    assert "Base" in [view.node_model.title(n) for n in shown_columns(view)]

    session.comparing.swap()
    qtbot.waitUntil(lambda: boxes(view).get("old") == "0→30 (new)")
    settle(view)
    assert boxes(view)["work"] == "820→400 (−51.22%)"

    session.comparing.stop()
    qtbot.waitUntil(lambda: session.comparison is None)
    settle(view)
    assert boxes(view)["work"] == "400"
    assert view.canvas.accessibleName() == "Call graph"
    assert "Base" not in [view.node_model.title(n) for n in shown_columns(view)]
    assert "vermilion" not in view.note.text()


def shown_columns(view: CallGraphView) -> list[int]:
    """The columns of the table of nodes that are not hidden by the comparison."""
    view.table_button.setChecked(True)
    view.resize(3000, 600)
    table = view.tables[0]
    count = len(view.node_model.columns)
    return [column for column in range(count) if not table.isColumnHidden(column)]


def test_exports_have_base_and_new(compared: Compared) -> None:
    """SVG has the labels, CSV the columns, and DOT the labels, colours and words of both sides."""
    view = compared()
    shown_columns(view)

    svg, exports = to_svg(view.canvas).decode(), view.text_exports()
    csv = exports["CSV"]().splitlines()
    dot = plain(exports["DOT"]())

    assert "300→720 (+140.00%)" in plain(svg)
    assert csv[0].startswith("Incl. ±,Self ±,Base,New,Growth,")
    assert csv[2].startswith("420,0,400,820,1.05,more calls,")
    assert 'label="work\\n400→820 (+105.00%)"' in dot
    nodes = [line for line in dot.splitlines() if line.startswith("n") and " [label" in line[:11]]
    assert ["diagonals" in line for line in nodes] == ['label="old' in line for line in nodes]
    assert ["peripheries=2" in line for line in nodes] == ['label="fresh' in line for line in nodes]


def test_cycles_open_on_both_sides(compared: Compared, session: Session, settle: Settle) -> None:
    """The members of a cycle have a frame, and the calls to and inside it both costs."""
    drawing = """
        main 10 -> f 1x{0}
        f 40 -> g 2x{1}
        g {2} -> f 1x50, h 1x30
        h 30
        """
    view = compared(new=drawing.format(270, 300, 200), base=drawing.format(170, 200, 100))
    assert session.queries is not None
    cycle = NodeId(session.queries.function_count)
    view.toggle_cycle(cycle)
    settle(view)

    assert view.canvas.picture is not None
    assert [len(frame.boxes) for frame in view.canvas.picture.frames] == [2]
    labels = {plain(item.arrow.labels[0]) for item in view.canvas.arrows}
    assert {label for label in labels if "→" in label} == {
        "170→270 (+58.82%)",
        "200→300 (+50.00%)",
    }
