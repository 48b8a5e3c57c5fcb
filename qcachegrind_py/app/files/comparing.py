"""The commands of comparing with another profile, and of the history of several revisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from qcachegrind_py.app.files.profile_status import BASES_TOPIC, notify_bases
from qcachegrind_py.app.frame.frame import Frame
from qcachegrind_py.formats.run_files import earlier_profiles
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.context import FunctionIdentity, function_identity
from qcachegrind_py.session.loading import ProfileFiles

if TYPE_CHECKING:
    from qcachegrind_py.analysis.history import Revision

_BASES_SLOT = "bases"
_PARTS_TOPIC = "parts"
_FEWEST = 2  # revisions of a history


class CompareCommands(QObject):
    """Compares the open profile with the files that the user chooses."""

    def __init__(
        self,
        frame: Frame,
        choose_files: Callable[[str, Path | None], list[Path]],
        open_with_base: Callable[[Sequence[Path], Sequence[Path]], None],
    ) -> None:
        """`choose_files` asks the user for files, in a dialog of a title that begins in a folder.

        `open_with_base` opens files, and compares them with those of a base.
        """
        super().__init__(frame.window)
        session, actions = frame.session, frame.actions
        self._session, self._actions, self._notices = session, actions, frame.notices
        self._choose_files, self._open_with_base = choose_files, open_with_base
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
        self.compare_with(self._choose_files("Compare With", None))

    def choose_both(self) -> None:
        """Ask for the base and for the new profile, and compare them."""
        if (base := self._choose_files("Compare: The Base", None)) and (
            new := self._choose_files("Compare: The New Profile", base[0].parent)
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
        for topic in (_PARTS_TOPIC, BASES_TOPIC):
            self._notices.close_notice(topic)
        if loaded is None or loaded.base is None:
            return
        from qcachegrind_py.analysis.comparison.comparability import parts_warning

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


class HistoryCommands(QObject):
    """Opens histories from files that the user chooses, and pins the active function."""

    def __init__(self, frame: Frame, choose_files: Callable[[str], list[Path]]) -> None:
        """`choose_files` asks the user for files, in a dialog with the given title."""
        super().__init__(frame.window)
        session, actions = frame.session, frame.actions
        self._window, self._session, self._notices = frame.window, session, frame.notices
        self._choose_files, self._pin = choose_files, actions["pin"]
        actions.connect({"open_history": self.choose_revisions, "pin": self._toggle_pin})
        session.failed.connect(self._on_failed)
        session.history.changed.connect(lambda _state: self._update_pin())
        session.navigation.changed.connect(lambda *_: self._update_pin())
        self._update_pin()

    def choose_revisions(self) -> None:
        """Ask for the files of a history, and then for their order and their labels."""
        files = self._choose_files("Open History: The Profiles of All Revisions")
        if not files:
            return

        from qcachegrind_py.app.files.dialogs import OpenHistoryDialog

        dialog = OpenHistoryDialog(
            files, partial(self._choose_files, "Add Revisions"), self._window
        )
        dialog.chosen.connect(self.open)
        dialog.open()

    def open(self, revisions: Sequence[Revision]) -> None:
        self._session.history.open(
            [replace(each, file=str(Path(each.file).absolute())) for each in revisions]
        )

    def _on_failed(self, error: ProfileError) -> None:
        """Offer to read the history without the file that could not be read.

        It replaces the notice of a profile that could not be read, which says the same.
        """
        revisions, path = self._session.history.reading, getattr(error, "path", None)
        others = [each for each in revisions if each.file != str(path)]
        if path is None or not _FEWEST <= len(others) < len(revisions):
            return
        text = f"{cell_text(str(error))} The history was not opened."
        leave_out = ("Leave It Out", partial(self._open_others, others))
        self._notices.show_notice("error", text, leave_out)

    def _open_others(self, others: Sequence[Revision]) -> None:
        self.open(others)

    # ---------------------------------------------------------------- the active function

    def _active(self) -> FunctionIdentity | None:
        """Return the active function as the history has it; None if it does not."""
        session, opened = self._session, self._session.history.state.opened
        context, queries = session.navigation.context, session.queries
        node = context.function
        if opened is None or queries is None or node == NO_NODE or not queries.is_function(node):
            return None
        row = opened.row_of(function_identity(queries, node, context.scope))
        return None if row is None else opened.history.functions[row]

    def _update_pin(self) -> None:
        function = self._active()
        self._pin.setEnabled(function is not None)
        self._pin.setChecked(function in self._session.history.state.pinned)

    def _toggle_pin(self) -> None:
        if (function := self._active()) is not None:
            self._session.history.toggle_pin(function)


_LONGEST_LABEL = 200
