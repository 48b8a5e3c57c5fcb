"""Measures a keystroke, a click on a header and a change of event in a long list."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.columns import FUNCTIONS

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QSettings, Qt
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings
from tests.bench.large_profiles import write_profile

_RUNS = 7


def milliseconds(application: QApplication, act: Callable[[], object]) -> float:
    """Milliseconds from the act until everything is drawn."""
    start = time.perf_counter()
    act()
    application.processEvents()
    application.processEvents()
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    functions = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    application = QApplication([])
    theme.apply_palette(dark=False)
    with tempfile.TemporaryDirectory() as folder:
        store = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        window = MainWindow(Settings(store))
        window.show()
        path = Path(folder) / "made.out"
        write_profile(path, 1, functions)
        loop = QEventLoop()
        window.session.opened.connect(loop.quit)
        window.open([path])
        loop.exec()
        window.jobs.stop()
        view, descending = window.views.function_list, Qt.SortOrder.DescendingOrder
        acts: dict[str, list[Callable[[], object]]] = {
            "sort by a number": [
                lambda: view.table.sortByColumn(FUNCTIONS.SELF, descending),
                lambda: view.table.sortByColumn(FUNCTIONS.INCLUSIVE, descending),
            ],
            "sort by name": [
                lambda: view.table.sortByColumn(FUNCTIONS.NAME, descending),
                lambda: view.table.sortByColumn(FUNCTIONS.LOCATION, descending),
            ],
            "search keystroke": [
                lambda: view.search.setText("method_9"),
                lambda: view.search.setText("method_99"),
            ],
            "search, nothing left out": [
                lambda: view.search.setText("m"),
                lambda: view.search.setText("me"),
            ],
            "pattern keystroke": [
                lambda: view.search.setText(r"method_9+\("),
                lambda: view.search.setText(r"<int, \d+9>"),
            ],
            "change of event": [
                lambda: window.navigation.set(event=window.navigation.context.events.all[1]),
                lambda: window.navigation.set(event=window.navigation.context.events.all[0]),
            ],
        }
        for name, pair in acts.items():
            window.actions_["regular_expression"].setChecked(name.startswith("pattern"))
            if not name.startswith(("search", "pattern")):
                view.search.clear()
            first = milliseconds(application, pair[0])
            later = sorted(milliseconds(application, pair[n % 2]) for n in range(1, _RUNS + 1))
            print(f"{name}: first {first:.0f} ms, then {later[_RUNS // 2]:.0f} ms")
        window.close()


if __name__ == "__main__":
    main()
