"""Base and new side by side: two scopes of one profile, whose answers have the same rows.

That profile has the parts of the new one first, then those of the base. Each row of a pairing is
one function of it, so that base and new are selections of parts.
"""

from __future__ import annotations

from dataclasses import fields, replace
from enum import IntEnum
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np

from qcachegrind_py.analysis.comparison.comparability import Difference, differences
from qcachegrind_py.analysis.comparison.matching import (
    How,
    Pairing,
    Rename,
    pair_with_renames,
    proposed_renames,
)
from qcachegrind_py.analysis.comparison.sides import NO_RULES, MatchingRules
from qcachegrind_py.analysis.costs.function_costs import SplitCycle, split_cycles
from qcachegrind_py.analysis.costs.noise import Sampling, sample_count
from qcachegrind_py.analysis.costs.scope import BothSides, Scope
from qcachegrind_py.analysis.costs.sums import GrossChange, gross_change
from qcachegrind_py.analysis.costs.totals import Total
from qcachegrind_py.analysis.filters.conditions import BaseSide
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.ids import PartId, function_ids
from qcachegrind_py.profile.profile import Numbering, Profile, merge_numbered
from qcachegrind_py.profile.progress import NoProgress, PartialProgress, Progress
from qcachegrind_py.profile.rows import Column, Rows
from qcachegrind_py.profile.tables import (
    UNKNOWN,
    BoolArray,
    Calls,
    Costs,
    Functions,
    HalvedColumn,
    Int32Array,
    Jumps,
    StringTable,
)

_Rows = TypeVar("_Rows", Costs, Calls, Jumps)

_RENUMBERED = ("part", "function", "caller", "callee", "target_function", "file", "target_file")
_SCOPES = 6  # of which results are kept: both sides, with and without cycles, and two more


