"""Rows of source files in real profiles: every line, cost, call and jump exactly once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.code.annotated_function import annotate_lines
from qcachegrind_py.analysis.code.location_costs import (
    LineCosts,
    file_lines,
    function_lines,
    lines_in_file,
)
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.code_lines import source_rows
from qcachegrind_py.present.code_listing import event_costs
from qcachegrind_py.present.code_records import CodeRows, RecordKind
from qcachegrind_py.profile.ids import NO_FUNCTION
from qcachegrind_py.profile.profile import Profile
from tests.present.reference_records import plain_records, reference_records
from tests.profile_rows import DATA, profile_from
from tests.profile_text import WHOLE_SCOPE

# with inlined files, jumps, recursion, no addresses, no lines, a line of 0, without a file, calls=0
NAMES = [
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
CONTEXT = 2


def labels_of(profile: Profile) -> Labels:
    return ProfileQueries(profile).labels(WHOLE_SCOPE)


def rows_of(profile: Profile, lines: LineCosts, file: int, length: int, labels: Labels) -> CodeRows:
    """The locations with all their calls, including those within a cycle."""
    no_cycles = np.zeros(len(profile.functions), np.int32)
    texts = {file: ("",) * length}
    annotated = annotate_lines(profile, NO_FUNCTION, lines, no_cycles, texts)
    return source_rows(annotated, file, labels, CONTEXT)


def walked_sites(lines: LineCosts, file: int, length: int) -> Iterator[tuple[int, int, int]]:
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


def sites_of(rows: CodeRows) -> list[tuple[int, int, int]]:
    columns = (rows.file.tolist(), rows.line.tolist(), rows.cost_row.tolist())
    return list(zip(*columns, strict=True))


def check(lines: LineCosts, rows: CodeRows, file: int, length: int) -> None:
    """Locations and records are those of the slow walk; each cost row and call appears once."""
    assert sites_of(rows) == list(walked_sites(lines, file, length))
    calls: dict[int, list[int]] = defaultdict(list)
    for call, row in enumerate(lines.calls.location.tolist()):
        calls[row].append(call)
    by_site = [calls[row] if row >= 0 else None for row in rows.cost_row.tolist()]
    assert plain_records(rows.records) == reference_records(
        by_site, rows.records.arrows.target.tolist(), (), CONTEXT
    )
    assert sorted(row for row in rows.cost_row.tolist() if row >= 0) == list(range(len(lines)))
    assert sum(map(len, calls.values())) == len(lines.calls)


def sums(profile: Profile, rows: CodeRows) -> list[tuple[int, int]]:
    """The total self cost of all locations in two events, and of all calls."""
    records, found_sums = rows.records, []
    for event in profile.events.measured[:2]:
        costs = event_costs(rows, profile.events, event)
        is_call = records.kind == RecordKind.CALL
        assert not costs.self_cost.new[is_call].any()
        found_sums.append((int(costs.self_cost.new.sum()), int(costs.inclusive.new[is_call].sum())))
    return found_sums


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_costs_of_functions(name: str) -> None:
    """All cost of a function is shown once, with a text of any length and without one.

    Lines of other files are below their host line; requested alone, they are a file of their own.
    """
    profile = q.load(DATA / name)
    labels, own = labels_of(profile), q.function_costs(profile).self_cost
    called = np.zeros_like(own)
    for call, caller in enumerate(profile.calls.caller.tolist()):
        called[:, caller] += profile.calls.values[:, call]
    for function in range(len(profile.functions)):
        file = int(profile.functions.file[function])
        wanted = list(zip(own[:2, function].tolist(), called[:2, function].tolist(), strict=True))
        hosted = function_lines(profile, function, with_hosts=True)
        last = min(500, int(hosted.line.max(initial=0)))
        for length in (0, last // 2, last + 2):
            rows = rows_of(profile, hosted, file, length, labels)
            check(hosted, rows, file, length)
            assert sums(profile, rows) == wanted
        parts = []
        for other in np.unique(hosted.file).tolist():
            lines = lines_in_file(function_lines(profile, function), other)
            rows = rows_of(profile, lines, other, last, labels)
            check(lines, rows, other, last)
            assert set(rows.file.tolist()) == {other}
            parts.append(sums(profile, rows))
        if parts:
            assert np.sum(parts, axis=0).tolist() == [list(both) for both in wanted]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_costs_of_whole_files(name: str) -> None:
    """Over all functions, all files together show every recorded cost once."""
    profile = q.load(DATA / name)
    labels = labels_of(profile)
    files = {*profile.runs.file.tolist(), *profile.calls.file.tolist()}
    parts = []
    for file in files:
        lines = file_lines(profile, file, ALL_PARTS)
        rows = rows_of(profile, lines, file, 30, labels)
        check(lines, rows, file, 30)
        parts.append(sums(profile, rows))
    own, called = profile.costs.values.sum(axis=1), profile.calls.values.sum(axis=1)
    assert np.sum(parts, axis=0).T.tolist() == [own[:2].tolist(), called[:2].tolist()]


Jumps = Counter[tuple[tuple[int, int], tuple[int, int], bool]]


def recorded_jumps(profile: Profile, is_meant: np.ndarray, places: set) -> tuple[Jumps, Jumps]:
    """How often each jump from line to line was executed, and taken, if both lines are visible."""
    executed, followed = Counter(), Counter()
    jumps = profile.jumps
    for jump in np.flatnonzero(is_meant).tolist():
        source = int(jumps.file[jump]), int(jumps.line[jump])
        target = int(jumps.target_file[jump]), int(jumps.target_line[jump])
        if source != target and target in places and jumps.executed[jump] > 0:
            key = source, target, bool(jumps.conditional[jump])
            executed[key] += int(jumps.executed[jump])
            followed[key] += int(jumps.followed[jump])
    return executed, followed


def arrows_of(rows: CodeRows) -> tuple[Jumps, Jumps]:
    """The same counts, of the arrows."""
    executed, followed = Counter(), Counter()
    arrows, places = rows.records.arrows, [site[:2] for site in sites_of(rows)]
    for arrow in range(len(arrows)):
        ends = places[int(arrows.source[arrow])], places[int(arrows.target[arrow])]
        executed[*ends, bool(arrows.conditional[arrow])] += int(arrows.executed[arrow])
        followed[*ends, bool(arrows.conditional[arrow])] += int(arrows.followed[arrow])
    return executed, followed


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES[:3])
def test_arrows_have_the_counts_of_the_file(name: str) -> None:
    """An arrow's count is that of its jumps; jumps to hidden lines and within a line are none."""
    profile = q.load(DATA / name)
    labels, jumps, seen = labels_of(profile), profile.jumps, 0
    for function in np.unique(jumps.function).tolist():
        file = int(profile.functions.file[function])
        lines = function_lines(profile, function, with_hosts=True)
        for length in (0, min(500, int(lines.line.max()))):
            rows = rows_of(profile, lines, file, length, labels)
            places = {site[:2] for site in sites_of(rows)}
            assert arrows_of(rows) == recorded_jumps(profile, jumps.function == function, places)
            seen += len(rows.records.arrows)
    for file in np.unique(jumps.file).tolist():
        lines = file_lines(profile, file, ALL_PARTS)
        rows = rows_of(profile, lines, file, 0, labels)
        places = {site[:2] for site in sites_of(rows)}
        assert arrows_of(rows) == recorded_jumps(profile, jumps.file == file, places)
    assert seen > 100


