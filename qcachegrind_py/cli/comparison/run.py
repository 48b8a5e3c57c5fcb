"""Run `--base` and `--fail-if`: print what changed, say which rules are met, and fail if one is."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TextIO

from qcachegrind_py.cli.comparison.choices import chosen_comparison, parsed_rules
from qcachegrind_py.cli.comparison.loading import load_sides
from qcachegrind_py.cli.comparison.outputs import check_outputs, print_annotations, write_files
from qcachegrind_py.cli.errors import NOT_COMPARABLE, RULE_MET, Reasons
from qcachegrind_py.cli.reports import file_search, print_output
from qcachegrind_py.cli.terminal import text_layout
from qcachegrind_py.present.change import ComparisonReport, Sides
from qcachegrind_py.present.change_facts import verdicts
from qcachegrind_py.present.change_table import change_page, change_records, change_table, head_page
from qcachegrind_py.present.comparison_page import comparison_page
from qcachegrind_py.present.exact import TEXT_STYLE
from qcachegrind_py.present.facts import damaged_text
from qcachegrind_py.present.page import PAGE_LIMIT, Page
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.write.html.page import write_html
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.markdown import write_markdown
from qcachegrind_py.write.separated import write_table
from qcachegrind_py.write.text import PLAIN_TEXT, verdict_lines, write_page


def print_comparison(options: argparse.Namespace) -> int:
    """Print the comparison with a base, or the report of one profile, and check the rules.

    Returns the exit code: 0, 1 or 2 as for other reports, 3 if a rule is met, and 4 if `--strict`
    is given and a profile is damaged or the runs are not comparable. All that applies is printed.
    """
    reasons = Reasons()
    with reasons.collecting():
        check_outputs(options)
    sides = load_sides(options, reasons)
    report, page = None, None
    if sides is None:
        list(parsed_rules(options, reasons))
    else:
        report = chosen_comparison(sides, options, reasons)
        _check_runs(sides, options, reasons)
    if sides is None or report is None:
        return reasons.report()
    with reasons.collecting():
        page = _page(report, sides, options)
    is_printed = not reasons.is_wrong_usage
    if is_printed:
        with reasons.collecting():
            write_files(report, options)
    has_rules = not options.report or (options.report == "text" and options.base is not None)
    _check_rules(report, reasons, is_said=is_printed and has_rules)
    if is_printed:
        report = replace(report, exit_code=reasons.code)
        reasons.add(_print(report, page, sides, options))
    code = reasons.report()
    print_annotations(report, options)
    return code


def _check_runs(sides: Sides, options: argparse.Namespace, reasons: Reasons) -> None:
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


def _check_rules(report: ComparisonReport, reasons: Reasons, *, is_said: bool) -> None:
    """Add that a rule is met, and what is said of each rule unless it `is_said` elsewhere."""
    for verdict in verdicts(report, TEXT_STYLE):
        if not is_said:
            reasons.say(*verdict_lines(verdict, PLAIN_TEXT))
        if verdict.is_met:
            reasons.add(RULE_MET)


def _print(
    report: ComparisonReport, page: Page | None, sides: Sides, options: argparse.Namespace
) -> int:
    """Print the report of both profiles or of the one that there is; return the exit code."""
    if options.base is None and options.report:
        return _print_report(options)
    profile = sides.queries.profile
    return print_output(profile, lambda stream: _write(report, page, options, stream))


def _print_report(options: argparse.Namespace) -> int:
    """Print the report of the one profile; return the exit code."""
    if options.report == "html":
        from qcachegrind_py.cli.html_page import print_html_page

        return print_html_page(options)
    from qcachegrind_py.cli.reports import print_report

    return print_report(options)


def _page(report: ComparisonReport, sides: Sides, options: argparse.Namespace) -> Page | None:
    """Return the HTML page if it is to be printed; raises CommandError if a `--map` is invalid."""
    if options.report != "html":
        return None
    limit, search = PAGE_LIMIT if options.limit is None else options.limit, file_search(options)
    return comparison_page(NoProgress(), report, sides.compared, search, limit=limit)


def _write(
    report: ComparisonReport, page: Page | None, options: argparse.Namespace, stream: TextIO
) -> None:
    """Write the form of `--report`; without it, everything but the functions."""
    if page is not None:
        write_html(page, stream)
        return
    match options.report:
        case None:
            write_page(head_page(report), stream, text_layout(options, stream))
        case "text":
            write_page(change_page(report), stream, text_layout(options, stream))
        case "json":
            write_records(change_records(report), stream)
        case "markdown":
            write_markdown(report, stream)
        case form:
            write_table(change_table(report), form, stream)
