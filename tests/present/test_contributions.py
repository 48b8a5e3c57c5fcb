"""What a change consists of: the rows of an explanation, and lines paired by their sources."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.effects import explain_change
from qcachegrind_py.analysis.comparison.selections import compare_parts
from qcachegrind_py.analysis.costs.scope import BothSides
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.contributions import (
    NO_CONTRIBUTION_TABLE,
    NO_LINE_TABLE,
    LineChanges,
    contribution_table,
    contributions,
    line_change_table,
    load_line_changes,
)
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.ids import NO_NODE, FunctionId, NodeId
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.tools.sources.file_search import (
    NO_BASE_SEARCH,
    BaseSearch,
    FileSearch,
    PathRule,
)
from qcachegrind_py.views.tables.item_model import Role
from qcachegrind_py.views.tables.table_model import TableModel
from tests.columns import CONTRIBUTIONS, LINES
from tests.moved_function import PAIRS, write_moved_function
from tests.profile_rows import profile_from
from tests.profile_text import THIN, dump_rows, profile_text
from tests.seen_cell import SeenCell

CHANGE, WHY, NAME = CONTRIBUTIONS.CHANGE, CONTRIBUTIONS.WHY, CONTRIBUTIONS.NAME
BY_CALLS, BY_COST = CONTRIBUTIONS.BY_CALLS, CONTRIBUTIONS.BY_COST
COUNT, EACH = CONTRIBUTIONS.COUNT, CONTRIBUTIONS.EACH
BASE = "main@a.c 10 -> more 10x100, dearer 5x50, both 1x10, same 2x20, gone 1x7"
NEW = "main@a.c 13 -> more 20x200, dearer 5x90, both 3x60, same 2x20, young 4x8"


def compared(base: str, new: str) -> Comparison:
    """The comparison of two profiles given as text."""
    return compare(*(profile_from(profile_text(text).encode()) for text in (base, new)))


def model_of(comparison: Comparison, name: str = "main") -> TableModel:
    """The contributions to the change of a function, or of the first cycle."""
    queries, event = comparison.queries, comparison.events[0]
    cycle = NodeId(queries.function_count)
    node = cycle if name == "cycle" else queries.names.with_name(name)[0]
    total = comparison.total(event)[0].counted
    rows = contributions(
        explain_change(comparison, node, event),
        queries.labels(comparison.new),
        Unit(event.name, total, wants_percent=False),
        is_of_cycle=name == "cycle",
    )
    model = TableModel(NO_CONTRIBUTION_TABLE)
    model.show(
        contribution_table(
            rows,
            lambda _node: "",
            lambda node: "new" if queries.names.name(node) == "young" else "",
        )
    )
    return model


def cells(model: TableModel, *columns: int) -> list[str]:
    """The cells as text, with usual spaces."""
    return [row.replace(THIN, " ") for row in dump_rows(model, *columns)]


def test_contributions_are_sorted_by_size() -> None:
    """Whether a cost grew or shrank: each row says how much, why, and what calls cost."""
    assert cells(model_of(compared(BASE, NEW))) == [
        "+100 | more calls | +100 |  | 10 → 20 | 10 | more",
        "+50 | more, costlier | +30 | +20 | 1 → 3 | 10 → 20 | both",
        "+40 | costlier calls |  | +40 | 5 | 10 → 18 | dearer",
        "+8 | new call | – | – | 0 → 4 | – → 2 | young",
        "−7 | no longer called | – | – | 1 → 0 | 7 → – | gone",
        "+3 |  |  |  |  |  | Self",
        " |  |  |  | 2 | 10 | same",
    ]


@pytest.mark.parametrize(
    ("column", "first"),
    [(BY_CALLS, "more"), (BY_COST, "dearer"), (COUNT, "more"), (EACH, "both"), (NAME, "young")],
)
def test_other_columns_sort_by_the_size_of_their_change(column: int, first: str) -> None:
    """The largest is on top; names are in alphabetical order."""
    model = model_of(compared(BASE, NEW))
    model.sort(column, Qt.SortOrder.DescendingOrder)

    assert model.index(0, NAME).data() == first


def test_bars_grow_from_the_middle() -> None:
    """The largest change has a full bar, what shrank one to the left."""
    model = model_of(compared(BASE, NEW))
    bars = {
        model.index(row, NAME).data(): SeenCell(model.index(row, CHANGE)).bar for row in range(7)
    }

    assert (bars["more"], bars["dearer"], bars["gone"], bars["same"]) == (1.0, 0.4, -0.07, 0.0)


def test_rows_that_are_no_calls_have_no_function() -> None:
    """Nothing can be gone to from Self; tips say what it is."""
    model = model_of(compared(BASE, NEW))
    row = [model.index(row, NAME).data() for row in range(7)].index("Self")
    index = model.index(row, NAME)

    assert (index.data(Role.FUNCTION), SeenCell(index).mark) == (NO_NODE, "")
    assert "Press Return to see its lines" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert SeenCell(model.index(3, NAME)).mark == "new"


def test_where_an_explanation_stops() -> None:
    """Recursive calls, calls within a cycle and calls that had not returned say so."""
    recursive = compared(
        "main@a.c 1 -> f 1x30\nf@a.c 10 -> f 2x20, g 1x20\ng@a.c 20",
        "main@a.c 1 -> f 1x40\nf@a.c 10 -> f 3x30, g 1x30\ng@a.c 30",
    )
    circular = compared(
        "main@a.c 1 -> f 1x30\nf@a.c 10 -> g 1x20\ng@a.c 20 -> f 1x5",
        "main@a.c 1 -> f 1x40\nf@a.c 10 -> g 2x30\ng@a.c 30 -> f 1x5",
    )
    running = compared(
        "creator: callgrind-3\nmain@a.c 1 -> f 0x30", "creator: callgrind-3\nmain@a.c 1 -> f 2x40"
    )
    columns = CHANGE, WHY, COUNT, EACH, NAME

    assert cells(model_of(recursive, "f"), *columns) == [
        "+10 | costlier calls | 1 | 20 → 30 | g",
        " |  |  |  | Self",
        " | calls itself | 2 → 3 | – | f",
    ]
    assert cells(model_of(circular, "f"), *columns) == [
        " |  |  |  | Self",
        " | within the cycle | 1 → 2 | – | g <cycle 1>",
    ]
    assert cells(model_of(running), *columns) == [
        "+10 | calls not counted | 0 → 2 | – → 20 | f",
        " |  |  |  | Self",
    ]


def test_a_cycle_consists_of_its_members() -> None:
    """It has no row Self, as its self cost is part of theirs."""
    circular = compared(
        "main@a.c 1 -> f 1x30\nf@a.c 10 -> g 1x20\ng@a.c 20 -> f 1x5",
        "main@a.c 1 -> f 1x40\nf@a.c 10 -> g 2x30\ng@a.c 30 -> f 1x5",
    )
    assert cells(model_of(circular, "cycle"), CHANGE, WHY, COUNT, EACH, NAME) == [
        "+10 | member | – | – | g <cycle 1>",
        " | member | – | – | f <cycle 1>",
    ]


def test_what_calls_do_not_explain() -> None:
    """The inclusive cost is that of the calls to a function, which may cost more than its own."""
    comparison = compared(
        "main@a.c 1 -> f 1x30\nf@a.c 10 -> g 1x20\ng@a.c 20",
        "main@a.c 1 -> f 1x45\nf@a.c 10 -> g 1x30\ng@a.c 30",
    )
    assert cells(model_of(comparison, "f"), CHANGE, WHY, COUNT, NAME) == [
        "+10 | costlier calls | 1 | g",
        "+5 | not in its calls |  | Other",
        " |  |  | Self",
    ]


def test_costs_beyond_64_bits() -> None:
    """A change between the ends of the 64-bit range is exact."""
    most = 2**63 - 1
    comparison = compared(f"main@a.c {most} -> f 1x0", f"main@a.c -{most} -> f 1x{most}")
    rows = cells(model_of(comparison), CHANGE, NAME)

    assert f"−{2 * most:,} | Self".replace(",", " ") in rows


def test_exported_cells() -> None:
    """Changes are numbers, counts of both sides a text."""
    model = model_of(compared(BASE, NEW))
    columns = range(model.columnCount())

    assert [model.columns[column].cells.values(model.order)[1] for column in columns] == [
        50,
        "more, costlier",
        30,
        20,
        "1 → 3",
        "10 → 20",
        "both",
    ]


# ---------------------------------------------------------------- lines


def lines(*, several_files: bool = False) -> TableModel:
    """Five lines of a function: changed, new, gone, moved and unknown."""
    changes = LineChanges(
        np.array([7, 7, 7, 8, 7]),
        np.array([1, 0, 3, 4, 0]),
        np.array([1, 2, 0, 6, 0]),
        BothSides(np.array([10, 0, 40, 5, 3]), np.array([30, 5, 0, 5, 4])),
        ["  int a;", "int b;", "int c;", "return x < y;", ""],
        {7: "a.c", 8: "b.h"} if several_files else {},
    )
    model = TableModel(NO_LINE_TABLE)
    model.show(line_change_table(changes, Unit("Ir", 1000, wants_percent=False)))
    return model


def test_lines_are_sorted_by_the_size_of_their_change() -> None:
    """Each with its number on both sides; a dash where a side does not have it."""
    assert cells(lines()) == [
        "−40 | 40 |  | 3 → – | int c;",
        "+20 | 10 | 30 | 1 | int a;",
        "+5 |  | 5 | – → 2 | int b;",
        "+1 | 3 | 4 | ? | ",
        " | 5 | 5 | 4 → 6 | return x < y;",
    ]


def test_lines_sort_in_order_of_the_source() -> None:
    """As they stand in the arrays; the bars keep their scale."""
    model = lines()
    model.sort(LINES.LINE, Qt.SortOrder.AscendingOrder)

    assert cells(model, LINES.LINE) == ["1", "– → 2", "3 → –", "4 → 6", "?"]
    assert SeenCell(model.index(2, LINES.CHANGE)).bar == -1.0


def test_files_are_named_where_there_are_several() -> None:
    """Inlined code comes from others."""
    text = LINES.TEXT
    assert cells(lines(several_files=True), text)[1::3] == ["a.c: int a;", "b.h: return x < y;"]


def test_tips_show_the_line_and_where_it_is() -> None:
    """Escaped, as sources are full of angle brackets."""
    model = lines()
    tips = [model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in (0, 2, 4)]

    assert [tip.replace(THIN, " ") for tip in tips] == [
        "<qt>int c;<br>Line 3 of the base, gone in the new source"
        "<br>−40 Ir (−4.00 % of the base)</qt>",
        "<qt>int b;<br>Line 2, only in the new source<br>+5 Ir (+0.50 % of the base)</qt>",
        "<qt>return x &lt; y;<br>Line 4 → 6</qt>",
    ]


Write = Callable[..., Path]
OLD_SOURCE = "int f() {\n  work();\n}\n"
NEW_SOURCE = "// why\nint f() {\n  work();\n  more();\n}\n"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a profile of the function f with costs of lines, and its source beside it."""

    def write(folder: str, costs: str, source: str = "", name: str = "f.c") -> Path:
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        if source:
            (place / name).write_text(source, encoding="utf-8")
        path = place / "callgrind.out.1"
        rows = costs.replace(", ", "\n")
        path.write_text(f"events: Ir\nfl={name}\nfn=f\n{rows}\n", encoding="utf-8")
        return path

    return write


