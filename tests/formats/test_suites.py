"""The benchmarks of a folder: their names, the files of each, and the pairs of two folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from qcachegrind_py.formats import suites
from qcachegrind_py.formats.suites import find_suite, pair_suites, predecessors
from qcachegrind_py.profile.errors import UnreadableFile
from qcachegrind_py.profile.progress import NoProgress

GUNGRAUN = "pkg/bench/group"


def write(path: Path, process: int = 7, command: str = "./bench", part: str = "1-1") -> None:
    """Write a profile with a part of a run, as `part-thread`; without a process, it states none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    number, _, thread = part.partition("-")
    lines = [
        *(["creator: callgrind-3.22.0", f"pid: {process}", f"cmd: {command}"] if process else []),
        f"part: {number}",
        f"thread: {thread}",
        "",
        "events: Ir",
        "fn=main",
        "1 5",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")


def named(folder: Path, earlier: str = "") -> dict[str, list[str]]:
    """The files of each benchmark, below the folder."""
    found = find_suite(NoProgress(), folder, earlier)
    return {
        each.name: [path.relative_to(folder).as_posix() for path in each.files]
        for each in found.benchmarks
    }


# ------------------------------------------------------------ names of gungraun


@pytest.mark.parametrize("home", ["", "x86_64-unknown-linux-gnu/"])
def test_gungraun_names_benchmarks_by_their_folders(tmp_path: Path, home: str) -> None:
    """The same names with and without the folder of a target, so that both can be compared."""
    for name in ("sort.small", "sort.large", "hash"):
        write(tmp_path / home / GUNGRAUN / name / f"callgrind.{name}.out")
        (tmp_path / home / GUNGRAUN / name / f"callgrind.{name}.log").write_text("==7== Callgrind")
    assert list(named(tmp_path)) == [
        f"{GUNGRAUN}/hash",
        f"{GUNGRAUN}/sort.large",
        f"{GUNGRAUN}/sort.small",
    ]


def test_two_targets_are_told_apart(tmp_path: Path) -> None:
    for home in ("a", "b"):
        write(tmp_path / home / GUNGRAUN / "hash/callgrind.hash.out")
    assert list(named(tmp_path)) == [f"a/{GUNGRAUN}/hash", f"b/{GUNGRAUN}/hash"]


def test_what_is_kept_of_earlier_runs_is_a_suite_of_its_own(tmp_path: Path) -> None:
    """`.old` and `.base@NAME` are no benchmarks beside the one whose earlier run they are."""
    folder = tmp_path / GUNGRAUN / "hash"
    for end in ("", ".old", ".base@main"):
        write(folder / f"callgrind.hash.out{end}")
    write(tmp_path / GUNGRAUN / "fresh/callgrind.fresh.out")
    now = find_suite(NoProgress(), tmp_path)
    before = predecessors(NoProgress(), tmp_path)
    kept = predecessors(NoProgress(), tmp_path, "main")
    pairs = [
        (each.name, each.base and each.base.files[0].name, each.new and each.new.files[0].name)
        for base in (before, kept)
        for each in pair_suites(base, now)
    ]
    fresh = f"{GUNGRAUN}/fresh", None, "callgrind.fresh.out"
    assert pairs == [
        fresh,
        (f"{GUNGRAUN}/hash", "callgrind.hash.out.old", "callgrind.hash.out"),
        fresh,
        (f"{GUNGRAUN}/hash", "callgrind.hash.out.base@main", "callgrind.hash.out"),
    ]
    assert [each.title for each in (now, before, kept)] == [
        f"{tmp_path}",
        f"{tmp_path} (.old)",
        f"{tmp_path} (.base@main)",
    ]


def test_threads_and_parts_are_one_benchmark(tmp_path: Path) -> None:
    folder = tmp_path / GUNGRAUN / "spawn"
    for thread in (10, 2):
        write(folder / f"callgrind.spawn.77.t{thread}.p1.out", 77, part=f"1-{thread}")
    write(tmp_path / "own/callgrind.out.88-01", 88, part="1-1")
    write(tmp_path / "own/callgrind.out.88-02", 88, part="1-2")
    assert named(tmp_path) == {
        "own": ["own/callgrind.out.88-01", "own/callgrind.out.88-02"],
        f"{GUNGRAUN}/spawn": [
            f"{GUNGRAUN}/spawn/callgrind.spawn.77.t2.p1.out",
            f"{GUNGRAUN}/spawn/callgrind.spawn.77.t10.p1.out",
        ],
    }


# ------------------------------------------------------------ other folders


@pytest.mark.parametrize(
    ("files", "names"),
    [
        # processes, dates, tools and packing are not counted
        ({"a/callgrind.out.101": 101, "b/callgrind.out.102": 102}, ["a", "b"]),
        ({"sort.101.out": 101, "hash.102.out.gz": 102}, ["hash", "sort"]),
        ({"sort-20260101-120000.out": 7, "hash-2026-01-02.out": 7}, ["hash", "sort"]),
        ({"callgrind.out.sort.7": 7, "x/cachegrind.out.55": 0}, ["sort", "x"]),
        # but where names need them
        ({"sort-100.out": 7, "sort-1000.out": 7}, ["sort-100", "sort-1000"]),
        ({"sort.100.out": 100, "sort.101.out": 101}, ["sort ./bench 100", "sort ./bench 101"]),
        ({"callgrind.out.8": 8, "callgrind.out.9": 9}, ["bench 8", "bench 9"]),
        ({"deep/er/callgrind.out.8": 8}, ["deep/er"]),
    ],
)
def test_names_are_paths_without_what_changes_from_run_to_run(
    tmp_path: Path, files: dict[str, int], names: list[str]
) -> None:
    for file, process in files.items():
        write(tmp_path / file, process, f"/build/x/bench {process}")
    assert list(named(tmp_path)) == [name.replace("./bench", "bench") for name in names]


def test_runs_that_nothing_else_tells_apart_have_their_paths(tmp_path: Path) -> None:
    for process in (8, 9):
        write(tmp_path / f"callgrind.out.{process}", process)
    assert list(named(tmp_path)) == ["callgrind.out.8", "callgrind.out.9"]


def test_equal_processes_with_equal_parts_are_two_benchmarks(tmp_path: Path) -> None:
    """Processes in containers often have the number 1."""
    for name in ("hash", "sort"):
        write(tmp_path / f"{name}.out", 1)
    assert list(named(tmp_path)) == ["hash", "sort"]


# ------------------------------------------------------------ what may be in a folder


def test_other_files_and_links_out_of_the_folder_are_left_out(tmp_path: Path) -> None:
    suite, outside = tmp_path / "suite", tmp_path / "outside"
    write(outside / "secret.out")
    write(suite / "hash.out")
    (suite / "same.out").symlink_to("hash.out")
    (suite / "leak.out").symlink_to(outside / "secret.out")
    (suite / "folder").symlink_to(outside)
    (suite / "broken.out").symlink_to("nowhere")
    (suite / "notes.txt").write_text("no profile")
    (suite / "empty.out").touch()
    found = find_suite(NoProgress(), suite)
    assert [each.name for each in found.benchmarks] == ["hash", "same"]
    assert found.notes == (f"{suite}: 1 link out of the folder was not followed.",)


def test_names_are_any_text(tmp_path: Path) -> None:
    for name in ("a\nb.out", "<b>.out", "$(touch x).out"):
        write(tmp_path / name)
    assert list(named(tmp_path)) == ["$(touch x)", "<b>", "a\nb"]


def test_only_so_many_files_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suites, "MOST_FILES", 3)
    for number in range(5):
        write(tmp_path / f"bench{number}x.out")
    found = find_suite(NoProgress(), tmp_path)
    assert len(found.benchmarks) == 3
    assert found.notes == (f"{tmp_path}: only the first 3 files were looked at.",)


def test_a_folder_that_is_not_there_is_no_suite(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile):
        find_suite(NoProgress(), tmp_path / "nowhere")


def test_pairs_have_the_benchmarks_of_both_sides(tmp_path: Path) -> None:
    for name in ("a/gone.out", "a/both.1.out", "b/both.2.out", "b/added.out"):
        write(tmp_path / name, int(name[7]) if name[7].isdigit() else 7)
    pairs = pair_suites(*(find_suite(NoProgress(), tmp_path / each) for each in "ab"))
    assert [(each.name, bool(each.base), bool(each.new)) for each in pairs] == [
        ("added", False, True),
        ("both", True, True),
        ("gone", True, False),
    ]
