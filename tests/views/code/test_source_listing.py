"""The table of source lines as Qt sees it: texts, order, folds, arrows, other events."""

from __future__ import annotations

import gc
import weakref
from collections import Counter, UserList
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.analysis.code.annotated_function import annotate_lines
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.code_lines import CHUNK_LINES, NO_LINES, LineTexts, source_rows
from qcachegrind_py.present.code_listing import CodeCosts, CodeListing, event_costs
from qcachegrind_py.present.code_records import CodeRows
from qcachegrind_py.present.figures import Counts
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, NumberStyle
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.highlighting import Token, highlight
from qcachegrind_py.views.code.code_model import CodeModel
from qcachegrind_py.views.tables.item_model import Role
from tests.present.reference_records import (
    CALL,
    FOLD,
    LOCATION,
    plain_records,
    unmarked_stretches,
)
from tests.profile_rows import profile_from
from tests.profile_text import WHOLE_SCOPE, dump_rows, event_named, titles, view_query
from tests.views.code.code_rows_text import calls_follow_location, shown_records

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
TIP = Qt.ItemDataRole.ToolTipRole
COLUMNS = LINE, SELF, SELF2, INCL, INCL2, CALLS, JUMPS, TEXT = 0, 1, 2, 5, 6, 9, 10, 11
SEEN = (LINE, SELF, INCL, CALLS, TEXT)

DRAWING = """
    events: Ir Dr
    ob=/bin/p
    fl=src/a.c
    fn=f
    0 2 1
    2 10 4
    fi=inc/b.h
    7 20 8
    cfi=lib/g.c
    cfn=g
    calls=3 1
    7 300 32
    fe=src/a.c
    9 5 0
    cfi=lib/g.c
    cfn=g
    calls=0 1
    9 40 2
    cfi=src/a.c
    cfn=f
    calls=1200 2
    9 50 6
    jcnd=3/4 2
    9
    jump=5 12
    9
    jump=9 4000
    9
    jcnd=0/0 5
    9
    12 1 1
    99 8 3
    fl=lib/g.c
    fn=g
    1 340 32
    """
A_C = [f"text of line {line}" for line in range(1, 13)]
B_H = [f"\tinlined {line};" for line in range(1, 8)]


def model_of(
    queries: ProfileQueries,
    texts: dict[str, Sequence[str]],
    function: str = "f",
    *,
    file: str = "",
    whole: bool = False,
    event: str = "Ir",
    second: str = "",
    context: int = 1,
    model: CodeModel | None = None,
    hides_inlined: bool = False,
) -> CodeModel:
    """The lines of a function, of another file in it, or of a whole file over all functions."""
    profile, model = queries.profile, model or CodeModel(NO_LINES)
    number = queries.names.with_name(function)[0]
    own = profile.texts.index_of(file) if file else int(profile.functions.file[number])
    lines = queries.lines(number, None)
    if whole or file:
        lines = queries.lines_of_file(own, None, -1 if whole else number)
    known = {profile.texts.index_of(name): of_file for name, of_file in texts.items()}
    no_cycles = np.zeros(len(profile.functions), np.int32)
    annotated = annotate_lines(profile, number, lines, no_cycles, known)
    rows = source_rows(annotated, own, queries.labels(WHOLE_SCOPE), context)
    longest = max(known.get(own, ()), key=lambda line: len(line.expandtabs()), default="")
    code = LineTexts(
        rows=rows,
        file_names=rows.file_names(profile.texts),
        texts=known,
        names=profile.texts,
        own_file=own,
        longest=longest,
    )
    costs = costs_of(rows, queries, event, second)
    model.show_listing(CodeListing.of(code, costs, hides_inlined=hides_inlined))
    return model


