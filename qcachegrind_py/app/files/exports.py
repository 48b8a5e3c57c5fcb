"""The commands that export a report or stacks, with progress and notices of their end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from qcachegrind_py.app.files.save_command import path_beside
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.confirm_close import WriteJob
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.numbers import format_exact
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qcachegrind_py.analysis.queries import ProfileQueries
    from qcachegrind_py.present.context import Context
    from qcachegrind_py.profile.events import EventType
    from qcachegrind_py.profile.progress import Progress


_STEPS = 100
_PROGRESS_DELAY_MS = 500  # most files are written sooner


class FileExport:
    """Writes files in the background, one at a time; its action is disabled meanwhile."""

    def __init__(
        self,
        window: QMainWindow,
        session: Session,
        action: QAction,
        notices: NoticeStrip,
        write_job: WriteJob,
    ) -> None:
        self._window, self._session = window, session
        self._action, self._notices, self._write_job = action, notices, write_job
        self._action.setEnabled(False)
        session.opened.connect(self._update_action)

    def _start(self, text: str, on_saved: Callable[[Any], None], *work: Any) -> None:
        """Start a job of this work and its arguments; `on_saved` gets the result.

        `text` says what is being done.
        """
        from PySide6.QtWidgets import QProgressDialog

        self._notices.close_notice(self._write_job.slot)
        self._action.setEnabled(False)  # a second job would cancel this one
        job = self._session.jobs.start(self._write_job.slot, *work)
        progress = QProgressDialog(text, "Cancel", 0, _STEPS, self._window)
        progress.setMinimumDuration(_PROGRESS_DELAY_MS)
        progress.canceled.connect(job.cancel)
        job.progressed.connect(lambda fraction: progress.setValue(int(fraction * (_STEPS - 1))))
        job.finished.connect(on_saved)
        job.failed.connect(self._on_failed)
        job.ended.connect(progress.deleteLater)
        job.ended.connect(self._update_action)

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


REPORT_JOB = WriteJob("report", "The report is still being written.")
_WRITING = "Writing the report…"


class ReportExport(FileExport):
    """Writes reports in the background, one at a time."""

    def __init__(
        self, window: QMainWindow, session: Session, actions: Actions, notices: NoticeStrip
    ) -> None:
        super().__init__(window, session, actions["report"], notices, REPORT_JOB)
        actions.connect({"report": self.choose_file})

    def choose_file(self) -> None:
        """Ask for a path and write the report to it."""
        if self._session.queries is None:
            return
        from qcachegrind_py.views.widgets.saving import ask_save_path

        start = self._session.paths[0]
        suggested = path_beside(start, f"{start.name}.html")
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
            self._start(_WRITING, self._on_saved, save_html, path, window_page, *shown)
        else:
            options = PageOptions(context.event, context.scope, context.filter)
            work = save_html, path, profile_page, queries, files, options
            self._start(_WRITING, self._on_saved, *work)

    def _on_saved(self, path: Path) -> None:
        self._notify(f"Saved {path}.", path)


STACKS_JOB = WriteJob("stacks", "The stacks are still being written.")
_KINDS, _KIND_TITLES = ("JSON", "FOLDED"), ("Speedscope", "Folded stacks")
_RATIO = "{} is a ratio, which cannot be divided among stacks of calls. Choose another event."
_ESTIMATED = "Of that, {} is on paths that the profile does not prove, below “{}” or “{}”."
_PROVEN = "The profile proves all of their paths."
_LEFT_OUT = "Stacks that cost {} are left out, as other viewers cannot show negative costs."
_NEW_SIDE = "They are those of the new profile."


class SavedStacks(NamedTuple):
    """A file of stacks: the costs of the first event in it."""

    path: Path
    event: str
    total: int
    estimated: int  # of the total
    left_out: int
    is_new_side: bool  # whether they are of a comparison


class StackExport(FileExport):
    """Writes stacks in the background: of the shown events, parts and filter."""

    def __init__(
        self, window: QMainWindow, session: Session, actions: Actions, notices: NoticeStrip
    ) -> None:
        super().__init__(window, session, actions["stacks"], notices, STACKS_JOB)
        actions.connect({"stacks": self.choose_file})

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

        start = self._session.paths[0]
        suggested = path_beside(start, f"{start.name}.speedscope.json")
        chosen = ask_save_path(self._window, "Export Stacks", suggested, _KINDS, _KIND_TITLES)
        if chosen is not None:
            self.save(chosen[0])

    def save(self, path: Path) -> None:
        """Write the stacks: in speedscope's format of both events that are shown."""
        context, queries = self._session.navigation.context, self._session.queries
        if queries is not None:
            work = _save, path, queries, context
            self._start("Writing the stacks…", self._on_saved, *work)

    def _on_saved(self, saved: SavedStacks) -> None:
        self._notify(f"Saved {saved.path}. {description(saved)}")


def description(saved: SavedStacks) -> str:
    """Return sentences about what the stacks add up to and how much of it is estimated."""
    from qcachegrind_py.write.stacks import ESTIMATED, LEFT_OUT

    total, estimated, left_out = (
        format_exact(cost, saved.event) for cost in (saved.total, saved.estimated, saved.left_out)
    )
    sentences = [
        f"Its stacks cost {total}.",
        _ESTIMATED.format(estimated, ESTIMATED, LEFT_OUT) if saved.estimated else _PROVEN,
        _LEFT_OUT.format(left_out) if saved.left_out else "",
        _NEW_SIDE if saved.is_new_side else "",
    ]
    return " ".join(filter(None, sentences))


def _save(progress: Progress, path: Path, queries: ProfileQueries, context: Context) -> SavedStacks:
    """Find and write the stacks as a job."""
    from qcachegrind_py.write.stacks import save_stacks, stack_report

    reports = [
        stack_report(queries, event, context.scope, context.filter, progress)
        for event in _events(path, context)
    ]
    save_stacks(path, reports, progress)
    first = reports[0]
    costs = first.total, first.estimated, first.left_out
    return SavedStacks(path, first.event.name, *costs, context.base_parts is not None)


def _events(path: Path, context: Context) -> Sequence[EventType]:
    """Return the events that are shown; folded stacks have the first one only."""
    from qcachegrind_py.write.stacks import is_speedscope

    shown = [context.event, context.second_event if is_speedscope(str(path)) else None]
    return [event for event in shown if event is not None and not event.is_ratio]
