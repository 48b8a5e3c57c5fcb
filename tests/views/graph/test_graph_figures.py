"""Base, new and change of the nodes and calls of the call graph, as numbers and words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from qcachegrind_py.present.call_graph import (
    NO_GRAPH_CALLS,
    NO_GRAPH_NODES,
    CallGraph,
    call_table,
    graph_of,
    node_table,
)
from qcachegrind_py.present.table import Table
from qcachegrind_py.present.unit import Divisors, Unit
from qcachegrind_py.views.tables.table_model import TableModel
from tests.columns import GRAPH_NODES
from tests.compared_graphs import BASE, NEW, compared_profiles, graph_around
from tests.profile_text import THIN, dump_rows

TOTAL = 440  # of the base
COUNTS = Unit("Ir", TOTAL, False)
SHARES = replace(COUNTS, divisors=Divisors((440, 880), True))
BOTH = (True, True)


def sides_of(
    folder: Path,
    unit: Unit = COUNTS,
    base: str = BASE,
    new: str = NEW,
    *,
    has_cost: tuple[bool, bool] = BOTH,
    has_counts: tuple[bool, bool] = BOTH,
) -> CallGraph:
    """Both sides of the graph around main: main, work, leaf, fresh, old."""
    compared = compared_profiles(folder, base, new)
    marks = {name: f"mark of {name}" for name in ("fresh", "old")}
    labels, both = compared.queries.labels(compared.new), graph_around(compared, "main")
    active = both.new.node[both.new.active]
    return graph_of(
        both.larger, (both.base, both.new), labels, active, unit,
        lambda node: marks.get(labels.name(node), ""), (has_cost, has_counts), both,
    )  # fmt: skip


def model_of(empty: Table, table: Table) -> TableModel:
    model = TableModel(empty)
    model.show(table)
    return model


def plain(text: str) -> str:
    """A text without thin spaces."""
    return text.replace(THIN, "")


def test_costs_are_base_new_and_growth(tmp_path: Path) -> None:
    """What one side lacks is called new or gone; what did not change has one cost."""
    nodes = sides_of(tmp_path, new=NEW.replace("fresh 50", "fresh 50 -> same 1x0")).nodes.on_paths
    equal = sides_of(tmp_path, new=BASE).nodes.on_paths

    assert [plain(nodes.both(row)) for row in range(5)] == [
        "440→880 (+100.00%)",
        "400→820 (+105.00%)",
        "300→720 (+140.00%)",
        "0→50 (new)",
        "30→0 (gone)",
    ]
    assert [nodes.word(row) for row in range(5)] == ["", "", "", "new", "gone"]
    assert [equal.both(row) for row in range(4)] == ["440", "400", "300", "30"]


def test_percentages_and_shares_say_their_unit_once(tmp_path: Path) -> None:
    """Percentages are of the base's total, shares of each side's own with a change in points."""
    percent = replace(COUNTS, wants_percent=True, can_exceed=True)

    percentages, shares = (sides_of(tmp_path, unit).nodes.on_paths for unit in (percent, SHARES))

    assert plain(percentages.both(1)) == "90.91→186.36% (+105.00%)"
    assert plain(shares.both(1)) == "90.91→93.18 % (+2.27)"
    assert plain(shares.both(0)) == "100.00 %"  # all of both
    assert plain(shares.both(4)) == "6.82→0.00 % (gone)"


def test_calls_have_numbers_and_reasons(tmp_path: Path) -> None:
    """Calls of both sides are counted, and the change is split where both have some."""
    sides = sides_of(tmp_path)

    assert [plain(sides.calls.counts.calls_text(row)) for row in range(4)] == [
        "2→4 calls",
        "4→8 calls",
        "0→1 call",
        "1→0 calls",
    ]
    assert [sides.calls.reasons.text(row) for row in range(4)] == [
        "more calls", "more, costlier", "", "",
    ]  # fmt: skip
    assert plain(sides.calls.reasons.tip(1)) == (
        "+330 by the number of calls (4→8), +90 by the cost per call"
    )
    assert plain(sides.nodes.on_paths.exact_sides(1)) == "Base 400, new 820, change +420"


def test_a_side_without_counts_has_dashes(tmp_path: Path) -> None:
    """No number of calls is not 0 calls, and no cost is not 0; there is no change then."""
    sides = sides_of(tmp_path, has_counts=(False, True))
    unknown = sides_of(tmp_path, has_cost=(False, True)).nodes.on_paths

    assert plain(sides.nodes.counts.calls_text(1)) == "–→4 calls"
    assert sides.nodes.counts.calls_text(0) == ""  # never called on any side
    assert plain(unknown.both(1)) == "–→820"
    assert unknown.word(3) == ""
    assert unknown.strength(0) == 0
    assert plain(unknown.exact_sides(1)) == "Base –, new 820, change –"


def test_calls_that_still_ran_are_active_on_their_side_only(tmp_path: Path) -> None:
    """A call that had not returned in the new run was counted in the base."""
    sides = sides_of(tmp_path, new=NEW.replace("work 4x820", "work 0x820"))

    assert plain(sides.calls.counts.calls_text(0)) == "2→(active) calls"
    assert plain(sides.calls.counts.calls_text(3)) == "1→0 calls"


def test_strength_is_a_part_of_the_largest_change(tmp_path: Path) -> None:
    """Growth is positive, shrinkage negative; equal sides have no largest change."""
    sides = sides_of(tmp_path)

    assert [sides.nodes.on_paths.strength(row) for row in (0, 1, 4)] == [1.0, 420 / 440, -30 / 440]
    assert sides_of(tmp_path, new=BASE).nodes.on_paths.strength(0) == 0


def test_tables_have_both_sides(qapp: object, tmp_path: Path, qtmodeltester: Any) -> None:
    """Costs are changes; base, new, growth and why are beside them, and rows have marks."""
    graph = sides_of(tmp_path)
    nodes = model_of(NO_GRAPH_NODES, node_table(graph))
    calls = model_of(NO_GRAPH_CALLS, call_table(graph))
    qtmodeltester.check(nodes)
    qtmodeltester.check(calls)

    assert [plain(row) for row in dump_rows(nodes, *range(9))] == [
        "+440 |  | 440 | 880 | +100.00% |  | – | +440 | main",
        "+420 |  | 400 | 820 | +105.00% | more calls | 2→4 | +420 | work",
        "+420 | +420 | 300 | 720 | +140.00% | more, costlier | 4→8 | +420 | leaf",
        "+50 | +50 |  | 50 | new |  | 0→1 | +50 | fresh",
        "−30 | −30 | 30 |  | gone |  | 1→0 | −30 | old",
    ]
    assert [plain(row) for row in dump_rows(calls, *range(9))] == [
        "+420 | 400 | 820 | +105.00% | more calls | 2→4 | +420 | main | work",
        "+420 | 300 | 720 | +140.00% | more, costlier | 4→8 | +420 | work | leaf",
        "+50 |  | 50 | new |  | 0→1 | +50 | main | fresh",
        "−30 | 30 |  | gone |  | 1→0 | −30 | main | old",
    ]
    assert [nodes.table.mark(row) for row in (0, 3)] == ["", "mark of fresh"]


def test_tables_without_costs_on_a_side_have_dashes(qapp: object, tmp_path: Path) -> None:
    """A base without calls has no inclusive costs to compare with, and no changes."""
    graph = sides_of(tmp_path, has_cost=(False, True))
    model = model_of(NO_GRAPH_NODES, node_table(graph))

    columns = GRAPH_NODES.INCLUSIVE, GRAPH_NODES.BASE, GRAPH_NODES.NEW, GRAPH_NODES.GROWTH
    assert dump_rows(model, *columns)[0] == "– | – | 880 | –"