def costs_of(
    rows: CodeRows, queries: ProfileQueries, event: str, second: str = "", unit: Unit | None = None
) -> CodeCosts:
    """The costs of lines in two events, absolute unless there is a unit."""
    first, other = (
        event_costs(
            rows, queries.events, event_named(queries, kind), unit or unit_of(queries, kind)
        )
        if kind
        else event_costs(rows, queries.events, None)
        for kind in (event, second)
    )
    style = DEFAULT_STYLE if unit is None else unit.style
    return CodeCosts(first, other, Counts(*reversed(rows.call_counts()), style))


def unit_of(queries: ProfileQueries, event: str) -> Unit:
    """The unit of an event in absolute numbers."""
    return view_query(queries, event).unit(event_named(queries, event))


def texts_of(model: CodeModel) -> LineTexts:
    """What the records of a model say."""
    texts = model.listing.texts
    assert isinstance(texts, LineTexts)
    return texts


def queries_for(drawing: str = DRAWING) -> ProfileQueries:
    return ProfileQueries(profile_from(drawing))


def in_f(**options: Any) -> CodeModel:
    """The lines of f, with the texts of both files."""
    return model_of(queries_for(), {"src/a.c": A_C, "inc/b.h": B_H}, **options)


def test_lines_with_text(qapp: object) -> None:
    """All lines of the text, inlined ones, and calls; lines outside the file are at the ends."""
    model = in_f(second="Dr")

    assert titles(model) == ["Line", "Self", "Incl.", "Calls", "", "Source"]
    assert dump_rows(model, *SEEN) == [
        "– | 2 | 2 |  | cost without a line",
        "1 |  |  |  | text of line 1",
        "2 | 10 | 10 |  | text of line 2",
        "b.h:7 | 20 | 320 | 3 |         inlined 7;",
        " |  | 300 | 3 | g  p: g.c",
        *(f"{line} |  |  |  | text of line {line}" for line in range(3, 9)),
        "9 | 5 | 45 | 1\N{THIN SPACE}200 | text of line 9",
        " |  | 40 | (active) | g  p: g.c",
        " |  | (cycle) | 1\N{THIN SPACE}200 | f  p: a.c",
        "10 |  |  |  | text of line 10",
        "11 |  |  |  | text of line 11",
        "12 | 1 | 1 |  | text of line 12",
        "99 | 8 | 8 |  | beyond the end of the file",
    ]
    assert dump_rows(model, SELF2, INCL2)[:5] == ["1 | 1", " | ", "4 | 4", "8 | 40", " | 32"]
    shares = [model.index(row, INCL).data(Role.SHARE) for row in (1, 2, 3, 4)]
    assert shares == [0, 10 / 320, 1, 300 / 320]
    functions = [model.index(row, 0).data(Role.FUNCTION) for row in (3, 4, 13)]
    assert functions == [-1, 1, 0]
    assert model.index(4, 0).data(TIP) == "<qt>g<br>File: lib/g.c<br>Object: /bin/p</qt>"


def test_lines_without_text(qapp: object) -> None:
    """Without a text, the lines with a cost, a call or a jump are shown.

    The view reports once that the file itself is missing.
    """
    assert dump_rows(model_of(queries_for(), {}), *SEEN) == [
        "– | 2 | 2 |  | cost without a line",
        "2 | 10 | 10 |  | ",
        "b.h:7 | 20 | 320 | 3 | file not found",
        " |  | 300 | 3 | g  p: g.c",
        "9 | 5 | 45 | 1\N{THIN SPACE}200 | ",
        " |  | 40 | (active) | g  p: g.c",
        " |  | (cycle) | 1\N{THIN SPACE}200 | f  p: a.c",
        "12 | 1 | 1 |  | ",
        "99 | 8 | 8 |  | ",
    ]


