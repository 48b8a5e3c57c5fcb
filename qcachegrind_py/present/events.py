"""The table of event types: costs of the active function, long names and formulas."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import Figures
from qcachegrind_py.present.table import (
    BarPart,
    Column,
    NumberCells,
    Shown,
    Table,
    TextCells,
    Value,
    known_numbers,
)
from qcachegrind_py.present.unit import BASE, NEW
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType, Float64Array, as_number, format_definition
from qcachegrind_py.profile.tables import Int64Array

ONE_SIDED = "Measured on one side of the comparison only"
_INCLUSIVE, _SELF = 0, 1  # rows of the figures of an event


def event_table(query: ViewQuery) -> Table:
    """Return all events of the profile, with their costs in the active function."""
    events = query.events.all
    figures = [_figures(query, event) for event in events]
    parts = [_terms(query, event) for event in events]
    return _table(events, figures, parts)


Terms = tuple[tuple[str, tuple[int, int]], ...]  # names of events with both costs, as in a sum


def _terms(query: ViewQuery, event: EventType) -> Terms:
    """Return what inclusive and self cost of the active function are the sums of.

    There are no parts of ratios, of changes, and of what is below 0.
    """
    function, events = query.context.function, query.events
    if event.is_ratio or query.context.base is not None:
        return ()
    if not event.formula:
        return ((event.name, (1, 1)),)
    terms = []
    for factor, name in event.formula:
        if (term := events.find(name)) is not None and not term.is_ratio:
            inclusive, own = query.node_costs(term, function)
            terms.append((name, (int(inclusive * factor), int(own * factor))))
    return tuple(terms) if all(min(costs) >= 0 for _, costs in terms) else ()


def _figures(query: ViewQuery, event: EventType) -> Figures:
    """Return the inclusive and the self cost of the active function in an event."""
    function, base = query.context.function, query.context.base
    new = np.array(query.node_costs(event, function))
    if base is None:
        return Figures.alone(query.unit(event), new)
    before = np.array(query.queries.node_costs(function, event, base))
    known, samples = query.known(event), query.sampling(event)
    figures = Figures(query.unit(event), new, before, known, sampling=samples)
    return figures if figures.unit.is_ratio else figures.with_longest_bar()


def bar_parts(query: ViewQuery, event: EventType) -> tuple[tuple[BarPart, ...], ...]:
    """Return the parts of a derived event in inclusive and self cost of the active function."""
    terms = _terms(query, event) if event.is_derived else ()
    return tuple(_parts(terms, place) for place in (_INCLUSIVE, _SELF))


def _parts(terms: Terms, place: int) -> tuple[BarPart, ...]:
    costs = [(name, both[place]) for name, both in terms]
    whole = sum(cost for _, cost in costs)
    return tuple((name, cost / whole) for name, cost in costs if cost) if whole else ()


class _EventCells(NumberCells):
    """Numbers of events, which are few."""

    figures: Sequence[Figures]

    def widest(self) -> str:
        return max(map(self.text, range(len(self.figures))), key=len, default="")


@frozen
class _CostCells(_EventCells):
    """The inclusive or the self cost of each event, in its own unit."""

    figures: Sequence[Figures]
    place: int
    terms: Sequence[Terms] = ()

    def text(self, row: int) -> str:
        return self.figures[row].cell(self.place)

    def short_text(self, row: int) -> str:
        return self.figures[row].shortened.cell(self.place)

    def widest_short(self) -> str:
        return max((each.widest_short for each in self.figures), key=len, default="")

    def numbers(self) -> Float64Array:
        return np.array([float(each.shown[self.place]) for each in self.figures])

    def values(self, rows: Int64Array) -> list[Value]:
        shown = (self.figures[row].shown for row in rows.tolist())
        return [value for each in shown for value in known_numbers(each[[self.place]])]

    def tip(self, row: int) -> str:
        figures, place = self.figures[row], self.place
        unit, shown = figures.unit, as_number(figures.shown[place])
        exact = unit.exact_change(shown) if figures.is_compared else unit.exact(shown)
        parts = self.bar_parts(row)
        shares = ", ".join(f"{name} {_part(share)}" for name, share in parts)
        return " = ".join(filter(None, (exact, shares if len(parts) > 1 else "")))

    def heading(self, title: str) -> str:
        return self.figures[0].heading(title) if self.figures else title

    def bar(self, row: int) -> float | None:
        return self.figures[row].bar(self.place)

    def bar_parts(self, row: int) -> tuple[BarPart, ...]:
        return _parts(self.terms[row], self.place)

    @property
    def is_change(self) -> bool:
        return any(each.is_compared for each in self.figures)

    @property
    def has_bars(self) -> bool:
        return True


@frozen
class _SideCells(_EventCells):
    """The inclusive cost of each event in the base or in the new side."""

    figures: Sequence[Figures]
    side: int

    def text(self, row: int) -> str:
        figures = self.figures[row]
        return figures.side_cell(_INCLUSIVE, self.side) if figures.is_compared else ""

    def numbers(self) -> Float64Array:
        return np.array([float(each.side(self.side)[_INCLUSIVE]) for each in self.figures])

    def values(self, rows: Int64Array) -> list[Value]:
        sides = (self.figures[row].side(self.side) for row in rows.tolist())
        return [value for each in sides for value in known_numbers(each[[_INCLUSIVE]])]

    def tip(self, row: int) -> str:
        figures = self.figures[row]
        cost = as_number(figures.side(self.side)[_INCLUSIVE])
        return figures.unit.exact(cost) if figures.is_compared else ""


@frozen
class _GrowthCells(_EventCells):
    """The growth of the inclusive cost in each event; empty where only one side measured it."""

    figures: Sequence[Figures]

    def text(self, row: int) -> str:
        figures = self.figures[row]
        return figures.growth(_INCLUSIVE) if figures.is_compared and all(figures.known) else ""

    def numbers(self) -> Float64Array:
        return np.array([float(each.growths()[_INCLUSIVE]) for each in self.figures])


def _part(share: float) -> str:
    """Return which part of a bar an event has, in percent."""
    return f"{share:.0%}" if share >= 0.01 else "<1%"


def _table(
    events: Sequence[EventType], figures: Sequence[Figures], terms: Sequence[Terms]
) -> Table:
    formulas = [format_definition(event) if event.is_derived else "" for event in events]
    compared = Shown.COMPARED
    side_tip = "Inclusive cost of the active function on this side"
    columns = (
        Column(
            "event",
            "Event",
            "The event's short name",
            TextCells([event.name for event in events], ranks=np.arange(len(events))),
            width=16,
        ),
        Column(
            "inclusive",
            "Incl.",
            "Inclusive cost of the active function",
            _CostCells(figures, _INCLUSIVE, terms),
        ),
        Column(
            "self", "Self", "Self cost of the active function", _CostCells(figures, _SELF, terms)
        ),
        Column("base", "Base", side_tip, _SideCells(figures, BASE), compared, gives_way=2),
        Column("new", "New", side_tip, _SideCells(figures, NEW), compared, gives_way=2),
        Column(
            "growth",
            "Growth",
            "The change in percent of the cost in the base",
            _GrowthCells(figures),
            compared,
            gives_way=3,
        ),
        Column(
            "long_name",
            "Long name",
            "Name",
            TextCells([event.long_name for event in events]),
            stretches=True,
        ),
        Column(
            "formula",
            "Formula",
            "How a derived event is computed",
            TextCells(formulas),
            width=40,
            gives_way=1,
        ),
    )

    names = {event.name for event in events}

    def tip(row: int) -> tuple[str, ...]:
        event, is_known = events[row], all(figures[row].known)
        reason = "" if is_known or event.is_ratio else ONE_SIDED
        missing = ", ".join(name for _, name in event.formula + event.divisor if name not in names)
        lacks = f"Not counted: {missing}" if missing else ""
        return tuple(filter(None, (event.name, event.long_name, formulas[row], lacks, reason)))

    return Table(columns, len(events), tip=tip)


def no_events() -> Table:
    """Return the columns without rows."""
    return _table((), (), ())
