"""How much memory there is, and how much of it a profile may take.

A small file can be packed from gigabytes of lines. What a file takes is estimated while it is read,
so that it ends with a sentence rather than with the program, or with others on the same machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.profile.errors import TooLargeForMemory

ASKING_SHARE = 0.5  # of the available memory: beyond, the window asks
REFUSING_SHARE = 0.9  # beyond, the command refuses
_GROWTH = 200  # times its size on disk: beyond, a large packed file was made to harm
_LARGE = 1 << 30  # bytes
_ESTIMATED_FROM = 1 / 8  # of the limit: before that, the beginning of a file tells too little


@dataclass(frozen=True, slots=True)
class MemoryLimit:
    """What a profile may take."""

    bytes: int | None = None  # None: any amount
    bounds_growth: bool = False  # whether packed files may grow to any size

    @classmethod
    def of_available(cls, share: float) -> MemoryLimit:
        """Return a share of the memory that is available now as limit, and bound growth."""
        available = available_memory()
        return cls(None if available is None else int(share * available), bounds_growth=True)

    def check(
        self, path: Path, taken: tuple[int, int], unpacked: int, share: float, packed: int
    ) -> None:
        """Raise `TooLargeForMemory` if a file will take more.

        `taken` are the bytes of memory taken by the files before it, and by what has been read of
        it: `unpacked` bytes from `packed` bytes on disk, a `share` of the file up to 1.
        """
        before, by_this = taken
        if self.bounds_growth and unpacked > max(_LARGE, _GROWTH * packed):
            reason = f"unpacks to more than {_GROWTH} times its size, {_amount(unpacked)} so far."
            raise TooLargeForMemory(path, reason)
        if self.bytes is None:
            return
        needed = before + by_this
        if needed > _ESTIMATED_FROM * self.bytes:
            needed = before + int(by_this / share)
        if needed > self.bytes:
            most = f"more than the {_amount(self.bytes)} that it may."
            reason = f"takes about {_amount(needed)} of memory, {most}"
            raise TooLargeForMemory(path, reason)


NO_LIMIT = MemoryLimit()
_chosen: list[MemoryLimit] = []  # by the user, for all files that this program reads


def choose_limit(limit: MemoryLimit) -> None:
    """Make this the limit of all files that are read from now on."""
    _chosen[:] = [limit]


def limit_for(share: float) -> MemoryLimit:
    """Return the limit that the user has chosen, or else a share of the available memory."""
    return _chosen[0] if _chosen else MemoryLimit.of_available(share)


def available_memory(root: Path = Path("/")) -> int | None:
    """Return the bytes of memory that programs can still take; None if the system does not say.

    That is the least of what the machine has, and of what the control groups of this process allow
    (Linux). `root` has the folders `proc` and `sys`.
    """
    found = [*_of_machine(root), *_of_control_groups(root)]
    return max(0, min(found)) if found else None


def _of_machine(root: Path) -> Iterator[int]:
    with suppress(OSError, ValueError, IndexError):
        for line in (root / "proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                yield int(line.split()[1]) * 1024


def _of_control_groups(root: Path) -> Iterator[int]:
    """Yield what each group around this process allows: version 2, or the memory of version 1."""
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, _, rest = line.partition(":")
            controllers, _, name = rest.partition(":")
            top = root / "sys/fs/cgroup"
            if controllers == "":
                names = ("memory.max", "memory.current", "inactive_file")
            elif "memory" in controllers.split(","):
                top /= "memory"
                names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            else:
                continue
            group = Path(name.lstrip("/"))
            for folder in (group, *group.parents):
                yield from _of_group(top / folder, *names)


def _of_group(folder: Path, limit: str, usage: str, cached: str) -> Iterator[int]:
    """Yield what is left of a limit; what only caches files can be taken."""
    with suppress(OSError, ValueError):  # ValueError: no limit is “max”
        left = int((folder / limit).read_text()) - int((folder / usage).read_text())
        for line in (folder / "memory.stat").read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == cached:
                left += int(value)
        yield left


def _amount(count: int) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.0f} MB"
