"""Find the lines of profile files that rows of a profile were read from."""

from __future__ import annotations

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
from qcachegrind_py.profile.cache import WeightedCache
from qcachegrind_py.profile.errors import RecordsNotFound
from qcachegrind_py.profile.files import Fingerprint, fingerprint
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.profile.tables import Int64Array

__all__ = ["Record", "find_records"]


_NO_LINES = "so its lines cannot be shown."
_Files = tuple[tuple[str, Fingerprint], ...]
_blocks_of_files: WeightedCache[_Files, Blocks] = WeightedCache(1)  # of the files read last


def find_records(
    profile: Profile, costs: Int64Array, calls: Int64Array, progress: Progress
) -> tuple[list[Record], list[Record]]:
    """Return the records of rows of `Profile.costs` and of `Profile.calls`, in their order.

    All files of the profile are read twice, the second time as far as the last of these rows; the
    first reading is not repeated for the files asked for last. Raises `RecordsNotFound` for files
    of Python's profilers, which have no lines, and for files that have changed or were removed,
    until all records are found; the errors of loading, and `Cancelled`.
    """
    files = tuple(zip(profile.paths, profile.fingerprints, strict=True))
    _check_unchanged(files)
    blocks = _blocks_of_files.get(
        files, lambda: _count_blocks(files, PartialProgress(progress, 0, 0.5)), progress
    )
    ranges = blocks.ranges(costs, calls)
    reader = RecordReader(PartialProgress(progress, 0.5, 1), costs, calls, ranges)
    with suppress(AllFound):
        _read(reader, files)
    _check_unchanged(files)
    found = [*reader.costs.values(), *reader.calls.values()]
    records = [record for record in found if record is not None]
    if len(records) < len(found):  # written within the resolution of the file's time
        raise _changed(files[0][0])
    return records[: len(reader.costs)], records[len(reader.costs) :]


def _count_blocks(files: _Files, progress: Progress) -> Blocks:
    counter = BlockCounter(progress)
    _read(counter, files)
    _check_unchanged(files)
    return counter.blocks()


def _check_unchanged(files: _Files) -> None:
    """Raise `RecordsNotFound` if a path has no longer the file that was read."""
    for path, as_read in files:
        now = fingerprint(Path(path))
        if now is None:
            raise RecordsNotFound(path, f"was removed, {_NO_LINES}")
        if now != as_read:
            raise _changed(path)


def _changed(path: str) -> RecordsNotFound:
    return RecordsNotFound(
        path, f"has changed since it was read, {_NO_LINES}", remedy="Read it again."
    )


def _read(reader: CallgrindReader, files: _Files) -> None:
    """Read all files; raises `RecordsNotFound` for a format without lines."""
    for index, (path, as_read) in enumerate(files):
        with closing(open_profile(path)) as file:
            if file.fingerprint != as_read:
                raise _changed(path)
            head = file.head(HEAD_SIZE)
            if detect_format(file.path, head).reader is not CallgrindFiles:
                raise RecordsNotFound(path, "is a Python profile, which has no lines to show.")
            reader.begin_file(file, (index / len(files), (index + 1) / len(files)))
            reader.read_lines(head)
