"""Several profiles as the revisions of one program: their order, their reading, what is chosen.

A history is a source of the open profile: the job that reads its newest revision reads them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import UNKNOWN, StringTable
from qcachegrind_py.session.loading import ProfileFiles, ReadFiles
from qcachegrind_py.tools.demangler import demangle_names

if TYPE_CHECKING:  # read only when a history is opened
    from qcachegrind_py.analysis.comparison.sides import Identity
    from qcachegrind_py.analysis.history import History, OpenedHistory, Revision

MOST_PINNED = 12  # functions: more lines could not be told apart
_READING = 0.97  # of the progress; the rest is for names
_DIGITS = re.compile(r"([0-9]+)")


@frozen
class HistoryState:
    """The open history, if there is one, and what the user has chosen in it."""

    opened: OpenedHistory | None = None
    pinned: tuple[Identity, ...] = ()  # functions whose lines stay in the chart
    base: int | None = None  # the revision that the next one chosen is compared with

    @property
    def history(self) -> History | None:
        """The costs of the functions; None without a history."""
        return None if self.opened is None else self.opened.history

    def with_history(self, opened: OpenedHistory) -> HistoryState:
        """Return the state with another history; functions that it has stay pinned."""
        known = frozenset(opened.history.functions)
        return HistoryState(opened, tuple(each for each in self.pinned if each in known))

    def with_pin_toggled(self, function: Identity) -> HistoryState:
        """Return the state with a function pinned, or no longer; the oldest gives way to it."""
        pinned = tuple(other for other in self.pinned if other != function)
        if len(pinned) == len(self.pinned):
            pinned = (*pinned, function)[-MOST_PINNED:]
        return replace(self, pinned=pinned)

    def files_of(self, revision: int) -> ProfileFiles:
        """Return the file of a revision as that of a profile of its own."""
        assert self.history is not None
        return _alone(self.history.files[revision])

    def place_of(self, files: ProfileFiles) -> int | None:
        """Return the last revision that consists of these files; None if there is none."""
        names = () if self.history is None else self.history.files
        if len(files.paths) != 1 or str(files.paths[0]) not in names:
            return None
        return len(names) - 1 - names[::-1].index(str(files.paths[0]))


@frozen(eq=True)
class HistorySource:
    """Where the newest revision of a history comes from; reading it reads the others, too."""

    revisions: tuple[Revision, ...]  # the oldest first; there is at least one
    demangle: bool = True

    @property
    def chosen(self) -> ProfileFiles:
        """The files of the newest revision, as a profile of its own."""
        return _alone(self.revisions[-1].file)

    def result(self, progress: Progress) -> ReadFiles:
        """Read all revisions, and return the newest one. Raises as reading one profile does."""
        from qcachegrind_py.analysis.history import OpenedHistory, read_history

        kept: dict[str, ReadFiles] = {}

        def load(file: str, part: Progress) -> Profile:
            read = _alone(file).result(part)
            if file == self.revisions[-1].file:
                kept[file] = read
            return read.profile

        history = read_history(self.revisions, load, PartialProgress(progress, 0, _READING))
        names = tuple(name for name, _, _ in history.functions)
        if self.demangle:
            names = _readable(names, PartialProgress(progress, _READING, 1))
        locations = tuple(_location(file, object_) for _, file, object_ in history.functions)
        (newest,) = kept.values()
        return replace(newest, history=OpenedHistory(history, names, locations))


def _alone(file: str) -> ProfileFiles:
    return ProfileFiles((Path(file),), with_siblings=False)


def _readable(names: Sequence[str], progress: Progress) -> tuple[str, ...]:
    """Return the names, demangled where they are mangled."""
    lines = [b"", *(name.encode("utf-8", "surrogateescape") for name in names)]
    demangled = demangle_names(StringTable.from_bytes(lines), progress).raw_strings()[1:]
    return tuple(line.decode("utf-8", "surrogateescape") for line in demangled)


def _location(file: str, object_: str) -> str:
    """Return object and file without folders, as lists show them."""
    return ": ".join(base_name(path) for path in (object_, file) if path != UNKNOWN) or UNKNOWN


# ---------------------------------------------------------------- the order of files


def labelled(paths: Sequence[Path]) -> list[Revision]:
    """Return files as revisions, labelled with what distinguishes their names."""
    from qcachegrind_py.analysis.history import Revision
    from qcachegrind_py.formats.history_files import distinguishing_names

    names = [str(path) for path in paths]
    return list(map(Revision, distinguishing_names(names), names))


def by_name(paths: Iterable[Path]) -> list[Path]:
    """Return files in the order of their names, with numbers in them counted: v9 before v10."""
    return sorted(paths, key=lambda path: (_name_order(path), str(path)))


def by_time(paths: Iterable[Path]) -> list[Path]:
    """Return files from the earliest to the latest; those of one moment are ordered by name."""
    return sorted(by_name(paths), key=_moment)


def _name_order(path: Path) -> tuple[tuple[int, int, str], ...]:
    """Return the pieces of a path: numbers by their value, and before texts."""
    return tuple(
        (0, int(piece), "") if number % 2 else (1, 0, piece)
        for number, piece in enumerate(_DIGITS.split(str(path)))
        if piece
    )


def _moment(path: Path) -> int:
    """Return when a file was written, in nanoseconds; 0 if it cannot be found."""
    with suppress(OSError):
        return path_on_disk(path).stat().st_mtime_ns
    return 0
