"""Formulas as text: parsing, errors and formatting."""

from __future__ import annotations

from fractions import Fraction

import pytest

import qcachegrind_py as q
from qcachegrind_py.profile.events import format_formula, parse_formula, parse_ratio


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Ir", [(1, "Ir")]),
        ("Ir+Dr", [(1, "Ir"), (1, "Dr")]),
        ("  Ir  +  10 Bm ", [(1, "Ir"), (10, "Bm")]),
        ("Ir - 0.5*L1m", [(1, "Ir"), (Fraction(-1, 2), "L1m")]),
        ("-Ir + 2*Dr", [(-1, "Ir"), (2, "Dr")]),
        ("10Bm", [(10, "Bm")]),
        ("0x10 A", [(16, "A")]),
        ("-0XfF*A + 0x0a  *  B", [(-255, "A"), (10, "B")]),
        ("0 x10 + 0x", [(0, "x10"), (0, "x")]),
        ("0.1 Ir + 0.25 Dr", [(Fraction(1, 10), "Ir"), (Fraction(1, 4), "Dr")]),
        ("Ir - Ir", [(1, "Ir"), (-1, "Ir")]),
        ("3 cpu(ms) + wall_time", [(3, "cpu(ms)"), (1, "wall_time")]),
    ],
)
def test_parse(text: str, terms: list[tuple[Fraction, str]]) -> None:
    """A formula is a sum of terms, each with a sign, a coefficient and a name."""
    assert list(parse_formula(text)) == terms


@pytest.mark.parametrize(
    "text", ["", "  ", "+", "Ir +", "Ir Dr", "Ir + + Dr", "3", "Ir + 3", "10 *", "* Ir *", "Ir / 2",
             "0x10A", "0x10Bm", "0x10", "0x10.5 Ir", "0x38d7ea4c68000 Ir", f"0x{'f' * 9999} Ir"]
)  # fmt: skip
def test_invalid_formulas(text: str) -> None:
    """An invalid formula is refused, with the formula and a reason in the message."""
    with pytest.raises(q.FormulaError) as caught:
        parse_formula(text)
    assert caught.value.formula == text.strip()
    assert str(caught.value) == f"The formula “{text.strip()}” {caught.value.reason}"
    assert len(caught.value.reason) > 20


@pytest.mark.parametrize(
    "text", ["Ir", "Ir + 10 Bm", "-Ir - 0.5 L1m", "- Ir + Dr", "2 Ir - 3 Dr + 0.125 Dw", "0.1 Ir"]
)
def test_format_is_the_inverse_of_parse(text: str) -> None:
    """A formula formatted and parsed again is the same formula."""
    formula = parse_formula(text)
    assert parse_formula(format_formula(formula)) == formula


@pytest.mark.parametrize("text", ["123456789 Ir", "0.123456789 Ir", "1000000 Ir + 0.0000001 Dr"])
def test_coefficients_of_many_digits_survive(text: str) -> None:
    """No digit of a coefficient is lost in formatting."""
    formula = parse_formula(text)
    assert parse_formula(format_formula(formula)) == formula


def test_format() -> None:
    """Formulas are written as people write them."""
    texts = ["Ir+10*Bm", "- Ir  -0.5 L1m", "1 Ir + 1.0 Dr"]
    assert [format_formula(parse_formula(text)) for text in texts] == [
        "Ir + 10 Bm",
        "- Ir - 0.5 L1m",
        "Ir + Dr",
    ]


# ------------------------------------------------------------ sums and ratios


@pytest.mark.parametrize(
    ("text", "formula", "divisor"),
    [
        (" Ir + 10 Bm ", "Ir + 10 Bm", ""),
        ("D1mr / Dr", "D1mr", "Dr"),
        ("I1mr+D1mr/Ir", "I1mr + D1mr", "Ir"),
        ("-0.5 A / 2 B - C", "- 0.5 A", "2 B - C"),
    ],
)
def test_parse_definition(text: str, formula: str, divisor: str) -> None:
    """A user event is a sum, or one whole sum divided by another."""
    right = parse_formula(divisor) if divisor else ()
    assert parse_ratio(text) == (parse_formula(formula), right)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty: write a sum of events, such as Ir + 10 Bm."),
        (
            "Ir Dr",
            "cannot be understood at “Dr”: write events with + or - between them, "
            "such as Ir + 10 Bm.",
        ),
        (
            "D1mr + / Dr",
            "cannot be understood at “+”: write events with + or - between them, "
            "such as Ir + 10 Bm.",
        ),
        (
            "1234567890123456 Ir",
            "has a number of more than 15 digits before Ir: write a shorter one.",
        ),
        ("A / B / C", "divides a second time at “/ C”: write one sum divided by one sum."),
        ("A / B /", "divides a second time at “/”: write one sum divided by one sum."),
        ("A/B/C/D", "divides a second time at “/ C/D”: write one sum divided by one sum."),
        ("/ Dr", "has nothing left of the slash: write a sum of events there."),
        ("Ir /", "has nothing right of the slash: write a sum of events there."),
        ("/", "has nothing left of the slash: write a sum of events there."),
        ("Ir / 1000", "divides by the number 1000: write a factor instead, such as 0.001 Ir."),
    ],
)
def test_invalid_definitions(text: str, reason: str) -> None:
    """Each mistake has a sentence with the whole text, the position and a remedy."""
    with pytest.raises(q.FormulaError) as caught:
        parse_ratio(text)
    assert str(caught.value) == f"The formula “{text}” {reason}"


@pytest.mark.parametrize("text", ["D1mr / Dr", "Ir + / Dr", "/ Dr"])
def test_no_file_has_ratios(text: str) -> None:
    """In a file a slash is invalid: the format has sums only."""
    with pytest.raises(q.FormulaError):
        parse_formula(text)


def test_line_of_spaces_is_parsed_quickly() -> None:
    """A hostile line of many spaces is refused quickly, without backtracking."""
    with pytest.raises(q.FormulaError):
        parse_formula("a" + " " * 100_000 + "1")
