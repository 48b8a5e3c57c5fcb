"""What the change of a function's inclusive cost consists of, in its own lines and in its calls.

Its own change comes first, then that of each of its calls, and what neither explains. Costs are
always counts, as these add up on the screen; percentages of the base's total are in tips.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.line_numbering import changed_lines
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.comparison.effects import Explanation, NotSplit
from qcachegrind_py.analysis.costs.scope import BothSides
from qcachegrind_py.analysis.names.function_names import Labels, ranks
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import ARROW, Counts, Figures, Reasons
from qcachegrind_py.present.no_figures import NO_COUNTS, NO_FIGURES, NO_NUMBERS, NO_REASONS
from qcachegrind_py.present.table import (
    Column,
    CostCells,
    NumberCells,
    SideCells,
    Table,
    TextCells,
    Value,
)
from qcachegrind_py.present.unit import BASE, NEW, Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import NO_NODE, FunctionId, NodeId, TextId, node_at, text_ids
from qcachegrind_py.profile.numbers import UNDEFINED
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array
from qcachegrind_py.tools.compared_inputs import (
    ComparedSources,
    function_sides,
    read_compared_sources,
)
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch, FileSearch

_SAFE = 1 << 62  # smaller numbers are added in 64 bits
_SELF, _REST = "Self", "Other"
_SELF_TIP = "The change of the function's own cost. Press Return to see its lines."
_REST_TIP = (
    "What self and calls do not add up to: the function is called recursively, or calls had not "
    "returned when a profile was written."
)
_REASONS = {
    NotSplit.NO: "",
    NotSplit.NEW: "new call",
    NotSplit.GONE: "no longer called",
    NotSplit.IN_CYCLE: "within the cycle",
    NotSplit.RECURSIVE: "calls itself",
    NotSplit.NOT_COUNTED: "calls not counted",
}
_REASON_TIPS = {
    NotSplit.NO: "",
    NotSplit.NEW: "Only the new side has this call.",
    NotSplit.GONE: "Only the base has this call.",
    NotSplit.IN_CYCLE: "Calls within a cycle have no cost of their own: it is that of the cycle.",
    NotSplit.RECURSIVE: "The cost of a call to itself is part of the function's other calls.",
    NotSplit.NOT_COUNTED: "A side has no count of these calls, so a call has no average cost.",
}


def change_unit(query: ViewQuery, compared: Comparison, event: EventType) -> Unit:
    """Return the unit of costs and changes: counts, with the base's total as 100 % in tips."""
    total, _ = compared.total(event)
    whole = total.base if query.context.of_recorded else total.counted
    return replace(query.unit(event), total=whole, wants_percent=False, divisors=None)


# ---------------------------------------------------------------- contributions


@frozen
class Contributions:
    """The function itself, its calls, and the rest if there is one; shape (rows,) each.

    Those of a cycle are its members.
    """

    labels: Labels | None  # None without rows
    node: Int64Array  # the callee or member; `NO_NODE` in the rows of self and of the rest
    figures: Figures
    count: Counts
    by_calls: CostArray  # shares of the change, which are known where it is split
    per_call: CostArray
    reasons: Reasons
    not_split: tuple[NotSplit, ...]
    is_of_cycle: bool

    def is_self(self, row: int) -> bool:
        return row == 0 and not self.is_of_cycle

    def is_call(self, row: int) -> bool:
        return int(self.node[row]) != NO_NODE

    @property
    def cost_of_one(self) -> BothSides:
        """The average cost of one call in whole counts, where there are calls."""
        cost, count = self.figures, self.count
        return BothSides(
            cost.base // np.maximum(count.base, 1), cost.new // np.maximum(count.new, 1)
        )

    def name(self, row: int) -> str:
        if self.labels is not None and self.is_call(row):
            return self.labels.name(node_at(self.node, row))
        return _SELF if self.is_self(row) else _REST

    def why(self, row: int) -> str:
        """Return whether calls became more or costlier, or why that is not known."""
        if self.is_self(row):
            return ""
        if not self.is_call(row):
            return "not in its calls"
        if self.is_of_cycle:
            return "member"
        return _REASONS[self.not_split[row]] or self.reasons.text(row)

    def called(self, row: int) -> str:
        """Return how often a callee was called on both sides."""
        return self.count.text(row) if self.is_call(row) else ""

    def each(self, row: int) -> str:
        """Return the average cost of one call on both sides."""
        if not self.is_call(row):
            return ""
        if self.not_split[row] in (NotSplit.IN_CYCLE, NotSplit.RECURSIVE):
            return UNDEFINED
        costs, counts = self.cost_of_one, self.count
        texts = [
            self.figures.unit.absolute(int(cost[row])) if count[row] else UNDEFINED
            for cost, count in ((costs.base, counts.base), (costs.new, counts.new))
        ]
        return texts[0] if texts[0] == texts[1] else ARROW.join(texts)

    def details(self, row: int) -> tuple[str, ...]:
        """Return lines for the tip: who the callee is, and why its change is not split."""
        if self.labels is None or not self.is_call(row):
            return (_SELF_TIP if self.is_self(row) else _REST_TIP,)
        reason = "" if self.is_of_cycle else _REASON_TIPS[self.not_split[row]]
        return (*self.labels.details(node_at(self.node, row)), *filter(None, [reason]))