def test_another_file_and_a_whole_one(qapp: object) -> None:
    """Another file of the function has its own lines; a whole file those of all functions."""
    drawing = f"{DRAWING}\n    fi=inc/b.h\n    7 1000 0\n    3 6 6\n"

    model = model_of(queries_for(drawing), {"inc/b.h": B_H[:3]}, file="inc/b.h")
    assert dump_rows(model, *SEEN) == [
        *(f"{line} |  |  |  |         inlined {line};" for line in (1, 2, 3)),
        "7 | 20 | 320 | 3 | beyond the end of the file",
        " |  | 300 | 3 | g  p: g.c",
    ]
    model = model_of(queries_for(drawing), {}, file="inc/b.h", whole=True)
    assert dump_rows(model, *SEEN) == [
        "3 | 6 | 6 |  | ",
        "7 | 1\N{THIN SPACE}020 | 1\N{THIN SPACE}320 | 3 | ",
        " |  | 300 | 3 | g  p: g.c",
    ]


def test_an_unknown_file_is_labelled(qapp: object) -> None:
    """Lines of an unknown file are labelled, whether inlined or the function's own."""
    drawing = "events: Ir\nfn=f\n3 1\n0 2\n"
    assert dump_rows(model_of(queries_for(drawing), {}), LINE, SELF, TEXT) == [
        "– | 2 | cost without a source file",
        "3 | 1 | cost without a source file",
    ]
    drawing = "events: Ir\nfl=a.c\nfn=f\nfi=???\n0 1\n5 2\n"
    assert dump_rows(model_of(queries_for(drawing), {"a.c": ["one"]}), LINE, SELF, TEXT) == [
        "??? | 1 | cost without a source file",
        "???:5 | 2 | cost without a source file",
        "1 |  | one",
    ]


# ------------------------------------------------------------------------ jumps


def jumps_of(model: CodeModel) -> dict[str, str]:
    """The texts about jumps, by location."""
    cells = (line.split(" | ", 1) for line in dump_rows(model, LINE, JUMPS))
    return {place: jumps for place, jumps in cells if jumps}


def test_jumps_are_listed_at_both_ends(qapp: object) -> None:
    """Both ends show how often a jump was taken and, if conditional, executed; other lines none.

    The tooltip of both lines is the same; a jump to a hidden line is no arrow.
    """
    model = in_f()

    assert jumps_of(model) == {
        "2": "jumps here from 9: 3 of 4 times",
        "9": "jumps to 12: 5 times; jumps to 2: 3 of 4 times",
        "12": "jumps here from 9: 5 times",
    }
    rows = [model.index(row, 0).data(TIP) for row in range(model.rowCount())]
    assert [tip for tip in rows if tip and "jumps" in tip] == [
        "<qt>jumps here from 9: 3 of 4 times</qt>",
        "<qt>jumps to 12: 5 times<br>jumps to 2: 3 of 4 times</qt>",
        "<qt>jumps here from 9: 5 times</qt>",
    ]


def test_jumps_without_a_condition(qapp: object) -> None:
    """An unconditional jump shows how often it was taken; a single time is a word."""
    drawing = "events: Ir\nfl=a.c\nfn=f\njump=1 3\n1\njcnd=1/1 4\n2\n2 1\n3 1\n4 1\n"

    assert jumps_of(model_of(queries_for(drawing), {})) == {
        "1": "jumps to 3: once",
        "2": "jumps to 4: 1 of 1 times",
        "3": "jumps here from 1: once",
        "4": "jumps here from 2: 1 of 1 times",
    }


# ------------------------------------------------------------------------ order


