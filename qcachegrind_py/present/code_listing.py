"""A table of source lines or instructions: what its records say and hide.

`code_lines` and `code_instructions` have what only one of them says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import SourceLines
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.code_records import (
    MARK_WORDS,
    NO_ROWS,
    Arrows,
    CodeCosts,
    CodeRows,
    LocationMark,
    RecordKind,
    code_costs,
    event_costs,
)
from qcachegrind_py.present.context import Position
from qcachegrind_py.present.figures import Counts, Figures
from qcachegrind_py.present.jump_lanes import JumpLanes, assign_lanes
from qcachegrind_py.present.table import (
    Cells,
    Column,
    CostCells,
    CountCells,
    Numbers,
    Shown,
    SideCells,
    Table,
    Value,
    cell_text,
    known_numbers,
)
from qcachegrind_py.present.unit import BASE, NEW
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import ProfileError, WithheldFile
from qcachegrind_py.profile.events import EventTypes, Float64Array
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, TextId
from qcachegrind_py.profile.numbers import (
    ACTIVE,
    DEFAULT_STYLE,
    IN_CYCLE,
    UNDEFINED,
    NumberStyle,
    format_count,
    plural,
)
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.tools.sources.text_file import Highlights
from qcachegrind_py.visible_text import visible_text

# Arrows that get other lanes when a group is closed or opened: 5,000 take 25 ms in the GUI thread.
_MAX_MOVED_ARROWS = 5_000
_MAX_JUMP_TEXTS = 5
_TINY = 0.0001  # part of the total; the percentage of less is written as <0.01

Chunk = tuple[TextId, int]  # a file, and the number of one of its chunks of lines
Colors = Mapping[Chunk, Highlights]
ColoredWords = tuple[tuple[int, int, int], ...]  # column, length and kind (a `Token`) of each


class SearchedTexts(NamedTuple):
    """The texts of code in lower case, made once, as each letter that is typed searches them."""

    lowered: Sequence[str]
    text: Int64Array  # the text of each record below; -1 for none
    record: Int64Array


@frozen(slots=False, kw_only=True)
class CodeTexts:
    """What the records of lines or instructions say; the texts of missing files are unknown."""

    rows: CodeRows = NO_ROWS
    file_names: Mapping[TextId, str] = field(default_factory=dict)  # the shortest distinct paths
    texts: SourceLines = field(default_factory=dict)  # the source files that were found
    # why texts are not written into other files
    withheld: Mapping[TextId, WithheldFile] = field(default_factory=dict)
    has_jumps: bool = True  # whether jumps were recorded; if so, others were never executed
    style: NumberStyle = DEFAULT_STYLE  # of counts

    noun = ""  # for locations
    location_head, code_head = ("", ""), ("", "")  # titles of columns with their tips
    location_width = 8  # digits

    def columns(self) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
        """Return the columns before and behind those of numbers."""
        keys = self.rows.records.parent
        places = CodeCells(says=self.location, plain=self.plain_location, keys=keys, is_number=True)
        code = CodeCells(says=self.shown_code, plain=self.plain_code, keys=keys)
        return (
            (Column("location", *self.location_head, places, width=self.location_width),),
            (Column("text", *self.code_head, code, stretches=True),),
        )

    def place(self, record: int) -> str:
        """Return the line or address of a record; empty if it is no location."""
        raise NotImplementedError

    def location(self, record: int) -> str:
        return self.place(record)

    def frame(self, record: int) -> str:
        """Return file and line of code from another file, which stand before it; else nothing."""
        return ""

    def beginning(self) -> int:
        """Return the record at which the function begins; -1 if that is not known."""
        return -1

    def position_of(self, record: int) -> Position:
        raise NotImplementedError

    def records_at(self, position: Position) -> BoolArray:
        """Return the mask of the records at a line or instruction, without its calls."""
        raise NotImplementedError

    def full_text(self, record: int) -> str:
        """Return the whole text of a record."""
        kind = self.rows.records.kind[record]
        if kind == RecordKind.CALL:
            return self.call_text(record)
        return self.fold_text(record) if kind == RecordKind.FOLD else self.code_text(record)

    def code_text(self, record: int) -> str:
        raise NotImplementedError

    @cached_property
    def searched(self) -> SearchedTexts:
        """Return the code that a search looks at, without remarks and calls."""
        raise NotImplementedError

    def longest_texts(self) -> dict[str, str]:
        """Return the longest texts by column: of the location, the code, and others in its font."""
        raise NotImplementedError

    def longest_number(self) -> str:
        """Return the longest line number or address, which must never be elided."""
        raise NotImplementedError

    def longest_name(self) -> str:
        """Return the longest file name with line, without its path, which is what is elided."""
        return ""

    def without_withheld(self) -> CodeTexts:
        """Return the same without the texts that are not written into other files."""
        texts = {file: lines for file, lines in self.texts.items() if file not in self.withheld}
        return replace(self, texts=texts)

    def matches_line(self, file: TextId, line: int) -> BoolArray:
        """Return the mask of a source line's records, without calls: shape (records,), bool."""
        rows, records = self.rows, self.rows.records
        matches = (rows.file == file) & (rows.line == line)
        kinds = RecordKind.LOCATION, RecordKind.SOURCE
        matched: BoolArray = matches[records.location] & np.isin(records.kind, kinds)
        return matched

    def line_of(self, record: int) -> tuple[TextId, int]:
        """Return file and source line of a record; 0 if unknown."""
        return self.rows.line_of(record)

    def has_text(self, record: int) -> bool:
        """Whether the record's text is part of the code, rather than a remark on it."""
        return True

    def colored_words(self, record: int, colors: Colors) -> ColoredWords:
        """Return the highlighted words of a record; `colors` are those known of source lines."""
        return ()

    def common_indent(self, record: int) -> int:
        """Return how many characters of indentation an inlined line shares with its neighbours."""
        return 0

    def mark(self, record: int) -> str:
        """Return the word for code that only one side of a comparison has, or that has moved."""
        return MARK_WORDS[self.rows.mark_of(record)]

    def is_gone(self, record: int) -> bool:
        """Whether the record is a line or an instruction that only the base has."""
        return self.rows.mark_of(record) == LocationMark.GONE

    def tip(self, record: int, hidden: str) -> tuple[str, ...]:
        """Return what is said of a line or an instruction; `hidden` is what a line hides."""
        return (*filter(None, [hidden]), *self.jump_texts(record))

    def shown_code(self, record: int) -> str:
        """Return the whole text as one line, as it is copied."""
        return visible_text(self.full_text(record).expandtabs())

    def plain_code(self, record: int) -> str:
        """Return the text for other programs: the line, or the full name of a called function."""
        function, labels = self.rows.function_of(record), self.rows.labels
        if function != NO_FUNCTION and labels is not None:
            return labels.full_name(function)
        return self.shown_code(record)

    def plain_location(self, record: int) -> str:
        """Return the location for other programs, with the word that marks it: 7 (gone)."""
        location, word = visible_text(self.place(record)), self.mark(record)
        return f"{location} ({word})" if location and word else location

    def call_text(self, record: int) -> str:
        callee, labels = self.rows.function_of(record), self.rows.labels
        if labels is None or callee == NO_FUNCTION:
            return ""
        location = labels.location(callee)
        return cell_text(labels.name(callee) + (f"  {location}" if location else ""))

    def fold_text(self, record: int) -> str:
        """Return how many rows a fold hides."""
        records = self.rows.records
        length = int(records.lengths[records.stretch[record]])
        return f"{self._count(length)} {self.noun} without cost"

    def _count(self, count: int) -> str:
        return format_count(count, self.style)

    # ---------------------------------------------------------------- jumps and search

    def jump_texts(self, record: int) -> list[str]:
        """Return the most frequent jumps from and to a record, one text each.

        The number is limited: a jump table may have thousands of targets.
        """
        jumps = self.rows.records.jumps_of(record)
        texts = [self._jump_text(jump, record) for jump in jumps[:_MAX_JUMP_TEXTS].tolist()]
        more = len(jumps) - len(texts)
        return [*texts, f"{more} more {plural(more, 'jump')}"] if more else texts

    def _jump_text(self, jump: int, record: int) -> str:
        """Return where a jump of a location leads to or comes from, and how often."""
        records, arrows = self.rows.records, self.rows.records.arrows
        is_outgoing = bool(arrows.source[jump] == records.location[record])
        other = int((arrows.target if is_outgoing else arrows.source)[jump])
        other_text = self.location(int(records.record_of_location[other]))
        executed, followed = int(arrows.executed[jump]), self._count(int(arrows.followed[jump]))
        times = f"{followed} of {self._count(executed)}" if arrows.conditional[jump] else followed
        how_often = "once" if times == "1" else f"{times} times"
        if executed < 0:
            how_often = "never" if self.has_jumps else "count not recorded"
        return f"jumps {'to' if is_outgoing else 'here from'} {other_text}: {how_often}"

    def containing(self, text: str) -> Int64Array:
        """Return the records whose code contains the text, in code order; case is ignored."""
        return np.flatnonzero(self._contains(text.lower()))

    def _contains(self, needle: str) -> BoolArray:
        """Return the mask of records that contain a text in lower case: shape (records,), bool."""
        lowered, text, record = self.searched
        found = np.array([needle in each for each in lowered] + [False])
        matches = np.zeros(len(self.rows.records), bool)
        matches[record] = found[text]
        return matches


