"""Disassembler: decode machine code into the columns of `analysis.code.instructions.Code`.

It uses capstone, which is imported with the first function. The callers choose the bytes and name
the addresses.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from qcachegrind_py.analysis.code.instructions import (
    LONGEST_INSTRUCTION,
    NO_CODE,
    Code,
    InstructionKind,
    Syntax,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.tools.elf.headers import Machine

if TYPE_CHECKING:
    import capstone


# ------------------------------------------------------------ control flow
# Texts are capstone's. Its own instruction groups would require detailed decoding, which takes
# ten times as long, and do not distinguish a return from a plain jump. Delay slots are ignored:
# the jump instruction counts as jumping there, too.

_ARM_CONDITION = "(?:eq|ne|hs|cs|lo|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)"
_PPC_CONDITION = "(?:c|lt|gt|eq|so|ge|le|ne|ns|un|nu|d(?:nz|z)[tf]?)"
_ARM_RETURN = r"bx lr|pop(?:\.w)? .*pc\}|ldm\w*(?:\.w)? .*pc\}|ldr pc, \[sp\].*|mov pc, lr"
# By family: patterns of calls, returns, jumps and branches; the first match counts.
_FLOW_PATTERNS = {
    "x86": (
        r"(?:bnd |notrack )*l?call.*",
        r"(?:bnd |repz? |repnz )*(?:l?ret[flqw]*|iret\w*|sysret\w*|sysexit\w*|hlt|ud\d\w*)\b.*",
        r"(?:bnd |notrack )*l?jmp.*",
        r"(?:bnd )?(?:j|loop|xbegin).*",
    ),
    "arm": (
        rf"blx?{_ARM_CONDITION}? .*",
        rf"(?:{_ARM_RETURN}|udf\b.*|bkpt\b.*)",
        r"b(?:\.w)? .*|bxj? .*|mov pc,.*|ldr(?:\.w)? pc,.*|add pc,.*|sub pc,.*|tb[bh] .*",
        rf"b{_ARM_CONDITION}(?:\.w)? .*|cbn?z .*|bx{_ARM_CONDITION} .*|(?:pop|ldm).*pc\}}",
    ),
    "aarch64": (
        r"blr?(?:a[ab]z?)? .*",
        r"(?:ret|reta[ab]|eret\w*|udf|brk|hlt)\b.*",
        r"b #.*|br(?:a[ab]z?)? .*",
        r"bc?\.\w+ .*|cbn?z .*|tbn?z .*",
    ),
    "riscv": (
        r"(?:c\.)?jalr? (?!zero).*",
        r"ret\b.*|c\.jr ra|jr ra|jalr zero, (?:0\()?ra\)?|(?:c\.)?ebreak.*|(?:c\.)?unimp.*|mret.*",
        r"(?:c\.)?jr? .*|jalr? zero.*|tail .*",
        r"(?:c\.)?b(?:eq|ne|lt|ge|le|gt)\w* .*",
    ),
    "ppc": (
        rf"b{_PPC_CONDITION}?(?:la?|lrl|ctrl)[+-]?(?: .*)?",
        r"blr|rfid|trap",
        r"ba? .*|bctr",
        rf"b{_PPC_CONDITION}(?:a|lr|ctr)?[+-]?(?: .*)?",
    ),
    "s390x": (
        r"(?:brasl?|basr?|balr?|bassm) .*",
        r"br %r14",
        r"(?:jg?|br|b) .*",
        r"(?:j(?!g?nop)\w+|b(?!cr 0,)\w+|c\w*j\w*) .*",
    ),
    "mips": (
        r"(?:jalx?|jalr(?:\.hb)?|bal|balc|jialc|b\w+al) .*",
        r"jr(?:\.hb)? \$ra|jrc \$ra|eret|break.*",
        r"(?:j|jr|jr\.hb|b|bc|jic|jrc) .*",
        r"b(?!reak|it|align|insv)\w+ .*",
    ),
    "sparc": (r"call .*|jmpl .*%o7", r"retl?|ta .*|unimp.*", r"(?:ba|b|jmp)(?:,\w+)? .*", r"f?b.*"),
    "m68k": (
        r"[bj]sr.*",
        r"rt[sedr].*|illegal.*",
        r"(?:bra|jmp).*",
        r"(?:b(?!tst|clr|set|chg|f)|db).*",
    ),
}
_KINDS = (
    InstructionKind.CALL,
    InstructionKind.RETURN,
    InstructionKind.JUMP,
    InstructionKind.BRANCH,
)
_COMPILED_PATTERNS = {
    family: tuple(map(re.compile, patterns)) for family, patterns in _FLOW_PATTERNS.items()
}
_FAMILIES = {"x86-64": "x86", "thumb": "arm", "sparc64": "sparc"}
_WIDTH = re.compile(r"(?<!aarch)(?:32|64)$")
_TARGET = re.compile(r"(?:^|(?<=[ ,]))(?P<whole>#?(-?(?:0x[0-9a-f]+|\d+)))$")
_RELATIVE = frozenset({"riscv"})  # capstone writes their branch distances, not targets


def _processor_family(machine: str) -> str:
    """Return the processor family of a machine: `x86` for `x86-64`, `mips` for `mips64`."""
    return _FAMILIES.get(machine) or _WIDTH.sub("", machine)


@functools.lru_cache(maxsize=1 << 14)
def _instruction_kind(family: str, mnemonic: str, operands: str) -> InstructionKind:
    text = f"{mnemonic} {operands}" if operands else mnemonic
    for pattern, kind in zip(_COMPILED_PATTERNS.get(family, ()), _KINDS, strict=False):
        if pattern.fullmatch(text):
            return kind
    return InstructionKind.PLAIN


def _branch_target(family: str, address: int, operands: str) -> tuple[int, int]:
    """Return target of a jump or call and its position in the operands; (0, -1) if not stated.

    Addresses wrap at 64 bits.
    """
    match = _TARGET.search(operands)
    if match is None:
        return 0, -1
    target = int(match[2], 0) + (address if family in _RELATIVE else 0)
    return target % (1 << 64), match.start("whole")


# ---------------------------------------------------------------- decoding

_CHUNK_SIZE = 4096  # instructions between two checks for cancellation
_BYTE_DIRECTIVE = ".byte"  # capstone's mnemonic of bytes that it cannot decode
_DIRECTIVES = {2: ".short", 4: ".word", 8: ".quad"}
# Architecture and modes, as in the names of capstone's constants.
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
# their code is, whatever the data
_LITTLE_ENDIAN_ONLY = frozenset({"aarch64", "riscv32", "riscv64"})
# of such a machine only a damaged file speaks, and capstone raises an error
_NEVER_BIG_ENDIAN = frozenset({"x86", "x86-64"})
_BRANCH_KINDS = frozenset({InstructionKind.JUMP, InstructionKind.BRANCH, InstructionKind.CALL})
# Instructions by family that name an address without branching to it.
_ADDRESS_INSTRUCTIONS = frozenset({("aarch64", "adr"), ("aarch64", "adrp"), ("s390x", "larl")})
# Memory relative to the next instruction: `-0x10(%rip)`, in Intel syntax `[rip - 0x10]`.
_IP_RELATIVE = re.compile(r"(-?\w*)\(%[er]ip\)|\[[er]ip(?: ([+-] \w+))?\]")

AddressNamer = Callable[[UInt64Array], list[str]]
"""Returns names of addresses, such as `fib+0xc`; empty if unknown."""


@frozen(eq=True)
class Capstone:
    """The disassembler of the capstone library; use one instance per thread."""

    syntax: Syntax = Syntax.ATT
    _engines: dict[Machine, capstone.Cs] = field(default_factory=dict, init=False, repr=False)

    def supports(self, machine: Machine) -> bool:
        """Whether it can decode the machine's code."""
        is_impossible = machine.is_big_endian and machine.name in _NEVER_BIG_ENDIAN
        return machine.name in _MODES and not is_impossible

    def decode(
        self,
        machine: Machine,
        address: int,
        data: bytes,
        name_addresses: AddressNamer,
        progress: Progress | None = None,
    ) -> Code:
        """Decode all bytes in capstone's spelling; those that are no instruction are `DATA`.

        Branch targets and data addresses are followed by their names. Raises `Cancelled`.
        """
        progress = progress or NoProgress()
        rows = _CodeBuilder(_processor_family(machine.name))
        if machine not in self._engines:  # creating one takes as long as decoding a small function
            self._engines[machine] = _engine(machine, self.syntax)
        decoded = _decode_chunk(self._engines[machine], address, data)
        for count, (start, size, mnemonic, operands) in enumerate(decoded):
            if count % _CHUNK_SIZE == 0:
                progress.check((start - address) / len(data))
            offset = start - address
            rows.add(start, data[offset : offset + size], mnemonic, operands)
        return rows.build(name_addresses)


