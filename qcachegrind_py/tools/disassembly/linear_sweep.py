"""A stretch of machine code decoded, with the data that may lie within it.

Instructions are decoded one behind the other from the first byte. Some code has data within, such
as tables of jumps, after which this gets out of step with what ran. On ARM and RISC-V symbols mark
data; elsewhere it begins anew at an address with cost where no instruction was found, if

- an instruction that never goes on to the next one stands before it,
- nothing between the two has cost,
- and what is decoded anew is free of other bytes, and in step with the costs, up to the next
  instruction that never goes on.

How much is decoded for that is bounded: in another build of the program, costs always ask for it.
What lies between is then data. All other addresses where no instruction begins stay as they are:
that many of them shows that the binary is another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from qcachegrind_py.analysis.code.instructions import NO_CODE, Code, InstructionKind
from qcachegrind_py.analysis.costs.grouped_sums import find_rows
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.tools.disassembly.code_ranges import MAX_INSTRUCTION_SIZE, CodeRange
from qcachegrind_py.tools.disassembly.disassembler import AddressNamer, Disassembler, data_rows
from qcachegrind_py.tools.elf.headers import Machine
from qcachegrind_py.tools.elf.image import ElfImage

_MAX_RESTARTS = 32  # times that a stretch is begun anew, at most
# Bytes that are decoded for all that, as a multiple of the stretch's, and for a small one.
_MAX_EXTRA_FACTOR, _EXTRA_BYTES = 2, 1 << 14
_FIRST_WINDOW = 512  # bytes that are decoded to judge a new start, then twice as many, …
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
    """The instructions and data of a stretch."""
    data = image.bytes_at(code_range.start, code_range.end - code_range.start)
    codes = []
    for start, end, sign in _marked_ranges(image, code_range):
        piece = data[start - code_range.start : end - code_range.start]
        if sign == _DATA:
            codes.append(data_rows(start, piece, _WORD, image.machine.is_big_endian))
            continue
        machine = replace(image.machine, name="thumb") if sign == _THUMB else image.machine
        sweep = _LinearSweep(machine, start, piece, disassembler, name_addresses, progress)
        codes.append(sweep.decode_aligned(code_range.addresses))
    code = concatenate_code(codes)
    if code_range.is_function or not len(code_range.addresses):
        return code
    return _slice_code(
        code, 0, int(np.searchsorted(code.address, code_range.addresses[-1], side="right"))
    )


def concatenate_code(codes: list[Code]) -> Code:
    """The rows of all of them, one after the other."""
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
    """The rows from `first` to before `last`."""
    return Code(
        code.address[first:last],
        code.size[first:last],
        code.kind[first:last],
        code.target[first:last],
        code.mnemonic[first:last],
        code.operands[first:last],
        code.raw[first:last],
    )


def _marked_ranges(image: ElfImage, stretch: CodeRange) -> list[tuple[int, int, int]]:
    """Start, end and mark of what is code or data throughout; the mark is 0 where there is none."""
    marks = image.marks
    inside = (marks.address > stretch.start) & (marks.address < stretch.end)
    starts = [stretch.start, *marks.address[inside].tolist()]
    signs = [_mark_before(image, stretch), *marks.sign[inside].tolist()]
    return list(zip(starts, [*starts[1:], stretch.end], signs, strict=True))


def _mark_before(image: ElfImage, stretch: CodeRange) -> int:
    """What the last mark before the stretch says, if it is of the same section."""
    start = np.uint64(stretch.start)
    before = int(np.searchsorted(image.marks.address, start, side="right")) - 1
    if before >= 0:
        mark = image.marks.address[before]
        of_mark, of_start = image.code.holding(np.array([mark, start], np.uint64))
        if of_mark == of_start:
            return int(image.marks.sign[before])
    return _THUMB if stretch.is_thumb else 0


@dataclass(slots=True)
class _LinearSweep:
    """Bytes that are decoded from the first to the last."""

    machine: Machine
    start: int
    data: bytes
    disassembler: Disassembler
    name_addresses: AddressNamer
    progress: Progress
    bytes_left: int = field(init=False)
    """Bytes that may still be decoded anew. Those of another build would never come to an end."""

    def __post_init__(self) -> None:
        self.bytes_left = _MAX_EXTRA_FACTOR * len(self.data) + _EXTRA_BYTES

    def decode_aligned(self, addresses: UInt64Array) -> Code:
        """The instructions, begun anew where an address with cost asks for it and is right."""
        end = self.start + len(self.data)
        addresses = addresses[(addresses >= self.start) & (addresses < end)]
        code = self._decode(self.start, len(self.data))
        first = 0
        for _start in range(_MAX_RESTARTS):
            rows = find_rows(code.address, addresses[first:])
            is_asking = (
                (rows < 0) | (code.kind[rows] == InstructionKind.DATA) if len(code) else rows < 0
            )
            if not is_asking.any() or self.bytes_left <= 0:
                break
            first += int(is_asking.argmax()) + 1
            code = self._restart(code, int(addresses[first - 1]), addresses) or code
        return code

    def _decode(self, address: int, size: int) -> Code:
        place = address - self.start
        data = self.data[place : place + size]
        return self.disassembler.decode(
            self.machine, address, data, self.name_addresses, self.progress
        )

    def _restart(self, code: Code, address: int, addresses: UInt64Array) -> Code | None:
        """With instructions from that address on; nothing where the rule says no."""
        row = int(np.searchsorted(code.address, np.uint64(address)))
        ends = np.flatnonzero(np.isin(code.kind[:row], _FLOW_ENDS))
        if not len(ends):
            return None
        border = int(code.address[ends[-1]]) + int(code.size[ends[-1]])
        has_cost_before = ((addresses >= border) & (addresses < address)).any()
        if border > address or has_cost_before:
            return None
        found = self._decode_until_aligned(code, address, addresses)
        if found is None:
            return None
        anew, met = found
        between = self.data[border - self.start : address - self.start]
        table = data_rows(border, between, _TABLE_ENTRY, self.machine.is_big_endian)
        before, behind = _slice_code(code, 0, int(ends[-1]) + 1), _slice_code(code, met, len(code))
        return concatenate_code([before, table, *anew, behind])

    def _decode_until_aligned(
        self, code: Code, address: int, addresses: UInt64Array
    ) -> tuple[list[Code], int] | None:
        """What is decoded from an address on, and the row of `code` that goes on behind it.

        Nothing where the rule says no. From the same byte on the same is decoded: where what is new
        meets what is there, no more is.
        """
        anew: list[Code] = []
        is_right: bool | None = None
        for piece in self._windows(address):
            rows = find_rows(code.address, piece.address)
            meeting = np.flatnonzero(rows >= 0)[:1]
            new = _slice_code(piece, 0, int(meeting[0])) if len(meeting) else piece
            anew.append(new)
            if is_right is None:
                is_right = _is_aligned(new, addresses)
            if len(meeting) and is_right is None:
                is_right = _is_aligned(
                    _slice_code(code, int(rows[meeting[0]]), len(code)), addresses
                )
            if is_right is False:
                return None
            if len(meeting):
                return anew, int(rows[meeting[0]])
        return anew, len(code)

    def _windows(self, address: int) -> Iterator[Code]:
        """The instructions from an address to the last byte, more with each step."""
        size = _FIRST_WINDOW
        end = self.start + len(self.data)
        while address < end:
            code = self._decode(address, size + MAX_INSTRUCTION_SIZE)
            self.bytes_left -= size
            if address + size + MAX_INSTRUCTION_SIZE < end:  # what begins behind it may be cut
                code = _slice_code(
                    code, 0, int(np.searchsorted(code.address, np.uint64(address + size)))
                )
            yield code
            address = int(code.address[-1]) + int(code.size[-1])
            size *= 2


def _is_aligned(code: Code, addresses: UInt64Array) -> bool | None:
    """Whether all is instructions, and all costs are on them, until one never goes on.

    Nothing where all of it is, and it goes on.
    """
    if not len(code):
        return None
    ends = np.flatnonzero(np.isin(code.kind, _FLOW_ENDS))
    last = int(ends[0]) if len(ends) else len(code) - 1
    behind = int(code.address[last]) + int(code.size[last])
    costs = addresses[(addresses >= code.address[0]) & (addresses < behind)]
    if (code.kind[: last + 1] == InstructionKind.DATA).any() or (
        find_rows(code.address, costs) < 0
    ).any():
        return False
    return True if len(ends) else None
