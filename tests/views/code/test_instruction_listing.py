"""Instructions as rows, of real and small programs, with their code and without."""

from __future__ import annotations

import gc
import weakref
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

import qcachegrind_py as q
from qcachegrind_py.analysis.code.annotated_function import SourceLines, annotate_instructions
from qcachegrind_py.analysis.code.instructions import NO_CODE, Code, InstructionKind
from qcachegrind_py.analysis.code.location_costs import InstructionCosts, instruction_costs
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.code_instructions import (
    NO_INSTRUCTIONS,
    NOT_RECORDED,
    InstructionRows,
    InstructionTexts,
    instruction_rows,
)
from qcachegrind_py.present.code_listing import CodeListing, event_costs
from qcachegrind_py.present.code_records import RecordKind
from qcachegrind_py.profile.ids import NO_FUNCTION, TextId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.tools.annotation_inputs import read_function_code
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule
from qcachegrind_py.tools.sources.highlighting import Token
from qcachegrind_py.views.code.code_model import CodeModel
from qcachegrind_py.views.tables.item_model import Role
from tests.present.reference_records import (
    CALL,
    LOCATION,
    plain_records,
    reference_records,
)
from tests.profile_rows import DATA, profile_from
from tests.profile_text import WHOLE_SCOPE, dump_rows, titles
from tests.views.code.code_rows_text import calls_follow_location, shown_records
from tests.views.code.test_source_listing import costs_of

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
TIP = Qt.ItemDataRole.ToolTipRole
COLUMNS = (
    ADDRESS, SELF, SELF2, INCL, INCL2, CALLS, JUMPS, BYTES, TEXT, SOURCE
) = 0, 1, 2, 5, 6, 9, 10, 11, 12, 13  # fmt: skip
CONTEXT = 2

Symbols = Sequence[tuple[int, str]]


def rows_of(
    profile: Profile,
    costs: InstructionCosts,
    code: Code,
    symbols: Symbols,
    labels: Labels,
    context: int = CONTEXT,
    *,
    has_source_rows: bool = False,
) -> InstructionRows:
    """The locations with all their calls, including those within a cycle."""
    no_cycles = np.zeros(len(profile.functions), np.int32)
    annotated = annotate_instructions(profile, NO_FUNCTION, costs, no_cycles, code)
    return instruction_rows(annotated, symbols, labels, context, has_source_rows=has_source_rows)


# ------------------------------------------------------------------------ real programs


def check(costs: InstructionCosts, code: Code, symbols: Symbols, made: InstructionRows) -> None:
    """Each instruction and each address of the profile is a location, and has its calls."""
    sites = sorted({*costs.address.tolist(), *code.address.tolist()})
    assert made.address.tolist() == sites
    row_of = {address: row for row, address in enumerate(costs.address.tolist())}
    code_of = {address: row for row, address in enumerate(code.address.tolist())}
    assert made.rows.cost_row.tolist() == [row_of.get(address, -1) for address in sites]
    assert made.code_row.tolist() == [code_of.get(address, -1) for address in sites]
    known = [
        (costs.file[row_of[a]], costs.line[row_of[a]]) if a in row_of else (0, 0) for a in sites
    ]
    assert list(zip(made.rows.file.tolist(), made.rows.line.tolist(), strict=True)) == known
    place = {address: site for site, address in enumerate(sites)}
    headings = {place[address]: name for address, name in symbols if name and address in place}
    assert made.headings == headings
    calls: dict[int, list[int]] = defaultdict(list)
    for call, row in enumerate(costs.calls.location.tolist()):
        calls[row].append(call)
    by_site = [calls[row_of[a]] if a in row_of else None for a in sites]
    arrows = made.rows.records.arrows
    targets = arrows.target[arrows.executed != NOT_RECORDED].tolist()
    assert plain_records(made.rows.records) == reference_records(
        by_site, targets, headings, CONTEXT
    )
    assert sum(map(len, calls.values())) == len(costs.calls)


