"""Every instruction of real programs, beside what objdump makes of them.

objdump is not on every machine, so what it wrote is in the tests' data; where it is installed and
the large programs are at hand, they are compared with what it writes now.
"""

from __future__ import annotations

import lzma
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from qcachegrind_py.analysis.code.instructions import Syntax
from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.tools.disassembly.disassembler import Capstone
from qcachegrind_py.tools.elf.image import ElfImage

PROGRAMS = Path(__file__).parents[2] / "data" / "programs"
CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "a-small" / "bin"

# Spelled otherwise on purpose: what objdump writes, what we write instead, and why.
SPELLED_OTHERWISE = [
    # one blank between columns, two before a comment
    (r" +", " "),
    (r" # ", "  # "),
    # a name is that of the symbol; its version is left out
    (r"(<[^>]*?)@(?:[A-Z]+_[\w.]+|Base)>", r"\1>"),
    # objdump before 2.41 leaves out the one of a shift by one
    (r"^((?:sa|sh|ro|rc)[lr][bwlq]?) ([^,]*)$", r"\1 $1,\2"),
    # objdump before 2.41 writes a negative distance from the next instruction as 64 bits
    (r"\[rip\+0x(f{8}[0-9a-f]{8})\]", lambda far: f"[rip-{(1 << 64) - int(far[1], 16):#x}]"),
    # what lies at an address, not what the loader writes there
    (r"# (5d98) <_ZTVN10__cxxabiv117__class_type_infoE>$", r"# \1 <_ZTIZ4mainEUliE1_>"),
]

Rows = list[tuple[int, str, str]]


def rows_of(output: str) -> Rows:
    """Address, bytes in hex and text of each instruction that objdump writes, in our spelling."""
    rows = []
    for line in output.splitlines():
        columns = line.split("\t")
        if len(columns) >= 3:
            text = columns[2].strip()
            for pattern, ours in SPELLED_OTHERWISE:
                text = re.sub(pattern, ours, text)
            rows.append((int(columns[0].rstrip(":"), 16), columns[1].replace(" ", ""), text))
    return rows


def our_rows(path: Path, syntax: Syntax) -> Rows:
    """The same of all sections of code, decoded by us."""
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


@pytest.mark.parametrize("syntax", list(Syntax), ids=lambda syntax: syntax.value)
@pytest.mark.parametrize("path", sorted((PROGRAMS / "bin").iterdir()), ids=lambda path: path.name)
def test_all_code_reads_as_objdump_writes_it(path: Path, syntax: Syntax) -> None:
    """Address, bytes and text of every instruction are objdump's, but for the table above."""
    recorded = PROGRAMS / "objdump" / f"{path.name}.{syntax.value}.xz"
    assert our_rows(path, syntax) == rows_of(lzma.decompress(recorded.read_bytes()).decode())


@pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is not installed")
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("syntax", list(Syntax), ids=lambda syntax: syntax.value)
def test_code_of_the_corpus_reads_as_objdump_writes_it_now(syntax: Syntax) -> None:
    """The same for the programs of the corpus, large ones too, and the objdump that is here."""
    for path in sorted(CORPUS.iterdir()):
        command = ["objdump", "-d", "-w", "-z", "-M", syntax.value, str(path)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert our_rows(path, syntax) == rows_of(output), path.name
