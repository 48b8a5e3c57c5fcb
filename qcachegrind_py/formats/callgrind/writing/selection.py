"""Selection of what to write: parts, separate or merged, and functions, in which order.

An omitted function loses its self cost and its calls to other omitted functions. Calls are written
if their caller or callee is selected, or if they are inside a recursion cycle with a selected
function. The callers, callees, called counts and inclusive costs of the selected functions are
therefore unchanged, since the inclusive cost is that of the calls received.

Layout of the body of a part: one block for each function, with its rows in file order.

Calls and jumps are in tables of their own, so their original positions among the cost lines are
unknown. Each is placed beside the first cost line of its function with the same file and address
(or line, without addresses), behind the calls and jumps before it. Positions then move by small
steps and files change rarely, which gives short lines. As far as possible, functions appear in the
order of their numbers in the profile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
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
    at_rows,
)

STACKS_ARE_LOST = (
    "The Callgrind format has the costs of functions, lines and calls, and no whole stacks."
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
    part = np.zeros(len(first), np.int32)
    merged = replace(at_rows(calls, first), part=part, count=count, values=values)
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
    return replace(
        at_rows(jumps, first),
        part=np.zeros(len(first), np.int32),
        executed=segment_sums(jumps.executed[selected[order]], starts)[groups],
        followed=segment_sums(jumps.followed[selected[order]], starts)[groups],
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
        samples=_merge_samples(parts),
        **numbers,
    )


_NUMBER_FIELDS = ("pid", "part", "thread")


def _common_number(numbers: Sequence[int]) -> int:
    """Return the number shared by all parts that have one; 0 if they differ."""
    known = set(numbers) - {0}
    return known.pop() if len(known) == 1 else 0


def _merge_samples(parts: Sequence[Part]) -> dict[str, int] | None:
    """Sum the numbers of samples by event; None if costs of a part are exact."""
    samples = Counter[str]()
    for part in parts:
        if part.samples is None:
            return None
        samples.update(part.samples)
    return samples


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


BLOCK, COST, CALL, JUMP = range(4)
EMPTY_BLOCK = -1  # the row of a block header with nothing behind it
_ITEMS_PER_CHUNK = 1 << 15  # some 30 ms of work

_Index = npt.NDArray[np.integer]


@frozen
class BodyItems:
    """The items to write, in order: block headers, cost lines, calls and jumps.

    All arrays have the shape (items,).
    """

    kind: npt.NDArray[np.uint8]
    row: Int64Array  # of the costs, calls or jumps; of a header 0, or EMPTY_BLOCK
    function: Int64Array  # function of the block
    file: Int64Array  # file of the position
    line: Int64Array
    address: UInt64Array

    def __len__(self) -> int:
        return len(self.kind)

    def slice(self, start: int, stop: int) -> BodyItems:
        """Return the items from `start` to `stop`."""
        return at_rows(self, slice(start, stop))


def layout_body(profile: Profile, rows: PartRows) -> Iterator[BodyItems]:
    """Yield the items of a part in chunks of whole blocks."""
    order = _BodyLayout(profile, rows)
    for first, last in order.block_ranges():
        yield order.block_items(first, last)


class _BodyLayout:
    """The blocks of a part, and its runs, calls and jumps sorted by block."""

    def __init__(self, profile: Profile, rows: PartRows) -> None:
        self._profile = profile
        with_rows = _block_functions(
            profile.runs.function[rows.runs],
            profile.calls.caller[rows.calls],
            profile.jumps.function[rows.jumps],
        )
        self.functions = np.concatenate((rows.targets, with_rows, rows.unreferenced))
        self._filled = range(len(rows.targets), len(rows.targets) + len(with_rows))
        block = np.zeros(len(profile.functions), np.int64)
        block[with_rows] = len(rows.targets) + np.arange(len(with_rows))
        self._runs = _sorted_by_block(rows.runs, block[profile.runs.function[rows.runs]])
        self._calls = _sorted_by_block(rows.calls, block[profile.calls.caller[rows.calls]])
        self._jumps = _sorted_by_block(rows.jumps, block[profile.jumps.function[rows.jumps]])

    def block_ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the first block of each chunk and the one behind its last."""
        starts = self._profile.runs.start
        sizes = np.ones(len(self.functions), np.int64)
        runs, blocks = self._runs
        np.add.at(sizes, blocks, starts[runs + 1] - starts[runs])
        for _, blocks in (self._calls, self._jumps):
            np.add.at(sizes, blocks, 1)
        number = np.cumsum(sizes) // _ITEMS_PER_CHUNK
        borders = np.flatnonzero(np.diff(number)) + 1
        ends = [0, *borders.tolist(), len(self.functions)]
        yield from pairwise(ends)

    def block_items(self, first: int, last: int) -> BodyItems:
        """Return the items of the blocks from `first` up to, but excluding, `last`."""
        functions = self.functions[first:last]
        costs = self._costs(first, last)
        others = (
            _rows_of_table(CALL, self._profile.calls, *_rows_of_blocks(*self._calls, first, last)),
            _rows_of_table(JUMP, self._profile.jumps, *_rows_of_blocks(*self._jumps, first, last)),
        )
        blocks = np.arange(len(functions))
        heads = np.searchsorted(costs.block, blocks) + blocks  # behind the costs of earlier blocks
        keys = (
            heads,
            np.arange(len(costs.row)) + costs.block + 1,
            *(_nearby_cost_keys(costs, other, heads) for other in others),
        )
        order = np.argsort(np.concatenate(keys), kind="stable")
        headers = self._block_headers(first, last)
        return _interleaved((headers, costs, *others), order, functions)

    def _block_headers(self, first: int, last: int) -> _ItemRows:
        blocks = np.arange(first, last)
        is_filled = (blocks >= self._filled.start) & (blocks < self._filled.stop)
        rows = np.where(is_filled, 0, EMPTY_BLOCK)
        file = self._profile.functions.file[self.functions[first:last]]
        return _ItemRows(BLOCK, rows, blocks - first, file, np.zeros_like(rows), None)

    def _costs(self, first: int, last: int) -> _ItemRows:
        runs, blocks = _rows_of_blocks(*self._runs, first, last)
        rows, lengths = segment_rows(self._profile.runs.start, runs)
        costs, file = self._profile.costs, np.repeat(self._profile.runs.file[runs], lengths)
        address = None if costs.address is None else costs.address[rows]
        return _ItemRows(COST, rows, np.repeat(blocks, lengths), file, costs.line[rows], address)


