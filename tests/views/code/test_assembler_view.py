"""The instructions of a function: costs, calls and jumps on them, position, syntax, settings."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.context import CostUnit, Position
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.code.assembler_view import AssemblerView
from tests.code_view_text import RECUR
from tests.columns import CODE_LINES, INSTRUCTIONS
from tests.objdump_text import is_same, rows_of
from tests.tools.elf.elf_builder import CODE, Section, build_elf
from tests.user_input import (
    active_name,
    choose_action,
    enabled_texts,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
    row_menu,
)
from tests.views.code.code_rows_text import (
    INLINED,
    JUMPS,
    PROGRAMS,
    click,
    current,
    double_click,
    is_row_visible,
    marked_locations,
    row_of,
    rows,
)
from tests.views.code.conftest import ShowCode

Settle = Callable[[AssemblerView], None]
ROW = (
    INSTRUCTIONS.LOCATION,
    INSTRUCTIONS.SELF,
    INSTRUCTIONS.INCLUSIVE,
    INSTRUCTIONS.CALLS,
    INSTRUCTIONS.JUMPS,
    INSTRUCTIONS.TEXT,
    INSTRUCTIONS.SOURCE,
)
TAIL0 = [
    " |  |  |  |  | tail0: | ",
    "1296 | 100 | 100 |  |  | testb   $1, %dil | jumps.c:20",
    "129a | 100 | 100 |  | jumps to 12a2: 50 of 100 times | jne     12a2 <tail0+0xc> | jumps.c:20",
    "129c | 50 | 1156 | 50 |  | callq   127d <tail2> | jumps.c:20",
    " |  | 1106 | 50 |  | tail2  jumps-O1: jumps.c | ",
    "12a1 | 50 | 50 |  |  | retq | jumps.c:20",
    "12a2 | 50 | 50 |  | jumps here from 129a: 50 of 100 times | addl    $1, %edi | jumps.c:20",
    "12a5 | 50 | 3529 | 50 |  | callq   128d <tail1> | jumps.c:20",
    " |  | 3479 | 50 |  | tail1  jumps-O1: jumps.c | ",
    "12aa | 50 | 50 |  |  | retq | jumps.c:20",
]


@pytest.fixture
def view(show_code: ShowCode) -> AssemblerView:
    """The instructions of tail0 in the program with jumps."""
    shown: AssemblerView = show_code("assembler", JUMPS, "tail0")
    return shown


def listed(program: str, syntax: str, function: str) -> list[tuple[str, str]]:
    """Address and text of a function's instructions, as objdump lists them."""
    packed = (PROGRAMS / "objdump" / f"{program}.{syntax}.xz").read_bytes()
    text = lzma.decompress(packed).decode()
    body = text.split(f" <{function}>:\n")[1].split("\n\n")[0]
    return [(f"{address:x}", text) for address, _raw, text in rows_of(body)]


def shown_code(view: AssemblerView) -> list[tuple[str, str]]:
    """The same as shown in the view, with blanks collapsed."""
    found = (row.split(" | ") for row in rows(view, CODE_LINES.LOCATION, view.model.place("text")))
    return [(place, " ".join(text.split())) for place, text in found if place]


def inclusive_costs(view: AssemblerView) -> dict[str, int]:
    """The inclusive cost of each instruction, by address."""
    found = (row.split(" | ") for row in rows(view, CODE_LINES.LOCATION, CODE_LINES.INCLUSIVE))
    return {place: int(cost or 0) for place, cost in found if place}


# ---------------------------------------------------------------- content


def test_instructions_with_costs_calls_and_jumps(view: AssemblerView) -> None:
    """The function has a heading, calls are below their instructions, lines are named."""
    assert rows(view, *ROW) == TAIL0
    assert (current(view), view.missing_file_bar.isVisible()) == ("12a5", False)  # the costliest
    assert view.navigation.context.position is None  # only the source sets it
    assert view.note.text().startswith(f"{PROGRAMS / 'bin/jumps-O1'} (x86-64)")


