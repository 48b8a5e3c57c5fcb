"""Which files are which revisions, and what these are called."""

from __future__ import annotations

from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.history import Revision
from qcachegrind_py.formats.history_files import distinguishing_names, named_revisions
from tests.profile_text import write_profile_text


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["callgrind.out.r1", "callgrind.out.r2"], ["r1", "r2"]),
        (["a/callgrind.out.O2.xz", "a/callgrind.out.O3.xz"], ["O2", "O3"]),
        (["app-1.2.out", "app-1.10.out"], ["1.2", "1.10"]),
        (["app-1.2.0.out", "app-1.2.1.out"], ["1.2.0", "1.2.1"]),
        (["v1/callgrind.out", "v2/callgrind.out"], ["v1", "v2"]),
        (["/b/v1/x/callgrind.out", "/b/v2/x/callgrind.out"], ["v1", "v2"]),
        (["a/p.1", "b/p.1", "b/p.2"], ["a/p.1", "b/p.1", "b/p.2"]),
        (["callgrind.out", "callgrind.out.new"], ["callgrind.out", "new"]),
        (["before", "after"], ["before", "after"]),
        (["r100.out", "r101.out"], ["r100", "r101"]),
        (["same", "same"], ["same", "same"]),
        (["folder/one"], ["one"]),
        (["C:\\a\\x.1", "C:\\a\\x.2"], ["1", "2"]),
        ([], []),
    ],
)
def test_labels_are_what_distinguishes_names(files: list[str], expected: list[str]) -> None:
    """Whole words of the names, or folders where the names are equal."""
    assert distinguishing_names(files) == expected


def test_labels_can_be_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LABEL=FILE names a revision; a file whose whole name is LABEL=FILE is that file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x=y").touch()
    assert named_revisions(["first=p.1", "x=y", "p.3", "=p.4", "a=b=c"]) == [
        Revision("first", "p.1"),
        Revision("x=y", "x=y"),
        Revision("p.3", "p.3"),
        Revision("=p.4", "=p.4"),
        Revision("a", "b=c"),
    ]
    assert named_revisions(["a=file:///x%20y"]) == [Revision("a", "/x y")]


def test_the_library_reads_histories(tmp_path: Path) -> None:
    """Files are paths or texts; labels are those of the files, or given."""
    files = [write_profile_text(tmp_path, f"f@a.c {n}0", f"run.{n}") for n in (1, 2, 3)]
    history = q.read_history(files)
    assert history.labels == ("1", "2", "3")
    assert history.files == tuple(map(str, files))
    assert history.self_cost(history.events[0]).tolist() == [[10, 20, 30]]
    assert q.read_history(map(str, files), ["a", "b", "c"]).labels == ("a", "b", "c")
    with pytest.raises(ValueError, match="needs a revision"):
        q.read_history([])
    with pytest.raises(ValueError, match="zip"):
        q.read_history(files, ["a"])
    with pytest.raises(q.UnreadableFile, match="missing"):
        q.read_history([files[0], tmp_path / "missing"])