@frozen(slots=False, kw_only=True)
class CodeCells(Cells):
    """Texts of records, by default in code order: in any order, calls stay below their line."""

    says: Callable[[int], str]
    keys: Int64Array
    plain: Callable[[int], str] | None = None  # for other programs, if that is another text
    is_number: bool = False
    is_titled: bool = True

    def text(self, row: int) -> str:
        return self.says(row)

    def order(self) -> Numbers:
        return self.keys

    def values(self, rows: Int64Array) -> list[Value]:
        texts = map(self.plain or self.says, rows.tolist())
        return list(map(_number_or_text, texts)) if self.is_number else list(texts)

    def heading(self, title: str) -> str:
        return title if self.is_titled else ""


def _number_or_text(text: str) -> Value:
    """Return the text of a number as a number; None if it is empty."""
    return int(text) if text.isdecimal() else text or None


@frozen(slots=False, kw_only=True)
class CodeCostCells(CostCells):
    """The costs of records: blank for zero, and for records that have none."""

    rows: CodeRows

    def text(self, row: int) -> str:
        inner = self.figures.is_inner
        if inner is not None and inner[row]:
            return IN_CYCLE
        return self.figures.cell(row) if self.rows.has_cost[row] and self.numbers()[row] else ""

    def order(self) -> Numbers:
        values = self.numbers()[self.rows.records.parent]
        return np.abs(values) if self.is_change else values

    def numbers(self) -> Numbers:
        shown = self.figures.shown
        return np.where(self.rows.has_cost, shown, 0.0) if shown.dtype.kind == "f" else shown

    def values(self, rows: Int64Array) -> list[Value]:
        return [number or None for number in known_numbers(self.numbers()[rows])]

    def widest(self) -> str:
        largest = super().widest()
        inner = self.figures.is_inner
        return largest if inner is None or not inner.any() else max(largest, IN_CYCLE, key=len)


