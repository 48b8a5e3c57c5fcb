"""Saving a profile, and exporting a report or stacks: dialogs, background jobs and notices."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from qcachegrind_py.app.frame.frame import Frame, WriteJob
from qcachegrind_py.app.style.resources import EXAMPLE_PROFILE, resource_path
from qcachegrind_py.formats.loading import is_temporary
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.numbers import format_exact
from qcachegrind_py.session.jobs import Job

if TYPE_CHECKING:
    from qcachegrind_py.analysis.queries import ProfileQueries
    from qcachegrind_py.app.files.save_dialog import SaveDialog, SaveScope
    from qcachegrind_py.formats.callgrind.writing.selection import Selection
    from qcachegrind_py.present.context import Context
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


def exported_path(profile: Path, ending: str) -> Path:
    """The path of what is exported: of the profile's name, without the ending of a packed one."""
    return path_beside(profile, re.sub(r"\.(gz|bz2|xz|zst)$", "", profile.name) + ending)


_STEPS = 100
_PROGRESS_DELAY_MS = 500  # most files are written sooner


class _FileWriter:
    """Writes files in the background, one at a time; its action is disabled meanwhile."""

    def __init__(self, frame: Frame, action: str, write_job: WriteJob) -> None:
        self._window, self._session, self._notices = frame.window, frame.session, frame.notices
        self._action, self._write_job = frame.actions[action], write_job
        self._action.setEnabled(False)
        self._session.opened.connect(self._update_action)

    def _start(self, on_saved: Callable[[Any], None], *work: Any) -> Job:
        """Start a job of this work and its arguments; `on_saved` gets the result."""
        self._notices.close_notice(self._write_job.slot)
        self._action.setEnabled(False)  # a second job would cancel this one
        job = self._session.jobs.start(self._write_job.slot, *work)
        job.finished.connect(on_saved)
        job.failed.connect(self._on_failed)
        job.ended.connect(self._update_action)
        return job

    def _show_progress(self, text: str, job: Job) -> None:
        """Show the progress of a long job in a dialog; the text says what is being done."""
        from PySide6.QtWidgets import QProgressDialog

        progress = QProgressDialog(text, "Cancel", 0, _STEPS, self._window)
        progress.setMinimumDuration(_PROGRESS_DELAY_MS)
        progress.canceled.connect(job.cancel)
        job.progressed.connect(lambda fraction: progress.setValue(int(fraction * (_STEPS - 1))))
        job.ended.connect(progress.deleteLater)

    def _update_action(self) -> None:
        self._action.setEnabled(not self._session.jobs.is_running(self._write_job.slot))

    def _notify(self, text: str, path: Path | None = None) -> None:
        """Say what was saved; a file with a path can be opened."""

        def open_file() -> None:
            from PySide6.QtCore import QUrl
            from PySide6.QtGui import QDesktopServices

            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

        buttons = [] if path is None else [("Open", open_file)]
        self._notices.show_notice(
            "information", cell_text(text), *buttons, topic=self._write_job.slot, passing=True
        )

    def _on_failed(self, error: ProfileError) -> None:
        self._notices.show_notice(
            "error", cell_text(str(error)), topic=self._write_job.slot, lasting=True
        )


SAVE_JOB = WriteJob("save", "The profile is still being saved.")
_FILTERS = "Callgrind profiles (*.callgrind callgrind.out* *.gz *.bz2 *.xz *.zst);;All files (*)"


class SaveCommand(_FileWriter):
    """Saves one profile at a time; progress is shown in the status bar."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame, "save", SAVE_JOB)
        self._cancel, self._status = frame.actions["cancel"], frame.status_bar
        self._path = Path()
        self.dialog: SaveDialog | None = None  # the open dialog, or the last one
        frame.actions.connect({"save": self.ask_scope})
        self._session.ended.connect(self._resume_progress)

    def ask_scope(self) -> None:
        """Ask what to save, if there is a choice, and then for the path."""
        from qcachegrind_py.analysis.queries import described_profile
        from qcachegrind_py.app.files.save_dialog import SaveDialog
        from qcachegrind_py.formats.callgrind.writing.selection import Selection

        scope = self._current_scope()
        if scope is None or self._session.loaded is None:
            return
        loaded = self._session.loaded  # another may be open once the user answers
        if not scope.needs_dialog:
            self._choose_file(loaded.prepared, Selection())
            return
        dialog = self.dialog = SaveDialog(self._window, scope)
        dialog.selection_made.connect(
            lambda selection, folded: self._choose_file(
                described_profile(loaded.queries) if folded else loaded.unfolded, selection
            )
        )
        dialog.open()

    def save(self, profile: Profile, path: Path, selection: Selection) -> None:
        """Write the selected content of the profile to a file in the background."""
        self._path = path
        job = self._start(self._on_saved, _save_job, profile, path, selection)
        if not self._session.is_opening:  # opening shows its own progress first
            self._begin_progress()
        job.progressed.connect(self._on_progress)
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
            has_stacks=query.profile.contexts is not None,
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
        self._cancel.setEnabled(True)

    def _on_progress(self, fraction: float) -> None:
        if not self._session.is_opening:
            self._status.set_progress(fraction)

    def _resume_progress(self) -> None:
        """Show the progress of saving again when opening has ended."""
        if self._session.jobs.is_running(SAVE_JOB.slot):
            self._begin_progress()

    def _on_saved(self, size: int) -> None:
        from PySide6.QtCore import QLocale

        self._notify(f"Saved {self._path}, {QLocale().formattedDataSize(size, 1)}.")

    def _on_ended(self) -> None:
        if not self._session.is_opening:
            self._status.end_progress()
            self._cancel.setEnabled(False)


def _save_job(progress: Progress, profile: Profile, path: Path, selection: Selection) -> int:
    from qcachegrind_py.formats.callgrind.writing.profile_writer import save  # 10 ms to import

    save(profile, path, selection, progress)
    return path.stat().st_size


REPORT_JOB = WriteJob("report", "The report is still being written.")


class ReportExport(_FileWriter):
    """Writes reports in the background, one at a time."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame, "report", REPORT_JOB)
        frame.actions.connect({"report": self.choose_file})

    def choose_file(self) -> None:
        """Ask for a path and write the report to it."""
        if self._session.queries is None:
            return
        from qcachegrind_py.views.widgets.saving import ask_save_path

        suggested = exported_path(self._session.paths[0], ".html")
        chosen = ask_save_path(self._window, "Export Report", suggested, ("HTML",))
        if chosen is not None:
            self.save(chosen[0])

    def save(self, path: Path) -> None:
        """Write a report with the current event, parts and filter, or one of what is compared."""
        context, queries = self._session.navigation.context, self._session.queries
        if queries is None:
            return
        # these take 15 ms to import
        from qcachegrind_py.present.comparison_page import window_page
        from qcachegrind_py.present.profile_page import PageOptions, profile_page
        from qcachegrind_py.write.html.page import save_html

        files = replace(context.files, is_for_writing=True)
        compared = self._session.comparison
        if compared is not None and context.event is not None:
            shown = compared, context.event, context.filter, files, context.base_search
            job = self._start(self._on_saved, save_html, path, window_page, *shown)
        else:
            options = PageOptions(context.event, context.scope, context.filter)
            work = save_html, path, profile_page, queries, files, options
            job = self._start(self._on_saved, *work)
        self._show_progress("Writing the report…", job)

    def _on_saved(self, path: Path) -> None:
        self._notify(f"Saved {path}.", path)


