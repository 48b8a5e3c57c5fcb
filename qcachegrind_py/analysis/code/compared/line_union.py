"""The costs of the lines of both sides with equal rows, by a common numbering of lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.code.line_numbering import Numbering
from qcachegrind_py.analysis.code.location_costs import LineCosts, LineJumps, LocationCalls
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.profile.ids import TextId, text_ids
from qcachegrind_py.profile.tables import Int32Array, Int64Array

Numberings = Mapping[TextId, Numbering]
_OfLines = Callable[[Numbering], Callable[[npt.NDArray[np.integer]], Int64Array]]


def united_lines(
    base: LineCosts, new: LineCosts, own_file: TextId, numberings: Numberings
) -> tuple[LineCosts, LineCosts]:
    """Return the lines of base and new with equal rows, in which lines are common numbers.

    Hosts are lines of `own_file`. Lines of files without a numbering pair by line. Costs are 0
    where a side has none; jumps are those of the new side.
    """
    base = _numbered(base, own_file, numberings, lambda each: each.of_base)
    new = _numbered(new, own_file, numberings, lambda each: each.of_new)
    columns = [
        np.concatenate((getattr(base, name), getattr(new, name)))
        for name in ("host", "file", "line")
    ]
    host, file, line = columns
    is_inlined = file != own_file
    keys = np.stack((host, is_inlined, file, line), axis=1).astype(np.int64)
    rows, place = np.unique(keys, axis=0, return_inverse=True)
    place = place.reshape(-1)
    places = place[: len(base)], place[len(base) :]
    calls = united_calls(base.calls, new.calls, *places)
    host, _, file, line = rows.astype(np.int32).T
    sides = [
        LineCosts(
            host,
            file,
            line,
            sums_by_group(side.self_cost, own, len(rows)),
            sums_by_group(side.inclusive, own, len(rows)),
            of_side,
            replace(new.jumps, location=places[1][new.jumps.location]),
        )
        for side, own, of_side in zip((base, new), places, calls, strict=True)
    ]
    return sides[0], sides[1]


def _numbered(
    lines: LineCosts, own_file: TextId, numberings: Numberings, numbers_of: _OfLines
) -> LineCosts:
    """Return lines with numbers instead of lines."""
    host = lines.host
    if own_file in numberings:
        host = numbers_of(numberings[own_file])(host).astype(np.int32)
    jumps: LineJumps = lines.jumps
    return replace(
        lines,
        host=host,
        line=numbers_of_lines(lines.file, lines.line, numberings, numbers_of),
        jumps=replace(
            jumps,
            target_line=numbers_of_lines(
                jumps.target_file, jumps.target_line, numberings, numbers_of
            ),
        ),
    )


def numbers_of_lines(
    file: Int32Array, line: Int32Array, numberings: Numberings, numbers_of: _OfLines
) -> Int32Array:
    """Return the common number of each line; that of a file without a numbering is its line."""
    number = line.copy()
    for each in text_ids(np.unique(file)):
        if each in numberings:
            of_file = file == each
            number[of_file] = numbers_of(numberings[each])(line[of_file])
    return number


def united_calls(
    base: LocationCalls, new: LocationCalls, base_place: Int64Array, new_place: Int64Array
) -> tuple[LocationCalls, LocationCalls]:
    """Return the calls of base and new with equal rows, with counts of 0 on a side without them.

    `base_place` and `new_place` have the common location of each location of a side. Calls of the
    new side come first at each location.
    """
    location = np.concatenate((new_place[new.location], base_place[base.location]))
    callee = np.concatenate((new.callee, base.callee))
    keys = location * (int(callee.max(initial=0)) + 1) + callee
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.lexsort((first, location[first]))
    rank = np.empty(len(first), np.int64)
    rank[order] = np.arange(len(first))
    group, first = rank[group.reshape(-1)], first[order]
    places = group[len(new) :], group[: len(new)]
    sides = [
        LocationCalls(
            location[first],
            callee[first],
            sums_by_group(side.count, own, len(first)),
            sums_by_group(side.inclusive, own, len(first)),
            _flags(side.is_active, own, len(first)),
        )
        for side, own in zip((base, new), places, strict=True)
    ]
    return sides[0], sides[1]


def _flags(flags: npt.NDArray[np.bool_], place: Int64Array, count: int) -> npt.NDArray[np.bool_]:
    result = np.zeros(count, bool)
    result[place[flags]] = True
    return result
