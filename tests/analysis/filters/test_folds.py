from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.function_costs import function_cycles
from qcachegrind_py.analysis.filters.conditions import folded_functions
from qcachegrind_py.analysis.filters.expression import (
    parse_filter,
    parse_folds,
    with_term,
    without_term,
)
from qcachegrind_py.analysis.filters.rules import parse_rule
from qcachegrind_py.analysis.queries import (
    FoldedQueries,
    ProfileQueries,
    unfolded_queries,
    with_folds,
)
from qcachegrind_py.profile.errors import FilterError
from tests.profile_text import WHOLE_SCOPE, event_named, queries_for

DRAWING = """
    main@app.c@/opt/libcms/app 1 -> std::sort@stl.h@/opt/libcms/app 1x9, malloc 1x5, parse 1x3
    std::sort@stl.h@/opt/libcms/app 9
    malloc@malloc.c@/lib/libc-2.36.so 5
    parse@parse.c@/opt/libcms/app 1 -> item 1x2
    item@parse.c@/opt/libcms/app 1 -> parse 1x1
    """


UNKNOWN = """
    main@app.c@/home/me/app 1 -> 0x4010@???@/home/me/app 1x9, 0xF0@???@??? 1x5, ???@x.c@lib 1x3
    0x4010@???@/home/me/app 9
    0xF0@???@??? 5
    ???@x.c@lib 3 -> 0xf8'2@???@??? 1x1
    0xf8'2@???@??? 1
    0xfolder@???@??? 1
    """


def names_folded(queries: ProfileQueries, text: str) -> list[str]:
    cycle = function_cycles(queries.profile)
    folded = folded_functions(parse_filter(text).folds, _Names(queries), cycle)
    return [queries.names.name(f) for f in np.flatnonzero(folded)]


class _Names:
    def __init__(self, queries: ProfileQueries) -> None:
        self.names, self.classes = queries.names, queries.classes


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("fold:libc", ["malloc"]),  # the object file's own name, and not a folder above it
        ("fold:^libc", ["malloc"]),
        ("fold:^std::", ["std::sort"]),
        ("fold:malloc", ["malloc"]),
        ('fold:name:="parse"', ["parse"]),
        ("fold:file:parse.c", ["parse", "item"]),
        ("fold:class:=std", ["std::sort"]),
        ("fold:/^(main|item)$/", ["main", "item"]),
        ("fold:stdlib", ["std::sort", "malloc"]),
        ("fold:is:unknown", []),
        ("FOLD:malloc fold:^std::", ["std::sort", "malloc"]),
        ("only:lib:app", ["malloc"]),
        ("only:main", ["std::sort", "malloc", "parse", "item"]),
        ("collapse:name:=item", ["parse"]),
        ("collapse:main", []),  # in no cycle
    ],
)
def test_functions_of_a_fold(tmp_path: Path, text: str, names: list[str]) -> None:
    assert names_folded(queries_for(tmp_path, DRAWING), text) == names


def test_the_c_library(tmp_path: Path) -> None:
    """A library that is called much alike is none of its parts, whatever the path has."""
    of_c = ("libc.so.6", "libm-2.31.so", "ld-linux-x86-64.so.2", "libc.musl-x86_64.so.1", "libc")
    others = ("libcurl.so.4", "libcrypto.so", "libc++.so.1", "libmath.so", "libc.so/app", "ldap")
    objects = [*of_c, *others]
    rows = [f"f{number}@a.c@/lib/{name} 1" for number, name in enumerate(objects)]
    queries = queries_for(tmp_path, "\n".join(rows))
    assert names_folded(queries, "fold:libc") == [f"f{number}" for number in range(len(of_c))]


def test_unknown_functions_have_neither_name_nor_object(tmp_path: Path) -> None:
    """A function of a stripped program of one's own has an object, and stays."""
    queries = queries_for(tmp_path, UNKNOWN)
    assert names_folded(queries, "fold:is:unknown") == ["0xF0", "???", "0xf8'2"]
    assert names_folded(queries, "only:is:unknown") == ["main", "0x4010", "0xfolder"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fold:is:new", "is:new is about a change, which needs a base"),
        ("!fold:libc", "a fold is not negated: only:… folds all functions that do not match."),
        ("fold:self>1%", "functions are folded by their names, such as fold:libc."),
        ("fold:", "after fold: comes a text, such as fold:main."),
        ("only:/(/", "this is not a regular expression"),
    ],
)
def test_invalid_folds_are_explained(text: str, reason: str) -> None:
    with pytest.raises(FilterError, match=reason.replace("(", r"\(")):
        parse_filter(text)


