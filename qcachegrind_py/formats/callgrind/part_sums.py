"""Comparison of the sums that a header states with those of the cost lines.

`totals:` is the sum of a part's cost lines in every event, or at the end of a file that of all its
parts. `summary:` is at least the sum of its part, since costs need not all be attributed to
functions (docs/design.md, reading rule 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from qcachegrind_py.formats.callgrind.header import PartHeader
from qcachegrind_py.formats.callgrind.scanner_tables import ScannerTables
from qcachegrind_py.profile.tables import Int64Array


def sum_diagnostics(
    parts: Sequence[PartHeader], tables: ScannerTables, columns: Mapping[str, int]
) -> Iterator[tuple[int, str, str]]:
    """Yield the line, kind and text of each diagnostic about `summary:` and `totals:`.

    `parts` are those of one file, which have ended. `columns` are those of the events in `tables`.
    """
    for part in parts:
        for line, key, stated in (
            (part.summary_line, "summary", part.summary),
            (part.totals_line, "totals", part.totals),
        ):
            if len(stated or ()) > len(part.events):
                yield line, "surplus-costs", f"{key}: {part.text(key)}"
        if part.summary is None and part.totals is None:
            continue
        counted = _counted_sums(part, tables, columns)
        for name, total, sum_ in _differences(part.recorded_sums(), counted):
            if total < sum_:
                yield part.summary_line, "summary-too-small", f"{name}: {total}, summed {sum_}"
        differences = [*_differences(part.sums_by_event(part.totals), counted)]
        if differences and part is parts[-1] and _are_of_all(parts, tables, columns):
            part.totals = None
            continue
        for name, total, sum_ in differences:
            yield part.totals_line, "totals-differ", f"{name}: {total}, summed {sum_}"


def _are_of_all(
    parts: Sequence[PartHeader], tables: ScannerTables, columns: Mapping[str, int]
) -> bool:
    """Return whether the `totals:` of the last part are the sums of all parts.

    The other parts have none then, or the last part has its own before them.
    """
    has_own = sum(key == "totals" for key, _ in parts[-1].lines) > 1
    if not has_own and any(part.totals is not None for part in parts[:-1]):
        return False
    sums = dict.fromkeys(parts[-1].events, 0)
    for part in parts:
        for name, sum_ in _counted_sums(part, tables, columns).items():
            sums[name] = sums.get(name, 0) + sum_
    return not any(_differences(parts[-1].sums_by_event(parts[-1].totals), sums))


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
    stated: Mapping[str, int] | None, counted: Mapping[str, int]
) -> Iterator[tuple[str, int, int]]:
    """Yield the name, stated sum and counted sum of each event in which they differ."""
    for name, sum_ in counted.items():
        if stated is not None and stated.get(name, sum_) != sum_:
            yield name, stated[name], sum_


def may_overflow(column: Int64Array) -> bool:
    """Return whether the sum of some of the rows may exceed 64 bits."""
    if not len(column) or max(int(column.max()), -int(column.min())) * len(column) < 1 << 63:
        return False
    numbers: list[int] = column.tolist()
    positive = sum(number for number in numbers if number > 0)
    return positive >= 1 << 63 or sum(numbers) - positive < -(1 << 63)
