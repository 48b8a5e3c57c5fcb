"""Linear sweep: decode a range of machine code that may contain data.

Instructions are decoded one after another from the first byte. Some code contains data, such as
jump tables, after which decoding is no longer aligned with the executed instructions. On ARM and
RISC-V, mapping symbols mark data. Elsewhere, decoding restarts at an address with cost that is not
the start of a decoded instruction, if

- an instruction that ends the flow (jump or return) precedes it, - nothing between the two has
cost, and - the restarted decoding is free of undecodable bytes, and aligned with the costs, up to
the next
  instruction that ends the flow.

The bytes between are data then. All other misplaced addresses stay as they are: their number shows
that the binary is not the profiled one. The extra work is bounded, as in another build of the
program costs always request a restart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from qcachegrind_py.analysis.code.instructions import NO_CODE, Code, InstructionKind
from qcachegrind_py.analysis.costs.sums import find_rows
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.tools.disassembly.code_ranges import MAX_INSTRUCTION_SIZE, CodeRange
from qcachegrind_py.tools.disassembly.disassembler import AddressNamer, Disassembler, data_rows
from qcachegrind_py.tools.elf.headers import Machine
from qcachegrind_py.tools.elf.image import ElfImage

_MAX_RESTARTS = 32  # per range
# Bytes decoded in restarts: a multiple of the range's size, plus an allowance for small ranges.
_MAX_EXTRA_FACTOR, _EXTRA_BYTES = 2, 1 << 14
_FIRST_WINDOW = 512  # bytes decoded to judge a restart, doubled at each further step
_FLOW_ENDS = (InstructionKind.JUMP, InstructionKind.RETURN)
_WORD, _TABLE_ENTRY = 4, 8  # bytes
_DATA, _THUMB = ord("d"), ord("t")


def decode_range(
    image: ElfImage,
    code_range: CodeRange,
    disassembler: Disassembler,
    name_addresses: AddressNamer,
    progress: Progress,
) -> Code:
    """Decode the instructions and data of a range."""
    data = image.bytes_at(code_range.start, code_range.end - code_range.start)
    codes = []
    for start, end, mark in _marked_ranges(image, code_range):
        piece = data[start - code_range.start : end - code_range.start]
        if mark == _DATA:
            codes.append(data_rows(start, piece, _WORD, image.machine.is_big_endian))
            continue
        machine = replace(image.machine, name="thumb") if mark == _THUMB else image.machine
        sweep = _LinearSweep(machine, start, piece, disassembler, name_addresses, progress)
        codes.append(sweep.decode_aligned(code_range.addresses))
    code = concatenate_code(codes)
    if code_range.is_function or not len(code_range.addresses):
        return code
    return _slice_code(
        code, 0, int(np.searchsorted(code.address, code_range.addresses[-1], side="right"))
    )


def concatenate_code(codes: list[Code]) -> Code:
    """Return the rows of all codes, one after another."""
    if not codes:
        return NO_CODE
    return Code(
        np.concatenate([code.address for code in codes]),
        np.concatenate([code.size for code in codes]),
        np.concatenate([code.kind for code in codes]),
        np.concatenate([code.target for code in codes]),
        tuple(chain.from_iterable(code.mnemonic for code in codes)),
        tuple(chain.from_iterable(code.operands for code in codes)),
        tuple(chain.from_iterable(code.raw for code in codes)),
    )


def _slice_code(code: Code, first: int, last: int) -> Code:
    """Return the rows from `first` to before `last`."""
    return Code(
        code.address[first:last],
        code.size[first:last],
        code.kind[first:last],
        code.target[first:last],
        code.mnemonic[first:last],
        code.operands[first:last],
        code.raw[first:last],
    )


def _marked_ranges(image: ElfImage, code_range: CodeRange) -> list[tuple[int, int, int]]:
    """Return start, end and mark of each subrange with a single mark; the mark may be 0: none."""
    marks = image.marks
    inside = (marks.address > code_range.start) & (marks.address < code_range.end)
    starts = [code_range.start, *marks.address[inside].tolist()]
    kinds = [_mark_before(image, code_range), *marks.sign[inside].tolist()]
    return list(zip(starts, [*starts[1:], code_range.end], kinds, strict=True))


def _mark_before(image: ElfImage, code_range: CodeRange) -> int:
    """Return the last mark before the range, if it belongs to the same section."""
    start = np.uint64(code_range.start)
    before = int(np.searchsorted(image.marks.address, start, side="right")) - 1
    if before >= 0:
        mark = image.marks.address[before]
        mark_section, start_section = image.code.holding(np.array([mark, start], np.uint64))
        if mark_section == start_section:
            return int(image.marks.sign[before])
    return _THUMB if code_range.is_thumb else 0


@dataclass(slots=True)
class _LinearSweep:
    """Decodes bytes from the first to the last, with restarts."""

    machine: Machine
    start: int
    data: bytes
    disassembler: Disassembler
    name_addresses: AddressNamer
    progress: Progress
    bytes_left: int = field(init=False)
    """Bytes left for restarts; in another build of the program they would never end."""

    def __post_init__(self) -> None:
        self.bytes_left = _MAX_EXTRA_FACTOR * len(self.data) + _EXTRA_BYTES

    def decode_aligned(self, addresses: UInt64Array) -> Code:
        """Return the instructions, restarted at addresses with cost where the rule allows it."""
        end = self.start + len(self.data)
        addresses = addresses[(addresses >= self.start) & (addresses < end)]
        code = self._decode(self.start, len(self.data))
        first = 0
        for _start in range(_MAX_RESTARTS):
            rows = find_rows(code.address, addresses[first:])
            is_misplaced = (
                (rows < 0) | (code.kind[rows] == InstructionKind.DATA) if len(code) else rows < 0
            )
            if not is_misplaced.any() or self.bytes_left <= 0:
                break
            first += int(is_misplaced.argmax()) + 1
            code = self._restart(code, int(addresses[first - 1]), addresses) or code
        return code

    def _decode(self, address: int, size: int) -> Code:
        offset = address - self.start
        data = self.data[offset : offset + size]
        return self.disassembler.decode(
            self.machine, address, data, self.name_addresses, self.progress
        )

    def _restart(self, code: Code, address: int, addresses: UInt64Array) -> Code | None:
        """Return the code restarted at that address; None if the rule forbids it."""
        row = int(np.searchsorted(code.address, np.uint64(address)))
        ends = np.flatnonzero(np.isin(code.kind[:row], _FLOW_ENDS))
        if not len(ends):
            return None
        flow_end = int(code.address[ends[-1]]) + int(code.size[ends[-1]])
        has_cost_before = ((addresses >= flow_end) & (addresses < address)).any()
        if flow_end > address or has_cost_before:
            return None
        restart = self._decode_until_aligned(code, address, addresses)
        if restart is None:
            return None
        decoded, next_row = restart
        between = self.data[flow_end - self.start : address - self.start]
        table = data_rows(flow_end, between, _TABLE_ENTRY, self.machine.is_big_endian)
        before, after = (
            _slice_code(code, 0, int(ends[-1]) + 1),
            _slice_code(code, next_row, len(code)),
        )
        return concatenate_code([before, table, *decoded, after])

    def _decode_until_aligned(
        self, code: Code, address: int, addresses: UInt64Array
    ) -> tuple[list[Code], int] | None:
        """Decode from an address until a row of `code` begins there, too; return that row's number.

        None if the rule forbids it. From the same byte on, decoding gives the same result, so it
        stops where the new instructions meet the existing ones.
        """
        decoded: list[Code] = []
        is_aligned: bool | None = None
        for piece in self._windows(address):
            rows = find_rows(code.address, piece.address)
            common = np.flatnonzero(rows >= 0)[:1]
            new_code = _slice_code(piece, 0, int(common[0])) if len(common) else piece
            decoded.append(new_code)
            if is_aligned is None:
                is_aligned = _is_aligned(new_code, addresses)
            if len(common) and is_aligned is None:
                is_aligned = _is_aligned(
                    _slice_code(code, int(rows[common[0]]), len(code)), addresses
                )
            if is_aligned is False:
                return None
            if len(common):
                return decoded, int(rows[common[0]])
        return decoded, len(code)

    def _windows(self, address: int) -> Iterator[Code]:
        """Yield the instructions from an address to the last byte, in windows of growing size."""
        size = _FIRST_WINDOW
        end = self.start + len(self.data)
        while address < end:
            code = self._decode(address, size + MAX_INSTRUCTION_SIZE)
            self.bytes_left -= size
            if address + size + MAX_INSTRUCTION_SIZE < end:  # the last one may be cut
                code = _slice_code(
                    code, 0, int(np.searchsorted(code.address, np.uint64(address + size)))
                )
            yield code
            address = int(code.address[-1]) + int(code.size[-1])
            size *= 2


def _is_aligned(code: Code, addresses: UInt64Array) -> bool | None:
    """Whether all rows up to the first flow end are instructions, and all costs are on them.

    None if they are, but the flow does not end.
    """
    if not len(code):
        return None
    ends = np.flatnonzero(np.isin(code.kind, _FLOW_ENDS))
    last = int(ends[0]) if len(ends) else len(code) - 1
    end = int(code.address[last]) + int(code.size[last])
    costs = addresses[(addresses >= code.address[0]) & (addresses < end)]
    if (code.kind[: last + 1] == InstructionKind.DATA).any() or (
        find_rows(code.address, costs) < 0
    ).any():
        return False
    return True if len(ends) else None
