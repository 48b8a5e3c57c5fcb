"""The menus of the first and the second event, in the menu bar and in context menus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from qcachegrind_py.app.frame.event_combo import (
    NO_SECOND_EVENT,
    ONE_SIDED,
    event_title,
    show_event,
)
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.views.common.plain_text import tip_text


class EventMenu(QMenu):
    """The events of the profile, of which the shown one is checked; then further actions."""

    def __init__(
        self,
        navigation: Navigation,
        parent: QWidget,
        further: Sequence[QAction],
        *,
        is_second: bool = False,
    ) -> None:
        super().__init__("Sec&ond Event" if is_second else "Eve&nt", parent)
        self._navigation = navigation
        self._further = further
        self._is_second = is_second
        self.setToolTipsVisible(True)
        self._fill()
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        events, group = self._navigation.context.events.all, QActionGroup(self)
        if self._is_second:
            self._add(NO_SECOND_EVENT, None, group)
        for event in events:
            self._add(event_title(event), event, group)
        self.addSeparator()
        self.addActions(self._further)

    def _add(self, title: str, event: EventType | None, group: QActionGroup) -> None:
        action = self.addAction(title.replace("&", "&&"))
        tip = f"Show the costs of {title}" if event else "Show the costs of one event only"
        if event is not None and event.name in self._navigation.context.one_sided:
            tip = f"{title}: {ONE_SIDED}"
            action.setEnabled(False)
        action.setToolTip(tip_text(tip))
        action.setStatusTip(tip)
        action.setCheckable(True)
        context = self._navigation.context
        action.setChecked((context.second_event if self._is_second else context.event) == event)
        action.triggered.connect(
            lambda: show_event(self._navigation, event, is_second=self._is_second)
        )
        group.addAction(action)
