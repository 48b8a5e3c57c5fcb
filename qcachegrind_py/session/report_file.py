"""Writes a report to a file: the job of the window. What stands in it, `report_contents` knows."""

from __future__ import annotations

import io
from pathlib import Path

from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.formats.html_report.page import write_html
from qcachegrind_py.formats.whole_file import written_whole
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.report_contents import ReportOptions, report_contents
from qcachegrind_py.tools.file_search import FileSearch


def save_report(
    progress: Progress,
    path: Path,
    questions: Questions,
    search: FileSearch,
    options: ReportOptions,
) -> Path:
    """Write the page whole or not at all; gives its path. Raises UnwritableFile and Cancelled."""
    page = io.StringIO()
    write_html(report_contents(progress, questions, search, options), page)
    progress.check(1.0)
    with written_whole(path) as stream:
        stream.write(page.getvalue().encode("utf-8", "replace"))
    return path
