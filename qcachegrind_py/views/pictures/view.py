"""Base of the views that show a picture, which a background job computes: boxes or a diagram.

Tools above the picture hold options, zoom buttons, search, table and export, with a legend. Below
it is one line: what is left out and what is estimated, or what is pointed at. The subclass provides
the canvas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QMenu, QSplitter, QToolButton, QWidget

from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.legend import GroupLegend
from qcachegrind_py.present.picture import Spot
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.pictures.canvas import Canvas, Zoom
from qcachegrind_py.views.pictures.detail_line import StatusLine
from qcachegrind_py.views.pictures.diagram_canvas import DiagramCanvas
from qcachegrind_py.views.pictures.diagram_overview import Corner, DiagramOverview
from qcachegrind_py.views.pictures.legend import Legend
from qcachegrind_py.views.pictures.tool_row import ToolRow, create_zoom_buttons
from qcachegrind_py.views.profile_view import JobView, stacked
from qcachegrind_py.views.tables.record_table import FunctionTable, RecordTable
from qcachegrind_py.views.tables.table_actions import table_as_csv
from qcachegrind_py.views.widgets.controls import (
    FindEdit,
    OptionMenu,
    text_button,
    text_menu_button,
)
from qcachegrind_py.views.widgets.empty_page import Remedy, no_calls_reason
from qcachegrind_py.views.widgets.grid import grid
from qcachegrind_py.views.widgets.saving import PictureStack, add_export_actions

_LEAST_WITH_LEGEND = 24  # steps of the grid: a lower view has no legend
_SPLITTER_SIZES = (6000, 4000)  # Qt scales these to the available width
PICTURE_MENU = "P&icture"  # in the menu of a box: what is about all of the picture


class PictureView(JobView):
    """A view with a picture, search, tables and export.

    Subclasses start jobs in `refresh` and define what is searched and exported.
    """

    options: OptionMenu[Any]  # created by the subclass before it calls `arrange`
    has_actual_size = False  # whether 100 % is a size of its own, not that of the view

    def __init__(self, session: Session, title: str, tables: Sequence[RecordTable]) -> None:
        super().__init__(session, title)
        self.tables = tables
        self.note = StatusLine()
        self.legend = Legend()
        self.legend.changed.connect(self.apply_search)
        self.match_label = QLabel()
        self.match_label.setTextFormat(Qt.TextFormat.PlainText)
        self.search = FindEdit(f"Search in {title.lower()}")
        self.search.textChanged.connect(self._restart_search)
        self.search.returnPressed.connect(self.show_next_match)
        self._match_index = -1  # the match shown last
        for table in tables:
            if isinstance(table, FunctionTable):
                self.connect_navigation(table)
                table.menu_requested.connect(self.menu_requested)

    # ---------------------------------------------------------------- for the subclasses

    def shown_canvases(self) -> Sequence[Canvas]:
        """Return the visible canvases, from top to bottom."""
        raise NotImplementedError

    def apply_search(self) -> None:
        """Highlight the matches of the search and the group chosen in the legend."""
        raise NotImplementedError

    def matches(self) -> Sequence[Any]:
        """Return the matches of the search, in the order in which Return visits them."""
        raise NotImplementedError

    def show_match(self, match: Any) -> None:
        raise NotImplementedError

    def apply_options(self) -> None:
        """Apply the options that need no new picture."""
        raise NotImplementedError

    def arrange(self, picture: QWidget, *buttons: QToolButton) -> None:
        """Lay out tools, legend, picture, tables and note: notices of the window cover the last."""
        self.options.changed.connect(lambda: self._on_options())
        self.table_splitter = QSplitter(Qt.Orientation.Vertical)
        for table in self.tables:
            self.table_splitter.addWidget(table)
        self.table_splitter.hide()
        self._picture_area = self.cover_by_messages(picture)
        splitter = QSplitter()
        splitter.addWidget(self._picture_area)
        splitter.addWidget(self.table_splitter)
        splitter.setSizes(list(_SPLITTER_SIZES))
        self.tools = self._create_tools(buttons)
        parts = self.tools, self.legend, splitter, self.note
        self.set_content(stacked(QWidget(), *parts, most=splitter))

    def _create_tools(self, buttons: Sequence[QToolButton]) -> ToolRow:
        self.zoom_buttons = create_zoom_buttons(self.zoom, has_actual_size=self.has_actual_size)
        self.table_button = text_button("&Table", "Show the data of the picture as a table")
        self.table_button.setCheckable(True)
        self.table_button.toggled.connect(self.table_splitter.setVisible)
        tip = "Copy the picture or save it to a file"
        export_button = text_menu_button("E&xport", tip, self.fill_export_menu)
        zoom, last = list(self.zoom_buttons.values()), (self.table_button, export_button)
        return ToolRow(buttons, zoom, self.search, self.match_label, last)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Leave the little room that there may be to the picture."""
        self.legend.set_room(event.size().height() >= grid(_LEAST_WITH_LEGEND))
        super().resizeEvent(event)

    def fill_export_menu(self, menu: QMenu) -> None:
        if self.message:
            menu.addAction("No Picture").setEnabled(False)
            return
        canvases = self.shown_canvases()
        width = PictureStack(canvases).picture_size().width()
        picture = PictureStack([*canvases, self.legend.picture_of(width)])
        add_export_actions(menu, picture, self, self.suggested_file_name(), self.text_exports())

    def text_exports(self) -> Mapping[str, Callable[[], str]]:
        """Return what is exported as text: by formats, functions that create it."""
        tables = [table for table in self.tables if table.model().rowCount()]
        return {"CSV": lambda: "\n".join(map(table_as_csv, tables))}

    def suggested_file_name(self) -> str:
        """Return a file name made of the view's title and the active function's name."""
        query = self.session.query
        if query is None or query.context.function == NO_NODE:
            return self.title.lower()
        labels = query.queries.labels(query.context.scope, short=True)
        name = labels.name(query.context.function)
        return f"{self.title.lower()} {name}"

    # ---------------------------------------------------------------- legend

    def show_legend(self, query: ViewQuery, nodes: Int64Array, *, is_compared: bool) -> None:
        """Say what the colours of boxes of these nodes mean: their groups, or changes."""
        if is_compared:
            self.legend.show_changes()
        elif (legend := GroupLegend.of(query, nodes)) is not None:
            self.legend.show_groups(legend)
        else:
            self.legend.clear()

    # ---------------------------------------------------------------- zoom

    def picture_space(self) -> QSize:
        """Return the size in pixels that a picture has, or will have as soon as it is shown."""
        if self.shows_content:
            return self._picture_area.size()
        lines = self.search.sizeHint().height() + self.note.sizeHint().height()
        return QSize(self.width(), max(1, self.height() - lines - self.legend.full_height))

    def zoom(self, step: Zoom) -> None:
        for canvas in self.shown_canvases():
            canvas.zoom_by_step(step)

    # ---------------------------------------------------------------- search

    def _restart_search(self) -> None:
        self._match_index = -1
        self.apply_search()

    def show_next_match(self) -> None:
        """Show the next match of the search; after the last, the first."""
        matches = self.matches()
        if matches:
            self._match_index = (self._match_index + 1) % len(matches)
            self.show_match(matches[self._match_index])

    # ---------------------------------------------------------------- content

    def _on_options(self) -> None:
        self.apply_options()
        self.refresh_for(Change.EVENT)

    def content_inputs(self, context: Context) -> object:
        """Return the inputs of the picture; a result computed from other inputs is discarded."""
        return context.profile, context.scope, context.event, context.function, context.filter

    def show_message(self, text: str, *remedies: Remedy) -> None:
        """Show a message in place of the picture; the tools above it stay."""
        super().show_message(text, *remedies)
        self.legend.clear()
        self.note.setText("")
        self.note.show_detail(None)
        self.match_label.setText("")

    def show_reason_if_empty(self, query: ViewQuery) -> bool:
        """Show why there is no picture, if so; return whether there is none."""
        message = no_calls_reason(query)
        if message:
            self.show_placeholder(message)
        return bool(message)

    def show_result(self, result: Any, show: Callable[[Any], None]) -> None:
        super().show_result(
            result, show
        )  # the canvas is visible before it takes the result, so that it has its size
        self._restart_search()

    def fit_tables(self, *, is_compared: bool) -> None:
        """Show the columns of a comparison or not, wide enough for their numbers."""
        for table in self.tables:
            table.show_comparison(is_compared)
            table.fit_numbers()

    def set_stale(self, stale: bool) -> None:
        for canvas in self.shown_canvases():
            canvas.set_stale(stale)

    # ---------------------------------------------------------------- saved state

    def saved_options(self) -> str:
        return self.options.to_text()

    def restore_options(self, text: str) -> None:
        """Take the options from a text; invalid ones are ignored."""
        self.options.restore(text)
        self.apply_options()

    def save_state(self) -> list[QByteArray]:
        is_open = b"table" if self.table_button.isChecked() else b"no table"
        options = QByteArray(self.saved_options().encode("utf-8"))
        return [QByteArray(is_open), options, *super().save_state()]

    def restore_state(self, states: list[QByteArray]) -> None:
        if len(states) == len(self.save_state()):
            self.table_button.setChecked(states[0] == QByteArray(b"table"))
            self.restore_options(bytes(states[1].data()).decode("utf-8", "replace"))
            super().restore_state(states[2:])


