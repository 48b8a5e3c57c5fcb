"""How numbers come about: terms, what is left out, and the rows of the profile."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import (
    CodePlace,
    Explanation,
    NumberKey,
    NumberKind,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import NO_NODE, NodeId, PartId
from tests.analysis.named_queries import CYCLES, NO_CYCLES, event_named, node_id, queries_from
from tests.profile_rows import DATA, RECURSIVE, profile_from

CYCLE = """
    main 1 -> f 2x20
    f 3 -> g 4x15, leaf 1x2
    g 5 -> f 1x9, leaf 2x4
    leaf 6
    """
TWO_PARTS = """
    events: Ir
    part: 1
    fn=main
    1 10
    cfn=f
    calls=2 1
    2 7
    fn=f
    1 7
    part: 2
    events: Ir
    fn=f
    1 3
    cfn=leaf
    calls=1 9
    2 4
    fn=leaf
    9 4
    """


@dataclass
class Names:
    """Explanations by names."""

    queries: ProfileQueries
    scope: Scope = CYCLES
    event: str = "Ir"

    def explain(self, kind: NumberKind, name: str, callee: str = "") -> Explanation:
        node = NodeId(node_id(self.queries, name, self.scope))
        other = NodeId(node_id(self.queries, callee, self.scope)) if callee else NO_NODE
        event = event_named(self.queries, self.event)
        return explain(self.queries, NumberKey(kind, node, other), event, self.scope)

    def terms(self, explained: Explanation) -> list[str]:
        """A line for each term: kind, names, value and number of calls."""
        name = self.queries.profile.function_name
        return [
            f"{term.kind.value} {name(term.key.node)}"
            + (f" > {name(term.key.callee)}" if term.key.callee != NO_NODE else "")
            + f" {term.value} ({term.calls})"
            for term in explained.terms
        ]


def left_out(explained: Explanation) -> list[tuple[str, int, int]]:
    return [(each.reason.value, each.calls, each.rows) for each in explained.left_out]


def test_a_function_that_others_call_has_the_cost_of_these_calls() -> None:
    """The inclusive cost of `leaf` is that of the calls from its two callers."""
    names = Names(queries_from("main 1 -> a 1x5, leaf 2x6\na 1 -> leaf 1x4\nleaf 10"))
    found = names.explain(NumberKind.INCLUSIVE, "leaf")
    assert (found.value, names.terms(found)) == (
        10,
        ["calls from main > leaf 6 (2)", "calls from a > leaf 4 (1)"],
    )
    assert (len(found.rows.costs), len(found.rows.calls), found.sums) == (0, 2, (10,))


def test_a_function_that_nobody_calls_has_its_self_cost_and_that_of_its_calls() -> None:
    """The self cost comes first, then the calls by cost."""
    names = Names(queries_from("main 1 -> a 1x5, b 2x6\na 5\nb 6"))
    found = names.explain(NumberKind.INCLUSIVE, "main")
    assert (found.value, names.terms(found)) == (
        12,
        ["self main 1 (0)", "calls to main > b 6 (2)", "calls to main > a 5 (1)"],
    )


def test_each_part_follows_the_rule_on_its_own() -> None:
    """In part 1 `main` calls `f`, in part 2 nobody does."""
    names = Names(ProfileQueries(profile_from(TWO_PARTS)))
    found = names.explain(NumberKind.INCLUSIVE, "f")
    assert (found.value, names.terms(found)) == (
        14,
        ["self f 3 (0)", "calls from main > f 7 (2)", "calls to f > leaf 4 (1)"],
    )
    second = Names(names.queries, Scope(frozenset({PartId(1)})))
    assert second.explain(NumberKind.INCLUSIVE, "f").value == 7
    assert second.explain(NumberKind.SELF, "f").value == 3


def test_recursive_calls_are_left_out_of_costs_and_counted_as_calls() -> None:
    """`f` calls itself twice: no further cost, but two more calls."""
    names = Names(queries_from("main 1 -> f 1x9\nf 9 -> f 2x6"))
    found = names.explain(NumberKind.INCLUSIVE, "f")
    assert (found.value, left_out(found)) == (9, [("recursion", 2, 1)])
    called = names.explain(NumberKind.CALLED, "f")
    assert (called.value, names.terms(called), called.measured) == (
        3,
        ["calls from f > f 2 (2)", "calls from main > f 1 (1)"],
        (),
    )


def test_members_of_a_cycle_have_what_leaves_the_cycle() -> None:
    """Calls between `f` and `g` add nothing; the cycle is the sum of both."""
    names = Names(queries_from(CYCLE))
    member = names.explain(NumberKind.INCLUSIVE, "g")
    assert (member.value, names.terms(member), left_out(member)) == (
        9,
        ["self g 5 (0)", "calls to g > leaf 4 (2)"],
        [("cycle", 1, 1)],
    )
    cycle = names.explain(NumberKind.INCLUSIVE, "<1>")
    assert (cycle.value, names.terms(cycle), left_out(cycle)) == (
        14,
        ["member g 9 (2)", "member f 5 (1)"],
        [("cycle", 5, 2)],
    )
    called = names.explain(NumberKind.CALLED, "<1>")
    assert (called.value, left_out(called)) == (2, [("cycle", 5, 2)])


def test_without_cycles_members_are_functions_like_others() -> None:
    """Their cost is that of the calls to them again."""
    names = Names(queries_from(CYCLE), NO_CYCLES)
    found = names.explain(NumberKind.INCLUSIVE, "g")
    assert (found.value, names.terms(found)) == (15, ["calls from f > g 15 (4)"])


def test_calls_between_two_functions_have_rows_and_no_terms() -> None:
    """Cost and count are sums of the same lines."""
    names = Names(queries_from("main 1 -> f 2x6, f 1x3\nf 9"))
    cost = names.explain(NumberKind.CALL_COST, "main", "f")
    count = names.explain(NumberKind.CALL_COUNT, "main", "f")
    assert (cost.value, cost.terms, cost.rows.calls.tolist()) == (9, (), [0, 1])
    assert (count.value, count.sums, count.rows.calls.tolist()) == (3, (3,), [0, 1])


def test_a_line_has_its_costs_and_the_calls_from_there() -> None:
    """Line 4 of `f` costs 7 and calls `leaf` for 20; calls within its cycle are left out."""
    queries = ProfileQueries(profile_from(RECURSIVE))
    node, event = NodeId(node_id(queries, "f")), event_named(queries, "Ir")
    file = queries.profile.functions.file[node]
    numbers = {
        (kind, line): explain(
            queries, NumberKey(kind, node, place=CodePlace(file, line)), event, CYCLES
        ).value
        for kind in (NumberKind.LINE_SELF, NumberKind.LINE_INCLUSIVE)
        for line in (3, 4)
    }
    assert list(numbers.values()) == [10, 7, 10, 27]
    place = CodePlace(file, 4, 0x24)
    key = NumberKey(NumberKind.INSTRUCTION_INCLUSIVE, node, place=place)
    found = explain(queries, key, event, CYCLES)
    assert (found.value, left_out(found)) == (27, [("cycle", 3, 1)])
    place = CodePlace(file, 3)
    key = NumberKey(NumberKind.LINE_INCLUSIVE, node, place=place)
    assert left_out(explain(queries, key, event, CYCLES)) == [("recursion", 2, 1)]


def test_derived_events_name_the_events_that_they_are_computed_of() -> None:
    """Of a sum and of a ratio, the sums of the measured events are given."""
    sum_, ratio = UserEvent("Sum", "", "Ir + 10 Dr"), UserEvent("Rate", "", "Dr / Ir")
    queries = queries_from("events: Ir Dr Dw\nmain 8,2,5", sum_, ratio)
    node = NodeId(node_id(queries, "main"))
    found = {
        name: explain(queries, NumberKey(NumberKind.SELF, node), event_named(queries, name), CYCLES)
        for name in ("Sum", "Rate")
    }
    assert {name: each.value for name, each in found.items()} == {"Sum": 28, "Rate": 0.25}
    assert [event.name for event in found["Rate"].measured] == ["Ir", "Dr"]
    assert found["Sum"].sums == (8, 2)


PROFILES = sorted(
    path
    for path in DATA.rglob("*callgrind.out*")
    if path.is_file() and path.stat().st_size and ".tsv" not in path.name
)


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_explanations_give_the_numbers_of_the_views(path: Path) -> None:
    """Thirty numbers of each profile, in all scopes: value and sum of terms are the cell."""
    queries, chance = ProfileQueries(q.load(path)), random.Random(7)
    if not queries.function_count:  # a dump before the program began
        return
    parts = range(len(queries.profile.parts))
    for _ in range(30):
        some = frozenset(map(PartId, chance.sample(parts, chance.randint(1, len(parts)))))
        scope = Scope(chance.choice((None, some)), cycles=chance.random() < 0.6)
        event = chance.choice(queries.events.measured)
        node = NodeId(chance.randrange(len(queries.costs(scope).cycle)))
        numbers = {
            NumberKind.SELF: queries.self_cost(event, scope)[node],
            NumberKind.INCLUSIVE: queries.inclusive(event, scope)[node],
            NumberKind.CALLED: queries.costs(scope).called[node],
        }
        for kind, value in numbers.items():
            found = explain(queries, NumberKey(kind, node), event, scope)
            terms = sum(term.value for term in found.terms) if found.terms else value
            assert (found.value, terms) == (value, value), (kind, node, scope)
