"""Histories: the costs of each function in each revision of a program, with steps and trends.

One profile is read after the other, and only its sums are retained. Each is paired with the one
before, so that functions are followed from each revision to the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.comparison.matching import Pairing, pair_with_renames
from qcachegrind_py.analysis.comparison.sides import NO_RULES, Identity, MatchingRules
from qcachegrind_py.analysis.costs.function_costs import function_costs
from qcachegrind_py.analysis.costs.noise import SampledRevisions, sample_count
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.costs.totals import total
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import UnreadableFile
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, format_formula
from qcachegrind_py.profile.ids import NO_NODE, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, PartialProgress, Progress
from qcachegrind_py.profile.rows import Column, Rows, costs_by_event
from qcachegrind_py.profile.tables import (
    BoolArray,
    Functions,
    Int32Array,
    Int64Array,
    StringTable,
    at_rows,
)

Load = Callable[[str, Progress], Profile]  # reads the profile in a file

_FIRST_READING = 0.9  # of the progress; the rest is for revisions that are read again
_LOADING = 0.8  # of the progress of a revision; the rest is for pairing and summing up
_CHECK_INTERVAL = 5000  # functions
_MOST_SAMPLES = 2**62  # of a revision; the parts of a hostile file may have more together


@frozen(eq=True)
class Revision:
    """A profile that a history is to be read from."""

    label: str  # what the user calls the revision
    file: str


@frozen(slots=False)
class History(Rows):
    """The costs of many profiles: a row for each function, a column for each revision.

    A function that a revision does not have costs 0 there. Cycles are those of each revision.
    """

    labels: tuple[str, ...]  # of the revisions, the oldest first
    files: tuple[str, ...]
    functions: tuple[Identity, ...]  # name, file and object as in the newest revision that has it
    event_types: EventTypes  # those that all revisions have; derived ones with all constituents
    # of each measured event: shape (events, functions, revisions)
    self_values: Int64Array
    inclusive_values: Int64Array
    called: Int64Array  # recursive calls included: shape (functions, revisions)
    present: BoolArray  # whether the revision has the function, shape (functions, revisions)
    members: Int64Array  # shape (functions,): the most that a revision has in a row, of a family
    recorded: Int64Array  # total of each event by the summaries or 0, shape (events, revisions)
    has_recorded: BoolArray  # shape (revisions,)
    samples: Int64Array  # which costs are of; 0 where they are exact, shape (events, revisions)

    @property
    def events(self) -> tuple[EventType, ...]:
        """The events that all revisions have; of derived ones, they have all constituents."""
        return self.event_types.all

    def event(self, name: str) -> EventType | None:
        """Return the event with this name, or None if a revision lacks it."""
        return self.event_types.find(name)

    def self_cost(self, event: EventType) -> CostArray:
        """Return the self costs, shape (functions, revisions): int64 if 64 bits suffice."""
        return self.event_types.evaluate(event, self.self_values)

    def inclusive(self, event: EventType) -> CostArray:
        """Return the inclusive costs, shape (functions, revisions): int64 if 64 bits suffice."""
        return self.event_types.evaluate(event, self.inclusive_values)

    def totals(self, event: EventType) -> CostArray:
        """Return the total of each revision, shape (revisions,): int64 if 64 bits suffice.

        It is the recorded one where that is at least the sum of the self costs (docs/design.md,
        reading rule 6).
        """
        counted = self.event_types.evaluate(event, self._counted)
        recorded = self.event_types.evaluate(event, self.recorded)
        totals: CostArray = np.where(self.has_recorded & (recorded >= counted), recorded, counted)
        return totals

    def sampled(self, event: EventType) -> SampledRevisions | None:
        """Return of how many samples the costs of each revision are; None if all are exact."""
        if event.is_derived:
            return None
        samples = self.samples[self.event_types.names.index(event.name)]
        return SampledRevisions(samples, self.totals(event)) if samples.any() else None

    def columns(self) -> dict[str, Column]:
        """Return a row for each function and each revision that has it, by function."""
        function, revision = np.nonzero(self.present)
        names = [self.functions[row] for row in function.tolist()]
        keys = ("name", "file", "object")
        events = self.event_types.names
        return {
            **{key: [name[place] for name in names] for place, key in enumerate(keys)},
            "revision": [self.labels[number] for number in revision.tolist()],
            "called": self.called[function, revision],
            **costs_by_event(
                events,
                self=self.self_values[:, function, revision],
                inclusive=self.inclusive_values[:, function, revision],
            ),
        }

    @cached_property
    def _counted(self) -> Int64Array:
        counted: Int64Array = self.self_values.sum(axis=1)
        return counted


@frozen(slots=False)
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
        return {name: row for (name, *_), row in self._rows.items() if counts[name] == 1}


def best_and_median(totals: Sequence[int | float]) -> tuple[int, int]:
    """Return which revisions have the lowest and the median total, of equal ones the newest.

    Of an even number, the median is the lower one of the two in the middle.
    """
    in_order = sorted(totals)
    newest = {total: number for number, total in enumerate(totals)}
    return newest[in_order[0]], newest[in_order[(len(in_order) - 1) // 2]]


# ---------------------------------------------------------------- reading


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
        self._sums: list[_RevisionSums] = []

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
                self._chain = _Chain(profile)
            else:
                rows = self._chain.newest_rows
                self._chain.add(profile, pair_with_renames(before, profile, self._rules))
                self._sum_up(before, self._chain.joined_rows(rows))
            before = profile
            part.check(1)
        if before is not None:
            self._sum_up(before, self._chain.newest_rows)

    def _sum_up(self, profile: Profile, rows: Int64Array) -> None:
        self._sums.append(_revision_sums(profile, rows, cycles=self._cycles))

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
            self._sums[index] = _revision_sums(profile, joined_rows, cycles=self._cycles)

    def history(self) -> History:
        """Put the sums of all revisions side by side; to be called once, as the sums are freed."""
        identities = self._chain.identities()
        rows = sorted(identities)
        place = np.full(max(rows, default=0) + 1, -1, np.int64)
        place[rows] = np.arange(len(rows))
        history = _empty_history(
            self._revisions,
            tuple(identities[row] for row in rows),
            _common_events([sums.events for sums in self._sums]),
        )
        self._sums.reverse()
        for revision in range(len(self._revisions)):
            sums = self._sums.pop()
            _fill(history, revision, place[self._chain.joined_rows(sums.rows)], sums)
        return history


def _empty_history(
    revisions: Sequence[Revision], functions: tuple[Identity, ...], events: EventTypes
) -> History:
    shape, measured = (len(functions), len(revisions)), len(events.measured)
    return History(
        labels=tuple(revision.label for revision in revisions),
        files=tuple(revision.file for revision in revisions),
        functions=functions,
        event_types=events,
        self_values=np.zeros((measured, *shape), np.int64),
        inclusive_values=np.zeros((measured, *shape), np.int64),
        called=np.zeros(shape, np.int64),
        present=np.zeros(shape, bool),
        members=np.zeros(len(functions), np.int64),
        recorded=np.zeros((measured, len(revisions)), np.int64),
        has_recorded=np.zeros(len(revisions), bool),
        samples=np.zeros((measured, len(revisions)), np.int64),
    )


def _fill(history: History, revision: int, rows: Int64Array, sums: _RevisionSums) -> None:
    """Fill in a revision; `rows` are the distinct rows of the functions of its sums."""
    own = [sums.events.names.index(name) for name in history.event_types.names]
    history.self_values[:, rows, revision] = sums.self_values[own]
    history.inclusive_values[:, rows, revision] = sums.inclusive_values[own]
    history.called[rows, revision] = sums.called
    history.present[rows, revision] = True
    history.samples[:, revision] = sums.samples[own]
    history.members[rows] = np.maximum(history.members[rows], sums.members)
    if sums.recorded is not None:
        history.recorded[:, revision] = [sums.recorded[event] for event in own]
        history.has_recorded[revision] = True


def _common_events(tables: Sequence[EventTypes]) -> EventTypes:
    """Return the events that all tables have, in the order of the last one.

    Of a derived event, that is defined as there, they have all measured events it consists of.
    """
    newest = tables[-1]
    common = set(newest.names).intersection(*(table.names for table in tables))
    measured = tuple(event for event in newest.measured if event.name in common)
    derived = tuple(event for event in newest.derived if _consists_of(newest, event, common))
    return EventTypes(measured, derived)


def _consists_of(events: EventTypes, event: EventType, common: set[str]) -> bool:
    if event.is_ratio:
        return False
    weights = zip(events.names, events.weights(event), strict=True)
    return all(name in common for name, weight in weights if weight)


# ---------------------------------------------------------------- following functions


class _Chain:
    """Numbers the functions of revisions that are paired one by one, the oldest first.

    Rows of functions that turn out to be a family later are joined, and one that is gone is
    remembered by its identity, under which it may come back.
    """

    def __init__(self, first: Profile) -> None:
        """Begin with the oldest revision, of which each function has a row."""
        self._newest = first
        self._rows = np.arange(len(first.functions), dtype=np.int64)  # of the newest revision
        self._joined = self._rows.copy()  # for each row, one that it was joined to, or itself
        self._family_names: dict[int, str] = {}  # of rows of the newest revision
        self._families: set[int] = set()  # rows that have had several functions at once
        self._identities: dict[int, Identity] = {}  # of rows that are gone
        self._gone: dict[Identity, int] = {}

    @property
    def newest_rows(self) -> Int64Array:
        """The row of each function of the newest revision, shape (functions,)."""
        return self.joined_rows(self._rows)

    def add(self, profile: Profile, pairing: Pairing) -> None:
        """Follow the functions of the newest revision to the next one."""
        row_of_pair = np.full(len(pairing), -1, np.int64)
        base = self.newest_rows
        row_of_pair[pairing.row_of_base[::-1]] = base[::-1]  # the first function rules
        for function in np.flatnonzero(row_of_pair[pairing.row_of_base] != base).tolist():
            self._join(int(base[function]), int(row_of_pair[pairing.row_of_base[function]]))
        self._remember_gone(pairing)
        self._newest = profile
        self._add_rows(row_of_pair, pairing.row_of_new)
        self._rows = row_of_pair[pairing.row_of_new]
        self._name_families(row_of_pair, pairing)

    def _name_families(self, row_of_pair: Int64Array, pairing: Pairing) -> None:
        """Name the families of the newest revision, and those that former ones have been."""
        for rows in (self.joined_rows(row_of_pair[pairing.row_of_base]), self.newest_rows):
            several, counts = np.unique(rows, return_counts=True)
            self._families.update(several[counts > 1].tolist())
        former = {self._joined_row(row): name for row, name in self._family_names.items()}
        self._family_names = {
            **{row: name for row, name in former.items() if row in self._families},
            **{self._joined_row(int(row_of_pair[pair])): n for pair, n in pairing.names.items()},
        }

    def joined_rows(self, rows: Int64Array) -> Int64Array:
        """Return the rows to which these ones belong by now."""
        while not np.array_equal(joined := self._joined[rows], rows):
            rows = joined
        return rows

    def identities(self) -> dict[int, Identity]:
        """Return name, file and object of each row, as in the newest revision that has it.

        The first function of a row rules; a row that was a family in any revision has its name.
        """
        self._identify(np.arange(len(self._rows)))
        return {self._joined_row(row): each for row, each in self._identities.items()}

    # ---------------------------------------------------------------- rows

    def _add_rows(self, row_of_pair: Int64Array, row_of_new: Int32Array) -> None:
        """Fill in the rows of functions that are back, or new."""
        added = np.flatnonzero(row_of_pair[row_of_new] < 0)
        count = len(self._joined)
        for function, identity in zip(added, _identities(self._newest, added), strict=True):
            row = self._gone.pop(identity, count)
            row_of_pair[row_of_new[function]] = row
            count += row == count
        self._joined = np.append(self._joined, np.arange(len(self._joined), count))

    def _join(self, row: int, other: int) -> None:
        one, two = sorted((self._joined_row(row), self._joined_row(other)))
        self._joined[two] = one

    def _joined_row(self, row: int) -> int:
        while self._joined[row] != row:
            row = int(self._joined[row])
        return row

    def _remember_gone(self, pairing: Pairing) -> None:
        is_new = np.zeros(len(pairing), bool)
        is_new[pairing.row_of_new] = True
        gone = np.flatnonzero(~is_new[pairing.row_of_base])
        rows = self.newest_rows[gone].tolist()
        self._gone |= dict(zip(_identities(self._newest, gone), rows, strict=True))
        self._identify(gone)

    def _identify(self, functions: Int64Array) -> None:
        """Store what functions of the newest revision are called."""
        backwards = functions[::-1]
        rows = self.newest_rows[backwards].tolist()
        self._identities |= dict(zip(rows, _identities(self._newest, backwards), strict=True))
        for row in self._family_names.keys() & rows:
            _, file, object_ = self._identities[row]
            self._identities[row] = self._family_names[row], file, object_


def _identities(profile: Profile, functions: Int64Array) -> list[Identity]:
    """Return name, file and object of these functions, as recorded."""
    table = profile.functions
    columns = (table.name, table.file, table.object)
    texts = (profile.texts.lookup(text_ids(column[functions])) for column in columns)
    return list(zip(*texts, strict=True))


# ---------------------------------------------------------------- the sums of a revision


@frozen(kw_only=True)
class StoredRun(Profile):
    """A profile of which only the sums of functions were kept: without lines and calls.

    Of a family its members are added up, with what they cost in calls to each other.
    """

    inclusive: Int64Array  # shape (events, functions)
    called: Int64Array  # shape (functions,)


@frozen
class _RevisionSums:
    """What remains of a profile; `values` have the shape (events, rows)."""

    row_of_function: Int64Array  # shape (functions,): the row in the history of each function
    rows: Int64Array  # the rows that the revision has, in the history
    members: Int64Array  # how many of its functions are in each of them, shape (rows,)
    self_values: Int64Array
    inclusive_values: Int64Array
    called: Int64Array  # shape (rows,)
    events: EventTypes
    recorded: tuple[int, ...] | None  # the total of each measured event by the summaries
    samples: Int64Array  # of each measured event


def _revision_sums(profile: Profile, row_of_function: Int64Array, *, cycles: bool) -> _RevisionSums:
    """Sum up a profile by the rows that its functions have in the history, shape (functions,).

    Functions of one row are one function, so that calls between them are recursive.
    """
    rows, first, place, members = np.unique(
        row_of_function, return_index=True, return_inverse=True, return_counts=True
    )
    if len(rows) == len(row_of_function):
        rows = row_of_function
    else:
        profile = _with_functions(profile, first, place.astype(np.int32))
    costs = function_costs(profile, cycles=cycles)
    if isinstance(profile, StoredRun):
        costs = replace(costs, inclusive=profile.inclusive, called=profile.called)
    return _RevisionSums(
        row_of_function,
        rows,
        members,
        costs.self_cost,
        costs.inclusive,
        costs.called,
        profile.events,
        _recorded(profile),
        _samples(profile),
    )


def _samples(profile: Profile) -> Int64Array:
    counts = [sample_count(profile, event, ALL_PARTS) for event in profile.events.measured]
    return np.array([min(count, _MOST_SAMPLES) for count in counts], np.int64)


def _with_functions(profile: Profile, first: Int64Array, place: Int32Array) -> Profile:
    """Return the profile with the functions `first` only; `place` is the new one of each."""
    old, runs, calls = profile.functions, profile.runs, profile.calls
    if isinstance(profile, StoredRun):
        profile = replace(
            profile,
            inclusive=sums_by_group(profile.inclusive, place, len(first)),
            called=sums_by_group(profile.called, place, len(first)),
        )
    return replace(
        profile,
        functions=Functions(old.name[first], old.file[first], old.object[first]),
        runs=replace(runs, function=place[runs.function]),
        calls=replace(calls, caller=place[calls.caller], callee=place[calls.callee]),
    )


def _recorded(profile: Profile) -> tuple[int, ...] | None:
    totals = [total(profile, event, ALL_PARTS) for event in profile.events.measured]
    if all(event_total.recorded is None for event_total in totals):
        return None
    return tuple(int(item.counted if item.recorded is None else item.recorded) for item in totals)


# ---------------------------------------------------------------- in another profile


def nodes_of_functions(
    progress: Progress, functions: Sequence[Identity], profile: Profile
) -> Int64Array:
    """Return the function of a profile for each function of a history, or `NO_NODE`.

    It is that of equal name, file and object, or else the only one of that name on both sides:
    another revision may have been built in another folder. The result has the shape (functions,).
    """
    texts, table = profile.texts, profile.functions
    number = _text_numbers(texts, functions)
    found = np.full(len(functions), NO_NODE, np.int64)
    columns = (table.name.tolist(), table.file.tolist(), table.object.tolist())
    node_of = {key: node for node, key in enumerate(zip(*columns, strict=True))}
    with_name = _only_ones(columns[0])
    names_here = [number.get(name, -1) for name, _, _ in functions]
    only_here = _only_ones(names_here)
    for row, (_, file, object_) in enumerate(functions):
        if row % _CHECK_INTERVAL == 0:
            progress.check(row / len(functions))
        name = names_here[row]
        node = node_of.get((name, number.get(file, -1), number.get(object_, -1)))
        if node is None and name in only_here:
            node = with_name.get(name)
        if node is not None:
            found[row] = node
    return found


def _text_numbers(texts: StringTable, functions: Sequence[Identity]) -> dict[str, int]:
    """Return the numbers that texts of functions have in a table; those it lacks are left out."""
    wanted = {text for identity in functions for text in identity}
    every = texts.lookup(text_ids(np.arange(len(texts))))
    return {text: number for number, text in enumerate(every) if text in wanted}


def _only_ones(names: Sequence[int]) -> dict[int, int]:
    """Return the place of each name that is there once."""
    values, first, counts = np.unique(
        np.array(names, np.int64), return_index=True, return_counts=True
    )
    single = counts == 1
    return dict(zip(values[single].tolist(), first[single].tolist(), strict=True))


_NEIGHBOURS = 5  # values on each side whose median is their level
_LEAST_LENGTH = 3  # of a level, in revisions: what lasts shorter is an outlier
_FACTOR = 4  # by which a step exceeds the noise
_THREE_QUARTERS = 75  # percent
_MOST_VALUES = 1_000_000  # handled at a time, with a few numbers for each
_BITS = 60  # of a number whose distances can be added up in 64 bits


_Ends = Callable[[Int64Array], tuple[Int64Array, Int64Array]]
_Step = tuple[int, int, int, int]  # series, revision, level before and after


@frozen
class Steps(Rows):
    """Steps of several series; all arrays have the shape (steps,), by series and revision."""

    series: Int64Array
    revision: Int64Array  # the first one on the other level
    before: CostArray  # the level before, which is a value of the series
    after: CostArray

    def __len__(self) -> int:
        return len(self.series)

    @property
    def change(self) -> CostArray:
        """By how much the level changed; + is growth."""
        change: CostArray = self.after - self.before
        return change

    def columns(self) -> dict[str, Column]:
        """Return series, revision, levels and change of each step."""
        return {
            "series": self.series,
            "revision": self.revision,
            "before": self.before,
            "after": self.after,
            "change": self.change,
        }


def steps(values: CostArray, sampled: SampledRevisions | None = None) -> Steps:
    """Find the steps of series of costs, which are integers of shape (series, revisions).

    The level before a revision is the median of the five values before it, and that after it the
    median of the five from it on; of fewer at the ends. Where two values are in the middle, those
    that are closer to the other level count. There is a step where the levels differ

    - by more than four times the size that three quarters of the changes from one revision to the
      next do not exceed, of the whole series and of the neighbours. Of noise with a normal
      distribution these are 6.5 standard deviations.
    - by more than any value but a hundredth differs from the median of the five around it, since of
      values that usually are equal, a few may be others; by more than any but a twentieth where
      four of five values on each side are as far apart as above.
    - at an end, with a level of one or two revisions, by more than any value at all does so.

    It is put where the three closest values on each side fit best to their levels. What lasts for
    one or two revisions is an outlier and no step, but for the ends. Two values alone have neither
    noise nor a step. A step of samples is also larger than a change that chance makes.
    """
    series, revisions = values.shape
    found: list[_Step] = []
    if revisions > 2:
        block = max(1, _MOST_VALUES // revisions)
        for begin in range(0, series, block):
            some = values[begin : begin + block]
            for row, places in _places(_in_60_bits(some)):
                chosen = _apart(some[row].tolist(), places.tolist())
                found += ((begin + row, *step) for step in chosen)
    columns = list(zip(*found, strict=True)) or [()] * 4
    number, revision = (np.array(column, np.int64) for column in columns[:2])
    before, after = (np.array(column, values.dtype) for column in columns[2:])
    every = Steps(number, revision, before, after)
    if sampled is None:
        return every
    return at_rows(every, sampled.are_beyond(revision, before, after))


def _apart(values: list[int], places: list[int]) -> list[tuple[int, int, int]]:
    """Return revision and levels of the places that fit best, and are no part of the same step."""
    fits = sorted((_fit(values, place), place) for place in places)
    chosen: list[int] = []
    for _, place in fits:
        if all(abs(place - other) >= _LEAST_LENGTH for other in chosen):
            chosen.append(place)
    return [(place, *_levels(values, place)) for place in sorted(chosen)]


def _fit(values: list[int], place: int) -> tuple[int, int]:
    """Return how many of the closest values are on the wrong side, and how far all are off."""
    before, after = _levels(values, place)
    near = [(value, before) for value in values[max(0, place - _LEAST_LENGTH) : place]]
    near += [(value, after) for value in values[place : place + _LEAST_LENGTH]]
    off = [abs(value - level) for value, level in near]
    return sum(2 * each > abs(after - before) for each in off), sum(off)


def _levels(values: list[int], place: int) -> tuple[int, int]:
    """Return the levels before a revision and from it on."""
    before = sorted(values[max(0, place - _NEIGHBOURS) : place])
    after = sorted(values[place : place + _NEIGHBOURS])
    ends = [(side[(len(side) - 1) // 2], side[len(side) // 2]) for side in (before, after)]
    return (ends[0][1], ends[1][0]) if ends[1][0] > ends[0][1] else (ends[0][0], ends[1][1])


def _places(values: Int64Array) -> Iterator[tuple[int, Int64Array]]:
    """Yield the series whose level differs around a revision, with these revisions."""
    changing = np.flatnonzero((values != values[:, :1]).any(axis=1))
    values = values[changing]
    changes = np.abs(np.diff(values, axis=1))
    noise, distances = _not_exceeded(changes, _THREE_QUARTERS), _distances_around(values)
    frequent, usual, highest = (_not_exceeded(distances, share) for share in (95, 99, 100))
    is_step = np.zeros(values.shape, bool)
    for revision in range(1, values.shape[1]):
        least = np.maximum(noise, _not_exceeded(_around(changes, revision), _THREE_QUARTERS))
        is_short = min(revision, values.shape[1] - revision) < _LEAST_LENGTH
        gap = _gap(values, revision, _middle)
        is_unusual = gap > (highest if is_short else usual)
        if min(revision, values.shape[1] - revision) >= _NEIGHBOURS:
            is_clear = least <= (_gap(values, revision, _most) - 1) // _FACTOR
            is_unusual |= is_clear & (gap > frequent)
        is_step[:, revision] = is_unusual & (least <= (gap - 1) // _FACTOR)
    for row in np.flatnonzero(is_step.any(axis=1)).tolist():
        yield int(changing[row]), np.flatnonzero(is_step[row])


def _gap(values: Int64Array, revision: int, ends: _Ends) -> Int64Array:
    """Return how far the ends of the values on both sides of a revision are apart, or 0.

    The shape is (series,).
    """
    low, high = ends(values[:, max(0, revision - _NEIGHBOURS) : revision])
    other_low, other_high = ends(values[:, revision : revision + _NEIGHBOURS])
    gap: Int64Array = np.maximum(0, np.maximum(other_low - high, low - other_high))
    return gap


def _middle(values: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the two values in the middle of each row; of an odd number they are one."""
    ordered, count = np.sort(values, axis=1), values.shape[1]
    return ordered[:, (count - 1) // 2], ordered[:, count // 2]


def _most(values: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return between what all values but the most distant one of each row are."""
    ordered = np.sort(values, axis=1)
    is_high = ordered[:, -1] - ordered[:, -2] > ordered[:, 1] - ordered[:, 0]
    return (
        np.where(is_high, ordered[:, 0], ordered[:, 1]),
        np.where(is_high, ordered[:, -2], ordered[:, -1]),
    )


def _around(changes: Int64Array, revision: int) -> Int64Array:
    """Return the changes between the values on each side of a revision, not that between them."""
    step = revision - 1  # `changes[:, i]` is that from revision i to i + 1
    within = changes[:, max(0, step - _NEIGHBOURS + 1) : step]
    return np.hstack((within, changes[:, step + 1 : step + _NEIGHBOURS]))


def _distances_around(values: Int64Array) -> Int64Array:
    """Return how far each value that has two on each side is from the median of these five.

    A step between two levels of three revisions or more makes none of them greater.
    """
    width = 2 * (_LEAST_LENGTH - 1) + 1
    count = max(0, values.shape[1] - width + 1)
    shifted = np.stack([values[:, place : place + count] for place in range(width)])
    distances: Int64Array = np.abs(shifted[width // 2] - np.sort(shifted, axis=0)[width // 2])
    return distances


def _not_exceeded(sizes: Int64Array, percent: int) -> Int64Array:
    """Return the size that so many percent of each row do not exceed; 0 of none."""
    count = sizes.shape[1]
    if not count:
        return np.zeros(len(sizes), np.int64)
    place = percent * (count - 1) // 100
    size: Int64Array = np.partition(sizes, place, axis=1)[:, place]
    return size


def _in_60_bits(values: CostArray) -> Int64Array:
    """Return numbers in proportion to the values; the same unless these are huge."""
    if not values.size:
        return values.astype(np.int64)
    longest = max(int(values.max()).bit_length(), int(values.min()).bit_length())
    scaled: Int64Array = (values >> max(0, longest - _BITS)).astype(np.int64)
    return scaled


# ---------------------------------------------------------------- trends

_MOST_AT_AN_END = 5  # values whose median is the level at an end


@frozen
class Trends(Rows):
    """What several series of costs do over the revisions; arrays have the shape (series,)."""

    oldest: CostArray  # the level at the beginning
    trend: CostArray  # the level at the end less that
    largest_step: CostArray  # the change of the largest step; 0 without one
    step_revision: Int64Array  # its revision; -1 without one
    spread: CostArray  # the highest value less the lowest one
    steps: Steps

    def columns(self) -> dict[str, Column]:
        """Return what is known of each series."""
        return {
            "oldest": self.oldest,
            "trend": self.trend,
            "largest_step": self.largest_step,
            "step_revision": self.step_revision,
            "spread": self.spread,
        }


def trends(values: CostArray, sampled: SampledRevisions | None = None) -> Trends:
    """Describe series of costs, which are integers of shape (series, revisions).

    The level at each end is the median of five revisions, of three if there are less than ten, and
    of one if there are less than six. Steps are those of `steps`.
    """
    found = steps(values, sampled)
    largest, revision = np.zeros(len(values), values.dtype), np.full(len(values), -1, np.int64)
    order = np.argsort(abs(found.change), kind="stable")  # the largest one of a series is last
    largest[found.series[order]] = found.change[order]
    revision[found.series[order]] = found.revision[order]
    count = min(_MOST_AT_AN_END, max(1, values.shape[1] // 2))
    count -= count % 2 == 0
    ends = (np.sort(end, axis=1)[:, count // 2] for end in (values[:, :count], values[:, -count:]))
    oldest, newest = ends
    spread: CostArray = values.max(axis=1) - values.min(axis=1)
    return Trends(oldest, newest - oldest, largest, revision, spread, found)


# ---------------------------------------------------------------- costs of one event


@frozen
class Courses:
    """One cost of several functions over the revisions, and its steps."""

    values: CostArray  # shape (functions, revisions)
    trends: Trends
    begin: Int64Array  # where the steps of each function begin, shape (functions + 1,)

    def steps_of(self, function: int) -> tuple[Int64Array, CostArray, CostArray]:
        """Return the revisions at which a function steps, and the levels before and after."""
        found = slice(int(self.begin[function]), int(self.begin[function + 1]))
        steps = self.trends.steps
        return steps.revision[found], steps.before[found], steps.after[found]


@frozen
class EventCosts:
    """The costs of an event over the revisions."""

    event: EventType
    inclusive: Courses
    self_cost: Courses
    total: Courses  # one row


def event_costs(
    progress: Progress, history: History, events: EventTypes, event: EventType
) -> EventCosts | None:
    """Compute the costs of an event of the open profile; None if a revision lacks it.

    `events` are those of the open profile, by which derived events are defined.
    """
    found = event_in(history, events, event)
    if found is None:
        return None
    progress.check(0.0)
    sampled = history.sampled(found)
    inclusive = courses(history.inclusive(found), sampled)
    progress.check(0.5)
    self_cost = courses(history.self_cost(found), sampled)
    return EventCosts(event, inclusive, self_cost, courses(history.totals(found).reshape(1, -1)))


def courses(values: CostArray, sampled: SampledRevisions | None = None) -> Courses:
    """Describe the rows of values, shape (functions, revisions)."""
    described = trends(values, sampled)
    begin = np.searchsorted(described.steps.series, np.arange(len(values) + 1)).astype(np.int64)
    return Courses(values, described, begin)


def event_in(history: History, events: EventTypes, event: EventType) -> EventType | None:
    """Return an event of the open profile for a history; None if a revision lacks it.

    A derived event is the sum that it is in the open profile, in all revisions. Ratios are no sums,
    and have no history.
    """
    if event.is_ratio:
        return None
    weights = zip(events.weights(event), events.names, strict=True)
    formula = tuple((weight, name) for weight, name in weights if weight)
    measured = {known.name: known for known in history.events if not known.is_derived}
    if not {name for _, name in formula} <= set(measured):
        return None
    if not event.is_derived:
        return measured[event.name]
    # costs are evaluated by name: one that no other event has, measured or of another formula
    return EventType(f"= {format_formula(formula)}", event.long_name, formula)
