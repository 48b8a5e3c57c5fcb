"""Decoding a few instructions of each processor; test_against_objdump has real programs."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.analysis.code.instructions import Code, InstructionKind, Syntax
from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.tables import UInt64Array
from qcachegrind_py.tools.disassembly.disassembler import Capstone, data_rows
from qcachegrind_py.tools.elf.headers import Machine

P, J, B, C, R, D = InstructionKind

Row = tuple[str, str, InstructionKind, int]


def unnamed(addresses: UInt64Array) -> list[str]:
    return [""] * len(addresses)


def rows(code: Code) -> list[Row]:
    """Bytes, text, kind and target of each row; asserts that addresses and sizes fit."""
    ends = code.address + code.size.astype(np.uint64)
    assert ends[:-1].tolist() == code.address[1:].tolist()
    assert [len(raw) for raw in code.raw] == code.size.tolist()
    texts = zip(code.mnemonic, code.operands, strict=True)
    columns = (code.raw, texts, code.kind.tolist(), code.target.tolist())
    return [
        (raw.hex(), " ".join(text).rstrip(), InstructionKind(kind), target)
        for raw, text, kind, target in zip(*columns, strict=True)
    ]


def decoded(machine: Machine, bytes_: str, syntax: Syntax = Syntax.ATT) -> list[Row]:
    """The rows of these bytes at address 1000."""
    return rows(Capstone(syntax).decode(machine, 0x1000, bytes.fromhex(bytes_), unnamed))


PROCESSORS: dict[Machine, list[Row]] = {
    Machine("x86"): [
        ("55", "pushl %ebp", P, 0),
        ("8b4508", "movl 8(%ebp), %eax", P, 0),
        ("e8f7ffffff", "calll 1000", C, 0x1000),
        ("7405", "je 1010", B, 0x1010),
        ("ffe0", "jmpl *%eax", J, 0),
        ("c3", "retl", R, 0),
    ],
    Machine("x86-64"): [
        ("f30f1efa", "endbr64", P, 0),
        ("eb02", "jmp 1008", J, 0x1008),
        ("e2fc", "loop 1004", B, 0x1004),
        ("ff15f0ffffff", "callq *-0x10(%rip)  # ffe", C, 0),
        ("3effe0", "notrack jmpq *%rax", J, 0),
        ("f2c3", "bnd retq", R, 0),
        ("f4", "hlt", R, 0),
        ("0f0b", "ud2", R, 0),
        ("06", ".byte 0x06", D, 0),
        ("cc", "int3", P, 0),
        ("0f05", "syscall", P, 0),
        ("c7f8f6ffffff", "xbegin 1016", B, 0x1016),
        ("66", ".byte 0x66", D, 0),
    ],
    Machine("aarch64"): [
        ("fd7bbfa9", "stp x29, x30, [sp, #-0x10]!", P, 0),
        ("02000094", "bl 100c", C, 0x100C),
        ("42000054", "b.hs 1010", B, 0x1010),
        ("a0ffffb4", "cbz x0, 1000", B, 0x1000),
        ("40002036", "tbz w0, #4, 1018", B, 0x1018),
        ("c0035fd6", "ret", R, 0),
        ("60021fd6", "br x19", J, 0),
        ("60003fd6", "blr x3", C, 0),
        ("ffffff17", "b 101c", J, 0x101C),
        ("000000b0", "adrp x0, 2000", P, 0),
        ("007d20d4", "brk #0x3e8", R, 0),
        ("ffffffff", ".word 0xffffffff", D, 0),
    ],
    Machine("arm"): [
        ("10402de9", "push {r4, lr}", P, 0),
        ("020000eb", "bl 1014", C, 0x1014),
        ("0100000a", "beq 1014", B, 0x1014),
        ("feffffea", "b 100c", J, 0x100C),
        ("1080bde8", "pop {r4, pc}", R, 0),
        ("1eff2fe1", "bx lr", R, 0),
        ("13ff2fe1", "bx r3", J, 0),
        ("33ff2fe1", "blx r3", C, 0),
        ("00f091e5", "ldr pc, [r1]", J, 0),
        ("f000f0e7", "udf #0", R, 0),
        ("0100a0e1", "mov r0, r1", P, 0),
        ("1eff2f01", "bxeq lr", B, 0),
    ],
    Machine("thumb"): [
        ("10b5", "push {r4, lr}", P, 0),
        ("00f004f8", "bl 100e", C, 0x100E),
        ("02d0", "beq 100e", B, 0x100E),
        ("fce7", "b 1004", J, 0x1004),
        ("10bd", "pop {r4, pc}", R, 0),
        ("7047", "bx lr", R, 0),
        ("9847", "blx r3", C, 0),
        ("10b1", "cbz r0, 1018", B, 0x1018),
        ("00f032b8", "b.w 107a", J, 0x107A),
        ("dfe801f0", "tbb [pc, r1]", J, 0),
        ("ffde", "udf #0xff", R, 0),
    ],
    Machine("riscv64"): [
        ("4111", "c.addi sp, -0x10", P, 0),
        ("ef000001", "jal 1012", C, 0x1012),
        ("6304b500", "beq a0, a1, 100e", B, 0x100E),
        ("f5bf", "c.j 1006", J, 0x1006),
        ("8280", "c.jr ra", R, 0),
        ("8287", "c.jr a5", J, 0),
        ("8297", "c.jalr a5", C, 0),
        ("67800000", "ret", R, 0),
        ("0290", "c.ebreak", R, 0),
        ("01c5", "c.beqz a0, 1020", B, 0x1020),
        ("17150000", "auipc a0, 1", P, 0),
    ],
    Machine("ppc64"): [
        ("a602087c", "mflr r0", P, 0),
        ("09000048", "bl 100c", C, 0x100C),
        ("08008241", "beq 1010", B, 0x1010),
        ("2000804e", "blr", R, 0),
        ("2004804e", "bctr", J, 0),
        ("2104804e", "bctrl", C, 0),
        ("f8ff0042", "bdnz 1010", B, 0x1010),
        ("0800e07f", "trap", R, 0),
        ("2000824d", "beqlr", B, 0),
        ("fcffff4b", "b 1020", J, 0x1020),
    ],
    Machine("ppc64", is_big_endian=True): [
        ("7c0802a6", "mflr r0", P, 0),
        ("48000009", "bl 100c", C, 0x100C),
        ("41820008", "beq 1010", B, 0x1010),
        ("4e800020", "blr", R, 0),
    ],
    Machine("s390x", is_big_endian=True): [
        ("ebaff0680024", "stmg %r10, %r15, 0x68(%r15)", P, 0),
        ("c0e500000010", "brasl %r14, 1026", C, 0x1026),
        ("a7840008", "je 101c", B, 0x101C),
        ("a7f4fffe", "j 100c", J, 0x100C),
        ("07fe", "br %r14", R, 0),
        ("07f1", "br %r1", J, 0),
        ("0de1", "basr %r14, %r1", C, 0),
        ("c0f400000010", "jg 103a", J, 0x103A),
        ("c01000000010", "larl %r1, 1040", P, 0),
        ("ec1200088076", "crje %r1, %r2, 1036", B, 0x1036),
        ("a716fffc", "brct %r1, 1024", B, 0x1024),
        ("0707", "bcr 0, %r7", P, 0),
    ],
    Machine("mips32", is_big_endian=True): [
        ("27bdffe0", "addiu $sp, $sp, -0x20", P, 0),
        ("0c000402", "jal 1008", C, 0x1008),
        ("00000000", "nop", P, 0),
        ("10400004", "beqz $v0, 1020", B, 0x1020),
        ("08000400", "j 1000", J, 0x1000),
        ("03e00008", "jr $ra", R, 0),
        ("0320f809", "jalr $t9", C, 0),
        ("10000002", "b 1028", J, 0x1028),
        ("0000000d", "break", R, 0),
    ],
    Machine("mips64"): [
        ("e0ffbd67", "daddiu $sp, $sp, -0x20", P, 0),
        ("0204000c", "jal 1008", C, 0x1008),
        ("0800e003", "jr $ra", R, 0),
    ],
}


@pytest.mark.parametrize("machine", PROCESSORS, ids=str)
def test_instructions_of_each_processor(machine: Machine) -> None:
    """Calls, jumps, branches and returns of each processor are recognized, with targets."""
    wanted = PROCESSORS[machine]
    assert decoded(machine, "".join(row[0] for row in wanted)) == wanted


@pytest.mark.parametrize(
    ("bytes_", "att", "intel"),
    [
        ("488d0411", "leaq (%rcx, %rdx), %rax", "lea rax, [rcx + rdx]"),
        ("488b4500", "movq (%rbp), %rax", "mov rax, qword ptr [rbp]"),
        ("488d04fd00000000", "leaq (, %rdi, 8), %rax", "lea rax, [rdi*8]"),
        ("64488b042528000000", "movq %fs:0x28, %rax", "mov rax, qword ptr fs:[0x28]"),
        ("4883c4f8", "addq $-8, %rsp", "add rsp, -8"),
        ("83f8ff", "cmpl $-1, %eax", "cmp eax, -1"),
        ("8038ff", "cmpb $0xff, (%rax)", "cmp byte ptr [rax], 0xff"),
        ("d1e8", "shrl $1, %eax", "shr eax, 1"),
        ("d16010", "shll 0x10(%rax)", "shl dword ptr [rax + 0x10], 1"),
        ("c1e801", "shrl $1, %eax", "shr eax, 1"),
        ("d320", "shll %cl, (%rax)", "shl dword ptr [rax], cl"),
        ("0f1f440000", "nopl (%rax, %rax)", "nop dword ptr [rax + rax]"),
        ("662e0f1f840000000000", "nopw %cs:(%rax, %rax)", "nop word ptr cs:[rax + rax]"),
        ("6690", "nop", "nop"),
        ("f348ab", "rep stosq %rax, (%rdi)", "rep stosq qword ptr [rdi], rax"),
        ("f20f1007", "movsd (%rdi), %xmm0", "movsd xmm0, qword ptr [rdi]"),
        ("0fbe07", "movsbl (%rdi), %eax", "movsx eax, byte ptr [rdi]"),
        ("66480f6ec0", "movq %rax, %xmm0", "movq xmm0, rax"),
        ("f0480fb111", "lock cmpxchgq %rdx, (%rcx)", "lock cmpxchg qword ptr [rcx], rdx"),
        ("0f4cc1", "cmovll %ecx, %eax", "cmovl eax, ecx"),
        ("0f9cc0", "setl %al", "setl al"),
        ("f2480f2ac0", "cvtsi2sdq %rax, %xmm0", "cvtsi2sd xmm0, rax"),
        ("d9c9", "fxch %st(1)", "fxch st(1)"),
        ("db6c2408", "fldt 8(%rsp)", "fld xword ptr [rsp + 8]"),
        (
            "48b8ffffff7fffffffff",
            "movabsq $18446744071562067967, %rax",
            "movabs rax, 0xffffffff7fffffff",
        ),
    ],
)
def test_spelling_of_x86(bytes_: str, att: str, intel: str) -> None:
    """The text is capstone's own, in both syntaxes."""
    machine = Machine("x86-64")
    assert decoded(machine, bytes_) == [(bytes_, att, InstructionKind.PLAIN, 0)]
    assert decoded(machine, bytes_, Syntax.INTEL) == [(bytes_, intel, InstructionKind.PLAIN, 0)]