def site_texts(drawing: str, length: int, *, hosted: bool = True) -> list[str]:
    """`file:line cost` of each location of the first function, with its arrows' targets."""
    profile = profile_from(drawing)
    file = int(profile.functions.file[0])
    lines = function_lines(profile, 0, with_hosts=hosted)
    rows = rows_of(profile, lines, file, length, labels_of(profile))
    arrows = rows.records.arrows
    return [
        f"{profile.texts[file]}:{line} {int(lines.self_cost[0, row]) if row >= 0 else '-'}"
        + "".join(f" >{target}" for target in arrows.target[arrows.source == site].tolist())
        for site, (file, line, row) in enumerate(sites_of(rows))
    ]


TWICE = """
    positions: instr line
    events: Ir
    fl=a.c
    fn=f
    0x10 2 1
    0x20 4 2
    0x30 0 9
    fi=b.h
    0x12 7 10
    0x14 8 20
    0x22 7 30
    0x24 8 40
    jump=5 0x12 7
    0x14 8
    jcnd=3/6 0x22 7
    0x24 8
    jfi=a.c
    jump=1 0x20 4
    0x24 8
    """


def test_code_inlined_twice() -> None:
    """A line inlined below two lines is two locations; jumps stay within their copy."""
    assert site_texts(TWICE, 5) == [
        "a.c:0 9", "a.c:1 -", "a.c:2 1", "b.h:7 10", "b.h:8 20 >3", "a.c:3 -",
        "a.c:4 2", "b.h:7 30", "b.h:8 40 >6 >7", "a.c:5 -",
    ]  # fmt: skip