@pytest.mark.parametrize(
    ("syntax", "function"), [("att", "main"), ("att", "interp"), ("intel", "tail2")]
)
def test_agrees_with_objdump(show_code: ShowCode, syntax: str, function: str) -> None:
    """Every instruction of a function is shown, in the chosen syntax."""
    is_intel = syntax == "intel"
    view = show_code("assembler", JUMPS, function, fold_code=False, intel_syntax=is_intel)
    ours, theirs = shown_code(view), listed("jumps-O1", syntax, function)
    assert [address for address, _text in ours] == [address for address, _text in theirs]
    texts = [(our_text, text) for (_, our_text), (_, text) in zip(ours, theirs, strict=True)]
    assert [pair for pair in texts if not is_same(*pair)] == []


def test_settings_are_seen_at_once(
    view: AssemblerView, navigation: Navigation, settle: Settle
) -> None:
    """Changing syntax or bytes keeps the position; bytes are hidden by default."""
    click(view, "12a2")
    assert view.table.isColumnHidden(INSTRUCTIONS.BYTES)
    style = navigation.context.annotation
    navigation.set(annotation=replace(style, intel_syntax=True, code_bytes=True))
    settle(view)
    assert not view.table.isColumnHidden(INSTRUCTIONS.BYTES)
    columns = CODE_LINES.LOCATION, INSTRUCTIONS.BYTES, view.model.place("text")
    assert rows(view, *columns)[-4:] == [
        "12a2 | 83 c7 01 | add     edi, 1",
        "12a5 | e8 e3 ff ff ff | call    128d <tail1>",
        " |  | tail1  jumps-O1: jumps.c",
        "12aa | c3 | ret",
    ]
    assert (current(view), marked_locations(view)) == ("12a2", ["12a2"])
    navigation.set(annotation=style)
    settle(view)
    assert (rows(view, *ROW), current(view)) == (TAIL0, "12a2")


def test_sum_of_inlined_code(show_code: ShowCode) -> None:
    """Instruction costs add up to the function's, though their lines are in several files."""
    view = show_code("assembler", INLINED, "main")
    shown = [int(row.split(" | ")[1] or 0) for row in rows(view)]
    assert view.session.queries is not None
    context = view.navigation.context
    costs = view.session.queries.costs(context.scope)
    assert sum(shown) == int(costs.self_cost[0][context.function])
    places = [place for place in rows(view, INSTRUCTIONS.SOURCE) if place]
    assert {place.split(":")[0] for place in places} == {"inl_a.h", "inl_b.h", "inlined.cpp"}


def test_jumps_that_were_not_recorded(show_code: ShowCode) -> None:
    """Jump instructions still have arrows, and a note says how to record the counts."""
    profile = f"""
        positions: instr line
        events: Ir
        ob={PROGRAMS / "bin/jumps-O1"}
        fl=jumps.c
        fn=tail0
        0x1296 20 100
        0x129a 20 100
        """
    view = show_code("assembler", profile, "tail0", fold_code=False)
    jumps = [row for row in rows(view, CODE_LINES.LOCATION, CODE_LINES.JUMPS) if "jumps" in row]
    assert jumps == [
        "129a | jumps to 12a2: count not recorded",
        "12a2 | jumps here from 129a: count not recorded",
    ]
    assert view.note.text().endswith("no jumps were recorded: use --collect-jumps=yes")


def test_chosen_parts_without_cost(
    show_code: ShowCode, session: Session, settle: Settle, qtbot: QtBot
) -> None:
    """If the chosen parts have no cost, the code is shown without costs.

    The binary is not reported as a mismatch.
    """
    parts = ["0x12bd 28 7\n", "fn=tail0\n0x1296 20 100\n0x129a 20 90\n"]
    header = "positions: instr line\nevents: Ir\n"
    object_ = f"ob={PROGRAMS / 'bin/jumps-O1'}\nfl=jumps.c\nfn=deep\n"
    texts_ = [f"part: {n}\n{header}{object_}{part}" for n, part in enumerate(parts, 1)]
    profile = "version: 1\ncreator: x\n" + "totals: 0\n\n".join(texts_)
    view = show_code("assembler", profile, "tail0", fold_code=False)
    columns = CODE_LINES.LOCATION, view.model.place("text")
    code = rows(view, *columns)
    costs = [row.split(" | ")[1] for row in rows(view)]

    session.set_scope(replace(session.requested_scope, parts=frozenset({0})))
    qtbot.waitUntil(lambda: not session.jobs.is_running("scope"))
    settle(view)

    assert costs == ["", "100", "90", *[""] * 5]
    assert (rows(view, *columns), len(code)) == (code, 8)
    assert [row.split(" | ")[1:4] for row in rows(view)] == [["", "", ""]] * 8
    assert (view.message, view.missing_file_bar.isVisible()) == ("", False)


