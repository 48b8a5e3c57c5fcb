"""Named layouts of the docks, and their menu."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.docks.arrangements import Arrangement, arrangements
from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.app.style.action_keys import set_keys
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.session.settings.store import Settings

_OWN = "own/"  # before the name of a layout that the user has saved


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
        self._chosen = ""  # the layout chosen last, from which the next one is counted
        self._built_in = [self._built_in_action(each) for each in arrangements(window.width())]
        actions.connect(
            {
                "save_layout": self.save,
                "reset_layout": docks.reset,
                "next_layout": lambda: self._step(1),
                "previous_layout": lambda: self._step(-1),
                "maximize": docks.toggle_maximized,
            }
        )
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
        self._chosen = f"{_OWN}{name}"
        if not self._docks.restore_state(self._settings.layout(name)):
            self._notices.show_notice("warning", f"The layout “{cell_text(name)}” is too old.")

    def _built_in_action(self, arrangement: Arrangement) -> QAction:
        action = QAction(arrangement.title, self._window)
        action.setObjectName(f"layout_{arrangement.name}")
        action.setStatusTip(arrangement.tip)
        set_keys(action, [QKeySequence(arrangement.shortcut)])
        action.triggered.connect(lambda: self._arrange(arrangement.name))
        return action

    def _arrange(self, name: str) -> None:
        """Choose a built-in layout, as it is for the present width of the window."""
        self._chosen = name
        for arrangement in arrangements(self._window.width()):
            if arrangement.name == name:
                self._docks.arrange(arrangement)

    def _step(self, steps: int) -> None:
        """Choose the next or previous layout: the built-in ones, then those of the user."""
        own = self._settings.layouts()
        built_in = [each.name for each in arrangements(self._window.width())]
        names = [*built_in, *(f"{_OWN}{name}" for name in own)]
        at = names.index(self._chosen) if self._chosen in names else 0
        chosen = names[(at + steps) % len(names)]
        if chosen in built_in:
            self._arrange(chosen)
        else:
            self.restore(chosen.removeprefix(_OWN))

    def _delete(self, name: str) -> None:
        self._settings.set_layout(name, None)
        self._fill_menu()

    def _fill_menu(self) -> None:
        names = self._settings.layouts()
        self.menu.clear()
        self.menu.addActions(self._built_in)
        self.menu.addSeparator()
        _add_layout_items(self.menu, names, self.restore)
        self.menu.addSeparator()
        commands = "next_layout", "previous_layout", "save_layout", "reset_layout"
        self.menu.addActions([self._actions[name] for name in commands])
        if names:
            _add_layout_items(self.menu.addMenu("&Delete Layout"), names, self._delete)


def _add_layout_items(menu: QMenu, names: list[str], act: Callable[[str], None]) -> None:
    """Add an item for each layout, which calls `act` with its name."""
    for name in names:
        action = menu.addAction(cell_text(name).replace("&", "&&"))
        action.triggered.connect(lambda _checked=False, name=name: act(name))
