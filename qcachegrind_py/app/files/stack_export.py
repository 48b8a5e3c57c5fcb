"""The command “Export Stacks”: saves stacks of calls for other viewers of flame graphs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtWidgets import QMainWindow

from qcachegrind_py.app.files.save_command import path_beside
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.confirm_close import WriteJob
from qcachegrind_py.app.frame.file_export import FileExport
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.profile.numbers import format_exact
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qcachegrind_py.analysis.queries import ProfileQueries
    from qcachegrind_py.present.context import Context
    from qcachegrind_py.profile.events import EventType
    from qcachegrind_py.profile.progress import Progress

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
        from qcachegrind_py.views.widgets.file_saving import ask_save_path

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
    from qcachegrind_py.present.stacks import ESTIMATED, LEFT_OUT

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
    from qcachegrind_py.present.stacks import stack_report
    from qcachegrind_py.write.stacks import save_stacks

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
