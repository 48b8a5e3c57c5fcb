"""The contexts in which a profiled program ran: whole stacks, with what was measured in each.

A context is a function, the line and the address at which it executes, and the context that called
it. Contexts form trees, one or more for each part, whose rows are in preorder: a context is
followed by all contexts below it. Costs of stacks are then differences of running sums, and whether
a function is on a stack already is a running maximum, each in one pass over all rows.

What other tables of a profile have follows from its contexts (`tables_of_contexts`). Call counts
are unknown, since samples do not tell calls apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.tables import (
    BoolArray,
    Calls,
    Costs,
    Functions,
    Int32Array,
    Int64Array,
    Runs,
    UInt64Array,
    read_only,
)

if TYPE_CHECKING:
    import numpy.typing as npt

NO_CONTEXT = -1

_Key: TypeAlias = "npt.NDArray[np.integer]"


@frozen(slots=False)
class Contexts:
    """The contexts, one row each, in preorder; read-only columns of shape (contexts,)."""

    parent: Int32Array  # row of the calling context, above its own; -1: an outermost one
    end: Int32Array  # the row behind the last context below it
    function: Int32Array
    line: Int32Array  # executed in the function's file, also while it calls others; 0: unknown
    address: UInt64Array | None  # executed, or returned to; None if no part has any, 0: unknown
    part: Int32Array  # equal in a whole tree
    values: Int64Array  # self cost, shape (events, contexts)

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def stack_values(self) -> Int64Array:
        """The cost of each context with all below it, shape (events, contexts)."""
        return read_only(self.sums_below(self.values))

    @cached_property
    def children(self) -> tuple[Int64Array, Int64Array]:
        """All inner contexts by the one that calls them, and where those of each one begin.

        The second array has the shape (contexts + 1,).
        """
        order = np.argsort(self.parent, kind="stable")
        order = order[np.searchsorted(self.parent[order], 0) :]
        return order, np.searchsorted(self.parent[order], np.arange(len(self) + 1))

    @cached_property
    def depth(self) -> Int64Array:
        """How many contexts each has above it, shape (contexts,)."""
        ended = np.zeros(len(self) + 1, np.int64)
        np.add.at(ended, self.end, 1)
        return read_only(np.arange(len(self)) - np.cumsum(ended[:-1]))

    def sums_below(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Sum values of shape (…, contexts) over each context and all below it."""
        before = np.zeros((*values.shape[:-1], len(self) + 1), values.dtype)
        np.cumsum(values, axis=-1, out=before[..., 1:])
        return before[..., self.end] - before[..., :-1]

    def nearest(self, chosen: BoolArray) -> Int64Array:
        """Return each context, or the nearest one above it, that is chosen or an outermost one."""
        rows = np.arange(len(self))
        return topmost(np.where(chosen | (self.parent < 0), rows, self.parent))

    def are_outermost(self, key: _Key, rows: Int64Array | None = None) -> BoolArray:
        """Return which contexts have none of the same key above them, shape (contexts,).

        `key` is at least 0, such as the function. Costs of a key are the sums of `stack_values`
        over these, so that recursion counts once. With `rows`, ascending, only these contexts have
        keys, of shape (rows,), and the result is of this shape.
        """
        rows = np.arange(len(self)) if rows is None else rows
        order = np.argsort(key, kind="stable")  # of equal keys, in preorder
        placed = rows[order]
        # ends of a key exceed those of all keys before, so that one running maximum serves them all
        group = np.cumsum(np.diff(key[order], prepend=key[order][:1]) != 0)
        ends = np.maximum.accumulate(self.end[placed] + group * (len(self) + 1))
        is_outermost = np.ones(len(rows), bool)
        reached = ends[:-1] - group[1:] * (len(self) + 1)
        is_outermost[order[1:]] = placed[1:] >= reached
        return is_outermost


def topmost(above: Int64Array) -> Int64Array:
    """Return the last row above each one, given the next; that of a last row is itself."""
    while (above[above] != above).any():  # each step doubles how far it reaches
        above = above[above]
    return above


def contexts_in_preorder(
    parent: Int32Array,
    function: Int32Array,
    line: Int32Array,
    address: UInt64Array | None,
    part: Int32Array,
    values: Int64Array,
) -> Contexts:
    """Return contexts whose parents are anywhere above them; siblings keep their order."""
    end, order = _preorder(parent)
    position = np.empty(len(parent), np.int32)
    position[order] = np.arange(len(parent), dtype=np.int32)
    above = parent[order]
    return Contexts(
        parent=read_only(np.where(above < 0, above, position[above]).astype(np.int32)),
        end=read_only(end),
        function=read_only(function[order]),
        line=read_only(line[order]),
        address=None if address is None else read_only(address[order]),
        part=read_only(part[order]),
        values=read_only(np.take(values, order, axis=-1)),
    )


