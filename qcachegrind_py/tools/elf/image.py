"""ELF files as images of code: bytes and functions by address, with separate debug files.

The file is closed after parsing, and opened again to read code. Addresses are those of the linked
file, as Callgrind writes them. Nothing is decoded here.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import AnnotationError, UnreadableFile, UnsuitableFile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.tools.elf.headers import (
    CodeSections,
    ElfBytes,
    Headers,
    Machine,
    opened,
    read_headers,
)
from qcachegrind_py.tools.elf.symbols import (
    DYNSYM,
    SYMTAB,
    FunctionRanges,
    Marks,
    Symbols,
    function_ranges,
    read_slots,
    read_symbols,
    with_stubs,
)

# ---------------------------------------------------- separate debug files
# Only symbols are read from them, never code. The search follows gdb's manual, "Separate Debug
# Files".

_DEBUG_FOLDERS = (Path("/usr/lib/debug"),)
_PIECE = 1 << 20
_LARGEST_SUMMED = 1 << 31  # bytes; computing a CRC takes about 1 s per GB


def _separate_symbols(
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


# ------------------------------------------------------------------ images

Fingerprint = tuple[int, int, int, int]
_LOWEST_FIXED = 0x10000  # address at which a linker puts what cannot be loaded elsewhere


@frozen
class ElfImage:
    """The parsed headers and symbols of a program or library."""

    path: Path
    modified: float  # seconds since 1970
    fingerprint: Fingerprint  # device, inode, bytes, nanoseconds since 1970: identifies the file
    headers: Headers
    symbols: Symbols  # including PLT stubs such as `puts@plt`
    slots: Symbols  # addresses where the loader writes a symbol's address
    functions: FunctionRanges
    marks: Marks

    @classmethod
    def open(
        cls,
        path: Path,
        debug_folders: Sequence[Path] = _DEBUG_FOLDERS,
        progress: Progress | None = None,
    ) -> ElfImage:
        """Parse the file; without symbols of its own, take those of its debug file.

        Raises `UnreadableFile`, `UnsuitableFile` and `Cancelled`, whatever the file is.
        """
        with opened(path, progress) as file:
            headers = read_headers(file)
            symbols, marks = _symbols(file, headers, debug_folders)
            slots = read_slots(file, headers)
            symbols = with_stubs(file, headers, symbols, slots)
            functions = function_ranges(symbols, headers.code)
            modified = file.status.st_mtime
            return cls(
                path, modified, _fingerprint(file), headers, symbols, slots, functions, marks
            )

    @property
    def machine(self) -> Machine:
        return self.headers.machine

    @property
    def build_id(self) -> str:
        """The build-id in hex; empty if there is none."""
        return self.headers.build_id

    @property
    def code(self) -> CodeSections:
        return self.headers.code

    @property
    def fixed_range(self) -> range:
        """The addresses of the file, if it is linked to a fixed place in memory; else none.

        What can be loaded anywhere is linked to address 0, where small numbers would be addresses.
        """
        sections = self.headers.sections
        address, size = (sections[column].astype(np.uint64) for column in ("address", "size"))
        loaded = (address > 0) & (size > 0) & (size <= ~address)
        if not loaded.any() or int(address[loaded].min()) < _LOWEST_FIXED:
            return range(0)
        return range(int(address[loaded].min()), int((address + size)[loaded].max()))

    def bytes_at(self, address: int, size: int) -> bytes:
        """Return machine code from an address, up to the end of its section; empty outside them.

        Raises `UnsuitableFile` if the file has changed since it was parsed.
        """
        row = int(self.code.holding(np.array([address], np.uint64))[0])
        if row < 0:
            return b""
        offset = address - int(self.code.address[row])
        size = min(size, int(self.code.size[row]) - offset)
        with opened(self.path) as file:
            if _fingerprint(file) != self.fingerprint:
                raise UnsuitableFile(self.path, "was changed while it was read.", "Reload.")
            return file.read(int(self.code.offset[row]) + offset, size, "machine code")

    def named(self, addresses: UInt64Array) -> list[tuple[str, int]]:
        """Return for each address the symbol at or before it, and the distance to it in bytes.

        A slot filled by the loader is named after its symbol, unless a symbol begins there. The
        name is empty if nothing is known.
        """
        starts = self.symbols.begin_before(addresses)
        is_slot = self.slots.begin_at(addresses) & (starts != addresses)
        names = {start: self.symbols.best_name(start) for start in np.unique(starts).tolist()}
        named = [
            (names[start], address - start)
            for address, start in zip(addresses.tolist(), starts.tolist(), strict=True)
        ]
        for row in np.flatnonzero(is_slot).tolist():
            named[row] = (self.slots.best_name(int(addresses[row])), 0)
        return named


def fingerprint_of(path: Path) -> Fingerprint:
    """Return what identifies the file and its version; raises like `ElfImage.open`."""
    with opened(path) as file:
        return _fingerprint(file)


def _fingerprint(file: ElfBytes) -> Fingerprint:
    status = file.status
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _symbols(
    file: ElfBytes, headers: Headers, debug_folders: Sequence[Path]
) -> tuple[Symbols, Marks]:
    """Return the symbols of the file or of its debug file; else the dynamic symbols."""
    if SYMTAB in headers.sections["type"]:
        return read_symbols(file, headers, SYMTAB)
    separate = _separate_symbols(file.path, headers, debug_folders, file.progress)
    return separate or read_symbols(file, headers, DYNSYM)
