"""Machine code as instructions: bytes in, columns of `analysis.code.Code` out.

What decodes stands behind a small protocol; here it is capstone, which is imported with the first
function. Which bytes are decoded, and what things are called, others say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from qcachegrind_py.analysis.code.instructions import (
    LONGEST_INSTRUCTION,
    NO_CODE,
    Code,
    InstructionKind,
    Syntax,
)
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.tools.disassembly.instruction_flow import (
    branch_target,
    instruction_kind,
    processor_family,
)
from qcachegrind_py.tools.elf.headers import Machine

if TYPE_CHECKING:
    import capstone

_CHUNK_SIZE = 4096  # instructions, before we ask whether to go on
_BYTE_DIRECTIVE = ".byte"  # as capstone names bytes that it cannot decode
_DIRECTIVES = {2: ".short", 4: ".word", 8: ".quad"}
# Architecture and modes, as capstone's constants are called.
_MODES = {
    "x86": ("X86", "32"),
    "x86-64": ("X86", "64"),
    "arm": ("ARM", "ARM V8"),
    "thumb": ("ARM", "THUMB V8"),
    "aarch64": ("ARM64", "ARM"),
    "riscv32": ("RISCV", "RISCV32 RISCVC"),
    "riscv64": ("RISCV", "RISCV64 RISCVC"),
    "ppc": ("PPC", "32"),
    "ppc64": ("PPC", "64"),
    "s390x": ("SYSZ", "BIG_ENDIAN"),
    "mips32": ("MIPS", "MIPS32"),
    "mips64": ("MIPS", "MIPS64"),
    "sparc": ("SPARC", "BIG_ENDIAN"),
    "sparc64": ("SPARC", "BIG_ENDIAN V9"),
    "m68k": ("M68K", "BIG_ENDIAN M68K_040"),
}
_LITTLE_ENDIAN_ONLY = frozenset({"aarch64", "riscv32", "riscv64"})  # code is, whatever data are
_BRANCH_KINDS = frozenset({InstructionKind.JUMP, InstructionKind.BRANCH, InstructionKind.CALL})
# Instructions of families that name an address and do not go there.
_ADDRESS_INSTRUCTIONS = frozenset({("aarch64", "adr"), ("aarch64", "adrp"), ("s390x", "larl")})
# Memory at a distance from the next instruction: `-0x10(%rip)`, in Intel syntax `[rip - 0x10]`.
_IP_RELATIVE = re.compile(r"(-?\w*)\(%[er]ip\)|\[[er]ip(?: ([+-] \w+))?\]")

AddressNamer = Callable[[UInt64Array], list[str]]
"""Names of what is at each address, such as `fib+0xc`; empty where nothing is known."""


class Disassembler(Protocol):
    """Decodes machine code."""

    def supports(self, machine: Machine) -> bool:
        """Whether it can decode for that machine."""

    def decode(
        self,
        machine: Machine,
        address: int,
        data: bytes,
        name_addresses: AddressNamer,
        progress: Progress,
    ) -> Code:
        """The instructions from the first byte to the last; what is none is of kind `DATA`.

        Targets and addresses of data have their names behind them. Raises `Cancelled`.
        """


@dataclass(frozen=True, slots=True)
class Capstone:
    """The disassembler that is a library; each thread has its own."""

    syntax: Syntax = Syntax.ATT
    _engines: dict[Machine, capstone.Cs] = field(default_factory=dict, init=False, repr=False)

    def supports(self, machine: Machine) -> bool:
        """Whether it can decode for that machine."""
        return machine.name in _MODES

    def decode(
        self,
        machine: Machine,
        address: int,
        data: bytes,
        name_addresses: AddressNamer,
        progress: Progress | None = None,
    ) -> Code:
        """As the protocol says, in capstone's spelling; x86 in this syntax."""
        progress = progress or NoProgress()
        rows = _CodeBuilder(processor_family(machine.name))
        if machine not in self._engines:  # to make one takes as long as to decode a small function
            self._engines[machine] = _engine(machine, self.syntax)
        decoded = _decode_chunk(self._engines[machine], address, data)
        for count, (start, size, mnemonic, operands) in enumerate(decoded):
            if count % _CHUNK_SIZE == 0:
                progress.check((start - address) / len(data))
            place = start - address
            rows.add(start, data[place : place + size], mnemonic, operands)
        return rows.build(name_addresses)


def data_rows(address: int, data: bytes, width: int, is_big_endian: bool) -> Code:
    """Bytes that are no instructions, `width` of them a row: `.word 0x12345678`."""
    raw = tuple(data[place : place + width] for place in range(0, len(data), width))
    texts = [_data_text(piece, is_big_endian) for piece in raw]
    return Code(
        np.uint64(address) + np.arange(0, len(data), width, dtype=np.uint64),
        np.array([len(piece) for piece in raw], np.int32),
        np.full(len(raw), InstructionKind.DATA, np.int8),
        np.zeros(len(raw), np.uint64),
        tuple(directive for directive, _number in texts),
        tuple(number for _directive, number in texts),
        raw,
    )


