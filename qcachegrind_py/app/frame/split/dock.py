"""The dock of the second panel, in every window from the start; the panel is created on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDockWidget, QLabel, QMainWindow

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.whats_this import SPLIT
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:
    from qcachegrind_py.app.frame.split.panel_window import PanelWindow

_ID = "split"  # in saved layouts; never changes


class SplitDock(QDockWidget):
    """Creates the panel when the dock is first shown with a profile, and lets it rest unseen."""

    created = Signal(object)  # the PanelWindow
    closed = Signal()  # by the user

    def __init__(self, window: QMainWindow, session: Session, actions: Actions) -> None:
        super().__init__("Split", window)
        self.setObjectName(_ID)
        self.setWhatsThis(SPLIT)
        self.setWidget(QLabel())  # without a size hint, Qt before 6.10 warns of a negative size
        self.hide()
        self.panel: PanelWindow | None = None
        self._session, self._actions = session, actions
        self._is_shown = False
        self.visibilityChanged.connect(self._set_shown)
        session.opened.connect(self._create_if_shown)

    def _set_shown(self, is_shown: bool) -> None:
        self._is_shown = is_shown
        if self.panel is not None:
            self.panel.set_active(is_shown)
        self._create_if_shown()

    def _create_if_shown(self) -> None:
        if self.panel is not None or not self._is_shown or self._session.queries is None:
            return
        from qcachegrind_py.app.frame.split.panel_window import PanelWindow

        self.panel = PanelWindow(self._session, self._actions)
        self.widget().deleteLater()
        self.setWidget(self.panel)
        self.panel.show()
        self.panel.docks.reset()  # for the size that it has now
        self.created.emit(self.panel)
        self.panel.docks.create_shown_views_in_turn()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        super().closeEvent(event)
        self.closed.emit()

    def close_panel(self) -> None:
        """Stop the process that lays out the graphs of the panel, if there is one."""
        if self.panel is not None:
            self.panel.views.close()
