"""Comparisons of two profiles that are given as text, for the tests of all forms of the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.filters.conditions import FilterSubject
from qcachegrind_py.analysis.filters.rules import check_rule, parse_rule
from qcachegrind_py.present.change import (
    ComparisonOrder,
    ComparisonReport,
    Sides,
    by_calls,
    by_totals,
    cost_figures,
    report_sides,
    rows_in_order,
    undivided,
)
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

# sort is called more often and is dearer per call, less is called more often; old is gone, fresh is
# new, and same is as it was
BASE = """
    events: Ir Dw
    cmd: ./app -n 10
    main@/src/main.c@/bin/app 100,10 -> sort 10x2000,20, old 1x300,3, same 2x50,0
    sort@/src/sort.c@/bin/app 1000,20 -> less 500x1000,0
    less@/src/sort.c@/bin/app 1000,0
    old@/src/main.c@/bin/app 300,3
    same@/src/main.c@/lib/libc.so 50,0
    """
NEW = """
    events: Ir Dw
    cmd: ./app -n 10
    main@/src/main.c@/bin/app 100,10 -> sort 12x3450,40, fresh 1x7,1, same 2x50,0
    sort@/src/sort.c@/bin/app 2250,40 -> less 600x1200,0
    less@/src/sort.c@/bin/app 1200,0
    fresh@/src/new.c@/bin/app 7,1
    same@/src/main.c@/lib/libc.so 50,0
    """


def comparison_of(
    base: str | None = BASE,
    new: str = NEW,
    rules: Sequence[str] = (),
    order: ComparisonOrder | None = None,
    exit_code: int = 0,
) -> ComparisonReport:
    """The comparison of two drawings in their first event, with the results of rules."""
    old = [] if base is None else [profile_from(profile_text(base))]
    sides = report_sides(old, [profile_from(profile_text(new))])
    order, event = order or ComparisonOrder(), sides.event_comparison(sides.events[0])
    costs = cost_figures(event, order.kind, undivided)
    return replace(
        sides.report((event,), rows_in_order(order, costs, sides.called), order.kind),
        base=None if sides.base is None else replace(sides.base, files=("old.out",)),
        new=replace(sides.new, files=("new.out",)),
        rules=tuple(check_rule(parse_rule(text), subject_in(sides)) for text in rules),
        exit_code=exit_code,
    )


def in_shares(comparison: ComparisonReport) -> ComparisonReport:
    """The comparison with costs in percent of the total of each side."""
    return replace(comparison, divide=by_totals, unit="%")


def per_call(
    comparison: ComparisonReport, function: str, calls: tuple[int, int]
) -> ComparisonReport:
    """The comparison with costs divided by the calls of a function."""
    return replace(comparison, divide=by_calls(calls), unit=f"per call of {function}")


def subject_in(sides: Sides) -> Callable[[str | None], FilterSubject]:
    """What rules are tested on, by the name of an event."""
    events = sides.queries.events
    return lambda name: sides.subject(events.find(name or events.names[0]))


def names_of(comparison: ComparisonReport, rows: Sequence[int]) -> list[str]:
    """The names of functions by their numbers."""
    return [each.name for each in comparison.pairs.shown(np.array(rows, np.int64))]
