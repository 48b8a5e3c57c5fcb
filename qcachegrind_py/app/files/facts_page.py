"""The text of the properties dialog: the facts of a profile, its events and its parts as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtGui import QTextCursor

from qcachegrind_py.analysis.facts import PartFacts, ProfileFacts
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.app.style.table_page import Row, TablePage
from qcachegrind_py.profile.numbers import NumberStyle, format_count, format_exact, unit_of
from qcachegrind_py.reports.facts import event_title, fact_lines, percentage_base
from qcachegrind_py.visible_text import visible_text

_MAX_PARTS = 1000  # more take seconds to lay out
_MAX_FUNCTION_FACTS = 200  # a function can have code from 100,000 files; Copy copies all
ACTIVE_FUNCTION = "Active Function"
Fact = tuple[str, str]  # key and value


class FactsPage(TablePage):
    """Shows facts as text to select and copy; names are inserted as plain text."""

    def __init__(
        self,
        facts: ProfileFacts,
        style: NumberStyle,
        *,
        of_recorded: bool,
        function: Sequence[Fact] = (),
    ) -> None:
        """`of_recorded` is the setting that lets percentages be of the recorded total.

        `function` are the facts of the active function.
        """
        super().__init__("Properties")
        self._style = style
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        percentages = "Percentages", percentage_base(facts, of_recorded=of_recorded)
        self.add_table(_without_repeated_keys([*fact_lines(facts, style), percentages]))
        self._add_events(facts)
        if function:
            self._add_function(function)
        if len(facts.parts) > 1:
            self._add_parts(facts)
        cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _add_events(self, facts: ProfileFacts) -> None:
        self.add_heading("Events")
        rows = [("Event", "Attributed", "Recorded", "Meaning")]
        for event in facts.events:
            unit = unit_of(event.type.name, event.type.long_name)
            recorded = event.total.recorded
            attributed, written = (
                "" if number is None else format_exact(number, "", self._style, unit)
                for number in (event.total.counted, recorded)
            )
            rows.append((visible_text(event.type.name), attributed, written, event_title(event)))
        self.add_table(_without_empty_columns(rows), numbers=("Attributed", "Recorded"))

    def _add_function(self, function: Sequence[Fact]) -> None:
        self.add_heading(ACTIVE_FUNCTION)
        shown = function[:_MAX_FUNCTION_FACTS]
        self.add_table(_without_repeated_keys((key, visible_text(text)) for key, text in shown))
        if more := len(function) - len(shown):
            self.add_text(f"… and {format_count(more, self._style)} more")

    def _add_parts(self, facts: ProfileFacts) -> None:
        shown = facts.parts[:_MAX_PARTS]
        self.add_heading(f"{format_count(len(facts.parts), self._style)} Parts")
        first = visible_text(facts.events[0].type.name) if facts.events else "Cost"
        titles = ("PID", "Part", "Thread", first, "Trigger", "Time Range", "File")
        has_files = len(facts.files) > 1
        rows = [titles, *(self._part_row(part, has_file=has_files) for part in shown)]
        self.add_table(_without_empty_columns(rows), numbers=titles[:4])
        if more := len(facts.parts) - len(shown):
            self.add_text(f"… and {format_count(more, self._style)} more")

    def _part_row(self, part: PartFacts, *, has_file: bool) -> Row:
        numbers = (str(number) if number else "" for number in (part.pid, part.part, part.thread))
        total = format_count(part.totals[0], self._style) if part.totals else ""
        texts = part.trigger, part.time_range, base_name(part.path) if has_file else ""
        return (*numbers, total, *map(visible_text, texts))


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
