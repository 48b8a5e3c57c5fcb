"""Compressed files that are truncated, broken, or far larger than they seem."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import subprocess
import sys
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from tests import zstd
from tests.formats.callgrind import reference_reader
from tests.formats.callgrind.reference_reader import CostRow
from tests.profile_rows import DATA, cost_rows, diagnostic_rows
from tests.reports import Reports

PLAIN = (DATA / "latin1" / "callgrind.out.22456").read_bytes()
LARGE = b"# callgrind format\nevents: Ir\nfl=a.c\n" + b"".join(
    b"fn=(%d) f%d\n%d %d\n" % (n, n, n % 77, n * n % 1001) for n in range(60_000)
)
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
}
MAGIC = {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\0", "zstd": b"\x28\xb5\x2f\xfd"}


@pytest.mark.parametrize("packing", PACKERS)
def test_garbage_behind_the_magic(packing: str, tmp_path: Path) -> None:
    """A file that only starts like a compressed one is refused, naming that compression."""
    path = tmp_path / "profile"
    path.write_bytes(MAGIC[packing] + b"garbage " * 20)
    with pytest.raises(q.DecompressionError) as caught:
        q.load(path)
    assert caught.value.reason.startswith(
        f"looks compressed with {packing}, but cannot be decompressed ("
    )


@pytest.mark.parametrize("packing", PACKERS)
def test_nothing_packed(packing: str, tmp_path: Path) -> None:
    """A compressed empty file is an empty file."""
    path = tmp_path / "profile"
    path.write_bytes(PACKERS[packing](b""))
    with pytest.raises(q.NotAProfile, match="is empty"):
        q.load(path)


@pytest.mark.parametrize("packing", PACKERS)
def test_a_packed_picture(packing: str, tmp_path: Path) -> None:
    """The error names the kind of the decompressed contents."""
    path = tmp_path / "profile"
    path.write_bytes(PACKERS[packing](b"\x89PNG\r\n\x1a\n" + bytes(1000)))
    with pytest.raises(q.NotAProfile, match="is a picture, not a profile"):
        q.load(path)


@cache  # four packings of each
def costs_of(content: bytes) -> list[CostRow]:
    """The costs found by the reference reader."""
    return reference_reader.read(content).costs


@pytest.mark.slow
@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("content", [PLAIN, LARGE], ids=["small", "large"])
def test_a_packed_file_that_is_cut(packing: str, content: bytes, tmp_path: Path) -> None:
    """It opens as far as it can be decompressed: the rows are the first ones of the whole."""
    packed = PACKERS[packing](content)
    path = tmp_path / "profile"
    path.write_bytes(packed[: len(packed) * 9 // 10])
    whole = costs_of(content)
    try:
        profile = q.load(path)
    except q.DecompressionError:
        # A small bzip2 or zstd file is one block: of a cut one nothing comes out.
        assert packing in ("bzip2", "zstd")
        return
    rows = cost_rows(profile)
    # The last line may be cut in the middle of a number.
    assert rows[:-1] == whole[: len(rows) - 1]
    assert len(rows) > len(whole) // 4
    assert "broken-packing" in {kind for _line, kind in diagnostic_rows(profile)}


def test_all_that_a_cut_gzip_file_holds_is_read(tmp_path: Path) -> None:
    """Every line that an independent decompressor finds in the truncated file is read."""
    packed = gzip.compress(PLAIN)
    cut = packed[: len(packed) // 2]
    held = zlib.decompressobj(wbits=31).decompress(cut)
    path = tmp_path / "profile"
    path.write_bytes(cut)
    assert len(held) > 10_000
    assert cost_rows(q.load(path)) == reference_reader.read(held).costs


def test_a_gzip_file_damaged_in_the_middle(tmp_path: Path) -> None:
    """It is never accepted silently: it is refused, or the diagnostic names the damage."""
    packed = gzip.compress(LARGE)
    path = tmp_path / "profile"
    for at in range(20, len(packed), len(packed) // 10):
        path.write_bytes(packed[:at] + bytes([packed[at] ^ 0x55]) + packed[at + 1 :])
        try:
            profile = q.load(path)
        except q.DecompressionError:
            continue
        assert "broken-packing" in {kind for _line, kind in diagnostic_rows(profile)}, at


def test_garbage_behind_a_gzip_file(tmp_path: Path) -> None:
    """Bytes after the compressed data do not prevent reading all of these.

    The last 2 kB of them are buffered when the first 64 kB have been read.
    """
    path = tmp_path / "profile"
    path.write_bytes(gzip.compress(PLAIN) + b"garbage")
    assert cost_rows(q.load(path)) == reference_reader.read(PLAIN).costs


# ------------------------------------------------------------ a packed file of a gigabyte

_LOAD_AND_MEASURE = """
import json, resource, sys
from qcachegrind_py.profile.files import NO_LIMIT
import qcachegrind_py as q
q.load(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
profile = q.load(sys.argv[2], limit=NO_LIMIT)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
kinds = [odd.kind for odd in profile.diagnostics]
print(json.dumps([after - before, q.function_costs(profile).totals.tolist(), kinds]))
"""
GIGABYTE = 1 << 30 if COMPILED else 1 << 25
MEMBER = 1 << 24


def bomb(path: Path, filling: bytes) -> Path:
    """Compress a gigabyte of the filling between two costs into one megabyte."""
    block = gzip.compress(filling * (MEMBER // len(filling)), 1)
    begin, end = gzip.compress(b"events: Ir\nfn=f\n1 5\n"), gzip.compress(b"\n2 6\n")
    path.write_bytes(begin + block * (GIGABYTE // MEMBER) + end)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("filling", "odd"),
    [
        (b"\n" * 64, []),
        (b"# a comment without end          \n" * 2, []),
        (b"x" * 64, ["long-line", "unknown-line"]),
    ],
    ids=["blank lines", "comments", "one line"],
)
def test_a_gzip_bomb_takes_no_memory(filling: bytes, odd: list[str], tmp_path: Path) -> None:
    """A gigabyte compressed into a few megabytes is read in bounded memory."""
    pytest.importorskip("resource", reason="the system does not say how much memory is used")
    small = tmp_path / "small"
    small.write_text("events: Ir\nfn=f\n1 5\n")
    path = bomb(tmp_path / "bomb", filling)
    ran = subprocess.run(
        [sys.executable, "-c", _LOAD_AND_MEASURE, str(small), str(path)],
        cwd=Path(q.__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    kilobytes, totals, kinds = json.loads(ran.stdout)
    assert totals == [11]
    assert kilobytes < 100_000
    assert sorted(kinds) == odd


def test_a_gzip_bomb_can_be_cancelled(tmp_path: Path) -> None:
    """Progress is reported often, and the first cancellation ends the reading."""
    progress = Reports(stop_at=12)
    with pytest.raises(q.Cancelled):
        q.load(bomb(tmp_path / "bomb", b"\n" * 64), progress=progress)
    assert len(progress.fractions) == 12
    assert progress.fractions[-1] < 1  # since 3.12 Python takes 128 kB of the file at once
