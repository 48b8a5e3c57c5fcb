"""What the options choose of a comparison: events, measure, functions and their order, rules."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from qcachegrind_py.analysis.filters.changes import ChangeCondition, needs_base
from qcachegrind_py.analysis.filters.expression import matching_functions
from qcachegrind_py.analysis.filters.rules import Rule, RuleResult, check_rule
from qcachegrind_py.analysis.filters.subject import CostField, FilterSubject
from qcachegrind_py.cli.errors import NOT_COMPARABLE, RULE_MET, USAGE_ERROR, CommandError
from qcachegrind_py.cli.functions import find_function
from qcachegrind_py.cli.selection import (
    defined_events,
    events_of,
    filter_of,
    find_event,
    report_zeros,
)
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.reports.comparison.contents import ComparisonReport, CostKind, EventComparison
from qcachegrind_py.reports.comparison.measures import Measure
from qcachegrind_py.reports.comparison.row_order import (
    ComparisonKey,
    ComparisonOrder,
    only_rows,
    rows_in_order,
)
from qcachegrind_py.reports.comparison.sides import Sides


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """What is written, and how."""

    report: ComparisonReport
    measure: Measure
    order: ComparisonOrder


def chosen_comparison(sides: Sides, options: argparse.Namespace, rules: Sequence[Rule]) -> Chosen:
    """Return what is to be written; raises CommandError for what the profiles do not have."""
    queries = sides.queries
    queries.set_user_events(defined_events(queries.events, options.events or ""))
    events = _events(sides, options)
    measure, order = _measure(sides, options), _order(options.sort)
    results = _results(sides, rules, events[0].event)
    report = ComparisonReport(
        base=sides.base,
        new=sides.new,
        differences=sides.differences,
        events=events,
        measured=_measured(sides, events),
        events_only_base=sides.compared.only_base if sides.compared else (),
        events_only_new=sides.compared.only_new if sides.compared else (),
        pairs=sides.pairs,
        called=sides.called,
        functions=_functions(sides, options, events[0], measure, order),
        rules=results,
        proposals=sides.proposals,
        exit_code=_exit_code(sides, results, is_strict=options.strict),
        first_line=sides.first_line,
        folded=sides.folded,
    )
    return Chosen(report, measure, order)


def _exit_code(sides: Sides, results: Sequence[RuleResult], *, is_strict: bool) -> int:
    if is_strict and sides.differences:
        return NOT_COMPARABLE
    return RULE_MET if any(result.is_met for result in results) else 0


# ---------------------------------------------------------------- events


def _events(sides: Sides, options: argparse.Namespace) -> tuple[EventComparison, ...]:
    """Return the events to show; by default the first of both sides that counted anything."""
    if options.event is None and options.events is None:
        event = sides.queries.default_event(sides.events)
        if event is None:
            raise CommandError(USAGE_ERROR, "The profiles have no event in common.")
        if sides.compared is not None or not options.report:  # else that report says so
            report_zeros(sides.events, [event], options)
        return (sides.event_comparison(event),)
    events = events_of(sides.queries, options)
    for event in events:
        _check_in_both(sides, event)
    return tuple(map(sides.event_comparison, events))


def _check_in_both(sides: Sides, event: EventType) -> None:
    """Raise CommandError if one of the sides has no such event."""
    if event not in sides.events:
        where = "in the new profile only" if sides.is_new(event) else "in the base only"
        raise CommandError(USAGE_ERROR, f"The event {event.name} is {where}.")


def _measured(sides: Sides, shown: tuple[EventComparison, ...]) -> tuple[EventComparison, ...]:
    """Return the measured events of both sides, then the derived ones among those shown."""
    known = {each.event: each for each in shown}
    measured = [
        known.get(event) or sides.event_comparison(event)
        for event in sides.events
        if not event.is_derived
    ]
    return (*measured, *(each for each in shown if each.event.is_derived))


# ---------------------------------------------------------------- functions


def _measure(sides: Sides, options: argparse.Namespace) -> Measure:
    if options.shares:
        return Measure("share")
    if not options.per_call:
        return Measure()
    profile = sides.queries.profile
    function = find_function(sides.queries, options.per_call, options.within or [])
    called = sides.called
    calls = int(called.base[function]), int(called.new[function])
    if min(calls) <= 0 and sides.base is not None:
        where = "the base" if calls[0] <= 0 else "the new profile"
        reason = f"--per-call {options.per_call}: it is not called in {where}."
        raise CommandError(USAGE_ERROR, reason)
    return Measure("per call", profile.function_name(function), calls)


def _order(text: str | None) -> ComparisonOrder:
    key, _, kind = (text or "change").partition(":")
    return ComparisonOrder(cast(ComparisonKey, key), cast(CostKind, kind or "self"))


def _functions(
    sides: Sides,
    options: argparse.Namespace,
    event: EventComparison,
    measure: Measure,
    order: ComparisonOrder,
) -> Int64Array:
    """Return the functions of the report in their order."""
    costs = measure.measured(event.costs(order.kind), event)
    rows = sides.occurring(rows_in_order(order, costs, sides.called))
    if options.only:
        rows = rows[only_rows(options.only, costs, sides.pairs)[rows]]
    if options.filter:
        rows = rows[_visible(sides, options.filter, event.event)[rows]]
    return rows if options.report == "html" else rows[: options.limit]


def _visible(sides: Sides, text: str, event: EventType) -> BoolArray:
    """Return the mask of functions that pass a filter; raises CommandError if none does.

    Terms about changes are left out where an optional base is not there.
    """
    filter_ = filter_of(text, compares=True)
    if sides.compared is None:
        terms = tuple(term for term in filter_.terms if not needs_base(term.condition))
        filter_ = replace(filter_, terms=terms)
    visible = matching_functions(filter_, sides.subject(event))
    if not np.any(visible):
        raise CommandError(USAGE_ERROR, f"--filter {text}: no function matches.")
    return visible


# ---------------------------------------------------------------- rules


def _results(sides: Sides, rules: Sequence[Rule], first: EventType) -> tuple[RuleResult, ...]:
    """Return which rules are met; raises CommandError if a side lacks the event of one."""
    subjects: dict[EventType, FilterSubject] = {}

    def subject_in(name: str | None) -> FilterSubject:
        event = first if name is None else find_event(sides.queries.events, name)
        if event not in subjects:
            subjects[event] = sides.subject(event)
        return subjects[event]

    for rule in rules:
        _check_events(sides, rule)
        _check_calls(sides, rule)
    return tuple(check_rule(rule, subject_in) for rule in rules)


def _check_events(sides: Sides, rule: Rule) -> None:
    """Raise CommandError if the profiles lack an event: both for a change, the new one for a cap.

    A rule that cannot be checked would never be met, which nobody would notice.
    """
    for term in rule.terms:
        if term.event is None:
            continue
        event = find_event(sides.queries.events, term.event)
        if not (sides.is_new(event) and not term.needs_base):
            try:
                _check_in_both(sides, event)
            except CommandError as error:
                raise CommandError(USAGE_ERROR, f"--fail-if {rule.text}: {error}") from error


def _check_calls(sides: Sides, rule: Rule) -> None:
    """Raise CommandError for a change of what follows from calls, if one side has none."""
    if sides.base is None or sides.base.has_calls == sides.new.has_calls:
        return
    where = "new profile" if sides.base.has_calls else "base"
    for term in rule.terms:
        condition = term.condition
        if isinstance(condition, ChangeCondition) and condition.field is not CostField.SELF:
            reason = f"the {where} has no calls, so that only self costs can be compared."
            raise CommandError(USAGE_ERROR, f"--fail-if {rule.text}: {reason}")
