"""Symbols that distributions keep in a file of their own, found by build-id or by the link to it.

Only symbols are taken from there, never code. Where files are follows gdb's manual, "Separate Debug
Files".
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from qcachegrind_py.profile.errors import AnnotationError, UnreadableFile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.tools.elf.bounded_reader import ElfBytes, opened
from qcachegrind_py.tools.elf.headers import Headers, read_headers
from qcachegrind_py.tools.elf.symbols import SYMTAB, Marks, Symbols, read_symbols

DEBUG_FOLDERS = (Path("/usr/lib/debug"),)
_PIECE = 1 << 20
_LARGEST_SUMMED = 1 << 31  # bytes, at about 1 s a GB


def separate_symbols(
    path: Path, headers: Headers, folders: Sequence[Path], progress: Progress | None = None
) -> tuple[Symbols, Marks] | None:
    """The symbols of the file with these headers from another file; nothing where there is none.

    The other file's build-id must be the same; where there are none, its CRC must be as linked.
    """
    for candidate in _candidates(path, headers, folders):
        try:
            with opened(candidate, progress) as file:
                found = read_headers(file)
                if SYMTAB in found.sections["type"] and _belongs(file, found, headers):
                    return read_symbols(file, found, SYMTAB)
        except (AnnotationError, UnreadableFile):
            continue  # most are not there; what is broken serves nobody
    return None


def _candidates(path: Path, headers: Headers, folders: Sequence[Path]) -> Iterator[Path]:
    """Where it may be: by build-id, beside the file, in `.debug`, in its folder's likeness."""
    build_id = headers.build_id
    if len(build_id) > 2:
        for folder in (*folders, path.parent, path.parent / ".debug"):
            yield folder / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
    name = headers.debug_link[0] if headers.debug_link else ""
    if name in ("", ".", "..") or "/" in name or "\\" in name:
        return  # a name, not a way to elsewhere
    folder = path.absolute().parent
    yield from (place / name for place in (folder, folder / ".debug") if place / name != path)
    yield from (debug / folder.relative_to(folder.anchor) / name for debug in folders)


def _belongs(file: ElfBytes, found: Headers, headers: Headers) -> bool:
    if found.machine != headers.machine or found.bits != headers.bits:
        return False
    if found.build_id or headers.build_id:
        return found.build_id == headers.build_id
    return headers.debug_link is not None and _crc(file) == headers.debug_link[1]


def _crc(file: ElfBytes) -> int:
    """The CRC-32 of the whole file; -1 where it is too large to be summed up."""
    if file.status.st_size > _LARGEST_SUMMED:
        return -1
    file.stream.seek(0)
    crc = 0
    while piece := file.stream.read(_PIECE):
        file.progress.check(0.0)
        crc = zlib.crc32(piece, crc)
    return crc
