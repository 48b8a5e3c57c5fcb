"""What users type for a function: names, patterns, places, and numbers of a list."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.named_functions import NamedFunctions
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.errors import NotOneFunction
from qcachegrind_py.profile.ids import function_ids
from qcachegrind_py.tools.demangler import demangle_names
from tests.profile_rows import profile_from

# helper of two files and a library; overloads; an operator; mangled names; inlined code of b.h
PROFILE = """
    events: Ir
    ob=/build/bin/p
    fl=/build/src/main.c
    fn=main
    2 10
    fi=/build/inc/b.h
    7 5
    fl=/build/src/a/util.c
    fn=helper
    1 40
    fl=/build/src/b/util.c
    fn=helper
    1 50
    fn=Tree::grow(int)
    3 9
    fn=Tree::cut(int)
    3 8
    fn=Tree::cut(char const*)
    4 7
    fn=Tree::operator*(int)
    5 6
    ob=/build/lib/l.so
    fl=/build/src/b/util.c
    fn=helper
    1 60
    fn=void _ns::map<int>(Tree const&)
    1 4
    fn=_ZNK4Tree4sizeEv
    9 3
    """


@pytest.fixture(scope="module")
def queries() -> ProfileQueries:
    return ProfileQueries(profile_from(PROFILE))


def named(queries: ProfileQueries) -> NamedFunctions:
    profile = queries.profile
    costs = queries.inclusive(profile.events.measured[0], Scope())
    return NamedFunctions(profile, demangle_names(profile.texts), costs)


def found(queries: ProfileQueries, text: str, *places: str) -> list[str]:
    """The functions with their self costs, which tell those of one name apart."""
    costs = queries.self_cost(queries.events.measured[0], Scope())
    names = queries.names
    return [f"{names.name(each)} {costs[each]}" for each in named(queries).all(text, places)]


@pytest.mark.parametrize(
    ("text", "functions"),
    [
        ("main", ["main 15"]),
        ("Tree::grow(int)", ["Tree::grow(int) 9"]),
        ("Tree::size() const", ["_ZNK4Tree4sizeEv 3"]),
        ("_ZNK4Tree4sizeEv", ["_ZNK4Tree4sizeEv 3"]),
        # one match that differs only in parameters is taken
        ("Tree::grow", ["Tree::grow(int) 9"]),
        ("Tree::size", ["_ZNK4Tree4sizeEv 3"]),
        ("_ns::map", ["void _ns::map<int>(Tree const&) 4"]),
        # names that exist are no patterns
        ("Tree::operator*", ["Tree::operator*(int) 6"]),
        ("Tree::cut(char const*)", ["Tree::cut(char const*) 7"]),
        # patterns
        ("Tree::cut*", ["Tree::cut(int) 8", "Tree::cut(char const*) 7"]),
        ("Tree::[cg]??", ["Tree::cut(int) 8", "Tree::cut(char const*) 7"]),
        ("*size", ["_ZNK4Tree4sizeEv 3"]),
        ("a/util.c:*", ["helper 40"]),
        ("l.so:h*", ["helper 60"]),
        # places
        ("main.c:main", ["main 15"]),
        ("a/util.c:helper", ["helper 40"]),
        ("/build/lib/l.so:helper", ["helper 60"]),
        ("l.so:util.c:helper", ["helper 60"]),
        ("util.c:1", ["helper 60", "helper 50", "helper 40", "void _ns::map<int>(Tree const&) 4"]),
        ("b.h:7", ["main 15"]),
        # numbers of a list
        ("helper#1", ["helper 60"]),
        ("helper#3", ["helper 40"]),
        ("p:helper#2", ["helper 40"]),
        ("Tree::cut#2", ["Tree::cut(char const*) 7"]),
        ("grow#1", ["Tree::grow(int) 9"]),
        ("Tree::c*#2", ["Tree::cut(char const*) 7"]),
    ],
)
def test_what_is_found(queries: ProfileQueries, text: str, functions: list[str]) -> None:
    """A text that means one function, or several on purpose."""
    assert found(queries, text) == functions


@pytest.mark.parametrize(
    ("text", "places", "said"),
    [
        (
            "helper",
            [],
            """\
