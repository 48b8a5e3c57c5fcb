"""The rules of a gate: which functions meet them, and what each term means."""

from __future__ import annotations

import string
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.filters.conditions import BaseSide, FilterSubject, TextCondition
from qcachegrind_py.analysis.filters.rules import check_rule, parse_rule
from qcachegrind_py.profile.errors import FilterError
from tests.profile_text import queries_for

NAMES = ["main", "grown", "same", "shrunk", "new", "gone"]
DRAWING = """
    main@main.c@app 10
    grown@grown.c@app 10
    same@same.c@libc.so 10
    shrunk@shrunk.c@app 10
    new@new.c@app 10
    gone@gone.c@app 10
"""
# self cost of each function in the base, and in the new profile
IR = [100, 1000, 500, 400, 0, 1000], [100, 1050, 500, 300, 50, 0]
DW = [1, 1, 1, 1, 0, 1], [1, 1, 1, 1, 2, 0]


@pytest.fixture
def subject_in(tmp_path: Path) -> Callable[[str | None], FilterSubject]:
    """The functions of NAMES, with their self costs also as inclusive ones and as called counts."""
    names = queries_for(tmp_path, DRAWING).names

    def subject(event: str | None) -> FilterSubject:
        base, new = (np.array(side, np.int64) for side in {"Dw": DW}.get(event or "", IR))
        is_gone, is_new = np.arange(6) == 5, np.arange(6) == 4
        side = BaseSide(base, base, base, int(base.sum()), is_new, is_gone, np.arange(6) == 2)
        cycle = np.zeros(6, np.int32)
        return FilterSubject(names, list, new, new, new, cycle, int(new.sum()), side)

    return subject


def without_base(
    subject_in: Callable[[str | None], FilterSubject],
) -> Callable[[str | None], FilterSubject]:
    """The same functions, compared with nothing."""

    def subject(event: str | None) -> FilterSubject:
        compared = subject_in(event)
        return FilterSubject(
            compared.names,
            compared.classes,
            compared.self_cost,
            compared.inclusive,
            compared.called,
            compared.cycle,
            compared.total,
        )

    return subject


@pytest.mark.parametrize(
    ("rule", "functions"),
    [
        # changes, in percent of the own value in the base: met exactly, above, below
        ("self>=+5%", ["grown", "new"]),
        ("self>+5%", ["new"]),
        ("self>+4.99%", ["grown", "new"]),
        ("incl<=-25%", ["shrunk", "gone"]),
        ("called<-25%", ["gone"]),
        # in counts, and in percent of the base's total, 3,000
        ("self>=+50", ["grown", "new"]),
        ("self>+50", []),
        ("SELF<=-0.1k", ["shrunk", "gone"]),
        ("self<-3.3%t", ["shrunk", "gone"]),
        ("self>=+1.66%t", ["grown", "new"]),
        # numbers without a sign are those of the new profile, of which the total is 2,000
        ("self>=500", ["grown", "same"]),
        ("self>=25%", ["grown", "same"]),
        ("self<=50%t lib:app !new", ["main", "shrunk"]),
        ("self<=50", ["new"]),
        # all terms have to hold, for the same function
        ("self>+1 file:grown.c", ["grown"]),
        ("self>+1 !is:new", ["grown"]),
        ("self>+1 -is:new", ["grown"]),
        ("is:new", ["new"]),
        ("is:gone", ["gone"]),
        ("is:moved", ["same"]),
        ("is:changed", ["grown", "shrunk", "new", "gone"]),
        ("lib:libc self<+1", ["same"]),
        # what only the base has is of no concern to a rule without a change
        ("name:=gone", []),
        ("name:=main", ["main"]),
        # other events
        ("Dw.self>+1", ["new"]),
        ("Dw.self>=+1", ["new"]),
        ("!Dw.self<2", ["new"]),
        ("Dw.self>1 self>+1", ["new"]),
        # the total and functions
        ("total<-900 self>+1", ["grown", "new"]),
        ("total<-1001 self>+1", []),
    ],
)
def test_functions_that_meet_a_rule(
    subject_in: Callable[[str | None], FilterSubject], rule: str, functions: list[str]
) -> None:
    """A rule is met by the functions for which all its terms hold, and not met without any."""
    result = check_rule(parse_rule(rule), subject_in)
    assert [NAMES[number] for number in result.functions] == functions
    assert result.is_met is (len(functions) > 0)


