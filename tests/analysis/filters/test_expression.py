"""The filter expression: the meaning of each term, errors, and adding terms."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from qcachegrind_py.analysis.costs.function_costs import function_costs
from qcachegrind_py.analysis.filters.conditions import (
    ChangeCondition,
    ChangeLimit,
    Condition,
    CostCondition,
    CostField,
    CycleCondition,
    Difference,
    DifferenceCondition,
    FilterSubject,
    TextCondition,
    TextField,
)
from qcachegrind_py.analysis.filters.expression import (
    Filter,
    Term,
    matching_functions,
    parse_filter,
    quoted,
    with_term,
)
from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.analysis.names.text_search import TextColumn
from qcachegrind_py.profile.errors import FilterError, ProfileError
from tests.profile_rows import profile_from

DRAWING = """
    events: Ir
    ob=/usr/lib/libc.so
    fl=/src/string.c
    fn=strlen
    1 10
    fn=__strlen_avx2
    1 20
    ob=/home/my prog/prog
    fl=/src/main.cpp
    fn=main
    1 30
    cfn=std::vector<int>::push_back(int const&)
    calls=5 1
    1 400
    fn=std::vector<int>::push_back(int const&)
    1 300
    cfn=A::even(int)
    calls=1500 1
    1 100
    fn=A::even(int)
    1 40
    cfn=A::odd(int)
    calls=7 1
    1 60
    fn=A::odd(int)
    1 60
    cfn=A::even(int)
    calls=6 1
    1 50
    fl=
    fn=operator->
    1 540
    """
STRLEN, AVX2, MAIN, PUSH, EVEN, ODD, ARROW = range(7)
CLASSES = ["", "", "", "std::vector<int>", "A", "A", ""]


def subject_of(drawing: str | bytes, classes: list[str]) -> FilterSubject:
    profile = profile_from(drawing)
    costs = function_costs(profile)
    return FilterSubject(
        names=FunctionNames(profile),
        classes=lambda: TextColumn.from_indexed(classes, np.arange(len(classes))),
        self_cost=costs.self_cost[0],
        inclusive=costs.inclusive[0],
        called=costs.called,
        cycle=costs.cycle,
        total=int(costs.totals[0]),
    )


@pytest.fixture(scope="module")
def subject() -> FilterSubject:
    return subject_of(DRAWING, CLASSES)


def passing(text: str, subject: FilterSubject) -> list[int]:
    rows: list[int] = np.flatnonzero(matching_functions(parse_filter(text), subject)).tolist()
    return rows


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", [STRLEN, AVX2, MAIN, PUSH, EVEN, ODD, ARROW]),
        ("  \t ", [STRLEN, AVX2, MAIN, PUSH, EVEN, ODD, ARROW]),
        ("strlen", [STRLEN, AVX2]),
        ("STRlen", [STRLEN, AVX2]),
        ("strlen avx", [AVX2]),
        ("^strlen", [STRLEN]),
        ("len$", [STRLEN]),
        (r"^a::.*n\(", [EVEN]),
        (r"a::.*n\(", []),
        ('"int const"', [PUSH]),
        ("/int (c|q)/", [PUSH]),
        (r"file:/src\/main/", [MAIN, PUSH, EVEN, ODD]),
        ("!strlen !a::", [MAIN, PUSH, ARROW]),
        ("-strlen -a::", [MAIN, PUSH, ARROW]),
        ('!"int const" -/^[ao]/ !^str', [AVX2, MAIN]),
        ("operator->", [ARROW]),
        ("->", [ARROW]),
        ("lib:libc", [STRLEN, AVX2]),
        ("object:LIBC", [STRLEN, AVX2]),
        ("lib:/usr/lib/libc.so", [STRLEN, AVX2]),
        ("lib:=libc.so", []),
        ("lib:=/usr/lib/libc.so", [STRLEN, AVX2]),
        ('lib:="/home/my prog/prog" !a:', [MAIN, PUSH, ARROW]),
        ('!lib:="/home/my prog/prog"', [STRLEN, AVX2]),
        ("file:.cpp$ name:even", [EVEN]),
        ("file:???", [ARROW]),
        ("class:vector", [PUSH]),
        ("class:=a", []),
        ("class:=A", [EVEN, ODD]),
        ("class:^A$", [EVEN, ODD]),
        ("name:=strlen", [STRLEN]),
        ("self>=30%", [PUSH, ARROW]),
        ("self>30%", [ARROW]),
        ("self<3%", [STRLEN, AVX2]),
        ("SELF<=3%", [STRLEN, AVX2, MAIN]),
        ("self=40", [EVEN]),
        ("incl>0.4k", [MAIN, ARROW]),
        ("self!=40 self<100", [STRLEN, AVX2, MAIN, ODD]),
        ("inclusive>=0.4k", [MAIN, PUSH, ARROW]),
        ("called>1_000", [EVEN]),
        ("called=0", [STRLEN, AVX2, MAIN, ARROW]),
        ("cycle:any", [EVEN, ODD]),
        ("cycle:1 self>50", [ODD]),
        ("cycle:2", []),
        ("!cycle:any self>100", [PUSH, ARROW]),
    ],
)
def test_functions_that_pass(text: str, wanted: list[int], subject: FilterSubject) -> None:
    """A function matches if all terms hold for their property."""
    assert passing(text, subject) == wanted


def name(wanted: str | re.Pattern[str]) -> TextCondition:
    return TextCondition(TextField.NAME, wanted)


def pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("std::vector", name("std::vector")),
        ("a:", name("a:")),
        ("C:\\x", name("C:\\x")),
        ("C:/x", name("C:/x")),
        ("php::strlen", name("php::strlen")),
        ("bitset<64>", name("bitset<64>")),
        ("operator<", name("operator<")),
        ("operator<=>", name("operator<=>")),
        ("operator->*", name("operator->*")),
        ("Foo->bar", name("Foo->bar")),
        ("f'2", name("f'2")),
        ("called'2", name("called'2")),
        ("total.constprop.0", name("total.constprop.0")),
        ("and", name("and")),
        ("%", name("%")),
        ('"a:b"', name("a:b")),
        ('"slef>5"', name("slef>5")),
        ("name:a:b", name("a:b")),
        ("lib::open", name("lib::open")),
        ("name::x", name("name::x")),
        ("cycle::x", name("cycle::x")),
        ("self", name("self")),
        ("self->x", name("self->x")),
        ('"self>1%"', name("self>1%")),
        ("-1", name("-1")),
        ("->", name("->")),
        ("-", name("-")),
        ("-[View", name("-[View")),
        ("operator-", name("operator-")),
        ("operator!=", name("operator!=")),
        ('operator""_s', name('operator""_s')),
        ("=", name("=")),
        ("a^b$c", name("a^b$c")),
        ("^", name(pattern("^"))),
        ("main$", name(pattern("main$"))),
        ("/", name("/")),
        ("//", name("//")),
        ("/usr/lib", name("/usr/lib")),
        ("/usr", name("/usr")),
        ("/usr/", name(pattern("usr"))),
        (r"/a\/ b\\/", name(pattern(r"a\/ b\\"))),
        ('"a ""b"" c"', name('a "b" c')),
        ('""', name("")),
        ('"not closed', name("not closed")),
        ('"', name("")),
        (r'"C:\my x\"', name("C:\\my x\\")),
        ("name:operator=", name("operator=")),
        ("name:=operator=", TextCondition(TextField.NAME, "operator=", is_exact=True)),
        ("NAME:x", name("x")),
        ("file:-x", TextCondition(TextField.FILE, "-x")),
        ('lib:="/a b/"', TextCondition(TextField.OBJECT, "/a b/", is_exact=True)),
        ("lib:=/a/", TextCondition(TextField.OBJECT, "/a/", is_exact=True)),
        ("lib:=^a$", TextCondition(TextField.OBJECT, "^a$", is_exact=True)),
        ("class:/a b/", TextCondition(TextField.CLASS, pattern("a b"))),
        ("self>1.5%", CostCondition(CostField.SELF, ">", Fraction(3, 2), is_percentage=True)),
        ("incl<=1_000.5k", CostCondition(CostField.INCLUSIVE, "<=", Fraction(1_000_500))),
        ("called=2M", CostCondition(CostField.CALLED, "=", Fraction(2_000_000))),
        ("self!=3g", CostCondition(CostField.SELF, "!=", Fraction(3_000_000_000))),
        ("self>5%t", CostCondition(CostField.SELF, ">", Fraction(5), is_percentage=True)),
        ("cycle:12", CycleCondition(12)),
        ("cycle:ANY", CycleCondition(None)),
    ],
)
def test_what_a_term_means(text: str, condition: Condition) -> None:
    """Only known keys, comparisons and slashes at both ends are special: C++ names are words."""
    (got,) = parse_filter(text).terms
    assert (got.excluded, got.condition) == (False, condition)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("self>x", "after > comes a number, such as self>1% or self>10k."),
        ("self>", "after > comes a number, such as self>1% or self>10k."),
        ("incl<=1,5%", "after <= comes a number, such as incl<=1% or incl<=10k."),
        ("self==1", 'unknown comparison “==”. Did you mean =? Quotes make it a name: "self==1".'),
        (
            "self?1",
            'unknown comparison “?”. Known: <, <=, >, >=, =, !=. Quotes make it a name: "self?1".',
        ),
        (
            "myself>1%",
            'unknown word “myself”. Did you mean self? Quotes make it a name: "myself>1%".',
        ),
        (
            "total>1",
            "unknown word “total”. Known: self, incl, called, inclusive. "
            'Quotes make it a name: "total>1".',
        ),
        ("Dw.self>1", "a filter is of the event that is shown: write self>1."),
        ("libb:c", 'unknown key “libb”. Did you mean lib? Quotes make it a name: "libb:c".'),
        (
            "foo:bar",
            "unknown key “foo”. Known: name, class, file, lib, object, fold, only, collapse, "
            'cycle, is. Quotes make it a name: "foo:bar".',
        ),
        ("self:1", "a comparison follows self, such as self>1%."),
        ("self>+1", "a number with a sign is a change, which needs a base."),
        ("is:new", "is:new is about a change, which needs a base."),
        ("self>" + "9" * 5000, "after > comes a number, such as self>1% or self>10k."),
        (
            "called>1%",
            "calls are counted, and have no percentage: write a number, "
            "such as called>1000 or called>10k.",
        ),
        (
            "cycle:x",
            "after cycle: comes any or the number of a cycle, such as cycle:any or cycle:1.",
        ),
        ("!", "after ! comes a text, such as !main."),
        ("!lib:", "after !lib: comes a text, such as !lib:libc."),
        ("name:=", "after name:= comes a text, such as name:=main."),
        (
            "^f(",
            "this is not a regular expression: missing ), unterminated subpattern at position 2. "
            'Plain text is written in quotes: "…".',
        ),
        (
            '"a"b',
            'a blank comes after the closing ". A " in the text is written twice: "".',
        ),
    ],
)
def test_a_term_that_cannot_be_understood(text: str, reason: str) -> None:
    """The error has the whole text, the term and the reason, and suggests a correction."""
    whole = f"good {text}  better"
    with pytest.raises(FilterError) as caught:
        parse_filter(whole)
    error = caught.value
    assert (error.text, error.term, error.reason) == (whole, text, reason)
    assert str(error) == f"“{text}”: {reason}"
    assert isinstance(error, ProfileError)


def test_a_filter_is_a_value() -> None:
    """Filters of the same text are equal and hash alike; one without terms is false."""
    text = "a !/b/ self>1%"
    assert parse_filter(text) == parse_filter(text)
    assert hash(parse_filter(text)) == hash(parse_filter(text))
    assert parse_filter(text) != parse_filter("a")
    assert [bool(parse_filter(text)) for text in ("a", "", "  ")] == [True, False, False]
    assert parse_filter(" a  !b ") == Filter(
        " a  !b ", (Term("a", False, name("a")), Term("!b", True, name("b")))
    )


def test_classes_are_computed_only_when_needed(subject: FilterSubject) -> None:
    """Classes are costly to compute: a filter without a class term does not need them."""

    def classes() -> TextColumn:
        raise AssertionError

    assert passing("strlen self>0 lib:libc", replace(subject, classes=classes)) == [STRLEN, AVX2]


@given(st.text(st.characters(codec=None), max_size=30))
@example("\ud800")
@example("/[[a]/")
@example("!\ufffd ^\ufffd$")
def test_any_text_is_a_filter_or_an_error_of_ours(subject: FilterSubject, text: str) -> None:
    """Any text that is typed or pasted gives a filter, or a `FilterError` with a reason."""
    with suppress(FilterError):
        assert len(matching_functions(parse_filter(text), subject)) == 7


@pytest.mark.parametrize(
    ("text", "term", "wanted"),
    [
        ("", "lib:=a", "lib:=a"),
        ("main", "lib:=a", "main lib:=a"),
        ("lib:=a main", "lib:=a", "lib:=a main"),
        ("main !lib:=a self>1%", "lib:=a", "main self>1% lib:=a"),
        ('-object:="a" main', "lib:=a", "main lib:=a"),
        ("lib:=a", "!lib:=a", "!lib:=a"),
        ("-foo", "!foo", "-foo"),
        ('x "not closed', "!foo", 'x "not closed" !foo'),
        ("self>x ^f( main", "!main", "self>x ^f( !main"),
        ("!self>x", "self>x", "self>x"),
    ],
)
def test_adding_a_term(text: str, term: str, wanted: str) -> None:
    """A term is added once, at the end, and its opposite is removed; all else stays."""
    assert with_term(text, term) == wanted


def test_terms_for_menus() -> None:
    """A value is quoted only if needed, so that people can read and change it."""
    assert quoted("lib", "/usr/lib/libc.so") == "lib:=/usr/lib/libc.so"
    assert quoted("class", "std::vector<int>", excluded=True) == "!class:=std::vector<int>"
    assert quoted("name", 'a "b"') == 'name:="a ""b"""'
    assert quoted("file", "") == 'file:=""'
    assert quoted("name", "latin\udce9") == r"name:=latin\xe9"


