"""Item delegates for lists and trees: the ground of rows, numbers with bars, names, locations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from PySide6.QtCore import QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleFactory,
    QStyleOptionViewItem,
)

from qcachegrind_py.analysis.names.syntax import ELLIPSIS, FittedName, fitted_location, fitted_name
from qcachegrind_py.present.table import Column
from qcachegrind_py.present.unit import ESTIMATE
from qcachegrind_py.views.tables.bars import (
    number_and_bar,
    paint_change_bar,
    paint_cost_bar,
    paint_divided_bar,
)
from qcachegrind_py.views.tables.item_model import AnyIndex
from qcachegrind_py.views.tables.table_model import TableCells
from qcachegrind_py.views.widgets.colors import (
    FewKept,
    RowGround,
    marked_color,
    pointed_color,
    selection_color,
)
from qcachegrind_py.views.widgets.grid import grid

_ROLE = QPalette.ColorRole
_SELECTED, _FOCUSED = QStyle.StateFlag.State_Selected, QStyle.StateFlag.State_HasFocus
_POINTED, _ENABLED = QStyle.StateFlag.State_MouseOver, QStyle.StateFlag.State_Enabled
_SELECTED_BIT, _FOCUSED_BIT = int(_SELECTED.value), int(_FOCUSED.value)
_POINTED_BIT, _ENABLED_BIT = int(_POINTED.value), int(_ENABLED.value)
_TEXT = Qt.TextFlag.TextSingleLine
_NUMBER = Qt.AlignmentFlag.AlignRight | Qt.TextFlag.TextDontClip


class _Kind(Enum):
    """What the ground of a row tells; where several hold, the first."""

    ACTIVE = "the active function"
    SELECTED = "selected"
    MARKED = "selected in another view"
    FAINT = "next to nothing"
    PLAIN = "plain"


class RowStates:
    """The row that the mouse points at and the one that the keyboard acts on; -1 for none."""

    pointed = focused = -1


class RowDelegate(QStyledItemDelegate):
    """Base delegate: the same height of rows in trees as in lists, and what rows look like.

    Only the row of the active function has the full highlight colour, selected or not. Other
    selected rows have a light one, so that the two are not confused. The row that the mouse points
    at has a faint ground, and the one that the keyboard acts on has lines above and below.
    """

    def __init__(self, parent: QObject | None = None, rows: RowStates | None = None) -> None:
        super().__init__(parent)
        self._row_states = RowStates() if rows is None else rows

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:  # noqa: N802
        super().initStyleOption(option, index)
        state, palette = option.state, option.palette
        option.state &= ~(_FOCUSED | _POINTED)
        if state & _SELECTED:
            soften_selection(palette)
        elif state & _POINTED:
            option.backgroundBrush = QBrush(pointed_color(palette))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw the cell, and around it what tells where the keyboard is."""
        super().paint(painter, option, index)
        is_current, color = bool(option.state & _FOCUSED), option.palette.color(_ROLE.Link)
        self._paint_focus(painter, option.rect, color, index.row(), is_current=is_current)

    def _paint_focus(
        self, painter: QPainter, area: QRect, color: QColor, row: int, *, is_current: bool
    ) -> None:
        if is_current:
            painter.setPen(color)
            painter.drawRect(area.adjusted(0, 0, -1, -1))
        elif self._row_states.focused == row:
            painter.setPen(color)
            painter.drawLine(area.topLeft(), area.topRight())
            painter.drawLine(area.bottomLeft(), area.bottomRight())

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:  # noqa: N802
        size = super().sizeHint(option, index)
        line = option.fontMetrics.height()
        return QSize(size.width(), max(size.height(), line + line // 2))


def draw_rows_plainly(view: QAbstractItemView) -> None:
    """Let cells be drawn without the window's style.

    It changes nothing of them, and as it is written in Python it would be asked 20 times a row.
    """
    style = QStyleFactory.create("Fusion")
    style.setParent(view)
    view.setStyle(style)


def soften_selection(palette: QPalette) -> None:
    """Give selected rows the light colour of those that are not the active function's."""
    palette.setColor(_ROLE.Highlight, selection_color(palette))
    palette.setColor(_ROLE.HighlightedText, palette.color(_ROLE.Text))


class RowLook(NamedTuple):
    """The colours of a row."""

    ground: RowGround
    fill: QColor | None  # None: one of the two that rows alternate between
    text: QColor
    callers: QColor
    focus: QColor


_looks = FewKept[tuple[int, bool, _Kind, bool], RowLook]()  # by palette, enabled, kind, pointed at


def _row_look(palette: QPalette, kind: _Kind, *, is_enabled: bool, is_pointed: bool) -> RowLook:
    key = palette.cacheKey(), is_enabled, kind, is_pointed
    if (known := _looks.get(key)) is None:
        known = _looks.keep(key, _new_look(palette, kind, is_pointed))
    return known


def _new_look(palette: QPalette, kind: _Kind, is_pointed: bool) -> RowLook:
    text, faint = palette.color(_ROLE.Text), palette.color(_ROLE.PlaceholderText)
    link = palette.color(_ROLE.Link)
    if kind is _Kind.ACTIVE:
        text = palette.color(_ROLE.HighlightedText)
        return RowLook(RowGround.ACTIVE, palette.color(_ROLE.Highlight), text, text, text)
    if kind is _Kind.SELECTED:
        return RowLook(RowGround.TINTED, selection_color(palette), text, text, link)
    if kind is _Kind.MARKED:
        return RowLook(RowGround.TINTED, marked_color(palette), text, faint, link)
    fill = pointed_color(palette) if is_pointed else None
    return RowLook(RowGround.PLAIN, fill, faint if kind is _Kind.FAINT else text, faint, link)


class Cell(NamedTuple):
    """A cell of a `Table`."""

    model: TableCells
    record: int
    column: Column
    look: RowLook


class CellDelegate(RowDelegate):
    """Base of the delegates that draw the cells of a `Table`.

    They ask the model itself: asked through Qt, by role, it would take most of the time.
    """

    def __init__(self, parent: QObject | None = None, rows: RowStates | None = None) -> None:
        super().__init__(parent, rows)
        self._widths: dict[bool, _TextWidths] = {}  # of texts that are bold, and that are not

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw the ground and the cell, and around it what tells where the keyboard is."""
        model, row = index.model(), index.row()
        state: int = option.state.value  # asked for once, as it takes 1 µs
        assert isinstance(model, TableCells)
        record, column = model.record(index), model.columns[index.column()]
        if model.is_active(record):
            kind = _Kind.ACTIVE
        elif state & _SELECTED_BIT:
            kind = _Kind.SELECTED
        elif model.is_highlighted(record):
            kind = _Kind.MARKED
        else:
            kind = _Kind.FAINT if model.is_faint(record, column) else _Kind.PLAIN
        look = _row_look(
            option.palette,
            kind,
            is_enabled=bool(state & _ENABLED_BIT),
            is_pointed=bool(state & _POINTED_BIT) or self._row_states.pointed == row,
        )
        if look.fill is not None:
            painter.fillRect(option.rect, look.fill)
        self.paint_cell(painter, option, Cell(model, record, column, look))
        is_current = bool(state & _FOCUSED_BIT)
        self._paint_focus(painter, option.rect, look.focus, row, is_current=is_current)

    def text_widths(self, font: QFont) -> _TextWidths:
        """Return the widths of texts in the font of the cells."""
        known = self._widths.get(font.bold())
        if known is None or font != known.font:
            known = self._widths[font.bold()] = _TextWidths(font)
        return known

    def paint_cell(self, painter: QPainter, option: QStyleOptionViewItem, cell: Cell) -> None:
        """Draw the content of a cell."""
        raise NotImplementedError


class NumberDelegate(CellDelegate):
    """Delegate for a column of numbers, with bars at their right; a number is never elided.

    In a column that is too narrow for the number, it is written in fewer digits: 2.940 G.
    """

    def __init__(
        self,
        column: int = 0,
        beside_bars: Mapping[int, int] = MappingProxyType({}),
        parent: QObject | None = None,
        rows: RowStates | None = None,
    ) -> None:
        """`beside_bars` are the widths of the numbers in columns with bars, in pixels."""
        super().__init__(parent, rows)
        self._column, self._beside_bars = column, beside_bars

    def paint_cell(self, painter: QPainter, option: QStyleOptionViewItem, cell: Cell) -> None:
        """Draw the number, and the bar of its cost where there is room for it."""
        area, metrics, cells = option.rect, option.fontMetrics, cell.column.cells
        text, bar = number_and_bar(area, self._beside_bars.get(self._column, area.width()))
        if not bar.isEmpty():
            _paint_bar(painter, bar, option.palette, cell)
        if mark := cell.model.mark(cell.record, cell.column):
            side = metrics.ascent()
            above = (area.height() - side) / 2
            frame = QRectF(text.left() + 0.5, text.top() + above + 0.5, side - 1, side - 1)
            paint_mark(painter, frame, mark, option.font, cell.look.text)
        if number := cells.text(cell.record):
            if not self.text_widths(option.font).fits(number, text.width() + 1):
                number = cells.short_text(cell.record)
            painter.setFont(option.font)
            painter.setPen(cell.look.text)
            painter.drawText(_line_in(text, metrics), _NUMBER, number)


def _paint_bar(painter: QPainter, area: QRect, palette: QPalette, cell: Cell) -> None:
    cells, ground = cell.column.cells, cell.look.ground
    length = cells.bar(cell.record)
    if length is None:
        return
    if cells.is_change:
        paint_change_bar(painter, area, length, palette, ground)
    elif parts := cell.model.bar_parts(cell.record, cell.column):
        paint_divided_bar(painter, area, length, parts, palette, ground)
    else:
        paint_cost_bar(painter, area, length, palette, ground)


def _line_in(area: QRect, metrics: QFontMetrics) -> QRect:
    """Return where the line of a text is in a cell: in its middle, as styles round it."""
    line = metrics.height()
    return QRect(area.left(), area.top() + area.height() // 2 - line // 2, area.width(), line)


def set_delegates(
    view: QAbstractItemView,
    columns: Sequence[Column],
    beside_bars: Mapping[int, int],
    rows: RowStates | None = None,
) -> None:
    """Draw bars beside numbers, and as much of names and locations as fits.

    `beside_bars` are the widths of the numbers in columns with bars, in pixels.
    """
    names, locations = NameDelegate(view, rows), LocationDelegate(view, rows)
    for number, column in enumerate(columns):
        if column.is_number:
            delegate: RowDelegate = NumberDelegate(number, beside_bars, view, rows)
        else:
            delegate = names if column.stretches else locations
        view.setItemDelegateForColumn(number, delegate)


# ---------------------------------------------------------------- names and locations


class NameDelegate(CellDelegate):
    """Delegate for names of functions: `…::find(…) const`, with callers in grey.

    `analysis.names.elisions` tells what is left out of a name that is too long.
    """

    def __init__(self, parent: QObject | None = None, rows: RowStates | None = None) -> None:
        super().__init__(parent, rows)
        # 0.1 ms a name, and rows are painted whenever the mouse moves over them
        self._fitted = lru_cache(_CACHED_TEXTS)(_fitted_name)

    def paint_cell(self, painter: QPainter, option: QStyleOptionViewItem, cell: Cell) -> None:
        """Draw the name, its colour before it, and a word in a frame at the right end."""
        area, size = QRect(option.rect), option.decorationSize.width()
        text = cell.column.cells.text(cell.record)
        if mark := cell.model.mark(cell.record, cell.column):
            needed = option.fontMetrics.horizontalAdvance(text) + _CELL_MARGINS
            if area.width() - size - needed < mark_width(option.font, mark):
                mark = mark.partition(" ")[0].rstrip(",")  # the tip says the rest
            width = mark_width(option.font, mark)
            frame = QRectF(area).adjusted(area.width() - width + 2.5, 3.5, -4.5, -3.5)
            paint_mark(painter, frame, mark, option.font, cell.look.text)
            area.setRight(area.right() - width)
        if color := cell.model.color(cell.record, cell.column):
            above = (area.height() - size) // 2
            pixmap = swatch_pixmap(color.rgb(), size)
            painter.drawPixmap(area.left() + _MARGIN, area.top() + above, pixmap)
            area.setLeft(area.left() + size + 2 * _MARGIN)
        font, metrics = option.font, option.fontMetrics
        if cell.model.is_bold(cell.record, cell.column):
            font = QFont(font)
            font.setBold(True)
            metrics = QFontMetrics(font)
        line = _line_in(area.adjusted(_MARGIN, 0, -_MARGIN, 0), metrics)
        painter.setFont(font)
        painter.setPen(cell.look.text)
        widths = self.text_widths(font)
        if "'" not in text and widths.fits(text, line.width()):
            painter.drawText(line, _TEXT, text)
            return
        name = self._fitted(text, line.width(), widths)
        self._paint_parts(painter, line, name, metrics, cell.look)

    def _paint_parts(
        self, painter: QPainter, line: QRect, name: FittedName, metrics: QFontMetrics, look: RowLook
    ) -> None:
        """Paint a name, the callers in it in grey, and what follows them."""
        text, begin, end = name.text, name.callers_begin, name.callers_end
        parts = [(text, look.text)]
        if begin < end:
            behind = (text[begin:end], look.callers), (text[end:], look.text)
            parts = [(text[:begin], look.text), *behind]
        for part, color in parts:
            painter.setPen(color)
            painter.drawText(line, _TEXT, part)
            line.setLeft(line.left() + metrics.horizontalAdvance(part))


def paint_mark(painter: QPainter, frame: QRectF, mark: str, font: QFont, color: QColor) -> None:
    """Draw a word in a frame; `font` is that of the text beside it."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(_mark_font(font))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(color)
    painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, mark)
    color = QColor(color)
    color.setAlphaF(_MARK_FRAME)
    painter.setPen(color)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(frame, 3, 3)
    painter.restore()


_MARK_SIZE = 0.85  # of the font of names
_MARK_FRAME = 0.5  # opacity


def _mark_font(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * _MARK_SIZE)
    return small


def mark_width(font: QFont, mark: str) -> int:
    return QFontMetrics(_mark_font(font)).horizontalAdvance(mark) + _CELL_MARGINS


@lru_cache(256)
def swatch_pixmap(rgb: int, size: int) -> QPixmap:
    """Return the mark of a colour."""
    ratio = QApplication.primaryScreen().devicePixelRatio()
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    side = min(size, grid(1.25))
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(rgb))
    painter.drawRoundedRect(QRectF((size - side) / 2, (size - side) / 2, side, side), 2, 2)
    painter.end()
    return pixmap


