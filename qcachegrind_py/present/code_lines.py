"""The lines of a source file, with or without cost: their records, what these say, and loading.

Lines of other files follow the line into which the compiler inlined them. Costs without a line come
first, lines beyond the end of the text last: no cost is left out. All disk access happens in
`load_source`, so that showing its result never waits for a file. In a comparison the sources of
both sides become one table of lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedLines,
    SourceLines,
    annotate_lines,
    line_text,
)
from qcachegrind_py.analysis.code.function_files import file_of_function
from qcachegrind_py.analysis.code.instructions import Int8Array
from qcachegrind_py.analysis.code.line_numbering import Numberings, united_lines
from qcachegrind_py.analysis.code.location_costs import (
    LineCosts,
    LineJumps,
    first_line,
    lines_in_file,
)
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.code_listing import (
    Chunk,
    CodeTexts,
    ColoredWords,
    Colors,
    LoadedCode,
    SearchedTexts,
    empty_listing,
)
from qcachegrind_py.present.code_records import (
    Arrows,
    CodeRows,
    LocationMark,
    code_costs,
    code_records,
)
from qcachegrind_py.present.context import Position
from qcachegrind_py.present.folds import line_note
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import (
    AmbiguousFile,
    FileTooLarge,
    MissingFile,
    ProfileError,
    WithheldFile,
)
from qcachegrind_py.profile.events import CostArray, EventType, as_number
from qcachegrind_py.profile.ids import NO_FUNCTION, NO_TEXT, UNKNOWN_TEXT, TextId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int32Array, Int64Array, StringTable
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

CHUNK_LINES = 5_000  # highlighted together: about 0.3 s, and the whole of most files
MAX_FILES = 500  # to choose from; a million take the box 45 s
_NO_LINE = "cost without a line"
_NO_FILE = "cost without a source file"
_NOT_FOUND = "file not found"
_LEFT_OUT = "left out"  # of a saved table
_BEYOND = "beyond the end of the file"
_NO_BASE_TEXT = "a line of the base, whose text is unknown"
_SIGNS = {LocationMark.NEW: "+", LocationMark.GONE: "\N{MINUS SIGN}"}


@frozen
class _Locations:
    cost_row: Int64Array
    file: Int32Array
    line: Int32Array
    host: Int32Array  # line of the shown file
    host_location: Int64Array


def source_rows(annotated: AnnotatedLines, file: TextId, labels: Labels, context: int) -> CodeRows:
    """Return the table rows of a file; without its text, only those with cost.

    `context` is the number of lines shown around each that is not folded.
    """
    lines = annotated.lines
    locations = _locations(lines, file, len(annotated.texts.get(file, ())))
    arrows = _jump_arrows(lines, locations)
    records = code_records(
        locations.cost_row, lines.calls, arrows, context, hosts=locations.host_location
    )
    return CodeRows(
        records, locations.cost_row, locations.file, locations.line, annotated.costs, labels
    )


def _locations(lines: LineCosts, file: TextId, length: int) -> _Locations:
    top = int(np.searchsorted(lines.host, 1))  # rows without a line
    hosts = np.union1d(np.arange(1, length + 1), lines.host[top:]).astype(np.int32)
    first = np.searchsorted(lines.host, hosts, side="left")
    end = np.searchsorted(lines.host, hosts, side="right")
    has_own_row = np.zeros(len(hosts), bool)
    known = first < end
    rows = first[known]
    has_own_row[known] = (lines.file[rows] == file) & (lines.line[rows] == hosts[known])
    counts = 1 + end - first - has_own_row
    host = np.repeat(hosts, counts)
    indexes = np.arange(len(host))
    within = indexes - np.repeat(np.cumsum(counts) - counts, counts)
    own_row, start = np.repeat(has_own_row, counts), np.repeat(first, counts)
    cost_row = np.where(within == 0, np.where(own_row, start, -1), start + own_row + within - 1)
    is_own_line = within == 0
    cost_row = np.concatenate((np.arange(top), cost_row))
    own_file = np.where(is_own_line, file, lines.file[cost_row[top:]] if len(lines) else file)
    own_line = np.where(is_own_line, host, lines.line[cost_row[top:]] if len(lines) else host)
    return _Locations(
        cost_row,
        np.concatenate((lines.file[:top], own_file)).astype(np.int32),
        np.concatenate((lines.line[:top], own_line)).astype(np.int32),
        np.concatenate((lines.host[:top], host)).astype(np.int32),
        np.concatenate((np.arange(top), top + indexes - within)),
    )


def _jump_arrows(lines: LineCosts, locations: _Locations) -> Arrows:
    """Return the jumps between locations, except those within a line or to a line without location.

    A jump to a line of another file leads to where that line was inlined.
    """
    jumps = lines.jumps
    location_of_row = np.zeros(len(lines), np.int64)
    has_row = np.flatnonzero(locations.cost_row >= 0)
    location_of_row[locations.cost_row[has_row]] = has_row
    source = location_of_row[jumps.location]
    target = _targets(jumps, locations, source)
    arrows = Arrows(source, target, jumps.executed, jumps.followed, jumps.conditional)
    return arrows.selected((target >= 0) & (target != source) & (jumps.executed > 0))


def _targets(jumps: LineJumps, locations: _Locations, source: Int64Array) -> Int64Array:
    """Return the location of each jump's target, preferably one with the same host; -1 for none."""
    targets_by_jump = list(
        zip(text_ids(jumps.target_file), jumps.target_line.tolist(), strict=True)
    )
    hosts_of_target: dict[tuple[TextId, int], dict[int, int]] = {
        target: {} for target in targets_by_jump
    }
    candidates = np.flatnonzero(np.isin(locations.line, jumps.target_line))
    for location in candidates.tolist():
        hosts = hosts_of_target.get(
            (text_at(locations.file, location), int(locations.line[location]))
        )
        if hosts is not None:
            hosts.setdefault(int(locations.host[location]), location)
    targets = np.full(len(jumps), -1, np.int64)
    for jump, target in enumerate(targets_by_jump):
        hosts = hosts_of_target[target]
        host = int(locations.host[source[jump]])
        targets[jump] = hosts.get(host, next(iter(hosts.values()), -1))
    return targets


