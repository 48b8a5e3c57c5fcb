"""The lines of the profile's files that a number is the sum of, by part and source line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from qcachegrind_py.analysis.explanation.numbers import Explanation, ProfileSum
from qcachegrind_py.formats.records.finding import Record, find_records
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int32Array, Int64Array
from qcachegrind_py.visible_text import visible_text

LIMIT = 200  # records found by default: 18 MB take 0.2 s, of which 0.1 s are for these


@dataclass(frozen=True, slots=True)
class RecordValue:
    """A record, and what it adds to the number: a value for each measured event, or a count."""

    record: Record
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RecordGroup:
    """The records of a part and a source line."""

    part: int  # index of the part
    file: str  # the source file, as recorded
    line: int
    records: tuple[RecordValue, ...]

    @property
    def values(self) -> tuple[int, ...]:
        """The sums of the records."""
        columns = zip(*(record.values for record in self.records), strict=True)
        return tuple(map(sum, columns))


def record_groups(
    profile: Profile, explained: Explanation, progress: Progress, limit: int = LIMIT
) -> list[RecordGroup]:
    """Return the first records of a number, in the order of the file.

    Raises `RecordsNotFound`, the errors of loading, and `Cancelled`.
    """
    rows = _first(explained.rows, limit)
    costs, calls = find_records(profile.paths, rows.costs, rows.calls, progress)
    places = [*_places(profile, rows)]
    values = _values(profile, explained, rows)
    added = [
        (place, RecordValue(record, value))
        for place, record, value in zip(places, [*costs, *calls], values, strict=True)
    ]
    return [
        RecordGroup(part, visible_text(profile.texts[file]), line, tuple(each for _, each in group))
        for (part, file, line), group in groupby(sorted(added, key=_position), lambda item: item[0])
    ]


_Place = tuple[int, int, int]  # part, file, line


def _position(item: tuple[_Place, RecordValue]) -> tuple[_Place, str, int]:
    place, added = item
    return place, added.record.path, added.record.line


def _first(rows: ProfileSum, limit: int) -> ProfileSum:
    """Return the first rows; those of costs come first."""
    costs = rows.costs[:limit]
    return ProfileSum(costs, rows.calls[: limit - len(costs)])


def _places(profile: Profile, rows: ProfileSum) -> Iterator[_Place]:
    """Yield part, file and line of each row, costs first."""
    runs, calls = profile.runs, profile.calls
    run = np.searchsorted(runs.start, rows.costs, side="right") - 1
    yield from _zipped(runs.part[run], runs.file[run], profile.costs.line[rows.costs])
    yield from _zipped(calls.part[rows.calls], calls.file[rows.calls], calls.line[rows.calls])


def _zipped(*columns: Int32Array) -> Iterator[_Place]:
    yield from zip(*(column.tolist() for column in columns), strict=True)


def _values(
    profile: Profile, explained: Explanation, rows: ProfileSum
) -> Iterator[tuple[int, ...]]:
    """Yield what each row adds, costs first."""
    if explained.key.is_count:
        yield from ((count,) for count in profile.calls.count[rows.calls].tolist())
        return
    names = [event.name for event in profile.events.measured]
    events = [names.index(event.name) for event in explained.measured]
    yield from _columns(profile.costs.values, events, rows.costs)
    yield from _columns(profile.calls.values, events, rows.calls)


def _columns(
    values: Int64Array, events: Sequence[int], rows: Int64Array
) -> Iterator[tuple[int, ...]]:
    yield from map(tuple, values[np.ix_(np.array(events, np.int64), rows)].T.tolist())
