"""Explanations have the numbers of the views; how estimates are recorded exactly.

The rules by which numbers come about are in `tests/present/test_explanation.py`, in words.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import (
    NumberKey,
    NumberKind,
    exact_recording_command,
    exactness_text,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NodeId, PartId
from tests.profile_rows import DATA, profile_from

PROFILES = sorted(
    path
    for path in DATA.rglob("*callgrind.out*")
    if path.is_file() and path.stat().st_size and ".tsv" not in path.name
)


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_explanations_give_the_numbers_of_the_views(path: Path) -> None:
    """Thirty numbers of each profile, in all scopes: value and sum of terms are the cell."""
    queries, chance = ProfileQueries(load(path)), random.Random(7)
    if not queries.function_count:  # a dump before the program began
        return
    parts = range(len(queries.profile.parts))
    for _ in range(30):
        some = frozenset(map(PartId, chance.sample(parts, chance.randint(1, len(parts)))))
        scope = Scope(chance.choice((None, some)), cycles=chance.random() < 0.6)
        event = chance.choice(queries.events.measured)
        node = NodeId(chance.randrange(len(queries.costs(scope).cycle)))
        numbers = {
            NumberKind.SELF: queries.self_cost(event, scope)[node],
            NumberKind.INCLUSIVE: queries.inclusive(event, scope)[node],
            NumberKind.CALLED: queries.costs(scope).called[node],
        }
        for kind, value in numbers.items():
            found = explain(queries, NumberKey(kind, node), event, scope)
            terms = sum(term.value for term in found.terms) if found.terms else value
            assert (found.value, terms) == (value, value), (kind, node, scope)


TOOL = "To record it: valgrind --tool=callgrind --separate-callers="


def test_text_about_a_cost() -> None:
    """A cost is called exact, or an estimate with its reason and, if there is one, its remedy."""
    estimate = "≈ is an estimate: only direct calls are recorded."
    assert exactness_text(True) == exactness_text(True, "Do this.")
    assert exactness_text(True) == "The cost is exact: it follows from the recorded calls."
    assert (exactness_text(False), exactness_text(False, "Do this.")) == (
        estimate,
        f"{estimate} Do this.",
    )


def profile_text(creator: str, command: str) -> str:
    return f"creator: {creator}\ncmd: {command}\nevents: Ir\n\nfn=main\n1 5\n"


@pytest.mark.parametrize(
    ("creator", "command", "callers", "proof"),
    [
        ("callgrind-3.19.0", "./a.out -x 'a b'", 3, f"{TOOL}3 ./a.out -x 'a b'"),
        ("callgrind-3.19.0", "", 3, f"{TOOL}3 PROGRAM"),
        ("callgrind-3.19.0", "./a", 0, f"{TOOL}1 ./a"),
        ("callgrind-3.19.0", "./a", -7, f"{TOOL}1 ./a"),
        ("callgrind-3.19.0", "./a", 5000, f"{TOOL}100 ./a"),
        ("callgrind-3.19.0", "./a\x01\x7f", 2, rf"{TOOL}2 ./a\x01\x7f"),
        ("callgrind-3.19.0", "x" * 5000, 2, f"{TOOL}2 {'x' * 400}…"),
        ("xdebug 3.2.0 (PHP 8.2)", "a.php", 3, ""),
        ("cachegrind-3.19.0", "./a", 3, ""),
        ("", "./a", 3, ""),
    ],
)
def test_only_callgrind_profiles_get_a_command(
    creator: str, command: str, callers: int, proof: str
) -> None:
    """Callgrind profiles can be recorded with 1 to 100 callers; others get no advice."""
    assert exact_recording_command(profile_from(profile_text(creator, command)), callers) == proof


def test_real_profiles() -> None:
    """The command runs the profiled program; profiles of other tools get none."""
    told = exact_recording_command(load(DATA / "control/callgrind.out.control.2"), 10)
    assert told.startswith(f"{TOOL}10 ")
    assert told.removeprefix(f"{TOOL}10 ") == load(DATA / "control/callgrind.out.control.2").command
    assert exact_recording_command(load(DATA / "yappi/callgrind.out.yappi"), 10) == ""
    heap = load(DATA / "pprof-heap/callgrind.out.heap-alloc")
    assert exact_recording_command(heap, 10) == ""
