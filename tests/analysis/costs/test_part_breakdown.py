"""What the cost of each part consists of: groups of functions, or callees of one function."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.totals import (
    PartBreakdown,
    costs_by_callee,
    costs_by_group,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import UserEvent
from tests.analysis.named_queries import event_named, names_of, node_id
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

# main calls a and b; b and c call each other; part 2 has no call of a
TWO_PARTS = profile_text("""
    part: 1
    events: Ir Dr
    main 10,1 -> a 2x30,2, b 1x20,1, main 1x5,5
    a 30,2
    b 12,1 -> c 1x8,0
    c 8,0 -> b 1x1,0
    part: 2
    events: Ir Dr
    main 1,0 -> b 1x90,7
    b 90,7
    """)


def queries_from(*definitions: UserEvent) -> ProfileQueries:
    """The queries of the profile, with these user events."""
    queries = ProfileQueries(profile_from(TWO_PARTS))
    queries.set_user_events(definitions)
    return queries


def rows(breakdown: PartBreakdown) -> dict[int, list[int]]:
    """The costs in the parts of each key, in order."""
    return dict(zip(breakdown.key.tolist(), breakdown.cost.tolist(), strict=True))


@pytest.mark.parametrize(
    ("event", "limit", "expected"),
    [
        ("Ir", 9, {0: [12, 90], 1: [30, 0], 2: [10, 1], 3: [8, 0]}),
        ("Ir", 2, {0: [12, 90], 1: [30, 0]}),
        ("Dr", 9, {0: [1, 7], 1: [2, 0], 2: [1, 0]}),  # group 3 has no cost
        ("Both", 1, {0: [25, 187]}),
    ],
)
def test_groups_of_each_part(event: str, limit: int, expected: dict[int, list[int]]) -> None:
    """The self costs of the costliest groups by part, also in a derived event."""
    queries = queries_from(UserEvent("Both", "", "2 Ir + Dr"))
    order = {"b": 0, "a": 1, "main": 2, "c": 3}
    group = np.array([order[name] for name in names_of(queries, range(4))])
    kind = event_named(queries, event)

    found = costs_by_group(queries.profile, kind, queries.events, group, limit)

    assert (rows(found), list(rows(found))) == (expected, list(expected))


@pytest.mark.parametrize(
    ("node", "scope", "expected"),
    [
        ("main", Scope(), {"b": [20, 90], "a": [30, 0]}),  # its call of itself has no cost
        ("b", Scope(), {}),  # it calls only a member of its cycle
        ("b", Scope(cycles=False), {"c": [8, 0]}),
    ],
)
def test_callees_of_each_part(node: str, scope: Scope, expected: dict[str, list[int]]) -> None:
    """The calls to the costliest callees by part; a cycle's inner calls are no calls."""
    queries = queries_from()
    function, ir = node_id(queries, node, scope), event_named(queries, "Ir")

    found = costs_by_callee(
        queries.profile, ir, queries.events, function, queries.costs(scope), limit=9
    )

    names = names_of(queries, found.key.tolist(), scope)
    assert dict(zip(names, found.cost.tolist(), strict=True)) == expected


def test_self_cost_and_callees_are_the_inclusive_cost_of_each_part() -> None:
    """What the bars of a function consist of adds up to its bar."""
    queries, scope = queries_from(), Scope()
    main, ir = node_id(queries, "main"), event_named(queries, "Ir")
    costs = queries.part_costs(main, scope)

    found = costs_by_callee(
        queries.profile, ir, queries.events, main, queries.costs(scope), limit=9
    )

    assert (costs.self_cost[0] + found.cost.sum(axis=0)).tolist() == [60, 91]
    assert costs.inclusive[0].tolist() == [60, 91]
