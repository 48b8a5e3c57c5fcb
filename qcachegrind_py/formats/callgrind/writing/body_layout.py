"""Layout of the body of a part: one block for each function, with its rows in file order.

Calls and jumps are in tables of their own, so their original positions among the cost lines are
unknown. Each is placed beside the first cost line of its function with the same file and address
(or line, without addresses), behind the calls and jumps before it. Positions then move by small
steps and files change rarely, which gives short lines. As far as possible, functions appear in the
order of their numbers in the profile.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.costs.sums import segment_rows
from qcachegrind_py.formats.callgrind.writing.selection import PartRows
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Calls, Int64Array, Jumps, UInt64Array

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
        return BodyItems(*(getattr(self, field.name)[start:stop] for field in fields(self)))


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
    """Return the rows of these blocks, and their blocks relative to the first."""
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
