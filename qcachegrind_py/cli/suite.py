"""`compare` and `gate` of folders: suites of benchmarks, each compared with its base."""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TextIO, cast

import numpy as np

from qcachegrind_py.analysis.filters.conditions import Fold
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.filters.rules import Rule, parse_rule
from qcachegrind_py.cli.against import choose_base, earlier_suites
from qcachegrind_py.cli.command_line import is_folder
from qcachegrind_py.cli.compare import NO_BASE_YET, matching_rules, readable_names
from qcachegrind_py.cli.gate import (
    check_outputs,
    checkout_folder,
    parsed_rules,
    write_file,
)
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import (
    FILE_ERROR,
    NOT_COMPARABLE,
    RULE_MET,
    USAGE_ERROR,
    CommandError,
    Reasons,
    print_with_problems,
    text_layout,
)
from qcachegrind_py.cli.selection import (
    base_search,
    defined_events,
    file_search,
    filter_of,
    find_event,
    folds_of,
)
from qcachegrind_py.formats.loading import error_text
from qcachegrind_py.formats.suites import Benchmark, Suite, find_suite, predecessors
from qcachegrind_py.present.change import Sides
from qcachegrind_py.present.change_facts import verdicts
from qcachegrind_py.present.exact import TEXT_STYLE
from qcachegrind_py.present.page import PAGE_LIMIT, Verdict
from qcachegrind_py.present.suite import (
    LIBC,
    Check,
    SuiteChoice,
    SuiteReport,
    compare_suites,
    with_places,
)
from qcachegrind_py.present.suite_page import suite_page
from qcachegrind_py.present.suite_table import (
    SuiteKey,
    damaged,
    differences,
    listed_rows,
    rule_verdicts,
    suite_head,
    suite_listing,
    suite_records,
    suite_text,
)
from qcachegrind_py.profile.errors import FilterError, UnreadableFile
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.numbers import DEFAULT_STYLE
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.visible_text import print_commands, print_message, show_status
from qcachegrind_py.write.ci import suite_annotations, write_suite_junit
from qcachegrind_py.write.html.page import write_html
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.separated import write_table
from qcachegrind_py.write.suite import write_suite_markdown
from qcachegrind_py.write.text import PLAIN_TEXT, verdict_lines, write_page

_ORDERS = ("change", "growth", "base", "new")
_NO_FOLD = "none"  # in place of a fold
_REPORTED = 0.2  # seconds from one report of the progress to the next


def run(options: Options) -> int:
    """Print what changed in two suites, and check the rules of a gate; return the exit code.

    It is 0, 1, 2, 3 or 4 as for two profiles; what is wrong with one benchmark does not keep others
    from being compared and checked.
    """
    reasons = Reasons()
    with reasons.collecting():
        check_outputs(options)
    rules = list(parsed_rules(options, reasons))
    report = read(options, partial(_checked_rules, options.fail_if), reasons)
    if report is None:
        return reasons.report()
    listed = report_order(report, options)
    _check_runs(report, options, reasons)
    if options.task == "gate":
        report = replace(report, rules=tuple(rule_verdicts(report, options.fail_if)))
        if options.against:
            report = _with_earlier(report, rules, options, reasons)
        _judge(report, options, reasons)
        report = replace(report, exit_code=reasons.code)
        with reasons.collecting():
            _write_files(report, options)
    reasons.add(_print_suite(report, listed, options))
    code = reasons.report()
    if options.annotations:
        print_commands(*suite_annotations(report, checkout_folder()))
    return code


# ---------------------------------------------------------------- reading


