"""Estimates: how they come about, and what is said about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import (
    EstimateKey,
    EstimateKind,
    Explanation,
    Measure,
    exact_recording_command,
    exactness_text,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NodeId
from tests.analysis.named_queries import CYCLES, NO_CYCLES, event_named, node_id, queries_from
from tests.profile_rows import DATA, profile_from

SHARED = """
    main 100 -> a 1x900, b 1x600
    a 300 -> leaf 3x600
    b 200 -> leaf 1x400
    leaf 500 -> deep 2x500
    deep 500
    """
ALL_PATHS, PATH = EstimateKind.REACHED, EstimateKind.FRAME


def explained(
    queries: ProfileQueries,
    kind: EstimateKind,
    *names: str,
    measure: Measure = Measure.COST,
    scope: Scope = CYCLES,
    up: bool = False,
    is_program: bool = False,
) -> Explanation:
    path = tuple(NodeId(node_id(queries, name, scope)) for name in names)
    key = EstimateKey(kind, path, measure, up=up, is_program=is_program)
    return explain(queries, key, event_named(queries, "Ir"), scope)


def steps(queries: ProfileQueries, found: Explanation) -> list[str]:
    """A line for each step: its rule, value, function, and the numbers of its formula."""
    assert found.sharing is not None
    name = queries.profile.function_name
    return [
        f"{step.rule.value} {step.value:g} {name(step.node)}: "
        f"{step.amount:g} x {step.part:g} / {step.whole:g}"
        for step in found.sharing.steps
    ]


@pytest.mark.parametrize("kind", [EstimateKind.FRAME, EstimateKind.BRANCH])
def test_a_path_is_shared_out_call_by_call(kind: EstimateKind) -> None:
    """*a* has 600 of the 1000 of *leaf*, and so 3/5 of the 500 of *deep*."""
    queries = queries_from(SHARED)
    found = explained(queries, kind, "main", "a", "leaf", "deep")
    assert (found.value, steps(queries, found)) == (
        300,
        [
            "whole 1600 main: 0 x 0 / 0",
            "recorded 900 a: 1600 x 900 / 1600",
            "recorded 600 leaf: 900 x 600 / 900",
            "shared 300 deep: 600 x 500 / 1000",
        ],
    )
    assert found.sharing is not None
    assert (found.sharing.is_exact, found.sharing.callers, len(found.rows)) == (False, 3, 0)


def test_exact_numbers_have_the_lines_of_the_call_they_equal() -> None:
    """The calls from *a* to *leaf* count in full, as *a* has its whole cost below *main*."""
    queries = queries_from(SHARED)
    found = explained(queries, PATH, "main", "a", "leaf")
    assert (found.value, found.sums, found.rows.calls.tolist()) == (600, (600,), [2])


def test_all_of_a_function_goes_on_where_one_call_has_its_whole_cost() -> None:
    """*f* only calls *g*; of *f*, 6 of 10 are below *a*, and so 6 of the 10 of *g*."""
    queries = queries_from(
        "main 1 -> a 1x6, b 1x4\na 0 -> f 1x6\nb 0 -> f 1x4\nf 0 -> g 1x10\ng 10"
    )
    found = explained(queries, PATH, "a", "f", "g")
    assert (found.value, steps(queries, found)[1:]) == (
        6,
        ["recorded 6 f: 6 x 6 / 6", "all 6 g: 6 x 10 / 10"],
    )
    assert found.sums == (6,)


def test_callers_have_their_part_of_a_function() -> None:
    """Of the 500 of *deep*, *leaf* calls it for all; *a* has 600 of the 1000 of *leaf*."""
    queries = queries_from(SHARED)
    found = explained(queries, PATH, "deep", "leaf", "a", up=True)
    assert (found.value, steps(queries, found)[1:]) == (
        300,
        ["recorded 500 leaf: 500 x 500 / 500", "shared 300 a: 500 x 600 / 1000"],
    )


@pytest.mark.parametrize(
    ("measure", "value", "last"),
    [
        (Measure.SELF, 300, "shared 300 leaf: 600 x 500 / 1000"),
        (Measure.COUNT, 3, "recorded 3 leaf: 900 x 3 / 900"),
    ],
)
def test_self_costs_and_calls_of_a_branch(measure: Measure, value: int, last: str) -> None:
    """Self costs have the share of the branch, calls that of the branch above."""
    queries = queries_from(SHARED)
    found = explained(queries, EstimateKind.BRANCH, "main", "a", "leaf", measure=measure)
    assert (found.value, steps(queries, found)[-1]) == (value, last)


def test_a_program_begins_with_what_no_call_accounts_for() -> None:
    """*work* is called for 4 in one part, and begins another with 5."""
    parts = """
        part: 1
        events: Ir
        fn=main
        1 1
        cfn=work
        calls=1 1
        1 4
        fn=work
        1 4
        part: 2
        events: Ir
        fn=work
        1 5
        """
    queries = ProfileQueries(profile_from(parts))
    found = explained(queries, PATH, "work", is_program=True)
    assert (found.value, steps(queries, found)) == (5, ["rest 5 work: 0 x 4 / 9"])


def test_flows_are_added_up() -> None:
    """*deep* gets from *f* and from *g* what these have of the cost of *main*."""
    queries = queries_from(
        """
        top 1 -> main 1x100, f 1x50
        main 20 -> f 1x50, g 1x30
        f 60 -> deep 1x40
        g 20 -> deep 1x10
        deep 50
        """
    )
    found = explained(queries, ALL_PATHS, "main", "deep")
    assert (found.value, steps(queries, found)) == (
        30,
        ["shared 20 deep: 50 x 40 / 100", "shared 10 deep: 30 x 10 / 30"],
    )
    assert found.sharing is not None
    assert (found.sharing.is_flow, found.sharing.is_exact, found.sharing.ignored) == (
        True,
        False,
        0,
    )


def test_small_shares_are_ignored() -> None:
    """What reaches *deep* through *tiny* is less than 0.01 % of *main*."""
    queries = queries_from(
        """
        other 0 -> deep 1x9000
        main 80000 -> big 1x20000, tiny 1x5
        big 10000 -> deep 1x10000
        tiny 1 -> deep 1x4
        deep 19004
        """
    )
    found = explained(queries, ALL_PATHS, "main", "deep")
    assert found.sharing is not None
    assert steps(queries, found) == ["shared 10000 deep: 20000 x 10000 / 20000"]
    assert (found.value, found.sharing.ignored) == (10000, 0)


def test_a_function_called_directly_alone_is_exact() -> None:
    """Its cost is that of these calls, with their lines."""
    queries = queries_from(SHARED)
    found = explained(queries, ALL_PATHS, "a", "leaf")
    assert found.sharing is not None
    assert (found.value, found.sharing.is_exact, found.rows.calls.tolist()) == (600, True, [2])


def test_a_cycle_passes_on_what_its_members_cost() -> None:
    """No call leads from a cycle to its member; without cycles, the calls between both count."""
    queries = queries_from("main 1 -> f 1x8\nf 3 -> g 4x5\ng 5 -> f 1x3")
    found = explained(queries, PATH, "main", "<1>", "g")
    assert found.sharing is not None
    last = found.sharing.steps[-1]
    assert (found.value, last.part, last.whole) == (5, 5, 8)
    assert (len(found.rows.costs), len(found.rows.calls)) == (1, 0)
    without = explained(queries, PATH, "main", "f", "g", scope=NO_CYCLES)
    assert (without.value, steps(queries, without)[-1]) == (4, "shared 4 g: 8 x 5 / 11")


TOOL = "To record it: valgrind --tool=callgrind --separate-callers="


def test_text_about_a_cost() -> None:
    """A cost is called exact, or an estimate with its reason and, if there is one, its remedy."""
    estimate = "≈ is an estimate: only direct calls are recorded."
    assert exactness_text(True) == exactness_text(True, "Do this.")
    assert exactness_text(True) == "The cost is exact: it follows from the recorded calls."
    assert (exactness_text(False), exactness_text(False, "Do this.")) == (
        estimate,
        f"{estimate} Do this.",
    )


def profile_text(creator: str, command: str) -> str:
    return f"creator: {creator}\ncmd: {command}\nevents: Ir\n\nfn=main\n1 5\n"


@pytest.mark.parametrize(
    ("creator", "command", "callers", "proof"),
    [
        ("callgrind-3.19.0", "./a.out -x 'a b'", 3, f"{TOOL}3 ./a.out -x 'a b'"),
        ("callgrind-3.19.0", "", 3, f"{TOOL}3 PROGRAM"),
        ("callgrind-3.19.0", "./a", 0, f"{TOOL}1 ./a"),
        ("callgrind-3.19.0", "./a", -7, f"{TOOL}1 ./a"),
        ("callgrind-3.19.0", "./a", 5000, f"{TOOL}100 ./a"),
        ("callgrind-3.19.0", "./a\x01\x7f", 2, rf"{TOOL}2 ./a\x01\x7f"),
        ("callgrind-3.19.0", "x" * 5000, 2, f"{TOOL}2 {'x' * 400}…"),
        ("xdebug 3.2.0 (PHP 8.2)", "a.php", 3, ""),
        ("cachegrind-3.19.0", "./a", 3, ""),
        ("", "./a", 3, ""),
    ],
)
def test_only_callgrind_profiles_get_a_command(
    creator: str, command: str, callers: int, proof: str
) -> None:
    """Callgrind profiles can be recorded with 1 to 100 callers; others get no advice."""
    assert exact_recording_command(profile_from(profile_text(creator, command)), callers) == proof


def test_real_profiles() -> None:
    """The command runs the profiled program; profiles of other tools get none."""
    told = exact_recording_command(load(DATA / "control/callgrind.out.control.2"), 10)
    assert told.startswith(f"{TOOL}10 ")
    assert told.removeprefix(f"{TOOL}10 ") == load(DATA / "control/callgrind.out.control.2").command
    assert exact_recording_command(load(DATA / "yappi/callgrind.out.yappi"), 10) == ""
    assert (
        exact_recording_command(load(Path(DATA, "pprof-heap/callgrind.out.heap-alloc")), 10) == ""
    )
