"""The contents of an HTML report as plain values; names in it are still untrusted."""

from __future__ import annotations

from dataclasses import dataclass, field

from qcachegrind_py.profile.ids import FunctionId

Cost = int | float  # no report contains ratios, which are floats


@dataclass(frozen=True, slots=True)
class ReportEvent:
    """An event of the function table, and its total."""

    name: str
    long_name: str
    total: Cost  # the base of percentages
    counted_total: Cost  # the sum of all self costs
    recorded_total: Cost | None  # of the `summary:` lines; None without them
    unit: str = ""  # the total in seconds or bytes, if the event's name implies a unit
    is_derived: bool = False


@dataclass(frozen=True, slots=True)
class ReportFunction:
    """A row of the function table; costs are in the order of the events."""

    function: FunctionId  # the target of links
    name: str
    file: str
    object: str
    cycle: int  # 0 for none
    called: int | None  # None: calls were not counted
    inclusive_cost: tuple[Cost, ...]
    self_cost: tuple[Cost, ...]
    is_active: bool = False  # called, but no call had returned when the profile was written
    is_estimated: bool = False  # part of the self cost is, since functions are folded


@dataclass(frozen=True, slots=True)
class ReportCall:
    """A caller or a callee; `function` is `NO_FUNCTION` for a cycle."""

    function: FunctionId
    name: str
    count: int
    cost: Cost
    is_within_cycle: bool = False  # the cost is the cycle's
    is_active: bool = False  # still running when the profile was written


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A source line; `line` is 0 if unknown, `text` None if its file was not read."""

    line: int
    self_cost: Cost
    inclusive_cost: Cost
    text: str | None
    omitted_before: int = 0  # lines skipped before it


@dataclass(frozen=True, slots=True)
class ReportSource:
    """A function's lines in one file."""

    file: str  # as recorded
    path: str = ""  # where it was found
    problem: str = ""
    lines: tuple[ReportLine, ...] = ()
    omitted: int = 0  # lines with cost


@dataclass(frozen=True, slots=True)
class ReportDetail:
    """One of the costliest functions; costs are in the report's event, lists costliest first."""

    function: FunctionId
    name: str
    file: str
    object: str
    cycle: int
    called: int | None  # None: calls were not counted
    inclusive_cost: Cost
    self_cost: Cost
    callers: tuple[ReportCall, ...] = ()
    callees: tuple[ReportCall, ...] = ()
    more_callers: int = 0
    more_callees: int = 0
    sources: tuple[ReportSource, ...] = ()
    problem: str = ""  # why there are no sources
    is_active: bool = False  # called, but no call had returned when the profile was written


@dataclass(frozen=True, slots=True)
class ReportBox:
    """A box of the flame graph; the first contains all others, and parents precede children."""

    function: FunctionId  # for a cycle, its first member; NO_FUNCTION for the whole program
    name: str
    cost: Cost
    depth: int
    parent: int
    start: float  # fraction of the total width
    width: float
    is_exact: bool
    is_recursion: bool
    color: tuple[float, float, float]  # red, green and blue, from 0 to 1


@dataclass(frozen=True, slots=True)
class ReportFlame:
    """The flame graph of the report's event."""

    boxes: tuple[ReportBox, ...] = ()
    min_fraction: float = 0.0  # fraction of the total width; narrower boxes are omitted
    omitted: int = 0  # calls not followed because of that
    omitted_fraction: float = 0.0  # what these cost, of the whole


@dataclass(frozen=True, slots=True)
class HtmlReport:
    """The contents of the page."""

    title: str
    facts: tuple[tuple[str, str], ...]  # about the profile, as label and text
    events: tuple[ReportEvent, ...]
    event_index: int  # the event shown initially, and in all sections but the function table
    sort: str  # initial order of the function table: inclusive, self, called or name
    functions: tuple[ReportFunction, ...]
    function_count: int  # including those omitted from the table
    details: tuple[ReportDetail, ...] = ()
    flame: ReportFlame = field(default_factory=ReportFlame)
    notes: tuple[str, ...] = ()  # about what the report omits
    warnings: tuple[tuple[str, str], ...] = ()  # location and message of each
    warning_count: int = 0  # may exceed the number listed

    def linked_functions(self) -> frozenset[FunctionId]:
        """Return the functions that the page contains, to which names can link."""
        listed = {function.function for function in self.functions}
        return frozenset(listed | {detail.function for detail in self.details})
