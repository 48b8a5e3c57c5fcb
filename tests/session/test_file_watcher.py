"""Changes that the file watcher reports."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from qcachegrind_py.present.context import Context
from qcachegrind_py.profile.files import fingerprints
from qcachegrind_py.session.file_watcher import FileChanges, file_changes
from qcachegrind_py.session.loading import LoadRequest, Preparation, ProfileFiles, load_profile


def test_a_file_replaced_while_it_is_read_is_reported(
    draw: Callable[..., Path], tmp_path: Path
) -> None:
    """A file replaced after reading began is reported: its content differs from what was read."""
    path = draw("main 1")
    other = draw("main 1000", "other")

    class Replacing:
        def check(self, _fraction: float, _text: str = "") -> None:
            if other.exists():
                other.replace(path)

    chosen = ProfileFiles((path,))
    reading = load_profile(Replacing(), LoadRequest(chosen, chosen), Preparation(), Context())

    assert reading.profile.costs.values[:].tolist() == [[1]]
    assert file_changes(reading.read.fingerprints, fingerprints([path])) == FileChanges(
        changed=(path,)
    )


def test_unchanged_files_are_not_reported(draw: Callable[..., Path]) -> None:
    """Unchanged and deleted files are not reported; a file that appears is."""
    first, second, third = (draw(f"main {n}", f"callgrind.out.7.{n}") for n in (1, 2, 3))
    before = fingerprints([first, second])
    same = file_changes(before, fingerprints([first, second]))
    second.unlink()

    assert not same
    assert file_changes(before, fingerprints([first, second, third])) == FileChanges(new=(third,))


def test_a_file_written_while_the_clock_was_set_back_is_reported(draw: Callable[..., Path]) -> None:
    """Any other time means another content, an earlier one, too."""
    path = draw("main 1")
    before = fingerprints([path])
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - 3600 * 10**9))

    assert file_changes(before, fingerprints([path])) == FileChanges(changed=(path,))
