"""The call graph of the active function: content, notes, expanded cycles, search."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import NO_FILTER, parse_filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.picture import Line
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.pictures.call_graph_view import CallGraphView, GraphOptions
from tests.profile_rows import DATA
from tests.profile_text import THIN
from tests.user_input import (
    LEFT,
    NONE,
    active_name,
    choose_action,
    context_menu_opener,
    enabled_texts,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
)

Graph = Callable[..., CallGraphView]
Settle = Callable[[CallGraphView], None]
Draw = Callable[..., Path]
OpenProfile = Callable[..., None]

# main and other each cause half of the cost of work
SHARED = """
    start@s.c@libc 0 -> main 1x500
    main@m.c@prog 10 -> work 2x400, leaf 1x90
    other@m.c@prog 20 -> work 6x400
    work@w.c@prog 300 -> leaf 20x300, deep 4x200
    deep@w.c@lib 120 -> leaf 8x80
    leaf@w.c@lib 470
    """
CYCLE = """
    main@a.c@prog 10 -> f 3x990
    f@b.c@prog 40 -> g 4x700, leaf 2x50
    g@b.c@lib 500 -> f 2x300, h 3x200, leaf 4x100
    h@c.c@lib 200 -> g 1x100
    leaf@d.c 150
    """


def boxes(view: CallGraphView) -> set[str]:
    """Name and cost of each box, with ! if its outline is solid."""
    plain_texts = [
        (f"{node.box.name} {node.box.cost}" + "!" * node.box.is_exact).replace(THIN, "")
        for node in view.canvas.boxes
    ]
    assert len(set(plain_texts)) == len(plain_texts)
    return set(plain_texts)


def names(view: CallGraphView) -> list[str]:
    """The names of the boxes, costliest first."""
    return [node.box.name for node in view.canvas.boxes]


def arrows(view: CallGraphView) -> set[str]:
    """Ends and texts of each arrow, with ! if it is solid."""
    return {
        (
            f"{names(view)[arrow.source]} > {names(view)[arrow.target]} {' '.join(arrow.labels)}"
            + "!" * (arrow.line is Line.EXACT)
        ).replace(THIN, "")
        for arrow in (item.arrow for item in view.canvas.arrows)
    }


def frames(view: CallGraphView) -> set[str]:
    """The titles of the frames."""
    assert view.canvas.items is not None
    return {item.frame.name for item in view.canvas.items.frames}


def option(view: CallGraphView, settle: Settle, **values: object) -> None:
    """Set options as the menu does, and wait for the picture."""
    for name, value in values.items():
        view.options.set(name, value)
    settle(view)


def note(view: CallGraphView) -> str:
    """The note below the picture, without thin spaces."""
    return view.note.text().replace(THIN, "")


# ---------------------------------------------------------------- content


def test_the_graph_of_the_active_function(
    graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Callers and callees are around the active function, with their part of its cost."""
    view = graph_of(SHARED)

    assert boxes(view) == {
        "main 54.35%!", "start 54.35%!", "work 43.48%!", "leaf ≈30.43%", "deep ≈10.87%"
    }  # fmt: skip
    assert note(view).split(" · ") == [
        "5 functions, 6 calls",
        "below 2.72% left out",
        "costs on paths through main; dashed and ≈: estimated",
    ]
    navigation.set(unit=CostUnit.ABSOLUTE)
    go_to(session, navigation, "deep")
    settle(view)
    assert boxes(view) == {"deep 200!", "work 200!", "leaf 80!", "main ≈100", "other ≈100"}
    assert note(view).endswith("costs on paths through deep; dashed and ≈: estimated")


# ---------------------------------------------------------------- cycles and unusual profiles


def cycle_of(session: Session) -> int:
    """The number of the only cycle."""
    assert session.queries is not None
    return session.queries.function_count


def node_named(view: CallGraphView, name: str) -> QPoint:
    """The position of a node's centre on the canvas."""
    (node,) = [node for node in view.canvas.boxes if node.box.name == name]
    return view.canvas.on_screen(node.area.center()).toPoint()


