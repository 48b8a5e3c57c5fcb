"""How instructions name addresses: jumps by their offset, other functions by as much as fits."""

from __future__ import annotations

from qcachegrind_py.present.named_addresses import short_operands
from tests.present.code_text import code_of

VECTOR = "std::vector<std::string, std::allocator<std::string> >::_M_realloc_insert(unsigned long)"
CODE = f"""
    10 je 1c <sort<int, char>(int*)+0xc>
    14 jmp 10 <sort<int, char>(int*)>
    18 call 10 <sort<int, char>(int*)>
    1c call 90 <{VECTOR}>
    20 jmp 98 <{VECTOR}+0x8>
    24 jne 44 <sort<int, char>(int*) [clone .cold]+0x4>
    28 mov 0x90(%rip), %rax  # c4 <table+0x4>
    2c ret
    40 jmp 44 <sort<int, char>(int*) [clone .cold]+0x4>
    44 nop
"""


def shortened(length: int) -> list[str]:
    code = code_of(CODE)
    return list(short_operands(code, code.address, length))


def test_jumps_within_a_function_are_named_by_their_offset() -> None:
    """A jump into the part of a function that stands elsewhere says so; a call has a name."""
    assert shortened(100) == [
        "1c <+0xc>",
        "10 <+0x0>",
        "10 <sort<int, char>(int*)>",
        f"90 <{VECTOR}>",
        f"98 <{VECTOR}+0x8>",
        "44 <sort<int, char>(int*) [clone .cold]+0x4>",
        "0x90(%rip), %rax  # c4 <table+0x4>",
        "",
        "44 <+0x4>",
        "",
    ]


def test_names_of_other_functions_lose_their_arguments_first() -> None:
    """The last part of a name stays for as long as there is room for it."""
    names = [shortened(length)[3].removeprefix("90 ") for length in (60, 40, 24)]

    assert names == [
        "<std::vector<std::string,…>::_M_realloc_insert(unsigned long)>",
        "<std::vector<…>::_M_realloc_insert(unsi…)>",
        "<…::_M_realloc_insert(…)>",
    ]
    assert shortened(24)[4] == "98 <…::_M_realloc_insert(…)+0x8>"
