"""The History dock: how costs changed over the revisions of a program, as a chart and as a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import (
    QByteArray,
    QEvent,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QComboBox,
    QMenu,
    QSplitter,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.history import (
    NO_TREND_TABLE,
    CourseCells,
    HistoryRows,
    Measure,
    trend_table,
)
from qcachegrind_py.present.picture import Detail
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.context import function_identity
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.history.content import (
    CHOICES,
    ChartLine,
    Content,
    HistoryOptions,
    Legend,
    Marks,
    Scale,
    chart_lines,
    compute_content,
    headline,
)
from qcachegrind_py.views.profile_view import JobView, header_row, stacked
from qcachegrind_py.views.tables.item_model import AnyIndex, Role
from qcachegrind_py.views.tables.record_table import FunctionSearchEdit, FunctionTable
from qcachegrind_py.views.tables.row_delegates import Cell, CellDelegate
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import RowGround, change_color
from qcachegrind_py.views.widgets.controls import (
    NoteLabel,
    OptionMenu,
    open_context_menu,
    text_menu_button,
)
from qcachegrind_py.views.widgets.empty_page import Remedy
from qcachegrind_py.views.widgets.saving import PictureStack, add_export_actions

if TYPE_CHECKING:
    from qcachegrind_py.views.history.chart import HistoryChart


_MARGIN = 4.0  # pixels around the line
_SHORT = np.array([[2.0, 0.0]])  # the line of a single revision
_LEAST_SPREAD = 0.04  # of the highest cost: the range that a cell shows at least
_DOT = 2.5  # radius of the dot at the largest step, in pixels


class SparklineDelegate(CellDelegate):
    """Delegate for the column of courses; a dot is at the largest step."""

    def paint_cell(self, painter: QPainter, option: QStyleOptionViewItem, cell: Cell) -> None:
        """Draw the line; revisions without the function leave a gap."""
        cells, record, look = cell.column.cells, cell.record, cell.look
        assert isinstance(cells, CourseCells)
        rows = cells.rows
        area = QRectF(option.rect).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        points = course_points(rows, record, area)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.text, 1.2))
        for run in _runs(thinned(points, int(area.width()))):
            painter.drawPolyline(_polygon(run))
        if (at := int(rows.trends.step_revision[record])) >= 0 and not np.isnan(points[at, 1]):
            is_growth = bool(rows.trends.largest_step[record] > 0)
            painter.setBrush(change_color(option.palette, look.ground, is_growth=is_growth))
            # on the row of the active function, the colour may be much like the row
            is_edged = look.ground is RowGround.ACTIVE
            painter.setPen(look.text if is_edged else Qt.PenStyle.NoPen)
            painter.drawEllipse(QPointF(*points[at].tolist()), _DOT, _DOT)
        painter.restore()


def course_points(rows: HistoryRows, record: int, area: QRectF) -> Float64Array:
    """Return the points of a line: shape (revisions, 2), float64; NaN where there is no cost.

    The bottom is 0, or the lowest cost if all are close together.
    """
    values = np.where(rows.is_there[record], rows.values[record].astype(np.float64), np.nan)
    known = values[~np.isnan(values)]
    lowest, highest = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    floor = lowest if 2 * lowest > highest else min(lowest, 0.0)
    shown = max(highest - floor, highest * _LEAST_SPREAD)  # noise is nearly flat
    floor -= (shown - (highest - floor)) / 2
    height = area.height() / shown if shown > 0 else 0.0
    across = np.linspace(area.left(), area.right(), len(values))
    down = area.bottom() - (values - floor) * height
    return np.column_stack((across, down))


def thinned(points: Float64Array, width: int) -> Float64Array:
    """Return the highest and the lowest point of each pixel, if there are more points than that.

    Lines of 1,000 points take 3 ms each to draw, and look the same.
    """
    if len(points) <= 2 * width or width < 1:
        return points
    begins = np.linspace(0, len(points), width, endpoint=False).astype(np.int64)
    ends = np.fmin.reduceat(points[:, 1], begins), np.fmax.reduceat(points[:, 1], begins)
    return np.column_stack((np.repeat(points[begins, 0], 2), np.column_stack(ends).ravel()))


def _runs(points: Float64Array) -> list[Float64Array]:
    """Return the pieces of a line between gaps; a single point is a short line."""
    is_there = ~np.isnan(points[:, 1])
    edges = np.flatnonzero(np.diff(np.concatenate(([False], is_there, [False])).astype(np.int8)))
    runs = [points[begin:end] for begin, end in edges.reshape(-1, 2).tolist()]
    return [run if len(run) > 1 else np.concatenate((run, run + _SHORT)) for run in runs]


def _polygon(points: Float64Array) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in points.tolist()])


class HistoryTable(FunctionTable):
    """Return goes to a function that the open profile has; the menu pins its line in the chart."""

    pin_toggled = Signal(int)  # the function of the history

    def __init__(self, model: TableModel) -> None:
        super().__init__(model, "History")
        self.setItemDelegateForColumn(model.place("course"), SparklineDelegate(self))
        self.pinned: frozenset[int] = frozenset()

    def _activate(self, index: AnyIndex) -> None:
        if index.isValid() and index.data(Role.FUNCTION) != NO_NODE:
            super()._activate(index)

    def fill_menu(self, menu: QMenu, index: QPersistentModelIndex) -> None:
        """Add what can be done with a function of the history, and with that of the profile."""
        record = self._table_model.record(index)
        if record < 0:
            return
        pin = menu.addAction("&Unpin Line" if record in self.pinned else "&Pin Line")
        pin.setToolTip("Keep the line of this function in the chart, or no longer")
        pin.triggered.connect(lambda: self.pin_toggled.emit(record))
        if index.data(Role.FUNCTION) != NO_NODE:
            menu.addSeparator()
            super().fill_menu(menu, index)


_IMPORT_JOB = "history chart"
_LEAST_LINES = 8  # of text: the height that the chart has at least


@frozen
class ChartContent:
    """What the chart shows."""

    labels: Sequence[str]  # of the revisions, the oldest first
    lines: Sequence[ChartLine]
    is_relative: bool  # whether heights are percentages of the first value of a line
    text: Callable[[float], str]  # how heights are written at the axis
    marks: Marks


class ChartPanel(QWidget):
    """Shows the chart as soon as there is one, with its legend above it."""

    def __init__(
        self,
        session: Session,
        describe: Callable[[int], Detail],
        connect: Callable[[HistoryChart], None],
    ) -> None:
        """`describe` says what a revision is, and what it costs; `connect` gets the chart."""
        super().__init__()
        self._session, self._describe, self._connect = session, describe, connect
        self.chart: HistoryChart | None = None
        self._content: ChartContent | None = None
        self.legend = Legend()
        # from the start: a splitter would keep the height of 0 before the import
        self.setMinimumHeight(_LEAST_LINES * self.fontMetrics().height())
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.legend)
        self._column.addStretch()

    def show_chart(self, content: ChartContent) -> None:
        """Show this content, at once or when the chart has been imported."""
        self._content = content
        self.legend.show_lines(content.lines)
        if self.chart is not None:
            self._show(self.chart, content)
        elif not self._session.jobs.is_running(_IMPORT_JOB):
            job = self._session.jobs.start(_IMPORT_JOB, _import_chart)
            job.finished.connect(self._add_chart)

    def clear(self) -> None:
        self._content = None

    def _add_chart(self, kind: type[HistoryChart]) -> None:
        chart = self.chart = kind(self._describe)
        self._connect(chart)
        self._column.takeAt(1)
        self._column.addWidget(chart, 1)
        chart.show()
        self.setFocusProxy(chart)
        if self._content is not None:
            self._show(chart, self._content)

    def _show(self, chart: HistoryChart, content: ChartContent) -> None:
        chart.show_revisions(content.labels)
        chart.show_lines(
            content.lines,
            relative=content.is_relative,
            text=content.text,
            decimal_point=self._session.navigation.context.numbers.decimal_point,
        )
        chart.show_marks(content.marks)

    def fill_export_menu(self, menu: QMenu) -> None:
        """Add the actions that copy and save the chart with its legend."""
        if self.chart is not None:
            picture = PictureStack([self.legend, self.chart])
            add_export_actions(menu, picture, self, "history", {})


def _import_chart(_progress: Progress) -> type[HistoryChart]:
    """Return the class of the chart; as a job, it keeps the slow import off the UI thread."""
    from qcachegrind_py.views.history.chart import HistoryChart

    return HistoryChart


NO_HISTORY = (
    "No history is open.\n"
    "Choose the profiles of several revisions, to see how costs changed from one to the next."
)
_TITLE = "History"
_LEAST_ROWS = 3  # of the list
_SPLITTER_SIZES = (5500, 4500)  # Qt scales these to the available height


class HistoryView(JobView):
    """A chart of costs over revisions, and below it all functions of the history."""

    depends_on = (
        Change.PROFILE | Change.EVENTS | Change.EVENT | Change.FUNCTION | Change.SELECTION
        | Change.SCOPE | Change.NUMBERS | Change.NAMES
    )  # fmt: skip
    invalidated_by = Change.PROFILE
    keeps_room = True

    def __init__(self, session: Session, open_history: QAction) -> None:
        """`open_history` asks for the files of a history."""
        super().__init__(session, _TITLE)
        self._open_history = open_history
        self._history = session.history
        self._content: Content | None = None
        self._former: Content | None = None  # whose costs may be those of the next content
        self._lines: list[ChartLine] = []
        self.model = TableModel(NO_TREND_TABLE, self)
        self._identities: object = None  # of the rows of the list
        self.table = HistoryTable(self.model)
        self.connect_navigation(self.table)
        self.table.menu_requested.connect(self.menu_requested)
        self.table.pin_toggled.connect(self._toggle_pin)
        self.options = OptionMenu(self, HistoryOptions(), CHOICES)
        self.options.changed.connect(self._on_options)
        self.panel = ChartPanel(session, self._describe, self._connect_chart)
        self.headline = NoteLabel()
        self.search = FunctionSearchEdit(self.table)
        self.search.textChanged.connect(self._search)
        self.measure_box = self._create_measure_box()
        self.set_content(self._create_content(), self.table)
        self._history.changed.connect(self._on_history)
        if not session.is_opening:
            self._show_no_history()

    def _connect_chart(self, chart: HistoryChart) -> None:
        history = self._history
        chart.revision_chosen.connect(history.choose)
        chart.revision_opened.connect(lambda revision: history.open_revision(revision))
        chart.base_toggled.connect(self._toggle_base)
        chart.escaped.connect(lambda: history.mark_base(None))
        chart.menu_requested.connect(self._open_chart_menu)

    def _create_measure_box(self) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName("Costs in the list")
        box.setToolTip(CHOICES["measure"].tooltip)
        for value, text in CHOICES["measure"].values:
            box.addItem(text.replace("&", ""), value)
        box.activated.connect(lambda _: self.options.set("measure", box.currentData()))
        return box

    def _create_content(self) -> QWidget:
        content, lower = QWidget(), QWidget()
        tip = "Choose the lines of the chart, and its scale"
        lines = text_menu_button("L&ines", tip, self.options.fill)
        tip = "Copy the chart or save it to a file"
        export = text_menu_button("E&xport", tip, self.panel.fill_export_menu)
        head = header_row(self.headline, lines, export, most=self.headline)
        row = header_row(self.measure_box, self.search, most=self.search)
        stacked(lower, row, self.table, most=self.table)
        rows = _LEAST_ROWS * self.table.verticalHeader().defaultSectionSize()
        rows += self.table.horizontalHeader().sizeHint().height()
        self.table.setMinimumHeight(rows + self.table.horizontalScrollBar().sizeHint().height())
        both = QSplitter(Qt.Orientation.Vertical)
        both.setChildrenCollapsible(False)
        both.addWidget(self.panel)
        both.addWidget(lower)
        both.setSizes(list(_SPLITTER_SIZES))
        return stacked(content, head, both, most=both)

    # ---------------------------------------------------------------- content

    def refresh(self, query: ViewQuery, change: Change) -> None:
        """Show the history in the event of the context, with the lines of the active function."""
        opened = self._history.state.opened
        if opened is None:
            self._show_no_history()
        elif query.context.event is None:
            self.show_placeholder("The open profile has no costs.")
        elif self._content is not None and self._content.inputs == self._inputs(query.context):
            self._show_content(query, self._content, change)
        else:
            inputs, former = self._inputs(query.context), self._former
            self.start_job(
                lambda progress: compute_content(progress, query, opened, inputs, former),
                self._accept,
            )

    def content_inputs(self, context: Context) -> object:
        """Return what the content depends on, apart from the history itself."""
        return self._inputs(context)

    def _inputs(self, context: Context) -> object:
        opened = self._history.state.opened
        return context.profile, context.event, context.short_names, id(opened)

    def _accept(self, content: Content) -> None:
        self._content = self._former = content
        if (query := self.session.query) is not None:
            self._show_content(query, content, Change.all_changes())

    def _show_no_history(self) -> None:
        self.cancel_job()
        self.clear()
        self._former = None
        self.model.clear()
        self._identities = None
        self.panel.clear()
        self.show_message(NO_HISTORY, Remedy("Open History…", self._open_history.trigger))

    def clear(self) -> None:
        """Forget where the functions are in the profile."""
        self._content = None
        if (shown := self.model.table).length:
            self.model.show_numbers(replace(shown, nodes=np.full(shown.length, NO_NODE, np.int64)))

    def set_stale(self, stale: bool) -> None:
        self.panel.setDisabled(stale)
        self.table.setDisabled(stale)

    def _on_history(self) -> None:
        """Show another history, or other pinned functions and another base of the same."""
        if self._content is None or self._content.opened is not self._history.state.opened:
            if self.session.query is None:
                self._show_no_history()
            self.refresh_for(Change.EVENT)
        else:
            self.refresh_for(Change.FUNCTION)

    def _show_content(self, query: ViewQuery, content: Content, change: Change) -> None:
        if content.costs is None:
            self.show_message(_why_no_event(query))
            return
        self.show_content()
        if change & ~(Change.FUNCTION | Change.SELECTION):
            self._show_rows(query, content)
        self.model.highlight(query.context.selected)
        self.model.mark_active(query.context.function)
        pinned = self._pinned_rows(content)
        if self.table.pinned != frozenset(pinned):
            self.table.pinned = frozenset(pinned)
            self._show_rows(query, content)
        if change != Change.SELECTION:
            self.table.select_function(query.context.function, scroll=False)
            self._show_chart(query, content, pinned)

    def _show_rows(self, query: ViewQuery, content: Content) -> None:
        measure = Measure(self.options.current.measure)
        self.measure_box.setCurrentIndex(self.measure_box.findData(measure.value))
        rows = content.rows[measure]
        is_same = rows.identities is self._identities
        table = trend_table(rows, self._unit(query), content.nodes, self.table.pinned)
        if is_same:
            self.model.show_numbers(table)
        else:
            self.model.show(table)
        self._identities = rows.identities
        self.table.fit_numbers(only_wider=is_same)
        self._search()

    def _show_chart(self, query: ViewQuery, content: Content, pinned: list[int]) -> None:
        unit, options = self._unit(query), self.options.current
        active = self._active_row(query, content)
        lines = chart_lines(content, options, active, pinned, self.palette())
        labels = content.opened.history.labels
        self._lines = lines
        missing = ""
        if active is None and query.context.function != NO_NODE:
            name = cell_text(query.labels().name(query.context.function))
            missing = f" · The history does not have {name}."
        words = headline(lines, labels, unit)
        self.headline.setText(words + missing if words else missing.removeprefix(" · "))
        is_relative = options.scale == Scale.RELATIVE.value
        text = _percent if is_relative else partial(_short_cost, unit)
        self.panel.show_chart(ChartContent(labels, lines, is_relative, text, self._marks()))

    def _marks(self) -> Marks:
        return Marks(self._history.state.base, *self._history.open_places())

    def _unit(self, query: ViewQuery) -> Unit:
        """Return the unit of costs, which are absolute: revisions have different totals."""
        return replace(query.unit(query.context.event), wants_percent=False, divisors=None)

    def _active_row(self, query: ViewQuery, content: Content) -> int | None:
        """Return the row of the active function; None for a cycle, and for others."""
        node = query.context.function
        if node == NO_NODE or not query.queries.is_function(node):
            return None
        return content.opened.row_of(function_identity(query.queries, node, query.context.scope))

    def _pinned_rows(self, content: Content) -> list[int]:
        rows = (content.opened.row_of(pinned) for pinned in self._history.state.pinned)
        return [row for row in rows if row is not None]

    # ---------------------------------------------------------------- the list

    def _search(self) -> None:
        """Show the functions whose names match the search."""
        content, text = self._content, self.search.text()
        if content is None:
            return
        found = content.search.found_by(text) if text else None
        self.model.set_filter(found)
        count, revisions = len(content.names), len(content.opened.history.labels)
        shown, listed = f"{format_count(count)} {plural(count, 'function')}", ""
        if found is not None:
            listed = f"{format_count(int(found.sum()))} of {shown}"
            clear = Remedy("Clear Search", self.search.clear)
            self.table.empty_page.show_reason("No function matches the search.", clear)
        revised = f"{format_count(revisions)} {plural(revisions, 'revision')}"
        self.search.show_count(f"{shown}, {revised}", listed)

    def _toggle_pin(self, row: int) -> None:
        if self._content is not None:
            self._history.toggle_pin(self._content.opened.history.functions[row])

    # ---------------------------------------------------------------- the chart

    def _describe(self, revision: int) -> Detail:
        """Say what a revision costs, and what a click does to it."""
        query, content = self.session.query, self._content
        if query is None or content is None:
            return Detail("")
        labels, base = content.opened.history.labels, self._history.state.base
        unit = self._unit(query)
        costs = tuple(f"{line.short_name} {line.text_at(revision, unit)}" for line in self._lines)
        name = cell_text(labels[revision])
        if base == revision:
            name = f"{name}, the base: choose a revision to compare with it"
        elif base is not None:
            name = f"{name}, Return or a click compares it with {short_text(labels[base])}"
        return Detail(name, tuple(costs))

    def _toggle_base(self, revision: int) -> None:
        is_base = self._history.state.base == revision
        self._history.mark_base(None if is_base else revision)

    def _open_chart_menu(self, revision: int | None, position: QPoint) -> None:
        menu, history = QMenu(self), self._history
        menu.setToolTipsVisible(True)
        if revision is not None and self._content is not None:
            labels, base = self._content.opened.history.labels, history.state.base
            menu.addAction(f"&Open {_menu_text(labels[revision])}").triggered.connect(
                lambda: history.open_revision(revision)
            )
            if revision > 0:
                menu.addAction("Compare with the Revision Be&fore").triggered.connect(
                    lambda: history.open_revision(revision, revision - 1)
                )
            if base is not None and base != revision:
                menu.addAction(f"&Compare with {_menu_text(labels[base])}").triggered.connect(
                    lambda: history.open_revision(revision, base)
                )
            is_base = base == revision
            menu.addAction("Do Not Use as &Base" if is_base else "Use as &Base").triggered.connect(
                lambda: self._toggle_base(revision)
            )
            menu.addSeparator()
        self.panel.fill_export_menu(menu)
        menu.addSeparator()
        menu.addAction("Close &History").triggered.connect(history.close)
        open_context_menu(menu, position)

    # ---------------------------------------------------------------- options and Qt's events

    def _on_options(self) -> None:
        self.refresh_for(Change.NUMBERS)

    def save_state(self) -> list[QByteArray]:
        options = QByteArray(self.options.to_text().encode("utf-8"))
        return [options, *super().save_state()]

    def restore_state(self, states: list[QByteArray]) -> None:
        if len(states) == len(self.save_state()):
            self.options.restore(bytes(states[0].data()).decode("utf-8", "replace"))
            super().restore_state(states[1:])

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._content is not None:
            self.refresh_for(Change.FUNCTION)


def _why_no_event(query: ViewQuery) -> str:
    """Return why there are no costs of the window's event."""
    event = query.context.event
    assert event is not None
    if event.is_ratio:
        return "A ratio of events has no history.\nChoose a counted event in the toolbar."
    name = short_text(event.title)
    return (
        f"Not all revisions of the history have measured {name}.\n"
        "Choose another event in the toolbar."
    )


def _menu_text(label: str) -> str:
    return short_text(label).replace("&", "&&")


def _percent(height: float) -> str:
    return f"{height:.4g}\N{THIN SPACE}%"


def _short_cost(unit: Unit, height: float) -> str:
    short = replace(unit, style=replace(unit.style, use_si_prefixes=True))
    return short.absolute(round(height))
