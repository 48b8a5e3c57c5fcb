"""Explanations of numbers, in words: what a number is, how it comes about, and its lines in files.

The window and the command show the same sections, whose sentences lead to the explanations of the
numbers that they name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.numbers import (
    AnyKey,
    BaseReason,
    CodePlace,
    EstimateKey,
    EstimateKind,
    Explanation,
    LeftOut,
    LeftOutReason,
    Measure,
    NumberKey,
    NumberKind,
    PercentageBase,
    ProfileSum,
    Sharing,
    SharingStep,
    StackPath,
    StepRule,
    Term,
    TermKind,
    exact_recording_command,
    exactness_text,
)
from qcachegrind_py.analysis.folding.fold import Origins
from qcachegrind_py.analysis.queries import FoldedQueries, ProfileQueries
from qcachegrind_py.formats.records import Record, find_records
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.unit import ESTIMATE
from qcachegrind_py.profile.events import format_definition
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    NOT_ATTRIBUTED,
    FunctionId,
    NodeId,
    TextId,
    function_id,
)
from qcachegrind_py.profile.numbers import (
    DEFAULT_STYLE,
    UNDEFINED,
    NumberStyle,
    format_exact,
    format_percentage,
    has_percentages,
    plural,
)
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int32Array, Int64Array, Int64Column
from qcachegrind_py.visible_text import visible_text

_NO_COUNTS = "The profile does not count calls."
_FIRST_OF_PATH, _LAST_OF_PATH = 2, 6  # functions of a long path that are shown
LIMIT = 200  # records found by default: 18 MB take 0.2 s, of which 0.1 s are for these


@frozen(eq=True)
class RecordValue:
    """A record, and what it adds to the number: a value for each measured event, or a count.

    It may be the call of a folded function, of which the value is a part.
    """

    record: Record
    values: tuple[int, ...]
    is_call: bool = False  # the value is that of a call, rather than a self cost
    through: FunctionId = NO_FUNCTION  # the folded function
    is_exact: bool = True


@frozen(eq=True)
class RecordGroup:
    """The records of a part and a source line."""

    part: int  # index of the part
    file: str  # the source file, as recorded
    line: int
    records: tuple[RecordValue, ...]

    @property
    def values(self) -> tuple[int, ...]:
        columns = zip(*(record.values for record in self.records), strict=True)
        return tuple(map(sum, columns))


def record_groups(
    queries: ProfileQueries, explained: Explanation, progress: Progress, limit: int = LIMIT
) -> list[RecordGroup]:
    """Return the first records of a number, in the order of the file; none of recorded stacks.

    Raises `RecordsNotFound`, the errors of loading, and `Cancelled`.
    """
    if queries.profile.contexts is not None:  # a line of the file has a whole stack
        return []
    profile, rows = queries.profile, _first(explained.rows, limit)
    values = _record_values(queries, explained, rows, progress)
    added = list(zip(_places(profile, rows), values, strict=True))
    files = {file for (_, file, _), _ in added}
    names = {file: visible_text(profile.texts[TextId(file)]) for file in files}
    return [
        RecordGroup(part, names[file], line, tuple(each for _, each in group))
        for (part, file, line), group in groupby(sorted(added, key=_position), lambda item: item[0])
    ]


def _record_values(
    queries: ProfileQueries, explained: Explanation, rows: ProfileSum, progress: Progress
) -> Iterator[RecordValue]:
    """Yield the record of each row with what it adds, costs first."""
    values = list(_values(queries.profile, explained, rows))
    if not isinstance(queries, FoldedQueries):
        costs, calls = find_records(queries.profile, rows.costs, rows.calls, progress)
        yield from map(RecordValue, [*costs, *calls], values)
        return
    costs_from, calls_from = queries.origins(rows.costs, rows.calls)
    of_costs, of_calls = _found_records(queries.profile, costs_from, calls_from, progress)
    count = len(rows.costs)
    through = np.concatenate((costs_from.through, calls_from.through)).tolist()
    is_exact = np.concatenate((costs_from.is_exact, calls_from.is_exact)).tolist()
    origins = np.concatenate((costs_from.row, calls_from.row)).tolist()
    for place, (row, value) in enumerate(zip(origins, values, strict=True)):
        is_charge = place < count and through[place] != NO_FUNCTION
        record = (of_costs if place < count and not is_charge else of_calls)[row]
        yield RecordValue(
            record, value, place >= count, function_id(through[place]), is_exact[place]
        )


def _found_records(
    profile: Profile, costs: Origins, calls: Origins, progress: Progress
) -> tuple[dict[int, Record], dict[int, Record]]:
    """Return the records of the costs and of the calls by their rows before folding."""
    is_charge = costs.through != NO_FUNCTION
    cost_rows = np.unique(costs.row[~is_charge])
    call_rows = np.unique(np.concatenate((costs.row[is_charge], calls.row)))
    found = find_records(profile, cost_rows, call_rows, progress)
    of_costs, of_calls = (
        dict(zip(rows.tolist(), records, strict=True))
        for rows, records in zip((cost_rows, call_rows), found, strict=True)
    )
    return of_costs, of_calls


_Place = tuple[int, int, int]  # part, file, line


def _position(item: tuple[_Place, RecordValue]) -> tuple[_Place, str, int]:
    place, added = item
    return place, added.record.path, added.record.line


def _first(rows: ProfileSum, limit: int) -> ProfileSum:
    """Return the first rows; those of costs come first."""
    costs = rows.costs[:limit]
    return ProfileSum(costs, rows.calls[: limit - len(costs)])


def _places(profile: Profile, rows: ProfileSum) -> Iterator[_Place]:
    """Yield part, file and line of each row, costs first."""
    runs, calls = profile.runs, profile.calls
    run = np.searchsorted(runs.start, rows.costs, side="right") - 1
    yield from _zipped(runs.part[run], runs.file[run], profile.costs.line[rows.costs])
    yield from _zipped(calls.part[rows.calls], calls.file[rows.calls], calls.line[rows.calls])


def _zipped(*columns: Int32Array) -> Iterator[_Place]:
    yield from zip(*(column.tolist() for column in columns), strict=True)


def _values(
    profile: Profile, explained: Explanation, rows: ProfileSum
) -> Iterator[tuple[int, ...]]:
    """Yield what each row adds, costs first."""
    if explained.key.is_count:
        yield from ((count,) for count in profile.calls.count[rows.calls].tolist())
        return
    names = [event.name for event in profile.events.measured]
    events = [names.index(event.name) for event in explained.measured]
    yield from _columns(profile.costs.values, events, rows.costs)
    yield from _columns(profile.calls.values, events, rows.calls)


def _columns(
    values: Int64Column, events: Sequence[int], rows: Int64Array
) -> Iterator[tuple[int, ...]]:
    yield from map(tuple, values[np.ix_(np.array(events, np.int64), rows)].T.tolist())


@frozen(eq=True)
class Piece:
    """Some words, which lead to the explanation of a number if they name one."""

    text: str
    key: AnyKey | None = None


Sentence = tuple[Piece, ...]


def sentence(*pieces: str | Piece) -> Sentence:
    return tuple(piece if isinstance(piece, Piece) else Piece(piece) for piece in pieces)


def sentences(texts: Iterable[str]) -> tuple[Sentence, ...]:
    """Return texts, those that are not empty, as sentences without links."""
    return tuple(sentence(text) for text in texts if text)


def plain(pieces: Sentence) -> str:
    return "".join(piece.text for piece in pieces)


@frozen(eq=True)
class RecordLine:
    """A line of the profile's file, and what it adds to a number."""

    number: int  # of the line in the file
    text: str
    values: str


