"""ELF files: complete, stripped, of other processors, and damaged."""

from __future__ import annotations

import contextlib
import lzma
import os
import random
import re
import struct
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qcachegrind_py.profile.errors import (
    AnnotationError,
    Cancelled,
    UnreadableFile,
    UnsuitableFile,
)
from qcachegrind_py.tools.elf.headers import Machine
from qcachegrind_py.tools.elf.image import ElfImage
from tests.tools.elf.elf_builder import (
    CODE,
    DYNSYM,
    IN_MEMORY,
    NOBITS,
    NOTYPE,
    OBJECT,
    RELA,
    Section,
    Symbol,
    build_elf,
    build_id,
    debug_link,
    symbol_sections,
)

PROGRAMS = Path(__file__).parents[2] / "data" / "programs"
NOWHERE = (Path("/nonexistent"),)
TEXT = Section(".text", bytes(range(64)), address=0x1000, flags=CODE)


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def functions(image: ElfImage) -> list[tuple[int, int, str]]:
    """Start, end and name of each function."""
    ranges = zip(image.functions.start.tolist(), image.functions.end.tolist(), strict=True)
    return [(start, end, image.symbols.best_name(start)) for start, end in ranges]


def named(image: ElfImage, *addresses: int) -> list[tuple[str, int]]:
    return image.named(np.array(addresses, np.uint64))


@pytest.mark.parametrize("path", sorted((PROGRAMS / "bin").iterdir()), ids=lambda path: path.name)
def test_functions_and_stubs_match_objdump(path: Path) -> None:
    """Function addresses and stub names such as `puts@plt` agree with objdump."""
    output = lzma.decompress((PROGRAMS / "objdump" / f"{path.name}.att.xz").read_bytes()).decode()
    headings = re.findall(r"^([0-9a-f]{16}) <([^>]*)>:$", output, re.M)
    wanted = [(int(at, 16), name) for at, name in headings if not re.search(r"-0x\w+$", name)]
    image = ElfImage.open(path, NOWHERE)
    assert [(start, name) for start, _end, name in functions(image)] == wanted


def test_header_fields() -> None:
    """Machine, build-id, time, code sections and their bytes are those of the file."""
    path = PROGRAMS / "bin" / "lonely"
    image = ElfImage.open(path, NOWHERE)
    code = image.code
    assert image.machine == Machine("x86-64")
    assert image.build_id == "54ac0f07800785b0902a3881c9d642ffc392fdca"
    assert image.modified == path.stat().st_mtime
    assert (code.address.tolist(), code.size.tolist()) == ([0x401000], [0x19])
    assert functions(image) == [(0x401000, 0x401017, "_start"), (0x401017, 0x401019, "f")]
    assert image.bytes_at(0x401017, 100) == bytes.fromhex("90c3")
    assert image.bytes_at(0x400FFF, 2) == image.bytes_at(0x401019, 2) == b""


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("order", ["<", ">"])
def test_widths_and_byte_orders(tmp_path: Path, bits: int, order: str) -> None:
    """32- and 64-bit tables of both byte orders yield the same image."""
    symbols = [Symbol("f", 0x1000, 16), Symbol("g", 0x1010, 8), Symbol("puts", 0, section="")]
    sections = [
        TEXT,
        *symbol_sections(symbols, [".text"], bits, order),
        build_id(b"\xab\xcd", order),
    ]
    path = written(tmp_path / "program", build_elf(*sections, machine=8, bits=bits, order=order))
    image = ElfImage.open(path, NOWHERE)
    assert image.machine == Machine(f"mips{bits}", is_big_endian=order == ">")
    assert image.build_id == "abcd"
    assert functions(image) == [(0x1000, 0x1010, "f"), (0x1010, 0x1018, "g")]
    assert named(image, 0x1014, 0xFFF) == [("g", 4), ("", 0)]


