"""A small program as source and profile, and the content of a code view as text."""

from __future__ import annotations

from PySide6.QtTest import QTest

from qcachegrind_py.views.code.annotated_view import CodeView
from qcachegrind_py.views.code.code_model import CodeModel
from tests.columns import CODE_LINES
from tests.present.reference_records import CALL, LOCATION, Record, plain_records
from tests.profile_rows import DATA
from tests.profile_text import THIN, dump_rows
from tests.user_input import LEFT, NONE, double_click_row, process_events, row_position

PROGRAMS = DATA / "programs"
JUMPS = PROGRAMS / "callgrind.out.jumps-O1.xz"
INLINED = PROGRAMS / "annotate" / "callgrind.out.inlined-O2.xz"

# `twice` is inlined into main and into other, which is in another file
SOURCES: dict[str, str | bytes] = {
    "prog.c": """
        #include "inl.h"

        static int helper(int x)
        {
            return x * 2;
        }

        int main(void)
        {
            int sum = 0;
            for (int i = 0; i < 10; i++)
                sum += helper(twice(i));
            if (sum > 3)
                sum--;
            return sum;
        }
        """,
    "inl.h": """
        /* put in where it is called */
        static inline int twice(int x)
        {
            return x + x;
        }
        """,
}
PROFILE = """
    events: Ir Dr

    ob=prog
    fl=prog.c
    fn=main
    0 3 1
    10 2 0
    11 30 2
    jcnd=9/10 12
    11
    12 40 4
    fi=inl.h
    4 20 0
    fe=prog.c
    13 5 1
    cfn=helper
    calls=10 3
    12 100 10
    fn=helper
    3 20 2
    5 80 8
    fl=other.c
    fn=other
    1 10 1
    fi=inl.h
    4 7 0
    """


def lines_of(count: int, **texts: str) -> str:
    """A source with this many lines: `lines_of(9, l3="the third")`."""
    return "".join(f"{texts.get(f'l{n}', f'line {n}')}\n" for n in range(1, count + 1))


def rows(view: CodeView, *columns: int) -> list[str]:
    """One line a row: location, self cost, inclusive cost, calls and text."""
    default = view.model.places("location", "self", "inclusive", "calls", "text")
    return [line.replace(THIN, "") for line in dump_rows(view.model, *(columns or default))]


def text_column(view: CodeView) -> int:
    """The column with the code."""
    return view.model.place("text")


def location_of_row(view: CodeView, row: int) -> str:
    """The line or address of a row."""
    return str(view.model.index(row, CODE_LINES.LOCATION).data())


def row_of(view: CodeView, start: str) -> int:
    """The first row whose location or text starts like this."""
    columns = CODE_LINES.LOCATION, text_column(view)
    found = dump_rows(view.model, *columns)
    return next(
        row
        for row, line in enumerate(found)
        if start in (line.split(" | ")[0], line.split(" | ", 1)[1][: len(start)])
    )


def current(view: CodeView) -> str:
    """The line or address of the current row."""
    return location_of_row(view, view.table.currentIndex().row())


def marked_locations(view: CodeView) -> list[str]:
    """The locations of the marked rows."""
    model, texts = view.model, view.model.listing.texts
    marked = (record for record in model.order.tolist() if model.is_marked(record))
    return [location for record in marked if (location := texts.location(record))]


def is_row_visible(view: CodeView, row: int) -> bool:
    """Whether a row is fully visible."""
    table = view.table
    top = table.rowViewportPosition(row)
    return top >= 0 and top + table.rowHeight(row) <= table.viewport().height()


def click(view: CodeView, start: str) -> None:
    """Click on a visible row."""
    place = row_position(view.table, row_of(view, start))
    assert view.table.viewport().rect().contains(place)
    QTest.mouseClick(view.table.viewport(), LEFT, NONE, place)
    process_events()


def double_click(view: CodeView, start: str) -> None:
    """Double-click on a visible row."""
    double_click_row(view.table, row_of(view, start))


def shown_records(model: CodeModel) -> list[Record]:
    """The visible records of a model, from the top."""
    records = plain_records(model.listing.rows.records)
    return [records[record] for record in model.order.tolist()]


def calls_follow_location(model: CodeModel) -> bool:
    """Whether each visible call is below its location, after the calls that precede it."""
    rows = shown_records(model)
    site = None
    for before, row in zip([None, *rows], rows, strict=False):
        if row.kind == LOCATION:
            site = row.location
        elif row.kind == CALL:
            is_first = before is not None and before.kind == LOCATION
            is_next = before is not None and before.call == row.call - 1
            if site != row.location or not (is_first or is_next):
                return False
    return len({row.location for row in rows if row.kind == LOCATION}) == len(
        [row for row in rows if row.kind == LOCATION]
    )
