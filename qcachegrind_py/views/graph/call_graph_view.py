"""The Call Graph dock: callers and callees around the active function.

Costs are those of call paths through the active function, or recorded costs as an option. A job
selects the functions and lays them out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMenu

from qcachegrind_py.analysis.explanation.exactness import exact_recording_command
from qcachegrind_py.analysis.explanation.numbers import NumberRequest
from qcachegrind_py.models.base.group_colors import node_colors
from qcachegrind_py.models.graph.calls import GraphCallModel
from qcachegrind_py.models.graph.nodes import GraphNodeModel
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.common.buttons import text_menu_button
from qcachegrind_py.views.common.option_menu import OptionMenu
from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.common.table_actions import table_as_csv
from qcachegrind_py.views.graph.call_graph_content import (
    GraphContent,
    build_graph,
    graph_as_dot,
    graph_format,
    graph_frames,
    select_calls,
    summary,
)
from qcachegrind_py.views.graph.call_graph_number import graph_number
from qcachegrind_py.views.graph.call_graph_options import (
    CHOICES,
    Direction,
    GraphOptions,
    is_wide_pane,
)
from qcachegrind_py.views.graph.call_graph_texts import GraphMeasures, GraphStyle, table_formats
from qcachegrind_py.views.pictures.diagram_view import DiagramView
from qcachegrind_py.views.pictures.fonts import DiagramFonts, FontMeasure

_TURN_DELAY = 200  # ms after the last change of the size
_CALLER_LEVELS = 10  # caller levels that the advised command records for each function


class CallGraphView(DiagramView):
    """The call graph. A cycle is expanded by its button or its context menu."""

    depends_on = ~(Change.EVENTS | Change.code_changes())
    options: OptionMenu[GraphOptions]

    def __init__(self, session: Session, layout: GraphLayout) -> None:
        self.node_model, self.call_model = GraphNodeModel(), GraphCallModel()
        tables = (
            FunctionTable(self.node_model, "Functions of the graph"),
            FunctionTable(self.call_model, "Calls of the graph"),
        )
        super().__init__(session, "Call Graph", tables, layout)
        self.node_model.setParent(self)
        self.call_model.setParent(self)
        self.content: GraphContent | None = None
        self._expanded_cycles: frozenset[NodeId] = frozenset()
        self.canvas.activated.connect(self._activate)
        self.canvas.selected.connect(self._select)
        self.canvas.unfold_requested.connect(self.toggle_cycle)
        self._is_wide = False  # whether the graph was made for a wide pane
        self.turn_timer = QTimer(self, singleShot=True, interval=_TURN_DELAY)
        self.turn_timer.timeout.connect(self._turn_if_reshaped)
        self.canvas.resized.connect(self.turn_timer.start)
        self.options = OptionMenu(self, GraphOptions(), CHOICES)
        self.arrange(
            self.canvas, text_menu_button("&Options", "Options of the graph", self.options.fill)
        )

    # ---------------------------------------------------------------- content

    def invalidate(self) -> None:
        super().invalidate()
        self._expanded_cycles = frozenset()

    def clear(self) -> None:
        self.content = None
        self.canvas.clear()
        self.node_model.clear()
        self.call_model.clear()

    def content_inputs(self, context: Context) -> object:
        return super().content_inputs(context), context.base_parts

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Start building the graph around the active function."""
        event = query.context.event
        if change == Change.SELECTION:
            self.canvas.mark({query.context.selected})
        elif not self.show_reason_if_empty(query) and event is not None:
            self._start_building(query, event)

    def _start_building(self, query: ViewQuery, event: EventType) -> None:
        options, layout = self.options.current, self.layout_engine
        style, limits = self._graph_style(query, event), options.limits(self._expanded_cycles)
        measures = graph_measures(self.canvas.fonts)
        self._is_wide = self._is_wide_now()
        arrangement = options.arrangement(self._is_wide)

        def work(progress: Progress) -> GraphContent:
            layout.prepare()
            subgraph, shown = select_calls(query, event, limits, style)
            progress.check(0.0)
            frames = graph_frames(subgraph, shown, query, options)
            return build_graph(subgraph, shown, frames, arrangement, measures, layout, progress)

        self.start_job(work, self._show_graph)

    def _graph_style(self, query: ViewQuery, event: EventType) -> GraphStyle:
        context, options, color = query.context, self.options.current, node_colors(query)
        return GraphStyle(
            query.labels(),
            graph_format(query, event),
            lambda node: color(node).name(),
            context.function,
            options.recorded,
            options.counts,
            options.skipped,
            exact_recording_command(query.profile, _CALLER_LEVELS),
        )

    def _show_graph(self, content: GraphContent) -> None:
        self.content, style, sides = content, content.style, content.style.sides
        self.canvas.setAccessibleName("Call graph of base and new" if sides else "Call graph")
        self.canvas.show_diagram(content.drawn.diagram, content.drawn.shapes)
        self.canvas.mark({self.navigation.context.selected})
        formats = table_formats(style)
        self.node_model.set_subgraph(style.labels, content.subgraph, formats[0], sides)
        self.call_model.set_subgraph(style.labels, content.subgraph, formats[1], sides)
        for table in self.tables:
            table.show_comparison(sides is not None)
            table.fit_numbers()
        self.note.setText(summary(content, self.options.current))

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
        query, content = self.session.query, self.content
        if query is None or content is None:
            return None
        return graph_number(query, self, content)

    # ---------------------------------------------------------------- cycles and menu

    @property
    def expanded_cycles(self) -> frozenset[NodeId]:
        """The cycles that are shown as their members."""
        return self._expanded_cycles

    def toggle_cycle(self, cycle: NodeId) -> None:
        """Expand a cycle into its members, or collapse it again."""
        self._expanded_cycles ^= {cycle}
        self.refresh_for(Change.EVENT)

    def fill_menu(self, menu: QMenu, box: int) -> None:
        query, node = self.session.query, NodeId(self.canvas.key_of(box))
        if query is not None and node != NO_NODE:
            go = partial(self.navigation.select_function, node)
            menu.addAction("&Go to Function\tReturn", go)
            cycle = query.cycle_of(node)
            if cycle != NO_NODE:
                text = "Show Cycle as &One" if cycle in self._expanded_cycles else "Ope&n Cycle"
                menu.addAction(text, partial(self.toggle_cycle, cycle))
            self.menu_requested.emit(menu, node)
            menu.addSeparator()
        self.add_picture_actions(menu)

    # ---------------------------------------------------------------- search and texts

    def apply_search(self) -> None:
        """Fade functions that do not match the search, or are shown despite the filter."""
        rows, text = self.matches(), self.search.text()
        self.canvas.set_matches(set(rows) if text else self._passing_rows())
        self.show_matches(rows, text)

    def _passing_rows(self) -> set[int] | None:
        """Return the boxes that pass the filter; None without one."""
        query, content = self.session.query, self.content
        passing = query.visible_nodes() if query is not None else None
        if passing is None or content is None or not (content.subgraph.node < len(passing)).all():
            return None
        return set(np.flatnonzero(passing[content.subgraph.node]).tolist())

    def matches(self) -> list[int]:
        text, content = self.search.text(), self.content
        if not text or content is None:
            return []
        matched = content.style.labels.nodes_containing(text)
        rows: list[int] = np.flatnonzero(matched[content.subgraph.node]).tolist()
        return rows

    def text_exports(self) -> Mapping[str, Callable[[], str]]:
        return {
            "DOT": lambda: "" if self.content is None else graph_as_dot(self.content),
            "CSV": lambda: "\n".join(map(table_as_csv, self.tables)),
        }


def graph_measures(fonts: DiagramFonts) -> GraphMeasures:
    """Return the sizes of texts in these fonts."""
    return GraphMeasures(*(FontMeasure(font) for font in (fonts.plain, fonts.bold, fonts.small)))