@frozen(slots=False, kw_only=True)
class CodeSideCells(SideCells):
    """The costs of records on one side; dashes if it has not recorded the event."""

    rows: CodeRows

    def text(self, row: int) -> str:
        figures = self.figures
        if not figures.is_compared or self.rows.is_inner[row]:
            return ""
        if not figures.known[self.side]:
            return UNDEFINED if self.rows.has_cost[row] else ""
        return figures.side_cell(row, self.side) if self.numbers()[row] else ""

    def order(self) -> Numbers:
        return self.numbers()[self.rows.records.parent]

    def values(self, rows: Int64Array) -> list[Value]:
        if not self.figures.known[self.side]:
            return [None] * len(rows)
        return [number or None for number in known_numbers(self.numbers()[rows])]


@frozen(slots=False, kw_only=True)
class CallCells(CountCells):
    """How often records call, base → new if that differs; lines without calls are blank."""

    rows: CodeRows

    def text(self, row: int) -> str:
        calls, call = self.counts, int(self.rows.records.call[row])
        if calls.base[row] or calls.new[row]:
            return calls.text(row)
        return "" if call < 0 else ACTIVE if self.rows.calls.is_active[call] else UNDEFINED

    def order(self) -> Numbers:
        return self.counts.order()[self.rows.records.parent]

    def values(self, rows: Int64Array) -> list[Value]:
        base, new = self.counts.base[rows].tolist(), self.counts.new[rows].tolist()
        pairs = zip(base, new, strict=True)
        return [now if before == now else f"{before} → {now}" for before, now in pairs]

    def base_numbers(self) -> Numbers | None:
        return None

    def widest(self) -> str:
        base, new = self.counts.base, self.counts.new
        differs = base != new
        # the largest new one, and the largest of each side that differs, approximately
        places = {int(np.where(differs, side, 0).argmax()) for side in (base, new) if len(side)}
        places |= {int(new.argmax())} if len(new) else set()
        texts = [self.text(place) for place in places]
        has_words = self.counts.is_compared or self.rows.calls.is_active.any()
        return max([*texts, ACTIVE if has_words else ""], key=len)

    def heading(self, title: str) -> str:
        return title if len(self.rows.calls) else ""


