"""Layouts of the docks that the user saves under names, in a menu of their own."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from qcachegrind_py.app.actions import Actions
from qcachegrind_py.app.docks import Docks
from qcachegrind_py.app.notices import NoticeStrip
from qcachegrind_py.models.plain_text import cell_text
from qcachegrind_py.session.settings import Settings


class Layouts:
    """Saved in the settings, for all programs."""

    def __init__(
        self,
        window: QWidget,
        settings: Settings,
        docks: Docks,
        notices: NoticeStrip,
        actions: Actions,
    ) -> None:
        self.menu = QMenu("&Layouts", window)
        self.menu.setToolTipsVisible(True)
        self._window = window
        self._settings = settings
        self._docks = docks
        self._notices = notices
        self._actions = actions
        actions["save_layout"].triggered.connect(lambda _checked=False: self.save())
        actions["reset_layout"].triggered.connect(lambda _checked=False: docks.reset())
        self._fill()

    def save(self) -> None:
        """Remember where the docks are under a name that the user types."""
        name, taken = QInputDialog.getText(self._window, "Save Layout", "Name of the layout:")
        if taken and name.strip():
            self._settings.set_layout(name.strip(), self._docks.saved())
            self._fill()

    def restore(self, name: str) -> None:
        """Put the docks where they were."""
        if not self._docks.restore(self._settings.layout(name)):
            self._notices.show_notice("warning", f"The layout “{cell_text(name)}” is too old.")

    def _forget(self, name: str) -> None:
        self._settings.set_layout(name, None)
        self._fill()

    def _fill(self) -> None:
        names = self._settings.layouts()
        self.menu.clear()
        _add(self.menu, names, self.restore)
        self.menu.addSeparator()
        self.menu.addActions([self._actions["save_layout"], self._actions["reset_layout"]])
        if names:
            _add(self.menu.addMenu("&Forget Layout"), names, self._forget)


def _add(menu: QMenu, names: list[str], act: Callable[[str], None]) -> None:
    """An item for each layout."""
    for name in names:
        action = menu.addAction(cell_text(name).replace("&", "&&"))
        action.triggered.connect(lambda _checked=False, name=name: act(name))