def read(options: Options, check: Check, reasons: Reasons) -> SuiteReport | None:
    """Compare the suites that are named; None, with the reasons, if that is impossible."""
    progress = _TerminalProgress()
    suites, choice, searches = None, SuiteChoice(), None
    try:
        with reasons.collecting():
            _check_options(options)
            choose_base(options)
            suites = find_suites(progress, options)
        with reasons.collecting():
            choice = _choice(options)
        with reasons.collecting():
            searches = file_search(options), base_search(options)
        if reasons or suites is None or searches is None:
            return None
        report = compare_suites(PartialProgress(progress, 0.1, 0.9), *suites, choice, check)
        for fold in choice.folds if options.fold else ():
            if fold.text not in report.folds:
                reasons.say(f"{fold.text}: no function of any benchmark matches.")
        for row in report.rows:
            if row.is_unreadable:
                reasons.add(FILE_ERROR, row.problem)
        if not all(row.problem for row in report.rows):
            part = PartialProgress(progress, 0.9, 1)
            report = replace(report, folder=str(Path.cwd()))
            style = DEFAULT_STYLE if options.format == "html" else TEXT_STYLE
            return with_places(part, report, choice, searches, style)
    finally:
        show_status("")
    if not reasons:
        which = f"the event {choice.event}" if choice.event else "an event"
        reasons.add(USAGE_ERROR, f"No benchmark has {which} on both sides.")
    return None


def find_suites(progress: Progress, options: Options) -> tuple[Suite, Suite]:
    """Find the benchmarks of both sides; raises CommandError if there are none, or no pairs."""
    (folder,) = map(Path, options.files)
    base = options.base[0] if options.base else "@old"
    try:
        new = find_suite(PartialProgress(progress, 0, 0.05), folder)
        progress = PartialProgress(progress, 0.05, 0.1)
        if base.startswith("@") and not Path(base).exists():
            kept = "" if base == "@old" else base[1:]
            old = predecessors(progress, folder, kept)
        elif not Path(base).exists() and options.base_optional:
            print_message(f"{base} does not exist: there is no base to compare with.")
            old = Suite(Path(base), ())
        else:
            old = find_suite(progress, Path(base))
    except UnreadableFile as error:
        is_first = options.fail_if and not Path(base).exists()
        hints = [NO_BASE_YET] if is_first else []
        raise CommandError(FILE_ERROR, error_text(error), *hints) from error
    if not new.benchmarks:
        raise CommandError(FILE_ERROR, f"{folder}: there is no profile in it.")
    if not old.benchmarks and not options.base_optional:
        where = f"of {folder} is kept beside its files" if base.startswith("@") else f"in {base}"
        what = {"@old": "No earlier run"}.get(base, f"No baseline {base[1:]}")
        what = what if base.startswith("@") else "No profile is"
        reason = "--base-optional goes on without."
        raise CommandError(FILE_ERROR, f"{what} {where}. {reason}")
    return old, new


def _check_options(options: Options) -> None:
    """Raise CommandError for options that are for two profiles, and for mixed sides."""
    for field in ("repeats", "per_call", "shares"):
        if getattr(options, field):
            name = f"--{field.replace('_', '-')}"
            raise CommandError(USAGE_ERROR, f"{name} is for two profiles, and not for folders.")
    if (options.sort or _ORDERS[0]) not in _ORDERS:
        listed = f"{', '.join(_ORDERS[:-1])} or {_ORDERS[-1]}"
        reason = f"the order of benchmarks is {listed}."
        raise CommandError(USAGE_ERROR, f"--sort {options.sort}: {reason}")
    if options.events and "," in options.events:
        raise CommandError(USAGE_ERROR, "Suites are compared in one event: name it with --event.")
    if len(options.files) != 1 or len(options.base) > 1:
        raise CommandError(USAGE_ERROR, "Suites are one folder on each side.")
    sides = [*options.base, *options.files]
    files = [each for each in sides if Path(each).exists() and not is_folder(each)]
    if files:
        reason = f"{files[0]} is a file and {next(filter(is_folder, sides))} a folder"
        raise CommandError(USAGE_ERROR, f"{reason}: name two of a kind.")


