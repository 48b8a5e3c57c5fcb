"""The function table: its cells, sorting, filtering, and the current row."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.models.base.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.models.base.group_colors import GroupPalette
from qcachegrind_py.models.base.table import AnyIndex, Role
from qcachegrind_py.models.functions import NO_ROWS, FunctionModel
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.profile.tables import BoolArray
from tests.profile_text import (
    THIN,
    WHOLE_SCOPE,
    cost_format,
    dump_rows,
    function_model,
    function_rows,
    lasting_columns,
    queries_for,
    titles,
    write_many_functions,
)

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
SELF, CALLED, NAME = FunctionModel.SELF, FunctionModel.CALLED, FunctionModel.NAME
INT64_MINIMUM = -(2**63)
FIVE = """
    events: Ir Dr
    main@a.c@/bin/prog 10,1 -> fast 3x40,4, slow 1x50,55
    fast@src/b.c@/bin/prog 40,4
    slow@src/b.c 50,5 -> ping 1x0,50
    ping 0,20 -> pong 2x0,30
    pong 0,30 -> ping 1x0,10
    """


def model_from(folder: Path, text: str = FIVE, event: str = "Ir") -> FunctionModel:
    """A model of the profile given as text."""
    return function_model(queries_for(folder, text), event)


def base(number: int, *, percent: bool = True) -> CostFormat:
    """A format for percentages of this number, or for absolute costs."""
    return CostFormat("Ir", number, percent)


def containing(queries: ProfileQueries, text: str) -> BoolArray:
    """Which functions and cycles have the text in their names."""
    labels = queries.labels(WHOLE_SCOPE)
    names = map(labels.name, range(len(labels)))
    return np.array([text in name for name in names], np.bool_)


def test_function_model_passes_qt_model_checks(qtmodeltester: Any, tmp_path: Path) -> None:
    """The model passes Qt's consistency checks."""
    model = model_from(tmp_path)

    qtmodeltester.check(model)


def test_function_model_passes_qt_model_checks_while_it_changes(tmp_path: Path, qtbot: Any) -> None:
    """Each change of sorting, filter, costs and profile is announced as Qt requires."""
    queries = queries_for(tmp_path, FIVE)
    model = FunctionModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)

    model.set_rows(function_rows(queries), cost_format(queries), NO_FORMAT)
    kept = [QPersistentModelIndex(model.index(row, 1)) for row in range(model.rowCount())]
    for column in range(model.columnCount()):
        model.sort(column, ASCENDING)
        model.set_filter(containing(queries, "p"))
        model.sort(column, DESCENDING)
        percent = cost_format(queries, "Dr", percent=column % 2 == 0)
        model.set_costs(function_rows(queries, "Dr", "Ir"), percent, cost_format(queries))
        model.highlight(column)
        model.set_filter(None)
    model.set_rows(function_rows(queries), cost_format(queries), NO_FORMAT)

    assert [index.isValid() for index in kept] == [False] * 6
    assert tester.model() is model


def test_function_model_shows_costs_as_they_are(tmp_path: Path) -> None:
    """Each function is a row with inclusive and self cost, call count, name and location."""
    model = model_from(tmp_path, FIVE, "Dr")
    model.sort(FunctionModel.INCLUSIVE, DESCENDING)

    assert dump_rows(model) == [
        "60 | 1 | 0 | main | prog: a.c",
        "55 | 5 | 1 | slow | b.c",
        "50 | 50 | 1 | <cycle 1> | 2 members",
        "30 | 30 | 2 | pong <cycle 1> | ???",
        "20 | 20 | 2 | ping <cycle 1> | ???",
        "4 | 4 | 3 | fast | prog: b.c",
    ]


