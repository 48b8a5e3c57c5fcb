"""Title, status bar and comparison bar: what is open or compared, and the progress of opening."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMainWindow

from qcachegrind_py.app.files.profile_notices import file_list_text
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.notices import NoticeBar
from qcachegrind_py.app.frame.status_bar import StatusBar
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.session.loading import LoadedProfile
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:
    from qcachegrind_py.app.comparison.bar import ComparisonBar

_PROGRAM_TITLE = "QCachegrind.py"


class ProfileStatus:
    """Updates title and status bar; enables the action “Stop” while a profile is opened."""

    def __init__(
        self, window: QMainWindow, session: Session, actions: Actions, status_bar: StatusBar
    ) -> None:
        self._window, self._session = window, session
        self._cancel_action, self._status_bar = actions["cancel"], status_bar
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
            self._status_bar.show_profile(query)
            if loaded is not None:
                self._show_title(_file_names(loaded), loaded)
            return
        from qcachegrind_py.app.comparison.status_words import status_words

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
        """Show a name and the command of the profiled program as the title of the window."""
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

        window = self._window
        (notices,) = window.findChildren(NoticeBar)
        self._comparison_bar = ComparisonBar(window, self._session)
        self._comparison_bar.cycles_found.connect(self._status_bar.show_split_cycles)
        window.insertToolBar(notices, self._comparison_bar)
        window.insertToolBarBreak(notices)


def _file_names(loaded: LoadedProfile) -> str:
    """Return the name of the first file, and the number of the others."""
    paths = loaded.read.chosen.paths
    more = f" +{len(paths) - 1}" if len(paths) > 1 else ""
    return f"{cell_text(paths[0].name)}{more}"
