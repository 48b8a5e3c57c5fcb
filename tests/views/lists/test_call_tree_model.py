"""The call tree: exact costs, estimates, and nodes created on expansion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from qcachegrind_py.analysis.calls.call_tree import CallBranches
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.call_tree import BranchTree, branch_table
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.table import Value
from qcachegrind_py.profile.ids import FURTHER, NodeId
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.views.tables.item_model import Role
from qcachegrind_py.views.tables.table_actions import written_rows
from qcachegrind_py.views.tables.tree_model import TreeModel
from tests.profile_text import (
    THIN,
    WHOLE_SCOPE,
    dump_tree,
    event_named,
    queries_for,
    titles,
    view_query,
)

EXACT = "The cost is exact: it follows from the recorded calls."
ESTIMATED = "≈ is an estimate: only direct calls are recorded."

DATA = Path(__file__).resolve().parents[2] / "data"
FILES = sorted(DATA.glob("recur-everything/*.out.*[0-9].xz"))
ABOUT = "≈\N{THIN SPACE}"
COST, SELF, COUNT, NAME, LOCATION = range(5)
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


def test_call_tree_passes_qt_model_checks(qtmodeltester: Any, tmp_path: Path) -> None:
    """A tree answers every question of Qt without contradiction, cycles and recursion included."""
    qtmodeltester.check(tree(queries_for(tmp_path, SHARED), "main"))
    qtmodeltester.check(tree(queries_for(tmp_path, ROUND), "leaf", up=True))
    qtmodeltester.check(tree(queries_for(tmp_path, ROUND), "main", scope=Scope(cycles=False)))
    qtmodeltester.check(TreeModel())


def test_tree_downwards(tmp_path: Path) -> None:
    """Forced costs are exact, such as all that b cost; the others are shared in proportion.

    Self costs are exact where a branch has the whole cost of its function.
    """
    model = tree(queries_for(tmp_path, SHARED), "main")

    assert titles(model) == ["Incl.", "Self", "Calls", "Function", "Location"]
    assert dump_tree(model, 9) == [
        "200 | 10 |  | main | prog: a.c",
        "  130 | 10 | 1 | b | ???",
        f"    60 | {ABOUT}10 | 6 | a | ???",
        f"      {ABOUT}50 | {ABOUT}50 | {ABOUT}2 | c | c.so: c.c",
        "    60 | 60 | 3 | d | ???",
        f"  60 | {ABOUT}10 | 2 | a | ???",
        f"    {ABOUT}50 | {ABOUT}50 | {ABOUT}2 | c | c.so: c.c",
    ]


def test_tree_upwards(tmp_path: Path) -> None:
    """Upwards, callers are below the function, with the part of its cost that came from each."""
    model = tree(queries_for(tmp_path, SHARED), "c", up=True)

    assert dump_tree(model, 9, COST, COUNT, NAME) == [
        "100 |  | c",
        "  100 | 4 | a",
        f"    {ABOUT}50 | {ABOUT}2 | main",
        f"    {ABOUT}50 | {ABOUT}5 | b",
        f"      {ABOUT}50 | {ABOUT}0 | main",
    ]


def test_root_shows_the_cost_from_here_on(tmp_path: Path) -> None:
    """From another root the same calls are exact that were estimates further down."""
    model = tree(queries_for(tmp_path, SHARED), "a")

    assert dump_tree(model, 9, COST, COUNT, NAME) == ["120 |  | a", "  100 | 4 | c"]


def test_percentages_are_of_the_base(tmp_path: Path) -> None:
    """As percentages, costs are shares of the total, and the title says so; counts stay counts."""
    model = tree(queries_for(tmp_path, SHARED), "b", percent=True)

    assert titles(model)[0] == "Incl. %"
    assert dump_tree(model, 1, COST, COUNT, NAME) == [
        "65.00 |  | b",
        "  30.00 | 6 | a",
        "  30.00 | 3 | d",
    ]
    root = model.index(0, 0)
    shares = [index.data(Role.SHARE) for index in (root, model.index(0, 0, root))]
    assert shares == [0.65, 0.3]
    assert model.index(0, NAME).data(Role.SHARE) is None


def test_recursion_is_shown_once_and_not_opened(tmp_path: Path) -> None:
    """A function that repeats on its branch is marked, and ends the branch."""
    model = tree(queries_for(tmp_path, ROUND), "main", scope=Scope(cycles=False))

    assert dump_tree(model, 99, NAME) == [
        "main",
        "  a",
        "    b",
        "      leaf",
        "      a  ↻",
        "    leaf",
    ]
    assert model.hasChildren(_at(model, 0, 0, 0, 1)) is False


def test_cyclic_path_costs_no_more_than_its_entry(tmp_path: Path) -> None:
    """No estimated branch costs more than its parent."""
    model = tree(queries_for(tmp_path, ROUND), "main", scope=Scope(cycles=False))

    def check(parent: QModelIndex) -> int:
        met = 1
        for row in range(model.rowCount(parent)):
            index = model.index(row, 0, parent)
            assert index.data(Role.SHARE) <= parent.data(Role.SHARE)
            met += check(index)
        return met

    assert check(model.index(0, 0)) == 6


def test_estimate_is_no_more_than_what_was_recorded(tmp_path: Path) -> None:
    """If calls into a cycle cost more than the cycle, the branch has the cycle's true cost."""
    drawing = ROUND.replace("a 2x55", "a 2x110")

    model = tree(queries_for(tmp_path, drawing), "main")

    assert dump_tree(model, 2, COST, NAME) == [
        "111 | main",
        f"  {ABOUT}55 | <cycle 1>",
        "    40 | b <cycle 1>",
        "    15 | a <cycle 1>",
        "  55 | (not attributed)",
    ]


