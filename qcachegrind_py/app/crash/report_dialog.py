"""The crash dialog: a report, where it was saved, and how many errors followed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from qcachegrind_py.app.crash.report import CrashReport, shorten_home
from qcachegrind_py.app.style.text_dialog import TextDialog
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
            folder = report.path.parent
            button = self.add_button("Show &Folder", "Open the folder that contains the reports")
            button.clicked.connect(lambda: _show_folder(folder))
        self._update_label()

    def count_another(self) -> None:
        """Count an error that occurs while the dialog is open."""
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
            lines.append(f"Since then, {times_text(self._further_errors)} more.")
        self.label.setText(visible_lines("\n".join(lines)))


def show_report(report: CrashReport, parent: QWidget) -> CrashDialog:
    """Open a dialog with the report, and return without waiting for it."""
    dialog = CrashDialog(report, parent)
    dialog.open()
    return dialog


def _show_folder(folder: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def times_text(count: int) -> str:
    """Return “once” or “3 times”."""
    return "once" if count == 1 else f"{format_count(count)} times"
