"""The list of functions: what it shows, how it sorts and filters, what stays current."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.formats.loading import load
from qcachegrind_py.models.functions import FunctionModel
from qcachegrind_py.models.table import AnyIndex, Role
from qcachegrind_py.profile.tables import BoolArray
from tests.drawn import (
    THIN,
    asked,
    dump,
    function_model,
    function_rows,
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


def drawn(folder: Path, drawing: str = FIVE, event: str = "Ir") -> FunctionModel:
    """A model that shows the drawing."""
    return function_model(asked(folder, drawing), event)


def containing(questions: Questions, text: str) -> BoolArray:
    """Which functions have the text in their names."""
    names = map(questions.names.name, range(len(questions.names)))
    return np.array([text in name for name in names], np.bool_)


def test_function_model_keeps_all_promises_that_qt_asks_of_a_model(
    qtmodeltester: Any, tmp_path: Path
) -> None:
    """A model answers every question of Qt without contradiction."""
    model = drawn(tmp_path)

    qtmodeltester.check(model)


def test_function_model_keeps_its_promises_while_it_changes(tmp_path: Path, qtbot: Any) -> None:
    """Each change of sorting, filter, costs and profile is announced as Qt asks for."""
    questions = asked(tmp_path, FIVE)
    model = FunctionModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)

    model.set_functions(questions.names, *function_rows(questions))
    kept = [QPersistentModelIndex(model.index(row, 1)) for row in range(model.rowCount())]
    for column in range(model.columnCount()):
        model.sort(column, ASCENDING)
        model.set_filter(containing(questions, "p"))
        model.sort(column, DESCENDING)
        model.set_costs(*function_rows(questions, "Dr"))
        model.set_unit(7, column % 2 == 0)
        model.set_filter(None)
    model.set_functions(questions.names, *function_rows(questions))

    assert [index.isValid() for index in kept] == [False] * 5
    assert tester.model() is model


def test_function_model_shows_costs_as_they_are(tmp_path: Path) -> None:
    """Each function is a row of its inclusive and self cost, called count, name and place."""
    model = drawn(tmp_path, FIVE, "Dr")
    model.sort(FunctionModel.INCLUSIVE, DESCENDING)

    assert dump(model) == [
        "60 | 1 | 0 | main | prog: a.c",
        "55 | 5 | 1 | slow | b.c",
        "30 | 30 | 2 | pong <cycle 1> | ???",
        "20 | 20 | 2 | ping <cycle 1> | ???",
        "4 | 4 | 3 | fast | prog: b.c",
    ]


def test_function_model_shows_percentages_of_the_base(tmp_path: Path) -> None:
    """As percentages, costs are shares of the total, with two digits; counts stay counts."""
    model = drawn(tmp_path, FIVE, "Dr")
    model.set_unit(60, True)

    assert dump(model) == [
        "100.00 | 1.67 | 0 | main | prog: a.c",
        "91.67 | 8.33 | 1 | slow | b.c",
        "50.00 | 50.00 | 2 | pong <cycle 1> | ???",
        "33.33 | 33.33 | 2 | ping <cycle 1> | ???",
        "6.67 | 6.67 | 3 | fast | prog: b.c",
    ]


def test_titles_say_percent_where_costs_are_percentages(tmp_path: Path, qtbot: Any) -> None:
    """The header of a column of costs says whether they are percentages, and announces it."""
    model = drawn(tmp_path)
    absolute = titles(model)

    with qtbot.waitSignal(model.headerDataChanged) as announced:
        model.set_unit(60, True)

    assert absolute == ["Incl.", "Self", "Called", "Function", "Location"]
    assert titles(model) == ["Incl. %", "Self %", "Called", "Function", "Location"]
    assert announced.args == [Qt.Orientation.Horizontal, 0, 4]


def test_digits_stand_in_groups_of_three(tmp_path: Path) -> None:
    """Thousands are set apart by a thin space, in costs and in counts."""
    model = drawn(tmp_path, "main 1234567 -> f 1000x98765\nf 98765")

    assert [
        f"1{THIN}333{THIN}332 | 1{THIN}234{THIN}567 | 0 | main",
        f"98{THIN}765 | 98{THIN}765 | 1{THIN}000 | f",
    ] == dump(model, 0, 1, 2, 3)


@pytest.mark.parametrize(
    ("order", "expected"),
    [(ASCENDING, ["c", "a", "d", "b", "e"]), (DESCENDING, ["b", "e", "a", "d", "c"])],
)
def test_sort_keeps_the_order_of_equal_costs(
    tmp_path: Path, order: Qt.SortOrder, expected: list[str]
) -> None:
    """Equal costs keep the order of the file, whichever way one sorts."""
    model = drawn(tmp_path, "a 5\nb 9\nc 1\nd 5\ne 9")

    model.sort(SELF, order)

    assert dump(model, NAME) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [(ASCENDING, ["low", "zero", "high"]), (DESCENDING, ["high", "zero", "low"])],
)
def test_sort_puts_the_smallest_integer_at_the_end(
    tmp_path: Path, order: Qt.SortOrder, expected: list[str]
) -> None:
    """The smallest integer, of which there is no opposite, sorts as smaller than all others."""
    model = drawn(tmp_path, f"zero 0\nlow {INT64_MINIMUM}\nhigh {2**63 - 1}")

    model.sort(SELF, order)

    assert dump(model, NAME) == expected


def test_sort_by_name_takes_upper_and_lower_case_alike(tmp_path: Path) -> None:
    """Names sort as in a dictionary, not by the numbers of their letters."""
    model = drawn(tmp_path, "beta 1\nAlpha 2\nalpha2 3\nGamma 4")

    model.sort(NAME, ASCENDING)

    assert dump(model, NAME) == ["Alpha", "alpha2", "beta", "Gamma"]


def test_filter_keeps_the_order_and_the_costs(tmp_path: Path) -> None:
    """A filter leaves rows out and changes nothing of the others."""
    questions = asked(tmp_path, FIVE)
    model = function_model(questions)
    model.sort(NAME, DESCENDING)

    model.set_filter(containing(questions, "s"))

    assert dump(model, 1, NAME) == ["50 | slow", "40 | fast"]
    assert model.record_count == 5


CHANGES: dict[str, Callable[[FunctionModel, Questions], None]] = {
    "sort": lambda model, _questions: model.sort(NAME, ASCENDING),
    "sort the other way": lambda model, _questions: model.sort(0, ASCENDING),
    "filter": lambda model, questions: model.set_filter(containing(questions, "s")),
    "event": lambda model, questions: model.set_costs(*function_rows(questions, "Dr")),
    "unit": lambda model, _questions: model.set_unit(60, True),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_current_function_stays_current(
    tmp_path: Path, change: Callable[[FunctionModel, Questions], None]
) -> None:
    """The current function stays the current one, in the same column, whatever moves its row."""
    questions = asked(tmp_path, FIVE)
    model = function_model(questions)
    model.sort(SELF, DESCENDING)
    slow = questions.names.named("slow")[0]
    current = QPersistentModelIndex(model.index_of_record(slow, CALLED))

    change(model, questions)

    row = dump(model, NAME).index("slow")
    assert (row, CALLED, slow) == (current.row(), current.column(), current.data(Role.FUNCTION))


def test_current_function_that_is_filtered_out_is_current_no_more(tmp_path: Path) -> None:
    """An index of a row that is filtered out becomes invalid, and never another row's."""
    questions = asked(tmp_path, FIVE)
    model = function_model(questions)
    slow = questions.names.named("slow")[0]
    current = QPersistentModelIndex(model.index_of_record(slow))

    model.set_filter(containing(questions, "fast"))

    assert not current.isValid()
    assert not model.index_of_function(slow).isValid()


