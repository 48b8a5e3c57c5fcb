"""KCachegrind's numbers for a profile, and ours in the same form.

A table is written by KCachegrind's own core, a line per function: F, name, file, object, number of
the cycle (0: none), calls received, then self and inclusive cost of each event. KCachegrind
identifies a function by name, base name of the file and base name of the object, and counts modulo
2^64.
"""

from __future__ import annotations

import lzma
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import function_rows

Key = tuple[str, str, str]


@dataclass
class Table:
    """Call count, then self and inclusive cost of each event, by function; the cycles as sets."""

    events: list[str]
    totals: list[int]
    rows: dict[Key, list[int]] = field(default_factory=dict)
    cycles: set[frozenset[Key]] = field(default_factory=set)


def kcachegrind_table(path: Path) -> Table:
    """Read a `.tsv.xz` file."""
    table, cycles = Table([], []), defaultdict(set)
    with lzma.open(path, "rt", encoding="utf-8", errors="replace", newline="\n") as lines:
        for line in lines:
            mark, *cells = line.rstrip("\n").split("\t")
            if mark == "#events":
                table.events = cells
            elif mark == "#totals":
                table.totals = [int(cell) for cell in cells]
            elif mark == "F" and not cells[0].startswith("<cycle "):
                key = _key(*cells[:3])
                _add(table, key, [int(cell) for cell in cells[4:]])
                cycles[int(cells[3])].add(key)
    table.cycles = {frozenset(keys) for cycle, keys in cycles.items() if cycle and len(keys) > 1}
    return table


def profile_table(profile: Profile, costs: FunctionCosts) -> Table:
    """Our numbers; the total of an event is the sum of its self costs."""
    table = Table(list(profile.events.names), [cost % 2**64 for cost in costs.totals.tolist()])
    cycles = defaultdict(set)
    columns = [costs.called.tolist()]
    for own, inclusive in zip(costs.self_cost.tolist(), costs.inclusive.tolist(), strict=True):
        columns += [own, inclusive]
    for function, cycle, *values in zip(
        function_rows(profile), costs.cycle.tolist(), *columns, strict=True
    ):
        key = _key(*map(_as_in_the_tables, function))
        _add(table, key, values)
        cycles[cycle].add(key)
    table.cycles = {frozenset(keys) for cycle, keys in cycles.items() if cycle and len(keys) > 1}
    return table


def without_files(table: Table) -> Table:
    """The table with all functions in the unknown file."""
    found = Table(table.events, table.totals)
    for (name, _file, object_), values in table.rows.items():
        _add(found, (name, "", object_), values)
    found.cycles = {frozenset((key[0], "", key[2]) for key in cycle) for cycle in table.cycles}
    return found


def table_differences(expected: Table, got: Table) -> dict[Key, tuple[list[int], list[int]]]:
    """The rows in which the tables differ; a function without any numbers may be missing."""
    nothing = [0] * (1 + 2 * len(expected.events))
    found = {}
    for key in expected.rows.keys() | got.rows.keys():
        pair = expected.rows.get(key, nothing), got.rows.get(key, nothing)
        if pair[0] != pair[1]:
            found[key] = pair
    return found


def _key(name: str, file: str, object_: str) -> Key:
    texts = ["" if text == "???" else text for text in (name, file, object_)]
    return (texts[0], texts[1].rpartition("/")[2], texts[2].rpartition("/")[2])


def _add(table: Table, key: Key, values: list[int]) -> None:
    before = table.rows.get(key)
    summed = values if before is None else [a + b for a, b in zip(before, values, strict=True)]
    table.rows[key] = [value % 2**64 for value in summed]


def _as_in_the_tables(name: str) -> str:
    """Return a name as the tables have it: bytes that are not UTF-8 are U+FFFD there."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
