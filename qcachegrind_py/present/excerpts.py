"""Source excerpts of a page: a function's lines that cost or changed most, with some around each.

The numbers of files and lines are bounded, so that browsers can open the page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedLines, annotate_lines
from qcachegrind_py.analysis.code.function_files import file_of_function
from qcachegrind_py.analysis.code.line_numbering import ChangedLines, Numbering, changed_lines
from qcachegrind_py.analysis.code.location_costs import function_lines, has_lines
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.scope import BothSides, Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import MissingFile, WithheldFile
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.numbers import fraction_of, plural
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array, to_display
from qcachegrind_py.tools.annotation_inputs import (
    Sources,
    is_newer_than_profile,
    missing_lines_reason,
    read_sources,
    source_mismatch,
    texts_by_file,
)
from qcachegrind_py.tools.compared_inputs import (
    ComparedSources,
    function_sides,
    read_compared_sources,
)
from qcachegrind_py.tools.sources.file_search import BaseSearch, FileSearch

_MOST_FILES = 4  # of a function
_CONTEXT = 2  # lines above and below one that is shown for its cost
_MOST_LINES = 60  # with cost, of a function
_MOST_LINES_WITHOUT_TEXT = 8  # of a file: line numbers alone tell little
_MOST_LINES_OF_PAGE = 4000
_MOST_CHANGED_LINES = 40  # of a function
_HEAT_LEVELS = 8  # of lines with cost
_CHANGE_LEVELS = 4  # of lines that changed, in either direction
_UNKNOWN_FILE = "in an unknown file"
_NO_CHANGE = "No line of it changed its self cost."
NO_TEXT = "The text of this file was not found: lines have numbers only."
_MAPPING_ADVICE = (
    "Set its folder with --map FROM=TO, or in the window with View ▸ Code ▸ Source Paths."
)


@frozen(eq=True)
class ExcerptLine:
    """A line: of a profile with self and inclusive cost, of a comparison with that of both sides.

    Its numbers are one, or those of base and new; 0 is an unknown line, or a side without it.
    """

    numbers: tuple[int, ...]
    costs: tuple[int | float, int | float]
    heat: int  # from 0 to 8, or from -4 to 4 of a change
    text: str | None  # None: its file was not read
    omitted_before: int = 0  # lines left out before it


@frozen(eq=True)
class Excerpt:
    """The lines of a function in one file, and what to know about its text."""

    file: str
    lines: tuple[ExcerptLine, ...] = ()
    problem: str = ""
    note: str = ""
    omitted: int = 0  # lines that cost something, or that changed


class ExcerptReader(Protocol):
    """Reads the excerpts of functions, one after another."""

    def read(self, function: FunctionId, progress: Progress) -> tuple[tuple[Excerpt, ...], str]:
        """Return the excerpts by file, and why any are missing. Raises `Cancelled`."""


def _level(part: int | float, whole: int | float, levels: int) -> int:
    """Return the heat of a line, from 1 to `levels`, by its share of the function's cost."""
    return max(1, round(levels * math.sqrt(fraction_of(part, whole))))


def _with_context(lines: Iterable[int], length: int) -> Iterator[tuple[int, int]]:
    """Yield these lines and those around them, in order, each with how many are left out before it.

    The text has so many lines; without any there is nothing around a line, and nothing left out.
    """
    shown = set(lines)
    for line in filter(None, tuple(shown)):  # 0 is the unknown line
        shown.update(range(max(1, line - _CONTEXT), min(length, line + _CONTEXT) + 1))
    previous = 0
    for line in sorted(shown):
        yield line, line - previous - 1 if previous and length else 0
        previous = line


# ---------------------------------------------------------------- a profile


