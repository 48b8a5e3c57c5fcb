"""Costs, calls and jumps of code locations, which are source lines or instructions.

The lines of a function belong to its own file and, where the compiler inlined functions, to others.
An inlined line is attributed to a *host*: the nearest preceding line of the function's own file in
order of address. Without addresses, the order of the profile serves, since Callgrind writes lines
by address, too.

Of instructions only addresses in the profile appear here; `tools.disassembly` decodes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from qcachegrind_py.analysis.code.function_files import file_of_function
from qcachegrind_py.analysis.costs.function_costs import has_call_counts
from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Parts, is_active
from qcachegrind_py.analysis.costs.sums import Index, segment_rows, sums_by_group
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.contexts import Contexts, distinct_rows
from qcachegrind_py.profile.ids import NO_TEXT, FunctionId, TextId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, UInt64Array, at_rows

if TYPE_CHECKING:
    import numpy.typing as npt

# ---------------------------------------------------------------- what was recorded


def has_lines(profile: Profile) -> bool:
    """Return whether source lines were recorded (Callgrind's `--dump-line=yes`, the default).

    With `--dump-line=no` all lines are 0 and files are known; without debug information all lines
    are 0 and files are unknown.
    """
    if not any("line" in part.positions for part in profile.parts):
        return False
    costs, files = profile.costs, profile.runs.file
    return not len(costs) or bool(costs.line.max() > 0) or not files.any()


def has_addresses(profile: Profile) -> bool:
    """Return whether instructions were recorded (Callgrind's `--dump-instr=yes`)."""
    return profile.costs.address is not None


@frozen
class ProfileRows:
    """Selected rows of the profile's tables, in file order."""

    costs: Int64Array
    cost_file: Int32Array  # source file of each cost row; for inlined code the file it came from
    cost_part: Int32Array  # part of each cost row
    calls: Int64Array
    jumps: Int64Array


def rows_of_function(profile: Profile, function: FunctionId, parts: Parts) -> ProfileRows:
    """Return the rows of a function: its costs, the calls it makes and its jumps."""
    runs, calls, jumps = profile.runs, profile.calls, profile.jumps
    return _active_rows(
        profile, runs.function == function, calls.caller == function, jumps.function == function,
        parts,
    )  # fmt: skip


def _active_rows(
    profile: Profile, of_runs: BoolArray, of_calls: BoolArray, of_jumps: BoolArray, parts: Parts
) -> ProfileRows:
    runs = profile.runs
    if parts is not None:
        of_runs = of_runs & is_active(runs.part, parts)
        of_calls = of_calls & is_active(profile.calls.part, parts)
        of_jumps = of_jumps & is_active(profile.jumps.part, parts)
    chosen = np.flatnonzero(of_runs)
    rows, lengths = segment_rows(runs.start, chosen)
    return ProfileRows(
        rows,
        np.repeat(runs.file[chosen], lengths),
        np.repeat(runs.part[chosen], lengths),
        np.flatnonzero(of_calls),
        np.flatnonzero(of_jumps),
    )


# ---------------------------------------------------------------- sums by location


@frozen
class LocationCalls:
    """The calls at each location: one row for each location and callee.

    Rows are sorted by location, then by the first call in the file.
    """

    location: Int64Array  # row of the line or instruction
    callee: Int64Array
    count: Int64Array
    inclusive: Int64Array  # shape (events, rows)
    is_active: BoolArray  # all calls of the row were still running when the profile was written

    def __len__(self) -> int:
        return len(self.location)


@frozen
class _LocationCosts:
    """The costs of each location, shape (events, locations), and its calls."""

    self_cost: Int64Array
    # self cost and the cost of all calls from there, recursive ones included; of whole stacks, what
    # all those cost that have the location
    inclusive: Int64Array
    calls: LocationCalls


def _location_costs(
    profile: Profile,
    rows: ProfileRows,
    cost_location: Index,
    call_location: Index,
    location_count: int,
) -> _LocationCosts:
    """Sum costs and calls by location.

    `cost_location` and `call_location` hold the location of each row of costs and calls, as
    numbers from 0 to `location_count` - 1.
    """
    self_cost = sums_by_group(profile.costs.values[:, rows.costs], cost_location, location_count)
    calls = profile.calls
    values = calls.values[:, rows.calls]
    if profile.contexts is None:
        inclusive = self_cost + sums_by_group(values, call_location, location_count)
    else:
        location = np.concatenate((cost_location, call_location))
        inclusive = _costs_of_stacks(profile, profile.contexts, rows, location, location_count)
    callee = calls.callee[rows.calls].astype(np.int64)
    group, first = _call_groups(call_location, callee)
    count = sums_by_group(calls.count[rows.calls], group, len(first))
    return _LocationCosts(
        self_cost,
        inclusive,
        LocationCalls(
            location=call_location[first].astype(np.int64),
            callee=callee[first],
            count=count,
            inclusive=sums_by_group(values, group, len(first)),
            is_active=(count == 0) & has_call_counts(profile),
        ),
    )


def _costs_of_stacks(
    profile: Profile, contexts: Contexts, rows: ProfileRows, location: Index, location_count: int
) -> Int64Array:
    """Return what the stacks cost together that contain each location, once each.

    `location` is that of each row of costs and calls.
    """
    runs, costs, calls = profile.runs, profile.costs, profile.calls
    run = np.searchsorted(runs.start, rows.costs, "right") - 1
    function = np.concatenate((runs.function[run], calls.caller[rows.calls]))
    is_wanted = np.zeros(len(profile.functions), bool)
    is_wanted[function] = True
    parts = np.zeros(len(profile.parts), bool)
    parts[rows.cost_part] = parts[calls.part[rows.calls]] = True
    chosen = np.flatnonzero(is_wanted[contexts.function] & parts[contexts.part])
    places = [
        np.concatenate((function, contexts.function[chosen])),
        np.concatenate((costs.line[rows.costs], calls.line[rows.calls], contexts.line[chosen])),
    ]
    if costs.address is not None and calls.address is not None and contexts.address is not None:
        recorded = costs.address[rows.costs], calls.address[rows.calls]
        places.append(np.concatenate((*recorded, contexts.address[chosen])))
    place, _ = distinct_rows(places)
    of_rows, of_contexts = np.split(place, [len(function)])
    location_of = np.full(int(place.max(initial=-1)) + 1, -1, np.int64)
    location_of[of_rows] = location
    found = location_of[of_contexts]  # -1: contexts that neither cost anything nor call
    chosen, found = chosen[found >= 0], found[found >= 0]
    counted = contexts.are_outermost(found, chosen)
    values = contexts.stack_values[:, chosen[counted]]
    return sums_by_group(values, found[counted], location_count)


def _call_groups(location: Index, callee: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the row of each call, and the first call of each row: one for location and callee.

    Rows are in order of location, then of the first call.
    """
    keys = location * (int(callee.max(initial=0)) + 1) + callee
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.lexsort((first, location[first]))
    rank = np.empty(len(first), np.int64)
    rank[order] = np.arange(len(first))
    return rank[group.reshape(-1)], first[order]


def united_calls(
    base: LocationCalls, new: LocationCalls, base_place: Int64Array, new_place: Int64Array
) -> tuple[tuple[LocationCalls, Int64Array], tuple[LocationCalls, Int64Array]]:
    """Return the calls of base and new with equal rows, and the row of each call of a side.

    `base_place` and `new_place` have the common location of each location of a side. Counts are 0
    on a side without a call. Calls of the new side come first at each location.
    """
    location = np.concatenate((new_place[new.location], base_place[base.location]))
    callee = np.concatenate((new.callee, base.callee))
    group, first = _call_groups(location, callee)

    def of_side(calls: LocationCalls, row: Int64Array) -> tuple[LocationCalls, Int64Array]:
        active = np.zeros(len(first), bool)
        active[row[calls.is_active]] = True
        count = sums_by_group(calls.count, row, len(first))
        inclusive = sums_by_group(calls.inclusive, row, len(first))
        return LocationCalls(location[first], callee[first], count, inclusive, active), row

    return of_side(base, group[len(new) :]), of_side(new, group[: len(new)])


@frozen(kw_only=True)
class LocationJumps:
    """The jumps from locations: one row for each location, target and kind, sorted by these."""

    location: Int64Array  # row of the line or instruction
    executed: Int64Array
    followed: Int64Array
    conditional: BoolArray

    def __len__(self) -> int:
        return len(self.location)


Jumps = TypeVar("Jumps", bound=LocationJumps)


def _jumps(
    kind: type[Jumps],
    profile: Profile,
    rows: Int64Array,
    location: Int64Array,
    **target: npt.NDArray[Any],
) -> Jumps:
    """Sum the jumps of these rows that agree in location, target and kind."""
    jumps = profile.jumps
    conditional = jumps.conditional[rows]
    columns = (location, *target.values(), conditional)
    order = np.lexsort(columns[::-1])
    is_new = np.ones(len(order), bool)
    if len(order):
        differs = [column[order][1:] != column[order][:-1] for column in columns]
        is_new[1:] = np.any(differs, axis=0)
    group, first = np.cumsum(is_new) - 1, order[is_new]
    return kind(
        location=location[first],
        executed=sums_by_group(jumps.executed[rows][order], group, len(first)),
        followed=sums_by_group(jumps.followed[rows][order], group, len(first)),
        conditional=conditional[first],
        **{name: column[first] for name, column in target.items()},
    )


# ---------------------------------------------------------------- instructions


@frozen(kw_only=True)
class InstructionJumps(LocationJumps):
    """The jumps from instructions, to addresses."""

    target: UInt64Array  # address


@frozen
class InstructionCosts:
    """The instructions of a function: one row for each address with cost, calls or jumps.

    Rows are in order of address; costs have the shape (events, instructions).
    """

    address: UInt64Array
    file: Int32Array  # source file: number in the profile's texts; 0: unknown
    line: Int32Array  # source line; 0: unknown
    self_cost: Int64Array
    inclusive: Int64Array  # self cost and the cost of all calls from there, recursive ones included
    calls: LocationCalls
    jumps: InstructionJumps

    def __len__(self) -> int:
        return len(self.address)


def instruction_costs(
    profile: Profile, function: FunctionId, parts: Parts = None
) -> InstructionCosts:
    """Return the instruction costs of a function, in the active `parts` or in all (None).

    Parts without instructions have their costs at address 0, which belongs to no source line.
    Raises `ValueError` if the profile has no instructions.
    """
    costs, calls, jumps = profile.costs, profile.calls, profile.jumps
    if costs.address is None or calls.address is None or jumps.address is None:
        raise ValueError("no instructions were recorded")
    rows = rows_of_function(profile, function, parts)
    counts = len(rows.costs), len(rows.calls), len(rows.jumps)
    addresses = np.concatenate(
        (costs.address[rows.costs], calls.address[rows.calls], jumps.address[rows.jumps])
    )
    file = np.concatenate((rows.cost_file, calls.file[rows.calls], jumps.file[rows.jumps]))
    line = np.concatenate((costs.line[rows.costs], calls.line[rows.calls], jumps.line[rows.jumps]))
    address, first, location = np.unique(addresses, return_index=True, return_inverse=True)
    cost_location, call_location, jump_location = np.split(location, np.cumsum(counts)[:-1])
    result = _location_costs(profile, rows, cost_location, call_location, len(address))
    has_address = address > 0
    target = np.zeros(len(rows.jumps), np.uint64)
    if jumps.target_address is not None:
        target = jumps.target_address[rows.jumps]
    return InstructionCosts(
        address,
        np.where(has_address, file[first], 0).astype(np.int32),
        np.where(has_address, line[first], 0).astype(np.int32),
        result.self_cost,
        result.inclusive,
        result.calls,
        _jumps(InstructionJumps, profile, rows.jumps, jump_location, target=target),
    )


# ---------------------------------------------------------------- source lines

_LINES = 1 << 32  # more than the number of lines in any file


@frozen(kw_only=True)
class LineJumps(LocationJumps):
    """The jumps from lines, to lines of any file."""

    target_file: Int32Array
    target_line: Int32Array


@frozen
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
        own_file = file_of_function(profile, function)
    return _line_costs(profile, rows, own_file if with_hosts else NO_TEXT)


def file_lines(profile: Profile, file: TextId, parts: Parts) -> LineCosts:
    """Return the lines of a file, summed over all functions."""
    return next(lines_of_files(profile, [file], parts))


def lines_of_files(profile: Profile, files: Sequence[TextId], parts: Parts) -> Iterator[LineCosts]:
    """Yield the lines of each file, summed over all functions.

    All are summed up at once, which takes a tenth of the time for many small files.
    """
    runs, calls, jumps = profile.runs, profile.calls, profile.jumps
    of_runs, of_calls, of_jumps = (np.isin(each.file, files) for each in (runs, calls, jumps))
    rows = _active_rows(profile, of_runs, of_calls, of_jumps, parts)
    return _lines_of_groups(profile, rows, _file_and_line(profile, rows)[0], files)


def lines_of_functions(
    profile: Profile, functions: Sequence[FunctionId], parts: Parts
) -> Iterator[LineCosts]:
    """Yield the lines of each function, without hosts; all are summed up at once."""
    runs, calls, jumps = profile.runs, profile.calls, profile.jumps
    columns = runs.function, calls.caller, jumps.function
    of_runs, of_calls, of_jumps = (np.isin(column, functions) for column in columns)
    rows = _active_rows(profile, of_runs, of_calls, of_jumps, parts)
    run = np.searchsorted(runs.start, rows.costs, "right") - 1
    of_rows = zip(columns, (run, rows.calls, rows.jumps), strict=True)
    group = np.concatenate([column[chosen] for column, chosen in of_rows])
    return _lines_of_groups(profile, rows, group, functions)


def _lines_of_groups(
    profile: Profile, rows: ProfileRows, group: Int32Array, wanted: Sequence[int]
) -> Iterator[LineCosts]:
    """Yield the lines of each group; `group` is that of costs, calls and jumps."""
    file, line = _file_and_line(profile, rows)
    _, number = np.unique(_line_keys(file, line), return_inverse=True)
    key = group * np.int64(len(file) + 1) + number
    _, first, location = np.unique(key, return_index=True, return_inverse=True)
    lines = _sums_of_lines(profile, rows, (line, file, line), first, location)
    groups = group[first]
    ends = np.array([np.searchsorted(groups, wanted, side) for side in ("left", "right")])
    call_ends = np.searchsorted(lines.calls.location, ends)
    jump_ends = np.searchsorted(lines.jumps.location, ends)
    first_of_group = np.searchsorted(groups, groups)
    calls = _from_location(lines.calls, first_of_group)
    jumps = _from_location(lines.jumps, first_of_group)
    for place in np.stack((ends, call_ends, jump_ends)).transpose(2, 0, 1).tolist():
        own, of_calls, of_jumps = (slice(*pair) for pair in place)
        yield LineCosts(
            lines.host[own],
            lines.file[own],
            lines.line[own],
            lines.self_cost[:, own],
            lines.inclusive[:, own],
            at_rows(calls, of_calls),
            at_rows(jumps, of_jumps),
        )


_AtLocations = TypeVar("_AtLocations", LocationCalls, LineJumps)


def _from_location(table: _AtLocations, first: Int64Array) -> _AtLocations:
    """Return calls or jumps whose locations are counted from the one in `first`, shape (lines,)."""
    return replace(table, location=table.location - first[table.location])


def lines_in_file(lines: LineCosts, file: TextId) -> LineCosts:
    chosen = lines.file == file
    row = np.cumsum(chosen) - 1
    calls = at_rows(lines.calls, chosen[lines.calls.location])
    jumps = at_rows(lines.jumps, chosen[lines.jumps.location])
    return replace(
        at_rows(lines, chosen),
        calls=replace(calls, location=row[calls.location]),
        jumps=replace(jumps, location=row[jumps.location]),
    )


def with_renamed_file(lines: LineCosts, file: TextId, other: TextId) -> LineCosts:
    """Return the same rows with the lines of one file, and jumps to it, as those of another."""
    target = lines.jumps.target_file
    return replace(
        lines,
        file=np.where(lines.file == file, np.int32(other), lines.file),
        jumps=replace(lines.jumps, target_file=np.where(target == file, np.int32(other), target)),
    )


def _file_and_line(profile: Profile, rows: ProfileRows) -> tuple[Int32Array, Int32Array]:
    """Return file and line of these costs, calls and jumps, one after another."""
    costs, calls, jumps = profile.costs, profile.calls, profile.jumps
    file = np.concatenate((rows.cost_file, calls.file[rows.calls], jumps.file[rows.jumps]))
    line = np.concatenate((costs.line[rows.costs], calls.line[rows.calls], jumps.line[rows.jumps]))
    return file, line


def _line_costs(profile: Profile, rows: ProfileRows, own_file: TextId) -> LineCosts:
    file, line = _file_and_line(profile, rows)
    host = _hosts(profile, rows, file, line, own_file) if own_file >= 0 else line
    _, line_number = np.unique(_line_keys(file, line), return_inverse=True)
    key = line_number.astype(np.int64)
    if own_file >= 0:
        is_other_file = file != own_file
        key += (host * np.int64(2) + is_other_file) * (len(key) + 1)
    _, first, location = np.unique(key, return_index=True, return_inverse=True)
    return _sums_of_lines(profile, rows, (host, file, line), first, location)


def _sums_of_lines(
    profile: Profile,
    rows: ProfileRows,
    columns: tuple[Int32Array, Int32Array, Int32Array],
    first: Int64Array,
    location: Int64Array,
) -> LineCosts:
    """Sum costs, calls and jumps by location; `columns` are host, file and line of their rows."""
    host, file, line = columns
    jumps, ends = profile.jumps, np.cumsum((len(rows.costs), len(rows.calls)))
    cost_location, call_location, jump_location = np.split(location, ends)
    result = _location_costs(profile, rows, cost_location, call_location, len(first))
    return LineCosts(
        host[first],
        file[first],
        line[first],
        result.self_cost,
        result.inclusive,
        result.calls,
        _jumps(
            LineJumps,
            profile,
            rows.jumps,
            jump_location,
            target_file=jumps.target_file[rows.jumps],
            target_line=jumps.target_line[rows.jumps],
        ),
    )


def _line_keys(file: Int32Array, line: Int32Array) -> Int64Array:
    """Return a number for each line of each file, in order of file and line.

    Lines may be negative, as lua-callgrind writes them.
    """
    return file * np.int64(_LINES) + line


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
    _, number = np.unique(_line_keys(file, line), return_inverse=True)
    line_in_part = part * np.int64(len(line) + 1) + number
    _, first, group = np.unique(line_in_part, return_index=True, return_inverse=True)
    # costs precede calls and jumps, so the first row of a line with cost is its first cost
    key = np.where(address > 0, np.arange(len(line)), first[group])
    key[: len(rows.costs)] = np.arange(len(rows.costs))
    order = np.lexsort((key, address, part))
    return order, part[order].astype(np.int64)


def first_line(profile: Profile, function: FunctionId) -> int:
    """Return the first line with cost, in file order, of a function's own file; 0: unknown.

    Callgrind writes costs in order of address, so this is the line where the function is entered.
    The smallest line may be that of a function that was inlined.
    """
    runs, lines = profile.runs, profile.costs.line
    is_own = runs.file == file_of_function(profile, function)
    for run in np.flatnonzero((runs.function == function) & is_own):
        known = lines[runs.start[run] : runs.start[run + 1]]
        known = known[known > 0]
        if len(known):
            return int(known[0])
    return 0


# ---------------------------------------------------------------- lines of the whole program


@frozen
class ProgramLines:
    """The source lines with costs or calls, by file and line; costs have the shape (events, lines).

    Costs without a file or a line are in one row for each file, with line 0.
    """

    file: Int32Array  # number in the profile's texts; 0: unknown
    line: Int32Array
    self_cost: Int64Array
    call_cost: Int64Array  # of the calls from the line, recursive ones included
    calls: Int64Array  # how many, shape (lines,)

    def __len__(self) -> int:
        return len(self.line)


def program_lines(
    profile: Profile, parts: Parts = ALL_PARTS, functions: BoolArray | None = None
) -> ProgramLines:
    """Return the lines of some functions, a mask of shape (functions,), by default of all."""
    runs, costs, calls = profile.runs, profile.costs, profile.calls
    run = np.repeat(np.arange(len(runs)), np.diff(runs.start))
    cost_rows = np.flatnonzero(_counted(runs.part, runs.function, parts, functions)[run])
    call_rows = np.flatnonzero(_counted(calls.part, calls.caller, parts, functions))
    keys, number = np.unique(
        np.concatenate(
            (
                _line_keys(runs.file[run[cost_rows]], np.maximum(costs.line[cost_rows], 0)),
                _line_keys(calls.file[call_rows], np.maximum(calls.line[call_rows], 0)),
            )
        ),
        return_inverse=True,
    )
    of_costs, of_calls = np.split(number, [len(cost_rows)])
    file, line = np.divmod(keys, _LINES)
    return ProgramLines(
        file.astype(np.int32),
        line.astype(np.int32),
        sums_by_group(costs.values[:, cost_rows], of_costs, len(keys)),
        sums_by_group(calls.values[:, call_rows], of_calls, len(keys)),
        sums_by_group(calls.count[call_rows], of_calls, len(keys)),
    )


def _counted(
    part: Int32Array, function: Int32Array, parts: Parts, functions: BoolArray | None
) -> BoolArray:
    """Return which rows are of active parts and of the functions."""
    counted = np.ones(len(part), bool) if parts is None else is_active(part, parts)
    return counted if functions is None else counted & functions[function]
