"""Pages: what a report says, block by block, for writers that know how it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qcachegrind_py.present.exact import Member
from qcachegrind_py.present.table import FunctionName, Table
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


@dataclass(frozen=True, slots=True)
class Grid:
    """Texts in columns below titles: the first column to the left, the others to the right."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Finding:
    """A function that meets a rule: its number, its name, and the numbers that the rule is about.

    `numbers` is a text such as “self cost 1,000 → 1,050 Ir: +50 (+5.00 %)”, or empty.
    """

    function: int
    name: FunctionName
    numbers: str
    line: int = 0  # at which the function begins; 0: not known

    @property
    def place(self) -> str:
        """The file, and the line if it is known."""
        return f"{self.name.file}:{self.line}" if self.line else self.name.file


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a rule is met, as a sentence without the rule itself, and the functions that do."""

    rule: str
    is_met: bool | None  # None: not checked
    sentence: str
    findings: tuple[Finding, ...]
    more: int  # functions that are not listed
    advice: tuple[str, ...] = ()  # what may be done about it, one sentence each


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
    lists: Mapping[str, tuple[Member, Int64Array]]
    after: Mapping[str, Any] = field(default_factory=dict)