def test_recursive_calls(show_code: ShowCode) -> None:
    """A call into the function or its cycle has a count, but adds nothing to the cost."""
    view = show_code("assembler", RECUR, "hanoi'2")
    calls = [row for row in rows(view) if row.startswith(" | ") and not row.endswith(":")]
    assert calls == [" |  | (cycle) | 254 | hanoi'2  recur-O1: recur.c"] * 2
    assert rows(view)[row_of(view, "1299")].startswith("1299 | 254 | 254 | 254 | call")
    view = show_code("assembler", RECUR, "cyc_a'2")
    assert rows(view)[row_of(view, "cyc_b'2")] == (
        " |  | (cycle) | 14 | cyc_b'2 <cycle 1>  recur-O1: recur.c"
    )


def test_another_processor(show_code: ShowCode, tmp_path: Path) -> None:
    """Code of other processors is shown, and the note names the processor."""
    words = "1f2003d5 200080d2 c0035fd6"  # the last two have no cost
    text = Section(".text", bytes.fromhex(words), 0x1000, CODE)
    (tmp_path / "arm").write_bytes(build_elf(text, machine=183))
    profile = "positions: instr line\nevents: Ir\nob=arm\nfl=a.c\nfn=f\n0x1000 1 5\n0x1008 3 5\n"
    view = show_code("assembler", profile, "f", rules=())
    assert [" ".join(row.split()) for row in rows(view)] == [
        "1000 | 5 | 5 | | nop",
        "1004 | | | | mov x0, #1",
        "1008 | 5 | 5 | | ret",
    ]
    assert view.note.text().startswith(f"{tmp_path / 'arm'} (aarch64)")


# ---------------------------------------------------------------- costs


def test_costs_of_events_and_units(
    view: AssemblerView, navigation: Navigation, show_code: ShowCode, settle: Settle
) -> None:
    """Another unit or event changes the numbers, but neither rows nor position."""
    click(view, "129c")
    navigation.set(unit=CostUnit.PERCENT_OF_PARENT)
    process_events()
    self_cost = sum(int(row.split(" | ")[1] or 0) for row in TAIL0)
    whole = self_cost + 1106 + 3479
    assert rows(view)[3] == f"129c | {100 * 50 / whole:.2f} | {100 * 1156 / whole:.2f} | 50 | " + (
        "callq   127d <tail2>"
    )
    assert (current(view), marked_locations(view)) == ("129c", ["129c"])

    profile = f"""
        positions: instr line
        events: Ir Dr
        ob={PROGRAMS / "bin/jumps-O1"}
        fl=jumps.c
        fn=tail0
        0x1296 20 100 0
        0x129a 20 90 6
        """
    view = show_code("assembler", profile, "tail0")
    events = navigation.context.events
    navigation.set(unit=CostUnit.ABSOLUTE, second_event=events.find("Dr"))
    process_events()
    model = view.model
    assert rows(view, *model.places("location", "self", "second_self"))[1:3] == [
        "1296 | 100 | ", "129a | 90 | 6"
    ]  # fmt: skip
    assert not view.table.isColumnHidden(model.place("second_self"))
    navigation.set(event=events.find("Dr"), second_event=None)
    process_events()
    assert rows(view, *model.places("location", "self"))[1:3] == ["1296 | ", "129a | 6"]
    view.table.go_to_costliest(1)
    assert current(view) == "129a"


# ---------------------------------------------------------------- position


