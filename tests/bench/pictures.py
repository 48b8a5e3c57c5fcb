"""Measures how long pictures of calls take in the window, and whether they block it.

    python -m tests.bench.pictures FILE

For the costliest functions, with one picture visible at a time: the time from the request until it
is shown, and the longest pause of the event loop.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEventLoop, QSettings, QTimer
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.views.pictures.view import PictureView
from tests.bench.navigating import figures_line, open_and_wait

_FUNCTIONS = 20
_SIZE = (1920, 1200)
_MIN_NODE_SHARES = (0.05, 0.01, 0.002)  # the last reaches the limit of functions
_PATIENCE = 15_000  # ms


class Ticks:
    """A timer that fires every millisecond, and records the longest gap."""

    def __init__(self) -> None:
        self.longest, self._last = 0.0, time.perf_counter()
        self._timer = QTimer(interval=1)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        now = time.perf_counter()
        self.longest, self._last = max(self.longest, now - self._last), now

    def reset(self) -> None:
        """Start measuring again."""
        self.longest, self._last = 0.0, time.perf_counter()


def wait_for_picture(window: MainWindow, view: PictureView) -> None:
    """Wait until the view's picture is shown."""
    loop = QEventLoop()
    poll = QTimer(interval=1)
    poll.timeout.connect(
        lambda: None if window.jobs.is_running(view.title) else QTimer.singleShot(0, loop.quit)
    )
    poll.start()
    QTimer.singleShot(_PATIENCE, loop.quit)
    loop.exec()
    poll.stop()
    QApplication.processEvents()


def measure(window: MainWindow, view: PictureView, ticks: Ticks, what: str) -> None:
    """Activate each function, and print the times."""
    queries, context = window.session.queries, window.navigation.context
    assert queries is not None
    assert context.event is not None
    inclusive = queries.inclusive(context.event, context.scope)
    times, gaps = [], []
    for function in np.argsort(-inclusive)[:_FUNCTIONS].tolist():
        ticks.reset()
        start = time.perf_counter()
        window.navigation.select_function(function)
        QApplication.processEvents()
        wait_for_picture(window, view)
        times.append(1000 * (time.perf_counter() - start))
        gaps.append(1000 * ticks.longest)
    figures_line(what, times)
    figures_line("    longest gap", gaps)


def main() -> None:
    """Measure all pictures."""
    QApplication([])
    theme.apply_palette(dark=False)
    folder = tempfile.mkdtemp()
    store = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
    window = MainWindow(Settings(store))
    window.resize(*_SIZE)
    window.show()
    open_and_wait(window, Path(sys.argv[1]))
    ticks = Ticks()
    graph = window.views.call_graph
    for share in _MIN_NODE_SHARES:
        graph.options.set("least_node", share)
        window.docks.show("call_graph")
        wait_for_picture(window, graph)
        measure(window, graph, ticks, f"call graph from {share * 100:g} % on")
        picture = graph.canvas.picture
        if picture is not None:
            print(f"    the last one: {len(picture.boxes)} functions, {len(picture.arrows)} calls")
    for dock_id in ("callee_map", "caller_map", "flame_graph"):
        window.docks.show(dock_id)
        view = window.docks.view(dock_id)
        measure(window, view, ticks, view.title.lower())
    window.close()


if __name__ == "__main__":
    main()