# -------------------------------------------------------------------- diagrams


class DiagramView(PictureView):
    """A view with one canvas for a diagram."""

    has_actual_size = True

    def __init__(
        self, session: Session, title: str, tables: Sequence[RecordTable], layout: GraphLayout
    ) -> None:
        super().__init__(session, title, tables)
        self.layout_engine = layout
        self.canvas = DiagramCanvas(title.capitalize())
        self.overview = DiagramOverview(self.canvas)
        self.canvas.menu_requested.connect(self.fill_menu)
        self.canvas.detail_changed.connect(self.note.show_detail)
        self.canvas.font_changed.connect(lambda: self.refresh_for(Change.EVENT))
        self.initial_focus = self.canvas

    def shown_canvases(self) -> list[DiagramCanvas]:
        return [self.canvas]

    def apply_options(self) -> None:
        self.overview.set_corner(Corner(self.options.current.corner))

    def fill_menu(self, menu: QMenu, box: int) -> None:
        """Add the actions of a box, -1 for none, and those of the picture."""
        raise NotImplementedError

    def add_picture_actions(self, menu: QMenu) -> None:
        menu.addAction("F&it in Window\t0", self.canvas.fit)
        menu.addAction("Actual Si&ze\t1", self.canvas.zoom_to_actual_size)
        self.options.fill(menu.addMenu("Optio&ns"))
        self.fill_export_menu(menu.addMenu("E&xport"))

    def show_matches(self, rows: list[int], text: str) -> None:
        self.match_label.setText(f"{len(rows)} of {self.canvas.box_count}" if text else "")

    def show_match(self, match: int) -> None:
        self.canvas.show_match(Spot(match))