def sites_in_order(model: CodeModel, column: int, order: Qt.SortOrder) -> list[int]:
    """The locations sorted by a column; equal ones stay in code order."""
    records = plain_records(model.listing.rows.records)
    of_sites = [n for n, record in enumerate(records) if record.kind == LOCATION]
    counts: Counter[int] = Counter()
    for record in records:
        if record.kind == CALL:
            counts[record.location] += int(model.listing.rows.calls.count[record.call])
    values: dict[int, Callable[[int], Any]] = {
        SELF: lambda n: int(model.listing.costs.first.self_cost.new[n]),
        SELF2: lambda n: int(model.listing.costs.second.self_cost.new[n]),
        INCL: lambda n: int(model.listing.costs.first.inclusive.new[n]),
        INCL2: lambda n: int(model.listing.costs.second.inclusive.new[n]),
        CALLS: lambda n: counts[records[n].location],
    }
    value = values.get(column, lambda n: n)
    ordered = sorted(of_sites, key=value, reverse=order == DESCENDING)
    return [records[n].location for n in ordered]


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("order", [ASCENDING, DESCENDING])
@pytest.mark.parametrize("folded", [True, False])
def test_calls_stay_below_their_line(
    qapp: object, column: int, order: Qt.SortOrder, folded: bool
) -> None:
    """In any order each line keeps its calls below it, and nothing is folded."""
    model = in_f(second="Dr")
    model.fold(folded)

    model.sort(column, order)

    assert calls_follow_location(model)
    rows = shown_records(model)
    if not (folded and (column, order) == (LINE, ASCENDING)):
        sites = [row.location for row in rows if row.kind == LOCATION]
        assert sites == sites_in_order(model, column, order)
        assert sorted(rows) == [
            row for row in sorted(plain_records(model.listing.rows.records)) if row.kind < FOLD
        ]
    assert model.is_in_code_order == ((column, order) == (LINE, ASCENDING))

    model.sort(LINE, ASCENDING)
    assert dump_rows(model) == dump_rows(_folded(in_f(second="Dr"), folded))


def _folded(model: CodeModel, folded: bool) -> CodeModel:
    model.fold(folded)
    return model


# ------------------------------------------------------------------------ folds


def test_folds(qapp: object) -> None:
    """Each range of lines without cost is one row, apart from the context; it can be expanded."""
    model = in_f()

    model.fold(True)
    assert dump_rows(model, LINE, TEXT) == [
        "– | cost without a line",
        "1 | text of line 1",
        "2 | text of line 2",
        "b.h:7 |         inlined 7;",
        " | g  p: g.c",
        "3 | text of line 3",
        " | 4 lines without cost",
        "8 | text of line 8",
        "9 | text of line 9",
        " | g  p: g.c",
        " | f  p: a.c",
        "10 | text of line 10",
        "11 | text of line 11",
        "12 | text of line 12",
        "99 | beyond the end of the file",
    ]
    fold = model.record(model.index(6, 0))
    model.reveal(fold)
    unfolded = dump_rows(in_f(), LINE, TEXT)
    assert dump_rows(model, LINE, TEXT) == unfolded
    texts = {"src/a.c": A_C, "inc/b.h": B_H}
    model_of(queries_for(), texts, model=model)  # other code, of which none is opened
    assert len(dump_rows(model)) == 15
    model.reveal(fold)
    model.fold(True)
    assert len(dump_rows(model)) == 15
    model.fold(False)
    assert dump_rows(model, LINE, TEXT) == unfolded


SITES = st.lists(st.sampled_from([None, None, None, None, None, 0, 2]), min_size=1, max_size=25)


@pytest.mark.slow
@given(SITES, st.integers(0, 2), st.lists(st.integers(0, 24), max_size=3), st.booleans())
def test_folds_of_any_code(
    lines: list[int | None], context: int, opened: list[int], sorted_before: bool
) -> None:
    """Each range that is not expanded is one row, whatever the previous order."""
    model = plain_model(lines, context)
    record_of = model.listing.rows.records.record_of_location
    if sorted_before:
        model.sort(SELF, DESCENDING)
    model.fold(True)
    for site in opened:
        if site < len(lines):
            model.reveal(int(record_of[site]))
    model.sort(LINE, ASCENDING)

    costly = [site for site, calls in enumerate(lines) if calls is not None]
    stretches = unmarked_stretches(len(lines), costly, context)
    closed = [stretch for stretch in stretches if not set(stretch) & set(opened)]
    hidden = {site for stretch in closed for site in stretch}
    folds = {stretch[0]: len(stretch) for stretch in closed}
    wanted = []
    for site, calls in enumerate(lines):
        wanted += [f"{folds[site]} lines without cost"] if site in folds else []
        wanted += [f"line {site + 1}"] if site not in hidden else []
        wanted += [f"g{callee}  ???" for callee in range(calls or 0)]
    assert dump_rows(model, TEXT) == wanted