def recorded_jumps(profile: Profile, function: int, seen: set[int]) -> dict[tuple, list[int]]:
    """How often each jump between visible addresses was executed, and taken."""
    jumps, sums = profile.jumps, defaultdict(lambda: [0, 0])
    assert jumps.address is not None
    assert jumps.target_address is not None
    for jump in np.flatnonzero(jumps.function == function).tolist():
        ends = int(jumps.address[jump]), int(jumps.target_address[jump])
        if ends[0] != ends[1] and ends[1] in seen and jumps.executed[jump]:
            sums[*ends, bool(jumps.conditional[jump])][0] += int(jumps.executed[jump])
            sums[*ends, bool(jumps.conditional[jump])][1] += int(jumps.followed[jump])
    return dict(sums)


def jumps_of_code(costs: InstructionCosts, code: Code, seen: set[int]) -> dict[tuple, list[int]]:
    """The executed jumps that are known from the code only."""
    come_to = set(costs.address.tolist()) - set(costs.address[costs.jumps.location].tolist())
    columns = zip(code.address.tolist(), code.target.tolist(), code.kind.tolist(), strict=True)
    return {
        (address, target, kind == InstructionKind.BRANCH): [NOT_RECORDED, NOT_RECORDED]
        for address, target, kind in columns
        if kind in (InstructionKind.JUMP, InstructionKind.BRANCH)
        and target in seen
        and target != address
        if address in come_to
    }


def arrows_of(made: InstructionRows) -> dict[tuple, list[int]]:
    """The arrows by their addresses, each of which appears once."""
    arrows = made.rows.records.arrows
    ends = zip(
        made.address[arrows.source].tolist(), made.address[arrows.target].tolist(), strict=True
    )
    counts = zip(arrows.executed.tolist(), arrows.followed.tolist(), strict=True)
    keys = [(*both, bool(c)) for both, c in zip(ends, arrows.conditional.tolist(), strict=True)]
    assert len(set(keys)) == len(keys)
    return {key: list(both) for key, both in zip(keys, counts, strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "recur-everything/callgrind.out.21921.xz",
        "programs/annotate/callgrind.out.inlined-O2.xz",
        "programs/callgrind.out.jumps-O1.xz",
        "templ-nobb/callgrind.out.22021.xz",
        "pprof-heap/callgrind.out.heap-alloc",
    ],
)
def test_costs_calls_and_jumps_of_real_functions(name: str) -> None:
    """Each function's cost is at its instructions exactly once, and arrows have recorded counts.

    This is checked with the program's code and without; libc is missing and has no code.
    """
    profile = q.load(DATA / name)
    labels = ProfileQueries(profile).labels(WHOLE_SCOPE)
    own, event = q.function_costs(profile).self_cost, profile.events.measured[0]
    called = np.zeros(len(profile.functions), np.int64)
    np.add.at(called, profile.calls.caller, profile.calls.values[0])
    search = FileSearch((PathRule("/corpus/a-small", str(DATA / "programs")),))
    decoded = 0
    for function in range(len(profile.functions)):
        costs = instruction_costs(profile, function)
        codes: list[tuple[Code, Symbols]] = [(NO_CODE, ())]
        object_ = profile.texts[int(profile.functions.object[function])]
        if object_.endswith(("recur-O1", "inlined-O2", "jumps-O1")) and len(costs):
            machine = read_function_code(profile, function, costs, search)
            codes.append((machine.code, machine.symbols))
            decoded += 1
        for code, symbols in codes:
            made = rows_of(profile, costs, code, symbols, labels)
            check(costs, code, symbols, made)
            records, seen = made.rows.records, set(made.address.tolist())
            sums = event_costs(made.rows, profile.events, event)
            is_call = records.kind == RecordKind.CALL
            assert int(sums.self_cost.new.sum()) == own[0, function]
            assert int(sums.inclusive.new[is_call].sum()) == called[function]
            wanted = recorded_jumps(profile, function, seen) | jumps_of_code(costs, code, seen)
            assert arrows_of(made) == wanted
    assert decoded > 4 or name.startswith(("templ", "pprof"))


# ------------------------------------------------------------------------ small programs

