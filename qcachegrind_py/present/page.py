"""Pages: what a report says, block by block; writers turn it into text or HTML."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.exact import Member
from qcachegrind_py.present.table import FunctionName, Table
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.tables import UNKNOWN, Int64Array

if TYPE_CHECKING:  # which few reports have
    from qcachegrind_py.present.excerpts import Excerpt
    from qcachegrind_py.present.flame_graph import FlameGraph

PAGE_LIMIT = 1000  # functions of an HTML page by default


@frozen(eq=True)
class Facts:
    """Keys and values, each printable and on one line; a key may come several times in a row."""

    lines: Sequence[tuple[str, str]]
    is_answer: bool = False  # whether they are the short answer, which comes first
    warnings: frozenset[str] = frozenset()  # keys


@frozen(eq=True)
class Note:
    """A sentence."""

    text: str
    is_problem: bool = False


@frozen
class Listing:
    """Rows of a table in their order, some of them below an empty line."""

    table: Table
    rows: Int64Array
    title: str = ""
    first_of_blocks: frozenset[int] = frozenset()  # places in `rows` below an empty line
    none: str = ""  # what is said instead of a table without rows
    more: str = ""  # what is not listed
    # on pages with links
    links: Mapping[int, str] = field(default_factory=dict)  # where names lead, by function
    anchored: Collection[int] = ()  # functions whose rows can be led to
    has_files: bool = True  # whether files and objects stand behind names
    sorted_by: str = ""  # key of a column


@frozen(eq=True)
class Beside:
    """Listings that stand side by side where there is room."""

    listings: Sequence[Listing]


@frozen
class EventCosts:
    """An event of a page: what percentages are of, and the costs of all functions."""

    event: EventType
    total: int | float
    total_base: str  # what the total is, and what of it is not attributed; a dash without shares
    unit: str  # the total in seconds or bytes, if the event's name implies a unit
    inclusive: CostArray
    self_cost: CostArray


@frozen
class FunctionList:
    """The functions of a page, which readers sort and search, perhaps in any of several events.

    The benchmarks of a suite are such a list, too.
    """

    listing: Listing
    events: Sequence[EventCosts] = ()
    event: int = 0  # the one shown at first
    called: Sequence[int | None] = ()  # of the functions listed; None if calls are not counted
    searched: str = "function, file or object"  # what the field above them searches


def counted_functions(shown: int, count: int) -> str:
    """Return the sentence that says how many of the functions are on a page."""
    if shown == count:
        return f"{format_count(count)} {plural(count, 'function')}."
    return (
        f"The first {format_count(shown)} of {format_count(count)} functions; "
        "the others are not in this file."
    )


@frozen(eq=True)
class Grid:
    """Texts in columns below titles: the first column to the left, the others to the right."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    asides: Sequence[Sequence[str]] = ()  # of the first cells of each row, or empty
    has_sentences: bool = False  # whether the last column has sentences, and stands to the left


@frozen(eq=True)
class Step:
    """A revision with which costs stepped to other levels, and the functions that made it."""

    label: str
    change: int
    causes: Sequence[tuple[int, FunctionName]]  # changes, the largest first
    more: int  # functions that are not listed


@frozen(eq=True)
class StepList:
    """The largest steps of a history."""

    steps: Sequence[Step]
    more: int  # revisions that are not listed


@frozen(eq=True)
class Chart:
    """A series of costs over revisions, with marks at the changes of some."""

    title: str
    labels: Sequence[str]
    values: Sequence[int]
    marks: Sequence[tuple[int, int]]  # revision and change


@frozen(eq=True)
class Oddities:
    """Odd lines of a file: their places, and what is odd."""

    lines: Sequence[tuple[str, str]]
    more: int


@frozen
class Article:
    """What is said of a function. In the sentence, every second text is emphasized."""

    function: FunctionId
    name: FunctionName
    sentence: tuple[str, ...]
    mark: str = ""
    calls: tuple[Listing, ...] = ()  # callers and callees, the costliest first
    excerpts: tuple[Excerpt, ...] = ()
    problem: str = ""  # why there are no excerpts, or not all

    @property
    def places(self) -> list[str]:
        """The file and the object, as far as they are known."""
        return [path for path in (self.name.file, self.name.object) if path != UNKNOWN]


@frozen(eq=True)
class Articles:
    """Articles on functions."""

    articles: Sequence[Article]
    links: Mapping[int, str]  # places of the page: of each article, and where names lead
    above: str = "All functions"  # what leads to the list that they are from


@frozen(eq=True)
class Flames:
    """A flame graph, whose boxes lead to places of the page."""

    graph: FlameGraph
    links: Mapping[int, str]


@frozen(eq=True)
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


@frozen(eq=True)
class Verdict:
    """Whether a rule is met, as a sentence without the rule itself, and the functions that do."""

    rule: str
    is_met: bool | None  # None: not checked
    sentence: str
    findings: tuple[Finding, ...]
    more: int  # functions that are not listed
    advice: tuple[str, ...] = ()  # what may be done about it, one sentence each
    is_checkable: bool = True  # False: it should have been checked, and could not be


@frozen(eq=True)
class Rules:
    """What is said of the rules of a gate."""

    verdicts: Sequence[Verdict]


@frozen(eq=True)
class Contents:
    """Links to the sections of the page."""


Block: TypeAlias = (
    Facts | Note | Listing | Beside | FunctionList | Grid | StepList | Chart | Oddities | Articles
    | Flames | Rules | Contents
)  # fmt: skip


@frozen(eq=True)
class Section:
    """Blocks below a title, at a place of the page."""

    key: str
    title: str
    blocks: Sequence[Block]
    link: str = ""  # its name in the contents; empty if it is not there
    is_open: bool | None = None  # None: it cannot be folded


def flame_section(graph: FlameGraph, links: Mapping[int, str]) -> Section:
    return Section("flame", f"Flame graph of {graph.event}", [Flames(graph, links)], "Flame graph")


@frozen(eq=True)
class Page:
    """Blocks, one below the other with an empty line between them, and sections below these."""

    blocks: Sequence[Block]
    title: str = ""
    sections: Sequence[Section] = ()
    kind: str = ""  # of page: of a profile, a comparison or a history


@frozen
class Records:
    """One JSON object: members, lists of rows, and members below these."""

    before: Mapping[str, Any]
    lists: Mapping[str, tuple[Member, Int64Array]]
    after: Mapping[str, Any] = field(default_factory=dict)
