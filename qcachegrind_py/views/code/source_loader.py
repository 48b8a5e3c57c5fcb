"""What is read for the source of a function, in a job: its costs by line, and texts of its files.

The window shows what is found here, and asks no disk for more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.line_costs import LineCosts
from qcachegrind_py.analysis.code.locations import LocationCalls
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.code.records import CodeRows
from qcachegrind_py.models.code.source_rows import source_rows
from qcachegrind_py.profile.errors import AmbiguousFile, FileTooLarge, MissingFile, ProfileError
from qcachegrind_py.profile.ids import NO_TEXT, FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Context
from qcachegrind_py.tools.annotation_inputs import (
    Sources,
    is_newer_than_profile,
    read_sources,
    source_mismatch,
)
from qcachegrind_py.tools.sources.text_file import SourceText


def calls_within_cycle(
    calls: LocationCalls, queries: ProfileQueries, context: Context
) -> BoolArray:
    """Which of the calls of the active function stay in its cycle, or go to itself."""
    function, cycle = context.function, queries.costs(context.scope).cycle
    same_cycle = (cycle[calls.callee] == cycle[function]) & (cycle[function] > 0)
    stays: BoolArray = (calls.callee == function) | same_cycle
    return stays


_RESOLVABLE = (MissingFile, AmbiguousFile, FileTooLarge)  # the user can say more
_NEWER = "changed after the profile was recorded: costs may stand at wrong lines"


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """Which source is to be read."""

    file: TextId = NO_TEXT  # that of the function where it is NO_TEXT
    is_whole_file: bool = False  # over all functions
    accepted_large: frozenset[Path] = frozenset()  # files that are read however large they are


@dataclass(frozen=True, slots=True, eq=False)
class LoadedSource:
    """A file with the costs of its lines, or with what is known of them without its text."""

    function: FunctionId
    is_whole_file: bool
    lines: LineCosts
    function_lines: LineCosts
    file: TextId
    texts: Mapping[TextId, SourceText]  # by file
    longest_line: str  # line of the file that is shown
    problem: ProfileError | str | None  # the first that there is
    problem_file: str  # the file that it is about, as it was recorded
    notes: Sequence[str]  # where the text is from, and what is odd about it
    rows: CodeRows


def load_source(
    queries: ProfileQueries, context: Context, request: SourceRequest, progress: Progress
) -> LoadedSource:
    """Read the source of the active function; raises only `Cancelled`."""
    profile, function = queries.profile, queries.as_function(context.function)
    own = text_at(profile.functions.file, function)
    file = own if request.file == NO_TEXT else request.file
    of_function = queries.lines(function, context.scope.parts)
    lines = _lines(queries, context, request.is_whole_file, file, of_function)
    progress.check(0.1)
    sources, found = _texts(profile, context, request, lines, file, progress)
    text = found[file].lines if file in found else ()
    inside = np.zeros(len(lines.calls), bool)
    if not request.is_whole_file:
        inside = calls_within_cycle(lines.calls, queries, context)
    problem, problem_of = _first_problem(lines, file, profile.texts[file], sources)
    labels = queries.labels(context.scope, short=context.short_names)
    around = context.annotation.context_lines
    return LoadedSource(
        function,
        request.is_whole_file,
        lines,
        of_function,
        file,
        found,
        max(text, key=lambda line: len(line.expandtabs()), default=""),
        problem,
        problem_of,
        _notes(profile, profile.texts[file], found.get(file), sources),
        source_rows(lines, file, len(text), inside, labels, around),
    )


def _texts(
    profile: Profile,
    context: Context,
    request: SourceRequest,
    lines: LineCosts,
    file: TextId,
    progress: Progress,
) -> tuple[Sources, Mapping[TextId, SourceText]]:
    """The texts of all files that lines are from, and these by the files' numbers."""
    object_ = profile.texts[text_at(profile.functions.object, context.function)]
    files = [file, *(other for other in text_ids(np.unique(lines.file)) if other != file)]
    names = profile.texts.lookup(files)
    sources = read_sources(
        names, object_, context.files, progress, accepted_large=request.accepted_large
    )
    named = zip(files, names, strict=True)
    return sources, {one: sources.texts[name] for one, name in named if name in sources.texts}


def _lines(
    queries: ProfileQueries,
    context: Context,
    is_whole_file: bool,
    file: TextId,
    of_function: LineCosts,
) -> LineCosts:
    if is_whole_file:
        return queries.lines_of_file(file, context.scope.parts)
    function = queries.as_function(context.function)
    if file != text_at(queries.profile.functions.file, function):
        return queries.lines_of_file(file, context.scope.parts, function)
    return of_function


def _first_problem(
    lines: LineCosts, file: TextId, name: str, sources: Sources
) -> tuple[ProfileError | str | None, str]:
    """What is wrong, and with which file: the one that is shown, else one that can be found."""
    text = sources.texts.get(name)
    if text and (misfit := source_mismatch(text, lines.line[lines.file == file])):
        return misfit, name
    problems = sources.problems
    curable = [other for other, error in problems.items() if isinstance(error, _RESOLVABLE)]
    first = name if name in problems else next(iter([*curable, *problems]), name)
    return problems.get(first), first


def _notes(profile: Profile, name: str, text: SourceText | None, sources: Sources) -> list[str]:
    """Where the text is from, and what is odd about it."""
    notes = [str(text.path) if text else name]
    missing = sum(isinstance(error, MissingFile) for error in sources.problems.values())
    if missing > 1:
        notes.append(f"{missing} files are not found")
    if text and text.encoding.lower() != "utf-8":
        notes.append(text.encoding)
    if text and is_newer_than_profile(text.modified, profile):
        notes.append(_NEWER)
    return notes
