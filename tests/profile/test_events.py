"""Measured and derived events, the values of formulas and ratios, and user events."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from qcachegrind_py.profile.events import (
    EventType,
    EventTypes,
    UserEvent,
    event_types,
    format_definition,
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


def user_events(measured: list[str], **texts: str) -> EventTypes:
    return made(measured).with_user_events(UserEvent(n, "", text) for n, text in texts.items())


def ratios(events: EventTypes, name: str, *rows: list[int]) -> list[float | None]:
    """The ratio of each function; None if it is undefined."""
    event = events.find(name)
    assert event is not None
    got = events.evaluate(event, np.array(rows, np.int64))
    assert got.dtype == np.float64
    return [None if np.isnan(ratio) else ratio for ratio in got.tolist()]


# ------------------------------------------------------------ KCachegrind's own


@pytest.mark.parametrize(
    ("measured", "derived"),
    [
        (["Ir"], []),
        (["Ir", "Dr", "Dw"], []),
        (CACHE, ["L1m", "LLm", "CEst", "EstimatedCycles"]),
        (CACHE + BRANCHES, ["L1m", "LLm", "Bm", "CEst", "EstimatedCycles"]),
        (["Ir", "Dr", "Dw", "D1mr"], ["L1m", "CEst"]),
        (["I2mr"], ["L2m", "CEst"]),
        (["Ge"], ["CEst"]),
        (["Bim"], ["Bm", "CEst"]),
        (["Time", "Memory"], []),
        ([], []),
    ],
)
def test_which_events_are_derived(measured: list[str], derived: list[str]) -> None:
    """One is offered if an event of its formula exists; for CEst, other than Ir; one needs all."""
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
        "EstimatedCycles": (1000 + 500 + 200 - 15) + 5 * (15 - 41) + 35 * 41,
    }


def test_old_cache_events() -> None:
    """Profiles of old versions have L2 misses."""
    events = made(["Ir", "I2mr", "D2mr", "D2mw"])
    assert cost(events, "L2m", 1000, 1, 2, 3) == 6
    assert cost(events, "CEst", 1000, 1, 2, 3) == 1600


def test_long_names() -> None:
    """Known events have KCachegrind's long names, unless the file has its own."""
    events = event_types(["Ir", "Ge", "Dw", "Odd"], {"Dw": "My Writes"}, [])
    titles = [event.title for event in events.measured]
    assert titles == ["Instruction Fetch", "Global Bus Event", "My Writes", "Odd"]
    assert [event.title for event in events.derived] == ["Cycle Estimation"]


def test_a_file_may_define_a_built_in_event_anew() -> None:
    """The file's own formula takes precedence over the built-in one."""
    events = made(["Ir", "Bcm"], CEst="Ir + 50 Bcm")
    assert cost(events, "CEst", 100, 2) == 200
    assert cost(made(["Ir"], CEst="2 Ir"), "CEst", 100) == 200


def test_without_an_estimate_nothing_is_computed_of_it() -> None:
    """Without CEst, `CEst - Ir` would be -Ir: it is not offered, nor is what it is a term of."""
    assert made(["Ir"], Stalls="CEst - Ir", Twice="2 Stalls").derived == ()
    assert user_events(["Ir"], Stalls="CEst - Ir", Rate="Ir / CEst").derived == ()
    events = user_events(["Ir", "Bcm"], Stalls="CEst - Ir")
    assert [event.name for event in events.derived] == ["Bm", "CEst", "Stalls"]
    assert cost(events, "Stalls", 100, 2) == 20
    assert cost(user_events(["Cycle"], Either="CEst + Cycle"), "Either", 100) == 100


def test_a_measured_event_is_never_derived() -> None:
    """A measured event is shown, not a formula of the same name."""
    events = made(["Ir", "Bm"], Ir="2 Bm")
    assert [event.name for event in events.derived] == ["CEst"]
    assert (cost(events, "Ir", 100, 2), cost(events, "Bm", 100, 2)) == (100, 2)


# ------------------------------------------------------------ costs


def test_whole_coefficients_are_exact() -> None:
    """Above 2^53 no digit is lost."""
    events = made(["A", "B"], S="A + 3 B", D="A - B")
    assert cost(events, "S", 2**60 + 1, 1) == 2**60 + 4
    assert cost(events, "D", 2**60 + 1, 2**60) == 1


