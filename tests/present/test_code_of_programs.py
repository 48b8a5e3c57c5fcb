"""Lines and instructions of real profiles: every location, cost, call and jump exactly once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.code.annotated_function import annotate_instructions, annotate_lines
from qcachegrind_py.analysis.code.instructions import NO_CODE, Code
from qcachegrind_py.analysis.code.location_costs import (
    LineCosts,
    file_lines,
    function_lines,
    instruction_costs,
    lines_in_file,
)
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.code_instructions import instruction_rows
from qcachegrind_py.present.code_lines import LineTexts, source_rows
from qcachegrind_py.present.code_listing import CodeListing
from qcachegrind_py.present.code_records import CodeRows, RecordKind, code_costs, event_costs
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, NodeId, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.tools.annotation_inputs import read_function_code
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule
from tests.present.code_text import asked
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


def loaded(name: str) -> tuple[Profile, Labels]:
    profile = q.load(DATA / name)
    return profile, ProfileQueries(profile).labels(WHOLE_SCOPE)


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


# ---------------------------------------------------------------- lines


def sums_of_lines(
    profile: Profile, labels: Labels, lines: LineCosts, file: int, length: int
) -> list[list[int]]:
    """The sums of the listing of lines, in which each row of costs is at one place."""
    no_cycles = np.zeros(len(profile.functions), np.int32)
    annotated = annotate_lines(profile, NO_FUNCTION, lines, no_cycles, {file: ("",) * length})
    rows = source_rows(annotated, file, labels, CONTEXT)
    found = rows.cost_row[rows.cost_row >= 0]
    assert np.sort(found).tolist() == list(range(len(lines)))
    places = np.column_stack((rows.file, rows.line))[rows.cost_row >= 0]
    assert places.tolist() == np.column_stack((lines.file, lines.line))[found].tolist()
    return sums(profile, rows)


@pytest.mark.parametrize("name", OF_LINES)
def test_lines_of_functions(name: str) -> None:
    """All cost of a function is shown once, with a text of any length and without one.

    Lines of other files are below their host line; requested alone, they are a file of their own.
    """
    profile, labels = loaded(name)
    for function, wanted in enumerate(costs_of_functions(profile)):
        file = int(profile.functions.file[function])
        hosted = function_lines(profile, function, with_hosts=True)
        last = min(500, int(hosted.line.max(initial=0)))
        for length in (0, last // 2, last + 2):
            assert sums_of_lines(profile, labels, hosted, file, length) == wanted
        parts = []
        for other in np.unique(hosted.file).tolist():
            lines = lines_in_file(function_lines(profile, function), other)
            parts.append(sums_of_lines(profile, labels, lines, other, last))
        assert not parts or np.sum(parts, axis=0).tolist() == wanted


@pytest.mark.parametrize("name", OF_LINES)
def test_lines_of_whole_files(name: str) -> None:
    """Over all functions, all files together show every recorded cost once."""
    profile, labels = loaded(name)
    parts = [
        sums_of_lines(profile, labels, file_lines(profile, file, ALL_PARTS), file, 30)
        for file in {*profile.runs.file.tolist(), *profile.calls.file.tolist()}
    ]
    own, called = np.sum(profile.costs.values, axis=1), profile.calls.values.sum(axis=1)
    assert np.sum(parts, axis=0).T.tolist() == [own[:2].tolist(), called[:2].tolist()]


# ---------------------------------------------------------------- instructions


@pytest.mark.parametrize("name", OF_INSTRUCTIONS)
def test_instructions_of_functions(name: str) -> None:
    """All cost of a function is at its instructions once, with the program's code and without.

    libc is missing and has no code.
    """
    profile, labels = loaded(name)
    texts = profile.texts
    search = FileSearch((PathRule("/corpus/a-small", str(DATA / "programs")),))
    no_cycles, decoded = np.zeros(len(profile.functions), np.int32), 0

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
            assert sums(profile, rows) == wanted
    assert decoded > 4 or name.startswith(("templ", "pprof"))


def own_lines(queries: ProfileQueries, function: FunctionId) -> tuple[int, int, int]:
    """The self cost of a function, of its visible own lines, and of all its lines."""
    query, profile = asked(queries, queries.profile.events.measured[0].name), queries.profile
    lines = queries.lines(function, None)
    annotated = annotate_lines(profile, function, lines, query.costs().cycle, {})
    rows = source_rows(annotated, text_at(profile.functions.file, function), query.labels(), 3)
    costs, sums = code_costs(query, rows, function), []
    for hides_inlined in (True, False):
        listing = CodeListing.of(LineTexts(rows=rows), costs, hides_inlined=hides_inlined)
        shown = listing.visible(None, in_code_order=True)
        shown &= rows.records.kind == RecordKind.LOCATION
        sums.append(int(listing.costs.first.self_cost.new[shown].sum()))
    event = query.context.event
    assert event is not None
    return int(queries.node_costs(function, event, query.context.scope)[1]), *sums


@pytest.mark.parametrize("name", [*OF_LINES, "sheet/callgrind.out.buckets-8.xz"])
def test_own_lines_have_the_whole_self_cost(name: str) -> None:
    """With what was inlined summed on its line, no cost of any function is left out or doubled."""
    profile, _ = loaded(name)
    queries = ProfileQueries(profile)
    for function in map(FunctionId, map(NodeId, range(len(profile.functions)))):
        whole, own, every = own_lines(queries, function)
        assert own == every == whole, function
