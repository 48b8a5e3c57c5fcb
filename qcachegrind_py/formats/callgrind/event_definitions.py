"""Definitions of events from `event:` lines: long names and formulas."""

from __future__ import annotations

from qcachegrind_py.formats.callgrind.header import parse_event_line
from qcachegrind_py.profile.errors import FormulaError
from qcachegrind_py.profile.events import Formula, parse_formula

MAX_EVENTS = 250  # limits the memory for columns of a hostile events: line; KCachegrind has 200


class EventDefinitions:
    """The long names and formulas of events, each by name."""

    def __init__(self) -> None:
        self.long_names: dict[str, str] = {}
        self.formulas: dict[str, Formula] = {}

    def add(self, text: str) -> str:
        """Add the definition in the value of an `event:` line.

        Returns the kind of the diagnostic if it was not or not wholly added, otherwise "".
        """
        event = parse_event_line(text)
        if event is None:
            return "bad-header"
        name, formula, long_name = event
        if long_name:
            self.long_names[name] = long_name
        if not formula:
            return ""
        try:
            terms = parse_formula(formula)
        except FormulaError:
            return "bad-header"
        if len(self.formulas) >= MAX_EVENTS:
            return "too-many-events"
        self.formulas[name] = terms
        return ""
