"""Uncaught exceptions: hooks, reports and the dialog; every test restores the hooks."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QUrl, Slot, qWarning
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.crash.monitor import (
    CrashHooks,
    record_caught,
    start_logging,
    stop_logging,
)
from qcachegrind_py.app.crash.notifier import CrashDialog, CrashNotifier
from qcachegrind_py.app.crash.qt_messages import QtMessageHandler
from qcachegrind_py.app.crash.report import CrashReport, CrashReportStore, create_report
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session import session
from tests.user_input import process_events, without_mnemonic

_HOOKS = [(sys, "excepthook"), (threading, "excepthook"), (sys, "unraisablehook")]


@pytest.fixture
def files(tmp_path: Path) -> CrashReportStore:
    return CrashReportStore(tmp_path / "state" / "log")


@pytest.fixture
def notified() -> list[CrashReport]:
    """The reports that were shown to the user."""
    return []


@pytest.fixture
def hooks(files: CrashReportStore, notified: list[CrashReport]) -> Iterator[CrashHooks]:
    """Install the hooks, and restore the previous ones afterwards."""
    before = [getattr(module, name) for module, name in _HOOKS]
    hooks = CrashHooks(files, notified.append)
    hooks.install()
    logging.getLogger("qcachegrind_py").propagate = False
    yield hooks
    logging.getLogger("qcachegrind_py").propagate = True
    hooks.remove()
    assert [getattr(module, name) for module, name in _HOOKS] == before


def raised(text: str = "oh", depth: int = 0) -> ValueError:
    """Return an exception with a traceback through a function of the program."""
    try:
        if depth:
            raise ValueError(text)
        raise ValueError(text)
    except ValueError as error:
        return error


def uncaught(error: BaseException) -> None:
    """Do what Python does with an exception that leaves a slot."""
    sys.excepthook(type(error), error, error.__traceback__)


def test_report_contents(
    hooks: CrashHooks, notified: list[CrashReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report has error, program, system, thread and traceback; the home folder becomes ~."""
    monkeypatch.setenv("HOME", str(Path(__file__).parents[1]))

    uncaught(raised("a “name”\nof two lines"))

    (report,) = notified
    assert report.summary == "ValueError: a “name” of two lines"
    lines = report.text.splitlines()
    assert [line.partition(":")[0] for line in lines[:7]] == [
        "What", "When", "Program", "Python", "With", "System", "Thread",
    ]  # fmt: skip
    assert lines[6:9] == ["Thread:   MainThread", "", "Traceback (most recent call last):"]
    assert lines[9].startswith('  File "~/crash/test_crash_handling.py", line ')
    assert lines[-2:] == ["ValueError: a “name”", "of two lines"]
    assert report.path is not None
    assert report.path.read_text("utf-8") == report.text


def test_thread_and_unraisable_errors_are_recorded(
    hooks: CrashHooks, files: CrashReportStore, notified: list[CrashReport]
) -> None:
    """An error in a thread is shown; one in a finalizer is recorded without disturbing anyone."""

    class Broken:
        def __del__(self) -> None:
            raise raised("in the end")

    def fail() -> None:
        raise raised("in a thread")

    thread = threading.Thread(target=fail, name="worker")
    thread.start()
    thread.join()
    Broken()

    assert [report.summary for report in notified] == ["ValueError: in a thread"]
    assert "\nThread:   worker\n" in notified[0].text
    texts = [path.read_text("utf-8") for path in files.reports()]
    assert sorted(text.splitlines()[0] for text in texts) == [
        "What:     ValueError: in a thread",
        "What:     ValueError: in the end",
    ]


def test_interrupt_passes(hooks: CrashHooks, notified: list[CrashReport]) -> None:
    """Ctrl+C is not reported as an error but passed to the previous hook."""
    heard: list[BaseException] = []
    hooks.remove()
    before, sys.excepthook = sys.excepthook, lambda _kind, error, _trace: heard.append(error)
    hooks.install()
    interrupt = KeyboardInterrupt()

    uncaught(interrupt)

    hooks.remove()
    sys.excepthook = before
    hooks.install()
    assert (heard, notified) == ([interrupt], [])


