"""The command “Save As”: asks what to save and where, and writes a profile in the background.

The format is written by `formats.callgrind.writing`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.confirm_close import WriteJob
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.app.frame.status_bar import StatusBar
from qcachegrind_py.app.style.resources import EXAMPLE_PROFILE, resource_path
from qcachegrind_py.formats.loading import is_temporary
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:
    from qcachegrind_py.app.files.save_dialog import SaveDialog, SaveScope
    from qcachegrind_py.formats.callgrind.writing.selection import Selection
    from qcachegrind_py.profile.profile import Profile
    from qcachegrind_py.profile.progress import Progress


def path_beside(profile: Path, name: str) -> Path:
    """The path of a file beside the profile, or in the home folder.

    The home folder is used if the profile's folder is not writable, and for standard input (a
    temporary file) and the example (a file of the installation).
    """
    folder = path_on_disk(profile).parent
    stays = not is_temporary(profile) and profile != resource_path(EXAMPLE_PROFILE)
    return (folder if stays and os.access(folder, os.W_OK) else Path.home()) / name


SAVE_JOB = WriteJob("save", "The profile is still being saved.")
_FILTERS = "Callgrind profiles (*.callgrind callgrind.out* *.gz *.bz2 *.xz *.zst);;All files (*)"


class SaveCommand:
    """Saves one profile at a time; progress is shown in the status bar."""

    def __init__(
        self,
        window: QMainWindow,
        session: Session,
        actions: Actions,
        status: StatusBar,
        notices: NoticeStrip,
    ) -> None:
        self._window, self._session = window, session
        self._actions, self._status, self._notices = actions, status, notices
        self._path = Path()
        self.dialog: SaveDialog | None = None  # the open dialog, or the last one
        actions["save"].setEnabled(False)
        actions.connect({"save": self.ask_scope})
        session.opened.connect(self._on_opened)
        session.ended.connect(self._resume_progress)

    def _on_opened(self) -> None:
        self._actions["save"].setEnabled(not self._session.jobs.is_running(SAVE_JOB.slot))

    def ask_scope(self) -> None:
        """Ask what to save, if there is a choice, and then for the path."""
        from qcachegrind_py.analysis.queries import described_profile
        from qcachegrind_py.app.files.save_dialog import SaveDialog
        from qcachegrind_py.formats.callgrind.writing.selection import Selection

        scope = self._current_scope()
        if scope is None or self._session.loaded is None:
            return
        loaded = self._session.loaded  # another may be open once the user answers
        if not scope.has_choice:
            self._choose_file(loaded.prepared, Selection())
            return
        dialog = self.dialog = SaveDialog(self._window, scope)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.selection_made.connect(
            lambda selection, folded: self._choose_file(
                described_profile(loaded.queries) if folded else loaded.unfolded, selection
            )
        )
        dialog.open()

    def save(self, profile: Profile, path: Path, selection: Selection) -> None:
        """Write the selected content of the profile to a file in the background."""
        self._path = path
        self._notices.close_notice(SAVE_JOB.slot)
        self._actions["save"].setEnabled(False)  # a second job would cancel this one
        job = self._session.jobs.start(SAVE_JOB.slot, _save_job, profile, path, selection)
        if not self._session.is_opening:  # opening shows its own progress first
            self._begin_progress()
        job.progressed.connect(self._on_progress)
        job.finished.connect(self._on_saved)
        job.failed.connect(self._on_failed)
        job.ended.connect(self._on_ended)

    def cancel(self) -> None:
        """Cancel writing; an existing file stays unchanged."""
        self._session.jobs.cancel(SAVE_JOB.slot)

    def _current_scope(self) -> SaveScope | None:
        from qcachegrind_py.app.files.save_dialog import SaveScope

        query = self._session.query
        if query is None:
            return None
        parts, count = query.context.scope.parts, query.own_part_count
        visible = query.own_visible_functions() if query.context.filter else None
        is_alone = query.own is query.profile
        folding = query.queries.folding if is_alone else None
        return SaveScope(
            count,
            None if parts is None or len(parts) == count else tuple(sorted(parts)),
            query.own_function_count,
            query.context.filter.text,
            visible,
            None if folding is None else folding.is_folded,
        )

    def _choose_file(self, profile: Profile, selection: Selection) -> None:
        from PySide6.QtWidgets import QFileDialog

        name, _ = QFileDialog.getSaveFileName(
            self._window, "Save Profile As", str(self._suggested_path()), _FILTERS
        )
        if name:
            self.save(profile, Path(name), selection)

    def _suggested_path(self) -> Path:
        """The program's name beside the profile; `callgrind.out…` would make it a sibling part."""
        program = re.sub(r"[^\w.+-]", "_", Path(self._session.program).name) or "profile"
        return path_beside(self._session.paths[0], f"{program}.callgrind")

    # ---------------------------------------------------------------- progress

    def _begin_progress(self) -> None:
        self._status.begin_progress(self._path.name, "Saving")
        self._actions["cancel"].setEnabled(True)

    def _on_progress(self, fraction: float) -> None:
        if not self._session.is_opening:
            self._status.set_progress(fraction)

    def _resume_progress(self) -> None:
        """Show the progress of saving again when opening has ended."""
        if self._session.jobs.is_running(SAVE_JOB.slot):
            self._begin_progress()

    def _on_saved(self, size: int) -> None:
        from PySide6.QtCore import QLocale

        text = cell_text(f"Saved {self._path}, {QLocale().formattedDataSize(size, 1)}.")
        self._notices.show_notice("information", text, topic=SAVE_JOB.slot, passing=True)

    def _on_failed(self, error: ProfileError) -> None:
        self._notices.show_notice("error", cell_text(str(error)), topic=SAVE_JOB.slot, lasting=True)

    def _on_ended(self) -> None:
        self._actions["save"].setEnabled(True)
        if not self._session.is_opening:
            self._status.end_progress()
            self._actions["cancel"].setEnabled(False)
            self._status.show_profile(self._session.query)


def _save_job(progress: Progress, profile: Profile, path: Path, selection: Selection) -> int:
    """Save as a job; return the size of the file in bytes."""
    from qcachegrind_py.formats.callgrind.writing.profile_writer import save  # 10 ms to import

    save(profile, path, selection, progress)
    return path.stat().st_size