def _choice(options: Options) -> SuiteChoice:
    filter_ = filter_of(options.filter, compares=True)
    words = (options.events or "").partition("=")
    return SuiteChoice(
        options.event or words[0].strip() or None,
        matching_rules(options),
        _folds(options, filter_),
        filter_,
        cycles=not options.no_cycles,
        readable=readable_names(options) - {"shown"},
        user_events=lambda events: defined_events(events, options.events or ""),
    )


def _folds(options: Options, filter_: Filter) -> tuple[Fold, ...]:
    """Return what is folded: by default the C library."""
    if options.fold == [_NO_FOLD]:
        return filter_.folds
    return folds_of(options, filter_) if options.fold else (*LIBC, *filter_.folds)


# ---------------------------------------------------------------- rules


def _checked_rules(
    rules: Sequence[str], sides: Sides, event: EventType | None
) -> tuple[Verdict, ...]:
    """Return what is to be said of each rule for one benchmark, in one event or another."""
    return tuple(_checked_rule(text, sides, event) for text in rules)


def _checked_rule(text: str, sides: Sides, event: EventType | None) -> Verdict:
    """Return what is to be said of a rule for one benchmark.

    A rule that cannot be checked, as its event is missing or 0 there, would never be met, which
    nobody would notice.
    """
    if event is None:
        return _unchecked(text, "the event of the suite is missing")
    try:
        rule = parse_rule(text, [each.name for each in sides.queries.events.all])
    except FilterError:
        rule = parse_rule(text)  # it is valid, but for an event that is missing here
    (result,) = sides.check([rule], event)
    if not result.reason and (zero := _zero_event(sides, rule, event)):
        return _unchecked(text, f"{zero} counted nothing on either side")
    if result.is_met is False:
        return Verdict(text, False, "is not met", (), 0)
    report = sides.report((sides.event_comparison(event),), np.zeros(0, np.int64))
    (verdict,) = verdicts(replace(report, rules=(result,)), TEXT_STYLE)
    return verdict


def _with_earlier(
    report: SuiteReport, rules: Sequence[Rule], options: Options, reasons: Reasons
) -> SuiteReport:
    """Return the report with rules on changes from the best and the median of earlier runs."""
    texts = [rule.text for rule in rules if rule.needs_base]
    choice, check = replace(_choice(options), event=report.event), partial(_checked_rules, texts)
    progress = _TerminalProgress()
    try:
        totals = PartialProgress(progress, 0, 0.6)
        bases = list(earlier_suites(totals, report, options, reasons)) if texts else []
        for number, (which, revisions, base) in enumerate(bases):
            new = (
                Benchmark(row.name, tuple(map(Path, row.new_files)))
                for row in report.rows
                if row.name in revisions
            )
            part = PartialProgress(progress, 0.6 + 0.2 * number, 0.8 + 0.2 * number)
            earlier = compare_suites(part, base, Suite(Path(report.new), tuple(new)), choice, check)
            said = {
                row.name: [_against(each, which, revisions[row.name]) for each in row.verdicts]
                for row in earlier.rows
            }
            rows = (
                replace(row, verdicts=(*row.verdicts, *said.get(row.name, ())))
                for row in report.rows
            )
            report = replace(report, rows=tuple(rows))
            added = rule_verdicts(report, [f"{text} against {which}" for text in texts])
            report = replace(report, rules=(*report.rules, *added))
    finally:
        show_status("")
    return report


def _against(verdict: Verdict, which: str, revision: str) -> Verdict:
    """Return what is said of a rule with the revision from which it was checked."""
    return replace(
        verdict,
        rule=f"{verdict.rule} against {which}",
        sentence=f"{verdict.sentence}, from {revision}",
        findings=tuple(
            replace(each, numbers=f"{each.numbers}, from {revision}") for each in verdict.findings
        ),
    )


def _unchecked(rule: str, reason: str) -> Verdict:
    sentence = f"cannot be checked: {reason.rstrip('.')}"
    return Verdict(rule, None, sentence, (), 0, is_checkable=False)


