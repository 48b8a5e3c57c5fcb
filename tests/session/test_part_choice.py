"""Which parts are counted: those the user chose, or all that are not hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.context import PartChoice
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.session.loading import carried_over

ALL = PartChoice()


def choice(active: set[int], hidden: set[int] | None = None) -> PartChoice:
    """A choice of parts by number."""
    return PartChoice(frozenset(active), frozenset(hidden or ()))


@pytest.mark.parametrize(
    ("before", "parts", "after"),
    [
        (ALL, [1], choice({1})),
        (ALL, [], ALL),
        (ALL, [0, 1, 2, 3], ALL),
        (choice({1}), [], ALL),
        (choice({0, 1, 2}, {3}), [1, 3], choice({1}, {3})),  # a hidden part is not active
        (choice({1}, {3}), [], choice({0, 1, 2}, {3})),
    ],
)
def test_choosing_parts(before: PartChoice, parts: list[int], after: PartChoice) -> None:
    """The chosen parts are active; if none is chosen, all that are shown."""
    assert before.choosing(parts, 4) == after


@pytest.mark.parametrize(
    ("before", "parts", "after"),
    [
        (ALL, [3], choice({0, 1, 2}, {3})),
        (choice({0, 1}), [1], choice({0}, {1})),
        (choice({1}), [1], choice({0, 2, 3}, {1})),  # none of the chosen is left
        (choice({0, 1, 2}, {3}), [2], choice({0, 1}, {2, 3})),
        (choice({0, 1, 2}, {3}), [0, 1, 2], choice({0, 1, 2}, {3})),  # one part stays at least
    ],
)
def test_hiding_parts(before: PartChoice, parts: list[int], after: PartChoice) -> None:
    """Hidden parts are not active; what was chosen besides stays chosen."""
    assert before.hiding(parts, 4) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [(choice({0, 1, 2}, {3}), ALL), (choice({0}, {3}), choice({0}))],
    ids=["all that were shown", "one"],
)
def test_showing_hidden_parts(before: PartChoice, after: PartChoice) -> None:
    """Shown again, parts are active if all others were."""
    assert before.showing_hidden(4) == after


def profile_of(path: Path, *numbers: int) -> Profile:
    """A profile read from this file, with a part of each number."""
    path.write_text("".join(f"part: {n}\nevents: Ir\nfn=f\n1 1\n" for n in numbers))
    return load(path)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ALL, ALL),
        (choice({1}), choice({2})),
        (choice({0, 1}, {2}), choice({0, 1, 2}, {3})),  # all that were shown: the new one, too
        (choice({1}, {2}), choice({2}, {3})),
    ],
)
def test_a_choice_survives_a_reload(tmp_path: Path, before: PartChoice, after: PartChoice) -> None:
    """Parts are found again by their numbers; part 1 is new in the second reading."""
    path = tmp_path / "callgrind.out.1"
    profiles = profile_of(path, 2, 3, 4), profile_of(path, 1, 2, 3, 4)

    assert carried_over(before, *profiles) == after
