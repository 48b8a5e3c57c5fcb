"""Every instruction of real programs, compared with objdump.

objdump is not on every machine, so what it wrote is in the tests' data.
"""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from qcachegrind_py.analysis.code.instructions import Syntax
from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.tools.disassembly.disassembler import Capstone
from qcachegrind_py.tools.elf.image import ElfImage
from tests.objdump_text import Row, is_same, rows_of

PROGRAMS = Path(__file__).parents[2] / "data" / "programs"


def our_rows(path: Path, syntax: Syntax) -> list[Row]:
    """The same for all code sections, as decoded by us."""
    image = ElfImage.open(path)

    def named(addresses: UInt64Array) -> list[str]:
        found = image.named(addresses)
        return [f"{name}+{far:#x}" if far else name for name, far in found]

    rows = []
    for address, size in zip(image.code.address.tolist(), image.code.size.tolist(), strict=True):
        data = image.bytes_at(address, size)
        code = Capstone(syntax).decode(image.machine, address, data, named)
        texts = zip(code.mnemonic, code.operands, strict=True)
        assert [len(raw) for raw in code.raw] == code.size.tolist()
        rows += [
            (at, raw.hex(), f"{mnemonic} {operands}".rstrip())
            for at, raw, (mnemonic, operands) in zip(
                code.address.tolist(), code.raw, texts, strict=True
            )
        ]
    return rows


def assert_same_code(ours: list[Row], theirs: list[Row]) -> None:
    """Assert equal addresses and bytes, and equal texts up to spelling."""
    assert [row[:2] for row in ours] == [row[:2] for row in theirs]
    different = [
        (our_text, their_text)
        for (_, _, our_text), (_, _, their_text) in zip(ours, theirs, strict=True)
        if not is_same(our_text, their_text)
    ]
    assert different == []


@pytest.mark.parametrize("syntax", list(Syntax), ids=lambda syntax: syntax.value)
@pytest.mark.parametrize("path", sorted((PROGRAMS / "bin").iterdir()), ids=lambda path: path.name)
def test_all_code_matches_objdump(path: Path, syntax: Syntax) -> None:
    """Address, bytes, mnemonic and operands of every instruction agree with objdump."""
    recorded = PROGRAMS / "objdump" / f"{path.name}.{syntax.value}.xz"
    output = lzma.decompress(recorded.read_bytes()).decode()
    assert_same_code(our_rows(path, syntax), rows_of(output))
