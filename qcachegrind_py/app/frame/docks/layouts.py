"""Named layouts of the docks, and their menu."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMenu, QWidget

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.session.settings.store import Settings


class Layouts:
    """Saves layouts in the settings, for all profiled programs, and fills their menu."""

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
        actions.connect({"save_layout": self.save, "reset_layout": docks.reset})
        self._fill_menu()

    def save(self) -> None:
        """Ask for a name and save the current layout under it."""
        from PySide6.QtWidgets import QInputDialog

        name, taken = QInputDialog.getText(self._window, "Save Layout", "Name of the layout:")
        if taken and name.strip():
            self._settings.set_layout(name.strip(), self._docks.save_state())
            self._fill_menu()

    def restore(self, name: str) -> None:
        """Restore the layout of this name, or show a notice if it is too old."""
        if not self._docks.restore_state(self._settings.layout(name)):
            self._notices.show_notice("warning", f"The layout “{cell_text(name)}” is too old.")

    def _delete(self, name: str) -> None:
        self._settings.set_layout(name, None)
        self._fill_menu()

    def _fill_menu(self) -> None:
        names = self._settings.layouts()
        self.menu.clear()
        _add_layout_items(self.menu, names, self.restore)
        self.menu.addSeparator()
        self.menu.addActions([self._actions["save_layout"], self._actions["reset_layout"]])
        if names:
            _add_layout_items(self.menu.addMenu("&Delete Layout"), names, self._delete)


def _add_layout_items(menu: QMenu, names: list[str], act: Callable[[str], None]) -> None:
    """Add an item for each layout, which calls `act` with its name."""
    for name in names:
        action = menu.addAction(cell_text(name).replace("&", "&&"))
        action.triggered.connect(lambda _checked=False, name=name: act(name))