def _zero_event(sides: Sides, rule: Rule, first: EventType) -> str:
    """Return an event of which a rule asks a change, and which is 0 on both sides; else empty."""
    if sides.compared is None:
        return ""
    for term in rule.terms:
        if term.needs_base:
            event = first if term.event is None else find_event(sides.queries.events, term.event)
            if not any(sides.total(event)):
                return event.name
    return ""


def _judge(report: SuiteReport, options: Options, reasons: Reasons) -> None:
    """Add what the rules come to, and say it unless it is printed."""
    if any(verdict.is_met for verdict in report.rules):
        reasons.add(RULE_MET)
    if not all(verdict.is_checkable for row in report.rows for verdict in row.verdicts):
        reasons.add(USAGE_ERROR)
    if options.format not in ("rules", "text"):
        for verdict in report.rules:
            reasons.say(*verdict_lines(verdict, PLAIN_TEXT))


def _check_runs(report: SuiteReport, options: Options, reasons: Reasons) -> None:
    """Add what `--strict` refuses, and warn of damage without it."""
    for text in damaged(report):
        what = f"{text} What is lost is in no number"
        if options.strict:
            reasons.add(NOT_COMPARABLE, f"{what}, and --strict refuses it.")
        else:
            reasons.say(f"Warning: {what}. --strict refuses such files.")
    if options.strict and (found := differences(report)):
        each = ", ".join(f"{what} (in {count:,})" for what, count in found.items())
        reasons.add(
            NOT_COMPARABLE, f"Runs of benchmarks are not comparable; they differ in: {each}."
        )


# ---------------------------------------------------------------- writing


def report_order(report: SuiteReport, options: Options) -> Int64Array:
    """Return the benchmarks to list, in their order."""
    unchanged = options.unchanged or options.format not in ("text", "markdown", "rules")
    key = cast("SuiteKey", options.sort or _ORDERS[0])
    rows = listed_rows(report, key, options.only, unchanged=unchanged)
    return rows if options.format == "html" else rows[: options.limit]


def _print_suite(report: SuiteReport, listed: Int64Array, options: Options) -> int:
    """Print the report in the form of `--format`; return the exit code."""
    odd = {row.new_files[0] if row.new_files else row.name: row.odd_lines for row in report.rows}
    return print_with_problems(
        options,
        sum(odd.values()),
        (file for file, count in odd.items() if count),
        lambda stream: _write(report, listed, options, stream),
    )


def _write(report: SuiteReport, listed: Int64Array, options: Options, stream: TextIO) -> None:
    match options.format:
        case "text":
            write_page(suite_text(report, listed), stream, text_layout(options, stream))
        case "rules":
            write_page(suite_head(report), stream, text_layout(options, stream))
        case "markdown":
            write_suite_markdown(report, listed, stream)
        case "html":
            limit = PAGE_LIMIT if options.limit is None else options.limit
            write_html(suite_page(report, listed[:limit]), stream)
        case "json":
            write_records(suite_records(report, listed), stream)
        case "tsv" | "csv" as form:
            write_table(suite_listing(report, listed), form, stream)


def _write_files(report: SuiteReport, options: Options) -> None:
    """Write the files that are asked for; raises CommandError if one cannot be written."""
    if options.summary:
        text = io.StringIO()
        rows = listed_rows(report, unchanged=False)
        write_suite_markdown(report, rows, text)
        write_file(options.summary, text.getvalue().encode("utf-8", "replace"))
    if options.junit:
        xml = io.BytesIO()
        write_suite_junit(report, xml, is_strict=options.strict)
        write_file(options.junit, xml.getvalue())


# ---------------------------------------------------------------- progress


class _TerminalProgress:
    """Progress in the last line of a terminal."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _REPORTED

    def check(self, fraction: float, text: str = "") -> None:
        if (now := time.monotonic()) >= self._next:
            self._next = now + _REPORTED
            show_status(f"Comparing benchmarks: {fraction:.0%}")
