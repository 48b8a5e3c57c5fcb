"""The largest steps of what the chart shows, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qcachegrind_py.present.former.change_format import growth_text, signed
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.views.history.lines import ChartLine, Role


def step_words(line: ChartLine, labels: Sequence[str], format_: CostFormat) -> str:
    """Return the largest step of a line in words, and how many others there are."""
    if not len(line.steps):
        return f"{cell_text(line.name)}: no step"
    largest = int(np.argmax(np.abs(line.after - line.before)))
    at, before = int(line.steps[largest]), as_number(line.before[largest])
    after = as_number(line.after[largest])
    change = after - before
    size = signed(format_.absolute_text(abs(change)), change)
    share = growth_text(before, after, format_)
    others = len(line.steps) - 1
    more = f", and {format_count(others)} {plural(others, 'smaller one')}" if others else ""
    where = f"at {short_text(labels[at])}"
    return f"{cell_text(line.name)}: largest step {size} ({share}) {where}{more}"


def headline(lines: Sequence[ChartLine], labels: Sequence[str], format_: CostFormat) -> str:
    """Return the largest steps of the total and of the active function."""
    shown = [line for line in lines if line.role in (Role.TOTAL, Role.INCLUSIVE)]
    return " · ".join(step_words(line, labels, format_) for line in shown or lines[:1])