def test_click_sets_the_position(view: AssemblerView, navigation: Navigation) -> None:
    """The clicked instruction is the position, with its line; only it is marked."""
    assert view.session.queries is not None
    names = view.session.queries.profile.texts
    click(view, "12a1")
    position = navigation.context.position
    assert position is not None
    assert names[position.file].endswith("jumps.c")
    assert (position.line, position.address, marked_locations(view)) == (20, 0x12A1, ["12a1"])


def test_line_marks_its_instructions(
    show_code: ShowCode, navigation: Navigation, settle: Settle
) -> None:
    """All instructions of a chosen source line are marked; the costliest is scrolled to."""
    view = show_code("assembler", JUMPS, "interp")
    bar, model = view.table.verticalScrollBar(), view.model
    file = next(int(f) for f in model.listing.rows.file if f)
    lines = dict(row.split(" | ") for row in rows(view, *model.places("location", "source")))
    costs = inclusive_costs(view)

    navigation.set(position=Position(file, 16))
    process_events()
    of_line = [place for place, source in lines.items() if source == "jumps.c:16"]
    costliest = max(of_line, key=costs.__getitem__)
    assert (marked_locations(view), current(view)) == (of_line, costliest)
    assert (len(of_line) > 0, is_row_visible(view, view.table.currentIndex().row())) == (True, True)

    scrolled = bar.value()
    navigation.set(position=Position(file, 13))  # visible, some rows above
    process_events()
    of_line = [place for place, source in lines.items() if source == "jumps.c:13"]
    costliest = max(of_line, key=costs.__getitem__)
    assert (marked_locations(view), current(view), bar.value()) == (of_line, costliest, scrolled)

    navigation.set(position=Position(file, 13, int(of_line[1], 16)))
    process_events()
    assert (marked_locations(view), current(view)) == ([of_line[1]], of_line[1])
    for nowhere in (Position(file, 900), Position(file, 0), Position(0, 13)):
        navigation.set(position=nowhere)
        process_events()
        assert (marked_locations(view), current(view), bar.value()) == ([], of_line[1], scrolled)


@pytest.mark.parametrize("at_once", [False, True])
def test_source_and_assembler_open_at_the_same_place(
    show_code: ShowCode,
    show_view: Callable[[AssemblerView], AssemblerView],
    session: Session,
    navigation: Navigation,
    settle: Settle,
    at_once: bool,
) -> None:
    """Both open at the costliest source line, whichever loads first.

    The assembler shows the costliest instruction of that line.
    """
    source = show_code("source", JUMPS, "tail0")
    view = show_view(AssemblerView(session, ()))
    for name in ("interp", "main", "interp", "sw", "interp"):
        view.set_active(at_once)
        go_to(session, navigation, name)
        settle(source)
        view.set_active(True)
        settle(view)
        costs = [row.split(" | ") for row in rows(source)]
        costliest = max((cells for cells in costs if cells[0]), key=lambda c: int(c[2] or 0))[0]
        assert (current(source), costliest in marked_locations(source)) == (costliest, True)
        places = dict(
            row.split(" | ") for row in rows(view, CODE_LINES.LOCATION, INSTRUCTIONS.SOURCE)
        )
        assert {places[place] for place in marked_locations(view)} == {f"jumps.c:{costliest}"}
        assert current(view) == max(marked_locations(view), key=inclusive_costs(view).__getitem__)


# ---------------------------------------------------------------- jumps and calls


@ignore_offscreen_warnings
@pytest.mark.parametrize("by", ["double click", "Return", "menu"])
def test_jump_is_followed(view: AssemblerView, navigation: Navigation, by: str) -> None:
    """Activating a jump goes to its target, which becomes the position."""
    if by == "double click":
        double_click(view, "129a")
    elif by == "menu":
        choose_action(row_menu(view.table, row_of(view, "129a")), "Go to Jump Target 12a2")
    else:
        click(view, "129a")
        QTest.keyClick(view.table, Qt.Key.Key_Enter)
        process_events()
    position = navigation.context.position
    assert position is not None
    assert (current(view), position.address, marked_locations(view)) == ("12a2", 0x12A2, ["12a2"])

    double_click(view, "12a1")  # no jump
    assert current(view) == "12a1"
    menu = inspect_menu(row_menu(view.table, row_of(view, "12a1")), enabled_texts)
    assert [text for text in menu if "Jump" in text] == []


