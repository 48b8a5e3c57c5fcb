"""The two panels of a window: its docks and those of the split, and what connects their views."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent, QFocusEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDockWidget,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMainWindow,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.code_actions import CodeActions
from qcachegrind_py.app.frame.docks.arrangements import PANEL
from qcachegrind_py.app.frame.docks.docks import Docks, is_docked
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.frame.frame import Frame
from qcachegrind_py.app.style.tips import fill_in_whats_this
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.linked_session import LinkedSession
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.active_function import ActiveFunctionHeader
from qcachegrind_py.views.widgets.controls import text_menu_button
from qcachegrind_py.views.widgets.grid import grid

if TYPE_CHECKING:
    from qcachegrind_py.analysis.explanation.numbers import NumberRequest
    from qcachegrind_py.app.frame.function_menu import FunctionMenu
    from qcachegrind_py.app.settings.user_events import UserEvents
    from qcachegrind_py.present.call_site import CallSite
    from qcachegrind_py.views.active_function import ActiveFunctionHeader
    from qcachegrind_py.views.lists.event_list import EventList
    from qcachegrind_py.views.profile_view import ProfileView


_WHATS_THIS = (
    "A second set of views with its own active function and history. Events, parts, filter and "
    "grouping are the same in both. F10 moves the keyboard focus between them."
)
_FOLLOW = (
    "While this is on, the split shows the function that is selected in the other views, so a "
    "function and its caller or callee can be seen together. Turn it off to keep the function."
)
_NO_CALL = "There is no call with a source line under the cursor."
_ID = "split"  # in saved layouts; never changes


class SplitDock(QDockWidget):
    """Creates the panel when the dock is first shown with a profile; hidden views rest."""

    created = Signal(object)  # the PanelWindow
    closed = Signal()  # by the user
    focused = Signal()  # the dock itself, which has nothing for the keyboard outside its views

    def __init__(self, window: QMainWindow, session: Session, actions: Actions) -> None:
        super().__init__("Split", window)
        self.setObjectName(_ID)
        self.setWhatsThis(_WHATS_THIS)
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

        self.panel = PanelWindow(self._session, self._actions)
        self.widget().deleteLater()
        self.setWidget(self.panel)
        self.panel.show()
        self.panel.docks.reset()  # for the size that it has now
        self.created.emit(self.panel)
        self.panel.docks.create_shown_views(in_turn=True)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        super().closeEvent(event)
        self.closed.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self.focused.emit()

    def close_panel(self) -> None:
        """Stop the process that lays out the graphs of the panel, if there is one."""
        if self.panel is not None:
            self.panel.views.close()


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
    focused: str  # id of the view that had the keyboard focus last


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
        actions.connect(
            {
                "split": self._toggle,
                "other_panel": self._go_to_other,
                "maximize": lambda: first.docks.toggle_maximized(first.focused),
            }
        )
        split_dock.created.connect(self._add)
        split_dock.closed.connect(self._give_width_back)
        split_dock.focused.connect(self._enter_split)
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

    def _enter_split(self) -> None:
        """Move the keyboard focus to the view that had it last in the split, or another one there.

        Views that are closed stay so.
        """
        if (second := self._second) is not None:
            docks = second.docks
            seen = [name for name in (second.focused, *docks.by_id) if docks.is_seen(name)]
            self._set_current(second)
            if seen:
                docks.show(seen[0])

    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        """Make the panel current that the focus went to; bars and dialogs belong to none."""
        docks = _docks_around(new)
        for panel in (self.first, self._second):
            for dock_id, dock in panel.docks.by_id.items() if panel is not None else ():
                if panel is not None and dock in docks:
                    panel.focused = panel.docks.view_in(dock_id)
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


@frozen
class PanelConnections:
    """What the views of all panels are connected to."""

    frame: Frame
    code_actions: CodeActions
    panels: Panels
    watch_line_edits: Callable[[QWidget], None]  # lets files be dropped on them
    user_events: Callable[[], UserEvents]  # created on first use

    def __post_init__(self) -> None:
        self.frame.actions.connect(
            {"explain_number": self._explain_number, "show_call": self._show_call}
        )

    def _current_number(self) -> NumberRequest | None:
        """Return the number under the cursor of the view that had the focus last."""
        panel = self.panels.current
        view = panel.views.created.get(panel.focused)
        return None if view is None else view.current_number()

    def _explain_number(self) -> None:
        panel, dock, number = (
            self.panels.current,
            DockRegistry.explain_number,
            self._current_number(),
        )
        panel.docks.show(dock.id)
        panel.views.view(dock).explain(number)

    def _call_site(self) -> CallSite | None:
        """Return where the call under the cursor is made, if it is a call with a source line."""
        from qcachegrind_py.present.call_site import call_site

        query, number = self.panels.current.session.query, self._current_number()
        return None if query is None or number is None else call_site(query, number.key)

    def _show_call(self) -> None:
        """Make the caller active, and show its source at the call."""
        panel, site = self.panels.current, self._call_site()
        if site is None:
            self.frame.notices.show_notice("information", _NO_CALL, topic="call", passing=True)
            return
        panel.session.navigation.select_function(site.caller)
        panel.session.navigation.set(position=site.position)
        panel.docks.show(DockRegistry.source.id)

    def connect(self, panel: Panel) -> None:
        """Connect each view of a panel once it is created."""
        views, menu = panel.views, cache(partial(self._create_menu, panel))
        for spec in views.specs():
            views.when_created(spec, partial(self._connect_view, menu))
        views.when_created(
            DockRegistry.function_list,
            lambda functions: functions.groups.menu_requested.connect(
                lambda *group: menu().fill_group(*group)
            ),
        )
        for spec in (DockRegistry.caller_map, DockRegistry.callee_map):
            views.when_created(spec, lambda view: view.picture_requested.connect(panel.docks.show))
        views.when_created(DockRegistry.event_list, self._connect_event_list)

    def _connect_view(self, menu: Callable[[], FunctionMenu], view: ProfileView) -> None:
        view.menu_requested.connect(lambda opened, node: menu().fill(opened, node))
        view.filter_clearing_requested.connect(self.frame.filter_bar.clear_filter)
        self.watch_line_edits(view)
        fill_in_whats_this(view)

    def _connect_event_list(self, events: EventList) -> None:
        events.new_event_requested.connect(lambda: self.user_events().add())
        events.change_requested.connect(lambda event: self.user_events().change(event))
        events.removal_requested.connect(lambda event: self.user_events().remove(event))

    def _create_menu(self, panel: Panel) -> FunctionMenu:
        from qcachegrind_py.app.frame.function_menu import (
            FunctionActions,
            FunctionEditor,
            FunctionMenu,
            GroupColorActions,
        )

        functions = FunctionActions(
            [self.frame.actions[name] for name in ("explain_number", "back", "forward", "up")],
            self.frame.actions["show_call"],
            self._call_site,
            panel.docks,
            partial(self.panels.show_in_other, panel),
            FunctionEditor(panel.session, self.frame.notices, self.code_actions.edit).open,
            GroupColorActions(self.frame.notices.window(), panel.session),
        )
        return FunctionMenu(panel.session, self.frame.filter_bar, functions)


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
        self.follow_box.setWhatsThis(_FOLLOW)
        self.follow_box.setChecked(True)
        self.follow_box.toggled.connect(self._update_following)
        self._is_active = True
        self.setCentralWidget(self._create_top())
        self.docks = Docks(self, self.views, default=lambda _width: PANEL, prefix="split/")

    def _create_top(self) -> QWidget:
        top, row = QWidget(), QHBoxLayout()
        row.setContentsMargins(grid(), 0, 0, 0)
        row.addWidget(self.follow_box)
        row.addStretch()
        row.addWidget(text_menu_button("Views", "Show and hide views of this panel", self._fill))
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