def test_differences_may_be_negative() -> None:
    """A formula with a minus may give a negative number."""
    assert cost(made(["A", "B"], D="A - 2 B"), "D", 3, 5) == -7


@pytest.mark.parametrize(
    ("value", "rounded"), [(0, 0), (1, 1), (2, 1), (3, 2), (5, 3), (-1, 0), (-2, -1), (-3, -1)]
)
def test_halves_are_rounded_up(value: int, rounded: int) -> None:
    """A half is rounded up to the next integer: 0.5 to 1, -1.5 to -1."""
    assert cost(made(["A"], H="0.5 A"), "H", value) == rounded


def test_rounding_happens_once() -> None:
    """0.1 + 0.2 + 0.7 of 1 is 1: terms are added exactly, and only the sum is rounded."""
    events = made(["A", "B", "C"], S="0.1 A + 0.2 B + 0.7 C", T="0.3 A")
    assert cost(events, "S", 1, 1, 1) == 1
    assert [cost(events, "T", value, 0, 0) for value in (1, 2, 5, 10)] == [0, 1, 2, 3]


def test_an_event_derived_from_derived_ones() -> None:
    """Derived events may depend on derived ones, in any order, including built-in ones."""
    events = made(["Ir", "Bcm"], Z="2 Y", Y="X + Bm", X="Ir - 1 Bcm")
    assert [event.name for event in events.derived] == ["Bm", "CEst", "Z", "Y", "X"]
    assert cost(events, "Z", 100, 7) == 2 * ((100 - 7) + 7)


def test_unknown_names_count_nothing() -> None:
    """A term whose event was not measured is left out (KCachegrind's rule)."""
    events = made(["A"], S="A + 5 Nowhere", N="Nowhere")
    assert cost(events, "S", 3) == 3
    assert events.find("N") is None


def test_circular_formulas_end() -> None:
    """An event that depends on itself has the value of its other terms."""
    events = made(["A"], S="A + S", P="Q + A", Q="P")
    assert [cost(events, name, 5) for name in ("S", "P", "Q")] == [5, 5, 5]


def test_weights() -> None:
    """The weights express a derived event in measured ones."""
    events = made(["Ir", "Bcm", "Bim"], T="CEst - 0.5 Ir")
    event = events.find("T")
    assert event is not None
    assert events.weights(event) == (Fraction(1, 2), Fraction(10), Fraction(10))
    assert events.weights(events.measured[1]) == (0, 1, 0)


def test_shapes() -> None:
    """The result has the shape of the costs, for many functions, for one and for none."""
    events = made(["A", "B"], S="A + B")
    event = events.find("S")
    assert event is not None
    assert events.evaluate(event, np.arange(12).reshape(2, 3, 2)).tolist() == [
        [6, 8],
        [10, 12],
        [14, 16],
    ]
    assert events.evaluate(event, np.zeros((2, 0), np.int64)).tolist() == []


def test_a_formula_that_cancels_out() -> None:
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
    """Each formula is evaluated once, however often others name it: 2^60 paths lead to A0."""
    chain = [(f"A{n}", parse_formula(f"A{n - 1} + A{n - 1}")) for n in range(1, 61)]
    events = event_types(["A0"], {}, chain)
    last = events.find("A60")

    assert last is not None
    assert events.weights(last) == (Fraction(2**60),)


@pytest.mark.slow
def test_formulas_that_all_name_each_other_end() -> None:
    """Formulas that all name each other are evaluated in bounded time."""
    names = [f"X{n}" for n in range(40)]
    terms = " + ".join(["Ir", *names])
    events = event_types(["Ir"], {}, [(name, parse_formula(terms)) for name in names])

    assert [events.weights(event)[0] >= 1 for event in events.derived if event.name in names] == [
        True
    ] * 40


def test_costs_that_are_python_integers() -> None:
    """Costs beyond 64 bits are Python integers, and are exact, too."""
    events = made(["A", "B"], S="A + 0.5 B")
    event = events.find("S")
    assert event is not None
    values = np.array([[2**70, 1], [2**71, 2]], object)
    assert events.evaluate(event, values).tolist() == [2**71, 2]


# ------------------------------------------------------------ ratios


