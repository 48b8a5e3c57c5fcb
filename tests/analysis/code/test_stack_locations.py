"""Inclusive costs of lines and instructions of recorded stacks: each stack counts once."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from qcachegrind_py.analysis.code.annotated_function import annotated_costs
from qcachegrind_py.analysis.code.location_costs import (
    file_lines,
    function_lines,
    instruction_costs,
    lines_of_functions,
)
from qcachegrind_py.analysis.costs.scope import Parts, Scope
from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import CodePlace, NumberKey, NumberKind
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.profile.ids import FunctionId, PartId, TextId
from qcachegrind_py.profile.profile import Profile

Place = tuple[int, int]  # function and line; the address follows from both
Stack = tuple[int, list[Place], int]  # part, places from the outermost on, cost
_FUNCTIONS = 3


def _random_stacks(seed: int) -> list[Stack]:
    chance = random.Random(seed)
    return [
        (
            chance.randrange(2),
            [
                (chance.randrange(_FUNCTIONS), chance.randint(1, 3))
                for _ in range(chance.randint(1, 6))
            ],
            chance.randint(0, 9),
        )
        for _ in range(30)
    ]


def _profile(stacks: list[Stack]) -> Profile:
    builder = StackBuilder("known", "test")
    builder.event("samples")
    functions = [builder.function(f"f{number}", "all.c") for number in range(_FUNCTIONS)]
    parts = [builder.part() for _ in range(2)]
    for part, places, cost in stacks:
        context = parts[part]
        for function, line in places:
            frame = builder.frame(functions[function], line, _address(function, line))
            context = builder.child(context, frame)
        builder.add(context, cost)
    return builder.profile()


def _address(function: int, line: int) -> int:
    return 0x100 * (function + 1) + line


@pytest.mark.parametrize("parts", [None, frozenset([PartId(1)])])
@pytest.mark.parametrize("seed", range(20))
def test_a_line_costs_what_the_stacks_cost_that_have_it(seed: int, parts: Parts) -> None:
    stacks = _random_stacks(seed)
    profile = _profile(stacks)
    queries = ProfileQueries(profile)
    event = profile.events.measured[0]
    of_places, of_lines = Counter[Place](), Counter[int]()
    for part, places, cost in stacks:
        if parts is None or part in parts:
            of_places.update(dict.fromkeys(set(places), cost))
            of_lines.update(dict.fromkeys({line for _, line in places}, cost))

    numbers = [FunctionId(number) for number in range(_FUNCTIONS)]
    cycle = np.zeros(_FUNCTIONS, np.int32)
    for number, grouped in zip(numbers, lines_of_functions(profile, numbers, parts), strict=True):
        expected = {
            line: cost for (function, line), cost in of_places.items() if function == number
        }
        lines = function_lines(profile, number, parts, with_hosts=True)
        costs = annotated_costs(lines, number, cycle, are_stacks=True).inclusive[0].tolist()
        assert dict(zip(lines.line.tolist(), costs, strict=True)) == _found(expected, lines.line)
        costs = grouped.inclusive[0].tolist()
        assert dict(zip(grouped.line.tolist(), costs, strict=True)) == _found(
            expected, grouped.line
        )
        instructions = instruction_costs(profile, number, parts)
        costs = instructions.inclusive[0].tolist()
        own_file = TextId(int(profile.functions.file[number]))
        for line, cost in _found(expected, lines.line).items():
            place = CodePlace(own_file, line)
            key = NumberKey(NumberKind.LINE_INCLUSIVE, number, place=place)
            assert explain(queries, key, event, Scope(parts=parts)).value == cost
        addresses = {_address(number, line): cost for line, cost in expected.items()}
        assert dict(zip(instructions.address.tolist(), costs, strict=True)) == _found(
            addresses, instructions.address
        )
    whole = file_lines(profile, TextId(int(profile.functions.file[0])), parts)
    costs = whole.inclusive[0].tolist()
    assert dict(zip(whole.line.tolist(), costs, strict=True)) == _found(of_lines, whole.line)


def _found(expected: dict[int, int], rows: np.ndarray) -> dict[int, int]:
    """Return the expected costs; a place that neither costs anything nor calls has no row."""
    assert {place for place, cost in expected.items() if cost} <= set(rows.tolist())
    return {place: expected.get(place, 0) for place in rows.tolist()}
