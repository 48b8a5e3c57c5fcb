"""Opens the source of any function in the user's editor, where the function begins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qcachegrind_py.analysis.code.location_costs import first_line
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.ids import FunctionId, text_at
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.session import Session

EDITOR_JOB = "editor"  # slot of the job that looks for the file


class FunctionEditor:
    """Looks for a function's file in a job, as this may search whole folders."""

    def __init__(
        self, session: Session, notices: NoticeStrip, edit: Callable[[Path, int], None]
    ) -> None:
        """`edit` opens the editor on a file at a line."""
        self._session, self._notices, self._edit = session, notices, edit

    def open(self, function: FunctionId) -> None:
        """Open the editor at the function's first line, or show why this is impossible."""
        query = self._session.query
        if query is None:
            return
        job = self._session.jobs.start(EDITOR_JOB, _location, query, function)
        job.finished.connect(lambda place: self._edit(*place))
        job.failed.connect(self._show_error)

    def _show_error(self, error: ProfileError) -> None:
        self._notices.show_notice("editor", cell_text(str(error)))


def _location(progress: Progress, query: ViewQuery, function: FunctionId) -> tuple[Path, int]:
    """Find the source of a function; raises `ProfileError` if it is not found."""
    from qcachegrind_py.tools.annotation_inputs import read_sources

    profile = query.profile
    file = profile.texts[text_at(profile.functions.file, function)]
    object_ = profile.texts[text_at(profile.functions.object, function)]
    sources = read_sources([file], object_, query.context.files, progress)
    if file not in sources.texts:
        raise sources.problems[file]
    return sources.texts[file].path, max(1, first_line(profile, function))
