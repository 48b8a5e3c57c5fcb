"""The Call Graph dock: callers and callees around the active function.

Costs are those of call paths through the active function, or recorded costs as an option. A job
selects the functions and lays them out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.explanation.numbers import (
    AnyKey,
    EstimateKey,
    EstimateKind,
    Measure,
    NumberKey,
    NumberKind,
    NumberRequest,
    call_key,
    exact_recording_command,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.call_graph import (
    NO_GRAPH_CALLS,
    NO_GRAPH_NODES,
    CallGraph,
    call_graph,
    call_table,
    node_table,
)
from qcachegrind_py.present.call_graph_picture import (
    GraphLook,
    NodeBoxes,
    chain_boxes,
    graph_diagram,
    graph_frames,
    single_boxes,
    summary,
)
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.number_request import number_request, parent_of_calls
from qcachegrind_py.present.picture import NOWHERE, Arrangement, Diagram, Spot
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.pictures.diagram_items import DiagramItems, FontMeasure
from qcachegrind_py.views.pictures.diagram_overview import CORNER_CHOICE, Corner
from qcachegrind_py.views.pictures.view import PICTURE_MENU, DiagramView
from qcachegrind_py.views.profile_view import has_cursor
from qcachegrind_py.views.tables.record_table import FunctionTable
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import arrow_color, box_color, node_colors
from qcachegrind_py.views.widgets.controls import Choice, OptionMenu, text_menu_button
from qcachegrind_py.views.widgets.grid import grid

if TYPE_CHECKING:
    from qcachegrind_py.write.dot import ComparedLook

# between functions of a rank, and between ranks, in half lines
_GAPS = {"compact": (1, 2), "normal": (2, 3), "tall": (3, 8)}
_MIN_UNLIMITED_SHARE = 0.01  # used for "no minimum" if a depth is unlimited

# Panes at least this many times as wide as high get graphs from left to right. Around 60 hot
# functions of six programs, these then show as many whole boxes as from top to bottom: 2.5 in 664 x
# 256 pixels, against 2.7; 4.9 in 1000 x 330, against 4.2; 6.1 in 1180 x 600, against 8.6.
_WIDE_PANE = 2.7
_PANE_TOLERANCE = 1.1  # factor by which a pane's shape passes the limit before the graph turns


class Direction(Enum):
    """How the functions of the graph are arranged."""

    AUTOMATIC = "automatic"  # by the shape of the pane
    DOWN = "down"
    RIGHT = "right"
    CIRCULAR = "circular"


def is_wide_pane(aspect: float, was_wide: bool) -> bool:
    """Return whether a graph in a pane with this ratio of width to height goes left to right.

    A pane near the limit stays what it was, so that the graph does not turn back and forth.
    """
    return aspect >= (_WIDE_PANE / _PANE_TOLERANCE if was_wide else _WIDE_PANE * _PANE_TOLERANCE)


@frozen(eq=True)
class GraphOptions:
    """What the call graph shows, and how it is laid out."""

    caller_depth: int | None = None
    callee_depth: int | None = None
    least_node: float = 0.05  # share of the active function's inclusive cost
    least_call: float = 1.0  # share of the minimum for nodes
    skipped: bool = False
    inner_calls: bool = True
    chains: bool = True
    groups: bool = False
    recorded: bool = False
    counts: bool = False
    direction: str = Direction.AUTOMATIC.value
    compactness: str = "normal"
    corner: str = Corner.AUTOMATIC.value

    @property
    def has_group_frames(self) -> bool:
        """Whether groups have frames: in a circular layout they would surround other boxes, too."""
        return self.groups and Direction(self.direction) is not Direction.CIRCULAR

    def limits(self, expanded_cycles: frozenset[NodeId]) -> SubgraphLimits:
        is_limited = self.caller_depth is not None and self.callee_depth is not None
        return SubgraphLimits(
            caller_depth=self.caller_depth,
            callee_depth=self.callee_depth,
            min_node_share=self.least_node
            if self.least_node or is_limited
            else _MIN_UNLIMITED_SHARE,
            min_call_share=self.least_call,
            include_inner_calls=self.inner_calls,
            expanded_cycles=expanded_cycles,
        )

    def arrangement(self, is_wide: bool, step: int) -> Arrangement:
        """Return how to lay the graph out; `step` is half a line in pixels."""
        direction = Direction(self.direction)
        is_horizontal = direction is Direction.RIGHT or (
            direction is Direction.AUTOMATIC and is_wide
        )
        is_circular = direction is Direction.CIRCULAR
        node_gap, rank_gap = (float(steps * step) for steps in _GAPS[self.compactness])
        return Arrangement(is_horizontal, node_gap, rank_gap, is_circular)


_DEPTHS: tuple[tuple[object, str], ...] = (
    (None, "&Unlimited"),
    (0, "&None"),
    *((depth, f"{depth} {plural(depth, 'Level')}") for depth in (1, 2, 5, 10, 15)),
)
GRAPH_CHOICES = {
    "caller_depth": Choice("C&aller Depth", "Number of calls up from the active function", _DEPTHS),
    "callee_depth": Choice(
        "Call&ee Depth", "Number of calls down from the active function", _DEPTHS
    ),
    "least_node": Choice(
        "Minimum &Function Cost",
        "Hide functions below this share of the active function's inclusive cost",
        (
            (0.0, "&None (1 % if depth is unlimited)"),
            *((share, f"{share * 100:g} %") for share in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)),
        ),
    ),
    "least_call": Choice(
        "Minimum &Call Cost",
        "Hide calls below this cost",
        (
            (1.0, "&Same as Functions"),
            *((share, f"{share * 100:g} % of Function Minimum") for share in (0.5, 0.2, 0.1)),
        ),
    ),
    "compactness": Choice(
        "&Spacing",
        "The distance between functions",
        (("compact", "&Tight"), ("normal", "&Normal"), ("tall", "&Loose")),
    ),
    "direction": Choice(
        "&Layout",
        "Direction of calls",
        (
            (Direction.AUTOMATIC.value, "&Automatic"),
            (Direction.DOWN.value, "&Top to Bottom"),
            (Direction.RIGHT.value, "&Left to Right"),
            (Direction.CIRCULAR.value, "&Circular"),
        ),
    ),
    "corner": CORNER_CHOICE,
    "counts": Choice(
        "Call &Counts in Boxes", "Show how often each function was called on the shown paths"
    ),
    "skipped": Choice(
        "&Stubs for Hidden Calls", "Draw short arrows at functions with hidden calls"
    ),
    "inner_calls": Choice(
        "Calls &Inside Cycles", "Show the calls between members of an expanded cycle"
    ),
    "chains": Choice(
        "Chains in &One Box", "Draw functions that only call one another in a row as one box"
    ),
    "groups": Choice(
        "Frame &Groups", "Draw a frame around the functions of each group or source file"
    ),
    "recorded": Choice(
        "&Full Costs", "Show costs as recorded, not only those of paths through the active function"
    ),
}


_TURN_DELAY = 200  # ms after the last change of the size
_CALLER_LEVELS = 10  # caller levels that the advised command records for each function
_MEASURES = {"self": Measure.SELF, "count": Measure.COUNT}  # by columns; others have costs
_WHITE, _BLACK = QColor("#ffffff"), QColor("#000000")
_GROUP_NOTE = "no frames around groups in a circular layout"


@frozen
class GraphContent:
    """The call graph and how it is drawn."""

    graph: CallGraph
    boxes: NodeBoxes
    items: DiagramItems
    is_circular: bool
    shows_recorded: bool


class CallGraphView(DiagramView):
    """The call graph. Cycles and chains are opened by their buttons, Space or their menus."""

    depends_on = ~(Change.EVENTS | Change.code_changes())
    options: OptionMenu[GraphOptions]

    def __init__(self, session: Session, layout: GraphLayout) -> None:
        self.node_model, self.call_model = TableModel(NO_GRAPH_NODES), TableModel(NO_GRAPH_CALLS)
        tables = (
            FunctionTable(self.node_model, "Functions of the graph"),
            FunctionTable(self.call_model, "Calls of the graph"),
        )
        super().__init__(session, "Call Graph", tables, layout)
        self.node_model.setParent(self)
        self.call_model.setParent(self)
        self.content: GraphContent | None = None
        self._expanded_cycles: frozenset[NodeId] = frozenset()
        self._opened: frozenset[NodeId] = frozenset()  # the functions of opened chains
        self._unfolded = NO_NODE  # whose box keeps its place in the next picture
        self.canvas.activated.connect(self._activate)
        self.canvas.selected.connect(self._select)
        self.canvas.unfold_requested.connect(self.unfold)
        self._is_wide = False  # whether the graph was made for a wide pane
        self.turn_timer = QTimer(self, singleShot=True, interval=_TURN_DELAY)
        self.turn_timer.timeout.connect(self._turn_if_reshaped)
        self.canvas.resized.connect(self.turn_timer.start)
        self.options = OptionMenu(self, GraphOptions(), GRAPH_CHOICES)
        self.arrange(
            self.canvas, text_menu_button("&Options", "Options of the graph", self.options.fill)
        )

    # ---------------------------------------------------------------- content

    def invalidate(self) -> None:
        super().invalidate()
        self._expanded_cycles, self._opened = frozenset(), frozenset()

    def clear(self) -> None:
        self.content = None
        self.legend.clear()
        self.canvas.clear()
        self.node_model.clear()
        self.call_model.clear()

    def content_inputs(self, context: Context) -> object:
        return super().content_inputs(context), context.base_parts

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Start building the graph around the active function."""
        event = query.context.event
        if change == Change.SELECTION:
            self._mark(query.context.selected)
        elif not self.show_reason_if_empty(query) and event is not None:
            self._start_building(query, event)

    def _start_building(self, query: ViewQuery, event: EventType) -> None:
        options, layout = self.options.current, self.layout_engine
        limits = options.limits(self._expanded_cycles)
        color = node_colors(query)
        fonts = self.canvas.fonts
        self._is_wide = self._is_wide_now()
        arrangement = options.arrangement(self._is_wide, grid())
        look = GraphLook(
            lambda node: color(node).name(),
            FontMeasure(fonts.plain),
            FontMeasure(fonts.bold),
            FontMeasure(fonts.small),
            shows_recorded=options.recorded,
            shows_counts=options.counts,
            shows_stubs=options.skipped,
            has_flat_labels=not arrangement.is_horizontal,
            grid=grid(),
        )
        advice = exact_recording_command(query.profile, _CALLER_LEVELS)
        opened, anchor, self._unfolded = self._opened, self._unfolded, NO_NODE

        def work(progress: Progress) -> GraphContent:
            layout.prepare()
            graph = call_graph(query, event, limits, advice)
            progress.check(0.0)
            has_frames = options.has_group_frames
            group = query.group_namer() if has_frames else None
            boxes = chain_boxes(graph, opened, group) if options.chains else single_boxes(graph)
            frames = graph_frames(graph, query, look.color, boxes, of_groups=has_frames)
            diagram = graph_diagram(
                graph, look, boxes, frames, arrangement, layout, progress, anchor
            )
            items = DiagramItems(diagram)
            return GraphContent(graph, boxes, items, arrangement.is_circular, look.shows_recorded)

        self.start_job(work, self._show_graph)

    def _show_graph(self, content: GraphContent) -> None:
        self.content, graph, options = content, content.graph, self.options.current
        self.canvas.setAccessibleName(
            "Call graph of base and new" if graph.is_compared else "Call graph"
        )
        self.canvas.show_diagram(content.items)
        self._mark(self.navigation.context.selected)
        self.node_model.show(node_table(graph))
        self.call_model.show(call_table(graph))
        self.fit_tables(is_compared=graph.is_compared)
        notes = summary(graph, shows_recorded=content.shows_recorded)
        if options.groups and not options.has_group_frames:
            notes.append(_GROUP_NOTE)
        self.note.setText(" · ".join(notes))
        if (query := self.session.query) is not None:
            self.show_legend(query, graph.subgraph.node, is_compared=graph.is_compared)

    def _mark(self, selected: NodeId) -> None:
        self.canvas.mark({selected}, frozenset((selected,)))

    # ---------------------------------------------------------------- direction

    def _is_wide_now(self) -> bool:
        space = self.picture_space()
        return is_wide_pane(space.width() / max(1, space.height()), self._is_wide)

    def _turn_if_reshaped(self) -> None:
        """Lay the graph out again if the pane has another shape than the one it was made for."""
        is_automatic = self.options.current.direction == Direction.AUTOMATIC.value
        has_picture = self.canvas.picture is not None and self.isVisible()
        if is_automatic and has_picture and self._is_wide_now() != self._is_wide:
            self.refresh_for(Change.EVENT)

    # ---------------------------------------------------------------- the current number

    def current_number(self) -> NumberRequest | None:
        """Return the cost of the box or arrow whose menu is open, or of the current box or row."""
        query, content = self.session.query, self.content
        if query is None or content is None or (key := self._current_key(query, content)) is None:
            return None
        return number_request(query, key, parent=parent_of_calls(query, query.context.function))

    def _current_key(self, query: ViewQuery, content: GraphContent) -> AnyKey | None:
        """Return the number of the table with the focus, or what is pointed at or current."""
        number, pointed = partial(self._key, query, content.graph), self.canvas.pointed
        models = self.node_model, self.call_model
        for table, model, of_calls in zip(self.tables, models, (False, True), strict=True):
            index, key = table.currentIndex(), table.current_key()
            if has_cursor(table) and index.isValid():
                row, measure = model.record(index), _MEASURES.get(key, Measure.COST)
                return number(row, measure, of_calls=of_calls, recorded=key == "recorded")
        spot = self.canvas.keyboard_spot() if pointed == NOWHERE else pointed
        if of_calls := spot.arrow >= 0:
            row = content.boxes.calls[spot.arrow]
        elif (node := self.canvas.key_at(spot)) >= 0:
            row = content.graph.subgraph.node.tolist().index(node)
        else:
            return None
        return number(row, Measure.COST, of_calls=of_calls, recorded=content.shows_recorded)

    def _key(
        self,
        query: ViewQuery,
        graph: CallGraph,
        row: int,
        measure: Measure,
        *,
        of_calls: bool,
        recorded: bool,
    ) -> AnyKey:
        """Return what of the active function's cost is in a node or call, or all recorded there."""
        ends = graph.ends(row) if of_calls else (graph.node(row),)
        if not recorded:
            kind = EstimateKind.GRAPH_CALL if of_calls else EstimateKind.GRAPH_NODE
            path = (query.context.function, *ends)
            return EstimateKey(kind, path, measure, expanded=self._expanded_cycles)
        if not of_calls:
            return NumberKey(NumberKind.INCLUSIVE, *ends)
        if graph.subgraph.is_inner[row]:
            return NumberKey(NumberKind.INNER_CALL_COST, *ends)
        return call_key(query.queries, query.context.scope, *ends)

    # ---------------------------------------------------------------- cycles and menu

    def unfold(self, node: NodeId) -> None:
        """Open or close the cycle or the chain of a box; others have nothing to open."""
        query = self.session.query
        cycle = NO_NODE if query is None else query.cycle_of(node)
        if cycle in (node, *self._expanded_cycles):
            self.toggle_cycle(cycle)
        elif self._chain_of(node):
            self.toggle_chain(node)

    def toggle_cycle(self, cycle: NodeId) -> None:
        """Expand a cycle into its members, or collapse it again."""
        self._expanded_cycles ^= {cycle}
        self.refresh_for(Change.EVENT)

    def toggle_chain(self, node: NodeId) -> None:
        """Give each function of a chain a box, or draw them as one box again."""
        chain = self._chain_of(node)
        self._opened = self._opened - chain if node in self._opened else self._opened | chain
        self._unfolded = node
        self.refresh_for(Change.EVENT)

    def _chain_of(self, node: NodeId) -> frozenset[NodeId]:
        """Return the functions of the chain that a function is in, opened or not; empty if none."""
        content, options = self.content, self.options.current
        if content is None or self.session.query is None or not options.chains:
            return frozenset()
        group = self.session.query.group_namer() if options.has_group_frames else None
        chains = chain_boxes(content.graph, frozenset(), group).nodes
        nodes = (frozenset(map(content.graph.node, rows)) for rows in chains if len(rows) > 1)
        return next((chain for chain in nodes if node in chain), frozenset())

    def fill_menu(self, menu: QMenu, box: int) -> None:
        spot, query = self.canvas.pointed, self.session.query
        node = NodeId(self.canvas.key_at(spot) if spot.box >= 0 else self.canvas.key_of(box))
        if query is None or (node == NO_NODE and box < 0):
            self.add_picture_actions(menu)
            return
        self._add_steps(menu, spot, node)
        cycle = query.cycle_of(node)
        if cycle != NO_NODE:
            text = "Show Cycle as &One" if cycle in self._expanded_cycles else "Ope&n Cycle"
            menu.addAction(text, partial(self.toggle_cycle, cycle))
        elif self._chain_of(first := NodeId(self.canvas.key_of(box))):
            text = "Show Chain as &One" if first in self._opened else "Ope&n Chain"
            menu.addAction(f"{text}\tSpace", partial(self.toggle_chain, first))
        self.add_picture_actions(menu.addMenu(PICTURE_MENU))
        if node != NO_NODE:
            self.menu_requested.emit(menu, node)

    def _add_steps(self, menu: QMenu, spot: Spot, node: NodeId) -> None:
        """Add where a box or an arrow leads to."""
        if spot.arrow >= 0:
            go = partial(self.canvas.activate_spot, spot)
            menu.addAction("&Go to Callee\tReturn", go)
            menu.addAction("Go to Calle&r\tShift+Return", partial(go, to_source=True))
        elif node != NO_NODE:
            go_there = partial(self.navigation.select_function, node)
            menu.addAction("&Go to Function\tReturn", go_there)

    # ---------------------------------------------------------------- search and texts

    def apply_search(self) -> None:
        """Fade functions that do not match the search, or are shown despite the filter.

        So do those outside the group that is chosen in the legend.
        """
        found, text, content = self.matches(), self.search.text(), self.content
        boxes, chosen = self._passing_boxes(), self.legend.chosen_nodes()
        if text and content is not None:
            boxes = {content.boxes.box[row] for row in found}
        if chosen is not None and content is not None:
            of_group = np.flatnonzero(chosen[content.graph.subgraph.node]).tolist()
            group = {content.boxes.box[row] for row in of_group}
            boxes = group if boxes is None else boxes & group
        self.canvas.set_matches(boxes, text)
        count = 0 if content is None else len(content.graph.subgraph.node)
        self.match_label.setText(f"{len(found)} of {count}" if text else "")

    def show_match(self, match: int) -> None:
        """Go to a function, which may be one that the line of a chain leaves out."""
        if self.content is not None:
            node = self.content.graph.node(match)
            self.canvas.show_match(self.content.items.diagram.spot_of(node))
            self.navigation.set(selected=node)

    def _passing_boxes(self) -> set[int] | None:
        """Return the boxes that pass the filter; None without one."""
        query, content = self.session.query, self.content
        passing = query.visible_nodes() if query is not None else None
        if (
            passing is None
            or content is None
            or not (content.graph.subgraph.node < len(passing)).all()
        ):
            return None
        rows = np.flatnonzero(passing[content.graph.subgraph.node]).tolist()
        return {content.boxes.box[row] for row in rows}

    def matches(self) -> list[int]:
        text, content = self.search.text(), self.content
        if not text or content is None:
            return []
        matched = content.graph.labels.nodes_containing(text)
        rows: list[int] = np.flatnonzero(matched[content.graph.subgraph.node]).tolist()
        return rows

    def text_exports(self) -> Mapping[str, Callable[[], str]]:
        return {
            "DOT": lambda: "" if self.content is None else graph_as_dot(self.content),
            **super().text_exports(),
        }


