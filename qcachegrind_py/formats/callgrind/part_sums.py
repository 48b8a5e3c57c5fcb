"""Comparison of the sums that a header states with those of the cost lines.

`totals:` is the sum of a part's cost lines in every event. `summary:` is at least that sum, since
costs need not all be attributed to functions (docs/design.md, reading rule 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from qcachegrind_py.formats.callgrind.header import PartHeader
from qcachegrind_py.formats.callgrind.scanner_tables import ScannerTables
from qcachegrind_py.profile.tables import Int64Array


def sum_diagnostics(
    part: PartHeader, tables: ScannerTables, columns: Mapping[str, int]
) -> Iterator[tuple[int, str, str]]:
    """Yield the line, kind and text of each diagnostic about the part's `summary:` and `totals:`.

    `columns` are those of the events in `tables`. The part must have ended.
    """
    for line, key, stated in (
        (part.summary_line, "summary", part.summary),
        (part.totals_line, "totals", part.totals),
    ):
        if len(stated or ()) > len(part.events):
            yield line, "surplus-costs", f"{key}: {part.text(key)}"
    if part.summary is None and part.totals is None:
        return
    counted = _counted_sums(part, tables, columns)
    for name, total, sum_ in _differences(part, part.summary, counted):
        if total < sum_:
            yield part.summary_line, "summary-too-small", f"{name}: {total}, summed {sum_}"
    for name, total, sum_ in _differences(part, part.totals, counted):
        yield part.totals_line, "totals-differ", f"{name}: {total}, summed {sum_}"


def is_sum_of_costs(
    part: PartHeader,
    stated: Sequence[int] | None,
    tables: ScannerTables,
    columns: Mapping[str, int],
) -> bool:
    """Return whether the stated sums are those of the part's cost lines in each event.

    `columns` are those of the events in `tables`. The part must have ended.
    """
    return not any(_differences(part, stated, _counted_sums(part, tables, columns)))


def _counted_sums(
    part: PartHeader, tables: ScannerTables, columns: Mapping[str, int]
) -> dict[str, int]:
    """Return the sums of the part's cost lines by event, except for events that were not read."""
    return {
        name: tables.total_cost(columns[name], part.first_row, part.stop_row)
        for name in dict.fromkeys(part.events)
        if name in columns
    }


def _differences(
    part: PartHeader, stated: Sequence[int] | None, counted: Mapping[str, int]
) -> Iterator[tuple[str, int, int]]:
    """Yield the name, stated sum and counted sum of each event in which they differ."""
    by_event = part.sums_by_event(stated)
    if by_event is not None:
        for name, sum_ in counted.items():
            if by_event[name] != sum_:
                yield name, by_event[name], sum_


def may_overflow(column: Int64Array) -> bool:
    """Return whether the sum of some of the rows may exceed 64 bits."""
    if not len(column) or max(int(column.max()), -int(column.min())) * len(column) < 1 << 63:
        return False
    numbers: list[int] = column.tolist()
    positive = sum(number for number in numbers if number > 0)
    return positive >= 1 << 63 or sum(numbers) - positive < -(1 << 63)
