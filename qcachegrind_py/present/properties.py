"""The properties of a profile in the window: facts, events, the active function and the parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from qcachegrind_py.analysis.facts import PartFacts, ProfileFacts
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.facts import event_title, fact_lines, percentage_base
from qcachegrind_py.profile.ids import NO_NODE, NodeId, is_function
from qcachegrind_py.profile.numbers import NumberStyle, format_count, format_exact, unit_of
from qcachegrind_py.visible_text import visible_text

_MAX_PARTS = 1000  # more take seconds to lay out
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
    shown = facts.parts[:_MAX_PARTS]
    first = visible_text(facts.events[0].type.name) if facts.events else "Cost"
    titles = ("PID", "Part", "Thread", first, "Trigger", "Time Range", "File")
    has_files = len(facts.files) > 1
    rows = [titles, *(_part_row(part, style, has_file=has_files) for part in shown)]
    more = _more(len(facts.parts) - len(shown), style)
    heading = f"{format_count(len(facts.parts), style)} Parts"
    return Sheet(_without_empty_columns(rows), heading, titles[:4], more)


def _part_row(part: PartFacts, style: NumberStyle, *, has_file: bool) -> Row:
    numbers = (str(number) if number else "" for number in (part.pid, part.part, part.thread))
    total = format_count(part.totals[0], style) if part.totals else ""
    texts = part.trigger, part.time_range, base_name(part.path) if has_file else ""
    return (*numbers, total, *map(visible_text, texts))


def _more(count: int, style: NumberStyle) -> str:
    return f"… and {format_count(count, style)} more" if count else ""


def _without_repeated_keys(lines: Iterable[tuple[str, str]]) -> list[Row]:
    """Return keys and values, with a key that is that of the line above left out."""
    rows: list[Row] = []
    previous = ""
    for key, value in lines:
        rows.append(("" if key == previous else key, value))
        previous = key
    return rows


def _without_empty_columns(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without the columns that have a title only."""
    columns = [column for column in range(len(rows[0])) if any(row[column] for row in rows[1:])]
    return [tuple(row[column] for column in columns) for row in rows]