3 functions are called helper; choose one by its number, such as helper#1:
  1  helper (/build/lib/l.so: /build/src/b/util.c)
  2  helper (/build/bin/p: /build/src/b/util.c)
  3  helper (/build/bin/p: /build/src/a/util.c)""",
        ),
        (
            "Tree::cut",
            [],
            """\
2 functions are called Tree::cut; choose one by its number, such as Tree::cut#1:
  1  Tree::cut(int) (/build/bin/p: /build/src/b/util.c)
  2  Tree::cut(char const*) (/build/bin/p: /build/src/b/util.c)""",
        ),
        (
            "helper",
            ["p", "b/util.c", "main.c"],
            """\
No function helper is in p and b/util.c and main.c.
There are: helper#1 helper (/build/lib/l.so: /build/src/b/util.c); \
helper#2 helper (/build/bin/p: /build/src/b/util.c); \
helper#3 helper (/build/bin/p: /build/src/a/util.c).""",
        ),
        (
            "size",
            [],
            """\
There is no function size.
Similar: size#1 Tree::size() const (/build/lib/l.so: /build/src/b/util.c).""",
        ),
        (
            "Tree::gorw",
            [],
            """\
There is no function Tree::gorw.
Similar: Tree::gorw#1 Tree::grow(int) (/build/bin/p: /build/src/b/util.c).""",
        ),
        (
            "TREE::GROW*",
            [],
            """\
No function matches TREE::GROW*.
Similar: TREE::GROW*#1 Tree::grow(int) (/build/bin/p: /build/src/b/util.c).""",
        ),
        ("nobody", [], "There is no function nobody."),
        ("helper#4", [], "There is no helper#4: 3 match helper."),
        ("main.c:5", [], "No function has costs in main.c:5."),
    ],
)
def test_what_is_said(queries: ProfileQueries, text: str, places: list[str], said: str) -> None:
    """Several functions, and names that are spelt alike, are listed with numbers."""
    with pytest.raises(NotOneFunction) as error:
        named(queries).all(text, places)
    assert str(error.value) == said
    assert error.value.text == text.partition("#")[0]


def test_one_function_of_a_pattern(queries: ProfileQueries) -> None:
    """Where one is meant, a pattern that fits several is refused, and numbers choose."""
    functions = named(queries)
    assert queries.names.name(functions.one("*grow*")) == "Tree::grow(int)"
    with pytest.raises(NotOneFunction, match=r"2 functions match Tree::c\*; choose one") as error:
        functions.one("Tree::c*")
    assert len(error.value.candidates) == 2


def test_patterns_choose_among_the_functions_of_a_report(queries: ProfileQueries) -> None:
    """In its order; a name is found in any case."""
    functions = named(queries)
    listed = function_ids(queries.names.containing("cut").nonzero()[0][::-1])
    assert functions.all("Tree::*", (), listed) == listed
    assert len(functions.all("main", (), listed)) == 1


def test_folded_functions_are_not_found(queries: ProfileQueries) -> None:
    """One that is folded is named as such, and gives way to others of its name."""
    costs = queries.inclusive(queries.events.measured[0], Scope())
    folded = queries.names.containing("main") | (costs > 45)
    functions = NamedFunctions(queries.profile, queries.profile.texts, costs, folded)
    assert len(functions.all("helper")) == 1
    with pytest.raises(NotOneFunction, match="main is folded: its costs are those of"):
        functions.all("main")


def test_many_candidates() -> None:
    """Of many candidates ten are listed."""
    text = "events: Ir\n" + "".join(f"fl={n}\nfn=f\n1 {n + 1}\n" for n in range(12))
    lines = str_of(ProfileQueries(profile_from(text)), "f").splitlines()
    assert (len(lines), lines[1], lines[-1]) == (12, "  1  f (???: 11)", "and 2 more")


def str_of(queries: ProfileQueries, text: str) -> str:
    with pytest.raises(NotOneFunction) as error:
        named(queries).all(text)
    return str(error.value)
