"""The table of a call tree, whose rows are branches that are created when they are asked for.

A function already on its own branch is shown once more, but has no branches there, unless whole
stacks were recorded. Where a function
has very many branches, the costliest are followed by a row for all others, which the next ones
replace: Qt asks for each row of a branch at once, which took 12 s for a million.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace

from qcachegrind_py.analysis.calls.call_tree import (
    Branch,
    ComparedBranch,
    ComparedBranches,
    TreeBranches,
)
from qcachegrind_py.analysis.explanation.numbers import exactness_text
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import ARROW, largest
from qcachegrind_py.present.folds import comparison_mark, no_mark
from qcachegrind_py.present.table import (
    ACTIVE_TIP,
    EXACTNESS,
    Cells,
    Column,
    NumberCells,
    Shown,
    Table,
    Value,
    cell_text,
)
from qcachegrind_py.present.unit import ESTIMATE, NO_UNIT, RECURSION, Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.numbers import ACTIVE, format_count
from qcachegrind_py.profile.tables import Int64Array

BRANCHES_AT_ONCE = 1000  # 12 ms


class BranchTree:
    """The branches that were asked for, numbered in the order of their creation; 0 is the root."""

    def __init__(self, source: TreeBranches | None = None, root: NodeId | None = None) -> None:
        """`root` is where the tree begins: a function, a cycle, or `NO_NODE` for the program."""
        self.source = source
        self.branch: list[Branch] = []
        self.above: list[int] = []  # -1 above the root
        self.place: list[int] = []  # among the branches of the one above
        self._below: list[list[int] | None] = []  # None: not asked for yet
        self.further: dict[int, int] = {}  # of each row for further branches: their number
        self.most_called = 0
        if source is not None and root is not None:
            self._append(source.root(root), -1, 0)

    @property
    def is_compared(self) -> bool:
        return isinstance(self.source, ComparedBranches)

    def function(self, row: int) -> NodeId:
        """Return the function or cycle of a row; `FURTHER` for further branches."""
        return self.branch[row].function

    def below(self, row: int) -> list[int]:
        """Return the rows below one, costliest first; they are created on first use."""
        rows = self._below[row]
        if rows is None:
            rows = self._below[row] = self.create(row, 0)
        return rows

    def has_branches(self, row: int) -> bool:
        """Tell without creating them: a cycle of 1,700 members would create 10,000."""
        source = self.source
        return (
            row not in self.further
            and source is not None
            and not self._is_end(row)
            and source.has_branches(self.branch[row])
        )

    def create(self, row: int, begin: int) -> list[int]:
        """Create the next branches below a row that has `begin` already; return their rows."""
        first = len(self.branch)
        if self.source is None or self._is_end(row):
            return []
        branches, further = self.source.below(self.branch[row], begin, BRANCHES_AT_ONCE)
        for place, branch in enumerate(branches, begin):
            self._append(branch, row, place)
        if further:
            self.further[len(self.branch) - 1] = further
        return list(range(first, len(self.branch)))

    def _append(self, branch: Branch, above: int, place: int) -> None:
        self.branch.append(branch)
        if _both_calls(branch) >= _both_calls(self.branch[self.most_called]):
            self.most_called = len(self.branch) - 1
        self.above.append(above)
        self.place.append(place)
        self._below.append(None)

    def path(self, row: int) -> tuple[NodeId, ...]:
        path = []
        while row >= 0:
            path.append(self.function(row))
            row = self.above[row]
        return tuple(path[::-1])

    def _is_end(self, row: int) -> bool:
        """Whether a function is not unfolded once more on its own branch."""
        assert self.source is not None
        return not self.source.follows_recursion and self.is_recursion(row)

    def is_recursion(self, row: int) -> bool:
        function, above = self.function(row), self.above[row]
        while above >= 0:
            if self.function(above) == function:
                return True
            above = self.above[above]
        return False


def _both_calls(branch: Branch) -> int | float:
    """Return the number of calls of a branch, in a comparison those of both sides."""
    return branch.count + (branch.base.count if isinstance(branch, ComparedBranch) else 0)


# ---------------------------------------------------------------- the table


@frozen(slots=False)
class CallTreeTable(Table):
    """The rows of a tree, which grows while it is looked at."""

    tree: BranchTree = field(default_factory=BranchTree)
    labels: Labels | None = None

    def node(self, row: int) -> NodeId:
        return self.tree.function(row)

    def cell_tip(self, row: int, column: Column) -> tuple[str, ...]:
        """Return lines about a row, with the self cost at its column and elsewhere the cost."""
        if self.labels is None:
            return ()
        if row in self.tree.further:
            return ("Double-click to show more, costliest first.",)
        cells = self.column("self" if column.key == "self" else "cost").cells
        exact, branch = cells.tip(row), self.tree.branch[row]
        lines = [f"{cells.text(row)} ({exact})"] if exact else []
        return *self.labels.details(branch.function), *lines, exactness_text(branch.is_proven)


def call_tree_table(query: ViewQuery, tree: BranchTree, *, is_program: bool) -> CallTreeTable:
    """Return the table of a tree; changes have the scale of the list of functions.

    Units that divide costs are for whole functions; branches show counts in these.
    """
    event, series = query.context.event, query.series
    if event is None or series is None:
        return NO_CALL_TREE
    if series.is_change:
        changes = query.inclusive(series).change
        unit = replace(query.unit(event), divisors=None, longest_change=largest(changes))
    else:
        unit = query.unit(event) if is_program else query.call_unit(event, query.context.function)
    return branch_table(tree, query.labels(), unit, comparison_mark(query))


def branch_table(
    tree: BranchTree, labels: Labels | None, unit: Unit, mark: Callable[[NodeId], str] = no_mark
) -> CallTreeTable:
    shared = f"on this branch. {ESTIMATE}: shared out in proportion"
    title, what = "Incl.", f"Inclusive cost {shared}"
    if tree.source is not None and tree.source.is_inverted:
        title = "Self"
        what = f"Self cost of the function that the branch begins with, spent {shared}"
    columns = (
        Column("cost", title, what, _BranchCosts(tree, unit)),
        Column(
            "self", "Self", f"Self cost {shared}", _BranchCosts(tree, unit, is_self=True),
            gives_way=3,
        ),
        Column(
            "count", "Calls", f"How often it was called on this branch. {ACTIVE_TIP}",
            _BranchCalls(tree, unit), gives_way=2,
        ),
        Column(
            "name", "Function", f"Name. {RECURSION}: already on this branch",
            _NameCells(tree, labels, unit), stretches=True,
        ),
        Column(
            "location", "Location", "Program or library, and source file",
            _LocationCells(tree, labels), width=18, gives_way=1,
        ),
    )  # fmt: skip

    def mark_of(row: int) -> str:
        function = tree.function(row)
        return mark(function) if function >= 0 else ""

    def exactness(row: int) -> str:
        branch, source = tree.branch[row], tree.source
        if source is None or not branch.is_proven:
            return EXACTNESS[0]
        return EXACTNESS[1 + (source.self_cost(branch)[1] and not branch.is_shared)]

    level = _written("Level", lambda row: len(tree.path(row)) - 1)
    proven = _written("Proven", exactness)
    sides = _side_columns(tree) if tree.is_compared else ()
    written = Table((level, *columns, proven, *sides))
    return CallTreeTable(columns, mark=mark_of, written=written, tree=tree, labels=labels)


@frozen
class _BranchCosts(NumberCells):
    """Costs of branches, or their changes, with bars."""

    tree: BranchTree
    unit: Unit
    is_self: bool = False

    def _cost(self, row: int) -> tuple[int | float | None, bool]:
        """Return the cost, None for the self cost of a caller, and whether it is exact."""
        branch, source = self.tree.branch[row], self.tree.source
        if not self.is_self or source is None:
            return branch.cost, branch.is_proven
        return source.self_cost(branch)

    def text(self, row: int) -> str:
        cost, is_exact = self._cost(row)
        if cost is None or (not cost if self.is_self else self.is_change and not round(cost)):
            return ""
        return ("" if is_exact else ESTIMATE) + self._number(round(cost))

    def _number(self, cost: int) -> str:
        return self.unit.change_text(cost) if self.is_change else self.unit.text(cost)

    def values(self, rows: Int64Array) -> list[Value]:
        costs = (self._cost(row)[0] for row in rows.tolist())
        return [None if cost is None else round(cost) for cost in costs]

    def widest(self) -> str:
        return ESTIMATE + self._number(round(self.tree.branch[0].cost))

    def tip(self, row: int) -> str:
        cost, exact = self._cost(row)[0], self.unit.exact
        return (self.unit.exact_change if self.is_change else exact)(round(cost)) if cost else ""

    def heading(self, title: str) -> str:
        return self.unit.change_heading(title) if self.is_change else self.unit.heading(title)

    def bar(self, row: int) -> float | None:
        cost, bar = self._cost(row)[0], self.unit.change_bar if self.is_change else self.unit.bar
        return None if cost is None else bar(round(cost))

    @property
    def is_change(self) -> bool:
        return self.tree.is_compared

    @property
    def has_bars(self) -> bool:
        return True


@frozen
class _BranchCalls(NumberCells):
    """How often branches were called, on both sides if that differs: 3 → 5."""

    tree: BranchTree
    unit: Unit

    def text(self, row: int) -> str:
        branch = self.tree.branch[row]
        sides = (branch.base, branch.new) if isinstance(branch, ComparedBranch) else (branch,)
        if not any(side.count or side.is_active for side in sides):
            return ""
        return ARROW.join(dict.fromkeys(map(self._side, sides)))

    def _side(self, branch: Branch) -> str:
        mark = ESTIMATE if branch.is_shared and branch.count else ""
        count = format_count(round(branch.count), self.unit.style)
        return ACTIVE if branch.is_active else mark + count

    def values(self, rows: Int64Array) -> list[Value]:
        return [round(self.tree.branch[row].count) if row else None for row in rows.tolist()]

    def widest(self) -> str:
        return 2 * ESTIMATE + self.text(self.tree.most_called)


@frozen
class _NameCells(Cells):
    """The names of branches, of which those that recur have a mark."""

    tree: BranchTree
    labels: Labels | None
    unit: Unit

    def text(self, row: int) -> str:
        if row in self.tree.further:
            count = format_count(self.tree.further[row], self.unit.style)
            return f"{count} more\N{HORIZONTAL ELLIPSIS}"
        name = cell_text(self.labels.name(self.tree.function(row))) if self.labels else ""
        return f"{name}  {RECURSION}" if self.tree.is_recursion(row) else name

    def values(self, rows: Int64Array) -> list[Value]:
        return list(map(self._full, rows.tolist()))

    def _full(self, row: int) -> str:
        if self.labels is None or row in self.tree.further:
            return self.text(row)
        return self.labels.full_name(self.tree.function(row))


@frozen
class _LocationCells(Cells):
    """Where the functions of branches are."""

    tree: BranchTree
    labels: Labels | None

    def text(self, row: int) -> str:
        return cell_text(self._location(row))

    def values(self, rows: Int64Array) -> list[Value]:
        return list(map(self._location, rows.tolist()))

    def _location(self, row: int) -> str:
        if self.labels is None or row in self.tree.further:
            return ""
        return self.labels.location(self.tree.function(row))


@frozen
class _WrittenCells(Cells):
    """Values that are only written to files."""

    value: Callable[[int], Value]

    def values(self, rows: Int64Array) -> list[Value]:
        return list(map(self.value, rows.tolist()))


def _written(title: str, value: Callable[[int], Value]) -> Column:
    return Column(title.lower(), title, "", _WrittenCells(value), Shown.EXPORTED)


def _side_columns(tree: BranchTree) -> tuple[Column, ...]:
    """Return the columns of base cost, new cost, and calls in the base."""

    def value_of(of_sides: Callable[[ComparedBranch], int | float]) -> Callable[[int], Value]:
        def value(row: int) -> Value:
            branch = tree.branch[row]
            return round(of_sides(branch)) if isinstance(branch, ComparedBranch) else None

        return value

    calls = value_of(lambda branch: branch.base.count)
    return (
        _written("Base incl.", value_of(lambda branch: branch.base.cost)),
        _written("New incl.", value_of(lambda branch: branch.new.cost)),
        _written("Base calls", lambda row: calls(row) if row else None),
    )


NO_CALL_TREE = branch_table(BranchTree(), None, NO_UNIT)
