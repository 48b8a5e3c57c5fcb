"""Reads a history in the job that opens its newest revision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from qcachegrind_py.analysis.comparison.sides import Identity
from qcachegrind_py.analysis.history.history import History, Revision
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import UNKNOWN, StringTable
from qcachegrind_py.session.loading import ProfileFiles, ReadFiles, read_files
from qcachegrind_py.tools.demangler import demangle_names

_READING = 0.97  # of the progress; the rest is for names


@dataclass(frozen=True, eq=False)
class OpenedHistory:
    """A history as read, and how its functions are shown: one text for each."""

    history: History
    names: tuple[str, ...]  # readable where they were mangled
    locations: tuple[str, ...]  # object and file without folders

    def row_of(self, identity: Identity | None) -> int | None:
        """Return the row of a function of the open profile; None if the history lacks it.

        It is that of equal name, file and object, or else the only one of that name.
        """
        if identity is None:
            return None
        row = self._rows.get(identity)
        if row is None:
            row = self._only_rows.get(identity[0])
        return row

    @cached_property
    def _rows(self) -> dict[Identity, int]:
        return {identity: row for row, identity in enumerate(self.history.functions)}

    @cached_property
    def _only_rows(self) -> dict[str, int]:
        """The rows of names that only one function has."""
        counts = Counter(name for name, _, _ in self.history.functions)
        only = {}
        for row, (name, _, _) in enumerate(self.history.functions):
            if counts[name] == 1:
                only[name] = row
        return only


class HistorySource:
    """Where the newest revision of a history comes from; reading it reads the others, too."""

    def __init__(self, revisions: Sequence[Revision], *, demangle: bool = True) -> None:
        """`revisions` are the files of the history, the oldest first; there is at least one."""
        self.revisions = tuple(revisions)
        self._demangles = demangle
        self.read: ReadFiles | None = None  # the newest revision, once it was read
        self.opened: OpenedHistory | None = None

    @property
    def chosen(self) -> ProfileFiles:
        """The files of the newest revision, as a profile of its own."""
        return files_of(self.revisions[-1])

    def result(self, progress: Progress) -> ReadFiles:
        """Read all revisions, and return the newest one. Raises as reading one profile does."""
        from qcachegrind_py.analysis.history.history import read_history

        newest = self.revisions[-1]
        kept: list[ReadFiles] = []

        def load(file: str, part: Progress) -> Profile:
            read = read_files(part, ProfileFiles((Path(file),), with_siblings=False))
            if file == newest.file:
                kept[:] = [read]
            return read.profile

        history = read_history(self.revisions, load, PartialProgress(progress, 0, _READING))
        names = tuple(name for name, _, _ in history.functions)
        if self._demangles:
            names = _readable(names, PartialProgress(progress, _READING, 1))
        locations = tuple(_location(file, object_) for _, file, object_ in history.functions)
        self.opened, self.read = OpenedHistory(history, names, locations), kept[0]
        return kept[0]


def files_of(revision: Revision) -> ProfileFiles:
    """Return the file of a revision as that of a profile of its own."""
    return ProfileFiles((Path(revision.file),), with_siblings=False)


def _readable(names: Sequence[str], progress: Progress) -> tuple[str, ...]:
    """Return the names, demangled where they are mangled."""
    lines = [b"", *(name.encode("utf-8", "surrogateescape") for name in names)]
    demangled = demangle_names(StringTable.from_bytes(lines), progress).raw_strings()[1:]
    return tuple(line.decode("utf-8", "surrogateescape") for line in demangled)


def _location(file: str, object_: str) -> str:
    """Return object and file without folders, as lists show them."""
    return ": ".join(base_name(path) for path in (object_, file) if path != UNKNOWN) or UNKNOWN