NO_CONTRIBUTIONS = Contributions(
    None,
    NO_NUMBERS,
    NO_FIGURES,
    NO_COUNTS,
    NO_NUMBERS,
    NO_NUMBERS,
    NO_REASONS,
    (),
    is_of_cycle=False,
)


def contributions(
    explained: Explanation, labels: Labels, unit: Unit, *, is_of_cycle: bool
) -> Contributions:
    own = 0 if is_of_cycle else 1  # rows before the calls
    more = 1 if explained.rest else 0  # rows behind them
    effects = explained.effects
    is_split: BoolArray = np.array([False] * own + effects.is_known.tolist() + [False] * more, bool)

    def column(of_self: int, calls: CostArray, of_rest: int) -> CostArray:
        values = [of_self] * own + calls.tolist() + [of_rest] * more
        return np.array(values, np.int64 if all(-_SAFE < v < _SAFE for v in values) else object)

    old, new = explained.self_cost
    figures = Figures(
        unit, column(new, explained.cost.new, explained.rest), column(old, explained.cost.base, 0)
    ).with_longest_bar()
    count = Counts(
        column(0, explained.count.new, 0),
        column(0, explained.count.base, 0),
        unit.style,
        without_calls=UNDEFINED,
    )
    return Contributions(
        labels,
        column(NO_NODE, explained.callee, NO_NODE),
        figures,
        count,
        column(0, effects.by_calls, 0),
        column(0, effects.per_call, 0),
        Reasons(figures, count, is_split),
        (NotSplit.NO,) * own + explained.not_split + (NotSplit.NO,) * more,
        is_of_cycle,
    )


def contribution_table(
    rows: Contributions, callers: Callable[[NodeId], str], mark: Callable[[NodeId], str]
) -> Table:
    """Return the table of contributions, which begins with the largest change."""

    def words(word: Callable[[int], str]) -> list[str]:
        return list(map(word, range(len(rows.node))))

    reasons = words(rows.why)
    columns = (
        Column(
            "change",
            "Change",
            "How much it changed the inclusive cost of the active function",
            _ChangeCells(rows.figures),
        ),
        Column(
            "why",
            "Why",
            "Whether calls became more frequent or costlier, or why that is unknown",
            _WordCells(reasons, ranks(list(map(str.lower, reasons))), str, rows.reasons.tip),
            gives_way=5,
        ),
        Column(
            "by_calls",
            "By calls",
            "The part of the change that comes from the number of calls",
            _EffectCells(rows, rows.by_calls),
            gives_way=2,
        ),
        Column(
            "by_cost",
            "By cost",
            "The part of the change that comes from the average cost of one call",
            _EffectCells(rows, rows.per_call),
            gives_way=2,
        ),
        Column(
            "count",
            "Calls",
            "How often it was called from the active function: base → new",
            _WordCells(words(rows.called), np.abs(rows.count.change), _plain_sides),
            gives_way=3,
        ),
        Column(
            "each",
            "Per call",
            "Average inclusive cost of one call, always absolute: base → new",
            _WordCells(words(rows.each), np.abs(rows.cost_of_one.change), _plain_sides),
            gives_way=1,
        ),
        Column("name", "Contribution", "Name", TextCells(words(rows.name)), stretches=True),
    )

    def tip(row: int) -> tuple[str, ...]:
        called = callers(node_at(rows.node, row))
        return tuple(filter(None, (*rows.details(row), called)))

    return Table(columns, len(rows.node), rows.node, tip, lambda row: mark(node_at(rows.node, row)))


