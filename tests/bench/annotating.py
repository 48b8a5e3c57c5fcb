"""Measures how long source and assembler take to show costs, and to scroll.

For each of a profile's costliest functions, the time from the click until its code is drawn, with
the two docks side by side; then the time of a frame while a source of 20,000 lines and the
profile's longest function scroll. 60 frames a second leave 16.7 ms for each.
"""

from __future__ import annotations

import os
import random
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
from qcachegrind_py.views.code.code_views import CodeView

_FUNCTIONS = 6
_LINES = 20_000
_FRAMES = 400


def opened(window: MainWindow, path: Path) -> None:
    """Open a profile, and wait until its code is shown."""
    loop = QEventLoop()
    window.session.opened.connect(loop.quit)
    window.open([path])
    loop.exec()
    settled(window, window.views.source, window.views.assembler)


def settled(window: MainWindow, *views: CodeView) -> None:
    """Wait until no view is loading code."""
    while True:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)
        if not any(window.jobs.is_running(view.title) for view in views):
            return


def first_views(window: MainWindow) -> None:
    """Activate the costliest functions one by one, and print their times."""
    queries, context = window.session.queries, window.navigation.context
    assert queries is not None
    assert context.event is not None
    costs = queries.self_cost(context.event, context.scope)[: queries.function_count]
    views = window.views.source, window.views.assembler
    for function in np.argsort(-costs)[:_FUNCTIONS].tolist():
        gaps: list[float] = []
        last = [time.perf_counter()]
        timer = QTimer(interval=0)

        def tick(gaps: list[float] = gaps, last: list[float] = last) -> None:
            now = time.perf_counter()
            gaps.append(now - last[0])
            last[0] = now

        timer.timeout.connect(tick)
        timer.start()
        start = time.perf_counter()
        window.navigation.select_function(function)
        QApplication.processEvents()
        settled(window, *views)
        QApplication.processEvents()
        spent = time.perf_counter() - start
        timer.stop()
        name = queries.names.name(function)[:44]
        rows = [view.model.rowCount() for view in views]
        print(
            f"{name:46}{rows[0]:7} lines {rows[1]:7} instructions {1000 * spent:7.0f} ms, "
            f"longest gap {1000 * max(gaps):4.0f} ms"
        )


def scroll(view: CodeView, what: str) -> None:
    """Scroll from the top by three rows a frame, as a wheel does, and by a page a frame."""
    step = view.table.verticalHeader().defaultSectionSize()
    pages = view.table.viewport().height() // step
    for name, rows in (("three rows", 3), ("a page", pages)):
        frames = sorted(frame_times(view, rows * step))
        middle, slow, worst = (1000 * frames[int(_FRAMES * part)] for part in (0.5, 0.99, 0.999))
        print(
            f"{what}, {view.model.rowCount()} rows, {name} a frame: {middle:.1f} ms, "
            f"99 % {slow:.1f}, most {worst:.1f}"
        )


def frame_times(view: CodeView, pixels: int) -> list[float]:
    """The seconds that each frame takes."""
    bar, frames = view.table.verticalScrollBar(), []
    bar.setValue(0)
    for _ in range(_FRAMES):
        start = time.perf_counter()
        value = bar.value() + pixels
        bar.setValue(value if value < bar.maximum() else 0)
        QApplication.processEvents()
        frames.append(time.perf_counter() - start)
    return frames


def write_example(folder: Path) -> Path:
    """Write a source of 20,000 lines and its profile, with cost at every third line."""
    chance = random.Random(1)
    source = folder / "made.c"
    words = "if (value > limit) total += table[index] * 3;", "/* on to the next */", "x = f(x, 1);"
    source.write_text("".join(f"    {chance.choice(words)}\n" for _ in range(_LINES)))
    lines = ["events: Ir", f"fl={source}", "fn=made"]
    for line in range(1, _LINES, 3):
        lines.append(f"{line} {chance.randrange(1, 10_000)}")
        if chance.random() < 0.2:
            target = max(1, min(_LINES, line + chance.randrange(-60, 60)))
            lines += [f"jcnd={chance.randrange(9)}/9 {target}", f"{line}"]
        if chance.random() < 0.1:
            lines += [f"cfn=callee{chance.randrange(50)}", "calls=3 1", f"{line} 70"]
    profile = folder / "callgrind.out.made"
    profile.write_text("\n".join(lines) + "\n")
    return profile


def longest_function(window: MainWindow) -> int:
    """The function with costs at the largest number of addresses."""
    queries = window.session.queries
    assert queries is not None
    runs = queries.profile.runs
    rows = np.zeros(queries.function_count, np.int64)
    np.add.at(rows, runs.function, np.diff(runs.start))
    return int(rows.argmax())


def main() -> None:
    application = QApplication([])
    theme.apply_palette(dark=False)
    with tempfile.TemporaryDirectory() as folder:
        store = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        window = MainWindow(Settings(store))
        window.resize(1600, 1000)
        window.show()
        window.actions_["fold_code"].setChecked(False)
        window.docks.put_side_by_side("source", "assembler")
        if len(sys.argv) > 1:
            opened(window, Path(sys.argv[1]))
            first_views(window)
            window.navigation.select_function(longest_function(window))
            application.processEvents()
            settled(window, window.views.assembler)
            scroll(window.views.assembler, "instructions")
        opened(window, write_example(Path(folder)))
        scroll(window.views.source, "source")
        window.close()


if __name__ == "__main__":
    main()