DRAWING = """
    positions: instr line
    events: Ir Dr
    ob=/bin/p
    fl=src/a.c
    fn=f
    0x10 2 10 4
    0x12 2 20 8
    fi=inc/b.h
    0x14 7 5 0
    cfi=lib/g.c
    cfn=g
    calls=3 0x90 1
    0x14 7 300 30
    cfi=lib/g.c
    cfn=h
    calls=0 0x98 1
    0x14 7 40 2
    fe=src/a.c
    0x18 3 8 3
    jcnd=6/7 0x10 2
    0x18 3
    jump=2 0x14 7
    0x1a 3
    jump=2 0x400 7
    0x1a 3
    jcnd=0/0 0x12 2
    0x1a 3
    0x1b 0 1 0
    fl=lib/g.c
    fn=g
    0x90 1 300 30
    """
CODE = """
    0e nop
    10 mov %rsp,%rbp
    12 je 2c <f+0x1c>
    14 call 90 <g>
    18 jne 10 <f>
    1a jmp 14 <f+0x4>
    1c ret
    20 nop
    22 nop
    24 nop
    26 nop
    28 vfmadd231ps %ymm0,%ymm1,%ymm2
    2c (bad)
    30 jmp 90 <g>
    """
KINDS = {
    "je": InstructionKind.BRANCH, "jne": InstructionKind.BRANCH,
    "jmp": InstructionKind.JUMP, "call": InstructionKind.CALL,
    "ret": InstructionKind.RETURN, "(bad)": InstructionKind.DATA,
}  # fmt: skip
SYMBOLS = ((0x10, "f"), (0x28, "f [cold]"), (0x90, "g"), (0x20, ""))


def code_of(text: str) -> Code:
    """A line per instruction: address, name, operands; a jump's first operand is its target."""
    rows = [[*line.split(maxsplit=2), ""][:3] for line in text.strip().splitlines()]
    addresses = [int(row[0], 16) for row in rows]
    kinds = [KINDS.get(row[1], InstructionKind.PLAIN) for row in rows]
    is_jump = [
        kind in (InstructionKind.BRANCH, InstructionKind.JUMP, InstructionKind.CALL)
        for kind in kinds
    ]
    targets = [
        int(r[2].split()[0], 16) if jumps else 0 for r, jumps in zip(rows, is_jump, strict=True)
    ]
    return Code(
        np.array(addresses, np.uint64),
        np.full(len(rows), 2, np.int32),
        np.array(kinds, np.int8),
        np.array(targets, np.uint64),
        tuple(row[1] for row in rows),
        tuple(row[2] for row in rows),
        tuple(bytes([0xAB, address & 0xFF]) for address in addresses),
    )


def filled(
    model: CodeModel,
    queries: ProfileQueries,
    code: str = CODE,
    symbols: Symbols = SYMBOLS,
    texts: SourceLines | None = None,
) -> CodeModel:
    """The model with the instructions of f; without code and names if these are empty.

    With texts, the source lines stand above their instructions.
    """
    costs = queries.instructions(queries.names.with_name("f")[0], None)
    decoded = code_of(code) if code else NO_CODE
    profile, labels = queries.profile, queries.labels(WHOLE_SCOPE)
    symbols, with_sources = symbols if code else (), texts is not None
    made = rows_of(profile, costs, decoded, symbols, labels, 1, has_source_rows=with_sources)
    instructions = InstructionTexts(
        rows=made.rows,
        file_names=made.rows.file_names(profile.texts),
        texts=texts or {},
        has_jumps=len(profile.jumps) > 0,
        instructions=made,
    )
    costs = costs_of(made.rows, queries, "Ir", queries.events.names[-1])
    model.show_listing(CodeListing.of(instructions, costs))
    return model


def texts_of(model: CodeModel) -> InstructionTexts:
    """What the records of a model say."""
    texts = model.listing.texts
    assert isinstance(texts, InstructionTexts)
    return texts


def model_of(text: str = DRAWING, code: str = CODE) -> CodeModel:
    return filled(CodeModel(NO_INSTRUCTIONS), ProfileQueries(profile_from(text)), code)


