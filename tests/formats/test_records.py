"""Records found again: the lines of a file that rows were read from."""

from __future__ import annotations

import cProfile
import gzip
import lzma
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.formats.records import Record, find_records
from qcachegrind_py.profile.errors import RecordsNotFound
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress
from tests.profile_rows import DATA, text_bytes

DRAWING = """
    # callgrind format
    events: Ir Dr
    fn=main
    1 10 1

    # a comment
    +1 0x14
    cfn=f
    calls=3 1
    # another
    4 60 6
    jump=2 5
    4
    fn=f
    9 5 x
    totals: 95 7
    """
EVERYTHING = np.arange(1_000_000)
REAL = sorted(
    path
    for path in DATA.rglob("*callgrind.out*")
    if path.is_file() and path.stat().st_size and ".tsv" not in path.name
)


def records(profile: Profile) -> tuple[list[Record], list[Record]]:
    """The records of all rows."""
    costs, calls = EVERYTHING[: len(profile.costs)], EVERYTHING[: len(profile.calls)]
    return find_records(profile, costs, calls, NoProgress())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(text_bytes(DRAWING))
    return path


def test_each_row_has_its_line(path: Path) -> None:
    """Comments, empty lines, jumps and odd lines are no rows; a call has two lines."""
    name = str(path)
    assert records(q.load(path)) == (
        [Record(name, 4, "1 10 1"), Record(name, 7, "+1 0x14"), Record(name, 15, "9 5 x")],
        [Record(name, 11, "4 60 6", "calls=3 1")],
    )


