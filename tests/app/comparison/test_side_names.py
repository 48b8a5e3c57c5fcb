"""What base and new are called: by their files, or by the parts that are compared."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.comparison.summary import SideName, distinct_names, side_names
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.session import Session
from tests.profile_rows import DATA

Draw = Callable[..., Path]
OpenProfile = Callable[..., None]
THREADS = DATA / "separate-threads" / "callgrind.out.22265"


@pytest.mark.parametrize(
    ("base", "new", "names"),
    [
        (["/a/old.out"], ["/b/new.out"], ("old.out", "new.out")),
        (["/old/cg.out"], ["/new/cg.out"], ("old/cg.out", "new/cg.out")),
        (["/a/1/x/cg.out"], ["/a/2/x/cg.out"], ("1/x/cg.out", "2/x/cg.out")),
        (["cg.out"], ["run/cg.out"], ("cg.out", "run/cg.out")),
        (["/a/cg.out"], ["/a/cg.out"], ("cg.out", "cg.out")),
        (["/a/o.1", "/a/o.2", "/a/o.3"], ["/a/n"], ("o.1 +2", "n")),
        (["/a/\x1b[31m"], ["/a/n"], (r"\x1b[31m", "n")),
    ],
)
def test_files_are_named_with_as_many_folders_as_tell_them_apart(
    base: list[str], new: list[str], names: tuple[str, str]
) -> None:
    """The name of a file is short where that is enough; further files are counted."""
    assert distinct_names(list(map(Path, base)), list(map(Path, new))) == names


def names_in(session: Session) -> tuple[SideName, SideName]:
    """The names of the sides that a session compares."""
    loaded, compared = session.loaded, session.comparison
    assert loaded is not None
    assert compared is not None
    return side_names(loaded, compared)


def test_details_are_all_files_and_the_command(
    session: Session, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """The tip of a name says which file it is, and what was run."""
    base, new = draw("cmd: ./prog 1\nmain 1", "old"), draw("main 2", "new")
    open_profile(new)
    session.comparing.compare_with(ProfileFiles((base,)))
    qtbot.waitUntil(lambda: session.comparison is not None)

    assert names_in(session) == (
        SideName("old", (str(base), "Command: ./prog 1")),
        SideName("new", (str(new),)),
    )


def test_a_file_is_compared_with_what_it_was(
    session: Session, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """Of one file read twice, the older one is called so, also after the sides are swapped."""
    path = draw("main 1")
    os.utime(path, (1, 1))
    open_profile(path)
    assert session.loaded is not None
    before = session.loaded.read
    draw("main 2")
    open_profile(path)
    session.comparing.compare_with(before)
    qtbot.waitUntil(lambda: session.comparison is not None)
    names = [name.short for name in names_in(session)]
    with qtbot.waitSignal(session.ended):
        session.comparing.swap()

    assert names == ["callgrind.out.1 before", "callgrind.out.1"]
    assert [name.short for name in names_in(session)] == names[::-1]


def test_parts_are_named_as_in_the_list_of_parts(
    session: Session, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """One part has its name, several have their number; the details name each."""
    open_profile(THREADS)
    session.comparing.use_parts_as_base([PartId(0)])
    qtbot.waitUntil(lambda: session.comparison is not None)

    labels = [f"PID 22265, part 1, thread {thread}" for thread in (1, 2, 3)]
    assert names_in(session) == (
        SideName(labels[0], (labels[0],)),
        SideName("2 parts", (labels[1], labels[2])),
    )
