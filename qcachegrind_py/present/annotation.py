"""Annotated functions and source files: the costs of their lines or instructions, and their sums.

Text, tables and JSON have the same costs. `AnnotationReport.rows` are those of one function or file
in exact numbers; `code_listings` is what people read: lines or instructions with cost and some
around each, and below them the calls and jumps from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache, cached_property, partial
from itertools import accumulate, chain, islice, pairwise
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedInstructions,
    AnnotatedLines,
    annotate_instructions,
    annotate_lines,
    empty_instruction_costs,
    event_costs,
    function_self_cost,
    joined_costs,
    line_text,
)
from qcachegrind_py.analysis.code.function_files import file_of_function
from qcachegrind_py.analysis.code.instructions import NO_CODE
from qcachegrind_py.analysis.code.location_costs import (
    LineCosts,
    has_addresses,
    instruction_costs,
    lines_of_files,
    lines_of_functions,
    program_lines,
)
from qcachegrind_py.analysis.costs.function_costs import has_call_counts
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.costs.totals import total
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.exact import (
    CodeCells,
    ExactCells,
    PathCells,
    PhraseCells,
    exact,
    repeated_names,
    share_in_text,
    written_once,
)
from qcachegrind_py.present.page import Listing, Note, Page
from qcachegrind_py.present.selection import ReportSelection, costliest_first
from qcachegrind_py.present.table import Column, Table
from qcachegrind_py.profile.errors import (
    AnnotationError,
    FileTooLarge,
    MissingFile,
    ProfileError,
    WithheldFile,
)
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    FunctionId,
    TextId,
    text_at,
    text_ids,
)
from qcachegrind_py.profile.numbers import ACTIVE, IN_CYCLE, UNDEFINED, percentage, plural
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, StringTable, to_display
from qcachegrind_py.tools.annotation_inputs import (
    Sources,
    find_function_code,
    is_newer_than_profile,
    missing_instructions_reason,
    missing_lines_reason,
    problem_texts,
    read_sources,
    source_doubts,
    texts_by_file,
)
from qcachegrind_py.tools.sources.file_search import FileSearch
from qcachegrind_py.tools.sources.text_file import SourceText
from qcachegrind_py.visible_text import visible_text

Annotated = AnnotatedLines | AnnotatedInstructions

CONTEXT_LINES = 3  # lines or instructions around each that has cost, by default
_MAP_NOTE = "For files that were not found, use --map FROM=TO or -I DIR."
_NO_INSTRUCTION = "(no instruction begins here)"
_ELLIPSIS = "…"  # lines or instructions that are left out
_CODE_WIDTH = 44  # of instructions, before the source line they were compiled from
_OF_INSTRUCTIONS = "Address", f"{'Instruction':{_CODE_WIDTH}}  Source"
_ROWS_AT_ONCE = 1000  # of costs, in one table
_MOST_WRITTEN = 20_000  # rows whose texts are kept, which takes 10 MB
_LOCATION, _CALL, _JUMP = 0, 1, 2


@frozen(eq=True)
class Annotation:
    """A function or a source file with its costs, and what to know about its texts."""

    annotated: Annotated
    missing: Mapping[str, ProfileError] = field(default_factory=dict)  # files without a text
    doubts: tuple[str, ...] = ()  # why texts may not match, or what was not recorded
    newer: tuple[Path, ...] = ()  # files that changed after the profile was written

    @property
    def problem(self) -> str:
        """Why texts are missing or may not match; empty if all are there."""
        return " ".join((*problem_texts(self.missing), *self.doubts))

    @property
    def warning(self) -> str:
        """Which files changed after the profile was written; empty if none did."""
        return " ".join(map(_newer_warning, self.newer))

    @property
    def has_texts(self) -> bool:
        """Whether there is a text of any line, or any decoded instruction."""
        annotated = self.annotated
        if isinstance(annotated, AnnotatedLines):
            return bool(annotated.texts)
        return len(annotated.code) > 0


def _newer_warning(path: Path) -> str:
    return to_display(f"{path} changed after the profile was written and may not match it.")


# ---------------------------------------------------------------- what is annotated


def annotated_functions(
    selection: ReportSelection,
    functions: Sequence[FunctionId],
    search: FileSearch,
    *,
    with_instructions: bool,
) -> Iterator[Annotation]:
    """Yield the lines or the instructions of each function."""
    if with_instructions:
        for function in functions:
            yield _instructions(selection, function, search)
        return
    lines_of = lines_of_functions(selection.profile, functions, selection.scope.parts)
    sources = _KnownSources(selection.profile, search)
    for function, lines in zip(functions, lines_of, strict=True):
        yield _lines(selection, function, lines, sources)


def annotated_files(
    selection: ReportSelection, files: Sequence[TextId], search: FileSearch
) -> Iterator[Annotation]:
    """Yield the lines of each source file, with the costs of all functions."""
    sources = _KnownSources(selection.profile, search)
    for lines in lines_of_files(selection.profile, files, selection.scope.parts):
        yield _lines(selection, NO_FUNCTION, lines, sources)


def costly_files(selection: ReportSelection) -> list[TextId]:
    """Return the files in which the functions of a report have self costs, costliest first.

    They are as many as the threshold asks for, of the costs in whose lines they are, and at most
    as many as the limit.
    """
    queries, event = selection.queries, selection.sort_event
    lines = program_lines(selection.profile, selection.scope.parts, selection.visible)
    files, place = np.unique(lines.file, return_inverse=True)
    costs = sums_by_group(lines.self_cost, place, len(files))
    chosen: Int64Array = np.flatnonzero(costs.any(axis=0))
    if event is not None:
        measured = queries.measured_event(event)
        order = costliest_first(queries.events.evaluate(measured, costs))
        chosen = order[np.isin(order, chosen)]
        if selection.thresholds:
            covering = selection.covering(lambda each: queries.events.evaluate(each, costs))
            chosen = chosen[covering[chosen]]
    return text_ids(files[chosen[: selection.limit]])


class _KnownSources:
    """Reads the sources of many functions; what is known of a file is not looked for again."""

    def __init__(self, profile: Profile, search: FileSearch) -> None:
        self._search, self._creator = search, profile.creator
        self._known: dict[tuple[str, str], SourceText | ProfileError] = {}
        self.is_newer = cache(partial(is_newer_than_profile, profile=profile))

    def read(self, names: Sequence[str], object_: str) -> Sources:
        known = self._known
        unknown = [name for name in names if (object_, name) not in known]
        new = Sources({}, {})
        if unknown:
            new = read_sources(unknown, object_, self._search, creator=self._creator)
        texts, problems = dict(new.texts), dict(new.problems)
        for name in names:
            match known.get((object_, name)):
                case SourceText() as text:
                    texts[name] = text
                case ProfileError() as problem:
                    problems[name] = problem
        for name, text in new.texts.items():
            known[object_, name] = text
        for name, problem in new.problems.items():
            if not isinstance(problem, FileTooLarge):  # it may have room beside fewer others
                known[object_, name] = problem
        return Sources(texts, problems)


def _lines(
    selection: ReportSelection, function: FunctionId, lines: LineCosts, known: _KnownSources
) -> Annotation:
    profile, object_ = selection.profile, ""
    files = sorted(set(text_ids(lines.file)))
    if function != NO_FUNCTION:
        object_ = profile.texts[text_at(profile.functions.object, function)]
        own_file = file_of_function(profile, function)
        files.sort(key=lambda file: file != own_file)
    sources = known.read([profile.texts[file] for file in files], object_)
    found = texts_by_file(profile, files, sources)
    texts = {file: text.lines for file, text in found.items()}
    has_lines = selection.queries.has_lines
    return Annotation(
        annotate_lines(profile, function, lines, _cycles(selection), texts),
        sources.problems if has_lines else {},
        source_doubts(profile, lines, sources) if has_lines else (missing_lines_reason(profile),),
        tuple(text.path for text in found.values() if known.is_newer(text.modified)),
    )


def _instructions(
    selection: ReportSelection, function: FunctionId, search: FileSearch
) -> Annotation:
    profile = selection.profile
    if not has_addresses(profile):
        costs = empty_instruction_costs(profile)
        annotated = annotate_instructions(profile, function, costs, _cycles(selection), NO_CODE)
        return Annotation(annotated, doubts=(missing_instructions_reason(profile),))
    costs = instruction_costs(profile, function, selection.scope.parts)
    result = find_function_code(profile, function, costs, search)
    machine, problem = result.machine_code, result.problem
    is_newer = machine is not None and is_newer_than_profile(machine.modified, profile)
    object_ = profile.texts[text_at(profile.functions.object, function)]
    return Annotation(
        annotate_instructions(profile, function, costs, _cycles(selection), result.code),
        {object_: problem} if isinstance(problem, ProfileError) else {},
        (problem,) if isinstance(problem, str) else (),
        (machine.path,) if machine is not None and is_newer else (),
    )


def _cycles(selection: ReportSelection) -> Int32Array:
    return selection.queries.costs(selection.scope).cycle


# ---------------------------------------------------------------- the report


@frozen(eq=True, slots=False)
class AnnotationReport:
    """Functions and files of one profile, with costs in some events side by side."""

    annotations: Sequence[Annotation]
    events: tuple[EventType, ...]
    parts: Parts = None
    is_list: bool = False  # whether there may be several, even if there is one
    of_program: bool = False  # they are its costly files: people read those with a text
    texts: StringTable | None = None  # of names that people read; None: as recorded

    @cached_property
    def totals(self) -> tuple[int | float, ...]:
        """What percentages are of: a total for each event, or a zero without events."""
        profile = self.annotations[0].annotated.profile
        return tuple(total(profile, event, self.parts).base for event in self.events) or (0,)

    @property
    def for_people(self) -> list[Annotation]:
        """The annotations that people read: of a whole program, only those with a text."""
        return [each for each in self.annotations if each.has_texts or not self.of_program]

    @property
    def is_of_one_kind(self) -> bool:
        """Whether all are functions, or all are files; both would count some costs twice."""
        return len({each.annotated.function == NO_FUNCTION for each in self.annotations}) == 1

    def self_cost(self, annotated: Annotated) -> Int64Array:
        """Return the self cost of the function or of the file, shape (measured events, 1)."""
        profile = annotated.profile
        if isinstance(annotated, AnnotatedInstructions) and not has_addresses(profile):
            return function_self_cost(profile, annotated.function, self.parts)
        costs: Int64Array = annotated.costs.self_cost.sum(axis=1, keepdims=True)
        return costs

    # ---------------------------------------------------------------- rows of exact numbers

    def titles(self, annotated: Annotated) -> list[str]:
        """Return the titles of the rows; they name the event only where there are several."""
        costs = ["self", "inclusive"]
        if len(self.events) > 1:
            costs = [f"{kind} {event.name}" for event in self.events for kind in costs]
        if isinstance(annotated, AnnotatedLines):
            return ["file", "line", *costs, "text"]
        return ["address", "size", *costs, "file", "line", "text"]

    def rows(self, annotated: Annotated) -> Iterator[tuple[object, ...]]:
        """Yield the lines with cost, or all instructions."""
        if isinstance(annotated, AnnotatedLines):
            return self._line_rows(annotated)
        return self._instruction_rows(annotated)

    def _costs(self, annotated: Annotated) -> list[list[int | float]]:
        """Return self and inclusive costs of all rows, for each event; zeros without events."""
        return [
            costs(event)
            for event in self.events or (None,)
            for costs in (annotated.self_cost, annotated.inclusive_cost)
        ]

    def _line_rows(self, annotated: AnnotatedLines) -> Iterator[tuple[object, ...]]:
        costs = self._costs(annotated)
        for row in annotated.order:
            text = (annotated.text(row) or "").expandtabs()
            cells = (_defined(column[row]) for column in costs)
            yield annotated.file(row), annotated.lines.line[row], *cells, text

    def _instruction_rows(self, annotated: AnnotatedInstructions) -> Iterator[tuple[object, ...]]:
        costs, cost_rows = self._costs(annotated), annotated.cost_row.tolist()
        for position, address in enumerate(annotated.address.tolist()):
            row, text = cost_rows[position], annotated.text(position)
            file, line = annotated.location(position)
            yield (
                f"{address:#x}",
                annotated.size(position),
                *(_defined(column[row]) if row >= 0 else 0 for column in costs),
                *(file or "", "" if line is None else line),
                (text or "").expandtabs(),
            )

    # ---------------------------------------------------------------- what is said of the sums

    def heading(self, annotation: Annotation) -> Iterator[str]:
        """Yield lines about a function or file: its location, its share of the total, problems.

        In a list, the files without a text are named once, by `missing_page`.
        """
        annotated = annotation.annotated
        if annotated.function == NO_FUNCTION:
            yield f"File: {visible_text(subject_file(annotated))}"
        else:
            _, file, object_ = function_texts(annotated.profile, annotated.function)
            yield visible_text(self.name(annotated.profile, annotated.function))
            yield f"File: {visible_text(file)}"
            yield f"Object: {visible_text(object_)}"
        for share in self._shares(self.self_cost(annotated)):
            yield f"Self {share}"
        problem = " ".join(annotation.doubts) if self.is_list else annotation.problem
        if problem:
            yield f"Problem: {visible_text(problem)}"
        if annotation.warning:
            yield f"Warning: {visible_text(annotation.warning)}"

    def name(self, profile: Profile, function: FunctionId) -> str:
        """Return the name of a function that people read."""
        return (self.texts or profile.texts)[text_at(profile.functions.name, function)]

    def sum_lines(self) -> Iterator[str]:
        """Yield how much of the total cost the functions or files have, for each event."""
        if self.events and self.is_of_one_kind:
            measured = len(self.annotations[0].annotated.costs.self_cost)
            each = (self.self_cost(each.annotated) for each in self.for_people)
            costs = sum(each, np.zeros((measured, 1), np.int64))
            yield from (f"Annotated {share}" for share in self._shares(costs))

    def _shares(self, measured: Int64Array) -> Iterator[str]:
        """Yield a cost with its event, the total, and the percentage if there is one."""
        for event, whole in zip(self.events or (None,), self.totals, strict=True):
            (cost,) = event_costs(self.annotations[0].annotated.profile, event, measured)
            text = f"{visible_text(event.name) if event else 'cost'}: {exact(cost)}"
            if not (event and event.is_ratio):
                share = percentage(cost, whole)
                text += f" of {exact(whole)}"
                text += "" if share is None else f" ({share_in_text(share)} %)"
            yield text

    # ---------------------------------------------------------------- what is missing

    @cached_property
    def missing(self) -> Mapping[str, ProfileError]:
        """Why files have no text, by their recorded names."""
        return {name: why for each in self.annotations for name, why in each.missing.items()}

    def notes(self, *, with_missing: bool) -> Iterator[str]:
        """Yield what to say on standard error, each once."""
        is_missing = any(isinstance(error, MissingFile) for error in self.missing.values())
        doubts = chain.from_iterable(each.doubts for each in self.annotations)
        newer = chain.from_iterable(each.newer for each in self.annotations)
        missing = problem_texts(self.missing) if with_missing else []
        yield from dict.fromkeys((*missing, *doubts, *map(_newer_warning, newer)))
        if is_missing and with_missing:
            yield _MAP_NOTE

    def missing_page(self) -> Page:
        """Return the files without a text, costliest first, by what may be done about them."""
        groups: dict[str, list[str]] = {}
        for name, error in self.missing.items():
            groups.setdefault(_remedy(error), []).append(name)
        blocks = list[Note | Listing]()
        for remedy, names in groups.items():
            count = f"{len(names):,} {plural(len(names), 'file')}"
            blocks += [Note(f"{count} {remedy}"), self._missing_files(names)]
        return Page(blocks)

    def _missing_files(self, names: Sequence[str]) -> Listing:
        costs = self._costs_by_file(names) if self.is_of_one_kind else None
        columns = list[Column]()
        order = np.arange(len(names))
        for event, whole in zip(self.events, self.totals, strict=False):
            if costs is not None:
                of_event = self.annotations[0].annotated.profile.events.evaluate(event, costs)
                cells = ExactCells(of_event, total=whole, least_width=len("Self"))
                order = order if columns else costliest_first(of_event)
                columns.append(Column("self", "Self", "", cells, group=_group(self.events, event)))
        shown = PathCells(lambda rows: [names[row] for row in rows.tolist()])
        columns.append(Column("file", "File", "", shown))
        return Listing(Table(tuple(columns), len(names)), order)

    def _costs_by_file(self, names: Sequence[str]) -> Int64Array:
        """Return the self costs of code in these files, shape (measured events, files)."""
        profile, costs = self.annotations[0].annotated.profile, list[Int64Array]()
        files = list[Int32Array]()  # of each cost
        for annotated in (each.annotated for each in self.annotations):
            if isinstance(annotated, AnnotatedLines):
                files.append(annotated.lines.file)
                costs.append(annotated.costs.self_cost)
            else:
                files.append(profile.functions.object[[annotated.function]])
                costs.append(self.self_cost(annotated))
        distinct, place = np.unique(np.concatenate(files), return_inverse=True)
        sums = sums_by_group(np.concatenate(costs, axis=1), place, len(distinct))
        row_of = {name: row for row, name in enumerate(profile.texts.lookup(text_ids(distinct)))}
        return sums[:, [row_of[name] for name in names]]


def _remedy(error: ProfileError) -> str:
    """Return what is said of all files that have no text for the same reason."""
    if isinstance(error, MissingFile):
        return "not found. Name their folder with -I DIR, or where they are now with --map FROM=TO."
    if isinstance(error, WithheldFile):
        return f"left out, as {error.cause}. {error.remedy}"
    if isinstance(error, AnnotationError):
        return f"without a text: it {error.reason} {error.remedy}".rstrip()
    return f"without a text: {error}"


def _group(events: Sequence[EventType], event: EventType | None) -> str:
    """Return what stands above the columns of an event: its name, where there are several."""
    return visible_text(event.name) if event is not None and len(events) > 1 else ""


def subject_file(annotated: Annotated) -> str:
    """Return the name of the one file that is annotated over all functions."""
    if isinstance(annotated, AnnotatedLines) and annotated.files:
        return annotated.profile.texts[next(iter(annotated.files))]
    return ""


def function_texts(profile: Profile, function: FunctionId) -> tuple[str, str, str]:
    """Return name, file and object of a function as recorded; empty texts for none."""
    if function == NO_FUNCTION:
        return "", "", ""
    texts, functions = profile.texts, profile.functions
    columns = functions.name, functions.file, functions.object
    name, file, object_ = (texts[text_at(column, function)] for column in columns)
    return name, file, object_


def _defined(cost: int | float) -> int | float | str:
    return cost if math.isfinite(cost) else ""


# ---------------------------------------------------------------- for people


@frozen(eq=True)
class CodeColumns:
    """Which columns a listing of code has, as far as its lines have room for them."""

    context: int = CONTEXT_LINES  # lines around each with cost
    events: int | None = None  # of those of the report, as many; None: all
    has_shares: bool = True  # percentages of the total
    has_inclusive: bool = True  # if not, calls have their costs in the column of self costs


def code_listings(
    report: AnnotationReport, shown: CodeColumns
) -> Iterator[tuple[Annotation, list[Listing]]]:
    """Yield the listings of each function or file: the lines by file, or the instructions.

    Many small functions share a table, as one of three rows takes as long as one of a thousand.
    """
    for many in _at_once(report.for_people):
        listings = _Code(report, [each.annotated for each in many], shown).listings()
        for annotation in many:
            yield annotation, list(islice(listings, _section_count(annotation.annotated)))


def _at_once(annotations: Iterable[Annotation]) -> Iterator[list[Annotation]]:
    """Yield neighbours of one kind, as many as have together some thousand rows of costs."""
    many, rows = list[Annotation](), 0
    for each in annotations:
        count = each.annotated.costs.self_cost.shape[1]
        is_other = bool(many) and type(each.annotated) is not type(many[0].annotated)
        if many and (is_other or rows + count > _ROWS_AT_ONCE):
            yield many
            many, rows = [], 0
        many.append(each)
        rows += count
    if many:
        yield many


@frozen
class _Section:
    """The lines of a file, or the instructions of a function: what one listing has.

    They are numbered from 1 to `last`. Rows of costs and jumps are counted over all functions.
    """

    row_of: Mapping[int, int]  # of the costs, by number; lines that are in no file have one, too
    last: int
    title: str
    location: Callable[[int], str]
    text: Callable[[int], str]
    target: Callable[[int], str]  # where a jump leads


def _section_count(annotated: Annotated) -> int:
    return len(annotated.files) if isinstance(annotated, AnnotatedLines) else 1


def _sections(annotated: Annotated, first_row: int, first_jump: int) -> Iterator[_Section]:
    """Yield the lines of each file, or the instructions by address."""
    if isinstance(annotated, AnnotatedLines):
        for file, rows in annotated.files.items():
            yield _lines_of_file(annotated, file, rows, first_row, first_jump)
        return
    addresses, jumps = annotated.address.tolist(), annotated.jumps
    cost_rows = enumerate(annotated.cost_row.tolist(), 1)
    yield _Section(
        {number: first_row + row for number, row in cost_rows if row >= 0},
        len(addresses),
        "",
        lambda number: f"{addresses[number - 1]:#x}",
        lambda number: _instruction(annotated, number - 1),
        lambda jump: f"{int(jumps.target[jump - first_jump]):#x}",
    )


def _lines_of_file(
    annotated: AnnotatedLines, file: TextId, rows: Sequence[int], first_row: int, first_jump: int
) -> _Section:
    jumps, texts = annotated.jumps, annotated.profile.texts

    def source(number: int) -> str:
        return visible_text((line_text(annotated.texts, file, number) or "").expandtabs())

    def target(jump: int) -> str:
        row = jump - first_jump
        to_file, line = text_at(jumps.target_file, row), int(jumps.target_line[row])
        return f"line {line}" if to_file == file else f"{base_name(texts[to_file])}:{line}"

    numbers = annotated.lines.line[rows].tolist()
    return _Section(
        {number: first_row + row for number, row in zip(numbers, rows, strict=True)},
        len(annotated.texts.get(file, ())),
        "" if annotated.function == NO_FUNCTION else visible_text(texts[file]),
        str,
        source,
        target,
    )


def _instruction(annotated: AnnotatedInstructions, position: int) -> str:
    """Return an instruction and the source line it was compiled from."""
    missing = _NO_INSTRUCTION if len(annotated.code) else ""
    text = visible_text((annotated.text(position) or missing).expandtabs())
    file, line = annotated.location(position)
    return f"{text:{_CODE_WIDTH}}  {visible_text(base_name(file or ''))}:{line}" if line else text


@frozen
class _Records:
    """What is listed, in order: locations, gaps between them, and calls and jumps from them."""

    section: Int64Array
    kind: Int64Array
    number: Int64Array  # of the line or instruction, which a gap does not have
    index: Int64Array  # row of the costs, of the calls or of the jumps; -1: no cost
    is_gap: BoolArray


class _Code:
    """Builds the listings of functions or files: locations, costs in each event, and texts."""

    def __init__(
        self, report: AnnotationReport, many: Sequence[Annotated], shown: CodeColumns
    ) -> None:
        self._report, self._shown = report, shown
        self._profile, self._is_of_lines = many[0].profile, isinstance(many[0], AnnotatedLines)
        self._costs, self._jumps = joined_costs(many)
        first_rows = _starts([each.costs.self_cost.shape[1] for each in many])
        first_jumps = _starts([len(each.jumps) for each in many])
        self._sections = [
            section
            for annotated, row, jump in zip(many, first_rows, first_jumps, strict=True)
            for section in _sections(annotated, row, jump)
        ]

    def listings(self) -> Iterator[Listing]:
        """Yield one of each section: the numbers with a row of costs, and their surroundings."""
        records = self._records()
        location, text = ("Line", "Source") if self._is_of_lines else _OF_INSTRUCTIONS
        columns = (
            Column("location", location, "", self._locations(records)),
            *self._cost_columns(records),
            Column("text", text, "", CodeCells(partial(self._texts, records))),
        )
        count = len(records.kind)
        if len(self._sections) > 1 and count <= _MOST_WRITTEN:
            columns = tuple(written_once(column, count) for column in columns)
        table = Table(columns, count)
        starts = np.searchsorted(records.section, np.arange(len(self._sections) + 1)).tolist()
        for section, (begin, end) in zip(self._sections, pairwise(starts), strict=True):
            yield Listing(table, np.arange(begin, end), section.title)

    def _records(self) -> _Records:
        listed = [
            (place, number, -1 if number is None else section.row_of.get(number, -1))
            for place, section in enumerate(self._sections)
            for number in _with_context(section.row_of, section.last, self._shown.context)
        ]
        section = np.array([place for place, _, _ in listed], np.int64)
        number = np.array([0 if number is None else number for _, number, _ in listed], np.int64)
        row = np.array([row for _, _, row in listed], np.int64)
        is_gap = np.array([number is None for _, number, _ in listed], bool)
        place_of_row = np.full(self._costs.self_cost.shape[1] + 1, -1)
        place_of_row[row] = np.arange(len(row))
        of_calls = place_of_row[self._costs.calls.location]
        of_jumps = place_of_row[self._jumps.location]
        place = np.concatenate((np.arange(len(row)), of_calls, of_jumps))
        kind = np.repeat([_LOCATION, _CALL, _JUMP], [len(row), len(of_calls), len(of_jumps)])
        order = np.lexsort((kind, place))
        index = np.concatenate((row, np.arange(len(of_calls)), np.arange(len(of_jumps))))
        at = place[order]
        return _Records(section[at], kind[order], number[at], index[order], is_gap[at])

    def _locations(self, records: _Records) -> PhraseCells:
        def text(section: int, kind: int, number: int, is_gap: bool) -> str:
            if kind != _LOCATION:
                return ""
            return _ELLIPSIS if is_gap else self._sections[section].location(number)

        def texts(rows: Int64Array) -> list[str]:
            columns = records.section, records.kind, records.number, records.is_gap
            return list(map(text, *(column[rows].tolist() for column in columns)))

        return PhraseCells(
            records.number, phrases=texts, least_width=7 if self._is_of_lines else 10
        )

    def _cost_columns(self, records: _Records) -> Iterator[Column]:
        """Yield self and inclusive costs in each event; calls have an inclusive cost alone."""
        events: Sequence[EventType | None] = self._report.events[: self._shown.events] or (None,)
        has_cost = (records.kind == _LOCATION) & (records.index >= 0)
        is_call = records.kind == _CALL
        costs = self._costs
        rows, calls = np.where(has_cost, records.index, -1), np.where(is_call, records.index, -1)
        is_within = np.append(costs.within_cycle, False)[calls]
        for event, whole in zip(events, self._report.totals, strict=False):
            own = self._in_event(event, costs.self_cost)[rows]
            inclusive = self._in_event(event, costs.inclusive)[rows]
            of_calls = self._in_event(event, costs.calls.inclusive)[calls]
            group, width = _group(self._report.events, event), max(len("Incl."), len(exact(whole)))
            with_calls = partial(
                _CodeCosts, is_within=is_within, is_absent=~has_cost & ~is_call, least_width=width
            )
            if self._shown.has_inclusive:
                is_ratio = event is not None and event.is_ratio
                total_ = whole if self._shown.has_shares and not is_ratio else None
                cells = ExactCells(
                    own, total=total_, is_absent=~has_cost, absent="", least_width=width
                )
                yield Column("self", "Self", "", cells, group=group)
                cells = with_calls(np.where(is_call, of_calls, inclusive))
                yield Column("inclusive", "Incl.", "", cells, group=group)
            else:
                cells = with_calls(np.where(is_call, of_calls, own))
                yield Column("self", group or "Self", "", cells)

    def _in_event(self, event: EventType | None, costs: Int64Array) -> CostArray:
        """Return the costs in one event, and a zero behind them for what has no row."""
        if event is None:
            return np.zeros(costs.shape[1] + 1, np.int64)
        return np.append(self._profile.events.evaluate(event, costs), 0)

    def _texts(self, records: _Records, rows: Int64Array) -> list[str]:
        of_calls = self._call_texts(records.index[rows[records.kind[rows] == _CALL]])

        def text(section: int, kind: int, number: int, index: int, is_gap: bool) -> str:
            if kind == _CALL:
                return next(of_calls)
            if kind == _JUMP:
                return self._jump_text(index, self._sections[section].target(index))
            return "" if is_gap else self._sections[section].text(number)

        columns = records.section, records.kind, records.number, records.index, records.is_gap
        return list(map(text, *(column[rows].tolist() for column in columns)))

    def _call_texts(self, rows: Int64Array) -> Iterator[str]:
        """Yield the callee of each call, with count and file."""
        profile, calls = self._profile, self._costs.calls
        callees, has_counts = calls.callee[rows], has_call_counts(profile)
        columns = (
            repeated_names(self._report.texts or profile.texts, profile.functions.name[callees]),
            repeated_names(profile.texts, profile.functions.file[callees]),
            calls.count[rows].tolist(),
            calls.is_active[rows].tolist(),
        )
        for name, file, count, is_active in zip(*columns, strict=True):
            count_text = ACTIVE if is_active else f"{count:,}×" if has_counts else UNDEFINED
            yield f"  → {visible_text(name)} {count_text} ({visible_text(base_name(file))})"

    def _jump_text(self, jump: int, target: str) -> str:
        count = f"{int(self._jumps.executed[jump]):,}×"
        if self._jumps.conditional[jump]:
            count = f"{int(self._jumps.followed[jump]):,} of {count}"
        return f"  ↷ {count} to {visible_text(target)}"


def _starts(counts: Sequence[int]) -> list[int]:
    """Return where each begins of what stands one behind another."""
    return list(accumulate(counts[:-1], initial=0))


@frozen
class _CodeCosts(ExactCells):
    """Costs of locations and of calls, of which those within a cycle have none of their own."""

    is_within: BoolArray = field(kw_only=True)
    absent: str = ""

    def texts(self, rows: Int64Array) -> list[str]:
        texts = ExactCells.texts(self, rows)
        for place in np.flatnonzero(self.is_within[rows]).tolist():
            texts[place] = IN_CYCLE
        return texts

    def width(self, rows: Int64Array) -> int:
        is_within = self.is_within[rows]
        within = len(IN_CYCLE) * bool(is_within.any())
        return max(within, ExactCells.width(self, rows[~is_within]))


def _with_context(marked: Iterable[int], last: int, context: int) -> Iterator[int | None]:
    """Yield the marked numbers with context, from 1 to `last`; None for each gap."""
    numbers = set(marked)
    for number in [number for number in numbers if 1 <= number <= last]:
        numbers.update(range(max(1, number - context), min(last, number + context) + 1))
    previous = 0
    for number in sorted(numbers):
        if min(number, last + 1) > max(previous + 1, 1):
            yield None
        yield number
        previous = number
    if previous < last:
        yield None
