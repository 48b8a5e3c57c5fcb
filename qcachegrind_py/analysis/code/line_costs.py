"""What source lines cost, in one function or in a whole file: self, inclusive, calls and jumps.

A function's lines are of its own file and, where the compiler put functions in line, of others. In
which place it put them the order of the addresses says, or else the order of the file, in which
Callgrind writes them by address, too: behind the line of the function's own file before them. Texts
of lines are none of this module's business.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.locations import (
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

_LINES = 1 << 32  # more than there are different lines


@dataclass(frozen=True, slots=True, eq=False)
class LineJumps:
    """A row a (line, target, kind): how often a jump was come to, and how often it was taken."""

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
    """A row a line that has cost, a call or a jump; costs have the shape (events, lines).

    In order of `host`, and under it the host itself first; where hosts are not asked for, in order
    of the file's name as a number, then of the line.
    """

    host: Int32Array  # the line of the function's own file where this one was put; 0: nowhere
    file: Int32Array  # number in the profile's texts
    line: Int32Array  # 0: not known
    self_cost: Int64Array
    inclusive: Int64Array  # self cost and that of all calls from the line, of itself included
    calls: LocationCalls
    jumps: LineJumps

    def __len__(self) -> int:
        return len(self.line)


def has_lines(profile: Profile) -> bool:
    """Whether source lines were recorded (callgrind's `--dump-line=yes`, which is the default).

    With `--dump-line=no` all lines are 0, while files are known as ever: without debug information,
    where lines are 0, too, they are not. A part without `positions:` has lines.
    """
    positions = [dict(part.header).get("positions", "line") for part in profile.parts]
    if positions and not any("line" in columns.split() for columns in positions):
        return False
    costs, files = profile.costs, profile.runs.file
    return not len(costs) or bool(costs.line.max() > 0) or not files.any()


def function_lines(
    profile: Profile, function: FunctionId, parts: Parts = None, *, with_hosts: bool = False
) -> LineCosts:
    """The lines of a function.

    With hosts, a line of another file has a row for each place where it was put in line; without,
    one row in all, and `host` is the line itself.
    """
    rows = rows_of_function(profile, function, parts)
    own_file = text_at(profile.functions.file, function)
    return _line_costs(profile, rows, own_file if with_hosts else NO_TEXT)


def file_lines(profile: Profile, file: TextId, parts: Parts = None) -> LineCosts:
    """The lines of a file, over all functions."""
    return _line_costs(profile, rows_of_file(profile, file, parts), NO_TEXT)


def lines_in_file(lines: LineCosts, file: TextId) -> LineCosts:
    """Those of the lines that are of one file."""
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


def _line_costs(profile: Profile, rows: ProfileRows, own_file: TextId) -> LineCosts:
    costs, calls, jumps = profile.costs, profile.calls, profile.jumps
    counts = len(rows.costs), len(rows.calls), len(rows.jumps)
    file = np.concatenate((rows.cost_file, calls.file[rows.calls], jumps.file[rows.jumps]))
    line = np.concatenate((costs.line[rows.costs], calls.line[rows.calls], jumps.line[rows.jumps]))
    host = _hosts(profile, rows, file, line, own_file) if own_file >= 0 else line
    lines = file * np.int64(_LINES) + line  # a line below 0, which lua-callgrind has, is before all
    _, line_number = np.unique(lines, return_inverse=True)
    key = line_number.astype(np.int64)
    if own_file >= 0:
        of_another = file != own_file
        key += (host * np.int64(2) + of_another) * (len(key) + 1)
    _, first, site = np.unique(key, return_index=True, return_inverse=True)
    cost_site, call_site, jump_site = np.split(site, np.cumsum(counts)[:-1])
    result = location_costs(profile, rows, cost_site, call_site, len(first))
    return LineCosts(
        host[first],
        file[first],
        line[first],
        result.self_cost,
        result.inclusive,
        result.calls,
        _jumps(profile, rows.jumps, jump_site),
    )


def _hosts(
    profile: Profile, rows: ProfileRows, file: Int32Array, line: Int32Array, own_file: TextId
) -> Int32Array:
    """The line of the own file that each row belongs to: the last before it, or else the first.

    Without addresses each part begins anew, as Callgrind writes the function anew in it.
    """
    order, stretch = _order(profile, rows, file, line)
    own = file == own_file
    at = np.maximum.accumulate(np.where(own[order], np.arange(len(order)), -1))
    begin = np.searchsorted(stretch, stretch)  # of each row's stretch
    after = np.searchsorted(np.flatnonzero(own[order]), begin)  # the first own row from there on
    places = np.append(np.flatnonzero(own[order]), -1)
    at = np.where(at < begin, places[after], at)
    at = np.where(at < 0, places[0], at)  # there is none any more: the first of all
    host = np.zeros_like(line)
    if own.any():
        host[order] = line[order][at]
    nowhere = (file == 0) | (line < 1)  # unknown files have the number 0
    return np.where(own, line, np.where(nowhere, 0, host)).astype(np.int32)


def _order(
    profile: Profile, rows: ProfileRows, file: Int32Array, line: Int32Array
) -> tuple[Int64Array, Int64Array]:
    """The rows in the order of the code, and the stretch each is in, counted along that order.

    What has an address stands in one stretch; the rest comes before it, a stretch for each part, in
    which calls and jumps are where the cost of their line is.
    """
    costs, calls, jumps = profile.costs, profile.calls, profile.jumps
    address = np.zeros(len(line), np.uint64)
    if costs.address is not None and calls.address is not None and jumps.address is not None:
        columns = costs.address[rows.costs], calls.address[rows.calls], jumps.address[rows.jumps]
        address = np.concatenate(columns)
    part = np.concatenate((rows.cost_part, calls.part[rows.calls], jumps.part[rows.jumps]))
    part = np.where(address > 0, len(profile.parts), part)
    _, number = np.unique(file * np.int64(_LINES) + line, return_inverse=True)
    of_part = part * np.int64(len(line) + 1) + number
    _, first, place = np.unique(of_part, return_index=True, return_inverse=True)
    # costs come first of all rows: the place of a line with cost is that of its first cost
    key = np.where(address > 0, np.arange(len(line)), first[place])
    key[: len(rows.costs)] = np.arange(len(rows.costs))
    order = np.lexsort((key, address, part))
    return order, part[order].astype(np.int64)


def _jumps(profile: Profile, rows: Int64Array, site: Int64Array) -> LineJumps:
    jumps = profile.jumps
    file, line = jumps.target_file[rows], jumps.target_line[rows]
    conditional = jumps.conditional[rows]
    sums = jump_sums(profile, rows, site, file, line, conditional)
    first = sums.first
    return LineJumps(
        site[first], file[first], line[first], sums.executed, sums.followed, conditional[first]
    )
