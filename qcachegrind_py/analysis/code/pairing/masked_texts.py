"""The texts of instructions without addresses, which are equal in two builds of the same code.

Linking puts code and data elsewhere in each build, so branch targets, distances to data, and in
programs that are linked to a fixed place also absolute addresses say nothing about the code. Names
of what an instruction refers to stay, as another function that is called is a difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from qcachegrind_py.analysis.code.instructions import Code

SymbolKey = Callable[[str], str]
"""Returns what stays of a symbol's name when a program is built again."""

_MASK = "·"
_MENTION = re.compile(r"  # [0-9a-f]+(?: <(.*)>)?$")  # of data relative to the next instruction
_IP_DISTANCE = re.compile(r"-?\w*(?P<att>\(%[er]ip\))|(?P<intel>\[[er]ip)[^\]]*\]")
_ADDRESS_MNEMONICS = frozenset({"adr", "adrp", "larl"})
_LAST_ADDRESS = re.compile(r"[0-9a-f]+(?: <(.*)>)?$")
_HEXADECIMAL = re.compile(r"(?<![\w-])0x[0-9a-f]+\b")
_NUMBER = re.compile(r"-?\b(?:0x[0-9a-f]+|\d+)\b")
_WORD = re.compile(r"-?[\w$%#]+")
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")


def masked_texts(code: Code, fixed: range, symbol_key: SymbolKey) -> list[str]:
    """Return mnemonic and operands of each instruction without addresses, shape (instructions,).

    `fixed` are the addresses of a program that is linked to a fixed place, empty for others:
    numbers among them are addresses. Targets within the code are all alike.
    """
    is_inside = np.isin(code.target, code.address) & (code.target > 0)
    rows = zip(code.mnemonic, code.operands, code.target.tolist(), is_inside.tolist(), strict=True)
    return [
        f"{mnemonic} {_masked(mnemonic, operands, target, inside, fixed, symbol_key)}"
        for mnemonic, operands, target, inside in rows
    ]


def without_numbers(text: str) -> str:
    """Return a masked text without numbers, which change with the layout of stack and data."""
    return _NUMBER.sub(_MASK, text)


def without_operands(text: str) -> str:
    """Return a masked text with the shape of its operands only, as registers are chosen anew."""
    mnemonic, _, operands = text.partition(" ")
    return f"{mnemonic} {_WORD.sub(_MASK, operands)}"


def _masked(
    mnemonic: str, operands: str, target: int, is_inside: bool, fixed: range, symbol_key: SymbolKey
) -> str:
    if target:
        before, _address, name = operands.rpartition(f"{target:x} <")
        if not name or not _address:
            before, name = operands.removesuffix(f"{target:x}"), ""
        return before + (_MASK if is_inside else _place(name.removesuffix(">"), symbol_key))
    if mnemonic in _ADDRESS_MNEMONICS:
        return _LAST_ADDRESS.sub(lambda found: _place(found[1] or "", symbol_key), operands)
    if mention := _MENTION.search(operands):
        operands = _IP_DISTANCE.sub(_without_distance, operands[: mention.start()])
        operands = f"{operands} {_place(mention[1] or '', symbol_key)}"
    if fixed and "0x" in operands:
        return _HEXADECIMAL.sub(lambda found: _without_address(found[0], fixed), operands)
    return operands


def _without_distance(found: re.Match[str]) -> str:
    return f"{_MASK}{found['att']}" if found["att"] else f"{found['intel']}{_MASK}]"


def _without_address(number: str, fixed: range) -> str:
    return _MASK if int(number, 16) in fixed else number


def _place(name: str, symbol_key: SymbolKey) -> str:
    """Return the key of a named place; none if it is only near a symbol, as that may be another."""
    return _MASK if not name or _OFFSET.search(name) else symbol_key(name)