def plain_model(lines: list[int | None], context: int) -> CodeModel:
    """Lines that cost 1 and call a function so many times each, or cost nothing."""
    drawing = ["events: Ir", "fl=m.c", "fn=main", "cfi=a.c", "cfn=f", "calls=1 1", "1 1"]
    drawing += ["fl=a.c", "fn=f"]
    for line, calls in enumerate(lines, start=1):
        if calls is not None:
            drawing.append(f"{line} 1")
            for callee in range(calls):
                drawing += [f"cfi=???\ncfn=g{callee}", f"calls=1 1\n{line} 1"]
    queries = queries_for("\n".join([*drawing, ""]))
    text = [f"line {line}" for line in range(1, len(lines) + 1)]
    return model_of(queries, {"a.c": text}, context=context)


# ------------------------------------------------------------------------ changes


@pytest.mark.parametrize("order", [ASCENDING, DESCENDING])
@pytest.mark.parametrize("column", [LINE, SELF, INCL, CALLS])
def test_other_events_keep_rows_and_indexes(qapp: object, column: int, order: Qt.SortOrder) -> None:
    """New costs sort the rows again, and an index stays with its record.

    A record hidden by a fold has no row until the fold is expanded.
    """
    queries = queries_for()
    model = model_of(queries, {"src/a.c": A_C, "inc/b.h": B_H})
    model.sort(column, order)
    kept = {
        record: QPersistentModelIndex(model.index_of_record(record, column))
        for record in model.order.tolist()
    }
    wanted = model_of(queries, {"src/a.c": A_C, "inc/b.h": B_H}, event="Dr", second="Ir")
    wanted.sort(column, order)

    model.show_costs(costs_of(model.listing.rows, queries, "Dr", "Ir"))

    assert dump_rows(model, all_columns=True) == dump_rows(wanted, all_columns=True)
    assert titles(model, all_columns=True) == titles(wanted, all_columns=True)
    assert {record: model.record(index) for record, index in kept.items()} == {n: n for n in kept}
    model.fold(True)
    left = set(model.order.tolist())
    assert {n for n, index in kept.items() if index.isValid()} == left & set(kept)
    assert all(model.record(kept[n]) == n for n in left & set(kept))


def test_percentages_and_ratios(qapp: object) -> None:
    """Percentages are of the format's base; a ratio has no bar and, if 0, no text."""
    queries = queries_for()
    queries.set_user_events([UserEvent("Rate", "", "Dr / Ir"), UserEvent("Odd", "", "Ir / Dr")])
    model = in_f()
    model.show_costs(costs_of(model.listing.rows, queries, "Ir", "Ir", Unit("Ir", 400)))

    assert titles(model)[1:3] == ["Self %", "Incl. %"]
    assert dump_rows(model, SELF, INCL)[2:5] == ["2.50 | 2.50", "5.00 | 80.00", " | 75.00"]

    model = model_of(queries, {}, event="Rate", second="Odd")
    assert titles(model, all_columns=True)[:5] == ["Line", "Self", "Odd self", "Incl.", "Odd incl."]
    assert dump_rows(model, LINE, SELF, SELF2, INCL, INCL2) == [
        "– | 0.5000 | 2.000 | 0.5000 | 2.000",
        "2 | 0.4000 | 2.500 | 0.4000 | 2.500",
        "b.h:7 | 0.4000 | 2.500 | 0.1250 | 8.000",
        " |  |  | 0.1067 | 9.375",
        "9 |  | – | 0.04444 | 22.50",
        " |  |  | 0.05000 | 20.00",
        " |  |  | (cycle) | (cycle)",
        "12 | 1.000 | 1.000 | 1.000 | 1.000",
        "99 | 0.3750 | 2.667 | 0.3750 | 2.667",
    ]
    for column in (SELF, SELF2, INCL, INCL2):
        model.sort(column, DESCENDING)
        assert calls_follow_location(model)
        assert {model.index(row, column).data(Role.SHARE) for row in range(9)} == {0.0}
        assert len(model.largest_text(column)) >= max(map(len, dump_rows(model, column)))