def _preorder(parent: Int32Array) -> tuple[Int32Array, Int64Array]:
    """Return the ends of the rows in preorder, and the row at each place of it."""
    levels = _levels(parent)
    size = np.ones(len(parent), np.int64)
    for rows in reversed(levels[1:]):
        np.add.at(size, parent[rows], size[rows])
    place = np.zeros(len(parent), np.int64)
    for depth, rows in enumerate(levels):
        rows = rows[np.argsort(parent[rows], kind="stable")]
        before = np.cumsum(size[rows]) - size[rows]
        if depth:
            above = parent[rows]
            is_first = np.diff(above, prepend=-1) != 0
            before -= np.maximum.accumulate(np.where(is_first, before, 0))
            before += place[above] + 1
        place[rows] = before
    order = np.empty(len(parent), np.int64)
    order[place] = np.arange(len(parent))
    return (place + size)[order].astype(np.int32), order


def _levels(parent: Int32Array) -> list[Int64Array]:
    """Return the rows of each depth, outermost first, ascending; parents are above their rows."""
    above = np.where(parent >= 0, parent, np.arange(len(parent)))
    depth = (parent >= 0).astype(np.int32)
    # each step doubles how far `above` reaches, until it is the outermost context of every row
    while (above[above] != above).any():
        depth = depth + depth[above]
        above = above[above]
    order = np.argsort(depth, kind="stable")
    borders = np.flatnonzero(np.diff(depth[order])) + 1
    return np.split(order, borders) if len(order) else []


# ---------------------------------------------------------------- the other tables


def tables_of_contexts(contexts: Contexts, functions: Functions) -> tuple[Runs, Costs, Calls]:
    """Sum contexts by function, line and address: self costs, and calls with what they cost.

    A call site that is on a stack several times counts once there, as in recursion.
    """
    runs, costs = _self_costs(contexts, functions)
    return runs, costs, _calls(contexts, functions)


def _self_costs(contexts: Contexts, functions: Functions) -> tuple[Runs, Costs]:
    rows = np.flatnonzero(contexts.values.any(axis=0))
    columns: list[npt.NDArray[Any]] = [
        contexts.part[rows],
        contexts.function[rows],
        contexts.line[rows],
    ]
    if contexts.address is not None:
        columns.append(contexts.address[rows])
    group, first = distinct_rows(columns)
    chosen = rows[first]
    part, function = contexts.part[chosen], contexts.function[chosen]
    is_start = (np.diff(part, prepend=-1) != 0) | (np.diff(function, prepend=-1) != 0)
    starts = np.flatnonzero(is_start)
    return Runs(
        start=read_only(np.append(starts, len(chosen)).astype(np.int64)),
        part=read_only(part[starts]),
        function=read_only(function[starts]),
        file=read_only(functions.file[function[starts]]),
    ), Costs(
        line=read_only(contexts.line[chosen]),
        address=None if contexts.address is None else read_only(contexts.address[chosen]),
        values=read_only(_sums(contexts.values[:, rows], group, len(first))),
    )


def _calls(contexts: Contexts, functions: Functions) -> Calls:
    rows = np.flatnonzero(contexts.parent >= 0)
    above = contexts.parent[rows]
    columns: list[npt.NDArray[Any]] = [
        contexts.part[rows],
        contexts.function[above],
        contexts.function[rows],
        contexts.line[above],
    ]
    if contexts.address is not None:
        columns.append(contexts.address[above])
    group, first = distinct_rows(columns)
    counted = contexts.are_outermost(group, rows)
    values = _sums(contexts.stack_values[:, rows[counted]], group[counted], len(first))
    site = above[first]
    caller = contexts.function[site]
    return Calls(
        part=read_only(contexts.part[site]),
        caller=read_only(caller),
        callee=read_only(contexts.function[rows[first]]),
        file=read_only(functions.file[caller]),
        line=read_only(contexts.line[site]),
        address=None if contexts.address is None else read_only(contexts.address[site]),
        count=read_only(np.zeros(len(first), np.int64)),
        values=read_only(values),
    )


def distinct_rows(columns: Sequence[npt.NDArray[Any]]) -> tuple[Int64Array, Int64Array]:
    """Number the distinct rows of some columns in their order, the first column first.

    Returns the number of each row, and for each number its first row.
    """
    order = np.lexsort(columns[::-1])
    differs = np.zeros(len(order), bool)
    for column in columns:
        sorted_ = column[order]
        differs[1:] |= sorted_[1:] != sorted_[:-1]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(differs)
    differs[:1] = True
    return number, order[differs]


def _sums(values: Int64Array, group: Int64Array, groups: int) -> Int64Array:
    """Sum the rows of each group, shape (events, groups), exactly."""
    sums = np.zeros((len(values), groups), np.int64)
    for event, row in enumerate(values):
        np.add.at(sums[event], group, row)
    return sums
