"""Files of stacks: the format follows from the name, compression from its ending."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import TextIO

from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.formats.compression import compressing_stream
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.reports.stacks.contents import StackReport
from qcachegrind_py.reports.stacks.folded import write_folded
from qcachegrind_py.reports.stacks.speedscope import write_speedscope


def is_speedscope(path: str) -> bool:
    """Return whether a file of this name has speedscope's format: `x.json`, also compressed."""
    return ".json" in PurePath(path).suffixes


def save_stacks(
    path: str | os.PathLike[str], reports: Sequence[StackReport], progress: Progress | None = None
) -> None:
    """Write the stacks to a file; raises `UnwritableFile`, and `Cancelled`, which leave it as is.

    A file of folded stacks has one report.
    """
    progress = progress or NoProgress()
    name = os.fspath(path)
    with atomic_write(path) as file, compressing_stream(file, name) as stream:
        text = io.TextIOWrapper(stream, "utf-8", "replace", newline="\n")
        write_stacks(reports, name, text)
        text.detach()
        progress.check(1.0)


def write_stacks(reports: Sequence[StackReport], path: str, stream: TextIO) -> None:
    """Write the stacks to a stream, in the format of a file of this name."""
    if is_speedscope(path):
        name = PurePath(reports[0].queries.profile.program_name).name if reports else ""
        write_speedscope(reports, name, stream)
        return
    for report in reports:
        write_folded(report, stream)
