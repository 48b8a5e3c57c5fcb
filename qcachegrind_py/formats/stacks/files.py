"""Reads files of other profilers' stacks, and knows their formats."""

from __future__ import annotations

from collections.abc import Callable

from qcachegrind_py.formats.compression import ProfileStream
from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.formats.stacks.dhat import is_dhat, read_dhat
from qcachegrind_py.formats.stacks.folded import is_folded, read_folded
from qcachegrind_py.formats.stacks.perf_script import is_perf_script, read_perf_script
from qcachegrind_py.formats.stacks.pprof import is_pprof, read_pprof
from qcachegrind_py.formats.stacks.source import StackSource
from qcachegrind_py.formats.stacks.speedscope import is_speedscope, read_speedscope
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import InvalidProfile
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress


@frozen(eq=True)
class StackFormat:
    """A format of stacks: its name, how it is recognised, and its reader."""

    name: str
    sniff: Callable[[bytes], bool]  # recognises the format by the first bytes of a file
    read: Callable[[StackSource, StackBuilder], None]


# Folded stacks are the last: any text whose lines end with numbers may be some.
STACK_FORMATS = (
    StackFormat("Speedscope", is_speedscope, read_speedscope),
    StackFormat("DHAT", is_dhat, read_dhat),
    StackFormat("perf script", is_perf_script, read_perf_script),
    StackFormat("pprof", is_pprof, read_pprof),
    StackFormat("Folded stacks", is_folded, read_folded),
)


def stack_format(head: bytes) -> StackFormat | None:
    """Return the format of a file by its first bytes, decompressed."""
    return next((each for each in STACK_FORMATS if each.sniff(head)), None)


class StackFiles:
    """Reads files of one format, each of which becomes a profile."""

    def __init__(self, format_: StackFormat, progress: Progress) -> None:
        self._format, self._progress = format_, progress
        self._profiles: dict[int, Profile] = {}

    def read(
        self, index: int, file: ProfileStream, head: bytes, share: tuple[float, float]
    ) -> None:
        """Read a file; raises `InvalidProfile` if there is nothing in it, and `Cancelled`."""
        builder = StackBuilder(str(file.path), self._format.name)
        self._format.read(StackSource(file, head, builder, self._progress, share), builder)
        if file.decompression_error:
            message = f"{file.decompression_error}; read up to here."
            builder.diagnostic(0, "broken-packing", message)
        if not len(builder):
            reason = (
                f"has no stacks, though it looks like a file of the format {self._format.name}."
            )
            raise InvalidProfile(file.path, reason)
        self._profiles[index] = builder.profile()

    def profiles(self) -> dict[int, Profile]:
        """Return the profiles by the index of their file."""
        return self._profiles
