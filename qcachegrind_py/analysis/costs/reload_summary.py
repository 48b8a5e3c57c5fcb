"""What differs between two readings of a profile, in a few numbers: totals, functions, parts.

It compares no costs function by function.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.part_totals import part_totals
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True)
class ReloadSummary:
    """What is new, gone and other in the profile read later."""

    totals: tuple[tuple[str, int, int], ...]  # title of an event, total before, total after
    new_functions: int
    removed_functions: int
    new_parts: int
    removed_parts: int
    same_costs: bool  # every row of costs and calls is as it was

    @property
    def is_empty(self) -> bool:
        """Whether the profiles say the same."""
        return self.same_costs and not (
            self.new_functions or self.removed_functions or self.new_parts or self.removed_parts
        )


def summarize_reload(before: Profile, after: Profile) -> ReloadSummary:
    """What the later profile has that the earlier one had not, and the other way round."""
    new, gone = _function_changes(before, after)
    parts_before, parts_after = (set(map(part_key, p.parts)) for p in (before, after))
    return ReloadSummary(
        totals=_totals(before, after),
        new_functions=new,
        removed_functions=gone,
        new_parts=len(parts_after - parts_before),
        removed_parts=len(parts_before - parts_after),
        same_costs=_have_same_costs(before, after),
    )


def part_key(part: Part) -> tuple[str, int, int, int]:
    """What a part is known by when its file is read again."""
    return part.path, part.pid, part.part, part.thread


def _totals(before: Profile, after: Profile) -> tuple[tuple[str, int, int], ...]:
    """The totals of the events of either, first those of the later one."""
    old, new = _total_costs(before), _total_costs(after)
    titles = {e.name: e.title for p in (after, before) for e in p.events.measured}
    return tuple((title, old.get(name, 0), new.get(name, 0)) for name, title in titles.items())


def _total_costs(profile: Profile) -> dict[str, int]:
    totals = part_totals(profile).sum(axis=1).tolist()
    return dict(zip(profile.events.names, totals, strict=True))


def _function_changes(before: Profile, after: Profile) -> tuple[int, int]:
    """How many functions only the later profile has, and how many only the earlier one."""
    numbers = {text: number for number, text in enumerate(before.texts.raw_strings())}
    new = iter(range(len(numbers), len(numbers) + len(after.texts)))
    same = np.array([numbers.get(text, next(new)) for text in after.texts.raw_strings()], np.int64)
    known, found = (
        _function_identities(before, np.arange(len(numbers))),
        _function_identities(after, same),
    )
    return len(found - known), len(known - found)


def _function_identities(profile: Profile, numbers: Int64Array) -> set[tuple[int, ...]]:
    """Name, file and object of each function, by these numbers of the texts."""
    functions = profile.functions
    columns = (functions.name, functions.file, functions.object)
    return set(zip(*(numbers[column].tolist() for column in columns), strict=True))


def _have_same_costs(before: Profile, after: Profile) -> bool:
    same = np.array_equal
    return (
        before.events.names == after.events.names
        and same(before.costs.line, after.costs.line)
        and same(before.costs.values, after.costs.values)
        and same(before.calls.values, after.calls.values)
        and same(before.calls.count, after.calls.count)
    )
