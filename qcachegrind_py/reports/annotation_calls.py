"""The calls of annotated lines and instructions, as lines of text below the one that makes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedCosts, event_costs
from qcachegrind_py.analysis.costs.call_edges import has_call_counts
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.numbers import ACTIVE, IN_CYCLE, UNDEFINED
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.annotation_style import AnnotationStyle, cost_text
from qcachegrind_py.reports.function_table import repeated_names
from qcachegrind_py.reports.table_export import cell_text

_CALLS_AT_ONCE = 5000


class CallLines:
    """The lines of all calls of an annotation, which are asked for in order of location.

    They are made from columns, some thousand calls at a time: a function with a million calls
    takes 2 s, against 7 s call by call.
    """

    def __init__(
        self,
        profile: Profile,
        costs: AnnotatedCosts,
        style: AnnotationStyle,
        location_width: int,
        cost_width: int,
    ) -> None:
        self._profile, self._costs, self._layout = profile, costs, style.layout
        self._events: Sequence[EventType | None] = style.events or (None,)
        self._indent, self._cost_width = " " * location_width, cost_width
        locations = costs.self_cost.shape[1]
        self._starts = np.searchsorted(costs.calls.location, np.arange(locations + 1)).tolist()
        self._block, self._lines = -1, [""]  # the calls made last

    def of_location(self, row: int) -> Iterator[str]:
        """Yield the lines of the calls at a line or instruction; none for row -1."""
        for call in range(self._starts[row], self._starts[row + 1]) if row >= 0 else ():
            block, place = divmod(call, _CALLS_AT_ONCE)
            if block != self._block:
                begin = block * _CALLS_AT_ONCE
                stop = min(begin + _CALLS_AT_ONCE, len(self._costs.calls))
                self._block, self._lines = block, list(self._made(np.arange(begin, stop)))
            yield self._lines[place]

    def _made(self, rows: Int64Array) -> Iterator[str]:
        cells = (self._cost_cells(event, rows) for event in self._events)
        for text, *costs in zip(self._texts(rows), *cells, strict=True):
            begin = f"{self._indent}{''.join(costs)}  "
            yield (begin + self._layout.code(text, len(begin))).rstrip()

    def _cost_cells(self, event: EventType | None, rows: Int64Array) -> Iterator[str]:
        """Yield the inclusive cost of each call, below empty cells of self cost and share."""
        costs = event_costs(self._profile, event, self._costs.calls.inclusive[:, rows])
        form = f"{{:>{2 * self._cost_width + 8}}}".format
        for cost, is_within in zip(costs, self._costs.within_cycle[rows].tolist(), strict=True):
            yield form(IN_CYCLE if is_within else cost_text(cost))

    def _texts(self, rows: Int64Array) -> Iterator[str]:
        """Yield the callee of each call, with count and file."""
        calls, functions, texts = self._costs.calls, self._profile.functions, self._profile.texts
        callees, has_counts = calls.callee[rows], has_call_counts(self._profile)
        columns = (
            repeated_names(texts, functions.name[callees]),
            repeated_names(texts, functions.file[callees]),
            calls.count[rows].tolist(),
            calls.is_active[rows].tolist(),
        )
        for name, file, count, is_active in zip(*columns, strict=True):
            count_text = ACTIVE if is_active else f"{count:,}x" if has_counts else UNDEFINED
            yield f"  → {cell_text(name)} {count_text} ({cell_text(base_name(file))})"
