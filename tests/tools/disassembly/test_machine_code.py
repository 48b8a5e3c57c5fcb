"""The instructions of a function, from real binaries and from built ones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.code.instructions import Code, InstructionKind, Syntax
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.errors import Cancelled, CodeNotFound
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.tools.disassembly import machine_code
from qcachegrind_py.tools.disassembly.disassembler import AddressNamer, Capstone
from qcachegrind_py.tools.disassembly.machine_code import (
    code_ranges_around,
    decode_range,
    is_misplaced,
    read_code,
)
from qcachegrind_py.tools.elf.headers import Machine
from qcachegrind_py.tools.elf.image import ElfImage
from tests.tools.elf.elf_builder import CODE, NOTYPE, Section, Symbol, build_elf, symbol_sections

DATA = Path(__file__).parents[2] / "data"
BIN = DATA / "programs" / "bin"


def at(*addresses: int) -> UInt64Array:
    return np.array(addresses, np.uint64)


def listing(code: Code) -> list[str]:
    """`1000 movq %rsp, %rbp` of each row."""
    texts = zip(code.address.tolist(), code.mnemonic, code.operands, strict=True)
    return [f"{address:x} {mnemonic} {operands}".rstrip() for address, mnemonic, operands in texts]


def addresses_of(profile: Profile, object_: str) -> dict[int, UInt64Array]:
    """The addresses with cost of each function of an object, sorted and unique."""
    assert profile.costs.address is not None
    found: dict[int, set[int]] = {}
    for run, function in enumerate(profile.runs.function.tolist()):
        if profile.texts[int(profile.functions.object[function])] == object_:
            rows = slice(int(profile.runs.start[run]), int(profile.runs.start[run + 1]))
            found.setdefault(function, set()).update(profile.costs.address[rows].tolist())
    return {function: at(*sorted(addresses)) for function, addresses in found.items()}


@pytest.mark.parametrize(
    ("profile", "program"),
    [
        ("recur-everything/callgrind.out.21921.xz", "recur-O1"),
        ("cachey-everything/callgrind.out.22151.xz", "cachey-O1"),
        ("threads-combined-bb/callgrind.out.22283.xz", "threads-O2"),
    ],
)
def test_recorded_rows_match_instructions(profile: str, program: str) -> None:
    """Each cost is at an instruction, each call at a call or jump, each jump at its target."""
    read = load(DATA / profile)
    by_function = addresses_of(read, f"/corpus/a-small/bin/{program}")
    assert len(by_function) > 5
    kinds: dict[int, tuple[InstructionKind, int]] = {}
    for addresses in by_function.values():
        code = read_code(BIN / program, addresses).code
        assert not is_misplaced(code, addresses).any()
        columns = zip(code.kind.tolist(), code.target.tolist(), strict=True)
        kinds |= dict(
            zip(code.address.tolist(), ((InstructionKind(k), t) for k, t in columns), strict=True)
        )
    calls, jumps = read.calls, read.jumps
    assert calls.address is not None
    called = set(calls.address[np.isin(calls.caller, list(by_function))].tolist())
    assert {kinds[address][0] for address in called} <= {InstructionKind.CALL, InstructionKind.JUMP}
    ours = np.flatnonzero(np.isin(jumps.function, list(by_function)))
    for row in ours.tolist():
        assert jumps.address is not None
        assert jumps.target_address is not None
        kind, target = kinds[int(jumps.address[row])]
        assert kind is (InstructionKind.BRANCH if jumps.conditional[row] else InstructionKind.JUMP)
        assert target in (0, int(jumps.target_address[row]))


def test_a_function_is_read_as_a_whole_with_names() -> None:
    """One address with cost yields all instructions of its function and its heading."""
    read = read_code(BIN / "lonely", at(0x401005))
    assert (read.machine, read.build_id) == ("x86-64", "54ac0f07800785b0902a3881c9d642ffc392fdca")
    assert read.symbols == ((0x401000, "_start"),)
    assert listing(read.code) == [
        "401000 movl $5, %ecx",
        "401005 callq 401017 <f>",
        "40100a decl %ecx",
        "40100c jne 401005 <_start+0x5>",
        "40100e movl $0x3c, %eax",
        "401013 xorl %edi, %edi",
        "401015 syscall",
    ]
    assert read_code(BIN / "lonely", at(0x401005), Syntax.INTEL).code.operands[0] == "ecx, 5"


def test_a_stub_is_a_function() -> None:
    """Cost in the PLT yields the stub, named after the function that it calls."""
    read = read_code(BIN / "jumps-O1", at(0x1040))
    assert read.symbols == ((0x1040, "strlen@plt"),)
    assert listing(read.code) == [
        "1040 jmpq *0x2fc2(%rip)  # 4008 <strlen>",
        "1046 pushq $1",
        "104b jmp 1020 <_init+0x20>",
    ]


def write_image(
    path: Path, code: bytes, *symbols: Symbol, machine: int = 62, bits: int = 64, order: str = "<"
) -> Path:
    """An ELF file with this code at address 1000 and these symbols."""
    tables = symbol_sections(list(symbols), [".text"], bits, order) if symbols else []
    text = Section(".text", code, address=0x1000, flags=CODE)
    path.write_bytes(build_elf(text, *tables, machine=machine, bits=bits, order=order))
    return path


def test_names_of_cpp_are_readable(tmp_path: Path) -> None:
    """Headings and operands are demangled; a `.cold` part with cost belongs to its function."""
    symbols = (Symbol("_Z1fi", 0x1000, 3), Symbol("_Z1fi.cold", 0x1010, 2))
    path = write_image(tmp_path / "p", bytes.fromhex("eb0ec3") + bytes(13) + b"\xeb\xf0", *symbols)
    read = read_code(path, at(0x1000, 0x1010))
    assert read.symbols == ((0x1000, "f(int)"), (0x1010, "f(int) [clone .cold]"))
    assert listing(read.code) == [
        "1000 jmp 1010 <f(int) [clone .cold]>",
        "1002 retq",
        "1010 jmp 1002 <f(int)+0x2>",
    ]


def test_without_symbols_code_is_read_between_costs(tmp_path: Path) -> None:
    """Code runs from one address with cost to the last before a wide gap, all in step."""
    path = write_image(tmp_path / "p", b"\x06" * 16 + b"\x48\x89\xe5" * 3 + b"\x90" * 600)
    read = read_code(path, at(0x1010, 0x1016, 0x1100, 0x1101, 0x1201))
    assert read.symbols == ()
    code = [address for address in read.code.address.tolist() if address < 0x1020]
    assert code == [0x1010, 0x1013, 0x1016, *range(0x1019, 0x1020)]
    assert listing(read.code)[-1] == "1201 nop"
    far = read_code(path, at(0x1010, 0x1202))
    assert listing(far.code) == ["1010 movq %rsp, %rbp", "1202 nop"]
    assert listing(read_code(path, at(0x1270)).code) == ["1270 nop"]  # the section's last byte


def test_code_around_a_function_is_read_beside_it(tmp_path: Path) -> None:
    """Costs outside of any function are read as code that is in step with them."""
    code = bytes.fromhex("4889e5 c3 48b8 4889e5 90")
    path = write_image(tmp_path / "p", code, Symbol("f", 0x1003, 1))
    addresses = at(0x1000, 0x1003, 0x1006)
    assert listing(read_code(path, addresses).code) == [
        "1000 movq %rsp, %rbp",
        "1003 retq",
        "1006 movq %rsp, %rbp",
    ]


def test_cost_restarts_decoding_after_data(tmp_path: Path) -> None:
    """Data after a jump swallow the next instruction; cost there restarts the decoding."""
    code = bytes.fromhex("ffe0" + "48b8" + "0000000000" + "31c0c3")
    path = write_image(tmp_path / "p", code, Symbol("f", 0x1000, len(code)))
    assert 0x1009 not in read_code(path, at(0x1000)).code.address
    addresses = at(0x1000, 0x1009, 0x100B)
    read = read_code(path, addresses)
    assert listing(read.code) == [
        "1000 jmpq *%rax",
        "1002 .byte 0x0000000000b848",
        "1009 xorl %eax, %eax",
        "100b retq",
    ]
    assert not is_misplaced(read.code, addresses).any()


@pytest.mark.parametrize(
    ("code", "addresses", "wrong"),
    [
        # no instruction before it ends the control flow
        ("89c0 48b80000000000 31c0c3", (0x1000, 0x1009), [0x1009]),
        # the bytes between have cost
        ("ffe0 48b80000000000 31c0c3", (0x1000, 0x1002, 0x1009), [0x1009]),
        # the bytes there do not decode
        ("ffe0 48b80000000000 060606", (0x1000, 0x1009), [0x1009]),
        # nor in step with the other costs
        ("ffe0 48b80000000000 31c0c3", (0x1000, 0x1009, 0x100A), [0x1009, 0x100A]),
    ],
)
def test_other_addresses_out_of_step_stay_misplaced(
    tmp_path: Path, code: str, addresses: tuple[int, ...], wrong: list[int]
) -> None:
    """Only a plausible table is skipped; otherwise a wrong binary would seem to match."""
    data = bytes.fromhex(code) + b"\x90" * 8
    path = write_image(tmp_path / "p", data, Symbol("f", 0x1000, len(data)))
    costs = at(*addresses)
    assert costs[is_misplaced(read_code(path, costs).code, costs)].tolist() == wrong


def test_wrong_binary_is_detected() -> None:
    """Most addresses of one program are not instructions of another."""
    right = read_code(BIN / "recur-O1", at(0x1189)).code
    addresses = right.address
    assert len(addresses) > 10
    assert not is_misplaced(right, addresses).any()
    for other in ("jumps-O1", "cachey-O1", "inlined-O2"):
        code = read_code(BIN / other, addresses).code
        assert is_misplaced(code, addresses).mean() > 0.1, other


def test_thumb_and_data_are_decoded_as_marked(tmp_path: Path) -> None:
    """Mapping symbols switch between ARM, Thumb and data; an odd symbol means Thumb."""
    code = bytes.fromhex("1eff2fe110b510bd785634120100a0e1")
    marks = [("$a", 0x1000), ("$t", 0x1004), ("$d", 0x1008), ("$a", 0x100C)]
    symbols = [Symbol(name, place, 0, NOTYPE, 0) for name, place in marks]
    whole = Symbol("f", 0x1000, 16)
    path = write_image(tmp_path / "p", code, whole, *symbols, machine=40, bits=32)
    assert listing(read_code(path, at(0x1000)).code) == [
        "1000 bx lr",
        "1004 push {r4, lr}",
        "1006 pop {r4, pc}",
        "1008 .word 0x12345678",
        "100c mov r0, r1",
    ]
    path = write_image(tmp_path / "q", code, Symbol("t", 0x1005, 4), machine=40, bits=32)
    assert listing(read_code(path, at(0x1004)).code) == ["1004 push {r4, lr}", "1006 pop {r4, pc}"]


def reason_of(path: Path, *addresses: int) -> str:
    with pytest.raises(CodeNotFound) as caught:
        read_code(path, at(*addresses))
    assert caught.value.remedy
    return caught.value.reason


def test_undecodable_code_is_explained(tmp_path: Path) -> None:
    """Unknown processors, addresses outside of all code, and huge ranges are named."""
    assert "processor (vax)" in reason_of(write_image(tmp_path / "vax", b"\0", machine=75), 0x1000)
    assert "no machine code" in reason_of(BIN / "lonely", 0x1189, 0x7FFF00000000)
    path = write_image(tmp_path / "large", b"\x90" * (5 << 20), Symbol("f", 0x1000, 5 << 20))
    assert "5.0 MB" in reason_of(path, *range(0x1000, 0x1000 + 5_000_000, 256))
    # an implausible function is read like code without symbols
    assert listing(read_code(path, at(0x2000, 0x2001)).code) == ["2000 nop", "2001 nop"]


def test_rebuilt_file_is_read_again(tmp_path: Path) -> None:
    """The cache of a file is dropped when the file changes."""
    path = write_image(tmp_path / "p", b"\x90" * 4, Symbol("old", 0x1000, 4))
    assert read_code(path, at(0x1000)).symbols == ((0x1000, "old"),)
    path.unlink()
    write_image(path, b"\xc3" * 5, Symbol("newer", 0x1000, 1))
    read = read_code(path, at(0x1000))
    assert (read.symbols, listing(read.code)) == (((0x1000, "newer"),), ["1000 retq"])


def test_long_names_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name is shortened in each operand, more so if it appears in many."""
    path = write_image(tmp_path / "p", b"\xeb\x00" * 1000, Symbol("N" * 5000, 0x1000, 2000))
    read = read_code(path, at(0x1000))
    assert read.code.operands[0] == f"1002 <{'N' * 199}…+0x2>"
    assert read.symbols == ((0x1000, "N" * 4096),)
    monkeypatch.setattr(machine_code, "_MAX_NAME_CHARACTERS", 50_000)
    read = read_code(path, at(0x1002))
    assert read.code.operands[0] == f"1002 <{'N' * 49}…+0x2>"