def graph_as_dot(content: GraphContent) -> str:
    """Return the graph with the texts of the picture, on white whatever the palette is."""
    from qcachegrind_py.write.dot import call_graph_dot

    graph, diagram = content.graph, content.items.diagram

    def names(node: NodeId) -> str:
        return cell_text(graph.labels.name(node))

    return call_graph_dot(
        graph.subgraph,
        [
            [text for part in box.parts or (box,) for text in (names(NodeId(part.key)), part.cost)]
            for box in diagram.boxes
        ],
        [" ".join(arrow.labels) for arrow in diagram.arrows],
        colors=[box.color for box in diagram.boxes],
        look=_look_on_white(diagram) if graph.is_compared else None,
        boxes=content.boxes.nodes,
        horizontal=diagram.is_horizontal,
        circular=content.is_circular,
    )


def _look_on_white(diagram: Diagram) -> ComparedLook:
    from qcachegrind_py.write.dot import ComparedLook

    palette = QPalette(_WHITE)
    palette.setColor(QPalette.ColorRole.Base, _WHITE)
    palette.setColor(QPalette.ColorRole.AlternateBase, _WHITE)
    palette.setColor(QPalette.ColorRole.Text, _BLACK)
    changes = [(box.change, box.is_exact) for box in diagram.boxes if box.change is not None]
    return ComparedLook(
        [box_color(palette, each.strength, is_exact=exact).name() for each, exact in changes],
        [arrow_color(palette, arrow.strength, _BLACK).name() for arrow in diagram.arrows],
        [change.word for change, _ in changes],
    )
