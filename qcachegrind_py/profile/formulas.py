"""Formulas of derived events: parsing and formatting; `events` evaluates them.

A formula is a sum of terms, each with a sign, a coefficient and the name of another event:
`Ir + 10 Bm - 0.5*L1m` (Callgrind Format Specification, 3.1.7.2, with KCachegrind's grammar, and
decimals added). Coefficients may be hexadecimal; a blank or `*` then separates them from the name,
which might begin with further digits. A formula from the user, but not from a file, may also be a
ratio of two sums: `D1mr + D1mw / Dr + Dw`. There are no parentheses, since the slash has the lowest
precedence.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from qcachegrind_py.profile.errors import FormulaError

Formula = tuple[tuple[Fraction, str], ...]  # terms: coefficient, event name

_HEXADECIMAL = r"0[xX][0-9a-fA-F]"
_TERM = re.compile(  # possessive quantifiers prevent backtracking on long runs of blanks
    r"\s*+([+-])?\s*+"
    rf"(?:({_HEXADECIMAL}++(?=[\s*])|(?!{_HEXADECIMAL})\d++(?:\.\d++)?)\s*+\*?\s*+)?"
    r"([^\s\d+*/-][^\s+*]*)"
)
_NUMBER = re.compile(rf"{_HEXADECIMAL}+|\d+(?:\.\d+)?")
_MAX_DIGITS = 15  # of a coefficient


def parse_formula(text: str) -> Formula:
    """Parse a sum; raise `FormulaError`, with the reason and a remedy, if it is invalid."""
    terms: list[tuple[Fraction, str]] = []
    offset = 0
    text = text.strip()
    if not text:
        raise FormulaError(text, "is empty: write a sum of events, such as Ir + 10 Bm.")
    while offset < len(text):
        match = _TERM.match(text, offset)
        if match is None or (terms and not match[1]):
            reason = f"cannot be understood at “{text[offset:].strip()}”: write events with + or -"
            raise FormulaError(text, f"{reason} between them, such as Ir + 10 Bm.")
        number = _in_decimal(match[2] or "1")
        if len(number.replace(".", "")) > _MAX_DIGITS:
            reason = f"has a number of more than {_MAX_DIGITS} digits before {match[3]}"
            raise FormulaError(text, f"{reason}: write a shorter one.")
        sign = -1 if match[1] == "-" else 1
        terms.append((sign * Fraction(number), match[3]))
        offset = match.end()
    return tuple(terms)


def _in_decimal(number: str) -> str:
    """Return a number in decimal notation; a hexadecimal one of too many digits is unchanged."""
    is_hexadecimal = number[:2] in ("0x", "0X") and len(number) <= _MAX_DIGITS
    return str(int(number, 16)) if is_hexadecimal else number


def parse_ratio(text: str) -> tuple[Formula, Formula]:
    """Parse a user's formula into dividend and divisor; the divisor is empty for a sum.

    Raises `FormulaError` if it is invalid.
    """
    text = text.strip()
    sides = text.split("/")
    if len(sides) > 2:
        again = f"/ {'/'.join(sides[2:]).strip()}".strip()
        reason = f"divides a second time at “{again}”: write one sum divided by one sum."
        raise FormulaError(text, reason)
    if len(sides) == 1:
        return parse_formula(text), ()
    _check_ratio_sides(text, sides[0].strip(), sides[1].strip())
    try:
        return parse_formula(sides[0]), parse_formula(sides[1])
    except FormulaError as error:
        raise FormulaError(text, error.reason) from None


def _check_ratio_sides(text: str, dividend: str, divisor: str) -> None:
    for side, sum_ in (("left", dividend), ("right", divisor)):
        if not sum_:
            reason = f"has nothing {side} of the slash: write a sum of events there."
            raise FormulaError(text, reason)
    if _NUMBER.fullmatch(divisor):
        reason = f"divides by the number {divisor}: write a factor instead, such as 0.001 Ir."
        raise FormulaError(text, reason)


def format_formula(formula: Formula) -> str:
    """Format a formula in the grammar of `parse_formula`."""
    text = ""
    for coefficient, name in formula:
        sign = "-" if coefficient < 0 else "+"
        size = abs(coefficient)
        number = "" if size == 1 else f"{_decimal_text(size)} "
        text += f" {sign} {number}{name}" if text or sign == "-" else f"{number}{name}"
    return text.strip()


def _decimal_text(number: Fraction) -> str:
    """Return all digits of a decimal number."""
    return f"{Decimal(number.numerator) / Decimal(number.denominator):f}"
