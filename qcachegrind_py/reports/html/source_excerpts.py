"""The source lines that a report shows of a function: the hot ones, and some around them.

How many files and lines there may be is bounded, so that a page stays one that browsers open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedLines, event_costs
from qcachegrind_py.analysis.code.line_costs import LineCosts, function_lines, has_lines
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.errors import MissingFile
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.string_table import UNKNOWN, to_display
from qcachegrind_py.reports.html.page_data import Cost, ReportLine, ReportSource
from qcachegrind_py.tools.annotation_inputs import (
    NO_LINES,
    Sources,
    is_newer_than_profile,
    read_sources,
    source_mismatch,
)
from qcachegrind_py.tools.sources.file_search import FileSearch

_MAX_HOT_LINES = 60  # lines with cost of one function
_MAX_LINES_WITHOUT_TEXT = 8  # of one file: numbers alone say little
_CONTEXT_LINES = 2  # lines above and below one with cost
_MAX_FILES = 4  # of one function
_MAX_LINES_TOTAL = 4000  # of the whole report
_MAPPING_ADVICE = (
    "Say where its folder is: --map FROM=TO, or in the window File ▸ Paths of Sources."
)


class SourceExcerpts:
    """Reads the lines of one function after the other, until the report has enough."""

    def __init__(
        self, queries: ProfileQueries, search: FileSearch, event: EventType, scope: Scope
    ) -> None:
        self._queries, self._search = queries, search
        self._event, self._scope = event, scope
        self._lines_left = _MAX_LINES_TOTAL
        self._has_lines = has_lines(queries.profile)

    def read(
        self, function: FunctionId, progress: Progress
    ) -> tuple[tuple[ReportSource, ...], str]:
        """The function's lines by file, its own first; and why there are none, or not all."""
        if not self._has_lines:
            return (), NO_LINES
        if self._lines_left <= 0:
            return (), "Its lines are left out, as the file would grow too large."
        profile = self._queries.profile
        lines = function_lines(profile, function, self._scope.parts)
        object_ = profile.texts[text_at(profile.functions.object, function)]
        files = self._files(function, lines)
        named = [profile.texts[file] for file in files]
        sources = read_sources(named, object_, self._search, progress)
        texts = {name: text.lines for name, text in sources.texts.items()}
        annotated = AnnotatedLines(profile, function, lines, texts)
        hot = self._hot(lines, files)
        found = tuple(self._source(annotated, sources, file, hot) for file in files)
        more = len(np.unique(lines.file)) - len(files)
        note = f"It has cost in {more:,} more files, of less cost." if more else ""
        return found, note

    def _inclusive(self, lines: LineCosts) -> Sequence[Cost]:
        return event_costs(self._queries.profile, self._event, lines.inclusive)

    def _files(self, function: FunctionId, lines: LineCosts) -> list[TextId]:
        """The files with most of the cost; the function's own first."""
        cost: dict[TextId, Cost] = {}
        for file, spent in zip(text_ids(lines.file), self._inclusive(lines), strict=True):
            cost[file] = cost.get(file, 0) + spent
        own = text_at(self._queries.profile.functions.file, function)
        return sorted(cost, key=lambda file: (file != own, -cost[file]))[:_MAX_FILES]

    def _hot(self, lines: LineCosts, files: list[TextId]) -> set[int]:
        """The rows that are shown: those of most cost."""
        cost = self._inclusive(lines)
        rows = [row for row in np.flatnonzero(np.isin(lines.file, files)).tolist() if cost[row] > 0]
        return set(sorted(rows, key=lambda row: -cost[row])[:_MAX_HOT_LINES])

    def _source(
        self, annotated: AnnotatedLines, sources: Sources, file: TextId, hot: set[int]
    ) -> ReportSource:
        name = annotated.profile.texts[file]
        rows = annotated.files[file]
        known = sources.texts.get(name)
        text = () if known is None else known.lines
        costs = annotated.inclusive_cost(self._event)
        chosen = [row for row in rows if row in hot]
        if not text:
            chosen = sorted(chosen, key=lambda row: -costs[row])[:_MAX_LINES_WITHOUT_TEXT]
        shown = tuple(self._lines(annotated, rows, set(chosen), text))[: max(self._lines_left, 0)]
        self._lines_left -= len(shown)
        with_cost = sum(costs[row] > 0 for row in rows)
        return ReportSource(
            to_display(name) if name != UNKNOWN else "in an unknown file",
            to_display(str(known.path)) if known is not None else "",
            self._problem(annotated, sources, file),
            shown,
            with_cost - sum(line.inclusive_cost > 0 for line in shown),
        )

    def _problem(self, annotated: AnnotatedLines, sources: Sources, file: TextId) -> str:
        """Why there is no text, or why it may be another than the one that was profiled."""
        name = annotated.profile.texts[file]
        known = sources.texts.get(name)
        if known is None:
            error = sources.problems.get(name)
            if isinstance(error, MissingFile):
                return f"{to_display(name)}: not found. {_MAPPING_ADVICE}"
            return to_display(str(error))
        rows = annotated.costs.file == file
        problem = source_mismatch(known, annotated.costs.line[rows])
        if not problem and is_newer_than_profile(known.modified, annotated.profile):
            return "Was changed after the profile was written, and may not fit it."
        return problem

    def _lines(
        self, annotated: AnnotatedLines, rows: list[int], hot: set[int], text: Sequence[str]
    ) -> Iterator[ReportLine]:
        """The lines in the order of the file, with some without cost around each."""
        own, inclusive = annotated.self_cost(self._event), annotated.inclusive_cost(self._event)
        row_of = {int(annotated.costs.line[row]): row for row in rows}
        last = 0
        chosen = {line for line, row in row_of.items() if row in hot}
        for line in sorted(_with_context(chosen, len(text))):
            row = row_of.get(line)
            yield ReportLine(
                line,
                own[row] if row is not None else 0,
                inclusive[row] if row is not None else 0,
                to_display(text[line - 1]) if 1 <= line <= len(text) else None,
                line - last - 1 if last and text else 0,
            )
            last = line


def _with_context(lines: set[int], length: int) -> set[int]:
    """The lines, and those around them that the text has."""
    around = {
        line + step
        for line in lines
        for step in range(-_CONTEXT_LINES, _CONTEXT_LINES + 1)
        if 1 <= line + step <= length
    }
    return lines | around
