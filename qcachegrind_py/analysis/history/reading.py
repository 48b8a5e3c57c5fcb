"""Reading of a history: one profile after the other, of which only the sums are retained."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from qcachegrind_py.analysis.comparison.matching import pair_with_renames
from qcachegrind_py.analysis.comparison.sides import NO_RULES, MatchingRules
from qcachegrind_py.analysis.history.history import (
    Chain,
    Columns,
    History,
    Revision,
    RevisionSums,
    common_events,
    revision_sums,
)
from qcachegrind_py.profile.errors import UnreadableFile
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, PartialProgress, Progress
from qcachegrind_py.profile.tables import Int64Array

Load = Callable[[str, Progress], Profile]  # reads the profile in a file

_FIRST_READING = 0.9  # of the progress; the rest is for revisions that are read again
_LOADING = 0.8  # of the progress of a revision; the rest is for pairing and summing up


def read_history(
    revisions: Sequence[Revision],
    load: Load,
    progress: Progress | None = None,
    rules: MatchingRules = NO_RULES,
    *,
    cycles: bool = True,
) -> History:
    """Read the profiles of these revisions, the oldest first, and pair each with the one before.

    Two profiles are in memory at a time, and the sums of all. Functions that form a family only
    later are one row in all revisions: where they were apart before, the file is read again, since
    calls between them do not count. Raises what `load` raises, and `ValueError` without revisions.
    """
    if not revisions:
        raise ValueError("a history needs a revision")
    reader = _Reader(revisions, load, rules, cycles=cycles)
    progress = progress or NoProgress()
    reader.read_all(PartialProgress(progress, 0, _FIRST_READING))
    reader.read_joined_again(PartialProgress(progress, _FIRST_READING, 1))
    history = reader.history()
    progress.check(1)
    return history


class _Reader:
    """The sums of the revisions read so far."""

    def __init__(
        self, revisions: Sequence[Revision], load: Load, rules: MatchingRules, *, cycles: bool
    ) -> None:
        self._revisions, self._load, self._rules = revisions, load, rules
        self._cycles = cycles
        self._sums: list[RevisionSums] = []

    def read_all(self, progress: Progress) -> None:
        """Read all revisions in order.

        A revision is summed up when the one after it has been paired, which joins clones.
        """
        number = len(self._revisions)
        before: Profile | None = None
        for index, revision in enumerate(self._revisions):
            part = PartialProgress(progress, index / number, (index + 1) / number)
            profile = self._load(revision.file, PartialProgress(part, 0, _LOADING))
            if before is None:
                self._chain = Chain(profile)
            else:
                rows = self._chain.newest_rows
                self._chain.add(profile, pair_with_renames(before, profile, self._rules))
                self._sum_up(before, self._chain.joined_rows(rows))
            before = profile
            part.check(1)
        if before is not None:
            self._sum_up(before, self._chain.newest_rows)

    def _sum_up(self, profile: Profile, rows: Int64Array) -> None:
        self._sums.append(revision_sums(profile, rows, cycles=self._cycles))

    def read_joined_again(self, progress: Progress) -> None:
        """Read the revisions again that have several functions which are one row by now."""
        joined = [self._chain.joined_rows(sums.rows) for sums in self._sums]
        again = [i for i, rows in enumerate(joined) if len(np.unique(rows)) < len(rows)]
        for place, index in enumerate(again):
            ends = place / len(again), (place + 1) / len(again)
            file = self._revisions[index].file
            profile = self._load(file, PartialProgress(progress, *ends))
            rows = self._sums[index].row_of_function
            if len(rows) != len(profile.functions):
                raise UnreadableFile(file, "was changed while the history was read.")
            joined_rows = self._chain.joined_rows(rows)
            self._sums[index] = revision_sums(profile, joined_rows, cycles=self._cycles)

    def history(self) -> History:
        """Put the sums of all revisions side by side; to be called once, as the sums are freed."""
        identities = self._chain.identities()
        rows = sorted(identities)
        place = np.full(max(rows, default=0) + 1, -1, np.int64)
        place[rows] = np.arange(len(rows))
        events = common_events([sums.events for sums in self._sums])
        columns = Columns(events, len(rows), len(self._sums))
        self._sums.reverse()
        for revision in range(len(self._revisions)):
            sums = self._sums.pop()
            columns.fill(revision, place[self._chain.joined_rows(sums.rows)], sums)
        return History(
            tuple(revision.label for revision in self._revisions),
            tuple(revision.file for revision in self._revisions),
            tuple(identities[row] for row in rows),
            columns,
        )
