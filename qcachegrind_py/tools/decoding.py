"""A stretch of machine code decoded, with the data that may lie within it.

Instructions are decoded one behind the other from the first byte. Some code has data within, such
as tables of jumps, after which this gets out of step with what ran. On ARM and RISC-V symbols mark
data; elsewhere it begins anew at an address with cost where no instruction was found, if

- an instruction that never goes on to the next one stands before it,
- nothing between the two has cost,
- and what is decoded anew is free of other bytes, and in step with the costs, up to the next
  instruction that never goes on.

What lies between is then data. All other addresses where no instruction begins stay as they are:
that many of them shows that the binary is another one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from qcachegrind_py.analysis.code import NO_CODE, Code, Kind
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray, UInt64Array
from qcachegrind_py.tools.code_stretches import Stretch
from qcachegrind_py.tools.disassembler import Disassembler, Named, data_rows
from qcachegrind_py.tools.elf_headers import Machine
from qcachegrind_py.tools.elf_image import ElfImage

_MOST_STARTS = 32  # times that a stretch is begun anew
_ENDS = (Kind.JUMP, Kind.RETURN)
_WORD, _TABLE_ENTRY = 4, 8  # bytes
_DATA, _THUMB = ord("d"), ord("t")


def decoded_stretch(
    image: ElfImage,
    stretch: Stretch,
    disassembler: Disassembler,
    named: Named,
    progress: Progress,
) -> Code:
    """The instructions and data of a stretch."""
    data = image.bytes_at(stretch.start, stretch.end - stretch.start)
    codes = []
    for start, end, sign in _marked(image, stretch):
        piece = data[start - stretch.start : end - stretch.start]
        if sign == _DATA:
            codes.append(data_rows(start, piece, _WORD, image.machine.is_big_endian))
            continue
        machine = replace(image.machine, name="thumb") if sign == _THUMB else image.machine
        sweep = _Sweep(machine, start, piece, disassembler, named, progress)
        codes.append(sweep.in_step_with(stretch.addresses))
    code = joined(codes)
    if stretch.is_function or not len(stretch.addresses):
        return code
    return _rows(code, code.address <= stretch.addresses[-1])


def joined(codes: list[Code]) -> Code:
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


def _rows(code: Code, wanted: BoolArray) -> Code:
    rows = np.flatnonzero(wanted).tolist()
    return Code(
        code.address[rows],
        code.size[rows],
        code.kind[rows],
        code.target[rows],
        tuple(code.mnemonic[row] for row in rows),
        tuple(code.operands[row] for row in rows),
        tuple(code.raw[row] for row in rows),
    )


def _marked(image: ElfImage, stretch: Stretch) -> list[tuple[int, int, int]]:
    """Start, end and mark of what is code or data throughout; the mark is 0 where there is none."""
    marks = image.marks
    inside = (marks.address > stretch.start) & (marks.address < stretch.end)
    starts = [stretch.start, *marks.address[inside].tolist()]
    signs = [_first_mark(image, stretch), *marks.sign[inside].tolist()]
    return list(zip(starts, [*starts[1:], stretch.end], signs, strict=True))


def _first_mark(image: ElfImage, stretch: Stretch) -> int:
    """What the last mark before the stretch says, if it is of the same section."""
    start = np.uint64(stretch.start)
    before = int(np.searchsorted(image.marks.address, start, side="right")) - 1
    if before >= 0:
        mark = image.marks.address[before]
        of_mark, of_start = image.code.holding(np.array([mark, start], np.uint64))
        if of_mark == of_start:
            return int(image.marks.sign[before])
    return _THUMB if stretch.is_thumb else 0


@dataclass(frozen=True, slots=True)
class _Sweep:
    """Bytes that are decoded from the first to the last."""

    machine: Machine
    start: int
    data: bytes
    disassembler: Disassembler
    named: Named
    progress: Progress

    def in_step_with(self, addresses: UInt64Array) -> Code:
        """The instructions, begun anew where an address with cost asks for it and is right."""
        end = self.start + len(self.data)
        addresses = addresses[(addresses >= self.start) & (addresses < end)]
        code = self._from(self.start)
        asked = -1
        for _start in range(_MOST_STARTS):
            is_found = np.isin(addresses, code.address[code.kind != Kind.DATA])
            asking = addresses[~is_found & (addresses.astype(np.int64) > asked)]
            if not len(asking):
                break
            asked = int(asking[0])
            code = self._begun_anew(code, asked, addresses) or code
        return code

    def _from(self, address: int) -> Code:
        data = self.data[address - self.start :]
        return self.disassembler.decode(self.machine, address, data, self.named, self.progress)

    def _begun_anew(self, code: Code, address: int, addresses: UInt64Array) -> Code | None:
        """With instructions from that address on; nothing where the rule says no."""
        row = int(np.searchsorted(code.address, np.uint64(address)))
        ends = np.flatnonzero(np.isin(code.kind[:row], _ENDS))
        if not len(ends):
            return None
        border = int(code.address[ends[-1]]) + int(code.size[ends[-1]])
        has_cost_before = ((addresses >= border) & (addresses < address)).any()
        if border > address or has_cost_before:
            return None
        anew = self._from(address)
        if not _is_in_step(anew, addresses):
            return None
        between = self.data[border - self.start : address - self.start]
        table = data_rows(border, between, _TABLE_ENTRY, self.machine.is_big_endian)
        return joined([_rows(code, np.arange(len(code)) <= ends[-1]), table, anew])


def _is_in_step(code: Code, addresses: UInt64Array) -> bool:
    """Whether all is instructions, and all costs are on them, until one never goes on."""
    ends = np.flatnonzero(np.isin(code.kind, _ENDS))
    last = int(ends[0]) if len(ends) else len(code) - 1
    behind = int(code.address[last]) + int(code.size[last])
    costs = addresses[(addresses >= code.address[0]) & (addresses < behind)]
    is_code = not (code.kind[: last + 1] == Kind.DATA).any()
    return is_code and bool(np.isin(costs, code.address[: last + 1]).all())
