"""Rules of a gate: what must not be so, as in `self>+5% lib:app` or `Ir.total>+1%`.

A rule is written in the language of filters for comparisons (`expression`), and has more:

    total>+1%  total>1g         the total cost of all functions
    Dw.self>+5%                 an event other than that of the report

A rule is met if all its terms hold: those of the total, and the others for a function at least. One
without any change is about the new profile alone, so that it needs no base.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.filters.changes import (
    ChangeCondition,
    ChangeLimit,
    ChangeUnit,
    base_of,
    needs_base,
)
from qcachegrind_py.analysis.filters.conditions import Condition, CostCondition
from qcachegrind_py.analysis.filters.expression import (
    WrittenTerm,
    occurring,
    parse_term,
    written_terms,
)
from qcachegrind_py.analysis.filters.number_terms import (
    COMPARISON_SIGNS,
    COST_FIELDS,
    parse_number,
)
from qcachegrind_py.analysis.filters.subject import CostField, FilterSubject
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_TOTAL = "total"
_NUMBERED = re.compile(
    rf"""(?P<negation>[!-])? (?:(?P<event>\S+)\.)?
        (?P<comparison> (?P<subject> {_TOTAL}|{"|".join(COST_FIELDS)} )
                        (?P<sign> {COMPARISON_SIGNS} ) (?P<number> \S* ) )""",
    re.IGNORECASE | re.VERBOSE,
)
_BARE = re.compile(rf"[!-]?(?:\S+\.)?(?:{_TOTAL}|{'|'.join(COST_FIELDS)})", re.IGNORECASE)
_QUOTES = "In a shell, put rules in quotes: without them, > writes to a file."
SubjectIn = Callable[[str | None], FilterSubject]


@dataclass(frozen=True, slots=True)
class TotalCondition:
    """The total cost compares to a constant, or its change does."""

    limit: ChangeLimit
    is_change: bool

    def holds(self, subject: FilterSubject) -> bool:
        """Return whether the total of all functions matches."""
        base = base_of(subject).total if self.is_change else type(subject.total)(0)
        return bool(self.limit.holds(_as_array(base), _as_array(subject.total), base)[0])


@dataclass(frozen=True, slots=True)
class RuleTerm:
    """One term of a rule; `event` is the name of the one it is about, None: that of the report."""

    event: str | None
    excluded: bool
    condition: Condition | TotalCondition

    @property
    def needs_base(self) -> bool:
        """Whether the term is about a change."""
        if isinstance(self.condition, TotalCondition):
            return self.condition.is_change
        return needs_base(self.condition)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its text, and the terms that all have to hold for it to be met."""

    text: str
    terms: tuple[RuleTerm, ...]

    @property
    def needs_base(self) -> bool:
        """Whether the rule is about a change."""
        return any(term.needs_base for term in self.terms)

    @property
    def is_of_functions(self) -> bool:
        """Whether the rule is about functions, and not about the total alone."""
        return any(not isinstance(term.condition, TotalCondition) for term in self.terms)


@dataclass(frozen=True, slots=True, eq=False)
class RuleNumbers:
    """What a rule compares first, or the self cost: of the functions that meet it, or the total."""

    subject: CostField | None  # None: the total
    event: str | None  # None: the event of the report
    base: CostArray | None  # shape (functions,), or (1,) for the total; None: there is no base
    new: CostArray


@dataclass(frozen=True, slots=True, eq=False)
class RuleResult:
    """Whether a rule is met, and by which functions: numbers in ascending order, int64.

    There are none for a rule that is about the total alone. None in place of `is_met` and
    `numbers`: the rule is about a change, and there is no base.
    """

    rule: Rule
    is_met: bool | None
    functions: Int64Array
    numbers: RuleNumbers | None = None


def parse_rule(text: str) -> Rule:
    """Parse a rule; raise `FilterError`, with advice on the correct form, if it is invalid."""
    terms = tuple(_parse_term(text, written) for written in written_terms(text))
    if not terms:
        raise FilterError(text, text, "a rule has a term at least, such as self>+5%.")
    return Rule(text, terms)


