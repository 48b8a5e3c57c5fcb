"""Compressed files, and files under any name: the contents decide."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

import qcachegrind_py as q
from tests import zstd
from tests.profile_rows import DATA, call_rows, cost_rows, jump_rows

PLAIN = lzma.decompress((DATA / "cachey-everything" / "callgrind.out.22151.xz").read_bytes())
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
}


def rows_of(path: Path) -> tuple[object, ...]:
    profile = q.load(path)
    headers = [part.header for part in profile.parts]
    rows = (cost_rows(profile), call_rows(profile), jump_rows(profile))
    return (*rows, headers, profile.diagnostics, q.function_costs(profile).totals.tolist())


@pytest.fixture(scope="module")
def plain_rows(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    path = tmp_path_factory.mktemp("plain") / "callgrind.out.1"
    path.write_bytes(PLAIN)
    return rows_of(path)


@pytest.mark.parametrize("packing", PACKERS)
def test_a_compressed_profile_equals_the_plain_one(
    packing: str, tmp_path: Path, plain_rows: tuple[object, ...]
) -> None:
    """gzip, bzip2, xz and zstd are recognised by content, not by name."""
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(PACKERS[packing](PLAIN))
    assert rows_of(path) == plain_rows


@pytest.mark.parametrize("packing", PACKERS)
def test_a_profile_compressed_in_pieces(
    packing: str, tmp_path: Path, plain_rows: tuple[object, ...]
) -> None:
    """Compressed files may be concatenated, as an appending writer leaves them."""
    pack, half = PACKERS[packing], len(PLAIN) // 2
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(pack(PLAIN[:half]) + pack(PLAIN[half:]))
    assert rows_of(path) == plain_rows


@pytest.mark.parametrize("name", ["callgrind.out.xz", "a.gz", "picture.png", "profile", "x.zst"])
def test_the_name_does_not_matter(
    name: str, tmp_path: Path, plain_rows: tuple[object, ...]
) -> None:
    """A profile of the program `xz` is called callgrind.out.xz, and is plain text."""
    path = tmp_path / name
    path.write_bytes(PLAIN)
    assert rows_of(path) == plain_rows


def test_a_gzip_file_with_an_extra_header(tmp_path: Path) -> None:
    """Xdebug's own gzip file of a real run has the costs of the plain run."""
    profile = q.load(DATA / "xdebug-gz" / "cachegrind.out.plain.gz")
    unpacked = tmp_path / "plain"
    unpacked.write_bytes(gzip.decompress(Path(profile.paths[0]).read_bytes()))
    assert cost_rows(q.load(unpacked)) == cost_rows(profile)
    assert profile.events.names == ("Time_(10ns)", "Memory_(bytes)")


def test_a_long_command_line_before_the_events(tmp_path: Path) -> None:
    """A command of many kilobytes does not hide the `events:` line that follows it."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(f"cmd: ./a.out {'argument ' * 5000}\nevents: Ir\nfn=f\n1 5\n")
    profile = q.load(path)
    assert q.function_costs(profile).totals.tolist() == [5]
    assert profile.command == f"./a.out {'argument ' * 5000}".strip()