def sign_of(view: CallGraphView, name: str) -> QPoint:
    """The position of a cycle's expander on the canvas."""
    (node,) = [node for node in view.canvas.boxes if node.box.name == name]
    return view.canvas.on_screen(node.button_area().center()).toPoint()


def menu_at(view: CallGraphView, place: QPoint) -> Callable[[], None]:
    """Open the context menu at a position of the canvas."""
    return context_menu_opener(view.canvas.viewport(), place)


@ignore_offscreen_warnings
def test_a_cycle_is_one_box_that_opens_and_closes(
    graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """The expander shows the members in a frame; a member's menu collapses the cycle."""
    view = graph_of(CYCLE)
    assert names(view) == ["main", "<cycle 1>", "leaf"]
    assert frames(view) == set()

    QTest.mouseClick(view.canvas.viewport(), LEFT, NONE, sign_of(view, "<cycle 1>"))
    settle(view)
    assert set(names(view)) == {"main", "f <cycle 1>", "g <cycle 1>", "h <cycle 1>", "leaf"}
    assert frames(view) == {"<cycle 1>"}
    assert active_name(session, navigation) == "main"

    choose_action(menu_at(view, node_named(view, "g <cycle 1>")), "Show Cycle as One")
    settle(view)
    assert (names(view), frames(view)) == (["main", "<cycle 1>", "leaf"], set())
    choose_action(menu_at(view, node_named(view, "<cycle 1>")), "Open Cycle")
    settle(view)
    assert frames(view) == {"<cycle 1>"}
    assert "Open Cycle" not in inspect_menu(menu_at(view, node_named(view, "leaf")), enabled_texts)


def test_an_open_cycle_stays_open_from_function_to_function(
    graph_of: Graph, session: Session, navigation: Navigation, settle: Settle, draw: Draw,
    open_profile: OpenProfile,
) -> None:  # fmt: skip
    """It stays expanded for other active functions, but not in another profile."""
    view = graph_of(CYCLE)
    view.toggle_cycle(cycle_of(session))
    settle(view)
    for name in ("f", "leaf", "main"):
        go_to(session, navigation, name)
        settle(view)
        assert {"f <cycle 1>", "g <cycle 1>"} <= set(names(view))
    navigation.select_function(cycle_of(session))
    settle(view)
    assert "<cycle 1>" not in names(view)

    open_profile(draw(CYCLE.replace("leaf", "tail"), "callgrind.out.2"))
    settle(view)
    assert "g <cycle 1>" not in names(view)


@pytest.mark.parametrize(
    ("drawing", "seen"),
    [
        ("f 10 -> f 3x30", {"f 100.00%!"}),
        ("only 7", "no calls"),
        ("main 0 -> f 1x0\nf 0", {"main 0!"}),
        (f"main 0 -> f 1x{1 << 62}\nf {1 << 62}", {"main 100.00%!", "f 100.00%!"}),
        ("main 5 -> f 1x10\nf 10 -> f 2x4, main 1x3", {"<cycle 1>", "main <cycle 1>"}),
    ],
    ids=["only itself", "one function", "costs of 0", "costs of 2^62", "all in a cycle"],
)
def test_unusual_profiles(drawing: str, seen: set[str] | str, graph_of: Graph) -> None:
    """Self-recursion, a single function, costs of 0 and 2^62: a picture or an explanation."""
    view = graph_of(drawing)

    if isinstance(seen, str):
        assert "contains no calls" in view.message
        assert (names(view), view.node_model.rowCount()) == ([], 0)
    elif "<cycle 1>" in seen:
        assert (set(names(view)), view.message) == (seen, "")
    else:
        assert (boxes(view), view.message) == (seen, "")
    view.grab()


def test_empty_view_is_explained(
    graph_of: Graph, session: Session, settle: Settle, draw: Draw,
    open_profile: OpenProfile,
) -> None:  # fmt: skip
    """A profile without calls and a ratio are explained, and the old picture is cleared."""
    view = graph_of(SHARED)
    assert names(view)
    open_profile(DATA / "cachegrind/cachegrind.out.templ-O2.xz")
    settle(view)
    assert view.message.startswith("The profile contains no calls.")
    rows = view.node_model.rowCount(), view.call_model.rowCount()
    assert (names(view), view.canvas.picture, *rows) == ([], None, 0, 0)

    open_profile(draw(SHARED, "callgrind.out.3"))
    settle(view)
    assert (view.message, len(names(view))) == ("", 5)


def test_groups_have_no_frames_in_a_circular_layout(graph_of: Graph, settle: Settle) -> None:
    """They would surround boxes of other groups, too; the note says so, and DOT has the layout."""
    view = graph_of(FAR)
    option(view, settle, groups=True)
    before = frames(view), "no frames" in note(view), "twopi" in view.text_exports()["DOT"]()
    option(view, settle, direction="circular")
    after = frames(view), note(view).split(" · ")[-1], view.text_exports()["DOT"]()

    assert before == ({"w.c", "s.c"}, False, False)
    assert after[:2] == (set(), "no frames around groups in a circular layout")
    assert "layout=twopi; root=n" in after[2]


# ---------------------------------------------------------------- options


OPTIONS: list[tuple[str, object]] = [
    ("caller_depth", 1), ("callee_depth", 0), ("least_node", 0.5), ("least_call", 0.1),
    ("groups", True), ("recorded", True), ("direction", "right"), ("compactness", "tall"),
    ("direction", "circular"), ("counts", True),
    ("compactness", "compact"), ("skipped", True), ("corner", "hidden"),
]  # fmt: skip
FAR = """
    top@s.c@libc 0 -> start 1x500
    start@s.c@libc 0 -> main 1x500
    main@m.c@prog 1 -> work 2x400, leaf 1x90, deep 1x9
    other@m.c@prog 20 -> work 6x400
    work@w.c@prog 300 -> leaf 20x300, deep 4x200
    deep@w.c@lib 126 -> leaf 8x80, rare 1x3
    leaf@w.c@lib 470
    rare@w.c@lib 3
    """


def visible_state(view: CallGraphView) -> tuple[object, ...]:
    """Everything an option may change."""
    places = [(node.area.center().x(), node.area.center().y()) for node in view.canvas.boxes]
    stubs = [node.box.stubs for node in view.canvas.boxes]
    return boxes(view), arrows(view), frames(view), places, stubs, note(view)


def test_each_option_changes_the_picture_and_comes_back(
    graph_of: Graph, navigation: Navigation, settle: Settle
) -> None:
    """Each option has its effect; resetting it restores the picture."""
    view = graph_of(FAR)
    view.canvas.resize(300, 300)
    navigation.set(grouping=Grouping.FILE)
    settle(view)
    first, defaults = visible_state(view), GraphOptions()
    seen = {}
    for name, value in OPTIONS:
        option(view, settle, **{name: value})
        seen[name, value] = visible_state(view)
        horizontal = {n.box.name: n.area.center() for n in view.canvas.boxes}
        if value == "right":
            assert horizontal["start"].x() < horizontal["main"].x() < horizontal["work"].x()
            assert "rankdir=LR;" in view.text_exports()["DOT"]()
        option(view, settle, **{name: getattr(defaults, name)})
        assert visible_state(view) == first, name
    changed = {key for key, picture in seen.items() if picture != first}

    assert changed == set(OPTIONS) - {("corner", "hidden")}
    assert set(names(view)) == {"top", "start", "main", "work", "leaf", "deep"}
    assert {b.split(" ")[0] for b in seen["caller_depth", 1][0]} == {
        "start", "main", "work", "leaf", "deep"
    }  # fmt: skip
    assert {b.split(" ")[0] for b in seen["callee_depth", 0][0]} == {
        "top", "start", "main"
    }  # fmt: skip
    assert {b.split(" ")[0] for b in seen["least_node", 0.5][0]} == {
        "top", "start", "main", "work", "leaf"
    }  # fmt: skip
    assert seen["groups", True][2] == {"s.c", "w.c"}
    assert any(stub != (False, False) for stub in seen["skipped", True][4])
    assert "work 86.96%!" in seen["recorded", True][0]
    assert any("main > deep" in arrow for arrow in seen["least_call", 0.1][1] - first[1])
    assert "costs as recorded" in seen["recorded", True][5]
    counts = {box.partition(" ")[0]: box.rpartition(" ")[2] for box in seen["counts", True][0]}
    assert counts == {
        "top": "1×!", "start": "1×!", "main": "1×!", "work": "2×!", "deep": "≈3×", "leaf": "≈15×"
    }  # fmt: skip


# ---------------------------------------------------------------- settings of the window


def test_names_numbers_filter_and_scope_are_followed(
    graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Short names, units, a filter and disabled cycles each redraw the graph."""
    view = graph_of(CYCLE.replace("leaf", "ns::leaf<int>"))
    assert "ns::leaf<int>" in names(view)
    navigation.set(short_names=True)
    settle(view)
    assert "ns::leaf<int>" not in names(view)
    assert len(names(view)) == 3
    view.search.setText("LEAF<int")
    assert view.match_label.text() == "1 of 3", "found in full names, as in the other pictures"
    view.search.clear()

    navigation.set(unit=CostUnit.PERCENT_OF_PARENT)
    settle(view)
    assert "main 100.00%!" in boxes(view)
    navigation.set(filter=parse_filter("-leaf"), short_names=False)
    settle(view)
    assert names(view) == ["main", "<cycle 1>"]
    assert "1 hidden by the filter" in note(view)

    navigation.set(filter=NO_FILTER, scope=Scope(cycles=False))
    settle(view)
    assert {"f", "g", "h"} <= set(names(view))


# ---------------------------------------------------------------- search


def test_search_fades_and_return_goes_from_match_to_match(
    graph_of: Graph, session: Session, navigation: Navigation
) -> None:
    """Others fade with their arrows; Return selects the matches in turn."""
    view = graph_of(SHARED)
    view.search.setFocus()
    QTest.keyClicks(view.search, "AR")
    faded = {node.box.name for node in view.canvas.boxes if node.is_faded}
    assert faded == {"main", "work", "leaf", "deep"}
    assert view.match_label.text() == "1 of 5"
    lit = [item.arrow.source for item in view.canvas.arrows if not item.is_faded]
    assert [names(view)[source] for source in lit] == ["start"]

    view.search.setText("a")
    assert view.match_label.text() == "3 of 5"
    gone_to = []
    for _ in range(4):
        QTest.keyClick(view.search, Qt.Key.Key_Return)
        process_events()
        assert session.queries is not None
        gone_to.append(session.queries.names.name(navigation.context.selected))
    assert gone_to[:3] == [name for name in names(view) if "a" in name]
    assert gone_to[3] == gone_to[0]
    view.search.setText("r")
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    process_events()
    first = next(name for name in names(view) if "r" in name)
    assert session.queries.names.name(navigation.context.selected) == first
    assert active_name(session, navigation) == "main"

    QTest.keyClick(view.search, Qt.Key.Key_Escape)
    assert (view.search.text(), view.match_label.text()) == ("", "")
    assert not any(item.is_faded for item in [*view.canvas.boxes, *view.canvas.arrows])


def test_search_without_matches(
    graph_of: Graph, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Everything fades and Return does nothing; the next picture is searched, too."""
    view = graph_of(SHARED)
    view.search.setText("nobody")
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    assert view.match_label.text() == "0 of 5"
    assert all(node.is_faded for node in view.canvas.boxes)
    assert navigation.context.selected == -1

    view.search.setText("other")
    go_to(session, navigation, "work")
    settle(view)
    assert {node.box.name for node in view.canvas.boxes if not node.is_faded} == {"other"}
    assert view.match_label.text() == f"1 of {len(names(view))}"
