"""Costs, calls and jumps of lines and instructions, summed row by row by the reference reader.

The results of `function_lines`, `file_lines` and `instruction_costs` are converted to the same
form, so that they can be compared whole.
"""

from __future__ import annotations

import lzma
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from qcachegrind_py.analysis.code.location_costs import InstructionCosts, LineCosts
from qcachegrind_py.profile.profile import Profile
from tests.formats.callgrind.reference_reader import CallRow, CostRow, JumpRow, Reading, read
from tests.profile_rows import function_rows

Costs = list[int]
Target = tuple[Hashable, bool]  # of a jump, and whether it is conditional


@dataclass
class ReferenceLocation:
    """Costs of one line or instruction; calls by callee, jumps by target, two numbers each."""

    self_cost: Costs
    inclusive: Costs
    calls: dict[tuple[str, str, str], tuple[int, Costs]] = field(default_factory=dict)
    jumps: dict[Target, tuple[int, int]] = field(default_factory=dict)


ReferenceLocations = dict[Hashable, ReferenceLocation]


@lru_cache
def read_file(path: Path) -> Reading:
    """The reading of a file, which may be compressed with xz."""
    data = path.read_bytes()
    return read(lzma.decompress(data) if data[:4] == b"\xfd7zX" else data)


@dataclass
class Rows:
    """Rows of one function, or of one file."""

    costs: list[CostRow] = field(default_factory=list)
    calls: list[CallRow] = field(default_factory=list)
    jumps: list[JumpRow] = field(default_factory=list)

    def locations(
        self, events: int, place: Callable[[Any], Hashable], target: Callable[[Any], Hashable]
    ) -> ReferenceLocations:
        """The sums of all rows; `place` and `target` return the keys of a row and a jump target."""
        sites: ReferenceLocations = defaultdict(
            lambda: ReferenceLocation([0] * events, [0] * events)
        )
        for cost in self.costs:
            site = sites[place(cost)]
            site.self_cost = add_costs(site.self_cost, cost.costs)
            site.inclusive = add_costs(site.inclusive, cost.costs)
        for call in self.calls:
            site = sites[place(call)]
            site.inclusive = add_costs(site.inclusive, call.costs)
            count, costs = site.calls.get(call.callee, (0, [0] * events))
            site.calls[call.callee] = count + call.call_count, add_costs(costs, call.costs)
        for jump in self.jumps:
            jumps = sites[place((jump.source_file, jump.source_line, jump.source_address))].jumps
            key = target(jump), jump.conditional
            executed, followed = jumps.get(key, (0, 0))
            jumps[key] = executed + jump.executed, followed + jump.followed
        return dict(sites)


def add_costs(costs: Iterable[int], others: Iterable[int]) -> Costs:
    return [cost + other for cost, other in zip(costs, others, strict=True)]


def rows_by(reading: Reading, of_function: bool, parts: frozenset[int] | None = None) -> Any:
    """The rows of each function, or of each file, in the active parts."""
    rows: dict[Any, Rows] = defaultdict(Rows)
    for cost in reading.costs:
        if parts is None or cost.part in parts:
            rows[cost.function if of_function else cost.file].costs.append(cost)
    for call in reading.calls:
        if parts is None or call.part in parts:
            rows[call.caller if of_function else call.file].calls.append(call)
    for jump in reading.jumps:
        if parts is None or jump.part in parts:
            rows[jump.source_function if of_function else jump.source_file].jumps.append(jump)
    return rows


def line_locations(rows: Rows, events: int) -> ReferenceLocations:
    """By file and line, with jumps by file and line."""
    return rows.locations(events, _line_of, lambda jump: (jump.target_file, jump.target_line))


def address_locations(rows: Rows, events: int) -> ReferenceLocations:
    """By address."""
    return rows.locations(events, _address_of, lambda jump: jump.target_address)


def _line_of(row: Any) -> Hashable:
    return row[:2] if type(row) is tuple else (row.file, row.line)


def _address_of(row: Any) -> Hashable:
    return row[2] if type(row) is tuple else row.address


def found_lines(profile: Profile, lines: LineCosts) -> ReferenceLocations:
    """The package's line costs by file and line."""
    names, jumps = _names(profile), lines.jumps
    places = [
        (names[file], line)
        for file, line in zip(lines.file.tolist(), lines.line.tolist(), strict=True)
    ]
    targets = [
        (names[file], line)
        for file, line in zip(jumps.target_file.tolist(), jumps.target_line.tolist(), strict=True)
    ]
    return _found(profile, lines, places, targets)


@lru_cache(maxsize=2)  # called for each function of a profile
def _names(profile: Profile) -> list[str]:
    return ["", *profile.texts.lookup(range(1, len(profile.texts)))]


def found_instructions(profile: Profile, costs: InstructionCosts) -> ReferenceLocations:
    """The package's instruction costs by address."""
    return _found(profile, costs, costs.address.tolist(), costs.jumps.target.tolist())


def _found(
    profile: Profile,
    costs: LineCosts | InstructionCosts,
    places: list[Hashable],
    targets: list[Hashable],
) -> ReferenceLocations:
    known, calls, jumps = function_rows(profile), costs.calls, costs.jumps
    self_cost, inclusive = costs.self_cost.T.tolist(), costs.inclusive.T.tolist()
    sites = [ReferenceLocation(*both) for both in zip(self_cost, inclusive, strict=True)]
    for row, site in enumerate(calls.location.tolist()):
        callee = known[int(calls.callee[row])]
        assert callee not in sites[site].calls
        sites[site].calls[callee] = int(calls.count[row]), calls.inclusive[:, row].tolist()
    for row, site in enumerate(jumps.location.tolist()):
        key = targets[row], bool(jumps.conditional[row])
        assert key not in sites[site].jumps
        sites[site].jumps[key] = int(jumps.executed[row]), int(jumps.followed[row])
    assert len(set(places)) == len(places)
    return dict(zip(places, sites, strict=True))