@pytest.mark.parametrize(
    ("rule", "is_met"),
    [
        ("total<=-1000", True),
        ("total<-1000", False),
        ("total<-33%", True),
        ("total<-33.4%", False),
        ("total<-33%t", True),
        ("total=2k", True),
        ("total>2_000", False),
        ("!total>2000", True),
        ("Dw.total=+1", True),
        ("Dw.total=6 total=2000", True),
    ],
)
def test_rules_about_the_total(
    subject_in: Callable[[str | None], FilterSubject], rule: str, is_met: bool
) -> None:
    """A rule about the total is met or not, by no function."""
    result = check_rule(parse_rule(rule), subject_in)
    assert (result.is_met, result.functions.tolist()) == (is_met, [])


@pytest.mark.parametrize(
    ("rule", "is_met"),
    [
        ("self>1000", True),
        ("self>=25% name:main", False),
        ("total>2000", False),
        ("total>1999", True),
        ("self>+5%", None),
        ("total>+5%", None),
        ("is:new", None),
        ("total>1 self>+1", None),
    ],
)
def test_rules_without_base(
    subject_in: Callable[[str | None], FilterSubject], rule: str, is_met: bool | None
) -> None:
    """Without a base, caps are checked, and changes are left open."""
    assert check_rule(parse_rule(rule), without_base(subject_in)).is_met is is_met


def test_texts_are_no_comparisons(subject_in: Callable[[str | None], FilterSubject]) -> None:
    """Quotes and keys keep a text from being read as a comparison with an event."""
    for text in ('"Ir.self>1"', "name:Ir.self>1", "/Ir.self>1/", "name:Ir.self", "Ir.selfish"):
        assert check_rule(parse_rule(text), subject_in).is_met is False


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("", "“”: a rule has a term at least, such as self>+5%."),
        (
            "self>+x",
            "“self>+x”: after > comes a number, such as self>+5% for a change, "
            "or self>10k for what it is now.",
        ),
        (
            "lib:a Dw.incl>=5%%",
            "“Dw.incl>=5%%”: after >= comes a number, such as Dw.incl>=+5% for a change, "
            "or Dw.incl>=10k for what it is now.",
        ),
        (
            "total>5%",
            "“total>5%”: after > comes a number, such as total>+1% for a change, "
            "or total>10m for what it is now.",
        ),
        (
            "called>+1%t",
            "“called>+1%t”: calls are counted, and have no total: write a number, "
            "such as called>+5% for a change, or called>10k for what it is now.",
        ),
        (
            "total",
            "“total”: a comparison follows, such as total>+1%. "
            "In a shell, put rules in quotes: without them, > writes to a file.",
        ),
        (
            "lib:a Dw.self",
            "“Dw.self”: a comparison follows, such as Dw.self>+1%. "
            "In a shell, put rules in quotes: without them, > writes to a file.",
        ),
        ("Ir.called>5", "“Ir.called>5”: calls are of no event: write called without one."),
        (
            "is:newer",
            "“is:newer”: after is: comes new, gone, moved, changed or unknown, such as is:new.",
        ),
    ],
)
def test_invalid_rules(rule: str, message: str) -> None:
    """An error quotes the term and says how it is written."""
    with pytest.raises(FilterError) as error:
        parse_rule(rule)
    assert str(error.value) == message


LETTERS = string.ascii_letters + string.digits


@given(
    st.sampled_from(["self>+5%", "incl<=-1.5%t", "Dw.total!=+10m", "called>=3k", "lib:", "is:new"]),
    st.data(),
)
def test_a_slip_is_never_a_name(rule: str, data: st.DataObject) -> None:
    """One other letter, digit or sign in a word, event, comparison or unit makes no name of it."""
    place = data.draw(st.sampled_from([at for at in range(len(rule)) if rule[at] not in ".:"]))
    slips = LETTERS if ":" in rule else LETTERS + "<>=!~?"
    changed = rule[:place] + data.draw(st.sampled_from(slips)) + rule[place + 1 :]
    changed += "a" if rule == "lib:" else ""
    try:
        terms = parse_rule(changed, ["Ir", "Dw"]).terms
    except FilterError:
        return
    is_name = [isinstance(each.condition, TextCondition) for each in terms]
    assert not any(is_name) or changed.lower() == "lib:a"
