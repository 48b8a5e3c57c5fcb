"""Files of Python's own profilers, against the output of the module `pstats`."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from pathlib import Path
from profile import Profile as SlowProfile
from typing import Any

import pytest

import qcachegrind_py as q
from qcachegrind_py.profile.numbers import unit_of
from tests.formats.pstats.profiled_programs import (
    PROGRAMS,
    merge,
    profile_rows_by_key,
    pstats_rows,
    record,
    recursive,
)
from tests.profile_rows import call_rows, cost_table, diagnostic_rows, function_rows

ROOT = "(root)"


def nanoseconds(seconds: float) -> int:
    return round(seconds * 10**9)


def write(path: Path, statistics: dict[Any, Any]) -> Path:
    path.write_bytes(marshal.dumps(statistics))
    return path


@pytest.fixture(params=PROGRAMS, ids=lambda program: program.__name__)
def recorded(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return record(tmp_path / "a.prof", request.param)


def test_functions(recorded: Path) -> None:
    """Called is ncalls, self is tottime, inclusive is cumtime but for members of a cycle."""
    profile, stats = q.load(recorded), pstats_rows(recorded)
    row, costs = profile_rows_by_key(profile, stats), q.function_costs(profile)

    assert len(profile.functions) == len(stats) + 1
    for key, (_, calls, time, cumulative, _) in stats.items():
        f = row[key]
        assert (calls, nanoseconds(time)) == (costs.called[f], costs.self_cost[0, f]), key
        assert costs.cycle[f] or nanoseconds(cumulative) == costs.inclusive[0, f], key


def test_calls(recorded: Path) -> None:
    """Each caller has the calls and the cumulative time printed by print_callers."""
    profile, stats = q.load(recorded), pstats_rows(recorded)
    key_of = {row: key for key, row in profile_rows_by_key(profile, stats).items()}
    calls = profile.calls

    assert {
        (by, callee): (spent[0], nanoseconds(spent[3]))
        for callee, (*_, callers) in stats.items()
        for by, spent in callers.items()
    } == {
        (key_of[caller], key_of[callee]): (count, cost)
        for caller, callee, count, cost in zip(
            calls.caller.tolist(),
            calls.callee.tolist(),
            calls.count.tolist(),
            calls.values[0].tolist(),
            strict=True,
        )
        if caller in key_of
    }


def test_the_whole_time(recorded: Path) -> None:
    """The root has no self cost and no callers, and all time was spent below it."""
    profile = q.load(recorded)
    whole = sum(nanoseconds(time) for _, _, time, _, _ in pstats_rows(recorded).values())
    on, off = cost_table(profile), cost_table(profile, cycles=False)

    assert [(0, whole, 0)] * 2 == [on[ROOT], off[ROOT]]
    assert [whole] == q.function_costs(profile).totals.tolist()


def test_times_are_an_event_in_nanoseconds(tmp_path: Path) -> None:
    """The only event is known to be time, like pyprof2calltree's, whose name it has."""
    profile = q.load(record(tmp_path / "a.prof", recursive))
    event = profile.events.measured[0]

    assert (event.name, event.long_name) == ("ns", "Time")
    assert unit_of("Time_(ns)") == unit_of(event.name, event.long_name)
    assert (profile.creator, profile.command) == ("Python cProfile", "")


@pytest.mark.parametrize("kind", ["merged by pstats", "given together"])
def test_several_files(tmp_path: Path, kind: str) -> None:
    """Files merged by pstats or here have the same sums; here each is a part."""
    paths = [record(tmp_path / f"{n}.prof", program) for n, program in enumerate(PROGRAMS[2:])]
    both = merge(tmp_path / "both.prof", *paths)
    profile = q.load(both) if kind == "merged by pstats" else q.load(*paths)
    stats = pstats_rows(both)
    row, costs = profile_rows_by_key(profile, stats), q.function_costs(profile)

    assert ([both] if kind == "merged by pstats" else paths) == [Path(p) for p in profile.paths]
    assert list(profile.paths) == [part.path for part in profile.parts]
    for key, (_, calls, time, cumulative, _) in stats.items():
        f = row[key]
        assert calls == costs.called[f]
        assert nanoseconds(time) == pytest.approx(costs.self_cost[0, f], abs=2)
        assert costs.cycle[f] or nanoseconds(cumulative) == pytest.approx(
            costs.inclusive[0, f], abs=2
        )


def test_names(tmp_path: Path) -> None:
    """Functions of the same file and name have their line appended; others do not."""
    keys = [
        ("a.py", 3, "__init__"),
        ("a.py", 9, "__init__"),
        ("b.py", 9, "__init__"),
        ("a.py", 1, "<module>"),
        ("~", 0, "<built-in method builtins.len>"),
        ("a\nb.py", 2, "x\ny"),
        ("", 0, ""),
    ]
    profile = q.load(write(tmp_path / "a.prof", {key: (1, 1, 0.0, 0.0, {}) for key in keys}))

    assert function_rows(profile) == [
        ("__init__:3", "a.py", ""),
        ("__init__:9", "a.py", ""),
        ("__init__", "b.py", ""),
        ("<module>", "a.py", ""),
        ("<built-in method builtins.len>", "", ""),
        ("x y", "a b.py", ""),
        ("", "", ""),
        (ROOT, "", ""),
    ]


