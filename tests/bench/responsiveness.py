"""Whether the window lives while a file loads: gaps between ticks of a 5 ms timer, and cancel."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings


def gaps_while_loading(window: MainWindow, path: Path) -> list[float]:
    """Milliseconds between ticks from the request to half a second after the picture."""
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
            told = ", ".join(f"{name} {gap:.1f}" for name, gap in at.items())
            print(f"{len(gaps)} ticks, gaps in ms: {told}, largest {gaps[-1]:.1f}")
        print(f"cancel acts within {cancel_delay(window, path):.0f} ms")
        window.close()


if __name__ == "__main__":
    main()
