"""What the window says about the open profile: title, progress, and notices about its files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from qcachegrind_py.app.frame.frame import Frame
from qcachegrind_py.app.frame.notices import Notices
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.numbers import NumberStyle, format_brief, format_count, plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.jobs import JobFailed
from qcachegrind_py.session.loading import LoadedProfile

if TYPE_CHECKING:
    from qcachegrind_py.analysis.costs.scope import Scope
    from qcachegrind_py.analysis.costs.totals import ReloadSummary
    from qcachegrind_py.analysis.queries import ProfileQueries
    from qcachegrind_py.app.comparison.bar import ComparisonBar
    from qcachegrind_py.profile.profile import Profile
    from qcachegrind_py.session.file_watcher import FileChanges


_FILE_CHANGES_TOPIC = "news"
RUN_TOPICS = "run", "run of the base"
EVENT_TOPIC = "event"
BASES_TOPIC = "bases"
_MAX_BASES = 3  # buttons
_DOUBTFUL_TOPIC = "doubtful"
_RELOAD_TOPIC = "reloaded"
_BRIEF = Unit(style=NumberStyle(decimals=1))
# kinds of diagnostics
_ENDS_EARLY = frozenset(("no-line-end", "cut", "no-totals", "broken-packing"))


def file_list_text(paths: Sequence[Path]) -> str:
    """The name of the first file, and the number of the others."""
    more = len(paths) - 1
    return short_text(paths[0].name) + (f" and {format_count(more)} more" if more else "")


def notify_sibling_parts(
    notices: Notices, profile: Profile, chosen: Sequence[Path], open_alone: Callable[[], None]
) -> None:
    """Report that other parts of the run were read too; offer to open the chosen files alone.

    There is no offer if none of the chosen files is part of the profile, as it is empty.
    """
    paths = {str(path) for path in chosen}
    if not set(profile.paths) - paths:
        return
    count = len(profile.parts)
    text = f"Opened {format_count(count)} {plural(count, 'part')} of one run."
    choices = [("Only This File", open_alone)] if paths & set(profile.paths) else []
    notices.show_notice("information", text, *choices, passing=True)


def notify_run_files(
    notices: Notices, count: int, open_all: Callable[[], None], *, is_base: bool = False
) -> None:
    """Report that other files of the run are beside those that were opened; offer to open all."""
    run, topic = ("the base’s run" if is_base else "this run"), RUN_TOPICS[is_base]
    are = "is" if count == 1 else "are"
    text = f"{format_count(count)} other {plural(count, 'file')} of {run} {are} not open."
    notices.show_notice("information", text, ("Open All", open_all), topic=topic)


def notify_event(notices: Notices, passed_over: str) -> None:
    """Report which event is shown, as those before it counted nothing; an empty text: nothing."""
    if passed_over:
        notices.show_notice("information", cell_text(passed_over), topic=EVENT_TOPIC, passing=True)


def notify_diagnostics(notices: Notices, profile: Profile, show: Callable[[], None]) -> None:
    """Say that a file ends early, or the first diagnostic otherwise, and offer to show all."""
    if not profile.diagnostic_count:
        return
    cut = next((each for each in profile.diagnostics if each.kind in _ENDS_EARLY), None)
    if cut is not None:
        place = f" (line {format_count(cut.line)})" if cut.line else ""
        text = f"{_which_file(profile, cut.path)} ends early{place}; the costs are incomplete."
    else:
        first, more = profile.diagnostics[0], profile.diagnostic_count - 1
        location = f"Line {format_count(first.line)}: " if first.line else ""
        text = location + first.message + (f" And {format_count(more)} more." if more else "")
    notices.show_notice("warning", text, ("Show All", show))


def _which_file(profile: Profile, path: str) -> str:
    return "The file" if len(profile.paths) == 1 else short_text(Path(path).name)


def notify_doubtful_costs(notices: Notices, queries: ProfileQueries, scope: Scope) -> None:
    """Say how many functions have less inclusive than self cost, if any has."""
    if queries.costs(scope).less_than_self.any():
        from qcachegrind_py.present.facts import less_than_self_text

        text = less_than_self_text(queries, scope)
        notices.show_notice("warning", f"{text}.", topic=_DOUBTFUL_TOPIC)


def notify_file_changes(
    notices: Notices,
    changes: FileChanges,
    reload: Callable[[], None],
    reload_always: Callable[[], None],
) -> None:
    """Report files that have changed since they were read, or are new, and offer to reload."""
    sentences = []
    if changes.changed:
        verb = "has" if len(changes.changed) == 1 else "have"
        sentences.append(f"{file_list_text(changes.changed)} changed on disk.")
    if changes.new:
        verb = "is a new part" if len(changes.new) == 1 else "are new parts"
        sentences.append(f"{file_list_text(changes.new)} {verb} of the same run.")
    choices = ("Reload", reload), ("Always Reload", reload_always)
    notices.show_notice("information", " ".join(sentences), *choices, topic=_FILE_CHANGES_TOPIC)


def notify_reload_summary(
    notices: Notices,
    summary: ReloadSummary,
    show_message: Callable[[str], None],
    show_details: Callable[[str], None],
    compare: Callable[[], None] | None = None,
) -> None:
    """Say how the total has changed after a reload; if nothing has, use `show_message` instead.

    `show_details` shows all that has changed, if that is more. `compare` compares the profile with
    what it was.
    """
    if summary.is_empty:
        show_message("Reloaded: nothing has changed.")
        return
    lines = [*_total_changes(summary), *_count_changes(summary)] or [
        "costs have changed, totals have not"
    ]
    choices = [("Compare with Before", compare)] if compare is not None else []
    if len(lines) > 1:
        choices.append(("Details", partial(show_details, "\n".join(lines))))
    text = f"Reloaded: {lines[0]}."
    notices.show_notice("information", text, *choices, topic=_RELOAD_TOPIC, passing=True)


def notify_bases(
    notices: Notices, bases: Sequence[Path], compare_with: Callable[[Path], None]
) -> None:
    """Offer to compare the profile with earlier ones beside it."""
    first = bases[:_MAX_BASES]
    choices = [
        (f"Compare with {cell_text(path.name)}", partial(compare_with, path)) for path in first
    ]
    noun = "An earlier profile is" if len(bases) == 1 else "Earlier profiles are"
    text = f"{noun} available for comparison."
    notices.show_notice("information", text, *choices, topic=BASES_TOPIC, passing=True)


def _total_changes(summary: ReloadSummary) -> list[str]:
    return [
        f"{short_text(name)} {format_brief(before)} → {format_brief(after)}"
        f" ({_BRIEF.growth(before, after)})"
        for name, before, after in summary.totals
        if before != after
    ]


def _count_changes(summary: ReloadSummary) -> list[str]:
    counts = {
        "function": (summary.new_functions, summary.removed_functions),
        "part": (summary.new_parts, summary.removed_parts),
    }
    return [
        f"{format_count(count)} {plural(count, what)} {word}"
        for what, both in counts.items()
        for count, word in zip(both, ("new", "gone"), strict=True)
        if count
    ]


_PROGRAM_TITLE = "QCachegrind.py"


class ProfileStatus(QObject):
    """Updates title and status bar; enables the action “Stop” while a profile is opened."""

    comparison_followed = Signal(object)  # a Remark of the comparison that was clicked

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame.window)
        window, session, status_bar = frame.window, frame.session, frame.status_bar
        self._window, self._session, self._status_bar = window, session, status_bar
        self._cancel_action = frame.actions["cancel"]
        self._cancel_action.setEnabled(False)
        self._comparison_bar: ComparisonBar | None = None
        window.setWindowTitle(_PROGRAM_TITLE)
        if not COMPILED:
            from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text

            status_bar.show_slow_scanner(slow_scanner_text())
        session.opening.connect(self._on_opening)
        session.progressed.connect(status_bar.set_progress)
        session.ended.connect(self._on_ended)
        session.navigation.changed.connect(self._on_changed)

    def show_profile(self) -> None:
        """Show in title and status bar which profile is open, if any, or what is compared."""
        query, loaded = self._session.query, self._session.loaded
        compared = self._session.comparison
        if query is None or loaded is None or compared is None:
            name = "" if loaded is None else _file_names(loaded)
            self._status_bar.show_profile(query, name)
            if loaded is not None:
                self._show_title(name, loaded)
            return
        from qcachegrind_py.app.comparison.summary import status_words

        words = status_words(loaded, compared, query.context)
        self._show_title(words.title, loaded)
        self._status_bar.show_words(
            words.title, words.tip, words.parts, words.total, words.total_tip
        )
        self._status_bar.show_filter(query.context)

    def _on_opening(self, paths: Sequence[Path]) -> None:
        self._status_bar.begin_progress(file_list_text(paths))
        self._cancel_action.setEnabled(True)

    def _show_title(self, name: str, loaded: LoadedProfile) -> None:
        command = loaded.profile.command
        program = f" [{cell_text(command)}]" if command else ""
        self._window.setWindowTitle(f"{name}{program} – {_PROGRAM_TITLE}")

    def _on_ended(self) -> None:
        self._status_bar.end_progress()
        self._cancel_action.setEnabled(False)
        self.show_profile()

    def _on_changed(self, context: Context, _change: Change) -> None:
        if not self._session.is_opening:
            self.show_profile()
        if context.base is not None and self._comparison_bar is None:
            self._create_comparison_bar()

    def _create_comparison_bar(self) -> None:
        """Create the bar between toolbar and notices, when the first comparison begins."""
        from qcachegrind_py.app.comparison.bar import ComparisonBar

        self._comparison_bar = ComparisonBar(self._window, self._session)
        self._comparison_bar.strip.followed.connect(self.comparison_followed)
        self._comparison_bar.cycles_found.connect(self._status_bar.show_split_cycles)
        self._comparison_bar.add_below_toolbar(self._window)


def _file_names(loaded: LoadedProfile) -> str:
    paths = loaded.read.chosen.paths
    more = f" +{len(paths) - 1}" if len(paths) > 1 else ""
    return f"{cell_text(paths[0].name)}{more}"


_WRITE_DELAY_MS = 1000  # after a change; by then, writing the settings has succeeded or failed
_PENDING_TEXT = "Checking the system…"


class ProblemReporter:
    """Shows problems in the notices and dialogs of one window."""

    def __init__(self, frame: Frame) -> None:
        self._window, self._session, self._notices = frame.window, frame.session, frame.notices
        self._settings, self._reported = frame.settings, ""
        self._check_timer = QTimer(frame.window, singleShot=True, interval=_WRITE_DELAY_MS)
        self._check_timer.timeout.connect(self._check_settings)
        frame.settings.changed.connect(self._check_timer.start)
        frame.actions.connect({"system_report": self.show_system_report})
        frame.session.failed.connect(self._on_failed)

    def report_settings_file(self) -> None:
        """Show a notice about problems found when the settings file was read."""
        if self._settings.problems:
            self._report_settings(" ".join(self._settings.problems))

    def _check_settings(self) -> None:
        """Show a notice if settings cannot be written, once for each reason."""
        reason = self._settings.write_problem()
        if reason and reason not in self._reported:
            self._report_settings(reason)

    def _report_settings(self, text: str) -> None:
        self._reported = text
        self._notices.show_notice("warning", cell_text(text), topic="settings", lasting=True)

    def _on_failed(self, error: ProfileError) -> None:
        """Report a bug with its details; problems of files are shown by `FileCommands`."""
        if isinstance(error, JobFailed):
            from qcachegrind_py.app.crash.monitor import record_caught
            from qcachegrind_py.app.crash.notifier import show_report

            report = record_caught(error.cause, "a job")
            details = ("Details", lambda: show_report(report, self._window))
            self._notices.show_notice("error", cell_text(str(error)), details)

    def show_system_report(self) -> None:
        """Show the report of `doctor`, which takes about a second to compute."""
        from qcachegrind_py.app.style.text_widgets import TextDialog

        dialog = TextDialog("System Report", "", _PENDING_TEXT, self._window)
        job = self._session.jobs.start("system report", _system_report_job)
        job.finished.connect(dialog.text.setPlainText)
        dialog.open()


def _system_report_job(_progress: Progress) -> str:
    from qcachegrind_py.app.doctor.checks import system_report  # not needed to start

    return system_report()
