"""What is measured of the window: every dock shown alone, for several active functions.

The window opens the profile with no dock visible but the functions. Then each dock is shown for the
costliest function, for a function in the middle, and for the cycle of the costliest one if there is
one. Measured is the processor time until the window is quiet, and the longest time for which the
GUI thread was busy.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication

from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.settings.store import Settings
from tests.bench.scaling.children import Gaps, Step

_TICK = 2  # ms between the ticks of the heart beat; shorter ones would be load of their own
_QUIET = 0.2  # seconds for which nothing works when everything is drawn
_BUSY_SHARE = 0.3  # of a processor, above which something works
_GROUPINGS = (Grouping.OBJECT, Grouping.FILE, Grouping.CLASS, Grouping.CYCLE)


def docks(path: Path) -> Iterator[Step]:
    """Opening the profile, every dock, and every grouping of the functions."""
    application = QApplication([])
    theme.apply_palette(dark=False)
    with tempfile.TemporaryDirectory() as folder:
        store = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        window = MainWindow(Settings(store))
        window.resize(1280, 800)
        window.show()
        application.processEvents()
        watch = _Watch(window)
        for spec in window.views.specs():
            window.docks.view(spec.id)  # created before the profile is there: that takes constant
        watch.hide_docks()
        watch.gaps(lambda: None)
        opening = partial(window.open, [path], with_siblings=False)
        is_open = []
        yield "dock: open", lambda: is_open.append(True) or watch.gaps(opening)
        if not is_open:  # this child runs only what is behind the step that exceeded the limit
            watch.gaps(opening)
        watch.hide_docks()
        yield from _dock_steps(window, watch)
        yield from _grouping_steps(window, watch)


def _dock_steps(window: MainWindow, watch: _Watch) -> Iterator[Step]:
    functions = _active_functions(window)
    for spec in window.views.specs():
        dock = window.docks.by_id[spec.dock]
        watch.hide_docks()
        for which, node in functions.items():
            act = partial(window.navigation.select_function, node)
            if not dock.isVisible():  # also if the step before exceeded the limit in another child
                watch.gaps(act)
                act = partial(window.docks.show, spec.id)
            name = f"dock: {spec.title}" + (f", {which}" if which else "")
            yield name, partial(watch.gaps, act)


def _grouping_steps(window: MainWindow, watch: _Watch) -> Iterator[Step]:
    watch.hide_docks()
    watch.gaps(partial(window.docks.show, "function_list"))
    for grouping in _GROUPINGS:
        group = partial(window.session.set_grouping, grouping)
        yield f"dock: Functions, by {grouping.value}", partial(watch.gaps, group)
        watch.gaps(partial(window.session.set_grouping, Grouping.NONE))


def _active_functions(window: MainWindow) -> dict[str, int]:
    """The functions for which docks are shown, by what is said of them."""
    queries, context = window.session.queries, window.navigation.context
    assert queries is not None
    if context.event is None or not queries.function_count:
        return {"": NO_NODE}
    inclusive = queries.inclusive(context.event, context.scope)[: queries.function_count]
    costliest = int(np.argmax(inclusive))
    functions = {"": costliest}
    if queries.function_count > 1:
        functions["middle"] = queries.function_count // 2
    if (cycle := queries.cycle_of(costliest, context.scope)) != NO_NODE:
        functions["cycle"] = cycle
    return functions


class _Watch:
    """Watches the event loop while the window works."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._ticks: list[tuple[float, float]] = []
        self._timer = QTimer(interval=_TICK, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def hide_docks(self) -> None:
        """Hide all docks."""
        for dock in self._window.docks.by_id.values():
            dock.hide()

    def gaps(self, act: Callable[[], object]) -> Gaps:
        """Return the largest gaps from `act` until the window has been quiet for a while."""
        self._ticks = []
        self._tick()
        self._timer.start()
        act()
        self._tick()
        self._wait()
        self._timer.stop()
        pairs = list(pairwise(self._ticks))
        cpu, wall = (1000 * max(b[clock] - a[clock] for a, b in pairs) for clock in (0, 1))
        return cpu, wall

    def _tick(self) -> None:
        self._ticks.append((time.thread_time(), time.perf_counter()))

    def _wait(self) -> None:
        """Wait until no job has run and hardly any processor time was used for a while."""
        loop = QEventLoop()
        quiet_since = time.perf_counter()
        while time.perf_counter() - quiet_since < _QUIET:
            used, began = time.process_time(), time.perf_counter()
            QTimer.singleShot(20, loop.quit)
            loop.exec()  # not qWait, which keeps the GIL
            now = time.perf_counter()
            is_working = time.process_time() - used > _BUSY_SHARE * (now - began)
            if is_working or not self._window.jobs.is_idle:
                quiet_since = now
