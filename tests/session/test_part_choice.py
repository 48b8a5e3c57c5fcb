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
    ("before", "step", "parts", "after"),
    [
        (ALL, "choosing", [1], choice({1})),
        (ALL, "choosing", [], ALL),
        (ALL, "choosing", [0, 1, 2, 3], ALL),
        (choice({1}), "choosing", [], ALL),
        (choice({0, 1, 2}, {3}), "choosing", [1, 3], choice({1}, {3})),  # hidden: not active
        (choice({1}, {3}), "choosing", [], choice({0, 1, 2}, {3})),
        (ALL, "hiding", [3], choice({0, 1, 2}, {3})),
        (choice({0, 1}), "hiding", [1], choice({0}, {1})),
        (choice({1}), "hiding", [1], choice({0, 2, 3}, {1})),  # none of the chosen is left
        (choice({0, 1, 2}, {3}), "hiding", [2], choice({0, 1}, {2, 3})),
        (choice({0, 1, 2}, {3}), "hiding", [0, 1, 2], choice({0, 1, 2}, {3})),  # one stays
        (choice({0, 1, 2}, {3}), "showing_hidden", None, ALL),
        (choice({0}, {3}), "showing_hidden", None, choice({0})),
    ],
)
def test_steps(before: PartChoice, step: str, parts: list[int] | None, after: PartChoice) -> None:
    """The chosen parts are active, or all that are shown if none is; hidden ones never are.

    What was chosen besides stays chosen. Shown again, parts are active if all others were.
    """
    assert getattr(before, step)(*([] if parts is None else [parts]), 4) == after


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
