"""What is said of two profiles as a whole: files, differences, totals, the short answer, rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.comparison.comparison import CYCLE_DIFFERS
from qcachegrind_py.analysis.comparison.sides import renaming
from qcachegrind_py.analysis.costs.noise import Sampling
from qcachegrind_py.analysis.costs.scope import BothSides
from qcachegrind_py.analysis.costs.sums import MOST_PERCENT, Contributors, growing, shrinking
from qcachegrind_py.analysis.filters.conditions import CostField
from qcachegrind_py.analysis.filters.rules import RuleNumbers, RuleResult
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.formats.loading import display_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.change import (
    ComparisonReport,
    EarlierReport,
    EventComparison,
    ReportSide,
)
from qcachegrind_py.present.exact import percentage_text
from qcachegrind_py.present.facts import damaged_text
from qcachegrind_py.present.page import Finding, Grid, Verdict
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
    if (samples := report.event.sampling) is not None:
        yield "Samples", samples_text(samples, style)
    commands = {side.command for side in (report.base, report.new) if side is not None}
    if len(commands) == 1 and (command := commands.pop()):
        yield "Command", visible_text(command)
    for damage in report.damage:
        yield "Damaged", damaged_text(damage)
    for each in report.differences:
        yield "Differs", visible_text(each.sentence)
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


def samples_text(samples: Sampling, style: NumberStyle) -> str:
    """Return how many samples both sides are of, and what noise means."""
    before, now = (format_count(count, style) for count in samples.samples)
    return f"{before} → {now}: changes within noise may be chance (2 standard deviations)"


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
    """Return the part of the totals that no function has, if it changed; else empty.

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

    Ratios change in points. Costs are compared exactly, and equal changes keep their order. Changes
    that samples may show by chance are left out.
    """
    figures = report.figures()
    changes = figures.change.tolist()
    functions = report.functions[~figures.are_noise[report.functions]].tolist()
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


_MAX_FUNCTIONS = 20  # of a rule, in order of size; JSON has all
_C_LIBRARY = re.compile(r"(libc|libm|ld)[-.]")
_SUBJECTS = {
    None: "total",
    CostField.SELF: "self cost",
    CostField.INCLUSIVE: "inclusive cost",
    CostField.CALLED: "called",
}


def verdicts(report: ComparisonReport, style: NumberStyle) -> list[Verdict]:
    """Return what is to be said of each rule, in their order; then of those on earlier bases."""
    own = [_verdict(report, result, style) for result in report.rules]
    return [*own, *(each for earlier in report.earlier for each in _earlier(earlier, style))]


def _earlier(earlier: EarlierReport, style: NumberStyle) -> Iterator[Verdict]:
    """Yield what is to be said of the rules against an earlier revision."""
    name = base_name(display_name(earlier.file))
    for verdict in verdicts(earlier.report, style):
        rule = f"{verdict.rule} against {earlier.which}"
        yield replace(verdict, rule=rule, sentence=f"{verdict.sentence}, from {name}")


def _verdict(report: ComparisonReport, result: RuleResult, style: NumberStyle) -> Verdict:
    findings = tuple(_findings(report, result, style))
    sentence = _sentence(report, result, style)
    more = len(result.functions) - len(findings)
    advice = tuple(_advice(report, result, findings))
    is_checkable = not result.reason
    return Verdict(result.rule.text, result.is_met, sentence, findings, more, advice, is_checkable)


def _advice(
    report: ComparisonReport, result: RuleResult, findings: Sequence[Finding]
) -> Iterator[str]:
    """Yield what may be done if a rule is met that is about a change.

    A function may have been renamed, be one of the C library, or cost more by random seeds.
    """
    if report.base is None or not result.is_met or not result.rule.needs_base:
        return
    found = {(finding.name.name, finding.name.object) for finding in findings}
    for each in report.proposals:
        if found & {(name.name, name.object) for name in (each.base, each.new)}:
            alike = f"{100 * each.alike:.0f} % of their calls alike"
            renamed = f"{each.base.name} → {each.new.name} may be a rename ({alike})"
            rule = f"--mod-funcname '{renaming(each.base.name, each.new.name)}'"
            yield f"{renamed}: --accept-renames or {rule} compares them as one function."
    libraries = {base_name(path) for _, path in found}
    if of_c := sorted(filter(_C_LIBRARY.match, libraries)):
        are = "is part" if len(of_c) == 1 else "are parts"
        yield f"{', '.join(of_c)} {are} of the C library: --fold libc folds it into its callers."
    yield from report.doubts


def _sentence(report: ComparisonReport, result: RuleResult, style: NumberStyle) -> str:
    if result.is_met is None:
        no_base = "has no base to compare with"
        return f"cannot be checked: {result.reason.rstrip('.')}" if result.reason else no_base
    count = len(result.functions)
    met = "is met" if result.is_met else "is not met"
    if result.rule.is_of_functions:
        text = f"{met} by {count:,} {plural(count, 'function')}" if count else met
        noise = result.within_noise
        if not noise:
            return text
        more = f"{noise:,} more" if count else f"{noise:,} {plural(noise, 'function')}"
        return f"{text} ({more} within noise)"
    assert result.numbers is not None  # as the rule was checked
    text = f"{met}: {_numbers_text(report, result.numbers, 0, style)}"
    return text + (_remainder_text(report, result.numbers, style) if result.is_met else "")


def _remainder_text(report: ComparisonReport, numbers: RuleNumbers, style: NumberStyle) -> str:
    """Return the part of a total's change that no function has; empty if there is none."""
    name = numbers.event or report.event.event.name
    each = next((each for each in report.total_events if each.event.name == name), None)
    if numbers.base is None or each is None or each.remainder is None:
        return ""
    base, new = each.remainder
    if base == new:
        return ""
    change = signed_text(format_exact(new - base, "", style), new - base)
    if not np.any(each.self_cost.change):
        return ", but no function changed: only the recorded total did"
    return f", of which {change} is not attributed to functions"