HOSTILE = st.text(st.sampled_from(list(" \t\u00a0\"'/\\!-=^$:%aA\u00e4\ufffd()[*")), min_size=1)
LINES = HOSTILE.map(lambda text: text.strip(" \t")).filter(bool)


@pytest.mark.slow
@given(st.lists(LINES, min_size=1, max_size=5), st.sampled_from(["name", "class", "file", "lib"]))
def test_a_term_finds_exactly_the_value_it_was_made_of(values: list[str], key: str) -> None:
    """Any name, path or class can be filtered for or excluded, whatever its characters."""
    lines = [f"fl=f{n}.c\nfn={value}\n1 1\n" for n, value in enumerate(values)]
    if key in ("file", "lib"):
        kind = "fl" if key == "file" else "ob"
        lines = [f"{kind}={value}\nfn=f{n}\n1 1\n" for n, value in enumerate(values)]
    subject = subject_of(("events: Ir\n" + "".join(lines)).encode(), values)
    names = subject.names
    shown = {"name": names.name, "file": names.file, "lib": names.object}
    of = [shown[key](row) if key in shown else values[row] for row in range(len(names))]
    for value in of:
        same = [row for row in range(len(of)) if of[row] == value]
        others = [row for row in range(len(of)) if of[row] != value]
        assert passing(quoted(key, value), subject) == same
        assert passing(quoted(key, value, excluded=True), subject) == others
        assert passing(with_term("!zzz", quoted(key, value)), subject) == same


