"""Reading in two pieces gives the same profile and diagnostics as reading in one."""

from __future__ import annotations

import contextlib
import lzma
import os
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qcachegrind_py as q
from qcachegrind_py.formats.callgrind import line_buffer, pieces
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.profile.progress import NoProgress
from tests.formats.callgrind.chunked_reading import read_in_chunks, read_path, whole_content
from tests.formats.callgrind.generated_profiles import profiles
from tests.profile_rows import DATA

BORDER = b"fn=(%d) border\n7 8 9 10\n"
LARGE = 1 << 20
REAL = (
    "recur-everything/callgrind.out.21921.xz",
    "templ-nobb/callgrind.out.22021.xz",
    "threads-combined-bb/callgrind.out.22283.xz",
    "oddnames-nocompress/callgrind.out.22446.xz",
    "xdebug-append/cachegrind.out.append.xz",
)
HEAD = "positions: line\nevents: Ir\nfl=(1) a.c\nfn=(1) f\n1 5\n"


def assert_same(data: bytes, cut_from: int, chunk: int = LARGE) -> None:
    """Both ways of reading give the same profile."""
    wanted = whole_content(read_in_chunks(data, LARGE, LARGE))
    got = whole_content(read_in_chunks(data, LARGE, chunk, cut_from))
    for name, content in wanted.items():
        assert got[name] == content, name


@pytest.mark.slow
@settings(max_examples=300 if COMPILED else 50, deadline=None)
@given(
    profiles(), st.integers(0, 10_000), st.integers(0, 12), st.integers(1, 400), st.integers(1, 400)
)
def test_a_generated_profile(data: bytes, place: int, number: int, first: int, chunk: int) -> None:
    """Wherever a function with an absolute position is inserted, the file may be cut there."""
    lines = data.splitlines(keepends=True)
    before = b"".join(lines[: 1 + place % len(lines)])
    if not before.endswith(b"\n"):
        before += b"\n"
    whole = before + BORDER % number + b"".join(lines[1 + place % len(lines) :])
    wanted = content_or_error(whole, LARGE, LARGE)
    assert content_or_error(whole, first, chunk, len(before) - 1) == wanted


def content_or_error(data: bytes, first: int, chunk: int, cut_from: int | None = None) -> object:
    """The content of the profile, or the error that its costs precede its events."""
    try:
        return whole_content(read_in_chunks(data, first, chunk, cut_from))
    except q.InvalidProfile as error:
        return error.line, error.reason


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_real_files(name: str) -> None:
    """Files with jumps, inlined code, threads and several parts, cut at many functions."""
    data = lzma.decompress((DATA / name).read_bytes())
    for start in range(0, len(data), len(data) // (12 if COMPILED else 3)):
        assert_same(data, start)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("fn=(2) g\n2\n3 5\n", "4 5\n"),
        ("4 5\nhello\n5 5\n\n\n6 5\n# x\n", "4 5\n"),
        ("cfn=(3) h\ncalls=2 7\n1 90\n", "cfn=(3)\ncalls=1 +3\n+2 9\ncalls=5\n* 7\n"),
        ("jfi=(4) b.c\njump=1 +5\n* 0\njcnd=2/3 +1\n+1\n", "jump=4 -1\n*\n"),
        ("cfn=(3) h\ncalls=2 7\n", "1 5\n"),
        ("jump=2 7\n", "1 5\n"),
        ("cob=lib\ncfi=b.c\n", "cfn=(3) h\ncalls=1 1\n4 5\n"),
        ("fn=(9) one\n1 5\n", "fn=(9) two\n1 5\nfn=(7)\n1 5\n"),
        ("ob=x\nfi=(2) b.h\n1 5\n", "fe=(1)\n2 5\nfn=new\n3 5\n"),
        ("totals: 5\n", "totals: 12\n"),
        ("", "totals: 10\n"),
        ("", "part: 2\nevents: Dr Ir\nfn=(1)\n1 5 6\ntotals: 5 6\npart: 3\nfn=x\n+1 5\n"),
        ("part: 1\npart: 2\nevents: Dr Ir Dw\nfn=(1)\n1 5 6\n", "totals: 16 6\n" + "+1 2\n" * 9),
        ("1 5 6\n" * 70 + "x\n" * 101, "2 5 6\n" * 70 + "y\n" * 3),
        ("event: Ir : Instructions\nfrfn=(5) k\n", "event: Sum = Ir + Ir\nfn=(5)\n1 1\n"),
        ("1 x=3\n2 y:4\n", "2 5=6"),
        ("2\n3\nfi=b.h\n4\n", "5 5\nfn=x\n6\n7 7\nfn=y\n8 8\n"),
        ("2\n3\n4\n", "totals: 13\nevents: Ir\nfn=z\n" + "1 100\n" * 5 + "totals: 500\n"),
    ],
    ids=str,
)
@pytest.mark.parametrize("chunk", [7, 100, LARGE])
def test_what_a_later_line_depends_on(before: str, after: str, chunk: int) -> None:
    """Ids, files, callees, parts, events, totals, and counts of lines and rows cross the cut."""
    start = f"{HEAD}{before}".encode()
    assert_same(start + BORDER % 8 + after.encode(), len(start) - 1, chunk)


@pytest.mark.parametrize("border", ["+1 5\n", "* 5\n", "5\n", "7\n8 5\n", "cfn=x\ncalls=1\n9 5\n"])
def test_a_cut_that_positions_cross(border: str) -> None:
    """Where the base of positions is unknown, the second piece is read after the first one."""
    start = f"positions: instr line\nevents: Ir\nfn=f\n100 9 5\nfn=g\n{border}".encode()
    assert_same(start + b"+1 +2 5\nfn=h\n1 2 3\n", start.index(b"fn=g") - 1)


