"""The positions of the columns of tables, by their keys: `FUNCTIONS.SELF`."""

from __future__ import annotations

from qcachegrind_py.present.code_instructions import NO_INSTRUCTIONS
from qcachegrind_py.present.code_lines import NO_LINES
from qcachegrind_py.present.functions import NO_FUNCTIONS, NO_GROUPS
from qcachegrind_py.present.table import Table


class Places:
    """The positions of the columns of a table, as attributes with their keys in capitals."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __getattr__(self, name: str) -> int:
        return self._table.place(name.lower())


FUNCTIONS, GROUPS = Places(NO_FUNCTIONS), Places(NO_GROUPS)
LINES, INSTRUCTIONS = Places(NO_LINES.table), Places(NO_INSTRUCTIONS.table)
