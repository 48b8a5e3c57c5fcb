"""The control flow as blocks, arrows, tables and notes: of real programs, alone and compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qcachegrind_py.analysis.code.basic_blocks import MAX_BLOCKS, NEVER_EXECUTED
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.control_flow import ALL, COSTLY, block_table, edge_table, load_function
from qcachegrind_py.present.control_flow_picture import (
    FlowContent,
    FlowLook,
    build_flow,
    summary_notes,
)
from qcachegrind_py.present.picture import Arrangement
from qcachegrind_py.present.table import Table
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule
from tests.present.flow_text import JUMPS, LOOP
from tests.present.letters import Letters, NoPlaces, lines
from tests.present.table_text import headings, table_rows, written
from tests.profile_rows import DATA, profile_from
from tests.profile_text import THIN, view_query

SUMS = DATA / "comparison" / "sums"
FOUND = FileSearch((PathRule("/corpus/a-small", str(DATA / "programs")),))
# taken by hand from `objdump -d` and the lines of `fn=(536) main` in the profile
MAIN = """
    12e0 – 12ee 0.41% 1×
    12f6 – 1312 82.85% 100×
    1314 – 1324 0.33% 1×
    132c – 133a 2.07% 3×
    1340 0.25% 3×
    1344 – 1350 0.99% 3×
    1352 – 139a 2.32% 1×
    139d 8.29% 100×
    139f – 13d7 1.99% 1×
    13d8 – 13e2 0.50% 3×
    """
MAIN_ARROWS = """
    12e0>12f6 1
    12f6>12f6 taken 99
    12f6>1314 not taken 1
    1314>132c 1
    132c>1340 not taken 3
    132c>13d8 taken 3
    1340>1344 3
    1344>132c taken 2
    1344>1352 not taken 1
    1352>139d 1
    139d>139d taken 98, jump 1
    139d>139f not taken 1
    """


class Flow:
    """The flow of a function, by default in percent of its self cost, with all instructions."""

    def __init__(
        self, query: ViewQuery, *, least: float = 0.0, shows: str = ALL, addresses: bool = True
    ) -> None:
        assert query.context.event is not None
        self.query, self.loaded = query, load_function(query, NoProgress())
        look = FlowLook("#808080", *[Letters()] * 3, shows, {}, addresses)
        self.content: FlowContent = build_flow(
            query, query.context.event, self.loaded, least, Arrangement(), look, -1,
            NoPlaces(), NoProgress(),
        )  # fmt: skip
        self.boxes = sorted(self.content.diagram.boxes, key=lambda box: box.key)

    def blocks(self) -> str:
        """The heading of each block, by address."""
        found = [f"{box.name} {box.cost} {box.count}".strip() for box in self.boxes]
        return plain(found)

    def arrows(self) -> str:
        """The ends and texts of each arrow, by address."""
        keys = [box.key for box in self.content.diagram.boxes]
        return plain(
            f"{keys[arrow.source]:x}>{keys[arrow.target]:x} {', '.join(arrow.labels)}".strip()
            for arrow in sorted(
                self.content.diagram.arrows,
                key=lambda arrow: (keys[arrow.source], keys[arrow.target]),
            )
        )

    def lines(self, address: int) -> str:
        """The instructions of a block with their costs."""
        return plain(f"{line.text} | {line.cost}" for line in self._box(address).lines)

    def tip(self, address: int) -> str:
        return plain(self._box(address).tip())

    def notes(self) -> list[str]:
        notes = summary_notes(self.content, self.loaded, self.query.profile)
        return [note.replace(THIN, "") for note in notes]

    def tables(self) -> tuple[Table, Table]:
        flow, function = self.content.flow, self.loaded.function
        return block_table(flow, function), edge_table(flow, function)

    def _box(self, address: int) -> Any:
        return next(box for box in self.boxes if box.key == address)


def plain(texts: Any) -> str:
    """Lines without thin spaces."""
    return "\n".join(texts).replace(THIN, "")


def query_at(
    profile: Path | str, function: str, event: str = "Ir", *, finds: bool = True, **settings: Any
) -> ViewQuery:
    """The query of a function in a file or in lines, with or without its binary."""
    queries = ProfileQueries(profile_from(profile) if isinstance(profile, str) else load(profile))
    settings = {"unit": CostUnit.PERCENT, "files": FOUND if finds else FileSearch(), **settings}
    node = queries.names.with_name(function)[0]
    return view_query(queries, event, function=node, **settings)


def compared_at(
    function: str, unit: CostUnit = CostUnit.ABSOLUTE, *, finds: bool = True
) -> ViewQuery:
    """The query of two builds, at a function."""
    base, new = (load(SUMS / f"callgrind.out.{name}") for name in ("sums-O2", "sums-edited"))
    sides = compare(base, new)
    files = FileSearch((PathRule("/corpus/comparison", str(SUMS)),)) if finds else FileSearch()
    node = sides.queries.names.with_name(function)[0]
    alone = view_query(
        sides.queries, function=node, unit=unit, files=files, scope=sides.new,
        base_parts=sides.base.parts,
    )  # fmt: skip
    return ViewQuery(sides.queries, alone.context, sides)


# -------------------------------------------------------------------- one profile


def test_the_blocks_of_a_real_function() -> None:
    """Blocks, costs and arrow counts agree with the profile and the binary."""
    flow = Flow(query_at(JUMPS, "main"))

    assert flow.blocks() == lines(MAIN)
    assert flow.arrows() == lines(MAIN_ARROWS)
    assert flow.lines(0x132C) == lines("""
        132c  leaq 0x2d4d(%rip), %rdi  # 4080 <jb> | 0.25
        1333  callq 1060 <_setjmp@plt> | 0.83
        1338  testl %eax, %eax | 0.50
        133a  je 13d8 <+0xf8> | 0.50
        """)
    assert flow.lines(0x1352).splitlines()[6] == "… 3 more | "
    assert (flow.notes()[0], flow.notes()[-1]) == (
        "10 blocks, 12 edges", "percentages are of the function's self cost"
    )  # fmt: skip
    assert [box.key for box in flow.boxes if box.is_active] == [0x12E0]


def test_which_blocks_and_instructions_are_shown() -> None:
    """Cheap blocks are left out with a path in their place; those never executed can be shown."""
    query = query_at(JUMPS, "main")
    costly = Flow(query, least=0.02, shows=COSTLY, addresses=False)

    assert [box.key for box in costly.boxes] == [0x12E0, 0x12F6, 0x132C, 0x1352, 0x139D]
    assert "5 blocks hidden (below minimum cost)" in costly.notes()
    assert "“…”: a path through hidden blocks" in costly.notes()
    assert costly.lines(0x1352) == ""
    assert costly.lines(0x12F6).splitlines()[0] == "movl %ebp, %edi | 8.29"
    assert costly.arrows() == lines("""
        12e0>12f6 1
        12f6>12f6 taken 99
        12f6>132c … 1
        132c>1352 … 2
        1352>139d 1
        139d>139d taken 98, jump 1
        """)
    arrows = Flow(query, least=NEVER_EXECUTED).arrows()
    assert set(arrows.splitlines()) - set(lines(MAIN_ARROWS).splitlines()) == {"13d8>1344 jump 0"}


@pytest.mark.parametrize("finds", [True, False])
def test_no_cost_is_lost(finds: bool) -> None:
    """The blocks' self costs add up to the function's, with and without its binary."""
    query = query_at(JUMPS, "main", finds=finds)
    for name in ("main", "sw", "interp", "tail0", "tail1", "tail2", "deep", "on_sig", "dl_main"):
        node = query.queries.names.with_name(name)[0]
        of_name = ViewQuery(query.queries, replace(query.context, function=node))
        loaded = load_function(of_name, NoProgress())
        whole = query.queries.instructions(node, None).self_cost.sum(axis=1)
        assert loaded.blocks.self_cost.sum(axis=1).tolist() == whole.tolist()


def test_without_a_binary() -> None:
    """Source lines replace the instructions, and the note says why."""
    flow = Flow(query_at(JUMPS, "tail2", finds=False))

    assert flow.blocks() == lines("""
        127d – 1282 6.76% 100×
        1284 – 128a 90.98% 1345×
        128c 2.25% 100×
        """)
    assert flow.arrows() == lines("""
        127d>1284 not taken 93
        127d>128c taken 7
        1284>1284 taken 1252
        1284>128c not taken 93
        """)
    assert flow.lines(0x127D).startswith("127d  jumps.c:18")
    assert flow.notes()[1].startswith("no code: /corpus/a-small/bin/jumps-O1 was not found.")


def test_files_with_the_same_name_differ() -> None:
    """A source line names its file without folders, unless two files share the name."""
    flow = Flow(
        query_at(
            r"""
        positions: instr line
        events: Ir
        fl=C:\src\a.c
        fn=f
        0x10 1 2
        fi=/inc/x/b.h
        0x11 2 2
        fi=/inc/y/b.h
        0x12 3 2
        """,
            "f",
        )
    )
    assert flow.lines(0x10) == lines("""
        10  a.c:1 | 33.33
        11  x/b.h:2 | 33.33
        12  y/b.h:3 | 33.33
        """)


@pytest.mark.parametrize(
    ("event", "unit", "expected"),
    [
        ("Ir", CostUnit.PERCENT, "20 4.55% 3×, 22 – 24 90.91% 30×, 26 4.55% 3×"),
        ("Dr", CostUnit.PERCENT, "20 12.50% 3×, 22 – 24 62.50% 30×, 26 25.00% 3×"),
        ("Dr", CostUnit.ABSOLUTE, "20 1 3×, 22 – 24 5 30×, 26 2 3×"),
    ],
)
def test_events_and_units(event: str, unit: CostUnit, expected: str) -> None:
    """Costs are those of the event, as shares of the function's self cost or absolute."""
    flow = Flow(query_at(LOOP, "spin", event, unit=unit))
    assert flow.blocks() == expected.replace(", ", "\n")


