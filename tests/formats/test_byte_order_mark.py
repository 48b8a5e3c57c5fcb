"""A UTF-8 byte order mark at the start of a file is no part of its first line."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.formats.run_files import RunIdentity, find_profiles, run_identity, summarize
from qcachegrind_py.profile.progress import NoProgress
from tests import zstd
from tests.formats.callgrind.chunked_reading import read_in_chunks, whole_content
from tests.profile_rows import cost_table, diagnostic_rows, profile_from

FIRST_LINES = ("# callgrind format\nevents: Ir\n", "events: Ir\n", "\nevents: Ir\n")


@pytest.mark.parametrize("start", FIRST_LINES)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress, zstd.compress])
def test_the_mark_is_skipped(start: str, pack: Callable[[bytes], bytes]) -> None:
    """Whatever the first line is, packed or not, the file is recognised and read."""
    profile = profile_from(pack(codecs.BOM_UTF8 + f"{start}fn=f\n1 5\n".encode()))

    assert cost_table(profile) == {"f": (5, 5, 0)}
    assert diagnostic_rows(profile) == []
    assert profile.parts[0].header == (("events", "Ir"),)


def test_every_file_may_have_a_mark() -> None:
    """Each of several files of a profile is read as if it had none."""
    file = codecs.BOM_UTF8 + b"pid: 1\nevents: Ir\nfn=f\n1 5\n"

    profile = profile_from(file, file)

    assert cost_table(profile) == {"f": (10, 10, 0)}
    assert diagnostic_rows(profile) == []


def test_a_mark_elsewhere_is_no_mark() -> None:
    """Within a file, the bytes make an odd line as any others do, and they belong to names."""
    mark = codecs.BOM_UTF8

    profile = profile_from(b"events: Ir\n" + mark + b"fn=f\nfn=" + mark + b"g\n1 5\n")

    assert diagnostic_rows(profile) == [(2, "unknown-line")]
    assert cost_table(profile) == {"\ufeffg": (5, 5, 0)}


@pytest.mark.parametrize("chunk", [1, 7, 11, 20])
def test_a_mark_at_the_start_of_a_later_chunk_is_no_mark(chunk: int) -> None:
    """Chunks begin at any line; the one with the mark is the first line of the file alone."""
    data = b"events: Ir\nfn=f\n" + codecs.BOM_UTF8 + b"1 5\n2 6\n"

    profile = read_in_chunks(data, chunk, chunk)

    assert diagnostic_rows(profile) == [(3, "unknown-line")]
    assert cost_table(profile) == {"f": (6, 6, 0)}


@pytest.mark.parametrize("chunk", [1, 2, 7, 1 << 20])
@pytest.mark.parametrize("start", FIRST_LINES)
def test_chunks_agree(start: str, chunk: int) -> None:
    """Wherever a chunk ends, the file is read as without the mark."""
    text = f"{start}fn=(1) f\n1 5\nfn=(2) g\n2 6\nfn=(1)\n3 7\n".encode()
    wanted = whole_content(read_in_chunks(text, 1 << 20, 1 << 20))

    marked = codecs.BOM_UTF8 + text
    assert whole_content(read_in_chunks(marked, chunk, chunk)) == wanted


def test_lists_of_files(tmp_path: Path) -> None:
    """A file with a mark is found in a folder, its command is shown, and its run recognised."""
    path = tmp_path / "profile"
    path.write_bytes(codecs.BOM_UTF8 + b"cmd: prog 1\npid: 7\ncreator: x\nevents: Ir\nfn=f\n1 5\n")

    assert [found.command for found in find_profiles(NoProgress(), tmp_path)] == ["prog 1"]
    assert summarize(path).command == "prog 1"
    assert run_identity(path) == RunIdentity(b"x", b"prog 1", b"7")


@pytest.mark.parametrize(
    ("text", "reason"), [(b"", "is empty."), (b"{}", "is JSON, not a profile.")]
)
def test_what_is_no_profile(tmp_path: Path, text: bytes, reason: str) -> None:
    """The kind of another file is told from what follows the mark."""
    path = tmp_path / "file"
    path.write_bytes(codecs.BOM_UTF8 + text)

    with pytest.raises(q.NotAProfile) as caught:
        q.load(path)

    assert caught.value.reason == reason