SHOWN = (ADDRESS, SELF, INCL, CALLS, BYTES, TEXT, SOURCE)


def test_instructions_with_their_code(qapp: object) -> None:
    """All instructions are shown, with labels above, calls below, and the bytes between them."""
    model = model_of()

    assert titles(model) == ["Address", "Self", "Incl.", "Calls", "", "Instruction"]
    assert (model.title(BYTES), model.title(SOURCE)) == ("Bytes", "Source line")
    assert dump_rows(model, *SHOWN) == [
        "e |  |  |  | ab 0e | nop | ",
        " |  |  |  |  | f: | ",
        "10 | 10 | 10 |  | ab 10 | mov     %rsp,%rbp | a.c:2",
        "12 | 20 | 20 |  | ab 12 | je      2c <f+0x1c> | a.c:2",
        "14 | 5 | 345 | 3 | ab 14 | call    90 <g> | b.h:7",
        " |  | 300 | 3 |  | g  p: g.c | ",
        " |  | 40 | (active) |  | h  p: g.c | ",
        "18 | 8 | 8 |  | ab 18 | jne     10 <f> | a.c:3",
        "1a |  |  |  | ab 1a | jmp     14 <f+0x4> | a.c:3",
        "1b | 1 | 1 |  |  | unknown instruction | ",
        "1c |  |  |  | ab 1c | ret | ",
        *(
            f"{address:x} |  |  |  | ab {address:x} | nop | "
            for address in (0x20, 0x22, 0x24, 0x26)
        ),
        " |  |  |  |  | f [cold]: | ",
        "28 |  |  |  | ab 28 | vfmadd231ps %ymm0,%ymm1,%ymm2 | ",
        "2c |  |  |  | ab 2c | (bad) | ",
        "30 |  |  |  | ab 30 | jmp     90 <g> | ",
    ]
    assert dump_rows(model, SELF2, INCL2)[2:6] == ["4 | 4", "8 | 8", " | 32", " | 30"]
    assert [model.index(row, SELF).data(Role.SHARE) for row in (0, 3)] == [0, 20 / 345]
    assert [model.index(row, 0).data(Role.FUNCTION) for row in (1, 4, 5, 6)] == [-1, -1, 1, 2]
    assert [texts_of(model).has_text(record) for record in (0, 1)] == [True, True]
    model.fold(True)
    assert dump_rows(model, ADDRESS, TEXT)[10:14] == [
        "1c | ret", " | 3 instructions without cost", "26 | nop", " | f [cold]:",
    ]  # fmt: skip


def test_instructions_without_their_code(qapp: object) -> None:
    """Without the program, the addresses of the profile are shown with the calls from them."""
    model = model_of(code="")

    assert dump_rows(model, *SHOWN) == [
        "10 | 10 | 10 |  |  |  | a.c:2",
        "12 | 20 | 20 |  |  |  | a.c:2",
        "14 | 5 | 345 | 3 |  |  | b.h:7",
        " |  | 300 | 3 |  | g  p: g.c | ",
        " |  | 40 | (active) |  | h  p: g.c | ",
        "18 | 8 | 8 |  |  |  | a.c:3",
        "1a |  |  |  |  |  | a.c:3",
        "1b | 1 | 1 |  |  |  | ",
    ]
    assert [texts_of(model).has_text(record) for record in (0, 3)] == [False, True]


def test_code_that_never_ran_is_folded(qapp: object) -> None:
    """Jumps in code that never ran are no arrows, and do not prevent folding."""
    never = "".join(f"{address:x} jmp {address ^ 0x3E:x}\n" for address in range(0x100, 0x140, 2))
    model = model_of(code=f"{CODE}{never}")
    assert [jumps for jumps in dump_rows(model, JUMPS)[-32:] if jumps] == []
    model.fold(True)

    assert dump_rows(model, ADDRESS, TEXT)[-3:] == [
        "28 | vfmadd231ps %ymm0,%ymm1,%ymm2", "2c | (bad)", " | 33 instructions without cost",
    ]  # fmt: skip


