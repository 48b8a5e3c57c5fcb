"""Find the lines of profile files that rows of a profile were read from."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from qcachegrind_py.formats.callgrind.files import CallgrindFiles
from qcachegrind_py.formats.callgrind.reader import CallgrindReader
from qcachegrind_py.formats.callgrind.record_reader import (
    AllFound,
    BlockCounter,
    Blocks,
    Record,
    RecordReader,
)
from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.formats.detection import HEAD_SIZE, detect_format
from qcachegrind_py.formats.fingerprints import Fingerprint, fingerprint
from qcachegrind_py.profile.errors import RecordsNotFound
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.profile.weighted_cache import WeightedCache

__all__ = ["Record", "find_records"]


_Key = tuple[tuple[str, Fingerprint | None], ...]
_blocks_of_files: WeightedCache[_Key, Blocks] = WeightedCache(1)  # of the files read last


def find_records(
    paths: Sequence[str], costs: Int64Array, calls: Int64Array, progress: Progress
) -> tuple[list[Record], list[Record]]:
    """Return the records of rows of `Profile.costs` and of `Profile.calls`, in their order.

    `paths` are all files of the profile. They are read twice, the second time as far as the last
    of these rows; the first reading is not repeated for the files asked for last. Raises
    `RecordsNotFound` for files of Python's profilers, which have no lines, and for files that have
    changed; the errors of loading, and `Cancelled`.
    """
    key = tuple((path, fingerprint(Path(path))) for path in paths)
    blocks = _blocks_of_files.get(
        key, lambda: _count_blocks(paths, PartialProgress(progress, 0, 0.5)), progress
    )
    ranges = blocks.ranges(costs, calls)
    reader = RecordReader(PartialProgress(progress, 0.5, 1), costs, calls, ranges)
    with suppress(AllFound):
        _read(reader, paths)
    found = [*reader.costs.values(), *reader.calls.values()]
    records = [record for record in found if record is not None]
    if len(records) < len(found):
        raise RecordsNotFound(paths[0], "has changed since it was read.", remedy="Reload it.")
    return records[: len(reader.costs)], records[len(reader.costs) :]


def _count_blocks(paths: Sequence[str], progress: Progress) -> Blocks:
    counter = BlockCounter(progress)
    _read(counter, paths)
    return counter.blocks()


def _read(reader: CallgrindReader, paths: Sequence[str]) -> None:
    """Read all files; raises `RecordsNotFound` for a format without lines."""
    for index, path in enumerate(paths):
        with closing(open_profile(path)) as file:
            head = file.head(HEAD_SIZE)
            if detect_format(file.path, head).reader is not CallgrindFiles:
                raise RecordsNotFound(path, "is a Python profile, which has no lines to show.")
            reader.begin_file(file, (index / len(paths), (index + 1) / len(paths)))
            reader.read_lines(head)