def test_a_ratio_divides_whole_sums() -> None:
    """Everything left of the slash is divided by everything right of it."""
    events = user_events(["A", "B", "C"], R="A + B / C", Q="2 A / B + C")
    assert ratios(events, "R", [1, 3], [2, 4], [4, 8]) == [0.75, 0.875]
    assert ratios(events, "Q", [1, 3], [2, 4], [6, 8]) == [0.25, 0.5]


def test_an_undefined_ratio() -> None:
    """If the divisor is 0, the ratio is undefined, whatever the dividend."""
    assert ratios(user_events(["A", "B"], R="A / B"), "R", [5, 0, 5], [0, 0, 2]) == [
        None,
        None,
        2.5,
    ]


def test_a_ratio_is_of_exact_sums() -> None:
    """Only the quotient is rounded: not the sums, nor costs above 2^53 before they cancel."""
    events = user_events(["A", "B"], R="A - B / B - 0.5 A", H="0.5 A / 0.25 B", T="0.1 A / 0.3 B")
    assert ratios(events, "R", [2**60 + 2], [2**60 + 1]) == [1 / 2**59]
    assert ratios(events, "H", [1], [1]) == [2.0]
    assert ratios(events, "T", [3], [1]) == [1.0]


def test_a_ratio_beyond_64_bits() -> None:
    """Sums beyond 64 bits are divided exactly, also by 0."""
    events = user_events(["A", "B"], R="4 A / 2 B")
    got = ratios(events, "R", [2**62, 2**62, 0], [2**62, 0, 2**62])
    assert got == [2.0, None, 0.0]


def test_a_ratio_beyond_floats() -> None:
    """A quotient beyond the range of floats is infinite, not an error."""
    rows = [(f"A{n}", parse_formula(f"{10**14} A{n - 1}")) for n in range(1, 31)]
    events = event_types(["A0", "B"], {}, rows)
    events = events.with_user_events(
        [UserEvent("R", "", "A30 / B"), UserEvent("N", "", "-A30 / B")]
    )
    assert ratios(events, "R", [1], [1]) == [float("inf")]
    assert ratios(events, "N", [1], [1]) == [float("-inf")]


def test_a_weight_beyond_64_bits_of_nothing() -> None:
    """However large the weight, a cost of 0 stays 0."""
    rows = [(f"A{n}", parse_formula(f"{10**14} A{n - 1}")) for n in range(1, 3)]
    assert cost(event_types(["A0", "B"], {}, rows), "A2", 0, 5) == 0


def test_a_ratio_of_derived_events() -> None:
    """A ratio's terms may be derived events."""
    events = user_events(["Ir", "I1mr", "D1mr"], MissRate="L1m / Ir")
    assert ratios(events, "MissRate", [100], [2], [3]) == [0.05]


def test_shapes_of_ratios() -> None:
    """Ratios have the shape of the costs."""
    events = user_events(["A", "B"], R="A / B")
    event = events.find("R")
    assert event is not None
    values = np.arange(1, 9).reshape(2, 2, 2)
    assert events.evaluate(event, values).tolist() == [[1 / 5, 2 / 6], [3 / 7, 4 / 8]]
    assert events.evaluate(event, np.zeros((2, 0), np.int64)).tolist() == []


def test_a_ratio_is_no_term() -> None:
    """In a formula a ratio counts as an unknown event."""
    events = user_events(["A", "B"], R="A / B", S="A + 5 R", T="R + R")
    assert cost(events, "S", 7, 2) == 7
    assert [event.name for event in events.derived] == ["R", "S"]


def test_a_ratio_has_no_weights() -> None:
    """Requesting the weights of a ratio is an error."""
    events = user_events(["A", "B"], R="A / B")
    event = events.find("R")
    assert event is not None
    with pytest.raises(ValueError, match="R is a ratio and has no weights"):
        events.weights(event)


def test_what_an_event_is_computed_of() -> None:
    """Sums of sums, and both sides of a ratio; events that cancel out are not part of it."""
    events = user_events(["A", "B", "C"], S="A + B", T="S - B", R="B / S", Q="T / C")
    found = {event.name: [each.name for each in events.constituents(event)] for event in events.all}
    assert found == {
        **{"A": ["A"], "B": ["B"], "C": ["C"]},
        **{"S": ["A", "B"], "T": ["A"], "R": ["A", "B"], "Q": ["A", "C"]},
    }


