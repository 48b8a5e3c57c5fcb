"""Files that are opened safely, and how much memory they may take."""

from __future__ import annotations

from pathlib import Path

import pytest

from qcachegrind_py.profile.errors import TooLargeForMemory
from qcachegrind_py.profile.files import NO_LIMIT, MemoryLimit, available_memory, local_path


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("file:///tmp/a", "/tmp/a"),
        ("file://localhost/tmp/a", "/tmp/a"),
        ("FILE://LOCALHOST/tmp/a", "/tmp/a"),
        ("file:/tmp/a", "/tmp/a"),
        ("file:///x/call%23grind%20%2520%3F.out", "/x/call#grind %20?.out"),
        ("file:///x/%C3%A4%FF", "/x/\N{LATIN SMALL LETTER A WITH DIAERESIS}\udcff"),
        ("file:///x/100%/a#b?c%", "/x/100%/a#b?c%"),
        ("file:///x/a%0Ab\nc", "/x/a\nb\nc"),
        ("file://elsewhere/tmp/a", "file://elsewhere/tmp/a"),
        ("file:tmp/a", "file:tmp/a"),
        ("file:", "file:"),
        ("http://localhost/tmp/a", "http://localhost/tmp/a"),
        ("profile:/tmp/a", "profile:/tmp/a"),
        ("a%20b", "a%20b"),
        ("-", "-"),
    ],
)
def test_a_url_of_a_file_is_its_path(name: str, path: str) -> None:
    """Bytes are decoded as the system decodes names; other computers' files have no path."""
    assert local_path(name) == path


def test_a_file_called_like_a_url_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has such a file names it so; its folder is called `file:`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file:").mkdir()
    (tmp_path / "file:/a").write_text("")
    assert local_path("file:/a") == "file:/a"
    assert local_path("file:/b") == "/b"


GB = 10**9
FILE = Path("x")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, None),
        ({"proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    7 kB\n"}, 7 * 1024),
        # of two groups, one inside the other, the narrower one counts; cached files can go
        (
            {
                "proc/meminfo": "MemAvailable: 7000 kB\n",
                "proc/self/cgroup": "0::/ci/job\n",
                "sys/fs/cgroup/ci/memory.max": "5000\n",
                "sys/fs/cgroup/ci/memory.current": "4000\n",
                "sys/fs/cgroup/ci/memory.stat": "anon 1\ninactive_file 500\n",
                "sys/fs/cgroup/ci/job/memory.max": "max\n",
                "sys/fs/cgroup/ci/job/memory.current": "4000\n",
            },
            1500,
        ),
        # a container sees its own group at the top
        (
            {
                "proc/self/cgroup": "3:cpu:/a\n4:memory:/docker/0a\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "900\n",
                "sys/fs/cgroup/memory/memory.usage_in_bytes": "1000\n",
                "sys/fs/cgroup/memory/memory.stat": "inactive_file 7\ntotal_inactive_file 300\n",
            },
            200,
        ),
        ({"proc/meminfo": "MemAvailable: many\n", "proc/self/cgroup": "odd"}, None),
    ],
)
def test_the_available_memory(tmp_path: Path, files: dict[str, str], expected: int | None) -> None:
    """The least of what the machine has and the control groups allow; unknown elsewhere."""
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert available_memory(tmp_path) == expected


@pytest.mark.parametrize(
    ("limit", "taken", "unpacked", "share", "packed", "reason"),
    [
        (MemoryLimit(8 * GB), (0, GB + 1), GB, 0.1, GB, "takes about 10.0 GB of memory, more than"),
        (MemoryLimit(8 * GB), (0, GB + 1), GB, 0.5, GB, ""),
        (MemoryLimit(8 * GB), (0, GB - 1), GB, 0.01, GB, ""),  # the beginning tells too little
        (MemoryLimit(8 * GB), (7 * GB, GB // 2), GB, 0.25, GB, "takes about 9.0 GB"),
        (MemoryLimit(8 * GB), (0, 9 * GB), GB, 1.0, GB, "takes about 9.0 GB"),
        (MemoryLimit(None, bounds_growth=True), (0, 1), 2 * GB, 1, GB // 201, "unpacks to more"),
        (MemoryLimit(None, bounds_growth=True), (0, 1), 2 * GB, 1, GB // 99, ""),
        (MemoryLimit(None, bounds_growth=True), (0, 1), GB // 2, 1, 1, ""),  # that is not large
        (MemoryLimit(share=1e-6), (0, GB // 100), GB, 1, GB, ""),  # that is always available
        (NO_LIMIT, (0, 999 * GB), 999 * GB, 1, 1, ""),
    ],
)
def test_what_a_file_may_take(
    limit: MemoryLimit,
    taken: tuple[int, int],
    unpacked: int,
    share: float,
    packed: int,
    reason: str,
) -> None:
    """The whole is estimated from the share that was read; files before it count as they are."""
    if not reason:
        limit.check(FILE, taken, unpacked, share, packed)
        return
    with pytest.raises(TooLargeForMemory) as caught:
        limit.check(FILE, taken, unpacked, share, packed)
    assert str(caught.value).startswith(f"x {reason}")


@pytest.mark.skipif(available_memory() is None, reason="the system does not say")
def test_a_share_of_the_available_memory() -> None:
    """What is available is asked for once a profile is large enough to matter."""
    with pytest.raises(TooLargeForMemory):
        MemoryLimit.of_available(1e-6).check(FILE, (0, GB), GB, 1, GB)