def test_function_of_each_row_is_found_again(tmp_path: Path) -> None:
    """Row to function and function to row lead back to where one began, in any order."""
    model = drawn(tmp_path)
    model.sort(NAME, ASCENDING)

    functions = [model.index(row, 0).data(Role.FUNCTION) for row in range(5)]

    assert list(range(5)) == [model.index_of_function(f).row() for f in functions]
    assert set(map(type, functions)) == {int}


def test_share_is_a_length_from_0_to_1(tmp_path: Path) -> None:
    """Bars are never longer than the cell nor shorter than nothing, negative costs included."""
    model = drawn(tmp_path, "summary: 100\nmain 50 -> f 1x75\nf 25\ng -30\nh 400")
    model.set_unit(100, True)

    shares = {
        model.index(row, NAME).data(): model.index(row, SELF).data(Role.SHARE) for row in range(4)
    }

    assert shares == {"main": 0.5, "f": 0.25, "g": 0.0, "h": 1.0}
    assert [model.index(row, CALLED).data(Role.SHARE) for row in range(4)] == [None] * 4


def test_share_without_a_base_is_nothing(tmp_path: Path) -> None:
    """Where the total is 0, there is a dash and no bar, not an error."""
    model = drawn(tmp_path, "main 0")
    model.set_unit(0, True)

    assert (dump(model, 0, 1), model.index(0, 0).data(Role.SHARE)) == (["– | –"], 0.0)


@pytest.mark.parametrize("cost", [2**53 + 1, 2**62 + 3, 2**63 - 1, INT64_MINIMUM, -(2**53) - 1])
def test_costs_are_shown_to_the_last_digit(tmp_path: Path, cost: int) -> None:
    """A cost that no float holds is shown exactly."""
    model = drawn(tmp_path, f"main {cost}")

    assert dump(model, SELF) == [f"{cost:,}".replace(",", THIN)]


def test_derived_costs_beyond_64_bits_are_shown_to_the_last_digit(tmp_path: Path) -> None:
    """A derived cost is a sum of products, and is exact where it does not fit 64 bits."""
    misses = 2**57 + 1
    drawing = f"events: Ir ILmr\nmain 0,1\nbig 7,{misses}\nsmall 5,0"

    model = drawn(tmp_path, drawing, "CEst")
    model.sort(SELF, DESCENDING)

    expected = [f"{cost:,}".replace(",", THIN) for cost in (7 + 100 * misses, 100, 5)]
    assert dump(model, SELF) == expected


