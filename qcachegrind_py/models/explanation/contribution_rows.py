"""What the change of a function's inclusive cost consists of, row by row, in numbers and words.

Its own change comes first, then that of each of its calls, and what neither explains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.comparison.effects import Explanation, NotSplit
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.models.base.comparison_columns import (
    ComparedRows,
    count_text,
    why_text,
)
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NO_NODE, NodeId, node_at
from qcachegrind_py.profile.tables import BoolArray, Int64Array

ARROW = "\N{THIN SPACE}→\N{THIN SPACE}"
NOT_RECORDED = "–"
_SAFE = 1 << 62  # smaller numbers are added in 64 bits
_SELF, _REST = "Self", "Other"
_SELF_TIP = "The change of the function's own cost. Press Return to see its lines."
_REST_TIP = (
    "What self and calls do not add up to: the function is called recursively, or calls had not "
    "returned when a profile was written."
)
_REASONS = {
    NotSplit.NO: "",
    NotSplit.NEW: "new call",
    NotSplit.GONE: "no longer called",
    NotSplit.IN_CYCLE: "within the cycle",
    NotSplit.RECURSIVE: "calls itself",
    NotSplit.NOT_COUNTED: "calls not counted",
}
_REASON_TIPS = {
    NotSplit.NO: "",
    NotSplit.NEW: "Only the new profile has this call.",
    NotSplit.GONE: "Only the base has this call.",
    NotSplit.IN_CYCLE: "Calls within a cycle have no cost of their own: it is that of the cycle.",
    NotSplit.RECURSIVE: "The cost of a call to itself is part of the function's other calls.",
    NotSplit.NOT_COUNTED: "A side has no count of these calls, so a call has no average cost.",
}


@dataclass(frozen=True, slots=True, eq=False)
class ContributionRows:
    """The rows of the list: the function itself, its calls, and the rest if there is one.

    Those of a cycle are its members.
    """

    labels: Labels | None  # None without rows
    node: Int64Array  # the callee or member; `NO_NODE` in the rows of self and of the rest
    change: CostArray
    by_calls: CostArray  # shares of the change, which are known where it is split
    per_call: CostArray
    reason: tuple[NotSplit, ...]
    compared: ComparedRows
    mark: Callable[[NodeId], str]  # words behind names
    is_of_cycle: bool

    def __len__(self) -> int:
        return len(self.node)

    def is_self(self, record: int) -> bool:
        """Whether a row is the change of the function itself."""
        return record == 0 and not self.is_of_cycle

    def is_call(self, record: int) -> bool:
        """Whether a row is a call, or a member of a cycle."""
        return int(self.node[record]) != NO_NODE

    @property
    def cost_of_one(self) -> BothSides:
        """The average cost of one call in whole counts, where there are calls."""
        cost, count = self.compared.cost, self.compared.count
        return BothSides(
            cost.base // np.maximum(count.base, 1), cost.new // np.maximum(count.new, 1)
        )

    # ---------------------------------------------------------------- words

    def name(self, record: int) -> str:
        """Return the name of a callee, or a word."""
        if self.labels is not None and self.is_call(record):
            return self.labels.name(node_at(self.node, record))
        return _SELF if self.is_self(record) else _REST

    def why(self, record: int) -> str:
        """Return whether calls became more or costlier, or why that is not known."""
        if self.is_self(record):
            return ""
        if not self.is_call(record):
            return "not in its calls"
        if self.is_of_cycle:
            return "member"
        return _REASONS[self.reason[record]] or why_text(self.compared, record)

    def called(self, record: int) -> str:
        """Return how often a callee was called on both sides."""
        if not self.is_call(record):
            return ""
        count = self.compared.count
        has_count = bool(count.base[record]) or bool(count.new[record])
        return count_text(self.compared, record) if has_count else NOT_RECORDED

    def each(self, record: int) -> str:
        """Return the average cost of one call on both sides."""
        if not self.is_call(record):
            return ""
        if self.reason[record] in (NotSplit.IN_CYCLE, NotSplit.RECURSIVE):
            return NOT_RECORDED
        costs, counts = self.cost_of_one, self.compared.count
        texts = [
            self.compared.cost_format.absolute_text(int(cost[record]))
            if count[record]
            else NOT_RECORDED
            for cost, count in ((costs.base, counts.base), (costs.new, counts.new))
        ]
        return texts[0] if texts[0] == texts[1] else ARROW.join(texts)

    def details(self, record: int) -> list[str]:
        """Return lines for the tip: who the callee is, and why its change is not split."""
        if self.labels is None or not self.is_call(record):
            return [_SELF_TIP if self.is_self(record) else _REST_TIP]
        reason = "" if self.is_of_cycle else _REASON_TIPS[self.reason[record]]
        return [*self.labels.details(node_at(self.node, record)), *filter(None, [reason])]


_NOTHING = np.empty(0, np.int64)
_NO_SIDES = BothSides(_NOTHING, _NOTHING)
NO_ROWS = ContributionRows(
    None,
    _NOTHING,
    _NOTHING,
    _NOTHING,
    _NOTHING,
    (),
    ComparedRows(_NO_SIDES, _NO_SIDES, np.empty(0, bool), NO_FORMAT, NO_FORMAT),
    lambda _node: "",
    is_of_cycle=False,
)


def contribution_rows(
    explained: Explanation,
    labels: Labels,
    costs: CostFormat,
    mark: Callable[[NodeId], str],
    *,
    is_of_cycle: bool,
) -> ContributionRows:
    """Return the rows of an explanation; `costs` formats the costs of one side."""
    own = 0 if is_of_cycle else 1  # rows before the calls
    more = 1 if explained.rest else 0  # rows behind them
    effects = explained.effects
    is_split: BoolArray = np.array([False] * own + effects.is_known.tolist() + [False] * more, bool)

    def column(of_self: int, calls: CostArray, of_rest: int) -> CostArray:
        values = [of_self] * own + calls.tolist() + [of_rest] * more
        return np.array(values, np.int64 if all(-_SAFE < v < _SAFE for v in values) else object)

    def sides(of_self: tuple[int, int], calls: BothSides) -> BothSides:
        return BothSides(column(of_self[0], calls.base, 0), column(of_self[1], calls.new, 0))

    costs_of_rows = sides(explained.self_cost, explained.cost)
    counts = sides((0, 0), explained.count)
    return ContributionRows(
        labels,
        column(NO_NODE, explained.callee, NO_NODE),
        column(explained.self_change, explained.cost.change, explained.rest),
        column(0, effects.by_calls, 0),
        column(0, effects.per_call, 0),
        (NotSplit.NO,) * own + explained.not_split + (NotSplit.NO,) * more,
        ComparedRows(costs_of_rows, counts, is_split, costs, costs),
        mark,
        is_of_cycle,
    )
