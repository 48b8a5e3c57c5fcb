"""Reading of bytes in small chunks, as one piece or two, and the whole content of a profile."""

from __future__ import annotations

import contextlib
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from qcachegrind_py.formats.callgrind import line_buffer
from qcachegrind_py.formats.callgrind.pieces import TwoPieces, find_cut
from qcachegrind_py.formats.callgrind.reader import CallgrindReader
from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, Progress


def read_in_chunks(data: bytes, first: int, following: int, cut_from: int | None = None) -> Profile:
    """Read the bytes in chunks: a first one, and following ones of equal size.

    With `cut_from` they are read in two pieces, if there is a cut from this offset on.
    """
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "drawing"
        path.write_bytes(data)
        patch.setattr(line_buffer, "CHUNK_SIZE", following)
        return read_path(path, first, cut_from).profile()


def read_path(
    path: Path, first: int, cut_from: int | None = None, progress: Progress | None = None
) -> CallgrindReader:
    """Read a file as one piece, or as two if `cut_from` is given; `first` bytes are the head."""
    progress = progress or NoProgress()
    with (
        contextlib.closing(open_profile(path)) as file,
        contextlib.closing(open_profile(path)) as other,
    ):
        cut = None if cut_from is None else find_cut(other, cut_from)
        if cut is not None:
            head = file.head(min(first, cut.start))
            reader = TwoPieces(file, other, head, cut).read(progress, (0.0, 1.0))
            if reader is not None:
                return reader
            file.seek(0)
        reader = CallgrindReader(progress)
        reader.read(file, file.head(first), (0.0, 1.0))
        return reader


def whole_content(profile: Profile) -> dict[str, Any]:
    """Every column, text, part and diagnostic of a profile, except for the folder of its path."""
    tables = (profile.functions, profile.runs, profile.costs, profile.calls, profile.jumps)
    content: dict[str, Any] = {
        f"{type(table).__name__}.{field.name}": None if column is None else column.tolist()
        for table in tables
        for field in fields(table)
        for column in [getattr(table, field.name)]
    }
    content["texts"] = profile.texts.raw_strings()
    content["events"] = profile.events.names
    content["parts"] = [
        (part.header, part.events, part.summary, part.totals) for part in profile.parts
    ]
    content["odd"] = [(odd.line, odd.kind, odd.message) for odd in profile.diagnostics]
    content["odd lines"] = profile.diagnostic_count
    return content