# ---------------------------------------------------------------- texts


@frozen(slots=False, kw_only=True)
class LineTexts(CodeTexts):
    """What the records of source lines say.

    With `numberings`, lines of rows and texts are common numbers of two texts.
    """

    names: StringTable | None = None  # recorded paths of files
    own_file: TextId = UNKNOWN_TEXT
    entry: int = 0  # its line where the function is entered; 0 if unknown
    longest: str = ""  # its longest text
    numberings: Numberings = field(default_factory=dict)  # of files aligned with a base
    moved: tuple[TextId, TextId] = (NO_TEXT, NO_TEXT)  # where a moved function was, and is now

    noun = "lines"
    location_head = "Line", "Line number; for inlined code, the file and line it comes from"
    code_head = "Source", "Text of the line"

    # ---------------------------------------------------------------- two texts

    def line_of(self, record: int) -> tuple[TextId, int]:
        """Return file and line of a record: in the new source, unless the base alone has it."""
        file, number = self.rows.line_of(record)
        numbering = self.numberings.get(file)
        return file, number if numbering is None else numbering.line(number)

    def position_of(self, record: int) -> Position:
        """Return the line of a record; in the base by its number and file there."""
        file, base_line, line = self.sides_of(record)
        in_base = not line and base_line > 0
        before, now = self.moved
        if in_base and file == now:
            file = before
        return Position(file, line or base_line, in_base=in_base)

    def records_at(self, position: Position) -> BoolArray:
        file, line, (before, now) = position.file, position.line, self.moved
        if position.in_base and file == before:
            file = now
        if (numbering := self.numberings.get(file)) is not None:
            number = numbering.of_base if position.in_base else numbering.of_new
            line = int(number(np.array([line]))[0])
        return self.matches_line(file, line)

    def sides_of(self, record: int) -> tuple[TextId, int, int]:
        """Return file, and line in the base and in the new source; 0 where a side has none."""
        file, number = self.rows.line_of(record)
        numbering = self.numberings.get(file)
        if numbering is None or number <= 0:
            return file, number, number
        base, new = numbering.lines_of(np.array([number]))
        return file, int(base[0]), int(new[0])

    def _side_tip(self, record: int) -> str:
        """Return where a line is in the sources of both sides, if that differs."""
        if not self.rows.records.is_location(record):
            return ""
        mark, (_, base_line, new_line) = self.rows.mark_of(record), self.sides_of(record)
        line = new_line or base_line
        if mark == LocationMark.NEW:
            return f"Line {line}, only in the new source"
        if mark == LocationMark.GONE:
            return f"Line {base_line} of the base, gone in the new source"
        verb = "moved from" if mark == LocationMark.MOVED else "in the base"
        return f"Line {line}, {verb} line {base_line}" if base_line not in (0, line) else ""

    # ---------------------------------------------------------------- one line

    def place(self, record: int) -> str:
        return self._place(record)

    def location(self, record: int) -> str:
        return self._place(record, _SIGNS.get(self.rows.mark_of(record), ""))

    def _place(self, record: int, sign: str = "") -> str:
        if not self.rows.records.is_location(record):
            return ""
        file, line = self._text_line(record)
        if file == self.own_file or self.names is None:
            return f"{sign}{line}" if line > 0 else "–"
        name = self.file_names.get(file, "")
        return cell_text(f"{sign}{name}:{line}" if line > 0 else name)

    def _text_line(self, record: int) -> tuple[TextId, int]:
        """Return file and line in the text that is shown: of the base, if that alone is known."""
        file, base_line, line = self.sides_of(record)
        numbering = self.numberings.get(file)
        is_of_base = numbering is not None and not numbering.has_all_new
        return file, (base_line or line) if is_of_base else (line or base_line)

    def frame(self, record: int) -> str:
        is_of_other = self.rows.line_of(record)[0] != self.own_file
        return self.location(record) if is_of_other else ""

    def beginning(self) -> int:
        found = np.flatnonzero(self.records_at(Position(self.own_file, self.entry)))
        return int(found[0]) if self.entry and len(found) else -1

    def has_text(self, record: int) -> bool:
        return bool(self.line_text(record))

    def line_text(self, record: int) -> str:
        """Return the text of a line as in its file; empty if unknown."""
        return line_text(self.texts, *self.rows.line_of(record)) or ""

    def code_text(self, record: int) -> str:
        return self.line_text(record) or self._note(record)

    def _note(self, record: int) -> str:
        """Return why a line has no text; empty if it has one."""
        file, line = self.rows.line_of(record)
        if file == UNKNOWN_TEXT or (self.names is not None and self.names[file] in ("", UNKNOWN)):
            return _NO_FILE
        if line <= 0:
            return _NO_LINE
        if file not in self.texts and file in self.withheld:
            return _LEFT_OUT
        if file not in self.texts:
            # a notice above tells it for the shown file
            return _NOT_FOUND if file != self.own_file else ""
        if self.is_gone(record):
            return _NO_BASE_TEXT
        return _BEYOND if line > len(self.texts[file]) else ""

    def tip(self, record: int, hidden: str) -> tuple[str, ...]:
        """Return what a line hides, where an inlined line is from, and the jumps."""
        if self.names is not None and self.rows.records.is_inlined(record):
            file, line = self.line_of(record)
            hidden = f"Inlined from {self.names[file]}:{line}"
        elif hidden:
            hidden = f"{hidden} of other files, which follow this line in the program"
        return (*filter(None, [hidden, self._side_tip(record)]), *self.jump_texts(record))

    def common_indent(self, record: int) -> int:
        """Return the indentation that all lines of the record's file in its group share.

        It comes from the other file, where it may be deep, and is not shown.
        """
        records = self.rows.records
        if not records.is_inlined(record) or not records.is_location(record):
            return 0
        key = records.group_of(record), self.line_of(record)[0]
        if key not in self._indents:
            self._indents[key] = self._group_indent(*key)
        return self._indents[key]

    @cached_property
    def _indents(self) -> dict[tuple[int, TextId], int]:
        """The common indentation by group and file, once it was asked for."""
        return {}

    def _group_indent(self, group: int, file: TextId) -> int:
        rows, groups = self.rows, self.rows.records.groups
        members = slice(groups.host[group] + 1, groups.host[group] + 1 + groups.size[group])
        of_file = rows.line[members][rows.file[members] == file].tolist()
        texts = (line_text(self.texts, file, line) or "" for line in of_file)
        indents = (len(text) - len(text.lstrip()) for text in texts if text.strip())
        return min(indents, default=0)

    # ---------------------------------------------------------------- all lines

    def longest_texts(self) -> dict[str, str]:
        return {"location": self.longest_number(), "text": self.longest}

    def longest_number(self) -> str:
        largest = str(max(0, int(self.rows.line.max()))) if len(self.rows.line) else ""
        return f"+{largest}" if self.numberings else largest

    @cached_property
    def searched(self) -> SearchedTexts:
        """Return the text of each line, with file and number where it is of another file."""
        rows = self.rows
        places = zip(text_ids(rows.file), rows.line.tolist(), strict=True)
        lowered = [self._searched_line(file, line).lower() for file, line in places]
        return SearchedTexts(lowered, np.arange(len(lowered)), rows.records.record_of_location)

    def _searched_line(self, file: TextId, line: int) -> str:
        text = line_text(self.texts, file, line) or ""
        return text if file == self.own_file else f"{self.file_names.get(file)}:{line}  {text}"

    def uncolored(self, records: Sequence[int], colors: Colors) -> list[Chunk]:
        """Return the chunks of these lines that have not been highlighted yet."""
        positions = map(self.rows.line_of, records)
        chunks = dict.fromkeys(
            (file, (line - 1) // CHUNK_LINES) for file, line in positions if line > 0
        )
        return [chunk for chunk in chunks if chunk not in colors and chunk[0] in self.texts]

    def colored_words(self, record: int, colors: Colors) -> ColoredWords:
        if not self.rows.records.is_location(record):
            return ()
        file, line = self.rows.line_of(record)
        known = colors.get((file, (line - 1) // CHUNK_LINES)) if line > 0 else None
        return tuple(known.of_line(line - 1)) if known is not None else ()


NO_LINES = empty_listing(LineTexts())


# ---------------------------------------------------------------- loading

_RESOLVABLE = (MissingFile, AmbiguousFile, FileTooLarge)  # problems that the user can solve
_NEWER = "changed after recording: costs may be on the wrong lines"


@frozen(eq=True)
class SourceRequest:
    """The source to load."""

    file: TextId = NO_TEXT  # NO_TEXT for the function's own file
    is_whole_file: bool = False  # lines of all functions in the file
    accepted_large: frozenset[Path] = frozenset()  # files to read whatever their size


@frozen
class BaseSource:
    """The source of the base, beside that of the new side."""

    recorded: str  # path of the file that the bar is about, in the base
    texts: Mapping[TextId, SourceText]
    reason: str  # why its lines could not be paired by two texts; empty if they were
    problem: ProfileError | None
    has_new_text: bool


@frozen(slots=False, kw_only=True)
class LoadedSource(LoadedCode):
    """A file with its text, if found, and the costs of its lines."""

    code: LineTexts
    lines: LineCosts
    texts: Mapping[TextId, SourceText]  # by file; of the new side, if compared
    files: Int32Array  # that the function's code is from
    file_costs: Int64Array  # its self costs there, shape (events, files)
    base: BaseSource | None = None  # of a comparison

    def file_costs_in(self, query: ViewQuery, event: EventType, unit: Unit) -> dict[TextId, str]:
        """Return files to choose from with the function's self costs, the shown one among them.

        Its own file is first, then the others, costliest first, up to a limit. Where the whole file
        is shown, its cost is that of all functions.
        """
        own = file_of_function(query.profile, self.function)
        costs = query.events.evaluate(event, self.file_costs)
        rows = _costliest(costs, self.files == own)
        texts = {own: ""}
        for file, cost in zip(text_ids(self.files[rows]), costs[rows], strict=True):
            texts[file] = unit.with_unit(as_number(cost))
        texts.setdefault(self.code.own_file, "")
        if not self.is_of_function:
            whole = query.events.evaluate(event, self.lines.self_cost.sum(axis=1, keepdims=True))
            texts[self.code.own_file] = unit.with_unit(as_number(whole[0]))
        return texts


def _costliest(costs: CostArray, is_own: BoolArray) -> Int64Array:
    """Return the rows of the costliest files, of equal ones the first, and that of the own file."""
    rows = np.arange(len(costs))
    if len(costs) > MAX_FILES:  # the others are not sorted: for a million that takes 0.1 s
        rows = np.argpartition(-costs, MAX_FILES)[:MAX_FILES]
        rows = np.union1d(rows, np.flatnonzero(is_own))
    costliest: Int64Array = rows[np.argsort(-costs[rows], kind="stable")]
    return costliest


@frozen
class _FoundSource:
    """The lines to show with the texts that were found, of one side or of both."""

    lines: LineCosts
    texts: Mapping[TextId, SourceText]  # of the new side
    shown: SourceLines
    withheld: Mapping[TextId, WithheldFile]
    problem: tuple[ProfileError | str | None, str]  # with the file that it is about
    notes: Sequence[str]
    base_lines: LineCosts | None = None
    numberings: Numberings = field(default_factory=dict)
    moved: tuple[TextId, TextId] = (NO_TEXT, NO_TEXT)
    base: BaseSource | None = None


def load_source(query: ViewQuery, request: SourceRequest, progress: Progress) -> LoadedSource:
    """Load the active function's source, in a comparison both. Raises only `Cancelled`."""
    profile, function, file = query.profile, query.active_function(), request.file
    function_file = file_of_function(profile, function)
    if file == NO_TEXT:
        file = function_file
    compared, is_of_function = query.comparison, not request.is_whole_file
    if compared is None:
        found = _find_one(query, request, file, progress)
    else:
        found = _find_both(query, compared, request, file, progress)
    rows = _rows(query, found, file, is_of_function=is_of_function)
    own = found.shown.get(file, ())
    code = LineTexts(
        rows=rows,
        file_names=rows.file_names(profile.texts),
        texts=found.shown,
        withheld=found.withheld,
        names=profile.texts,
        own_file=file,
        entry=first_line(profile, function) if file == function_file else 0,
        longest=max(own, key=lambda line: len(line.expandtabs()), default=""),
        numberings=found.numberings,
        moved=found.moved,
    )
    problem, problem_file = found.problem
    of_function = query.queries.lines(function, query.context.scope.parts)
    files, number = np.unique(of_function.file, return_inverse=True)
    return LoadedSource(
        function=function,
        code=code,
        loaded_costs=code_costs(query, rows, function, is_of_function=is_of_function),
        problem=problem,
        problem_file=problem_file,
        notes=[*found.notes, *filter(None, [line_note(query)])],
        is_of_function=is_of_function,
        lines=found.lines,
        texts=found.texts,
        files=files,
        file_costs=sums_by_group(of_function.self_cost, number, len(files)),
        base=found.base,
    )


def _rows(query: ViewQuery, found: _FoundSource, file: TextId, *, is_of_function: bool) -> CodeRows:
    """Return the records of lines, with what they cost in the base of a comparison."""
    function = query.active_function() if is_of_function else NO_FUNCTION
    annotated, *before = (
        annotate_lines(query.profile, function, side, query.costs().cycle, found.shown)
        for side in (found.lines, found.base_lines)
        if side is not None
    )
    rows = source_rows(annotated, file, query.labels(), query.context.annotation.context_lines)
    if not before:
        return rows
    return replace(rows, before=before[0].costs, marks=_marks(rows, found.numberings))


def _find_one(
    query: ViewQuery, request: SourceRequest, file: TextId, progress: Progress
) -> _FoundSource:
    context, profile, queries = query.context, query.profile, query.queries
    function, parts = query.active_function(), context.scope.parts
    if request.is_whole_file:
        lines = queries.lines_of_file(file, parts)
    elif file != file_of_function(profile, function):
        lines = queries.lines_of_file(file, parts, function)
    else:
        lines = queries.lines(function, parts)
    progress.check(0.1)
    files = [file, *(other for other in text_ids(np.unique(lines.file)) if other != file)]
    sources = read_sources(
        profile.texts.lookup(files),
        profile.texts[text_at(profile.functions.object, function)],
        context.files,
        progress,
        accepted_large=request.accepted_large,
        creator=profile.creator,
    )
    texts, name = texts_by_file(profile, files, sources), profile.texts[file]
    return _FoundSource(
        lines,
        texts,
        {each: text.lines for each, text in texts.items()},
        withheld_by_file(profile, texts, sources),
        _first_problem(lines, file, name, sources),
        _notes(profile, name, texts.get(file), sources),
    )


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
    recorded = [] if name in ("", UNKNOWN) else [name]
    notes = [str(text.path)] if text else recorded
    missing = sum(isinstance(error, MissingFile) for error in sources.problems.values())
    if missing > 1:
        notes.append(f"{missing} files not found")
    if text and text.encoding.lower() != "utf-8":
        notes.append(text.encoding)
    if text and is_newer_than_profile(text.modified, profile):
        notes.append(_NEWER)
    return notes


# ---------------------------------------------------------------- both sides of a comparison


def _find_both(
    query: ViewQuery, compared: Comparison, request: SourceRequest, file: TextId, progress: Progress
) -> _FoundSource:
    profile, context = query.profile, query.context
    sides = _line_sides(query, compared, file, is_whole_file=request.is_whole_file)
    sources = read_compared_sources(
        compared,
        query.active_function(),
        sides,
        list(dict.fromkeys((file, *sides.files()))),
        context.files,
        progress,
        context.base_search,
        accepted_large=request.accepted_large,
    )
    base, lines = sides.base, sides.new
    if sources.reasons.get(file) == NO_TEXTS:  # numbers of two unknown texts say nothing
        base, lines = (lines_in_file(side, NO_TEXT) for side in (base, lines))
    base, lines = united_lines(base, lines, file, sources.numberings)
    return _FoundSource(
        lines,
        sources.new_texts,
        sources.shown_texts(),
        sources.withheld,
        _first_problem(sides.new, file, profile.texts[file], sources.new),
        _side_notes(profile.texts[file], file, sources),
        base,
        sources.numberings,
        (sources.moved_from, sources.moved_to),
        _base_source(compared, profile, file, sources),
    )


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
    if file != file_of_function(query.profile, function):
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
        sources.reasons.get(about, ""),
        sources.base.problems.get(name),
        bool(sources.new_texts),
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