def test_addresses_in_operands_are_named() -> None:
    """Targets and data are looked up by address in one call, and their names are appended."""
    asked: list[list[int]] = []

    def named(addresses: UInt64Array) -> list[str]:
        asked.append(addresses.tolist())
        return ["fib", "fib+0xc", "", "counter"]

    code = Capstone().decode(
        Machine("x86-64"), 0x1139, bytes.fromhex("e8fbffffff 7405 eb00 8b05c22e0000"), named
    )
    assert asked == [[0x1139, 0x1145, 0x1142, 0x400A]]
    assert rows(code) == [
        ("e8fbffffff", "callq 1139 <fib>", InstructionKind.CALL, 0x1139),
        ("7405", "je 1145 <fib+0xc>", InstructionKind.BRANCH, 0x1145),
        ("eb00", "jmp 1142", InstructionKind.JUMP, 0x1142),
        ("8b05c22e0000", "movl 0x2ec2(%rip), %eax  # 400a <counter>", InstructionKind.PLAIN, 0),
    ]


def test_data_are_rows_of_their_width() -> None:
    """Data within code are words in the machine's byte order, plus the remaining bytes."""
    assert rows(data_rows(0x2000, bytes(range(1, 8)), 4, is_big_endian=False)) == [
        ("01020304", ".word 0x04030201", InstructionKind.DATA, 0),
        ("050607", ".byte 0x070605", InstructionKind.DATA, 0),
    ]
    assert rows(data_rows(0x2000, b"\1\2", 2, is_big_endian=True)) == [
        ("0102", ".short 0x0102", InstructionKind.DATA, 0)
    ]


