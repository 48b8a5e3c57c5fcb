"""Files that would take more memory than they may are not read to the end."""

from __future__ import annotations

import gzip
import marshal
from collections.abc import Callable
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.profile.errors import TooLargeForMemory
from qcachegrind_py.profile.files import MemoryLimit

LINES = 400_000
COSTS = b"events: Ir\nfn=f\n" + b"1 1\n" * LINES  # a row takes 8 bytes: 3.2 MB
CALLS = b"events: Ir\nfn=f\ncfn=g\n" + b"calls=1 1\n1 1\n" * 100_000  # 32 bytes: 3.2 MB
NEEDED = 3_200_000
PYTHON = marshal.dumps({("a.py", line, "f" * 50): (1, 1, 0.5, 0.5, {}) for line in range(20_000)})


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("content", [COSTS, CALLS], ids=["costs", "calls"])
def test_a_file_is_refused_long_before_its_end(
    tmp_path: Path, content: bytes, pack: Callable[[bytes], bytes]
) -> None:
    """The estimate is near the size of the tables; with as much memory the file opens."""
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(pack(content))
    with pytest.raises(TooLargeForMemory):
        q.load(path, limit=MemoryLimit(int(0.8 * NEEDED)))
    profile = q.load(path, limit=MemoryLimit(int(1.3 * NEEDED)))
    assert len(profile.costs) + len(profile.calls) in (LINES, 100_000)


def test_several_files_are_counted_together(tmp_path: Path) -> None:
    """Each alone fits, both do not."""
    paths = [tmp_path / "callgrind.out.1", tmp_path / "callgrind.out.2"]
    for path in paths:
        path.write_bytes(COSTS)
    limit = MemoryLimit(4_300_000)
    q.load(paths[0], limit=limit)
    with pytest.raises(TooLargeForMemory) as caught:
        q.load(*paths, limit=limit)
    assert caught.value.path == str(paths[1])


def test_a_python_profile(tmp_path: Path) -> None:
    """Its objects take twelve times what it has on disk."""
    path = tmp_path / "program.prof"
    path.write_bytes(PYTHON)
    with pytest.raises(TooLargeForMemory):
        q.load(path, limit=MemoryLimit(len(PYTHON)))
    assert len(q.load(path).costs) == 20_000


def test_what_grows_beyond_measure(tmp_path: Path) -> None:
    """More than a gigabyte out of a small file is no profile, even if it took no memory."""
    path = tmp_path / "empty.gz"
    path.write_bytes(gzip.compress(b"events: Ir\n") + 17 * gzip.compress(b"\n" * (1 << 26), 1))
    with pytest.raises(TooLargeForMemory, match="unpacks to more than 200 times its size"):
        q.load(path)
