"""Item delegates for lists and trees: row height, eliding, cost bars."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from qcachegrind_py.analysis.names.elisions import FittedName, fitted_location, fitted_name
from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.models.base.table import Role
from qcachegrind_py.views.common.bar_color import RowGround, bar_color

_HIGHLIGHT_ALPHA = 45  # of 255: the text stays at more than 4.5:1
_SELECTION_STRENGTH = 0.3  # of the highlight colour, where a row is not the active function's
_ROLE = QPalette.ColorRole


class RowDelegate(QStyledItemDelegate):
    """Base delegate: gives rows the same height in trees as in lists.

    Only the row of the active function has the full highlight colour, selected or not. Other
    selected rows have a light one, so that the two are not confused.
    """

    def initStyleOption(  # noqa: N802
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        if index.data(Role.ACTIVE):
            option.state |= QStyle.StateFlag.State_Selected
        elif option.state & QStyle.StateFlag.State_Selected:
            soften_selection(option.palette)

    def sizeHint(  # noqa: N802
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
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

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw the name; callers and what follows them are drawn behind the rest."""
        text = str(index.data())
        if "'" not in text and _fits_easily(text, option):
            super().paint(painter, option, index)
            return
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        style = cell.widget.style() if cell.widget else QApplication.style()
        area = _text_area(style, cell)
        name = self._fitted(cell.text, area.width(), cell.font.toString())
        begin, end = name.callers_begin, name.callers_end
        cell.text = name.text[:begin] if begin < end else name.text
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)
        if begin < end:
            area.setLeft(area.left() + cell.fontMetrics.horizontalAdvance(cell.text))
            _paint_callers(painter, cell, area, name)


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
    """Return the area that the style leaves for the text of a cell."""
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

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw as much of the location as fits."""
        if _fits_easily(str(index.data()), option):
            super().paint(painter, option, index)
            return
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        style = cell.widget.style() if cell.widget else QApplication.style()
        width = _text_area(style, cell).width()
        cell.text = self._fitted(cell.text, width, cell.font.toString())
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)


_MARGIN = 2.0
_LEAST_BAR = 0.5  # in pixels; a shorter bar would look like one of a pixel, ten times its cost


class CostBarDelegate(RowDelegate):
    """Delegate for cost columns. All bars share one scale: the full cell width is the total."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw background, bar and text, in this order."""
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        style = cell.widget.style() if cell.widget else QApplication.style()
        style.drawPrimitive(
            QStyle.PrimitiveElement.PE_PanelItemViewItem, cell, painter, cell.widget
        )
        share = index.data(Role.SHARE)
        selected = bool(cell.state & QStyle.StateFlag.State_Selected)
        if share:  # `option` has the palette that the selection does not soften
            ground = RowGround.PLAIN
            if index.data(Role.ACTIVE):
                ground = RowGround.ACTIVE
            elif selected or index.data(Role.HIGHLIGHT):
                ground = RowGround.TINTED
            paint_cost_bar(painter, cell.rect, share, option.palette, ground)
        cell.backgroundBrush = QBrush()  # already painted, below the bar
        if selected:  # the style must not paint the selected background over the bar
            text = cell.palette.color(QPalette.ColorRole.HighlightedText)
            cell.palette.setColor(QPalette.ColorRole.Text, text)
            cell.state &= ~QStyle.StateFlag.State_Selected
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, cell, painter, cell.widget)


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
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    if ground is RowGround.TINTED:
        painter.setPen(palette.color(_ROLE.Link))
        area.adjust(0.5, 0.5, -0.5, -0.5)
    painter.setBrush(bar_color(palette, ground))
    painter.drawRoundedRect(area, _MARGIN, _MARGIN)
    painter.restore()
