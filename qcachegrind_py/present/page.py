"""Pages: what a report says, block by block, for writers that know how it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.present.table import Table
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True)
class Facts:
    """Keys and values, each printable and on one line; a key may come several times in a row."""

    lines: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Notes:
    """Lines of text, printable."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """Rows of a table in their order, some of them below an empty line."""

    table: Table
    rows: Int64Array
    title: str = ""
    first_of_blocks: frozenset[int] = frozenset()  # places in `rows` below an empty line

    @staticmethod
    def of_all(table: Table, title: str = "") -> Listing:
        """Return all rows of a table as they are."""
        return Listing(table, np.arange(table.length), title)


Block = Facts | Notes | Listing


@dataclass(frozen=True, slots=True)
class Page:
    """Blocks, one below the other with an empty line between them."""

    blocks: Sequence[Block]
    title: str = ""