@frozen
class _ItemRows:
    """Rows of one table sorted by block, with their positions."""

    kind: int
    row: Int64Array
    block: Int64Array
    file: _Index
    line: _Index
    address: UInt64Array | None

    def position_key(self) -> UInt64Array:
        """Return a hash of block, file and position; collisions only make the output longer."""
        position = self.line.astype(np.uint64) if self.address is None else self.address
        key = self.block.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        key += self.file.astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
        return key ^ (position * np.uint64(0x165667B19E3779F9))


def _rows_of_table(
    kind: int, table: Calls | Jumps, rows: Int64Array, blocks: Int64Array
) -> _ItemRows:
    address = None if table.address is None else table.address[rows]
    return _ItemRows(kind, rows, blocks, table.file[rows], table.line[rows], address)


def _nearby_cost_keys(costs: _ItemRows, others: _ItemRows, heads: Int64Array) -> Int64Array:
    """Return the sort key of each call or jump: that of a cost line or of its block header."""
    beside = _first_match(costs.position_key(), others.position_key())
    at_head = heads[others.block]
    keys = np.where(beside < 0, at_head, beside + others.block + 1)
    return np.maximum.accumulate(np.maximum(keys, at_head))


def _first_match(keys: UInt64Array, requested: UInt64Array) -> Int64Array:
    """Return the first row with each requested key; -1: none."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    if not len(keys):
        return np.full(len(requested), -1, np.int64)
    index = np.minimum(np.searchsorted(keys, requested), len(keys) - 1)
    return np.where(keys[index] == requested, order[index], -1)


def _interleaved(
    tables: tuple[_ItemRows, ...], order: Int64Array, functions: Int64Array
) -> BodyItems:
    kinds = [np.full(len(rows.row), rows.kind, np.uint8) for rows in tables]
    addresses = [
        np.zeros(len(rows.row), np.uint64) if rows.address is None else rows.address
        for rows in tables
    ]
    return BodyItems(
        np.concatenate(kinds)[order],
        np.concatenate([rows.row for rows in tables])[order],
        functions[np.concatenate([rows.block for rows in tables])[order]],
        np.concatenate([rows.file.astype(np.int64) for rows in tables])[order],
        np.concatenate([rows.line.astype(np.int64) for rows in tables])[order],
        np.concatenate(addresses)[order],
    )


def _sorted_by_block(rows: Int64Array, blocks: Int64Array) -> tuple[Int64Array, Int64Array]:
    order = np.argsort(blocks, kind="stable")
    return rows[order], blocks[order]


def _rows_of_blocks(
    rows: Int64Array, blocks: Int64Array, first: int, last: int
) -> tuple[Int64Array, Int64Array]:
    start, stop = np.searchsorted(blocks, (first, last))
    return rows[start:stop], blocks[start:stop] - first


def _block_functions(*columns: _Index) -> Int64Array:
    """Return the distinct functions of the columns in an order compatible with each column.

    Functions of the first column are in its order. A function found only in another column follows
    the latest of the known functions before it in that column.
    """
    known = _unique_in_order(columns[0])
    for column in columns[1:]:
        functions = _unique_in_order(column)
        size = max(int(known.max(initial=-1)), int(functions.max(initial=-1))) + 1
        rank = np.full(size, -1, np.int64)
        rank[known] = np.arange(len(known))
        after = np.maximum.accumulate(rank[functions])
        new = rank[functions] < 0
        ranks = np.concatenate((np.arange(len(known)), after[new]))
        known = np.concatenate((known, functions[new]))[np.argsort(ranks, kind="stable")]
    return known


def _unique_in_order(column: _Index) -> Int64Array:
    """Return the distinct values in order of first appearance."""
    values, first = np.unique(column, return_index=True)
    return values[np.argsort(first)].astype(np.int64)
