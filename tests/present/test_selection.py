"""What a report is about: functions above a threshold, through a filter, in an order."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.selection import Order, ReportSelection
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import PartId
from tests.profile_rows import profile_from

# Self costs of 100 Ir in all: main 5, a 50, b 30, c 15. b alone costs Dw, and is in part 2; as each
# part has its own calls, its inclusive cost is 60: 30 by the call, and 30 by itself.
TEXT = """
part: 1
events: Ir Dw
fn=main
1 5 0
cfn=a
calls=1 0
1 95 9
fn=a
2 50 0
cfn=b
calls=3 0
2 30 9
cfn=c
calls=9 0
2 15 0
fn=c
3 15 0
part: 2
events: Ir Dw
fn=b
4 30 9
"""


@pytest.fixture
def queries() -> ProfileQueries:
    return ProfileQueries(profile_from(TEXT))


def names(queries: ProfileQueries, **choices: Any) -> list[str]:
    """The names of the chosen functions in order; the event is the first one."""
    selection = ReportSelection(queries, queries.events.all[:1], **choices)
    table, texts = queries.profile.functions, queries.profile.texts
    return [texts[table.name[row]] for row in selection.functions]


def test_order(queries: ProfileQueries) -> None:
    """The costliest or most called come first; equal ones keep the order of the profile."""
    data_writes = queries.events.find("Dw")
    assert names(queries) == ["main", "a", "b", "c"]
    assert names(queries, order=Order("self")) == ["a", "b", "c", "main"]
    assert names(queries, order=Order("called")) == ["c", "b", "a", "main"]
    assert names(queries, order=Order("name")) == ["a", "b", "c", "main"]
    assert names(queries, order=Order("self", data_writes))[0] == "b"


@pytest.mark.parametrize(
    ("percent", "by_self_cost", "by_inclusive_cost"),
    [
        (0, ["a"], ["main"]),
        (50, ["a"], ["main", "a", "b"]),
        (51, ["a", "b"], ["main", "a", "b"]),
        (80, ["a", "b"], ["main", "a", "b"]),
        (85, ["a", "b", "c"], ["main", "a", "b", "c"]),
        (95, ["a", "b", "c"], ["main", "a", "b", "c"]),
        (100, ["a", "b", "c", "main"], ["main", "a", "b", "c"]),
    ],
)
def test_threshold(
    queries: ProfileQueries, percent: int, by_self_cost: list[str], by_inclusive_cost: list[str]
) -> None:
    """As many functions as have N % of all self costs; or all that include 100 - N % of them."""
    threshold = Fraction(percent)
    assert names(queries, order=Order("self"), threshold=threshold) == by_self_cost
    assert names(queries, threshold=threshold) == by_inclusive_cost


def test_other_orders_have_the_functions_of_the_self_costs(queries: ProfileQueries) -> None:
    """A threshold chooses, the order only sorts."""
    assert names(queries, order=Order("name"), threshold=Fraction(80)) == ["a", "b"]
    assert names(queries, order=Order("called"), threshold=Fraction(80)) == ["b", "a"]


def test_thresholds_of_several_events(queries: ProfileQueries) -> None:
    """As many functions as have their share of each event; ties are ordered by the next one."""
    data_writes = queries.events.find("Dw")
    further = ((data_writes, Fraction(90)),)
    self_cost = {"order": Order("self"), "threshold": Fraction(50)}
    assert names(queries, **self_cost) == ["a"]
    assert names(queries, **self_cost, further_thresholds=further) == ["a", "b"]
    assert names(queries, order=Order("self"), further_thresholds=further) == ["b"]
    assert names(queries, threshold=Fraction(0), further_thresholds=further) == ["main", "a", "b"]
    ordered = names(queries, order=Order("self", data_writes, queries.events.all[:1]))
    assert ordered == ["b", "a", "c", "main"]


def test_filter_and_limit(queries: ProfileQueries) -> None:
    """The limit counts what passes the filter."""
    assert names(queries, filter=parse_filter("self<50%")) == ["main", "b", "c"]
    assert names(queries, filter=parse_filter("self<50%"), limit=2) == ["main", "b"]
    assert names(queries, limit=0) == []


def test_parts(queries: ProfileQueries) -> None:
    """Costs are those of the chosen parts, and so are percentages."""
    scope = Scope(frozenset({PartId(1)}))
    selection = ReportSelection(queries, queries.events.all, scope, Order("self"))
    ir, dw = queries.events.measured
    assert (selection.total(ir), selection.total(dw)) == (30, 9)
    assert sorted(selection.self_cost(ir).tolist()) == [0, 0, 0, 30]
    assert names(queries, scope=scope, order=Order("self"), threshold=Fraction(1)) == ["b"]


def test_undefined_ratios_come_last() -> None:
    """A ratio without a divisor is no cost that could be compared."""
    queries = ProfileQueries(profile_from("events: Ir Dw\nfn=f\n1 5\nfn=g\n1 6 2\nfn=h\n1 8 2\n"))
    queries.set_user_events((UserEvent("R", "", "Ir / Dw"),))
    ratio = queries.events.find("R")
    assert names(queries, order=Order("self", ratio)) == ["h", "g", "f"]


def test_a_profile_without_events() -> None:
    """Without an event, functions have the order of the profile, and none is left out."""
    queries = ProfileQueries(profile_from("# callgrind format\nversion: 1\n"))
    assert ReportSelection(queries, (), threshold=Fraction(50)).functions.tolist() == []
