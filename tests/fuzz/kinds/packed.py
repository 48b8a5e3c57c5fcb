"""Compressed profiles: gzip, bzip2, xz and zstd, of one stream and of several, mutated."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from random import Random

import qcachegrind_py as q
from tests.fuzz.kinds import callgrind
from tests.fuzz.mutation import mutate, mutate_in_place
from tests.fuzz.outcome import Content
from tests.zstd import compress, compress_without_size

_PACKERS: list[Callable[[bytes], bytes]] = [
    lambda data: gzip.compress(data, mtime=0),
    bz2.compress,
    lzma.compress,
    lambda data: lzma.compress(data, check=lzma.CHECK_NONE),
    compress,
    compress_without_size,
]


def make(random: Random) -> bytes:
    """One to three streams, mostly of one kind, with a few wrong bytes."""
    data = _streams(random)
    if random.random() < 0.6:
        return mutate_in_place(random, data)
    return mutate(random, data, _streams(random)) if random.random() < 0.8 else data


def _streams(random: Random) -> bytes:
    data = callgrind.profile(random)
    if random.random() < 0.1:
        data += b"# " + bytes(10_000_000) + b"\n"  # a line that takes a few bytes when packed
    packers = [random.choice(_PACKERS)] * random.randint(1, 3)
    if random.random() < 0.2:
        packers.append(random.choice(_PACKERS))
    step = len(data) // len(packers) + 1
    pieces = (data[start : start + step] for start in range(0, len(data), step))
    return b"".join(pack(piece) for pack, piece in zip(packers, pieces, strict=False))


def check(data: bytes, folder: Path) -> Content:
    """The content of the profile as far as it can be unpacked, or the error."""
    path = folder / "profile.packed"
    path.write_bytes(data)
    return callgrind.content_or_error(lambda: q.load(path))