def swatch(rgb: int, size: int) -> QIcon:
    """Return the mark of a colour, which is the same in selected rows."""
    pixmap = swatch_pixmap(rgb, size)
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon


_CELL_MARGINS = 16  # pixels, at most
_MARGIN = 3  # pixels beside texts and colours
_CACHED_TEXTS = 1000  # a screen or two of rows, in several widths


class _TextWidths:
    """Tells whether texts fit; most by the sum of their characters, which takes a tenth."""

    def __init__(self, font: QFont) -> None:
        self.font = QFont(font)  # the one of an option goes with it
        self._metrics = QFontMetrics(font)
        self._characters = _character_widths(font.toString())

    def fits(self, text: str, width: int) -> bool:
        """Return whether a text is narrower than that many pixels."""
        try:
            about = sum(map(self._characters.__getitem__, text))
        except KeyError:
            return self._metrics.horizontalAdvance(text) < width
        slack = len(text) + about // _KERNING
        if abs(about - width) > slack:
            return about < width
        return self._metrics.horizontalAdvance(text) < width


@lru_cache(8)
def _character_widths(font_text: str) -> dict[str, int]:
    """Return the pixels of each character that has the same width beside all others."""
    font = QFont()
    font.fromString(font_text)
    metrics = QFontMetrics(font)
    return {character: metrics.horizontalAdvance(character) for character in _SUMMED}


