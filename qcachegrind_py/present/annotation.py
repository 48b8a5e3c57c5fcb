"""Annotated functions and source files: the costs of their lines or instructions, and their sums.

Text, tables and JSON have the same costs; `AnnotationReport.rows` are those of one function or file
in exact numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedInstructions,
    AnnotatedLines,
    event_costs,
    function_self_cost,
)
from qcachegrind_py.analysis.costs.scope import Parts
from qcachegrind_py.analysis.costs.totals import total
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, text_at
from qcachegrind_py.profile.numbers import UNDEFINED, percentage
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.visible_text import visible_text

Annotated = AnnotatedLines | AnnotatedInstructions


@frozen(eq=True)
class Annotation:
    """A function or a source file with its costs."""

    annotated: Annotated
    problem: str = ""  # why texts are missing; empty if none are


@frozen(eq=True, slots=False)
class AnnotationReport:
    """Functions and files of one profile, with costs in some events side by side."""

    annotations: Sequence[Annotation]
    events: tuple[EventType, ...]
    parts: Parts = None
    is_list: bool = False  # whether there may be several, even if there is one

    @cached_property
    def totals(self) -> tuple[int | float, ...]:
        """What percentages are of: a total for each event, or a zero without events."""
        profile = self.annotations[0].annotated.profile
        return tuple(total(profile, event, self.parts).base for event in self.events) or (0,)

    def costs(self, annotated: Annotated) -> list[list[int | float]]:
        """Return self and inclusive costs of all rows, for each event; zeros without events."""
        return [
            costs(event)
            for event in self.events or (None,)
            for costs in (annotated.self_cost, annotated.inclusive_cost)
        ]

    def self_cost(self, annotated: Annotated) -> Int64Array:
        """Return the self cost of the function or of the file, shape (measured events, 1)."""
        if annotated.function == NO_FUNCTION:
            costs: Int64Array = annotated.costs.self_cost.sum(axis=1, keepdims=True)
            return costs
        return function_self_cost(annotated.profile, annotated.function, self.parts)

    # ---------------------------------------------------------------- rows of exact numbers

    def titles(self, annotated: Annotated) -> list[str]:
        """Return the titles of the rows; they name the event only where there are several."""
        costs = ["self", "inclusive"]
        if len(self.events) > 1:
            costs = [f"{kind} {event.name}" for event in self.events for kind in costs]
        if isinstance(annotated, AnnotatedLines):
            return ["file", "line", *costs, "text"]
        return ["address", "size", *costs, "file", "line", "text"]

    def rows(self, annotated: Annotated) -> Iterator[tuple[object, ...]]:
        """Yield the lines with cost, or all instructions."""
        if isinstance(annotated, AnnotatedLines):
            return self._line_rows(annotated)
        return self._instruction_rows(annotated)

    def _line_rows(self, annotated: AnnotatedLines) -> Iterator[tuple[object, ...]]:
        costs = self.costs(annotated)
        for row in annotated.order:
            text = (annotated.text(row) or "").expandtabs()
            cells = (_defined(column[row]) for column in costs)
            yield annotated.file(row), annotated.lines.line[row], *cells, text

    def _instruction_rows(self, annotated: AnnotatedInstructions) -> Iterator[tuple[object, ...]]:
        costs, cost_rows = self.costs(annotated), annotated.cost_row.tolist()
        for position, address in enumerate(annotated.address.tolist()):
            row, text = cost_rows[position], annotated.text(position)
            file, line = annotated.location(position)
            yield (
                f"{address:#x}",
                annotated.size(position),
                *(_defined(column[row]) if row >= 0 else 0 for column in costs),
                *(file or "", "" if line is None else line),
                (text or "").expandtabs(),
            )

    # ---------------------------------------------------------------- what is said of the sums

    def heading(self, annotation: Annotation) -> Iterator[str]:
        """Yield lines about a function or file: its location, its share of the total, problems."""
        annotated = annotation.annotated
        if annotated.function == NO_FUNCTION:
            yield f"File: {visible_text(subject_file(annotated))}"
        else:
            name, file, object_ = function_texts(annotated.profile, annotated.function)
            yield visible_text(name)
            yield f"File: {visible_text(file)}"
            yield f"Object: {visible_text(object_)}"
        for share in self._shares(self.self_cost(annotated)):
            yield f"Self {share}"
        if annotation.problem:
            yield f"Problem: {visible_text(annotation.problem)}"

    def sum_lines(self) -> Iterator[str]:
        """Yield how much of the total cost the functions or files have, for each event.

        Functions and files together would count some costs twice, and have no such line.
        """
        annotated = [each.annotated for each in self.annotations]
        if self.events and len({each.function == NO_FUNCTION for each in annotated}) == 1:
            costs = np.asarray(sum(map(self.self_cost, annotated)))
            yield from (f"Annotated {share}" for share in self._shares(costs))

    def _shares(self, measured: Int64Array) -> Iterator[str]:
        """Yield a cost with its event, the total, and the percentage if there is one."""
        for event, whole in zip(self.events or (None,), self.totals, strict=True):
            (cost,) = event_costs(self.annotations[0].annotated.profile, event, measured)
            text = f"{visible_text(event.name) if event else 'cost'}: {cost_text(cost)}"
            if not (event and event.is_ratio):
                share = percentage(cost, whole)
                text += f" of {cost_text(whole)}"
                text += "" if share is None else f" ({share:.2f} %)"
            yield text


def subject_file(annotated: Annotated) -> str:
    """Return the name of the one file that is annotated over all functions."""
    if isinstance(annotated, AnnotatedLines) and annotated.files:
        return annotated.profile.texts[next(iter(annotated.files))]
    return ""


def function_texts(profile: Profile, function: FunctionId) -> tuple[str, str, str]:
    """Return name, file and object of a function as recorded; empty texts for none."""
    if function == NO_FUNCTION:
        return "", "", ""
    texts, functions = profile.texts, profile.functions
    columns = functions.name, functions.file, functions.object
    name, file, object_ = (texts[text_at(column, function)] for column in columns)
    return name, file, object_


def cost_text(cost: int | float) -> str:
    """Return a cost for people, with digits in groups; a dash for a ratio without a divisor."""
    if isinstance(cost, int):
        return f"{cost:,}"
    return f"{cost:,.4g}" if math.isfinite(cost) else UNDEFINED


def _defined(cost: int | float) -> int | float | str:
    return cost if math.isfinite(cost) else ""
