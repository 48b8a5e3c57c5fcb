"""Item delegates for lists and trees: row height, eliding, cost bars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from PySide6.QtCore import QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from qcachegrind_py.analysis.names.syntax import FittedName, fitted_location, fitted_name
from qcachegrind_py.present.table import Column
from qcachegrind_py.views.tables.item_model import AnyIndex, Role
from qcachegrind_py.views.widgets.colors import (
    RowGround,
    bar_color,
    blended,
    change_fill,
    change_outline,
)

_HIGHLIGHT_ALPHA = 45  # of 255: the text stays at more than 4.5:1
_SELECTION_STRENGTH = 0.3  # of the highlight colour, where a row is not the active function's
_ROLE = QPalette.ColorRole


class RowDelegate(QStyledItemDelegate):
    """Base delegate: gives rows the same height in trees as in lists.

    Only the row of the active function has the full highlight colour, selected or not. Other
    selected rows have a light one, so that the two are not confused.
    """

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:  # noqa: N802
        super().initStyleOption(option, index)
        if index.data(Role.ACTIVE):
            option.state |= QStyle.StateFlag.State_Selected
        elif option.state & QStyle.StateFlag.State_Selected:
            soften_selection(option.palette)

    def styled_cell(
        self, option: QStyleOptionViewItem, index: AnyIndex
    ) -> tuple[QStyleOptionViewItem, QStyle]:
        """Return a copy of the option with the contents of a cell, and the style to draw it in."""
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        return cell, cell.widget.style() if cell.widget else QApplication.style()

    def paint_ground(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> tuple[QStyleOptionViewItem, QStyle]:
        """Draw the background of a cell, and return what `styled_cell` does."""
        cell, style = self.styled_cell(option, index)
        panel = QStyle.PrimitiveElement.PE_PanelItemViewItem
        style.drawPrimitive(panel, cell, painter, cell.widget)
        return cell, style

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:  # noqa: N802
        size = super().sizeHint(option, index)
        line = option.fontMetrics.height()
        return QSize(size.width(), max(size.height(), line + line // 2))


def soften_selection(palette: QPalette) -> None:
    """Give selected rows the light colour of those that are not the active function's."""
    highlight, base = palette.color(_ROLE.Highlight), palette.color(_ROLE.Base)
    palette.setColor(_ROLE.Highlight, blended(highlight, base, _SELECTION_STRENGTH))
    palette.setColor(_ROLE.HighlightedText, palette.color(_ROLE.Text))


def highlight_brush(palette: QPalette) -> QBrush:
    """Return the background for rows of functions selected in other views."""
    color = QColor(palette.color(QPalette.ColorRole.Link))
    color.setAlpha(_HIGHLIGHT_ALPHA)
    return QBrush(color)


