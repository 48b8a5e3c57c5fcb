"""Formulas of events, and events that the user defines."""

from __future__ import annotations

from fractions import Fraction

import pytest

import qcachegrind_py as q
from qcachegrind_py.profile.errors import EventNameError, FormulaError
from qcachegrind_py.profile.events import (
    EventTypes,
    UserEvent,
    check_user_event,
    event_types,
    format_formula,
    parse_formula,
    parse_ratio,
)


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


EVENTS = event_types(["Ir", "Dr", "D1mr", "cache-misses", "cpu(ms)", "Odd"], {}, [])
OTHERS = (
    UserEvent("Rate", "", "D1mr / Dr"),
    UserEvent("Y", "", "Z + Ir"),
    UserEvent("Z", "", "2 X - W"),
    UserEvent("Broken", "", "Ir +"),
)


def mistake(name: str, formula: str, events: EventTypes = EVENTS) -> str:
    """The error message for the definition; empty if it is valid."""
    try:
        check_user_event(UserEvent(name, "", formula), events, OTHERS)
    except FormulaError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "formula",
    [
        "Ir + 10 Dr",
        "D1mr / Dr",
        "D1mr + Odd / Ir - 0.5 Dr",
        "2 CEst",  # built in, and derived here
        "Bm + ILmr",  # built in, and not here
        "cache-misses + cpu(ms)",
        "3 Z",  # another definition
    ],
)
def test_valid_definitions(formula: str) -> None:
    """Sums and ratios of the profile's events, of Valgrind's and of other user events are valid."""
    assert mistake("New", formula) == ""


def test_a_built_in_event_may_be_defined_anew() -> None:
    """Names of derived events may be reused, those of measured ones may not."""
    assert mistake("CEst", "Ir + 50 Bm") == ""


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "",
            "The name “” is empty: "
            "write one by which formulas can name the event, such as MissRate.",
        ),
        (
            "  ",
            "The name “  ” is empty: "
            "write one by which formulas can name the event, such as MissRate.",
        ),
        (
            "Miss rate",
            "The name “Miss rate” has a blank in it, where formulas take a name to end: "
            "write Miss_rate.",
        ),
        (
            "D1mr/Dr",
            "The name “D1mr/Dr” has the sign / in it, where formulas take a name to end: "
            "write D1mr_Dr.",
        ),
        (
            "A + B",
            "The name “A + B” has a blank in it, where formulas take a name to end: write A_B.",
        ),
        (
            "-",
            "The name “-” has the sign - in it, where formulas take a name to end: "
            "write letters, digits and _.",
        ),
        (
            "A\u200b",
            "The name “A\u200b” has a character that cannot be seen: write letters, digits and _.",
        ),
        (
            "1stMiss",
            "The name “1stMiss” begins with a digit, which formulas take for a number: "
            "put a letter before it.",
        ),
        ("Ir", "The name “Ir” is that of a measured event: write another."),
        (
            "Rate",
            "The name “Rate” is that of another definition: "
            "write another, or change that definition.",
        ),
    ],
)
def test_mistakes_in_names(name: str, sentence: str) -> None:
    """Each mistake in a name has a sentence with a remedy."""
    assert mistake(name, "Ir + Dr") == sentence


def test_contents_of_the_error() -> None:
    """An error about a name has the definition, for display."""
    with pytest.raises(EventNameError) as caught:
        check_user_event(UserEvent("Ir", "", "2 Dr"), EVENTS, ())
    assert (caught.value.name, caught.value.formula) == ("Ir", "2 Dr")
    assert caught.value.reason == "is that of a measured event: write another."


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("", "The formula “” is empty: write a sum of events, such as Ir + 10 Bm."),
        (
            " Ir Dr ",
            "The formula “Ir Dr” cannot be understood at “Dr”: "
            "write events with + or - between them, such as Ir + 10 Bm.",
        ),
        (
            "Ir / Dr / Dr",
            "The formula “Ir / Dr / Dr” divides a second time at “/ Dr”: "
            "write one sum divided by one sum.",
        ),
        (
            "/ Dr",
            "The formula “/ Dr” has nothing left of the slash: write a sum of events there.",
        ),
        (
            "Ir /",
            "The formula “Ir /” has nothing right of the slash: write a sum of events there.",
        ),
        (
            "Ir / 1000",
            "The formula “Ir / 1000” divides by the number 1000: "
            "write a factor instead, such as 0.001 Ir.",
        ),
        ("Ir + Od", "The formula “Ir + Od” names Od, which is not an event: write Odd."),
        ("ir", "The formula “ir” names ir, which is not an event: write Ir."),
        (
            "D1mrr + Od / Ir",
            "The formula “D1mrr + Od / Ir” names D1mrr and Od, which are not events: "
            "write D1mr and Odd.",
        ),
        (
            "Quux",
            "The formula “Quux” names Quux, which is not an event: write Ir, Dr or D1mr.",
        ),
        (
            "Ir-Dr",
            "The formula “Ir-Dr” names Ir-Dr, which is not an event: write Ir - Dr with blanks.",
        ),
        (
            "(D1mr + Odd) / Dr",
            "The formula “(D1mr + Odd) / Dr” has parentheses: leave them out, as all left of a "
            "slash is divided by all right of it, and a factor is for one event.",
        ),
        ("X + Ir", "The formula “X + Ir” names X itself: leave it out."),
        ("Ir / X", "The formula “Ir / X” names X itself: leave it out."),
        ("2 Y", "The formula “2 Y” refers to itself: X → Y → Z → X. Leave Y out."),
        (
            "Ir + 2 Rate",
            "The formula “Ir + 2 Rate” adds up Rate, which is a ratio: "
            "write a sum of events in its place.",
        ),
        (
            "Ir / Rate",
            "The formula “Ir / Rate” adds up Rate, which is a ratio: "
            "write a sum of events in its place.",
        ),
    ],
)
def test_mistakes_in_formulas(formula: str, sentence: str) -> None:
    """Each mistake in a formula has a sentence with the position and a remedy."""
    assert mistake("X", formula) == sentence


def test_cycle_through_a_built_in_event() -> None:
    """A built-in event may depend on an event that the user redefines."""
    assert mistake("L1m", "0.5 CEst") == (
        "The formula “0.5 CEst” refers to itself: L1m → CEst → L1m. Leave CEst out."
    )


def test_cycle_through_an_event_of_the_file() -> None:
    """An event defined in the file may, too."""
    events = event_types(["Ir"], {}, [("F", parse_formula("2 X + Ir"))])
    assert mistake("X", "F", events) == (
        "The formula “F” refers to itself: X → F → X. Leave F out."
    )


def test_the_older_text_of_the_same_definition_does_not_count() -> None:
    """The previous definition of the edited event is ignored."""
    events = EVENTS.with_user_events([UserEvent("X", "", "D1mr / Dr"), *OTHERS])
    assert mistake("X", "Ir + Dr", events) == ""


def test_without_a_profile_no_event_is_unknown() -> None:
    """Without an open profile, no event name is unknown."""
    assert mistake("X", "Time_(10ns) + Quux", EventTypes((), ())) == ""
