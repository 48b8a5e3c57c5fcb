"""Save a table as CSV or JSON in a job: 100,000 rows take a second.

The window stays usable meanwhile; a dialog shows the progress and cancels.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMessageBox, QProgressDialog, QWidget

from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.profile.errors import ProfileError, WithheldFile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.tools.annotation_inputs import problem_texts
from qcachegrind_py.views.common.file_saving import ask_save_path, remember_folder, suggested_path
from qcachegrind_py.views.common.plain_text import tip_text
from qcachegrind_py.views.common.table_actions import SAVE_SLOT

if TYPE_CHECKING:
    from qcachegrind_py.views.common.table_actions import TableExport

_TITLE = "Save Table"
_KINDS = ("CSV", "JSON")
_STEPS = 100
_PROGRESS_DELAY_MS = 500  # most tables are written sooner


def save_table(parent: QWidget, jobs: JobRunner, suggested: str, export: TableExport) -> None:
    """Ask for a file and write the table to it; show a warning if that fails.

    `export` runs in the job. One table is saved at a time, as a second job would cancel the first.
    """
    if jobs.is_running(SAVE_SLOT):
        QMessageBox.information(parent, _TITLE, "Another table is still being saved.")
        return
    chosen = ask_save_path(parent, _TITLE, suggested_path(parent, _TITLE, suggested), _KINDS)
    if chosen is None:
        return
    path, kind = chosen
    job = jobs.start(SAVE_SLOT, write_table, path, kind, export)
    dialog = QProgressDialog(tip_text(f"Saving {path.name}…"), "Cancel", 0, _STEPS, parent)
    dialog.setWindowTitle(_TITLE)
    dialog.setMinimumDuration(_PROGRESS_DELAY_MS)
    dialog.canceled.connect(job.cancel)
    job.progressed.connect(lambda fraction: dialog.setValue(int(fraction * (_STEPS - 1))))
    job.ended.connect(dialog.deleteLater)
    job.finished.connect(partial(_on_written, parent, path))
    job.failed.connect(partial(_show_failure, parent))


def write_table(
    progress: Progress, path: Path, kind: str, export: TableExport
) -> Sequence[WithheldFile]:
    """Create the table and write it as `kind`, as a job. Raises `UnwritableFile`.

    Return the source files whose text is left out.
    """
    table = export(PartialProgress(progress, 0.0, 0.5))
    chunks = table.json_chunks if kind == "JSON" else table.csv_chunks
    with atomic_write(path) as stream:
        for text in chunks(PartialProgress(progress, 0.5, 1.0)):
            stream.write(text.encode("utf-8", "replace"))
    return table.withheld


def _on_written(parent: QWidget, path: Path, withheld: Sequence[WithheldFile]) -> None:
    remember_folder(parent, path)
    if withheld:
        texts = problem_texts({file.path: file for file in withheld})
        QMessageBox.information(parent, _TITLE, tip_text(f"Saved {path}.", *texts))


def _show_failure(parent: QWidget, error: ProfileError) -> None:
    QMessageBox.warning(parent, _TITLE, tip_text(str(error)))
