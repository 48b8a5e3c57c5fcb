"""The code of the active function on both sides, and which of its instructions are the same."""

from __future__ import annotations

from functools import lru_cache

from qcachegrind_py.analysis.code.instructions import CodeSide, Syntax, pair_instructions
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.comparison.stable_names import family_keys
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array, UInt64Array
from qcachegrind_py.tools.compared_inputs import ComparedCode, find_compared_code

Positions = tuple[UInt64Array, Int64Array]  # address and row in the code of each instruction


def load_compared_code(
    query: ViewQuery, compared: Comparison, syntax: Syntax, progress: Progress
) -> ComparedCode:
    """Find the code of the active function on both sides. Raises only `Cancelled`."""
    context, function = query.context, query.active_function()
    return find_compared_code(
        compared, function, context.files, context.base_programs, syntax, progress
    )


def paired_rows(
    code: ComparedCode, base: Positions, new: Positions, progress: Progress
) -> Int64Array:
    """Return the row of each base instruction on the new side. Raises `Cancelled`."""
    sides = [
        CodeSide(
            address,
            code_row,
            found.code,
            range(0) if found.machine_code is None else found.machine_code.fixed,
        )
        for (address, code_row), found in ((base, code.base), (new, code.new))
    ]
    return pair_instructions(sides[0], sides[1], code.alignment, _symbol_key, progress)


@lru_cache(maxsize=4096)
def _symbol_key(name: str) -> str:
    return family_keys([name])[0]
