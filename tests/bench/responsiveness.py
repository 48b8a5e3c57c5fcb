"""Measures how responsive the window is: gaps between ticks of a timer, and cancelling.

    python -m tests.bench.responsiveness FILE

While the file loads; while the call graph of 250 functions, maps and flame graph of its costliest
functions are shown; and while a list of 100,000 rows is saved. Each gap comes with the CPU time of
the main thread in it: on a shared machine, the rest is time that other programs had. Of several
runs, the one with the smallest largest gap counts.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.views.pictures.view import PictureView
from qcachegrind_py.views.tables.table_actions import SAVE_SLOT, table_export, write_table
from tests.bench.large_profiles import write_profile
from tests.bench.navigating import open_and_wait

_RUNS = 3
_FUNCTIONS = 12
_ROWS = 100_000
_QUIET = 0.15  # seconds without a job after which everything is drawn, the overview included
Gaps = tuple[float, ...]  # ms of wall time, ms of CPU time


def gaps_while_loading(window: MainWindow, path: Path) -> list[float]:
    """Sorted gaps in ms of a 5 ms timer, until half a second after the first picture."""
    ticks: list[float] = []
    timer = QTimer(interval=5, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(lambda: ticks.append(time.perf_counter()))
    loop = QEventLoop()
    window.session.opened.connect(lambda _: QTimer.singleShot(500, loop.quit))
    timer.start()
    window.open([path], with_siblings=False)
    loop.exec()
    timer.stop()
    return sorted(1000 * (b - a) for a, b in pairwise(ticks))


class Heartbeat:
    """A timer that always fires, and records wall time and CPU time of the main thread."""

    def __init__(self) -> None:
        self._ticks: list[tuple[float, float]] = []
        self._timer = QTimer(interval=0)
        self._timer.timeout.connect(
            lambda: self._ticks.append((time.perf_counter(), time.thread_time()))
        )

    def largest_gaps(self, act: Callable[[], object], is_busy: Callable[[], bool]) -> Gaps:
        """Return the largest gaps from `act` until nothing has been busy for a while."""
        self._ticks = [(time.perf_counter(), time.thread_time())]
        self._timer.start()
        act()
        quiet_since, loop = time.perf_counter(), QEventLoop()
        while time.perf_counter() - quiet_since < _QUIET:
            QTimer.singleShot(20, loop.quit)
            loop.exec()  # not qWait, which keeps the GIL
            if is_busy():
                quiet_since = time.perf_counter()
        self._timer.stop()
        pairs = list(pairwise(self._ticks))
        return tuple(1000 * max(b[clock] - a[clock] for a, b in pairs) for clock in (0, 1))


def picture_gaps(window: MainWindow, view: PictureView, heartbeat: Heartbeat) -> Gaps:
    """The largest gaps of all functions, each the smallest of several runs."""
    queries, context = window.session.queries, window.navigation.context
    assert queries is not None
    assert context.event is not None
    cost = queries.inclusive(context.event, context.scope)
    functions = np.argsort(-cost)[:_FUNCTIONS].tolist()
    select, largest = window.navigation.select_function, [(0.0, 0.0)]
    is_busy = partial(window.jobs.is_running, view.title)
    for function in functions[1:]:
        runs = []
        for _ in range(_RUNS):
            heartbeat.largest_gaps(partial(select, functions[0]), is_busy)
            runs.append(heartbeat.largest_gaps(partial(select, function), is_busy))
        largest.append(tuple(map(min, zip(*runs, strict=True))))
    return tuple(map(max, zip(*largest, strict=True)))


def measure_pictures(window: MainWindow) -> None:
    """Print the gaps of each picture."""
    window.views.call_graph.options.set("least_node", 0.002)  # reaches the limit of 250 functions
    heartbeat = Heartbeat()
    for dock_id in ("call_graph", "callee_map", "caller_map", "flame_graph"):
        window.docks.show(dock_id)
        view = window.docks.view(dock_id)
        wall, cpu = picture_gaps(window, view, heartbeat)
        print(f"{view.title.lower()}: largest gap {wall:.0f} ms, {cpu:.0f} ms of them CPU time")


def measure_saving(window: MainWindow, folder: Path) -> None:
    """Print the gaps while 100,000 functions are saved as CSV."""
    path = folder / "many.out"
    write_profile(path, 1, _ROWS)
    open_and_wait(window, path)
    table, jobs, heartbeat = window.views.function_list.table, window.jobs, Heartbeat()

    def save() -> None:
        jobs.start(SAVE_SLOT, write_table, folder / "list.csv", "CSV", table_export(table))

    start = time.perf_counter()
    runs = [heartbeat.largest_gaps(save, partial(jobs.is_running, SAVE_SLOT)) for _ in range(_RUNS)]
    took = (time.perf_counter() - start) / _RUNS - _QUIET
    wall, cpu = map(min, zip(*runs, strict=True))
    print(
        f"saving {table.model().rowCount()} rows in {took:.1f} s: largest gap {wall:.0f} ms, "
        f"{cpu:.0f} ms of them CPU time"
    )


def cancel_delay(window: MainWindow, path: Path) -> float:
    """Milliseconds from cancel until the loading thread has ended."""
    loop = QEventLoop()
    window.open([path], with_siblings=False)
    QTimer.singleShot(150, loop.quit)
    loop.exec()
    start = time.perf_counter()
    window.session.cancel()
    window.jobs.stop()
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    path = Path(sys.argv[1])
    application = QApplication([])
    theme.apply_palette(dark=False)
    with tempfile.TemporaryDirectory() as folder:
        store = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        window = MainWindow(Settings(store))
        window.show()
        application.processEvents()
        for _ in range(3):
            gaps = gaps_while_loading(window, path)
            at = {f"{p} %": gaps[min(len(gaps) - 1, len(gaps) * p // 100)] for p in (50, 90, 99)}
            summary = ", ".join(f"{name} {gap:.1f}" for name, gap in at.items())
            print(f"{len(gaps)} ticks, gaps in ms: {summary}, largest {gaps[-1]:.1f}")
        measure_pictures(window)
        measure_saving(window, Path(folder))
        print(f"cancel acts within {cancel_delay(window, path):.0f} ms")
        window.close()


if __name__ == "__main__":
    main()
