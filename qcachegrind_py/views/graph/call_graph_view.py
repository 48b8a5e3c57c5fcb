"""The call graph around the active function: who led to it, and what it led to.

The costs are those of ways of calls through the active function, unless recorded ones are wanted.
Which functions are drawn, and where, is worked out in a job; this only asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import ceil

import numpy as np
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.analysis.calls.transitive_calls import MIN_SHARE
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.exactness_text import exact_recording_command
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.models.graph_calls import GraphCallModel
from qcachegrind_py.models.graph_nodes import GraphNodeModel
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at, node_ids
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.reports.dot import call_graph_dot
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.common.buttons import flat_menu_button
from qcachegrind_py.views.common.context_formats import call_format, group_namer, node_colors
from qcachegrind_py.views.common.option_menu import OptionMenu
from qcachegrind_py.views.common.picture_view import PictureView, nodes_containing
from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.common.table_actions import table_as_csv
from qcachegrind_py.views.graph.call_graph_canvas import CallGraphCanvas
from qcachegrind_py.views.graph.call_graph_options import CHOICES, GraphOptions
from qcachegrind_py.views.graph.call_graph_scene import Cluster, GraphPicture, build_picture
from qcachegrind_py.views.graph.call_graph_style import GraphStyle
from qcachegrind_py.views.graph.diagram_canvas import create_zoom_buttons
from qcachegrind_py.views.graph.overview import Corner

_CALLER_LEVELS = 10  # of each function: what is within ten calls would be recorded


class CallGraphView(PictureView):
    """A click chooses, a double click goes there; a cycle opens by its sign or its menu."""

    depends_on = ~(Change.EVENTS | Change.code_changes())
    options: OptionMenu[GraphOptions]

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
        self.canvas.expansion_requested.connect(self.toggle_cycle)
        self.canvas.font_changed.connect(lambda: self.refresh_for(Change.NAMES))
        self.options = OptionMenu(self, GraphOptions(), CHOICES)
        tip = "How much of the graph is drawn, and how"
        options = flat_menu_button("&Options", tip, self.options.fill)
        self.arrange(self.canvas, options, *create_zoom_buttons(self.canvas))
        self.initial_focus = self.canvas

    # ---------------------------------------------------------------- drawing up

    def shown_canvases(self) -> list[CallGraphCanvas]:
        return [self.canvas]

    def invalidate(self) -> None:
        super().invalidate()
        self._expanded_cycles = frozenset()

    def clear(self) -> None:
        self.canvas.clear()
        self.node_model.clear()
        self.call_model.clear()

    def refresh(self, queries: ProfileQueries, context: Context, change: Change) -> None:
        """Draw up the graph around the active function."""
        if change == Change.SELECTION:
            self.canvas.highlight(context.selected)
        elif not self.show_reason_if_empty(queries, context) and context.event is not None:
            self._start_building(queries, context, context.event)

    def _start_building(self, queries: ProfileQueries, context: Context, event: EventType) -> None:
        options, layout = self.options.current, self._layout
        look, extent = (
            self._graph_style(queries, context, event),
            options.limits(self._expanded_cycles),
        )

        def work(progress: Progress) -> GraphPicture:
            layout.prepare()
            drawn = queries.subgraph(context.function, event, context.scope, extent, context.filter)
            progress.check(0.0)
            clusters = _clusters(drawn, look, queries, context, options)
            arranged = options.layout_options
            return build_picture(drawn, look, clusters, arranged, options.skipped, layout, progress)

        self.start_job(work, self._show_picture)

    def _graph_style(
        self, queries: ProfileQueries, context: Context, event: EventType
    ) -> GraphStyle:
        return GraphStyle(
            queries.labels(context.scope, short=context.short_names),
            call_format(queries, context, event, context.function),
            node_colors(queries, context),
            self.canvas.font(),
            context.function,
            self.options.current.recorded,
            exact_recording_command(queries.profile, _CALLER_LEVELS),
        )

    def _show_picture(self, picture: GraphPicture) -> None:
        self.canvas.set_picture(picture)
        self.canvas.highlight(self.navigation.context.selected)
        self.node_model.set_nodes(picture.style.labels, picture.subgraph, picture.style.format)
        self.call_model.set_calls(picture.style.labels, picture.subgraph, picture.style.format)
        for table in self.tables:
            table.fit_numbers()
        self.note.setText(_summary(picture))

    # ---------------------------------------------------------------- options and cycles

    def apply_options(self) -> None:
        self.canvas.overview.set_corner(Corner(self.options.current.corner))

    def toggle_cycle(self, cycle: NodeId) -> None:
        """Show a cycle as its members, or as one again."""
        self._expanded_cycles ^= {cycle}
        self.refresh_for(Change.EVENT)

    def _fill_menu(self, menu: QMenu, node: NodeId) -> None:
        queries, context = self.session.queries, self.navigation.context
        if queries is not None and node != NO_NODE:
            go = partial(self.navigation.select_function, node)
            menu.addAction("&Go to Function\tReturn", go)
            cycle = queries.cycle_of(node, context.scope)
            if cycle != NO_NODE:
                text = "Show Cycle as &One" if cycle in self._expanded_cycles else "Ope&n Cycle"
                menu.addAction(text, partial(self.toggle_cycle, cycle))
            self.menu_requested.emit(menu, node)
            menu.addSeparator()
        menu.addAction("&Fit in Window\t0", self.canvas.fit)
        menu.addAction("Own Si&ze\t1", self.canvas.zoom_to_actual_size)
        self.options.fill(menu.addMenu("O&ptions"))
        self.fill_export_menu(menu.addMenu("E&xport"))

    # ---------------------------------------------------------------- search and texts

    def apply_search(self) -> None:
        """Fade what the search does not find."""
        rows = self.matches()
        self.canvas.set_matches(set(rows) if self.search.text() else None)
        total = len(self.canvas.nodes)
        self.match_label.setText(f"{len(rows)} of {total}" if self.search.text() else "")

    def show_match(self, match: int) -> None:
        self.canvas.show_match(match)

    def matches(self) -> list[int]:
        text, picture = self.search.text(), self.canvas.picture
        if not text or picture is None:
            return []
        found = nodes_containing(picture.style.labels, text)
        rows: list[int] = np.flatnonzero(found[picture.subgraph.node]).tolist()
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
        drawn, look = picture.subgraph, picture.style
        nodes = node_ids(drawn.node)
        return call_graph_dot(
            drawn,
            [
                (cell_text(look.labels.name(node)), text.cost)
                for node, text in zip(nodes, picture.nodes, strict=True)
            ],
            [" ".join(filter(None, (text.cost, text.count))) for text in picture.calls],
            colors=[look.color(node).name() for node in nodes],
            horizontal=picture.is_horizontal,
        )


def _clusters(
    drawn: Subgraph,
    look: GraphStyle,
    queries: ProfileQueries,
    context: Context,
    options: GraphOptions,
) -> list[Cluster]:
    """The opened cycles; and the groups of the other nodes, where they are wanted."""
    members: dict[tuple[NodeId, str], list[int]] = {}
    group = group_namer(queries, context)
    for row, (node, cycle) in enumerate(
        zip(node_ids(drawn.node), node_ids(drawn.cluster), strict=True)
    ):
        if cycle != NO_NODE:
            members.setdefault((cycle, look.labels.name(cycle)), []).append(row)
        elif options.groups:
            members.setdefault((NO_NODE, group(node)), []).append(row)
    return [
        Cluster(tuple(rows), cell_text(name), look.color(node_at(drawn.node, rows[0])), cycle)
        for (cycle, name), rows in members.items()
        if cycle != NO_NODE or (len(rows) > 1 and name not in ("", UNKNOWN))
    ]


def _summary(picture: GraphPicture) -> str:
    """How much is drawn, what was left out, and how the costs are meant."""
    nodes, calls = len(picture.subgraph.node), len(picture.subgraph.caller)
    drawn = f"{_counted(nodes, 'function')}, {_counted(calls, 'call')}"
    return " · ".join((drawn, *_omissions(picture), *_cost_legend(picture)))


def _omissions(picture: GraphPicture) -> list[str]:
    drawn, format_ = picture.subgraph, picture.style.format
    parts = []
    least = max(drawn.node_threshold, ceil(float(drawn.cost.max()) * MIN_SHARE))
    if least > 0:
        parts.append(f"below {format_.with_unit(least)} left out")
    if drawn.omitted_nodes:
        most = format_.with_unit(drawn.max_omitted_cost)
        parts.append(
            f"{drawn.omitted_nodes} more left out, of at most {most}: too many for one picture"
        )
    if drawn.omitted_calls:
        parts.append(f"{drawn.omitted_calls} arrows left out")
    alone = _unconnected_count(drawn)
    if alone:
        parts.append(f"{alone} without an arrow, as many small calls lead there")
    if drawn.filtered_nodes:
        parts.append(f"{drawn.filtered_nodes} hidden by the filter")
    return parts


def _unconnected_count(drawn: Subgraph) -> int:
    """How many functions no arrow leads to or from, but for the active one."""
    connected = {drawn.active, *drawn.caller.tolist(), *drawn.callee.tolist()}
    return len(drawn.node) - len(connected)


def _cost_legend(picture: GraphPicture) -> list[str]:
    if picture.style.shows_recorded_costs:
        costs = "costs as recorded, whoever is active"
    else:
        active = cell_text(picture.style.labels.name(picture.style.active_node))
        costs = f"costs on ways through {active}; dashed and ≈: estimates"
    if picture.subgraph.is_inner.any():
        return [costs, "dotted: calls inside a cycle, as recorded"]
    return [costs]


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
