"""The fuzzy search of *Jump to Function*."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.analysis.names.fuzzy_search import FuzzySearch, Match
from tests.growth import assert_linear
from tests.profile_rows import profile_from

NAMES = (
    "main",
    "__strlen_avx2",
    "strlen",
    "std::string::resize(unsigned long)::length",
    "std::vector<int>::push_back(int const&)",
    "std::vector<int>::~vector()",
    "very_plain_bar",
    "ns::(anonymous namespace)::helper(char*)",
    "QWidget::setVisible(bool)",
    "operator new(unsigned long)",
    "MAIN_LOOP",
    "domain::Registry::remain()",
    "größe_ändern",
    "Ärger",
    "latin\udce9_caf\udce9_name",
)


class NameSearch:
    """The search over functions of these names, each in a file of its own."""

    def __init__(self, *names: str) -> None:
        lines = [f"fl=f{n}.c\nfn={name}\n1 1\n" for n, name in enumerate(names)]
        text = "events: Ir\n" + "".join(lines)
        profile = profile_from(text.encode("utf-8", "surrogateescape"))
        self.names = FunctionNames(profile)
        self.tables = profile.texts, profile.functions.name
        self.search = FuzzySearch(*self.tables)

    def matches(self, query: str) -> list[str]:
        return [self.names.name(match.function) for match in self.search.best(query)]

    def marked(self, query: str) -> list[str]:
        """The matching names, each marked character in brackets."""
        return [self.shown(match) for match in self.search.best(query)]

    def shown(self, match: Match) -> str:
        name = enumerate(self.names.name(match.function))
        return "".join(f"[{c}]" if at in match.positions else c for at, c in name)


@pytest.fixture(scope="module")
def jump() -> NameSearch:
    return NameSearch(*NAMES)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("strlen", ["strlen", "__strlen_avx2", NAMES[3]]),
        ("STRLEN", ["strlen", "__strlen_avx2", NAMES[3]]),
        ("str len", ["strlen", "__strlen_avx2", NAMES[3]]),
        ("setvis", ["QWidget::setVisible(bool)"]),
        ("opnew", ["operator new(unsigned long)"]),
        ("anhelp", ["ns::(anonymous namespace)::helper(char*)"]),
        ("main", ["main", "MAIN_LOOP", "domain::Registry::remain()"]),
        ("MAIN", ["main", "MAIN_LOOP", "domain::Registry::remain()"]),
        ("vpb", ["very_plain_bar", "std::vector<int>::push_back(int const&)"]),
        ("zzz", []),
        ("nelrts", []),
        ("strlen" * 2000, []),
        ("main\n", ["main", "MAIN_LOOP", "domain::Registry::remain()"]),
    ],
)
def test_matches(jump: NameSearch, query: str, wanted: list[str]) -> None:
    """Names with the characters in order match: exact names first, then word starts."""
    assert jump.matches(query) == wanted


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("vpb", "[v]ery_[p]lain_[b]ar"),
        ("::vpb", "std[:][:][v]ector<int>::[p]ush_[b]ack(int const&)"),
        ("vecpb", "std::[v][e][c]tor<int>::[p]ush_[b]ack(int const&)"),
        ("svp", "[s]td::[v]ector<int>::[p]ush_back(int const&)"),
        ("sV", "QWidget::[s]et[V]isible(bool)"),
        ("dtr", "[d]omain::Regis[t]ry::[r]emain()"),
        ("rem", "domain::Registry::[r][e][m]ain()"),
        ("gän", "[g]röße_[ä][n]dern"),
        ("ße_ä", "grö[ß][e][_][ä]ndern"),
        ("Är", "[Ä][r]ger"),
        ("lname", "[l]atin\udce9_caf\udce9_[n][a][m][e]"),
        ("cafn", "latin\udce9_[c][a][f]\udce9_[n]ame"),
    ],
)
def test_the_best_and_its_marks(jump: NameSearch, query: str, wanted: str) -> None:
    """Runs and starts of words count, and each matched character is marked."""
    assert jump.marked(query)[0] == wanted


def test_a_character_is_never_put_together_from_two() -> None:
    """The bytes of a character beyond ASCII match only side by side."""
    assert NameSearch("Ã¥ x¤", "ä").matches("ä") == ["ä"]


@pytest.mark.parametrize(
    "names",
    [
        ("index", "reindex", "in_dead_exit"),  # from the start, in one piece, in pieces
        ("a::run(int)", "run::a::b(int)"),  # the function's own name
        ("ns::run(int)", "ns::runner(int)"),  # the whole of it
        ("ns::run<A>(A)", "ns::b<run>(A)", "ns::b(A, rxuxn)"),  # before arguments
        ("x_push", "x_pu_s_h"),
        ("work", "work_long_name_of_something"),  # short ones
        ("workOn", "networkon"),  # a hump
    ],
)
def test_order(names: tuple[str, ...]) -> None:
    """Better matches come first, whatever their order in the profile."""
    query = {"i": "index", "a": "run", "n": "run", "x": "push", "w": "work"}[names[0][0]]
    assert NameSearch(*names).matches(query) == list(names)
    assert NameSearch(*reversed(names)).matches(query) == list(names)


def test_weight_decides_between_equals() -> None:
    """Of equal matches, the costliest function comes first; NaN counts as no cost."""
    jump = NameSearch("f_c", "f_a", "f_b", "f_a", "f")
    best = jump.search.best("f_", np.array([2, 1, 3, 9, 99]))
    assert [match.function for match in best] == [3, 2, 0, 1]
    best = jump.search.best("f_", np.array([0.2, np.nan, 0.3, 0.9, 9]))
    assert [match.function for match in best] == [3, 2, 0, 1]


def test_no_query() -> None:
    """An empty query gives the heaviest functions, or the first ones if none has a weight."""
    jump = NameSearch("a", "b", "c")
    weight = np.array([1, 1 << 70, 7], object)
    assert jump.search.best("", weight, 2) == [Match(1, 0.0, ()), Match(2, 0.0, ())]
    assert [match.function for match in jump.search.best("  ")] == [0, 1, 2]


def test_at_most_so_many() -> None:
    """Of many functions of one name, no more than the requested number are returned."""
    jump = NameSearch(*["same"] * 120, "same_as")
    assert [match.function for match in jump.search.best("same", limit=3)] == [0, 1, 2]
    assert len(jump.search.best("sa")) == 50


def test_a_profile_without_functions() -> None:
    """A profile without functions has no matches."""
    profile = profile_from("events: Ir\n")
    search = FuzzySearch(profile.texts, profile.functions.name)
    assert [search.best(query) for query in ("", "a")] == [[], []]


def test_files_and_objects_are_not_searched() -> None:
    """Only the names of functions match, though paths lie among them."""
    profile = profile_from("events: Ir\nob=/lib/zebra.so\nfl=zoo.c\nfn=zip\n1 1\nfn=a\n1 1\n")
    search = FuzzySearch(profile.texts, profile.functions.name)
    assert [match.function for match in search.best("z")] == [0]
    assert search.best("zo") == search.best("zebra") == []


def test_typing_and_deleting_gives_the_same_as_typing_at_once(jump: NameSearch) -> None:
    """Results do not depend on cached earlier queries."""
    for query in ("s", "st", "strl", "st", "sv", "", "svp", "zz", "zzs", "s"):
        assert jump.search.best(query) == NameSearch(*NAMES).search.best(query)


def test_a_good_fit_among_very_many() -> None:
    """The exact match is found among thousands of names that match in pieces."""
    crowd = [f"v{n}p{n}b{n}_x" for n in range(3000)] + [f"xxvxpb{n}" for n in range(3000)]
    wanted = "std::vector<int>::push_back(int const&)"
    jump = NameSearch(*crowd, wanted)
    assert wanted in jump.matches("vpb")
    assert jump.marked("push_back")[0] == wanted.replace("push_back", "[p][u][s][h][_][b][a][c][k]")


def test_a_long_query() -> None:
    """All characters of a pasted name must match, though only the first are marked."""
    long = "std::vector<" * 40
    jump = NameSearch(long + "int", long + "char", long[:-1])
    assert jump.matches(long + "char") == [long + "char"]
    assert jump.search.best(long + "char")[0].positions == tuple(range(100))


def names_of(length: int) -> NameSearch:
    """The search over 30 names of this many characters before the last word, and a short one."""
    return NameSearch(*("x" * length + f"::needle{n}" for n in range(30)), "a_needle")


def test_hostile_names() -> None:
    """Names of 100,000 characters match to their last one."""
    jump = names_of(100_000)
    best = jump.search.best("needle9")
    assert [match.function for match in best] == [9, 19, 29]
    assert best[0].positions == tuple(range(100_002, 100_009))
    assert jump.matches("needle")[0] == "a_needle"
    assert len(jump.matches("xxxx")) == 30


def test_work_grows_with_the_length_of_names() -> None:
    """The time of a search is linear in the length of the names."""
    tables = {length: names_of(length).tables for length in (12_500, 100_000)}
    assert_linear(lambda length: FuzzySearch(*tables[length]).best("needle9"), 100_000)


TEXT = st.text(st.sampled_from(list("abAB_:(<>)-' 1ä\u20ac")), min_size=1, max_size=12)


@pytest.mark.slow
@given(st.lists(TEXT.map(str.strip).filter(bool), min_size=1, max_size=6), TEXT)
def test_exactly_what_has_the_characters_in_order(names: list[str], query: str) -> None:
    """Exactly the functions with the characters in order are found, with valid marks."""
    jump = NameSearch(*names)
    wanted = lower("".join(query.split()))
    matches = jump.search.best(query)
    for match in matches:
        name = jump.names.name(match.function)
        if wanted:
            assert lower("".join(name[at] for at in match.positions)) == wanted
            assert list(match.positions) == sorted(set(match.positions))
    assert {match.function for match in matches} == {
        row for row in range(len(jump.names)) if is_within(wanted, lower(jump.names.name(row)))
    }


def lower(text: str) -> str:
    """Only the letters A to Z match in either case."""
    return text.encode().lower().decode()


def is_within(wanted: str, name: str) -> bool:
    rest = iter(name)
    return all(character in rest for character in wanted)