def test_changes_are_for_comparisons() -> None:
    """A number with a sign, and `is:`, have a meaning only where there is a base."""
    (change,) = parse_filter("!self<-5", compares=True).terms
    limit = ChangeLimit("<", Fraction(-5))
    assert (change.excluded, change.condition) == (True, ChangeCondition(CostField.SELF, limit))
    (new,) = parse_filter("is:NEW", compares=True).terms
    assert new.condition == DifferenceCondition(Difference.NEW)
    for text in ("self<-5", "self>+5%", "is:new"):
        with pytest.raises(FilterError, match="needs a base"):
            parse_filter(text)


def test_an_error_says_what_was_meant() -> None:
    """It has the wrong word, its place in the text, and the known word that is spelled alike."""
    for text, word, position, suggestion in (
        ("lib:a  !slef>5", "slef", 8, "self"),
        ("callled>5 called>5", "callled", 0, "called"),
        ("fiel:main.c", "fiel", 0, "file"),
        ("self=>5", "=>", 4, ">"),
        ("xyzzy>5", "xyzzy", 0, ""),
        ("a b cycle:x", "cycle:x", 4, ""),
    ):
        with pytest.raises(FilterError) as caught:
            parse_filter(text)
        error = caught.value
        assert (error.word, error.position, error.suggestion) == (word, position, suggestion)


def test_percentages_need_a_positive_total() -> None:
    """Nothing is a percentage of 0 or less: such a filter is no answer, and a count is one."""
    for costs, total in (("0", "0"), ("5\n    2 -8", "-3")):
        subject = replace(subject_of(f"events: Ir\n    fn=f\n    1 {costs}\n", [""]), event="Ir")
        with pytest.raises(FilterError) as caught:
            passing("f self>1%", subject)
        reason = f"the total of Ir is {total}, which has no percentages."
        assert (caught.value.term, caught.value.reason) == ("self>1%", reason)
        assert passing("self<=5", subject) == [0]