STACKS_JOB = WriteJob("stacks", "The stacks are still being written.")
_KINDS, _KIND_TITLES = ("JSON", "FOLDED"), ("Speedscope", "Folded stacks")
_RATIO = "{} is a ratio, which cannot be divided among stacks of calls. Choose another event."
_ESTIMATED = "Of that, {} is on estimated paths, below “{}” or “{}”."
_PROVEN = "All of their paths are exact."
_LEFT_OUT = "Stacks that cost {} are left out, as other viewers cannot show negative costs."
_TOO_DEEP = "Stacks that cost {} are too deep for this format: their functions are below “{}”."
_NEW_SIDE = "They are those of the new side."


class SavedStacks(NamedTuple):
    """A file of stacks: the costs of the first event in it."""

    path: Path
    event: str
    total: int
    estimated: int  # of the total
    left_out: int
    too_deep: int  # of the total
    is_new_side: bool  # whether they are of a comparison


class StackExport(_FileWriter):
    """Writes stacks in the background: of the shown events, parts and filter."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame, "stacks", STACKS_JOB)
        frame.actions.connect({"stacks": self.choose_file})

    def choose_file(self) -> None:
        """Ask for a path and a format, and write the stacks."""
        event = self._session.navigation.context.event
        if self._session.queries is None or event is None:
            return
        if event.is_ratio:
            text = _RATIO.format(event.name)
            self._notices.show_notice("warning", text, topic=STACKS_JOB.slot)
            return
        from qcachegrind_py.views.widgets.saving import ask_save_path

        suggested = exported_path(self._session.paths[0], ".speedscope.json")
        chosen = ask_save_path(self._window, "Export Stacks", suggested, _KINDS, _KIND_TITLES)
        if chosen is not None:
            self.save(chosen[0])

    def save(self, path: Path) -> None:
        """Write the stacks: in speedscope's format of both events that are shown."""
        context, queries = self._session.navigation.context, self._session.queries
        if queries is not None:
            job = self._start(self._on_saved, _save_stacks, path, queries, context)
            self._show_progress("Writing the stacks…", job)

    def _on_saved(self, saved: SavedStacks) -> None:
        self._notify(f"Saved {saved.path}. {description(saved)}")


def description(saved: SavedStacks) -> str:
    """Return sentences about what the stacks add up to and how much of it is estimated."""
    from qcachegrind_py.write.stacks import ESTIMATED, LEFT_OUT

    total, estimated, left_out, too_deep = (
        format_exact(cost, saved.event)
        for cost in (saved.total, saved.estimated, saved.left_out, saved.too_deep)
    )
    sentences = [
        f"Its stacks cost {total}.",
        _ESTIMATED.format(estimated, ESTIMATED, LEFT_OUT) if saved.estimated else _PROVEN,
        _LEFT_OUT.format(left_out) if saved.left_out else "",
        _TOO_DEEP.format(too_deep, LEFT_OUT) if saved.too_deep else "",
        _NEW_SIDE if saved.is_new_side else "",
    ]
    return " ".join(filter(None, sentences))


def _save_stacks(
    progress: Progress, path: Path, queries: ProfileQueries, context: Context
) -> SavedStacks:
    from qcachegrind_py.write.stacks import is_speedscope, save_stacks, stack_report

    has_both = is_speedscope(str(path))  # folded stacks are of one event
    events = context.event, context.second_event if has_both else None
    reports = [
        stack_report(queries, event, context.scope, context.filter, progress)
        for event in events
        if event is not None and not event.is_ratio
    ]
    save_stacks(path, reports, progress)
    first = reports[0]
    too_deep = 0 if has_both else first.too_deep
    costs = first.total, first.estimated, first.left_out, too_deep
    return SavedStacks(path, first.event.name, *costs, context.base_parts is not None)