def test_a_copy_that_jumps_out_of_itself() -> None:
    """If a jump's target has no copy below the same line, it goes to an existing one."""
    drawing = TWICE.replace("0x22 7 30\n", "")

    assert site_texts(drawing, 0) == [
        "a.c:0 9", "a.c:2 1", "b.h:7 10", "b.h:8 20 >2", "a.c:4 2", "b.h:8 40 >4 >2",
    ]  # fmt: skip


def test_lines_outside_the_file_are_at_the_ends() -> None:
    """Line 0 and code of unknown files come first, lines beyond the end of the text last."""
    drawing = """
        events: Ir
        fl=a.c
        fn=f
        fi=b.h
        0 1
        3 2
        """
    assert site_texts(drawing, 2) == ["b.h:0 1", "b.h:3 2", "a.c:1 -", "a.c:2 -"]
    drawing = "events: Ir\nfl=a.c\nfn=f\n0 1\n99999 2\n2 4\nfi=???\n0 8\n7 16\n"
    assert site_texts(drawing, 3) == [
        "a.c:0 1", "???:0 8", "???:7 16", "a.c:1 -", "a.c:2 4", "a.c:3 -", "a.c:99999 2",
    ]  # fmt: skip


def test_a_function_without_rows() -> None:
    """A function that is only called has the lines of its text without cost, or nothing."""
    drawing = "events: Ir\nfl=a.c\nfn=f\ncfn=g\ncalls=1 1\n1 5\n"
    profile = profile_from(drawing)
    lines = function_lines(profile, 1, with_hosts=True)
    for length in (0, 3):
        rows = rows_of(profile, lines, int(profile.functions.file[1]), length, labels_of(profile))
        costs = event_costs(rows, profile.events, profile.events.measured[0])
        assert rows.line.tolist() == list(range(1, length + 1))
        nothing = [0] * len(rows.records)
        assert (costs.self_cost.new.tolist(), costs.inclusive.new.tolist()) == (nothing, nothing)
        assert costs.inclusive.unit.bar_total == 0


def test_a_file_of_twenty_thousand_lines() -> None:
    """A long file with many costs and jumps has all of them, too."""
    drawing = ["events: Ir", "fl=a.c", "fn=f"]
    for line in range(1, 20_000, 4):
        drawing += [f"{line} {line}", f"jcnd=1/2 {line * 7919 % 20_000 + 1}", f"{line}"]
        drawing += ["cfn=g", "calls=2 1", f"{line} 3"]
    profile = profile_from("\n".join(drawing) + "\n")
    lines = function_lines(profile, 0, with_hosts=True)
    rows = rows_of(profile, lines, int(profile.functions.file[0]), 20_000, labels_of(profile))

    records = rows.records
    kinds = Counter(records.kind.tolist())
    assert (kinds[RecordKind.LOCATION], kinds[RecordKind.CALL]) == (20_000, 5_000)
    assert sums(profile, rows) == [(sum(range(1, 20_000, 4)), 15_000)]
    jumps = {(line - 1, line * 7919 % 20_000) for line in range(1, 20_000, 4)}
    ends = zip(records.arrows.source.tolist(), records.arrows.target.tolist(), strict=True)
    assert sorted(ends) == sorted(jump for jump in jumps if jump[0] != jump[1])
