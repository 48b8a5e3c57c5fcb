"""The Call Graph dock: callers and callees around the active function.

Costs are those of call paths through the active function, or recorded costs as an option. A job
selects the functions and lays them out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import ceil

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.calls.cost_flow import MIN_SHARE
from qcachegrind_py.analysis.calls.subgraph import Subgraph, SubgraphLimits
from qcachegrind_py.analysis.explanation.numbers import NumberRequest, exact_recording_command
from qcachegrind_py.models.base.group_colors import node_colors
from qcachegrind_py.models.graph.calls import GraphCallModel
from qcachegrind_py.models.graph.nodes import GraphNodeModel
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.former.quotient_format import QuotientFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at, node_ids
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.common.buttons import text_menu_button
from qcachegrind_py.views.common.option_menu import OptionMenu
from qcachegrind_py.views.common.pictures.view import PictureView
from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.common.table_actions import table_as_csv
from qcachegrind_py.views.graph.call_graph_canvas import CallGraphCanvas
from qcachegrind_py.views.graph.call_graph_dot import picture_as_dot
from qcachegrind_py.views.graph.call_graph_number import graph_number
from qcachegrind_py.views.graph.call_graph_options import (
    CHOICES,
    Direction,
    GraphOptions,
    is_wide_pane,
)
from qcachegrind_py.views.graph.call_graph_scene import Cluster, GraphPicture, build_picture
from qcachegrind_py.views.graph.call_graph_style import GraphStyle, table_formats
from qcachegrind_py.views.graph.compared.texts import compared_legend
from qcachegrind_py.views.graph.overview import Corner

_TURN_DELAY = 200  # ms after the last change of the size
_CALLER_LEVELS = 10  # caller levels that the advised command records for each function


class CallGraphView(PictureView):
    """The call graph. A cycle is expanded by its button or its context menu."""

    depends_on = ~(Change.EVENTS | Change.code_changes())
    options: OptionMenu[GraphOptions]
    has_actual_size = True

    def __init__(self, session: Session, layout: GraphLayout) -> None:
        self.node_model, self.call_model = GraphNodeModel(), GraphCallModel()
        tables = (
            FunctionTable(self.node_model, "Functions of the graph"),
            FunctionTable(self.call_model, "Calls of the graph"),
        )
        super().__init__(session, "Call Graph", tables)
        self.node_model.setParent(self)
        self.call_model.setParent(self)
        self._layout = layout
        self._expanded_cycles: frozenset[NodeId] = frozenset()
        self.canvas = CallGraphCanvas()
        self.connect_navigation(self.canvas)
        self.canvas.menu_requested.connect(self._fill_menu)
        self.canvas.detail_changed.connect(self.show_detail)
        self._is_wide = False  # whether the graph was made for a wide pane
        self.turn_timer = QTimer(self, singleShot=True, interval=_TURN_DELAY)
        self.turn_timer.timeout.connect(self._turn_if_reshaped)
        self.canvas.resized.connect(self.turn_timer.start)
        self.canvas.expansion_requested.connect(self.toggle_cycle)
        self.canvas.font_changed.connect(lambda: self.refresh_for(Change.NAMES))
        self.options = OptionMenu(self, GraphOptions(), CHOICES)
        tip = "Options of the graph"
        options = text_menu_button("&Options", tip, self.options.fill)
        self.arrange(self.canvas, options)
        self.initial_focus = self.canvas

    # ---------------------------------------------------------------- content

    def shown_canvases(self) -> list[CallGraphCanvas]:
        return [self.canvas]

    def invalidate(self) -> None:
        super().invalidate()
        self._expanded_cycles = frozenset()

    def clear(self) -> None:
        self.canvas.clear()
        self.node_model.clear()
        self.call_model.clear()

    def content_inputs(self, context: Context) -> object:
        return super().content_inputs(context), context.base_parts

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Start building the graph around the active function."""
        event = query.context.event
        if change == Change.SELECTION:
            self.canvas.highlight(query.context.selected)
        elif not self.show_reason_if_empty(query) and event is not None:
            self._start_building(query, event)

    def _start_building(self, query: ViewQuery, event: EventType) -> None:
        options, layout = self.options.current, self._layout
        style, limits = self._graph_style(query, event), options.limits(self._expanded_cycles)
        self._is_wide = self._is_wide_now()
        layout_options = options.layout_options(self._is_wide)

        def work(progress: Progress) -> GraphPicture:
            layout.prepare()
            subgraph, shown = _subgraph(query, event, limits, style)
            progress.check(0.0)
            clusters = _clusters(subgraph, shown, query, options)
            return build_picture(
                subgraph, shown, clusters, layout_options, options.skipped, layout, progress
            )

        self.start_job(work, self._show_picture)

    def _graph_style(self, query: ViewQuery, event: EventType) -> GraphStyle:
        context = query.context
        return GraphStyle(
            query.labels(),
            _cost_format(query, event),
            node_colors(query),
            self.canvas.font(),
            context.function,
            self.options.current.recorded,
            self.options.current.counts,
            exact_recording_command(query.profile, _CALLER_LEVELS),
        )

    def _show_picture(self, picture: GraphPicture) -> None:
        self.canvas.set_picture(picture)
        self.canvas.highlight(self.navigation.context.selected)
        shown, sides = (picture.style.labels, picture.subgraph), picture.style.sides
        formats = table_formats(picture.style)
        self.node_model.set_subgraph(*shown, formats[0], sides)
        self.call_model.set_subgraph(*shown, formats[1], sides)
        for table in self.tables:
            table.show_comparison(sides is not None)
            table.fit_numbers()
        self.note.setText(_summary(picture, self.options.current))

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

    def current_number(self) -> NumberRequest | None:
        """Return the cost of the box or arrow whose menu is open, or of the current box or row."""
        query, picture = self.session.query, self.canvas.picture
        if query is None or picture is None:
            return None
        return graph_number(query, self, picture)

    # ---------------------------------------------------------------- options and cycles

    def apply_options(self) -> None:
        self.canvas.overview.set_corner(Corner(self.options.current.corner))

    @property
    def expanded_cycles(self) -> frozenset[NodeId]:
        """The cycles that are shown as their members."""
        return self._expanded_cycles

    def toggle_cycle(self, cycle: NodeId) -> None:
        """Expand a cycle into its members, or collapse it again."""
        self._expanded_cycles ^= {cycle}
        self.refresh_for(Change.EVENT)

    def _fill_menu(self, menu: QMenu, node: NodeId) -> None:
        query = self.session.query
        if query is not None and node != NO_NODE:
            go = partial(self.navigation.select_function, node)
            menu.addAction("&Go to Function\tReturn", go)
            cycle = query.cycle_of(node)
            if cycle != NO_NODE:
                text = "Show Cycle as &One" if cycle in self._expanded_cycles else "Ope&n Cycle"
                menu.addAction(text, partial(self.toggle_cycle, cycle))
            self.menu_requested.emit(menu, node)
            menu.addSeparator()
        menu.addAction("&Fit in Window\t0", self.canvas.fit)
        menu.addAction("&Actual Size\t1", self.canvas.zoom_to_actual_size)
        self.options.fill(menu.addMenu("O&ptions"))
        self.fill_export_menu(menu.addMenu("E&xport"))

    # ---------------------------------------------------------------- search and texts

    def apply_search(self) -> None:
        """Fade functions that do not match the search, or are shown despite the filter."""
        rows = self.matches()
        self.canvas.set_matches(set(rows) if self.search.text() else self._passing_rows())
        total = len(self.canvas.nodes)
        self.match_label.setText(f"{len(rows)} of {total}" if self.search.text() else "")

    def _passing_rows(self) -> set[int] | None:
        """Return the boxes that pass the filter; None without one."""
        query, picture = self.session.query, self.canvas.picture
        passing = query.visible_nodes() if query is not None else None
        if passing is None or picture is None or not (picture.subgraph.node < len(passing)).all():
            return None
        return set(np.flatnonzero(passing[picture.subgraph.node]).tolist())

    def show_match(self, match: int) -> None:
        self.canvas.show_match(match)

    def matches(self) -> list[int]:
        text, picture = self.search.text(), self.canvas.picture
        if not text or picture is None:
            return []
        matched = picture.style.labels.nodes_containing(text)
        rows: list[int] = np.flatnonzero(matched[picture.subgraph.node]).tolist()
        return rows

    def text_exports(self) -> Mapping[str, Callable[[], str]]:
        return {
            "DOT": self._as_dot,
            "CSV": lambda: table_as_csv(self.tables[0]) + "\n" + table_as_csv(self.tables[1]),
        }

    def _as_dot(self) -> str:
        picture = self.canvas.picture
        if picture is None:
            return ""
        return picture_as_dot(picture)


