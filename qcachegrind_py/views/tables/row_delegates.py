"""Item delegates for lists and trees: the ground of rows, numbers with bars, names, locations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

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

from qcachegrind_py.analysis.names.syntax import FittedName, fitted_location, fitted_name
from qcachegrind_py.present.table import Column
from qcachegrind_py.views.tables.bars import (
    number_and_bar,
    paint_change_bar,
    paint_cost_bar,
    paint_divided_bar,
)
from qcachegrind_py.views.tables.item_model import AnyIndex, Role
from qcachegrind_py.views.widgets.colors import (
    RowGround,
    marked_color,
    pointed_color,
    selection_color,
)
from qcachegrind_py.views.widgets.grid import grid

_ROLE = QPalette.ColorRole
_SELECTED, _FOCUSED = QStyle.StateFlag.State_Selected, QStyle.StateFlag.State_HasFocus
_POINTED = QStyle.StateFlag.State_MouseOver


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
        self.set_ground(option, index)

    def set_ground(self, option: QStyleOptionViewItem, index: AnyIndex) -> RowGround:
        """Set the background and the colour of texts of a cell; return the kind of its ground."""
        state, palette = option.state, option.palette
        option.state &= ~(_FOCUSED | _POINTED)
        if index.data(Role.ACTIVE):
            option.state |= _SELECTED
            return RowGround.ACTIVE
        if state & _SELECTED:
            soften_selection(palette)
            return RowGround.TINTED
        if index.data(Role.HIGHLIGHT):
            option.backgroundBrush = QBrush(marked_color(palette))
            return RowGround.TINTED
        if index.data(Role.FAINT):
            palette.setColor(_ROLE.Text, palette.color(_ROLE.PlaceholderText))
        if state & _POINTED or self._row_states.pointed == index.row():
            option.backgroundBrush = QBrush(pointed_color(palette))
        return RowGround.PLAIN

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw the cell, and around it what tells where the keyboard is."""
        self.paint_cell(painter, option, index)
        is_current, row = option.state & _FOCUSED, option.rect
        if is_current or self._row_states.focused == index.row():
            on_active = index.data(Role.ACTIVE)
            role = _ROLE.HighlightedText if on_active else _ROLE.Link
            painter.setPen(option.palette.color(role))
            if is_current:
                painter.drawRect(row.adjusted(0, 0, -1, -1))
            else:
                painter.drawLine(row.topLeft(), row.topRight())
                painter.drawLine(row.bottomLeft(), row.bottomRight())

    def paint_cell(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw the background and the content of a cell."""
        super().paint(painter, option, index)

    def styled_cell(
        self, option: QStyleOptionViewItem, index: AnyIndex
    ) -> tuple[QStyleOptionViewItem, QStyle]:
        """Return a copy of the option with the contents of a cell, and the style to draw it in."""
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        return cell, style_of(cell)

    def paint_ground(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> tuple[QStyleOptionViewItem, RowGround]:
        """Draw the background of a cell; return its option with the colours, and its ground."""
        cell = QStyleOptionViewItem(option)
        ground = self.set_ground(cell, index)
        panel = QStyle.PrimitiveElement.PE_PanelItemViewItem
        style_of(cell).drawPrimitive(panel, cell, painter, cell.widget)
        return cell, ground

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


def style_of(cell: QStyleOptionViewItem) -> QStyle:
    return cell.widget.style() if cell.widget else QApplication.style()


def text_color(cell: QStyleOptionViewItem) -> QColor:
    """Return the colour of the text of a cell, by its state."""
    is_selected = cell.state & _SELECTED
    return cell.palette.color(_ROLE.HighlightedText if is_selected else _ROLE.Text)


def soften_selection(palette: QPalette) -> None:
    """Give selected rows the light colour of those that are not the active function's."""
    palette.setColor(_ROLE.Highlight, selection_color(palette))
    palette.setColor(_ROLE.HighlightedText, palette.color(_ROLE.Text))


_RIGHT = Qt.AlignmentFlag.AlignRight


class NumberDelegate(RowDelegate):
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

    def paint_cell(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw the number, and the bar of its cost where there is room for it."""
        cell, ground = self.paint_ground(painter, option, index)
        share, change = index.data(Role.SHARE), index.data(Role.CHANGE)
        room = self._beside_bars.get(self._column, cell.rect.width())
        text, bar = number_and_bar(cell.rect, room)
        if not bar.isEmpty() and change is not None:
            paint_change_bar(painter, bar, change, option.palette, ground)
        elif not bar.isEmpty() and share and (parts := index.data(Role.BAR_PARTS)):
            paint_divided_bar(painter, bar, share, parts, option.palette, ground)
        elif not bar.isEmpty() and share:
            paint_cost_bar(painter, bar, share, option.palette, ground)
        if mark := index.data(Role.MARK):
            side = cell.fontMetrics.ascent()
            above = (cell.rect.height() - side) / 2
            frame = QRectF(text.left() + 0.5, text.top() + above + 0.5, side - 1, side - 1)
            paint_mark(painter, frame, mark, cell.font, text_color(cell))
        if number := str(index.data() or ""):
            if cell.fontMetrics.horizontalAdvance(number) > text.width():
                number = str(index.data(Role.SHORT))
            painter.setFont(cell.font)
            painter.setPen(text_color(cell))
            line = cell.fontMetrics.height()  # centred as styles do it
            text = QRect(
                text.left(), text.top() + text.height() // 2 - line // 2, text.width(), line
            )
            painter.drawText(text, _RIGHT | Qt.TextFlag.TextDontClip, number)


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


class NameDelegate(RowDelegate):
    """Delegate for names of functions: `…::find(…) const`, with callers in grey.

    `analysis.names.elisions` tells what is left out of a name that is too long.
    """

    def __init__(self, parent: QObject | None = None, rows: RowStates | None = None) -> None:
        super().__init__(parent, rows)
        # 0.1 ms a name, and rows are painted whenever the mouse moves over them
        self._fitted = lru_cache(_CACHED_TEXTS)(_fitted_name)

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:  # noqa: N802
        super().initStyleOption(option, index)
        if isinstance(color := index.data(Qt.ItemDataRole.DecorationRole), QColor):
            option.icon = swatch(color.rgb(), option.decorationSize.width())

    def paint_cell(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw the name; callers and what follows them are drawn behind the rest."""
        if mark := index.data(Role.MARK):
            needed = option.fontMetrics.horizontalAdvance(str(index.data())) + _CELL_MARGINS
            room = option.rect.width() - option.decorationSize.width() - needed
            if room < mark_width(option.font, mark):  # the tip says the rest
                mark = mark.partition(" ")[0].rstrip(",")
            self._paint_mark(painter, option, index, mark)
            option = QStyleOptionViewItem(option)
            option.rect.setRight(option.rect.right() - mark_width(option.font, mark))
        text = str(index.data())
        if "'" not in text and _fits_easily(text, option):
            super().paint_cell(painter, option, index)
            return
        cell, style = self.styled_cell(option, index)
        area = _text_area(style, cell)
        name = self._fitted(cell.text, area.width(), cell.font.toString())
        begin, end = name.callers_begin, name.callers_end
        cell.text = name.text[:begin] if begin < end else name.text
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
        if begin < end:
            area.setLeft(area.left() + cell.fontMetrics.horizontalAdvance(cell.text))
            _paint_callers(painter, cell, area, name)

    def _paint_mark(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex, mark: str
    ) -> None:
        """Draw a word in a frame at the right end of the cell, and the background of the cell."""
        cell, _ = self.paint_ground(painter, option, index)
        width = mark_width(option.font, mark)
        frame = QRectF(cell.rect).adjusted(cell.rect.width() - width + 2.5, 3.5, -4.5, -3.5)
        paint_mark(painter, frame, mark, cell.font, text_color(cell))


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
def swatch(rgb: int, size: int) -> QIcon:
    """Return the mark of a colour, which is the same in selected rows."""
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
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon


_CELL_MARGINS = 16  # pixels, at most
_BOLD_FACTOR = 1.2  # of the width of a text
_CACHED_TEXTS = 1000  # a screen or two of rows, in several widths


def _fitted_name(name: str, width: int, font_text: str) -> FittedName:
    """Return as much of a name as fits into that many pixels of a font."""
    return fitted_name(name, _fitting(width, font_text))


def _fitted_location(location: str, width: int, font_text: str) -> str:
    """Return as much of a location as fits into that many pixels of a font."""
    return fitted_location(location, _fitting(width, font_text))


def _fitting(width: int, font_text: str) -> Callable[[str], bool]:
    font = QFont()
    font.fromString(font_text)
    metrics = QFontMetrics(font)
    return lambda text: metrics.horizontalAdvance(text) < width


def _fits_easily(text: str, option: QStyleOptionViewItem) -> bool:
    """Return whether a text fits into a cell even in bold, and beside an icon.

    Qt then draws the cell in half the time, which matters as most texts fit.
    """
    room = option.rect.width() - option.decorationSize.width() - _CELL_MARGINS
    return option.fontMetrics.horizontalAdvance(text) * _BOLD_FACTOR < room


def _text_area(style: QStyle, cell: QStyleOptionViewItem) -> QRect:
    margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, cell, cell.widget) + 1
    area = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, cell, cell.widget)
    return area.adjusted(margin, 0, -margin, 0)


