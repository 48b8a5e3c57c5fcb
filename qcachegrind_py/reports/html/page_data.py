"""What a report is made of: plain values, chosen and counted. Names are as hostile as they were."""

from __future__ import annotations

from dataclasses import dataclass, field

from qcachegrind_py.profile.ids import FunctionId

Cost = int | float  # a ratio, which is a float, stands in no report


@dataclass(frozen=True, slots=True)
class ReportEvent:
    """An event whose costs are in the function table, and its total."""

    name: str
    long_name: str
    total: Cost  # what percentages are of
    counted_total: Cost  # the sum of all self costs
    recorded_total: Cost | None  # by the `summary:` lines, where there are any
    unit: str = ""  # the total as so many seconds or bytes, where the name proves it
    is_derived: bool = False


@dataclass(frozen=True, slots=True)
class ReportFunction:
    """A row of the function table; costs stand in the order of the events."""

    function: FunctionId  # what links to it say
    name: str
    file: str
    object: str
    cycle: int  # 0 for none
    called: int
    inclusive_cost: tuple[Cost, ...]
    self_cost: tuple[Cost, ...]


@dataclass(frozen=True, slots=True)
class ReportCall:
    """A caller or a callee; `function` is `NO_FUNCTION` for a cycle."""

    function: FunctionId
    name: str
    count: int  # 0: had not returned when the profile was written
    cost: Cost
    is_within_cycle: bool = False  # within a cycle, whose cost it is


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A source line. `line` is 0 where it is not known, `text` None where its file is not."""

    line: int
    self_cost: Cost
    inclusive_cost: Cost
    text: str | None
    omitted_before: int = 0  # lines that are left out above it


@dataclass(frozen=True, slots=True)
class ReportSource:
    """The lines of one file that a function has cost in."""

    file: str  # as recorded
    path: str = ""  # where it was found
    problem: str = ""
    lines: tuple[ReportLine, ...] = ()
    omitted: int = 0  # lines with cost


@dataclass(frozen=True, slots=True)
class ReportDetail:
    """One of the costliest functions, costs in the event of the report, costliest first."""

    function: FunctionId
    name: str
    file: str
    object: str
    cycle: int
    called: int
    inclusive_cost: Cost
    self_cost: Cost
    callers: tuple[ReportCall, ...] = ()
    callees: tuple[ReportCall, ...] = ()
    more_callers: int = 0
    more_callees: int = 0
    sources: tuple[ReportSource, ...] = ()
    problem: str = ""  # why there are no sources


@dataclass(frozen=True, slots=True)
class ReportBox:
    """A box of the flame graph; the first holds all others, and `parent` is before its children."""

    function: FunctionId  # of a cycle the first member; NO_FUNCTION: the whole program
    name: str
    cost: Cost
    depth: int
    parent: int
    start: float  # share of the whole
    width: float
    is_exact: bool
    is_recursion: bool
    color: tuple[float, float, float]  # red, green and blue, from 0 to 1


@dataclass(frozen=True, slots=True)
class ReportFlame:
    """The flame graph of the report's event."""

    boxes: tuple[ReportBox, ...] = ()
    min_fraction: float = 0.0  # share of the whole; narrower boxes are left out
    omitted: int = 0  # calls that were not followed for that


@dataclass(frozen=True, slots=True)
class HtmlReport:
    """Everything that stands in the page."""

    title: str
    facts: tuple[tuple[str, str], ...]  # what the profile is of, as label and text
    events: tuple[ReportEvent, ...]
    event_index: int  # the one that is shown at first, and in all but the function table
    sort: str  # of the function table at first: inclusive, self, called or name
    functions: tuple[ReportFunction, ...]
    function_count: int  # how many could be in the table
    details: tuple[ReportDetail, ...] = ()
    flame: ReportFlame = field(default_factory=ReportFlame)
    notes: tuple[str, ...] = ()  # of what the report is a part
    warnings: tuple[tuple[str, str], ...] = ()  # place and message of each
    warning_count: int = 0  # more than are listed, where there are very many

    def linked_functions(self) -> frozenset[FunctionId]:
        """The functions of which the page tells, to which names can lead."""
        listed = {function.function for function in self.functions}
        return frozenset(listed | {detail.function for detail in self.details})
