"""What the File menu does with profiles, and what is said of them in the window.

Reading is the session's; which profile goes into which window is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMainWindow

from qcachegrind_py.analysis.queries import Questions
from qcachegrind_py.app.files.profile_notices import (
    DiagnosticsDialog,
    tell_of_differences,
    tell_of_files,
    tell_of_news,
    tell_of_oddities,
)
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.menus import Menus, fill_files, fill_recent
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.app.style.resources import EXAMPLE, resource
from qcachegrind_py.formats.profile_finder import FoundProfile, profiles_in
from qcachegrind_py.formats.standard_input import is_kept
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.profile.errors import FolderGiven, ProfileError
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.session.file_watcher import News, ProfileWatch
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import ChangedFiles, OpensIn, Settings

FILE_NAMES = (
    "callgrind.out* cachegrind.out* *.callgrind *.out *.prof *.pstats *.profile "
    "*.gz *.bz2 *.xz *.zst"
)
_SAID = 8000  # ms that the status bar says something


class FileCommands(QObject):
    """Opens files in its window: chosen, dropped, opened before, or the example."""

    wanted_window = Signal(object)  # paths, for which the user wants another window
    recent_changed = Signal()  # other files are remembered as opened before

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        session: Session,
        actions: Actions,
        notices: NoticeStrip,
        menus: Menus,
    ) -> None:
        super().__init__(window)
        self._window, self._settings, self._session = window, settings, session
        self._notices, self._menus = notices, menus
        self._actions = actions
        for name, act in {
            "open": self.choose,
            "add": self.choose_more,
            "reload": self.reload,
            "example": lambda: self.open([resource(EXAMPLE)]),
        }.items():
            actions[name].triggered.connect(lambda _checked=False, act=act: act())
        session.opening.connect(self._on_opening)
        session.opened.connect(self._on_opened)
        session.failed.connect(self._on_failed)
        session.ended.connect(lambda: self._allow(is_free=True))
        self.watch = ProfileWatch(session, session.jobs)
        self.watch.found.connect(self._on_news)
        self._show_files()
        self._allow(is_free=True)

    # ---------------------------------------------------------------- opening

    def open(self, paths: Sequence[Path], *, own_parts: bool = True) -> None:
        """Open files as one profile, in this window or, where the user wants that, in another."""
        if not paths:
            return
        is_taken = self._session.questions is not None or self._session.is_opening
        if is_taken and self._settings.opens_in is OpensIn.NEW:
            self.wanted_window.emit(paths)
        else:
            self.open_here(paths, own_parts=own_parts)

    def open_here(self, paths: Sequence[Path], *, own_parts: bool = True) -> None:
        """Open files in this window, which stays usable meanwhile."""
        self._session.open([path.absolute() for path in paths], own_parts=own_parts)

    def choose(self) -> None:
        """Ask for files, and open them."""
        self.open(self._chosen("Open Profiles"))

    def reload(self) -> None:
        """Read the open files again."""
        if self._session.paths:
            self.open_here(self._session.paths, own_parts=self._session.own_parts)

    # ---------------------------------------------------------------- more files, and fewer

    def choose_more(self) -> None:
        """Ask for files, and add them to the open profile."""
        self.add(self._chosen("Add Profiles"))

    def add(self, paths: Sequence[Path]) -> None:
        """Read these files into the open profile, as further parts; open them where none is."""
        files = self.open_files
        together = list(dict.fromkeys([*files, *(path.absolute() for path in paths)]))
        if len(together) > len(files):
            self.open_here(together, own_parts=not files)
        elif paths:
            these = "This file is" if len(paths) == 1 else "These files are"
            self._window.statusBar().showMessage(f"{these} open already.", _SAID)

    def take_away(self, path: Path) -> None:
        """Read the open profile again without this file."""
        self.open_here([file for file in self.open_files if file != path], own_parts=False)

    @property
    def open_files(self) -> list[Path]:
        """The files of the open profile, those that came by themselves, too."""
        reading = self._session.reading
        return [Path(path) for path in reading.profile.paths] if reading else []

    def _chosen(self, title: str) -> list[Path]:
        recent = self._settings.recent_files
        folder = str(recent[0].parent) if recent else ""
        filters = f"Profiles ({FILE_NAMES});;All files (*)"
        names, _ = QFileDialog.getOpenFileNames(self._window, title, folder, filters)
        return [Path(name) for name in names]

    # ---------------------------------------------------------------- folders

    def _look_into(self, folder: Path, use: Callable[[Sequence[Path]], None]) -> None:
        job = self._session.jobs.start("folder", profiles_in, folder)
        job.finished.connect(lambda found: self._offer(folder, use, found))
        job.failed.connect(self._on_failed)

    def _offer(
        self, folder: Path, use: Callable[[Sequence[Path]], None], found: list[FoundProfile]
    ) -> None:
        if not found:
            text = f"There is no profile in {cell_text(str(folder))}."
            self._notices.show_notice("error", text)
            return
        from qcachegrind_py.app.files.folder_dialog import FolderDialog

        dialog = FolderDialog(folder, found, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(use)
        dialog.open()

    # ---------------------------------------------------------------- what is said of it

    def _on_opening(self) -> None:
        self._notices.close_notice("error")
        self._allow(is_free=False)

    def _on_failed(self, error: ProfileError) -> None:
        """Offer what can be opened: what is in the folder, or the files beside the one at fault."""
        of = getattr(error, "path", None)
        others = [path for path in self._session.coming if str(path) != of] if of else []
        if isinstance(error, FolderGiven):
            also = partial(self._open_with, others)
            self._look_into(Path(error.path), also if others else self.open)
            return
        is_more = bool(set(others) - set(self.open_files))
        choices = [("Open the Others", partial(self._open_with, others, ()))] if is_more else []
        self._notices.show_notice("error", cell_text(str(error)), *choices)

    def _open_with(self, some: Sequence[Path], others: Sequence[Path]) -> None:
        self.open_here(list(dict.fromkeys([*some, *others])), own_parts=False)

    def _on_news(self, news: News) -> None:
        match self._settings.changed_files:
            case ChangedFiles.RELOAD:
                self.reload()
            case ChangedFiles.ASK:
                tell_of_news(self._notices, news, self.reload, self._reload_always)

    def _reload_always(self) -> None:
        self._settings.changed_files = ChangedFiles.RELOAD
        self.reload()

    def _on_opened(self, questions: Questions) -> None:
        profile, session, notices = questions.profile, self._session, self._notices
        notices.close_all()
        if known := [path for path in session.paths if not is_kept(path)]:
            self._settings.add_recent_file(*known)
        self._show_files()
        tell_of_files(notices, profile, session.paths, self._open_alone)
        tell_of_oddities(notices, profile, partial(self.show_diagnostics, profile))
        if session.reading is not None and session.reading.differences is not None:
            say = self._window.statusBar().showMessage
            tell_of_differences(notices, session.reading.differences, partial(say, timeout=_SAID))

    def _open_alone(self) -> None:
        self.open_here(self._session.paths, own_parts=False)

    def show_diagnostics(self, profile: Profile) -> None:
        """Show all that was odd in the files."""
        dialog = DiagnosticsDialog(profile, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _show_files(self) -> None:
        """Bring the menus up to date: what was opened before, and what is open."""
        recent, files = self._settings.recent_files, self.open_files
        fill_recent(self._menus.recent, recent, lambda path: self.open([path]), self._forget)
        fill_files(self._menus.files, files, self.take_away)
        self.recent_changed.emit()

    def _allow(self, *, is_free: bool) -> None:
        """Offer what is done to the open files; not while others are read, which it would stop."""
        files = self.open_files
        for name in ("add", "reload"):
            self._actions[name].setEnabled(is_free and bool(files))
        self._menus.files.setEnabled(is_free and len(files) > 1)

    def forget(self, path: Path) -> None:
        """Take a file off the list of those that were opened before."""
        self._settings.forget_recent_file(path)
        self._show_files()

    def _forget(self) -> None:
        self._settings.forget_recent_files()
        self._show_files()
