"""Text for people: columns, elision and bold."""

from __future__ import annotations

import io

import pytest

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.function_report import function_page
from qcachegrind_py.present.page import Page
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.write.text import (
    PLAIN_TEXT,
    TextLayout,
    columns_of,
    left_aligned,
    write_page,
)
from tests.hostile_names import REAL_NAMES
from tests.profile_rows import profile_from

TERMINAL = TextLayout(80, True)
ACUTE = "e\N{COMBINING ACUTE ACCENT}"


@pytest.mark.parametrize(
    ("text", "width", "fitted"),
    [
        ("main", 4, "main"),
        ("operator new", 9, "oper… new"),
        ("operator new", 8, "oper…new"),
        ("main", 1, "…"),
        ("main", 2, "m…"),
        ("main", 0, "…"),
        ("", 0, ""),
        ("数据处理函数", 12, "数据处理函数"),
        ("数据处理函数", 11, "数据…函数"),
        ("数据处理函数", 10, "数据…函数"),
        ("数据处理函数", 6, "数…数"),
        (ACUTE * 5, 5, ACUTE * 5),
        (ACUTE * 5, 4, f"{ACUTE * 2}…{ACUTE}"),
        (f"a{ACUTE}c{ACUTE}", 2, "a…"),
    ],
)
def test_long_text_loses_its_middle(text: str, width: int, fitted: str) -> None:
    """Text has at most so many columns: wide characters take two, combining marks none."""
    assert TERMINAL.fit(text, width) == fitted
    assert columns_of(fitted) <= max(1, width)


@pytest.mark.parametrize(("name", "columns"), [("Persian", 7), ("German", 12), ("Chinese", 4)])
def test_columns_of_names(name: str, columns: int) -> None:
    """Joiners, which are left in words that need them, take no column."""
    assert columns_of(REAL_NAMES[name]) == columns


@pytest.mark.parametrize("layout", [PLAIN_TEXT, TERMINAL])
def test_control_characters_are_never_written(layout: TextLayout) -> None:
    """An escape sequence in a name reaches no terminal; neither do line breaks."""
    assert layout.fit("a\x1b[31m\nb\u202e", 30) == r"a\x1b[31m\x0ab\u202e"
    assert layout.name("a\x1b]0;x\x07") == r"a\x1b]0;x\x07"


def test_text_without_a_width_is_whole() -> None:
    """In a pipe, nothing is elided and nothing is bold."""
    name = "f" * 500
    assert (PLAIN_TEXT.fit(name, 8), PLAIN_TEXT.name(name, 90)) == (name, name)
    assert (PLAIN_TEXT.hot("12"), PLAIN_TEXT.cost("12", 100.0)) == ("12", "12")


def test_a_name_fills_the_line() -> None:
    """A name gets what is left of the line, but never so little that it says nothing."""
    name = "a" * 100 + "z" * 100
    assert TERMINAL.name(name, used=60) == f"{'a' * 10}…{'z' * 9}"
    assert columns_of(TERMINAL.name(name, used=79)) == 16


@pytest.mark.parametrize(
    ("width", "written"),
    [
        (None, r"operator new (/lib/libc++.so: /src/new\x1b.cpp)"),
        (65, r"operator new (/lib/libc++.so: /src/new\x1b.cpp)"),
        (64, r"operator new (libc++.so: new\x1b.cpp)"),
        (51, "operator new"),
        (30, "operator new"),
    ],
)
def test_a_location_gives_way_to_the_name(width: int | None, written: str) -> None:
    """Where a line is short, paths lose their folders, then the location is left out."""
    layout = TextLayout(width, False)
    location = ("/src/new\x1b.cpp", "/lib/libc++.so")
    assert layout.located_name("operator new", *location, used=18) == written