def _subgraph(
    query: ViewQuery, event: EventType, limits: SubgraphLimits, style: GraphStyle
) -> tuple[Subgraph, GraphStyle]:
    """Return what is drawn, in a comparison of both sides, and the style with its numbers."""
    context = query.context
    if context.base is None:
        visible = query.visible_nodes()
        found = query.queries.subgraph(context.function, event, context.scope, limits, visible)
        return found, style
    from qcachegrind_py.views.graph.compared.sides import compared_graph

    sides = compared_graph(query, event, context.base, limits)
    return sides.graph.larger, replace(style, sides=sides)


def _cost_format(query: ViewQuery, event: EventType) -> CostFormat:
    """Return the format of costs; a full bar is the larger total while profiles are compared."""
    context = query.context
    if context.base is None:
        return query.call_format(event, context.function)
    totals = query.total(event), query.queries.total(event, context.base.parts)
    return replace(query.cost_format(event), bar_base=max(total.base for total in totals))


def _clusters(
    subgraph: Subgraph, style: GraphStyle, query: ViewQuery, options: GraphOptions
) -> list[Cluster]:
    """Return a cluster for each expanded cycle and, as an option, for groups of other nodes."""
    members: dict[tuple[NodeId, str], list[int]] = {}
    group = query.group_namer()
    for row, (node, cycle) in enumerate(
        zip(node_ids(subgraph.node), node_ids(subgraph.cluster), strict=True)
    ):
        if cycle != NO_NODE:
            members.setdefault((cycle, style.labels.name(cycle)), []).append(row)
        elif options.has_group_frames:
            members.setdefault((NO_NODE, group(node)), []).append(row)
    return [
        Cluster(tuple(rows), cell_text(name), style.color(node_at(subgraph.node, rows[0])), cycle)
        for (cycle, name), rows in members.items()
        if cycle != NO_NODE or (len(rows) > 1 and name not in ("", UNKNOWN))
    ]