def test_repeated_error_is_counted(
    hooks: CrashHooks, files: CrashReportStore, notified: list[CrashReport]
) -> None:
    """The same error repeated is one file; an error at another place is another."""
    for number in range(30):
        uncaught(raised(f"{number}"))
    uncaught(raised("elsewhere", depth=1))

    assert [report.count for report in notified] == [*range(1, 31), 1]
    assert [path.name for path in files.reports()] == [
        path.name for path in (notified[0].path, notified[30].path) if path is not None
    ]


def test_last_ten_reports_are_kept(files: CrashReportStore) -> None:
    """Only the ten newest reports are kept; other files in the folder are left alone."""
    files.folder.mkdir(parents=True)
    (files.folder / "notes.txt").touch()

    saved = [files.save(CrashReport("", str(number))) for number in range(13)]

    assert [path.read_text() for path in files.reports()] == [str(n) for n in range(3, 13)]
    assert saved[12].path == files.reports()[-1]
    assert (files.folder / "notes.txt").exists()


def test_read_only_folder_stops_nothing(tmp_path: Path) -> None:
    """If no file can be written, there is still a report; the log is silently dropped."""
    (tmp_path / "state").write_text("a file")
    files = CrashReportStore(tmp_path / "state" / "log")

    files.enable_fault_handler()
    files.disable_fault_handler()
    handlers = start_logging(files.folder)
    handlers[1].setLevel(logging.CRITICAL)
    logging.getLogger("qcachegrind_py").error("lost")
    stop_logging(handlers)

    assert files.save(CrashReport("s", "t")) == CrashReport("s", "t")
    assert (files.previous_crash(), files.reports()) == (None, [])


def test_previous_crash_is_reported_once(files: CrashReportStore) -> None:
    """Only a run that a signal ended leaves a dump; a running or killed one leaves none."""
    files.enable_fault_handler()
    running = CrashReportStore(files.folder)
    (files.folder / "running-1.txt").write_text("Fatal Python error: Aborted\n\nThread 0x1\n")
    (files.folder / "running-2.txt").touch()
    left = [running.previous_crash(), running.previous_crash()]
    files.disable_fault_handler()

    assert left[0] is not None
    assert (left[0].summary, left[0].is_previous_crash) == ("Fatal Python error: Aborted", True)
    assert left[1] is None
    assert [path.suffix for path in files.folder.iterdir()] == [".txt"]
    assert [path.read_text("utf-8") for path in files.folder.iterdir()] == [left[0].text]


def test_log_does_not_grow(tmp_path: Path) -> None:
    """The log takes at most three files of 256 KB, however much is written."""
    handlers = start_logging(tmp_path / "log", debug=False)
    for number in range(40):
        logging.getLogger("qcachegrind_py.test").info("%d %s", number, "x" * 40_000)
    logging.getLogger("qcachegrind_py.test").debug("unheard")
    stop_logging(handlers)

    sizes = {path.name: path.stat().st_size for path in (tmp_path / "log").iterdir()}
    assert sorted(sizes) == [f"qcachegrind_py.log{end}" for end in ("", ".1", ".2")]
    assert max(sizes.values()) <= 256 * 1024
    assert " 39 xxx" in (tmp_path / "log" / "qcachegrind_py.log").read_text()
    assert logging.getLogger("qcachegrind_py").handlers == []


@pytest.mark.qt_no_exception_capture
def test_messages_of_qt_are_in_the_log(tmp_path: Path, qapp: QApplication) -> None:
    """Qt's messages during the start are logged as information, later ones as warnings."""
    handlers = start_logging(tmp_path)
    handlers[1].setLevel(logging.CRITICAL)
    messages = QtMessageHandler(lambda message: message)
    messages.install()
    qWarning("while it starts")
    messages.mark_started()
    qWarning("a pen without a painter")
    messages.remove()
    stop_logging(handlers)

    (line,) = (tmp_path / "qcachegrind_py.log").read_text().splitlines()
    assert line.endswith(" WARNING qt.default: a pen without a painter")


