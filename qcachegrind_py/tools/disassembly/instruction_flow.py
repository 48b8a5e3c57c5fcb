"""Classify the control flow of instructions by their text, for each processor family.

Texts are capstone's. Its own instruction groups would require detailed decoding, which takes ten
times as long, and do not distinguish a return from a plain jump. Delay slots are ignored: the jump
instruction counts as jumping there, too.
"""

from __future__ import annotations

import functools
import re

from qcachegrind_py.analysis.code.instructions import InstructionKind

_ARM_CONDITION = "(?:eq|ne|hs|cs|lo|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)"
_PPC_CONDITION = "(?:c|lt|gt|eq|so|ge|le|ne|ns|un|nu|d(?:nz|z)[tf]?)"
_ARM_RETURN = r"bx lr|pop(?:\.w)? .*pc\}|ldm\w*(?:\.w)? .*pc\}|ldr pc, \[sp\].*|mov pc, lr"
# By family: patterns of calls, returns, jumps and branches; the first match counts.
_FLOW_PATTERNS = {
    "x86": (
        r"(?:bnd |notrack )*l?call.*",
        r"(?:bnd |repz? |repnz )*(?:l?ret[flqw]*|iret\w*|sysret\w*|sysexit\w*|hlt|ud\d\w*)\b.*",
        r"(?:bnd |notrack )*l?jmp.*",
        r"(?:bnd )?(?:j|loop|xbegin).*",
    ),
    "arm": (
        rf"blx?{_ARM_CONDITION}? .*",
        rf"(?:{_ARM_RETURN}|udf\b.*|bkpt\b.*)",
        r"b(?:\.w)? .*|bxj? .*|mov pc,.*|ldr(?:\.w)? pc,.*|add pc,.*|sub pc,.*|tb[bh] .*",
        rf"b{_ARM_CONDITION}(?:\.w)? .*|cbn?z .*|bx{_ARM_CONDITION} .*|(?:pop|ldm).*pc\}}",
    ),
    "aarch64": (
        r"blr?(?:a[ab]z?)? .*",
        r"(?:ret|reta[ab]|eret\w*|udf|brk|hlt)\b.*",
        r"b #.*|br(?:a[ab]z?)? .*",
        r"bc?\.\w+ .*|cbn?z .*|tbn?z .*",
    ),
    "riscv": (
        r"(?:c\.)?jalr? (?!zero).*",
        r"ret\b.*|c\.jr ra|jr ra|jalr zero, (?:0\()?ra\)?|(?:c\.)?ebreak.*|(?:c\.)?unimp.*|mret.*",
        r"(?:c\.)?jr? .*|jalr? zero.*|tail .*",
        r"(?:c\.)?b(?:eq|ne|lt|ge|le|gt)\w* .*",
    ),
    "ppc": (
        rf"b{_PPC_CONDITION}?(?:la?|lrl|ctrl)[+-]?(?: .*)?",
        r"blr|rfid|trap",
        r"ba? .*|bctr",
        rf"b{_PPC_CONDITION}(?:a|lr|ctr)?[+-]?(?: .*)?",
    ),
    "s390x": (
        r"(?:brasl?|basr?|balr?|bassm) .*",
        r"br %r14",
        r"(?:jg?|br|b) .*",
        r"(?:j(?!g?nop)\w+|b(?!cr 0,)\w+|c\w*j\w*) .*",
    ),
    "mips": (
        r"(?:jalx?|jalr(?:\.hb)?|bal|balc|jialc|b\w+al) .*",
        r"jr(?:\.hb)? \$ra|jrc \$ra|eret|break.*",
        r"(?:j|jr|jr\.hb|b|bc|jic|jrc) .*",
        r"b(?!reak|it|align|insv)\w+ .*",
    ),
    "sparc": (r"call .*|jmpl .*%o7", r"retl?|ta .*|unimp.*", r"(?:ba|b|jmp)(?:,\w+)? .*", r"f?b.*"),
    "m68k": (
        r"[bj]sr.*",
        r"rt[sedr].*|illegal.*",
        r"(?:bra|jmp).*",
        r"(?:b(?!tst|clr|set|chg|f)|db).*",
    ),
}
_KINDS = (
    InstructionKind.CALL,
    InstructionKind.RETURN,
    InstructionKind.JUMP,
    InstructionKind.BRANCH,
)
_COMPILED_PATTERNS = {
    family: tuple(map(re.compile, patterns)) for family, patterns in _FLOW_PATTERNS.items()
}
_FAMILIES = {"x86-64": "x86", "thumb": "arm", "sparc64": "sparc"}
_WIDTH = re.compile(r"(?<!aarch)(?:32|64)$")
_TARGET = re.compile(r"(?:^|(?<=[ ,]))(?P<whole>#?(-?(?:0x[0-9a-f]+|\d+)))$")
_RELATIVE = frozenset({"riscv"})  # capstone writes their branch distances, not targets


def processor_family(machine: str) -> str:
    """Return the processor family of a machine: `x86` for `x86-64`, `mips` for `mips64`."""
    return _FAMILIES.get(machine) or _WIDTH.sub("", machine)


@functools.lru_cache(maxsize=1 << 14)
def instruction_kind(family: str, mnemonic: str, operands: str) -> InstructionKind:
    """Return the kind of the instruction with this text."""
    text = f"{mnemonic} {operands}" if operands else mnemonic
    for pattern, kind in zip(_COMPILED_PATTERNS.get(family, ()), _KINDS, strict=False):
        if pattern.fullmatch(text):
            return kind
    return InstructionKind.PLAIN


def branch_target(family: str, address: int, operands: str) -> tuple[int, int]:
    """Return target of a jump or call and its position in the operands; (0, -1) if not stated.

    Addresses wrap at 64 bits.
    """
    match = _TARGET.search(operands)
    if match is None:
        return 0, -1
    target = int(match[2], 0) + (address if family in _RELATIVE else 0)
    return target % (1 << 64), match.start("whole")
