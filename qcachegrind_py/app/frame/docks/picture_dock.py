"""The dock that shows one of several pictures of calls, and the switch between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QDockWidget,
    QLabel,
    QMainWindow,
    QStackedWidget,
)

from qcachegrind_py.app.frame.docks.registry import DockSpec
from qcachegrind_py.app.style.icons import icon

if TYPE_CHECKING:
    from qcachegrind_py.views.pictures.view import PictureView

TITLE = "Picture"
_HELP = (
    "The active function and its calls as a picture: as call graph, as flame graph, or as a map "
    "of its callers or callees. The buttons at the top left choose one of them."
)


class PictureDock(QDockWidget):
    """Shows one of several views, each of which has the switch before its own tools."""

    def __init__(
        self, window: QMainWindow, specs: Sequence[DockSpec[Any]], go_to: Callable[[str], object]
    ) -> None:
        """`go_to` is called with the id of a view when the user chooses it."""
        super().__init__(TITLE, window)
        self.setWhatsThis(_HELP)
        self._views = QStackedWidget()
        self._views.addWidget(QLabel())  # until there is a view
        self.setWidget(self._views)
        self._pages: dict[str, PictureView] = {}
        group = QActionGroup(self)
        self.choices = {spec.id: self._create_choice(spec, group) for spec in specs}
        for view_id, choice in self.choices.items():
            choice.triggered.connect(partial(go_to, view_id))
        self.choose(specs[0].id)

    def _create_choice(self, spec: DockSpec[Any], group: QActionGroup) -> QAction:
        choice = QAction(icon(spec.picture_icon), spec.title, group)
        choice.setCheckable(True)
        choice.setToolTip(f"{spec.title} ({spec.shortcut})")
        choice.setWhatsThis(spec.help)
        return choice

    @property
    def chosen(self) -> str:
        """The id of the view that is shown, or will be as soon as there is one."""
        return next(view_id for view_id, choice in self.choices.items() if choice.isChecked())

    def choose(self, view_id: str) -> None:
        self.choices[view_id].setChecked(True)
        if view_id in self._pages:
            self._views.setCurrentWidget(self._pages[view_id])
        else:
            self._views.setCurrentIndex(0)

    def insert(self, view_id: str, view: PictureView) -> None:
        """Add a view that has been created."""
        view.tools.add_switch(list(self.choices.values()))
        self._pages[view_id] = view
        self._views.addWidget(view)
        self.choose(self.chosen)
