"""The commands of the File menu that open, add, remove and reload files, and their notices.

The session reads the files; `app.windows` chooses the window for files opened from the desktop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtWidgets import QMenu

from qcachegrind_py.app.files.comparing import CompareCommands, HistoryCommands
from qcachegrind_py.app.files.profile_status import (
    EVENT_TOPIC,
    RUN_TOPICS,
    notify_diagnostics,
    notify_doubtful_costs,
    notify_event,
    notify_file_changes,
    notify_reload_summary,
    notify_run_files,
    notify_sibling_parts,
)
from qcachegrind_py.app.frame.frame import Frame
from qcachegrind_py.app.style.resources import EXAMPLE_PROFILE, resource_path
from qcachegrind_py.formats.loading import is_temporary
from qcachegrind_py.formats.run_files import run_leaders
from qcachegrind_py.formats.saved_views import is_view_file
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import (
    IsADirectory,
    IsAnArchive,
    ProfileError,
    TooLargeForMemory,
    UnreadableFile,
)
from qcachegrind_py.profile.events import zeros_passed_over
from qcachegrind_py.profile.files import Fingerprints, path_on_disk
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.session.file_watcher import FileChanges, FileWatcher
from qcachegrind_py.session.loading import ProfileFiles, ReadFiles
from qcachegrind_py.session.settings.recent import Recent
from qcachegrind_py.session.settings.store import ChangedFiles, OpensIn
from qcachegrind_py.views.widgets.controls import tip_text

if TYPE_CHECKING:
    from qcachegrind_py.analysis.queries import ProfileQueries
    from qcachegrind_py.app.recording.running_dialog import RunningDialog
    from qcachegrind_py.formats.run_files import FoundProfile
    from qcachegrind_py.profile.profile import Profile
    from qcachegrind_py.tools.valgrind.running_programs import RunningProgram


FILE_PATTERNS = (
    "callgrind.* cachegrind.* xtmemory.kcg* xtleak.kcg* *.callgrind *.cgrind *.out *.out.old "
    "*.out.base@* *.prof *.pstats *.profile *.folded *.collapsed *.austin *.perf *.pprof *.pb "
    "*.cpuprofile *.json dhat.out.* *.gz *.bz2 *.xz *.zst *.zip *.tar *.tgz"
)
_REMEMBER_DELAY_MS = 100  # writing the settings waits until the new profile is painted
_MAX_MENU_FILES = 50  # more would make the menu slow to open
_MESSAGE_MS = 8000  # duration of a message in the status bar


class FileCommands(QObject):
    """Opens chosen, dropped and recent files and the example in its window."""

    window_requested = Signal(object)  # paths to open in another window
    views_given = Signal(object)  # the path of a file of saved views that was to be opened
    recent_changed = Signal()  # the list of recent files has changed

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame.window)
        self._window, self._settings = frame.window, frame.settings
        self._notices, self._actions, self._menus = (
            frame.notices, frame.actions, frame.actions.menus
        )  # fmt: skip
        session, actions = frame.session, frame.actions
        self._session = session
        actions.connect(
            {
                "open": self.choose_files,
                "add": self.choose_files_to_add,
                "reload": self.reload,
                "example": lambda: self.open([resource_path(EXAMPLE_PROFILE)]),
            }
        )
        self.comparing = CompareCommands(
            frame, self._ask_for_files, lambda new, base: self.open_here(new, base=base)
        )
        self._remember_timer = QTimer(self, singleShot=True, interval=_REMEMBER_DELAY_MS)
        self._remember_timer.timeout.connect(self.remember_opened)
        self._to_remember: list[Recent] = []  # what was opened and is not in the settings yet
        self._read: list[Fingerprints] = []  # of the open profile and its base
        self._offers_run: list[bool] = []  # whether the other files of these are to be offered
        session.opening.connect(self._on_opening)
        session.opened.connect(self._on_opened)
        session.run_files_found.connect(self._offer_run_files)
        session.replaced.connect(self._on_replaced)
        session.failed.connect(self._on_failed)
        self.history = HistoryCommands(frame, self._ask_for_files)
        session.history.opened.connect(self._remember_history)
        session.suite.opened.connect(self._remember_suites)
        session.ended.connect(lambda: self._update_actions(is_idle=True))
        self.file_watcher = FileWatcher(session, session.jobs)
        self.file_watcher.files_changed.connect(self._on_files_changed)
        self._update_menus()
        self._update_actions(is_idle=True)

    # ---------------------------------------------------------------- opening

    def open(self, paths: Sequence[Path], *, with_siblings: bool = True) -> None:
        """Open files as one profile, in this window or in another, as the settings say.

        Among them may be a file of saved views, which are shown in it.
        """
        views = [path for path in paths if is_view_file(path)]
        if views:
            self._open_with_views([path for path in paths if path not in views], views[0])
            return
        if not paths:
            return
        if len(paths) == 2 and all(path.is_dir() for path in paths):  # dropped together
            older, newer = sorted(paths, key=lambda path: path.stat().st_mtime)
            self.open_here([newer], base=[older])
            return
        is_taken = self._session.queries is not None or self._session.is_opening
        if is_taken and self._settings.opens_in is OpensIn.NEW:
            self.window_requested.emit(paths)
        else:
            self.open_here(paths, with_siblings=with_siblings)

    def _open_with_views(self, paths: Sequence[Path], views: Path) -> None:
        if paths:
            self.open_here(paths)
        self.views_given.emit(views)

    def open_here(
        self, paths: Sequence[Path], *, with_siblings: bool = True, base: Sequence[Path] = ()
    ) -> None:
        """Open files as one profile in this window, and compare it with `base`, if any.

        Two folders are suites of benchmarks.
        """
        if len(paths) == len(base) == 1 and paths[0].is_dir() and base[0].is_dir():
            self._session.open_suites(base[0].absolute(), paths[0].absolute())
            return
        source = ProfileFiles(tuple(path.absolute() for path in base)) if base else None
        files = [path.absolute() for path in paths]
        self._session.open(files, with_siblings=with_siblings, base=source)

    def choose_files(self) -> None:
        self.open(self._ask_for_files("Open Profiles"))

    def reload(self) -> None:
        self._session.reload()

    def compare_dropped(self, paths: Sequence[Path]) -> None:
        """Compare the open profile with dropped files; without one, open them."""
        if self._session.loaded is None:
            self.open(paths)
        else:
            self.comparing.compare_with(paths)

    # ---------------------------------------------------------------- adding and removing files

    def choose_files_to_add(self) -> None:
        self.add(self._ask_for_files("Add Profiles"))

    def add(self, paths: Sequence[Path]) -> None:
        """Add files to the open profile as further parts; without one, open them."""
        files = self.open_files
        all_files = list(dict.fromkeys([*files, *(path.absolute() for path in paths)]))
        if len(all_files) > len(files):
            self.open_here(all_files, with_siblings=not files)
        elif paths:
            subject = "This file is" if len(paths) == 1 else "These files are"
            self._window.statusBar().showMessage(f"{subject} already open.", _MESSAGE_MS)

    def remove_file(self, path: Path) -> None:
        self.open_here([file for file in self.open_files if file != path], with_siblings=False)

    @property
    def open_files(self) -> list[Path]:
        """The files of the open profile, including sibling parts found automatically."""
        loaded = self._session.loaded
        return [Path(path) for path in loaded.profile.paths] if loaded else []

    def _ask_for_files(self, title: str, folder: Path | None = None) -> list[Path]:
        """Ask for files, by default in the folder of the one opened last."""
        from PySide6.QtWidgets import QFileDialog

        from qcachegrind_py.views.widgets.saving import show_whole_details

        recent = self._settings.recent_files
        if folder is None and recent:
            folder = path_on_disk(recent[0]).parent
        filters = f"Profiles ({FILE_PATTERNS});;All files (*)"
        show_whole_details()
        names, _ = QFileDialog.getOpenFileNames(
            self._window,
            title,
            "" if folder is None else str(folder),
            filters,
            "",
            QFileDialog.Option.HideNameFilterDetails,  # a dozen patterns
        )
        return [Path(name) for name in names]

    # ---------------------------------------------------------------- folders and archives

    def _list_profiles(
        self, error: IsADirectory | IsAnArchive, use: Callable[[Sequence[Path]], None]
    ) -> None:
        """Offer the profiles in the folder or the archive that was to be opened."""
        from qcachegrind_py.formats.run_files import find_archived_profiles, find_profiles

        place, start = Path(error.path), partial(self._session.jobs.start, "folder")
        if isinstance(error, IsAnArchive):
            job = start(find_archived_profiles, place)
            job.finished.connect(lambda found: self._offer_profiles(place, use, *found))
        else:
            job = start(find_profiles, place)
            job.finished.connect(lambda profiles: self._offer_profiles(place, use, profiles))
        job.failed.connect(self._on_failed)

    def _offer_profiles(
        self,
        place: Path,
        use: Callable[[Sequence[Path]], None],
        profiles: list[FoundProfile],
        problem: UnreadableFile | None = None,
    ) -> None:
        if problem is not None:
            self._notices.show_notice("error", cell_text(str(problem)))
        if not profiles and problem is None:
            text = f"{cell_text(str(place))} contains no profiles."
            self._notices.show_notice("error", text)
        if not profiles:
            return
        from qcachegrind_py.app.files.dialogs import FolderDialog

        dialog = FolderDialog(place, profiles, self._window)
        dialog.chosen.connect(use)
        dialog.open()

    # ---------------------------------------------------------------- results and notices

    def _on_opening(self) -> None:
        self._notices.close_notice("error")
        self._update_actions(is_idle=False)

    def _on_failed(self, error: ProfileError) -> None:
        """Show the error, and offer what can be opened: a folder's profiles or the other files."""
        failed, pending = getattr(error, "path", None), self._session.pending_paths
        others = [path for path in pending if str(path) != failed] if failed else []
        if isinstance(error, IsADirectory | IsAnArchive):
            open_with_others = partial(self._open_together, others)
            self._list_profiles(error, open_with_others if others else self.open)
            return
        if isinstance(error, TooLargeForMemory):
            anyway = ("Open Anyway", self._session.open_of_any_size)
            self._notices.show_notice("warning", cell_text(str(error)), anyway, topic="error")
            return
        has_more = bool(set(others) - set(self.open_files))
        choices = (
            [("Open Other Files", partial(self._open_together, others, ()))] if has_more else []
        )
        self._notices.show_notice("error", cell_text(str(error)), *choices)

    def _open_together(self, some: Sequence[Path], others: Sequence[Path]) -> None:
        self.open_here(list(dict.fromkeys([*some, *others])), with_siblings=False)

    def _on_files_changed(self, changes: FileChanges) -> None:
        match self._settings.changed_files:
            case ChangedFiles.RELOAD:
                self.reload()
            case ChangedFiles.ASK:
                notify_file_changes(self._notices, changes, self.reload, self._reload_always)

    def _reload_always(self) -> None:
        self._settings.changed_files = ChangedFiles.RELOAD
        self.reload()

    def _on_opened(self, queries: ProfileQueries) -> None:
        session = self._session
        assert session.loaded is not None
        self._update_menus()
        self.remember_opened()
        base = session.comparing.base
        if base is None:
            self._remember_later(*(Recent((path,)) for path in session.paths))
        elif not session.history.is_open and session.suite.open_place is None:  # or a pair of it
            self._remember_later(Recent(tuple(session.paths), tuple(base.chosen.paths)))
        before, self._read = self._read, [side.fingerprints for side in session.loaded.sides]
        said = self._notices.notice_texts()
        unanswered = [
            side for side, topic in zip(before, RUN_TOPICS, strict=False) if topic in said
        ]
        self._offers_run = [side not in before or side in unanswered for side in self._read]
        for topic in (EVENT_TOPIC, *RUN_TOPICS):
            self._notices.close_notice(topic)
        if self._read[0] not in before:  # or all has been said
            self._notify_opened(queries, session.loaded.profile)
        if self._read != before[::-1]:  # as after a swap
            self.comparing.warn_of_parts()

    def _notify_opened(self, queries: ProfileQueries, profile: Profile) -> None:
        session, notices = self._session, self._notices
        notices.close_all()
        self.comparing.look_for_bases()
        notify_sibling_parts(notices, profile, session.paths, self._open_alone)
        self._notify_event()
        notify_diagnostics(notices, profile, partial(self.show_diagnostics, profile))
        notify_doubtful_costs(notices, queries, session.navigation.context.scope)

    def _notify_event(self) -> None:
        """Say why another event than the first is shown, if nothing was counted in that."""
        loaded, event = self._session.loaded, self._session.navigation.context.event
        if loaded is None or event is None:
            return
        events = loaded.usable_events
        if event == loaded.queries.default_event(events):
            notify_event(self._notices, zeros_passed_over(events, event))

    def _offer_run_files(self) -> None:
        """Offer the other files of a run, unless the user has put the open ones together."""
        session, base = self._session, self._session.comparing.base
        sides = [session.chosen, *([base.chosen] if base is not None else [])]
        found = zip((False, True), session.run_files, sides, self._offers_run, strict=False)
        for is_base, run, chosen, is_offered in found:
            if run.others and chosen.with_siblings and is_offered:
                open_run = partial(session.open_run, is_base=is_base)
                notify_run_files(self._notices, run.others, open_run, is_base=is_base)

    def _on_replaced(self, before: ReadFiles) -> None:
        """Say how files read again differ from before, and offer to compare them with that.

        Only the notice keeps what was before.
        """
        loaded, comparing = self._session.loaded, self._session.comparing
        if loaded is None or loaded.reload_summary is None:
            return
        show_message = partial(self._window.statusBar().showMessage, timeout=_MESSAGE_MS)
        compare = partial(comparing.compare_with, before) if comparing.base is None else None
        summary = loaded.reload_summary
        notify_reload_summary(self._notices, summary, show_message, self._show_changes, compare)

    def _show_changes(self, text: str) -> None:
        from qcachegrind_py.app.style.text_widgets import TextDialog

        TextDialog("Changes of the Files", "", text, self._window).open()

    def _remember_later(self, *opened: Recent) -> None:
        def is_lasting(recent: Recent) -> bool:
            return not any(map(is_temporary, (*recent.files, *recent.base)))

        self._to_remember = [recent for recent in opened if is_lasting(recent)]
        self._remember_timer.start()

    def _remember_history(self) -> None:
        """Remember a history in place of its newest revision, which was opened with it."""
        if (history := self._session.history.state.history) is not None:
            files = tuple(map(Path, history.files))
            self._remember_later(Recent(files, labels=history.labels))

    def _remember_suites(self) -> None:
        base, new = self._session.suite.state.folders
        self._settings.add_recent(Recent((new,), (base,)))
        self._update_menus()

    def remember_opened(self) -> None:
        """Put what was opened last into the list of recent files, if that is still to be done."""
        self._remember_timer.stop()
        opened, self._to_remember = self._to_remember, []
        if opened:
            self._settings.add_recent(*opened)
            self._update_menus()

    def open_recent(self, recent: Recent) -> None:
        """Open a file again, compare two profiles again, or open a history again."""
        if recent.labels:
            from qcachegrind_py.analysis.history import Revision

            files = map(str, recent.files)
            self.history.open(list(map(Revision, recent.labels, files)))
        elif recent.base:
            self.open_here(recent.files, base=recent.base)
        else:
            self.open(recent.files)

    def _open_alone(self) -> None:
        self.open_here(self._session.paths, with_siblings=False)

    def show_diagnostics(self, profile: Profile) -> None:
        from qcachegrind_py.app.files.dialogs import show_diagnostics

        show_diagnostics(profile, self._window)

    def _update_menus(self) -> None:
        recent, files = self._settings.recent, self.open_files
        _fill_recent(self._menus["recent"], recent, self.open_recent, self._clear_recent)
        _fill_open_files(self._menus["open_files"], files, self.remove_file)
        self.recent_changed.emit()

    def _update_actions(self, *, is_idle: bool) -> None:
        """Enable the actions on open files, except while files are read: they would cancel that."""
        files = self.open_files
        for name in ("add", "reload"):
            self._actions[name].setEnabled(is_idle and bool(files))
        self._menus["open_files"].setEnabled(is_idle and len(files) > 1)

    def forget_recent(self, recent: Recent) -> None:
        self._settings.forget_recent(recent)
        self._update_menus()

    def _clear_recent(self) -> None:
        self._settings.forget_recent_files()
        self._update_menus()


