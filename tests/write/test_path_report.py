"""The costliest paths to functions, byte for byte: text, TSV, CSV, JSON."""

from __future__ import annotations

import io
import json
from dataclasses import replace

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.present.call_report import paths_page, paths_records, paths_table
from qcachegrind_py.present.selection import Order, ReportSelection
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.separated import OutputFormat, write_table
from qcachegrind_py.write.text import write_page
from tests.write.test_call_tables import DRAWING, node, selection_of


def paths(selection: ReportSelection, *names: str, form: OutputFormat = "text") -> str:
    """What is written about the paths to these functions."""
    stream = io.StringIO()
    nodes = [node(selection, name) for name in names]
    match form:
        case "text":
            write_page(paths_page(selection, nodes), stream)
        case "json":
            write_records(paths_records(selection, nodes), stream)
        case _:
            write_table(paths_table(selection, nodes), form, stream)
    return stream.getvalue()


def names(selection: ReportSelection, name: str) -> list[str]:
    """The names on the path to one function."""
    (path,) = json.loads(paths(selection, name, form="json"))["paths"]
    return [step["name"] for step in path]


def test_text() -> None:
    """Each step has the cost and the number of the calls from the step above."""
    assert paths(selection_of(), "leaf", "h") == (
        "Ir\n"
        "  Cost       %   Self       %     Calls  Function\n"
        "\n"
        "10,700  127.38  1,000   11.90            main (/bin/prog: a.c)\n"
        " 9,000  107.14  6,000   71.43        4x  <cycle 1> (2 members)\n"
        " 3,700   44.05  3,000   35.71            g <cycle 1> (/bin/prog: b.c)\n"
        "   700    8.33    700    8.33        2x  leaf (/lib/lib.so: b.c)\n"
        "\n"
        "10,700  127.38  1,000   11.90            main (/bin/prog: a.c)\n"
        "   700    8.33    700    8.33  (active)  h (/bin/prog: a.c)\n"
    )


def test_tables() -> None:
    """TSV and CSV number paths and steps; `cost` is that of the calls from the step above."""
    assert paths(selection_of(), "h", "<cycle 1>", form="tsv") == (
        "path\tstep\tcost\tinclusive\tself\tcount\tactive\tcycle\tname\tfile\tobject\n"
        "1\t1\t\t10700\t1000\t\t0\t0\tmain\ta.c\t/bin/prog\n"
        "1\t2\t700\t700\t700\t0\t1\t0\th\ta.c\t/bin/prog\n"
        "2\t1\t\t10700\t1000\t\t0\t0\tmain\ta.c\t/bin/prog\n"
        "2\t2\t9000\t6700\t6000\t4\t0\t1\t<cycle 1>\t\t\n"
    )
    assert paths(selection_of(events="Dr,Ir"), "h", form="csv") == (
        "path,step,cost Dr,inclusive Dr,self Dr,cost Ir,inclusive Ir,self Ir,"
        "count,active,cycle,name,file,object\r\n"
        "1,1,,91,1,,10700,1000,,0,0,main,a.c,/bin/prog\r\n"
        "1,2,0,0,0,700,700,700,0,1,0,h,a.c,/bin/prog\r\n"
    )


def test_json() -> None:
    """JSON has all measured events; the first step has no call."""
    assert json.loads(paths(selection_of(events="Dr"), "h", form="json")) == {
        "events": ["Ir", "Dr"],
        "base": {"Ir": 8400, "Dr": 111},
        "paths": [
            [
                {
                    **{"name": "main", "file": "a.c", "object": "/bin/prog", "cycle": 0},
                    "self": {"Ir": 1000, "Dr": 1},
                    "inclusive": {"Ir": 10700, "Dr": 91},
                    "call": None,
                },
                {
                    **{"name": "h", "file": "a.c", "object": "/bin/prog", "cycle": 0},
                    "self": {"Ir": 700, "Dr": 0},
                    "inclusive": {"Ir": 700, "Dr": 0},
                    "call": {"count": 0, "active": True, "inclusive": {"Ir": 700, "Dr": 0}},
                },
            ]
        ],
    }


def test_the_choice_of_events_functions_and_cycles() -> None:
    """Event, order, filter, limit and cycle detection decide where a path leads."""
    drawing = """
        events: Ir Dr
        top 0,0 -> a 1x9,1, b 1x1,9
        a 0,0 -> c 1x9,1
        b 0,0 -> c 1x1,9
        c 10,10
        """
    assert names(selection_of(drawing), "c") == ["top", "a", "c"]
    by_dr = selection_of(drawing, events="Dr")
    assert names(by_dr, "c") == ["top", "b", "c"]
    order = Order("self", by_dr.profile.events.find("Ir"))
    assert names(replace(by_dr, order=order), "c") == ["top", "a", "c"]
    assert names(selection_of(drawing, filter=parse_filter("!a")), "c") == ["top", "b", "c"]
    assert names(selection_of(drawing, limit=2), "c") == ["a", "c"]
    assert names(selection_of(drawing, limit=0), "c") == []
    assert names(selection_of(scope=Scope(cycles=False)), "leaf") == ["main", "g", "leaf"]


def test_a_path_by_a_ratio_is_that_of_the_first_event() -> None:
    """Ratios cannot be added up along a path, so it follows the first measured event."""
    selection = selection_of(DRAWING)
    selection.queries.set_user_events([UserEvent("Miss", "", "Dr / Ir")])
    ratio = selection.queries.events.find("Miss")
    assert ratio is not None
    by_ratio = ReportSelection(selection.queries, (ratio,))
    assert names(by_ratio, "leaf") == names(selection, "leaf")


def test_a_profile_without_events() -> None:
    """Where nothing was measured, no caller is costlier than others: the function stands alone."""
    assert paths(selection_of(events="Unknown"), "h").splitlines()[1:] == [
        "",
        "          h (/bin/prog: a.c)",
    ]
