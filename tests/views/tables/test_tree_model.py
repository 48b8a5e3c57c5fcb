"""The call tree: exact costs, estimates, and nodes created on expansion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from qcachegrind_py.analysis.calls.call_tree import CallBranches, ComparedBranches
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.call_tree import BranchTree, branch_table
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.profile.ids import FURTHER, NodeId
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.views.lists.call_tree import TreeModel
from qcachegrind_py.views.tables.item_model import Role
from qcachegrind_py.views.tables.table_actions import written_rows
from qcachegrind_py.write.separated import ExportTable
from tests.compared_graphs import compared_profiles
from tests.profile_text import (
    THIN,
    WHOLE_SCOPE,
    dump_tree,
    event_named,
    queries_for,
    titles,
    view_query,
)
from tests.seen_cell import SeenCell

EXACT = "The cost is exact: it follows from the recorded calls."
ESTIMATED = "≈ is an estimate: only direct calls are recorded."

DATA = Path(__file__).resolve().parents[2] / "data"
FILES = sorted(DATA.glob("recur-everything/*.out.*[0-9].xz"))
COST, SELF, COUNT, NAME, LOCATION = ALL = tuple(range(5))
SHORT = COST, COUNT, NAME
NO_CYCLES, LARGE = Scope(cycles=False), 2**53 + 1
SHARED = """
    main@a.c@/bin/prog 10 -> a 2x60, b 1x130
    a 20 -> c 4x100
    b 10 -> a 6x60, d 3x60
    c@c.c@/lib/c.so 100
    d 60
    """
ROUND = """
    main 1 -> a 2x55
    a 10 -> b 3x50, leaf 1x5
    b 20 -> a 1x10, leaf 1x20
    leaf 25
    """


def spaced(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def tree(
    queries: ProfileQueries,
    root: str,
    *,
    up: bool = False,
    scope: Scope = WHOLE_SCOPE,
    percent: bool = False,
    hidden: Sequence[str] = (),
    event: str = "Ir",
) -> TreeModel:
    """The tree of the root's callees, or of its callers, without the named functions."""
    labels = queries.labels(scope)
    names = [labels.name(entry) for entry in range(len(labels))]
    passing = np.array([name not in hidden for name in names]) if hidden else None
    model = TreeModel()
    graph = queries.accounted_calls(event_named(queries, event), scope)
    unit = CostUnit.PERCENT if percent else CostUnit.ABSOLUTE
    costs = view_query(queries, event, unit=unit).unit(event_named(queries, event))
    branches = BranchTree(CallBranches(graph, passing, up=up), NodeId(names.index(root)))
    model.show(branch_table(branches, labels, costs))
    return model


def share(index: QModelIndex) -> float:
    """The length of the bar of a cell."""
    bar = SeenCell(index).bar
    assert bar is not None
    return bar


def test_call_tree_passes_qt_model_checks(qtmodeltester: Any, tmp_path: Path) -> None:
    """A tree answers every question of Qt without contradiction, cycles and recursion included."""
    qtmodeltester.check(tree(queries_for(tmp_path, SHARED), "main"))
    qtmodeltester.check(tree(queries_for(tmp_path, ROUND), "leaf", up=True))
    qtmodeltester.check(tree(queries_for(tmp_path, ROUND), "main", scope=Scope(cycles=False)))
    qtmodeltester.check(TreeModel())