@frozen(slots=False)
class Comparison(Rows):
    """Two profiles compared. Rows are the functions of the merged profile of `queries`."""

    base_profile: Profile  # equal to that given, with its rows in common with the merged one
    new_profile: Profile
    pairing: Pairing
    queries: ProfileQueries  # on both sides together: the parts of the new side come first
    cycles: bool = True
    scopes: tuple[Scope, Scope] | None = None  # base and new; by default all parts of each

    def within(self, base: Scope, new: Scope) -> Self:
        """Return the comparison of other scopes: of chosen parts, or with other cycles.

        Both are in the frame of this comparison.
        """
        return replace(self, cycles=new.cycles, scopes=(base, new))

    @cached_property
    def new(self) -> Scope:
        """The scope of the new side, in the frame of both."""
        if self.scopes is not None:
            return self.scopes[1]
        return self._scope(range(len(self.new_profile.parts)))

    @cached_property
    def base(self) -> Scope:
        """The scope of the base, in the frame of both."""
        if self.scopes is not None:
            return self.scopes[0]
        first = len(self.new_profile.parts)
        return self._scope(range(first, first + len(self.base_profile.parts)))

    def _scope(self, parts: range) -> Scope:
        frame = frozenset(map(PartId, range(len(self.queries.profile.parts))))
        return Scope(frozenset(map(PartId, parts)), self.cycles, frame=frame)

    # ---------------------------------------------------------------- events

    @property
    def events(self) -> tuple[EventType, ...]:
        """The events that both sides have, in the order of the new one, and those of the user."""
        base, new = self._side_events()
        common = set(base) & set(new)
        events = self.queries.events
        missing = {name for name in events.names if name not in common}
        return tuple(event for event in events.all if not _depends_on(events, event, missing))

    @property
    def only_base(self) -> tuple[str, ...]:
        """The measured events that only the base has."""
        base, new = self._side_events()
        return _without(base, new)

    @property
    def only_new(self) -> tuple[str, ...]:
        """The measured events that only the new side has."""
        base, new = self._side_events()
        return _without(new, base)

    def sides_without(self, event: EventType) -> tuple[bool, bool]:
        """Return whether the base and whether the new side lacks an event, or part of it."""
        events = self.queries.events
        base, new = (
            _depends_on(events, event, set(events.names) - set(names))
            for names in self._side_events()
        )
        return base, new

    def _side_events(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the measured events of the base and of the new side."""
        return self.base_profile.events.names, self.new_profile.events.names

    # ---------------------------------------------------------------- functions

    def self_cost(self, event: EventType) -> BothSides:
        """Return the self costs of all functions and cycles, shape (nodes,)."""
        return BothSides(
            self.queries.self_cost(event, self.base), self.queries.self_cost(event, self.new)
        )

    def inclusive(self, event: EventType) -> BothSides:
        """Return the inclusive costs of all functions and cycles, shape (nodes,)."""
        return BothSides(
            self.queries.inclusive(event, self.base), self.queries.inclusive(event, self.new)
        )

    def sampling(self, event: EventType) -> Sampling | None:
        """Return of how many samples the costs of both sides are; None if one side's are exact."""
        scopes, profile = (self.base, self.new), self.queries.profile
        before, now = (sample_count(profile, event, scope.parts) for scope in scopes)
        if not before or not now:
            return None
        base, new = (int(total.base) for total in self.total(event))
        return Sampling((before, now), (base, new)) if base > 0 and new > 0 else None

    def is_changed(self, event: EventType) -> BoolArray | None:
        """Return which functions and cycles changed by more than chance, shape (nodes,).

        In self or inclusive cost. None where a cost is what it is, and any change one.
        """
        if (samples := self.sampling(event)) is None:
            return None
        own, inclusive = self.self_cost(event), self.inclusive(event)
        return samples.is_beyond(own) | samples.is_beyond(inclusive)

    @cached_property
    def called(self) -> BothSides:
        """How often functions and cycles were called, shape (nodes,)."""
        base, new = (self.queries.costs(scope).called for scope in (self.base, self.new))
        return BothSides(base, new)

    @cached_property
    def in_base(self) -> BoolArray:
        """Whether the base has the function, shape (functions,)."""
        return self._occurs(self.pairing.row_of_base)

    @cached_property
    def in_new(self) -> BoolArray:
        """Whether the new side has the function, shape (functions,)."""
        return self._occurs(self.pairing.row_of_new)

    def _occurs(self, rows: Int32Array) -> BoolArray:
        occurs = np.zeros(len(self.pairing), bool)
        occurs[rows[rows >= 0]] = True
        return occurs

    @cached_property
    def split_cycles(self) -> tuple[SplitCycle, ...]:
        """The cycles that are others, or none, on one side alone; none without cycles."""
        return split_cycles(self.queries.profile, self._cycle, self._scopes_of_cycles)

    @property
    def split_cycle(self) -> Int32Array:
        """The number of such a cycle for each function in it, else 0, shape (functions,).

        Its inclusive cost on a side may be another than in a report of that side alone.
        """
        numbers = [each.number for each in self.split_cycles]
        return np.where(np.isin(self._cycle, numbers), self._cycle, 0).astype(np.int32)

    @property
    def _cycle(self) -> Int32Array:
        return self.queries.costs(self.new).cycle[: len(self.pairing)]

    @property
    def _scopes_of_cycles(self) -> tuple[Scope, ...]:
        """The scopes of which each alone may have other cycles than all together."""
        return self.base, self.new

    @cached_property
    def renames(self) -> tuple[Rename, ...]:
        """Functions of one side each that may be the same by another name; none is paired."""
        return proposed_renames(self.base_profile, self.new_profile, self.pairing)

    def how(self, row: int) -> How:
        """Return by which rule the function was found on both sides."""
        return self.pairing.how[row]

    def base_side(self, event: EventType) -> BaseSide:
        functions = slice(len(self.pairing))
        changed = self.is_changed(event)
        return BaseSide(
            self.self_cost(event).base[functions],
            self.inclusive(event).base[functions],
            self.called.base[functions],
            self.total(event)[0].base,
            ~self.in_base,
            ~self.in_new,
            np.array([how is How.MOVED for how in self.pairing.how], bool),
            None if changed is None else changed[functions],
        )

    # ---------------------------------------------------------------- for exploring

    def columns(self) -> dict[str, Column]:
        """Return name, place and rule of pairing of each function, its counts and costs."""
        count = len(self.pairing)
        names, called = self.queries.profile.named_functions(range(count)), self.called
        found = {"how": [how.value or self._side(row) for row, how in enumerate(self.pairing.how)]}
        counts = {"called_base": called.base[:count], "called_new": called.new[:count]}
        costs: dict[str, Column] = {}
        for event in self._measured:
            for kind, sides in (
                ("self", self.self_cost(event)),
                ("inclusive", self.inclusive(event)),
            ):
                costs[f"{kind}_{event.name}_base"] = sides.base[:count]
                costs[f"{kind}_{event.name}_new"] = sides.new[:count]
                costs[f"{kind}_{event.name}_change"] = sides.change[:count]
        return {**names, **found, **counts, **costs}

    def _side(self, row: int) -> str:
        return "new" if self.in_new[row] else "gone"

    @property
    def ranked_by(self) -> str:
        """The change of the self cost in the first event."""
        return f"self_{self._measured[0].name}_change" if self._measured else ""

    @property
    def _measured(self) -> tuple[EventType, ...]:
        return tuple(event for event in self.events if not event.is_derived)

    # ---------------------------------------------------------------- totals

    def total(self, event: EventType) -> tuple[Total, Total]:
        """Return the totals of the base and of the new side, each by its own summaries."""
        base, new = (self.queries.total(event, scope.parts) for scope in (self.base, self.new))
        return base, new

    def gross_change(self, event: EventType) -> GrossChange:
        """Return the growth and the shrinkage of the functions; the event is no ratio.

        They add up to the change of the counted totals.
        """
        functions, sides = len(self.pairing), self.self_cost(event)
        costs = (sides.base, sides.new, sides.change)
        return gross_change(*(each[:functions] for each in costs))

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """What differs between the runs besides the code; none if they are comparable."""
        return tuple(differences(self.base_profile, self.new_profile))


def compare(
    base: Profile,
    new: Profile,
    rules: MatchingRules = NO_RULES,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two profiles: pair their functions, and merge them into one profile.

    Large profiles take as long as reading them, so it belongs in a job; raises `Cancelled`.
    """
    progress = progress or NoProgress()
    pairing = pair_with_renames(base, new, rules, PartialProgress(progress, 0, 0.5))
    progress.check(0.5)
    merged = _merge_sides(base, new, pairing)
    progress.check(1)
    sides = _sharing_rows(base, merged, is_base=True), _sharing_rows(new, merged, is_base=False)
    return Comparison(*sides, pairing, ProfileQueries(merged, scopes=_SCOPES))


def _depends_on(events: EventTypes, event: EventType, missing: set[str]) -> bool:
    """Whether the costs of an event depend on a measured event that a side does not have."""
    return any(each.name in missing for each in events.constituents(event))


def _without(names: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in others)


# ---------------------------------------------------------------- rows that stand out

CYCLE_DIFFERS = "cycle differs"


class Mark(IntEnum):
    """How a row stands out."""

    NONE = 0
    NEW = 1  # only the new side has the function
    GONE = 2  # only the base has it
    MOVED = 3  # to another file
    FAMILY = 4  # several functions, which differ in what builds and processors add to names
    RENAMED = 5  # as the user said
    PROPOSED = 6  # of one side only, but much alike a function of the other with another name
    CYCLE = 7  # its cycle is another one, or none, on one side alone


MARK_WORDS = {
    Mark.NONE: "",
    Mark.NEW: "new",
    Mark.GONE: "gone",
    Mark.MOVED: "moved",
    Mark.FAMILY: "family",
    Mark.RENAMED: "renamed",
    Mark.PROPOSED: "renamed?",
    Mark.CYCLE: CYCLE_DIFFERS,
}
_MARK_OF = {How.MOVED: Mark.MOVED, How.ACCEPTED: Mark.RENAMED, How.RULE: Mark.RENAMED}


def row_marks(compared: Comparison) -> Int32Array:
    """Return the mark of each function, shape (functions,)."""
    pairing = compared.pairing
    marks = np.where(compared.split_cycle > 0, Mark.CYCLE, Mark.NONE).astype(np.int32)
    hows = np.array([_MARK_OF.get(how, Mark.NONE) for how in pairing.how], np.int32)
    marks[hows > 0] = hows[hows > 0]
    for rows in (pairing.row_of_base, pairing.row_of_new):
        marks[_counts(rows, len(pairing)) > 1] = Mark.FAMILY
    marks[list(pairing.names)] = Mark.FAMILY
    marks[~compared.in_base] = Mark.NEW
    marks[~compared.in_new] = Mark.GONE
    for rename in compared.renames:
        marks[pairing.row_of_base[rename.base]] = Mark.PROPOSED
        marks[pairing.row_of_new[rename.new]] = Mark.PROPOSED
    return marks


def _counts(rows: Int32Array, length: int) -> Int32Array:
    """Return how many functions of a side each row has."""
    return np.bincount(rows[rows >= 0], minlength=length).astype(np.int32)


def member_names(compared: Comparison, row: int) -> tuple[list[str], list[str]]:
    """Return the recorded names of the members of a row, of the base and of the new side."""
    pairing = compared.pairing
    base, new = (
        [profile.function_name(function) for function in function_ids(members)]
        for profile, members in (
            (compared.base_profile, pairing.base_members(row)),
            (compared.new_profile, pairing.new_members(row)),
        )
    )
    return base, new


# ---------------------------------------------------------------- one profile of both sides


def _merge_sides(base: Profile, new: Profile, pairing: Pairing) -> Profile:
    """Merge both profiles; the functions of the result are the rows of the pairing.

    Files and objects have the paths of the new side, those of the base alone their own.
    """
    texts = _Texts()
    new_text = texts.add(new)
    base_name = texts.add(base)
    base_path = texts.add(base, pairing.counterparts.files)
    base_object = texts.add(base, pairing.counterparts.objects)
    functions = Functions(*(np.zeros(len(pairing), np.int32) for _ in range(3)))
    for rows, table, of_name, of_file, of_object in (
        (pairing.row_of_base, base.functions, base_name, base_path, base_object),
        (pairing.row_of_new, new.functions, new_text, new_text, new_text),  # overrules the base
    ):
        functions.name[rows] = of_name[table.name]
        functions.file[rows] = of_file[table.file]
        functions.object[rows] = of_object[table.object]
    for row, name in pairing.names.items():
        functions.name[row] = texts.number(name)
    numberings = [
        Numbering(pairing.row_of_new, new_text),
        Numbering(pairing.row_of_base, base_path),
    ]
    return merge_numbered((new, base), numberings, texts.table(), functions)


def _sharing_rows(profile: Profile, merged: Profile, *, is_base: bool) -> Profile:
    """Return a profile that has its rows in common with the merged one, where they are equal.

    Two profiles of 100 MB and the merged one take 230 MB less then, once the first are released.
    """
    if profile.events.names != merged.events.names:
        return profile
    return replace(
        profile,
        costs=_shared(profile.costs, merged.costs, is_base),
        calls=_shared(profile.calls, merged.calls, is_base),
        jumps=_shared(profile.jumps, merged.jumps, is_base),
    )


def with_own_rows(profile: Profile) -> Profile:
    """Return a profile that has no rows in common with a merged one, which can be released."""
    return replace(
        profile,
        costs=_copied(profile.costs),
        calls=_copied(profile.calls),
        jumps=_copied(profile.jumps),
    )


def _copied(rows: _Rows) -> _Rows:
    columns: dict[str, Any] = {}
    for field in fields(rows):
        column = getattr(rows, field.name)
        if isinstance(column, HalvedColumn):
            columns[field.name] = column.copy()
        elif column is not None and column.base is not None:
            columns[field.name] = column.copy()
            columns[field.name].flags.writeable = False
    return replace(rows, **columns)


def _shared(own: _Rows, merged: _Rows, is_base: bool) -> _Rows:
    """Return the columns of one side; only those with new numbers in the merged one are its own."""
    count = len(own)
    rows = slice(len(merged) - count, None) if is_base else slice(count)
    columns: dict[str, Any] = {}
    for field in fields(own):
        column = getattr(own, field.name)
        if field.name not in _RENUMBERED and column is not None:
            column = getattr(merged, field.name)
            is_halved = isinstance(column, HalvedColumn)
            columns[field.name] = column.view((..., rows)) if is_halved else column[..., rows]
    return replace(own, **columns)


class _Texts:
    """The texts of both sides, each once."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {UNKNOWN.encode(): 0}

    def add(self, profile: Profile, renamed: dict[str, str] | None = None) -> Int32Array:
        """Return the number of each text of the profile, shape (texts,); `renamed` are others."""
        others = {_encoded(text): _encoded(other) for text, other in (renamed or {}).items()}
        words = profile.texts.raw_strings()
        numbers = self._numbers
        return np.array(
            [numbers.setdefault(others.get(word, word), len(numbers)) for word in words], np.int32
        )

    def number(self, text: str) -> int:
        return self._numbers.setdefault(_encoded(text), len(self._numbers))

    def table(self) -> StringTable:
        return StringTable.from_bytes(self._numbers)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
