"""The columns of the call tree, and the texts about its branches."""

from __future__ import annotations

from dataclasses import dataclass, replace

from qcachegrind_py.analysis.calls.call_tree import Branch, ComparedBranch
from qcachegrind_py.present.figures import ARROW, largest
from qcachegrind_py.present.table import ACTIVE_TIP
from qcachegrind_py.present.unit import CHANGE_SIGN, ESTIMATE, NO_UNIT, Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.numbers import ACTIVE, format_count

RECURSION = "↻"


@dataclass(frozen=True, slots=True)
class TreeColumn:
    """The declaration of a column of the tree."""

    key: str  # in saved headers, so it never changes
    title: str
    tip: str
    is_number: bool = True
    stretches: bool = False  # takes the remaining width
    gives_way: int = 0  # hidden while the tree is too narrow: 1 first; 0: never
    width: int = 14  # initial width, in digits
    is_comparison: bool = False  # only there while profiles are compared


CALL_TREE_COLUMNS = (
    TreeColumn(
        "cost", "Incl.", f"Inclusive cost on this branch. {ESTIMATE}: shared out in proportion"
    ),
    TreeColumn(
        "self",
        "Self",
        f"Self cost on this branch. {ESTIMATE}: shared out in proportion",
        gives_way=3,
    ),
    TreeColumn(
        "count", "Calls", f"How often it was called on this branch. {ACTIVE_TIP}", gives_way=2
    ),
    TreeColumn(
        "name",
        "Function",
        f"Name. {RECURSION}: already on this branch",
        is_number=False,
        stretches=True,
    ),
    TreeColumn(
        "location",
        "Location",
        "Program or library, and source file",
        is_number=False,
        gives_way=1,
        width=18,
    ),
)

_COSTS = ("cost", "self")  # keys of columns that have changes in a comparison
_SIDES = ("Base incl.", "New incl.", "Base calls")


def plain_titles(*, compared: bool) -> tuple[str, ...]:
    """Return the titles of exported columns; in a comparison, those of both sides, too."""
    titles = tuple(
        f"{column.title} {CHANGE_SIGN}" if compared and column.key in _COSTS else column.title
        for column in CALL_TREE_COLUMNS
    )
    return ("Level", *titles, "Proven", *(_SIDES if compared else ()))


def plain_sides(branch: Branch, *, is_root: bool) -> tuple[int | None, ...]:
    """Return base cost, new cost, and calls in the base; nothing without a comparison."""
    if not isinstance(branch, ComparedBranch):
        return ()
    count = None if is_root else round(branch.base.count)
    return round(branch.base.cost), round(branch.new.cost), count


def most_calls(branch: Branch) -> int | float:
    """Return the number of calls of a branch, in a comparison those of both sides."""
    return branch.count + (branch.base.count if isinstance(branch, ComparedBranch) else 0)


@dataclass(frozen=True, slots=True)
class BranchTexts:
    """Writes the numbers of branches: costs, or changes while profiles are compared."""

    unit: Unit = NO_UNIT
    is_change: bool = False

    def cost(self, branch: Branch) -> str:
        """Return the inclusive cost, or its change; that of no change is empty."""
        cost = round(branch.cost)
        text = "" if self.is_change and not cost else self.number(cost)
        return text if branch.is_proven or not text else ESTIMATE + text

    def self_cost(self, cost: int | float | None, *, is_exact: bool) -> str:
        """Return a self cost, or its change; empty for none."""
        return ("" if is_exact else ESTIMATE) + self.number(round(cost)) if cost else ""

    def number(self, cost: int) -> str:
        """Return a cost or a change."""
        return self.unit.change_text(cost) if self.is_change else self.unit.text(cost)

    def exact(self, cost: int) -> str:
        """Return a cost or a change to the last count, if that is not shown anyway."""
        return self.unit.exact_change(cost) if self.is_change else self.unit.exact(cost)

    def bar(self, cost: int) -> float:
        """Return the length of the bar: from 0 to 1 of a cost, from -1 to 1 of a change."""
        return self.unit.change_bar(cost) if self.is_change else self.unit.bar(cost)

    def heading(self, title: str) -> str:
        """Return the title of a column of costs."""
        return self.unit.change_heading(title) if self.is_change else self.unit.heading(title)

    def calls(self, branch: Branch) -> str:
        """Return how often a branch was called, on both sides if that differs: 3 → 5."""
        sides = (branch.base, branch.new) if isinstance(branch, ComparedBranch) else (branch,)
        if not any(side.count or side.is_active for side in sides):
            return ""
        return ARROW.join(dict.fromkeys(map(self._side_calls, sides)))

    def _side_calls(self, branch: Branch) -> str:
        mark = ESTIMATE if branch.is_shared and branch.count else ""
        return ACTIVE if branch.is_active else mark + self.count(round(branch.count))

    def count(self, number: int) -> str:
        """Return a number of things."""
        return format_count(number, self.unit.style)


def branch_texts(query: ViewQuery, event: EventType, *, is_program: bool) -> BranchTexts:
    """Return the texts of the branches; changes have the scale of the list of functions.

    Units that divide costs are for whole functions; branches show counts in these.
    """
    series = query.series
    if series is None or not series.is_change:
        unit = query.unit(event) if is_program else query.call_unit(event, query.context.function)
        return BranchTexts(unit)
    changes, unit = query.inclusive(series).change, query.unit(event)
    return BranchTexts(replace(unit, divisors=None, longest_change=largest(changes)), True)
