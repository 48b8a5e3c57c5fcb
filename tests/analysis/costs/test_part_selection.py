"""A selection of parts gives the numbers of a profile with just these parts.

Parts that are files are loaded alone; for parts in one file, a file with just these is written. It
is written from the slow reader's rows, with all names in full, as an id may be defined in a part
that is left out.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import qcachegrind_py as q
from qcachegrind_py.analysis.calls.call_graph import DirectCalls, call_adjacency
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.totals import Total, part_totals
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array
from tests.formats.callgrind import reference_reader
from tests.formats.callgrind.generated_profiles import profiles
from tests.formats.callgrind.reference_reader import Function, Reading
from tests.formats.test_corpus import unpacked
from tests.profile_rows import DATA, function_rows, profile_from

Numbers = dict[str, int]  # by event, without zeros
Name = Function | frozenset[Function]  # a cycle is called by its members
Calls = dict[tuple[Name, ...], tuple[int, Numbers]]  # count and cost by those at the ends

IN_ONE_FILE = [
    "recur-dumps/callgrind.out.21941.xz",
    "threads-combined-bb/callgrind.out.22283.xz",
    "xdebug-append/cachegrind.out.append.xz",
]
FILE_SETS = ["dump-before-after/callgrind.out.22381*", "separate-threads/callgrind.out.22265-0?"]


SCOPES = [Scope(), Scope(cycles=False), Scope(cut=0.3)]


# ---------------------------------------------------------------- all numbers of a choice


@dataclass(frozen=True)
class Answers:
    """All results for some parts, by name, as row numbers differ between profiles."""

    costs: dict[Name, tuple[Numbers, Numbers, int]]  # self, inclusive, called; of cycles, too
    pairs: Calls
    graph: Calls
    callers: dict[Name, Calls]
    callees: dict[Name, Calls]
    part_totals: list[Numbers]
    totals: dict[str, Total]


def answers(profile: Profile, scope: Scope) -> Answers:
    """All results of one scope; functions without any number are left out."""
    queries = ProfileQueries(profile)
    costs, pairs = queries.costs(scope), queries.call_edges(scope)
    shape = call_adjacency(pairs, costs, queries.function_count)
    names = entry_names(profile, costs)

    def numbers(values: Int64Array) -> Numbers:
        by_event = zip(profile.events.names, values.tolist(), strict=True)
        return {event: value for event, value in by_event if value}

    def calls(count: Int64Array, values: Int64Array, *ends: Int64Array) -> Calls:
        columns = zip(*(end.tolist() for end in ends), strict=True)
        keys = [tuple(names[node] for node in row) for row in columns]
        assert len(set(keys)) == len(keys)
        return {key: (int(count[r]), numbers(values[:, r])) for r, key in enumerate(keys)}

    def around(found: DirectCalls) -> Calls:
        return calls(found.count, found.values, found.node)

    used = {
        name: node
        for node, name in enumerate(names)
        if costs.self_cost[:, node].any() or costs.called[node] or costs.inclusive[:, node].any()
    }
    active = sorted(range(len(profile.parts)) if scope.parts is None else scope.parts)
    totals = {event.name: queries.total(event, scope.parts) for event in profile.events.measured}
    return Answers(
        {
            name: (
                numbers(costs.self_cost[:, node]),
                numbers(costs.inclusive[:, node]),
                int(costs.called[node]),
            )
            for name, node in used.items()
        },
        calls(pairs.count, pairs.inclusive, pairs.caller, pairs.callee),
        calls(shape.count, shape.values, shape.caller, shape.callee),
        {name: around(queries.callers(node, scope)) for name, node in used.items()},
        {name: around(queries.callees(node, scope)) for name, node in used.items()},
        [numbers(values) for values in part_totals(profile).T[active]],
        {event: total for event, total in totals.items() if total.base},
    )


def entry_names(profile: Profile, costs: FunctionCosts) -> list[Name]:
    """Functions by name, file and object, cycles by their members."""
    known = function_rows(profile)
    members: dict[int, set[Function]] = defaultdict(set)
    for function, cycle in zip(known, costs.cycle.tolist(), strict=False):
        members[cycle].add(function)
    return [*known, *(frozenset(members[n]) for n in costs.cycle[len(known) :].tolist())]


def choices(count: int, how_many: int) -> list[list[int]]:
    """Random proper selections of parts, always the same ones."""
    chance = random.Random(count)
    sizes = [chance.randrange(1, count) for _ in range(how_many)]
    return [sorted(chance.sample(range(count), size)) for size in sizes]


# ---------------------------------------------------------------- parts that are files


@pytest.mark.parametrize("pattern", FILE_SETS)
def test_some_files_of_a_run(pattern: str) -> None:
    """Some files of a run, selected as parts, give the numbers of loading these files."""
    paths = sorted(path for path in DATA.glob(pattern) if path.stat().st_size)
    together = q.load(*paths)
    for chosen in choices(len(paths), 6):
        names = {str(paths[number]) for number in chosen}
        parts = frozenset(n for n, part in enumerate(together.parts) if part.path in names)
        alone = q.load(*(paths[number] for number in chosen))
        for scope in SCOPES:
            got = answers(together, replace(scope, parts=parts))
            assert answers(alone, scope) == got, (chosen, scope)


# ---------------------------------------------------------------- parts in one file


def text_of(reading: Reading, parts: Iterable[int]) -> bytes:
    """A file with these parts of a reading, every name in full, without jumps."""
    lines: list[str] = []
    for number in sorted(parts):
        part = reading.parts[number]
        lines += [f"part: {number + 1}", f"events: {' '.join(reading.events)}"]
        if part.summary is not None:
            summary = dict(zip(part.events, part.summary, strict=False))
            lines.append(f"summary: {counts(summary.get(event, 0) for event in reading.events)}")
        for cost in (row for row in reading.costs if row.part == number):
            lines += [*named("", cost.function), f"1 {counts(cost.costs)}"]
        for call in (row for row in reading.calls if row.part == number):
            lines += [*named("", call.caller), *named("c", call.callee)]
            lines += [f"calls={counts([call.call_count])} 1", f"1 {counts(call.costs)}"]
    return "\n".join([*lines, ""]).encode("utf-8", "surrogateescape")


def named(prefix: str, function: Function) -> list[str]:
    name, file, object_ = function
    return [
        f"{prefix}ob={object_}",
        f"{'cfi' if prefix else 'fl'}={file}",
        f"{prefix}fn={name}",
    ]


def counts(numbers: Iterable[int]) -> str:
    return " ".join(str(number % (1 << 64)) for number in numbers)  # negative ones had wrapped


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_ONE_FILE)
def test_some_parts_of_a_file(name: str) -> None:
    """Some parts of a file give the numbers of a file with just these parts."""
    together, reading = q.load(DATA / name), reference_reader.read(unpacked(DATA / name))
    assert len(together.parts) > 1
    for chosen in choices(len(together.parts), 5):
        alone = profile_from(text_of(reading, chosen))
        for scope in SCOPES:
            got = answers(together, replace(scope, parts=frozenset(chosen)))
            assert answers(alone, scope) == got, (chosen, scope)


@pytest.mark.parametrize("name", IN_ONE_FILE)
def test_all_parts_by_name(name: str) -> None:
    """Selecting all parts equals selecting none."""
    profile = q.load(DATA / name)
    for scope in SCOPES:
        every = replace(scope, parts=frozenset(range(len(profile.parts))))
        assert answers(profile, every) == answers(profile, scope)


@pytest.mark.slow
@settings(
    max_examples=30,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(profiles(), st.sets(st.integers(0, 2), min_size=1))
def test_some_parts_of_a_generated_file(data: bytes, some: set[int]) -> None:
    """The same holds for any file, whatever its parts have in common."""
    reading = reference_reader.in_part_order(reference_reader.read(data))
    chosen = some & set(range(len(reading.parts)))
    assume(chosen and len(reading.parts) > 1)
    # a sum of counts beyond 64 bits decides nothing that could be told
    assume(sum(abs(call.call_count) for call in reading.calls) < 2**63)
    together, alone = profile_from(data), profile_from(text_of(reading, chosen))
    for scope in SCOPES:
        got = answers(together, replace(scope, parts=frozenset(chosen)))
        wanted = answers(alone, scope)
        # an event that a part names twice has two numbers in its summary
        assert replace(wanted, totals={}) == replace(got, totals={})
