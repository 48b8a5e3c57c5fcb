"""The two panels of a window, its docks and those of the split; commands apply to one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QWidget

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.docks.docks import Docks, is_docked
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.frame.split.dock import SplitDock
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:
    from qcachegrind_py.app.frame.split.panel_window import PanelWindow
    from qcachegrind_py.views.active_function import ActiveFunctionHeader

_AREA = Qt.DockWidgetArea
_FUNCTIONS = DockRegistry.function_list.id
_FUNCTIONS_PERCENT = 22  # of the width, for the functions beside two panels
_FUNCTIONS_MIN_WIDTH = 1000  # window width in pixels below which they are hidden then


@dataclass(slots=True, eq=False)
class Panel:
    """A set of views with its own active function."""

    session: Session
    docks: Docks
    views: DockRegistry
    header: ActiveFunctionHeader
    focused: str  # id of the dock that had the keyboard focus last


class Panels(QObject):
    """Shows and hides the split, and knows the current panel: the last with keyboard focus."""

    changed = Signal(object)  # the current Panel
    added = Signal(object)  # the second Panel, when it is created

    def __init__(
        self, window: QMainWindow, first: Panel, split_dock: SplitDock, actions: Actions
    ) -> None:
        super().__init__(window)
        self._window, self.first, self._dock = window, first, split_dock
        self._second: Panel | None = None
        self.current = first
        self._actions = actions
        self._functions_width = 0  # before the split was shown; 0: hidden, or nothing to restore
        actions["other_panel"].setEnabled(False)
        actions.connect({"split": self._toggle, "other_panel": self._go_to_other})
        split_dock.created.connect(self._add)
        split_dock.closed.connect(self._give_width_back)
        split_dock.visibilityChanged.connect(self._on_visibility_changed)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    @property
    def job_runners(self) -> list[JobRunner]:
        """The runners of the jobs of all panels."""
        panels = (self.first, self._second)
        return [panel.session.jobs for panel in panels if panel is not None]

    # ---------------------------------------------------------------- the split

    def _toggle(self) -> None:
        dock, window = self._dock, self._window
        if not dock.isHidden():
            dock.close()
            return
        self.first.docks.maximizer.restore()
        if not dock.isFloating() and not is_docked(window, dock):
            window.addDockWidget(_AREA.RightDockWidgetArea, dock)
        dock.show()
        dock.raise_()
        if window.dockWidgetArea(dock) == _AREA.RightDockWidgetArea and not dock.isFloating():
            self._share_width()

    def _share_width(self) -> None:
        """Give both panels half of the window beside narrow functions."""
        window, functions = self._window, self.first.docks.by_id[_FUNCTIONS]
        self._functions_width = 0 if functions.isHidden() else functions.width()
        functions.setHidden(functions.isHidden() or window.width() < _FUNCTIONS_MIN_WIDTH)
        rest = window.width()
        if not functions.isHidden():
            width = rest * _FUNCTIONS_PERCENT // 100
            rest -= width
            window.resizeDocks([functions], [width], Qt.Orientation.Horizontal)
        window.resizeDocks([self._dock], [rest // 2], Qt.Orientation.Horizontal)

    def _give_width_back(self) -> None:
        """Make the functions as wide again as they were before the split was shown."""
        functions, width = self.first.docks.by_id[_FUNCTIONS], self._functions_width
        if width > 0:
            functions.show()
            self._window.resizeDocks([functions], [width], Qt.Orientation.Horizontal)
        self._functions_width = 0

    def _add(self, panel: PanelWindow) -> None:
        views, focused = panel.views, DockRegistry.callees.id
        self._second = Panel(panel.session, panel.docks, views, panel.header, focused)
        self._second.header.set_current(False)
        self.added.emit(self._second)

    def _on_visibility_changed(self, _visible: bool) -> None:
        is_open = not self._dock.isHidden()
        self._actions["split"].setChecked(is_open)
        self._actions["other_panel"].setEnabled(is_open)
        if not is_open:
            self._set_current(self.first)

    def show_in_other(self, panel: Panel, node: NodeId) -> None:
        """Show a function or cycle of one panel in the other one, which opens if need be.

        In the split it stays then, whatever is selected.
        """
        if self._dock.isHidden():
            self._toggle()
        second = self._second
        if second is None:
            return
        other = second if panel is self.first else self.first
        if other is second and self._dock.panel is not None:
            self._dock.panel.follow_box.setChecked(False)
        other.session.navigation.select_function(node)

    # ---------------------------------------------------------------- the current panel

    def _go_to_other(self) -> None:
        """Move the keyboard focus to the view that had it last in the other panel."""
        if self._second is not None:
            other = self._second if self.current is self.first else self.first
            self._set_current(other)
            other.docks.show(other.focused)

    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        """Make the panel current that the focus went to; bars and dialogs belong to none."""
        docks = _docks_around(new)
        for panel in (self.first, self._second):
            for dock_id, dock in panel.docks.by_id.items() if panel is not None else ():
                if panel is not None and dock in docks:
                    panel.focused = dock_id
                    self._set_current(panel)
                    return

    def _set_current(self, panel: Panel) -> None:
        if panel is not self.current:
            self.current.header.set_current(False)
            panel.header.set_current(True)
            self.current = panel
            self.changed.emit(panel)


def _docks_around(widget: QWidget | None) -> list[QDockWidget]:
    """The docks that contain a widget, also those that float."""
    docks = []
    while widget is not None:
        if isinstance(widget, QDockWidget):
            docks.append(widget)
        widget = widget.parentWidget()
    return docks
