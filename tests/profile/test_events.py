"""Measured and derived events, and the formulas between them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.profile.events import (
    EventType,
    EventTypes,
    event_types,
    format_formula,
    parse_formula,
)

CACHE = ["Ir", "Dr", "Dw", "I1mr", "D1mr", "D1mw", "ILmr", "DLmr", "DLmw"]
BRANCHES = ["Bc", "Bcm", "Bi", "Bim"]


def made(measured: list[str], **formulas: str) -> EventTypes:
    return event_types(measured, {}, [(n, parse_formula(text)) for n, text in formulas.items()])


def cost(events: EventTypes, name: str, *costs: int) -> int:
    event = events.find(name)
    assert event is not None
    return int(events.evaluate(event, np.array([[cost] for cost in costs], np.int64))[0])


# ------------------------------------------------------------ KCachegrind's own


@pytest.mark.parametrize(
    ("measured", "derived"),
    [
        (["Ir"], ["CEst"]),
        (CACHE, ["L1m", "LLm", "CEst"]),
        (CACHE + BRANCHES, ["L1m", "LLm", "Bm", "CEst"]),
        (["I2mr"], ["L2m", "CEst"]),
        (["Ge"], ["CEst"]),
        (["Bim"], ["Bm", "CEst"]),
        (["Time", "Memory"], []),
        ([], []),
    ],
)
def test_which_events_are_derived(measured: list[str], derived: list[str]) -> None:
    """A derived event is offered where at least one event of its formula is there."""
    assert [event.name for event in made(measured).derived] == derived


def test_built_in_formulas() -> None:
    """Sums of misses, and the estimate Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm."""
    events = made([*CACHE, *BRANCHES, "Ge"])
    counts = (1000, 500, 200, 3, 5, 7, 11, 13, 17, 90, 19, 80, 23, 29)
    assert {event.name: cost(events, event.name, *counts) for event in events.derived} == {
        "L1m": 3 + 5 + 7,
        "LLm": 11 + 13 + 17,
        "Bm": 19 + 23,
        "CEst": 1000 + 10 * 42 + 10 * 15 + 20 * 29 + 100 * 41,
    }


def test_old_cache_events() -> None:
    """Profiles of old versions have L2 misses."""
    events = made(["Ir", "I2mr", "D2mr", "D2mw"])
    assert cost(events, "L2m", 1000, 1, 2, 3) == 6
    assert cost(events, "CEst", 1000, 1, 2, 3) == 1600


def test_long_names() -> None:
    """Known events have KCachegrind's long names; the file's own go before them."""
    events = event_types(["Ir", "Dw", "Odd"], {"Dw": "My Writes"}, [])
    assert [event.title for event in events.measured] == ["Instruction Fetch", "My Writes", "Odd"]
    assert [event.title for event in events.derived] == ["Cycle Estimation"]


def test_a_file_may_define_a_built_in_event_anew() -> None:
    """The file's own formula goes before the built-in one."""
    events = made(["Ir", "Bcm"], CEst="Ir + 50 Bcm")
    assert cost(events, "CEst", 100, 2) == 200


def test_a_measured_event_is_never_derived() -> None:
    """What was measured is shown, not what a formula of that name gives."""
    events = made(["Ir", "Bm"], Ir="2 Bm")
    assert [event.name for event in events.derived] == ["CEst"]
    assert (cost(events, "Ir", 100, 2), cost(events, "Bm", 100, 2)) == (100, 2)


# ------------------------------------------------------------ formulas


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Ir", [(1, "Ir")]),
        ("Ir+Dr", [(1, "Ir"), (1, "Dr")]),
        ("  Ir  +  10 Bm ", [(1, "Ir"), (10, "Bm")]),
        ("Ir - 0.5*L1m", [(1, "Ir"), (Fraction(-1, 2), "L1m")]),
        ("-Ir + 2*Dr", [(-1, "Ir"), (2, "Dr")]),
        ("10Bm", [(10, "Bm")]),
        ("0.1 Ir + 0.25 Dr", [(Fraction(1, 10), "Ir"), (Fraction(1, 4), "Dr")]),
        ("Ir - Ir", [(1, "Ir"), (-1, "Ir")]),
        ("3 cpu(ms) + wall_time", [(3, "cpu(ms)"), (1, "wall_time")]),
    ],
)
def test_parse(text: str, terms: list[tuple[Fraction, str]]) -> None:
    """A formula is a sum of terms, each with a sign, a decimal coefficient and a name."""
    assert list(parse_formula(text)) == terms


@pytest.mark.parametrize(
    "text", ["", "  ", "+", "Ir +", "Ir Dr", "Ir + + Dr", "3", "Ir + 3", "10 *", "* Ir *", "Ir / 2"]
)
def test_what_is_no_formula(text: str) -> None:
    """What cannot be understood is refused, with the formula and a reason in the message."""
    with pytest.raises(q.FormulaError) as caught:
        parse_formula(text)
    assert caught.value.formula == text.strip()
    assert str(caught.value) == f"The formula “{text.strip()}” {caught.value.reason}"
    assert len(caught.value.reason) > 20


