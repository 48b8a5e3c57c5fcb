"""The job that loads both sources of a function in a comparison, as one table of lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import annotate_lines
from qcachegrind_py.analysis.code.instructions import Int8Array
from qcachegrind_py.analysis.code.line_numbering import Numberings, united_lines
from qcachegrind_py.analysis.code.location_costs import LineCosts, lines_in_file
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.models.code.records import CodeRows, LocationMark
from qcachegrind_py.models.code.source_rows import source_rows
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NO_FUNCTION, NO_TEXT, TextId, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.tools.compared_inputs import (
    BY_CALLS,
    NO_BASE_TEXT,
    NO_NEW_TEXT,
    NO_TEXTS,
    ComparedSources,
    LineSides,
    function_sides,
    read_compared_sources,
)
from qcachegrind_py.tools.sources.text_file import SourceText
from qcachegrind_py.views.code.compared.base_source_bar import BaseSource
from qcachegrind_py.views.code.context_costs import context_costs
from qcachegrind_py.views.code.source_loader import (
    LoadedSource,
    SourceRequest,
    file_costs,
    first_problem,
)


def load_both_sources(
    query: ViewQuery, compared: Comparison, request: SourceRequest, progress: Progress
) -> LoadedSource:
    """Load the active function's source on both sides. Raises only `Cancelled`."""
    profile, function, context = query.profile, query.active_function(), query.context
    file = request.file
    if file == NO_TEXT:
        file = text_at(profile.functions.file, function)
    lines = _lines(query, compared, file, is_whole_file=request.is_whole_file)
    sources = read_compared_sources(
        compared,
        function,
        lines,
        list(dict.fromkeys((file, *lines.files()))),
        context.files,
        progress,
        context.base_search,
        accepted_large=request.accepted_large,
    )
    shown = sources.shown_texts()
    new, rows = _rows(query, request, lines, file, sources, shown)
    problem, problem_file = first_problem(lines.new, file, profile.texts[file], sources.new)
    function_lines = query.queries.lines(function, compared.new.parts)
    return LoadedSource(
        function,
        request.is_whole_file,
        new,
        function_lines,
        file,
        sources.new_texts,
        max(shown.get(file, ()), key=lambda line: len(line.expandtabs()), default=""),
        problem,
        problem_file,
        _notes(profile.texts[file], file, sources),
        rows,
        context_costs(rows, query),
        rows.file_names(profile.texts),
        file_costs(function_lines),
        sources.withheld,
        base=_base_source(compared, profile, file, sources),
        shown_texts=shown,
    )


def _lines(
    query: ViewQuery, compared: Comparison, file: TextId, *, is_whole_file: bool
) -> LineSides:
    """Return the lines to show, of one file on both sides or of the function."""
    if is_whole_file:
        base, new = (
            query.queries.lines_of_file(file, side.parts) for side in (compared.base, compared.new)
        )
        return LineSides(base, new)
    function = query.active_function()
    if file != text_at(query.profile.functions.file, function):
        return function_sides(compared, function).in_file(file)
    return function_sides(compared, function, with_hosts=True)


def _rows(
    query: ViewQuery,
    request: SourceRequest,
    lines: LineSides,
    file: TextId,
    sources: ComparedSources,
    shown: dict[TextId, Sequence[str]],
) -> tuple[LineCosts, CodeRows]:
    """Return the lines of the new side, and the rows of both sides.

    Without any text there are none: numbers of two unknown texts say nothing.
    """
    base, new = lines.base, lines.new
    if sources.reasons.get(file) == NO_TEXTS:
        base, new = (lines_in_file(side, NO_TEXT) for side in (base, new))
    base, new = united_lines(base, new, file, sources.numberings)
    cycle = query.costs().cycle
    of = NO_FUNCTION if request.is_whole_file else query.active_function()
    annotated = annotate_lines(query.profile, of, new, cycle, shown)
    rows = source_rows(annotated, file, query.labels(), query.context.annotation.context_lines)
    return new, replace(
        rows,
        before=annotate_lines(query.profile, of, base, cycle, shown).costs,
        marks=_marks(rows, sources.numberings),
    )


def _marks(rows: CodeRows, numberings: Numberings) -> Int8Array:
    """Return how each location differs between both sides, as far as texts are known."""
    marks = np.full(len(rows.line), LocationMark.NONE, np.int8)
    for file, numbering in numberings.items():
        first, end = numbering.passage.start, numbering.passage.stop
        own = np.flatnonzero((rows.file == file) & (rows.line >= first) & (rows.line < end))
        number = rows.line[own]
        marks[own[numbering.is_moved[number]]] = LocationMark.MOVED
        if numbering.has_all_base:
            marks[own[numbering.base_line[number] == 0]] = LocationMark.NEW
        if numbering.has_all_new:
            marks[own[numbering.new_line[number] == 0]] = LocationMark.GONE
    return marks


def _base_source(
    compared: Comparison, profile: Profile, file: TextId, sources: ComparedSources
) -> BaseSource | None:
    """Return what is known of the base's source; None if parts of one profile are compared.

    If the file that is shown lacks nothing, it is that of inlined lines whose text is missing.
    """
    if compared.base_profile is compared.new_profile:
        return None
    about = file
    if not sources.reasons.get(file) and profile.texts[file] not in sources.base.problems:
        lacking = (other for other, why in sources.reasons.items() if why == NO_BASE_TEXT)
        about = next(lacking, file)
    name = profile.texts[about]
    return BaseSource(
        sources.base_names[about],
        sources.base_texts,
        sources.numberings,
        sources.reasons.get(about, ""),
        sources.base.problems.get(name),
        bool(sources.new_texts),
        (sources.moved_from, sources.moved_to),
    )


def _notes(name: str, file: TextId, sources: ComparedSources) -> list[str]:
    """Return how lines are aligned, if not by two texts, and where the texts are from."""
    base, new = sources.base_texts.get(file), sources.new_texts.get(file)
    reason, notes = sources.reasons.get(file, ""), []
    if reason == NO_NEW_TEXT:
        notes.append("text of the base")
    if reason not in ("", NO_TEXTS):
        notes.append(f"lines {BY_CALLS}")
    return [*notes, _places(name, base, new)]


def _places(name: str, base: SourceText | None, new: SourceText | None) -> str:
    paths = [text.path for text in (base, new) if text is not None]
    if len(paths) == 2 and paths[0] != paths[1]:
        return f"{_shortened(paths[0], paths[1])} → {paths[1]}"
    return str(paths[-1]) if paths else name


def _shortened(base: Path, new: Path) -> str:
    """Return the path of the base's text: a revision of the same file without it."""
    revision, _, path = str(base).partition(":")
    return revision if path == str(new) else str(base)
