"""What the commands of a window share: its parts, and the question before it stops writing a file.

Operations that only read, such as opening a profile, are stopped without a question.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.app.frame.notices import Notices
from qcachegrind_py.app.frame.status_bar import StatusBar
from qcachegrind_py.frozen import frozen
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.views.tables.table_actions import SAVE_SLOT

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMainWindow, QWidget

_CONSEQUENCE = "Closing the window stops it. The existing file stays unchanged."


@frozen
class Frame:
    """A window and its parts, for the commands that work on it."""

    window: QMainWindow
    settings: Settings
    session: Session
    actions: Actions
    notices: Notices
    status_bar: StatusBar
    filter_bar: FilterBar


class WriteJob(NamedTuple):
    """A job that writes a file, declared by the module that starts it."""

    slot: str  # slot of the job, and topic of the notices about it
    running_text: str  # a sentence about what is still being written


TABLE_JOB = WriteJob(SAVE_SLOT, "A table is still being saved.")  # started by any list


def confirm_stop(window: QWidget, title: str, text: str, consequence: str) -> bool:
    """Ask the user to confirm stopping the operation; return the answer."""
    from PySide6.QtWidgets import QMessageBox

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


def confirm_stop_writing(window: QWidget, jobs: JobRunner, write_jobs: Iterable[WriteJob]) -> bool:
    """Cancel the running ones of these jobs, each after asking; return False on a refusal."""
    for job in write_jobs:
        if jobs.is_running(job.slot):
            if not confirm_stop(window, "Saving", job.running_text, _CONSEQUENCE):
                return False
            jobs.cancel(job.slot)
    return True
