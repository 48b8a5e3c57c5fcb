"""Runs stored as Parquet files: what they hold, and that histories read them like profiles."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.cli.main import main
from qcachegrind_py.formats import history_files
from qcachegrind_py.formats.history_files import read_history
from qcachegrind_py.profile.errors import InvalidProfile, UnreadableFile
from tests.profile_text import EXAMPLE, profile_text

RECURSIVE = """
    creator: callgrind-3.19.0
    cmd: ./prog 'a b'
    events: Ir Dr
    main@a.c@prog 10,1 -> f 1x90,9
    f@b.c@prog 20,2 -> g 2x70,7
    g@b.c@prog 30,3 -> f 1x40,4
    idle@c.c@libc.so 5,0
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a profile of a recursive program of August 2026."""
    Path(tmp_path, "old.out").write_text(profile_text(RECURSIVE), encoding="utf-8")
    os.utime(tmp_path / "old.out", (1_786_000_000, 1_786_000_000))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def store(profile: object, out: str, *options: str) -> None:
    pytest.importorskip("duckdb")
    assert main(["convert", str(profile), "-o", out, *options]) == 0


def rows_of(file: str) -> list[tuple[object, ...]]:
    import duckdb

    with duckdb.connect() as connection:
        rows: list[tuple[object, ...]] = connection.execute(
            "SELECT * EXCLUDE (date), date::VARCHAR FROM read_parquet(?)", [file]
        ).fetchall()
        return rows


def test_a_row_for_each_event_and_function() -> None:
    """Costs are those of the report, in all measured events; the run is named after its file."""
    store("old.out", "r.1.parquet")
    of_run = ("r.1", "./prog 'a b'", "callgrind-3.19.0")
    date = "2026-08-06 07:06:40"
    assert rows_of("r.1.parquet") == [
        (*of_run, "Ir", 65, "main", "a.c", "prog", 0, 10, 100, date),
        (*of_run, "Ir", 65, "f", "b.c", "prog", 2, 20, 20, date),
        (*of_run, "Ir", 65, "g", "b.c", "prog", 2, 30, 30, date),
        (*of_run, "Ir", 65, "idle", "c.c", "libc.so", 0, 5, 5, date),
        (*of_run, "Dr", 6, "main", "a.c", "prog", 0, 1, 10, date),
        (*of_run, "Dr", 6, "f", "b.c", "prog", 2, 2, 2, date),
        (*of_run, "Dr", 6, "g", "b.c", "prog", 2, 3, 3, date),
        (*of_run, "Dr", 6, "idle", "c.c", "libc.so", 0, 0, 0, date),
    ]


def test_a_choice_of_functions_and_events() -> None:
    """Filters and events hold as in other formats, and sums of events may be stored."""
    store("old.out", "few.parquet", "--filter", "file:b.c", "--events", "Ir,Both=Ir + Dr")
    assert [(row[3], row[5], row[9]) for row in rows_of("few.parquet")] == [
        ("Ir", "f", 20),
        ("Ir", "g", 30),
        ("Both", "f", 22),
        ("Both", "g", 33),
    ]


def test_what_is_not_stored(capfd: pytest.CaptureFixture[str]) -> None:
    """Ratios are no sums, and an empty choice is none."""
    assert main(["convert", "old.out", "-o", "x.parquet", "--events", "R=Ir/Dr"]) == 2
    assert "R is a ratio" in capfd.readouterr().err
    assert main(["convert", "old.out", "-o", "x.parquet", "--filter", "name:nobody"]) == 2
    assert "no function matches" in capfd.readouterr().err
    assert not Path("x.parquet").exists()


def test_a_history_of_a_stored_run_is_that_of_its_profile() -> None:
    """All sums of functions, called counts and totals are the same, in measured events."""
    store(EXAMPLE, "stored.parquet")
    stored, profile = (read_history([file]) for file in ("stored.parquet", EXAMPLE))
    assert stored.functions == profile.functions
    assert stored.event_types == profile.event_types
    for name in ("self_values", "inclusive_values", "called", "present", "members"):
        assert np.array_equal(getattr(stored, name), getattr(profile, name)), name
    for event in profile.events:
        assert stored.totals(event).tolist() == profile.totals(event).tolist()


def test_clones_are_one_row_also_where_they_are_stored() -> None:
    """Functions that form a family are followed together, as in profiles."""
    for name, clones in (("a", ("f.part.0", "f.part.1")), ("b", ("f.part.1",))):
        text = "\n".join(f"{clone}@a.c@prog 10" for clone in clones)
        Path(f"{name}.out").write_text(profile_text(text), encoding="utf-8")
        store(f"{name}.out", f"{name}.parquet")
    stored, profiles = (read_history([f"a{end}", f"b{end}"]) for end in (".parquet", ".out"))
    assert stored.functions == profiles.functions
    assert stored.self_values.tolist() == profiles.self_values.tolist() == [[[20, 10]]]
    assert stored.inclusive_values.tolist() == [[[20, 10]]]


def test_names_of_any_kind() -> None:
    """Quotes, signs of SQL, patterns and bytes that are no text do no harm in names and paths."""
    names = ("';DROP", 'operator""_s', "α<β>", "\udce9", "%_*?")
    text = profile_text("\n".join(f"{name}@{name}.c@prog 1" for name in names))
    Path("odd.out").write_bytes(text.encode("utf-8", "surrogateescape"))
    out = "it's [1]? *.parquet" if sys.platform != "win32" else "it's [1].parquet"
    store("odd.out", out)
    shown = ["\\xe9" if name == "\udce9" else name for name in names]
    assert [row[5] for row in rows_of(out.replace("[", "[[]").replace("?", "[?]"))] == shown
    assert [name for name, _, _ in read_history([out]).functions] == shown


def test_a_folder_stands_for_its_runs(capfd: pytest.CaptureFixture[str]) -> None:
    """The earliest comes first, whatever the names and whenever a run was stored."""
    Path("profiles").mkdir()
    for number, name in enumerate(("c", "a", "b")):
        path = Path("profiles", f"{name}.out")
        path.write_text(profile_text(f"main@a.c@prog {number}"), encoding="utf-8")
        os.utime(path, (1_786_000_000 + number, 1_786_000_000 + number))
    Path("store").mkdir()
    for name in "abc":
        store(f"profiles/{name}.out", f"store/{name}.parquet")
    capfd.readouterr()
    for place in ("profiles", "store"):
        assert main(["history", place, "--format", "csv"]) == 0
        title, row = capfd.readouterr().out.splitlines()
        assert title.split(",")[-3:] == ["c", "a", "b"]
        assert row
    assert main(["history", "store", "old.out"]) == 0


def test_a_folder_without_profiles(capfd: pytest.CaptureFixture[str]) -> None:
    """It is named, as by other tasks."""
    Path("empty").mkdir()
    assert main(["history", "empty"]) == 1
    assert "There is no profile in it." in capfd.readouterr().err


def test_files_that_are_no_stored_run() -> None:
    """A cut file and another table say so, and what DuckDB says of it."""
    store("old.out", "whole.parquet")
    Path("cut.parquet").write_bytes(Path("whole.parquet").read_bytes()[:500])
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("COPY (SELECT 1 AS x) TO 'other.parquet'").fetchall()
    for name in ("cut.parquet", "other.parquet"):
        with pytest.raises(InvalidProfile, match=f"^{name} is no stored run: .*[^.]\\.$"):
            read_history([name])


def test_without_duckdb(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """It is named with the line that installs it, and nothing is written."""
    monkeypatch.setitem(sys.modules, "duckdb", None)
    Path("some.parquet").write_bytes(b"PAR1")
    assert main(["convert", "old.out", "-o", "new.parquet"]) == 1
    remedy = "DuckDB is not installed, which {} Parquet files. Install it: pip install duckdb\n"
    said = capfd.readouterr().err
    assert said == f"new.parquet cannot be written: {remedy.format('writes')}"
    assert not Path("new.parquet").exists()
    with pytest.raises(UnreadableFile, match=r"pip install duckdb"):
        history_files.read_history(["some.parquet"])


def test_the_size_of_a_stored_run() -> None:
    """A run takes little: the example of 205 kB has 13 events for 430 functions."""
    store(EXAMPLE, "example.parquet")
    assert Path("example.parquet").stat().st_size < 30_000