def _fill_recent(
    menu: QMenu,
    opened: list[Recent],
    open_: Callable[[Recent], None],
    clear_recent: Callable[[], None],
) -> None:
    """Fill the menu of recent files, latest first, with digits as keys and an item to clear it."""
    menu.clear()
    menu.setEnabled(bool(opened))
    for number, recent in enumerate(opened, start=1):
        name = cell_text(str(recent.newest) if recent.is_file else recent.title)
        action = menu.addAction(f"&{number % 10}  {name.replace('&', '&&')}")
        action.setStatusTip(f"Open {name}")
        action.setToolTip(tip_text(*(cell_text(str(path)) for path in recent.all_files)))
        action.triggered.connect(lambda _checked=False, each=recent: open_(each))
    menu.addSeparator()
    clear = menu.addAction("&Clear List")
    clear.setStatusTip("Clear the list of recent files")
    clear.setToolTip(clear.statusTip())
    clear.setWhatsThis(f"{clear.statusTip()}.")
    clear.triggered.connect(lambda _checked=False: clear_recent())


def _fill_open_files(menu: QMenu, files: list[Path], remove_file: Callable[[Path], None]) -> None:
    """Fill the menu that removes one of several files from the open profile."""
    menu.clear()
    menu.setEnabled(len(files) > 1)
    for path in files[:_MAX_MENU_FILES] if len(files) > 1 else ():
        action = menu.addAction(cell_text(path.name).replace("&", "&&"))
        action.setStatusTip(f"Reload the profile without {cell_text(str(path))}")
        action.setToolTip(tip_text(action.statusTip()))
        action.triggered.connect(lambda _checked=False, p=path: remove_file(p))
    if (more := len(files) - _MAX_MENU_FILES) > 0:
        menu.addAction(f"{format_count(more)} More Files").setEnabled(False)