def test_function_model_shows_percentages_of_the_base(tmp_path: Path) -> None:
    """As percentages, costs are shares of the total, with two digits; counts stay counts."""
    queries = queries_for(tmp_path, FIVE)
    model = function_model(queries)
    model.set_costs(function_rows(queries, "Dr"), base(60), NO_FORMAT)

    assert dump_rows(model) == [
        "100.00 | 1.67 | 0 | main | prog: a.c",
        "91.67 | 8.33 | 1 | slow | b.c",
        "83.33 | 83.33 | 1 | <cycle 1> | 2 members",
        "50.00 | 50.00 | 2 | pong <cycle 1> | ???",
        "33.33 | 33.33 | 2 | ping <cycle 1> | ???",
        "6.67 | 6.67 | 3 | fast | prog: b.c",
    ]


def test_calls_that_were_not_counted(tmp_path: Path) -> None:
    """Their number and the cost of one are dashes, and are missing in what is saved."""
    model = model_from(tmp_path, "main 1 -> f 0x9\nf 9")
    columns = [FunctionModel.CALLED, FunctionModel.PER_CALL, FunctionModel.SELF_PER_CALL]
    assert dump_rows(model, *columns) == ["– | – | –"] * 2
    values = [model.columns[column].values for column in columns]
    assert all(np.isnan(of()).all() for of in values if of is not None)


def test_titles_say_percent_where_costs_are_percentages(tmp_path: Path, qtbot: Any) -> None:
    """The title of a cost column says whether it shows percentages, and announces changes."""
    queries = queries_for(tmp_path, FIVE)
    model = function_model(queries)
    absolute = titles(model)

    with qtbot.waitSignal(model.headerDataChanged) as announced:
        model.set_costs(function_rows(queries), base(60), NO_FORMAT)

    assert absolute == ["Incl.", "Self", "Called", "Function", "Location"]
    assert titles(model) == ["Incl. %", "Self %", "Called", "Function", "Location"]
    assert announced.args == [Qt.Orientation.Horizontal, 0, FunctionModel.LOCATION]


def test_digits_stand_in_groups_of_three(tmp_path: Path) -> None:
    """Thousands are separated by a thin space, in costs and in counts."""
    model = model_from(tmp_path, "main 1234567 -> f 1000x98765\nf 98765")

    assert [
        f"1{THIN}333{THIN}332 | 1{THIN}234{THIN}567 | 0 | main",
        f"98{THIN}765 | 98{THIN}765 | 1{THIN}000 | f",
    ] == dump_rows(model, 0, SELF, CALLED, NAME)


@pytest.mark.parametrize(
    ("order", "expected"),
    [(ASCENDING, ["c", "a", "d", "b", "e"]), (DESCENDING, ["b", "e", "a", "d", "c"])],
)
def test_sort_keeps_the_order_of_equal_costs(
    tmp_path: Path, order: Qt.SortOrder, expected: list[str]
) -> None:
    """Equal costs keep the order of the file in both directions."""
    model = model_from(tmp_path, "a 5\nb 9\nc 1\nd 5\ne 9")

    model.sort(SELF, order)

    assert dump_rows(model, NAME) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [(ASCENDING, ["low", "zero", "high"]), (DESCENDING, ["high", "zero", "low"])],
)
def test_sort_puts_the_smallest_integer_at_the_end(
    tmp_path: Path, order: Qt.SortOrder, expected: list[str]
) -> None:
    """The smallest integer, which cannot be negated, sorts before all others."""
    model = model_from(tmp_path, f"zero 0\nlow {INT64_MINIMUM}\nhigh {2**63 - 1}")

    model.sort(SELF, order)

    assert dump_rows(model, NAME) == expected


def test_sort_by_name_takes_upper_and_lower_case_alike(tmp_path: Path) -> None:
    """Names sort as in a dictionary, not by character codes."""
    model = model_from(tmp_path, "beta 1\nAlpha 2\nalpha2 3\nGamma 4")

    model.sort(NAME, ASCENDING)

    assert dump_rows(model, NAME) == ["Alpha", "alpha2", "beta", "Gamma"]


def test_filter_keeps_the_order_and_the_costs(tmp_path: Path) -> None:
    """A filter removes rows and leaves the others unchanged."""
    queries = queries_for(tmp_path, FIVE)
    model = function_model(queries)
    model.sort(NAME, DESCENDING)

    model.set_filter(containing(queries, "s"))

    assert dump_rows(model, 1, NAME) == ["50 | slow", "40 | fast"]
    assert model.record_count == 6


