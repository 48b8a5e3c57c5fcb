"""The legend of a picture: a line of groups with their colours and costs.

Groups that have no room are in a menu at the end of the line. A click on a group highlights it.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton, QWidget

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.legend import GroupLegend
from qcachegrind_py.present.table import short_text
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.views.widgets.colors import GROWTH, SHRINKAGE, group_palette
from qcachegrind_py.views.widgets.controls import text_button, text_menu_button, tip_text
from qcachegrind_py.views.widgets.grid import grid

_MOST_BUTTONS = 12
_MOST_IN_MENU = 40
_CHANGES = (("grew", GROWTH), ("shrank", SHRINKAGE))


@frozen(eq=True)
class Swatch:
    """What a colour stands for."""

    text: str
    color: QColor
    tip: str = ""
    group: str = ""  # empty if it is no group


class Legend(QWidget):
    """A line of swatches. It hides itself while there are none, or no room."""

    changed = Signal()  # another group has been chosen, or none

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Legend")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.groups: GroupLegend | None = None
        self.chosen = ""  # name of the highlighted group; empty for none
        self.swatches: Sequence[Swatch] = ()
        self.buttons: list[QToolButton] = []
        self._has_room = True
        tip = "Groups that have no room in the line"
        self.other_button = text_menu_button("Other", tip, self._fill_other)
        self.other_button.setParent(self)
        self.other_button.setAutoRaise(True)
        self.hide()

    # ---------------------------------------------------------------- content

    def show_groups(self, legend: GroupLegend) -> None:
        """Show the groups of a picture; a highlighted one stays so while it is in the picture."""
        palette = group_palette(legend.query)
        self.groups = legend
        if self.chosen not in {entry.group for entry in legend.entries}:
            self.chosen = ""
        self._show(
            [
                Swatch(
                    f"{short_text(legend.label(entry))}  {legend.share(entry)}",
                    palette.group(entry.group),
                    tip_text(*legend.tip(entry)),
                    entry.group,
                )
                for entry in legend.entries
            ]
        )

    def show_changes(self) -> None:
        """Show what the colours of a comparison mean."""
        self.groups, self.chosen = None, ""
        self._show([Swatch(text, color) for text, color in _CHANGES])

    def clear(self) -> None:
        self.groups = None
        self._show([])

    def _show(self, swatches: Sequence[Swatch]) -> None:
        if swatches == self.swatches:
            self._mark_chosen()
            return
        self.swatches = swatches
        for button in self.buttons:
            button.hide()
            button.deleteLater()
        self.buttons = [self._button(each) for each in swatches[:_MOST_BUTTONS]]
        self._mark_chosen()
        self._update_visibility()
        self._place_buttons()

    def set_room(self, has_room: bool) -> None:
        """Set whether there is room for the legend."""
        self._has_room = has_room
        self._update_visibility()

    def _update_visibility(self) -> None:
        self.setVisible(bool(self.swatches) and self._has_room)

    def _button(self, swatch: Swatch) -> QToolButton:
        button = text_button(swatch.text.replace("&", "&&"), swatch.tip)
        button.setParent(self)
        button.setAutoRaise(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIcon(swatch_icon(swatch.color, self._side(), self.devicePixelRatioF()))
        button.setIconSize(icon_size(self._side()))
        button.setAccessibleName(swatch.text)
        if swatch.group:
            button.setCheckable(True)
            button.clicked.connect(lambda: self.choose(swatch.group))
        else:
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        return button

    def _side(self) -> int:
        return round(self.fontMetrics().height() * 0.75)

    # ---------------------------------------------------------------- the chosen group

    def choose(self, group: str) -> None:
        """Highlight a group; the highlighted one again: none."""
        self.chosen = "" if group == self.chosen else group
        self._mark_chosen()
        self.changed.emit()

    def chosen_nodes(self) -> BoolArray | None:
        """Return the mask of the nodes of the highlighted group, shape (nodes,); None for none."""
        return self.groups.nodes_of(self.chosen) if self.groups and self.chosen else None

    def _mark_chosen(self) -> None:
        for button, swatch in zip(self.buttons, self.swatches, strict=False):
            button.setChecked(bool(swatch.group) and swatch.group == self.chosen)

    # ---------------------------------------------------------------- places

    @property
    def full_height(self) -> int:
        """The height that it has as soon as it has content."""
        return self.other_button.sizeHint().height() + grid(0.5)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, 0 if self.isHidden() else self.full_height)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._place_buttons()

    def _place_buttons(self) -> None:
        """Put as many buttons into the line as have room, and the others into the menu."""
        widths = [button.sizeHint().width() + grid(0.5) for button in self.buttons]
        room, shown = self.width() - grid(0.5), len(widths)
        if sum(widths) > room or len(self.swatches) > shown:
            while shown and sum(widths[:shown]) + self._other_width(shown) > room:
                shown -= 1
        left = grid(0.5)
        for place, (button, width) in enumerate(zip(self.buttons, widths, strict=True)):
            button.setVisible(place < shown)
            if place < shown:
                button.setGeometry(left, grid(0.25), width - grid(0.5), button.sizeHint().height())
                left += width
        self.other_button.setVisible(shown < len(self.swatches))
        if shown < len(self.swatches):
            size = self._other_size(shown)
            self.other_button.setGeometry(left, grid(0.25), size.width(), size.height())
        self._shown = shown

    def _other_size(self, shown: int) -> QSize:
        share = self.groups.share(*self.groups.entries[shown:]) if self.groups else ""
        self.other_button.setText(f"Other  {share}")
        return self.other_button.sizeHint()

    def _other_width(self, shown: int) -> int:
        return self._other_size(shown).width()

    def _fill_other(self, menu: QMenu) -> None:
        for swatch in self.swatches[self._shown : self._shown + _MOST_IN_MENU]:
            icon = swatch_icon(swatch.color, self._side(), self.devicePixelRatioF())
            action = menu.addAction(icon, swatch.text.replace("&", "&&"))
            action.setToolTip(swatch.tip)
            action.setCheckable(True)
            action.setChecked(swatch.group == self.chosen)
            action.triggered.connect(lambda _on=False, group=swatch.group: self.choose(group))

    # ---------------------------------------------------------------- export

    def picture_of(self, width: float) -> LegendPicture:
        return LegendPicture(self, width)


class LegendPicture:
    """A legend below an exported picture, in as many lines as it needs."""

    def __init__(self, legend: Legend, width: float) -> None:
        self._legend, self._width = legend, width
        self._line = legend.fontMetrics().height() + grid(0.5)

    def picture_size(self) -> QSizeF:
        places = self._places()
        return QSizeF(self._width, places[-1].y() + self._line if places else 0)

    def _places(self) -> list[QPointF]:
        metrics, side = self._legend.fontMetrics(), self._legend._side()
        places, x, y = [], float(grid(0.5)), float(grid(0.5))
        for swatch in self._legend.swatches[:_MOST_BUTTONS]:
            width = side + grid(0.5) + metrics.horizontalAdvance(swatch.text) + grid(1)
            if x > grid(0.5) and x + width > self._width:
                x, y = float(grid(0.5)), y + self._line
            places.append(QPointF(x, y))
            x += width
        return places

    def paint_picture(self, painter: QPainter) -> None:
        legend, side, palette = self._legend, self._legend._side(), self._legend.palette()
        metrics, size = legend.fontMetrics(), self.picture_size()
        painter.fillRect(QRectF(QPointF(), size), palette.color(QPalette.ColorRole.Base))
        painter.setFont(legend.font())
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        for swatch, place in zip(legend.swatches, self._places(), strict=False):
            top = place.y() + (metrics.height() - side) / 2
            painter.fillRect(QRectF(place.x(), top, side, side), swatch.color)
            text = QPointF(place.x() + side + grid(0.5), place.y() + metrics.ascent())
            painter.drawText(text, swatch.text)


def icon_size(side: int) -> QSize:
    """Return the size of a swatch with the gap before its text: Qt leaves almost none."""
    return QSize(side + grid(0.5), side)


def swatch_icon(color: QColor, side: int, ratio: float) -> QIcon:
    pixmap = QPixmap(icon_size(side) * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.fillRect(0, 0, side, side, color)
    painter.end()
    return QIcon(pixmap)