def test_cost_without_an_address(qapp: object) -> None:
    """Costs of a part without addresses are on top, as cost without an address."""
    text = DRAWING.replace("fn=f\n", "fn=f\n    0x0 2 7 0\n", 1)
    for code in ("", CODE):
        assert dump_rows(model_of(text, code), ADDRESS, SELF, TEXT)[0] == (
            "0 | 7 | cost without an address"
        )


def test_a_function_without_addresses(qapp: object) -> None:
    """A function that is only called has no cost: its code is shown, or nothing."""
    text = "positions: instr line\nevents: Ir\nfn=m\ncfn=f\ncalls=1 0x10 1\n0x5 1 5\n"

    assert dump_rows(model_of(text, ""), TEXT) == []
    code = "10 nop\n12 jmp 10\n"
    assert dump_rows(model_of(text, code), ADDRESS, SELF, TEXT) == [
        " |  | f:", "10 |  | nop", "12 |  | jmp     10",
    ]  # fmt: skip


def test_jump_to_an_unknown_address_is_no_arrow(qapp: object) -> None:
    """An indirect jump has no arrow, not even to cost without an address."""
    queries = ProfileQueries(
        profile_from(
            "part: 1\npositions: line\nevents: Ir\nfl=a.c\nfn=f\n1 5\n"
            "part: 2\npositions: instr line\nevents: Ir\nfl=a.c\nfn=f\n0x10 1 3\n"
        )
    )
    model = filled(CodeModel(NO_INSTRUCTIONS), queries, "10 jmp 0 *%rcx", ())

    assert dump_rows(model, ADDRESS, JUMPS) == ["0 | ", "10 | "]


def test_jumps_recorded_and_not(qapp: object) -> None:
    """Jumps have the file's counts; those known from the code only have none.

    If other jumps were recorded, these never happened. Jumps to hidden rows are no arrows, and a
    recorded jump is not repeated from the code.
    """
    model = model_of()
    said = dict(line.split(" | ", 1) for line in dump_rows(model, ADDRESS, JUMPS))

    assert {place: jumps for place, jumps in said.items() if jumps} == {
        "10": "jumps here from 18: 6 of 7 times",
        "12": "jumps to 2c: never",
        "14": "jumps here from 1a: 2 times",
        "18": "jumps to 10: 6 of 7 times",
        "1a": "jumps to 14: 2 times",
        "2c": "jumps here from 12: never",
    }
    assert model.index(2, 0).data(TIP) == "<qt>jumps here from 18: 6 of 7 times</qt>"
    assert model.index(5, 0).data(TIP) == "<qt>g<br>File: lib/g.c<br>Object: /bin/p</qt>"

    without = "".join(
        f"{line}\n" for line in DRAWING.splitlines() if "jcnd=" not in line and "jump=" not in line
    )
    said = dict(line.split(" | ", 1) for line in dump_rows(model_of(without), ADDRESS, JUMPS))
    assert {place: jumps for place, jumps in said.items() if jumps} == {  # 1a has no cost now
        "10": "jumps here from 18: count not recorded",
        "12": "jumps to 2c: count not recorded",
        "18": "jumps to 10: count not recorded",
        "2c": "jumps here from 12: count not recorded",
    }


def test_the_most_frequent_of_many_jumps_are_listed(qapp: object) -> None:
    """Of a jump table the five most frequent targets are listed, most frequent first."""
    times = [4, 1, 9, 30, 2, 3, 30_000, 8]
    text = ["positions: instr line", "events: Ir", "fl=a.c", "fn=f"]
    for number, count in enumerate(times):
        text += [f"jump={count} {0x20 + 2 * number:#x} 2", "0x10 1"]
    text += ["0x10 1 90", *(f"{0x20 + 2 * number:#x} 2 1" for number in range(8)), ""]
    code = "".join(f"{address:x} nop\n" for address in (0x10, *range(0x20, 0x30, 2)))
    model = model_of("\n".join(text), code)
    said = dict(line.split(" | ", 1) for line in dump_rows(model, ADDRESS, JUMPS))

    texts = [
        "jumps to 2c: 30\N{THIN SPACE}000 times", "jumps to 26: 30 times", "jumps to 24: 9 times",
        "jumps to 2e: 8 times", "jumps to 20: 4 times", "3 more jumps",
    ]  # fmt: skip
    assert said["10"] == "; ".join(texts)
    assert [said[place] for place in ("22", "28")] == [
        "jumps here from 10: once", "jumps here from 10: 2 times"
    ]  # fmt: skip
    assert model.index(1, 0).data(TIP) == f"<qt>{'<br>'.join(texts)}</qt>"


