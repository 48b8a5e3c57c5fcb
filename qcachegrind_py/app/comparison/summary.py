"""The totals of a comparison as texts: base, new, net change, growth and shrinkage."""

from __future__ import annotations

from dataclasses import dataclass, replace

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.sums import (
    GrossChange,
    gross_change,
    growing,
    shrinking,
)
from qcachegrind_py.present.change_facts import contributors_text
from qcachegrind_py.present.table import short_text
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.numbers import NumberStyle, unit_of, without_unit


@dataclass(frozen=True, slots=True)
class Summary:
    """The totals in one event; texts are empty where there is nothing to say."""

    event: str
    base: str = ""
    new: str = ""
    change: str = ""  # with its share of the base's total
    grown: str = ""
    shrunk: str = ""
    grown_by: str = ""  # how many functions make most of the growth
    shrunk_by: str = ""
    note: str = ""  # why there are no numbers, or what no function has


def summarize(
    compared: Comparison, event: EventType, style: NumberStyle, *, of_recorded: bool = True
) -> Summary:
    """Return the totals; `of_recorded` takes the recorded ones if they are larger."""
    unit = _unit(event, style)
    if event not in compared.events:
        return Summary(unit.event, note=f"{unit.event} was measured on one side only")
    base, new = _totals(compared, event, of_recorded=of_recorded)
    summary = Summary(
        unit.event,
        unit.absolute(base),
        unit.absolute(new),
        _change_text(base, new, unit),
    )
    return summary if event.is_ratio else _with_gross_change(summary, compared, event, unit)


def total_texts(
    compared: Comparison, event: EventType, style: NumberStyle, *, of_recorded: bool = True
) -> tuple[str, str]:
    """Return the totals of base and new alone."""
    base, new = _totals(compared, event, of_recorded=of_recorded)
    unit = _unit(event, style)
    return unit.absolute(base), unit.absolute(new)


def _unit(event: EventType, style: NumberStyle) -> Unit:
    name, quantity = short_text(without_unit(event.name)), unit_of(event.name, event.long_name)
    return Unit(name, 0, False, event.is_ratio, style, quantity)


def _totals(
    compared: Comparison, event: EventType, *, of_recorded: bool
) -> tuple[int | float, int | float]:
    base, new = compared.total(event)
    return (base.base, new.base) if of_recorded else (base.counted, new.counted)


def _change_text(base: int | float, new: int | float, unit: Unit) -> str:
    """Return the net change and its share of the base, unless one of them is 0."""
    if base == new:
        return "unchanged"
    change = unit.absolute_change(new - base)
    return f"{change} ({unit.growth(base, new)})" if base and new else change


def _with_gross_change(
    summary: Summary, compared: Comparison, event: EventType, unit: Unit
) -> Summary:
    functions = len(compared.pairing)
    sides = compared.self_cost(event)
    change = sides.change[:functions]
    gross = gross_change(sides.base[:functions], sides.new[:functions], change)
    return replace(
        summary,
        grown=unit.absolute_change(gross.grown),
        shrunk=unit.absolute_change(gross.shrunk),
        grown_by=contributors_text(growing(change), unit.style),
        shrunk_by=contributors_text(shrinking(change), unit.style),
        note=_remainder_text(compared, event, gross, unit),
    )


def _remainder_text(compared: Comparison, event: EventType, gross: GrossChange, unit: Unit) -> str:
    """Return what of the recorded totals no function has, if that changed; else empty."""
    base, new = (total.base for total in compared.total(event))
    remainders = base - gross.base, new - gross.new
    if remainders[0] == remainders[1]:
        return ""
    before, after = map(unit.absolute, remainders)
    return f"Not attributed to functions: {before} → {after}"
