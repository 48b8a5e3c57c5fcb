"""The lines of the chart: of the total, of the active function and of pinned functions.

Lines differ in colour, in their dashes and in the shape of their points, so that none of these is
needed to tell them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette

from qcachegrind_py.models.base.group_colors import blended
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.table import short_text
from qcachegrind_py.profile.events import CostArray, Float64Array, as_number
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.views.common.bar_color import MIN_CONTRAST, contrast

_PEN = Qt.PenStyle
_STEPS = 20  # of the search for a colour that can be seen


class Role(Enum):
    """What a line is of."""

    TOTAL = "total"
    INCLUSIVE = "inclusive"  # of the active function
    SELF = "self"
    PINNED = "pinned"


@dataclass(frozen=True, slots=True)
class Look:
    """How a line is drawn."""

    color: QColor
    dashes: Qt.PenStyle
    symbol: str  # of its points, as pyqtgraph names it


@dataclass(frozen=True, slots=True, eq=False)
class ChartLine:
    """One line of the chart: a cost in each revision."""

    role: Role
    name: str  # as people read it
    values: CostArray  # shape (revisions,)
    is_there: BoolArray  # shape (revisions,): whether the revision has the function
    steps: Int64Array  # the revisions with which it steps to another level, ascending
    before: CostArray  # the levels before the steps, shape (steps,)
    after: CostArray
    look: Look

    @property
    def short_name(self) -> str:
        """The name in a line about one revision: that of the active function is known."""
        return short_text(self.name) if self.role is Role.PINNED else self.role.value.capitalize()

    def text_at(self, revision: int, format_: CostFormat) -> str:
        """Return the cost in a revision as text."""
        if not self.is_there[revision]:
            return "–"
        return format_.absolute_text(as_number(self.values[revision]))

    def heights(self, *, relative: bool) -> Float64Array:
        """Return the values as float64 for drawing, NaN where there is none: shape (revisions,).

        `relative` makes them percentages of the first value above 0.
        """
        floats = np.where(self.is_there, np.asarray(self.values, np.float64), np.nan)
        if not relative:
            return floats
        above = np.flatnonzero(floats > 0)
        first = floats[above[0]] if len(above) else np.nan
        percentages: Float64Array = floats / first * 100
        return percentages


@dataclass(frozen=True, slots=True)
class Marks:
    """The revisions that are marked in the chart; None where there is none."""

    base: int | None = None  # the base that the user has marked for the next comparison
    open: int | None = None  # the open profile
    compared: int | None = None  # what it is compared with


# of the palette by Okabe and Ito, which all kinds of colour vision tell apart; that of growth and
# shrinkage is taken by steps
_PINNED_COLORS = "#cc79a7", "#009e73", "#e69f00", "#56b4e9"
_PINNED_DASHES = _PEN.DashDotLine, _PEN.DashDotDotLine, _PEN.SolidLine, _PEN.DashLine
_PINNED_SYMBOLS = "star", "+", "x", "p", "h"


def look_of(role: Role, number: int, palette: QPalette) -> Look:
    """Return how a line is drawn; `number` counts the pinned functions."""
    text = palette.color(QPalette.ColorRole.Text)
    base = palette.color(QPalette.ColorRole.Base)
    match role:
        case Role.TOTAL:
            return Look(text, _PEN.SolidLine, "o")
        case Role.INCLUSIVE:
            link = palette.color(QPalette.ColorRole.Link)
            return Look(legible(link, palette), _PEN.DashLine, "s")
        case Role.SELF:
            return Look(blended(text, base, 0.7), _PEN.DotLine, "d")
    return Look(
        legible(QColor(_PINNED_COLORS[number % len(_PINNED_COLORS)]), palette),
        _PINNED_DASHES[number % len(_PINNED_DASHES)],
        _PINNED_SYMBOLS[number % len(_PINNED_SYMBOLS)],
    )


def legible(color: QColor, palette: QPalette) -> QColor:
    """Return the colour, blended with that of texts as far as it takes to be seen."""
    base = palette.color(QPalette.ColorRole.Base)
    text = palette.color(QPalette.ColorRole.Text)
    for step in range(_STEPS + 1):
        candidate = blended(text, color, step / _STEPS)
        if contrast(candidate, base) >= MIN_CONTRAST:
            return candidate
    return text


def value_range(lines: list[ChartLine], *, relative: bool) -> tuple[float, float]:
    """Return the least and the largest height to show.

    The axis begins at 0 unless all values are close together, far from it: a step of a percent is
    to be seen.
    """
    heights = [line.heights(relative=relative) for line in lines]
    known = np.concatenate([line[~np.isnan(line)] for line in heights] or [np.zeros(0)])
    if not len(known):
        return 0.0, 1.0
    least, largest = float(known.min()), float(known.max())
    if least < largest / 2:
        least = min(least, 0.0)
    if largest <= least:
        return (0.0, largest) if largest > 0 else (least, least + 1.0)
    room = (largest - least) * 0.06
    return least - (room if least > 0 else 0.0), largest + room
