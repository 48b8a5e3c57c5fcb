"""Menu bar, toolbar and the menus that change: recent files, events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QComboBox, QMainWindow, QMenu, QToolBar, QWidget

from qcachegrind_py.app.actions import Actions
from qcachegrind_py.app.docks import Docks
from qcachegrind_py.models.plain_text import cell_text, short_text
from qcachegrind_py.profile.events import EventType


def fill_menu_bar(window: QMainWindow, actions: Actions, docks: Docks, recent: QMenu) -> None:
    """File, View, Go and Help."""
    bar = window.menuBar()
    _fill(
        bar.addMenu("&File"), actions, "open", recent, "reload", "example", "", "cancel", "", "quit"
    )
    view = bar.addMenu("&View")
    for dock in docks.by_name.values():
        view.addAction(dock.toggleViewAction())
    scheme = QMenu("Co&lours", view)
    _fill(scheme, actions, "system", "light", "dark")
    group = QActionGroup(window)
    for name in ("system", "light", "dark"):
        group.addAction(actions[name])
    _fill(
        view, actions, "", "next_event", "percent", "cycles", "", "search", "regular_expression",
        "", scheme, "reset_layout",
    )  # fmt: skip
    _fill(bar.addMenu("&Go"), actions, "back", "forward", "up")
    _fill(bar.addMenu("&Help"), actions, "about")


def _fill(menu: QMenu, actions: Actions, *items: str | QMenu) -> None:
    menu.setToolTipsVisible(True)
    for item in items:
        if isinstance(item, QMenu):
            menu.addMenu(item)
        elif item:
            menu.addAction(actions[item])
        else:
            menu.addSeparator()


def fill_toolbar(window: QMainWindow, actions: Actions, events: QComboBox) -> QToolBar:
    """The toolbar: file, way, event, how costs are shown."""
    bar = QToolBar("Toolbar", window)
    bar.setObjectName("Toolbar")
    bar.setMovable(False)
    side = bar.fontMetrics().height() * 5 // 4
    bar.setIconSize(QSize(side, side))
    for name in ("open", "reload", "", "back", "forward", "up", "", "percent", "cycles"):
        if name:
            bar.addAction(actions[name])
        else:
            bar.addSeparator()
    bar.addSeparator()
    bar.addWidget(events)
    window.addToolBar(bar)
    return bar


def strip_below_toolbar(window: QMainWindow, strip: QWidget) -> QToolBar:
    """Put a strip over the whole width under the toolbar; gives the bar that holds it."""
    window.addToolBarBreak()
    bar = QToolBar("Messages", window)
    bar.setObjectName("Messages")
    bar.setMovable(False)
    bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    bar.toggleViewAction().setVisible(False)
    bar.addWidget(strip)
    window.addToolBar(bar)
    return bar


def fill_recent(
    menu: QMenu, files: list[Path], open_: Callable[[Path], None], forget: Callable[[], None]
) -> None:
    """The files opened before, the latest first, with a digit as a key; and to forget them."""
    menu.clear()
    menu.setEnabled(bool(files))
    for number, path in enumerate(files, start=1):
        name = cell_text(str(path)).replace("&", "&&")
        action = menu.addAction(f"&{number % 10}  {name}")
        action.triggered.connect(lambda _checked=False, p=path: open_(p))
    menu.addSeparator()
    clear = menu.addAction("&Forget These")
    clear.setStatusTip("Forget which files were opened")
    clear.setToolTip(clear.statusTip())
    clear.triggered.connect(lambda _checked=False: forget())


def fill_events(box: QComboBox, events: tuple[EventType, ...], current: EventType | None) -> None:
    """The events to choose from: name and long name, derived ones with their mark."""
    box.blockSignals(True)
    box.clear()
    for event in events:
        name = short_text(event.name)
        title = f"{name} – {short_text(event.long_name)}" if event.long_name else name
        box.addItem(f"{title} (derived)" if event.is_derived else title)
    box.setCurrentIndex(events.index(current) if current in events else -1)
    box.setEnabled(len(events) > 0)
    box.blockSignals(False)
