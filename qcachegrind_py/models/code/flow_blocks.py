"""The basic blocks of a function as a list, for screen readers and for copying."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QObject

from qcachegrind_py.analysis.code.basic_blocks import UNKNOWN, BasicBlocks
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import cost_column
from qcachegrind_py.models.base.comparison_columns import side_columns
from qcachegrind_py.models.base.plain_text import tip_text
from qcachegrind_py.models.base.table import ArrayTableModel
from qcachegrind_py.models.code.flow_sides import FlowSides, count_changes
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId
from qcachegrind_py.profile.tables import Int64Array, UInt64Array

_NOTHING = np.empty(0, np.int64)


class FlowBlockModel(ArrayTableModel):
    """A table with one record per block; `function_of` is the same for all."""

    SELF, BASE, NEW, GROWTH, INCLUSIVE, EXECUTED, INSTRUCTIONS, FIRST, LAST = range(9)

    def __init__(self, parent: QObject | None = None) -> None:
        self.format = NO_FORMAT
        self._function = NO_FUNCTION
        self._self, self._inclusive = _NOTHING, _NOTHING
        self._executed, self._count = _NOTHING, _NOTHING
        self._first, self._last = np.empty(0, np.uint64), np.empty(0, np.uint64)
        self._sides: FlowSides | None = None
        sides = side_columns(
            lambda: None if self._sides is None else self._sides.blocks, "Self cost"
        )
        super().__init__((*self._number_columns(), *self._address_columns(), *sides), parent)

    def _number_columns(self) -> tuple[Column, ...]:
        return (
            cost_column(
                "self", "Self", "Cost of the instructions", lambda: self._self, self._changes
            ),
            cost_column(
                "inclusive",
                "Incl.",
                "Self cost, and that of all calls from the block",
                lambda: self._inclusive,
                self._changes,
            ),
            executed_column(
                "executed",
                "Executed",
                "How often the block was executed",
                self._counts,
                self._format,
                self._executed_text,
                lambda: None if self._sides is None else self._sides.blocks.count,
            ),
            Column(
                "instructions",
                "Instructions",
                "Number of known instructions",
                lambda r: self.format.count_text(int(self._count[r])),
                lambda: self._count,
            ),
        )

    def _address_columns(self) -> tuple[Column, ...]:
        first = address_column(
            "first", "Address", "Address of the first instruction", lambda: self._first
        )
        last = address_column("last", "Last", "Address of the last instruction", lambda: self._last)
        return first, last

    def _format(self) -> CostFormat:
        return self.format

    def _changes(self) -> CostFormat:
        """Return the format of costs, or of their changes."""
        return self.format if self._sides is None else self._sides.changes

    def _counts(self) -> Int64Array:
        return self._executed if self._sides is None else count_changes(self._sides.blocks.count)

    def _executed_text(self, record: int) -> str | None:
        return None if self._sides is None else self._sides.executed_text(record)

    def set_blocks(
        self,
        function: FunctionId,
        blocks: BasicBlocks,
        self_cost: CostArray,
        inclusive: CostArray,
        format_: CostFormat,
        sides: FlowSides | None = None,
    ) -> None:
        """Show all blocks of a function, whether visible in the graph or not; resets the model.

        With both sides of a comparison, costs are changes.
        """
        self._function, self.format, self._sides = function, format_, sides
        self._self, self._inclusive, self._executed = self_cost, inclusive, blocks.executed
        self._first, self._last = blocks.address[blocks.first], blocks.address[blocks.last]
        self._count = np.diff(blocks.start)
        self._reset(len(blocks))

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.format, self._function, self._sides = NO_FORMAT, NO_FUNCTION, None
        self._self = self._inclusive = self._executed = self._count = _NOTHING
        self._first = self._last = np.empty(0, np.uint64)
        self._reset(0)

    def address_of(self, record: int) -> int:
        """Return the address of the block's first instruction."""
        return int(self._first[record])

    def function_of(self, record: int) -> FunctionId:
        return self._function

    def tip_of(self, record: int) -> str:
        return tip_text(f"{int(self._first[record]):x} – {int(self._last[record]):x}")


def executed_column(
    key: str,
    title: str,
    tip: str,
    counts: Callable[[], Int64Array],
    format_: Callable[[], CostFormat],
    both: Callable[[int], str | None] = lambda _record: None,
    sides: Callable[[], BothSides | None] = lambda: None,
) -> Column:
    """Return a column of execution counts; unknown ones show a dash and are exported empty.

    `both` returns the text of both sides of a comparison, and `sides` their counts, which are
    exported beside each other. `counts` are the sizes of the changes then.
    """

    def text(record: int) -> str:
        if (compared := both(record)) is not None:
            return compared or "–"
        count = int(counts()[record])
        return "–" if count == UNKNOWN else format_().count_text(count)

    def plain(record: int) -> str:
        compared = sides()
        count = int((counts() if compared is None else compared.new)[record])
        return "" if count == UNKNOWN else str(count)

    def base() -> npt.NDArray[np.object_] | None:
        compared = sides()
        if compared is None:
            return None
        known = [None if count == UNKNOWN else count for count in compared.base.tolist()]
        return np.array(known, object)

    return Column(key, title, tip, text, counts, export_text=plain, base_values=base)


def address_column(key: str, title: str, tip: str, addresses: Callable[[], UInt64Array]) -> Column:
    """Return a column of addresses, in hexadecimal digits."""
    return Column(
        key,
        title,
        tip,
        lambda r: f"{int(addresses()[r]):x}",
        lambda: addresses().view(np.int64),  # in address order up to half of the address space
        export_text=lambda r: f"0x{int(addresses()[r]):x}",
        width=10,
    )
