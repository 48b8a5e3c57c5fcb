"""The files of a folder that are the parts of one run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.formats.run_identity import RunIdentity, run_identity
from qcachegrind_py.formats.sibling_parts import sibling_parts
from tests.profile_rows import DATA

RUN = "creator: callgrind-3.22.0\npid: 77\ncmd: ./a b\n"
BODY = "events: Ir\nfn=f\n1 1\n"


def parts_of(folder: Path, name: str, *others: str) -> list[str]:
    for other in (name, *others):
        (folder / other).write_text(RUN + BODY)
    return names_of(folder / name)


def names_of(path: Path) -> list[str]:
    return [part.name for part in sibling_parts(path)]


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


@pytest.mark.parametrize("name", ["cg.x", "foo.out", "callgrind.out.control", "profile"])
def test_parts_under_any_name(name: str, tmp_path: Path) -> None:
    """`--callgrind-out-file` may name the run as it likes; its parts have the usual endings."""
    others = [f"{name}.1", f"{name}.2-01", f"{name}-02"]
    assert set(parts_of(tmp_path, name, *others, f"{name}x", f"{name}.old")) == {name, *others}


@pytest.mark.parametrize(
    "other_run",
    [
        RUN.replace("77", "78"),
        RUN.replace("a b", "a c"),
        RUN.replace("callgrind-3.22.0", "xdebug 3"),
        RUN.replace("pid: 77\n", ""),
        "no profile\n",
        "",
    ],
)
def test_files_that_state_another_run(other_run: str, tmp_path: Path) -> None:
    """A name proves nothing: creator, command and process have to be the same."""
    (tmp_path / "cg").write_text(RUN + BODY)
    (tmp_path / "cg.1").write_text(other_run + BODY if other_run else "")
    (tmp_path / "cg.2").write_text(RUN + BODY)
    assert names_of(tmp_path / "cg") == ["cg", "cg.2"]


def test_a_file_that_states_no_run_is_alone(tmp_path: Path) -> None:
    """Without a process, nothing proves that files belong together."""
    for name in ("cg", "cg.1"):
        (tmp_path / name).write_text(BODY)
    assert names_of(tmp_path / "cg") == ["cg"]


def test_threads_beside_an_empty_file_are_those_of_the_latest_run(tmp_path: Path) -> None:
    """An earlier run with more threads leaves files that are not those of the latest."""
    (tmp_path / "cg").write_text("")
    for name, run, modified in (("cg-01", 78, 200), ("cg-02", 78, 200), ("cg-03", 77, 100)):
        (tmp_path / name).write_text(RUN.replace("77", str(run)) + BODY)
        os.utime(tmp_path / name, (modified, modified))
    assert names_of(tmp_path / "cg") == ["cg-01", "cg-02"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in the file system")
def test_only_regular_files_are_looked_into(tmp_path: Path) -> None:
    """A pipe would never answer, and a folder has no run."""
    os.mkfifo(tmp_path / "cg.1")
    (tmp_path / "cg.2").mkdir()
    assert parts_of(tmp_path, "cg", "cg.3") == ["cg", "cg.3"]


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


def test_the_folder_itself_has_no_siblings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`.` has an empty name, with which the name of every file begins."""
    (tmp_path / ".1").write_text(RUN + BODY)
    monkeypatch.chdir(tmp_path)
    assert sibling_parts(Path()) == (Path(),)


def test_blanks_within_and_around_a_command(tmp_path: Path) -> None:
    """Blanks around a value are not part of it, those within it are."""
    (tmp_path / "cg").write_bytes(b"creator:\tcg \r\ncmd:  a   b \t\r\npid: 7 \r\n")
    assert run_identity(tmp_path / "cg") == RunIdentity(b"cg", b"a   b", b"7")
