"""How long the pictures of calls take in the window, and whether it stands still meanwhile.

    python -m tests.bench.pictures FILE

For the costliest functions, each picture alone in sight: from the request until it is there, and
the longest time in which the event loop had no turn.
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
from qcachegrind_py.views.common.picture_view import PictureView
from tests.bench.navigating import figures_line, open_and_wait

_FUNCTIONS = 20
_SIZE = (1920, 1200)
_LEASTS = (0.05, 0.01, 0.002)  # of the graph's functions; the last reaches its limit
_PATIENCE = 15_000  # ms


class Ticks:
    """A timer that asks for a turn every millisecond, and remembers the longest wait."""

    def __init__(self) -> None:
        self.longest, self._last = 0.0, time.perf_counter()
        self._timer = QTimer(interval=1)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        now = time.perf_counter()
        self.longest, self._last = max(self.longest, now - self._last), now

    def forget(self) -> None:
        """Begin anew."""
        self.longest, self._last = 0.0, time.perf_counter()


def drawn(window: MainWindow, view: PictureView) -> None:
    """Wait until the view's picture is there."""
    loop = QEventLoop()
    look = QTimer(interval=1)
    look.timeout.connect(
        lambda: None if window.jobs.is_running(view.title) else QTimer.singleShot(0, loop.quit)
    )
    look.start()
    QTimer.singleShot(_PATIENCE, loop.quit)
    loop.exec()
    look.stop()
    QApplication.processEvents()


def measure(window: MainWindow, view: PictureView, ticks: Ticks, what: str) -> None:
    """Go to each function in turn."""
    queries, context = window.session.queries, window.navigation.context
    assert queries is not None
    assert context.event is not None
    inclusive = queries.inclusive(context.event, context.scope)
    times, gaps = [], []
    for function in np.argsort(-inclusive)[:_FUNCTIONS].tolist():
        ticks.forget()
        start = time.perf_counter()
        window.navigation.select_function(function)
        QApplication.processEvents()
        drawn(window, view)
        times.append(1000 * (time.perf_counter() - start))
        gaps.append(1000 * ticks.longest)
    figures_line(what, times)
    figures_line("    longest gap", gaps)


def main() -> None:
    """Measure, and print."""
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
    for least in _LEASTS:
        graph.options.set("least_node", least)
        window.docks.show("call_graph")
        drawn(window, graph)
        measure(window, graph, ticks, f"call graph from {least * 100:g} % on")
        picture = graph.canvas.picture
        if picture is not None:
            print(f"    the last one: {len(picture.nodes)} functions, {len(picture.calls)} calls")
    for dock_id in ("callee_map", "caller_map", "flame_graph"):
        window.docks.show(dock_id)
        view = window.docks.views[dock_id]
        measure(window, view, ticks, view.title.lower())
    window.close()


if __name__ == "__main__":
    main()
