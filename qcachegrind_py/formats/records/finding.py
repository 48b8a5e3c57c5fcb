"""Find the lines of profile files that rows of a profile were read from."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from qcachegrind_py.formats.callgrind.files import CallgrindFiles
from qcachegrind_py.formats.callgrind.record_reader import (
    BlockCounter,
    Record,
    RecordReader,
    blocks_of,
)
from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.formats.detection import HEAD_SIZE, detect_format
from qcachegrind_py.profile.errors import RecordsNotFound
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import Int64Array

__all__ = ["Record", "find_records"]


def find_records(
    paths: Sequence[str], costs: Int64Array, calls: Int64Array, progress: Progress
) -> tuple[list[Record], list[Record]]:
    """Return the records of rows of `Profile.costs` and of `Profile.calls`, in their order.

    `paths` are all files of the profile. They are read twice. Raises `RecordsNotFound` for files
    of Python's profilers, which have no lines, and for files that have changed; the errors of
    loading, and `Cancelled`.
    """
    counter = BlockCounter(PartialProgress(progress, 0, 0.5))
    _read(counter, paths)
    starts_of_costs, starts_of_calls = counter.rows()
    blocks = blocks_of(costs, starts_of_costs) | blocks_of(calls, starts_of_calls)
    reader = RecordReader(PartialProgress(progress, 0.5, 1), costs, calls, blocks)
    _read(reader, paths)
    found = [*reader.costs.values(), *reader.calls.values()]
    records = [record for record in found if record is not None]
    if len(records) < len(found):
        raise RecordsNotFound(paths[0], "has changed since it was read.", remedy="Reload it.")
    return records[: len(reader.costs)], records[len(reader.costs) :]


def _read(reader: BlockCounter, paths: Sequence[str]) -> None:
    """Read all files; raises `RecordsNotFound` for a format without lines."""
    for index, path in enumerate(paths):
        with closing(open_profile(path)) as file:
            head = file.head(HEAD_SIZE)
            if detect_format(file.path, head).reader is not CallgrindFiles:
                raise RecordsNotFound(path, "is a Python profile, which has no lines to show.")
            reader.begin_file(file, (index / len(paths), (index + 1) / len(paths)))
            reader.read_lines(file, head)
