"""Comparison of the sums that a header states with those of the cost lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qcachegrind_py.formats.callgrind.header import PartHeader
from qcachegrind_py.formats.callgrind.scanner_tables import ScannerTables
from qcachegrind_py.profile.tables import Int64Array


def differing_sums(
    part: PartHeader,
    stated: Sequence[int] | None,
    tables: ScannerTables,
    columns: Mapping[str, int],
) -> list[str]:
    """Return a text for each event whose stated sum is not that of the part's cost lines.

    `columns` are those of the events in `tables`. The part must have ended.
    """
    differences = []
    for name, total in zip(part.events, stated or (), strict=False):
        if name not in columns or part.events.count(name) > 1:
            continue
        counted = tables.total_cost(columns[name], part.first_row, part.stop_row)
        if counted != total:
            differences.append(f"{name}: {total}, summed {counted}")
    return differences


def may_overflow(column: Int64Array) -> bool:
    """Return whether the sum of some of the rows may exceed 64 bits."""
    if not len(column) or max(int(column.max()), -int(column.min())) * len(column) < 1 << 63:
        return False
    numbers: list[int] = column.tolist()
    positive = sum(number for number in numbers if number > 0)
    return positive >= 1 << 63 or sum(numbers) - positive < -(1 << 63)
