"""The job that loads a function's source files and line costs for the Source dock.

All disk access happens here, so that showing the result never waits for a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import SourceLines, annotate_lines
from qcachegrind_py.analysis.code.location_costs import LineCosts
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.models.code.records import CodeRows
from qcachegrind_py.models.code.source_rows import source_rows
from qcachegrind_py.present.context import Context
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import (
    AmbiguousFile,
    FileTooLarge,
    MissingFile,
    ProfileError,
    WithheldFile,
)
from qcachegrind_py.profile.ids import NO_FUNCTION, NO_TEXT, FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int32Array, Int64Array
from qcachegrind_py.tools.annotation_inputs import (
    Sources,
    is_newer_than_profile,
    read_sources,
    source_mismatch,
    texts_by_file,
    withheld_by_file,
)
from qcachegrind_py.tools.sources.text_file import SourceText
from qcachegrind_py.views.code.context_costs import ContextCosts, context_costs

if TYPE_CHECKING:  # without a base, nothing of it is needed
    from qcachegrind_py.views.code.compared.base_source_bar import BaseSource

_RESOLVABLE = (MissingFile, AmbiguousFile, FileTooLarge)  # problems that the user can solve
_NEWER = "changed after recording: costs may be on the wrong lines"


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """The source to load."""

    file: TextId = NO_TEXT  # NO_TEXT for the function's own file
    is_whole_file: bool = False  # lines of all functions in the file
    accepted_large: frozenset[Path] = frozenset()  # files to read whatever their size


@dataclass(frozen=True, slots=True, eq=False)
class FileCosts:
    """The files that a function's code is from, and its self costs there."""

    file: Int32Array  # shape (files,)
    self_cost: Int64Array  # shape (events, files)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedSource:
    """A file with its text, if found, and the costs of its lines."""

    function: FunctionId
    is_whole_file: bool
    lines: LineCosts
    function_lines: LineCosts
    file: TextId
    texts: Mapping[TextId, SourceText]  # by file; of the new side, if compared
    longest_line: str  # of the shown file
    problem: ProfileError | str | None  # the first problem
    problem_file: str  # recorded path of the file with the problem
    notes: Sequence[str]  # origin of the text, and warnings
    rows: CodeRows
    costs: ContextCosts  # of the rows
    file_names: Mapping[TextId, str]  # of the rows: the shortest distinct paths
    file_costs: FileCosts  # of the function
    withheld: Mapping[TextId, WithheldFile]  # why texts are not written into other files
    base: BaseSource | None = None  # of a comparison
    shown_texts: SourceLines = field(
        default_factory=dict
    )  # by file; of both sides together if compared


def load_source(query: ViewQuery, request: SourceRequest, progress: Progress) -> LoadedSource:
    """Load the active function's source. Raises only `Cancelled`."""
    context = query.context
    profile, function = query.profile, query.active_function()
    function_file = text_at(profile.functions.file, function)
    file = function_file if request.file == NO_TEXT else request.file
    function_lines = query.queries.lines(function, context.scope.parts)
    lines = _lines(query, request.is_whole_file, file, context.scope.parts)
    progress.check(0.1)
    sources, texts_by_file = _read_texts(profile, context, request, lines, file, progress)
    texts = {each: text.lines for each, text in texts_by_file.items()}
    annotated = annotate_lines(
        profile,
        NO_FUNCTION if request.is_whole_file else function,
        lines,
        query.costs().cycle,
        texts,
    )
    problem, problem_file = first_problem(lines, file, profile.texts[file], sources)
    rows = source_rows(annotated, file, query.labels(), context.annotation.context_lines)
    return LoadedSource(
        function,
        request.is_whole_file,
        lines,
        function_lines,
        file,
        texts_by_file,
        max(texts.get(file, ()), key=lambda line: len(line.expandtabs()), default=""),
        problem,
        problem_file,
        _notes(profile, profile.texts[file], texts_by_file.get(file), sources),
        rows,
        context_costs(rows, query),
        rows.file_names(profile.texts),
        file_costs(function_lines),
        withheld_by_file(profile, texts, sources),
        shown_texts=texts,
    )


def _read_texts(
    profile: Profile,
    context: Context,
    request: SourceRequest,
    lines: LineCosts,
    file: TextId,
    progress: Progress,
) -> tuple[Sources, Mapping[TextId, SourceText]]:
    """Return the texts of all files that the lines come from, also by file."""
    object_ = profile.texts[text_at(profile.functions.object, context.function)]
    files = [file, *(other for other in text_ids(np.unique(lines.file)) if other != file)]
    names = profile.texts.lookup(files)
    sources = read_sources(
        names, object_, context.files, progress, accepted_large=request.accepted_large
    )
    return sources, texts_by_file(profile, files, sources)


def _lines(query: ViewQuery, is_whole_file: bool, file: TextId, parts: Parts) -> LineCosts:
    """Return the lines to show, with the costs of these parts."""
    queries = query.queries
    if is_whole_file:
        return queries.lines_of_file(file, parts)
    function = query.active_function()
    if file != text_at(query.profile.functions.file, function):
        return queries.lines_of_file(file, parts, function)
    return queries.lines(function, parts)


def file_costs(lines: LineCosts) -> FileCosts:
    """Return the self costs of lines by file."""
    files, number = np.unique(lines.file, return_inverse=True)
    return FileCosts(files, sums_by_group(lines.self_cost, number, len(files)))


def first_problem(
    lines: LineCosts, file: TextId, name: str, sources: Sources
) -> tuple[ProfileError | str | None, str]:
    """Return the first problem and its file: the shown file's, else one that the user can solve."""
    text = sources.texts.get(name)
    if text and (mismatch := source_mismatch(text, lines.line[lines.file == file])):
        return mismatch, name
    problems = sources.problems
    resolvable = [other for other, error in problems.items() if isinstance(error, _RESOLVABLE)]
    first = name if name in problems else next(iter([*resolvable, *problems]), name)
    return problems.get(first), first


def _notes(profile: Profile, name: str, text: SourceText | None, sources: Sources) -> list[str]:
    """Return the origin of the text, and warnings about it."""
    notes = [str(text.path) if text else name]
    missing = sum(isinstance(error, MissingFile) for error in sources.problems.values())
    if missing > 1:
        notes.append(f"{missing} files not found")
    if text and text.encoding.lower() != "utf-8":
        notes.append(text.encoding)
    if text and is_newer_than_profile(text.modified, profile):
        notes.append(_NEWER)
    return notes