def _summary(picture: GraphPicture, options: GraphOptions) -> str:
    """Return how much is shown, what is left out, and a legend of the costs."""
    nodes, calls = len(picture.subgraph.node), len(picture.subgraph.caller)
    counts = f"{_counted(nodes, 'function')}, {_counted(calls, 'call')}"
    return " · ".join(
        (
            counts,
            *(compared_legend(sides) if (sides := picture.style.sides) is not None else []),
            *_omissions(picture),
            *_cost_legend(picture),
            *_frame_notes(options),
        )
    )


def _frame_notes(options: GraphOptions) -> list[str]:
    missing = options.groups and not options.has_group_frames
    return ["no frames around groups in a circular layout"] if missing else []


def _omissions(picture: GraphPicture) -> list[str]:
    subgraph, format_ = picture.subgraph, picture.style.format
    parts = []
    threshold = max(subgraph.node_threshold, ceil(float(subgraph.cost.max()) * MIN_SHARE))
    if threshold > 0:
        parts.append(f"below {_limit_text(format_, threshold)} left out")
    if subgraph.omitted_nodes:
        bound = _limit_text(format_, subgraph.max_omitted_cost)
        parts.append(f"{subgraph.omitted_nodes} more hidden, with at most {bound} each")
    if subgraph.omitted_calls:
        parts.append(f"{subgraph.omitted_calls} calls hidden")
    unconnected = _unconnected_count(subgraph)
    if unconnected:
        parts.append(f"{unconnected} reached only by hidden calls")
    if subgraph.filtered_nodes:
        parts.append(f"{subgraph.filtered_nodes} hidden by the filter")
    return parts


def _limit_text(format_: CostFormat, cost: int | float) -> str:
    """Format a limit, which is of both sides and has no quotient of one of them."""
    is_of_side = isinstance(format_, QuotientFormat)
    return format_.absolute_text(cost) if is_of_side else format_.with_unit(cost)


def _unconnected_count(subgraph: Subgraph) -> int:
    """Return the number of functions without arrows, other than the active one."""
    connected = {subgraph.active, *subgraph.caller.tolist(), *subgraph.callee.tolist()}
    return len(subgraph.node) - len(connected)


def _cost_legend(picture: GraphPicture) -> list[str]:
    if picture.style.shows_recorded_costs:
        costs = "costs as recorded"
    else:
        active = cell_text(picture.style.labels.name(picture.style.active_node))
        costs = f"costs on paths through {active}; dashed and ≈: estimated"
    if picture.subgraph.is_inner.any():
        return [costs, "dotted: calls inside a cycle, as recorded"]
    return [costs]


def _counted(count: int, noun: str) -> str:
    return f"{count} {plural(count, noun)}"
