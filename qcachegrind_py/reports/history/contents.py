"""What a report of a history is about: an event, its functions in order, and the largest steps."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

import numpy as np

from qcachegrind_py.analysis.comparison.sides import Identity
from qcachegrind_py.analysis.history.history import History
from qcachegrind_py.analysis.history.trends import Steps, Trends, trends
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.tables import UNKNOWN, Int64Array, StringTable
from qcachegrind_py.tools.demangler import demangle_names

HistoryKey = Literal["trend", "step", "spread"]
HistoryKind = Literal["self", "inclusive"]
HISTORY_KEYS: tuple[HistoryKey, ...] = ("trend", "step", "spread")


@dataclass(frozen=True, slots=True)
class RevisionStep:
    """A revision with which self costs stepped to other levels."""

    revision: int
    functions: tuple[tuple[int, int], ...]  # function and change of its level, the largest first

    @property
    def change(self) -> int:
        """The sum of all changes; + is growth."""
        return sum(change for _, change in self.functions)


@dataclass(frozen=True, slots=True, eq=False)
class HistoryReport:
    """What is written of a history; functions are rows of it."""

    history: History
    event: EventType
    kind: HistoryKind
    totals: list[int]  # of the revisions
    costs: CostArray  # of the kind, shape (functions, revisions)
    trends: Trends  # of these
    steps: tuple[RevisionStep, ...]  # of self costs, the largest first
    functions: Int64Array  # those to show, in order
    names: tuple[Identity, ...]  # of all functions, as they are shown


def history_report(
    history: History,
    event: EventType,
    key: HistoryKey = "trend",
    kind: HistoryKind = "self",
    limit: int | None = None,
    *,
    readable: bool = False,
) -> HistoryReport:
    """Prepare the report of one event: functions by the size of their trend, step or spread.

    Names are as recorded unless they are to be `readable`, which takes a while for C++ and Rust.
    """
    costs = history.self_cost(event) if kind == "self" else history.inclusive(event)
    numbers = trends(costs)
    own = numbers if kind == "self" else trends(history.self_cost(event))
    sizes = {"trend": numbers.trend, "step": numbers.largest_step, "spread": numbers.spread}
    order = np.lexsort((-numbers.spread, -abs(sizes[key])))
    return HistoryReport(
        history,
        event,
        kind,
        history.totals(event).tolist(),
        costs,
        numbers,
        _by_revision(own.steps),
        order[:limit],
        _readable(history.functions) if readable else history.functions,
    )


def _readable(functions: tuple[Identity, ...]) -> tuple[Identity, ...]:
    """Return the functions with names that are readable where they were mangled."""
    recorded = (name.encode("utf-8", "surrogateescape") for name, _, _ in functions)
    texts = demangle_names(StringTable.from_bytes([UNKNOWN.encode(), *recorded]))
    return tuple(
        (texts[TextId(place)], file, object_)
        for place, (_, file, object_) in enumerate(functions, 1)
    )


def _by_revision(steps: Steps) -> tuple[RevisionStep, ...]:
    """Return the revisions with steps, by the larger one of their growth and shrinkage."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    columns = (steps.revision, steps.series, steps.change)
    for revision, function, change in zip(*(each.tolist() for each in columns), strict=True):
        found[revision].append((function, change))
    rows = [
        RevisionStep(revision, tuple(sorted(changes, key=lambda each: -abs(each[1]))))
        for revision, changes in found.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-_size(row), row.revision)))


def _size(step: RevisionStep) -> int:
    grown = sum(change for _, change in step.functions if change > 0)
    return max(grown, grown - step.change)
