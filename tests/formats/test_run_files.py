"""The files of a folder that are of one run: those that a name opens, and all from any of them."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.formats.run_files import RunIdentity, opened_files, run_files, run_identity
from tests.profile_rows import DATA
from tests.reports import Reports

RUN = "creator: callgrind-3.22.0\npid: 77\ncmd: ./a b\n"
BODY = "events: Ir\nfn=f\n1 1\n"


def parts_of(folder: Path, name: str, *others: str) -> list[str]:
    for other in (name, *others):
        (folder / other).write_text(RUN + BODY)
    return names_of(folder / name)


def names_of(path: Path) -> list[str]:
    return [part.name for part in opened_files(path)]


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
    paths = opened_files(folder / "callgrind.out.22265")
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
    assert opened_files(path) == (path,)


def test_the_folder_itself_has_no_siblings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`.` has an empty name, with which the name of every file begins."""
    (tmp_path / ".1").write_text(RUN + BODY)
    monkeypatch.chdir(tmp_path)
    assert opened_files(Path()) == (Path(),)


def test_blanks_within_and_around_a_command(tmp_path: Path) -> None:
    """Blanks around a value are not part of it, those within it are."""
    (tmp_path / "cg").write_bytes(b"creator:\tcg \r\ncmd:  a   b \t\r\npid: 7 \r\n")
    assert run_identity(tmp_path / "cg") == RunIdentity(b"cg", b"a   b", b"7")


# -------------------------------------------------------------------- from any member


def part_text(number: int, thread: int, run: str = RUN) -> str:
    return f"{run}part: {number}\nthread: {thread}\n{BODY}"


def write_parts(folder: Path, parts: dict[str, tuple[int, int]], run: str = RUN) -> None:
    for name, (number, thread) in parts.items():
        (folder / name).write_text(part_text(number, thread, run))


