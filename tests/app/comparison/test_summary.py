"""The totals of a comparison as texts."""

from __future__ import annotations

from pathlib import Path

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.app.comparison.summary import Summary, summarize, total_texts
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.numbers import NumberStyle
from tests.profile_rows import profile_from
from tests.profile_text import THIN, profile_text

DATA = Path(__file__).parents[2] / "data" / "comparison"
PLAIN = NumberStyle(group_separator=",")


def drawn(base: str, new: str) -> Comparison:
    """The comparison of two drawn profiles."""
    return compare(profile_from(profile_text(base)), profile_from(profile_text(new)))


def summary(compared: Comparison, event: str = "Ir", **settings: bool) -> Summary:
    """The totals in an event, with commas between thousands."""
    found = compared.queries.events.find(event)
    assert found is not None
    return summarize(compared, found, PLAIN, **settings)


def test_totals_growth_and_shrinkage_of_two_builds() -> None:
    """Growth and shrinkage are summed apart, and say how many functions make most of them."""
    compared = compare(
        load(DATA / "callgrind.out.sort-plain.xz"), load(DATA / "callgrind.out.sort-digits.xz")
    )

    assert summary(compared) == Summary(
        "Ir",
        "1,022,985",
        "1,955,390",
        f"+932,405 (+91.15{THIN}%)",
        "+1,140,505",
        "−208,100",
        "3 of 4 functions make 95 % of it",
        "1 of 2 functions makes 95 % of it",
    )


def test_equal_totals_are_unchanged() -> None:
    """A profile compared with itself has no growth, and nothing to say of functions."""
    assert summary(drawn("main 5", "main 5")) == Summary("Ir", "5", "5", "unchanged", "0", "0")


def test_a_total_of_nothing_has_no_percentage() -> None:
    """Neither an empty base nor an empty new side is 100 % of anything."""
    grown = summary(drawn("events: Ir", "main 1500\nf 500"))
    shrunk = summary(drawn("main 1500\nf 500", "events: Ir"))

    assert (grown.base, grown.new, grown.change) == ("0", "2,000", "+2,000")
    assert (grown.grown, grown.grown_by) == ("+2,000", "2 functions")
    assert (shrunk.change, shrunk.shrunk, shrunk.grown_by) == ("−2,000", "−2,000", "")


def test_an_event_of_one_side() -> None:
    """Instead of a change from or to 0, the reason stands."""
    compared = drawn("events: Ir Dr\nmain 1,2", "events: Ir Dw\nmain 1,2")

    assert summary(compared, "Dr") == Summary("Dr", note="Dr was measured on one side only")
    assert summary(compared, "Ir").change == "unchanged"


def test_ratios_have_no_growth() -> None:
    """A ratio has a value on each side, but no sum over functions."""
    compared = drawn("events: Ir Dr\nmain 10,2", "events: Ir Dr\nmain 10,4")
    compared.queries.set_user_events([UserEvent("Rate", "", "Dr / Ir")])

    assert summary(compared, "Rate") == Summary(
        "Rate", "0.2000", "0.4000", "+0.2000 (+100.00\N{THIN SPACE}%)"
    )


def test_times_have_their_unit() -> None:
    """Totals are written as everywhere in the window."""
    compared = drawn("events: Time_(10ns)\nmain 100", "events: Time_(10ns)\nmain 300")
    found = compared.queries.events.all[0]

    assert total_texts(compared, found, PLAIN) == ("1.00 µs", "3.00 µs")


def test_recorded_totals_and_what_no_function_has() -> None:
    """With recorded totals, the change is that of the functions and of a remainder."""
    base = profile_from("events: Ir\nsummary: 30\nfn=main\n1 10\n")
    compared = compare(base, profile_from("events: Ir\nsummary: 45\nfn=main\n1 12\n"))

    assert summary(compared) == Summary(
        "Ir",
        "30",
        "45",
        f"+15 (+50.00{THIN}%)",
        "+2",
        "0",
        "1 function",
        "",
        "Not attributed to functions: 20 → 33",
    )
    assert summary(compared, of_recorded=False).new == "12"
