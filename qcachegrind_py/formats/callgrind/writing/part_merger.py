"""Parts of a profile made one: rows of the same function and place are added up.

Sums of self costs and of calls stay. Inclusive costs and cycles are then those of the whole, where
each part had its own: they differ where a function is called in one part and a root in another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.costs.grouped_sums import segment_rows, segment_sums
from qcachegrind_py.formats.callgrind.writing.header_lines import part_positions
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Calls, Costs, Int64Array, Jumps, Runs, UInt64Array

_Column = npt.NDArray[Any]


def merge_parts(
    profile: Profile, selection: Selection, progress: Progress
) -> tuple[Profile, Selection]:
    """The chosen parts as a profile of one part, and what remains to be chosen of that."""
    chosen = selection.chosen_parts(profile)
    runs, costs = _merge_costs(profile, chosen)
    progress.check(0.0)
    merged = replace(
        profile,
        parts=(_merge_part(profile, chosen),),
        runs=runs,
        costs=costs,
        calls=_merge_calls(profile.calls, chosen),
        jumps=_merge_jumps(profile.jumps, chosen),
    )
    return merged, Selection(functions=selection.functions)


# ---------------------------------------------------------------- rows


def _merge_costs(profile: Profile, chosen: Sequence[PartId]) -> tuple[Runs, Costs]:
    """A run for each function and file, functions and files in the order they were met."""
    runs, costs = profile.runs, profile.costs
    kept = np.flatnonzero(np.isin(runs.part, chosen))
    rows, lengths = segment_rows(runs.start, kept)
    rank, functions = _first_seen_ranks(runs.function[kept])
    file_rank, files = _first_seen_ranks(runs.file[kept])
    keys: list[_Column] = [
        np.repeat(rank, lengths),
        np.repeat(file_rank, lengths),
        costs.line[rows],
    ]
    if costs.address is not None:  # by address: so callgrind orders the lines
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


def _merge_calls(calls: Calls, chosen: Sequence[PartId]) -> Calls:
    kept = np.flatnonzero(np.isin(calls.part, chosen))
    places = [calls.caller, calls.callee, calls.file, calls.line, calls.address]
    order, starts = _group_equal_rows([column[kept] for column in places if column is not None])
    groups = _in_file_order(order, starts)
    first = kept[order[starts[:-1]]][groups]
    count = segment_sums(calls.count[kept[order]], starts)[groups]
    values = segment_sums(calls.values[:, kept[order]], starts)[:, groups]
    return Calls(
        part=np.zeros(len(first), np.int32),
        caller=calls.caller[first],
        callee=calls.callee[first],
        file=calls.file[first],
        line=calls.line[first],
        address=_take(calls.address, first),
        count=count,
        values=values,
    )


def _merge_jumps(jumps: Jumps, chosen: Sequence[PartId]) -> Jumps:
    kept = np.flatnonzero(np.isin(jumps.part, chosen))
    places = [
        *(jumps.function, jumps.file, jumps.line, jumps.address, jumps.conditional),
        *(jumps.target_function, jumps.target_file, jumps.target_line, jumps.target_address),
    ]
    order, starts = _group_equal_rows([column[kept] for column in places if column is not None])
    groups = _in_file_order(order, starts)
    first = kept[order[starts[:-1]]][groups]
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
        executed=segment_sums(jumps.executed[kept[order]], starts)[groups],
        followed=segment_sums(jumps.followed[kept[order]], starts)[groups],
        conditional=jumps.conditional[first],
    )


def _group_equal_rows(keys: Sequence[_Column]) -> tuple[Int64Array, Int64Array]:
    """An order in which equal rows follow each other, and where each group of them starts."""
    order = np.lexsort(tuple(reversed(keys)))
    is_border = np.zeros(len(order) + 1, bool)
    is_border[[0, -1]] = True
    for key in keys:
        ordered = key[order]
        is_border[1:-1] |= ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(is_border) if len(order) else np.zeros(1, np.int64)


def _in_file_order(order: Int64Array, starts: Int64Array) -> Int64Array:
    """The groups by their first rows, as lexsort leaves equal rows in order."""
    return np.argsort(order[starts[:-1]], kind="stable")


def _first_seen_ranks(column: _Column) -> tuple[Int64Array, _Column]:
    """For each row the rank of its value, by which was met first; and the values by rank."""
    values, first, inverse = np.unique(column, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[inverse], values[order]


def _take(column: UInt64Array | None, rows: Int64Array) -> UInt64Array | None:
    return None if column is None else column[rows]


# ---------------------------------------------------------------- the header


def _merge_part(profile: Profile, chosen: Sequence[PartId]) -> Part:
    """What the parts have in common, and every description that one of them has."""
    parts = [profile.parts[index] for index in chosen]
    names = [name for name in profile.events.names if any(name in p.events for p in parts)]
    found = {word for index in chosen for word in part_positions(profile)[index]}
    positions = " ".join(word for word in ("instr", "line") if word in found)
    lines = dict.fromkeys(line for part in parts for line in part.header)
    numbers = {
        key: _common_number([getattr(part, key) for part in parts]) for key in _NUMBER_FIELDS
    }
    kept = [line for line in lines if numbers.get(line[0], 1) and line[0] != "positions"]
    return Part(
        path=parts[0].path,
        creator=next((part.creator for part in parts if part.creator), ""),
        command=next((part.command for part in parts if part.command), ""),
        events=tuple(names),
        summary=_merge_summary(profile, chosen, names),
        totals=None,
        header=(*kept, ("positions", positions)),
        **numbers,
    )


_NUMBER_FIELDS = ("pid", "part", "thread")


def _common_number(numbers: Sequence[int]) -> int:
    """The number that all parts have which have one; 0 where they differ."""
    known = set(numbers) - {0}
    return known.pop() if len(known) == 1 else 0


def _merge_summary(
    profile: Profile, chosen: Sequence[PartId], names: Sequence[str]
) -> dict[str, int] | None:
    """The sum of what was recorded; a part without a summary counts as it is."""
    if all(profile.parts[index].summary is None for index in chosen):
        return None
    runs = segment_sums(profile.costs.values, profile.runs.start)
    sums = dict.fromkeys(names, 0)
    for index in chosen:
        summary = profile.parts[index].summary
        counted = runs[:, profile.runs.part == index].sum(axis=1).tolist()
        if summary is None:
            summary = dict(zip(profile.events.names, counted, strict=True))
        for name in names:
            sums[name] += summary.get(name, 0)
    return sums
