from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.totals import part_totals
from qcachegrind_py.analysis.folding.fold import Folding, fold_functions
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import function_id
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray
from tests.analysis.folding.call_traces import Recording, random_program, read
from tests.profile_text import WHOLE_SCOPE, queries_for


def names_mask(profile: Profile, *names: str) -> BoolArray:
    return np.array([name in names for name in function_names(profile)])


def function_names(profile: Profile) -> list[str]:
    return [profile.function_name(function_id(f)) for f in range(len(profile.functions))]


def folded(folder: Path, drawing: str, *names: str) -> Folding:
    profile = queries_for(folder, drawing).profile
    return fold_functions(profile, names_mask(profile, *names))


def rows(folding: Folding, event: int = 0) -> list[str]:
    """A line for each function that occurs: inclusive and self cost, and its calls."""
    profile = folding.profile
    names, costs = function_names(profile), ProfileQueries(profile).costs(WHOLE_SCOPE)
    calls = profile.calls
    text = []
    for function, name in enumerate(names):
        if folding.is_folded[function]:
            continue
        made = [
            f"{names[calls.callee[row]]} {calls.count[row]}x{calls.values[event, row]}"
            for row in np.flatnonzero(calls.caller == function)
        ]
        numbers = costs.inclusive[event, function], costs.self_cost[event, function]
        text.append(" ".join([name, *map(str, numbers), *made]))
    return text


def test_costs_become_those_of_the_callers(tmp_path: Path) -> None:
    """Also through several folded functions; called functions that are not folded keep theirs."""
    drawing = """
        main 10 -> a 1x30, b 1x16
        a 5 -> lib 2x25
        b 1 -> lib 1x15
        lib 12 -> inner 3x28
        inner 28
        """
    folding = folded(tmp_path, drawing, "lib", "inner")
    assert rows(folding) == ["main 56 10 a 1x30 b 1x16", "a 30 30", "b 16 16"]
    assert folding.charges.is_exact.all()
    assert folding.charged(None)[0].tolist() == [0, 25, 15, 0, 0]


def test_a_callback_keeps_its_cost(tmp_path: Path) -> None:
    """Called from one place, the folded function leaves nothing to estimate."""
    drawing = """
        main 10 -> qsort 1x90
        qsort 30 -> compare 20x60
        compare 60
        """
    folding = folded(tmp_path, drawing, "qsort")
    assert rows(folding) == ["main 100 40 compare 20x60", "compare 60 60"]
    assert folding.charges.is_exact.tolist() == [True]
    assert folding.callbacks.is_exact.tolist() == [True]
    assert [function_names(folding.profile)[f] for f in folding.callbacks.through] == ["qsort"]


def test_callbacks_of_two_callers_are_estimates(tmp_path: Path) -> None:
    """Which caller caused how many is not recorded; shares follow the costs of the calls."""
    drawing = """
        main 0 -> a 1x31, b 1x61
        a 1 -> qsort 1x30
        b 1 -> qsort 1x60
        qsort 30 -> compare 12x60
        compare 60
        """
    folding = folded(tmp_path, drawing, "qsort")
    assert rows(folding) == [
        "main 92 0 a 1x31 b 1x61",
        "a 31 11 compare 6x20",
        "b 61 21 compare 6x40",
        "compare 60 60",
    ]
    assert folding.charges.is_exact.tolist() == [False, False]
    assert folding.callbacks.is_exact.tolist() == [False, False]
    assert folding.is_estimated(None).tolist() == [False, True, True, False, False]


def test_sums_of_an_only_caller_are_proven(tmp_path: Path) -> None:
    """It has all of the cost, however that is divided among its lines and through functions."""
    drawing = """
        main 10 -> sort 1x30, each 1x60
        sort 10 -> walk 1x20
        each 0 -> walk 1x60
        walk 30 -> item 5x50
        item 50
        """
    folding = folded(tmp_path, drawing, "sort", "each", "walk")
    assert folding.charges.is_exact.all()
    assert not folding.charges.is_exact_line.any()
    assert folding.callbacks.is_exact.all()
    assert not folding.callbacks.is_exact_line.any()


