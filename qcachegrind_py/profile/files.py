"""Files: opened safely, told apart when they change, and bounded in the memory that they take.

Paths are those that users give, also as URLs or in archives. Devices, pipes and sockets are refused
before they are opened, and opening never blocks. A small file can be packed from gigabytes of
lines: what a file takes is estimated while it is read, so that it ends with a sentence rather than
with the program, or with others on the same machine.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import TooLargeForMemory, UnreadableFile, UnsuitableFile

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe would block until another process writes to it
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_IF_MISSING = "Check whether it was moved."
# file:///path, file://localhost/path and file:/path, but no other computer
_FILE_URL = re.compile(r"file:(?:(?://(?:localhost)?)(?=/)|(?!//))(/.*)", re.IGNORECASE | re.DOTALL)


def local_path(name: str) -> str:
    """Return the path of a `file:` URL of this computer, and any other name as it is.

    A file that is really called `file:…` comes first.
    """
    url = _FILE_URL.fullmatch(name)
    if url is None or os.path.lexists(name):
        return name
    from urllib.parse import unquote_to_bytes

    path = os.fsdecode(unquote_to_bytes(url[1]))
    return path[1:] if os.name == "nt" else path  # /C:/…


def archive_and_member(path: Path) -> tuple[Path, str] | None:
    """Return the two names in `ARCHIVE!MEMBER`; None for others, and for a file of that name."""
    text = str(path)
    if "!" not in text or os.path.lexists(text):
        return None
    for sign in re.finditer("!", text):
        archive, member = Path(text[: sign.start()]), text[sign.end() :]
        if member and archive.is_file():
            return archive, member
    return None


def path_on_disk(path: Path) -> Path:
    """Return the path of the file that has the content: for `ARCHIVE!MEMBER`, of the archive."""
    both = archive_and_member(path)
    return path if both is None else both[0]


class IrregularFile(Exception):
    """The path is not a regular file; `kind` names what it is, such as “a named pipe”."""

    def __init__(self, mode: int) -> None:
        self.kind = _KINDS.get(stat.S_IFMT(mode), "an irregular file")
        self.is_folder = stat.S_ISDIR(mode)
        super().__init__(self.kind)


def open_regular(path: Path) -> tuple[io.BufferedReader, os.stat_result]:
    """Open a regular file for reading and return it with its stat data at that moment.

    Raises `IrregularFile`, and `OSError` if the file cannot be opened or its name is invalid.
    """
    try:
        _require_regular(path.stat())  # opening some devices has side effects
        file = os.fdopen(os.open(path, _FLAGS), "rb")
    except ValueError as error:  # a zero byte in the name
        raise OSError(str(error)) from error
    with contextlib.ExitStack() as on_error:
        on_error.enter_context(file)
        status = os.fstat(file.fileno())
        _require_regular(status)  # the file may have been replaced since `stat`
        on_error.pop_all()
    return file, status


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise IrregularFile(status.st_mode)


@contextlib.contextmanager
def reading(path: Path, expected: str) -> Iterator[tuple[io.BufferedReader, os.stat_result]]:
    """Open a regular file for reading, with its stat data; `expected` names its kind in messages.

    Raises `UnsuitableFile`, and `UnreadableFile` if the system refuses to open or read it.
    """
    try:
        file, status = open_regular(path)
        with file:
            yield file, status
    except IrregularFile as error:
        reason = f"is {error.kind}, not {expected}."
        raise UnsuitableFile(path, reason, "Choose the file itself.") from error
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError, if_missing: str = _IF_MISSING) -> UnreadableFile:
    """Return a system error as `UnreadableFile`; a missing file gets `if_missing` as remedy."""
    remedy = ""
    if isinstance(error, PermissionError):
        remedy = "Ask its owner for read permission."
    if isinstance(error, FileNotFoundError):
        remedy = if_missing
    return UnreadableFile(path, f"cannot be read: {error.strerror or error}.", remedy=remedy)


# ---------------------------------------------------------------- changed files


@frozen(eq=True)
class Fingerprint:
    """The stat data that change whenever a file is written or replaced."""

    modified_ns: int  # ns since 1970
    size: int  # bytes
    device: int
    inode: int  # changes when the file is replaced

    @classmethod
    def of(cls, status: os.stat_result) -> Fingerprint:
        return cls(status.st_mtime_ns, status.st_size, status.st_dev, status.st_ino)


Fingerprints = dict[Path, Fingerprint | None]  # None: the file does not exist


def fingerprint(path: Path) -> Fingerprint | None:
    """Return the fingerprint of a file, or of the archive that it is in; None if there is none."""
    try:
        return Fingerprint.of(path_on_disk(path).stat())
    except (OSError, ValueError):
        return None


def fingerprints(paths: Iterable[Path]) -> Fingerprints:
    """Return the fingerprints of files; take them before reading, so that later writes show."""
    return {path: fingerprint(path) for path in paths}


# ---------------------------------------------------------------- memory

ASKING_SHARE = 0.5  # of the available memory: beyond, the window asks
REFUSING_SHARE = 0.9  # beyond, the command refuses
_GROWTH = 200  # times its size on disk: beyond, a large packed file was made to harm
_LARGE = 1 << 30  # bytes
_SMALL = 1 << 24  # bytes, which are always available; asking the system takes 0.3 ms
_ESTIMATED_FROM = 1 / 8  # of the limit: before that, the beginning of a file tells too little


@frozen(eq=True, slots=False)
class MemoryLimit:
    """What a profile may take: so many bytes, or a share of what is available."""

    given: int | None = None  # bytes; None: any amount
    bounds_growth: bool = False  # whether packed files may grow to any size
    share: float = 0.0  # of the memory available when it is first needed; 0: as many as given

    @classmethod
    def of_available(cls, share: float) -> MemoryLimit:
        """Return a share of the available memory as limit, and bound growth."""
        return cls(share=share, bounds_growth=True)

    @cached_property
    def bytes(self) -> int | None:
        """The most bytes; None: any amount."""
        available = available_memory() if self.share else None
        return self.given if available is None else int(self.share * available)

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
        needed = before + by_this
        if (self.share and needed < _SMALL) or self.bytes is None:
            return
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
