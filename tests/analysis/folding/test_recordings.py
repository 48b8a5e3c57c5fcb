"""Folding against what Callgrind records: without the folded functions, and with all callers.

`--fn-skip` records a program as if functions did not exist, and so states what folding says of a
plain recording. `--separate-callers` tells on whose behalf each function ran.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from qcachegrind_py.analysis.filters.expression import parse_folds
from qcachegrind_py.analysis.queries import FoldedQueries, ProfileQueries, with_folds
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import function_id
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array
from tests.profile_rows import DATA
from tests.profile_text import WHOLE_SCOPE

Place = tuple[str, int, int]  # function, line and address
Call = tuple[str, str, int, int]  # caller, callee, line and address
SKIPPED = {
    "skipped": "^library_ exchange inner_mix",
    "skipped-sort": "library_sort",
    "skipped-inner": "inner_mix",
}


def recorded(name: str) -> Profile:
    return load(DATA / "folds" / f"callgrind.out.{name}.xz")


def folded(terms: str) -> FoldedQueries:
    """The plain recording with functions folded."""
    queries = with_folds(ProfileQueries(recorded("plain")), parse_folds(terms))
    assert isinstance(queries, FoldedQueries)
    return queries


def name_of(profile: Profile, function: int) -> str:
    return profile.function_name(function_id(function))


def costs_by_place(profile: Profile) -> dict[Place, int]:
    """The self cost of each instruction."""
    runs, costs, found = profile.runs, profile.costs, Counter[Place]()
    function = np.repeat(runs.function, np.diff(runs.start)).tolist()
    addresses = costs.address[:].tolist() if costs.address is not None else [0] * len(costs)
    rows = zip(function, costs.line.tolist(), addresses, costs.values[0].tolist(), strict=True)
    for spender, line, address, cost in rows:
        found[name_of(profile, spender), line, address] += cost
    return +found


def calls_by_place(profile: Profile) -> dict[Call, tuple[int, int]]:
    """Count and cost of the calls from each instruction to each function."""
    calls, found = profile.calls, dict[Call, tuple[int, int]]()
    assert calls.address is not None
    for row in range(len(calls)):
        caller, callee = (name_of(profile, f) for f in (calls.caller[row], calls.callee[row]))
        key = (caller, callee, int(calls.line[row]), int(calls.address[row]))
        count, cost = found.get(key, (0, 0))
        found[key] = count + int(calls.count[row]), cost + int(calls.values[0, row])
    return found


def without(found: dict, estimated: set) -> dict:
    return {key: value for key, value in found.items() if key not in estimated}


def estimated_places(queries: FoldedQueries) -> set[Place]:
    """The instructions of which part of the self cost is an estimate."""
    charges, costs = queries.folding.charges, queries.profile.costs
    assert costs.address is not None
    first = len(costs) - len(charges)
    return {
        (
            name_of(queries.profile, charges.caller[row]),
            int(costs.line[first + row]),
            int(costs.address[first + row]),
        )
        for row in np.flatnonzero(~charges.is_exact_line)
    }


def estimated_calls(queries: FoldedQueries) -> set[Call]:
    """The calls by instructions on behalf of folded functions that are estimates."""
    callbacks, calls = queries.folding.callbacks, queries.profile.calls
    assert calls.address is not None
    return {
        (
            name_of(queries.profile, calls.caller[row]),
            name_of(queries.profile, calls.callee[row]),
            int(calls.line[row]),
            int(calls.address[row]),
        )
        for row in callbacks.first + np.flatnonzero(~callbacks.is_exact_line)
    }


@pytest.mark.parametrize("recording", SKIPPED)
def test_exact_costs_are_those_of_a_recording_without_the_functions(recording: str) -> None:
    """Of each instruction; all but the estimates, which are at the same places."""
    truth, queries = costs_by_place(recorded(recording)), folded(SKIPPED[recording])
    found, estimated = costs_by_place(queries.profile), estimated_places(queries)
    assert set(found) == set(truth)
    assert without(found, estimated) == without(truth, estimated)
    assert sum(found.values()) == sum(truth.values())


@pytest.mark.parametrize("recording", SKIPPED)
def test_exact_calls_are_those_of_a_recording_without_the_functions(recording: str) -> None:
    """Estimates may be at places where there was no such call."""
    truth, queries = calls_by_place(recorded(recording)), folded(SKIPPED[recording])
    found, estimated = calls_by_place(queries.profile), estimated_calls(queries)
    assert without(found, estimated) == without(truth, estimated)
    assert set(truth) <= set(found)


@pytest.mark.parametrize("recording", SKIPPED)
def test_functions_have_the_costs_of_a_recording_without_the_others(recording: str) -> None:
    """Inclusive costs and called counts agree for all; self costs where they are no estimates."""
    real, queries = ProfileQueries(recorded(recording)), folded(SKIPPED[recording])
    truth, found = by_function(real), by_function(queries)
    estimated = queries.folding.is_estimated(None)
    names = {name_of(queries.profile, f) for f in np.flatnonzero(estimated)}
    assert set(found) == set(truth)
    for name, numbers in truth.items():
        assert found[name][:2] == numbers[:2], name
        assert found[name][2] == numbers[2] or name.partition(" in ")[0] in names, name


def by_function(queries: ProfileQueries) -> dict[str, tuple[int, int, int]]:
    """Inclusive cost, called count and self cost of each function that occurs."""
    costs, profile = queries.costs(WHOLE_SCOPE), queries.profile
    occurs = (costs.inclusive[0] != 0)[: queries.function_count]
    return {
        f"{name_of(profile, f)} in {profile.texts[int(profile.functions.file[f])]}": (
            int(costs.inclusive[0, f]),
            int(costs.called[f]),
            int(costs.self_cost[0, f]),
        )
        for f in np.flatnonzero(occurs)
    }


def test_what_is_estimated() -> None:
    """The sort, called from two places with two comparisons, is; all else is proven."""
    queries = folded(SKIPPED["skipped"])
    names = [
        name_of(queries.profile, f) for f in np.flatnonzero(queries.folding.is_estimated(None))
    ]
    assert names == ["sort_upwards", "sort_by_digit"]
    assert {place[:2] for place in estimated_places(queries)} == {
        ("sort_upwards", 36),
        ("sort_by_digit", 43),
        ("main", 61),
    }
    assert {call[:2] for call in estimated_calls(queries)} == {
        (caller, order)
        for caller in ("sort_upwards", "sort_by_digit")
        for order in ("ascending", "by_last_digit")
    } | {("main", "add")}
    assert not estimated_places(folded("inner_mix library_square"))
    assert not folded("library_walk").folding.is_estimated(None).any()


# ------------------------------------------------------------ with callers


def contexts() -> Iterator[tuple[list[str], int]]:
    """Each function with its callers, innermost first and without recursion, and its self cost."""
    profile = recorded("callers")
    costs = ProfileQueries(profile).costs(WHOLE_SCOPE).self_cost[0]
    for function in range(len(profile.functions)):
        chain = name_of(profile, function).split("'")
        yield [name for name in chain if not name.isdecimal()], int(costs[function])


def charged_in_truth(terms: str) -> Counter[str]:
    """What the folded functions cost on behalf of each function that is not folded."""
    folding = folded(terms).folding
    names = {name_of(folding.profile, f) for f in np.flatnonzero(folding.is_folded)}
    charged = Counter[str]()
    for chain, cost in contexts():
        if chain[0] in names:
            charged[next(name for name in chain if name not in names)] += cost
    return charged


def charged(terms: str) -> tuple[Counter[str], set[str]]:
    """What folding charges, and the functions for which it is an estimate."""
    folding = folded(terms).folding
    values: Int64Array = folding.charged(None)[0]
    names = [name_of(folding.profile, f) for f in range(len(values))]
    estimated = {names[f] for f in np.flatnonzero(folding.is_estimated(None))}
    found = Counter[str]()
    for function in np.flatnonzero(values):
        found[names[function].partition("'")[0]] += int(values[function])  # without the level
    return found, estimated


@pytest.mark.parametrize(
    "terms",
    [
        *SKIPPED.values(),
        "library_checksum",
        "library_square",
        "library_walk",
        "exchange",
        "library_sort exchange",
        "^library_ exchange",
        "only:main",
        "fill library_checksum",
    ],
)
def test_exact_charges_are_what_callers_caused(terms: str) -> None:
    truth = charged_in_truth(terms)
    found, estimated = charged(terms)
    assert without(found, estimated) == without(truth, estimated)
    assert found.total() == truth.total()


def test_an_estimate_is_not_the_truth() -> None:
    """Comparisons of digits cost more, so that the share of their caller is too large.

    That the estimate differs is what the mark is for; a proven charge never does.
    """
    truth = charged_in_truth("library_sort exchange")
    found, estimated = charged("library_sort exchange")
    assert truth == {"sort_upwards": 23133, "sort_by_digit": 5102}
    assert estimated == {"sort_upwards", "sort_by_digit"}
    assert found["sort_by_digit"] > truth["sort_by_digit"]
    assert found.total() == truth.total()


def test_an_estimate_may_be_the_truth() -> None:
    """The tree is walked from one line, which therefore has all of the shares."""
    queries, real = folded(SKIPPED["skipped"]), recorded("skipped")
    (place,) = (each for each in estimated_places(queries) if each[0] == "main")
    assert costs_by_place(queries.profile)[place] == costs_by_place(real)[place] == 1492
    (call,) = (each for each in estimated_calls(queries) if each[0] == "main")
    assert calls_by_place(queries.profile)[call] == calls_by_place(real)[call] == (40, 400)
