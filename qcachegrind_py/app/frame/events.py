"""The first and the second event: their combo boxes in the toolbar, and their menus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QMenu,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
)

from qcachegrind_py.app.style.tips import follow_keys
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.table import short_text
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.views.tables.row_delegates import swatch
from qcachegrind_py.views.widgets.colors import RowGround, event_color
from qcachegrind_py.views.widgets.controls import tip_text
from qcachegrind_py.views.widgets.grid import grid

_NO_SECOND_EVENT = "No second event"
_DASH = " – "  # between the name of an event and its meaning
_ONE_SIDED = "measured on one side of the comparison only"
_FIRST = (
    "The event whose costs all views show: counted while the program ran, or computed from other "
    "events by a formula. View ▸ Event ▸ Next Event goes to the next one."
)
_SECOND = "A second event, whose costs are shown beside those of the first in all lists."
_LEAST, _MOST = 8, 26  # characters: the name of an event, and nearly all long names


class EventCombo(QComboBox):
    """Shows an event of the navigation's context, and changes it when the user chooses."""

    def __init__(self, navigation: Navigation, action: QAction, *, is_second: bool = False) -> None:
        """`action` goes to the next event, or hides the second one; the tip names its key."""
        super().__init__()
        self._navigation = navigation
        self._is_second = is_second
        self.setAccessibleName("Second event" if is_second else "Event")
        self.setWhatsThis(_SECOND if is_second else _FIRST)
        follow_keys(self._name_key, action)
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.setSizeAdjustPolicy(policy)
        self.setMinimumContentsLength(_LEAST)
        self.setMaximumWidth(self.fontMetrics().horizontalAdvance("0" * _MOST))
        self.setEnabled(False)
        self.activated.connect(self._choose)
        navigation.changed.connect(self._on_changed)

    def _name_key(self, key: str) -> None:
        """Name the key that hides the second event, or goes to the next event."""
        if self._is_second:
            self.setToolTip(f"Second event, shown beside the first (hide: {key})")
        else:
            self.setToolTip(f"Event whose costs are shown (next: {key})")

    def sizeHint(self) -> QSize:  # noqa: N802
        """Return a size with room for the whole title, where the toolbar has it."""
        size = super().sizeHint()
        least = self.fontMetrics().horizontalAdvance("X") * _LEAST  # as Qt counts it
        more = self.fontMetrics().horizontalAdvance(self.currentText()) - least
        return size + QSize(max(0, more), 0)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Paint the title; the name alone, if need be with an ellipsis, where that is too long."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        area = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self)
        swatch_width = 0 if option.currentIcon.isNull() else option.iconSize.width() + grid(0.5)
        room = area.width() - swatch_width
        if self.fontMetrics().horizontalAdvance(option.currentText) > room:
            name = option.currentText.partition(_DASH)[0]
            mode = Qt.TextElideMode.ElideRight
            option.currentText = self.fontMetrics().elidedText(name, mode, room)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._mark_colors()

    def _mark_colors(self) -> None:
        """Mark each event with the colour that it has in tables."""
        size, palette = self.iconSize().width(), QApplication.palette()  # not that of a grey box
        for index in range(self.count()):
            event = self.itemData(index)
            if isinstance(event, EventType):
                color = event_color(event.name, palette, RowGround.PLAIN)
                self.setItemIcon(index, swatch(color.rgb(), size))

    def select_next(self) -> None:
        """Choose the next event; after the last, the first."""
        if self.count():
            following = [
                (self.currentIndex() + step) % self.count() for step in range(1, self.count())
            ]
            usable = (index for index in following if self._is_usable(index))
            self.setCurrentIndex(next(usable, self.currentIndex()))
            self._choose(self.currentIndex())

    def _is_usable(self, index: int) -> bool:
        """Whether an event can be chosen: in a comparison, whether both sides have it."""
        return bool(self.model().index(index, 0).flags() & Qt.ItemFlag.ItemIsEnabled)

    def _choose(self, index: int) -> None:
        _show_event(self._navigation, self.itemData(index), is_second=self._is_second)

    def _on_changed(self, context: Context, change: Change) -> None:
        if change & (Change.PROFILE | Change.EVENTS):
            self._fill(context.events.all, context.one_sided)
        event = context.second_event if self._is_second else context.event
        events = context.events.all
        index = events.index(event) if event in events else -1
        self.setCurrentIndex(index + 1 if self._is_second else index)

    def _fill(self, events: tuple[EventType, ...], one_sided: frozenset[str]) -> None:
        self.clear()
        if self._is_second:
            self.addItem(_NO_SECOND_EVENT, None)
        for event in events:
            title, is_usable = _event_title(event), event.name not in one_sided
            self.addItem(title, event)
            tip = title if is_usable else f"{title}: {_ONE_SIDED}"
            self.setItemData(self.count() - 1, tip_text(tip), Qt.ItemDataRole.ToolTipRole)
            if not is_usable:  # the role of a combo box's own model that takes flags
                self.setItemData(self.count() - 1, 0, Qt.ItemDataRole.UserRole - 1)
        self._mark_colors()
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0))  # do not cut the names
        self.setEnabled(len(events) > 0)


def _show_event(navigation: Navigation, event: EventType | None, *, is_second: bool) -> None:
    if is_second:
        navigation.set(second_event=event)
    else:
        navigation.set(event=event)


def _event_title(event: EventType) -> str:
    """Return the name of an event, its meaning if known, and whether it is derived."""
    name, meaning = short_text(event.name), short_text(event.long_name)
    title = f"{name}{_DASH}{meaning}" if meaning else name
    if meaning.startswith(f"{name} ("):  # a sampler's, with the unit
        title = meaning
    return f"{title} (derived)" if event.is_derived else title


class EventMenu:
    """Fills a menu with the events of the profile, the shown one checked, and further actions."""

    def __init__(self, menu: QMenu, navigation: Navigation, *, is_second: bool = False) -> None:
        """The actions that are in the menu now stay at its end."""
        self._menu, self._navigation = menu, navigation
        self._further: Sequence[QAction] = menu.actions()
        self._is_second = is_second
        self._fill()
        menu.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self._menu.clear()
        events, group = self._navigation.context.events.all, QActionGroup(self._menu)
        if self._is_second:
            self._add(_NO_SECOND_EVENT, None, group)
        for event in events:
            self._add(_event_title(event), event, group)
        self._menu.addSeparator()
        self._menu.addActions(self._further)

    def _add(self, title: str, event: EventType | None, group: QActionGroup) -> None:
        action, context = self._menu.addAction(title.replace("&", "&&")), self._navigation.context
        tip = f"Show the costs of {title}" if event else "Show the costs of one event only"
        if event is not None and event.name in context.one_sided:
            tip = f"{title}: {_ONE_SIDED}"
            action.setEnabled(False)
        action.setToolTip(tip_text(tip))
        action.setStatusTip(tip)
        action.setCheckable(True)
        action.setChecked((context.second_event if self._is_second else context.event) == event)
        action.triggered.connect(
            lambda: _show_event(self._navigation, event, is_second=self._is_second)
        )
        group.addAction(action)