def test_dialog_shows_copies_and_counts(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    """Only one dialog is open; later errors are counted in it, and Copy copies the report."""
    teller = CrashNotifier(window)
    path = tmp_path / "crash.txt"
    first = CrashReport("ValueError: oh", "What: oh\n", path=path)
    for report in (
        first,
        CrashReport("KeyError", "another"),
        CrashReport("KeyError", "x", count=9),
    ):
        teller.notify(report)
    process_events()

    dialog = teller.dialog
    assert isinstance(dialog, CrashDialog)
    assert window.findChildren(CrashDialog) == [dialog]
    assert dialog.label.text().splitlines() == [
        "An internal error occurred: ValueError: oh",
        "Your last action may be incomplete. The open profile is intact, and you can continue.",
        f"This report is in {path}",
        "Since then, 2 times more.",
    ]
    button(dialog, "Copy").click()
    assert QApplication.clipboard().text() == "What: oh\n"
    button(dialog, "Close").click()
    qtbot.waitUntil(lambda: teller.dialog is None)


def test_folder_of_the_report_is_shown(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    """Show Folder opens the folder of the reports; it is disabled if there is no file."""

    class Opener(QObject):
        asked: list[QUrl] = []  # noqa: RUF012 (of this class alone)

        @Slot(QUrl)
        def open(self, url: QUrl) -> None:
            self.asked.append(url)

    opener = Opener()
    QDesktopServices.setUrlHandler("file", opener, "open")
    saved = CrashDialog(CrashReport("s", "t", path=tmp_path / "crash.txt"), window)
    lost = CrashDialog(CrashReport("s", "t"), window)
    button(saved, "Show Folder").click()
    QDesktopServices.unsetUrlHandler("file")

    assert [url.toLocalFile() for url in opener.asked] == [str(tmp_path)]
    assert [without_mnemonic(b.text()) for b in lost.findChildren(QPushButton)] == ["Close", "Copy"]
    for dialog in (saved, lost):
        dialog.deleteLater()


def test_same_error_again_is_a_notice(window: MainWindow, qtbot: QtBot) -> None:
    """After the dialog was closed, the same error shows a notice with its count and report."""
    teller = CrashNotifier(window)
    texts = []
    for count in (2, 3, 4, 5):
        teller.notify(CrashReport("ValueError: oh", "the report", count=count))
        process_events()
        texts.append(window.notices.notice_texts().get("crash"))

    again = "The same error occurred {} times: ValueError: oh"
    assert texts == [again.format(2), again.format(2), again.format(2), again.format(5)]
    for _ in range(2):  # as from two windows
        button(window.notices, "Details").click()
        process_events()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert teller.dialog is not None
    assert len([d for d in window.findChildren(CrashDialog) if d.isVisible()]) == 1
    assert teller.dialog.text.toPlainText() == "the report"
    teller.dialog.close()
    qtbot.waitUntil(lambda: teller.dialog is None)


def test_failed_job_has_details(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A bug that occurs while a file is read is shown with its traceback; the window goes on."""

    def load_with_bug(*_arguments: object) -> None:
        raise AttributeError("a bug in the job")

    monkeypatch.setattr(session, "load_profile", load_with_bug)
    logging.getLogger("qcachegrind_py.session.jobs").disabled = True
    with qtbot.waitSignal(window.session.failed):
        window.session.open([tmp_path / "callgrind.out.1"])
    logging.getLogger("qcachegrind_py.session.jobs").disabled = False

    assert window.notices.notice_texts()["error"].startswith("Internal error: ")
    button(window.notices, "Details").click()
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, CrashDialog)
    text = dialog.text.toPlainText()
    assert "\nThread:   a job\n" in text
    assert "Traceback (most recent call last):" in text
    assert text.rstrip().endswith(dialog.label.text().splitlines()[0].partition(": ")[2])
    dialog.close()
    process_events()


def test_error_that_was_caught_needs_no_hooks() -> None:
    """Without hooks, a caught error yields a report that is not written to a file."""
    report = record_caught(raised("caught"))

    assert (report.summary, report.path) == ("ValueError: caught", None)
    assert report.location == create_report(raised("caught")).location


def button(widget: QObject, title: str) -> QPushButton:
    """The button with this text."""
    (found,) = [b for b in widget.findChildren(QPushButton) if without_mnemonic(b.text()) == title]
    return found
