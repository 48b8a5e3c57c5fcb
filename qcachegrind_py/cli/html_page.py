"""Run `--report html`: print the profile as an HTML page for offline reading.

Names are demangled, unlike in the other reports.
"""

from __future__ import annotations

import argparse

from qcachegrind_py.cli.errors import CommandError, report_error
from qcachegrind_py.cli.reports import file_search, load_profile, print_output
from qcachegrind_py.cli.selection import report_selection
from qcachegrind_py.present.page import PAGE_LIMIT
from qcachegrind_py.present.profile_page import PageOptions, profile_page
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.write.html.page import write_html


def print_html_page(options: argparse.Namespace) -> int:
    """Print the page of `--report html`; return the exit code."""
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
    return print_output(profile, lambda stream: write_html(page, stream))