def data_rows(address: int, data: bytes, width: int, is_big_endian: bool) -> Code:
    """Return bytes that are no instructions as rows of `width` bytes: `.word 0x12345678`."""
    raw = tuple(data[offset : offset + width] for offset in range(0, len(data), width))
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
    """Yield address, size, mnemonic and operands of all bytes, in capstone's spelling."""
    offset = 0
    while offset < len(data):
        # long enough for all instructions decoded at once
        window = data[offset : offset + _CHUNK_SIZE * LONGEST_INSTRUCTION]
        done = offset
        for row in engine.disasm_lite(window, address + offset, _CHUNK_SIZE):
            done += row[1]
            yield row
        if done == offset:  # fewer bytes than an instruction needs
            yield address + offset, len(data) - offset, _BYTE_DIRECTIVE, ""
            return
        offset = done


@dataclass(slots=True)
class _CodeBuilder:
    """Collects instructions, and the addresses that their operands mention."""

    family: str
    rows: list[tuple[int, InstructionKind, int, str, str, bytes]] = field(default_factory=list)
    mentions: list[tuple[int, int, int]] = field(default_factory=list)
    """Row, address, and its position in the operands; -1: computed, not in the text."""

    def add(self, address: int, raw: bytes, mnemonic: str, operands: str) -> None:
        """Add an instruction in capstone's spelling."""
        kind, target = InstructionKind.DATA, 0
        if mnemonic == _BYTE_DIRECTIVE:
            mnemonic, operands = _data_text(raw, False)
        else:
            # no operands for x86: its mnemonics suffice, and so few distinct texts fit into the
            # cache
            flow_operands = "" if self.family == "x86" else operands
            kind = _instruction_kind(self.family, mnemonic, flow_operands)
            target = self._note_address(kind, address, raw, mnemonic, operands)
        self.rows.append((address, kind, target, mnemonic, operands, raw))

    def _note_address(
        self, kind: InstructionKind, address: int, raw: bytes, mnemonic: str, operands: str
    ) -> int:
        """Note an address mentioned by the operands; return the branch target, 0 if none."""
        is_branch = kind in _BRANCH_KINDS
        if is_branch or (self.family, mnemonic) in _ADDRESS_INSTRUCTIONS:
            target, position = _branch_target(self.family, address, operands)
            if position >= 0:
                self.mentions.append((len(self.rows), target, position))
                return target if is_branch else 0
        if "ip" in operands and (ip_relative := _IP_RELATIVE.search(operands)):
            distance = int((ip_relative[1] or ip_relative[2] or "0").replace(" ", ""), 0)
            mentioned = (address + len(raw) + distance) % (1 << 64)
            self.mentions.append((len(self.rows), mentioned, -1))
        return 0

    def build(self, name_addresses: AddressNamer) -> Code:
        """Return the columns, with names after the mentioned addresses."""
        if not self.rows:
            return NO_CODE
        address, kind, target, mnemonic, operands, raw = zip(*self.rows, strict=True)
        return Code(
            np.array(address, np.uint64),
            np.array([len(piece) for piece in raw], np.int32),
            np.array(kind, np.int8),
            np.array(target, np.uint64),
            mnemonic,
            tuple(self._insert_names(list(operands), name_addresses)),
            raw,
        )

    def _insert_names(self, operands: list[str], name_addresses: AddressNamer) -> list[str]:
        names = name_addresses(
            np.array([address for _row, address, _position in self.mentions], np.uint64)
        )
        for (row, address, position), name in zip(self.mentions, names, strict=True):
            text = f"{address:x} <{name}>" if name else f"{address:x}"
            before = f"{operands[row]}  # " if position < 0 else operands[row][:position]
            operands[row] = before + text
        return operands
