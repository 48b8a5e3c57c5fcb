"""Run `--base` and `--fail-if`: print what changed, say which rules are met, and fail if one is."""

from __future__ import annotations

import argparse
from typing import TextIO

from qcachegrind_py.analysis.filters.rules import Rule, parse_rule
from qcachegrind_py.cli.comparison.choices import Chosen, chosen_comparison
from qcachegrind_py.cli.comparison.loading import load_sides
from qcachegrind_py.cli.comparison.outputs import check_outputs, print_annotations, write_files
from qcachegrind_py.cli.errors import NOT_COMPARABLE, USAGE_ERROR, CommandError, report_error
from qcachegrind_py.cli.reports import file_search, print_output
from qcachegrind_py.cli.terminal import text_layout
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.reports.comparison.html.details import ChangeDetails, change_details
from qcachegrind_py.reports.comparison.html.page import DEFAULT_LIMIT, write_html
from qcachegrind_py.reports.comparison.json_report import write_json
from qcachegrind_py.reports.comparison.markdown import write_markdown
from qcachegrind_py.reports.comparison.sides import Sides
from qcachegrind_py.reports.comparison.table import write_table
from qcachegrind_py.reports.comparison.text import verdict_lines, write_head, write_text
from qcachegrind_py.reports.comparison.verdict import verdicts
from qcachegrind_py.reports.facts import TEXT_STYLE
from qcachegrind_py.reports.text_layout import PLAIN_TEXT
from qcachegrind_py.visible_text import print_message


def print_comparison(options: argparse.Namespace) -> int:
    """Print the comparison with a base, or the report of one profile, and check the rules.

    Returns the exit code: 0, 1 or 2 as for other reports, 3 if a rule is met, and 4 if `--strict`
    is given and the profiles are not comparable.
    """
    try:
        rules = [_parsed(text, has_base=bool(options.base)) for text in options.fail_if or []]
        check_outputs(options)
        sides = load_sides(options)
        chosen = chosen_comparison(sides, options, rules)
        code = _print_report(options) if options.base is None and options.report else 0
        if not code and (options.base is not None or not options.report):
            profile, details = sides.queries.profile, _page_details(chosen, sides, options)
            code = print_output(profile, lambda stream: _write(chosen, details, options, stream))
        if code:
            return code
        write_files(chosen, options)
    except CommandError as error:
        return report_error(error)
    _print_result(chosen, options)
    return chosen.report.exit_code


def _parsed(text: str, *, has_base: bool) -> Rule:
    """Return a rule; raises CommandError if it is invalid, or about a change without a base."""
    try:
        rule = parse_rule(text)
    except FilterError as error:
        raise CommandError(USAGE_ERROR, f"--fail-if {error}") from error
    if rule.needs_base and not has_base:
        raise CommandError(USAGE_ERROR, f"--fail-if {text}: a change needs a --base.")
    return rule


def _print_report(options: argparse.Namespace) -> int:
    """Print the report of the one profile; return the exit code."""
    if options.report == "html":
        from qcachegrind_py.cli.html_page import print_html_page

        return print_html_page(options)
    from qcachegrind_py.cli.reports import print_report

    return print_report(options)


def _page_details(
    chosen: Chosen, sides: Sides, options: argparse.Namespace
) -> ChangeDetails | None:
    """Return what only a page has; raises CommandError if a `--map` is invalid."""
    if options.report != "html":
        return None
    return change_details(chosen.report, sides.compared, file_search(options), NoProgress())


def _write(
    chosen: Chosen, details: ChangeDetails | None, options: argparse.Namespace, stream: TextIO
) -> None:
    """Write the form of `--report`; without it, everything but the functions."""
    comparison, measure, kind = chosen.report, chosen.measure, chosen.order.kind
    match options.report:
        case None:
            write_head(comparison, stream, text_layout(options, stream))
        case "text":
            write_text(comparison, stream, measure, kind, text_layout(options, stream))
        case "json":
            write_json(comparison, stream)
        case "html":
            limit = DEFAULT_LIMIT if options.limit is None else options.limit
            write_html(comparison, stream, measure, kind, limit, details)
        case "markdown":
            write_markdown(comparison, stream, measure, kind)
        case form:
            write_table(comparison, form, stream, measure)


def _print_result(chosen: Chosen, options: argparse.Namespace) -> None:
    """Print to standard error what the report on standard output does not say for itself."""
    comparison = chosen.report
    if options.report and not (options.report == "text" and options.base is not None):
        lines = [
            line
            for verdict in verdicts(comparison, TEXT_STYLE)
            for line in verdict_lines(verdict, PLAIN_TEXT)
        ]
        if lines:
            print_message(*lines)
    if comparison.exit_code == NOT_COMPARABLE:
        what = ", ".join(each.what for each in comparison.differences)
        print_message(f"The runs are not comparable; they differ in: {what}.")
    print_annotations(comparison, options)
