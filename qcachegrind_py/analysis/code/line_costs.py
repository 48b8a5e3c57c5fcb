"""Costs, calls and jumps of source lines, for one function or a whole file.

The lines of a function belong to its own file and, where the compiler inlined functions, to others.
An inlined line is attributed to a *host*: the nearest preceding line of the function's own file in
order of address. Without addresses, the order of the profile serves, since Callgrind writes lines
by address, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qcachegrind_py.analysis.code.location_costs import (
    LocationCalls,
    ProfileRows,
    jump_sums,
    location_costs,
    rows_of_file,
    rows_of_function,
)
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.profile.ids import NO_TEXT, FunctionId, TextId, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

_LINES = 1 << 32  # more than the number of lines in any file


@dataclass(frozen=True, slots=True, eq=False)
class LineJumps:
    """The jumps from lines: one row for each line, target and kind."""

    location: Int64Array  # row of the line
    target_file: Int32Array
    target_line: Int32Array
    executed: Int64Array
    followed: Int64Array
    conditional: BoolArray

    def __len__(self) -> int:
        return len(self.location)


@dataclass(frozen=True, slots=True, eq=False)
class LineCosts:
    """The source lines with cost, calls or jumps, one row each; costs have shape (events, lines).

    With hosts, rows are sorted by `host`, the host itself first; without, by the number of the
    file, then by line.
    """

    host: Int32Array  # line of the function's own file where this line was inlined; 0: unknown
    file: Int32Array  # number in the profile's texts
    line: Int32Array  # 0: unknown
    self_cost: Int64Array
    inclusive: Int64Array  # self cost and the cost of all calls from the line, recursive included
    calls: LocationCalls
    jumps: LineJumps

    def __len__(self) -> int:
        return len(self.line)


def function_lines(
    profile: Profile,
    function: FunctionId,
    parts: Parts = None,
    *,
    with_hosts: bool = False,
    own_file: TextId = NO_TEXT,
) -> LineCosts:
    """Return the lines of a function.

    With hosts, a line of another file has one row for each host it was inlined at; without, it has
    a single row, and `host` is the line itself. `own_file` is by default that of the function.
    """
    rows = rows_of_function(profile, function, parts)
    if own_file == NO_TEXT:
        own_file = text_at(profile.functions.file, function)
    return _line_costs(profile, rows, own_file if with_hosts else NO_TEXT)


def file_lines(profile: Profile, file: TextId, parts: Parts) -> LineCosts:
    """Return the lines of a file, summed over all functions."""
    return _line_costs(profile, rows_of_file(profile, file, parts), NO_TEXT)


def lines_in_file(lines: LineCosts, file: TextId) -> LineCosts:
    """Return only the lines of one file."""
    chosen = lines.file == file
    row = np.cumsum(chosen) - 1
    calls, jumps = lines.calls, lines.jumps
    of_calls, of_jumps = chosen[calls.location], chosen[jumps.location]
    return LineCosts(
        lines.host[chosen],
        lines.file[chosen],
        lines.line[chosen],
        lines.self_cost[:, chosen],
        lines.inclusive[:, chosen],
        LocationCalls(
            row[calls.location[of_calls]],
            calls.callee[of_calls],
            calls.count[of_calls],
            calls.inclusive[:, of_calls],
            calls.is_active[of_calls],
        ),
        LineJumps(
            row[jumps.location[of_jumps]],
            jumps.target_file[of_jumps],
            jumps.target_line[of_jumps],
            jumps.executed[of_jumps],
            jumps.followed[of_jumps],
            jumps.conditional[of_jumps],
        ),
    )


def with_renamed_file(lines: LineCosts, file: TextId, other: TextId) -> LineCosts:
    """Return the same rows with the lines of one file, and jumps to it, as those of another."""
    target = lines.jumps.target_file
    return replace(
        lines,
        file=np.where(lines.file == file, np.int32(other), lines.file),
        jumps=replace(lines.jumps, target_file=np.where(target == file, np.int32(other), target)),
    )


def _line_costs(profile: Profile, rows: ProfileRows, own_file: TextId) -> LineCosts:
    costs, calls, jumps = profile.costs, profile.calls, profile.jumps
    counts = len(rows.costs), len(rows.calls), len(rows.jumps)
    file = np.concatenate((rows.cost_file, calls.file[rows.calls], jumps.file[rows.jumps]))
    line = np.concatenate((costs.line[rows.costs], calls.line[rows.calls], jumps.line[rows.jumps]))
    host = _hosts(profile, rows, file, line, own_file) if own_file >= 0 else line
    lines = file * np.int64(_LINES) + line  # negative lines, as lua-callgrind writes, come first
    _, line_number = np.unique(lines, return_inverse=True)
    key = line_number.astype(np.int64)
    if own_file >= 0:
        is_other_file = file != own_file
        key += (host * np.int64(2) + is_other_file) * (len(key) + 1)
    _, first, location = np.unique(key, return_index=True, return_inverse=True)
    cost_location, call_location, jump_location = np.split(location, np.cumsum(counts)[:-1])
    result = location_costs(profile, rows, cost_location, call_location, len(first))
    return LineCosts(
        host[first],
        file[first],
        line[first],
        result.self_cost,
        result.inclusive,
        result.calls,
        _jumps(profile, rows.jumps, jump_location),
    )


def _hosts(
    profile: Profile, rows: ProfileRows, file: Int32Array, line: Int32Array, own_file: TextId
) -> Int32Array:
    """Return the host of each row: the last preceding line of the own file, or else the first.

    Without addresses each part is a range of its own, since Callgrind writes the function in each.
    """
    order, range_number = _order(profile, rows, file, line)
    is_own = file == own_file
    host_index = np.maximum.accumulate(np.where(is_own[order], np.arange(len(order)), -1))
    begin = np.searchsorted(range_number, range_number)  # start of each row's range
    next_own = np.searchsorted(
        np.flatnonzero(is_own[order]), begin
    )  # the first own row from there on
    own_indexes = np.append(np.flatnonzero(is_own[order]), -1)
    host_index = np.where(host_index < begin, own_indexes[next_own], host_index)
    host_index = np.where(
        host_index < 0, own_indexes[0], host_index
    )  # no own row follows: take the first of all
    host = np.zeros_like(line)
    if is_own.any():
        host[order] = line[order][host_index]
    is_unknown = (file == 0) | (line < 1)  # file number 0: unknown
    return np.where(is_own, line, np.where(is_unknown, 0, host)).astype(np.int32)


def _order(
    profile: Profile, rows: ProfileRows, file: Int32Array, line: Int32Array
) -> tuple[Int64Array, Int64Array]:
    """Return the rows in the order of the code, and the range of each row in that order.

    Rows with an address form the last range. The others form one range for each part, in which
    calls and jumps follow the first cost of their line.
    """
    costs, calls, jumps = profile.costs, profile.calls, profile.jumps
    address = np.zeros(len(line), np.uint64)
    if costs.address is not None and calls.address is not None and jumps.address is not None:
        columns = costs.address[rows.costs], calls.address[rows.calls], jumps.address[rows.jumps]
        address = np.concatenate(columns)
    part = np.concatenate((rows.cost_part, calls.part[rows.calls], jumps.part[rows.jumps]))
    part = np.where(address > 0, len(profile.parts), part)
    _, number = np.unique(file * np.int64(_LINES) + line, return_inverse=True)
    line_in_part = part * np.int64(len(line) + 1) + number
    _, first, group = np.unique(line_in_part, return_index=True, return_inverse=True)
    # costs precede calls and jumps, so the first row of a line with cost is its first cost
    key = np.where(address > 0, np.arange(len(line)), first[group])
    key[: len(rows.costs)] = np.arange(len(rows.costs))
    order = np.lexsort((key, address, part))
    return order, part[order].astype(np.int64)


def _jumps(profile: Profile, rows: Int64Array, location: Int64Array) -> LineJumps:
    jumps = profile.jumps
    file, line = jumps.target_file[rows], jumps.target_line[rows]
    conditional = jumps.conditional[rows]
    sums = jump_sums(profile, rows, location, file, line, conditional)
    first = sums.first
    return LineJumps(
        location[first], file[first], line[first], sums.executed, sums.followed, conditional[first]
    )
