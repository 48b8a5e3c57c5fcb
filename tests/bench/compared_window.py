"""Measures the window with a comparison against the window without one.

    python -m tests.bench.compared_window BASE NEW

First the largest gap between ticks of a timer while NEW is opened, alone and compared with BASE.
Then, with flame graph and call graph beside the lists: another function, another order of the
list, and another event, until the window is painted and until the pictures are there, too.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings
from tests.bench.responsiveness import Gaps, Heartbeat

_RUNS = 3
_FUNCTIONS = 15
_SORTED = 6  # columns of the list
_STARTED = 2500  # ms after which a new window has imported what it does not show at first
_PICTURES = ("call_graph", "flame_graph")
Times = dict[str, list[tuple[float, float]]]  # ms until painted, and until no job is running


def new_window(folder: Path, number: int) -> MainWindow:
    """A window with its own settings, after its start."""
    path = str(folder / f"settings{number}.ini")
    window = MainWindow(Settings(QSettings(path, QSettings.Format.IniFormat)))
    window.resize(1366, 768)
    window.show()
    loop = QEventLoop()
    QTimer.singleShot(_STARTED, loop.quit)
    loop.exec()
    return window


def open_files(window: MainWindow, new: Path, base: tuple[Path, ...]) -> Gaps:
    """Open a profile and its base, if any; return the largest gaps."""
    opening = partial(window.file_commands.open_here, [new], with_siblings=False, base=base)
    return Heartbeat().largest_gaps(opening, lambda: not window.jobs.is_idle)


def show_pictures(window: MainWindow) -> None:
    """Show flame graph and call graph beside each other, below the lists."""
    docks = [window.docks.by_id[dock_id] for dock_id in _PICTURES]
    window.removeDockWidget(docks[1])
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, docks[1])
    for dock_id, dock in zip(_PICTURES, docks, strict=True):
        dock.show()
        window.docks.show(dock_id)
    wait_for_jobs(window)


def wait_for_jobs(window: MainWindow) -> None:
    """Return when no job is running and everything is painted."""
    loop, timer = QEventLoop(), QTimer(interval=1)
    timer.timeout.connect(lambda: loop.quit() if window.jobs.is_idle else None)
    timer.start()
    loop.exec()
    QApplication.processEvents()


def reaction(window: MainWindow, act: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds until what follows at once is painted, and until no job is running."""
    start = time.perf_counter()
    act()
    QApplication.processEvents()
    QApplication.processEvents()
    painted = time.perf_counter()
    wait_for_jobs(window)
    return 1000 * (painted - start), 1000 * (time.perf_counter() - start)


def reactions(window: MainWindow) -> Times:
    """The times of all actions; each is done a few times."""
    queries, context = window.session.queries, window.navigation.context
    assert queries is not None
    assert context.event is not None
    order = np.argsort(-queries.inclusive(context.event, context.scope), kind="stable")
    table = window.views.function_list.table
    columns = [n for n in range(table.model().columnCount()) if not table.isColumnHidden(n)]
    others = [event for event in context.events.all if event != context.event][:3]
    events = (*others, context.event) * 3 if others else ()
    acts: dict[str, list[Callable[[], object]]] = {
        "function": [
            partial(window.navigation.select_function, function)
            for function in order[:_FUNCTIONS].tolist()
        ],
        "order": [
            partial(table.sortByColumn, column, Qt.SortOrder.DescendingOrder)
            for column in columns[1 : 1 + _SORTED]
        ],
        "event": [
            partial(window.navigation.set, event=event) for event in (*events, context.event) * 3
        ],
    }
    return {name: [reaction(window, act) for act in some] for name, some in acts.items()}


def print_gaps(folder: Path, base: Path, new: Path) -> tuple[MainWindow, MainWindow]:
    """Print the gaps of opening; return the last windows without and with a comparison."""
    last = []
    for place, (name, bases) in enumerate((("alone", ()), ("compared", (base,)))):
        runs = []
        for run in range(_RUNS):
            window = new_window(folder, _RUNS * place + run)
            runs.append(open_files(window, new, bases))
            if run < _RUNS - 1:
                window.close()
                window.deleteLater()
        texts = ", ".join(f"{wall:.0f} ({cpu:.0f} of CPU)" for wall, cpu in runs)
        print(f"opened {name}: largest gaps in ms {texts}")
        last.append(window)
    return last[0], last[1]


def main() -> None:
    """Run the measurements."""
    base, new = map(Path, sys.argv[1:3])
    QApplication([])
    theme.apply_palette(dark=False)
    with tempfile.TemporaryDirectory() as name:
        windows = print_gaps(Path(name), base, new)
        found = []
        for window in windows:
            show_pictures(window)
            found.append(reactions(window))
        for act, alone in found[0].items():
            if not alone:
                continue
            for place, until in enumerate(("painted", "pictures")):
                times = [median(row[place] for row in side[act]) for side in found]
                print(
                    f"another {act:9} until {until:9} alone {times[0]:5.0f} ms, "
                    f"compared {times[1]:5.0f} ms: {times[1] / times[0]:.1f} times"
                )
        for window in windows:
            window.close()


if __name__ == "__main__":
    main()
