"""The query of the views: the costs the context selects, and their format."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.present.context import Context, CostUnit
from qcachegrind_py.present.unit import NO_UNIT
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_NODE
from tests.analysis.named_queries import CYCLES, NO_CYCLES, event_named, node_id, queries_from

# a and b are a cycle
DRAWING = """
    events: Ir
    main@m.c@prog 10 -> a 2x90
    a@a.c@prog 20 -> b 5x70
    b@b.c@lib 70 -> a 4x60
    """


def query_of(**settings: object) -> ViewQuery:
    """A query of the test profile, with these fields of the context set."""
    queries = queries_from(DRAWING)
    context = Context(event=event_named(queries, "Ir"), scope=CYCLES)
    return ViewQuery(queries, replace(context, **settings))


@pytest.mark.parametrize(
    ("scope", "unit", "base"),
    [
        (CYCLES, CostUnit.PERCENT, 100),
        (CYCLES, CostUnit.PERCENT_OF_PARENT, 90),  # of the cycle
        (NO_CYCLES, CostUnit.PERCENT_OF_PARENT, 70),  # of b alone
    ],
)
def test_calls_are_parts_of_the_function_or_of_its_cycle(
    scope: object, unit: CostUnit, base: int
) -> None:
    """Percentages of calls refer to the total, or to the calling node."""
    query = query_of(scope=scope, unit=unit)

    of_calls = query.call_unit(query.context.event, node_id(query.queries, "b"))

    assert of_calls.total == base


def test_without_an_event_nothing_is_written_or_hidden() -> None:
    """A profile without costs has neither a number format nor a filter."""
    query = query_of(event=None, filter=parse_filter("self>1"))

    assert query.unit(query.context.event) is NO_UNIT
    assert query.visible_nodes() is None


def test_visible_nodes() -> None:
    """The result is in the order of the nodes, and None if nothing is hidden."""
    query = query_of(filter=parse_filter("lib:prog"))
    nodes = np.array([node_id(query.queries, name) for name in ("b", "main")])

    visible = query.visible_among(nodes)

    assert visible is not None
    assert visible.tolist() == [False, True]
    assert query_of().visible_among(nodes) is None


def test_cycle_of_a_function() -> None:
    """A cycle is a node, and its own cycle."""
    query = query_of()
    main, a, cycle = (node_id(query.queries, name) for name in ("main", "a", "<1>"))

    assert [query.cycle_of(node) for node in (main, a, cycle)] == [NO_NODE, cycle, cycle]


@pytest.mark.parametrize(
    ("grouping", "names"), [(Grouping.NONE, ["prog", "lib"]), (Grouping.FILE, ["m.c", "b.c"])]
)
def test_groups_have_names(grouping: Grouping, names: list[str]) -> None:
    """Without a grouping, the object is the group, which gives the colour."""
    query = query_of(grouping=grouping)
    namer = query.group_namer()

    assert [namer(node_id(query.queries, name)) for name in ("main", "b")] == names