def test_another_first_event_has_no_counts() -> None:
    """Unknown counts are left out in the picture, and dashes and empty cells in tables."""
    flow = Flow(query_at(LOOP.replace("Ir Dr", "Dr Ir"), "spin", "Dr"))
    blocks, edges = flow.tables()

    assert flow.blocks() == "20 4.55%\n22 – 24 90.91% 30×\n26 4.55%"
    assert flow.arrows() == "20>22\n22>22 taken 27\n22>26 not taken 3"
    assert "the first event is not Ir: most counts are not known" in flow.notes()
    assert table_rows(blocks, "executed", "first") == ["30 | 22", "– | 20", "– | 26"]
    assert table_rows(edges, "count", "to") == ["27 | 22", "3 | 26", "– | 22"]
    assert written(edges, "count") == [[27], [3], [None]]


def test_no_jumps_were_recorded() -> None:
    """Blocks are shown without edges, and the note names the option that records jumps."""
    flow = Flow(query_at(LOOP.replace("    jcnd=27/30 0x22 6\n    0x24 7\n", ""), "spin"))

    assert flow.blocks() == "20 4.55% 3×\n22 – 24 90.91% 30×\n26 4.55% 3×"
    assert flow.arrows() == "20>22\n22>26"
    assert "no jumps were recorded: use --collect-jumps=yes" in flow.notes()


