"""The files of a folder that are the parts of one run."""

from __future__ import annotations

from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.formats.sibling_parts import sibling_parts
from tests.profile_rows import DATA


def parts_of(folder: Path, name: str, *others: str) -> list[str]:
    for other in (name, *others):
        (folder / other).write_text("events: Ir\nfn=f\n1 1\n")
    return [path.name for path in sibling_parts(folder / name)]


def test_dumps_and_threads_in_order(tmp_path: Path) -> None:
    """A run's file comes first, then its dumps and threads, by number and not by text."""
    others = [f"callgrind.out.77{end}" for end in (".10", ".2", "-01", ".2-01", ".10-02", ".2-02")]
    wanted = ["", "-01", ".2", ".2-01", ".2-02", ".10", ".10-02"]
    assert parts_of(tmp_path, "callgrind.out.77", *others) == [
        f"callgrind.out.77{end}" for end in wanted
    ]


@pytest.mark.parametrize(
    "other",
    [
        "callgrind.out.771",
        "callgrind.out.7",
        "callgrind.out.77~",
        "callgrind.out.77.gz",
        "callgrind.out.77.1.bak",
        "callgrind.out.77-",
        "Xcallgrind.out.77.1",
        "callgrind_out.77.1",
    ],
)
def test_files_of_others(other: str, tmp_path: Path) -> None:
    """Another process's file, a backup, or a similar name is never included."""
    assert parts_of(tmp_path, "callgrind.out.77", other) == ["callgrind.out.77"]


def test_a_name_without_a_number_is_alone(tmp_path: Path) -> None:
    """Only callgrind.out.PID has sibling parts."""
    assert parts_of(tmp_path, "profile", "profile.1") == ["profile"]


def test_special_characters_of_a_name_are_no_pattern(tmp_path: Path) -> None:
    """A name is matched character by character."""
    assert parts_of(tmp_path, "a[1]*.5", "a1x.5.1", "a[1]*.5.1") == ["a[1]*.5", "a[1]*.5.1"]


def test_an_empty_first_file_is_left_out() -> None:
    """With --separate-threads Callgrind leaves an empty file beside those of the threads."""
    folder = DATA / "separate-threads"
    paths = sibling_parts(folder / "callgrind.out.22265")
    assert [path.name for path in paths] == [f"callgrind.out.22265-0{n}" for n in (1, 2, 3)]
    profile = q.load(*paths)
    assert [part.thread for part in profile.parts] == [1, 2, 3]


def test_load_takes_exactly_the_files_named() -> None:
    """A script gets exactly the file it named."""
    profile = q.load(DATA / "separate-threads" / "callgrind.out.22265-02")
    assert [part.thread for part in profile.parts] == [2]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """A folder that cannot be listed has no parts; opening it gives the reason."""
    path = tmp_path / "missing" / "callgrind.out.1"
    assert sibling_parts(path) == (path,)