class RunningPrograms:
    """Shows each part that a program writes on request, with the parts before it."""

    def __init__(self, frame: Frame, files: FileCommands, record: Callable[[], None]) -> None:
        self._window, self._session = frame.window, frame.session
        self._files, self._record = files, record
        self.dialog: RunningDialog | None = None  # created on first use

    def show(self) -> None:
        """Show the dialog, with the program of the open profile chosen if it still runs."""
        if self.dialog is None:
            from qcachegrind_py.app.recording.running_dialog import RunningDialog

            self.dialog = RunningDialog(self._session.jobs, self._window)
            self.dialog.dumped.connect(self._show_dump)
            self.dialog.recording_requested.connect(self._record)
            application = QCoreApplication.instance()
            if application is not None:  # it may quit without closing its windows
                application.aboutToQuit.connect(self.dialog.end)
        self.dialog.prefer(self._files.open_files)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def end(self) -> None:
        if self.dialog is not None:
            self.dialog.end()

    def _show_dump(self, program: RunningProgram, new_files: tuple[Path, ...]) -> None:
        """Open the run of the program, or reload it if it is what the window shows.

        Files that the user has put together stay together, and get the new ones as well.
        """
        session, opened = self._session, self._files.open_files
        if session.is_opening and session.pending_paths == (program.profile,):
            self._files.open_here([program.profile])
        elif not any(_is_of_run(path, program) for path in opened):
            self._files.open([program.profile])
        elif session.with_siblings and len(session.paths) == 1:
            self._files.open_here([program.profile])
        else:
            self._files.open_here(list(dict.fromkeys([*opened, *new_files])), with_siblings=False)


def _is_of_run(path: Path, program: RunningProgram) -> bool:
    """Whether a file is the profile of the program, or one of its parts."""
    names = path.name, *run_leaders(path.name)
    return path.parent == program.profile.parent and program.profile.name in names
