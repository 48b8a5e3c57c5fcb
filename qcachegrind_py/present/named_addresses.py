"""How instructions name addresses: jumps within a function by offset, others by as much as fits.

Disassemblers write `jne 2e00 <app::tokenise(std::__cxx11::basic_string<…>)+0x190>`. The name of the
function says nothing within it, so that it is `jne 2e00 <+0x190>`; of other functions' names,
template arguments are left out first, then parameters, as in lists.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from qcachegrind_py.analysis.code.instructions import Code, InstructionKind
from qcachegrind_py.analysis.names.syntax import name_within
from qcachegrind_py.profile.tables import UInt64Array

_NAMED = re.compile(r"<(.+?)(?:\+0x([0-9a-f]+))?>$")
_within = lru_cache(maxsize=4096)(name_within)
_JUMPS = (int(InstructionKind.JUMP), int(InstructionKind.BRANCH))


def short_operands(code: Code, addresses: UInt64Array, name_length: int) -> tuple[str, ...]:
    """Return the operands of instructions with short names, of at most so many characters.

    `addresses`, shape (instructions,), are those of the function, its `.cold` parts included.
    """
    own = set(addresses.tolist())
    found = [_NAMED.search(operands) if "<" in operands else None for operands in code.operands]
    begins: list[int | None] = [None] * len(found)  # of the symbol that a jump leads into
    kinds, targets = code.kind.tolist(), code.target.tolist()
    for row, match in enumerate(found):
        if match is not None and kinds[row] in _JUMPS and targets[row] in own:
            begins[row] = targets[row] - int(match[2] or "0", 16)
    known = sorted({begin for begin in begins if begin is not None})
    texts = list(code.operands)
    for row, match in enumerate(found):
        if match is None:
            continue
        offset = f"+0x{match[2]}" if match[2] else ""
        at = bisect_right(known, int(code.address[row]))
        if begins[row] is not None and at and known[at - 1] == begins[row]:
            name = offset or "+0x0"
        else:
            name = _within(match[1], name_length) + offset
        texts[row] = f"{texts[row][: match.start()]}<{name}>"
    return tuple(texts)
