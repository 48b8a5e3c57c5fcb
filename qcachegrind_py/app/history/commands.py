"""The commands of a history: open one, pin the active function, and go on without a bad file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from qcachegrind_py.analysis.history import Revision
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.context import FunctionIdentity, function_identity
from qcachegrind_py.session.session import Session

_FEWEST = 2  # revisions of a history


class HistoryCommands(QObject):
    """Opens histories from files that the user chooses, and pins the active function."""

    def __init__(
        self,
        window: QWidget,
        session: Session,
        actions: Actions,
        notices: NoticeStrip,
        choose_files: Callable[[str], list[Path]],
    ) -> None:
        """`choose_files` asks the user for files, in a dialog with the given title."""
        super().__init__(window)
        self._window, self._session, self._notices = window, session, notices
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
        from qcachegrind_py.app.history.open_dialog import OpenHistoryDialog

        dialog = OpenHistoryDialog(
            files, partial(self._choose_files, "Add Revisions"), self._window
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self.open)
        dialog.open()

    def open(self, revisions: Sequence[Revision]) -> None:
        """Open a history of these files, the oldest first."""
        self._session.history.open(
            [Revision(each.label, str(Path(each.file).absolute())) for each in revisions]
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
