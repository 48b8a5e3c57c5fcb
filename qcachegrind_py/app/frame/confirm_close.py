"""Asks before a window closes over what it is busy with, and what would be lost.

What only reads, such as opening a profile, is just stopped.
"""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox, QWidget

from qcachegrind_py.session.jobs import JobRunner

_WRITE_JOB_TEXTS = {  # slots of jobs
    "save": "The profile is still being saved.",
    "report": "The report is still being written.",
}
_CONSEQUENCE = "Closing the window stops that: the file is left as it was before."


def confirm_stop(window: QWidget, title: str, text: str, consequence: str) -> bool:
    """Whether the user says that what the text tells of may be stopped."""
    box = QMessageBox(window)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(title)
    box.setText(text)
    box.setInformativeText(consequence)
    stop = box.addButton("&Stop and Close", QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.exec()
    is_stopped = box.clickedButton() is stop
    box.deleteLater()
    return is_stopped


def confirm_stop_writing(window: QWidget, jobs: JobRunner) -> bool:
    """Whether no file is being written any more, for which the user may be asked."""
    for slot, text in _WRITE_JOB_TEXTS.items():
        if jobs.is_running(slot):
            if not confirm_stop(window, "Saving", text, _CONSEQUENCE):
                return False
            jobs.cancel(slot)
    return True