def test_addresses_above_2_63() -> None:
    """A 64-bit address stays unsigned, and a jump past the top wraps to the bottom."""
    top = 0xFFFFFFFFFFFFFFF0
    code = Capstone().decode(Machine("x86-64"), top, bytes.fromhex("90 eb1f"), unnamed)
    assert code.address.tolist() == [top, top + 1]
    assert rows(code)[1] == ("eb1f", "jmp 12", InstructionKind.JUMP, 0x12)


def test_many_bytes_are_decoded_in_pieces_and_can_be_cancelled() -> None:
    """Cancellation is checked between chunks; a chunk's end splits no instruction."""
    instruction = "662e0f1f840000000000"
    data = bytes.fromhex(instruction) * 5000

    class Stop:
        asked = 0

        def check(self, fraction: float, text: str = "") -> None:
            self.asked += 1
            assert 0 <= fraction <= 1
            if self.asked == 3:
                raise Cancelled

    machine = Machine("x86-64")
    code = Capstone().decode(machine, 0, data, unnamed)
    assert set(code.raw) == {bytes.fromhex(instruction)}
    with pytest.raises(Cancelled):
        Capstone().decode(machine, 0, data * 2, unnamed, Stop())


def test_unknown_processors() -> None:
    """An unsupported processor is reported before decoding."""
    assert not Capstone().supports(Machine("vax"))
    assert not Capstone().supports(Machine("x86-64", is_big_endian=True))
    assert all(Capstone().supports(machine) for machine in PROCESSORS)
