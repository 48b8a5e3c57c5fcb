"""The call graph while profiles are compared: labels, tips, tables, exports, what refreshes it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.picture import Spot
from qcachegrind_py.profile.ids import NodeId, PartId
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.graph.call_graph_view import CallGraphView
from qcachegrind_py.views.pictures.export import to_svg
from tests.compared_graphs import BASE, NEW
from tests.profile_text import THIN
from tests.user_input import go_to, ignore_offscreen_warnings

pytestmark = ignore_offscreen_warnings

Compared = Callable[..., CallGraphView]
Settle = Callable[[CallGraphView], None]
BOXES = {
    "main": "440→880 (+100.00%)",
    "work": "400→820 (+105.00%)",
    "leaf": "300→720 (+140.00%)",
    "fresh": "0→50 (new)",
    "old": "30→0 (gone)",
}
# the same profile in the format of Cachegrind: costs of functions without calls
WITHOUT_CALLS = "main 10\nwork 100\nold 30\nleaf 300"


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


def arrows(view: CallGraphView) -> dict[str, str]:
    """The label of each arrow, by the names of its ends."""
    names = [node.box.name for node in view.canvas.boxes]
    return {
        f"{names[arrow.source]}-{names[arrow.target]}": plain("\n".join(arrow.labels))
        for arrow in (item.arrow for item in view.canvas.arrows)
    }


def tip(view: CallGraphView, name: str) -> str:
    """The tip of a box."""
    node = next(node for node in view.canvas.boxes if node.box.name == name)
    return plain("\n".join(node.box.tip))


def test_labels_have_base_new_and_growth(compared: Compared) -> None:
    """Boxes and arrows of both sides are drawn; gone and new ones are called so."""
    view = compared()

    assert boxes(view) == BOXES
    assert arrows(view) == {
        "main-work": "400→820 (+105.00%)\n2→4 calls",
        "work-leaf": "300→720 (+140.00%)\n4→8 calls",
        "main-fresh": "0→50 (new)\n0→1 call",
        "main-old": "30→0 (gone)\n1→0 calls",
    }
    assert "below 9 left out" in view.note.text()
    assert "vermilion grew, blue shrank · double outline: new · hatched: gone" in view.note.text()
    assert view.canvas.accessibleName() == "Call graph of base and new"
    assert plain(view.canvas.accessibleDescription()) == "main · 440→880 (+100.00%)"


def test_the_legend_explains_what_is_there(compared: Compared) -> None:
    """Without new and gone functions, it says nothing about them, and leaves room for the rest."""
    view = compared("main 10 -> work 1x9\nwork 9", "main 10 -> work 1x8\nwork 8")

    assert "vermilion grew, blue shrank · below 1 left out · costs" in view.note.text()


def test_tips_say_how_both_sides_differ_and_why(compared: Compared) -> None:
    """A tip has both costs, the change, the calls of both sides and what they add to it."""
    view = compared()

    leaf = tip(view, "leaf")
    assert "300→720 (+140.00%) on call paths through main" in leaf
    assert "Base 300, new 720, change +420" in leaf
    assert "4→8 calls" in leaf
    assert "+330 by the number of calls (4→8), +90 by the cost per call" in leaf
    assert "New: costs nothing here in the base" in tip(view, "fresh")
    assert "Gone: costs nothing here in the new profile" in tip(view, "old")
    arrow = plain("\n".join(view.canvas.arrows[0].arrow.tip))
    assert "main\n→ work\n400→820 (+105.00%)\nBase 400, new 820, change +420" in arrow
    assert "work · 400→820 (+105.00%) · 2→4 calls · more calls" in [
        plain(detail.text)
        for item in view.canvas.boxes
        if (detail := view.canvas.detail_of(Spot(item.row)))
    ]


def test_a_base_without_calls_has_dashes(compared: Compared) -> None:
    """Costs on call paths cannot be compared with a base that has no calls."""
    view = compared(base=WITHOUT_CALLS)

    assert boxes(view)["work"] == "–→820"
    assert arrows(view)["main-work"] == "–→820\n–→4 calls"
    assert "The base has no such costs." in tip(view, "work")
    changes = [item.box.change for item in view.canvas.boxes]
    assert all(change is not None and not change.strength for change in changes)


def test_estimates_are_marked_on_both_sides(
    compared: Compared, session: Session, settle: Settle
) -> None:
    """A part in proportion is marked, and its change is not explained by calls."""
    drawing = """
        main 5 -> a 1x{0}, b 2x60
        a 10 -> mid 1x{1}
        b 20 -> mid 1x40
        mid {2} -> x 2x20
        x 20
        """
    view = compared(new=drawing.format(90, 80, 100), base=drawing.format(50, 40, 60))
    go_to(session, session.navigation, "a")
    settle(view)

    assert boxes(view)["mid"] == "40→80 (+100.00%)"
    assert boxes(view)["x"] == "≈10→13 (+30.00%)"
    assert "Changes of estimates may be there although nothing changed." in tip(view, "x")
    assert "by the number of calls" not in tip(view, "x")
    assert "by the number of calls" in tip(view, "mid")


def test_units_apply_to_both_sides(
    compared: Compared, navigation: Navigation, settle: Settle
) -> None:
    """Percentages are of the base; shares of each side; costs per call of the active function."""
    view = compared()
    found = {}
    for unit in (CostUnit.PERCENT, CostUnit.SHARES, CostUnit.PER_CALL):
        navigation.set(unit=unit)
        settle(view)
        found[unit] = boxes(view)["work"]

    assert found == {
        CostUnit.PERCENT: "90.91→186.36% (+105.00%)",
        CostUnit.SHARES: "90.91→93.18 % (+2.27)",
        CostUnit.PER_CALL: "–",  # main was never called
    }


def test_full_costs_are_those_recorded(compared: Compared, settle: Settle) -> None:
    """With Full Costs, boxes have the inclusive costs of both sides, whatever is active."""
    extra = "\nother 5 -> leaf 1x{0}"
    view = compared(
        new=NEW.replace("leaf 720", "leaf 900") + extra.format(180),
        base=BASE.replace("leaf 300", "leaf 360") + extra.format(60),
    )
    view.options.set("recorded", True)
    settle(view)

    assert boxes(view)["leaf"] == "360→900 (+150.00%)"


def test_a_swap_and_the_end_of_the_comparison_refresh_the_graph(
    compared: Compared, session: Session, settle: Settle, qtbot: QtBot
) -> None:
    """Swapped sides change places; without a base there is one cost, and no columns of both."""
    view = compared()
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

    assert BOXES["leaf"] in plain(svg)
    assert csv[0].startswith("Incl. ±,Self ±,Base,New,Growth,")
    assert csv[2].startswith("420,0,400,820,1.05,more calls,")
    assert 'label="work\\n400→820 (+105.00%)"' in dot
    nodes = [line for line in dot.splitlines() if line.startswith("n") and " [label" in line[:11]]
    assert ["diagonals" in line for line in nodes] == ['label="old' in line for line in nodes]
    assert ["peripheries=2" in line for line in nodes] == ['label="fresh' in line for line in nodes]


def test_parts_of_one_profile_are_two_sides(
    graph_of: Compared,
    session: Session,
    navigation: Navigation,
    settle: Settle,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    """Two dumps of one run are compared like two runs."""
    path = tmp_path / "callgrind.out.1"
    part = "part: {0}\nevents: Ir\nfn=main\n1 {1}\ncfn=f\ncalls={2} 1\n1 {3}\nfn=f\n1 {3}\n"
    path.write_text(part.format(1, 10, 1, 5) + part.format(2, 30, 3, 15), encoding="utf-8")
    view = graph_of(path)
    session.comparing.use_parts_as_base([PartId(0)])
    qtbot.waitUntil(lambda: session.comparison is not None)
    navigation.set(unit=CostUnit.ABSOLUTE)
    go_to(session, navigation, "main")
    settle(view)

    assert boxes(view) == {"main": "15→45 (+200.00%)", "f": "5→15 (+200.00%)"}
    assert arrows(view) == {"main-f": "5→15 (+200.00%)\n1→3 calls"}


def test_an_event_of_one_side_has_dashes(
    graph_of: Compared,
    session: Session,
    navigation: Navigation,
    settle: Settle,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    """What the base has not measured is not 0 there, and there is no change."""
    base, new = tmp_path / "base", tmp_path / "new"
    text = "events: {0}\nfn=main\n1 {1}\ncfn=f\ncalls=1 1\n1 {2}\nfn=f\n1 {2}\n"
    base.write_text(text.format("Ir", "10", "5"), encoding="utf-8")
    new.write_text(text.format("Ir Dr", "10 4", "5 2"), encoding="utf-8")
    view = graph_of(new)
    session.comparing.compare_with(ProfileFiles((base,), with_siblings=False))
    qtbot.waitUntil(lambda: session.comparison is not None)
    navigation.set(unit=CostUnit.ABSOLUTE, event=navigation.context.events.find("Dr"))
    go_to(session, navigation, "main")
    settle(view)

    assert boxes(view) == {"main": "–→6", "f": "–→2"}
    assert arrows(view) == {"main-f": "–→2\n–→1 call"}


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
    assert {name for name, label in arrows(view).items() if "→" in label} == {
        "main-f <cycle 1>",
        "f <cycle 1>-g <cycle 1>",
    }
    assert arrows(view)["main-f <cycle 1>"] == "170→270 (+58.82%)\n1 call"