def sites_in_order(model: CodeModel, column: int, order: Qt.SortOrder) -> list[int]:
    """The locations sorted by a column; equal ones stay in code order."""
    records = plain_records(model.listing.rows.records)
    counts: Counter[int] = Counter()
    for record in records:
        if record.kind == CALL:
            counts[record.location] += int(model.listing.rows.calls.count[record.call])
    first, second = model.listing.costs.first, model.listing.costs.second
    costs = {SELF: first.self_cost.new, SELF2: second.self_cost.new, INCL: first.inclusive.new}
    costs[INCL2] = second.inclusive.new

    def value(n: int) -> object:
        site = records[n].location
        if column in costs:
            return int(costs[column][n])
        if column == SOURCE:
            return int(model.listing.rows.file[site]), int(model.listing.rows.line[site])
        return counts[site] if column == CALLS else n

    of_sites = [n for n, record in enumerate(records) if record.kind == LOCATION]
    return [records[n].location for n in sorted(of_sites, key=value, reverse=order == DESCENDING)]


@pytest.mark.parametrize("order", [ASCENDING, DESCENDING])
@pytest.mark.parametrize("column", COLUMNS)
def test_calls_stay_below_their_instruction(qapp: object, column: int, order: Qt.SortOrder) -> None:
    """In any order each instruction keeps its calls below it."""
    model = model_of()
    model.fold(True)
    folded = dump_rows(model)

    model.sort(column, order)

    assert calls_follow_location(model)
    if (column, order) != (ADDRESS, ASCENDING):
        rows = shown_records(model)
        wanted = sites_in_order(model, column, order)
        assert [row.location for row in rows if row.kind == LOCATION] == wanted
        assert len(rows) == 19
    model.sort(ADDRESS, ASCENDING)
    assert dump_rows(model) == folded


def test_other_events_keep_rows_and_indexes(qapp: object) -> None:
    """New costs sort the rows again, and an index stays with its record."""
    queries = ProfileQueries(profile_from(DRAWING))
    model = filled(CodeModel(NO_INSTRUCTIONS), queries)
    model.sort(SELF, DESCENDING)
    kept = [
        (r, QPersistentModelIndex(model.index_of_record(r, TEXT))) for r in model.order.tolist()
    ]
    before = dump_rows(model, ADDRESS, TEXT)

    model.show_costs(costs_of(model.listing.rows, queries, "Dr", "Ir"))

    assert dump_rows(model, ADDRESS, SELF, SELF2, INCL)[:6] == [
        "12 | 8 | 20 | 8", " |  |  | ", "10 | 4 | 10 | 4", "18 | 3 | 8 | 3", "e |  |  | ",
        "14 |  | 5 | 32",
    ]  # fmt: skip
    assert sorted(dump_rows(model, ADDRESS, TEXT)) == sorted(before)
    assert [model.record(index) for _record, index in kept] == [record for record, _index in kept]


@pytest.mark.slow
def test_model_passes_qt_model_checks(qapp: object) -> None:
    """The table passes Qt's consistency checks after every change."""
    queries = ProfileQueries(profile_from(DRAWING))
    model = CodeModel(NO_INSTRUCTIONS)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.is_folded = True
    for code in (CODE, ""):
        filled(model, queries, code)
        for column in range(model.columnCount()):
            for order in (DESCENDING, ASCENDING):
                model.sort(column, order)
                model.fold(True)
                model.reveal(min(model.table.length - 1, 7 + column))
                model.set_position(texts_of(model).matches_address(0x10 + column))
                model.show_costs(costs_of(model.listing.rows, queries, "Dr", "Dr"))
                model.fold(False)
        model.sort(ADDRESS, ASCENDING)
        model.fold(True)
    model.clear()

    assert (tester.model() is model, model.rowCount()) == (True, 0)


