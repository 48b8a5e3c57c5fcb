"""`report`: the functions of a profile, as a table, as records, or as an HTML page."""

from __future__ import annotations

from typing import TextIO

from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import CommandError, print_output, report_error, text_layout
from qcachegrind_py.cli.selection import file_search, fold_notes, load_profile, report_selection
from qcachegrind_py.present.facts import less_than_self_text
from qcachegrind_py.present.function_report import function_listing, function_page, profile_records
from qcachegrind_py.present.group_report import GroupTotals
from qcachegrind_py.present.page import PAGE_LIMIT
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.separated import write_table
from qcachegrind_py.write.text import write_page


def run(options: Options) -> int:
    """Print the functions in the form of `--format`; return the exit code."""
    if options.format == "html":
        return _print_html_page(options)
    try:
        profile = load_profile(options.files)
        selection = report_selection(profile, options)
    except CommandError as error:
        return report_error(error)
    less = less_than_self_text(selection.queries, selection.scope)
    notes = fold_notes(selection) if options.format in ("tsv", "csv") else []
    notes += [f"{less}."] if less and options.format != "text" else []
    return print_output(options, profile, lambda out: _write(selection, options, out), *notes)


def _write(selection: ReportSelection, options: Options, stream: TextIO) -> None:
    groups = GroupTotals(selection, options.by) if options.by else None
    match options.format:
        case "text":
            page = groups.page() if groups else function_page(selection)
            write_page(page, stream, text_layout(options, stream))
        case "json":
            write_records(groups.records() if groups else profile_records(selection), stream)
        case "tsv" | "csv" as form:
            listing = groups.listing() if groups else function_listing(selection)
            write_table(listing, form, stream)


def _print_html_page(options: Options) -> int:
    """Print a page for offline reading, with demangled names, unlike the other forms."""
    # 20 ms that no table needs
    from qcachegrind_py.present.profile_page import PageOptions, profile_page
    from qcachegrind_py.write.html.page import write_html

    try:
        search = file_search(options)
        profile = load_profile(options.files)
        selection = report_selection(profile, options, demangle_names(profile.texts))
    except CommandError as error:
        return report_error(error)
    page_options = PageOptions(
        selection.sort_event,
        selection.scope,
        selection.filter,
        selection.order.key,
        PAGE_LIMIT if selection.limit is None else selection.limit,
        selection.threshold,
    )
    page = profile_page(NoProgress(), selection.queries, search, page_options)
    return print_output(options, profile, lambda stream: write_html(page, stream))