class _ChangeCells(CostCells):
    """Changes under a title that says so."""

    def heading(self, title: str) -> str:
        return self.figures.unit.heading(title)

    @property
    def is_change(self) -> bool:
        return True


@frozen
class _WordCells(NumberCells):
    """Words, or numbers of both sides such as 3 000 → 3 600, that are sorted by a number."""

    words: Sequence[str]
    key: CostArray  # what rows are sorted by, shape (rows,)
    value: Callable[[str], Value]  # a word for other programs
    more: Callable[[int], str] = lambda _row: ""  # what the word does not say

    def text(self, row: int) -> str:
        return self.words[row]

    def numbers(self) -> CostArray:
        return self.key

    def values(self, rows: Int64Array) -> list[Value]:
        return [self.value(self.words[row]) for row in rows.tolist()]

    def tip(self, row: int) -> str:
        return self.more(row)

    def widest(self) -> str:
        return max(self.words, key=len, default="")


def _number_or_word(word: str) -> Value:
    return int(word) if word.isdecimal() else word


def _plain_sides(word: str) -> Value:
    """Return both sides without groups of digits; a number if it is one."""
    plain = word.replace(ARROW, "→").replace("\N{THIN SPACE}", "").replace("→", " → ")
    return _number_or_word(plain) or None


@frozen
class _EffectCells(NumberCells):
    """The part of each change that has one cause, where that is known."""

    rows: Contributions
    effects: CostArray

    def text(self, row: int) -> str:
        if self.rows.reasons.is_split[row]:
            effect = int(self.effects[row])
            return self.rows.figures.unit.change_text(effect) if effect else ""
        return UNDEFINED if self.rows.is_call(row) else ""

    def numbers(self) -> CostArray:
        return self.effects

    def order(self) -> CostArray:
        return np.abs(self.effects)

    def tip(self, row: int) -> str:
        return self.rows.figures.unit.change_tip(int(self.effects[row]))

    def heading(self, title: str) -> str:
        return self.rows.figures.unit.heading(title)


def sums_text(explained: Explanation, unit: Unit, *, is_cycle: bool) -> str:
    """Return the costs of both sides, and how their change adds up."""
    base, new = explained.inclusive
    if not any((explained.self_change, explained.rest, *explained.cost.change.tolist())):
        return f"Incl. {unit.absolute(new)}, unchanged"
    sides = " → ".join(dict.fromkeys(map(unit.absolute, explained.inclusive)))
    growth = unit.growth(base, new)
    change = unit.absolute_change(explained.change) + (f" ({growth})" if growth else "")
    of_calls = sum(explained.cost.change.tolist())
    terms = (
        {"members": of_calls} if is_cycle else {"self": explained.self_change, "calls": of_calls}
    )
    if explained.rest:
        terms["other"] = explained.rest
    sum_ = " + ".join(f"{name} {unit.absolute_change(term)}" for name, term in terms.items())
    return f"Incl. {sides}: {change} = {sum_}"


# ---------------------------------------------------------------- lines


@frozen
class LineChanges:
    """The lines of a function with a cost on one side at least, shape (rows,) each."""

    file: Int64Array  # number in the profile's texts
    base_line: Int64Array  # 0: only the new text has the line
    new_line: Int64Array  # 0: only the base has it; 0 on both sides: the unknown line
    cost: BothSides
    text: Sequence[str]
    files: Mapping[int, str]  # the names of the files of a function, if there are several
    sources: ComparedSources | None = None
    note: str = ""  # how the lines were paired, if not by text

    def number(self, row: int) -> str:
        """Return the line number, on both sides if it differs: 7 → 9."""
        base, new = int(self.base_line[row]), int(self.new_line[row])
        if base == new:
            return str(new) if new else "?"
        return ARROW.join(str(line) if line else UNDEFINED for line in (base, new))

    def source(self, row: int) -> str:
        """Return the text of a line, after the name of its file if there are several."""
        text, file = self.text[row].strip(), self.files.get(int(self.file[row]), "")
        return f"{file}: {text}" if file else text


