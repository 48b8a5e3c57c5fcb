"""The first answer about a profile in one line: what is hottest, how much is in libraries, threads.

Of a comparison it is how the total changed, and which function changed most. It is a description
that the window, a page or a text can show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

import numpy as np

from qcachegrind_py.analysis.names.function_names import Grouping, base_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import short_text
from qcachegrind_py.present.unit import share_text, signed
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.numbers import (
    NumberStyle,
    format_brief,
    format_cost,
    format_count,
    format_percentage,
    has_percentages,
    unit_of,
)

_LIBRARY = re.compile(r"\.(so|dylib|dll)\b", re.IGNORECASE)
BETWEEN = " · "
CALLED_FROM = " ← "


class Lead(Enum):
    """Where a remark leads; the value of its `to` is a node, a name or a filter."""

    FUNCTION = "to this function"
    OBJECT = "to the functions of this library"
    PARTS = "to the parts"
    TOTALS = "to the recorded totals"
    FILTER = "to these functions"


@frozen(eq=True)
class Remark:
    """One piece of the line. The name is of a function, and can be shortened."""

    text: str  # before the name
    name: str = ""
    number: str = ""  # after the name
    lead: Lead | None = None
    to: object = None
    tip: str = ""
    joint: str = BETWEEN  # between it and the remark before

    @property
    def whole(self) -> str:
        return f"{self.text}{self.name}{self.number}"


def summary_text(remarks: tuple[Remark, ...]) -> str:
    """Return the line as a sentence's worth of plain text."""
    return "".join(
        f"{each.joint if place else ''}{each.whole}" for place, each in enumerate(remarks)
    )


def summarize(query: ViewQuery) -> tuple[Remark, ...]:
    """Return the remarks about a profile or a comparison."""
    event = query.context.event
    if event is None or not query.queries.function_count:
        return ()
    event = query.queries.measured_event(event)
    about = _of_comparison if query.is_comparing else _of_profile
    return tuple(about(query, event))


# ---------------------------------------------------------------- a profile alone


def _of_profile(query: ViewQuery, event: EventType) -> Iterator[Remark]:
    yield from _hottest(query, event)
    yield from _libraries(query, event)
    yield from _threads(query, event)
    yield from _not_attributed(query, event)


def _hottest(query: ViewQuery, event: EventType) -> Iterator[Remark]:
    node = query.hottest_function()
    if node == NO_NODE:
        return
    labels, cost = query.labels(), int(query.queries.self_cost(event, query.context.scope)[node])
    name = labels.name(node)
    tip = f"The function with the highest self cost: {name}"
    yield Remark("Hottest: ", name, f" {_share(query, event, cost)}", Lead.FUNCTION, node, tip)
    calls = query.queries.callers(node, query.context.scope)
    costs = np.where(calls.node == node, 0, calls.cost(query.events, event))  # by others
    if costs.any():
        caller = NodeId(int(calls.node[costs.argmax()]))
        name = labels.name(caller)
        tip = f"Most is spent in calls from {name}"
        yield Remark("", name, "", Lead.FUNCTION, caller, tip, CALLED_FROM)


def _libraries(query: ViewQuery, event: EventType) -> Iterator[Remark]:
    """Yield the share of shared libraries in the self costs, and which has most of it."""
    scope = query.context.scope
    names = query.queries.groups(Grouping.OBJECT, scope).names
    costs = query.queries.group_costs(Grouping.OBJECT, event, scope)
    libraries = [row for row, name in enumerate(names) if _LIBRARY.search(name)]
    if not libraries:
        return
    total, most = sum(int(costs[row]) for row in libraries), max(libraries, key=costs.__getitem__)
    whole = _rounded(query, event, total)
    if not whole:
        return
    name = names[most]
    short = base_name(name).partition(".so")[0]
    of_most = _rounded(query, event, int(costs[most]))
    inner = f" ({short_text(short)}{'' if of_most == whole else f' {of_most}'})"
    tip = f"Self cost in {format_count(len(libraries))} shared libraries, most of it in {name}"
    yield Remark(f"{whole} in libraries{inner}", lead=Lead.OBJECT, to=name, tip=tip)


def _threads(query: ViewQuery, event: EventType) -> Iterator[Remark]:
    """Yield how many threads or parts there are, and which thread has most of the cost."""
    parts = query.profile.parts
    threads = len({(part.pid, part.thread) for part in parts})
    for count, what in ((threads, "thread"), (len(parts), "part")):
        if count > 1:
            most = _costliest_thread(query, event) if what == "thread" else ""
            text = f"{most} of {format_count(count)}" if most else f"{format_count(count)} {what}s"
            yield Remark(text, lead=Lead.PARTS, tip=f"The costs of each {what}")
            return