# others change with their neighbours
_SUMMED = "".join(map(chr, range(32, 127))) + ELLIPSIS + ESTIMATE
_KERNING = 16  # of a text's width, one part at most; characters are rounded to pixels, too


def _fitted_name(name: str, width: int, widths: _TextWidths) -> FittedName:
    """Return as much of a name as fits into that many pixels."""
    return fitted_name(name, lambda text: widths.fits(text, width))


def _fitted_location(location: str, width: int, widths: _TextWidths) -> str:
    """Return as much of a location as fits into that many pixels."""
    return fitted_location(location, lambda text: widths.fits(text, width))


class LocationDelegate(CellDelegate):
    """Delegate for location columns: `ld…so.2: dl-lookup.c`."""

    def __init__(self, parent: QObject | None = None, rows: RowStates | None = None) -> None:
        super().__init__(parent, rows)
        self._fitted = lru_cache(_CACHED_TEXTS)(_fitted_location)

    def paint_cell(self, painter: QPainter, option: QStyleOptionViewItem, cell: Cell) -> None:
        """Draw as much of the location as fits."""
        text, metrics = cell.column.cells.text(cell.record), option.fontMetrics
        line = _line_in(option.rect.adjusted(_MARGIN, 0, -_MARGIN, 0), metrics)
        widths = self.text_widths(option.font)
        if not widths.fits(text, line.width()):
            text = self._fitted(text, line.width(), widths)
        painter.setFont(option.font)
        painter.setPen(cell.look.text)
        painter.drawText(line, _TEXT, text)