NO_LINE_CHANGES = LineChanges(
    NO_NUMBERS, NO_NUMBERS, NO_NUMBERS, BothSides(NO_NUMBERS, NO_NUMBERS), (), {}
)


def load_line_changes(
    compared: Comparison,
    function: FunctionId,
    event: EventType,
    search: FileSearch,
    progress: Progress,
    base_search: BaseSearch = NO_BASE_SEARCH,
) -> LineChanges:
    """Pair the lines of a function on both sides, as a job. Raises only `Cancelled`."""
    profile, events = compared.queries.profile, compared.queries.events
    sides = function_sides(compared, function)
    sources = read_compared_sources(
        compared, function, sides, sides.files(), search, progress, base_search
    )
    changed = changed_lines(sides.base, sides.new, sources.numberings)
    cost = BothSides(events.evaluate(event, changed.base), events.evaluate(event, changed.new))
    has_cost = (cost.base != 0) | (cost.new != 0)
    file, number, base_line, new_line = (
        column[has_cost]
        for column in (changed.file, changed.number, changed.base_line, changed.new_line)
    )
    files = {each: profile.texts[TextId(each)] for each in np.unique(file).tolist()}
    shown = [each for each in text_ids(np.unique(file)) if profile.texts[each] != UNKNOWN]
    return LineChanges(
        file,
        base_line,
        new_line,
        BothSides(cost.base[has_cost], cost.new[has_cost]),
        list(_texts(file.tolist(), number.tolist(), sources.shown_texts())),
        {each: Path(name).name for each, name in files.items()} if len(files) > 1 else {},
        sources,
        " ".join(sources.notes(profile, shown)),
    )


def _texts(
    files: list[int], numbers: list[int], texts: Mapping[TextId, Sequence[str]]
) -> Iterator[str]:
    """Yield the text of each line; empty where it is not known."""
    for file, number in zip(files, numbers, strict=True):
        lines = texts.get(TextId(file), ())
        yield lines[number - 1] if 0 < number <= len(lines) else ""


def line_change_table(lines: LineChanges, unit: Unit) -> Table:
    """Return the table of lines; texts of withheld files are not written to other files."""
    shown = _line_table(lines, unit)
    withheld = {} if lines.sources is None else lines.sources.withheld
    if not withheld:
        return shown
    texts = zip(text_ids(lines.file), lines.text, strict=True)
    left = replace(lines, text=["" if file in withheld else text for file, text in texts])
    return replace(shown, withheld=tuple(withheld.values()), written=_line_table(left, unit))


def _line_table(lines: LineChanges, unit: Unit) -> Table:
    figures, count = Figures(unit, lines.cost.new, lines.cost.base), len(lines.file)
    places = np.arange(count)  # rows are in order of the text
    columns = (
        Column(
            "change",
            "Change",
            "How much the self cost of the line changed",
            _ChangeCells(figures.with_longest_bar()),
        ),
        Column("base", "Base", "Self cost in the base", SideCells(figures, BASE), gives_way=1),
        Column("new", "New", "Self cost on the new side", SideCells(figures, NEW), gives_way=1),
        Column(
            "line",
            "Line",
            "Line number: base → new",
            _WordCells(list(map(lines.number, range(count))), places, _number_or_word),
        ),
        Column(
            "text",
            "Source",
            "Name",
            TextCells(list(map(lines.source, range(count))), ranks=places),
            stretches=True,
        ),
    )

    def tip(row: int) -> tuple[str, ...]:
        base, new = int(lines.base_line[row]), int(lines.new_line[row])
        sides = f"Line {lines.number(row)}"
        if not base and new:
            sides = f"Line {new}, only in the new source"
        elif base and not new:
            sides = f"Line {base} of the base, gone in the new source"
        return lines.source(row), sides

    return Table(columns, count, tip=tip)


def _nobody(_node: NodeId) -> str:
    return ""


NO_CONTRIBUTION_TABLE = contribution_table(NO_CONTRIBUTIONS, _nobody, _nobody)
NO_LINE_TABLE = _line_table(NO_LINE_CHANGES, Unit())
