"""`gate`: rules about costs, for CI; fails if one is met.

GitHub reads commands on both outputs of a step, so that standard output is left to the report.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from qcachegrind_py.analysis.filters.rules import Rule, idle_names, parse_rule
from qcachegrind_py.cli import report as report_of_one
from qcachegrind_py.cli.against import choose_base, earlier_reports
from qcachegrind_py.cli.command_line import is_suite
from qcachegrind_py.cli.compare import (
    check_runs,
    chosen_events,
    chosen_report,
    code_of_functions,
    comparison_html,
    load_sides,
    print_comparison,
)
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import (
    FILE_ERROR,
    RULE_MET,
    USAGE_ERROR,
    CommandError,
    Reasons,
)
from qcachegrind_py.formats.compression import atomic_write
from qcachegrind_py.present.change import ComparisonReport, Sides
from qcachegrind_py.present.change_facts import verdicts
from qcachegrind_py.present.exact import TEXT_STYLE
from qcachegrind_py.profile.errors import FilterError, UnwritableFile
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.visible_text import print_commands, print_message
from qcachegrind_py.write.ci import github_annotations, write_junit
from qcachegrind_py.write.markdown import SUMMARY_FUNCTIONS, write_markdown
from qcachegrind_py.write.text import PLAIN_TEXT, verdict_lines


def run(options: Options) -> int:
    """Print what changed, or the report of one profile, and check the rules.

    Returns the exit code: 0, 1 or 2 as for other reports, 3 if a rule is met, and 4 if `--strict`
    is given and a profile is damaged or the runs are not comparable. All that applies is printed.
    """
    reasons = Reasons()
    with reasons.collecting():
        choose_base(options)
        check_outputs(options)
    sides = load_sides(options, reasons)
    if sides is None:
        list(parsed_rules(options, reasons))
        return reasons.report()
    events = chosen_events(sides, options, reasons)
    names = [event.name for event in sides.queries.events.all]
    rules = list(parsed_rules(options, reasons, names))
    report = chosen_report(sides, options, events, reasons)
    if report is not None:
        event = events[0].event
        report = replace(report, rules=sides.check(rules, event))
        with reasons.collecting():
            earlier = tuple(earlier_reports(sides, rules, event, options))
            report = replace(report, earlier=earlier)
        _report_idle_names(sides, rules, event)
    check_runs(sides, options, reasons)
    if report is None:
        return reasons.report()
    page = comparison_html(report, sides, options, reasons)
    is_printed = not reasons.is_wrong_usage
    if is_printed:
        with reasons.collecting():
            _write_files(report, sides, options)
    has_rules = options.format == "rules" or (options.format == "text" and bool(options.base))
    _check_rules(report, reasons, is_said=is_printed and has_rules)
    if is_printed:
        report = replace(report, exit_code=reasons.code)
        if options.base or options.format == "rules":
            reasons.add(print_comparison(report, page, sides, options))
        else:
            reasons.add(report_of_one.run(options))
    code = reasons.report()
    if options.annotations:
        print_commands(*github_annotations(report, checkout_folder()))
    return code


# ---------------------------------------------------------------- rules


def parsed_rules(
    options: Options, reasons: Reasons, events: Sequence[str] | None = None
) -> Iterator[Rule]:
    """Yield the rules that are valid; `events` are the names of all events, if these are known."""
    compares = bool(options.base or options.against) or is_suite(options)
    for text in options.fail_if:
        try:
            yield parse_rule(text, events, compares=compares)
        except FilterError as error:
            reasons.add(USAGE_ERROR, f"--fail-if {error}")


def _check_rules(report: ComparisonReport, reasons: Reasons, *, is_said: bool) -> None:
    """Add that a rule is met or cannot be checked; also what is said, unless it `is_said`.

    A rule that cannot be checked would never be met, which nobody would notice.
    """
    for verdict in verdicts(report, TEXT_STYLE):
        if not is_said:
            reasons.say(*verdict_lines(verdict, PLAIN_TEXT))
        if verdict.is_met:
            reasons.add(RULE_MET)
        if verdict.obstacle:
            reasons.add(USAGE_ERROR, f"--fail-if {verdict.rule} {verdict.sentence}.")


def _report_idle_names(sides: Sides, rules: Sequence[Rule], event: EventType) -> None:
    """Print a message for each name in a rule that no function has: it would go unnoticed."""
    subject = sides.subject(event)
    for rule in rules:
        for name in idle_names(rule, subject):
            where = "of either side " if sides.compared else ""
            print_message(f"Rule {rule.text}: no function {where}matches {name}.")


# ---------------------------------------------------------------- files for CI services


def checkout_folder() -> str:
    """Return the folder to which paths in annotations are relative."""
    return os.environ.get("GITHUB_WORKSPACE") or str(Path.cwd())


def check_outputs(options: Options) -> None:
    """Raise CommandError if a file to write is one of those to read, or both are the same."""
    named = {"summary": options.summary, "junit": options.junit}
    paths = {name: path for name, path in named.items() if path}
    read = [*options.files, *options.base]
    for name, path in paths.items():
        others = [*read, *(other for key, other in paths.items() if key != name)]
        if any(Path(path).resolve() == Path(other).resolve() for other in others):
            reason = f"--{name} {path} would replace another file of this command."
            raise CommandError(USAGE_ERROR, f"{reason} Choose another name.")


def _write_files(report: ComparisonReport, sides: Sides, options: Options) -> None:
    """Write the files that are asked for; raises CommandError if one cannot be written."""
    if options.summary:
        text = io.StringIO()
        articles = code_of_functions(report, sides, options)
        write_markdown(report, text, SUMMARY_FUNCTIONS, articles)
        write_file(options.summary, text.getvalue().encode("utf-8", "replace"))
    if options.junit:
        xml = io.BytesIO()
        write_junit(report, xml, is_strict=options.strict)
        write_file(options.junit, xml.getvalue())


def write_file(path: str, content: bytes) -> None:
    """Write a file whole or not at all; raises CommandError."""
    try:
        with atomic_write(path) as stream:
            stream.write(content)
    except UnwritableFile as error:
        raise CommandError(FILE_ERROR, str(error)) from error