@pytest.mark.parametrize("block", [1, 30, 1 << 20])
def test_blocks_do_not_matter(path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    """However the file is cut into blocks, the lines are the same."""
    expected = records(q.load(path))
    monkeypatch.setattr("qcachegrind_py.formats.records.BLOCK", block)
    path.touch()  # or the blocks of before are known
    assert records(q.load(path)) == expected


class Fractions(NoProgress):
    """Remembers the progress that is reported."""

    def __init__(self) -> None:
        self.fractions: list[float] = []

    def check(self, fraction: float, _text: str = "") -> None:
        self.fractions.append(fraction)


def test_progress_is_the_share_of_bytes_in_both_readings(tmp_path: Path) -> None:
    """From 0 to 1/2 and on to 1, also in a file that states its sum; it never goes back."""
    path, lines = tmp_path / "callgrind.out.1", 600_000
    path.write_text(f"events: Ir\nsummary: {lines}\nfn=main\n" + "1 1\n" * lines)
    progress = Fractions()
    find_records(q.load(path), np.array([lines - 1]), EVERYTHING[:0], progress)
    first = [fraction for fraction in progress.fractions if fraction < 0.5]
    second = progress.fractions[len(first) :]
    assert progress.fractions == sorted(progress.fractions)
    assert len(first) > 3
    assert (max(first) > 0.3, max(second) > 0.8) == (True, True)


def test_a_file_that_is_written_again_is_read_anew(path: Path) -> None:
    """What is known of the blocks of a file holds as long as the file is the same."""
    costs, calls = EVERYTHING[2:3], EVERYTHING[:0]
    before = find_records(q.load(path), costs, calls, NoProgress())
    path.write_bytes(path.read_bytes().replace(b"# a comment", b"7 7 7\n" * 200))
    after = find_records(q.load(path), costs, calls, NoProgress())
    assert before == ([Record(str(path), 15, "9 5 x")], [])
    assert after == ([Record(str(path), 7, "7 7 7")], [])


def test_some_rows_of_compressed_files(path: Path) -> None:
    """Several files follow one another, packed or not."""
    packed = path.with_name("callgrind.out.2.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    profile = q.load(path, packed)
    costs, calls = find_records(profile, np.array([1, 4]), np.array([1]), NoProgress())
    assert costs == [Record(str(path), 7, "+1 0x14"), Record(str(packed), 7, "+1 0x14")]
    assert calls == [Record(str(packed), 11, "4 60 6", "calls=3 1")]


CHANGES = {
    "cut": lambda path: os.truncate(path, path.stat().st_size - 8),
    "appended": lambda path: path.write_bytes(path.read_bytes() + b"1 1\n"),
    "rewritten": lambda path: path.write_bytes(path.read_bytes().replace(b" 10 ", b" 70 ")),
    "replaced": lambda path: shutil.copy2(path, path.with_name("new")) and _replace(path),
}


def _replace(path: Path) -> None:
    """Put a file of the same size and time in its place."""
    path.with_name("new").replace(path)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_file_that_has_changed_is_noticed(path: Path, change: Callable[[Path], object]) -> None:
    """No row gets the text of another file, even if it has as many lines."""
    profile = q.load(path)
    change(path)
    with pytest.raises(RecordsNotFound) as caught:
        records(profile)
    assert str(caught.value) == (
        f"{path} has changed since it was read, so its lines cannot be shown. Read it again."
    )


def test_a_file_that_was_removed_is_not_to_be_read_again(path: Path) -> None:
    """Reading it again would fail."""
    profile = q.load(path)
    path.unlink()
    with pytest.raises(RecordsNotFound) as caught:
        records(profile)
    assert str(caught.value) == f"{path} was removed, so its lines cannot be shown."


class ChangeAt(NoProgress):
    """Writes other costs into the same file once the progress is this far."""

    def __init__(self, path: Path, fraction: float) -> None:
        self.path, self.fraction = path, fraction

    def check(self, fraction: float, _text: str = "") -> None:
        if fraction >= self.fraction:
            self.fraction = 2.0  # once
            with self.path.open("r+b") as file:
                file.seek(-40, os.SEEK_END)
                file.write(b"1 9\n" * 10)


@pytest.mark.parametrize("fraction", [0, 0.3, 0.5, 0.7, 0.95])
def test_a_file_that_changes_while_it_is_read_again_yields_no_rows(
    tmp_path: Path, fraction: float
) -> None:
    """The file is compared once more when all rows are found, and so are the blocks of it."""
    path, lines = tmp_path / "callgrind.out.1", 600_000
    path.write_text("events: Ir\nfn=main\n" + "1 1\n" * lines)
    profile = q.load(path)
    with pytest.raises(RecordsNotFound, match="has changed since it was read"):
        find_records(profile, np.array([0, lines - 1]), EVERYTHING[:0], ChangeAt(path, fraction))


def test_profiles_of_python_have_no_lines(tmp_path: Path) -> None:
    """They are no text."""
    path = tmp_path / "program.prof"
    profiler = cProfile.Profile()
    profiler.runcall(len, "")
    profiler.dump_stats(path)
    with pytest.raises(RecordsNotFound, match="is a Python profile"):
        find_records(q.load(path), np.array([0]), EVERYTHING[:0], NoProgress())


def _lines(path: Path) -> list[str]:
    """The lines of a file, unpacked, with an empty one in front, so that they count from 1."""
    data = path.read_bytes()
    unpack = {b"\xfd7": lzma.decompress, b"\x1f\x8b": gzip.decompress}.get(data[:2], bytes)
    return ["", *unpack(data).decode("utf-8", "surrogateescape").split("\n")]


def _numbers(text: str) -> list[int]:
    """The numbers of a line of costs behind its positions, which an odd word ends."""
    return [int(word, 0) for word in text.split() if word.lstrip("-").isalnum()]


@pytest.mark.parametrize("path", REAL, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_numbers_of_a_real_file_stand_in_its_lines(path: Path) -> None:
    """The text is that of the file, and its last numbers are the costs of the row."""
    profile, chance = q.load(path), random.Random(3)
    rows = {
        table: np.array(sorted(chance.sample(range(len(table)), min(40, len(table)))), np.int64)
        for table in (profile.costs, profile.calls)
    }
    lines = _lines(path)
    found = find_records(profile, *rows.values(), NoProgress())
    for (table, chosen), records_ in zip(rows.items(), found, strict=True):
        for row, record in zip(chosen.tolist(), records_, strict=True):
            assert lines[record.line].strip() == record.text
            costs = [cost for cost in table.values[:, row].tolist() if cost]
            assert costs == [] or set(costs) <= set(_numbers(record.text)), record
    for row, record in zip(rows[profile.calls].tolist(), found[1], strict=True):
        count = record.call_text.partition("=")[2].split()[0]
        assert int(count, 0) == profile.calls.count[row]
