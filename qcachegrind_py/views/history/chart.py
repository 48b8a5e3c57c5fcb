"""The chart: lines of costs over the revisions, which the mouse and the keyboard choose.

Revision n is at x = n. This module imports pyqtgraph, which takes 0.3 s, so import it when the
chart is first shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFont, QFontMetrics, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import QWidget

from qcachegrind_py.present.picture import Detail
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.views.history.content import ChartLine, Marks, symbol_path, value_range
from qcachegrind_py.views.pictures.detail_line import DetailLine
from qcachegrind_py.views.pictures.plot_area import Plot, PlotArea, thin_pen
from qcachegrind_py.views.profile_view import stacked
from qcachegrind_py.views.widgets.colors import RowGround, change_color

_MEASURED_NUMBERS = 8  # of which the widest is as wide as the axis


class ChartWidget(Plot):
    """The widget of pyqtgraph; keys go to the chart first."""

    menu_key_pressed = Signal(QPoint)

    def __init__(
        self, area: PlotArea, axis: pg.AxisItem, on_key: Callable[[QKeyEvent], bool]
    ) -> None:
        # pyqtgraph's constructor may deliver events already
        self._on_key: Callable[[QKeyEvent], bool] = lambda _event: False
        super().__init__(viewBox=area, axisItems={"left": axis})
        self._on_key = on_key
        self.setMenuEnabled(False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Chart of costs over the revisions")

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if not self._on_key(event):
            event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Open the menu for the menu key; the plot area does for the mouse."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.menu_key_pressed.emit(event.globalPos())


class Points(pg.ScatterPlotItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Points that leave clicks on them to the plot area."""

    def mouseClickEvent(self, event: Any) -> None:  # noqa: N802
        event.ignore()


class CostAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis whose numbers are written as the window writes costs."""

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.text: Callable[[float], str] = str
        self.decimal_point = "."
        self.enableAutoSIPrefix(False)

    def fit(self, heights: tuple[float, float]) -> None:
        """Be as wide as the numbers in a range; pyqtgraph would know that only when painting."""
        metrics = QFontMetrics(QFont())
        numbers = map(self.text, np.linspace(*heights, _MEASURED_NUMBERS).tolist())
        widest = max(map(metrics.horizontalAdvance, numbers))
        self.setWidth(widest + metrics.horizontalAdvance("00"))

    def tickStrings(  # noqa: N802
        self, values: Sequence[float], _scale: float, _spacing: float
    ) -> list[str]:
        return shortened(list(map(self.text, values)), self.decimal_point)


def shortened(texts: list[str], decimal_point: str) -> list[str]:
    """Return numbers without digits behind the point that are 0 in all of them: 5 M, 10 M."""
    pattern = rf"{re.escape(decimal_point)}([0-9]+)"
    fractions = [found[1] for text in texts if (found := re.search(pattern, text))]
    kept = max((len(each.rstrip("0")) for each in fractions), default=0)
    end = len(decimal_point) + kept if kept else 0
    return [re.sub(pattern, lambda found: found[0][:end], text) for text in texts]


HINT = (
    "Click two revisions to compare them, double-click one to open it. "
    "Keys: ← and →, B for the base, Return."
)
_LINE_WIDTH = 2
_SYMBOL_SIZE = 8  # pixels
_STEP_SIZE = 11
_MOST_SYMBOLS = 40  # on a line: more would hide it
_LONGEST_LABEL = 14  # digits, of a label of the axis
_ZOOM = 1.5
_END_ROOM = 0.025  # of the revisions, at both ends
_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}


class HistoryChart(QWidget):
    """Lines over revisions. A click or Return chooses a revision, B marks one as base."""

    revision_chosen = Signal(int)
    revision_opened = Signal(int)  # double click
    base_toggled = Signal(int)
    menu_requested = Signal(object, QPoint)  # int or None, and where on the screen
    escaped = Signal()

    def __init__(self, describe: Callable[[int], Detail]) -> None:
        """`describe` says what a revision is, and what it costs."""
        super().__init__()
        self._describe = describe
        self._labels: Sequence[str] = ()
        self._lines: Sequence[ChartLine] = ()
        self._items: list[Any] = []
        self._cursor: int | None = None  # the revision that keys choose
        self._marks = Marks()
        self._area, self._axis = PlotArea(), CostAxis("left")
        self.plot = ChartWidget(self._area, self._axis, self._on_key)
        lines = 2.6 * self.fontMetrics().height()  # a label, and a word for a mark below it
        self.plot.getPlotItem().getAxis("bottom").setHeight(lines)
        self.detail_line = DetailLine(HINT)
        self._pointer = pg.InfiniteLine(angle=90, movable=False)
        self._mark_lines = [pg.InfiniteLine(angle=90, movable=False) for _ in range(3)]
        for line in (*self._mark_lines, self._pointer):
            self._area.addItem(line, ignoreBounds=True)
            line.setZValue(-5)
            line.hide()
        stacked(self, self.plot, self.detail_line, most=self.plot)
        self.setFocusProxy(self.plot)
        self._connect()

    def _connect(self) -> None:
        area = self._area
        area.clicked.connect(lambda position, _: self._choose(self._revision_at(position)))
        area.double_clicked.connect(
            lambda position: self.revision_opened.emit(self._revision_at(position))
        )
        area.menu_requested.connect(
            lambda position, screen: self.menu_requested.emit(self._revision_at(position), screen)
        )
        area.hovered.connect(self._on_hovered)
        self.plot.menu_key_pressed.connect(
            lambda screen: self.menu_requested.emit(self._cursor, screen)
        )
        area.sigXRangeChanged.connect(lambda *_: self._label_revisions())
        area.sigResized.connect(lambda *_: self._label_revisions())

    # ---------------------------------------------------------------- content

    def show_revisions(self, labels: Sequence[str]) -> None:
        if labels == self._labels:
            return
        self._labels = labels
        self._cursor = None
        begin, end = self._whole_range()
        self._area.setLimits(xMin=begin, xMax=end, minXRange=min(3.0, end - begin))
        self._area.setRange(xRange=(begin, end), padding=0)
        self.detail_line.show_detail(None)
        self._pointer.hide()
        self._label_revisions()

    def _whole_range(self) -> tuple[float, float]:
        """Return the range that shows all revisions, with room for the labels at both ends."""
        last = len(self._labels) - 1
        room = max(0.5, _END_ROOM * last)
        return -room, last + room

    def show_lines(
        self,
        lines: Sequence[ChartLine],
        *,
        relative: bool,
        text: Callable[[float], str],
        decimal_point: str,
    ) -> None:
        """Draw these lines; `text` is how their heights are written at the axis."""
        self._lines = lines
        for item in self._items:
            self._area.removeItem(item)
        self._axis.text, self._axis.decimal_point = text, decimal_point
        self._items = [item for line in lines for item in self._line_items(line, relative)]
        self._items += self._step_items(lines, relative)
        for item in self._items:
            self._area.addItem(item, ignoreBounds=True)
        heights = value_range(list(lines), relative=relative)
        self._area.setRange(yRange=heights, padding=0)
        self._axis.fit(heights)
        self._axis.picture = None
        self._apply_palette()
        self._describe_cursor()

    def show_marks(self, marks: Marks) -> None:
        """Mark the base, and what is open and compared."""
        self._marks = marks
        places = (marks.base, marks.open, marks.compared)
        for line, place in zip(self._mark_lines, places, strict=True):
            line.setVisible(place is not None)
            if place is not None:
                line.setValue(place)
        self._label_revisions()

    def _line_items(self, line: ChartLine, relative: bool) -> list[Any]:
        heights = line.heights(relative=relative)
        places = np.arange(len(heights), dtype=np.float64)
        pen = thin_pen(line.look.color, _LINE_WIDTH, line.look.dashes)
        curve = pg.PlotCurveItem(places, heights, pen=pen, connect="finite", skipFiniteCheck=False)
        every = -(-len(heights) // _MOST_SYMBOLS)
        shown = ~np.isnan(heights)
        shown[np.arange(len(heights)) % every != 0] = False
        points = Points(
            places[shown],
            heights[shown],
            symbol=symbol_path(line.look.symbol),
            size=_SYMBOL_SIZE,
            pen=None,
            brush=line.look.color,
        )
        return [curve, points]

    def _step_items(self, lines: Sequence[ChartLine], relative: bool) -> list[Any]:
        """Return arrows at all steps: up for growth, down for shrinkage."""
        items = []
        for is_growth in (True, False):
            x, y = self._steps(lines, relative, is_growth=is_growth)
            items.append(
                Points(
                    x,
                    y,
                    symbol=symbol_path("up" if is_growth else "down"),
                    size=_STEP_SIZE,
                    pen=pg.mkPen(self.palette().color(QPalette.ColorRole.Base)),
                    brush=change_color(self.palette(), RowGround.PLAIN, is_growth=is_growth),
                )
            )
            items[-1].setZValue(5)
        return items

    def _steps(
        self, lines: Sequence[ChartLine], relative: bool, *, is_growth: bool
    ) -> tuple[list[float], list[float]]:
        x: list[float] = []
        y: list[float] = []
        for line in lines:
            heights = line.heights(relative=relative)
            grew = (line.after > line.before).tolist()
            for revision, is_up in zip(line.steps.tolist(), grew, strict=True):
                if is_up == is_growth and not np.isnan(heights[revision]):
                    x.append(revision)
                    y.append(float(heights[revision]))
        return x, y

    def _label_revisions(self) -> None:
        """Label the revisions on the axis, as many as have room, and always those with a mark."""
        if not self._labels:
            return
        (left, right), metrics = self._area.viewRange()[0], self.fontMetrics()
        pixel = (right - left) / max(1.0, self._area.width())
        room = _LONGEST_LABEL * metrics.horizontalAdvance("0")
        first, last = max(0, round(left)), min(len(self._labels) - 1, round(right))
        widest = max(
            (metrics.horizontalAdvance(text) for text in self._labels[first : last + 1][:200]),
            default=0,
        )
        width = min(room, widest) + metrics.horizontalAdvance("00")
        every = max(1, int(np.ceil(width * pixel)))
        marked = [place for place in self._marked() if first <= place <= last]
        ticks = [(float(n), self._label(n, room)) for n in marked]
        ticks += [
            (float(n), self._label(n, room))
            for n in range(first - first % every, last + 1, every)
            if n >= first and all(abs(n - place) >= every for place in marked)
        ]
        self.plot.getPlotItem().getAxis("bottom").setTicks([ticks])

    def _marked(self) -> list[int]:
        """Return the revisions with a mark, those first that are labelled where two are close."""
        marks = self._marks
        places = (marks.base, marks.open, marks.compared)
        return list(dict.fromkeys(place for place in places if place is not None))

    def _label(self, revision: int, room: int) -> str:
        middle = Qt.TextElideMode.ElideMiddle
        text = self.fontMetrics().elidedText(cell_text(self._labels[revision]), middle, room)
        if revision == self._marks.base:
            return f"{text}\nbase"
        if revision == self._marks.open:
            return f"{text}\n{'new' if self._marks.compared is not None else 'open'}"
        return f"{text}\nbase" if revision == self._marks.compared else text

    def _apply_palette(self) -> None:
        palette = self.palette()
        self.plot.setBackground(palette.color(QPalette.ColorRole.Base))
        for name in ("left", "bottom"):
            axis = self.plot.getPlotItem().getAxis(name)
            axis.setPen(palette.color(QPalette.ColorRole.Mid))
            axis.setTextPen(palette.color(QPalette.ColorRole.Text))
        self._pointer.setPen(thin_pen(palette.color(QPalette.ColorRole.Mid)))
        highlight = palette.color(QPalette.ColorRole.Highlight)
        for line in self._mark_lines:
            line.setPen(thin_pen(highlight, style=Qt.PenStyle.DashLine))
        self._mark_lines[1].setPen(thin_pen(highlight))

    # ---------------------------------------------------------------- pointing and choosing

    def move_cursor(self, revision: int) -> None:
        if not self._labels:
            return
        self._cursor = min(max(0, revision), len(self._labels) - 1)
        left, right = self._area.viewRange()[0]
        if not left <= self._cursor <= right:
            half = (right - left) / 2
            self._area.setRange(xRange=(self._cursor - half, self._cursor + half), padding=0)
        self._describe_cursor()

    def _revision_at(self, position: QPointF) -> int:
        return min(max(0, round(position.x())), len(self._labels) - 1)

    def _on_hovered(self, position: QPointF | None) -> None:
        if position is None or not self._labels:
            self._describe_cursor()
        else:
            self._point_at(self._revision_at(position))

    def _describe_cursor(self) -> None:
        if self._cursor is None:
            self._pointer.hide()
            self.detail_line.show_detail(None)
        else:
            self._point_at(self._cursor)

    def _point_at(self, revision: int) -> None:
        self._pointer.setValue(revision)
        self._pointer.show()
        detail = self._describe(revision)
        self.detail_line.show_detail(detail)
        self.plot.setAccessibleDescription(detail.text)

    def _choose(self, revision: int) -> None:
        self._cursor = revision
        self.plot.setFocus(Qt.FocusReason.MouseFocusReason)
        self.revision_chosen.emit(revision)

    def _on_key(self, event: QKeyEvent) -> bool:
        """Act on a key; return whether it has a meaning here."""
        key, last = Qt.Key(event.key()), len(self._labels) - 1
        cursor = last if self._cursor is None else self._cursor
        if last < 0 or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if key in _KEYS:
            self.move_cursor(cursor if self._cursor is None else cursor + _KEYS[key])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.move_cursor(0 if key == Qt.Key.Key_Home else last)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.revision_chosen.emit(cursor)
        elif key == Qt.Key.Key_B:
            self.move_cursor(cursor)
            self.base_toggled.emit(cursor)
        elif key == Qt.Key.Key_Escape and self._marks.base is not None:
            self.escaped.emit()
        else:
            return self._zoom(key)
        return True

    def _zoom(self, key: Qt.Key) -> bool:
        left, right = self._area.viewRange()[0]
        if key == Qt.Key.Key_0:
            self._area.setRange(xRange=self._whole_range(), padding=0)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
            middle = (left + right) / 2 if self._cursor is None else self._cursor
            scale = 1 / _ZOOM if key == Qt.Key.Key_Plus else _ZOOM
            begin, end = middle + (left - middle) * scale, middle + (right - middle) * scale
            self._area.setRange(xRange=(begin, end), padding=0)
        else:
            return False
        return True

    # ---------------------------------------------------------------- Qt's events

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._apply_palette()

    def picture_size(self) -> QSizeF:
        """Return the size of the plot on the screen, in logical pixels."""
        return QSizeF(self.plot.size())

    def paint_picture(self, painter: QPainter) -> None:
        """Paint the chart with its axes, without what the mouse points at."""
        area = QRectF(0, 0, *self.picture_size().toTuple())
        was_shown = self._pointer.isVisible()
        self._pointer.hide()
        painter.fillRect(area, self.palette().color(QPalette.ColorRole.Base))
        self.plot.scene().render(painter, area, QRectF(self.plot.viewport().rect()))
        self._pointer.setVisible(was_shown)