def loaded(
    comparison: Comparison,
    *folders: Path,
    progress: Progress | None = None,
    base_search: BaseSearch = NO_BASE_SEARCH,
) -> LineChanges:
    """The lines of f, with sources looked for in these folders."""
    (f,) = comparison.queries.names.with_name("f")
    return load_line_changes(
        comparison,
        FunctionId(f),
        comparison.events[0],
        FileSearch(bases=tuple(map(str, folders))),
        progress or NoProgress(),
        base_search,
    )


def rows(lines: LineChanges) -> list[tuple[int, int, int, int, str]]:
    """Line and cost of base and new, and the text, of each row."""
    columns = lines.base_line, lines.new_line, lines.cost.base, lines.cost.new
    return list(zip(*(column.tolist() for column in columns), lines.text, strict=True))


def test_lines_pair_by_the_sources_of_both_sides(write: Write) -> None:
    """Each side's is the one beside its profile, so a line on top shifts all others."""
    base, new = write("old", "1 5, 2 10", OLD_SOURCE), write("new", "2 5, 3 20, 4 7", NEW_SOURCE)
    found = loaded(compare(load(base), load(new)), new.parent)

    assert (rows(found), found.note) == (
        [(1, 2, 5, 5, "int f() {"), (2, 3, 10, 20, "  work();"), (0, 4, 0, 7, "  more();")],
        "",
    )


