"""Rules of a gate: what must not be so, as in `self>+5% lib:app` or `Ir.total>+1%`.

A rule is written in the language of filters for comparisons (`expression`), and has more:

    total>+1%  total>1g         the total cost of all functions
    Dw.self>+5%                 an event other than that of the report

A rule is met if all its terms hold: those of the total, and the others for a function at least. One
without any change is about the new profile alone, so that it needs no base. Changes that samples
may show by chance meet no rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from qcachegrind_py.analysis.filters.conditions import (
    ChangeCondition,
    CostCondition,
    CostField,
    FilterSubject,
    TextCondition,
    TotalCondition,
    as_array,
)
from qcachegrind_py.analysis.filters.expression import (
    Language,
    Term,
    naming_term,
    occurring,
    parse_term,
    written_terms,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import BoolArray, Int64Array

SubjectIn = Callable[[str | None], FilterSubject]


@frozen(eq=True)
class Rule:
    """A rule: its text, and the terms that all have to hold for it to be met."""

    text: str
    terms: tuple[Term, ...]

    @property
    def needs_base(self) -> bool:
        """Whether the rule is about a change."""
        return any(term.needs_base for term in self.terms)

    @property
    def is_of_functions(self) -> bool:
        """Whether the rule is about functions, and not about the total alone."""
        return any(not isinstance(term.condition, TotalCondition) for term in self.terms)


@frozen
class RuleNumbers:
    """What a rule compares first, or the self cost: of the functions that meet it, or the total."""

    subject: CostField | None  # None: the total
    event: str | None  # None: the event of the report
    base: CostArray | None  # shape (functions,), or (1,) for the total; None: there is no base
    new: CostArray


@frozen
class RuleResult:
    """Whether a rule is met, and by which functions: numbers in ascending order, int64.

    There are none for a rule that is about the total alone. None in place of `is_met` and
    `numbers`: the rule could not be checked, for the `reason`, or else because it is about a change
    and there is no base.
    """

    rule: Rule
    is_met: bool | None
    functions: Int64Array
    numbers: RuleNumbers | None = None
    reason: str = ""  # a sentence
    within_noise: int = 0  # functions that would meet it, but samples may differ so by chance


def unchecked(rule: Rule, reason: str = "") -> RuleResult:
    """Return the result of a rule that cannot be checked."""
    return RuleResult(rule, None, np.zeros(0, np.int64), reason=reason)


def parse_rule(text: str, events: Sequence[str] | None = None, *, compares: bool = True) -> Rule:
    """Parse a rule; raise `FilterError`, with advice on the correct form, if it is invalid.

    `events` are the names of those that exist, if they are known. Terms about changes are invalid
    unless there is a base to compare with.
    """
    language = Language(compares=compares, is_rule=True, events=events)
    terms = tuple(parse_term(text, written, language) for written in written_terms(text))
    if not terms:
        raise FilterError(text, text, "a rule has a term at least, such as self>+5%.")
    return Rule(text, terms)


def check_rule(rule: Rule, subject_in: SubjectIn) -> RuleResult:
    """Return whether a rule is met.

    `subject_in` returns the functions with their costs in the event of that name, or in that of the
    report for None; their number and order is that of all events. Percentages of a total that is
    not positive are a reason for which a rule cannot be checked.
    """
    if rule.needs_base and subject_in(None).base is None:
        return unchecked(rule)
    try:
        return _checked(rule, subject_in)
    except FilterError as error:
        return unchecked(rule, error.reason)


def _checked(rule: Rule, subject_in: SubjectIn) -> RuleResult:
    holds, passes = True, _present(rule, subject_in(None))
    is_noise = np.zeros(len(passes), bool)
    for term in rule.terms:
        subject, condition = subject_in(term.event), term.condition
        with naming_term(rule.text, term):
            if isinstance(condition, TotalCondition):
                holds &= condition.holds(subject) ^ term.excluded
            else:
                passes &= condition.matches(subject) ^ term.excluded
                if isinstance(condition, ChangeCondition) and not term.excluded:
                    is_noise |= condition.within_noise(subject)
    passes &= holds and rule.is_of_functions
    functions = np.flatnonzero(passes & ~is_noise)
    is_met = len(functions) > 0 if rule.is_of_functions else holds
    numbers, left_out = _numbers(rule, functions, subject_in), int((passes & is_noise).sum())
    return RuleResult(rule, is_met, functions, numbers, within_noise=left_out)


def idle_names(rule: Rule, subject: FilterSubject) -> list[str]:
    """Return the terms of a rule that name no function, on either side of a comparison."""
    occurs = occurring(subject)
    return [
        term.text
        for term in rule.terms
        if isinstance(term.condition, TextCondition)
        and not np.any(term.condition.matches(subject) & occurs)
    ]


def _numbers(rule: Rule, functions: Int64Array, subject_in: SubjectIn) -> RuleNumbers:
    """Return the numbers of the first term that compares some; by default the self costs.

    A rule about functions has numbers of these, even if it compares the total, too.
    """
    field, event = CostField.SELF, None
    for term in rule.terms:
        if isinstance(term.condition, TotalCondition) and not rule.is_of_functions:
            subject = subject_in(term.event)
            base = None if subject.base is None else as_array(subject.base.total)
            return RuleNumbers(None, term.event, base, as_array(subject.total))
        if isinstance(term.condition, CostCondition | ChangeCondition):
            field, event = term.condition.field, term.event
            break
    subject = subject_in(event)
    base = None if subject.base is None else subject.base.values(field)[functions]
    return RuleNumbers(field, event, base, subject.values(field)[functions])


def _present(rule: Rule, subject: FilterSubject) -> BoolArray:
    """Return the mask of functions that a rule is about: those of the new profile, or all."""
    present = occurring(subject)
    if rule.needs_base or subject.base is None:
        return present
    return present & ~subject.base.is_gone
