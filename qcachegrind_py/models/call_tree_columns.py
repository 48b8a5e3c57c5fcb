"""The columns of the call tree."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.analysis.calls.call_tree import Branch, ComparedBranch
from qcachegrind_py.models.base.columns import ACTIVE_TIP, ESTIMATE
from qcachegrind_py.models.base.comparison_columns import ARROW
from qcachegrind_py.present.former.change_format import CHANGE_SIGN
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.profile.numbers import ACTIVE

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


def calls_text(branch: Branch, format_: CostFormat) -> str:
    """Return how often a branch was called, on both sides if that differs: 3 → 5."""
    sides = (branch.base, branch.new) if isinstance(branch, ComparedBranch) else (branch,)
    if not any(side.count or side.is_active for side in sides):
        return ""
    texts = dict.fromkeys(_side_calls(side, format_) for side in sides)
    return ARROW.join(texts)


def _side_calls(branch: Branch, format_: CostFormat) -> str:
    mark = ESTIMATE if branch.is_shared and branch.count else ""
    return ACTIVE if branch.is_active else mark + format_.count_text(round(branch.count))
