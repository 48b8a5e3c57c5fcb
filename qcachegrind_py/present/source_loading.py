"""The source of a function with the costs of its lines, as a job loads it.

All disk access happens here, so that showing the result never waits for a file. In a comparison
the sources of both sides become one table of lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import annotate_lines
from qcachegrind_py.analysis.code.instructions import Int8Array
from qcachegrind_py.analysis.code.line_numbering import Numberings, united_lines
from qcachegrind_py.analysis.code.location_costs import LineCosts, lines_in_file
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.present.code_lines import LineTexts, source_rows
from qcachegrind_py.present.code_listing import CodeCosts, code_costs
from qcachegrind_py.present.code_records import CodeRows, LocationMark
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import AmbiguousFile, FileTooLarge, MissingFile, ProfileError
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
class BaseSource:
    """The source of the base, beside that of the new side."""

    recorded: str  # path of the file that the bar is about, in the base
    texts: Mapping[TextId, SourceText]
    numberings: Numberings
    reason: str  # why its lines could not be paired by two texts; empty if they were
    problem: ProfileError | None
    has_new_text: bool
    moved: tuple[TextId, TextId]  # the file that a moved function was in, and where it is now

    def file_then(self, file: TextId) -> TextId:
        """Return the file in the base of lines that are shown as those of a file."""
        return self.moved[0] if file == self.moved[1] else file

    def file_now(self, file: TextId) -> TextId:
        """Return the file as whose lines those of a file of the base are shown."""
        return self.moved[1] if file == self.moved[0] else file


@dataclass(frozen=True, slots=True, eq=False)
class LoadedSource:
    """A file with its text, if found, and the costs of its lines."""

    function: FunctionId
    is_whole_file: bool
    lines: LineCosts
    file: TextId
    texts: Mapping[TextId, SourceText]  # by file; of the new side, if compared
    problem: ProfileError | str | None  # the first problem
    problem_file: str  # recorded path of the file with the problem
    notes: Sequence[str]  # origin of the text, and warnings
    code: LineTexts
    costs: CodeCosts
    file_costs: FileCosts  # of the function
    base: BaseSource | None = None  # of a comparison


def load_source(query: ViewQuery, request: SourceRequest, progress: Progress) -> LoadedSource:
    """Load the active function's source, in a comparison both. Raises only `Cancelled`."""
    file = request.file
    if file == NO_TEXT:
        file = text_at(query.profile.functions.file, query.active_function())
    compared = query.comparison
    if compared is None:
        return _load_one(query, request, file, progress)
    return _load_both(query, compared, request, file, progress)


def _load_one(
    query: ViewQuery, request: SourceRequest, file: TextId, progress: Progress
) -> LoadedSource:
    context, profile = query.context, query.profile
    lines = _lines(query, request.is_whole_file, file, context.scope.parts)
    progress.check(0.1)
    object_ = profile.texts[text_at(profile.functions.object, context.function)]
    files = [file, *(other for other in text_ids(np.unique(lines.file)) if other != file)]
    sources = read_sources(
        profile.texts.lookup(files),
        object_,
        context.files,
        progress,
        accepted_large=request.accepted_large,
    )
    found = texts_by_file(profile, files, sources)
    texts = {each: text.lines for each, text in found.items()}
    rows = _rows(query, request, lines, file, texts)
    name = profile.texts[file]
    code = LineTexts(
        rows=rows,
        file_names=rows.file_names(profile.texts),
        texts=texts,
        withheld=withheld_by_file(profile, texts, sources),
        names=profile.texts,
        own_file=file,
        longest=_longest(texts.get(file, ())),
    )
    problem = _first_problem(lines, file, name, sources)
    notes = _notes(profile, name, found.get(file), sources)
    return _loaded(query, request, lines, found, problem, notes, code)