def test_cycle_is_a_branch_of_its_own(tmp_path: Path) -> None:
    """A call into a cycle leads to the cycle, with its members and their costs below it."""
    model = tree(queries_for(tmp_path, ROUND), "main")

    assert dump_tree(model, 9) == [
        "56 | 1 |  | main | ???",
        "  55 | 30 | 2 | <cycle 1> | 2 members",
        "    40 | 20 |  | b <cycle 1> | ???",
        f"      20 | {ABOUT}20 | 1 | leaf | ???",
        "    15 | 10 |  | a <cycle 1> | ???",
        f"      5 | {ABOUT}5 | 1 | leaf | ???",
    ]


@pytest.mark.parametrize(
    ("root", "up", "expected"),
    [
        ("<cycle 1>", False, ["55 | <cycle 1>", "  40 | b <cycle 1>", "  15 | a <cycle 1>"]),
        ("<cycle 1>", True, ["55 | <cycle 1>", "  55 | main"]),
        ("a <cycle 1>", False, ["15 | a <cycle 1>", "  5 | leaf"]),
        ("a <cycle 1>", True, ["15 | a <cycle 1>", "  15 | <cycle 1>"]),
    ],
)
def test_cycle_and_member_as_the_root(
    tmp_path: Path, root: str, up: bool, expected: list[str]
) -> None:
    """A cycle leads to its members and is called from outside; a member is called by its cycle."""
    model = tree(queries_for(tmp_path, ROUND), root, up=up)

    assert dump_tree(model, 1, COST, NAME) == expected


def test_filter_leaves_branches_out(tmp_path: Path) -> None:
    """A filtered function is left out with everything below it; the root itself stays."""
    queries = queries_for(tmp_path, SHARED)

    assert dump_tree(tree(queries, "main", hidden=["main", "b"]), 9, NAME) == [
        "main",
        "  a",
        "    c",
    ]
    assert dump_tree(tree(queries, "main", hidden=["c", "d"]), 9, NAME) == [
        "main",
        "  b",
        "    a",
        "  a",
    ]
    leaf = _at(tree(queries, "main", hidden=["c", "d"]), 0, 0, 0)
    assert leaf.model().hasChildren(leaf) is False


def test_calls_without_cost_are_left_out(tmp_path: Path) -> None:
    """A call without cost in the event is no branch."""
    drawing = "events: Ir Dr\nmain 1,1 -> a 1x5,0, b 1x3,4\na 5,0\nb 3,4"

    model = tree(queries_for(tmp_path, drawing), "main", event="Dr")

    assert dump_tree(model, 9, COST, NAME) == ["5 | main", "  4 | b"]


def test_costs_of_single_calls_are_exact_beyond_floats(tmp_path: Path) -> None:
    """A recorded cost beyond float precision is displayed exactly."""
    cost = 2**53 + 1
    drawing = f"main 1 -> f 1x{cost}, g {cost}x3\nf {cost}\ng 3"

    model = tree(queries_for(tmp_path, drawing), "main")

    shown = [line.replace("\N{THIN SPACE}", "") for line in dump_tree(model, 1, COST, COUNT)]
    assert shown == [f"{cost + 4} | ", f"  {cost} | 1", f"  3 | {cost}"]


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
    assert written(model, more) == (1, rest, None, 3000, f"1{THIN}500 more…", "", "yes")


