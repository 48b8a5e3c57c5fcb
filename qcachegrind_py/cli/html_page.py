"""Run `--report html`: print the profile as an HTML page for offline reading.

Names are demangled, unlike in the other reports.
"""

from __future__ import annotations

import argparse

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.cli.reports import (
    CommandError,
    file_search,
    load_profile,
    print_output,
    report_error,
    select_event,
)
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.reports.html.contents import (
    DEFAULT_FUNCTION_LIMIT,
    ReportOptions,
    report_contents,
)
from qcachegrind_py.reports.html.page import write_html
from qcachegrind_py.tools.demangler import demangle_names


def print_html_page(options: argparse.Namespace) -> int:
    """Print the page of `--report html`; return the exit code."""
    try:
        search = file_search(options)
        profile = load_profile(options.files)
        event = select_event(profile, options.event)
    except CommandError as error:
        return report_error(error)
    limit = DEFAULT_FUNCTION_LIMIT if options.limit is None else options.limit
    scope = Scope(cycles=not options.no_cycles)
    report_options = ReportOptions(event, scope, sort=options.sort or "inclusive", limit=limit)
    queries = ProfileQueries(profile, demangle_names(profile.texts))
    report = report_contents(NoProgress(), queries, search, report_options)
    return print_output(profile, lambda stream: write_html(report, stream))