def check_rule(rule: Rule, subject_in: SubjectIn) -> RuleResult:
    """Return whether a rule is met.

    `subject_in` returns the functions with their costs in the event of that name, or in that of the
    report for None; their number and order is that of all events.
    """
    nobody = np.zeros(0, np.int64)
    if rule.needs_base and subject_in(None).base is None:
        return RuleResult(rule, None, nobody)
    holds, passes = True, _present(rule, subject_in(None))
    for term in rule.terms:
        subject = subject_in(term.event)
        if isinstance(term.condition, TotalCondition):
            holds &= term.condition.holds(subject) ^ term.excluded
        else:
            passes &= term.condition.matches(subject) ^ term.excluded
    functions = np.flatnonzero(passes) if holds and rule.is_of_functions else nobody
    is_met = len(functions) > 0 if rule.is_of_functions else holds
    return RuleResult(rule, is_met, functions, _numbers(rule, functions, subject_in))


def _numbers(rule: Rule, functions: Int64Array, subject_in: SubjectIn) -> RuleNumbers:
    """Return the numbers of the first term that compares some; by default the self costs.

    A rule about functions has numbers of these, even if it compares the total, too.
    """
    field, event = CostField.SELF, None
    for term in rule.terms:
        if isinstance(term.condition, TotalCondition) and not rule.is_of_functions:
            subject = subject_in(term.event)
            base = None if subject.base is None else _as_array(subject.base.total)
            return RuleNumbers(None, term.event, base, _as_array(subject.total))
        if isinstance(term.condition, CostCondition | ChangeCondition):
            field, event = term.condition.field, term.event
            break
    subject = subject_in(event)
    base = None if subject.base is None else subject.base.values(field)[functions]
    return RuleNumbers(field, event, base, subject.values(field)[functions])


def _as_array(total: int | float) -> CostArray:
    """Return a total as an array of one number, which may exceed 64 bits."""
    return np.array([total], float if isinstance(total, float) else object)


def _present(rule: Rule, subject: FilterSubject) -> BoolArray:
    """Return the mask of functions that a rule is about: those of the new profile, or all."""
    present = occurring(subject)
    if rule.needs_base or subject.base is None:
        return present
    return present & ~subject.base.is_gone


def _parse_term(text: str, written: WrittenTerm) -> RuleTerm:
    """Parse a term of a rule; raise `FilterError` if it is invalid."""
    words, pieces = written
    is_text = pieces["key"] or pieces["quoted"] is not None or pieces["pattern"] is not None
    numbered = None if is_text else _NUMBERED.fullmatch(words)
    if not is_text and _BARE.fullmatch(words):
        reason = f"a comparison follows, such as {words}>+1%."
        raise FilterError(text, words, f"{reason} {_QUOTES}")
    if numbered is None:
        term = parse_term(text, written, compares=True)
        return RuleTerm(None, term.excluded, term.condition)
    event, excluded = numbered["event"], bool(numbered["negation"])
    if event and numbered["subject"].lower() == "called":
        raise FilterError(text, words, "calls are of no event: write called without one.")
    if numbered["subject"].lower() == _TOTAL:
        return RuleTerm(event, excluded, _parse_total(text, words, numbered))
    ((_, comparison),) = written_terms(numbered["comparison"])
    return RuleTerm(event, excluded, parse_term(text, (words, comparison), compares=True).condition)


def _parse_total(text: str, words: str, numbered: re.Match[str]) -> TotalCondition:
    sign = numbered["sign"]
    number = parse_number(numbered["number"])
    if number is None or (number.unit is not ChangeUnit.COUNT and not number.has_sign):
        such = f"such as total{sign}+1% for a change, or total{sign}10m for what it is now."
        raise FilterError(text, words, f"after {sign} comes a number, {such}")
    return TotalCondition(ChangeLimit(sign, number.value, number.unit), number.has_sign)
