"""Selection of what to write: parts, separate or merged, and functions.

An omitted function loses its self cost and its calls to other omitted functions. Calls are written
if their caller or callee is selected, or if they are inside a recursion cycle with a selected
function. The callers, callees, called counts and inclusive costs of the selected functions are
therefore unchanged, since the inclusive cost is that of the calls received.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.costs.function_costs import function_costs
from qcachegrind_py.analysis.costs.scope import parts_of
from qcachegrind_py.analysis.costs.sums import segment_rows, segment_sums
from qcachegrind_py.analysis.costs.totals import part_totals
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import (
    BoolArray,
    Calls,
    Costs,
    Int32Array,
    Int64Array,
    Jumps,
    Runs,
    UInt64Array,
)


@frozen
class Selection:
    """The parts and functions to write; by default everything."""

    parts: tuple[int, ...] | None = None  # indexes of parts, in ascending order; None: all
    merged: bool = False  # merge the parts into one, adding rows of the same position
    functions: BoolArray | None = None  # mask of the functions, shape (functions,); None: all

    def chosen_parts(self, profile: Profile) -> tuple[PartId, ...]:
        """Return the indexes of the parts in ascending order; raise `NotInProfile` if invalid."""
        parts = parts_of(profile, self.parts)
        return (
            tuple(map(PartId, range(len(profile.parts)))) if parts is None else tuple(sorted(parts))
        )


@frozen
class PartRows:
    """The rows of one part to write, in file order, and functions without rows."""

    part: PartId
    runs: Int64Array
    calls: Int64Array
    jumps: Int64Array
    targets: Int64Array  # target functions of jumps, since jumps cannot define functions
    unreferenced: Int64Array  # functions with a name and nothing else


def select_rows(profile: Profile, selection: Selection) -> Iterator[PartRows]:
    """Yield the rows of each chosen part, in order of the parts."""
    keep_run, keep_call, keep_jump = _selected_rows(profile, selection)
    runs = _rows_by_part(profile.runs.part, keep_run, len(profile.parts))
    calls = _rows_by_part(profile.calls.part, keep_call, len(profile.parts))
    jumps = _rows_by_part(profile.jumps.part, keep_jump, len(profile.parts))
    unreferenced = _unreferenced_functions(profile, selection)
    for part in selection.chosen_parts(profile):
        targets = _jump_targets_elsewhere(profile, jumps[part])
        yield PartRows(part, runs[part], calls[part], jumps[part], targets, unreferenced)
        unreferenced = unreferenced[:0]


def _selected_rows(
    profile: Profile, selection: Selection
) -> tuple[BoolArray | None, BoolArray | None, BoolArray | None]:
    """Return masks of the runs, calls and jumps to write; None for all."""
    selected = selection.functions
    if selected is None:
        return None, None, None
    caller, callee = profile.calls.caller, profile.calls.callee
    cycle = function_costs(profile, parts=parts_of(profile, selection.parts)).cycle
    is_selected_cycle = np.zeros(int(cycle.max(initial=0)) + 1, bool)
    is_selected_cycle[cycle[selected]] = True
    is_selected_cycle[0] = False  # no cycle
    inside_cycle = (cycle[caller] == cycle[callee]) & is_selected_cycle[cycle[caller]]
    return (
        selected[profile.runs.function],
        selected[caller] | selected[callee] | inside_cycle,
        selected[profile.jumps.function],
    )


def _rows_by_part(part: Int32Array, keep: BoolArray | None, parts: int) -> list[Int64Array]:
    """Return the rows of each part."""
    rows = np.arange(len(part)) if keep is None else np.flatnonzero(keep)
    of_rows = part[rows]
    if len(rows) and (np.diff(of_rows) < 0).any():
        order = np.argsort(of_rows, kind="stable")
        rows, of_rows = rows[order], of_rows[order]
    return np.split(rows, np.searchsorted(of_rows, np.arange(1, parts)))


def _jump_targets_elsewhere(profile: Profile, rows: Int64Array) -> Int64Array:
    """Return the target functions of these jumps, other than their own function."""
    jumps = profile.jumps
    target = jumps.target_function[rows]
    return np.unique(target[target != jumps.function[rows]]).astype(np.int64)


def _unreferenced_functions(profile: Profile, selection: Selection) -> Int64Array:
    """Return the functions without cost, call or jump, which belong to no particular part."""
    is_referenced = np.zeros(len(profile.functions), bool)
    is_referenced[profile.runs.function] = True
    for column in (profile.calls.caller, profile.calls.callee):
        is_referenced[column] = True
    for column in (profile.jumps.function, profile.jumps.target_function):
        is_referenced[column] = True
    if selection.functions is not None:
        is_referenced |= ~selection.functions
    return np.flatnonzero(~is_referenced)


# -------------------------------------------------------- merging of parts
# Rows of the same function and position are added.
#
# Sums of self costs and of calls are unchanged. Inclusive costs and cycles are then computed over
# the merged part; they differ from the sum over parts if a function is called in one part and is
# a root in another.

_Column = npt.NDArray[Any]


def merge_parts(
    profile: Profile, selection: Selection, progress: Progress
) -> tuple[Profile, Selection]:
    """Return a profile with the chosen parts merged into one, and the selection within it."""
    chosen = selection.chosen_parts(profile)
    runs, costs = _merge_costs(profile, chosen)
    progress.check(0.0)
    calls, first = _merge_calls(profile.calls, chosen)
    merged = replace(
        profile,
        parts=(_merge_part(profile, chosen),),
        runs=runs,
        costs=costs,
        calls=calls,
        call_targets=profile.call_targets and profile.call_targets.of_calls(first),
        jumps=_merge_jumps(profile.jumps, chosen),
    )
    return merged, Selection(functions=selection.functions)


# ---------------------------------------------------------------- rows


def _merge_costs(profile: Profile, chosen: Sequence[PartId]) -> tuple[Runs, Costs]:
    """Merge costs into a run for each function and file, in order of first appearance."""
    runs, costs = profile.runs, profile.costs
    run_rows = np.flatnonzero(np.isin(runs.part, chosen))
    rows, lengths = segment_rows(runs.start, run_rows)
    rank, functions = _first_seen_ranks(runs.function[run_rows])
    file_rank, files = _first_seen_ranks(runs.file[run_rows])
    keys: list[_Column] = [
        np.repeat(rank, lengths),
        np.repeat(file_rank, lengths),
        costs.line[rows],
    ]
    if costs.address is not None:  # by address, like Callgrind
        keys = [keys[0], costs.address[rows], *keys[1:]]
    order, starts = _group_equal_rows(keys)
    first = order[starts[:-1]]
    function, file = keys[0][first], keys[-2][first]
    is_border = np.ones(len(first) + 1, bool)
    is_border[1:-1] = (np.diff(function) != 0) | (np.diff(file) != 0)
    borders = np.flatnonzero(is_border) if len(first) else np.zeros(1, np.int64)
    begin = borders[:-1]
    merged_runs = Runs(
        start=borders,
        part=np.zeros(len(begin), np.int32),
        function=functions[function[begin]],
        file=files[file[begin]],
    )
    values = segment_sums(costs.values[:, rows[order]], starts)
    address = None if costs.address is None else costs.address[rows[first]]
    return merged_runs, Costs(costs.line[rows[first]], address, values)


def _merge_calls(calls: Calls, chosen: Sequence[PartId]) -> tuple[Calls, Int64Array]:
    """Return the merged calls, and the first row of each."""
    selected = np.flatnonzero(np.isin(calls.part, chosen))
    columns = [calls.caller, calls.callee, calls.file, calls.line, calls.address]
    order, starts = _group_equal_rows(
        [column[selected] for column in columns if column is not None]
    )
    groups = _in_file_order(order, starts)
    first = selected[order[starts[:-1]]][groups]
    count = segment_sums(calls.count[selected[order]], starts)[groups]
    values = segment_sums(calls.values[:, selected[order]], starts)[:, groups]
    merged = Calls(
        part=np.zeros(len(first), np.int32),
        caller=calls.caller[first],
        callee=calls.callee[first],
        file=calls.file[first],
        line=calls.line[first],
        address=_take(calls.address, first),
        count=count,
        values=values,
    )
    return merged, first


def _merge_jumps(jumps: Jumps, chosen: Sequence[PartId]) -> Jumps:
    selected = np.flatnonzero(np.isin(jumps.part, chosen))
    columns = [
        *(jumps.function, jumps.file, jumps.line, jumps.address, jumps.conditional),
        *(jumps.target_function, jumps.target_file, jumps.target_line, jumps.target_address),
    ]
    order, starts = _group_equal_rows(
        [column[selected] for column in columns if column is not None]
    )
    groups = _in_file_order(order, starts)
    first = selected[order[starts[:-1]]][groups]
    return Jumps(
        part=np.zeros(len(first), np.int32),
        function=jumps.function[first],
        file=jumps.file[first],
        line=jumps.line[first],
        address=_take(jumps.address, first),
        target_function=jumps.target_function[first],
        target_file=jumps.target_file[first],
        target_line=jumps.target_line[first],
        target_address=_take(jumps.target_address, first),
        executed=segment_sums(jumps.executed[selected[order]], starts)[groups],
        followed=segment_sums(jumps.followed[selected[order]], starts)[groups],
        conditional=jumps.conditional[first],
    )


def _group_equal_rows(keys: Sequence[_Column]) -> tuple[Int64Array, Int64Array]:
    """Return an order with equal rows adjacent, and the start of each group of equal rows."""
    order = np.lexsort(tuple(reversed(keys)))
    is_border = np.zeros(len(order) + 1, bool)
    is_border[[0, -1]] = True
    for key in keys:
        ordered = key[order]
        is_border[1:-1] |= ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(is_border) if len(order) else np.zeros(1, np.int64)


def _in_file_order(order: Int64Array, starts: Int64Array) -> Int64Array:
    """Sort the groups by first row; the stable lexsort kept equal rows in file order."""
    return np.argsort(order[starts[:-1]], kind="stable")


def _first_seen_ranks(column: _Column) -> tuple[Int64Array, _Column]:
    """Return the rank of each row's value by first appearance, and the values by rank."""
    values, first, inverse = np.unique(column, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[inverse], values[order]


def _take(column: UInt64Array | None, rows: Int64Array) -> UInt64Array | None:
    return None if column is None else column[rows]


# ---------------------------------------------------------------- the header


def part_positions(part: Part) -> tuple[str, ...]:
    """Return the positions to write: those of the part, except for basic blocks."""
    return tuple(word for word in part.positions if word != "bb") or ("line",)


def _merge_part(profile: Profile, chosen: Sequence[PartId]) -> Part:
    """Build the merged part: common values, and the header lines of all parts."""
    parts = [profile.parts[index] for index in chosen]
    names = [name for name in profile.events.names if any(name in p.events for p in parts)]
    words = {word for part in parts for word in part_positions(part)}
    positions = tuple(word for word in ("instr", "line") if word in words)
    lines = dict.fromkeys(line for part in parts for line in part.header)
    numbers = {
        key: _common_number([getattr(part, key) for part in parts]) for key in _NUMBER_FIELDS
    }
    header = [line for line in lines if numbers.get(line[0], 1) and line[0] != "positions"]
    return Part(
        path=parts[0].path,
        creator=next((part.creator for part in parts if part.creator), ""),
        command=next((part.command for part in parts if part.command), ""),
        positions=positions,
        events=tuple(names),
        summary=_merge_summary(profile, chosen, names),
        totals=None,
        header=(*header, ("positions", " ".join(positions))),
        **numbers,
    )


_NUMBER_FIELDS = ("pid", "part", "thread")


def _common_number(numbers: Sequence[int]) -> int:
    """Return the number shared by all parts that have one; 0 if they differ."""
    known = set(numbers) - {0}
    return known.pop() if len(known) == 1 else 0


def _merge_summary(
    profile: Profile, chosen: Sequence[PartId], names: Sequence[str]
) -> dict[str, int] | None:
    """Sum the recorded summaries; a part or event without one adds its counted total."""
    if all(profile.parts[index].summary is None for index in chosen):
        return None
    counted = dict(zip(profile.events.names, part_totals(profile).tolist(), strict=True))
    return {
        name: sum(
            (profile.parts[index].summary or {}).get(name, counted[name][index]) for index in chosen
        )
        for name in names
    }
