"""Summary of the changes after a reload: totals, and counts of new and removed functions and parts.

Costs are not compared function by function.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.totals import part_totals
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True)
class ReloadSummary:
    """The differences between a profile and its reloaded version."""

    totals: tuple[tuple[str, int, int], ...]  # event title, total before, total after
    new_functions: int
    removed_functions: int
    new_parts: int
    removed_parts: int
    same_costs: bool  # all rows of costs and calls are equal

    @property
    def is_empty(self) -> bool:
        """Whether there are no differences."""
        return self.same_costs and not (
            self.new_functions or self.removed_functions or self.new_parts or self.removed_parts
        )


def summarize_reload(before: Profile, after: Profile) -> ReloadSummary:
    """Compare a profile before and after a reload."""
    new, removed = _function_changes(before, after)
    parts_before, parts_after = (set(map(part_key, p.parts)) for p in (before, after))
    return ReloadSummary(
        totals=_totals(before, after),
        new_functions=new,
        removed_functions=removed,
        new_parts=len(parts_after - parts_before),
        removed_parts=len(parts_before - parts_after),
        same_costs=_have_same_costs(before, after),
    )


def part_key(part: Part) -> tuple[str, int, int, int]:
    """Return the key that identifies a part across reloads: path, pid, part and thread."""
    return part.path, part.pid, part.part, part.thread


def _totals(before: Profile, after: Profile) -> tuple[tuple[str, int, int], ...]:
    """Return the totals of the events of both profiles, those of the later one first."""
    old, new = _total_costs(before), _total_costs(after)
    titles = {e.name: e.title for p in (after, before) for e in p.events.measured}
    return tuple((title, old.get(name, 0), new.get(name, 0)) for name, title in titles.items())


def _total_costs(profile: Profile) -> dict[str, int]:
    totals = part_totals(profile).sum(axis=1).tolist()
    return dict(zip(profile.events.names, totals, strict=True))


def _function_changes(before: Profile, after: Profile) -> tuple[int, int]:
    """Count the functions only in the later profile and those only in the earlier one."""
    numbers = {text: number for number, text in enumerate(before.texts.raw_strings())}
    new = iter(range(len(numbers), len(numbers) + len(after.texts)))
    translated = np.array(
        [numbers.get(text, next(new)) for text in after.texts.raw_strings()], np.int64
    )
    old, current = (
        _function_identities(before, np.arange(len(numbers))),
        _function_identities(after, translated),
    )
    return len(current - old), len(old - current)


def _function_identities(profile: Profile, numbers: Int64Array) -> set[tuple[int, ...]]:
    """Return name, file and object of each function, mapped by `numbers`, shape (texts,)."""
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
