"""Pages: what a report says, block by block, for writers that know how it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qcachegrind_py.present.exact import Record
from qcachegrind_py.present.table import Table
from qcachegrind_py.present.verdict import Verdict
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True)
class Facts:
    """Keys and values, each printable and on one line; a key may come several times in a row."""

    lines: Sequence[tuple[str, str]]


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


@dataclass(frozen=True, slots=True)
class Grid:
    """Texts in columns below titles: the first column to the left, the others to the right."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Rules:
    """What is said of the rules of a gate."""

    verdicts: Sequence[Verdict]


Block = Facts | Listing | Grid | Rules


@dataclass(frozen=True, slots=True)
class Page:
    """Blocks, one below the other with an empty line between them."""

    blocks: Sequence[Block]
    title: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """One JSON object: members, lists of rows, and members below these."""

    before: Mapping[str, Any]
    lists: Mapping[str, tuple[Record, Int64Array]]
    after: Mapping[str, Any] = field(default_factory=dict)
