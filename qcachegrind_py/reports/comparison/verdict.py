"""What a gate says in sentences: which rules are met, and by which functions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.comparison.comparison import CYCLE_DIFFERS
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.analysis.filters.conditions import CostField
from qcachegrind_py.analysis.filters.rules import RuleNumbers, RuleResult
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.profile.numbers import NumberStyle, format_exact, plural, signed_text
from qcachegrind_py.reports.comparison.contents import ComparisonReport
from qcachegrind_py.reports.comparison.measures import percentage_text
from qcachegrind_py.reports.comparison.pairs import FunctionName

_MAX_FUNCTIONS = 20  # of a rule, in order of size; JSON has all
_C_LIBRARY = re.compile(r"(libc|libm|ld)[-.]")
_SUBJECTS = {
    None: "total",
    CostField.SELF: "self cost",
    CostField.INCLUSIVE: "inclusive cost",
    CostField.CALLED: "called",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A function that meets a rule: its number, its name, and the numbers that the rule is about.

    `numbers` is a text such as “self cost 1,000 → 1,050 Ir: +50 (+5.00 %)”, or empty.
    """

    function: int
    name: FunctionName
    numbers: str
    line: int = 0  # at which the function begins; 0: not known

    @property
    def place(self) -> str:
        """The file, and the line if it is known."""
        return f"{self.name.file}:{self.line}" if self.line else self.name.file


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a rule is met, as a sentence without the rule itself, and the functions that do."""

    rule: str
    is_met: bool | None  # None: not checked
    sentence: str
    findings: tuple[Finding, ...]
    more: int  # functions that are not listed
    advice: tuple[str, ...] = ()  # what may be done about it, one sentence each


def verdicts(report: ComparisonReport, style: NumberStyle) -> list[Verdict]:
    """Return what is to be said of each rule, in their order."""
    return [_verdict(report, result, style) for result in report.rules]


def _verdict(report: ComparisonReport, result: RuleResult, style: NumberStyle) -> Verdict:
    findings = tuple(_findings(report, result, style))
    sentence = _sentence(report, result, style)
    more = len(result.functions) - len(findings)
    advice = tuple(_advice(report, findings))
    return Verdict(result.rule.text, result.is_met, sentence, findings, more, advice)


def _advice(report: ComparisonReport, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield what may be done if a function was renamed, or is one of the C library."""
    if report.base is None:
        return
    found = {finding.name for finding in findings}
    for each in report.proposals:
        if found & {each.base, each.new}:
            alike = f"{100 * each.alike:.0f} % of their calls alike"
            renamed = f"{each.base.name} → {each.new.name} may be a rename ({alike})"
            yield f"{renamed}: --accept-renames compares them as one function."
    for library in sorted({base_name(name.object) for name in found}):
        if stem := _C_LIBRARY.match(library):
            of = f"{library} is a library of the system"
            yield f"{of}: --fold '^{stem[1]}[-.]' charges its functions to their callers."


def _sentence(report: ComparisonReport, result: RuleResult, style: NumberStyle) -> str:
    if result.is_met is None:
        return "is not checked, as there is no base"
    count = len(result.functions)
    met = "is met" if result.is_met else "is not met"
    if result.rule.is_of_functions:
        return f"{met} by {count:,} {plural(count, 'function')}" if count else met
    assert result.numbers is not None  # as the rule was checked
    text = f"{met}: {_numbers_text(report, result.numbers, 0, style)}"
    return text + (_remainder_text(report, result.numbers, style) if result.is_met else "")


def _remainder_text(report: ComparisonReport, numbers: RuleNumbers, style: NumberStyle) -> str:
    """Return what of the change of a total is none of the functions; empty if nothing is."""
    name = numbers.event or report.event.event.name
    each = next((each for each in report.total_events if each.event.name == name), None)
    if numbers.base is None or each is None or each.remainder is None:
        return ""
    base, new = each.remainder
    if base == new:
        return ""
    change = signed_text(format_exact(new - base, "", style), new - base)
    if not np.any(each.self_cost.change):
        return ", but no function changed: only the recorded total did"
    return f", of which {change} is not attributed to functions"


def _findings(
    report: ComparisonReport, result: RuleResult, style: NumberStyle
) -> Iterator[Finding]:
    if (numbers := result.numbers) is None:
        return
    order = _largest_first(numbers, len(result.functions))[:_MAX_FUNCTIONS]
    functions = result.functions[order]
    names = report.pairs.shown(functions)
    for place, function, name in zip(order, functions.tolist(), names, strict=True):
        text = _numbers_text(report, numbers, place, style)
        if report.base is not None:
            text += {1: ", new", -1: ", gone"}.get(_side_of(report, function), "")
        if numbers.subject is CostField.INCLUSIVE and report.split_cycle[function]:
            text += f", {CYCLE_DIFFERS}"
        yield Finding(function, name, text, report.first_line(function))


def _side_of(report: ComparisonReport, function: int) -> int:
    """Return 1 for a function of the new profile only, -1 for one of the base only, else 0."""
    pairs = report.pairs
    return int(pairs.only_new[function]) - int(pairs.only_base[function])


def _largest_first(numbers: RuleNumbers, count: int) -> list[int]:
    """Return the order of a rule's functions, by size of the change where there is a base."""
    values = numbers.new if numbers.base is None else BothSides(numbers.base, numbers.new).change
    sizes = [abs(value) for value in values.tolist()]
    return sorted(range(count), key=lambda place: (sizes[place] != sizes[place], -sizes[place]))


def _numbers_text(
    report: ComparisonReport, numbers: RuleNumbers, place: int, style: NumberStyle
) -> str:
    """Return the numbers of one function or of the total: what they are of, base, new, change."""
    is_called = numbers.subject is CostField.CALLED
    event = "" if is_called else numbers.event or report.event.event.name
    new = numbers.new[place : place + 1].tolist()[0]
    subject = _SUBJECTS[numbers.subject]
    if numbers.base is None:
        return f"{subject} {format_exact(new, event, style)}"
    base = numbers.base[place : place + 1].tolist()[0]
    change = new - base
    percent = percentage_text(change, base, style)
    relative = f" ({percent} %)" if base > 0 else ""
    return (
        f"{subject} {format_exact(base, '', style)} → {format_exact(new, event, style)}: "
        f"{signed_text(format_exact(change, '', style), change)}{relative}"
    )
