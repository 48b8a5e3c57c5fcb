"""Reading of bytes in small chunks, and the whole content of a profile."""

from __future__ import annotations

import contextlib
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from qcachegrind_py.formats.callgrind import reader
from qcachegrind_py.formats.callgrind.reader import CallgrindReader
from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress


def read_in_chunks(data: bytes, first: int, following: int) -> Profile:
    """Read the bytes in chunks: a first one, and following ones of equal size."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "drawing"
        path.write_bytes(data)
        patch.setattr(reader, "CHUNK_SIZE", following)
        reading = CallgrindReader(NoProgress())
        with contextlib.closing(open_profile(path)) as file:
            reading.read(file, file.head(first), (0.0, 1.0))
        return reading.profile()


def whole_content(profile: Profile) -> dict[str, Any]:
    """Every column, text, part and diagnostic of a profile, except for the folder of its path."""
    tables = (profile.functions, profile.runs, profile.costs, profile.calls, profile.jumps)
    content: dict[str, Any] = {
        f"{type(table).__name__}.{field.name}": None
        if column is None
        else np.asarray(column).tolist()
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
