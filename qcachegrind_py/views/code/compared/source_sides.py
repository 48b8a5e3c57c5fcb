"""The job that loads both sources of a function in a comparison, as one table of lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import annotate_lines
from qcachegrind_py.analysis.code.compared.line_union import Numberings, united_lines
from qcachegrind_py.analysis.code.compared.numbering import Numbering
from qcachegrind_py.analysis.code.instructions import Int8Array
from qcachegrind_py.analysis.code.line_costs import LineCosts
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.models.code.records import CodeRows, LocationMark
from qcachegrind_py.models.code.source_rows import source_rows
from qcachegrind_py.profile.ids import NO_FUNCTION, NO_TEXT, TextId, text_at, text_ids
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.tools.annotation_inputs import Sources, texts_by_file
from qcachegrind_py.tools.base_sources import (
    base_name,
    number_lines,
    read_base_sources,
)
from qcachegrind_py.tools.sources.text_file import SourceText
from qcachegrind_py.views.code.context_costs import context_costs
from qcachegrind_py.views.code.source_loader import (
    LoadedSource,
    SourceRequest,
    file_costs,
    first_problem,
    lines_of_side,
    new_texts,
)
from qcachegrind_py.views.common.view_query import ViewQuery

_Texts = Mapping[TextId, SourceText]


def load_both_sources(
    query: ViewQuery, compared: Comparison, request: SourceRequest, progress: Progress
) -> LoadedSource:
    """Load the active function's source on both sides. Raises only `Cancelled`."""
    profile, function = query.profile, query.active_function()
    file = request.file
    if file == NO_TEXT:
        file = text_at(profile.functions.file, function)
    base, new = (
        lines_of_side(query, request.is_whole_file, file, scope.parts)
        for scope in (compared.base, compared.new)
    )
    every = replace(new, file=np.concatenate((new.file, base.file)))  # for the files of both sides
    sources, texts = new_texts(
        profile, query.context, request, every, file, PartialProgress(progress, 0, 0.4)
    )
    base_texts = _base_texts(
        query, compared, request, every, file, sources, PartialProgress(progress, 0.4, 0.8)
    )
    files = [TextId(each) for each in np.unique(every.file).tolist()]
    numberings, notes = dict[TextId, Numbering](), dict[TextId, str]()
    for each in {file: None, **dict.fromkeys(files)}:
        progress.check(0.8)
        sides = (base, base_texts.get(each)), (new, texts.get(each))
        numbered = number_lines(compared, each, *sides)
        if numbered.numbering is not None:
            numberings[each] = numbered.numbering
        if numbered.note:
            notes[each] = numbered.note
    shown = _shown_texts(numberings, base_texts, texts)
    if file not in shown:
        notes.pop(file, "")
        base, new = _no_lines(base), _no_lines(new)
    base, new = united_lines(base, new, file, numberings)
    cycle = query.costs().cycle
    of = NO_FUNCTION if request.is_whole_file else function
    annotated = annotate_lines(profile, of, new, cycle, shown)
    rows = source_rows(annotated, file, query.labels(), query.context.annotation.context_lines)
    rows = replace(
        rows,
        before=annotate_lines(profile, of, base, cycle, shown).costs,
        marks=_marks(rows, numberings),
    )
    problem, problem_file = first_problem(
        lines_of_side(query, request.is_whole_file, file, compared.new.parts),
        file,
        profile.texts[file],
        sources if file not in base_texts else Sources(sources.texts, {}),
    )
    function_lines = query.queries.lines(function, compared.new.parts)
    return LoadedSource(
        function,
        request.is_whole_file,
        new,
        function_lines,
        file,
        {**base_texts, **texts},
        max(shown.get(file, ()), key=lambda line: len(line.expandtabs()), default=""),
        problem,
        problem_file,
        _notes(profile.texts[file], texts.get(file), base_texts.get(file), notes.get(file, "")),
        rows,
        context_costs(rows, query),
        rows.file_names(profile.texts),
        file_costs(function_lines),
        base_texts=base_texts,
        base_name=_base_name(compared, profile.texts[file]),
        numberings=numberings,
        shown_texts=shown,
    )


def _base_texts(
    query: ViewQuery,
    compared: Comparison,
    request: SourceRequest,
    lines: LineCosts,
    file: TextId,
    new: Sources,
    progress: Progress,
) -> _Texts:
    """Return the texts of the base."""
    profile, context = query.profile, query.context
    files = list(dict.fromkeys((file, *text_ids(np.unique(lines.file)))))
    sources = read_base_sources(
        compared,
        query.active_function(),
        profile.texts.lookup(files),
        context.files,
        context.base_search,
        new.texts,
        progress,
        accepted_large=request.accepted_large,
    )
    return texts_by_file(profile, files, sources)


def _shown_texts(numberings: Numberings, base: _Texts, new: _Texts) -> dict[TextId, Sequence[str]]:
    """Return the text of each file by the numbers of its lines."""
    shown: dict[TextId, Sequence[str]] = {
        file: text.lines for file, text in (*base.items(), *new.items())
    }
    for file, numbering in numberings.items():
        before = base[file].lines if file in base and numbering.is_by_text else ()
        shown[file] = numbering.texts(before, new[file].lines)
    return shown


def _no_lines(lines: LineCosts) -> LineCosts:
    """Return no lines: numbers of two unknown texts say nothing."""
    from qcachegrind_py.analysis.code.line_costs import lines_in_file

    return lines_in_file(lines, NO_TEXT)


def _marks(rows: CodeRows, numberings: Numberings) -> Int8Array:
    """Return how each location differs between two texts; nothing is known of others."""
    marks = np.full(len(rows.line), LocationMark.NONE, np.int8)
    for file, numbering in numberings.items():
        count = len(numbering.new_line)
        own = np.flatnonzero((rows.file == file) & (rows.line > 0) & (rows.line < count))
        number = rows.line[own]
        marks[own[numbering.is_moved[number]]] = LocationMark.MOVED
        if numbering.is_by_text:
            marks[own[numbering.base_line[number] == 0]] = LocationMark.NEW
        marks[own[numbering.new_line[number] == 0]] = LocationMark.GONE
    return marks


def _notes(name: str, new: SourceText | None, base: SourceText | None, note: str) -> list[str]:
    """Return how lines are aligned, if not by two texts, and where the texts are from."""
    notes = [note] if note else []
    paths = [text.path for text in (base, new) if text is not None]
    if len(paths) == 2 and paths[0] != paths[1]:
        return [*notes, f"{_shortened(paths[0], paths[1])} → {paths[1]}"]
    return [*notes, str(paths[-1]) if paths else name]


def _base_name(compared: Comparison, name: str) -> str:
    """Return the path that the base recorded for a file; empty for parts of one profile."""
    return "" if compared.base_profile is compared.new_profile else base_name(compared, name)


def _shortened(base: Path, new: Path) -> str:
    """Return the path of the base's text: a revision of the same file without it."""
    revision, _, path = str(base).partition(":")
    return revision if path == str(new) else str(base)
