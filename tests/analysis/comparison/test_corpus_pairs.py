"""Sums that must agree in any comparison, on runs of one program in a wide collection of profiles.

The collection is beside the checkout on some machines; elsewhere, these tests are skipped. Small
pairs are in `tests/data`.
"""

from __future__ import annotations

import lzma
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.effects import explain_change
from qcachegrind_py.analysis.comparison.matching import How
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NodeId, function_id
from qcachegrind_py.profile.profile import Profile
from tests.analysis.comparison.test_identities import by_members, measured

WIDE = Path(__file__).parents[4] / "shared" / "corpus"
PROFILES = re.compile(r"(call|cache)grind\.out|\.callgrind|\.cgrind|\.log$")
LARGE = 1_000_000  # bytes, packed
SOME = 10  # functions of a pair whose lines, calls and members are looked at

pytestmark = pytest.mark.skipif(not WIDE.exists(), reason="there is no wide collection")


def command(path: Path) -> str:
    """The name of the recorded program, or the folder of the profile where that is missing."""
    data = path.read_bytes()
    text = lzma.decompress(data) if data.startswith(b"\xfd7zXZ") else data
    found = re.search(rb"^cmd: *(\S+)", text[:5000], re.MULTILINE)
    return Path(found[1].decode(errors="replace")).name if found else path.parent.name


def program_pairs() -> dict[str, list[tuple[Path, Path]]]:
    """Each profile against the next one of the same program, and the last against the first."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for folder in ("a-*", "b-public"):
        for path in sorted(p for top in WIDE.glob(folder) for p in top.rglob("*")):
            if path.is_file() and PROFILES.search(path.name) and path.stat().st_size < LARGE:
                groups[command(path)].append(path)
    return {
        program: [*pairwise(paths), (paths[-1], paths[0])]
        for program, paths in groups.items()
        if len(paths) > 1
    }


PAIRS = program_pairs()


def readable_pairs(program: str) -> Iterator[tuple[Path, Path, Profile, Profile]]:
    """The pairs of a program whose files are profiles."""
    read: dict[Path, Profile] = {}
    for path in {path for pair in PAIRS[program] for path in pair}:
        try:
            read[path] = load(path)
        except ProfileError:
            continue
    for base, new in PAIRS[program]:
        if base in read and new in read:
            yield base, new, read[base], read[new]


@pytest.mark.parametrize("program", sorted(PAIRS))
def test_sums_of_real_pairs(program: str) -> None:
    """Sums of functions, lines, calls and families are the changes, and swap their signs."""
    for base_path, new_path, base, new in readable_pairs(program):
        there, back = compare(base, new), compare(new, base)
        try:
            check_counts(there, back)
            for event in measured(there):
                check_event(there, back, event)
                for row in largest_changes(there, event):
                    check_row(there, row, event)
        except AssertionError as error:
            error.add_note(f"{base_path} against {new_path}")
            raise


@pytest.mark.parametrize("program", sorted(PAIRS))
def test_each_profile_against_itself(program: str) -> None:
    """Nothing is new or gone, and nothing changed."""
    for path, _, profile, _ in readable_pairs(program):
        compared = compare(profile, profile)
        assert How.NONE not in compared.pairing.how, path
        assert compared.differences == ()
        assert not compared.called.change.any(), path
        for event in measured(compared):
            assert not compared.self_cost(event).change.any(), path
            assert not compared.inclusive(event).change.any(), path


def check_counts(there: Comparison, back: Comparison) -> None:
    """Calls change their sign with a swap."""
    assert by_members(there, there.called) == by_members(back, back.called, is_swapped=True)


def check_event(there: Comparison, back: Comparison, event: EventType) -> None:
    """Rows are the sums of each profile, add up to the total, and change their sign."""
    same = next(each for each in back.events if each.name == event.name)
    sides, inclusive = there.self_cost(event), there.inclusive(event)
    assert by_members(there, sides) == by_members(back, back.self_cost(same), is_swapped=True)
    assert by_members(there, inclusive) == by_members(back, back.inclusive(same), is_swapped=True)
    for profile, rows, costs in (
        (there.base_profile, there.pairing.row_of_base, sides.base),
        (there.new_profile, there.pairing.row_of_new, sides.new),
    ):
        assert costs[: len(there.pairing)].tolist() == summed(there, profile, rows, event)
    gross, (base, new) = there.gross_change(event), there.total(event)
    remainder = (new.base - new.counted) - (base.base - base.counted)
    assert gross.grown + gross.shrunk + remainder == new.base - base.base


def summed(there: Comparison, profile: Profile, rows: np.ndarray, event: EventType) -> list[int]:
    """The self costs of a profile alone, by row of the comparison."""
    alone = ProfileQueries(profile)
    own = event if event.is_derived else alone.events.find(event.name)
    assert own is not None
    sums = np.zeros(len(there.pairing), np.int64)
    np.add.at(sums, rows, alone.self_cost(own, Scope())[: len(rows)])
    return list(sums.tolist())


def largest_changes(there: Comparison, event: EventType) -> list[int]:
    """The rows whose costs changed most, families among them."""
    change = np.abs(there.inclusive(event).change[: len(there.pairing)])
    families = [row for row, how in enumerate(there.pairing.how) if how is How.FAMILY]
    return sorted({*np.argsort(-change)[:SOME].tolist(), *families[:SOME]})


def check_row(there: Comparison, row: int, event: EventType) -> None:
    """Lines and calls add up to the row."""
    sides, queries = there.self_cost(event), there.queries
    explanation = explain_change(there, NodeId(row), event)
    changes, effects = explanation.cost.change, explanation.effects
    assert explanation.change == (explanation.self_change + int(changes.sum()) + explanation.rest)
    known = effects.is_known
    assert (effects.by_calls + effects.per_call)[known].tolist() == changes[known].tolist()
    if not event.is_derived:
        number = queries.events.measured.index(event)
        for scope, costs in ((there.base, sides.base), (there.new, sides.new)):
            lines = queries.lines(function_id(row), scope.parts)
            assert int(lines.self_cost[number].sum()) == costs[row]


@pytest.mark.parametrize(
    ("base", "new"), [("cpu", "cpu-addresses"), ("cpu", "cpu-calltree"), ("cpu-calltree", "cpu")]
)
def test_go_profiles(base: str, new: str) -> None:
    """The changes of functions are those of the plain text of both files."""
    paths = [WIDE / "a-go" / "pprof" / f"callgrind.out.{name}" for name in (base, new)]
    compared = compare(*map(load, paths))
    change = compared.self_cost(compared.events[0]).change
    ours: dict[str, int] = defaultdict(int)
    for row in range(len(compared.pairing)):
        ours[compared.queries.names.name(function_id(row))] += int(change[row])

    before, after = (plain_self_costs(path.read_text(encoding="utf-8")) for path in paths)
    assert ours == {
        name: after.get(name, 0) - before.get(name, 0) for name in before.keys() | after.keys()
    }


def plain_self_costs(text: str) -> dict[str, int]:
    """The self cost of each function by its name, from the lines of pprof's output."""
    names: dict[str, str] = {}
    costs: dict[str, int] = defaultdict(int)
    current, is_call = "", False
    for line in text.splitlines():
        if found := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line):
            if found[3]:
                names[found[2]] = found[3]
            name = names[found[2]]
            costs[name] += 0
            current = current if found[1] else name
        elif line.startswith("calls="):
            is_call = True
        elif line[:1] in "0123456789+-*" and line:
            costs[current] += 0 if is_call else int(line.split()[2])
            is_call = False
    return costs