def _data_text(raw: bytes, is_big_endian: bool) -> tuple[str, str]:
    order: Literal["little", "big"] = "big" if is_big_endian else "little"
    number = f"0x{int.from_bytes(raw, order):0{2 * len(raw)}x}"
    return _DIRECTIVES.get(len(raw), ".byte"), number


def _engine(machine: Machine, syntax: Syntax) -> capstone.Cs:
    import capstone

    architecture, modes = _MODES[machine.name]
    if (
        machine.is_big_endian
        and machine.name not in _LITTLE_ENDIAN_ONLY
        and "BIG_ENDIAN" not in modes
    ):
        modes += " BIG_ENDIAN"
    mode = sum(getattr(capstone, f"CS_MODE_{name}") for name in modes.split())
    engine = capstone.Cs(getattr(capstone, f"CS_ARCH_{architecture}"), mode)
    if architecture == "X86" and syntax is Syntax.ATT:
        engine.syntax = capstone.CS_OPT_SYNTAX_ATT
    engine.skipdata = True
    return engine


def _decode_chunk(
    engine: capstone.Cs, address: int, data: bytes
) -> Iterator[tuple[int, int, str, str]]:
    """Address, size, mnemonic and operands as capstone writes them, of all bytes."""
    place = 0
    while place < len(data):
        # never cuts what is decoded at once
        window = data[place : place + _CHUNK_SIZE * LONGEST_INSTRUCTION]
        done = place
        for row in engine.disasm_lite(window, address + place, _CHUNK_SIZE):
            done += row[1]
            yield row
        if done == place:  # fewer bytes than an instruction has
            yield address + place, len(data) - place, _BYTE_DIRECTIVE, ""
            return
        place = done


@dataclass(slots=True)
class _CodeBuilder:
    """Instructions that are being collected, and the addresses that their operands mention."""

    family: str
    rows: list[tuple[int, InstructionKind, int, str, str, bytes]] = field(default_factory=list)
    mentions: list[tuple[int, int, int]] = field(default_factory=list)
    """Row, address, and where in the operands that stands; -1: it does not."""

    def add(self, address: int, raw: bytes, mnemonic: str, operands: str) -> None:
        """One more instruction as capstone writes it."""
        kind, target = InstructionKind.DATA, 0
        if mnemonic == _BYTE_DIRECTIVE:
            mnemonic, operands = _data_text(raw, False)
        else:
            # no operands for x86: its mnemonics suffice, and their few texts stay in the cache
            has_flow_in_operands = self.family != "x86"
            kind = instruction_kind(self.family, mnemonic, operands if has_flow_in_operands else "")
            target = self._note_address(kind, address, raw, mnemonic, operands)
        self.rows.append((address, kind, target, mnemonic, operands, raw))

    def _note_address(
        self, kind: InstructionKind, address: int, raw: bytes, mnemonic: str, operands: str
    ) -> int:
        """Note an address that the operands mention, and say where the instruction goes to."""
        goes = kind in _BRANCH_KINDS
        if goes or (self.family, mnemonic) in _ADDRESS_INSTRUCTIONS:
            target, place = branch_target(self.family, address, operands)
            if place >= 0:
                self.mentions.append((len(self.rows), target, place))
                return target if goes else 0
        if "ip" in operands and (near := _IP_RELATIVE.search(operands)):
            distance = int((near[1] or near[2] or "0").replace(" ", ""), 0)
            place = (address + len(raw) + distance) % (1 << 64)
            self.mentions.append((len(self.rows), place, -1))
        return 0

    def build(self, named: AddressNamer) -> Code:
        """The columns, the mentioned addresses with their names."""
        if not self.rows:
            return NO_CODE
        address, kind, target, mnemonic, operands, raw = zip(*self.rows, strict=True)
        return Code(
            np.array(address, np.uint64),
            np.array([len(piece) for piece in raw], np.int32),
            np.array(kind, np.int8),
            np.array(target, np.uint64),
            mnemonic,
            tuple(self._insert_names(list(operands), named)),
            raw,
        )

    def _insert_names(self, operands: list[str], named: AddressNamer) -> list[str]:
        names = named(np.array([address for _row, address, _place in self.mentions], np.uint64))
        for (row, address, place), name in zip(self.mentions, names, strict=True):
            text = f"{address:x} <{name}>" if name else f"{address:x}"
            before = f"{operands[row]}  # " if place < 0 else operands[row][:place]
            operands[row] = before + text
        return operands