@dataclass
class Counting:
    """Capstone, counting the bytes passed to it."""

    capstone: Capstone
    count: int = 0

    def knows(self, machine: Machine) -> bool:
        return self.capstone.supports(machine)

    def decode(
        self, machine: Machine, address: int, data: bytes, named: AddressNamer, progress: Progress
    ) -> Code:
        self.count += len(data)
        return self.capstone.decode(machine, address, data, named, progress)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "addresses"),
    [
        # each return is followed by the first byte of a call, whose operand hides the next return
        (b"\xc3\xe8" * 40 + b"\x90" * 50_000, [0x1000 + 2 * step for step in range(40)]),
        # two-byte jumps and moves: decoding from an odd byte never gets in step
        (b"\xeb\xeb\xb0\xb0" * 12_500, [0x1000 + 400 * k + k % 2 * 3 for k in range(100)]),
    ],
)
def test_restarts_are_bounded(tmp_path: Path, code: bytes, addresses: list[int]) -> None:
    """Any number of costs may restart the decoding; a range is decoded only a few times."""
    path = write_image(tmp_path / "p", code, Symbol("f", 0x1000, len(code)))
    image = ElfImage.open(path)
    (stretch,) = code_ranges_around(image, at(*addresses), 1 << 22)
    counting = Counting(Capstone())
    found = decode_range(image, stretch, counting, lambda asked: [""] * len(asked), NoProgress())
    assert counting.count < 5 * len(code)
    ends = found.address + found.size.astype(np.uint64)
    assert found.address.tolist() == [0x1000, *ends[:-1].tolist()]
    assert b"".join(found.raw) == code


def test_a_function_is_read_once(tmp_path: Path) -> None:
    """A second request for the same function and syntax returns the cached rows."""
    path = write_image(tmp_path / "p", b"\x90" * 4, Symbol("f", 0x1000, 4))
    read = read_code(path, at(0x1000))
    assert read_code(path, at(0x1000)) is read
    assert read_code(path, at(0x1000), Syntax.INTEL) is not read
    assert read_code(path, at(0x1000, 0x1001)) is not read


def test_decoding_can_be_cancelled() -> None:
    """Decoding checks for cancellation."""

    class Stop:
        def check(self, fraction: float, text: str = "") -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        read_code(BIN / "lonely", at(0x401005, 0x40100A), Syntax.ATT, Stop())
