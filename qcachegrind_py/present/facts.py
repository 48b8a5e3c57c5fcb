"""The facts of a profile: heads of reports, `"header"` in JSON, the properties in the window."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.facts import EventFacts, FileFacts, PartFacts, ProfileFacts
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.analysis.queries import FoldedQueries, ProfileQueries
from qcachegrind_py.formats.loading import display_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.exact import ESTIMATE_SIGN, TEXT_STYLE
from qcachegrind_py.present.page import Facts
from qcachegrind_py.profile.events import format_definition
from qcachegrind_py.profile.ids import NO_NODE, NodeId, is_function
from qcachegrind_py.profile.numbers import (
    ACTIVE,
    NumberStyle,
    Quantity,
    format_cost,
    format_count,
    format_exact,
    has_percentages,
    plural,
    readable_description,
    unit_of,
)
from qcachegrind_py.profile.profile import Diagnostic
from qcachegrind_py.profile.tables import BoolArray, to_display
from qcachegrind_py.visible_text import visible_text

_NANOSECOND = Quantity("s", Fraction(1, 10**9))
_MAX_FILES = 10
_MAX_PARTS = 20  # so that the head of a report stays short
_GAP = "  "


def head_facts(
    facts: ProfileFacts, max_parts: int | None = _MAX_PARTS, more: Iterable[tuple[str, str]] = ()
) -> Facts:
    """Return key and value of each fact, the totals of events, and the parts if there are several.

    These are the first `max_parts`, or all if it is None. `more` are lines below these.
    """
    base = "Percentages", percentage_base(facts)
    lines = [*fact_lines(facts), base, *_event_lines(facts), *_part_lines(facts, max_parts)]
    return Facts((*lines, *more))


def fact_lines(facts: ProfileFacts, style: NumberStyle = TEXT_STYLE) -> Iterator[tuple[str, str]]:
    """Yield key and value of each fact except events and parts; a key may come several times.

    All values are printable, on one line. Facts that the profile does not state are left out.
    """
    for file in facts.files[:_MAX_FILES]:
        yield "File", _file_text(file, style)
    if (more := len(facts.files) - _MAX_FILES) > 0:
        yield "File", f"… and {format_count(more, style)} more"
    for key, texts in (("Creator", facts.creators), ("Command", facts.commands)):
        for text in texts:
            yield key, visible_text(text)
    if facts.pids:
        yield "Process", ", ".join(map(str, facts.pids))
    for kind, text in facts.descriptions:
        yield visible_text(kind) or "Description", readable_description(visible_text(text))
    if len(facts.parts) == 1:
        part = facts.parts[0]
        for key, text in (("Time range", part.time_range), ("Trigger", part.trigger)):
            if text:
                yield key, readable_description(visible_text(text))
    yield from _content_lines(facts, style)


def _content_lines(facts: ProfileFacts, style: NumberStyle) -> Iterator[tuple[str, str]]:
    counts = facts.counts
    functions, files, objects = (
        f"{format_count(count, style)} {plural(count, noun)}"
        for count, noun in (
            (counts.functions, "function"),
            (counts.files, "file"),
            (counts.objects, "object"),
        )
    )
    yield "Contents", f"{functions} in {files} of {objects}"
    active = f" and {format_count(counts.active_calls, style)} {ACTIVE}"
    if counts.calls or counts.active_calls:
        yield "Calls", format_count(counts.calls, style) + (active if counts.active_calls else "")
    if facts.diagnostic_count:
        yield "Problems", format_count(facts.diagnostic_count, style)
    for damage in facts.damage:
        yield "Damaged", damaged_text(damage)
    if facts.reading_seconds is not None:
        nanoseconds = round(facts.reading_seconds / float(_NANOSECOND.factor))
        yield "Reading time", format_cost(nanoseconds, 0, False, style, _NANOSECOND)


def damaged_text(damage: Diagnostic) -> str:
    """Return which file is damaged, where, and how, as a sentence."""
    where = f" at line {damage.line}" if damage.line else ""
    return visible_text(f"{display_name(damage.path)} is damaged{where}: {damage.message}")


def percentage_base(facts: ProfileFacts, *, of_recorded: bool = True) -> str:
    """Return what percentages are of: recorded totals, sums of the self costs, or both.

    `of_recorded` is the setting that lets them be of the recorded total. Events without
    percentages are named.
    """
    measured = [event for event in facts.events if not event.type.is_derived]
    without = [each.type.name for each in measured if not has_percentages(each.total.base)]
    if measured and len(without) == len(measured):
        return "none, as no event has a positive total"
    none = f"; none of {visible_text(', '.join(without))}: no positive total" if without else ""
    return _total_kind(measured, of_recorded=of_recorded) + none


def _total_kind(measured: Sequence[EventFacts], *, of_recorded: bool) -> str:
    if not of_recorded:
        return "of the sum of the self costs"
    totals = [event.total for event in measured]
    if all(total.recorded is None for total in totals):
        return "of the sum of the self costs; no total is recorded"
    if all(total.base == total.recorded for total in totals):
        return "of the recorded total"
    return "of the recorded total, or of the sum of the self costs where that is larger"


def less_than_self_text(queries: ProfileQueries, scope: Scope) -> str:
    """Return how many functions have less inclusive than self cost; empty if none has.

    The event with the most of them is named.
    """
    counts = queries.costs(scope).less_than_self
    if not counts.any():
        return ""
    worst = int(counts.argmax())
    count, name = int(counts[worst]), visible_text(queries.events.measured[worst].name)
    have = "has" if count == 1 else "have"
    text = f"{count:,} {plural(count, 'function')} {have} less inclusive than self cost in {name}"
    more = int(np.count_nonzero(counts)) - 1
    return f"{text}, and some in {more} other {plural(more, 'event')}" if more else text


def _file_text(file: FileFacts, style: NumberStyle) -> str:
    path = visible_text(display_name(file.path))
    if file.size is None:
        return path
    return f"{path} ({format_count(file.size, style)} {plural(file.size, 'byte')})"


# ---------------------------------------------------------------- events and parts


def event_title(event: EventFacts) -> str:
    """Return the long name of an event, and the formula of a derived one."""
    texts = [event.type.long_name, format_definition(event.type) if event.type.is_derived else ""]
    return visible_text(" = ".join(filter(None, texts)))


def unattributed_text(event: EventFacts, style: NumberStyle = TEXT_STYLE) -> str:
    """Return by how much recorded and attributed costs differ; empty if they do not."""
    recorded, counted = event.total.recorded, event.total.counted
    if recorded is None or recorded == counted or event.type.is_ratio:
        return ""
    if recorded > counted:
        return f"{format_exact(recorded - counted, '', style)} not attributed"
    return f"{format_exact(counted - recorded, '', style)} more than recorded"


def _event_lines(facts: ProfileFacts) -> Iterator[tuple[str, str]]:
    names = [visible_text(event.type.name) for event in facts.events]
    totals = [format_exact(event.total.base, "", TEXT_STYLE) for event in facts.events]
    name_width, total_width = (max(map(len, texts), default=0) for texts in (names, totals))
    for event, name, total in zip(facts.events, names, totals, strict=True):
        notes = [event_title(event), f"({unattributed_text(event)})"]
        note = " ".join(note for note in notes if note not in {"", "()"})
        yield "Totals", f"{name:{name_width}}{_GAP}{total:>{total_width}}{_GAP}{note}".rstrip()


def part_title(part: PartFacts) -> str:
    """Return thread name and numbers of a part, as far as they are known, or its file."""
    numbers = (("PID", part.pid), ("part", part.part), ("thread", part.thread))
    texts = [f"{name} {number}" for name, number in numbers if number]
    title = ", ".join(filter(None, (visible_text(part.thread_name), *texts)))
    return title or visible_text(base_name(display_name(part.path)))


def _part_lines(facts: ProfileFacts, max_parts: int | None) -> Iterator[tuple[str, str]]:
    """Yield one line per part if there are several, and the number of those left out."""
    if len(facts.parts) == 1:
        return
    counted = sum(part.is_counted for part in facts.parts)
    some = f", {counted:,} of them counted" if counted < len(facts.parts) else ""
    yield "Parts", f"{len(facts.parts):,}{some}"
    shown = facts.parts[:max_parts]
    titles = [part_title(part) for part in shown]
    width = max(map(len, titles), default=0)
    for part, title in zip(shown, titles, strict=True):
        time_range = readable_description(visible_text(part.time_range))
        texts = filter(None, (visible_text(part.trigger), time_range))
        yield "Parts", f"{title:{width}}{_GAP}{', '.join(texts)}".rstrip()
    if more := len(facts.parts) - len(shown):
        yield "Parts", f"… and {more:,} more"


# ---------------------------------------------------------------- JSON


def facts_object(facts: ProfileFacts) -> dict[str, Any]:
    """Return the facts as the `"header"` of a JSON report; see the contract above."""
    counts = facts.counts
    return {
        "files": [
            {"path": to_display(display_name(file.path)), "size": file.size} for file in facts.files
        ],
        "creators": list(map(to_display, facts.creators)),
        "commands": list(map(to_display, facts.commands)),
        "pids": list(facts.pids),
        "descriptions": [
            {"kind": to_display(kind), "text": to_display(text)}
            for kind, text in facts.descriptions
        ],
        "parts": list(map(_part_object, facts.parts)),
        "events": list(map(_event_object, facts.events)),
        "counts": {
            "functions": counts.functions,
            "files": counts.files,
            "objects": counts.objects,
            "calls": counts.calls,
            "active_calls": counts.active_calls,
        },
        "diagnostic_count": facts.diagnostic_count,
        "reading_seconds": facts.reading_seconds,
    }


def _part_object(part: PartFacts) -> dict[str, Any]:
    return {
        "file": to_display(display_name(part.path)),
        "pid": part.pid,
        "part": part.part,
        "thread": part.thread,
        "thread_name": to_display(part.thread_name),
        "trigger": to_display(part.trigger),
        "time_range": to_display(part.time_range),
        "counted": part.is_counted,
    }


def _event_object(event: EventFacts) -> dict[str, Any]:
    type_, total = event.type, event.total
    return {
        "name": to_display(type_.name),
        "long_name": to_display(type_.long_name),
        "formula": to_display(format_definition(type_)) if type_.is_derived else None,
        "attributed": _json_number(total.counted),
        "recorded": _json_number(total.recorded),
        "base": _json_number(total.base),
    }


def _json_number(number: int | float | None) -> int | float | None:
    """Return the number, or None where JSON has none: for ratios that are NaN or infinite."""
    return None if number is None or not math.isfinite(number) else number


def folding_facts(
    queries: ProfileQueries, scopes: Sequence[Scope], style: NumberStyle = TEXT_STYLE
) -> Iterator[tuple[str, str]]:
    """Yield key and value of what is folded; nothing if nothing is.

    All values are printable, on one line. Estimates are those in any of the scopes.
    """
    if not isinstance(queries, FoldedQueries):
        return
    for fold in queries.folds:
        yield "Folded", visible_text(fold.text)
    folding = queries.folding
    folded, left = int(folding.is_folded.sum()), int(folding.remains.sum())
    verb = "is" if folded == 1 else "are"
    charged = f"{_functions(folded, style)} {verb} folded into the callers"
    if left:
        verb = "remains" if left == 1 else "remain"
        why = "since it is not known which caller caused the cost"
        charged += f"; {format_count(left, style)} {verb}, {why}"
    yield "Folded", charged
    yield "Folded", estimates_text(queries, scopes, style)


def estimates_text(
    queries: FoldedQueries, scopes: Sequence[Scope], style: NumberStyle = TEXT_STYLE
) -> str:
    """Return how many functions have estimates in their self costs, or that none has."""
    count = int(estimated_functions(queries, scopes).sum())
    if not count:
        return "the folded costs are exact"
    return f"self costs of {_functions(count, style)} are partly estimates ({ESTIMATE_SIGN})"


def estimated_functions(queries: FoldedQueries, scopes: Sequence[Scope]) -> BoolArray:
    """Return whether self costs are partly estimates in a scope, shape (functions,)."""
    estimated = np.zeros(queries.function_count, bool)
    for scope in scopes:
        estimated |= queries.folding.is_estimated(scope.parts)
    return estimated


def estimated_self_costs(queries: ProfileQueries, scope: Scope) -> BoolArray:
    """Return whether self costs are partly estimates, shape (functions,): none without folds."""
    if isinstance(queries, FoldedQueries):
        return queries.folding.is_estimated(scope.parts)
    return np.zeros(queries.function_count, bool)


def folding_note(queries: ProfileQueries, scope: Scope, *, of_lines: bool = False) -> str:
    """Return for forms without facts that there are estimates; empty if there are none.

    Lines of a function may have estimates where the function has none.
    """
    if queries.folding is None:
        return ""
    folding = queries.folding
    estimated = folding.is_estimated(scope.parts, of_lines=of_lines)
    if not (count := int(estimated.sum())):
        return ""
    costs = "Costs of lines of" if of_lines else "Self costs of"
    of_these = _functions(count, TEXT_STYLE)
    return f"{costs} {of_these} are partly estimates, since it is not recorded who caused them."


def folds_member(queries: ProfileQueries) -> dict[str, Any]:
    """Return the member `"folds"` of JSON reports; none if nothing is folded."""
    if not isinstance(queries, FoldedQueries):
        return {}
    return {"folds": [to_display(fold.text) for fold in queries.folds]}


def _functions(count: int, style: NumberStyle) -> str:
    return f"{format_count(count, style)} {plural(count, 'function')}"


_MAX_PART_ROWS = 1000  # more take seconds to lay out
_MAX_FUNCTION_FACTS = 200  # a function can have code from 100,000 files; Copy copies all
ACTIVE_FUNCTION = "Active Function"
Fact = tuple[str, str]  # key and value
Row = tuple[str, ...]


@frozen(eq=True)
class Sheet:
    """Rows of printable texts below a heading."""

    rows: Sequence[Row]
    heading: str = ""
    numbers: Sequence[str] | None = None  # titles of numbers in the first row; None: no titles
    more: str = ""  # what is not shown


def properties(
    facts: ProfileFacts,
    style: NumberStyle,
    *,
    of_recorded: bool = True,
    function: Sequence[Fact] = (),
) -> Iterator[Sheet]:
    """Yield what there is to say of a profile.

    `of_recorded` is the setting that lets percentages be of the recorded total; `function` are the
    facts of the active function.
    """
    percentages = "Percentages", percentage_base(facts, of_recorded=of_recorded)
    yield Sheet(_without_repeated_keys([*fact_lines(facts, style), percentages]))
    yield _events(facts, style)
    if function:
        shown = function[:_MAX_FUNCTION_FACTS]
        rows = _without_repeated_keys((key, visible_text(text)) for key, text in shown)
        yield Sheet(rows, ACTIVE_FUNCTION, more=_more(len(function) - len(shown), style))
    if len(facts.parts) > 1:
        yield _parts(facts, style)


def function_facts(queries: ProfileQueries, node: NodeId) -> list[Fact]:
    """Return name, object and all source files of a function; nothing for a cycle."""
    if node == NO_NODE or not is_function(node, queries.function_count):
        return []
    names = queries.names
    files = [names.file(node), *names.inlined_files(node)]
    facts = [("Name", names.name(node)), ("Object", names.object(node))]
    return [*facts, *(("Source files", file) for file in files)]


def _events(facts: ProfileFacts, style: NumberStyle) -> Sheet:
    rows = [("Event", "Attributed", "Recorded", "Meaning")]
    for event in facts.events:
        unit = unit_of(event.type.name, event.type.long_name)
        attributed, recorded = (
            "" if number is None else format_exact(number, "", style, unit)
            for number in (event.total.counted, event.total.recorded)
        )
        rows.append((visible_text(event.type.name), attributed, recorded, event_title(event)))
    return Sheet(_without_empty_columns(rows), "Events", ("Attributed", "Recorded"))


def _parts(facts: ProfileFacts, style: NumberStyle) -> Sheet:
    shown = facts.parts[:_MAX_PART_ROWS]
    first = visible_text(facts.events[0].type.name) if facts.events else "Cost"
    titles = ("PID", "Part", "Thread", first, "Name", "Trigger", "Time Range", "File")
    has_files = len(facts.files) > 1
    rows = [titles, *(_part_row(part, style, has_file=has_files) for part in shown)]
    more = _more(len(facts.parts) - len(shown), style)
    heading = f"{format_count(len(facts.parts), style)} Parts"
    return Sheet(_without_empty_columns(rows), heading, titles[:4], more)


def _part_row(part: PartFacts, style: NumberStyle, *, has_file: bool) -> Row:
    numbers = (str(number) if number else "" for number in (part.pid, part.part, part.thread))
    total = format_count(part.totals[0], style) if part.totals else ""
    file = base_name(part.path) if has_file else ""
    texts = part.thread_name, part.trigger, part.time_range, file
    return (*numbers, total, *map(readable_description, map(visible_text, texts)))


def _more(count: int, style: NumberStyle) -> str:
    return f"… and {format_count(count, style)} more" if count else ""


def _without_repeated_keys(lines: Iterable[tuple[str, str]]) -> list[Row]:
    """Return keys and values without keys that repeat the one of the line above."""
    rows: list[Row] = []
    previous = ""
    for key, value in lines:
        rows.append(("" if key == previous else key, value))
        previous = key
    return rows


def _without_empty_columns(rows: Sequence[Row]) -> list[Row]:
    columns = [column for column in range(len(rows[0])) if any(row[column] for row in rows[1:])]
    return [tuple(row[column] for column in columns) for row in rows]