def test_further_branches_replace_their_node(tmp_path: Path, qtmodeltester: Any) -> None:
    """Each time, the next thousand follow; in the end each branch is there once."""
    model = tree(queries_for(tmp_path, many_callees(2500)), "main")
    root = model.index(0, 0)
    first = QPersistentModelIndex(model.index(0, NAME, root))
    model.show_more(model.index(1000, 0, root))
    assert model.rowCount(root) == 2001
    assert model.index(2000, NAME, root).data() == "500 more…"
    model.show_more(model.index(2000, 0, root))
    names = [model.index(row, NAME, root).data() for row in range(model.rowCount(root))]
    assert names == [f"f{i}" for i in range(2500, 0, -1)]
    assert first.data() == "f2500"
    qtmodeltester.check(model)


def test_new_tree_has_only_its_root(tmp_path: Path) -> None:
    """Before any expansion there is one node, so selecting a function costs nothing."""
    model = tree(queries_for(tmp_path, SHARED), "main")
    root = model.index(0, 0)

    first = model.index(0, 0, root)

    assert (root.internalId(), first.internalId()) == (0, 1)


def test_open_branches_keep_their_indexes(tmp_path: Path) -> None:
    """Expanding a branch keeps all indexes: what was current stays so."""
    model = tree(queries_for(tmp_path, SHARED), "main")
    kept = QPersistentModelIndex(_at(model, 0, 1).siblingAtColumn(NAME))

    whole = dump_tree(model, 9, NAME)

    assert (kept.row(), kept.column(), kept.data(), len(whole)) == (1, NAME, "a", 7)
    assert _at(model, 0, 1) == _at(model, 0, 1)
    assert _at(model, 0, 0, 0).parent() == _at(model, 0, 0)


def test_another_root_discards_the_old_tree(tmp_path: Path, qtbot: Any) -> None:
    """A new root invalidates every index of the old tree."""
    queries = queries_for(tmp_path, SHARED)
    model = tree(queries, "main")
    kept = QPersistentModelIndex(_at(model, 0, 1))

    with qtbot.waitSignals([model.modelAboutToBeReset, model.modelReset]):
        model.clear()

    assert (kept.isValid(), dump_tree(model, 9), model.hasChildren()) == (False, [], False)


def test_every_node_of_the_selected_function_is_highlighted(tmp_path: Path) -> None:
    """A function on several branches is highlighted on all of them, in the view's tint."""
    queries = queries_for(tmp_path, SHARED)
    model = tree(queries, "main")
    model.tint.setColor(QColor("red"))

    model.highlight(queries.names.with_name("a")[0])
    places = [_at(model, *path) for path in ((0,), (0, 0), (0, 0, 0), (0, 0, 1), (0, 1))]
    marked = [index.data(Role.HIGHLIGHT) for index in places]
    tinted = [index.data(Qt.ItemDataRole.BackgroundRole) is not None for index in places]
    model.highlight(-1)

    assert marked == tinted == [False, False, True, False, True]
    assert [index.data(Role.HIGHLIGHT) for index in places] == [False] * 5


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


HOSTILE = {
    "HTML": (b"<b>bold</b>", "<b>bold</b>"),
    "control characters": (b"a\x01\tb", r"a\x01\x09b"),
    "right-to-left override": ("a\u202egnp.exe".encode(), r"a\u202egnp.exe"),
    "line separator": ("a\u2028b".encode(), r"a\u2028b"),
    "not UTF-8": (b"caf\xe9", r"caf\xe9"),
    "very long": (b"x" * 100_000, "x" * 400 + "…"),
}


@pytest.mark.parametrize(("name", "shown"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_one_line_of_plain_text(tmp_path: Path, name: bytes, shown: str) -> None:
    """A node's name is displayed in one line, and its tooltip is text with our own tags."""
    path = tmp_path / "callgrind.out.1"
    called = b"cfn=%s\ncalls=1 1\n1 7\nfn=%s\n1 7\n" % (name, name)
    path.write_bytes(b"events: Ir\n\nob=%s\nfl=%s\nfn=main\n1 1\n" % (name, name) + called)

    model = tree(ProfileQueries(load(path)), "main")

    node = _at(model, 0, 0).siblingAtColumn(NAME)
    tip = node.data(Qt.ItemDataRole.ToolTipRole)
    assert node.data() == shown
    assert node.siblingAtColumn(LOCATION).data().isprintable()
    assert re.findall("<[^>]*>", tip) == ["<qt>", "<br>", "<br>", "<br>", "</qt>"]
    assert (tip.isprintable(), len(tip) < 15_000) == (True, True)


def written(model: TreeModel, *nodes: QModelIndex) -> tuple[Value, ...]:
    """The values of a node that are written to files."""
    assert model.table.written is not None
    records = np.array([model.record(node) for node in nodes])
    (row,) = written_rows(model.table.written.columns, records, NoProgress()).rows
    return tuple(row)


def _at(model: TreeModel, *rows: int) -> QModelIndex:
    """The node reached by these rows from the top."""
    index = QModelIndex()
    for row in rows:
        index = model.index(row, 0, index)
    return index
