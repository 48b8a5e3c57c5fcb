"""Programs and libraries: real and built ones, mutated; their symbols and machine code are read."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from qcachegrind_py.profile.errors import AnnotationError, UnreadableFile
from qcachegrind_py.tools.disassembly.machine_code import clear_code_cache, read_code
from qcachegrind_py.tools.elf.image import ElfImage
from tests.fuzz.mutation import mutate, mutate_in_place
from tests.fuzz.outcome import Content
from tests.tools.elf.elf_builder import (
    CODE,
    DYNSYM,
    FUNC,
    NOBITS,
    NOTE,
    NOTYPE,
    OBJECT,
    PROGBITS,
    RELA,
    STRTAB,
    SYMTAB,
    Section,
    Symbol,
    build_elf,
    build_id,
    debug_link,
    symbol_sections,
)

_PROGRAMS = Path(__file__).parents[2] / "data" / "programs" / "bin"
_MACHINES = [2, 3, 4, 8, 20, 21, 22, 40, 43, 62, 62, 62, 183, 243, 15, 999]
_TYPES = [PROGBITS, SYMTAB, STRTAB, RELA, NOTE, NOBITS, DYNSYM]
_NAMES = [".text", ".plt", ".rela.plt", ".got", ".data", ".symtab", ".note", "x" * 500]
_FUNCTIONS = ["main", "_Z1fv", "_ZN1aIiE1bEv", "_RNvC1a1b", "$t", "$d", "$a", "", "_Z" + "1a" * 300]
_ADDRESSES = [0x1000, 0x1004, 0x1010, 0, 2**31, 2**32 - 1, 2**64 - 1, 2**63]
_HEADER = 64  # bytes, in which a change matters most


def make(random: Random) -> bytes:
    """A program with a few wrong bytes, often in its header or its tables."""
    program = random.choice((_built, _built, _real))
    data = program(random)
    if random.random() < 0.1:
        return mutate_in_place(random, data[:_HEADER]) + data[_HEADER:]
    if random.random() < 0.7:
        return mutate_in_place(random, data)
    return mutate(random, data, program(random)) if random.random() < 0.8 else data


def check(data: bytes, folder: Path) -> Content:
    """Open the file, name some addresses, and decode the code around them."""
    path = folder / "program"
    path.write_bytes(data)
    clear_code_cache()
    try:
        image = ElfImage.open(path, (folder,))
        starts = image.code.address[:4].tolist() + image.functions.start[:4].tolist()
        addresses = np.unique(np.array([*starts, *_ADDRESSES], np.uint64))
        named = image.named(addresses)
        for address in starts:
            image.bytes_at(address, 64)
        code = read_code(path, addresses[addresses > 0])
    except (AnnotationError, UnreadableFile) as error:
        return {"error": f"{type(error).__name__} {error.reason}"}
    return {"named": named, "instructions": len(code.code), "symbols": code.symbols}


@cache
def _real_programs() -> list[bytes]:
    return [path.read_bytes() for path in sorted(_PROGRAMS.iterdir())]


def _real(random: Random) -> bytes:
    return random.choice(_real_programs())


def _built(random: Random) -> bytes:
    bits, order = random.choice((32, 64)), random.choice("<>")
    limit = 1 << bits
    sections = [Section(".text", random.randbytes(64), address=0x1000, flags=CODE)]
    sections += [_section(random, limit) for _ in range(random.randint(0, 4))]
    names = [section.name for section in sections]
    symbols = [_symbol(random, limit, names) for _ in range(random.randint(0, 12))]
    sections += symbol_sections(symbols, names, bits, order, random.choice((SYMTAB, DYNSYM)))
    if random.random() < 0.5:
        sections.append(build_id(random.randbytes(20), order))
    if random.random() < 0.3:
        link = random.choice(("x.debug", "../x", "", "a\x7f"))
        sections.append(debug_link(link, random.randrange(1 << 32), order))
    machine = random.choice(_MACHINES)
    return build_elf(
        *sections, machine=machine, bits=bits, order=order, type_=random.choice((2, 3))
    )


def _section(random: Random, limit: int) -> Section:
    return Section(
        random.choice(_NAMES),
        random.randbytes(random.choice((0, 1, 16, 48, 500))),
        address=random.choice(_ADDRESSES) % limit,
        flags=random.choice((0, 2, CODE, 0xFF)),
        type=random.choice(_TYPES),
        link=random.choice(("", ".text")),
        entry=random.choice((0, 1, 16, 24)),
    )


def _symbol(random: Random, limit: int, sections: list[str]) -> Symbol:
    return Symbol(
        random.choice(_FUNCTIONS),
        random.choice((random.randint(0xFF0, 0x1050), random.choice(_ADDRESSES) % limit)),
        random.choice((0, 4, 16, 64, limit - 1)),
        random.choice((FUNC, FUNC, NOTYPE, OBJECT, 10)),
        random.choice((0, 1, 2, 10)),
        random.choice(("", *sections)),
    )