def test_blocks_and_edges_as_tables() -> None:
    """Costliest blocks and most frequent edges first; an edge goes from the jump to its target."""
    flow = Flow(query_at(LOOP, "spin", unit=CostUnit.ABSOLUTE))
    blocks, edges = flow.tables()

    assert headings(blocks) == ["Self", "Incl.", "Executed", "Instructions", "Address", "Last"]
    assert plain(table_rows(blocks)) == lines("""
        60 | 660 | 30 | 2 | 22 | 24
        3 | 3 | 3 | 1 | 20 | 20
        3 | 3 | 3 | 1 | 26 | 26
        """)
    assert written(blocks, "first")[0] == ["0x22"]
    assert table_rows(blocks, "first", by="first", ascending=True) == ["20", "22", "26"]
    assert headings(edges) == ["Count", "Kind", "From", "To"]
    assert plain(table_rows(edges)) == lines("""
        27 | taken | 24 | 22
        3 | falls through | 20 | 22
        3 | not taken | 24 | 26
        """)
    assert edges.node(1) == flow.loaded.function


def test_a_function_of_very_many_blocks() -> None:
    """The costliest blocks are drawn, all reachable from the entry; the note counts others."""
    rows = ["positions: instr line", "events: Ir", "", "fl=a.c", "fn=f"]
    for number in range(2000):
        rows += [f"0x{0x1000 + 4 * number:x} {number} {number % 50 + 2}"]
        rows += [f"jcnd=1/2 0x{0x1000 + 4 * number + 4:x} 1", f"0x{0x1000 + 4 * number:x} 1"]
    flow = Flow(query_at("\n".join([*rows, "0x2f40 9 1", ""]), "f"))

    assert len(flow.boxes) == MAX_BLOCKS
    assert f"{2001 - MAX_BLOCKS} blocks hidden (limit reached)" in flow.notes()
    assert flow.tables()[0].length == 2001
    assert "“…”: a path through hidden blocks" in flow.notes()