def test_jump_into_a_fold(show_code: ShowCode, navigation: Navigation) -> None:
    """A jump that was never taken goes into a fold and opens it."""
    view = show_code("assembler", JUMPS, "deep", context_lines=0)
    shown = rows(view)
    assert shown[-1] == " |  |  |  | 5 instructions without cost"
    double_click(view, "12c0")
    opened = [f"{at} |  |  |  | " for at in ("12ca", "12ce", "12cf", "12d4", "12db")]
    assert (current(view), rows(view)[:-5]) == ("12cf", shown[:-1])
    assert [row[:16] for row in rows(view)[-5:]] == opened
    navigation.set(position=Position(0, 0))  # an unknown line, like that of these five
    process_events()
    assert marked_locations(view) == []


def test_call_is_followed_and_back_returns(
    view: AssemblerView, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Activating a call goes to its function; Back returns to the call."""
    double_click(view, "tail1")
    settle(view)
    assert (active_name(session, navigation), rows(view)[0]) == ("tail1", " |  |  |  | tail1:")
    navigation.go_back()
    settle(view)
    assert (active_name(session, navigation), rows(view, *ROW)) == ("tail0", TAIL0)


# ---------------------------------------------------------------- find


def test_find(view: AssemblerView) -> None:
    """Text is found in any case, and so is an address written in full."""
    expected = {"CALL": ["129c", "12a5"], "12a2": ["129a", "12a2"], "1296": ["1296"]}
    for text, found in expected.items():
        view.search.clear()
        QTest.keyClicks(view.search, text)
        assert view.match_label.text() == f"{len(found)} found"
        gone_to = []
        for _ in found:
            QTest.keyClick(view.search, Qt.Key.Key_Return)
            process_events()
            gone_to.append(current(view))
        assert sorted(gone_to) == found


# ---------------------------------------------------------------- inactive views, jobs


def test_inactive_view_reads_nothing(
    view: AssemblerView, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Behind a tab nothing is read or decoded; the view catches up when shown."""
    view.set_active(False)
    go_to(session, navigation, "tail1")
    assert not session.jobs.is_running("Assembler")
    assert rows(view, *ROW) == TAIL0
    view.set_active(True)
    settle(view)
    assert rows(view)[0] == " |  |  |  | tail1:"


def test_the_latest_function_wins(
    view: AssemblerView, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Of several functions chosen quickly, the last is shown."""
    for name in ("interp", "main", "deep", "sw", "tail2"):
        go_to(session, navigation, name)
    settle(view)
    assert rows(view)[0] == " |  |  |  | tail2:"


def test_hidden_while_loading(
    view: AssemblerView, session: Session, navigation: Navigation, qtbot: QtBot
) -> None:
    """A view hidden while loading shows the result later and leaves no thread."""
    go_to(session, navigation, "interp")
    view.set_active(False)
    qtbot.waitUntil(lambda: not session.jobs.is_running("Assembler"))
    view.set_active(True)
    qtbot.waitUntil(lambda: not session.jobs.is_running("Assembler"))
    process_events()
    assert rows(view)[0] == " |  |  |  | interp:"


def test_rebuilt_program(
    show_code: ShowCode, navigation: Navigation, tmp_path: Path, settle: Settle
) -> None:
    """A new binary at the same path is read when the code is requested again."""
    program = tmp_path / "p"
    program.write_bytes((PROGRAMS / "bin/lonely").read_bytes())
    profile = "positions: instr line\nevents: Ir\nob=p\nfl=a.s\nfn=f\n0x401017 9 5\n"
    view = show_code("assembler", profile, "f", rules=())
    assert rows(view)[:2] == [" |  |  |  | f:", "401017 | 5 | 5 |  | nop"]
    data = bytearray(program.read_bytes())
    data[0x1017] = 0xF4
    program.unlink()
    program.write_bytes(data)
    navigation.set(annotation=replace(navigation.context.annotation, context_lines=1))
    settle(view)
    assert rows(view)[1] == "401017 | 5 | 5 |  | hlt"
