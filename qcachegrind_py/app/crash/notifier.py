"""Notification of the user about errors: one dialog at a time, and notices for repeated ones."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from qcachegrind_py.app.crash.report import CrashReport, shorten_home
from qcachegrind_py.app.frame.notices import Notices
from qcachegrind_py.app.style.text_widgets import TextDialog
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.visible_text import visible_lines

_CURRENT_CRASH = "An internal error occurred: {}\n\
Your last action may be incomplete. The open profile is intact, and you can continue."
_PREVIOUS_CRASH = "The program crashed last time: {}\n\
Profiles are never modified, so none was damaged."


class CrashDialog(TextDialog):
    """Shows a crash report, where it was saved, and how many errors followed."""

    def __init__(self, report: CrashReport, parent: QWidget | None) -> None:
        super().__init__("Internal Error", "", report.text, parent)
        self._report, self._further_errors = report, 0
        self.label.setVisible(True)
        if report.path is not None:
            folder = QUrl.fromLocalFile(str(report.path.parent))
            self.add_button(
                "Show &Folder",
                "Open the folder that contains the reports",
                lambda: QDesktopServices.openUrl(folder),
            )
        self._update_label()

    def count_another(self) -> None:
        self._further_errors += 1
        self._update_label()

    def _update_label(self) -> None:
        report = self._report
        lines = [
            (_PREVIOUS_CRASH if report.is_previous_crash else _CURRENT_CRASH).format(report.summary)
        ]
        if report.path is not None:
            lines.append(f"This report is in {shorten_home(str(report.path))}")
        if self._further_errors:
            lines.append(f"Since then, {_times_text(self._further_errors)} more.")
        self.label.setText(visible_lines("\n".join(lines)))


def show_report(report: CrashReport, parent: QWidget) -> CrashDialog:
    """Open a dialog with the report, and return without waiting for it."""
    dialog = CrashDialog(report, parent)
    dialog.open()
    return dialog


def _times_text(count: int) -> str:
    """Return “once” or “3 times”."""
    return "once" if count == 1 else f"{format_count(count)} times"


_NOTICE_TOPIC = "crash"
# these, and these times powers of ten: painting could otherwise notify many times a second
_NOTIFIED_COUNTS = ("1", "2", "5")


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

    def notify_previous_crash(self, report: CrashReport | None, notices: Notices) -> None:
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
        elif str(report.count).rstrip("0") in _NOTIFIED_COUNTS:
            notices = next(iter(_active_window().findChildren(Notices)), None)
            if notices is not None:
                text = f"The same error occurred {_times_text(report.count)}: {report.summary}"
                details = self._details_button(report)
                notices.show_notice("error", text, details, topic=_NOTICE_TOPIC, lasting=True)

    def _details_button(self, report: CrashReport) -> tuple[str, Callable[[], None]]:
        return "Details", lambda: self._open(report)

    def _open(self, report: CrashReport) -> None:
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