def _findings(
    report: ComparisonReport, result: RuleResult, style: NumberStyle
) -> Iterator[Finding]:
    if (numbers := result.numbers) is None:
        return
    order = _largest_first(numbers, len(result.functions))[:_MAX_FUNCTIONS]
    functions = result.functions[order]
    names = report.pairs.shown(functions)
    for place, function, name in zip(order, functions.tolist(), names, strict=True):
        text = _numbers_text(report, numbers, place, style)
        if report.base is not None:
            text += {1: ", new", -1: ", gone"}.get(_side_of(report, function), "")
        if numbers.subject is CostField.INCLUSIVE and report.split_cycle[function]:
            text += f", {CYCLE_DIFFERS}"
        file, line = report.entry(function)
        yield Finding(function, name._replace(file=file or name.file), text, line)


def _side_of(report: ComparisonReport, function: int) -> int:
    """Return 1 for a function of the new profile only, -1 for one of the base only, else 0."""
    pairs = report.pairs
    return int(pairs.only_new[function]) - int(pairs.only_base[function])


def _largest_first(numbers: RuleNumbers, count: int) -> list[int]:
    """Return the order of a rule's functions, by size of the change where there is a base."""
    values = numbers.new if numbers.base is None else BothSides(numbers.base, numbers.new).change
    sizes = [abs(value) for value in values.tolist()]
    return sorted(range(count), key=lambda place: (sizes[place] != sizes[place], -sizes[place]))


def _numbers_text(
    report: ComparisonReport, numbers: RuleNumbers, place: int, style: NumberStyle
) -> str:
    """Return the numbers of one function or of the total: what they are of, base, new, change."""
    is_called = numbers.subject is CostField.CALLED
    event = "" if is_called else numbers.event or report.event.event.name
    new = numbers.new[place : place + 1].tolist()[0]
    subject = _SUBJECTS[numbers.subject]
    if numbers.base is None:
        return f"{subject} {format_exact(new, event, style)}"
    base = numbers.base[place : place + 1].tolist()[0]
    change = new - base
    percent = percentage_text(change, base, style)
    relative = f" ({percent} %)" if base > 0 else ""
    return (
        f"{subject} {format_exact(base, '', style)} → {format_exact(new, event, style)}: "
        f"{signed_text(format_exact(change, '', style), change)}{relative}"
    )
