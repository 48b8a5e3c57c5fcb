"""How long the window takes to follow: to another function, another event, into a tree.

    python -m tests.bench.navigating FILE [FILE of 100,000 functions]

First as the window is at first, 1280x800, then with every dock in sight, 1920x1400. Times are from
the request until all is drawn.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings

_TIMES = 25


def open_and_wait(window: MainWindow, path: Path) -> None:
    """Open the file, and give the names time to be ranked."""
    loop = QEventLoop()
    window.session.ended.connect(lambda: QTimer.singleShot(1500, loop.quit))
    window.open([path], with_siblings=False)
    loop.exec()


def show_all_docks(window: MainWindow) -> None:
    """No dock behind another."""
    docks = list(window.docks.by_id.values())
    for place, dock in enumerate(docks[1:]):
        window.removeDockWidget(dock)
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
        if place % 2:
            window.splitDockWidget(docks[place], dock, Qt.Orientation.Vertical)
        dock.show()


def milliseconds_until_painted(window: MainWindow, act: Callable[[], object]) -> float:
    """Milliseconds until the change is told and what it touches is painted."""
    start = time.perf_counter()
    act()
    QApplication.processEvents()
    QApplication.processEvents()
    return 1000 * (time.perf_counter() - start)


def figures_line(what: str, times: list[float]) -> None:
    """One line of figures."""
    times = sorted(times)
    median, most = times[len(times) // 2], times[-1]
    print(f"{what}: first {times and times[0]:.0f}, median {median:.0f}, most {most:.0f} ms")


def follow_functions(window: MainWindow) -> None:
    """Go to the costliest functions one by one."""
    queries, context = window.session.queries, window.navigation.context
    assert queries is not None
    assert context.event is not None
    order = np.argsort(-queries.inclusive(context.event, context.scope))[:_TIMES].tolist()
    select = window.navigation.select_function
    figures_line(
        "another function",
        [milliseconds_until_painted(window, lambda f=f: select(f)) for f in order],
    )


def follow_events(window: MainWindow) -> None:
    """Show each event twice."""
    events = window.navigation.context.events.all
    window.navigation.set(event=events[-1])
    QApplication.processEvents()
    times = [
        milliseconds_until_painted(window, lambda e=e: window.navigation.set(event=e))
        for e in events
    ]
    again = [
        milliseconds_until_painted(window, lambda e=e: window.navigation.set(event=e))
        for e in events
    ]
    figures_line(f"another of {len(events)} events", times)
    figures_line("an event seen before", again)


def open_branches(window: MainWindow) -> None:
    """Open the costliest branch of the call tree, level by level."""
    tree = window.views.call_tree.tree
    model, index, times = tree.model(), tree.model().index(0, 0), []
    for _ in range(_TIMES):
        if not model.hasChildren(index):
            break
        index = model.index(0, 0, index)
        times.append(milliseconds_until_painted(window, lambda i=index: tree.expand(i)))
    figures_line("a node of the tree", times)


def measure(window: MainWindow, path: Path, layout: str) -> None:
    """All figures of one file."""
    open_and_wait(window, path)
    functions = window.session.queries.function_count if window.session.queries else 0
    print(f"{path.name}, {layout}: {functions} functions")
    follow_functions(window)
    if window.views.call_tree.isVisible() and layout == "all docks":
        open_branches(window)
    follow_events(window)


def main() -> None:
    application = QApplication([])
    theme.apply_palette(dark=False)
    with tempfile.TemporaryDirectory() as folder:
        store = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        window = MainWindow(Settings(store))
        window.show()
        for all_docks in (False, True):
            window.resize(*((1920, 1400) if all_docks else (1280, 800)))
            window.docks.reset()
            if all_docks:
                show_all_docks(window)
            for path in map(Path, sys.argv[1:]):
                measure(window, path, "all docks" if all_docks else "at first")
        window.close()
        application.processEvents()


if __name__ == "__main__":
    main()
