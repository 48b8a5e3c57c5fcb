"""Builds small ELF files from sections, symbols and notes."""

from __future__ import annotations

import struct
from dataclasses import dataclass

PROGBITS, SYMTAB, STRTAB, RELA, NOTE, NOBITS, DYNSYM = 1, 2, 3, 4, 7, 8, 11
CODE = 6  # in memory, executable
IN_MEMORY = 2
FUNC, NOTYPE, OBJECT = 2, 0, 1


@dataclass(frozen=True)
class Section:
    """A section; `link` is the name of the section it refers to."""

    name: str
    data: bytes
    address: int = 0
    flags: int = 0
    type: int = PROGBITS
    link: str = ""
    entry: int = 0


@dataclass(frozen=True)
class Symbol:
    """A symbol; `section` is where it is defined, empty for an imported one."""

    name: str
    value: int
    size: int = 0
    kind: int = FUNC
    binding: int = 1
    section: str = ".text"


def build_elf(
    *sections: Section, machine: int = 62, bits: int = 64, order: str = "<", type_: int = 3
) -> bytes:
    """A file with these sections, their table and their names at the end."""
    word = "Q" if bits == 64 else "I"
    header_size = 64 if bits == 64 else 52
    every = [Section("", b"", type=0), *sections]
    names, name_at = string_table([section.name for section in every] + [".shstrtab"])
    every.append(Section(".shstrtab", names, type=STRTAB))
    numbers = {section.name: number for number, section in enumerate(every)}
    body, table, place = b"", b"", header_size
    for section in every:
        fields = (section.flags, section.address, place, len(section.data))
        table += struct.pack(f"{order}II4{word}", name_at[section.name], section.type, *fields)
        link = numbers[section.link] if section.link else 0
        table += struct.pack(f"{order}II2{word}", link, 0, 1, section.entry)
        if section.type != NOBITS:
            body += section.data
            place += len(section.data)
    ident = b"\x7fELF" + bytes([bits // 32, 1 if order == "<" else 2, 1]) + bytes(9)
    entry_size = 64 if bits == 64 else 40
    header = struct.pack(f"{order}HHI3{word}I", type_, machine, 1, 0, 0, place, 0)
    sizes = (header_size, 56 if bits == 64 else 32, 0, entry_size, len(every), len(every) - 1)
    return ident + header + struct.pack(f"{order}6H", *sizes) + body + table


def string_table(names: list[str]) -> tuple[bytes, dict[str, int]]:
    """A string table, and the offset of each string."""
    data, at = b"\0", {"": 0}
    for name in names:
        if name not in at:
            at[name] = len(data)
            data += name.encode() + b"\0"
    return data, at


def symbol_sections(
    symbols: list[Symbol],
    names: list[str],
    bits: int = 64,
    order: str = "<",
    kind: int = SYMTAB,
) -> list[Section]:
    """The symbol and string tables of these symbols; `names` are the file's sections."""
    data, at = string_table([symbol.name for symbol in symbols])
    table = bytes(24 if bits == 64 else 16)
    for symbol in symbols:
        info = symbol.binding << 4 | symbol.kind
        section = names.index(symbol.section) + 1 if symbol.section else 0
        if bits == 64:
            fields = (at[symbol.name], info, 0, section, symbol.value, symbol.size)
            table += struct.pack(f"{order}IBBHQQ", *fields)
        else:
            fields = (at[symbol.name], symbol.value, symbol.size, info, 0, section)
            table += struct.pack(f"{order}IIIBBH", *fields)
    name, of_strings = (".symtab", ".strtab") if kind == SYMTAB else (".dynsym", ".dynstr")
    return [
        Section(name, table, type=kind, link=of_strings, flags=0 if kind == SYMTAB else IN_MEMORY),
        Section(of_strings, data, type=STRTAB),
    ]


def build_id(number: bytes, order: str = "<") -> Section:
    """A note with this build-id."""
    note = struct.pack(f"{order}III4s", 4, len(number), 3, b"GNU\0") + number
    return Section(".note.gnu.build-id", note, type=NOTE, flags=IN_MEMORY)


def debug_link(name: str, crc: int, order: str = "<") -> Section:
    """A link to a separate symbol file."""
    data = name.encode() + b"\0"
    data += bytes(-len(data) % 4) + struct.pack(f"{order}I", crc)
    return Section(".gnu_debuglink", data)