def _paint_callers(
    painter: QPainter, cell: QStyleOptionViewItem, area: QRect, name: FittedName
) -> None:
    """Paint the callers of a function in grey, and the suffix behind them."""
    is_selected = cell.state & QStyle.StateFlag.State_Selected
    text_role = _ROLE.HighlightedText if is_selected else _ROLE.Text
    callers_role = text_role if is_selected else _ROLE.PlaceholderText
    callers, suffix = (
        name.text[name.callers_begin : name.callers_end],
        name.text[name.callers_end :],
    )
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
    painter.save()
    painter.setFont(cell.font)
    for text, role in ((callers, callers_role), (suffix, text_role)):
        painter.setPen(cell.palette.color(role))
        painter.drawText(area, flags, text)
        area.setLeft(area.left() + cell.fontMetrics.horizontalAdvance(text))
    painter.restore()


class LocationDelegate(RowDelegate):
    """Delegate for location columns: `ld…so.2: dl-lookup.c`."""

    def __init__(self, parent: QObject | None = None, rows: RowStates | None = None) -> None:
        super().__init__(parent, rows)
        self._fitted = lru_cache(_CACHED_TEXTS)(_fitted_location)

    def paint_cell(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw as much of the location as fits."""
        if _fits_easily(str(index.data()), option):
            super().paint_cell(painter, option, index)
            return
        cell, style = self.styled_cell(option, index)
        width = _text_area(style, cell).width()
        cell.text = self._fitted(cell.text, width, cell.font.toString())
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