def test_cleared_model_retains_nothing(qapp: object) -> None:
    """Once cleared, names, code and arrays of the profile are released."""
    queries = ProfileQueries(profile_from(DRAWING))
    model = filled(CodeModel(NO_INSTRUCTIONS), queries)
    model.set_position(texts_of(model).matches_address(0x10))
    model.sort(INCL, DESCENDING)
    costs = queries.instructions(0, None)
    watched = [
        queries, queries.profile.texts, costs.address, costs.calls.callee,
        texts_of(model).instructions.code.address,
        model.listing.rows.labels, texts_of(model).instructions.address,
        model.listing.costs.first.inclusive.new,
    ]  # fmt: skip
    references = [weakref.ref(one) for one in watched]
    del queries, costs, watched

    model.clear()
    gc.collect()

    assert [reference() for reference in references] == [None] * len(references)
    assert (model.rowCount(), model.table.length) == (0, 0)
    assert set(texts_of(model).longest_texts().values()) == {""}
    assert texts_of(model).containing("e").tolist() == []


def test_cells_for_other_programs(qapp: object) -> None:
    """Copied numbers are whole and without groups; a call has its full name."""
    model = model_of(DRAWING.replace("300 30", "300000 30").replace("calls=3", "calls=3000"))

    cells = [[model.plain_text(model.index(row, c)) for c in COLUMNS] for row in (0, 1, 4, 5, 6, 9)]
    assert [row[:5] + row[6:] for row in cells] == [
        ["e", "", "", "", "", "", "ab 0e", "nop", ""],
        ["", "", "", "", "", "", "", "f:", ""],
        ["14", "5", "", "300045", "32", "jumps here from 1a: 2 times", "ab 14", "call    90 <g>",
         "b.h:7"],
        ["", "", "", "300000", "30", "", "", "g", ""],
        ["", "", "", "40", "2", "", "", "h", ""],
        ["1b", "1", "", "1", "", "", "", "unknown instruction", ""],
    ]  # fmt: skip
    assert [row[5] for row in cells[2:5]] == ["3000", "3000", "0"]


def test_hostile_names_are_plain_lines(qapp: object) -> None:
    """Whatever names a profile and a binary have, each cell is one line of printable text.

    Exported names are exact.
    """
    name, file = "n\x1b\tx\x7f\xe2\x80\xa8\xff" + "n" * 1000, "d/\x0bb\tc.c"
    text = f"positions: instr line\nevents: Ir\nfl={file}\nfn=f\n0x10 1 1\n"
    text += f"cfi={name}\ncfn={name}\ncalls=1 0x90 1\n0x10 1 1\n"
    queries = ProfileQueries(profile_from(text.encode("latin-1")))
    symbol = "a\nb\t\x00\ud800<b>"
    code = f"10 call 90 <{name}>\n12 m\x00v {'y' * 5000}\n"
    model = filled(CodeModel(NO_INSTRUCTIONS), queries, code, [(0x10, symbol)])

    cells = [cell for line in dump_rows(model, all_columns=True) for cell in line.split(" | ")]
    indexes = [model.index(row, column) for row in range(4) for column in COLUMNS]
    for_others = [model.plain_text(index) for index in indexes]
    assert len(cells) == len(for_others) == 40
    assert all(map(str.isprintable, cells))
    assert [rf"m\x00v     {'y' * 5000}" in of for of in (cells, for_others)] == [True, True]
    assert [cell for cell in for_others if "n" * 1000 in cell and "<" not in cell] == [
        "n\x1b\tx\x7f\u2028\udcff" + "n" * 1000
    ]
    assert model.index(0, TEXT).data() == r"a\x0ab       \x00\ud800<b>:"