def test_symbol_choice_matches_objdump(tmp_path: Path) -> None:
    """Function before data, large before small, global before weak before local, then by name."""
    symbols = [
        Symbol("label", 0x1000, 0, NOTYPE),
        Symbol("table", 0x1000, 64, OBJECT),
        Symbol("small", 0x1000, 4),
        Symbol("zlocal", 0x1000, 16, binding=0),
        Symbol("weak", 0x1000, 16, binding=2),
        Symbol("beta@@V2", 0x1000, 16),
        Symbol("beta", 0x1000, 16),
        Symbol("gamma", 0x1000, 16),
        Symbol("data", 0x1010, 8, OBJECT),
        Symbol("entry", 0x1018, 0, NOTYPE),
        Symbol("outer", 0x1020, 32),
        Symbol("inner_label", 0x1024, 0, NOTYPE),
        Symbol("inner", 0x1028, 8),
    ]
    sections = [TEXT, *symbol_sections(symbols, [".text"])]
    image = ElfImage.open(written(tmp_path / "program", build_elf(*sections)), NOWHERE)
    assert functions(image) == [
        (0x1000, 0x1010, "beta"),
        (0x1018, 0x1020, "entry"),
        (0x1020, 0x1040, "outer"),
        (0x1028, 0x1030, "inner"),
    ]
    around = image.functions.containing(np.array([0x1014, 0x1027, 0x1029, 0x1031], np.uint64))
    assert around.tolist() == [-1, 2, 3, 2]
    assert named(image, 0x1012, 0x1025) == [("data", 2), ("inner_label", 1)]


def test_stubs_of_other_processors_lie_in_order_of_relocations(tmp_path: Path) -> None:
    """AArch64 stubs are named by position; a slot has the name of its relocation."""
    imported = [Symbol("puts", 0, section=""), Symbol("exit", 0, section="")]
    relocations = b"".join(
        struct.pack("<QQq", place, number << 32 | 1026, 0)
        for place, number in ((0x3000, 2), (0x3008, 1))
    )
    sections = [
        Section(".plt", bytes(32 + 2 * 16), address=0x2000, flags=CODE),
        Section(".rela.plt", relocations, flags=IN_MEMORY, type=RELA, link=".dynsym"),
        *symbol_sections(imported, [".plt"], kind=DYNSYM),
    ]
    image = ElfImage.open(written(tmp_path / "program", build_elf(*sections, machine=183)), NOWHERE)
    assert image.machine == Machine("aarch64")
    assert functions(image) == [(0x2020, 0x2030, "exit@plt"), (0x2030, 0x2040, "puts@plt")]
    assert named(image, 0x3000, 0x3008) == [("exit", 0), ("puts", 0)]


def test_thumb_and_data_within_code(tmp_path: Path) -> None:
    """On ARM odd function addresses mean Thumb; `$a`, `$t`, `$d` are mapping symbols."""
    marks = [("$a", 0x1000), ("$t", 0x1010), ("$d.1", 0x1018), ("$a", 0x1020)]
    symbols = [Symbol(name, at, 0, NOTYPE, 0) for name, at in marks]
    symbols += [Symbol("arm", 0x1000, 16), Symbol("thumb", 0x1011, 16), Symbol("$money", 0x1030, 4)]
    sections = [TEXT, *symbol_sections(symbols, [".text"], bits=32)]
    path = written(tmp_path / "program", build_elf(*sections, machine=40, bits=32))
    image = ElfImage.open(path, NOWHERE)
    assert functions(image) == [
        (0x1000, 0x1010, "arm"),
        (0x1010, 0x1020, "thumb"),
        (0x1030, 0x1034, "$money"),
    ]
    assert image.functions.is_thumb.tolist() == [False, True, False]
    signs = "".join(map(chr, image.marks.sign.tolist()))
    assert (image.marks.address.tolist(), signs) == ([0x1000, 0x1010, 0x1018, 0x1020], "atda")


def test_a_file_without_sections_is_read_by_segments(tmp_path: Path) -> None:
    """Without a section table, executable load segments are the code."""
    data = bytearray((PROGRAMS / "bin" / "lonely").read_bytes())
    struct.pack_into("<Q", data, 40, 0)  # e_shoff
    struct.pack_into("<HH", data, 60, 0, 0)  # e_shnum, e_shstrndx
    image = ElfImage.open(written(tmp_path / "program", bytes(data)), NOWHERE)
    assert image.bytes_at(0x401017, 2) == bytes.fromhex("90c3")
    assert functions(image) == []
    assert image.build_id == "54ac0f07800785b0902a3881c9d642ffc392fdca"


ID, OTHER_ID = b"\xab" + bytes(19), b"\xab" + bytes(18) + b"\1"
SYMBOLS = symbol_sections([Symbol("hidden", 0x1000, 64)], [".text"])
NO_TEXT = Section(".text", b"", address=0x1000, flags=CODE, type=NOBITS)


