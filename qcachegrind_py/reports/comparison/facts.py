"""What a report says of two profiles as a whole: files, what differs between them, and totals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qcachegrind_py.analysis.costs.sums import MOST_PERCENT, Contributors, growing
from qcachegrind_py.formats.standard_input import display_name
from qcachegrind_py.profile.numbers import (
    NumberStyle,
    format_count,
    format_exact,
    plural,
    signed_text,
)
from qcachegrind_py.reports.comparison.contents import ComparisonReport, EventComparison, ReportSide
from qcachegrind_py.reports.comparison.measures import percentage_text
from qcachegrind_py.reports.facts import damaged_text
from qcachegrind_py.reports.table_export import cell_text

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
        yield "Command", cell_text(command)
    for damage in report.damage:
        yield "Damaged", damaged_text(damage)
    for each in report.differences:
        yield "Differs", cell_text(f"{each.what}: {each.base or '–'} → {each.new or '–'}")
    for where, events in (
        ("base", report.events_only_base),
        ("new profile", report.events_only_new),
    ):
        if events:
            yield "Events", f"{', '.join(map(cell_text, events))} in the {where} only"
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
        yield "Renamed?", cell_text(f"{each.base.name} → {each.new.name}, {alike}")
    if (more := len(report.proposals) - _MAX_PROPOSALS) > 0:
        yield "Renamed?", f"… and {more:,} more"


def files_text(side: ReportSide | None) -> str:
    """Return the files of a side, or that there is none."""
    if side is None:
        return "none"
    return ", ".join(cell_text(display_name(path)) for path in side.files)


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


def remainder_text(each: EventComparison, style: NumberStyle) -> str:
    """Return what of the totals no function has, if that changed; else empty.

    The change of the total is that of the functions and of this remainder.
    """
    if each.remainder is None or each.remainder[0] == each.remainder[1]:
        return ""
    base, new = each.remainder
    numbers = f"{format_exact(base, '', style)} → {format_exact(new, '', style)}"
    return f"{numbers} {cell_text(each.event.name)} not attributed to functions"


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
