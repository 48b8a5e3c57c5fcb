"""The Qt model of lines and instructions: rows, folds, groups, marks, and what it keeps."""

from __future__ import annotations

import gc
import weakref
from collections import UserList

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.present.code_instructions import NO_INSTRUCTIONS
from qcachegrind_py.present.code_lines import NO_LINES
from qcachegrind_py.present.code_listing import CodeListing
from qcachegrind_py.present.code_records import code_costs
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.text_file import highlight
from qcachegrind_py.views.code.code_cells import CodeModel
from tests.present.code_text import (
    ASSEMBLER,
    BOTH,
    SOURCE,
    TEXTS,
    assembler,
    drawn,
    in_source,
    record_at,
    source,
)
from tests.profile_text import dump_rows

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
EMPTY = {"source": NO_LINES, "assembler": NO_INSTRUCTIONS}
DRAWINGS = {"source": SOURCE, "assembler": ASSEMBLER}
PLACES = {"source": "9", "assembler": "14"}  # with calls
both = pytest.mark.parametrize("kind", BOTH)


def model_of(listing: CodeListing, kind: str = "source") -> CodeModel:
    model = CodeModel(EMPTY[kind])
    model.show_listing(listing)
    return model


@both
@pytest.mark.parametrize("key", ["location", "self", "inclusive", "calls"])
@pytest.mark.parametrize("order", [ASCENDING, DESCENDING])
def test_other_events_keep_rows_and_indexes(kind: str, key: str, order: Qt.SortOrder) -> None:
    """New costs sort the rows again, and an index stays with its record.

    A record hidden by a fold has no row until the fold is expanded.
    """
    model, wanted = model_of(BOTH[kind](), kind), model_of(BOTH[kind]("Dr"), kind)
    column = model.place(key)
    model.sort(column, order)
    wanted.sort(column, order)
    kept = {
        record: QPersistentModelIndex(model.index_of_record(record, column))
        for record in model.order.tolist()
    }
    model.show_costs(code_costs(drawn(DRAWINGS[kind], "Dr"), model.listing.rows, 0))

    assert dump_rows(model, all_columns=True) == dump_rows(wanted, all_columns=True)
    assert {record: model.record(index) for record, index in kept.items()} == {n: n for n in kept}
    model.fold(True)
    left = set(model.order.tolist())
    assert {n for n, index in kept.items() if index.isValid()} == left & set(kept)
    assert all(model.record(kept[n]) == n for n in left & set(kept))


@both
def test_folds_are_opened_one_by_one(kind: str) -> None:
    """Sorting shows all rows, and the code's order the folds again; other code is folded."""
    model = model_of(BOTH[kind](), kind)
    unfolded = dump_rows(model)
    model.fold(True)
    rows = dump_rows(model)
    (fold,) = (n for n, row in enumerate(rows) if row.endswith(" without cost"))
    record = model.record(model.index(fold, 0))

    model.reveal(record)
    assert dump_rows(model) == unfolded
    model.show_listing(BOTH[kind]())
    assert dump_rows(model) == rows
    model.sort(model.place("self"), DESCENDING)
    assert (sorted(dump_rows(model)), model.is_in_code_order) == (sorted(unfolded), False)
    model.sort(0, ASCENDING)
    assert (dump_rows(model), model.is_in_code_order) == (rows, True)
    model.reveal(record)
    model.fold(False)
    assert dump_rows(model) == unfolded


def test_revealing_a_hidden_line_opens_its_group() -> None:
    """Until then, the line that hides it is marked in its place."""
    model = model_of(in_source(hides_inlined=True))
    hidden, host = (record_at(model.listing, place) for place in ("b.h:7", "2"))
    texts = model.listing.texts
    model.set_position(texts.records_at(texts.position_of(hidden)))
    closed = dump_rows(model, 0)[:4], model.is_marked(host), model.is_marked(host + 4)
    model.reveal(hidden)

    assert closed == (["–", "1", "2", "3"], True, False)
    assert dump_rows(model, 0)[:4] == ["–", "1", "2", "b.h:7"]
    assert [model.is_marked(record) for record in (host, hidden)] == [False, True]


@both
def test_positions_and_selected_functions_are_marked(kind: str) -> None:
    model = model_of(BOTH[kind](), kind)
    place = record_at(model.listing, PLACES[kind])
    texts = model.listing.texts

    def marked() -> list[int]:
        return [record for record in model.order.tolist() if model.is_marked(record)]

    model.set_position(texts.records_at(texts.position_of(place)))
    at_position = marked()
    model.highlight(1)

    assert at_position == [place]
    assert set(marked()) == {place, *(model.listing.rows.callees == 1).nonzero()[0].tolist()}


@pytest.mark.slow
@both
def test_model_passes_qt_model_checks(kind: str) -> None:
    """The table passes Qt's consistency checks after every change."""
    model = CodeModel(EMPTY[kind])
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    query = drawn(DRAWINGS[kind])
    known, unknown = (
        (source(query), source(query, {}, file="inc/b.h", whole=True))
        if kind == "source"
        else (assembler(query), assembler(query, ""))
    )
    costs = code_costs(drawn(DRAWINGS[kind], "Dr"), known.rows, 0)
    for column in range(model.columnCount()):
        model.show_listing(known)
        for order in (DESCENDING, ASCENDING):
            model.fold(True)
            model.sort(column, order)
            model.highlight(column % 2)
            for record in (0, 7, 12):
                model.reveal(record)
                model.set_group_closed(record, closed=True)
                texts = model.listing.texts
                model.set_position(texts.records_at(texts.position_of(record)))
            model.show_costs(costs)
            model.fold(False)
        model.show_listing(unknown)
    model.clear()

    assert (tester.model() is model, model.rowCount(), model.has_rows) == (True, 0, False)


class Text(UserList[str]):
    """Lines that can be found in memory."""


@both
def test_cleared_model_retains_nothing(kind: str) -> None:
    """Once cleared, names, texts, colours and arrays of the profile are released."""
    query, text = drawn(DRAWINGS[kind]), Text(TEXTS["src/a.c"])
    texts = {"src/a.c": text}
    model = model_of(
        source(query, texts) if kind == "source" else assembler(query, texts=texts), kind
    )
    colors = highlight(text, "a.c", 0, 12, NoProgress())
    rows = model.listing.rows
    model.add_colors((rows.line_of(0)[0], 0), colors)
    model.set_position(model.listing.texts.matches_line(*rows.line_of(2)))
    model.sort(model.place("inclusive"), DESCENDING)
    watched = [
        query.queries, query.profile.texts, text, colors.column, rows.labels, rows.calls.callee,
        rows.records.arrows.source, rows.costs.self_cost,
        model.listing.costs.first.inclusive.new, model.listing.costs.second.inclusive.new,
    ]  # fmt: skip
    references = [weakref.ref(one) for one in watched]
    del query, text, texts, colors, rows, watched
    gc.collect()
    assert any(reference() is not None for reference in references)

    model.clear()
    gc.collect()

    assert [reference() for reference in references] == [None] * len(references)
    assert (model.rowCount(), model.table.length, model.has_rows) == (0, 0, False)
    code = model.listing.texts
    assert set(code.longest_texts().values()) == {""}
    assert code.containing("e").tolist() == []
