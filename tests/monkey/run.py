"""A run: the application, its windows, the steps, and the report at the end."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QObject,
    QSettings,
    Qt,
    QTimer,
    QUrl,
    Slot,
)
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.desktop.application import Application, collect_garbage_when_idle
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.windows import Windows
from tests.monkey.dialog_steps import answer_when_closing
from tests.monkey.monkey import Monkey
from tests.monkey.sandbox import Sandbox
from tests.monkey.watch import Watch

_HANG = 120  # seconds


class _Browser(QObject):
    """Takes the addresses that would be opened in a browser or file manager."""

    @Slot(QUrl)
    def open(self, _url: QUrl) -> None:
        """Do nothing."""


def run(sandbox: Sandbox, seed: int, first: int, count: int) -> int:
    """Take the steps, and return the exit code: 1 if there were findings."""
    start, used = time.perf_counter(), time.process_time()
    browser = _Browser()
    application = _create_application(sandbox, browser)
    collect_garbage_when_idle(application)  # as the program does
    log_path = sandbox.folder / "steps.log"
    print(f"steps: {log_path}", flush=True)  # the last of them is the one of a crash
    with log_path.open("w", encoding="utf-8") as log:
        watch = Watch(seed, log, hang=_HANG)
        watch.install()
        windows = Windows()
        monkey = Monkey(windows, sandbox, watch, seed)
        monkey.run(first, count)
        watch.begin_step("closing all windows")
        _close(windows)
        application.clipboard().clear()  # offscreen Qt crashes at exit while it holds a picture
        for left in sandbox.left_behind():
            watch.add("left behind", left)
        watch.remove()
    wall, cpu = time.perf_counter() - start, time.process_time() - used
    print(f"seed {seed}, {count} steps from {first}: {len(watch.findings)} findings")
    print(f"{wall:.0f} s, {cpu:.0f} s of them CPU time; {resident_megabytes()} MB of memory")
    print(
        f"longest gap {watch.longest_gap:.2f} s of CPU time, {watch.longest_wall_gap:.2f} s in "
        f"all; {monkey.abandoned_waits} jobs not waited for"
    )
    if watch.findings:
        return 1
    sandbox.remove()
    return 0


def _create_application(sandbox: Sandbox, browser: _Browser) -> Application:
    ini, user = QSettings.Format.IniFormat, QSettings.Scope.UserScope
    QSettings.setPath(ini, user, str(sandbox.folder / "config"))
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    application = Application()
    application.setQuitOnLastWindowClosed(False)
    for scheme in ("file", "http", "https"):
        # PySide takes the name as text, whatever its stubs say
        QDesktopServices.setUrlHandler(scheme, browser, "open")  # type: ignore[arg-type]  # above
    theme.apply_palette(dark=False)
    return application


def _close(windows: Windows) -> None:
    """Close all windows; a program that is being recorded is stopped."""
    while windows.windows:
        QTimer.singleShot(0, answer_when_closing)
        windows.windows[-1].close()
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def resident_megabytes() -> int:
    """The memory of this process in MB, 0 where there is no /proc."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) // 1000 for line in lines if line.startswith("VmRSS"))
