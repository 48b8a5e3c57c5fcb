"""The commands of comparing: with another profile, the other way round, and no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject

from qcachegrind_py.app.files.profile_status import notify_bases
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.formats.run_files import earlier_profiles
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.session import Session

_BASES_SLOT = "bases"
_PARTS_TOPIC = "parts"


class CompareCommands(QObject):
    """Compares the open profile with the files that the user chooses."""

    def __init__(
        self,
        session: Session,
        actions: Actions,
        notices: NoticeStrip,
        choose_files: Callable[[str], list[Path]],
        open_with_base: Callable[[Sequence[Path], Sequence[Path]], None],
    ) -> None:
        """`choose_files` asks the user for files, in a dialog with the given title.

        `open_with_base` opens files, and compares them with those of a base.
        """
        super().__init__(session)
        self._session, self._actions = session, actions
        self._notices, self._choose_files = notices, choose_files
        self._open_with_base = open_with_base
        actions.connect(
            {
                "compare": self.choose_base,
                "compare_two": self.choose_both,
                "swap_sides": session.comparing.swap,
                "stop_comparing": session.comparing.stop,
            }
        )
        session.navigation.changed.connect(self._on_changed)
        session.opening.connect(lambda: self._update_actions(is_idle=False))
        session.ended.connect(lambda: self._update_actions(is_idle=True))
        self._update_actions(is_idle=True)

    def choose_base(self) -> None:
        """Ask for the base, and compare the open profile with it."""
        self.compare_with(self._choose_files("Compare With"))

    def choose_both(self) -> None:
        """Ask for the base and for the new profile, and compare them."""
        if (base := self._choose_files("Compare: The Base")) and (
            new := self._choose_files("Compare: The New Profile")
        ):
            self._open_with_base(new, base)

    def compare_with(self, paths: Sequence[Path]) -> None:
        """Compare the open profile with files, which are one profile together."""
        if paths and self._session.loaded is not None:
            files = tuple(path.absolute() for path in paths)
            self._session.comparing.compare_with(ProfileFiles(files))

    def look_for_bases(self) -> None:
        """Offer the earlier profiles beside a profile that was opened alone."""
        session = self._session
        if len(session.paths) != 1 or session.comparing.is_of_files:
            return
        job = session.jobs.start(_BASES_SLOT, earlier_profiles, session.paths[0])
        job.finished.connect(self._offer_bases)

    def _offer_bases(self, bases: tuple[Path, ...]) -> None:
        if bases and not self._session.comparing.is_of_files:
            notify_bases(self._notices, bases, lambda path: self.compare_with([path]))

    def warn_of_parts(self) -> None:
        """Say that one side has parts or threads that the other one lacks."""
        loaded = self._session.loaded
        if loaded is None or loaded.base is None:
            return
        from qcachegrind_py.analysis.comparison.comparison import parts_warning

        if warning := parts_warning(loaded.base.profile, loaded.profile):
            self._notices.show_notice("warning", warning, topic=_PARTS_TOPIC)

    def _on_changed(self, _context: Context, change: Change) -> None:
        if change & Change.SCOPE:
            self._update_actions(is_idle=not self._session.is_opening)

    def _update_actions(self, *, is_idle: bool) -> None:
        """Enable the commands that can be used, except while files are read."""
        session = self._session
        compares = session.comparing.is_of_files or session.comparing.is_of_parts
        self._actions["compare"].setEnabled(is_idle and session.loaded is not None)
        for name in ("swap_sides", "stop_comparing"):
            self._actions[name].setEnabled(is_idle and compares)