class LineExcerpts:
    """Excerpts of what costs most, up to the page's limit."""

    def __init__(
        self, queries: ProfileQueries, search: FileSearch, event: EventType, scope: Scope
    ) -> None:
        self._queries, self._search = queries, search
        self._event, self._scope = event, scope
        self._lines_left = _MOST_LINES_OF_PAGE
        self._has_lines = has_lines(queries.profile)

    def read(self, function: FunctionId, progress: Progress) -> tuple[tuple[Excerpt, ...], str]:
        """Return the function's lines by file, its own first, and why any are missing."""
        if not self._has_lines:
            return (), missing_lines_reason(self._queries.profile)
        if self._lines_left <= 0:
            return (), "Its lines are omitted to limit the size of this file."
        profile = self._queries.profile
        object_ = profile.texts[text_at(profile.functions.object, function)]
        lines = function_lines(profile, function, self._scope.parts)
        cycle = self._queries.costs(self._scope).cycle
        annotated = annotate_lines(profile, function, lines, cycle, {})
        files = self._files(annotated)
        sources = read_sources(profile.texts.lookup(files), object_, self._search, progress)
        texts = texts_by_file(profile, files, sources)
        annotated = replace(annotated, texts={file: text.lines for file, text in texts.items()})
        hot = self._hot(annotated, files)
        whole, _ = self._queries.node_costs(function, self._event, self._scope)
        excerpts = tuple(self._excerpt(annotated, sources, file, hot, whole) for file in files)
        more = len(np.unique(annotated.lines.file)) - len(files)
        note = f"It has lower costs in {more:,} more {plural(more, 'file')}." if more else ""
        return excerpts, note

    def _files(self, annotated: AnnotatedLines) -> list[TextId]:
        """Return the files with the highest cost; the function's own comes first."""
        cost: dict[TextId, int | float] = {}
        costs = annotated.inclusive_cost(self._event)
        for file, line_cost in zip(text_ids(annotated.lines.file), costs, strict=True):
            cost[file] = cost.get(file, 0) + line_cost
        own_file = file_of_function(annotated.profile, annotated.function)
        return sorted(cost, key=lambda file: (file != own_file, -cost[file]))[:_MOST_FILES]

    def _hot(self, annotated: AnnotatedLines, files: list[TextId]) -> set[int]:
        cost = annotated.inclusive_cost(self._event)
        of_files = np.flatnonzero(np.isin(annotated.lines.file, files)).tolist()
        rows = [row for row in of_files if cost[row] > 0]
        return set(sorted(rows, key=lambda row: -cost[row])[:_MOST_LINES])

    def _excerpt(
        self,
        annotated: AnnotatedLines,
        sources: Sources,
        file: TextId,
        hot: set[int],
        whole: int | float,
    ) -> Excerpt:
        name, rows = annotated.profile.texts[file], annotated.files[file]
        source = sources.texts.get(name)
        text = () if source is None else source.lines
        costs = annotated.inclusive_cost(self._event)
        chosen = [row for row in rows if row in hot]
        if not text:
            chosen = sorted(chosen, key=lambda row: -costs[row])[:_MOST_LINES_WITHOUT_TEXT]
        lines = tuple(self._lines(annotated, rows, chosen, text, whole))[: max(self._lines_left, 0)]
        self._lines_left -= len(lines)
        recorded = to_display(name) if name != UNKNOWN else _UNKNOWN_FILE
        return Excerpt(
            to_display(str(source.path)) if source is not None else recorded,
            lines,
            self._problem(annotated, sources, file),
            omitted=sum(costs[row] > 0 for row in rows) - sum(line.heat > 0 for line in lines),
        )

    def _lines(
        self,
        annotated: AnnotatedLines,
        rows: list[int],
        chosen: list[int],
        text: Sequence[str],
        whole: int | float,
    ) -> Iterator[ExcerptLine]:
        own, inclusive = (annotated.self_cost(self._event), annotated.inclusive_cost(self._event))
        row_of = {int(annotated.lines.line[row]): row for row in rows}
        hot = (int(annotated.lines.line[row]) for row in chosen)
        for line, omitted in _with_context(hot, len(text)):
            row = row_of.get(line)
            costs = (0, 0) if row is None else (own[row], inclusive[row])
            heat = _level(costs[1], whole, _HEAT_LEVELS) if costs[1] > 0 else 0
            shown = to_display(text[line - 1]) if 1 <= line <= len(text) else None
            yield ExcerptLine((line,), costs, heat, shown, omitted)

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


# ---------------------------------------------------------------- both sides


