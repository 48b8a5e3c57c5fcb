"""Measures memory while one profile is opened again and again, and counts the profiles kept.

    python -m tests.bench.reopening FILE [TIMES]

Prints the memory of the process, and how many profiles exist, at each tenth of 500 openings.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.session.settings.store import Settings
from tests.bench.navigating import open_and_wait

_TIMES, _LINES = 500, 10


def resident_megabytes() -> int:
    """The memory of this process in MB (Linux only)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1_000_000


def describe(opened: int) -> None:
    """Print the memory, and how many profiles and query caches are alive."""
    gc.collect()
    counts = [
        sum(isinstance(o, kind) for o in gc.get_objects()) for kind in (Profile, ProfileQueries)
    ]
    print(f"{opened} openings: {resident_megabytes()} MB, {counts[0]} profiles, {counts[1]} caches")


def main() -> None:
    path, times = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else _TIMES
    QApplication([])
    theme.apply_palette(dark=False)
    with tempfile.TemporaryDirectory() as folder:
        store = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        window = MainWindow(Settings(store))
        window.show()
        describe(0)
        for number in range(1, times + 1):
            open_and_wait(window, path)
            if number in (1, 2) or number % max(1, times // _LINES) == 0:
                describe(number)
        window.close()


if __name__ == "__main__":
    main()