def _loaded(
    query: ViewQuery,
    request: SourceRequest,
    lines: LineCosts,
    texts: Mapping[TextId, SourceText],
    problem: tuple[ProfileError | str | None, str],
    notes: Sequence[str],
    code: LineTexts,
    base: BaseSource | None = None,
) -> LoadedSource:
    """Return the source with the costs of its lines; `problem` has the file that it is about."""
    function, is_whole = query.active_function(), request.is_whole_file
    return LoadedSource(
        function,
        is_whole,
        lines,
        code.own_file,
        texts,
        *problem,
        notes,
        code,
        code_costs(query, code.rows, function, is_of_function=not is_whole),
        _file_costs(query.queries.lines(function, query.context.scope.parts)),
        base,
    )


def _rows(
    query: ViewQuery,
    request: SourceRequest,
    lines: LineCosts,
    file: TextId,
    texts: Mapping[TextId, Sequence[str]],
    base: LineCosts | None = None,
) -> CodeRows:
    """Return the records of lines, with what they cost in the base of a comparison."""
    function = NO_FUNCTION if request.is_whole_file else query.active_function()
    annotated, *before = (
        annotate_lines(query.profile, function, side, query.costs().cycle, texts)
        for side in (lines, base)
        if side is not None
    )
    rows = source_rows(annotated, file, query.labels(), query.context.annotation.context_lines)
    return replace(rows, before=before[0].costs) if before else rows


def _longest(lines: Sequence[str]) -> str:
    return max(lines, key=lambda line: len(line.expandtabs()), default="")


def _lines(query: ViewQuery, is_whole_file: bool, file: TextId, parts: Parts) -> LineCosts:
    """Return the lines to show, with the costs of these parts."""
    queries = query.queries
    if is_whole_file:
        return queries.lines_of_file(file, parts)
    function = query.active_function()
    if file != text_at(query.profile.functions.file, function):
        return queries.lines_of_file(file, parts, function)
    return queries.lines(function, parts)


def _file_costs(lines: LineCosts) -> FileCosts:
    """Return the self costs of lines by file."""
    files, number = np.unique(lines.file, return_inverse=True)
    return FileCosts(files, sums_by_group(lines.self_cost, number, len(files)))


def _first_problem(
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


# ---------------------------------------------------------------- both sides of a comparison


def _load_both(
    query: ViewQuery,
    compared: Comparison,
    request: SourceRequest,
    file: TextId,
    progress: Progress,
) -> LoadedSource:
    profile, context, function = query.profile, query.context, query.active_function()
    sides = _line_sides(query, compared, file, is_whole_file=request.is_whole_file)
    sources = read_compared_sources(
        compared,
        function,
        sides,
        list(dict.fromkeys((file, *sides.files()))),
        context.files,
        progress,
        context.base_search,
        accepted_large=request.accepted_large,
    )
    shown = sources.shown_texts()
    base, lines = sides.base, sides.new
    problem = _first_problem(lines, file, profile.texts[file], sources.new)
    if sources.reasons.get(file) == NO_TEXTS:  # numbers of two unknown texts say nothing
        base, lines = (lines_in_file(side, NO_TEXT) for side in (base, lines))
    base, lines = united_lines(base, lines, file, sources.numberings)
    rows = _rows(query, request, lines, file, shown, base)
    rows = replace(rows, marks=_marks(rows, sources.numberings))
    base_source = _base_source(compared, profile, file, sources)
    code = LineTexts(
        rows=rows,
        file_names=rows.file_names(profile.texts),
        texts=shown,
        withheld=sources.withheld,
        names=profile.texts,
        own_file=file,
        longest=_longest(shown.get(file, ())),
        numberings={} if base_source is None else base_source.numberings,
    )
    notes = _side_notes(profile.texts[file], file, sources)
    return _loaded(query, request, lines, sources.new_texts, problem, notes, code, base_source)


def _line_sides(
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


def _side_notes(name: str, file: TextId, sources: ComparedSources) -> list[str]:
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