@pytest.mark.parametrize(
    ("text", "folds"),
    [
        ("libc", ["fold:libc"]),
        ("fold:libc", ["fold:libc"]),
        ("only:lib:app collapse:parse ^std::", ["only:lib:app", "collapse:parse", "fold:^std::"]),
        ('lib:="a b" "c d', ['fold:lib:="a b"', 'fold:"c d"']),
        ("::operator", ['fold:"::operator"']),
    ],
)
def test_a_text_of_folds_needs_no_keys(text: str, folds: list[str]) -> None:
    assert [fold.text for fold in parse_folds(text)] == folds


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("!libc", "“!fold:libc”: a fold is not negated"),
        ("self>1%", "“fold:self>1%”: functions are folded by their names"),
        (" ", "a term comes here, such as libc"),
    ],
)
def test_a_text_of_folds_has_nothing_else(text: str, reason: str) -> None:
    with pytest.raises(FilterError, match=reason):
        parse_folds(text)


def test_rules_of_a_gate_have_no_folds() -> None:
    with pytest.raises(FilterError, match="a fold is no condition on functions"):
        parse_rule("fold:libc self>1%")


def test_a_fold_is_no_condition() -> None:
    """Text and terms of a filter stay what they are beside it."""
    filter_ = parse_filter("fold:libc self>1%")
    assert [term.text for term in filter_.terms] == ["self>1%"]
    assert [fold.text for fold in filter_.folds] == ["fold:libc"]
    assert not parse_filter("fold:libc")
    assert parse_filter("fold::x").folds == ()  # a name with two colons


def test_terms_are_added_and_removed() -> None:
    assert with_term("main fold:libc", "fold:lib:=a") == "main fold:libc fold:lib:=a"
    assert with_term("lib:=a", "fold:lib:=a") == "lib:=a fold:lib:=a"
    assert with_term("fold:lib:=a", "fold:lib:=a") == "fold:lib:=a"
    assert without_term('main fold:"a b" x', 'fold:"a b"') == "main x"


def test_queries_with_folds(tmp_path: Path) -> None:
    """They are of a profile without the folded functions, which have their numbers still."""
    queries = queries_for(tmp_path, DRAWING)
    event = event_named(queries, "Ir")
    folded = with_folds(queries, parse_filter("fold:libc collapse:name:=parse").folds)
    assert isinstance(folded, FoldedQueries)
    assert folded.self_cost(event, WHOLE_SCOPE).tolist() == [6, 9, 0, 2, 0]
    assert folded.charged(event, WHOLE_SCOPE).tolist() == [5, 0, 0, 1, 0]
    shown = folded.visible_nodes(parse_filter(""), event, WHOLE_SCOPE)
    assert shown.tolist() == [True, True, False, True, False]
    assert unfolded_queries(folded) is queries
    assert with_folds(folded, ()) is queries
    again = with_folds(folded, parse_filter("fold:^std::").folds)
    assert again.self_cost(event, WHOLE_SCOPE).tolist() == [10, 0, 5, 1, 1, 2]


def test_the_order_of_folds_does_not_matter(tmp_path: Path) -> None:
    queries = queries_for(tmp_path, DRAWING)
    event = event_named(queries, "Ir")
    one, other = (
        with_folds(with_folds(queries, parse_filter(first).folds), parse_filter(both).folds)
        for first, both in (
            ("fold:libc", "fold:libc fold:^std::"),
            ("fold:^std::", "fold:^std:: fold:libc"),
        )
    )
    for ask in ("self_cost", "inclusive"):
        costs = [getattr(each, ask)(event, WHOLE_SCOPE).tolist() for each in (one, other)]
        assert costs[0] == costs[1]


def test_a_callback_names_the_function_it_came_through(tmp_path: Path) -> None:
    drawing = """
        main 10 -> qsort 1x90, main 1x5
        qsort 30 -> compare 20x60
        compare 60
        """
    folded = with_folds(queries_for(tmp_path, drawing), parse_filter("fold:qsort").folds)
    assert isinstance(folded, FoldedQueries)
    main, qsort, compare = (folded.names.with_name(n)[0] for n in ("main", "qsort", "compare"))
    rows = folded.callbacks.rows(np.array([main, main, compare]), np.array([compare, main, main]))
    assert rows.tolist() == [0, -1, -1]
    assert folded.callbacks.folded(0) == qsort