@pytest.mark.parametrize(
    ("width", "written"),
    [(61, "std::map<int,…>::find(std::string const&)"), (40, "std::map<…>::find(…)")],
)
def test_a_name_keeps_what_tells_the_function(width: int, written: str) -> None:
    """As in the lists of the window, arguments, parameters and scope go, and its own name stays."""
    name = "std::map<int, std::less<int>, std::allocator<int> >::find(std::string const&)"
    layout = TextLayout(width, False)
    assert layout.located_name(name, "/src/map.h", "/bin/app", used=20) == written


def test_code_loses_its_end() -> None:
    """The beginning of a line of code says most of it, and shows how far it is indented."""
    line = "    for (int year = 0; year < 25; year++) {"
    assert TextLayout(40, False).code(line, used=20) == "    for (int year =…"
    assert TextLayout(40, False).code(line, used=39) == "    for (int ye…"
    assert TextLayout(64, False).code(line, used=20) == PLAIN_TEXT.code(line, used=20) == line


def test_a_path_loses_its_beginning() -> None:
    """The file says more than its folders."""
    path = "/usr/lib/x86_64-linux-gnu/libgvc.so.6.0.0"
    assert TextLayout(50, False).path(path, used=20) == "…_64-linux-gnu/libgvc.so.6.0.0"
    assert TextLayout(61, False).path(path, used=20) == PLAIN_TEXT.path(path, used=20) == path


def test_sentences_wrap() -> None:
    """Text that has to be read whole takes several lines, broken at blanks, each of which fits."""
    command = "valgrind  --tool=callgrind ./a " + "b" * 30
    assert TextLayout(32, False).wrapped(command, 4) == [
        "valgrind  --tool=callgrind",
        "./a bbbbbbbbbbbbbbbbbbbbbbbb",
        "bbbbbb",
    ]
    assert PLAIN_TEXT.wrapped(command, 4) == [command]
    assert TERMINAL.wrapped("", 4) == [""]


def test_hot_costs_are_bold() -> None:
    """A cost is bold from 5 % of the total on."""
    assert TERMINAL.cost("4", 4.99) == "4"
    assert TERMINAL.cost("5", 5.0) == TERMINAL.hot("5") == "\x1b[1m5\x1b[0m"
    assert TextLayout(80, False).cost("5", 5.0) == "5"


@pytest.mark.parametrize("text", ["ab", "数", ACUTE + "b"])
def test_columns_align(text: str) -> None:
    """Texts of two columns are followed by as many blanks, whatever their characters."""
    assert left_aligned(text, 4) == text + "  "
    assert left_aligned(text, 1) == text


THREE_EVENTS = """
    events: Ir Dr Dw
    ob=prog
    fl=a.c
    fn=main
    1 1000000 200000 100000
    cfn=Tree<int>::grow(int)
    calls=10 1
    2 500000 1 2
    fn=Tree<int>::grow(int)
    5 500000 1 2
    """


@pytest.mark.parametrize(
    ("width", "events", "titles"),
    [
        (None, 3, "Ir Dr Dw|Incl. % Self % Incl. % Self % Incl. % Self % Called Function"),
        (120, 3, "Ir Dr|Incl. % Self % Incl. % Self % Function|Dw|Incl. % Self % Called Function"),
        (
            80,
            3,
            "Ir|Incl. % Self % Function|Dr|Incl. % Self % Function|"
            "Dw|Incl. % Self % Called Function",
        ),
        (80, 1, "Ir|Incl. % Self % Called Function"),
        (40, 1, "Ir|Incl. % Function|Ir|Self % Function|Called Function"),
    ],
)
def test_columns_fit_the_width(width: int | None, events: int, titles: str) -> None:
    """Events that have no room beside each other follow below, with the names again."""
    queries = ProfileQueries(profile_from(THREE_EVENTS))
    page = function_page(ReportSelection(queries, queries.events.measured[:events]))
    stream = io.StringIO()
    write_page(Page(page.blocks[1:]), stream, TextLayout(width, False))
    lines = stream.getvalue().splitlines()
    assert [" ".join(line.split()) for line in lines if line and "0" not in line] == titles.split(
        "|"
    )
    assert width is None or max(map(columns_of, lines)) <= width
    assert sum("main" in line for line in lines) == titles.count("Function")