# ---------------------------------------------------------------- the table


@frozen(slots=False)
class CodeListing:
    """The texts and costs of lines or instructions, with some groups of inlined lines closed."""

    texts: CodeTexts
    open_costs: CodeCosts  # with all groups open
    closed: BoolArray  # mask of the groups

    @staticmethod
    def of(texts: CodeTexts, costs: CodeCosts, *, hides_inlined: bool = False) -> CodeListing:
        closed = np.full(len(texts.rows.records.groups), hides_inlined)
        return CodeListing(_styled(texts, costs), costs, closed)

    def with_costs(self, costs: CodeCosts) -> CodeListing:
        return replace(self, texts=_styled(self.texts, costs), open_costs=costs)

    def with_group(self, record: int, *, closed: bool) -> CodeListing:
        """Return the listing with the group of a record closed or open; itself if it is that."""
        group = self.rows.records.group_of(record)
        if group < 0 or bool(self.closed[group]) == closed:
            return self
        groups = self.closed.copy()
        groups[group] = closed
        return replace(self, closed=groups)

    @property
    def rows(self) -> CodeRows:
        return self.texts.rows

    @property
    def is_compared(self) -> bool:
        return self.open_costs.first.is_compared

    @cached_property
    def costs(self) -> CodeCosts:
        """The costs with the sums of closed groups at their hosts."""
        costs, records = self.open_costs, self.rows.records
        if not self.closed.any():
            return costs
        hosts = records.record_of_location[records.groups.host]
        hidden = self.hidden_locations
        visible = records.record_of_location[~hidden]
        first, second = (
            of_event.with_sums(self.closed, hosts, visible)
            for of_event in (costs.first, costs.second)
        )
        members = np.flatnonzero(hidden)
        to = hosts[records.groups.of_location[members]]
        sides = []
        for counts in (costs.calls.base, costs.calls.new):
            summed = counts.copy()
            np.add.at(summed, to, counts[records.record_of_location[members]])
            sides.append(summed)
        base, new = sides
        calls = replace(costs.calls, new=new, base=base if costs.calls.is_compared else new)
        return replace(costs, first=first, second=second, calls=calls)

    @cached_property
    def is_tiny(self) -> BoolArray:
        """The mask of the records with a cost below 0.01 % of what is 100 %: shape (records,)."""
        figures = self.costs.first.inclusive
        size = np.maximum(figures.base, figures.new)
        if figures.unit.is_ratio:
            return np.zeros(len(size), bool)
        tiny: BoolArray = (size > 0) & (size < figures.unit.total * _TINY)
        return tiny

    @cached_property
    def hidden_locations(self) -> BoolArray:
        """The mask of the inlined lines of closed groups, shape (locations,)."""
        groups = self.rows.records.groups
        is_closed = np.append(self.closed, False)  # the last one is for lines without a group
        hidden: BoolArray = groups.is_inlined() & is_closed[groups.of_location]
        return hidden

    @cached_property
    def jumps(self) -> tuple[Arrows, JumpLanes]:
        """The arrows with their lanes, between records.

        Arrows of hidden lines start and end at their hosts; those within a group vanish. Too many
        to do so in the GUI thread stay where they are, with ends that are hidden.
        """
        records = self.rows.records
        arrows, groups = records.arrows, records.groups
        if not self.closed.any() or len(arrows) > _MAX_MOVED_ARROWS:
            return arrows, records.lanes
        hidden = self.hidden_locations
        shown = np.arange(len(hidden))
        shown[hidden] = groups.host[groups.of_location[hidden]]
        source, target = shown[arrows.source], shown[arrows.target]
        visible = source != target
        record = records.record_of_location
        lanes = assign_lanes(record[source[visible]], record[target[visible]])
        return arrows.selected(visible), lanes

    def shares(self, records: Int64Array) -> Float64Array:
        """Return what records cost in parts of the costliest line; calls and ratios have 0."""
        figures = self.costs.first.inclusive
        unit = figures.unit
        if unit.is_ratio:
            return np.zeros(len(records))
        largest = (unit.longest_change if figures.is_compared else unit.bar_total) or 0
        # changes of shares may all be less than 1
        shares: Float64Array = figures.shown[records] / (largest if largest > 0 else 1)
        shares[self.rows.records.call[records] >= 0] = 0
        return shares.astype(np.float64, copy=False)

    # ---------------------------------------------------------------- what is hidden

    def visible(self, opened: Iterable[int] | None, *, in_code_order: bool) -> BoolArray:
        """Return the mask of the records that are neither folded nor in a closed group.

        Ranges without cost are folded but for the `opened` ones; None folds none, and so does any
        other order than that of the code, in which there are no source lines between instructions.
        """
        records = self.rows.records
        is_fold = records.kind == RecordKind.FOLD
        mask: BoolArray
        if opened is not None and in_code_order:
            is_open = np.zeros(len(records.lengths) + 1, bool)
            is_open[list(opened)] = True
            is_open[-1] = True  # records outside all ranges
            mask = is_open[records.stretch] != is_fold
        else:
            mask = ~is_fold
            if not in_code_order:
                mask &= records.kind != RecordKind.SOURCE
        if self.closed.any():
            mask &= ~self.hidden_locations[records.location]
        return mask

    def is_closed(self, record: int) -> bool:
        group = self.rows.records.group_of(record)
        return group >= 0 and bool(self.closed[group])

    def shown_record(self, record: int) -> int:
        """Return the record, or the host of a closed group that hides it."""
        records = self.rows.records
        is_hidden = self.is_closed(record) and records.is_inlined(record)
        return records.host_of(record) if is_hidden else record

    def hidden_members(self, record: int) -> Int64Array:
        """Return the records of the inlined lines that a host hides; empty for other records."""
        records = self.rows.records
        if not self.is_closed(record) or not records.is_host(record):
            return records.record_of_location[:0]
        group = records.group_of(record)
        host, size = int(records.groups.host[group]), int(records.groups.size[group])
        return records.record_of_location[host + 1 : host + 1 + size]

    def hidden_text(self, record: int) -> str:
        """Return how many inlined lines a line hides; empty if none."""
        hidden = len(self.hidden_members(record))
        noun = plural(hidden, "line")
        return f"{format_count(hidden, self.texts.style)} inlined {noun}" if hidden else ""

    # ---------------------------------------------------------------- the table

    @cached_property
    def table(self) -> Table:
        texts = self.texts
        table = self._table(texts)
        if not texts.withheld:
            return table
        written = self._table(texts.without_withheld())
        return replace(table, withheld=tuple(texts.withheld.values()), written=written)

    def _table(self, texts: CodeTexts) -> Table:
        before, behind = texts.columns()
        columns = (*before, *self._number_columns(), *behind)
        records = len(self.rows.records)
        return Table(columns, records, self.rows.callees, self._tip, texts.mark)

    def _tip(self, record: int) -> tuple[str, ...]:
        """Return the called function in full, or what is said of a line or an instruction."""
        function, labels = self.rows.function_of(record), self.rows.labels
        if function != NO_FUNCTION and labels is not None:
            return tuple(labels.details(function))
        return self.texts.tip(record, self.hidden_text(record))

    def _number_columns(self) -> tuple[Column, ...]:
        rows, costs = self.rows, self.costs
        self_tip = "Self cost of the line, without callees"
        inclusive_tip = (
            "Inclusive cost: the line and its callees; (cycle): calls back into the function "
            "are excluded"
        )
        first, second = costs.first, costs.second
        return (
            self._cost_column("self", "Self", self_tip, first.self_cost),
            self._cost_column("self", "Self", self_tip, second.self_cost, is_second=True),
            *self._side_columns("self_", "Self cost", first.self_cost),
            self._cost_column("inclusive", "Incl.", inclusive_tip, first.inclusive),
            self._cost_column(
                "inclusive", "Incl.", inclusive_tip, second.inclusive, is_second=True
            ),
            *self._side_columns("", "Inclusive cost", first.inclusive),
            Column(
                "calls",
                "Calls",
                "Number of calls from here",
                CallCells(costs.calls, rows=rows),
                width=8,
            ),
            Column(
                "jumps",
                "Jumps",
                "Jumps between lines; dashed: conditional",
                CodeCells(
                    says=lambda record: "; ".join(self.texts.jump_texts(record)),
                    keys=rows.records.parent,
                    is_titled=False,  # arrows need no title
                ),
                width=4,
            ),
        )

    def _cost_column(
        self, key: str, title: str, tip: str, figures: Figures, *, is_second: bool = False
    ) -> Column:
        """Return a cost column: empty for zero costs, with bars relative to the costliest line."""
        is_part = self.costs.are_of_function and figures.unit.in_percent
        whole = ". Percentages are of the function's inclusive cost" if is_part else ""
        return Column(
            f"second_{key}" if is_second else key,
            f"{title} (second event)" if is_second else title,
            f"{tip}{whole}. Bars are relative to the costliest line",
            CodeCostCells(figures, title if is_second else "", rows=self.rows),
            Shown.OFFERED if is_second else Shown.ALWAYS,
            width=9,
        )

    def _side_columns(self, prefix: str, of: str, figures: Figures) -> Iterator[Column]:
        """Yield the columns of the base and of the new side; those of self costs are offered."""
        for side, key, name in ((BASE, "base", "the base"), (NEW, "new", "the new side")):
            yield Column(
                f"{prefix}{key}",
                f"Self {key}" if prefix else key.capitalize(),
                f"{of} in {name}",
                CodeSideCells(figures, side, rows=self.rows),
                Shown.OFFERED_COMPARED if prefix else Shown.COMPARED,
                width=9,
            )


def _styled(texts: CodeTexts, costs: CodeCosts) -> CodeTexts:
    style = costs.calls.style
    return texts if texts.style == style else replace(texts, style=style)


def empty_listing(texts: CodeTexts) -> CodeListing:
    """Return the listing of these texts, which have no records."""
    nothing = event_costs(texts.rows, EventTypes((), ()), None)
    calls = Counts(*texts.rows.call_counts())
    return CodeListing.of(texts, CodeCosts(nothing, nothing, calls))


@frozen(slots=False, kw_only=True)
class LoadedCode:
    """Code with its costs, and what is said of its origin, as a job loads it."""

    function: FunctionId
    code: CodeTexts
    loaded_costs: CodeCosts
    problem: ProfileError | str | None  # the first problem
    problem_file: str  # recorded path of the file with the problem
    notes: Sequence[str]  # origin of the code, and warnings
    is_of_function: bool = True  # whether the costs are those of the function alone

    def costs(self, query: ViewQuery) -> CodeCosts:
        rows, before, of_function = self.code.rows, self.loaded_costs, self.is_of_function
        return code_costs(query, rows, self.function, before, is_of_function=of_function)
