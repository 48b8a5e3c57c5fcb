"""The open history of a session: its costs, the pinned functions, and the base for a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from qcachegrind_py.session.loading import LoadRequest

if TYPE_CHECKING:  # read only when a history is opened
    from qcachegrind_py.analysis.comparison.sides import Identity
    from qcachegrind_py.analysis.history.history import History, Revision
    from qcachegrind_py.session.history.source import HistorySource, OpenedHistory
    from qcachegrind_py.session.session import Session

MOST_PINNED = 12  # functions: more lines could not be told apart


@dataclass(frozen=True, slots=True, eq=False)
class HistoryState:
    """The open history, if there is one, and what the user has chosen in it."""

    opened: OpenedHistory | None = None
    pinned: tuple[Identity, ...] = ()  # functions whose lines stay in the chart
    base: int | None = None  # the revision that the next one chosen is compared with

    @property
    def history(self) -> History | None:
        """The costs of the functions; None without a history."""
        return None if self.opened is None else self.opened.history


class HistorySession(QObject):
    """Opens histories, and compares their revisions; what is open stays until then."""

    changed = Signal(object)  # the HistoryState
    opened = Signal()  # after `changed`, for another history

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.state = HistoryState()
        self._source: HistorySource | None = None  # what is being read
        session.opening.connect(self._release_other)
        session.opened.connect(self._accept)

    def open(self, revisions: Sequence[Revision]) -> None:
        """Read the files of a history, the oldest first; the newest becomes the open profile.

        The job is that of opening a profile: the same progress, cancelling and errors.
        """
        from qcachegrind_py.session.history.source import HistorySource

        if not revisions:
            return
        session = self._session
        self._source = source = HistorySource(revisions, demangle=session.preparation.demangle)
        session.load(LoadRequest(source.chosen, source))

    @property
    def reading(self) -> Sequence[Revision]:
        """The files that are being read, or that could not be read last."""
        return () if self._source is None else self._source.revisions

    def _release_other(self) -> None:
        """Release a history that was never shown, as something else is opened.

        Other settings read the same one again, whether it was read before or not.
        """
        if self._source is not self._session.pending_source:
            self._source = None

    def close(self) -> None:
        """Drop the history; the open profile stays."""
        self._set(HistoryState())

    def _accept(self) -> None:
        """Take the history over whose newest revision was opened."""
        source, loaded = self._source, self._session.loaded
        if source is None or loaded is None or loaded.read is not source.read:
            return
        self._source, opened = None, source.opened
        source.read = source.opened = None  # the session remembers the source
        known = frozenset() if opened is None else frozenset(opened.history.functions)
        pinned = tuple(function for function in self.state.pinned if function in known)
        self._set(HistoryState(opened, pinned))
        self.opened.emit()

    def _set(self, state: HistoryState) -> None:
        self.state = state
        self.changed.emit(state)

    # ---------------------------------------------------------------- pinned functions

    def toggle_pin(self, function: Identity) -> None:
        """Keep the line of a function in the chart, or no longer; the oldest gives way to it."""
        pinned = tuple(other for other in self.state.pinned if other != function)
        if len(pinned) == len(self.state.pinned):
            pinned = (*pinned, function)[-MOST_PINNED:]
        self._set(replace(self.state, pinned=pinned))

    # ---------------------------------------------------------------- revisions

    def mark_base(self, revision: int | None) -> None:
        """Compare the next revision that is chosen with this one."""
        self._set(replace(self.state, base=revision))

    def choose(self, revision: int) -> None:
        """Choose a revision: the first is the base, the second is compared with it."""
        base = self.state.base
        if base is None:
            self.mark_base(revision)
        elif base == revision:
            self.mark_base(None)
        else:
            self.open_revision(revision, base)

    def open_revision(self, revision: int, base: int | None = None) -> None:
        """Open a revision, and compare it with another, if there is a base."""
        from qcachegrind_py.session.history.source import files_of

        history = self.state.history
        if history is None:
            return
        revisions = self.revisions
        self.mark_base(None)
        new, session = files_of(revisions[revision]), self._session
        source = None if base is None else files_of(revisions[base])
        if source is not None and session.loaded is not None and session.chosen.paths == new.paths:
            session.comparing.compare_with(source)  # which does not read the new side again
        else:
            session.open(new.paths, with_siblings=False, base=source)

    @property
    def revisions(self) -> Sequence[Revision]:
        """The files of the open history."""
        from qcachegrind_py.analysis.history.history import Revision

        history = self.state.history
        if history is None:
            return ()
        pairs = zip(history.labels, history.files, strict=True)
        return [Revision(label, file) for label, file in pairs]

    def open_places(self) -> tuple[int | None, int | None]:
        """Return which revision is open, and with which it is compared; None for others."""
        loaded, history = self._session.loaded, self.state.history
        if loaded is None or history is None:
            return None, None
        read, base = loaded.read.chosen.paths, loaded.base
        return (
            _place(history, read),
            None if base is None else _place(history, base.chosen.paths),
        )


def _place(history: History, paths: tuple[Path, ...]) -> int | None:
    """Return the last revision that consists of these files; None if there is none."""
    if len(paths) != 1 or str(paths[0]) not in history.files:
        return None
    return len(history.files) - 1 - history.files[::-1].index(str(paths[0]))