def test_when_a_ratio_is_offered() -> None:
    """Dividend and divisor must each have a known event."""
    both = user_events(["A", "B"], R="A + X / Y + B", L="A / X", N="X / A")
    assert [event.name for event in both.derived] == ["R"]


def test_kinds_of_events() -> None:
    """A ratio is derived; only a ratio is a ratio."""
    events = user_events(["A", "B"], S="A + B", R="A / B")
    assert [(e.is_derived, e.is_ratio) for e in events.all] == [
        (False, False),
        (False, False),
        (True, False),
        (True, True),
    ]


def test_definitions_as_text() -> None:
    """A sum and a ratio are written as they are parsed."""
    events = user_events(["A", "B"], S="2*A+B", R="A - 0.5B/B")
    assert [format_definition(event) for event in events.derived] == ["2 A + B", "A - 0.5 B / B"]


# ------------------------------------------------------------ the user's events


def test_user_events_come_last() -> None:
    """User events follow the built-in ones and the file's, in the user's order."""
    events = made(["Ir", "Bcm"], Z="Ir - Bcm")
    more = events.with_user_events(
        [
            UserEvent("Y", "Why", "2 X"),
            UserEvent("X", "", "Z + Bm"),
            UserEvent("W", "", "X / Ir"),
        ]
    )
    assert [event.name for event in more.all] == ["Ir", "Bcm", "Bm", "CEst", "Z", "Y", "X", "W"]
    assert [event.name for event in events.derived] == ["Bm", "CEst", "Z"]
    assert more.find("Y") == EventType("Y", "Why", ((Fraction(2), "X"),))
    assert cost(more, "Y", 10, 3) == 20


def test_a_redefined_derived_event() -> None:
    """A user may redefine a derived event: it keeps its position, and others depend on it."""
    events = user_events(["Ir", "Bcm"], Bm="3 Bcm")
    assert [event.name for event in events.derived] == ["Bm", "CEst"]
    assert [cost(events, name, 100, 2) for name in ("Bm", "CEst")] == [6, 160]


def test_a_definition_never_replaces_a_measured_event() -> None:
    """A measured event is shown, whatever a user defines."""
    events = user_events(["Ir", "Bm"], Ir="2 Bm")
    assert [event.name for event in events.all] == ["Ir", "Bm", "CEst"]
    assert cost(events, "Ir", 100, 2) == 100


def test_definitions_for_other_profiles_are_left_out() -> None:
    """Definitions without known events, or invalid ones, are left out; the built-in event stays."""
    texts = {"X": "Nowhere", "Y": "Ir +", "Z": "Ir / 2 / 3", "CEst": "Cycles", "W": "2 CEst"}
    events = user_events(["Ir", "Ge"], **texts)
    assert [event.name for event in events.derived] == ["CEst", "W"]
    assert cost(events, "W", 50, 1) == 140


def test_circular_definitions() -> None:
    """Definitions that depend only on each other are not offered; the others are."""
    events = user_events(["Ir", "Bcm"], A="B", B="A", Bm="CEst", CEst="Bm", S="S + Ir")
    assert [event.name for event in events.derived] == ["Bm", "CEst", "S"]
    assert [cost(events, name, 100, 2) for name in ("Bm", "CEst", "S")] == [2, 120, 100]


def test_the_last_definition_of_a_name_counts() -> None:
    """Of two definitions of the same name, the later one is taken."""
    events = made(["Ir"]).with_user_events([UserEvent("X", "", "Ir"), UserEvent("X", "", "2 Ir")])
    assert [event.name for event in events.derived] == ["X"]
    assert cost(events, "X", 5) == 10


def test_a_ratio_that_replaces_a_sum() -> None:
    """If a user turns a built-in sum into a ratio, formulas drop it as a term."""
    events = user_events(["Ir", "Bcm", "Ge"], Bm="Bcm / Ir")
    assert ratios(events, "Bm", [100], [2], [1]) == [0.02]
    assert cost(events, "CEst", 100, 2, 1) == 120
    assert user_events(["Ir", "Bcm"], Bm="Bcm / Ir").find("CEst") is None