TREES: dict[str, tuple[str, str, dict[str, Any], int, tuple[int, ...], list[str]]] = {
    # forced costs are exact, such as all that b cost; the others are shared in proportion
    "down": (SHARED, "main", {}, 9, ALL, [
        "200 | 10 |  | main | prog: a.c",
        "  130 | 10 | 1 | b | ???",
        "    60 | ≈ 10 | 6 | a | ???",
        "      ≈ 50 | ≈ 50 | ≈ 2 | c | c.so: c.c",
        "    60 | 60 | 3 | d | ???",
        "  60 | ≈ 10 | 2 | a | ???",
        "    ≈ 50 | ≈ 50 | ≈ 2 | c | c.so: c.c",
    ]),
    # upwards, callers are below, with the part of the cost that came from each
    "up": (SHARED, "c", {"up": True}, 9, SHORT, [
        "100 |  | c",
        "  100 | 4 | a",
        "    ≈ 50 | ≈ 2 | main",
        "    ≈ 50 | ≈ 5 | b",
        "      ≈ 50 | ≈ 0 | main",
    ]),
    # the same calls are exact that were estimates further down
    "from another root": (SHARED, "a", {}, 9, SHORT, ["120 |  | a", "  100 | 4 | c"]),
    # a function that repeats on its branch is marked, and ends the branch
    "recursion": (ROUND, "main", {"scope": NO_CYCLES}, 99, (NAME,), [
        "main", "  a", "    b", "      leaf", "      a  ↻", "    leaf",
    ]),
    # if calls into a cycle cost more than the cycle, the branch has the cycle's true cost
    "too costly calls": (ROUND.replace("a 2x55", "a 2x110"), "main", {}, 2, (COST, NAME), [
        "111 | main",
        "  ≈ 55 | <cycle 1>",
        "    40 | b <cycle 1>",
        "    15 | a <cycle 1>",
        "  55 | (not attributed)",
    ]),
    # a call into a cycle leads to the cycle, with its members and their costs below it
    "cycle": (ROUND, "main", {}, 9, ALL, [
        "56 | 1 |  | main | ???",
        "  55 | 30 | 2 | <cycle 1> | 2 members",
        "    40 | 20 |  | b <cycle 1> | ???",
        "      20 | ≈ 20 | 1 | leaf | ???",
        "    15 | 10 |  | a <cycle 1> | ???",
        "      5 | ≈ 5 | 1 | leaf | ???",
    ]),
    "from a cycle": (ROUND, "<cycle 1>", {}, 1, (COST, NAME), [
        "55 | <cycle 1>", "  40 | b <cycle 1>", "  15 | a <cycle 1>",
    ]),
    "up from a cycle": (
        ROUND, "<cycle 1>", {"up": True}, 1, (COST, NAME), ["55 | <cycle 1>", "  55 | main"],
    ),
    "from a member": (
        ROUND, "a <cycle 1>", {}, 1, (COST, NAME), ["15 | a <cycle 1>", "  5 | leaf"],
    ),
    "up from a member": (
        ROUND, "a <cycle 1>", {"up": True}, 1, (COST, NAME),
        ["15 | a <cycle 1>", "  15 | <cycle 1>"],
    ),
    # a filtered function is left out with everything below it; the root itself stays
    "filter": (SHARED, "main", {"hidden": ["main", "b"]}, 9, (NAME,), ["main", "  a", "    c"]),
    "filtered leaves": (
        SHARED, "main", {"hidden": ["c", "d"]}, 9, (NAME,), ["main", "  b", "    a", "  a"],
    ),
    "no cost in the event": (
        "events: Ir Dr\nmain 1,1 -> a 1x5,0, b 1x3,4\na 5,0\nb 3,4", "main", {"event": "Dr"}, 9,
        (COST, NAME), ["5 | main", "  4 | b"],
    ),
    "beyond floats": (
        f"main 1 -> f 1x{LARGE}, g {LARGE}x3\nf {LARGE}\ng 3", "main", {}, 1, (COST, COUNT),
        [f"{spaced(LARGE + 4)} | ", f"  {spaced(LARGE)} | 1", f"  3 | {spaced(LARGE)}"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("drawing", "root", "settings", "depth", "columns", "expected"), TREES.values(), ids=TREES
)
def test_branches(
    tmp_path: Path,
    drawing: str,
    root: str,
    settings: dict[str, Any],
    depth: int,
    columns: tuple[int, ...],
    expected: list[str],
) -> None:
    """Self costs are exact where a branch has the whole cost of its function; ≈ is an estimate.

    No branch costs more than the one above it, and what has none below it cannot be opened.
    """
    model = tree(queries_for(tmp_path, drawing), root, **settings)

    def check(parent: QModelIndex) -> None:
        for row in range(model.rowCount(parent)):
            index = model.index(row, 0, parent)
            assert share(index) <= share(parent)
            assert model.hasChildren(index) is (model.rowCount(index) > 0)
            check(index)

    assert [line.replace(THIN, " ") for line in dump_tree(model, depth, *columns)] == expected
    check(model.index(0, 0))


def test_percentages_are_of_the_base(tmp_path: Path) -> None:
    """As percentages, costs are shares of the total, and the title says so; counts stay counts."""
    model = tree(queries_for(tmp_path, SHARED), "b", percent=True)

    assert titles(model) == ["Incl. %", "Self %", "Calls", "Function", "Location"]
    assert dump_tree(model, 1, *SHORT) == ["65.00 |  | b", "  30.00 | 6 | a", "  30.00 | 3 | d"]
    shares = [share(_at(model, *rows)) for rows in ((0,), (0, 0))]
    assert shares == [0.65, 0.3]
    assert SeenCell(model.index(0, NAME)).bar is None


BASE = "main 10 -> a 1x30, old 1x5, same 4x8\na 10 -> leaf 2x20\nold 5\nleaf 20\nsame 8"
NEW = "main 11 -> a 1x34, fresh 1x9, same 4x8\na 10 -> leaf 3x24\nfresh 9\nleaf 24\nsame 8"


def compared_tree(folder: Path, base: str = BASE, new: str = NEW) -> TreeModel:
    """The tree of main on both sides."""
    compared = compared_profiles(folder, base, new)
    queries, event = compared.queries, compared.events[0]
    sides = (
        CallBranches(queries.accounted_calls(event, scope), None, up=False)
        for scope in (compared.base, compared.new)
    )
    root = NodeId(int(queries.names.find("main", "???", "???")))
    model, branches = TreeModel(), BranchTree(ComparedBranches(*sides), root)
    unit = Unit("Ir", wants_percent=False)
    model.show(branch_table(branches, queries.labels(compared.new), unit))
    return model


def test_changes_of_branches(tmp_path: Path) -> None:
    """The largest is first; a number of calls that changed is written as in all lists: 2 → 3.

    Rows of an export end with the cost in the base, the new one, and the calls in the base.
    """
    model = compared_tree(tmp_path)
    nodes = [_at(model, 0), *(_at(model, 0, row) for row in range(4))]
    export = written(model, *nodes)

    assert [line.replace(THIN, "") for line in dump_tree(model, 1, *SHORT)] == [
        "+9 |  | main", "  +9 | 0→1 | fresh", "  −5 | 1→0 | old", "  +4 | 1 | a", "   | 4 | same",
    ]  # fmt: skip
    assert export.titles == (
        "Level", "Incl. ±", "Self ±", "Calls", "Function", "Location", "Proven",
        "Base incl.", "New incl.", "Base calls",
    )  # fmt: skip
    assert export.rows == [
        (0, 9, 1, None, "main", "???", "yes", 53, 62, None),
        (1, 9, 9, 1, "fresh", "???", "yes", 0, 9, 0),
        (1, -5, -5, 0, "old", "???", "yes", 5, 0, 1),
        (1, 4, 0, 1, "a", "???", "yes", 30, 34, 1),
        (1, 0, 0, 4, "same", "???", "yes", 8, 8, 4),
    ]


def test_branches_are_created_on_expansion(tmp_path: Path) -> None:
    """Expanding one branch creates its siblings, not all branches: here there are 2^60.

    Nodes are numbered as they are created, so the last number is their count.
    """
    levels = 60
    lines = [f"f{n} 1 -> a{n} 1x1000, b{n} 1x1000" for n in range(levels)]
    lines += [f"{s}{n} 1 -> f{n + 1} 1x1000" for n in range(levels) for s in "ab"]
    model = tree(queries_for(tmp_path, "\n".join([*lines, f"f{levels} 2000"])), "f0")

    index, depth = model.index(0, 0), 0
    while model.hasChildren(index):
        index, depth = model.index(0, 0, index), depth + 1

    assert (depth, index.data(Role.FUNCTION)) == (
        2 * levels,
        model.tree.function(model.record(index)),
    )
    assert index.internalId() < 4 * levels


def many_callees(callees: int) -> str:
    """A drawing of `main`, which calls f1, f2 and so on, the last the costliest."""
    calls = ", ".join(f"f{i} 2x{i}" for i in range(1, callees + 1))
    return f"main 7 -> {calls}"


def test_the_costliest_of_many_branches_come_first(tmp_path: Path) -> None:
    """Behind the first thousand, a node stands for all others, with their sums."""
    model = tree(queries_for(tmp_path, many_callees(2500)), "main")
    root = model.index(0, 0)
    rows = [
        tuple(model.index(row, column, root).data() for column in (COST, COUNT, NAME, LOCATION))
        for row in (0, 1, 999, 1000)
    ]
    rest = sum(range(1, 1501))
    assert model.rowCount(root) == 1001
    assert rows == [
        (f"2{THIN}500", "2", "f2500", "???"),
        (f"2{THIN}499", "2", "f2499", "???"),
        (f"1{THIN}501", "2", "f1501", "???"),
        (f"{rest:,}".replace(",", THIN), f"3{THIN}000", f"1{THIN}500 more…", ""),
    ]
    more = model.index(1000, 0, root)
    assert not model.hasChildren(more)
    assert more.data(Role.FUNCTION) == FURTHER
    (row,) = written(model, more).rows
    assert row == (1, rest, None, 3000, f"1{THIN}500 more…", "", "yes")


def test_further_branches_of_a_comparison_are_written(tmp_path: Path) -> None:
    """Their row has all columns of a comparison, of which it knows only the change."""
    model = compared_tree(tmp_path, many_callees(1001), many_callees(1002))
    (row,) = written(model, _at(model, 0, 1000)).rows

    assert row == (1, 0, None, 0, "2 more…", "", "no", None, None, None)


def test_further_branches_replace_their_node(tmp_path: Path, qtmodeltester: Any) -> None:
    """Each time, the next thousand follow; going to a branch creates all that are costlier."""
    model = tree(queries_for(tmp_path, many_callees(2500)), "main")
    root = model.index(0, 0)
    first = QPersistentModelIndex(model.index(0, NAME, root))
    model.show_more(model.index(1000, 0, root))
    assert model.rowCount(root) == 2001
    assert model.index(2000, NAME, root).data() == "500 more…"
    f1 = model.branch_to(root, NodeId(1))
    names = [model.index(row, NAME, root).data() for row in range(model.rowCount(root))]
    assert names == [f"f{i}" for i in range(2500, 0, -1)]
    assert (f1.row(), f1.data(Role.FUNCTION)) == (2499, 1)
    assert first.data() == "f2500"
    qtmodeltester.check(model)


def test_open_branches_keep_their_indexes(tmp_path: Path) -> None:
    """A new tree has only its root; expanding a branch keeps all indexes."""
    model = tree(queries_for(tmp_path, SHARED), "main")
    created = [_at(model, *path).internalId() for path in ((0,), (0, 0))]
    kept = QPersistentModelIndex(_at(model, 0, 1).siblingAtColumn(NAME))

    whole = dump_tree(model, 9, NAME)

    assert created == [0, 1]
    assert (kept.row(), kept.column(), kept.data(), len(whole)) == (1, NAME, "a", 7)
    assert _at(model, 0, 1) == _at(model, 0, 1)
    assert _at(model, 0, 0, 0).parent() == _at(model, 0, 0)


def test_another_root_discards_the_old_tree(tmp_path: Path, qtbot: Any) -> None:
    """A new root invalidates every index of the old tree."""
    model = tree(queries_for(tmp_path, SHARED), "main")
    kept = QPersistentModelIndex(_at(model, 0, 1))

    with qtbot.waitSignals([model.modelAboutToBeReset, model.modelReset]):
        model.clear()

    assert (kept.isValid(), dump_tree(model, 9), model.hasChildren()) == (False, [], False)


def test_tooltip_says_whether_the_cost_was_recorded(tmp_path: Path) -> None:
    """The tooltip has full names, and tells estimates from exact costs."""
    model = tree(queries_for(tmp_path, SHARED), "main")

    tips = [_at(model, *path).data(Qt.ItemDataRole.ToolTipRole) for path in ((0, 1), (0, 1, 0))]

    assert tips == [
        f"<qt>a<br>{EXACT}</qt>",
        f"<qt>c<br>File: c.c<br>Object: /lib/c.so<br>{ESTIMATED}</qt>",
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_first_level_of_real_files_sums_up(file: Path) -> None:
    """The callers' costs add up to the inclusive cost; callees have their recorded costs.

    Members of cycles are skipped: their costs are part of the cycle's.
    """
    queries = ProfileQueries(load(file))
    kind, calls = queries.events.measured[0], queries.profile.calls
    inclusive = queries.inclusive(kind, WHOLE_SCOPE).tolist()
    labels = queries.labels(WHOLE_SCOPE)
    unit = view_query(queries, kind.name).unit(kind)
    met = {True: 0, False: 0}

    for function in range(queries.function_count):
        by_it = (calls.caller == function) & (calls.callee != function)
        for up, wanted in ((True, inclusive[function]), (False, calls.values[0][by_it].sum())):
            model, graph = TreeModel(), queries.accounted_calls(kind, WHOLE_SCOPE)
            branches = BranchTree(CallBranches(graph, None, up=up), NodeId(function))
            model.show(branch_table(branches, labels, unit))
            root = model.index(0, 0)
            costs = [
                int(model.index(row, COST, root).data().replace(THIN, ""))
                for row in range(model.rowCount(root))
                if model.index(row, COST, root).data(Role.FUNCTION) >= 0
            ]
            if costs and not labels.cycle(function):
                assert (sum(costs), costs) == (wanted, sorted(costs, reverse=True))
                met[up] += 1

    assert min(met.values()) > queries.function_count / 4


def written(model: TreeModel, *nodes: QModelIndex) -> ExportTable:
    """What is written to files of some nodes."""
    assert model.table.written is not None
    records = np.array([model.record(node) for node in nodes])
    return written_rows(model.table.written.columns, records, NoProgress())


def _at(model: TreeModel, *rows: int) -> QModelIndex:
    """The node reached by these rows from the top."""
    index = QModelIndex()
    for row in rows:
        index = model.index(row, 0, index)
    return index
