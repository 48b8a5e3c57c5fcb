"""What of an instruction stays when code and data are put elsewhere."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.code.instructions import (
    masked_texts,
    without_numbers,
    without_operands,
)
from tests.analysis.code.code_text import code_from

FIXED = range(0x401000, 0x405000)


@pytest.mark.parametrize(
    ("instruction", "masked"),
    [
        ("jne 1010", "jne ·"),  # within the code, which begins at 1000
        ("jmp 1010 <f+0x10>", "jmp ·"),
        ("call 1000 <f>", "call ·"),
        ("call 2000 <puts@plt>", "call puts@plt"),
        ("call 2000 <count.constprop.0>", "call count"),
        ("jmp 2008 <other+0x8>", "jmp ·"),
        ("call 2000", "call ·"),
        ("call *0x2fe2(%rip)  # 3fd0 <puts>", "call *·(%rip) puts"),
        ("leaq -0x1a(%rip), %rdi  # 7ec", "leaq ·(%rip), %rdi ·"),
        ("leaq 0x18c4(%rip), %r8  # 2040 <table>", "leaq ·(%rip), %r8 table"),
        ("movl (%rip), %eax  # 2040 <table+0x8>", "movl ·(%rip), %eax ·"),
        ("lea rdi, [rip + 0x18c4]  # 2040 <table>", "lea rdi, [rip·] table"),
        ("mov eax, dword ptr [rip]  # 2040 <a<b>>", "mov eax, dword ptr [rip·] a<b>"),
        ("adrp x0, 11000 <table>", "adrp x0, table"),
        ("adrp x0, 11000", "adrp x0, ·"),
        ("movl $0x404040, %edi", "movl $·, %edi"),
        ("movl 0x404040(,%rax,4), %eax", "movl ·(,%rax,4), %eax"),
        ("mov eax, dword ptr [rax*4 + 0x404040]", "mov eax, dword ptr [rax*4 + ·]"),
        ("movl $0x40, %edi", "movl $0x40, %edi"),
        ("movl -0x404040(%rax), %edi", "movl -0x404040(%rax), %edi"),
        ("ret", "ret "),
    ],
)
def test_addresses_are_left_out(instruction: str, masked: str) -> None:
    code = code_from(f"1000 nop\n1010 nop\n1014 {instruction}")
    texts = masked_texts(code, FIXED, lambda name: name.partition(".")[0])
    assert texts == ["nop ", "nop ", masked]


def test_numbers_are_addresses_only_in_a_program_linked_to_a_fixed_place() -> None:
    (text,) = masked_texts(code_from("1000 movl $0x404040, %edi"), range(0), str)
    assert text == "movl $0x404040, %edi"


@pytest.mark.parametrize(
    ("text", "numbers", "operands"),
    [
        ("movl -0x18(%rsp), %r8d", "movl ·(%rsp), %r8d", "movl ·(·), ·"),
        ("cmpl $5, %eax", "cmpl $·, %eax", "cmpl ·, ·"),
        ("call puts@plt", "call puts@plt", "call ·@·"),
        ("ret ", "ret ", "ret "),
    ],
)
def test_rougher_texts(text: str, numbers: str, operands: str) -> None:
    assert (without_numbers(text), without_operands(text)) == (numbers, operands)
