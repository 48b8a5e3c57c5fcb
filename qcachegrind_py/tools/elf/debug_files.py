"""Separate debug files, in which distributions keep symbols: found by build-id or debug link.

Only symbols are read from them, never code. The search follows gdb's manual, "Separate Debug
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
_LARGEST_SUMMED = 1 << 31  # bytes; computing a CRC takes about 1 s per GB


def separate_symbols(
    path: Path, headers: Headers, folders: Sequence[Path], progress: Progress | None = None
) -> tuple[Symbols, Marks] | None:
    """Return the symbols of a file from its separate debug file; None if it has none.

    The debug file's build-id must be the same; without build-ids, its CRC must be the linked one.
    """
    for candidate in _candidates(path, headers, folders):
        try:
            with opened(candidate, progress) as file:
                candidate_headers = read_headers(file)
                if SYMTAB in candidate_headers.sections["type"] and _belongs(
                    file, candidate_headers, headers
                ):
                    return read_symbols(file, candidate_headers, SYMTAB)
        except (AnnotationError, UnreadableFile):
            continue  # most do not exist, and a broken one is of no use
    return None


def _candidates(path: Path, headers: Headers, folders: Sequence[Path]) -> Iterator[Path]:
    """Yield possible paths: by build-id, beside the file, in `.debug`, in the debug folders."""
    build_id = headers.build_id
    if len(build_id) > 2:
        for folder in (*folders, path.parent, path.parent / ".debug"):
            yield folder / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
    name = headers.debug_link[0] if headers.debug_link else ""
    if name in ("", ".", "..") or "/" in name or "\\" in name:
        return  # not a bare name: it would lead elsewhere
    folder = path.absolute().parent
    yield from (parent / name for parent in (folder, folder / ".debug") if parent / name != path)
    yield from (debug / folder.relative_to(folder.anchor) / name for debug in folders)


def _belongs(file: ElfBytes, candidate: Headers, headers: Headers) -> bool:
    if candidate.machine != headers.machine or candidate.bits != headers.bits:
        return False
    if candidate.build_id or headers.build_id:
        return candidate.build_id == headers.build_id
    return headers.debug_link is not None and _crc(file) == headers.debug_link[1]


def _crc(file: ElfBytes) -> int:
    """Return the CRC-32 of the whole file; -1 if it is too large."""
    if file.status.st_size > _LARGEST_SUMMED:
        return -1
    file.stream.seek(0)
    crc = 0
    while piece := file.stream.read(_PIECE):
        file.progress.check(0.0)
        crc = zlib.crc32(piece, crc)
    return crc