def test_a_second_piece_with_many_more_rows() -> None:
    """Columns may grow for the second piece while, or after, the first one is read."""
    start = "events: Ir\nfn=f\n1 5\n" + f"# {'x' * 500}\n" * 300
    many = "".join(f"+1 {n}\ncfn=(9) x\ncalls=1\n* 8\njump=1 3\n*\n" for n in range(150_000))
    data = start.encode() + BORDER % 8 + many.encode()
    profile = read_in_chunks(data, LARGE, LARGE, len(start) - 1)
    assert len(profile.costs) == len(profile.calls) + 2 == len(profile.jumps) + 2 == 150_002
    assert profile.costs.values.sum() == 5 + 8 + 149_999 * 75_000
    assert set(profile.calls.values.tolist()[0]) == {8}


# ------------------------------------------------------------ threads, progress and failures


class Reports:
    """Stores the reported fractions, and cancels after some of them."""

    def __init__(self, limit: int = 1 << 30) -> None:
        self.fractions: list[float] = []
        self._limit = limit

    def check(self, fraction: float, text: str = "") -> None:
        self.fractions.append(fraction)
        if len(self.fractions) > self._limit:
            raise q.Cancelled


@pytest.fixture
def large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is read in a hundred chunks."""
    monkeypatch.setattr(line_buffer, "CHUNK_SIZE", 4096)
    path = tmp_path / "large"
    functions = (f"fn=({n}) f{n}\n" + f"{n} 5\n" * 40 for n in range(2000))
    path.write_text("events: Ir\n" + "".join(functions))
    return path


def test_progress_is_that_of_both_pieces(large_file: Path) -> None:
    """It never goes back, and ends at 1."""
    reports = Reports()
    read_path(large_file, 4096, large_file.stat().st_size // 2, reports)
    assert all(one <= other for one, other in pairwise(reports.fractions))
    assert reports.fractions[0] < 0.2
    assert reports.fractions[-1] == 1.0


@pytest.mark.parametrize("limit", [0, 1, 10, 40])
def test_cancelling_stops_both_threads(large_file: Path, limit: int) -> None:
    """Cancelling is the error of both, and no thread is left."""
    threads = threading.active_count()
    with pytest.raises(q.Cancelled):
        read_path(large_file, 4096, large_file.stat().st_size // 2, Reports(limit))
    assert threading.active_count() == threads


def test_files_after_one_in_pieces(large_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of a file in pieces reads further files into the same profile.

    The rows behind those of the first file are free: no costs of its second piece, which was moved
    up by a hundred lines without costs, remain in them.
    """
    lines = large_file.read_text()
    large_file.write_text(lines.replace("f2\n", "f2\n" + "7\n" * 100))
    monkeypatch.setattr(pieces, "_usable_cores", lambda: 1)
    short = large_file.with_name("short")
    short.write_text("events: Ir\nfn=f\n" + "1 0\n" * 200)
    wanted = whole_content(q.load(large_file, short))
    monkeypatch.setattr(pieces, "_usable_cores", lambda: 2)
    monkeypatch.setattr(pieces, "_SMALLEST_FILE", 100_000)
    reports = Reports()
    assert whole_content(q.load(large_file, short, progress=reports)) == wanted
    assert all(one <= other for one, other in pairwise(reports.fractions))


def test_a_file_that_becomes_shorter(large_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that shrinks while it is read is read as far as it goes, in one piece."""
    monkeypatch.setattr(pieces, "_usable_cores", lambda: 2)
    monkeypatch.setattr(pieces, "_SMALLEST_FILE", 100_000)

    class Shrinking(Reports):
        def check(self, fraction: float, text: str = "") -> None:
            super().check(fraction, text)
            os.truncate(large_file, 300_000)

    profile = q.load(large_file, progress=Shrinking())
    large_file.write_bytes(large_file.read_bytes())
    assert whole_content(profile) == whole_content(read_path(large_file, 4096).profile())
    assert 0 < len(profile.costs) < 80_000


def test_a_line_that_may_have_many_rows(large_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a very long line might need more rows than are reserved, one piece is read."""
    wanted = whole_content(read_path(large_file, 4096).profile())
    text = large_file.read_text()
    place = text.index("fn=(900)")
    large_file.write_text(f"{text[:place]}# {'x' * 5_000_000}\n{text[place:]}")
    monkeypatch.setattr(pieces, "_usable_cores", lambda: 2)
    monkeypatch.setattr(pieces, "_SMALLEST_FILE", 100_000)
    monkeypatch.setattr(pieces, "_FIRST_SHARE", 0.99)
    assert whole_content(q.load(large_file)) == wanted


def test_a_file_with_other_rows_than_were_counted(large_file: Path) -> None:
    """If the file changes between both readings of the first piece, no columns are joined."""
    changed = large_file.with_name("changed")
    changed.write_text(large_file.read_text().replace("30 5\n", "# 30\n", 10))
    with (
        contextlib.closing(open_profile(large_file)) as file,
        contextlib.closing(open_profile(changed)) as other,
    ):
        cut = pieces.find_cut(other, file.size // 2)
        assert cut is not None
        two = pieces.TwoPieces(file, other, file.head(100), cut)
        assert two.read(NoProgress(), (0.0, 1.0)) is None
