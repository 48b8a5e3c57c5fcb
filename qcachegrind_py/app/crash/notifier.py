"""Notification of the user about errors: one dialog at a time, and notices for repeated ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from qcachegrind_py.app.frame.notices import NoticeStrip

if TYPE_CHECKING:  # the dialog is imported with the first report
    from qcachegrind_py.app.crash.report import CrashReport
    from qcachegrind_py.app.crash.report_dialog import CrashDialog

_NOTICE_TOPIC = "crash"
# these, and these times powers of ten: painting could otherwise notify many times a second
_NOTIFIED_COUNTS = (1, 2, 5)


class CrashNotifier(QObject):
    """Shows reports in the active window; `notify` may be called from any thread."""

    _reported = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.dialog: CrashDialog | None = None
        self._reported.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def notify(self, report: CrashReport) -> None:
        """Show or count the report when control returns to the event loop."""
        self._reported.emit(report)

    def notify_previous_crash(self, report: CrashReport | None, notices: NoticeStrip) -> None:
        """Show a notice if the previous run ended in a crash."""
        if report is not None:
            text = "The program crashed last time."
            notices.show_notice(
                "warning", text, self._details_button(report), topic=_NOTICE_TOPIC, lasting=True
            )

    def _show(self, report: CrashReport) -> None:
        if self.dialog is not None:
            self.dialog.count_another()
        elif report.count == 1:
            self._open(report)
        elif _is_notified(report.count):
            notices = next(iter(_active_window().findChildren(NoticeStrip)), None)
            if notices is not None:
                from qcachegrind_py.app.crash.report_dialog import times_text

                text = f"The same error occurred {times_text(report.count)}: {report.summary}"
                details = self._details_button(report)
                notices.show_notice("error", text, details, topic=_NOTICE_TOPIC, lasting=True)

    def _details_button(self, report: CrashReport) -> tuple[str, Callable[[], None]]:
        return "Details", lambda: self._open(report)

    def _open(self, report: CrashReport) -> None:
        from qcachegrind_py.app.crash.report_dialog import show_report

        if self.dialog is not None:
            self.dialog.destroyed.disconnect(self._clear_dialog)  # emitted after the next opens
            self.dialog.close()
        self.dialog = show_report(report, QApplication.activeModalWidget() or _active_window())
        self.dialog.destroyed.connect(self._clear_dialog)

    def _clear_dialog(self) -> None:
        self.dialog = None


def _active_window() -> QWidget:
    """The main window in use, or any window if there is none."""
    active = QApplication.activeWindow()
    windows = [active, *QApplication.topLevelWidgets()]
    return next((w for w in windows if isinstance(w, QMainWindow)), active or QWidget())


def _is_notified(count: int) -> bool:
    digits = str(count).rstrip("0")
    return digits.isdigit() and int(digits) in _NOTIFIED_COUNTS