class NameDelegate(RowDelegate):
    """Delegate for names of functions: `…::find(…) const`, with callers in grey.

    `analysis.names.elisions` tells what is left out of a name that is too long.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # 0.1 ms a name, and rows are painted whenever the mouse moves over them
        self._fitted = lru_cache(_CACHED_TEXTS)(_fitted_name)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw the name; callers and what follows them are drawn behind the rest."""
        if mark := index.data(Role.MARK):
            self._paint_mark(painter, option, index, mark)
            option = QStyleOptionViewItem(option)
            option.rect.setRight(option.rect.right() - mark_width(option.font, mark))
        text = str(index.data())
        if "'" not in text and _fits_easily(text, option):
            super().paint(painter, option, index)
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
        is_selected = cell.state & QStyle.StateFlag.State_Selected
        role = _ROLE.HighlightedText if is_selected else _ROLE.Text
        width = mark_width(option.font, mark)
        frame = QRectF(cell.rect).adjusted(cell.rect.width() - width + 2.5, 3.5, -4.5, -3.5)
        paint_mark(painter, frame, mark, cell.font, cell.palette.color(role))


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

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fitted = lru_cache(_CACHED_TEXTS)(_fitted_location)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw as much of the location as fits."""
        if _fits_easily(str(index.data()), option):
            super().paint(painter, option, index)
            return
        cell, style = self.styled_cell(option, index)
        width = _text_area(style, cell).width()
        cell.text = self._fitted(cell.text, width, cell.font.toString())
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)


_MARGIN = 2.0
_LEAST_NARROW_BAR = 4.0  # in pixels, of changes in narrow columns
_LEAST_BAR = 0.5  # in pixels; a shorter bar would look like one of a pixel, ten times its cost


class CostBarDelegate(RowDelegate):
    """Delegate for cost columns. All bars share one scale: the full cell width is the total."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw background, bar and text, in this order."""
        cell, style = self.paint_ground(painter, option, index)
        share, change = index.data(Role.SHARE), index.data(Role.CHANGE)
        selected = bool(cell.state & QStyle.StateFlag.State_Selected)
        if share or change:  # `option` has the palette that the selection does not soften
            ground = RowGround.PLAIN
            if index.data(Role.ACTIVE):
                ground = RowGround.ACTIVE
            elif selected or index.data(Role.HIGHLIGHT):
                ground = RowGround.TINTED
            if change:
                paint_change_bar(painter, cell.rect, change, option.palette, ground)
            else:
                paint_cost_bar(painter, cell.rect, share, option.palette, ground)
        cell.backgroundBrush = QBrush()  # already painted, below the bar
        if selected:  # the style must not paint the selected background over the bar
            text = cell.palette.color(QPalette.ColorRole.HighlightedText)
            cell.palette.setColor(QPalette.ColorRole.Text, text)
            cell.state &= ~QStyle.StateFlag.State_Selected
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)


def set_delegates(view: QAbstractItemView, columns: Sequence[Column]) -> None:
    """Draw bars beside numbers, and as much of names and locations as fits."""
    bars, names, locations = CostBarDelegate(view), NameDelegate(view), LocationDelegate(view)
    for number, column in enumerate(columns):
        if column.cells.has_bars:
            view.setItemDelegateForColumn(number, bars)
        elif not column.is_number:
            view.setItemDelegateForColumn(number, names if column.stretches else locations)


def paint_cost_bar(
    painter: QPainter, cell: QRect, share: float, palette: QPalette, ground: RowGround
) -> None:
    """Paint the bar of one cell; `share` is the filled part of the cell, from 0 to 1.

    Its contrast to the row is at least 3:1, that of digits on it at least 4.5:1. Where no colour
    has both, on tinted rows, the outline has the contrast to the row.
    """
    area = QRectF(cell).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    if area.width() * share < _LEAST_BAR:
        return
    area.setWidth(max(1.0, area.width() * share))
    outline = palette.color(_ROLE.Link) if ground is RowGround.TINTED else None
    _paint_bar(painter, area, bar_color(palette, ground), outline)


def paint_change_bar(
    painter: QPainter,
    cell: QRect,
    change: float,
    palette: QPalette,
    ground: RowGround,
    *,
    is_narrow: bool = False,
) -> None:
    """Paint the bar of a change, from -1 to 1: growth to the right of the middle, else left.

    A line in the middle belongs to every bar, so that short ones tell their side, too. Narrow
    columns have neither that line nor short bars: a minus that they cross would look like a plus.
    """
    area = QRectF(cell).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    middle, half = area.center().x(), area.width() / 2
    length = max(1.0, half * abs(change))
    if half * abs(change) >= (_LEAST_NARROW_BAR if is_narrow else _LEAST_BAR):
        area.setLeft(middle if change > 0 else middle - length)
        area.setWidth(length)
        fill = change_fill(palette, ground, is_growth=change > 0)
        outline = change_outline(palette, ground, is_growth=change > 0)
        _paint_bar(painter, area, fill, outline)
    if is_narrow:
        return
    painter.fillRect(QRectF(middle - 0.5, cell.top(), 1, cell.height()), palette.color(_ROLE.Mid))


def _paint_bar(painter: QPainter, area: QRectF, color: QColor, outline: QColor | None) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    if outline is not None:
        painter.setPen(outline)
        area.adjust(0.5, 0.5, -0.5, -0.5)
    painter.setBrush(color)
    painter.drawRoundedRect(area, _MARGIN, _MARGIN)
    painter.restore()
