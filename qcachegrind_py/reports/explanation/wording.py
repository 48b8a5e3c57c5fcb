"""The sentences of an explanation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.numbers import (
    AnyKey,
    CodePlace,
    EstimateKey,
    EstimateKind,
    Explanation,
    LeftOut,
    LeftOutReason,
    Measure,
    NumberKey,
    NumberKind,
    Term,
    TermKind,
)
from qcachegrind_py.analysis.folded_queries import FoldedQueries
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import format_definition
from qcachegrind_py.profile.ids import NO_FUNCTION, NodeId
from qcachegrind_py.profile.numbers import (
    DEFAULT_STYLE,
    UNDEFINED,
    NumberStyle,
    format_exact,
    plural,
)
from qcachegrind_py.profile.profile import Part
from qcachegrind_py.reports.explanation.percentages import percentage_sentences
from qcachegrind_py.reports.explanation.pieces import Sentence
from qcachegrind_py.reports.explanation.records import RecordGroup, RecordValue
from qcachegrind_py.reports.explanation.sharing import ESTIMATE, SharingWords
from qcachegrind_py.visible_text import visible_text


@dataclass(frozen=True, slots=True)
class Wording:
    """Names and numbers as the words of an explanation have them."""

    queries: ProfileQueries
    scope: Scope
    style: NumberStyle = DEFAULT_STYLE
    short_names: bool = False

    def name(self, node: NodeId) -> str:
        """Return the name of a function or cycle."""
        labels = self.queries.labels(self.scope, short=self.short_names)
        return visible_text(labels.name(node) if self.short_names else labels.full_name(node))

    def number(self, number: int | float) -> str:
        """Return a number in full."""
        return format_exact(number, "", self.style)

    @property
    def _has_call_counts(self) -> bool:
        return self.queries.costs(self.scope).has_call_counts

    def title(self, explained: Explanation) -> str:
        """Return what the number is, without its value."""
        subject = self.subject(explained.key)
        return subject if explained.key.is_count else f"{subject}, {self._event(explained)}"

    def value(self, explained: Explanation) -> str:
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
        if len(key.path) == 1:
            return f"{what} of {last}, with which the path begins"
        return f"{what} of {last} on this path {'up' if key.up else 'down'} from {first}"

    def place(self, key: NumberKey) -> str:
        """Return a source line or an instruction."""
        place = key.place
        if place.address is not None:
            return f"the instruction at {place.address:#x}"
        file = visible_text(self.queries.profile.texts[place.file]).rpartition("/")[2]
        return f"{file}:{place.line}" if place.line else f"the unknown lines of {file}"

    def rule(self, explained: Explanation) -> str:
        """Return the sentence that says what the number is the sum of."""
        kinds = {term.kind for term in explained.terms}
        match explained.key.kind:
            case NumberKind.GROUP_SELF | NumberKind.TOTAL:
                return "The self costs of these functions."
            case NumberKind.CALLED if not self._has_call_counts:
                return "The profile does not count calls."
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

    def term(self, term: Term) -> str:
        """Return what a term is."""
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

    def left_out(self, left_out: LeftOut) -> str:
        """Return which calls are not in the number, and why."""
        calls = f"{self.number(left_out.calls)} {plural(left_out.calls, 'call')}"
        verb = "is" if left_out.calls == 1 else "are"
        if left_out.reason is LeftOutReason.RECURSION:
            return f"{calls} of the function to itself {verb} left out: its cost includes them."
        return f"{calls} inside the cycle {verb} left out: the self costs include them."

    def more_terms(self, explained: Explanation) -> str:
        """Return how many terms are not shown, and their sum; empty if all are."""
        count, value = explained.more
        if not count:
            return ""
        return f"… and {self.number(count)} more with {self.number(value)} in all"

    def shares(self, explained: Explanation) -> Iterator[Sentence]:
        """Yield what the number is a percentage of, and why of that."""
        return percentage_sentences(explained, self.subject, self.style)

    def sharing(self, explained: Explanation) -> SharingWords | None:
        """Return the words about a number that is shared out along calls; None for others."""
        key = explained.key
        if explained.sharing is None or not isinstance(key, EstimateKey):
            return None
        return SharingWords(key, explained.sharing, self.name, self.style)

    def estimate(self, explained: Explanation) -> str:
        """Return that a number is partly an estimate, and why; empty if it is exact."""
        if not isinstance(self.queries, FoldedQueries):
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

    def derivation(self, explained: Explanation) -> Iterator[str]:
        """Yield the formula of a derived event, and the sums that are put into it."""
        event = explained.event
        if explained.key.is_count or not event.is_derived:
            return
        yield f"{visible_text(event.name)} = {visible_text(format_definition(event))}"
        for measured, value in zip(explained.measured, explained.sums, strict=True):
            yield f"{visible_text(measured.name)} = {self.number(value)}"

    # ---------------------------------------------------------------- records

    def values(self, values: tuple[int, ...]) -> str:
        """Return the values of a record or a sum, in the order of the measured events."""
        return ", ".join(map(self.number, values))

    def group(self, group: RecordGroup) -> str:
        """Return part and source line of some records; the part only if there are several."""
        part = f"{self.part(group.part)}, " if len(self.queries.profile.parts) > 1 else ""
        return f"{part}{group.file}:{group.line or 'unknown line'}"

    def record(self, added: RecordValue) -> str:
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

    def more(self, explained: Explanation, groups: list[RecordGroup]) -> str:
        """Return how many records are not shown; empty if all are."""
        rest = len(explained.rows) - sum(len(group.records) for group in groups)
        return f"… and {self.number(rest)} more {plural(rest, 'line')}" if rest else ""

    def sum_of(self, explained: Explanation) -> str:
        """Return of how many records the number is the sum."""
        count = len(explained.rows)
        return f"Sum of {self.number(count)} {plural(count, 'line')} of the profile"


def _part_name(part: Part) -> str:
    numbers = {"part": part.part, "thread": part.thread}
    return ", ".join(f"{word} {number}" for word, number in numbers.items() if number)