def test_lines(tmp_path: Path) -> None:
    """Costs and calls are at the line where their function is defined."""
    main, f = ("a.py", 1, "main"), ("b.py", 7, "f")
    statistics = {
        main: (1, 1, 0.25, 1.0, {}),
        f: (2, 2, 0.75, 0.75, {main: (2, 2, 0.75, 0.75)}),
    }
    profile = q.load(write(tmp_path / "a.prof", statistics))

    assert list(
        zip(profile.costs.line.tolist(), profile.costs.values[0].tolist(), strict=True)
    ) == [(1, 250_000_000), (7, 750_000_000)]
    assert [
        (c.caller[0], c.callee[0], c.file, c.line, c.call_count, c.costs[0])
        for c in call_rows(profile)
    ] == [
        ("main", "f", "a.py", 1, 2, 750_000_000),
        (ROOT, "main", "", 0, 1, 1_000_000_000),
    ]


@pytest.mark.parametrize(
    ("statistics", "root"),
    [
        # a calls b, which calls a again: the time of the root's call is that of the whole
        (
            {
                "a": (1, 3, 2.0, 5.0, {"b": (2, 2, 1.0, 3.0)}),
                "b": (1, 2, 3.0, 4.0, {"a": (2, 1, 3.0, 4.0)}),
            },
            {"a": 5.0},
        ),
        # both were also called by somebody who was not recorded: their rooms share what is missing
        (
            {
                "a": (2, 3, 2.0, 5.0, {"b": (2, 2, 1.0, 4.0)}),
                "b": (2, 3, 4.0, 5.0, {"a": (2, 1, 3.0, 4.0)}),
            },
            {"a": 3.0, "b": 3.0},
        ),
        # called from the recorded and from elsewhere: what the former did not spend
        (
            {"a": (1, 1, 1.0, 3.0, {}), "b": (3, 3, 4.0, 4.0, {"a": (1, 1, 2.0, 2.0)})},
            {"a": 3.0, "b": 2.0},
        ),
    ],
)
def test_calls_from_outside(
    tmp_path: Path, statistics: dict[str, Any], root: dict[str, float]
) -> None:
    """The root calls every function without recorded callers, for the remaining time."""

    def key(name: str) -> tuple[str, int, str]:
        return ("a.py", 1, name)

    stats = {
        key(name): (*numbers, {key(by): spent for by, spent in callers.items()})
        for name, (*numbers, callers) in statistics.items()
    }
    calls = call_rows(q.load(write(tmp_path / "a.prof", stats)))

    assert {name: nanoseconds(time) for name, time in root.items()} == {
        call.callee[0]: call.costs[0] for call in calls if call.caller[0] == ROOT
    }


def test_members_of_a_cycle_add_up(tmp_path: Path) -> None:
    """Each has its own time and that of its calls out of the cycle: not cumtime, which overlaps."""
    main, even, odd, leaf = (("a.py", 1, name) for name in ("main", "even", "odd", "leaf"))
    statistics = {
        main: (1, 1, 1.0, 10.0, {}),
        even: (1, 3, 4.0, 9.0, {main: (1, 1, 2.0, 9.0), odd: (2, 2, 2.0, 6.0)}),
        odd: (1, 2, 3.0, 7.0, {even: (2, 1, 3.0, 7.0)}),
        leaf: (2, 2, 2.0, 2.0, {odd: (2, 2, 2.0, 2.0)}),
    }
    profile = q.load(write(tmp_path / "a.prof", statistics))

    costs = cost_table(profile)
    assert {name: inclusive for name, (_, inclusive, _) in costs.items()} == {
        name: nanoseconds(time)
        for name, time in {
            "main": 10.0,
            "even": 4.0,
            "odd": 3.0 + 2.0,
            "leaf": 2.0,
            ROOT: 10.0,
        }.items()
    }
    (into_cycle,) = (call for call in call_rows(profile) if call.caller[0] == "main")
    assert into_cycle.costs[0] == costs["even"][1] + costs["odd"][1]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_slower_profiler(tmp_path: Path, program: Callable[[], None]) -> None:
    """Its calls have no times: estimates make inclusive equal cumtime, with a diagnostic."""
    path = record(tmp_path / "a.prof", program, SlowProfile)
    profile, stats = q.load(path), pstats_rows(path)
    row, costs = profile_rows_by_key(profile, stats), q.function_costs(profile, cycles=False)

    assert {
        key: (calls, nanoseconds(time), nanoseconds(cumulative))
        for key, (_, calls, time, cumulative, _) in stats.items()
    } == {
        key: (costs.called[f], costs.self_cost[0, f], costs.inclusive[0, f])
        for key, f in row.items()
    }
    assert diagnostic_rows(profile) == [(0, "calls-without-times")]
    assert profile.creator == "Python profile"


def test_estimated_times(tmp_path: Path) -> None:
    """Times are shared by the call counts of callers outside the cycle; recursion gets none."""
    statistics = {
        ("a.py", 1, "a"): (1, 1, 0.0, 1.0, {}),
        ("a.py", 2, "b"): (1, 3, 0.0, 1.0, {("a.py", 3, "c"): 2, ("a.py", 1, "a"): 1}),
        ("a.py", 3, "c"): (1, 2, 0.0, 0.5, {("a.py", 2, "b"): 2}),
        ("a.py", 4, "d"): (
            4, 8, 1.0, 1.0, {("a.py", 1, "a"): 1, ("a.py", 3, "c"): 3, ("a.py", 4, "d"): 4},
        ),
    }  # fmt: skip

    assert {
        (call.caller[0], call.callee[0]): call.costs[0] / 10**9
        for call in call_rows(q.load(write(tmp_path / "a.prof", statistics)))
    } == {
        ("a", "b"): 1.0,
        ("c", "b"): 0.0,
        ("b", "c"): 0.5,
        ("a", "d"): 0.25,
        ("c", "d"): 0.75,
        ("d", "d"): 0.0,
        (ROOT, "a"): 1.0,
    }