@frozen(eq=True)
class Paragraph:
    """A sentence and what it introduces: a number, terms and remarks, or lines of the file."""

    text: str
    value: str = ""  # empty if the sentence ends without a number
    terms: tuple[tuple[str, Sentence], ...] = ()  # numbers, and what each of them is
    remarks: tuple[Sentence, ...] = ()
    file: str = ""  # of the lines, if it is another than before
    lines: tuple[RecordLine, ...] = ()


Section = tuple[Paragraph, ...]


_REASONS = {
    BaseReason.PARENT: "the unit is the percentage of the parent",
    BaseReason.CODE: "percentages beside code are of the function",
    BaseReason.PART: "percentages in the list of parts are of the part",
    BaseReason.ACTIVE: "percentages in this list are of the active function",
}


@frozen(eq=True)
class Wording:
    """Names and numbers as the words of an explanation have them."""

    queries: ProfileQueries
    scope: Scope
    style: NumberStyle = DEFAULT_STYLE
    short_names: bool = False

    def name(self, node: NodeId) -> str:
        labels = self.queries.labels(self.scope, short=self.short_names)
        return visible_text(labels.name(node) if self.short_names else labels.full_name(node))

    def number(self, number: int | float) -> str:
        return format_exact(number, "", self.style)

    @property
    def _has_call_counts(self) -> bool:
        return self.queries.costs(self.scope).has_call_counts

    def sections(
        self, explained: Explanation, records: list[RecordGroup] | str
    ) -> Iterator[Section]:
        """Yield what explains a number: what it is, how it comes about, and where it is recorded.

        Instead of records, there may be a sentence why there are none.
        """
        shares, terms = self.shares(explained), tuple(self._terms(explained))
        left_out = sentences(map(self._left_out, explained.left_out))
        derivation = sentences(
            (
                self._unknown(explained),
                self._estimate_reason(explained),
                *self._derivation(explained),
            )
        )
        remarks = (*shares, *derivation, *(() if terms else left_out))
        yield (Paragraph(self._title(explained), self._value(explained), remarks=remarks),)
        yield from self._shared_out(explained)
        if explained.contexts is not None:
            yield (self._stacks(explained),)
        if terms:
            remarks = *sentences([self._more_terms(explained)]), *left_out
            yield (Paragraph(self._rule(explained), terms=terms, remarks=remarks),)
        if self.queries.profile.contexts is not None:
            return
        if isinstance(records, str):
            yield (Paragraph(records),)
        elif len(explained.rows) or explained.sharing is None:
            yield tuple(self._recorded(explained, records))

    def _shared_out(self, explained: Explanation) -> Iterator[Section]:
        key, sharing = explained.key, explained.sharing
        if sharing is None or not isinstance(key, EstimateKey):
            return
        words = _SharingWords(key, sharing, self)
        remarks = sentences(words.remarks(explained, self.queries.profile))
        yield (Paragraph(words.heading(), terms=tuple(words.steps()), remarks=remarks),)

    def _terms(self, explained: Explanation) -> Iterator[tuple[str, Sentence]]:
        for term in explained.terms:
            yield self.number(term.value), sentence(Piece(self._term(term), term.key))

    def _recorded(self, explained: Explanation, groups: list[RecordGroup]) -> Iterator[Paragraph]:
        file = ""
        for group in groups:
            lines = tuple(
                RecordLine(each.record.line, self._record(each), self._values(each.values))
                for each in group.records
            )
            path = group.records[0].record.path
            yield Paragraph(
                self._group(group),
                lines[0].values if len(lines) == 1 else self._values(group.values),
                file="" if path == file else visible_text(path),
                lines=lines,
            )
            file = path
        if more := self._more(explained, groups):
            yield Paragraph(more)
        yield Paragraph(self._sum_of(explained), self._values(explained.sums))

    def _title(self, explained: Explanation) -> str:
        """Return what the number is, without its value."""
        subject = self.subject(explained.key)
        return subject if explained.key.is_count else f"{subject}, {self._event(explained)}"

    def _value(self, explained: Explanation) -> str:
        """Return the value, marked if it is an estimate."""
        sharing = explained.sharing
        if explained.key.is_count and not self._has_call_counts:
            return UNDEFINED
        if sharing is None:
            return self.number(explained.value)
        return ("" if sharing.is_exact else ESTIMATE) + self.number(round(explained.value))

    def _event(self, explained: Explanation) -> str:
        return visible_text(explained.event.name)

    def subject(self, key: AnyKey) -> str:
        """Return what a number counts, and of what."""
        if isinstance(key, EstimateKey):
            return self._estimate(key)
        if key.kind is NumberKind.TOTAL:
            return "Self cost of all functions" + self._parts()
        if key.kind is NumberKind.GROUP_SELF:
            return f"Self cost of the {key.group.grouping.value} {visible_text(key.group.name)}"
        name = self.name(key.node)
        match key.kind:
            case NumberKind.SELF:
                return f"Self cost of {name}"
            case NumberKind.INCLUSIVE:
                return f"Inclusive cost of {name}"
            case NumberKind.CALLED:
                return f"Calls of {name}"
            case NumberKind.CALL_COST:
                calls = f"Inclusive cost of the calls from {name} to {self.name(key.callee)}"
                return calls if key.place == CodePlace() else f"{calls} at {self.place(key)}"
            case NumberKind.INNER_CALL_COST:
                return f"Cost of the calls inside a cycle from {name} to {self.name(key.callee)}"
            case NumberKind.CALL_COUNT:
                return f"Calls from {name} to {self.name(key.callee)}"
        kind = "Self" if "self" in key.kind.value else "Inclusive"
        return f"{kind} cost of {self.place(key)} in {name}"

    def _parts(self) -> str:
        """Return which part is counted, if it is one of several."""
        parts = self.scope.parts
        if parts is None or len(parts) != 1 or len(self.queries.profile.parts) == 1:
            return ""
        return f" in {self.part(min(parts))}"

    def part(self, index: int) -> str:
        """Return a part with its thread, as the file numbers them if that tells parts apart."""
        names = [_part_name(part) for part in self.queries.profile.parts]
        name = names[index]
        return name if name and names.count(name) == 1 else f"part {index + 1}"

    def _estimate(self, key: EstimateKey) -> str:
        """Return what an estimate is of: a place on a path, or the paths through a function."""
        if not key.path:
            return "Cost of the whole program"
        first, last = self.name(key.path[0]), self.name(key.path[-1])
        what = {Measure.COST: "Cost", Measure.SELF: "Self cost", Measure.COUNT: "Calls"}[
            key.measure
        ]
        if key.kind is EstimateKind.GRAPH_CALL:
            calls = f"the calls from {self.name(key.path[1])} to {last}"
            return f"{what} of {first} on the paths through {calls}"
        if key.kind in (EstimateKind.REACHED, EstimateKind.GRAPH_NODE):
            return f"{what} of {first} on all paths through {last}"
        if key.is_inverted and not key.is_count:
            own = f"Self cost of {first}"
            return own if len(key.path) == 1 else f"{own} on this path up through {last}"
        if len(key.path) == 1:
            return f"{what} of {last}, with which the path begins"
        return f"{what} of {last} on this path {'up' if key.up else 'down'} from {first}"

    def place(self, key: NumberKey) -> str:
        place = key.place
        if place.address is not None:
            return f"the instruction at {place.address:#x}"
        file = visible_text(self.queries.profile.texts[place.file]).rpartition("/")[2]
        return f"{file}:{place.line}" if place.line else f"the unknown lines of {file}"

    def _rule(self, explained: Explanation) -> str:
        """Return the sentence that says what the number is the sum of."""
        kinds = {term.kind for term in explained.terms}
        match explained.key.kind:
            case NumberKind.GROUP_SELF | NumberKind.TOTAL:
                return "The self costs of these functions."
            case NumberKind.CALLED if not self._has_call_counts:
                return _NO_COUNTS
            case NumberKind.CALLED:
                return "All calls to it, as they were counted."
            case NumberKind.INCLUSIVE if TermKind.MEMBER in kinds:
                return "The costs of all functions of the cycle."
            case NumberKind.INCLUSIVE if kinds == {TermKind.CALLS_FROM}:
                return "What all calls to the function cost, as they were recorded."
            case NumberKind.INCLUSIVE if TermKind.CALLS_FROM in kinds:
                return (
                    "What all calls to the function cost; in parts where nobody called it, its "
                    "self cost and what its calls cost."
                )
            case NumberKind.INCLUSIVE:
                return "Its self cost, and what the calls from it cost."
            case NumberKind.LINE_INCLUSIVE | NumberKind.INSTRUCTION_INCLUSIVE:
                return "The self cost there, and what the calls from there cost."
        return "The sum of the lines of the profile below."

    def _term(self, term: Term) -> str:
        calls = f"{self.number(term.calls)} {plural(term.calls, 'call')}"
        match term.kind:
            case TermKind.SELF:
                return "self cost"
            case TermKind.CALLS_FROM if term.key.is_count:
                return f"from {self.name(term.key.node)}"
            case TermKind.CALLS_FROM:
                return f"{calls} from {self.name(term.key.node)}"
            case TermKind.CALLS_TO:
                return f"{calls} to {self.name(term.key.callee)}"
        return self.name(term.key.node)

    def _left_out(self, left_out: LeftOut) -> str:
        """Return which calls are not in the number, and why."""
        calls, verb = "Calls", "are"
        if self._has_call_counts:
            calls = f"{self.number(left_out.calls)} {plural(left_out.calls, 'call')}"
            verb = "is" if left_out.calls == 1 else "are"
        if left_out.reason is LeftOutReason.RECURSION:
            return f"{calls} of the function to itself {verb} left out: its cost includes them."
        return f"{calls} inside the cycle {verb} left out: the self costs include them."

    # ---------------------------------------------------------------- recorded stacks

    def _stacks(self, explained: Explanation) -> Paragraph:
        """Return which stacks a number is the sum of, and the paths of the costliest."""
        paths = tuple((self.number(each.value), self._path(each)) for each in explained.paths)
        count, further = explained.contexts or 0, explained.more[0]
        in_contexts = "" if count else "There are none."
        if count > len(paths) + further:
            in_contexts = f"In {self.number(count)} contexts, which tell threads and lines apart."
        remarks = sentences((self._more_terms(explained), in_contexts))
        return Paragraph(self._rule_of_stacks(explained.key), terms=paths, remarks=remarks)

    def _rule_of_stacks(self, key: AnyKey) -> str:
        """Return the sentence that says which stacks are summed up."""
        if isinstance(key, NumberKey):
            match key.kind:
                case NumberKind.INCLUSIVE:
                    return "What all stacks cost that contain the function, each of them once."
                case NumberKind.CALL_COST:
                    return "What all stacks cost that contain the call, each of them once."
            return "What all stacks cost that end there."
        if key.kind is EstimateKind.GRAPH_CALL:
            return "What all stacks cost that contain the function and the call."
        if key.kind in (EstimateKind.REACHED, EstimateKind.GRAPH_NODE):
            return "What all stacks cost that contain both."
        return "What all stacks cost that have the path." if key.path else "What all stacks cost."

    def _path(self, path: StackPath) -> Sentence:
        """Return the functions of a path, each of which leads to its cost."""
        nodes, pieces = path.functions, list[str | Piece]()
        left_out = range(_FIRST_OF_PATH, len(nodes) - _LAST_OF_PATH)
        for place, node in enumerate(nodes):
            if place == _FIRST_OF_PATH and left_out:
                pieces.append(f" › … {self.number(len(left_out))} more …")
            if place not in left_out:
                pieces.append(" › " if place else "")
                pieces.append(Piece(self.name(node), NumberKey(NumberKind.INCLUSIVE, node)))
        return sentence(*pieces)

    def _more_terms(self, explained: Explanation) -> str:
        """Return how many terms are not shown, and their sum; empty if all are."""
        count, value = explained.more
        if not count:
            return ""
        return f"… and {self.number(count)} more with {self.number(value)} in all"

    # ---------------------------------------------------------------- what percentages are of

    def shares(self, explained: Explanation) -> Iterator[Sentence]:
        """Yield what the number is a percentage of, with the division, and why of that.

        There is nothing to say of an event without percentages.
        """
        value = explained.value if explained.sharing is None else round(explained.value)
        for base in explained.bases:
            if isinstance(value, float) or not has_percentages(base.value):
                continue
            share = format_percentage(value, base.value, self.style)
            division = f"{self.number(value)} / {self.number(base.value)} = {share} % of "
            yield sentence(division, *self._base(base))

    def _base(self, base: PercentageBase) -> Sentence:
        if base.key is not None and base.reason in _REASONS:
            name = self.subject(base.key)
            because = f", as {_REASONS[base.reason]}."
            return sentence("the ", Piece(name[:1].lower() + name[1:], base.key), because)
        file, side = ("the base's file", " of the base") if base.is_of_base else ("the file", "")
        other = "" if base.other is None else self.number(base.other)
        counted = Piece(f"sum of all self costs{side}", None if base.is_of_base else base.key)
        total = f"total that {file} records (summary:)"
        match base.reason:
            case BaseReason.RECORDED if base.other == base.value:
                return sentence(f"the {total}, to which all self costs add up.")
            case BaseReason.RECORDED:
                return sentence(f"the {total}; all self costs add up to {other}.")
            case BaseReason.TOO_SMALL:
                why = f", as the {total}, {other}, is less."
            case BaseReason.CHOSEN:
                why = f", as the settings say; {file} records a total (summary:) of {other}."
            case _ if self.queries.profile.contexts is not None:
                why = "."  # stacks have no other total
            case _:
                why = f", as {file} records no total (summary:)."
        return sentence("the ", counted, why)

    # ---------------------------------------------------------------- how numbers come about

    def _unknown(self, explained: Explanation) -> str:
        """Return why a number is not known that has no terms, either; empty if it is."""
        is_known = self._has_call_counts or not explained.key.is_count
        return "" if is_known or explained.terms else _NO_COUNTS

    def _estimate_reason(self, explained: Explanation) -> str:
        """Return that a number is partly an estimate, and why; empty if it is exact."""
        if not isinstance(self.queries, FoldedQueries) or self.queries.profile.contexts is not None:
            return ""
        origins = self.queries.origins(explained.rows.costs, explained.rows.calls)
        key = explained.key
        is_place = isinstance(key, NumberKey) and key.place != CodePlace()
        if all((each.is_exact if is_place else each.is_exact_sum).all() for each in origins):
            return ""
        return (
            "Partly an estimate (≈): folded functions that are called from several places and call "
            "others are divided among these places."
        )

    def _derivation(self, explained: Explanation) -> Iterator[str]:
        """Yield the formula of a derived event, and the sums that are put into it."""
        event = explained.event
        if explained.key.is_count or not event.is_derived:
            return
        yield f"{visible_text(event.name)} = {visible_text(format_definition(event))}"
        for measured, value in zip(explained.measured, explained.sums, strict=True):
            yield f"{visible_text(measured.name)} = {self.number(value)}"

    # ---------------------------------------------------------------- records

    def _values(self, values: tuple[int, ...]) -> str:
        """Return the values of a record or a sum, in the order of the measured events."""
        return ", ".join(map(self.number, values))

    def _group(self, group: RecordGroup) -> str:
        """Return part and source line of some records; the part only if there are several."""
        part = f"{self.part(group.part)}, " if len(self.queries.profile.parts) > 1 else ""
        return f"{part}{group.file}:{group.line or 'unknown line'}"

    def _record(self, added: RecordValue) -> str:
        """Return the text of a record as it stands in the file, and for whom it stands.

        The call of a folded function stands for its costs, and for the calls that it makes.
        """
        record = added.record
        text = visible_text(" / ".join(filter(None, (record.call_text, record.text))))
        if added.through == NO_FUNCTION:
            return text
        kind = "calls by" if added.is_call else "charged for"
        share = "" if added.is_exact else ", an estimated share"
        return f"{text} ({kind} {self.name(added.through)}, which is folded{share})"

    def _more(self, explained: Explanation, groups: list[RecordGroup]) -> str:
        """Return how many records are not shown; empty if all are."""
        rest = len(explained.rows) - sum(len(group.records) for group in groups)
        return f"… and {self.number(rest)} more {plural(rest, 'line')}" if rest else ""

    def _sum_of(self, explained: Explanation) -> str:
        """Return how many records the number is the sum of."""
        count = len(explained.rows)
        return f"Sum of {self.number(count)} {plural(count, 'line')} of the profile"


