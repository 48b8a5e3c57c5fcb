"""What the command prints of a profile as a page of HTML: what matters most, to look at offline.

Names are as people read them, in the other reports as they were recorded.
"""

from __future__ import annotations

import argparse

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import Questions
from qcachegrind_py.cli.reports import (
    CommandError,
    chosen_event,
    file_search,
    loaded,
    printed,
    refused,
)
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.reports.html.contents import FUNCTIONS, ReportOptions, report_contents
from qcachegrind_py.reports.html.page import write_html
from qcachegrind_py.tools.demangler import demangled


def print_page(options: argparse.Namespace) -> int:
    """The page of `--report html`; gives the exit code."""
    try:
        search = file_search(options)
        profile = loaded(options.files)
        event = chosen_event(profile, options.event)
    except CommandError as error:
        return refused(error)
    limit = FUNCTIONS if options.limit is None else options.limit
    scope = Scope(cycles=not options.no_cycles)
    chosen = ReportOptions(event, scope, sort=options.sort or "inclusive", limit=limit)
    questions = Questions(profile, demangled(profile.texts))
    report = report_contents(NoProgress(), questions, search, chosen)
    return printed(profile, lambda stream: write_html(report, stream))