def test_lines_that_only_the_base_has_show_its_text(write: Write) -> None:
    """The new source does not have it any more."""
    base, new = write("old", "3 10, 4 7", NEW_SOURCE), write("new", "2 10", OLD_SOURCE)
    found = loaded(compare(load(base), load(new)), new.parent)

    assert rows(found) == [(3, 2, 10, 10, "  work();"), (4, 0, 7, 0, "  more();")]


def test_one_source_for_both_sides(write: Write, tmp_path: Path) -> None:
    """Equal numbers are the same line, unless the file changed after the base was recorded."""
    source = tmp_path / "f.c"
    base, new = write("old", "2 10"), write("new", "3 20")
    source.write_text(OLD_SOURCE, encoding="utf-8")
    comparison = compare(load(base), load(new))
    os.utime(source, (0, 0))
    before = loaded(comparison, tmp_path)
    os.utime(source, (1 << 33, 1 << 33))
    after = loaded(comparison, tmp_path)

    assert (rows(before), before.note) == ([(2, 2, 10, 0, "  work();"), (3, 3, 0, 20, "}")], "")
    assert (rows(after), after.note) == (
        [(2, 3, 10, 20, "}")],
        "Lines of f.c are aligned by their calls, in order: both sides have one source file, which "
        "changed after the base was recorded.",
    )


