"""Tells the user of a mistake of the program's: one dialog at a time, and a count of the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from qcachegrind_py.app.crash.report import CrashReport, home_shortened
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.app.style.text_dialog import TextDialog
from qcachegrind_py.profile.number_format import grouped

_OF_NOW = "Something went wrong in the program: {}\n\
What you did last may not have been done. The open profile is still there, and you can go on."
_OF_BEFORE = "The last time, the program was ended by a crash: {}\n\
Profiles are never changed, so nothing in them is lost."
_TOLD_AT = (1, 2, 5)  # times, and these with zeros behind: not with every picture that is drawn


class CrashDialog(TextDialog):
    """The report of what happened, where it was saved, and how often something else has."""

    def __init__(self, report: CrashReport, parent: QWidget | None) -> None:
        super().__init__("Something Went Wrong", "", report.text, parent)
        self._report, self._more = report, 0
        self.label.setVisible(True)
        if report.path is not None:
            folder = report.path.parent
            button = self.add_button("Show &Folder", "Show the folder of the reports")
            button.clicked.connect(lambda: _show_folder(folder))
        self._say()

    def count_another(self) -> None:
        """Something else went wrong while this is shown."""
        self._more += 1
        self._say()

    def _say(self) -> None:
        report = self._report
        lines = [(_OF_BEFORE if report.is_of_before else _OF_NOW).format(report.summary)]
        if report.path is not None:
            lines.append(f"This report is in {home_shortened(str(report.path))}")
        if self._more:
            lines.append(f"Since then something went wrong {_times(self._more)} more.")
        self.label.setText("\n".join(lines))


class CrashTeller(QObject):
    """Shows reports in the window that is active; `tell` may be called from any thread."""

    _told = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.dialog: CrashDialog | None = None
        self._told.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def tell(self, report: CrashReport) -> None:
        """Show the report, or count it, once the work at hand is done."""
        self._told.emit(report)

    def tell_of_before(self, report: CrashReport | None, notices: NoticeStrip) -> None:
        """Say that the program was ended by a crash the last time, if it was."""
        if report is not None:
            text = "The last time, the program was ended by a crash."
            notices.show_notice("warning", text, self._details(report), about="crash", lasting=True)

    def _show(self, report: CrashReport) -> None:
        if self.dialog is not None:
            self.dialog.count_another()
        elif report.count == 1:
            self._open(report)
        elif _is_told(report.count):
            notices = next(iter(_window().findChildren(NoticeStrip)), None)
            if notices is not None:
                text = f"The same went wrong {_times(report.count)}: {report.summary}"
                details = self._details(report)
                notices.show_notice("error", text, details, about="crash", lasting=True)

    def _details(self, report: CrashReport) -> tuple[str, Callable[[], None]]:
        return "Details", lambda: self._open(report)

    def _open(self, report: CrashReport) -> None:
        if self.dialog is not None:
            self.dialog.destroyed.disconnect(self._forget)  # which is later than the next one
            self.dialog.close()
        self.dialog = show_report(report, QApplication.activeModalWidget() or _window())
        self.dialog.destroyed.connect(self._forget)

    def _forget(self) -> None:
        self.dialog = None


def show_report(report: CrashReport, parent: QWidget) -> CrashDialog:
    """Open a dialog with the report, which the user may leave open or close."""
    dialog = CrashDialog(report, parent)
    dialog.open()
    return dialog


def _window() -> QWidget:
    """The window that the user works in."""
    active = QApplication.activeWindow()
    windows = [active, *QApplication.topLevelWidgets()]
    return next((w for w in windows if isinstance(w, QMainWindow)), active or QWidget())


def _show_folder(folder: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def _is_told(count: int) -> bool:
    digits = str(count).rstrip("0")
    return digits.isdigit() and int(digits) in _TOLD_AT


def _times(count: int) -> str:
    return "once" if count == 1 else f"{grouped(count)} times"
