"""The columns of the call tree."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.models.base.columns import ACTIVE_TIP, ESTIMATE

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
