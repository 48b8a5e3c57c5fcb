"""The lines of the profile's files that a number is the sum of, by part and source line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from qcachegrind_py.analysis.explanation.numbers import Explanation, ProfileSum
from qcachegrind_py.analysis.folded_queries import FoldedQueries
from qcachegrind_py.analysis.folding.fold import Origins
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.records import Record, find_records
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, function_id
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int32Array, Int64Array
from qcachegrind_py.visible_text import visible_text

LIMIT = 200  # records found by default: 18 MB take 0.2 s, of which 0.1 s are for these


@frozen(eq=True)
class RecordValue:
    """A record, and what it adds to the number: a value for each measured event, or a count.

    It may be the call of a folded function, of which the value is a part.
    """

    record: Record
    values: tuple[int, ...]
    is_call: bool = False  # the value is that of a call, rather than a self cost
    through: FunctionId = NO_FUNCTION  # the folded function
    is_exact: bool = True


@frozen(eq=True)
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
    queries: ProfileQueries, explained: Explanation, progress: Progress, limit: int = LIMIT
) -> list[RecordGroup]:
    """Return the first records of a number, in the order of the file.

    Raises `RecordsNotFound`, the errors of loading, and `Cancelled`.
    """
    profile, rows = queries.profile, _first(explained.rows, limit)
    values = _record_values(queries, explained, rows, progress)
    added = list(zip(_places(profile, rows), values, strict=True))
    return [
        RecordGroup(part, visible_text(profile.texts[file]), line, tuple(each for _, each in group))
        for (part, file, line), group in groupby(sorted(added, key=_position), lambda item: item[0])
    ]


def _record_values(
    queries: ProfileQueries, explained: Explanation, rows: ProfileSum, progress: Progress
) -> Iterator[RecordValue]:
    """Yield the record of each row with what it adds, costs first."""
    values = list(_values(queries.profile, explained, rows))
    if not isinstance(queries, FoldedQueries):
        costs, calls = find_records(queries.profile, rows.costs, rows.calls, progress)
        yield from map(RecordValue, [*costs, *calls], values)
        return
    costs_from, calls_from = queries.origins(rows.costs, rows.calls)
    of_costs, of_calls = _found_records(queries.profile, costs_from, calls_from, progress)
    count = len(rows.costs)
    through = np.concatenate((costs_from.through, calls_from.through)).tolist()
    is_exact = np.concatenate((costs_from.is_exact, calls_from.is_exact)).tolist()
    origins = np.concatenate((costs_from.row, calls_from.row)).tolist()
    for place, (row, value) in enumerate(zip(origins, values, strict=True)):
        is_charge = place < count and through[place] != NO_FUNCTION
        record = (of_costs if place < count and not is_charge else of_calls)[row]
        yield RecordValue(
            record, value, place >= count, function_id(through[place]), is_exact[place]
        )


def _found_records(
    profile: Profile, costs: Origins, calls: Origins, progress: Progress
) -> tuple[dict[int, Record], dict[int, Record]]:
    """Return the records of the costs and of the calls by their rows before folding."""
    is_charge = costs.through != NO_FUNCTION
    cost_rows = np.unique(costs.row[~is_charge])
    call_rows = np.unique(np.concatenate((costs.row[is_charge], calls.row)))
    found = find_records(profile, cost_rows, call_rows, progress)
    of_costs, of_calls = (
        dict(zip(rows.tolist(), records, strict=True))
        for rows, records in zip((cost_rows, call_rows), found, strict=True)
    )
    return of_costs, of_calls


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
