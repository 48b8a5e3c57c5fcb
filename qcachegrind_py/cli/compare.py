"""`compare`: what changed from one profile to another, or between repeated runs of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, TextIO, cast

import numpy as np

from qcachegrind_py.analysis.comparison.comparability import parts_warning
from qcachegrind_py.analysis.comparison.sides import NO_RULES, MatchingRules, NameRule, substitution
from qcachegrind_py.analysis.filters.conditions import Fold
from qcachegrind_py.analysis.filters.expression import matching_functions
from qcachegrind_py.cli.functions import find_function
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import (
    NOT_COMPARABLE,
    USAGE_ERROR,
    CommandError,
    Reasons,
    print_output,
    text_layout,
)
from qcachegrind_py.cli.selection import (
    NOTHING_MATCHES,
    base_search,
    defined_events,
    events_of,
    file_search,
    filter_of,
    folds_of,
    is_readable,
    load_profile,
    report_idle_folds,
    report_zeros,
    siblings_hint,
    with_siblings,
)
from qcachegrind_py.present.change import (
    ComparisonKey,
    ComparisonOrder,
    ComparisonReport,
    CostKind,
    Divide,
    EventComparison,
    ReadableNames,
    Sides,
    by_calls,
    by_totals,
    changed_rows,
    cost_figures,
    only_rows,
    report_sides,
    rows_in_order,
    undivided,
)
from qcachegrind_py.present.change_table import change_page, change_records, change_table, head_page
from qcachegrind_py.present.comparison_page import MOST_ARTICLES, changed_code, comparison_page
from qcachegrind_py.present.exact import TEXT_STYLE
from qcachegrind_py.present.facts import damaged_text
from qcachegrind_py.present.page import PAGE_LIMIT, Article, Page
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.tools.sources.file_search import BaseSearch, FileSearch
from qcachegrind_py.visible_text import print_message
from qcachegrind_py.write.html.page import write_html
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.markdown import write_markdown
from qcachegrind_py.write.separated import write_table
from qcachegrind_py.write.text import write_page

_FOR_PEOPLE = ("text", "markdown", "rules")
_ORDERS = ("change", "growth", "base", "new", "calls")
NO_BASE_YET = "Where there is no base yet, as in a first run, --base-optional goes on without one."


def run(options: Options) -> int:
    """Print what changed in the form of `--format`; return the exit code.

    It is 1 or 2 if that is impossible; all reasons are printed.
    """
    reasons = Reasons()
    sides = load_sides(options, reasons)
    if sides is None:
        return reasons.report()
    report = chosen_report(sides, options, chosen_events(sides, options, reasons), reasons)
    check_runs(sides, options, reasons)
    page = comparison_html(report, sides, options, reasons) if report else None
    if report and not reasons.is_wrong_usage:
        reasons.add(print_comparison(report, page, sides, options))
    return reasons.report()


# ---------------------------------------------------------------- reading


def load_sides(options: Options, reasons: Reasons) -> Sides | None:
    """Read and pair both profiles; None if one cannot be read, or is not to be read in this way."""
    folds: tuple[Fold, ...] = ()
    rules = NO_RULES
    bases: list[Profile] = []
    news: list[Profile] = []
    with reasons.collecting():
        bases = _runs(_base_files(options), is_repeated=options.repeats)
    if options.fail_if and not options.base_optional and any(map(_is_missing, options.base)):
        reasons.say(NO_BASE_YET)
    with reasons.collecting():
        news = _runs(options.files, is_repeated=options.repeats)
    with reasons.collecting():
        folds = folds_of(options, filter_of(options.filter, compares=bool(options.base)))
    with reasons.collecting():
        rules = matching_rules(options)
    with reasons.collecting():
        _searches(options)
    if reasons:
        return None
    sides = report_sides(
        bases,
        news,
        rules,
        cycles=not options.no_cycles,
        readable=readable_names(options),
        folds=folds,
    )
    report_idle_folds(sides.queries)
    if bases and (warning := parts_warning(bases[0], news[0])):
        print_message(warning)
    return sides


def matching_rules(options: Options) -> MatchingRules:
    """Return how functions are to be paired; raises CommandError if a rule is invalid."""
    return MatchingRules(
        _substitutions("--mod-filename", options.mod_filename),
        _substitutions("--mod-funcname", options.mod_funcname),
        accepts_renames=options.accept_renames,
    )


def readable_names(options: Options) -> ReadableNames:
    """Return where mangled names are to be readable: as for one profile, also on pages."""
    names: set[Literal["found", "shown"]] = set()
    if options.filter or options.fail_if or options.fold:
        names.add("found")
    if options.format in ("html", "markdown") or is_readable(options):
        names.add("shown")
    return frozenset(names)


def _runs(files: Sequence[str], *, is_repeated: bool) -> list[Profile]:
    """Read each file as a run of its own, or all as one."""
    if is_repeated:
        if hint := siblings_hint(files):  # once: it looks into other files of the folder
            print_message(hint)
        return [load_profile([file], names_siblings=False) for file in files]
    return [load_profile(list(files))] if files else []


def _substitutions(option: str, texts: Sequence[str]) -> tuple[NameRule, ...]:
    try:
        return tuple(map(substitution, texts))
    except ValueError as error:
        raise CommandError(USAGE_ERROR, f"{option} {error}") from error


def _base_files(options: Options) -> list[str]:
    """Return the files of the base; none if it is optional and one is not there."""
    missing = list(filter(_is_missing, options.base))
    if missing and options.base_optional:
        print_message(f"{missing[0]} does not exist: there is no base to compare with.")
        return []
    return with_siblings(options.base) if options.siblings else options.base


def _is_missing(file: str) -> bool:
    return not path_on_disk(Path(file)).exists()


def check_runs(sides: Sides, options: Options, reasons: Reasons) -> None:
    """Add what `--strict` refuses, and warn of damage without it."""
    for damage in (*(sides.base.damage if sides.base else ()), *sides.new.damage):
        what = f"{damaged_text(damage)} What is lost is in no number"
        if options.strict:
            reasons.add(NOT_COMPARABLE, f"{what}, and --strict refuses the file.")
        else:
            of_what = "the rules" if options.fail_if else "the comparison"
            reasons.say(f"Warning: {what}: {of_what} may be wrong. --strict refuses such files.")
    if options.strict and sides.differences:
        what = ", ".join(each.what for each in sides.differences)
        text = f"The runs are not comparable; they differ in: {what}."
        reasons.add(NOT_COMPARABLE, text)


# ---------------------------------------------------------------- events


def chosen_events(sides: Sides, options: Options, reasons: Reasons) -> tuple[EventComparison, ...]:
    """Return the events to show, first defining those of `--events`; none if that is impossible."""
    with reasons.collecting():
        queries = sides.queries
        queries.set_user_events(defined_events(queries.events, options.events or ""))
        return _events(sides, options)
    return ()


def _events(sides: Sides, options: Options) -> tuple[EventComparison, ...]:
    """Return the events to show; by default the first of both sides that counted anything."""
    if options.event is None and options.events is None:
        event = sides.queries.default_event(sides.events)
        if event is None:
            raise CommandError(USAGE_ERROR, "The profiles have no event in common.")
        if options.base or options.format == "rules":  # else the report of one profile says so
            report_zeros(sides.events, [event], options)
        return (sides.event_comparison(event),)
    events = events_of(sides.queries, options)
    for event in events:
        check_in_both(sides, event)
    return tuple(map(sides.event_comparison, events))


def check_in_both(sides: Sides, event: EventType) -> None:
    """Raise CommandError if one of the sides has no such event."""
    if lacks := sides.lacks(event.name):
        raise CommandError(USAGE_ERROR, lacks[0].upper() + lacks[1:])


# ---------------------------------------------------------------- functions


def chosen_report(
    sides: Sides, options: Options, events: tuple[EventComparison, ...], reasons: Reasons
) -> ComparisonReport | None:
    """Return what is to be written, without functions if these cannot be chosen.

    None without events.
    """
    if not events:
        return None
    order = ComparisonOrder()
    divide: Divide = undivided
    unit, unchanged = "", 0
    functions = np.zeros(0, np.int64)
    with reasons.collecting():
        order = _order(options.sort)
        divide, unit = _divisors(sides, options)
        functions, unchanged = _functions(sides, options, events[0], divide, order)
    report = sides.report(events, functions, order.kind)
    return replace(report, divide=divide, unit=unit, unchanged=unchanged)


def _divisors(sides: Sides, options: Options) -> tuple[Divide, str]:
    """Return what costs are divided by, and what is said of them."""
    if options.shares:
        return by_totals, "%"
    if not options.per_call:
        return undivided, ""
    profile = sides.queries.profile
    function = find_function(sides.queries, options.per_call, options.within)
    called = sides.called
    calls = int(called.base[function]), int(called.new[function])
    if min(calls) <= 0 and sides.base is not None:
        where = "the base" if calls[0] <= 0 else "the new profile"
        reason = f"--per-call {options.per_call}: it is not called in {where}."
        raise CommandError(USAGE_ERROR, reason)
    return by_calls(calls), f"per call of {profile.function_name(function)}"


def _order(text: str | None) -> ComparisonOrder:
    key, _, kind = (text or "change").partition(":")
    if key not in _ORDERS:
        listed = f"{', '.join(_ORDERS[:-1])} or {_ORDERS[-1]}"
        raise CommandError(USAGE_ERROR, f"--sort {text}: the order is {listed}.")
    if kind not in ("", "self", "inclusive"):
        reason = "it goes by self or inclusive cost, such as change:inclusive"
        raise CommandError(USAGE_ERROR, f"--sort {text}: {reason}.")
    return ComparisonOrder(cast("ComparisonKey", key), cast("CostKind", kind or "self"))


def _functions(
    sides: Sides,
    options: Options,
    event: EventComparison,
    divide: Divide,
    order: ComparisonOrder,
) -> tuple[Int64Array, int]:
    """Return the functions of the report in their order, and how many did not change.

    These are left out of what people read, unless they are asked for.
    """
    costs = cost_figures(event, order.kind, divide)
    rows = sides.occurring(rows_in_order(order, costs, sides.called))
    if options.only:
        rows = rows[only_rows(options.only, costs, sides.pairs)[rows]]
    if options.filter:
        rows = rows[_visible(sides, options, event.event)[rows]]
    every = len(rows)
    if options.base and options.format in _FOR_PEOPLE and not options.unchanged:
        rows = rows[changed_rows(costs, order.kind, sides)[rows]]
    shown = rows if options.format == "html" else rows[: options.limit]
    return shown, every - len(rows)


def _visible(sides: Sides, options: Options, event: EventType) -> BoolArray:
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
    is_listed = options.base or options.format == "rules"  # else the report of one has said it
    if is_listed and not np.any(visible):
        print_message(NOTHING_MATCHES.format(options.filter))
    return visible


# ---------------------------------------------------------------- writing


def comparison_html(
    report: ComparisonReport, sides: Sides, options: Options, reasons: Reasons
) -> Page | None:
    """Return the HTML page if it is to be printed."""
    if options.format != "html":
        return None
    with reasons.collecting():
        limit = PAGE_LIMIT if options.limit is None else options.limit
        return comparison_page(
            NoProgress(), report, sides.compared, *_searches(options), limit=limit
        )
    return None


def print_comparison(
    report: ComparisonReport, page: Page | None, sides: Sides, options: Options
) -> int:
    """Print the comparison; return the exit code."""
    articles: list[Article] = []
    if options.format in _FOR_PEOPLE:
        articles = code_of_functions(report, sides, options)
    return print_output(
        options,
        sides.queries.profile,
        lambda stream: _write(report, page, articles, options, stream),
    )


def code_of_functions(report: ComparisonReport, sides: Sides, options: Options) -> list[Article]:
    """Return the changed lines and calls of functions: rules alone are about those they name."""
    limit = MOST_ARTICLES if options.limit is None else options.limit
    most = 0 if options.format == "rules" else min(limit, MOST_ARTICLES)
    return changed_code(report, sides.compared, _searches(options), TEXT_STYLE, most)


def _searches(options: Options) -> tuple[FileSearch, BaseSearch]:
    """Return where sources are, and those of the base; raises CommandError for wrong options."""
    return file_search(options), base_search(options)


def _write(
    report: ComparisonReport,
    page: Page | None,
    articles: Sequence[Article],
    options: Options,
    stream: TextIO,
) -> None:
    """Write the form of `--format`; of rules alone, everything but the functions."""
    if page is not None:
        write_html(page, stream)
        return
    match options.format:
        case "rules":
            write_page(head_page(report, articles), stream, text_layout(options, stream))
        case "text":
            write_page(change_page(report, articles), stream, text_layout(options, stream))
        case "json":
            write_records(change_records(report), stream)
        case "markdown":
            write_markdown(report, stream, articles=articles)
        case "tsv" | "csv" as form:
            write_table(change_table(report), form, stream)
