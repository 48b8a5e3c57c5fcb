"""Lines and instructions of real profiles: every location, cost, call and jump exactly once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.code.annotated_function import annotate_instructions, annotate_lines
from qcachegrind_py.analysis.code.instructions import NO_CODE, Code, InstructionKind
from qcachegrind_py.analysis.code.location_costs import (
    InstructionCosts,
    LineCosts,
    LocationCalls,
    file_lines,
    function_lines,
    instruction_costs,
    lines_in_file,
)
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.code_instructions import NOT_RECORDED, instruction_rows
from qcachegrind_py.present.code_lines import source_rows
from qcachegrind_py.present.code_records import CodeRows, RecordKind, event_costs
from qcachegrind_py.profile.ids import NO_FUNCTION
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.tools.annotation_inputs import read_function_code
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule
from tests.present.reference_records import plain_records, reference_records
from tests.profile_rows import DATA
from tests.profile_text import WHOLE_SCOPE

pytestmark = pytest.mark.slow
CONTEXT = 2
# with inlined files, jumps, recursion, no addresses, no lines, a line of 0, without a file, calls=0
OF_LINES = [
    "recur-everything/callgrind.out.21921.xz",
    "programs/annotate/callgrind.out.inlined-O2.xz",
    "programs/callgrind.out.jumps-O1.xz",
    "separate-threads/callgrind.out.22265-01",
    "gperf/callgrind.out.gperf-cpu",
    "pprof-heap/callgrind.out.heap-alloc",
    "ruby-prof/callgrind.out.7234",
    "xdebug-append/cachegrind.out.append.xz",
    "yappi/callgrind.out.yappi",
]
OF_INSTRUCTIONS = [*OF_LINES[:3], "templ-nobb/callgrind.out.22021.xz", OF_LINES[5]]
Site = tuple[Any, ...]  # a file and a line, or an address
Jumps = dict[tuple[Site, Site, bool], list[int]]  # how often each was executed, and taken


def loaded(name: str) -> tuple[Profile, Labels]:
    profile = q.load(DATA / name)
    return profile, ProfileQueries(profile).labels(WHOLE_SCOPE)


def check(rows: CodeRows, calls: LocationCalls, count: int, headings: Collection[int] = ()) -> None:
    """The records are those of a slow walk; each of so many cost rows, and each call, is there."""
    of_row: dict[int, list[int]] = defaultdict(list)
    for call, row in enumerate(calls.location.tolist()):
        of_row[row].append(call)
    by_site = [of_row[row] if row >= 0 else None for row in rows.cost_row.tolist()]
    arrows = rows.records.arrows
    targets = arrows.target[arrows.executed != NOT_RECORDED].tolist()
    wanted = reference_records(by_site, targets, headings, CONTEXT)
    assert plain_records(rows.records) == wanted
    assert sorted(row for row in rows.cost_row.tolist() if row >= 0) == list(range(count))
    assert sum(map(len, of_row.values())) == len(calls)


def sums(profile: Profile, rows: CodeRows) -> list[list[int]]:
    """The total self cost of all locations in two events, and of all calls."""
    found = []
    is_call = rows.records.kind == RecordKind.CALL
    for event in profile.events.measured[:2]:
        costs = event_costs(rows, profile.events, event)
        assert not costs.self_cost.new[is_call].any()
        found.append([int(costs.self_cost.new.sum()), int(costs.inclusive.new[is_call].sum())])
    return found


def costs_of_functions(profile: Profile) -> list[list[list[int]]]:
    """The same by function: its self cost, and that of its calls."""
    own = q.function_costs(profile).self_cost[:2]
    called = np.zeros_like(own)
    np.add.at(called, (slice(None), profile.calls.caller), profile.calls.values[:2])
    return np.stack((own, called), axis=2).transpose(1, 0, 2).tolist()


def recorded_jumps(
    profile: Profile, is_meant: np.ndarray, seen: Collection[Site], ends: Callable[[int], Site]
) -> Jumps:
    """The jumps to visible locations, without those within one, or that never happened."""
    found: Jumps = defaultdict(lambda: [0, 0])
    jumps = profile.jumps
    for jump in np.flatnonzero(is_meant).tolist():
        source, target = ends(jump)
        if source != target and target in seen and jumps.executed[jump] > 0:
            counts = found[source, target, bool(jumps.conditional[jump])]
            counts[0] += int(jumps.executed[jump])
            counts[1] += int(jumps.followed[jump])
    return dict(found)


def arrows_of(rows: CodeRows, sites: list[Site]) -> Jumps:
    """The same of the arrows; copies of inlined code have some each."""
    found: Jumps = {}
    arrows = rows.records.arrows
    columns = arrows.source, arrows.target, arrows.conditional, arrows.executed, arrows.followed
    for source, target, kind, *counts in zip(*(c.tolist() for c in columns), strict=True):
        before = found.get((sites[source], sites[target], kind), [0, 0])
        found[sites[source], sites[target], kind] = [
            one + other for one, other in zip(before, counts, strict=True)
        ]
    return found


# ---------------------------------------------------------------- lines


def walked_lines(lines: LineCosts, file: int, length: int) -> Iterator[tuple[int, int, int]]:
    """File, line and cost row of each location; row -1 for a line without cost."""
    under: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for row, host in enumerate(lines.host.tolist()):
        under[host].append((int(lines.file[row]), int(lines.line[row]), row))
    for host in sorted(host for host in under if host < 1):
        yield from under[host]
    for host in sorted({*range(1, length + 1), *(host for host in under if host > 0)}):
        of_host = under.get(host, [])
        if [site[:2] for site in of_host[:1]] != [(file, host)]:
            yield file, host, -1
        yield from of_host


def checked_lines(
    profile: Profile, labels: Labels, lines: LineCosts, file: int, length: int, meant: np.ndarray
) -> list[list[int]]:
    """Check the listing of lines with all their calls and jumps, and return its sums."""
    no_cycles = np.zeros(len(profile.functions), np.int32)
    annotated = annotate_lines(profile, NO_FUNCTION, lines, no_cycles, {file: ("",) * length})
    rows = source_rows(annotated, file, labels, CONTEXT)
    walked = list(walked_lines(lines, file, length))
    columns = rows.file.tolist(), rows.line.tolist(), rows.cost_row.tolist()
    assert list(zip(*columns, strict=True)) == walked
    check(rows, lines.calls, len(lines))
    jumps, sites = profile.jumps, [site[:2] for site in walked]

    def ends(jump: int) -> Site:
        target = int(jumps.target_file[jump]), int(jumps.target_line[jump])
        return (int(jumps.file[jump]), int(jumps.line[jump])), target

    assert arrows_of(rows, sites) == recorded_jumps(profile, meant, set(sites), ends)
    return sums(profile, rows)


@pytest.mark.parametrize("name", OF_LINES)
def test_lines_of_functions(name: str) -> None:
    """All cost of a function is shown once, with a text of any length and without one.

    Lines of other files are below their host line; requested alone, they are a file of their own.
    """
    profile, labels = loaded(name)
    for function, wanted in enumerate(costs_of_functions(profile)):
        file, meant = int(profile.functions.file[function]), profile.jumps.function == function
        hosted = function_lines(profile, function, with_hosts=True)
        last = min(500, int(hosted.line.max(initial=0)))
        for length in (0, last // 2, last + 2):
            assert checked_lines(profile, labels, hosted, file, length, meant) == wanted
        parts = []
        for other in np.unique(hosted.file).tolist():
            lines = lines_in_file(function_lines(profile, function), other)
            within = meant & (profile.jumps.file == other)
            parts.append(checked_lines(profile, labels, lines, other, last, within))
        assert not parts or np.sum(parts, axis=0).tolist() == wanted


@pytest.mark.parametrize("name", OF_LINES)
def test_lines_of_whole_files(name: str) -> None:
    """Over all functions, all files together show every recorded cost once."""
    profile, labels = loaded(name)
    parts = [
        checked_lines(
            profile, labels, file_lines(profile, file, ALL_PARTS), file, 30,
            profile.jumps.file == file,
        )
        for file in {*profile.runs.file.tolist(), *profile.calls.file.tolist()}
    ]  # fmt: skip
    own, called = profile.costs.values.sum(axis=1), profile.calls.values.sum(axis=1)
    assert np.sum(parts, axis=0).T.tolist() == [own[:2].tolist(), called[:2].tolist()]


# ---------------------------------------------------------------- instructions


def jumps_of_code(costs: InstructionCosts, code: Code, seen: Collection[Site]) -> Jumps:
    """The executed jumps that are known from the code only."""
    come_to = set(costs.address.tolist()) - set(costs.address[costs.jumps.location].tolist())
    columns = zip(code.address.tolist(), code.target.tolist(), code.kind.tolist(), strict=True)
    return {
        ((address,), (target,), kind == InstructionKind.BRANCH): [NOT_RECORDED, NOT_RECORDED]
        for address, target, kind in columns
        if kind in (InstructionKind.JUMP, InstructionKind.BRANCH)
        and (target,) in seen
        and target != address
        and address in come_to
    }


@pytest.mark.parametrize("name", OF_INSTRUCTIONS)
def test_instructions_of_functions(name: str) -> None:
    """All cost of a function is at its instructions once, with the program's code and without.

    libc is missing and has no code.
    """
    profile, labels = loaded(name)
    jumps, texts = profile.jumps, profile.texts
    search = FileSearch((PathRule("/corpus/a-small", str(DATA / "programs")),))
    no_cycles, decoded = np.zeros(len(profile.functions), np.int32), 0

    def ends(jump: int) -> Site:
        assert jumps.address is not None
        assert jumps.target_address is not None
        return (int(jumps.address[jump]),), (int(jumps.target_address[jump]),)

    for function, wanted in enumerate(costs_of_functions(profile)):
        costs = instruction_costs(profile, function)
        codes: list[tuple[Code, Any]] = [(NO_CODE, ())]
        object_ = texts[int(profile.functions.object[function])]
        if object_.endswith(("recur-O1", "inlined-O2", "jumps-O1")) and len(costs):
            machine = read_function_code(profile, function, costs, search)
            codes.append((machine.code, machine.symbols))
            decoded += 1
        for code, symbols in codes:
            annotated = annotate_instructions(profile, NO_FUNCTION, costs, no_cycles, code)
            rows = instruction_rows(annotated, symbols, labels, CONTEXT)
            addresses = sorted({*costs.address.tolist(), *code.address.tolist()})
            assert rows.address.tolist() == addresses
            in_code = dict(zip(code.address.tolist(), range(len(code)), strict=True))
            assert rows.code_row.tolist() == [in_code.get(address, -1) for address in addresses]
            at = {int(a): row for row, a in enumerate(costs.address)}
            lines = [
                (costs.file[at[a]], costs.line[at[a]]) if a in at else (0, 0) for a in addresses
            ]
            assert list(zip(rows.file.tolist(), rows.line.tolist(), strict=True)) == lines
            names = {addresses.index(a): name for a, name in symbols if name and a in addresses}
            assert rows.headings == names
            check(rows, costs.calls, len(costs), names)
            assert sums(profile, rows) == wanted
            sites: list[Site] = [(address,) for address in addresses]
            recorded = recorded_jumps(profile, jumps.function == function, set(sites), ends)
            assert arrows_of(rows, sites) == recorded | jumps_of_code(costs, code, set(sites))
    assert decoded > 4 or name.startswith(("templ", "pprof"))
