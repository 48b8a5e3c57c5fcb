"""Code drawn as text: one instruction in a line, `ADDRESS MNEMONIC OPERANDS`."""

from __future__ import annotations

import re

import numpy as np

from qcachegrind_py.analysis.code.instructions import Code, InstructionKind

_SIZE = 4  # bytes of each instruction
_KINDS = {"call": InstructionKind.CALL, "jmp": InstructionKind.JUMP, "ret": InstructionKind.RETURN}


def code_from(drawing: str) -> Code:
    """The code of a drawing; a mnemonic with `j` jumps to the address in its operands."""
    rows = [line.split(maxsplit=2) for line in drawing.strip().splitlines()]
    address = [int(row[0], 16) for row in rows]
    mnemonic = tuple(row[1] for row in rows)
    operands = tuple(" ".join(row[2:]) for row in rows)
    kind = [
        _KINDS.get(name, InstructionKind.BRANCH if name[0] == "j" else InstructionKind.PLAIN)
        for name in mnemonic
    ]
    target = [
        int(found[0], 16) if kind_ in (1, 2, 3) and (found := re.match("[0-9a-f]+", text)) else 0
        for kind_, text in zip(kind, operands, strict=True)
    ]
    return Code(
        np.array(address, np.uint64),
        np.full(len(rows), _SIZE, np.int32),
        np.array(kind, np.int8),
        np.array(target, np.uint64),
        mnemonic,
        operands,
        tuple(f"{name} {text}".encode() for name, text in zip(mnemonic, operands, strict=True)),
    )
