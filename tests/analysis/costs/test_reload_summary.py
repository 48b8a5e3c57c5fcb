"""Differences between two loadings of a profile."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from qcachegrind_py.analysis.costs.totals import ReloadSummary, summarize_reload
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.profile import Profile
from tests.profile_text import profile_text

BEFORE = profile_text("""
    events: Ir Dr
    part: 1
    main 100,4 -> gone 1x20,1
    gone 20,1
    """)
AFTER = profile_text("""
    events: Dr Ir Bc
    part: 1
    main 3,90 -> first 1x1,2,5
    first 1,2,5
    part: 2
    second 0,7
    main@other.c 1
    """)


def read(folder: Path, text: str) -> Profile:
    """The profile of a file that is rewritten each time."""
    path = folder / "callgrind.out.7"
    path.write_text(dedent(text), encoding="ascii")
    return load(path)


def test_what_is_new_and_what_is_gone(tmp_path: Path) -> None:
    """Totals are matched by event, whatever the column; functions by name, file and object."""
    found = summarize_reload(read(tmp_path, BEFORE), read(tmp_path, AFTER))

    totals = (("Dr", 5, 5), ("Ir", 120, 99))
    assert found == ReloadSummary(
        totals=(*totals, ("Bc", 0, 5)),
        new_functions=3,
        removed_functions=1,
        new_parts=1,
        removed_parts=0,
        same_costs=False,
    )
    assert not found.is_empty


def test_the_same_file_read_again_differs_in_nothing(tmp_path: Path) -> None:
    """Two loadings of the same text are different objects without any difference."""
    assert summarize_reload(read(tmp_path, BEFORE), read(tmp_path, BEFORE)).is_empty


@pytest.mark.parametrize(
    ("line", "other"), [("1 100 4", "1 80 4\n    2 20 0"), ("calls=1 1", "calls=2 1")]
)
def test_costs_that_moved_are_a_difference(line: str, other: str, tmp_path: Path) -> None:
    """With equal totals and functions, costs may still have moved, and counts changed."""
    found = summarize_reload(read(tmp_path, BEFORE), read(tmp_path, BEFORE.replace(line, other)))

    unchanged = all(before == after for _, before, after in found.totals)
    assert (unchanged, found.new_functions, found.same_costs) == (True, 0, False)
    assert not found.is_empty