def _costliest_thread(query: ViewQuery, event: EventType) -> str:
    """Return the share of the thread with most of the cost; empty where only some parts count."""
    parts = query.profile.parts
    if query.context.scope.parts is not None or len({part.pid for part in parts}) > 1:
        return ""
    costs: dict[int, int] = {}
    totals = query.events.evaluate(event, query.queries.part_totals)
    for part, cost in zip(parts, totals.tolist(), strict=True):
        costs[part.thread] = costs.get(part.thread, 0) + cost
    thread = max(costs, key=costs.__getitem__)
    share = _rounded(query, event, costs[thread])
    if not share:
        return ""
    from qcachegrind_py.present.parts import thread_names  # most profiles have one thread

    name = short_text(thread_names(parts).get(thread, format_count(thread)))
    return f"{share} in thread {name}"


def _not_attributed(query: ViewQuery, event: EventType) -> Iterator[Remark]:
    """Yield how much of the recorded total no function has, or how much more functions have."""
    total = query.total(event)
    if total.recorded is None or isinstance(total.counted, float):
        return
    difference, recorded = int(total.recorded) - int(total.counted), int(total.recorded)
    if not difference:
        return
    part, whole = (_amount(each, event) for each in (abs(difference), recorded))
    text = f"{part} of {whole} not attributed"
    tip = "The recorded total, and the part of it that belongs to functions"
    if difference < 0:
        text = f"{part} more counted than the {whole} recorded"
    yield Remark(text, lead=Lead.TOTALS, tip=tip)


# ---------------------------------------------------------------- a comparison


def _of_comparison(query: ViewQuery, event: EventType) -> Iterator[Remark]:
    compared = query.comparison
    if compared is None or event not in compared.events:
        return
    base, new = (int(total.base) for total in compared.total(event))
    unit = query.unit(event)
    growth = unit.growth(base, new) or "Unchanged"
    yield Remark(f"{growth} {short_text(event.name)}", tip=f"{base:,} → {new:,}")
    functions = len(compared.pairing)
    sides = compared.self_cost(event)
    change = sides.change[:functions]
    if (samples := compared.sampling(event)) is not None:
        change = np.where(samples.is_beyond(sides)[:functions], change, 0)
    most = int(np.argmax(np.abs(change)))
    if change[most]:
        name = query.labels().name(NodeId(most))
        part = _share(query, event, abs(int(change[most])), base)
        number = f" ({signed(part, int(change[most]))})"
        tip = f"The function whose self cost has changed most: {name}"
        yield Remark("most from ", name, number, Lead.FUNCTION, NodeId(most), tip)
    joint = BETWEEN
    for missing, word in ((~compared.in_base, "new"), (~compared.in_new, "gone")):
        if count := int(np.count_nonzero(missing)):
            tip = f"Functions that only {'the new side' if word == 'new' else 'the base'} has"
            text = f"{format_count(count)} {word}"
            yield Remark(text, lead=Lead.FILTER, to=f"is:{word}", tip=tip, joint=joint)
            joint = ", "


# ---------------------------------------------------------------- numbers


def _style(query: ViewQuery, decimals: int) -> NumberStyle:
    return NumberStyle(decimals, decimal_point=query.context.numbers.decimal_point)


def _total(query: ViewQuery, event: EventType) -> int:
    total = query.total(event)
    return int(total.base if query.context.of_recorded else total.counted)


def _share(query: ViewQuery, event: EventType, cost: int, whole: int | None = None) -> str:
    """Return a cost in percent of the total or of `whole`, or else as it is."""
    whole = _total(query, event) if whole is None else whole
    if not has_percentages(whole):
        return _amount(cost, event)
    return f"{share_text(cost, whole, _style(query, 1))}\N{THIN SPACE}%"


def _rounded(query: ViewQuery, event: EventType, cost: int) -> str:
    """Return a cost in whole percent of the total; empty for less than 1 %."""
    whole = _total(query, event)
    if not has_percentages(whole) or cost * 100 < whole:
        return ""
    return f"{format_percentage(cost, whole, _style(query, 0))}\N{THIN SPACE}%"


def _amount(cost: int, event: EventType) -> str:
    quantity = unit_of(event.name, event.long_name)
    if quantity is not None:
        return format_cost(cost, 0, False, unit=quantity)
    return format_brief(cost)
