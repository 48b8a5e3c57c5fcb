"""What is said of two profiles as a whole: files, differences, totals, the short answer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qcachegrind_py.analysis.costs.sums import MOST_PERCENT, Contributors, growing, shrinking
from qcachegrind_py.formats.standard_input import display_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.change import ComparisonReport, EventComparison, ReportSide
from qcachegrind_py.present.exact import percentage_text
from qcachegrind_py.present.facts import damaged_text
from qcachegrind_py.present.page import Grid
from qcachegrind_py.profile.numbers import (
    NumberStyle,
    format_count,
    format_exact,
    plural,
    signed_text,
)
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.visible_text import visible_text

_MAX_PROPOSALS = 5  # of renames; JSON has all


def comparison_facts(report: ComparisonReport, style: NumberStyle) -> Iterator[tuple[str, str]]:
    """Yield key and value of each fact but the totals; a key may come several times.

    All values are printable, on one line.
    """
    for side, key in ((report.base, "Base"), (report.new, "New")):
        yield key, files_text(side)
    if report.new.runs > 1 or (report.base and report.base.runs > 1):
        base, new = report.base.runs if report.base else 0, report.new.runs
        yield "Runs", f"{base:,} → {new:,}: costs are medians"
    commands = {side.command for side in (report.base, report.new) if side is not None}
    if len(commands) == 1 and (command := commands.pop()):
        yield "Command", visible_text(command)
    for damage in report.damage:
        yield "Damaged", damaged_text(damage)
    for each in report.differences:
        yield "Differs", visible_text(f"{each.what}: {each.base or '–'} → {each.new or '–'}")
    for where, events in (
        ("base", report.events_only_base),
        ("new profile", report.events_only_new),
    ):
        if events:
            yield "Events", f"{', '.join(map(visible_text, events))} in the {where} only"
    if report.folded is not None:
        yield from report.folded.facts
    if report.base is None:
        return
    yield from _proposal_facts(report)
    if count := int(np.count_nonzero(report.split_cycle)):
        yield "Cycles", _cycles_text(count)
    for event in report.total_events:
        if remainder := remainder_text(event, style):
            yield "Remainder", remainder
    if growth := growth_text(report.event, style):
        yield "Growth", growth


def _cycles_text(count: int) -> str:
    """Return what cycles of one side mean for the functions in them."""
    are = "is" if count == 1 else "are"
    return (
        f"{count:,} {plural(count, 'function')} {are} in a cycle that differs on one side alone; "
        "inclusive costs leave out the calls within it on both"
    )


def _proposal_facts(report: ComparisonReport) -> Iterator[tuple[str, str]]:
    """Yield which functions may have been renamed, the most alike first."""
    for each in report.proposals[:_MAX_PROPOSALS]:
        alike = f"{100 * each.alike:.0f} % of their calls alike"
        yield "Renamed?", visible_text(f"{each.base.name} → {each.new.name}, {alike}")
    if (more := len(report.proposals) - _MAX_PROPOSALS) > 0:
        yield "Renamed?", f"… and {more:,} more"


def files_text(side: ReportSide | None) -> str:
    """Return the files of a side, or that there is none."""
    if side is None:
        return "none"
    return ", ".join(visible_text(display_name(path)) for path in side.files)


def totals_row(each: EventComparison, style: NumberStyle) -> list[str]:
    """Return base, new, change, change in percent, growth and shrinkage of the total as texts."""
    base, new = each.total
    change = new - base
    gross = (each.grown, each.shrunk)
    return [
        format_exact(base, "", style),
        format_exact(new, "", style),
        signed_text(format_exact(change, "", style), change),
        percentage_text(change, base, style),
        *(
            "" if each.event.is_ratio else signed_text(format_exact(part, "", style), part)
            for part in gross
        ),
    ]


TOTALS_TITLES = ("Base", "New", "Change", "%", "Grown", "Shrunk")


def totals_grid(report: ComparisonReport, style: NumberStyle, title: str) -> Grid:
    """Return the totals of events: of both sides and their change, or those of the only side."""
    titles: tuple[str, ...] = (title, *TOTALS_TITLES)
    rows = [
        (visible_text(each.event.name), *totals_row(each, style)) for each in report.total_events
    ]
    if report.base is None:
        titles, rows = (title, "New"), [(row[0], row[2]) for row in rows]
    return Grid(titles, rows)


def remainder_text(each: EventComparison, style: NumberStyle) -> str:
    """Return what of the totals no function has, if that changed; else empty.

    The change of the total is that of the functions and of this remainder.
    """
    if each.remainder is None or each.remainder[0] == each.remainder[1]:
        return ""
    base, new = each.remainder
    numbers = f"{format_exact(base, '', style)} → {format_exact(new, '', style)}"
    return f"{numbers} {visible_text(each.event.name)} not attributed to functions"


def growth_text(each: EventComparison, style: NumberStyle) -> str:
    """Return how many functions make most of the growth in an event; empty if nothing grew."""
    return "" if each.event.is_ratio else contributors_text(growing(each.self_cost.change), style)


def contributors_text(who: Contributors, style: NumberStyle) -> str:
    """Return how many functions make most of a growth or shrinkage; empty if there are none."""
    if who.most == who.all:
        return f"{format_count(who.all, style)} {plural(who.all, 'function')}" if who.all else ""
    make = "makes" if who.most == 1 else "make"
    return (
        f"{format_count(who.most, style)} of {format_count(who.all, style)} functions "
        f"{make} {MOST_PERCENT} % of it"
    )


@frozen
class Changes:
    """The functions of a report that changed most, in either direction."""

    grown: Int64Array  # largest first, shape (functions,)
    shrunk: Int64Array
    grown_count: int  # with those that are left out
    shrunk_count: int


def most_changed(report: ComparisonReport, limit: int) -> Changes:
    """Return the functions of the report that grew and that shrank, at most `limit` of each.

    Ratios change in points. Costs are compared exactly, and equal changes keep their order.
    """
    changes = report.figures().change.tolist()
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
        names = ", ".join(dict.fromkeys(visible_text(display_name(each.path)) for each in damage))
        return f"no: {names} {'is' if len(damage) == 1 else 'are'} damaged"
    count = len(report.differences)
    if not count:
        return "yes, the runs differ in nothing but their costs"
    what = ", ".join(dict.fromkeys(each.what for each in report.differences))
    return f"with care: {count} {plural(count, 'difference')} between the runs ({what})"


def change_text(change: float, style: NumberStyle) -> str:
    """Return a change with its sign: +1 250."""
    return signed_text(format_exact(change, "", style), change)