def test_the_source_of_the_new_side_is_missing(write: Write) -> None:
    """The lines are aligned as they are in the Source dock, and the note says why."""
    base, new = write("old", "2 10", OLD_SOURCE), write("new", "3 20")
    found = loaded(compare(load(base), load(new)), new.parent)

    assert rows(found) == [(2, 3, 10, 20, "  work();")]
    assert found.note == (
        "Lines of f.c are aligned by their calls, in order: "
        "the source of the new side was not found."
    )


def test_both_sources_are_missing(write: Write) -> None:
    """Lines have numbers only."""
    base, new = write("old", "2 10"), write("new", "2 20")
    found = loaded(compare(load(base), load(new)), new.parent)

    assert rows(found) == [(2, 2, 10, 20, "")]
    assert found.note == ("Lines of f.c are paired by number: no source was found on either side.")


def test_the_source_that_was_chosen_for_the_base(write: Write, tmp_path: Path) -> None:
    """It is that of the Source dock, so both say the same."""
    base, new = write("old", "2 10"), write("new", "3 20", NEW_SOURCE)
    (tmp_path / "kept.c").write_text(OLD_SOURCE, encoding="utf-8")
    search = BaseSearch((PathRule("f.c", str(tmp_path / "kept.c")),))
    found = loaded(compare(load(base), load(new)), new.parent, base_search=search)

    assert (rows(found), found.note) == ([(2, 3, 10, 20, "  work();")], "")


def test_a_function_that_was_moved(tmp_path: Path) -> None:
    """Its lines pair by text across both files, and the note says where it was."""
    base, new = write_moved_function(tmp_path)
    found = loaded(compare(load(base), load(new)), new.parent)

    assert rows(found) == [pair[1:] for pair in PAIRS]
    assert found.note == "In the base, the function is in a.c."


def test_parts_of_one_profile_have_one_source(tmp_path: Path) -> None:
    """Each line is itself, so nothing needs to be said."""
    path = tmp_path / "callgrind.out.1"
    part = "part: {0}\nevents: Ir\nfl=f.c\nfn=f\n2 {1}\n"
    path.write_text(part.format(1, 10) + part.format(2, 30), encoding="utf-8")
    found = loaded(compare_parts(load(path), [0], [1]), tmp_path)

    assert (rows(found), found.note) == ([(2, 2, 10, 30, "")], "")


def test_loading_can_be_cancelled(write: Write) -> None:
    """At any of its steps."""

    class Cancelling(NoProgress):
        steps = 0

        def check(self, fraction: float, phase: str = "") -> None:
            Cancelling.steps -= 1
            if Cancelling.steps < 0:
                raise Cancelled

    base, new = write("old", "1 5, 2 10", OLD_SOURCE), write("new", "2 5, 3 20, 4 7", NEW_SOURCE)
    comparison = compare(load(base), load(new))
    for steps in range(3):
        Cancelling.steps = steps
        with pytest.raises(Cancelled):
            loaded(comparison, new.parent, progress=Cancelling())
