"""The order of the files of a history, and their labels."""

from __future__ import annotations

import os
from pathlib import Path

from qcachegrind_py.analysis.history.history import Revision
from qcachegrind_py.session.history import by_name, by_time, labelled


def test_numbers_in_names_are_counted() -> None:
    """v9 comes before v10, wherever the number is, and a name without one has its place."""
    names = ["run/v10.out", "run/v9.out", "a2/x", "a10/x", "run/v.out", "run/v09b.out"]

    ordered = [str(path) for path in by_name(map(Path, names))]

    assert ordered == ["a2/x", "a10/x", "run/v9.out", "run/v09b.out", "run/v10.out", "run/v.out"]


def test_files_are_ordered_by_time(tmp_path: Path) -> None:
    """The earliest is first; files of one moment are ordered by name, missing ones come first."""
    for name, moment in (("b", 50), ("a10", 100), ("a9", 100), ("c", 20)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (moment, moment))

    ordered = by_time(tmp_path / name for name in ("a10", "b", "gone", "c", "a9"))

    assert [path.name for path in ordered] == ["gone", "c", "b", "a9", "a10"]


def test_files_are_called_by_what_distinguishes_them() -> None:
    """The labels are those of the command."""
    revisions = labelled([Path("/x/callgrind.out.v9"), Path("/x/callgrind.out.v10")])

    assert revisions == [
        Revision("v9", "/x/callgrind.out.v9"),
        Revision("v10", "/x/callgrind.out.v10"),
    ]
