"""The options of the call graph as values: their effect and their choices."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.present.picture import Arrangement
from qcachegrind_py.views.pictures.call_graph_view import (
    GRAPH_CHOICES,
    Direction,
    GraphOptions,
    is_wide_pane,
)


def test_defaults_are_those_of_kcachegrind() -> None:
    """Two calls up, all calls down, from 5 % on, normal gaps; top to bottom unless it is wide."""
    options = GraphOptions()

    assert options.limits(frozenset()) == SubgraphLimits(2, None, 0.05, 1.0, True, frozenset())
    assert options.arrangement(is_wide=False) == Arrangement(False, 24.0, 40.0)
    assert options.arrangement(is_wide=True) == Arrangement(True, 24.0, 40.0)
    assert (options.skipped, options.groups, options.recorded) == (False, False, False)


def test_every_option_can_be_chosen_and_so_can_its_default() -> None:
    """Each field has a menu entry with distinct values that include the default."""
    options = GraphOptions()

    assert GRAPH_CHOICES.keys() == {field.name for field in fields(GraphOptions)}
    for name, choice in GRAPH_CHOICES.items():
        values = [value for value, _ in choice.values]
        assert choice.allows(getattr(options, name)), name
        assert len(set(values)) == len(values)
        assert choice.tooltip
        assert all(text for _, text in choice.values)
        for value in values:
            changed = replace(options, **{name: value})
            changed.limits(frozenset())
            assert changed.arrangement(is_wide=False).rank_gap > 0


@pytest.mark.parametrize(
    ("caller_depth", "callee_depth", "least", "in_force"),
    [
        (2, 5, 0.0, 0.0),
        (0, 0, 0.0, 0.0),
        (None, 5, 0.0, 0.01),
        (2, None, 0.0, 0.01),
        (None, None, 0.0, 0.01),
        (None, None, 0.2, 0.2),
        (2, 5, 0.2, 0.2),
    ],
)
def test_no_minimum_only_where_both_depths_are_limited(
    caller_depth: int | None, callee_depth: int | None, least: float, in_force: float
) -> None:
    """Without a minimum the graph needs both depth limits, or it is 1 %, as the menu says."""
    options = GraphOptions(caller_depth, callee_depth, least)

    assert options.limits(frozenset({7})) == SubgraphLimits(
        caller_depth, callee_depth, in_force, 1.0, True, frozenset({7})
    )


def test_compactness_sets_the_gaps() -> None:
    """Compact has smaller gaps than normal, tall larger ones between ranks."""
    for direction, is_horizontal in (("down", False), ("right", True)):
        compact, normal, tall = (
            GraphOptions(compactness=name, direction=direction).arrangement(is_wide=False)
            for name in ("compact", "normal", "tall")
        )
        assert compact.node_gap < normal.node_gap == tall.node_gap
        assert compact.rank_gap < normal.rank_gap < tall.rank_gap
        assert {a.is_horizontal for a in (compact, normal, tall)} == {is_horizontal}


@pytest.mark.parametrize("is_wide", [False, True])
def test_a_chosen_direction_is_independent_of_the_pane(is_wide: bool) -> None:
    """Only the automatic direction follows the pane; rings have none."""
    chosen = {
        direction: GraphOptions(direction=direction.value).arrangement(is_wide)
        for direction in Direction
    }
    assert {
        direction.value: (options.is_horizontal, options.is_circular)
        for direction, options in chosen.items()
    } == {
        "automatic": (is_wide, False),
        "down": (False, False),
        "right": (True, False),
        "circular": (False, True),
    }


def test_a_pane_near_the_limit_stays_as_it_was() -> None:
    """Small changes of the size do not turn the graph back and forth."""
    shapes = (1.0, 1.9, 2.1, 2.3, 2.5, 3.0)
    assert [is_wide_pane(shape, was_wide=False) for shape in shapes] == [False] * 4 + [True] * 2
    assert [is_wide_pane(shape, was_wide=True) for shape in shapes] == [False] * 2 + [True] * 4
