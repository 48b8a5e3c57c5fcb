"""A second set of views in one dock, with its own active function, header and layout."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLayout,
    QMainWindow,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.docks.arrangements import PANEL
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.frame.whats_this import FOLLOW_SELECTION
from qcachegrind_py.session.linked_session import LinkedSession
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.active_function import ActiveFunctionHeader
from qcachegrind_py.views.widgets.controls import text_menu_button


class PanelWindow(QMainWindow):
    """The content of the dock: a bar, the header of its active function, and its views."""

    def __init__(self, session: Session, actions: Actions) -> None:
        super().__init__()
        self.setWindowFlags(Qt.WindowType.Widget)  # or it would be a window of its own
        self.session = LinkedSession(session, self)
        self.views = DockRegistry(self.session, actions)
        self.header = ActiveFunctionHeader(self.session)
        self.follow_box = QCheckBox("Follow Selection")
        self.follow_box.setToolTip("Show the function that is selected in the other views")
        self.follow_box.setWhatsThis(FOLLOW_SELECTION)
        self.follow_box.setChecked(True)
        self.follow_box.toggled.connect(self._update_following)
        self._is_active = True
        self.setCentralWidget(self._create_top())
        self.docks = Docks(self, self.views, default=lambda _width: PANEL, prefix="split/")

    def _create_top(self) -> QWidget:
        top, row = QWidget(), QHBoxLayout()
        gap = self.fontMetrics().height() // 2
        row.setContentsMargins(gap, 0, 0, 0)
        row.addWidget(self.follow_box)
        row.addStretch()
        row.addWidget(text_menu_button("Docks", "Show and hide views of this panel", self._fill))
        column = QVBoxLayout(top)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.setSizeConstraint(QLayout.SizeConstraint.SetMinAndMaxSize)  # views get what is left
        column.addLayout(row)
        column.addWidget(self.header)
        return top

    def _fill(self, menu: QMenu) -> None:
        menu.addActions([dock.toggleViewAction() for dock in self.docks.by_id.values()])
        menu.addSeparator()
        menu.addAction("&Reset Layout", self.docks.reset)

    def set_active(self, active: bool) -> None:
        """Set whether the user can see the panel; its views rest meanwhile."""
        self._is_active = active
        self._update_following()
        self.header.set_active(active)
        for dock_id, view in self.views.created.items():
            view.set_active(active and self.docks.is_seen(dock_id))

    def _update_following(self) -> None:
        self.session.follows = self._is_active and self.follow_box.isChecked()
