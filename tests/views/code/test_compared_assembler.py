"""The instructions of both sides of a comparison: pairs, new and gone ones, and their sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.code_records import RecordKind
from qcachegrind_py.present.context import Position
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.file_search import PathRule
from qcachegrind_py.views.code.assembler_view import AssemblerView
from tests.columns import INSTRUCTIONS
from tests.profile_rows import DATA
from tests.profile_text import THIN, dump_rows
from tests.user_input import enabled_texts
from tests.views.code.conftest import ShowCode

SUMS = DATA / "comparison" / "sums"
RULES = (PathRule("/corpus/comparison", str(SUMS)),)
TIP = Qt.ItemDataRole.ToolTipRole
Settle = Callable[[Any], None]
Compare = Callable[..., AssemblerView]


@pytest.fixture
def compared(show_code: ShowCode, session: Session, settle: Settle, qtbot: QtBot) -> Compare:
    """Show the instructions of a function of two builds."""

    def compared(
        function: str, new: str = "sums-edited", rules: tuple[PathRule, ...] = RULES, **style: Any
    ) -> AssemblerView:
        view: AssemblerView = show_code(
            "assembler", SUMS / f"callgrind.out.{new}", function, rules=rules, **style
        )
        session.comparing.compare_with(ProfileFiles((SUMS / "callgrind.out.sums-O2",)))
        qtbot.waitUntil(lambda: session.comparison is not None)
        settle(view)
        return view

    return compared


def rows(view: AssemblerView) -> list[str]:
    """Each row: mark, address, change, base, new and instruction."""
    model = view.model
    columns = (
        model.place("location"),
        model.place("self"),
        model.place("base"),
        model.place("new"),
        model.place("text"),
    )
    lines = dump_rows(view.model, *columns)
    marks = (
        view.model.listing.texts.mark(view.model.record(view.model.index(row, 0)))
        for row in range(len(lines))
    )
    return [
        f"{mark:4} {line}".replace(THIN, "").strip()
        for mark, line in zip(marks, lines, strict=True)
    ]


def test_instructions_of_two_builds(compared: Compare) -> None:
    """Read off both disassemblies and profiles; a gone instruction has its address in the base."""
    view = compared("weighted.constprop.0")
    shown = [" ".join(row.split()) for row in rows(view)]
    assert shown[1:10] == [
        "770 | | 50 | 50 | movslq %edi, %rdi",
        "new 773 | +50 | | 50 | xorl %ecx, %ecx",
        "new 775 | +50 | | 50 | leaq 0x18c4(%rip), %r8 # 2040 <table>",
        "77c | | 50 | 50 | xorl %edx, %edx",
        "gone 775 | −50 | 50 | | leaq 0x18c4(%rip), %r8 # 2040 <table>",
        "gone 77c | −50 | 50 | | xorl %ecx, %ecx",
        "77e | | 50 | 50 | jmp 7ad <weighted.constprop.0+0x3d>",
        "780 | | 1072 | 1072 | imull %ecx, %eax",
        "new 783 | +1072 | | 1072 | addl %eax, %edx",
    ]
    assert view.base_bar.isHidden()
    assert view.missing_file_bar.isHidden()
    assert f"paired by text with {SUMS / 'sums-O2'}" in view.note.text()
    assert view.model.listing.is_compared


@pytest.mark.parametrize("new", ["sums-edited", "sums-O3", "sums-O2"])
@pytest.mark.parametrize(
    "function", ["main", "fill", "largest.constprop.0", "weighted.constprop.0"]
)
def test_changes_of_the_rows_are_that_of_the_function(
    compared: Compare, session: Session, new: str, function: str
) -> None:
    view = compared(function, new)
    queries, context = session.queries, session.navigation.context
    assert queries is not None
    assert context.event is not None
    assert context.base is not None
    base, now = (
        queries.node_costs(context.function, context.event, scope)[1]
        for scope in (context.base, context.scope)
    )
    is_location = view.model.listing.rows.records.kind == RecordKind.LOCATION
    costs = view.model.listing.costs.first.self_cost
    assert costs.change[is_location].sum() == now - base
    assert [side[is_location].sum() for side in (costs.base, costs.new)] == [base, now]


def test_an_instruction_with_other_operands_says_what_it_was(compared: Compare) -> None:
    view = compared("weighted.constprop.0")
    model = view.model
    addresses = dump_rows(model, model.place("location"))
    row = addresses.index("780")
    tip = model.index(row, model.place("text")).data(TIP)
    assert "In the base: imull" in tip
    assert "%edx, %eax" in tip


def test_calls_have_counts_of_both_sides(compared: Compare) -> None:
    """`main` is the same in both builds, and calls the same functions equally often."""
    view = compared("main")
    calls = dump_rows(view.model, INSTRUCTIONS.CALLS, INSTRUCTIONS.TEXT)
    counts = [call.split(" | ") for call in calls if "sums" in call or "weighted" in call]
    assert ["50", "weighted.constprop.0  sums-edited"] in counts
    marks = [row.split()[0] for row in rows(view)]
    assert "new" not in marks
    assert "gone" not in marks


def test_without_the_program_of_the_base_nothing_is_paired(
    compared: Compare, navigation: Navigation, settle: Settle
) -> None:
    """Costs are then those of the new side; the bar asks for the program, and takes it."""
    only_new = (PathRule("/corpus/comparison/sums-edited", str(SUMS / "sums-edited")),)
    view = compared("weighted.constprop.0", rules=only_new)
    assert view.base_bar.label.text().startswith("Base: /corpus/comparison/sums-O2 was not found.")
    assert view.missing_file_bar.isHidden()
    assert "not paired with instructions of the base" in view.note.text()
    assert not view.model.listing.is_compared
    assert "+" not in "".join(dump_rows(view.model, INSTRUCTIONS.SELF))
    menu = QMenu()
    view.fill_record_menu(menu, 3)
    assert "Choose Base Program…" in enabled_texts(menu)
    view.base_bar.chosen.emit(view.base_bar.recorded_path, SUMS / "sums-O2")
    settle(view)
    assert navigation.context.base_programs == (
        ("/corpus/comparison/sums-O2", str(SUMS / "sums-O2")),
    )
    assert view.base_bar.isHidden()
    assert view.model.listing.is_compared


def test_a_gone_instruction_is_a_position_of_its_own(
    compared: Compare, navigation: Navigation, settle: Settle
) -> None:
    """Its address is that of another instruction now, which must not be highlighted instead."""
    view = compared("weighted.constprop.0")
    (gone,) = [row for row, text in enumerate(rows(view)) if text.startswith("gone 775")]
    record = view.model.record(view.model.index(gone, 0))
    position = view.model.listing.texts.position_of(record)
    assert (position.address, position.in_base) == (0x775, True)
    assert view.model.listing.texts.records_at(position).nonzero()[0].tolist() == [record]
    (new,) = (
        view.model.listing.texts.records_at(Position(position.file, position.line, 0x775))
        .nonzero()[0]
        .tolist()
    )
    assert view.model.listing.texts.mark(new) == "new"


def test_parts_of_one_profile_need_no_program(
    show_code: ShowCode, session: Session, settle: Settle, qtbot: QtBot
) -> None:
    view: AssemblerView = show_code(
        "assembler",
        """
        positions: instr line
        events: Ir
        part: 1

        fn=f
        0x10 1 3
        0x12 2 30

        part: 2

        fn=f
        0x12 2 63
        0x14 3 3
        """,
        "f",
        rules=(),
    )
    session.comparing.use_parts_as_base([PartId(0)])
    qtbot.waitUntil(lambda: session.comparison is not None)
    settle(view)
    assert [" ".join(row.split()) for row in rows(view)] == [
        "gone 10 | −3 | 3 | |", "12 | +33 | 30 | 63 |", "new 14 | +3 | | 3 |",
    ]  # fmt: skip
    session.comparing.stop()
    settle(view)
    assert [" ".join(row.split()[:3]) for row in rows(view)] == ["10 | 3", "12 | 93", "14 | 3"]
