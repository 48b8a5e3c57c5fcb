"""The state that all views show, as one frozen value, and the change bits between two of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import Enum, Flag, auto

from qcachegrind_py.analysis.calls.call_graph import CallStack
from qcachegrind_py.analysis.costs.scope import Parts, Scope
from qcachegrind_py.analysis.filters.expression import NO_FILTER, Filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.ids import NO_NODE, NodeId, PartId, TextId
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, NumberStyle
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch, FileSearch

GroupColors = tuple[tuple[str, str], ...]  # names of groups with their colours as #rrggbb

NO_EVENTS = EventTypes((), ())
NO_NAMES: frozenset[str] = frozenset()
NO_STACK = CallStack()
DEFAULT_SCOPE = Scope()
NO_FILES = FileSearch()
NO_PARTS: frozenset[PartId] = frozenset()


class CostUnit(Enum):
    """The unit in which costs are displayed."""

    PERCENT = "percent"
    PERCENT_OF_PARENT = "parent"  # of the enclosing item: the active function or the group
    ABSOLUTE = "absolute"
    SHARES = "shares"  # of the total of each side, in comparisons
    PER_CALL = "per_call"  # of the active function, in comparisons


@frozen(eq=True)
class PartChoice:
    """The active parts, None for all, and the hidden ones, which are never active."""

    active: Parts = None
    hidden: frozenset[PartId] = NO_PARTS

    def choosing(self, parts: Iterable[PartId], count: int) -> PartChoice:
        """Return the choice of these parts, of `count` in all; of none, all that are shown."""
        shown = self.shown(count)
        active = (frozenset(parts) & shown) or shown
        return PartChoice(None if len(active) == count else active, self.hidden)

    def hiding(self, parts: Iterable[PartId], count: int) -> PartChoice:
        """Return the choice with these parts hidden, too; unchanged if none would be left."""
        hidden = self.hidden | frozenset(parts)
        if len(hidden) >= count:
            return self
        chosen = NO_PARTS if self.is_all(count) else (self.active or NO_PARTS) - hidden
        return PartChoice(None, hidden).choosing(chosen, count)

    def showing_hidden(self, count: int) -> PartChoice:
        """Return the choice with no parts hidden; those chosen stay so, unless all were active."""
        chosen = NO_PARTS if self.is_all(count) else self.active or NO_PARTS
        return PartChoice().choosing(chosen, count)

    def is_all(self, count: int) -> bool:
        return self.active is None or self.active == self.shown(count)

    def shown(self, count: int) -> frozenset[PartId]:
        return frozenset(map(PartId, range(count))) - self.hidden


@frozen(eq=True)
class Position:
    """A code position: a source line, and optionally one of its instructions."""

    file: TextId
    line: int
    address: int | None = None
    in_base: bool = False  # whether the base of a comparison alone has this code


@frozen(eq=True)
class AnnotationStyle:
    """Display options of source and assembler."""

    context_lines: int = 3  # lines without cost that are shown around lines with cost
    fold_source: bool = False
    fold_code: bool = True
    intel_syntax: bool = False
    code_bytes: bool = False
    syntax_colors: bool = True
    hide_inlined: bool = True
    source_rows: bool = True  # source lines between instructions


DEFAULT_ANNOTATION = AnnotationStyle()


class Change(Flag):
    """The parts of the context that changed; each view declares the bits that it depends on."""

    PROFILE = auto()
    EVENTS = auto()  # the selectable events
    EVENT = auto()  # the first or the second
    FUNCTION = auto()
    SELECTION = auto()
    SCOPE = auto()
    UNIT = auto()
    NUMBERS = auto()
    NAMES = auto()
    GROUPING = auto()
    COLORS = auto()  # of groups: other groups, or other colours
    FILTER = auto()
    POSITION = auto()
    ANNOTATION = auto()  # where files are looked for, and how code is shown

    @classmethod
    def all_changes(cls) -> Change:
        """Return the flag with every bit set."""
        return ~cls(0)

    @classmethod
    def code_changes(cls) -> Change:
        """Return the bits on which only views of source lines and instructions depend."""
        return cls.POSITION | cls.ANNOTATION


@frozen(eq=True)
class Context:
    """The user's current position and display options.

    `profile` is a serial number: it changes with every opened profile.
    """

    profile: int = 0
    events: EventTypes = NO_EVENTS
    one_sided: frozenset[str] = NO_NAMES  # names of events that cannot be compared
    event: EventType | None = None
    second_event: EventType | None = None
    function: NodeId = NO_NODE  # the active function or cycle
    stack: CallStack = NO_STACK  # the call path through the active function
    selected: NodeId = NO_NODE  # the function or cycle highlighted everywhere
    scope: Scope = DEFAULT_SCOPE  # in a comparison that of the new side
    base_parts: Parts = None  # what is compared with these parts; None without a comparison
    hidden_parts: frozenset[PartId] = NO_PARTS  # never active; `scope.parts` names the others
    unit: CostUnit = CostUnit.PERCENT
    of_recorded: bool = True  # percentages refer to the recorded total, if that is larger
    percent_of_function: bool = True  # percentages in source and assembler, in any unit of these
    numbers: NumberStyle = DEFAULT_STYLE
    short_names: bool = False
    grouping: Grouping = Grouping.NONE
    group_colors: GroupColors = ()  # those that the user chose
    filter: Filter = NO_FILTER
    position: Position | None = None  # the position highlighted in source and assembler
    files: FileSearch = NO_FILES  # search locations of sources and objects
    base_search: BaseSearch = NO_BASE_SEARCH  # for sources of the base of a comparison
    # recorded paths of the base's objects with the files that the user chose; "" is its program
    base_programs: tuple[tuple[str, str], ...] = ()
    annotation: AnnotationStyle = DEFAULT_ANNOTATION

    @property
    def base(self) -> Scope | None:
        """The scope of the base; None without a comparison."""
        return None if self.base_parts is None else replace(self.scope, parts=self.base_parts)


_CHANGE_OF = {
    "profile": Change.PROFILE,
    "events": Change.EVENTS,
    "one_sided": Change.EVENTS,
    "event": Change.EVENT,
    "second_event": Change.EVENT,
    "function": Change.FUNCTION,
    "stack": Change.FUNCTION,
    "selected": Change.SELECTION,
    "scope": Change.SCOPE,
    "base_parts": Change.SCOPE,
    "hidden_parts": Change.SCOPE,
    "unit": Change.UNIT,
    "of_recorded": Change.UNIT,
    "percent_of_function": Change.UNIT,
    "numbers": Change.NUMBERS,
    "short_names": Change.NAMES,
    "grouping": Change.GROUPING | Change.COLORS,
    "group_colors": Change.COLORS,
    "filter": Change.FILTER,
    "position": Change.POSITION,
    "files": Change.ANNOTATION,
    "base_search": Change.ANNOTATION,
    "base_programs": Change.ANNOTATION,
    "annotation": Change.ANNOTATION,
}


def changes_between(before: Context, after: Context) -> Change:
    """Return the change bits between two contexts; a new profile changes everything."""
    if before.profile != after.profile:
        return Change.all_changes()
    change = Change(0)
    for field, bit in _CHANGE_OF.items():
        if getattr(before, field) != getattr(after, field):
            change |= bit
    return change