def test_estimates_are_passed_on(tmp_path: Path) -> None:
    """What is charged to a folded caller by an estimate is an estimate for its callers, too."""
    drawing = """
        main 0 -> a 1x30, b 1x60
        a 0 -> outer 1x30
        b 0 -> qsort 1x60
        outer 0 -> qsort 1x30
        qsort 30 -> compare 12x60
        compare 60
        """
    folding = folded(tmp_path, drawing, "qsort", "outer")
    assert rows(folding)[1:3] == ["a 30 10 compare 6x20", "b 60 20 compare 6x40"]
    assert not folding.charges.is_exact.any()


def test_who_has_no_caller_remains(tmp_path: Path) -> None:
    """There is nobody to charge, and no cost is lost."""
    drawing = """
        start 10 -> init 1x5, main 1x20
        init 5
        main 20
        """
    folding = folded(tmp_path, drawing, "start", "init")
    assert rows(folding) == ["start 35 15 main 1x20", "main 20 20"]
    assert folding.remains.tolist() == [True, False, False]


def test_recursion_is_folded_as_one(tmp_path: Path) -> None:
    drawing = """
        main 10 -> even 1x100
        even 60 -> odd 5x90
        odd 40 -> even 4x80
        """
    folding = folded(tmp_path, drawing, "even", "odd")
    assert rows(folding) == ["main 110 110"]
    assert folding.charges.is_exact.all()


def test_all_into_main(tmp_path: Path) -> None:
    drawing = """
        events: Ir Dr
        main 10,1 -> a 1x90,9
        a 30,3 -> b 2x60,6
        b 60,6 -> a 1x5,0
        """
    folding = folded(tmp_path, drawing, "a", "b")
    assert rows(folding) == ["main 100 100"]
    assert rows(folding, event=1) == ["main 10 10"]


def test_a_hub_remains(tmp_path: Path) -> None:
    """A function between 101 callers and 100 others does not become 10,100 estimated calls."""
    callers = ", ".join(f"c{n} 1x100" for n in range(101))
    others = ", ".join(f"o{n} 1x101" for n in range(100))
    lines = [f"c{n} 0 -> hub 1x100" for n in range(101)] + [f"o{n} 101" for n in range(100)]
    drawing = "\n".join([f"main 0 -> {callers}", f"hub 0 -> {others}", *lines])
    folding = folded(tmp_path, drawing, "hub", "main")
    names = function_names(folding.profile)
    assert [names[f] for f in np.flatnonzero(folding.remains)] == ["main", "hub"]
    assert not folding.is_folded.any()
    assert len(folding.profile.calls) == 302


def test_parts_are_charged_by_themselves(tmp_path: Path) -> None:
    """In a part in which nobody called it, a function remains with what it cost there."""
    text = """events: Ir
part: 1
fn=main
1 10
cfn=lib
calls=1 1
2 30
fn=lib
1 30

part: 2
fn=lib
1 7
"""
    path = tmp_path / "callgrind.out.1"
    path.write_text(text)
    from qcachegrind_py.formats.loading import load

    profile = load(path)
    folding = fold_functions(profile, names_mask(profile, "lib"))
    assert rows(folding) == ["main 40 40", "lib 7 7"]
    assert part_totals(folding.profile).tolist() == [[40, 7]]