CHANGES: dict[str, Callable[[FunctionModel, ProfileQueries], None]] = {
    "sort": lambda model, _queries: model.sort(NAME, ASCENDING),
    "sort the other way": lambda model, _queries: model.sort(0, ASCENDING),
    "filter": lambda model, queries: model.set_filter(containing(queries, "s")),
    "event": lambda model, queries: model.set_costs(
        function_rows(queries, "Dr"), base(60), NO_FORMAT
    ),
    "unit": lambda model, _queries: model.set_costs(model.rows, base(60), NO_FORMAT),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_current_function_stays_current(
    tmp_path: Path, change: Callable[[FunctionModel, ProfileQueries], None]
) -> None:
    """The current function stays current, in the same column, however its row moves."""
    queries = queries_for(tmp_path, FIVE)
    model = function_model(queries)
    model.sort(SELF, DESCENDING)
    slow = queries.names.with_name("slow")[0]
    current = QPersistentModelIndex(model.index_of_record(slow, CALLED))

    change(model, queries)

    row = dump_rows(model, NAME).index("slow")
    assert (row, CALLED, slow) == (current.row(), current.column(), current.data(Role.FUNCTION))


def test_current_function_that_is_filtered_out_is_current_no_more(tmp_path: Path) -> None:
    """The index of a row that is filtered out becomes invalid, and never another row's."""
    queries = queries_for(tmp_path, FIVE)
    model = function_model(queries)
    slow = queries.names.with_name("slow")[0]
    current = QPersistentModelIndex(model.index_of_record(slow))

    model.set_filter(containing(queries, "fast"))

    assert not current.isValid()
    assert not model.index_of_function(slow).isValid()


def test_function_of_each_row_is_found_again(tmp_path: Path) -> None:
    """Mapping a row to its function and back gives the same row, in any order."""
    model = model_from(tmp_path)
    model.sort(NAME, ASCENDING)

    functions = [model.index(row, 0).data(Role.FUNCTION) for row in range(6)]

    assert list(range(6)) == [model.index_of_function(f).row() for f in functions]
    assert set(map(type, functions)) == {int}


def test_share_is_a_length_from_0_to_1(tmp_path: Path) -> None:
    """Bars are never longer than the cell nor shorter than nothing, even for negative costs."""
    model = model_from(tmp_path, "summary: 100\nmain 50 -> f 1x75\nf 25\ng -30\nh 400")
    model.set_costs(model.rows, base(100), NO_FORMAT)

    shares = {
        model.index(row, NAME).data(): model.index(row, SELF).data(Role.SHARE) for row in range(4)
    }

    assert shares == {"main": 0.5, "f": 0.25, "g": 0.0, "h": 1.0}
    assert [model.index(row, CALLED).data(Role.SHARE) for row in range(4)] == [None] * 4


def test_share_without_a_base_is_nothing(tmp_path: Path) -> None:
    """If the total is 0, there is a dash and no bar, not an error."""
    model = model_from(tmp_path, "main 0")
    model.set_costs(model.rows, base(0), NO_FORMAT)

    assert (dump_rows(model, 0, 1), model.index(0, 0).data(Role.SHARE)) == ([" | "], 0.0)


@pytest.mark.parametrize("cost", [2**53 + 1, 2**62 + 3, 2**63 - 1, INT64_MINIMUM, -(2**53) - 1])
def test_costs_are_shown_to_the_last_digit(tmp_path: Path, cost: int) -> None:
    """A cost beyond float precision is displayed exactly."""
    model = model_from(tmp_path, f"main {cost}")

    assert dump_rows(model, SELF) == [f"{cost:,}".replace(",", THIN)]


def test_derived_costs_beyond_64_bits_are_shown_to_the_last_digit(tmp_path: Path) -> None:
    """A derived cost is a sum of products, and is exact even beyond 64 bits."""
    misses = 2**57 + 1
    text = f"events: Ir ILmr\nmain 0,1\nbig 7,{misses}\nsmall 5,0"

    model = model_from(tmp_path, text, "CEst")
    model.sort(SELF, DESCENDING)

    expected = [f"{cost:,}".replace(",", THIN) for cost in (7 + 100 * misses, 100, 5)]
    assert dump_rows(model, SELF) == expected


HOSTILE = {
    "HTML": (b"<b>bold</b><img src=x>", "<b>bold</b><img src=x>"),
    "template": (b"std::vector<int>", "std::vector<int>"),
    "control characters": (b"a\x01\x1b[31mb\tc", r"a\x01\x1b[31mb\x09c"),
    "right-to-left override": ("a\u202egnp.exe".encode(), r"a\u202egnp.exe"),
    "line separator": ("a\u2028b\u2029c\x85d".encode(), r"a\u2028b\u2029c\u0085d"),
    "not UTF-8": (b"caf\xe9", r"caf\xe9"),
    "NUL": (b"a\x00b", r"a\x00b"),
    "very long": (b"x" * 100_000, "x" * 400 + "…"),
}


@pytest.mark.parametrize(("name", "shown"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_one_line_of_plain_text(tmp_path: Path, name: bytes, shown: str) -> None:
    """Any name is displayed in one line of bounded length, whatever its bytes."""
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(b"events: Ir\n\nob=/lib/%s\nfl=%s\nfn=%s\n1 1\n" % ((name,) * 3))

    model = function_model(ProfileQueries(load(path)))

    place = model.index(0, FunctionModel.LOCATION).data()
    assert dump_rows(model, NAME) == [shown]
    assert (place.isprintable(), len(place) <= 401) == (True, True)


@pytest.mark.parametrize(("name", "shown"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_escaped_in_tooltips(tmp_path: Path, name: bytes, shown: str) -> None:
    """A tooltip is HTML in which a name is text: its only tags are our own line breaks."""
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(b"events: Ir\n\nob=%s\nfl=%s\nfn=%s\n1 1\n" % ((name,) * 3))

    tip = (
        function_model(ProfileQueries(load(path))).index(0, NAME).data(Qt.ItemDataRole.ToolTipRole)
    )

    assert re.findall("<[^>]*>", tip) == ["<qt>", "<br>", "<br>", "</qt>"]
    assert (tip.isprintable(), len(tip) < 15_000) == (True, True)


def test_tooltip_tells_everything_in_full(tmp_path: Path) -> None:
    """The tooltip of a row has name, full paths and cycle; unknown ones are left out."""
    model = model_from(tmp_path)
    model.sort(NAME, ASCENDING)

    tips = [model.index(row, NAME).data(Qt.ItemDataRole.ToolTipRole) for row in (0, 1, 3)]

    assert tips == [
        "<qt>&lt;cycle 1&gt;<br>2 members</qt>",
        "<qt>fast<br>File: src/b.c<br>Object: /bin/prog</qt>",
        "<qt>ping<br>In recursion cycle 1</qt>",
    ]


class CountingModel(FunctionModel):
    """Counts how often a cell is requested."""

    asked = 0

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        self.asked += 1
        return super().data(index, role)


@pytest.mark.slow
def test_a_hundred_thousand_rows_sort_and_filter_by_arrays_alone(tmp_path: Path) -> None:
    """Sorting and filtering requests no cell: one request per row would take seconds."""
    count = 100_000
    path = write_many_functions(tmp_path / "callgrind.out.1", count)
    queries = ProfileQueries(load(path))
    model = function_model(queries, kind=CountingModel)
    kept = QPersistentModelIndex(model.index(0, 0))

    model.sort(NAME, ASCENDING)
    by_name = model.order.copy()
    model.set_filter(containing(queries, "9999"))
    filtered = model.rowCount()
    model.sort(SELF, ASCENDING)
    model.set_filter(None)

    assert isinstance(model, CountingModel)
    assert model.asked == 0
    assert by_name.tolist() == sorted(range(count), key=lambda f: queries.names.name(f))
    assert filtered == sum("9999" in f"name{n * 7919 % count}" for n in range(1, count + 1))
    assert not kept.isValid() or count - 1 == kept.row()
    assert model.index(count - 1, SELF).data() == f"100{THIN}000"


def test_largest_text_is_of_the_cost_furthest_from_zero(tmp_path: Path) -> None:
    """Columns are as wide as their largest number, the smallest integer included."""
    model = model_from(tmp_path, f"a 5\nb {INT64_MINIMUM}\nc 99")

    assert model.largest_text(SELF) == f"{INT64_MINIMUM:,}".replace(",", THIN)


def test_other_costs_replace_the_shown_ones_and_sort_anew(tmp_path: Path, qtbot: Any) -> None:
    """After a change of event every cell is updated, in the order of the new costs."""
    queries = queries_for(tmp_path, "events: Ir Dr\na 1,30\nb 2,20\nc 3,10")
    model = function_model(queries)

    with qtbot.waitSignals([model.layoutChanged, model.dataChanged]):
        model.set_costs(function_rows(queries, "Dr"), cost_format(queries, "Dr"), NO_FORMAT)

    assert dump_rows(model, SELF, NAME) == ["30 | a", "20 | b", "10 | c"]


def test_empty_model_shows_nothing_and_survives_every_change() -> None:
    """A model without a profile has no row, and accepts sorting and filters all the same."""
    model = FunctionModel()

    model.sort(NAME, ASCENDING)
    model.set_filter(np.empty(0, np.bool_))
    model.set_costs(NO_ROWS, base(0), NO_FORMAT)

    assert (dump_rows(model), model.index_of_function(0).isValid()) == ([], False)


def test_second_event_has_columns_of_its_own(tmp_path: Path) -> None:
    """A second event has its own titled columns beside the first, with percentages of its total."""
    queries = queries_for(tmp_path, FIVE)
    model = FunctionModel()
    formats = [cost_format(queries, event, percent=True) for event in ("Ir", "Dr")]

    model.set_rows(function_rows(queries, "Ir", "Dr"), *formats)
    model.sort(FunctionModel.SECOND_SELF, DESCENDING)

    assert titles(model, all_columns=True) == [
        "Incl. %",
        "Self %",
        "Dr incl. %",
        "Dr self %",
        "Called",
        "Incl. per call",
        "Self per call",
        "Function",
        "Location",
    ]
    assert dump_rows(model, *range(4), CALLED, NAME) == [
        " |  | 83.33 | 83.33 | 1 | <cycle 1>",
        " |  | 50.00 | 50.00 | 2 | pong <cycle 1>",
        " |  | 33.33 | 33.33 | 2 | ping <cycle 1>",
        "50.00 | 50.00 | 91.67 | 8.33 | 1 | slow",
        "40.00 | 40.00 | 6.67 | 6.67 | 3 | fast",
        "100.00 | 10.00 | 100.00 | 1.67 | 0 | main",
    ]


def test_optional_columns_are_hidden_by_default(tmp_path: Path) -> None:
    """Columns of the second event and of averages are hidden by default; the others are shown."""
    model = model_from(tmp_path)

    optional = [c for c in lasting_columns(model) if model.columns[c].is_optional]

    assert optional == [
        FunctionModel.SECOND_INCLUSIVE,
        FunctionModel.SECOND_SELF,
        FunctionModel.PER_CALL,
        FunctionModel.SELF_PER_CALL,
    ]


def test_cost_of_one_call_is_whole_and_absolute(tmp_path: Path) -> None:
    """An average is rounded down, never a percentage; without calls, one call is assumed."""
    queries = queries_for(tmp_path, "main 10 -> f 3x50\nf 50")
    model = function_model(queries)
    model.set_costs(model.rows, base(60), NO_FORMAT)

    model.sort(FunctionModel.PER_CALL, ASCENDING)

    columns = (FunctionModel.PER_CALL, FunctionModel.SELF_PER_CALL, NAME)
    assert dump_rows(model, *columns) == ["16 | 16 | f", "60 | 10 | main"]
    assert model.plain_text(model.index(0, FunctionModel.PER_CALL)) == "16"


def test_self_percentages_are_of_a_base_for_each_function(tmp_path: Path) -> None:
    """If each function has a base of its own, self costs and their bars are shares of it."""
    queries = queries_for(tmp_path, "main 10 -> f 1x30, g 1x60\nf 30\ng 60")
    rows = replace(function_rows(queries), self_base=np.array([10, 90, 90], np.int64))
    model = FunctionModel()

    model.set_rows(rows, base(100), NO_FORMAT)
    model.sort(SELF, ASCENDING)

    assert dump_rows(model, 0, SELF, NAME) == [
        "100.00 | 100.00 | main",
        "30.00 | 33.33 | f",
        "60.00 | 66.67 | g",
    ]
    shares = [model.index(row, SELF).data(Role.SHARE) for row in range(3)]
    assert shares == [1.0, 1 / 3, 2 / 3]


def test_cycle_is_a_row_behind_the_functions(tmp_path: Path) -> None:
    """A cycle is a row with the sums of its members; without cycle detection there is none."""
    text = "main 1 -> a 2x55\na 10 -> b 3x50, leaf 1x5\nb 20 -> a 1x25, leaf 1x20\nleaf 25"
    queries = queries_for(tmp_path, text)
    model = function_model(queries)
    model.sort(NAME, ASCENDING)
    with_cycles = dump_rows(model)

    model.set_rows(
        function_rows(queries, scope=Scope(cycles=False)), cost_format(queries), NO_FORMAT
    )

    assert with_cycles == [
        "55 | 30 | 2 | <cycle 1> | 2 members",
        "15 | 10 | 3 | a <cycle 1> | ???",
        "40 | 20 | 3 | b <cycle 1> | ???",
        "25 | 25 | 2 | leaf | ???",
        "56 | 1 | 0 | main | ???",
    ]
    assert dump_rows(model, NAME) == ["a", "b", "leaf", "main"]
    assert model.index_of_function(queries.function_count).isValid() is False


def test_selected_function_is_highlighted(tmp_path: Path) -> None:
    """The row of the selected function is highlighted in any sort order, and no other."""
    queries = queries_for(tmp_path, FIVE)
    model = function_model(queries)

    model.highlight(queries.names.with_name("slow")[0])
    by_cost = [(line, model.index(row, 0).data(Role.HIGHLIGHT)) for row, line in _named(model)]
    model.sort(NAME, DESCENDING)
    by_name = [(line, model.index(row, 4).data(Role.HIGHLIGHT)) for row, line in _named(model)]
    model.highlight(-1)

    assert [name for name, marked in by_cost if marked is not False] == ["slow"]
    assert [name for name, marked in by_name if marked is not False] == ["slow"]
    assert [model.index(row, 0).data(Role.HIGHLIGHT) for row in range(6)] == [False] * 6


def _named(model: FunctionModel) -> list[tuple[int, str]]:
    return list(enumerate(dump_rows(model, NAME)))


def test_equal_highlight_updates_no_cell(tmp_path: Path, qtbot: Any) -> None:
    """Selecting the same function again updates no cell; another selection updates every cell."""
    model = model_from(tmp_path)
    with qtbot.waitSignal(model.dataChanged) as drawn_anew:
        model.highlight(2)

    with qtbot.assertNotEmitted(model.dataChanged):
        model.highlight(2)

    corners = [(index.row(), index.column()) for index in drawn_anew.args[:2]]
    assert corners == [(0, 0), (5, FunctionModel.LOCATION)]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (ASCENDING, ["-1.000 | low", "0 | zero", "2.500 | high", "– | nothing", "– | none"]),
        (DESCENDING, ["2.500 | high", "0 | zero", "-1.000 | low", "– | nothing", "– | none"]),
    ],
)
def test_undefined_ratio_is_last_in_both_directions(
    tmp_path: Path, order: Qt.SortOrder, expected: list[str]
) -> None:
    """A division by 0 is a dash, and comes after all numbers in both directions."""
    text = "events: Dr Ir\nnothing 7,0\nlow -4,4\nhigh 5,2\nnone 0,0\nzero 0,9"
    queries = queries_for(tmp_path, text)
    queries.set_user_events([UserEvent("Rate", "", "Dr / Ir")])

    model = function_model(queries, "Rate")
    model.sort(SELF, order)

    assert dump_rows(model, SELF, NAME) == expected
    assert len(model.largest_text(SELF)) > len("-1.000")
    assert titles(model)[:2] == ["Incl.", "Self"]
    assert {model.index(row, SELF).data(Role.SHARE) for row in range(5)} == {0.0}


def test_cells_for_other_programs_have_plain_numbers_and_whole_names(tmp_path: Path) -> None:
    """Copied cells have whole numbers, whatever unit is shown, for use in a spreadsheet."""
    queries = queries_for(tmp_path, "events: Ir Dr\nmain@a.c@/bin/prog 1234567,5 -> f 1000x98765,4")
    model = FunctionModel()
    style = NumberStyle(use_si_prefixes=True)
    formats = [
        replace(cost_format(queries, event, percent=True), style=style) for event in ("Ir", "Dr")
    ]
    model.set_rows(function_rows(queries, "Ir", "Dr"), *formats)
    model.sort(SELF, DESCENDING)

    cells = [
        [model.plain_text(model.index(row, column)) for column in lasting_columns(model)]
        for row in range(2)
    ]

    assert cells == [
        ["1333332", "1234567", "9", "5", "0", "1333332", "1234567", "main", "prog: a.c"],
        ["98765", "0", "4", "0", "1000", "98", "0", "f", "???"],
    ]


def test_cells_for_other_programs_are_exact_beyond_64_bits(tmp_path: Path) -> None:
    """A copied cost is exact, however large."""
    misses = 2**60 + 1
    model = model_from(tmp_path, f"events: Ir ILmr\nbig 7,{misses}\nsmall 5,0", "CEst")
    model.sort(SELF, DESCENDING)

    assert model.plain_text(model.index(0, SELF)) == str(7 + 100 * misses)


def test_names_have_the_colour_of_their_group(tmp_path: Path, qtbot: Any) -> None:
    """Names in one group have one colour, other groups others; and only names have one."""
    queries = queries_for(tmp_path, "a@x.c@/bin/one 4\nb@y.c@/bin/one 3\nc@z.c@/lib/two 2")
    model = function_model(queries)
    model.sort(NAME, ASCENDING)
    decoration = Qt.ItemDataRole.DecorationRole

    with qtbot.waitSignal(model.dataChanged):
        groups = queries.groups(Grouping.OBJECT, WHOLE_SCOPE)
        model.set_colors(
            lambda node: GroupPalette().group(groups.names[groups.group_of_node[node]])
        )
    colors = [model.index(row, NAME).data(decoration) for row in range(3)]
    others = {model.index(0, column).data(decoration) for column in (0, SELF, CALLED)}
    model.set_colors(None)

    assert (colors[0], colors[0] == colors[2], others) == (colors[1], False, {None})
    assert model.index(0, NAME).data(decoration) is None


def test_function_model_is_cleared(tmp_path: Path) -> None:
    """Clearing removes all functions, and the filter on them."""
    queries = queries_for(tmp_path, FIVE)
    model = function_model(queries)
    model.set_filter(containing(queries, "s"))

    model.clear()
    emptied = (dump_rows(model), model.record_count)
    model.set_rows(function_rows(queries), cost_format(queries), NO_FORMAT)

    assert (emptied, model.rowCount()) == (([], 0), 6)


def test_names_for_other_programs_are_whole(tmp_path: Path) -> None:
    """A copied name is not truncated like a cell: names of templates are often longer."""
    name = "std::map<" + "int," * 200 + "int>::find"

    model = model_from(tmp_path, f"{name} 1")

    assert model.plain_text(model.index(0, NAME)) == name
