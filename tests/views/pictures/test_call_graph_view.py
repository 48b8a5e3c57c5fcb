"""The Call Graph dock: its options, its picture, and both sides of a comparison."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QPalette
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import NO_FILTER, parse_filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.picture import Arrangement, Line
from qcachegrind_py.profile.errors import LayoutError
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphvizLayout, LayoutInput, LayoutResult
from qcachegrind_py.views.pictures.call_graph_view import (
    GRAPH_CHOICES,
    CallGraphView,
    Direction,
    GraphOptions,
    is_wide_pane,
)
from qcachegrind_py.views.widgets.saving import to_svg
from tests.compared_graphs import BASE, NEW
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
from tests.views.pictures.conftest import Graph, Settle, option


def test_defaults_show_where_a_hot_function_is_called_from() -> None:
    """All calls up and down, from 5 % on, gaps on the grid; top to bottom unless it is wide."""
    options = GraphOptions()

    assert options.limits(frozenset()) == SubgraphLimits(None, None, 0.05, 1.0, True, frozenset())
    assert options.arrangement(is_wide=False, step=8) == Arrangement(False, 16.0, 24.0)
    assert options.arrangement(is_wide=True, step=10) == Arrangement(True, 20.0, 30.0)
    assert (options.skipped, options.groups, options.recorded) == (False, False, False)


def test_every_option_can_be_chosen_and_so_can_its_default() -> None:
    """Each field has a menu entry with distinct values that include the default."""
    options = GraphOptions()

    assert GRAPH_CHOICES.keys() == {field.name for field in fields(GraphOptions)}
    for name, choice in GRAPH_CHOICES.items():
        values = [value for value, _ in choice.values]
        assert choice.allows(getattr(options, name)), name
        assert len(set(values)) == len(values)
        assert choice.tooltip
        assert all(text for _, text in choice.values)
        for value in values:
            changed = replace(options, **{name: value})
            changed.limits(frozenset())
            assert changed.arrangement(is_wide=False, step=8).rank_gap > 0


@pytest.mark.parametrize(
    ("caller_depth", "callee_depth", "least", "in_force"),
    [
        (2, 5, 0.0, 0.0),
        (0, 0, 0.0, 0.0),
        (None, 5, 0.0, 0.01),
        (2, None, 0.0, 0.01),
        (None, None, 0.0, 0.01),
        (None, None, 0.2, 0.2),
        (2, 5, 0.2, 0.2),
    ],
)
def test_no_minimum_only_where_both_depths_are_limited(
    caller_depth: int | None, callee_depth: int | None, least: float, in_force: float
) -> None:
    """Without a minimum the graph needs both depth limits, or it is 1 %, as the menu says."""
    options = GraphOptions(caller_depth, callee_depth, least)

    assert options.limits(frozenset({7})) == SubgraphLimits(
        caller_depth, callee_depth, in_force, 1.0, True, frozenset({7})
    )


@pytest.mark.parametrize("is_wide", [False, True])
def test_a_chosen_direction_is_independent_of_the_pane(is_wide: bool) -> None:
    """Only the automatic direction follows the pane; rings have none."""
    chosen = {
        direction: GraphOptions(direction=direction.value).arrangement(is_wide, 8)
        for direction in Direction
    }
    assert {
        direction.value: (options.is_horizontal, options.is_circular)
        for direction, options in chosen.items()
    } == {
        "automatic": (is_wide, False),
        "down": (False, False),
        "right": (True, False),
        "circular": (False, True),
    }


def test_a_pane_near_the_limit_stays_as_it_was() -> None:
    """Small changes of the size do not turn the graph back and forth."""
    shapes = (1.0, 2.4, 2.6, 2.8, 3.0, 3.5)
    assert [is_wide_pane(shape, was_wide=False) for shape in shapes] == [False] * 4 + [True] * 2
    assert [is_wide_pane(shape, was_wide=True) for shape in shapes] == [False] * 2 + [True] * 4


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
    assert view.note.shown_text == view.note.text(), "nothing is pointed at"
    assert note(view).split(" · ") == [
        "5 functions",
        "below 2.72% hidden",
        "dashed ≈ estimated",
    ]
    navigation.set(unit=CostUnit.ABSOLUTE)
    go_to(session, navigation, "deep")
    settle(view)
    assert boxes(view) == {"deep 200!", "work 200!", "leaf 80!", "start › main ≈100", "other ≈100"}
    assert note(view) == "6 functions · below 10 hidden · dashed ≈ estimated"


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

    assert before == ({"libc", "prog", "lib"}, False, False)
    assert after[:2] == (set(), "no frames around groups in a circular layout")
    assert "layout=twopi; root=n" in after[2]


# ---------------------------------------------------------------- options


OPTIONS: list[tuple[str, object]] = [
    ("caller_depth", 1), ("callee_depth", 0), ("least_node", 0.5), ("least_call", 0.1),
    ("groups", True), ("recorded", True), ("direction", "right"), ("compactness", "tall"),
    ("direction", "circular"), ("counts", True),
    ("compactness", "compact"), ("skipped", True), ("corner", "hidden"), ("chains", True),
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
    option(view, settle, chains=False, caller_depth=2)
    view.canvas.resize(300, 300)
    navigation.set(grouping=Grouping.FILE)
    settle(view)
    first, defaults = visible_state(view), GraphOptions(chains=False, caller_depth=2)
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
    assert "full costs" in seen["recorded", True][5]
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
    assert view.match_label.text() == "1 of 6"


ROW = "\n".join(
    [
        "main 10 -> f0 1x990",
        *(f"f{n} 10 -> f{n + 1} 1x{980 - 10 * n}" for n in range(12)),
        "f12 870",
    ]
)


class PatientLayout:
    """A layout that, while `held`, waits until it is `free` or cancelled."""

    def __init__(self, layout: GraphvizLayout) -> None:
        self._layout = layout
        self.free = threading.Event()
        self.free.set()
        self.waiting = 0
        self.error: LayoutError | None = None

    def prepare(self) -> None:
        self._layout.prepare()

    def layout(self, graph: LayoutInput, progress: Progress) -> LayoutResult:
        self.waiting += 1
        try:
            while not self.free.wait(0.005):
                progress.check(0.0)
        finally:
            self.waiting -= 1
        if self.error is not None:
            raise self.error
        return self._layout.layout(graph, progress)

    def close(self) -> None:
        self.free.set()
        self._layout.close()


@pytest.fixture
def patient(layout: GraphvizLayout) -> PatientLayout:
    """A layout that can be held."""
    return PatientLayout(layout)


def name_set(view: CallGraphView) -> set[str]:
    """The names of the boxes."""
    return {node.box.name for node in view.canvas.boxes}


def active_box(view: CallGraphView) -> list[str]:
    """The name of the highlighted box."""
    return [node.box.name for node in view.canvas.boxes if node.box.is_active]


def contrast(image: QImage, view: CallGraphView) -> int:
    """The distance of the darkest pixel from the base colour."""
    base = view.palette().color(QPalette.ColorRole.Base).lightness()
    colors = {image.pixel(x, y) for x in range(0, image.width(), 2) for y in range(image.height())}
    return max(abs(base - max(c >> 16 & 255, c >> 8 & 255, c & 255)) for c in colors)


def test_the_last_picture_stays_greyed_until_the_new_one_is_there(
    graph_of: Graph, patient: PatientLayout, qtbot: QtBot, session: Session,
    navigation: Navigation, settle: Settle,
) -> None:  # fmt: skip
    """While a layout takes long, the old picture is paler; the new one has full colours."""
    view = graph_of("main 10 -> f 1x90\nf 90", by=patient)
    before, strong = view.canvas.picture, contrast(view.canvas.grab().toImage(), view)
    patient.free.clear()
    go_to(session, navigation, "f")
    qtbot.waitUntil(lambda: contrast(view.canvas.grab().toImage(), view) < strong * 0.6)
    assert view.canvas.picture is before
    assert (active_box(view), name_set(view), view.message) == (["main"], {"main", "f"}, "")
    assert view.node_model.rowCount() == 2

    patient.free.set()
    settle(view)
    assert active_box(view) == ["f"]
    assert contrast(view.canvas.grab().toImage(), view) >= strong * 0.9


def test_ten_quick_selections_leave_one_picture(
    graph_of: Graph, patient: PatientLayout, qtbot: QtBot, session: Session,
    navigation: Navigation, settle: Settle,
) -> None:  # fmt: skip
    """Only the last of ten layouts is drawn, once; the others are cancelled."""
    view = graph_of(ROW, by=patient)
    shown: list[list[str]] = []
    view.canvas.current_changed.connect(lambda: shown.append(active_box(view)))
    patient.free.clear()
    for n in range(10):
        go_to(session, navigation, f"f{n}")
        assert session.jobs.is_running(view.title)
    qtbot.waitUntil(lambda: patient.waiting == 1)
    assert shown == []

    patient.free.set()
    settle(view)
    assert (shown, patient.waiting) == ([["f9"]], 0)


def test_an_error_is_a_sentence_and_the_next_selection_works(
    graph_of: Graph, patient: PatientLayout, session: Session, navigation: Navigation,
    settle: Settle,
) -> None:  # fmt: skip
    """Without a layout the view explains why, keeps no picture, and recovers."""
    view = graph_of(ROW, by=patient)
    patient.error = LayoutError("The <b>layout</b>\x01 crashed twice.", "Raise the least cost.")
    go_to(session, navigation, "f1")
    settle(view)
    assert view.message == r"The <b>layout</b>\x01 crashed twice. Raise the least cost."
    assert (view.canvas.picture, view.node_model.rowCount(), view.call_model.rowCount()) == (
        None,
        0,
        0,
    )
    assert view.text_exports()["DOT"]() == ""

    patient.error = None
    go_to(session, navigation, "f2")
    settle(view)
    assert (view.message, active_box(view)) == ("", ["f2"])


pytestmark = ignore_offscreen_warnings

Compared = Callable[..., CallGraphView]


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

    def compared(new: str = NEW, base: str = BASE, *, chains: bool = True) -> CallGraphView:
        path = draw(base, "base")
        view = graph_of(new)
        session.comparing.compare_with(ProfileFiles((path,), with_siblings=False))
        qtbot.waitUntil(lambda: session.comparison is not None)
        navigation.set(unit=CostUnit.ABSOLUTE)
        view.options.set("least_node", 0.01)
        view.options.set("chains", chains)
        go_to(session, navigation, "main")
        settle(view)
        return view

    return compared


def plain(text: str) -> str:
    """A text without thin spaces."""
    return text.replace(THIN, "")


def costs_by_name(view: CallGraphView) -> dict[str, str]:
    """The cost of each box, by its name."""
    return {node.box.name: plain(node.box.cost) for node in view.canvas.boxes}


def test_a_swap_and_the_end_of_the_comparison_refresh_the_graph(
    compared: Compared, session: Session, settle: Settle, qtbot: QtBot
) -> None:
    """Swapped sides change places; without a base there is one cost, and no columns of both."""
    view = compared(chains=False)
    assert view.canvas.accessibleName() == "Call graph of base and new"
    assert plain(view.canvas.accessibleDescription()) == "main · 440→880 (+100.00%)"
    assert "Base" in [view.node_model.columns[n].heading for n in shown_columns(view)]

    session.comparing.swap()
    qtbot.waitUntil(lambda: costs_by_name(view).get("old") == "0→30 (new)")
    settle(view)
    assert costs_by_name(view)["work"] == "820→400 (−51.22%)"

    session.comparing.stop()
    qtbot.waitUntil(lambda: session.comparison is None)
    settle(view)
    assert costs_by_name(view)["work"] == "400"
    assert view.canvas.accessibleName() == "Call graph"
    assert "Base" not in [view.node_model.columns[n].heading for n in shown_columns(view)]
    assert "orange" not in view.note.text()


def shown_columns(view: CallGraphView) -> list[int]:
    """The columns of the table of nodes that are not hidden by the comparison."""
    view.table_button.setChecked(True)
    view.resize(3000, 600)
    table = view.tables[0]
    count = len(view.node_model.columns)
    return [column for column in range(count) if not table.isColumnHidden(column)]


def test_exports_have_base_and_new(compared: Compared) -> None:
    """SVG has the labels, CSV the columns, and DOT the labels, colours and words of both sides."""
    view = compared(chains=False)
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
    assert {label for label in labels if "→" in label} == {"170→270 (+58.82%)", "200→300 (+50.00%)"}
