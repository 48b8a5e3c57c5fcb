"""Which parts of a profile are counted: those the user chose, or all that are not hidden."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.present.context import NO_PARTS
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Profile


@dataclass(frozen=True, slots=True)
class PartChoice:
    """The active parts, None for all, and the hidden ones, which are never active."""

    active: Parts = None
    hidden: frozenset[PartId] = NO_PARTS

    def choosing(self, parts: Iterable[PartId], count: int) -> PartChoice:
        """Return the choice of these parts, of `count` in all; of none, all that are shown."""
        shown = self.shown(count)
        active = (frozenset(parts) & shown) or shown
        return PartChoice(None if len(active) == count else active, self.hidden)

    def hiding(self, parts: Iterable[PartId], count: int) -> PartChoice:
        """Return the choice with these parts hidden, too; unchanged if none would be left."""
        hidden = self.hidden | frozenset(parts)
        if len(hidden) >= count:
            return self
        chosen = NO_PARTS if self.is_all(count) else (self.active or NO_PARTS) - hidden
        return PartChoice(None, hidden).choosing(chosen, count)

    def showing_hidden(self, count: int) -> PartChoice:
        """Return the choice with no parts hidden; those chosen stay so, unless all were active."""
        chosen = NO_PARTS if self.is_all(count) else self.active or NO_PARTS
        return PartChoice().choosing(chosen, count)

    def is_all(self, count: int) -> bool:
        """Whether all parts that are shown are active."""
        return self.active is None or self.active == self.shown(count)

    def shown(self, count: int) -> frozenset[PartId]:
        """Return the parts that are not hidden."""
        return frozenset(map(PartId, range(count))) - self.hidden

    def carried_over(self, before: Profile, after: Profile) -> PartChoice:
        """Return the choice of the same parts in another reading of the files.

        If all that were shown were active, further parts are active, too.
        """
        count = len(after.parts)
        hidden = matching_parts(self.hidden, before, after)
        chosen = NO_PARTS
        if not self.is_all(len(before.parts)):
            chosen = matching_parts(self.active or NO_PARTS, before, after)
        return PartChoice().hiding(hidden, count).choosing(chosen, count)


def matching_parts(parts: Iterable[PartId], before: Profile, after: Profile) -> frozenset[PartId]:
    """Return the parts with the same file, process, number and thread as these had before."""
    from qcachegrind_py.analysis.costs.totals import part_key

    keys = {part_key(before.parts[part]) for part in parts}
    return frozenset(PartId(i) for i, part in enumerate(after.parts) if part_key(part) in keys)