@frozen
class ChangedLineExcerpts:
    """Excerpts of what changed most, in one event."""

    compared: Comparison
    event: EventType
    search: FileSearch
    base_search: BaseSearch

    def read(self, function: FunctionId, progress: Progress) -> tuple[tuple[Excerpt, ...], str]:
        """Return the excerpts, most change first, or why there are none. Raises `Cancelled`."""
        compared, profile = self.compared, self.compared.queries.profile
        if not has_lines(profile):
            return (), missing_lines_reason(profile)
        sides = function_sides(compared, function)
        sources = read_compared_sources(
            compared, function, sides, sides.files(), self.search, progress, self.base_search
        )
        changed = changed_lines(sides.base, sides.new, sources.numberings)
        evaluate = compared.queries.events.evaluate
        costs = BothSides(evaluate(self.event, changed.base), evaluate(self.event, changed.new))
        sizes = np.abs(costs.change)
        largest = np.argsort(-sizes, kind="stable")[:_MOST_CHANGED_LINES]
        shown = np.zeros(len(changed), bool)
        shown[largest[(sizes[largest] > 0).astype(bool)]] = True
        if not shown.any():
            return (), _NO_CHANGE
        own = compared.self_cost(self.event).change[function : function + 1].tolist()[0]
        lines = _ChangedLines(changed, costs, shown, max(abs(int(own)), 1), sources)
        texts = sources.shown_texts()
        return tuple(
            self._excerpt(file, texts.get(file, ()), lines)
            for file in _largest_first(changed.file, sizes)[:_MOST_FILES]
            if shown[changed.file == file].any()
        ), ""

    def _excerpt(self, file: TextId, texts: Sequence[str], lines: _ChangedLines) -> Excerpt:
        profile, sources = self.compared.queries.profile, lines.sources
        of_file = lines.changed.file == file
        name = profile.texts[file]
        notes = [] if name == UNKNOWN else [*sources.notes(profile, [file])]
        problems = (side.problems.get(name) for side in (sources.new, sources.base))
        withheld = (to_display(str(p)) for p in problems if isinstance(p, WithheldFile))
        notes += dict.fromkeys(withheld)
        is_omitted = (lines.costs.change != 0).astype(bool) & of_file & ~lines.shown
        return Excerpt(
            _UNKNOWN_FILE if name == UNKNOWN else to_display(name),
            tuple(lines.of_file(of_file, texts, sources.numberings.get(file))),
            "" if texts else NO_TEXT,
            " ".join(notes),
            int(is_omitted.sum()),
        )


def _largest_first(file: Int64Array, sizes: Int64Array) -> list[TextId]:
    """Return the files by how much their lines changed."""
    total: dict[int, int] = {}
    for each, size in zip(file.tolist(), sizes.tolist(), strict=True):
        total[each] = total.get(each, 0) + size
    return [TextId(each) for each in sorted(total, key=lambda each: -total[each])]


@frozen
class _ChangedLines:
    """The lines of a function by their common numbers, and which of them are shown."""

    changed: ChangedLines
    costs: BothSides
    shown: BoolArray  # shape (lines,)
    whole: int  # the size of the function's change
    sources: ComparedSources

    def of_file(
        self, of_file: BoolArray, texts: Sequence[str], numbering: Numbering | None
    ) -> Iterator[ExcerptLine]:
        """Yield the lines of one file that are shown, with some around each.

        Without a numbering, lines of both sides have equal numbers.
        """
        numbers = self.changed.number
        rows = np.flatnonzero(of_file)
        row_at = dict(zip(numbers[rows].tolist(), rows.tolist(), strict=True))
        chosen = numbers[of_file & self.shown].tolist()
        for number, omitted in _with_context(chosen, len(texts)):
            base = new = 0
            if (row := row_at.get(number)) is not None:
                base, new = int(self.costs.base[row]), int(self.costs.new[row])
            heat = _level(abs(new - base), self.whole, _CHANGE_LEVELS) if new != base else 0
            text = to_display(texts[number - 1]) if 0 < number <= len(texts) else ""
            lines = number, number
            if numbering is not None:
                before, now = numbering.lines_of(np.array([number]))
                lines = int(before[0]), int(now[0])
            yield ExcerptLine(lines, (base, new), heat if new > base else -heat, text, omitted)