@pytest.mark.parametrize(
    "place", ["debug/.build-id/ab/{id}.debug", "bin/p.debug", "bin/.debug/p.debug", "{likeness}"]
)
def test_symbols_of_a_separate_file(tmp_path: Path, place: str) -> None:
    """They are found by build-id and debug link; a file of another build is skipped."""
    debug = tmp_path / "debug"
    likeness = f"debug{tmp_path}/bin/p.debug"
    places = {"id": (ID[1:]).hex(), "likeness": likeness}
    file = tmp_path / place.format(**places)
    file.parent.mkdir(parents=True)
    (tmp_path / "bin").mkdir(exist_ok=True)
    program = build_elf(TEXT, build_id(ID), debug_link("p.debug", 0))
    path = written(tmp_path / "bin" / "p", program)
    written(file, build_elf(NO_TEXT, *SYMBOLS, build_id(OTHER_ID)))
    assert functions(ElfImage.open(path, (debug,))) == []
    written(file, build_elf(NO_TEXT, *SYMBOLS, build_id(ID)))
    assert functions(ElfImage.open(path, (debug,))) == [(0x1000, 0x1040, "hidden")]


def test_debug_link_checks_the_crc(tmp_path: Path) -> None:
    """The CRC must match; a link is a bare name, and damaged files are skipped."""
    separate = build_elf(NO_TEXT, *SYMBOLS)
    written(tmp_path / "p.debug", separate)
    crc = zlib.crc32(separate)
    for link, wanted in [
        (("p.debug", crc), [(0x1000, 0x1040, "hidden")]),
        (("p.debug", crc ^ 1), []),
        ((f"../{tmp_path.name}/p.debug", crc), []),
        (("..", crc), []),
        (("", crc), []),
    ]:
        path = written(tmp_path / "p", build_elf(TEXT, debug_link(*link)))
        assert functions(ElfImage.open(path, NOWHERE)) == wanted, link
    written(tmp_path / "p.debug", separate[:100])
    path = written(
        tmp_path / "p", build_elf(TEXT, debug_link("p.debug", zlib.crc32(separate[:100])))
    )
    assert functions(ElfImage.open(path, NOWHERE)) == []


def reason_of(path: Path) -> str:
    """The reason why the file is unsuitable."""
    with pytest.raises(UnsuitableFile) as caught:
        ElfImage.open(path, NOWHERE)
    return caught.value.reason


def test_unsuitable_files_are_explained(tmp_path: Path) -> None:
    """Folders, pipes, devices, texts and truncated files are distinguished without blocking."""
    os.mkfifo(tmp_path / "pipe")
    lonely = (PROGRAMS / "bin" / "lonely").read_bytes()
    assert reason_of(tmp_path) == "is a folder, not a program or library."
    assert reason_of(tmp_path / "pipe") == "is a named pipe, not a program or library."
    assert reason_of(Path("/dev/zero")) == "is a device, not a program or library."
    assert reason_of(written(tmp_path / "empty", b"")) == "is not an ELF file."
    assert reason_of(written(tmp_path / "text", b"int main()")) == "is not an ELF file."
    assert reason_of(written(tmp_path / "cut", lonely[:30])).startswith("is truncated")
    assert reason_of(written(tmp_path / "cut", lonely[:-1])).startswith("is truncated")
    assert "neither" in reason_of(written(tmp_path / "object.o", build_elf(TEXT, type_=1)))
    with pytest.raises(UnreadableFile):
        ElfImage.open(tmp_path / "missing", NOWHERE)


def test_replaced_file_is_not_read(tmp_path: Path) -> None:
    """Bytes come from the parsed file, not from a new file of the same name."""
    path = written(tmp_path / "program", build_elf(TEXT))
    image = ElfImage.open(path, NOWHERE)
    path.unlink()
    written(path, build_elf(TEXT, build_id(ID)))
    with pytest.raises(UnsuitableFile, match="changed"):
        image.bytes_at(0x1000, 4)


