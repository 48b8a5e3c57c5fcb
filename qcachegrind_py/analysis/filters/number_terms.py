"""Terms that compare numbers: `self>1%`, `incl>=10k`, and the change `self>+5%`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from qcachegrind_py.analysis.filters.changes import ChangeCondition, ChangeLimit, ChangeUnit
from qcachegrind_py.analysis.filters.conditions import CostCondition
from qcachegrind_py.analysis.filters.subject import CostField

COMPARISON_SIGNS = "<=|>=|<|>|="
COST_FIELDS = {compared.value: compared for compared in CostField}
COST_FIELDS["inclusive"] = CostField.INCLUSIVE

_SUFFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_MAX_DIGITS = 40
_NUMBER = re.compile(r"([+-]?)([0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?)([kmg]?|%t?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number as it is written behind a comparison sign."""

    value: Fraction
    has_sign: bool
    unit: ChangeUnit


def parse_number(text: str) -> WrittenNumber | None:
    """Return the number that a text is; None if it is none."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > _MAX_DIGITS:
        return None
    sign, digits, suffix = match.groups()
    value = Fraction(digits.replace("_", "")) * (-1 if sign == "-" else 1)
    unit = suffix.lower() if "%" in suffix else ""
    return WrittenNumber(value * _SUFFIXES.get(suffix.lower(), 1), bool(sign), ChangeUnit(unit))


def parse_cost(
    name: str, sign: str, text: str, *, compares: bool
) -> CostCondition | ChangeCondition:
    """Return the condition of a term such as `self>1%`, by its name, comparison sign and number.

    In a comparison, a number with a sign is a change. Raises ValueError, with advice on the form,
    if the term is invalid.
    """
    field, number = COST_FIELDS[name.lower()], parse_number(text)
    such = _examples(field, f"{name}{sign}", compares=compares)
    if number is None or (number.unit is ChangeUnit.TOTAL and not compares):
        raise ValueError(f"after {sign} comes a number, {such}")
    if field is CostField.CALLED and number.unit is ChangeUnit.TOTAL:
        raise ValueError(f"calls are counted, and have no total: write a number, {such}")
    if compares and number.has_sign:
        return ChangeCondition(field, ChangeLimit(sign, number.value, number.unit))
    is_percentage = number.unit is not ChangeUnit.COUNT
    if is_percentage and field is CostField.CALLED:
        raise ValueError(f"calls are counted, and have no percentage: write a number, {such}")
    return CostCondition(field, sign, number.value, is_percentage)


def _examples(field: CostField, start: str, *, compares: bool) -> str:
    if compares:
        return f"such as {start}+5% for a change, or {start}10k for what it is now."
    example = "1000" if field is CostField.CALLED else "1%"
    return f"such as {start}{example} or {start}10k."