def _part_name(part: Part) -> str:
    numbers = {"part": part.part, "thread": part.thread}
    return ", ".join(f"{word} {number}" for word, number in numbers.items() if number)


# ---------------------------------------------------------------- numbers that were shared out


def _beyond(step: SharingStep) -> str:
    """Return what is taken off in a step to or from a stand-in."""
    if step.node == NOT_ATTRIBUTED:
        return "what it costs without its self cost and the calls that it makes"
    return "its self cost and the calls that it makes without the calls to it"


@frozen(eq=True)
class _SharingWords:
    """Writes the steps of one estimate."""

    key: EstimateKey
    sharing: Sharing
    wording: Wording

    def heading(self) -> str:
        if not self.key.path:
            return "The functions that the program begins with, added up:"
        if self.sharing.is_flow:
            return f"What reaches {self.wording.name(self.key.path[-1])}, added up:"
        if self.key.kind in (EstimateKind.FRAME, EstimateKind.BRANCH):
            return "How it gets there, call by call:"
        return "How it was shared out:"

    def steps(self) -> Iterator[tuple[str, Sentence]]:
        """Yield the value of each step and how it was made."""
        for step in self.sharing.steps:
            is_marked = step.rule not in (StepRule.RECORDED, StepRule.ALL)
            mark = ESTIMATE if is_marked and not step.is_exact else ""
            yield mark + self._number(round(step.value)), self._step(step)

    def _step(self, step: SharingStep) -> Sentence:
        """Return how a number was made, behind who has it, or who passes it on to be added up."""
        name, before = self.wording.name(step.node), self.wording.name(step.before)
        is_flow, measure = self.sharing.is_flow, self.key.measure
        whose = f"{'to' if self.key.up else 'from'} {before}" if is_flow else name
        is_other = step is self.sharing.steps[-1] and measure is not Measure.COST
        part = Piece(self._number(step.part), step.part_key)
        whole = Piece(self._number(step.whole), step.whole_key)
        match step.rule:
            case StepRule.WHOLE:
                return sentence(f"{name}: its whole ", Piece("inclusive cost", step.part_key))
            case StepRule.OWN:
                return sentence(f"{name}: its ", Piece("self cost", step.part_key))
            case StepRule.REST:
                why = "its inclusive cost without the calls to it"
                return sentence(f"{name}: ", whole, f" − {part.text}, {why}")
            case StepRule.INSIDE:
                return sentence(f"{name}: its self cost and the calls that it makes")
            case StepRule.BALANCE:
                return sentence(f"{name}: ", whole, f" − {part.text}, {_beyond(step)}")
            case StepRule.STAND_IN:
                return sentence(f"{name}: all of it, added up")
            case StepRule.LIMITED:
                return sentence(f"{name}: all that accounts for the recorded ", part)
            case StepRule.ALL:
                calls = Piece("these calls", step.part_key)
                return sentence(f"{name}: all of it, as all that {before} costs is in ", calls)
            case StepRule.RECORDED if is_other and measure is Measure.SELF:
                return sentence(f"{name}: its whole ", Piece("self cost", step.part_key))
            case StepRule.RECORDED:
                return sentence(f"{whose}: ", Piece("as recorded", step.part_key))
        what = f", {measure.value}" if is_other and not is_flow else ""
        amount = Piece(self._number(step.amount), step.amount_key)
        return sentence(f"{whose}{what}: ", amount, " × ", part, " / ", whole)

    def legend(self) -> str:
        """Return what the numbers of the formulas are; empty where nothing is shared out."""
        steps, measure = self.sharing.steps, self.key.measure
        if not any(step.rule is StepRule.SHARED for step in steps):
            return ""
        between = "the cost of the calls between both"
        part = {
            Measure.COST: between,
            Measure.SELF: "its self cost",
            Measure.COUNT: "the number of the calls between both",
        }[measure]
        who = "the function named" if self.sharing.is_flow else "the function before"
        if len(steps) == 1 and not self.sharing.is_flow:
            who = self.wording.name(steps[0].before)
        elif not self.sharing.is_flow and measure is not Measure.COST:
            part = f"{between}, in the last line {part}"
        return f"a × b / c: {who} has a here, of c in all; b is {part}."

    # ---------------------------------------------------------------- the sum and its proof

    def remarks(self, explained: Explanation, profile: Profile) -> Iterator[str]:
        """Yield what is taken off the sum, and whether the number is exact."""
        if legend := self.legend():
            yield legend
        value = self._number(round(explained.value))
        if self.sharing.is_complete and not self.sharing.is_exact:
            yield f"All of its cost arrives here, so it is its whole inclusive cost, {value}."
        elif round(self.sharing.ignored) > 0:
            ignored = self._number(round(self.sharing.ignored))
            yield (
                f"{ignored} are left out: shares below 0.01 % of the whole are not passed on, and "
                "a path that leads back to where it was adds no more than the whole."
            )
        command = exact_recording_command(profile, self.sharing.callers)
        yield exactness_text(self.sharing.is_exact, command)

    def _number(self, number: int | float) -> str:
        """Return a number in full; one that is not whole with two digits behind the point."""
        whole, hundredths = divmod(round(number * 100), 100)
        text = self.wording.number(whole)
        return f"{text}{self.wording.style.decimal_point}{hundredths:02d}" if hundredths else text