def test_absurd_sizes_take_no_memory(tmp_path: Path) -> None:
    """Tables that claim terabytes of a sparse file are rejected before they are read."""
    huge = Section(".symtab", b"", type=2, link=".strtab")
    data = bytearray(build_elf(TEXT, huge, Section(".strtab", b"\0", type=3)))
    table = struct.unpack_from("<Q", data, 40)[0]
    struct.pack_into("<Q", data, table + 2 * 64 + 32, 1 << 39)
    path = written(tmp_path / "program", bytes(data))
    os.truncate(path, 1 << 40)
    tracemalloc.start()
    try:
        assert "impossible" in reason_of(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_overlapping_tables_are_rejected(tmp_path: Path) -> None:
    """Many headers that claim the same bytes are an error; the bytes are not read again."""
    imported = symbol_sections([Symbol("puts", 0, section="")], [".text"], kind=DYNSYM)
    table = Section(".rela", b"", flags=IN_MEMORY, type=RELA)
    data = bytearray(build_elf(TEXT, *imported, Section(".data", bytes(48_000)), *[table] * 100))
    rows = struct.unpack_from("<Q", data, 40)[0]
    for row in range(5, 105):
        struct.pack_into("<QQ", data, rows + row * 64 + 24, 64, 48_000)
    assert "overlap" in reason_of(written(tmp_path / "program", bytes(data)))


def memory_of(path: Path) -> int:
    """The peak memory in bytes while the file is opened."""
    tracemalloc.start()
    try:
        ElfImage.open(path, NOWHERE)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_names_are_decoded_on_demand(tmp_path: Path) -> None:
    """Thousands of sections and stubs with one long name do not each take memory."""
    name = "N" * 4000
    many = [Section(name, b"", address=0x9000, flags=CODE)] * 2000
    assert memory_of(written(tmp_path / "sections", build_elf(TEXT, *many))) < 2 << 20

    stubs = b"".join(
        b"\xff\x25" + struct.pack("<i", 0x90000 - 0x10006 - 16 * stub) + bytes(10)
        for stub in range(4000)
    )
    sections = [
        Section(".plt", stubs, address=0x10000, flags=CODE),
        Section(".plt", stubs[:32], address=0x80000, flags=CODE),
        Section(".rela.plt", struct.pack("<QQq", 0x90000, 1 << 32 | 7, 0), flags=IN_MEMORY, type=4),
        *symbol_sections([Symbol(name, 0, section="")], [".plt"], kind=DYNSYM),
    ]
    path = written(tmp_path / "stubs", build_elf(*sections))
    assert memory_of(path) < 4 << 20
    image = ElfImage.open(path, NOWHERE)
    assert len(image.functions) == 4000  # one table of each name
    assert image.symbols.best_name(0x10010) == f"{name}@plt"


def test_reading_a_program_can_be_cancelled(tmp_path: Path) -> None:
    """Cancellation is checked before each chunk of a file and of its symbol file."""

    class Stop:
        left = 0

        def check(self, fraction: float, text: str = "") -> None:
            self.left -= 1
            if self.left < 0:
                raise Cancelled

    separate = build_elf(NO_TEXT, *SYMBOLS)
    written(tmp_path / "p.debug", separate)
    path = written(tmp_path / "p", build_elf(TEXT, debug_link("p.debug", zlib.crc32(separate))))
    stop = Stop()
    for stop.left in range(10):
        with pytest.raises(Cancelled):
            ElfImage.open(path, NOWHERE, stop)


def query_all(path: Path) -> None:
    """Query everything of a file; only named errors may be raised."""
    with contextlib.suppress(AnnotationError, UnreadableFile):
        image = ElfImage.open(path, NOWHERE)
        for start, _end, _name in functions(image)[:20]:
            image.bytes_at(start, 16)
            named(image, start, start + 1)
        for address in image.code.address.tolist():
            image.bytes_at(address, 1 << 20)


@pytest.mark.slow
def test_broken_headers_are_named_errors(tmp_path: Path) -> None:
    """Damaged headers, tables and strings quickly give a named error or a result."""
    chance = random.Random(5)
    path = tmp_path / "program"
    for name in ("lonely", "statics-O1"):
        whole = (PROGRAMS / "bin" / name).read_bytes()
        sections = struct.unpack_from("<Q", whole, 40)[0]
        places = [*range(64)] * 8 + [*range(64, 1024)] + [*range(sections, len(whole))] * 2
        for _case in range(250):
            data = bytearray(whole)
            for _flip in range(chance.choice((1, 2, 8))):
                data[chance.choice(places)] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
            if chance.random() < 0.2:
                del data[chance.randrange(len(data)) :]
            query_all(written(path, bytes(data)))


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tail=st.binary(max_size=400), bits=st.sampled_from([1, 2]), order=st.sampled_from([1, 2]))
def test_arbitrary_bytes_are_named_errors(
    tmp_path: Path, tail: bytes, bits: int, order: int
) -> None:
    """Any bytes after an ELF magic give a named error or a result."""
    query_all(written(tmp_path / "program", b"\x7fELF" + bytes([bits, order]) + tail))
