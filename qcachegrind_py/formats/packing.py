"""Packs a file on its way to the disk, where its name says so: .gz, .bz2, .xz, .zst."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
from pathlib import Path
from typing import BinaryIO, cast

_LIGHTLY = 6  # how hard gzip works: its own choice, where Python's takes thrice the time


def packed(
    file: BinaryIO, path: str | os.PathLike[str]
) -> contextlib.AbstractContextManager[BinaryIO]:
    """A stream that packs into the file as the path's end says, or the file itself.

    The same bytes give the same file: no time and no name is written. The file stays open.
    """
    end = Path(path).suffix.lower()
    if end == ".gz":
        stream = gzip.GzipFile("", "wb", _LIGHTLY, file, mtime=0)
        return cast("contextlib.AbstractContextManager[BinaryIO]", stream)
    if end == ".bz2":
        return cast("contextlib.AbstractContextManager[BinaryIO]", bz2.BZ2File(file, "wb"))
    if end == ".xz":
        return cast("contextlib.AbstractContextManager[BinaryIO]", lzma.LZMAFile(file, "wb"))
    if end in (".zst", ".zstd"):
        import zstandard  # 20 ms that only these files need

        return zstandard.ZstdCompressor().stream_writer(file, closefd=False)
    return contextlib.nullcontext(file)