def test_charges_are_costs_of_the_calling_lines(tmp_path: Path) -> None:
    """With the address of the call, and in the file that calls, which may be an inlined one."""
    text = """positions: instr line
events: Ir
fl=a.c
fn=main
0x10 1 10
fi=b.h
cfi=c.c
cfn=lib
calls=2 0x80 1
0x18 7 30
fe=a.c
0x20 2 1
fl=c.c
fn=lib
0x80 1 30
jump=1 0x84 2
0x80 1
"""
    path = tmp_path / "callgrind.out.1"
    path.write_text(text)
    from qcachegrind_py.formats.loading import load

    profile = load(path)
    folding = fold_functions(profile, names_mask(profile, "lib"))
    runs, costs = folding.profile.runs, folding.profile.costs
    assert costs.address is not None
    table = [
        (
            profile.texts[int(file)],
            int(costs.line[row]),
            hex(costs.address[row]),
            int(costs.values[0, row]),
        )
        for file, start, stop in zip(runs.file, runs.start[:-1], runs.start[1:], strict=True)
        for row in range(start, stop)
    ]
    assert table == [
        ("a.c", 1, "0x10", 10),
        ("a.c", 2, "0x20", 1),
        ("b.h", 7, "0x18", 30),
    ]
    assert len(folding.profile.jumps) == 0


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(tmp_path: Path, seed: int) -> None:
    """What is said to be exact is what a profiler records if the folded functions do not exist."""
    random = Random(seed)
    program = random_program(random, 12)
    names = [name for name in program.call_sites if name != "main" and random.random() < 0.4]
    plain, without = program.run(random, frozenset(names), 300)
    profile = read(tmp_path, plain)
    folding = fold_functions(profile, names_mask(profile, *names))
    assert not folding.remains.any()
    assert part_totals(folding.profile).tolist() == part_totals(profile).tolist()
    occurring = function_names(profile)
    _assert_lines(folding, without, occurring)
    _assert_calls(folding, without, occurring)
    _assert_sums_of_functions(folding, without, occurring)


def _assert_lines(folding: Folding, without: Recording, names: list[str]) -> None:
    """Lines have the true cost, except those with estimates; functions sum up to the total."""
    runs, costs = folding.profile.runs, folding.profile.costs
    lines: dict[tuple[str, int], list[int]] = {}
    for function, start, stop in zip(runs.function, runs.start[:-1], runs.start[1:], strict=True):
        for row in range(start, stop):
            found = lines.setdefault((names[function], int(costs.line[row])), [0, 0])
            lines[names[function], int(costs.line[row])] = [
                a + int(b) for a, b in zip(found, costs.values[:, row], strict=True)
            ]
    first = len(costs) - len(folding.charges)
    estimated = {
        (names[caller], int(costs.line[first + row]))
        for row, caller in enumerate(folding.charges.caller)
        if not folding.charges.is_exact_line[row]
    }
    for place, truth in without.lines.items():
        if place not in estimated:
            assert lines.get(place, [0, 0]) == truth, place


def _assert_calls(folding: Folding, without: Recording, names: list[str]) -> None:
    """Calls have the true count and cost, except estimated ones; each callee has its true sum."""
    calls, first = folding.profile.calls, folding.callbacks.first
    found, estimated = Counter[tuple[str, int, str]](), set()
    called = Counter[str]()
    for row in range(len(calls)):
        key = names[calls.caller[row]], int(calls.line[row]), names[calls.callee[row]]
        found[key] += int(calls.count[row])
        called[key[2]] += int(calls.count[row])
        if row >= first and not folding.callbacks.is_exact_line[row - first]:
            estimated.add(key)
    for key, count in without.counts.items():
        if key not in estimated:
            assert found[key] == count, key
    truth = Counter[str]()
    for (_, _, callee), count in without.counts.items():
        truth[callee] += count
    assert +called == +truth


def _assert_sums_of_functions(folding: Folding, without: Recording, names: list[str]) -> None:
    """Self costs, and the calls between two functions, are the true ones unless estimated."""
    self_cost = ProfileQueries(folding.profile).costs(WHOLE_SCOPE).self_cost
    truth = {name: [0, 0] for name in names}
    for (name, _), costs in without.lines.items():
        truth[name] = [a + b for a, b in zip(truth[name], costs, strict=True)]
    for function in np.flatnonzero(~folding.is_estimated(None)):
        assert self_cost[:, function].tolist() == truth[names[function]], names[function]
    calls, first, estimated = folding.profile.calls, folding.callbacks.first, set()
    found, counts = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for row in range(len(calls)):
        pair = names[calls.caller[row]], names[calls.callee[row]]
        found[pair] += int(calls.count[row])
        if row >= first and not folding.callbacks.is_exact[row - first]:
            estimated.add(pair)
    for (caller, _, callee), count in without.counts.items():
        counts[caller, callee] += count
    for pair in counts.keys() - estimated:
        assert found[pair] == counts[pair], pair