@pytest.mark.slow
def test_model_passes_qt_model_checks(qapp: object) -> None:
    """The table passes Qt's consistency checks after every change."""
    queries = queries_for()
    model = CodeModel(NO_LINES)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    texts = {"src/a.c": A_C, "inc/b.h": B_H}
    for _ in range(2):
        model_of(queries, texts, second="Dr", model=model)
        for column in range(model.columnCount()):
            for order in (DESCENDING, ASCENDING):
                model.fold(True)
                model.sort(column, order)
                model.highlight(column % 2)
                for record in (0, 7, 12):
                    model.reveal(record)
                    model.set_position(
                        texts_of(model).matches_line(*texts_of(model).line_of(record))
                    )
                model.show_costs(costs_of(model.listing.rows, queries, "Dr", "Ir"))
                model.fold(False)
                model.sort(LINE, ASCENDING)
        model.fold(True)
        model_of(queries, {}, function="g", model=model)
        model_of(queries, texts, file="inc/b.h", whole=True, model=model)
        model.clear()

    assert (tester.model() is model, model.rowCount(), model.has_rows) == (True, 0, False)


class Text(UserList[str]):
    """Lines that can be found in memory."""


def test_cleared_model_retains_nothing(qapp: object) -> None:
    """Once cleared, names, texts, colours and arrays of the profile are released."""
    queries, text = queries_for(), Text(A_C)
    model = model_of(queries, {"src/a.c": text}, second="Dr")
    colors = highlight(A_C, "a.c", 0, 12, NoProgress())
    model.add_colors((texts_of(model).own_file, 0), colors)
    model.set_position(texts_of(model).matches_line(texts_of(model).own_file, 2))
    model.sort(INCL, DESCENDING)
    lines = queries.lines(0, None)
    watched = [
        queries, queries.profile.texts, text, colors.column, lines.host,
        lines.calls.callee, model.listing.rows.labels, model.listing.rows.records.arrows.source,
        model.listing.costs.first.inclusive.new, model.listing.costs.second.inclusive.new,
    ]  # fmt: skip
    references = [weakref.ref(one) for one in watched]
    del queries, text, colors, lines, watched
    gc.collect()
    assert sum(reference() is None for reference in references) < len(references) - 6

    model.clear()
    gc.collect()

    assert [reference() for reference in references] == [None] * len(references)
    assert (model.rowCount(), model.table.length, model.has_rows) == (0, 0, False)
    assert (texts_of(model).longest_texts(), texts_of(model).containing("e").tolist()) == (
        {"location": "", "text": ""},
        [],
    )


# ------------------------------------------------------------------------ other programs


def plain(model: CodeModel, *columns: int) -> list[list[str]]:
    """The cells as copied, row by row."""
    return [
        [model.plain_text(model.index(row, column)) for column in columns or COLUMNS]
        for row in range(model.rowCount())
    ]


