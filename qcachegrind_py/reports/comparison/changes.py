"""The short answer of a comparison: how the total changed, what grew, what shrank, and of whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.sums import growing, shrinking
from qcachegrind_py.formats.standard_input import display_name
from qcachegrind_py.profile.numbers import NumberStyle, format_exact, plural, signed_text
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.comparison.contents import ComparisonReport, CostKind
from qcachegrind_py.reports.comparison.facts import contributors_text, totals_row
from qcachegrind_py.reports.comparison.measures import Measure
from qcachegrind_py.reports.table_export import cell_text


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """The functions of a report that changed most, in either direction."""

    grown: Int64Array  # largest first, shape (functions,)
    shrunk: Int64Array
    grown_count: int  # with those that are left out
    shrunk_count: int


def most_changed(report: ComparisonReport, measure: Measure, kind: CostKind, limit: int) -> Changes:
    """Return the functions of the report that grew and that shrank, at most `limit` of each.

    Ratios change in points. Costs are compared exactly, and equal changes keep their order.
    """
    changes = measure.measured(report.event.costs(kind), report.event).change
    functions = report.functions.tolist()
    grown = sorted((each for each in functions if changes[each] > 0), key=lambda f: -changes[f])
    shrunk = sorted((each for each in functions if changes[each] < 0), key=changes.__getitem__)
    shown = [np.array(some[:limit], np.int64) for some in (grown, shrunk)]
    return Changes(shown[0], shown[1], len(grown), len(shrunk))


def summary(report: ComparisonReport, style: NumberStyle) -> Iterator[tuple[str, str]]:
    """Yield key and sentence of what is to be said first; nothing without a base.

    The first event counts. Growth and shrinkage are those of the self costs of all functions.
    """
    if report.base is None:
        return
    event = report.event
    base, new, change, percent, grown, shrunk = totals_row(event, style)
    relative = f" ({percent} %)" if event.total[0] > 0 else ""
    yield "Net change", f"{change} {event.event.name}{relative}: {base} → {new}"
    if not event.event.is_ratio:
        costs = event.self_cost.change
        for key, total, who in (
            ("Growth", grown, growing(costs)),
            ("Shrinkage", shrunk, shrinking(costs)),
        ):
            by_whom = contributors_text(who, style)
            yield key, f"{total}: {by_whom}" if by_whom else total
    yield "Comparable", _comparable(report)


def _comparable(report: ComparisonReport) -> str:
    if damage := report.damage:
        names = ", ".join(dict.fromkeys(cell_text(display_name(each.path)) for each in damage))
        return f"no: {names} {'is' if len(damage) == 1 else 'are'} damaged"
    count = len(report.differences)
    if not count:
        return "yes, the runs differ in nothing but their costs"
    what = ", ".join(dict.fromkeys(each.what for each in report.differences))
    return f"with care: {count} {plural(count, 'difference')} between the runs ({what})"


def change_text(change: float, style: NumberStyle) -> str:
    """Return a change with its sign: +1 250."""
    return signed_text(format_exact(change, "", style), change)