def archive_of(path: Path, texts: dict[str, str]) -> Path:
    """Write files into an archive, in this order, and return it."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in texts.items():
                archive.writestr(name, text)
        return path
    with tarfile.open(path, "w:gz") as packed:
        for name, text in texts.items():
            header = tarfile.TarInfo(name)
            header.size = len(text)
            packed.addfile(header, io.BytesIO(text.encode()))
    return path


def run_of(path: Path) -> list[str]:
    return [found.name for found in run_files([path])]


THREADS = {f"callgrind.out.77{end}-0{thread}": (2 - bool(end), thread)
           for end in (".1", "") for thread in (1, 2)}  # fmt: skip
GUNGRAUN = {f"callgrind.f.two.77.t{thread}.p{number}.out": (number, thread)
            for thread in (1, 2) for number in (1, 2)}  # fmt: skip
DUMPS = {"cg.1": (1, 0), "cg.2": (2, 0), "cg": (3, 0)}
RENAMED = {"main thread": (1, 1), "worker.out": (1, 2), "x.9": (1, 3)}


@pytest.mark.parametrize("parts", [THREADS, GUNGRAUN, DUMPS, RENAMED])
def test_a_run_is_found_from_any_of_its_files(
    parts: dict[str, tuple[int, int]], tmp_path: Path
) -> None:
    """By the names of Callgrind and of gungraun, and by what the files state."""
    write_parts(tmp_path, parts)
    write_parts(tmp_path, {f"{name}.old": part for name, part in parts.items()})
    write_parts(tmp_path, {f"{name}.base@1": part for name, part in parts.items()})
    write_parts(tmp_path, {"callgrind.out.78-01": (1, 9)}, RUN.replace("77", "78"))
    for name in parts:
        for kept in ("", ".old", ".base@1"):
            assert set(run_of(tmp_path / (name + kept))) == {other + kept for other in parts}


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_a_run_is_found_in_an_archive(kind: str, tmp_path: Path) -> None:
    """Its files are those in the same folder of the archive; nothing beside the archive is."""
    texts = {f"r/callgrind.out.77-0{n}": part_text(1, n) for n in (3, 1, 2)}
    others = {
        "r/copy": part_text(1, 2),
        "r/callgrind.out.78": part_text(1, 4, RUN.replace("77", "78")),
        "r/callgrind.out.77-05.old": part_text(1, 5),
        "callgrind.out.77-06": part_text(1, 6),
        "r/README": "text",
    }
    archive = archive_of(tmp_path / f"runs.{kind}", {**texts, **others})
    (tmp_path / "callgrind.out.77-07").write_text(part_text(1, 7))
    wanted = tuple(Path(f"{archive}!{name}") for name in sorted(texts))

    assert [run_files([path]) for path in wanted] == [wanted] * 3
    assert run_files([f"{archive}!r/README"]) == (Path(f"{archive}!r/README"),)
    assert run_files(wanted[:2]) == wanted


def test_few_files_of_an_archive_are_looked_into(tmp_path: Path) -> None:
    """Those behind the first 200 others are not found; any of them ends the search if cancelled."""
    texts = {f"{n}": part_text(1, n) for n in range(1, 221)}
    archive = archive_of(tmp_path / "runs.zip", texts)

    assert len(run_files([f"{archive}!1"])) == 201
    with pytest.raises(q.Cancelled):
        run_files([f"{archive}!1"], Reports(stop_at=1))


def test_the_order_of_a_run(tmp_path: Path) -> None:
    """Files are in the order of the numbers in their names."""
    names = [f"callgrind.f.77.t1.p{number}.out" for number in (1, 2, 10)]
    write_parts(tmp_path, {name: (number, 1) for number, name in enumerate(names)})
    assert run_of(tmp_path / names[1]) == names


def test_empty_and_irregular_files_are_of_no_run(tmp_path: Path) -> None:
    """The empty file that Callgrind leaves opens nothing, and a pipe would never answer."""
    write_parts(tmp_path, {"cg-01": (1, 1), "cg-02": (1, 2)})
    (tmp_path / "cg").write_text("")
    (tmp_path / "cg-03").mkdir()
    os.mkfifo(tmp_path / "cg-04")
    assert run_of(tmp_path / "cg-02") == ["cg-01", "cg-02"]
    assert run_of(tmp_path / "cg") == ["cg-01", "cg-02"]


def test_a_file_of_a_known_part_is_a_copy(tmp_path: Path) -> None:
    """Costs would count twice: of a packed copy, of a link, and of a profile saved with all."""
    write_parts(tmp_path, {"cg-01": (1, 1), "cg-02": (1, 2), "cg-01.bak": (1, 1)})
    (tmp_path / "cg-02.gz").write_bytes(gzip.compress(part_text(1, 2).encode()))
    (tmp_path / "latest").symlink_to("cg-02")
    saved = part_text(1, 1) + part_text(1, 2)
    (tmp_path / "saved").write_text(saved)
    assert run_of(tmp_path / "cg-01") == ["cg-01", "cg-02"]
    assert run_of(tmp_path / "saved") == ["saved"]


def test_a_part_beyond_a_saved_profile(tmp_path: Path) -> None:
    """A saved profile of several parts lacks the one that is in none of its headers."""
    long = "x" * 3_000_000
    saved = part_text(1, 1) + f"# {long}\n" + part_text(1, 2)
    (tmp_path / "saved").write_text(saved)
    write_parts(tmp_path, {"cg-02": (1, 2), "cg-03": (1, 3)})
    assert run_of(tmp_path / "saved") == ["saved", "cg-03"]


def test_without_a_part_only_the_name_tells(tmp_path: Path) -> None:
    """A file that states no part may be a copy of any, unless its name is that of a part."""
    for name in ("cg", "cg.1", "copy"):
        (tmp_path / name).write_text(RUN + BODY)
    assert run_of(tmp_path / "cg.1") == ["cg", "cg.1"]


def test_a_run_of_files_that_state_none(tmp_path: Path) -> None:
    """The process in the name of the first file decides, as when that is opened."""
    for name in ("callgrind.out.77", "callgrind.out.77.1", "callgrind.out.78", "cg", "cg.1"):
        (tmp_path / name).write_text(BODY)
    assert run_of(tmp_path / "callgrind.out.77.1") == ["callgrind.out.77", "callgrind.out.77.1"]
    assert run_of(tmp_path / "cg.1") == ["cg.1"]


def test_other_files_looked_into_are_limited(tmp_path: Path) -> None:
    """Of files whose names say nothing, 200 are looked into, of the most alike names first."""
    write_parts(tmp_path, {"b": (1, 1), "bb": (1, 2), "z": (1, 3)})
    for number in range(300):
        (tmp_path / f"d{number}").write_text("")
    assert run_of(tmp_path / "b") == ["b", "bb"]


def test_the_head_of_a_packed_file(tmp_path: Path) -> None:
    """Packed files are of a run like others."""
    write_parts(tmp_path, {"cg-01": (1, 1)})
    (tmp_path / "second.xz").write_bytes(lzma.compress(part_text(1, 2).encode()))
    assert run_of(tmp_path / "cg-01") == ["second.xz", "cg-01"]


def test_the_search_can_be_cancelled(tmp_path: Path) -> None:
    """A folder on a slow disk takes long."""
    write_parts(tmp_path, {"cg-01": (1, 1), "cg-02": (1, 2)})
    with pytest.raises(q.Cancelled):
        run_files([tmp_path / "cg-01"], Reports(stop_at=1))


def test_runs_of_several_files(tmp_path: Path) -> None:
    """Each run is named once, whichever of its files are given."""
    write_parts(tmp_path, {"cg-01": (1, 1), "cg-02": (1, 2)})
    write_parts(tmp_path, {"x-01": (1, 1), "x-02": (1, 2)}, RUN.replace("77", "78"))
    given = [tmp_path / name for name in ("x-02", "cg-02", "x-01")]
    found = ["x-01", "x-02", "cg-01", "cg-02"]
    assert [path.name for path in run_files(given)] == found
