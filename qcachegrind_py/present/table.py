"""Tables as data: columns of figures, counts and texts, and what is said of each row.

A table is immutable and knows no widget: the window shows it by one model, and one writer for each
form writes it. A *row* is a position in the columns, before any sorting or filtering.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import Enum
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from qcachegrind_py.analysis.names.function_names import Labels, ranks
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import (
    LONGEST_REASON,
    WIDEST_SHORT,
    Counts,
    Figures,
    Reasons,
    Sign,
)
from qcachegrind_py.present.unit import BASE, CHANGE_SIGN, ESTIMATE, NEW
from qcachegrind_py.profile.errors import WithheldFile
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at
from qcachegrind_py.profile.numbers import ACTIVE, IN_CYCLE, UNDEFINED
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.visible_text import visible_text

if TYPE_CHECKING:
    import numpy.typing as npt

ACTIVE_TIP = f"{ACTIVE}: still running when the profile was written"
ESTIMATED = f"{ESTIMATE}: estimated in proportion, because call paths are not recorded"
EXACTNESS = ("no", "cost only", "yes")
_LONGEST_CELL = 400  # longer text would only slow down layout: cells are elided long before
_LONGEST_LABEL = 32
LONGEST_RATIO = "0.00000000"  # the largest ratio need not have the longest text

Value = int | float | str | None  # for other programs
# of all rows, shape (rows,): integers, floats, or Python's integers
Numbers: TypeAlias = "npt.NDArray[Any]"


class FunctionName(NamedTuple):
    """A function as recorded; a text that is all that is said of a row has no file."""

    name: str
    file: str = ""
    object: str = ""


BarPart = tuple[str, float]  # name of an event, and its part of the bar, from 0 to 1


class Cells:
    """The cells of a column: what it shows, sorts by and exports.

    A kind of cells gives `text`, of one row, or `texts`, which is faster for many. What may stand
    beside a number is nothing by default.
    """

    is_number: bool = False  # numbers stand on the right

    def text(self, row: int) -> str:
        return self.texts(np.array([row]))[0]

    def texts(self, rows: Int64Array) -> list[str]:
        return list(map(self.text, rows.tolist()))

    def width(self, rows: Int64Array) -> int:
        """Return the length of the longest text of these rows."""
        return max(map(len, self.texts(rows)), default=0)

    def names(self, rows: Int64Array) -> Iterable[tuple[str, str, str]]:
        """Return the texts of these rows with what stands behind names: file and object."""
        return [(text, "", "") for text in self.texts(rows)]

    def order(self) -> Numbers:
        raise NotImplementedError

    def values(self, rows: Int64Array) -> list[Any]:
        """Return cells for other programs: exact numbers, None for those not known, or texts."""
        raise NotImplementedError

    def heading(self, title: str) -> str:
        """Return the present title, marked if the cells are percentages or changes."""
        return title

    # ---------------------------------------------------------------- beside numbers

    @property
    def has_shares(self) -> bool:
        """Whether percentages of a total stand beside the numbers."""
        return False

    def shares(self, rows: Int64Array) -> list[float | None]:
        """Return the percentages of these rows; None where there are none."""
        return [None] * len(rows)

    def weights(self, rows: Int64Array) -> list[float | None]:
        """Return the percentages of a total by which texts are in bold."""
        return self.shares(rows)

    def base_numbers(self) -> Numbers | None:
        """Return the numbers of the base, exported beside those of the new side, if any."""
        return None

    def tip(self, row: int) -> str:
        """Return what the text does not say, such as the exact number; empty if nothing."""
        return ""

    def bar(self, row: int) -> float | None:
        """Return the length of the bar beside a number; None for columns without bars."""
        return None

    def bar_parts(self, row: int) -> tuple[BarPart, ...]:
        """Return the events that a bar is the cost of, with their parts of it; empty if unknown."""
        return ()

    @property
    def is_change(self) -> bool:
        """Whether bars grow from the middle, both ways."""
        return False

    @property
    def has_bars(self) -> bool:
        return False

    def is_faint(self, row: int) -> bool:
        """Whether a number is next to nothing: less than 0.01 %."""
        return False

    def sign(self, row: int) -> Sign | None:
        """Return the sign beside a number that has more to say in its tip."""
        return None

    def widest(self) -> str:
        """Return the text that is about the widest; empty if that takes long to tell."""
        return ""

    def short_text(self, row: int) -> str:
        """Return a number in fewer digits, for a column in which the text has no room."""
        return self.text(row)

    def widest_short(self) -> str:
        """Return the widest text of numbers in fewer digits; empty if there are none."""
        return ""


class NumberCells(Cells):
    """Cells that are numbers."""

    is_number = True

    def order(self) -> Numbers:
        """Return what rows are sorted by, by default the numbers."""
        return self.numbers()

    def numbers(self) -> Numbers:
        """Return the numbers of all rows for export; NaN for what is not known."""
        raise NotImplementedError

    def values(self, rows: Int64Array) -> list[Any]:
        """Return the exact numbers of these rows; None for those that are not known."""
        return known_numbers(self.numbers()[rows])

    def widest(self) -> str:
        numbers = self.numbers()
        if not len(numbers):
            return ""
        if numbers.dtype.kind == "f":
            return LONGEST_RATIO
        ends = int(numbers.argmax()), int(numbers.argmin())
        return max(map(self.text, ends), key=len)


class ChangeCells(NumberCells):
    """Changes, with bars that begin in the middle."""

    @property
    def is_change(self) -> bool:
        return True

    @property
    def has_bars(self) -> bool:
        return True


@frozen
class CostCells(NumberCells):
    """Costs, or their changes in a comparison, with bars."""

    figures: Figures
    second_title: str = ""  # of a column of the second event, whose name stands before it

    def text(self, row: int) -> str:
        return self.figures.cell(row)

    def short_text(self, row: int) -> str:
        return self.figures.shortened.cell(row)

    def widest(self) -> str:
        return self.figures.widest(NumberCells.widest(self))

    def widest_short(self) -> str:
        return self.figures.widest_short

    def is_faint(self, row: int) -> bool:
        return self.figures.is_faint(row)

    def sign(self, row: int) -> Sign | None:
        sign = self.figures.sign
        return sign if sign is not None and sign.at[row] else None

    def order(self) -> Numbers:
        return self.figures.order()

    def numbers(self) -> Numbers:
        return self.figures.shown

    def tip(self, row: int) -> str:
        return self.figures.tip(row)

    def heading(self, title: str) -> str:
        return self.figures.heading(second_heading(self.figures, self.second_title) or title)

    def bar(self, row: int) -> float | None:
        return self.figures.bar(row)

    def bar_parts(self, row: int) -> tuple[BarPart, ...]:
        return ((self.figures.unit.event, 1.0),)

    @property
    def is_change(self) -> bool:
        return self.figures.is_compared

    @property
    def has_bars(self) -> bool:
        return True


@frozen
class SideCells(NumberCells):
    """The costs of the base or of the new side; empty unless something is compared."""

    figures: Figures
    side: int

    def text(self, row: int) -> str:
        return self.figures.side_cell(row, self.side) if self.figures.is_compared else ""

    def short_text(self, row: int) -> str:
        return self.figures.shortened.side_cell(row, self.side) if self.figures.is_compared else ""

    def widest(self) -> str:
        return self.figures.widest(NumberCells.widest(self))

    def widest_short(self) -> str:
        return self.figures.widest_short

    def numbers(self) -> Numbers:
        return self.figures.side(self.side)

    def tip(self, row: int) -> str:
        return self.figures.side_tip(row, self.side) if self.figures.is_compared else ""

    def heading(self, title: str) -> str:
        return self.figures.unit.heading(title) if self.figures.is_compared else title


@frozen
class GrowthCells(NumberCells):
    """Changes in percent of the cost in the base."""

    figures: Figures

    def text(self, row: int) -> str:
        figures = self.figures
        return figures.marked(row, figures.growth(row)) if figures.is_compared else ""

    def widest(self) -> str:
        growths = self.numbers()
        finite = np.flatnonzero(np.isfinite(growths))
        if not len(finite):
            return ""
        ends = finite[growths[finite].argmax()], finite[growths[finite].argmin()]
        return self.figures.widest(max(map(self.text, map(int, ends)), key=len))

    def order(self) -> Numbers:
        return np.abs(self.figures.growths())

    def numbers(self) -> Numbers:
        return self.figures.growths()


@frozen
class ReasonCells(NumberCells):
    """Whether a change comes from the number of calls or from their cost, in words."""

    reasons: Reasons

    def text(self, row: int) -> str:
        return self.reasons.text(row)

    def order(self) -> Numbers:
        return self.reasons.order()

    def widest(self) -> str:
        return LONGEST_REASON if self.reasons.is_split.any() else ""

    def numbers(self) -> Numbers:
        return np.zeros(len(self.reasons.is_split), np.int64)

    def values(self, rows: Int64Array) -> list[Value]:
        return [self.reasons.text(row) for row in rows.tolist()]

    def tip(self, row: int) -> str:
        return self.reasons.tip(row)


@frozen
class CountCells(NumberCells):
    """How often rows were called."""

    counts: Counts

    def text(self, row: int) -> str:
        return self.counts.text(row)

    def short_text(self, row: int) -> str:
        return replace(self, counts=self.counts.shortened).text(row)

    def widest(self) -> str:
        return self.counts.widest(NumberCells.widest(self))

    def widest_short(self) -> str:
        return self.counts.widest(WIDEST_SHORT) if not self.counts.is_compared else ""

    def order(self) -> Numbers:
        return self.counts.order()

    def numbers(self) -> Numbers:
        return self.counts.numbers()

    def base_numbers(self) -> Numbers | None:
        return self.counts.base if self.counts.is_compared else None


class PathCountCells(CountCells):
    """Numbers of calls on paths; a dash for what is no call, as a cycle for its member."""

    __slots__ = ()

    def text(self, row: int) -> str:
        counts = self.counts
        is_estimate = counts.is_estimated(row)
        is_called = bool(counts.calls_text(row)) or (is_estimate and not counts.is_compared)
        return counts.text(row) if is_called else UNDEFINED


@frozen
class PerCallCells(NumberCells):
    """Average costs of one call on the new side, in whole counts; small ones have decimals.

    Where no call was counted, as of those that are still active, one is assumed. There are none of
    ratios, and where calls are not counted or, if asked for, not made.
    """

    figures: Figures
    counts: Counts
    second_title: str = ""

    def text(self, row: int) -> str:
        figures, counts = self.figures, self.counts
        if counts.without_calls is not None and not (counts.new[row] or counts.is_active(row)):
            return UNDEFINED
        if figures.is_inner is not None and figures.is_inner[row] and not figures.new[row]:
            return IN_CYCLE
        if not self._is_known:
            return UNDEFINED
        cost, calls = as_number(figures.new[row]), max(1, int(counts.new[row]))
        if not cost:
            return ""
        text = figures.unit.per_call(cost, calls)
        is_estimate = figures.is_estimated(row) or counts.is_estimated(row)
        return ESTIMATE + text if is_estimate else text

    def order(self) -> Numbers:
        return self.figures.new / np.maximum(self.counts.new, 1)

    def short_text(self, row: int) -> str:
        return replace(self, figures=self.figures.shortened).text(row)

    def widest(self) -> str:
        return self.figures.widest(NumberCells.widest(self))

    def widest_short(self) -> str:
        return self.figures.widest(WIDEST_SHORT)

    def numbers(self) -> Numbers:
        if not self._is_known:
            return np.full(len(self.figures), np.nan)
        per_call: CostArray = self.figures.new // np.maximum(self.counts.new, 1)
        return per_call

    def heading(self, title: str) -> str:
        return second_heading(self.figures, self.second_title) or title

    @property
    def _is_known(self) -> bool:
        return not self.figures.unit.is_ratio and self.counts.known[NEW]


@frozen(slots=False)
class TextCells(Cells):
    """Texts of any kind, by default sorted by what they say."""

    all_texts: Sequence[str]
    full: Callable[[int], str] | None = None  # for other programs, if the texts are shortened
    ranks: Int64Array | None = None  # what rows are sorted by, if not by text

    def text(self, row: int) -> str:
        return cell_text(self.all_texts[row])

    def values(self, rows: Int64Array) -> list[Value]:
        return list(map(self.full or self.all_texts.__getitem__, rows.tolist()))

    def order(self) -> Numbers:
        return self._text_ranks if self.ranks is None else self.ranks

    @cached_property
    def _text_ranks(self) -> Int64Array:
        return ranks([text.lower() for text in self.all_texts])


@frozen(slots=False)
class NameCells(Cells):
    """The names of functions and cycles."""

    labels: Labels | None
    nodes: Int64Array

    def text(self, row: int) -> str:
        node = node_at(self.nodes, row)
        return "" if self.labels is None else cell_text(self._shown(self.labels, node))

    def values(self, rows: Int64Array) -> list[Any]:
        if (labels := self.labels) is None:
            return [""] * len(rows)
        return [self._whole(labels, NodeId(node)) for node in self.nodes[rows].tolist()]

    def order(self) -> Numbers:
        if (labels := self.labels) is None:
            return self.nodes
        if len(self.nodes) == len(labels):  # of all functions, which are ranked once
            return self._all_ranks(labels)[self.nodes]
        rows = range(len(self.nodes))
        return ranks([self._shown(labels, node_at(self.nodes, row)).lower() for row in rows])

    def _shown(self, labels: Labels, node: NodeId) -> str:
        return labels.name(node)

    def _whole(self, labels: Labels, node: NodeId) -> str:
        return labels.full_name(node)

    def _all_ranks(self, labels: Labels) -> Int64Array:
        return labels.name_ranks


class LocationCells(NameCells):
    """Where functions are: program or library, and source file."""

    def _shown(self, labels: Labels, node: NodeId) -> str:
        return labels.location(node)

    _whole = _shown

    def _all_ranks(self, labels: Labels) -> Int64Array:
        return labels.location_ranks


class Shown(Enum):
    """When a column is shown; the menu of the header offers all that may be."""

    ALWAYS = "always"  # unless the user hides it
    OFFERED = "offered"  # hidden until the user shows it
    COMPARED = "compared"  # while something is compared
    OFFERED_COMPARED = "offered while something is compared"
    EXPORTED = "exported"  # whether shown or not


@frozen(eq=True)
class Column:
    """A column: its title and cells, and how a list shows it."""

    key: str  # in saved headers, so it never changes
    title: str
    tip: str
    cells: Cells
    shown: Shown = Shown.ALWAYS
    width: int = 14  # initial width, in digits
    stretches: bool = False  # takes the remaining width
    gives_way: int = 0  # hidden while the list is too narrow: 1 first, then 2 and so on; 0: never
    elides_start: bool = True  # elided at its start if it is too narrow, as suits paths
    group: str = ""  # what columns beside each other have in common, written above them

    @property
    def is_number(self) -> bool:
        return self.cells.is_number

    @property
    def is_comparison(self) -> bool:
        """Whether the column is there only while profiles are compared."""
        return self.shown in (Shown.COMPARED, Shown.OFFERED_COMPARED)

    @property
    def is_shown_compared(self) -> bool:
        """Whether the column is shown while profiles are compared, and only then."""
        return self.shown is Shown.COMPARED

    @property
    def heading(self) -> str:
        """The present title, marked if the numbers are percentages or changes."""
        return self.cells.heading(self.title)

    @property
    def written_title(self) -> str:
        """The title in files, which have no units, and which tells changes from costs."""
        is_said = "change" in self.title.lower()
        is_change = CHANGE_SIGN in self.heading or (self.cells.is_change and not is_said)
        return f"{self.title} {CHANGE_SIGN}" if is_change else self.title


def no_text(_row: int) -> str:
    """Say nothing about a row."""
    return ""


def no_tip(_row: int) -> tuple[str, ...]:
    """Say nothing about a row."""
    return ()


@frozen(slots=False)
class Table:
    """Columns of equal length. Tips and marks are computed for a row when they are asked for."""

    columns: tuple[Column, ...]
    length: int = 0
    nodes: Int64Array | None = None  # the function or cycle of each row, shape (rows,)
    tip: Callable[[int], tuple[str, ...]] = no_tip  # lines about a row
    mark: Callable[[int], str] = no_text  # a word behind the name, such as "new"
    is_in_order: bool = False  # rows stay in their order, and cannot be sorted
    sign: Callable[[int], str] = no_text  # before the name in text, such as "> " of a callee
    note: Callable[[int], str] = no_text  # a line below the name in text
    withheld: tuple[WithheldFile, ...] = ()  # sources whose text is shown, and not written to files
    written: Table | None = None  # what is written to files instead, without the text of these

    def node(self, row: int) -> NodeId:
        """Return the function or cycle of a row; `NO_NODE` if it has none."""
        return NO_NODE if self.nodes is None else node_at(self.nodes, row)

    def is_faint(self, row: int) -> bool:
        """Whether a row costs next to nothing: less than 0.01 % in its first column of costs."""
        return self._costs is not None and self._costs.is_nothing(row)

    @property
    def costs(self) -> CostArray | None:
        """What rows cost in the first column of costs, in the new profile: shape (rows,)."""
        return None if self._costs is None else self._costs.new[: self.length]

    @cached_property
    def _costs(self) -> Figures | None:
        all_cells = (column.cells for column in self.columns)
        return next((each.figures for each in all_cells if isinstance(each, CostCells)), None)

    def column(self, key: str) -> Column:
        return self.columns[self.place(key)]

    def place(self, key: str) -> int:
        return self._places[key]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {column.key: place for place, column in enumerate(self.columns)}


# ---------------------------------------------------------------- columns that several tables have


def cost_column(
    key: str, title: str, tip: str, figures: Figures, *, is_second: bool = False, gives_way: int = 0
) -> Column:
    """Return a column of costs with bars; that of a second event is hidden by default."""
    return Column(
        f"second_{key}" if is_second else key,
        f"{title} (second event)" if is_second else title,
        tip,
        CostCells(figures, title if is_second else ""),
        Shown.OFFERED if is_second else Shown.ALWAYS,
        gives_way=gives_way,
    )


def per_call_column(
    key: str,
    title: str,
    tip: str,
    figures: Figures,
    counts: Counts,
    *,
    is_second: bool = False,
    is_offered: bool = False,
    gives_way: int = 0,
) -> Column:
    return Column(
        f"second_{key}" if is_second else key,
        f"{title} (second event)" if is_second else title,
        tip,
        PerCallCells(figures, counts, title if is_second else ""),
        Shown.OFFERED if is_second or is_offered else Shown.ALWAYS,
        gives_way=gives_way,
    )


def side_columns(figures: Figures, of: str) -> tuple[Column, Column, Column]:
    """Return the columns Base, New and Growth of a comparison; `of` names their costs."""
    shown = Shown.COMPARED
    return (
        Column("base", "Base", f"{of} in the base", SideCells(figures, BASE), shown, gives_way=2),
        Column("new", "New", f"{of} on the new side", SideCells(figures, NEW), shown, gives_way=3),
        Column(
            "growth",
            "Growth",
            f"The change in percent of the {of.lower()} in the base",
            GrowthCells(figures),
            shown,
            gives_way=5,
        ),
    )


def reason_column(reasons: Reasons) -> Column:
    """Return the column that says in words why costs changed."""
    return Column(
        "why",
        "Why",
        "Whether the change comes from the number of calls, or from what a call costs",
        ReasonCells(reasons),
        Shown.COMPARED,
        gives_way=6,
    )


def name_columns(title: str, labels: Labels | None, nodes: Int64Array) -> tuple[Column, Column]:
    """Return the columns of names and of locations of functions and cycles."""
    return (
        Column("name", title, "Name", NameCells(labels, nodes), stretches=True),
        Column(
            "location",
            "Location",
            "Program or library, and source file",
            LocationCells(labels, nodes),
            width=18,
            gives_way=1,
        ),
    )


def exactness_column(cost: BoolArray | None, *others: BoolArray | None) -> Column:
    """Return the exported column that tells which numbers of a row are exact.

    The arguments tell which costs and which other numbers are estimates; None for none.
    """
    length = 0 if cost is None else len(cost)
    is_exact = np.ones(length, bool) if cost is None else ~cost
    all_exact = is_exact.copy()
    for other in others:
        all_exact &= True if other is None else ~other
    proven: Int64Array = is_exact.astype(np.int64) + all_exact
    tip = "Which of the numbers are exact: all, the cost only, or none"
    texts = TextCells([EXACTNESS[rank] for rank in proven.tolist()], ranks=proven)
    return Column("exact", "Proven", tip, texts, Shown.EXPORTED, width=10)


def second_heading(figures: Figures, title: str) -> str:
    """Return the heading of a column of the second event: `Dr incl.`; empty for other columns."""
    return f"{figures.unit.event} {title.lower()}" if title else ""


def known_numbers(numbers: Numbers) -> list[Any]:
    """Return numbers for other programs: None for those that are unknown or have no limit."""
    known: list[Any] = numbers.tolist()
    if numbers.dtype.kind == "i":
        return known
    return [
        None if isinstance(number, float) and not isfinite(number) else number for number in known
    ]


def cell_text(name: str) -> str:
    """Return the name as one line of bounded length, as `visible_text` shows it."""
    return bounded(name, _LONGEST_CELL)


def short_text(name: str) -> str:
    """Return the name shortened for use inside a sentence or label."""
    return bounded(name, _LONGEST_LABEL)


def bounded(name: str, length: int) -> str:
    """Return the name in at most this many visible characters and an ellipsis."""
    text = visible_text(name[: length + 1])
    return text if len(text) <= length else text[:length] + "…"