def test_cells_for_other_programs(qapp: object) -> None:
    """Copied numbers are whole and without groups, and empty without cost."""
    model = in_f(second="Dr")
    percent = Unit("Ir", 340, style=NumberStyle(decimals=0))
    model.show_costs(costs_of(model.listing.rows, queries_for(), "Ir", "Dr", percent))
    model.fold(True)

    rows = plain(model, *(column for column in COLUMNS if column != CALLS))
    assert [rows[row] for row in (0, 2, 3, 4, 6)] == [
        ["–", "2", "1", "2", "1", "", "cost without a line"],
        ["2", "10", "4", "10", "4", "jumps here from 9: 3 of 4 times", "text of line 2"],
        ["b.h:7", "20", "8", "320", "40", "", "        inlined 7;"],
        ["", "", "", "300", "32", "", "g"],
        ["", "", "", "", "", "", "4 lines without cost"],
    ]
    counts = [count for (count,) in plain(model, CALLS)]
    assert [counts[row] for row in (3, 4, 8, 9, 10)] == ["3", "3", "1200", "0", "1200"]


def test_costs_beyond_64_bits_are_exact(qapp: object) -> None:
    """Costs of a formula beyond 64 bits are displayed and copied exactly, too."""
    queries = queries_for(f"events: Ir\nfl=a.c\nfn=f\n1 {2**62}\n2 1\n")
    queries.set_user_events([UserEvent("Big", "", "1000 Ir")])
    model = model_of(queries, {}, event="Big")
    model.sort(SELF, DESCENDING)

    assert plain(model, LINE, SELF) == [["1", str(1000 * 2**62)], ["2", "1000"]]
    assert dump_rows(model, INCL)[1] == "1\N{THIN SPACE}000"
    assert model.largest_text(SELF).replace("\N{THIN SPACE}", "") == str(1000 * 2**62)


HOSTILE = "<b>x</b>\tä\x0c\x1b[0m\u2028\u202e\ud800\x00"
LONG = "n" * 1000


def test_hostile_names_and_texts_are_plain_lines(qapp: object) -> None:
    """Whatever a profile or source contains, each cell is one line of printable text.

    Texts are not truncated, as they are copied; exported names are in full, and exact.
    """
    name, file, header = "n\x1b\tx\x7f\xe2\x80\xa8\xff" + LONG, "d/a\x0bb\tc.c", "h\x1b.h"
    drawing = f"events: Ir\nfl={file}\nfn=f\n1 1\nfi={header}\n1 1\nfe={file}\n2 2\n"
    drawing += f"cfi={name}\ncfn={name}\ncalls=1 1\n2 1\njump=1 1\n2\n"
    queries = ProfileQueries(profile_from(drawing.encode("latin-1")))
    texts = {file: [HOSTILE, "y" * 100_000], header: ["\r" * 50]}
    model = model_of(queries, texts)

    cells = [cell for line in dump_rows(model, all_columns=True) for cell in line.split(" | ")]
    for_others = [cell for row in plain(model) for cell in row]
    assert len(cells) == len(for_others) == 32
    assert all(cell.replace("\N{THIN SPACE}", "").isprintable() for cell in cells)
    assert ["y" * 100_000 in of for of in (cells, for_others)] == [True, True]
    assert [any(LONG in cell for cell in of) for of in (cells, for_others)] == [False, True]
    assert model.index(0, TEXT).data().startswith("<b>x</b>        ä")
    tip = model.index(3, 0).data(TIP)
    assert (tip[:5], tip.isprintable()) == ("<qt>n", True)


def test_width_of_texts(qapp: object) -> None:
    """The widest line of the file is the one with the most columns, tabs included.

    Names of other files have at most the width of 16 characters; without calls, their title has no
    width.
    """
    text = ["x" * 50, "\t" * 9 + "x" * 20, "short"]
    model = model_of(queries_for("events: Ir\nfl=a.c\nfn=f\n1 1\nfi=long.h\n7 1\n"), {"a.c": text})

    assert texts_of(model).longest_texts() == {"location": "long.h:7", "text": text[1]}
    assert [model.largest_text(column) for column in (SELF, CALLS)] == ["1", ""]
    assert titles(model) == ["Line", "Self", "Incl.", "", "", "Source"]

    drawing = "events: Ir\nfl=a.c\nfn=f\n1 1\nfi=a_header_with_a_long_name.h\n7 1\n"
    model = model_of(queries_for(drawing), {"a.c": text})
    assert len(texts_of(model).longest_texts()["location"]) == 16
    assert dump_rows(model, LINE)[1] == "a_header_with_a_long_name.h:7"