HOSTILE = {
    "HTML": (b"<b>bold</b><img src=x>", "<b>bold</b><img src=x>"),
    "template": (b"std::vector<int>", "std::vector<int>"),
    "control characters": (b"a\x01\x1b[31mb\tc", "a\ufffd\ufffd[31mb\ufffdc"),
    "right-to-left override": ("a\u202egnp.exe".encode(), "a\ufffdgnp.exe"),
    "line separator": ("a\u2028b\u2029c\x85d".encode(), "a\ufffdb\ufffdc\ufffdd"),
    "not UTF-8": (b"caf\xe9", "caf\ufffd"),
    "NUL": (b"a\x00b", "a\ufffdb"),
    "very long": (b"x" * 100_000, "x" * 400 + "…"),
}


@pytest.mark.parametrize(("name", "shown"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_one_line_of_plain_text(tmp_path: Path, name: bytes, shown: str) -> None:
    """A name is shown as it is, in one line of bounded length, whatever bytes it is made of."""
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(b"events: Ir\n\nob=/lib/%s\nfl=%s\nfn=%s\n1 1\n" % ((name,) * 3))

    model = function_model(Questions(load(path)))

    place = model.index(0, FunctionModel.LOCATION).data()
    assert dump(model, NAME) == [shown]
    assert (place.isprintable(), len(place) <= 401) == (True, True)


@pytest.mark.parametrize(("name", "shown"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_escaped_in_tooltips(tmp_path: Path, name: bytes, shown: str) -> None:
    """A tooltip is HTML in which a name is text: it holds no tag but our own line breaks."""
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(b"events: Ir\n\nob=%s\nfl=%s\nfn=%s\n1 1\n" % ((name,) * 3))

    tip = function_model(Questions(load(path))).index(0, 0).data(Qt.ItemDataRole.ToolTipRole)

    assert re.findall("<[^>]*>", tip) == ["<qt>", "<br>", "<br>", "</qt>"]
    assert (tip.isprintable(), len(tip) < 15_000) == (True, True)


def test_tooltip_tells_everything_in_full(tmp_path: Path) -> None:
    """The tooltip of a row has name, full paths and cycle; what is not known is left out."""
    model = drawn(tmp_path)
    model.sort(NAME, ASCENDING)

    tips = [model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in (0, 2)]

    assert tips == [
        "<qt>fast<br>File: src/b.c<br>Object: /bin/prog</qt>",
        "<qt>ping<br>In recursion cycle 1</qt>",
    ]


class CountingModel(FunctionModel):
    """Counts how often it is asked for a cell."""

    asked = 0

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        self.asked += 1
        return super().data(index, role)


def test_a_hundred_thousand_rows_sort_and_filter_by_arrays_alone(tmp_path: Path) -> None:
    """Sorting and filtering asks for no cell: that a row, it would take seconds."""
    count = 100_000
    path = write_many_functions(tmp_path / "callgrind.out.1", count)
    questions = Questions(load(path))
    model = function_model(questions, kind=CountingModel)
    kept = QPersistentModelIndex(model.index(0, 0))

    model.sort(NAME, ASCENDING)
    by_name = model.order.copy()
    model.set_filter(containing(questions, "9999"))
    filtered = model.rowCount()
    model.sort(SELF, ASCENDING)
    model.set_filter(None)

    assert isinstance(model, CountingModel)
    assert model.asked == 0
    assert by_name.tolist() == sorted(range(count), key=lambda f: questions.names.name(f))
    assert filtered == sum("9999" in f"name{n * 7919 % count}" for n in range(1, count + 1))
    assert not kept.isValid() or count - 1 == kept.row()
    assert model.index(count - 1, SELF).data() == f"100{THIN}000"


def test_largest_text_is_of_the_cost_furthest_from_zero(tmp_path: Path) -> None:
    """Columns are as wide as their largest number, the smallest integer included."""
    model = drawn(tmp_path, f"a 5\nb {INT64_MINIMUM}\nc 99")

    assert model.largest_text(SELF) == f"{INT64_MINIMUM:,}".replace(",", THIN)


def test_other_costs_replace_the_shown_ones_and_sort_anew(tmp_path: Path, qtbot: Any) -> None:
    """After a change of event every cell is drawn anew, in the order of the new costs."""
    questions = asked(tmp_path, "events: Ir Dr\na 1,30\nb 2,20\nc 3,10")
    model = function_model(questions)

    with qtbot.waitSignals([model.layoutChanged, model.dataChanged]):
        model.set_costs(*function_rows(questions, "Dr"))

    assert dump(model, SELF, NAME) == ["30 | a", "20 | b", "10 | c"]


def test_empty_model_shows_nothing_and_survives_every_change() -> None:
    """A model without a profile has no row, and takes sorting and filters all the same."""
    model = FunctionModel()

    model.sort(NAME, ASCENDING)
    model.set_filter(np.empty(0, np.bool_))
    model.set_unit(0, True)

    assert (dump(model), model.index_of_function(0).isValid()) == ([], False)