def test_a_search_finds_source_lines_as_they_are_shown(qapp: object) -> None:
    """With the lines above their instructions, it finds their text, and the file and line."""
    queries = ProfileQueries(profile_from(DRAWING))
    file = TextId(queries.profile.texts.index_of("src/a.c"))
    texts = {file: ("int f()", "  WORK();", "\treturn;")}
    model = filled(CodeModel(NO_INSTRUCTIONS), queries, texts=texts)

    def shown(text: str) -> list[str]:
        return [texts_of(model).full_text(record) for record in texts_of(model).containing(text)]

    assert shown("work") == ["a.c:2  WORK();"]
    assert shown("a.c:3  RETURN") == ["a.c:3  return;"]
    assert shown("b.h:") == ["b.h:7"]


def test_a_search_makes_texts_small_once_for_all_letters(qapp: object) -> None:
    """Each letter that is typed searches all instructions, while the window waits."""
    made: list[str] = []

    class Counted(str):
        def lower(self) -> str:
            made.append(self)
            return super().lower()

    model = model_of()
    texts = model.listing.texts
    assert isinstance(texts, InstructionTexts)
    code = replace(texts.instructions, texts=tuple(map(Counted, texts.instructions.texts)))
    model.show_listing(replace(model.listing, texts=replace(texts, instructions=code)))

    for text in ("j", "jm", "jmp", "x"):
        texts_of(model).containing(text)
    assert made == list(code.texts)

    model.clear()
    assert texts_of(model).containing("jmp").tolist() == []


def test_finding_marking_and_colours(qapp: object) -> None:
    """A search finds texts, function names and addresses; a position is one instruction."""
    model = model_of()

    def places(records: list[int]) -> list[str]:
        cells = ((model.index_of_record(r, c).data() for c in (ADDRESS, TEXT)) for r in records)
        return [place or text for place, text in cells]

    assert places(texts_of(model).containing("<F").tolist()) == ["12", "18", "1a"]
    assert places(texts_of(model).containing("cold").tolist()) == ["f [cold]:"]
    assert places(texts_of(model).containing("26").tolist()) == ["26"]
    assert places(texts_of(model).containing("90").tolist()) == ["14", "30"]
    assert places(texts_of(model).containing("without").tolist()) == []
    assert places(texts_of(model).containing("F [COLD]:").tolist()) == ["f [cold]:"]
    assert texts_of(model).containing("unknown instruction").tolist() == []  # a remark, and no code
    assert (
        texts_of(model).containing("026").tolist()
        == texts_of(model).containing("2x6").tolist()
        == []
    )

    for marked, wanted in (
        (texts_of(model).matches_address(0x14), ["14"]),
        (
            texts_of(model).matches_line(*texts_of(model).line_of(int(model.order[2]))),
            ["10", "12"],
        ),
        (texts_of(model).matches_address(0x15), []),
    ):
        model.set_position(marked)
        rows = [int(r) for r in model.order.tolist() if model.is_marked(r)]
        assert places(rows) == wanted
    (call,) = (int(r) for r in model.order[[5]].tolist())
    record = int(model.order[4])
    assert texts_of(model).colored_words(record, model.colors) == (
        (0, 4, Token.KEYWORD),
        (11, 3, Token.NAME),
    )
    assert texts_of(model).full_text(record)[11:14] == "<g>"
    assert (
        texts_of(model).colored_words(call, model.colors),
        texts_of(model).colored_words(int(model.order[9]), model.colors),
    ) == ((), ())


def test_width_of_texts(qapp: object) -> None:
    """The longest text is an instruction or a function's name; bytes have a maximal width."""
    model = model_of()
    longest = "vfmadd231ps %ymm0,%ymm1,%ymm2"
    texts = {"location": "30", "bytes": "ab 0e", "text": longest, "source": "???:7"}
    assert texts_of(model).longest_texts() == texts
    assert [model.largest_text(column) for column in (INCL, CALLS)] == ["345", "(active)"]
    symbols = [(0x10, "std::a_function_with_a_name_longer_than_that")]
    model = filled(model, ProfileQueries(profile_from(DRAWING)), CODE, symbols)
    assert texts_of(model).longest_texts()["text"].startswith(symbols[0][1])
    assert model_of(DRAWING.replace("calls=0", "calls=9")).largest_text(CALLS) == "12"