# -------------------------------------------------------------------- two builds


def test_both_sides_are_in_blocks_arrows_tips_and_tables() -> None:
    """Added up by hand from both disassemblies and profiles: the edit adds a test to the loop."""
    flow = Flow(compared_at("weighted.constprop.0"))

    assert flow.blocks() == lines("""
        770 – 77e 150→250 (+66.67%) 50×
        780 – 783 1072→2144 (+100.00%) 1072×
        785 – 78b 0→4338 (new) 2169×
        7a4 – 7ab 3216→6507 (+102.33%) 1072→2169×
        7ad – 7b3 6507 2169×
        7b5 – 7be 4388→5485 (+25.00%) 1097×
        7c0 – 7c2 100 50×
        """)
    assert flow.arrows() == lines("""
        770>7ad jump 50
        780>785 1072
        785>7a4 taken 2169
        7a4>7ad not taken 1072→2119
        7a4>7c0 taken 0→50
        7ad>780 taken 1072
        7ad>7b5 not taken 1097
        7b5>785 jump 1097
        """)
    assert flow.lines(0x7B5) == "\n".join(
        [
            "  7b5  movl %eax, %esi | ",
            "  7b7  negl %esi | ",
            "  7b9  cmovnsl %esi, %eax | ",
            "  7bc  subl %eax, %edx | ",
            "+ 7be  jmp 785 <+0x15> | +1097",
        ]
    )
    assert "Base 1072, new 2144, change +1072" in flow.tip(0x780)
    assert "executed 1072→2169×" in flow.tip(0x7A4)
    assert "The base has no instruction of this block." in flow.tip(0x785)
    assert f"paired by text with {SUMS / 'sums-O2'}" in flow.notes()[1]
    assert "4463 of the base in instructions that are gone" in flow.notes()
    blocks, edges = flow.tables()
    rows = table_rows(blocks, "first", "self", "base", "new", "growth", "executed")
    assert found(rows, "7a4", "780") == [
        "780 | +1072 | 1072 | 2144 | +100.00% | 1072",
        "7a4 | +3291 | 3216 | 6507 | +102.33% | 1072→2169",
    ]
    assert found(table_rows(edges, "from", "count"), "7ab") == ["7ab | 0→50", "7ab | 1072→2119"]


def found(rows: Sequence[str], *beginnings: str) -> list[str]:
    """The rows that begin so, sorted, without thin spaces."""
    return sorted(row.replace(THIN, "") for row in rows if row.startswith(beginnings))


def test_costs_of_both_sides_add_up_to_the_function() -> None:
    """What is paired, what is new and what is gone is all of both sides."""
    query = compared_at("weighted.constprop.0")
    flow, context = Flow(query).content.flow, query.context
    assert context.event is not None
    assert context.base is not None
    base, new = (
        query.queries.node_costs(context.function, context.event, scope)[1]
        for scope in (context.base, context.scope)
    )
    assert flow.self_cost.base.sum() + flow.gone == base
    assert flow.self_cost.new.sum() == new
    assert flow.self_cost.change.sum() - flow.gone == new - base


def test_without_the_program_of_the_base_only_the_new_side_is_shown() -> None:
    """Addresses of two builds mean nothing to each other, so nothing is paired."""
    flow = Flow(compared_at("weighted.constprop.0", finds=False))
    assert flow.blocks().splitlines()[0] == "770 – 77e 250 50×"
    assert not flow.content.flow.is_compared