@pytest.mark.parametrize(
    "text", ["Ir", "Ir + 10 Bm", "-Ir - 0.5 L1m", "- Ir + Dr", "2 Ir - 3 Dr + 0.125 Dw", "0.1 Ir"]
)
def test_format_is_the_inverse_of_parse(text: str) -> None:
    """A formula written out and read again is the same formula."""
    formula = parse_formula(text)
    assert parse_formula(format_formula(formula)) == formula


@pytest.mark.parametrize("text", ["123456789 Ir", "0.123456789 Ir", "1000000 Ir + 0.0000001 Dr"])
def test_coefficients_of_many_digits_survive(text: str) -> None:
    """No digit of a coefficient is lost when a formula is written out."""
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


# ------------------------------------------------------------ costs


def test_whole_coefficients_are_exact() -> None:
    """Above 2^53 no digit is lost."""
    events = made(["A", "B"], S="A + 3 B", D="A - B")
    assert cost(events, "S", 2**60 + 1, 1) == 2**60 + 4
    assert cost(events, "D", 2**60 + 1, 2**60) == 1


def test_differences_may_be_negative() -> None:
    """A formula with minus gives a negative number where it is one."""
    assert cost(made(["A", "B"], D="A - 2 B"), "D", 3, 5) == -7


@pytest.mark.parametrize(
    ("value", "rounded"), [(0, 0), (1, 1), (2, 1), (3, 2), (5, 3), (-1, 0), (-2, -1), (-3, -1)]
)
def test_halves_are_rounded_up(value: int, rounded: int) -> None:
    """A half is rounded to the integer above: 0.5 to 1, -1.5 to -1."""
    assert cost(made(["A"], H="0.5 A"), "H", value) == rounded


def test_rounding_happens_once() -> None:
    """0.1 + 0.2 + 0.7 of 1 is 1: terms are added exactly, and only the sum is rounded."""
    events = made(["A", "B", "C"], S="0.1 A + 0.2 B + 0.7 C", T="0.3 A")
    assert cost(events, "S", 1, 1, 1) == 1
    assert [cost(events, "T", value, 0, 0) for value in (1, 2, 5, 10)] == [0, 1, 2, 3]


def test_an_event_derived_from_derived_ones() -> None:
    """Derived events may rest on derived ones, in any order, the built-in ones included."""
    events = made(["Ir", "Bcm"], Z="2 Y", Y="X + Bm", X="Ir - 1 Bcm")
    assert [event.name for event in events.derived] == ["Bm", "CEst", "Z", "Y", "X"]
    assert cost(events, "Z", 100, 7) == 2 * ((100 - 7) + 7)


def test_names_that_are_not_there_count_nothing() -> None:
    """A term whose event was not measured is left out (KCachegrind's rule)."""
    events = made(["A"], S="A + 5 Nowhere", N="Nowhere")
    assert cost(events, "S", 3) == 3
    assert events.find("N") is None


def test_formulas_that_go_round_end() -> None:
    """An event that rests on itself counts what else its formula has."""
    events = made(["A"], S="A + S", P="Q + A", Q="P")
    assert [cost(events, name, 5) for name in ("S", "P", "Q")] == [5, 5, 5]


def test_weights() -> None:
    """What a derived event is in measured ones."""
    events = made(["Ir", "Bcm", "Bim"], T="CEst - 0.5 Ir")
    event = events.find("T")
    assert event is not None
    assert events.weights(event) == (Fraction(1, 2), Fraction(10), Fraction(10))
    assert events.weights(events.measured[1]) == (0, 1, 0)


def test_shapes() -> None:
    """Costs of any shape keep it: of functions, of one, of none."""
    events = made(["A", "B"], S="A + B")
    event = events.find("S")
    assert event is not None
    assert events.evaluate(event, np.arange(12).reshape(2, 3, 2)).tolist() == [
        [6, 8],
        [10, 12],
        [14, 16],
    ]
    assert events.evaluate(event, np.zeros((2, 0), np.int64)).tolist() == []


def test_a_formula_that_comes_to_nothing() -> None:
    """An event whose terms cancel out costs 0 everywhere."""
    assert cost(made(["A"], S="A - A"), "S", 5) == 0


def test_find_and_all() -> None:
    """Measured events come first; an unknown name finds nothing."""
    events = made(["B", "A"], S="A + B")
    assert [event.name for event in events.all] == ["B", "A", "S"]
    assert events.names == ("B", "A")
    assert events.find("A") == EventType("A", "")
    assert events.find("nowhere") is None
    assert [event.is_derived for event in events.all] == [False, False, True]


def test_a_long_chain_of_formulas_is_weighed_at_once() -> None:
    """Each formula is worked out once, however often others name it: 2^60 ways lead to A0."""
    chain = [(f"A{n}", parse_formula(f"A{n - 1} + A{n - 1}")) for n in range(1, 61)]
    events = event_types(["A0"], {}, chain)
    last = events.find("A60")

    assert last is not None
    assert events.weights(last) == (Fraction(2**60),)


def test_formulas_that_all_name_each_other_end() -> None:
    """A file that makes every formula name every other cannot keep us busy for ever."""
    names = [f"X{n}" for n in range(40)]
    terms = " + ".join(["Ir", *names])
    events = event_types(["Ir"], {}, [(name, parse_formula(terms)) for name in names])

    assert [events.weights(event)[0] >= 1 for event in events.derived if event.name in names] == [
        True
    ] * 40
