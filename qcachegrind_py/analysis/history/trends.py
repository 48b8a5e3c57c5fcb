"""Series of costs over revisions: steps to another level, beyond noise, and trends."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from qcachegrind_py.analysis.history.history import History
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, format_formula
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.rows import Column, Rows
from qcachegrind_py.profile.tables import Int64Array

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


def steps(values: CostArray) -> Steps:
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
    noise nor a step.
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
    return Steps(number, revision, before, after)


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


def trends(values: CostArray) -> Trends:
    """Describe series of costs, which are integers of shape (series, revisions).

    The level at each end is the median of five revisions, of three if there are less than ten, and
    of one if there are less than six. Steps are those of `steps`.
    """
    found = steps(values)
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
    inclusive = courses(history.inclusive(found))
    progress.check(0.5)
    self_cost = courses(history.self_cost(found))
    return EventCosts(event, inclusive, self_cost, courses(history.totals(found).reshape(1, -1)))


def courses(values: CostArray) -> Courses:
    """Describe the rows of values, shape (functions, revisions)."""
    described = trends(values)
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
