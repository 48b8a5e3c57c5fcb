"""Finds in one profile what was a place in another: the same function, cycle or line of code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from qcachegrind_py.analysis.costs.recursion_levels import without_level
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import Questions
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.session.context import Position

Identity = tuple[str, str, str]  # name, file and object of a function, as they were recorded


@dataclass(frozen=True, slots=True)
class Place:
    """Names that hold for another run of the same program; empty where nothing is known."""

    event: str = ""
    second_event: str = ""
    function: Identity | None = None
    grouping: str = ""


Carrier = Callable[[int], int]  # from a function or cycle to that of another profile

_LEVELS = 5  # of recursion that a function is looked for under


def identity(questions: Questions, entry: int, scope: Scope) -> Identity | None:
    """What a function is found by in another run; a cycle by its first member."""
    if entry < 0:
        return None
    return questions.names.identity(questions.first_member(entry, scope))


def find(questions: Questions, identity: Identity | None) -> int:
    """The function of that name and place, or the one its recursion levels were folded to."""
    if identity is None:
        return -1
    name, *place = identity
    function = questions.names.find(name, *place)
    if function >= 0:
        return function
    base = without_level(name)
    levels = (base, *(f"{base}'{level}" for level in range(2, _LEVELS)))
    return next((f for n in levels if (f := questions.names.find(n, *place)) >= 0), -1)


def carrier(before: Questions, scope_before: Scope, after: Questions, scope: Scope) -> Carrier:
    """Gives for a function or cycle of one profile the one of the other; -1 for none."""

    @cache
    def carried(entry: int) -> int:
        function = find(after, identity(before, entry, scope_before))
        if function < 0 or entry < before.functions:
            return function
        cycle = int(after.costs(scope).cycle[function])
        return after.functions + cycle - 1 if cycle else function

    return carried


def carried_position(position: Position | None, before: Profile, after: Profile) -> Position | None:
    """The same line and address in the other profile; None where it does not name the file."""
    if position is None:
        return None
    file = after.texts.number_of(before.texts[position.file])
    return Position(file, position.line, position.address) if file >= 0 else None
