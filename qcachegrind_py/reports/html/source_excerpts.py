"""Source excerpts for a report: a function's costly lines with some context.

The number of files and lines is bounded, so that browsers can open the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedLines, annotate_lines
from qcachegrind_py.analysis.code.location_costs import function_lines, has_lines
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.errors import MissingFile
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN, to_display
from qcachegrind_py.reports.html.page_data import Cost, ReportLine, ReportSource
from qcachegrind_py.tools.annotation_inputs import (
    NO_LINES,
    Sources,
    is_newer_than_profile,
    read_sources,
    source_mismatch,
    texts_by_file,
)
from qcachegrind_py.tools.sources.file_search import FileSearch

_MAX_HOT_LINES = 60  # lines with cost per function
_MAX_LINES_WITHOUT_TEXT = 8  # per file: line numbers alone tell little
_CONTEXT_LINES = 2  # lines above and below one with cost
_MAX_FILES = 4  # per function
_MAX_LINES_TOTAL = 4000  # in the whole report
_MAPPING_ADVICE = "Set its folder with --map FROM=TO, or in the window with File ▸ Source Paths."


class SourceExcerpts:
    """Reads the excerpts of functions one after another, up to the report's limit."""

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
        """Return the function's lines by file, its own first, and why any lines are missing."""
        if not self._has_lines:
            return (), NO_LINES
        if self._lines_left <= 0:
            return (), "Its lines are omitted to limit the size of this file."
        profile = self._queries.profile
        object_ = profile.texts[text_at(profile.functions.object, function)]
        annotated = self._annotate(function)
        files = self._files(annotated)
        sources = read_sources(profile.texts.lookup(files), object_, self._search, progress)
        texts = texts_by_file(profile, files, sources)
        annotated = replace(annotated, texts={file: text.lines for file, text in texts.items()})
        hot = self._hot(annotated, files)
        excerpts = tuple(self._source(annotated, sources, file, hot) for file in files)
        more = len(np.unique(annotated.lines.file)) - len(files)
        note = f"It has cost in {more:,} more files, of less cost." if more else ""
        return excerpts, note

    def _annotate(self, function: FunctionId) -> AnnotatedLines:
        """Return the lines with their costs, yet without texts."""
        profile, cycle = self._queries.profile, self._queries.costs(self._scope).cycle
        lines = function_lines(profile, function, self._scope.parts)
        return annotate_lines(profile, function, lines, cycle, {})

    def _files(self, annotated: AnnotatedLines) -> list[TextId]:
        """Return the files with the highest cost; the function's own comes first."""
        cost: dict[TextId, Cost] = {}
        costs = annotated.inclusive_cost(self._event)
        for file, line_cost in zip(text_ids(annotated.lines.file), costs, strict=True):
            cost[file] = cost.get(file, 0) + line_cost
        own_file = text_at(annotated.profile.functions.file, annotated.function)
        return sorted(cost, key=lambda file: (file != own_file, -cost[file]))[:_MAX_FILES]

    def _hot(self, annotated: AnnotatedLines, files: list[TextId]) -> set[int]:
        """Return the rows with the highest cost."""
        cost = annotated.inclusive_cost(self._event)
        of_files = np.flatnonzero(np.isin(annotated.lines.file, files)).tolist()
        rows = [row for row in of_files if cost[row] > 0]
        return set(sorted(rows, key=lambda row: -cost[row])[:_MAX_HOT_LINES])

    def _source(
        self, annotated: AnnotatedLines, sources: Sources, file: TextId, hot: set[int]
    ) -> ReportSource:
        name = annotated.profile.texts[file]
        rows = annotated.files[file]
        source = sources.texts.get(name)
        text = () if source is None else source.lines
        costs = annotated.inclusive_cost(self._event)
        chosen = [row for row in rows if row in hot]
        if not text:
            chosen = sorted(chosen, key=lambda row: -costs[row])[:_MAX_LINES_WITHOUT_TEXT]
        shown = tuple(self._lines(annotated, rows, set(chosen), text))[: max(self._lines_left, 0)]
        self._lines_left -= len(shown)
        with_cost = sum(costs[row] > 0 for row in rows)
        return ReportSource(
            to_display(name) if name != UNKNOWN else "in an unknown file",
            to_display(str(source.path)) if source is not None else "",
            self._problem(annotated, sources, file),
            shown,
            with_cost - sum(line.inclusive_cost > 0 for line in shown),
        )

    def _problem(self, annotated: AnnotatedLines, sources: Sources, file: TextId) -> str:
        """Return why the text is missing or may differ from the profiled one; empty if neither."""
        name = annotated.profile.texts[file]
        source = sources.texts.get(name)
        if source is None:
            error = sources.problems.get(name)
            if isinstance(error, MissingFile):
                return f"{to_display(name)} was not found. {_MAPPING_ADVICE}"
            return to_display(str(error))
        rows = annotated.lines.file == file
        problem = source_mismatch(source, annotated.lines.line[rows])
        if not problem and is_newer_than_profile(source.modified, annotated.profile):
            return "Changed after the profile was written; may not match it."
        return problem

    def _lines(
        self, annotated: AnnotatedLines, rows: list[int], hot: set[int], text: Sequence[str]
    ) -> Iterator[ReportLine]:
        """Yield the lines in file order, with context around each."""
        self_cost, inclusive = (
            annotated.self_cost(self._event),
            annotated.inclusive_cost(self._event),
        )
        row_of = {int(annotated.lines.line[row]): row for row in rows}
        previous = 0
        chosen = {line for line, row in row_of.items() if row in hot}
        for line in sorted(_with_context(chosen, len(text))):
            row = row_of.get(line)
            yield ReportLine(
                line,
                self_cost[row] if row is not None else 0,
                inclusive[row] if row is not None else 0,
                to_display(text[line - 1]) if 1 <= line <= len(text) else None,
                line - previous - 1 if previous and text else 0,
            )
            previous = line


def _with_context(lines: set[int], length: int) -> set[int]:
    """Return the lines and their context, as far as the text has it."""
    context = {
        line + step
        for line in lines
        for step in range(-_CONTEXT_LINES, _CONTEXT_LINES + 1)
        if 1 <= line + step <= length
    }
    return lines | context
