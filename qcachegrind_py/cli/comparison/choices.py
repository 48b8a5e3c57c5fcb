"""What the options choose of a comparison: events, measure, functions and their order, rules."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from qcachegrind_py.analysis.filters.conditions import ChangeCondition, CostField, FilterSubject
from qcachegrind_py.analysis.filters.expression import matching_functions
from qcachegrind_py.analysis.filters.rules import (
    Rule,
    RuleResult,
    check_rule,
    idle_names,
    parse_rule,
)
from qcachegrind_py.cli.errors import USAGE_ERROR, CommandError, Reasons
from qcachegrind_py.cli.functions import find_function
from qcachegrind_py.cli.selection import (
    NOTHING_MATCHES,
    defined_events,
    events_of,
    filter_of,
    find_event,
    report_zeros,
)
from qcachegrind_py.present.change import (
    ComparisonKey,
    ComparisonOrder,
    ComparisonReport,
    CostKind,
    Divide,
    EventComparison,
    Sides,
    by_calls,
    by_totals,
    cost_figures,
    only_rows,
    rows_in_order,
    undivided,
)
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.visible_text import print_message


def chosen_comparison(
    sides: Sides, options: argparse.Namespace, reasons: Reasons
) -> ComparisonReport | None:
    """Return what is to be written, without functions if these cannot be chosen.

    Rules are checked in any case, unless there are no events to check them in: then it is None.
    """
    events: tuple[EventComparison, ...] = ()
    queries = sides.queries
    with reasons.collecting():
        queries.set_user_events(defined_events(queries.events, options.events or ""))
        events = _events(sides, options)
    rules = list(parsed_rules(options, reasons, [event.name for event in queries.events.all]))
    if not events:
        return None
    order = _order(options.sort)
    divide: Divide = undivided
    unit = ""
    functions = np.zeros(0, np.int64)
    with reasons.collecting():
        divide, unit = _divisors(sides, options)
        functions = _functions(sides, options, events[0], divide, order)
    report = sides.report(events, functions, order.kind)
    results = _results(sides, rules, events[0].event, reasons)
    return replace(report, rules=results, divide=divide, unit=unit)


def parsed_rules(
    options: argparse.Namespace, reasons: Reasons, events: Sequence[str] | None = None
) -> Iterator[Rule]:
    """Yield the rules that are valid; `events` are the names of all events, if these are known."""
    for text in options.fail_if or []:
        try:
            yield parse_rule(text, events, compares=bool(options.base))
        except FilterError as error:
            reasons.add(USAGE_ERROR, f"--fail-if {error}")


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


# ---------------------------------------------------------------- functions


def _divisors(sides: Sides, options: argparse.Namespace) -> tuple[Divide, str]:
    """Return what costs are divided by, and what is said of them."""
    if options.shares:
        return by_totals, "%"
    if not options.per_call:
        return undivided, ""
    profile = sides.queries.profile
    function = find_function(sides.queries, options.per_call, options.within or [])
    called = sides.called
    calls = int(called.base[function]), int(called.new[function])
    if min(calls) <= 0 and sides.base is not None:
        where = "the base" if calls[0] <= 0 else "the new profile"
        reason = f"--per-call {options.per_call}: it is not called in {where}."
        raise CommandError(USAGE_ERROR, reason)
    return by_calls(calls), f"per call of {profile.function_name(function)}"


def _order(text: str | None) -> ComparisonOrder:
    key, _, kind = (text or "change").partition(":")
    return ComparisonOrder(cast("ComparisonKey", key), cast("CostKind", kind or "self"))


def _functions(
    sides: Sides,
    options: argparse.Namespace,
    event: EventComparison,
    divide: Divide,
    order: ComparisonOrder,
) -> Int64Array:
    """Return the functions of the report in their order."""
    costs = cost_figures(event, order.kind, divide)
    rows = sides.occurring(rows_in_order(order, costs, sides.called))
    if options.only:
        rows = rows[only_rows(options.only, costs, sides.pairs)[rows]]
    if options.filter:
        rows = rows[_visible(sides, options, event.event)[rows]]
    return rows if options.report == "html" else rows[: options.limit]


def _visible(sides: Sides, options: argparse.Namespace, event: EventType) -> BoolArray:
    """Return the mask of functions that pass the filter; raises CommandError if it is invalid.

    Terms about changes are left out where an optional base is not there.
    """
    filter_ = filter_of(options.filter, compares=bool(options.base))
    if sides.compared is None:
        filter_ = filter_.without_changes()
    try:
        visible = matching_functions(filter_, sides.subject(event))
    except FilterError as error:
        raise CommandError(USAGE_ERROR, f"--filter {error}") from error
    is_listed = options.base is not None or not options.report  # else the report has said it
    if is_listed and not np.any(visible):
        print_message(NOTHING_MATCHES.format(options.filter))
    return visible


# ---------------------------------------------------------------- rules


def _results(
    sides: Sides, rules: Sequence[Rule], first: EventType, reasons: Reasons
) -> tuple[RuleResult, ...]:
    """Return which rules are met; a rule that cannot be checked is a reason to fail.

    It would never be met, which nobody would notice. Neither would a name that no function has, so
    a message says so.
    """
    subjects: dict[EventType, FilterSubject] = {}

    def subject_in(name: str | None) -> FilterSubject:
        event = first if name is None else find_event(sides.queries.events, name)
        if event not in subjects:
            subjects[event] = sides.subject(event)
        return subjects[event]

    results: list[RuleResult] = []
    for rule in rules:
        with reasons.collecting():
            _check_events(sides, rule)
            _check_calls(sides, rule)
            try:
                results.append(check_rule(rule, subject_in))
            except FilterError as error:
                raise CommandError(USAGE_ERROR, f"--fail-if {error}") from error
            for name in idle_names(rule, subject_in(None)):
                where = "of either side " if sides.compared else ""
                print_message(f"Rule {rule.text}: no function {where}matches {name}.")
    return tuple(results)


def _check_events(sides: Sides, rule: Rule) -> None:
    """Raise CommandError if a side lacks an event; caps need it in the new profile only."""
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
