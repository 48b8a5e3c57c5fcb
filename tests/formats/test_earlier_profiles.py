"""Earlier profiles beside a profile."""

from __future__ import annotations

from pathlib import Path

from qcachegrind_py.formats.profile_finder import earlier_profiles
from qcachegrind_py.profile.progress import NoProgress


def test_bases_are_found_by_their_names(tmp_path: Path) -> None:
    """`X.old` comes first, then `X.base@NAME` by name; folders and other files are no bases."""
    names = ("X", "X.old", "X.base@main", "X.base@a", "X.older", "Y.old", "X.base")
    for name in names:
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "X.base@folder").mkdir()

    found = earlier_profiles(NoProgress(), tmp_path / "X")

    assert [path.name for path in found] == ["X.old", "X.base@a", "X.base@main"]


def test_a_folder_that_cannot_be_read_has_no_bases(tmp_path: Path) -> None:
    """A folder that is gone is no error."""
    assert earlier_profiles(NoProgress(), tmp_path / "gone" / "X") == ()