# ------------------------------------------------------------------------ search and colours


def test_finding_and_marking(qapp: object) -> None:
    """A search looks at the lines themselves; a position highlights all copies of a line."""
    model = in_f()

    def places(records: list[int]) -> list[str]:
        return [model.index_of_record(record, TEXT).data().strip() for record in records]

    def marked() -> list[int]:
        return [row for row, record in enumerate(model.order.tolist()) if model.is_marked(record)]

    wanted = [f"text of line {line}" for line in (1, 10, 11, 12)]
    assert places(texts_of(model).containing("LINE 1").tolist()) == wanted
    assert places(texts_of(model).containing("inlined").tolist()) == ["inlined 7;"]
    assert (
        texts_of(model).containing("cost that").tolist()
        == texts_of(model).containing("g.c").tolist()
        == []
    )

    model.set_position(texts_of(model).matches_line(texts_of(model).own_file, 9))
    assert marked() == [11]
    model.highlight(1)
    assert marked() == [4, 11, 12]


def test_colours_are_those_of_the_line(qapp: object) -> None:
    """A word has its colour in the line of its file; other records have none."""
    text = ["// one", *["int x;"] * (CHUNK_LINES - 2), "return 1;", "// last"]
    drawing = (
        f"events: Ir\nfl=a.c\nfn=f\n{CHUNK_LINES} 1\n"
        f"cfn=g\ncalls=1 1\n{CHUNK_LINES} 1\nfi=b.c\n2 1\n"
    )
    model = model_of(
        queries_for(drawing + "fe=a.c\n9999 1\n"), {"a.c": text, "b.c": ["int y;", "//"]}
    )
    first, second, last_of_chunk, call, inlined, last, beyond = (
        model.record(model.index(row, 0))
        for row in (
            0,
            1,
            CHUNK_LINES - 1,
            CHUNK_LINES,
            CHUNK_LINES + 1,
            CHUNK_LINES + 2,
            CHUNK_LINES + 3,
        )
    )
    own, other = texts_of(model).line_of(first)[0], texts_of(model).line_of(inlined)[0]
    assert texts_of(model).uncolored([first, second, call, inlined, last], model.colors) == [
        (own, 0),
        (other, 0),
        (own, 1),
    ]
    assert {
        texts_of(model).colored_words(record, model.colors) for record in range(model.table.length)
    } == {()}

    model.add_colors((own, 0), highlight(text, "a.c", 0, CHUNK_LINES, NoProgress()))
    assert texts_of(model).uncolored([first, inlined, last], model.colors) == [
        (other, 0),
        (own, 1),
    ]
    assert texts_of(model).colored_words(first, model.colors) == ((0, 6, Token.COMMENT),)
    assert texts_of(model).colored_words(last_of_chunk, model.colors) == (
        (0, 6, Token.KEYWORD),
        (7, 1, Token.NUMBER),
    )
    assert (
        texts_of(model).colored_words(inlined, model.colors),
        texts_of(model).colored_words(last, model.colors),
    ) == ((), ())

    model.add_colors((other, 0), highlight(["int y;", "//"], "b.c", 0, CHUNK_LINES, NoProgress()))
    model.add_colors((own, 1), highlight(text, "a.c", CHUNK_LINES, 2 * CHUNK_LINES, NoProgress()))
    assert texts_of(model).colored_words(inlined, model.colors) == ((0, 2, Token.COMMENT),)
    assert texts_of(model).colored_words(last, model.colors) == ((0, 7, Token.COMMENT),)
    assert (
        texts_of(model).colored_words(call, model.colors),
        texts_of(model).colored_words(beyond, model.colors),
    ) == ((), ())
