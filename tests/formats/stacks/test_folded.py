from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qcachegrind_py.formats.stacks.folded import is_folded
from qcachegrind_py.profile.errors import ProfileError
from tests.formats.stacks.drawn_stacks import drawn, inclusive, load_text, total

DATA = Path(__file__).parents[2] / "data" / "stacks"


def rows(folder: Path, text: str) -> list[str]:
    profile = load_text(folder, text)
    assert not profile.diagnostics
    return [row.removeprefix("0/0; ") for row in drawn(profile)]


def test_stacks_are_summed_and_share_their_beginnings(tmp_path: Path) -> None:
    text = """\
main;parse;read 42
main;parse\t8
main;parse;read;wait 1
main;parse;reader 2
main;parse;read 3
main;write;read 4\r
"""
    assert rows(tmp_path, text) == [
        "main; parse = 8",
        "main; parse; read = 45",
        "main; parse; read; wait = 1",
        "main; parse; reader = 2",
        "main; write; read = 4",
    ]


@pytest.mark.parametrize(
    ("frame", "row"),
    [
        ("operator new(unsigned long)", "operator new(unsigned long)"),
        ("put(Ljava/lang/String;I)V", "put(Ljava/lang/String;I)V"),
        ("f(g(Ljava/a;);Ljava/b;)", "f(g(Ljava/a;);Ljava/b;)"),
        ("operator(", "operator("),  # never closed: a name as it is
        ("read_[k]", "read ([kernel])"),
        ("java/io/File.read_[j]", "java/io/File.read"),
        ("inlined_[i]", "inlined"),
        ("a[k]", "a[k]"),
        ("[libc.so.6]", "[libc.so.6] (libc.so.6)"),
        ("[unknown]", "[unknown]"),
        ("[main tid=12]", "[main tid=12]"),
        ("parse (re/__init__.py:185)", "parse re/__init__.py:185"),
        ("f(int) (a b.cpp:7)", "f(int) a b.cpp:7"),
        ("block in run - /usr/lib/ruby/a.rb:33", "block in run /usr/lib/ruby/a.rb:33"),
        ("/home/me/a.py:A.run.<locals>.f:12", "A.run.<locals>.f /home/me/a.py:12"),
        ("C:\\me\\a.py:run:12", "run C:\\me\\a.py:12"),
        ("<frozen importlib._bootstrap>:_find:11", "_find <frozen importlib._bootstrap>:11"),
        ("ns::f:12", "ns::f:12"),
        ("12", "12"),
        ("", "???"),
    ],
)
def test_of_names_only_what_one_writer_alone_writes_is_more_than_a_name(
    frame: str, row: str, tmp_path: Path
) -> None:
    assert rows(tmp_path, f"main;{frame};end 1\n") == [f"main; {row}; end = 1"]


def test_a_semicolon_behind_the_last_function_is_no_function(tmp_path: Path) -> None:
    """heaptrack writes one there."""
    profile = load_text(tmp_path, "main (alloc.c); 1\nmain (alloc.c);build (alloc.c); 30\n")
    assert inclusive(profile) == {"main (alloc.c)": (1, 31), "build (alloc.c)": (30, 30)}


def test_an_open_parenthesis_does_not_join_the_functions_after_it(tmp_path: Path) -> None:
    assert rows(tmp_path, "main;operator(;f;g 1\n") == ["main; operator(; f; g = 1"]


@pytest.mark.parametrize(
    ("roots", "threads"),
    [
        (("P12;T34", "P12;T0:35"), ("12/34", "12/35")),
        (("thread (34): Main", "thread (0x23)"), ("Main 0/34", "0/35")),
        (("tid:34", "tid:35"), ("0/34", "0/35")),
        (("T34", "worker-12"), ("T34", "worker-12")),  # comms and names are functions
    ],
)
def test_roots_that_state_threads_are_parts(
    roots: tuple[str, str], threads: tuple[str, str], tmp_path: Path
) -> None:
    first, second = roots
    text = f"{first};main;f 1\n{second};main 2\n{first};main 3\n"
    mine, other = threads
    assert rows(tmp_path, text) == [
        f"{mine}; main = 3",
        f"{mine}; main; f = 1",
        f"{other}; main = 2",
    ]


def test_a_thread_without_functions_has_its_costs(tmp_path: Path) -> None:
    assert rows(tmp_path, "P1;T2 7\nP1;T2;main 1\n") == ["1/2; (no function) = 7", "1/2; main = 1"]


@pytest.mark.parametrize(
    ("mode", "count", "events", "cost"),
    [
        ("wall", "21", ["ns"], "21000"),
        ("cpu", "21", ["ns"], "21000"),
        ("memory", "-21", ["bytes"], "-21"),
        ("full", "21,0,-4096", ["ns", "cpu", "bytes"], "21000 21000 -4096"),
        ("full", "21,1,0", ["ns", "cpu", "bytes"], "21000 0 0"),
    ],
)
def test_austin_states_what_it_measured(
    mode: str, count: str, events: list[str], cost: str, tmp_path: Path
) -> None:
    text = (
        f"# austin: 3.7.0\n# interval: 100\n# mode: {mode}\n\nP1;T2;main {count}\n# duration: 5\n"
    )
    profile = load_text(tmp_path, text)
    assert list(profile.events.names) == events
    assert drawn(profile) == [f"1/2; main = {cost}"]
    assert profile.parts[0].creator == "Austin 3.7.0"


def test_two_counts_in_every_line_are_before_and_after(tmp_path: Path) -> None:
    profile = load_text(tmp_path, "main;a 1 2\nmain;b 0 30\n")
    assert profile.events.names == ("before", "after")
    assert drawn(profile) == ["0/0; main; a = 1 2", "0/0; main; b = 0 30"]


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("# event: bytes\nmain 1\n", ("bytes", "")),
        ("# event: cpu (cpu (nanoseconds))\nmain;a 1\n", ("cpu", "cpu (nanoseconds)")),
        ("main;a 1\nmain;b 0.5\n", ("weight", "")),
    ],
)
def test_what_is_no_number_of_samples_is_not_called_so(
    text: str, event: tuple[str, str], tmp_path: Path
) -> None:
    """A comment of this program says what is counted; numbers with fractions are no samples."""
    profile = load_text(tmp_path, text)
    assert [(each.name, each.long_name) for each in profile.events.measured] == [event]
    assert profile.parts[0].samples is None


def test_samples_may_be_written_with_a_point(tmp_path: Path) -> None:
    profile = load_text(tmp_path, "main;a 1.0\nmain;b 20.0\n")
    assert (profile.parts[0].samples, total(profile)) == ({"samples": 21}, 21)


def test_a_number_before_the_count_of_some_lines_belongs_to_the_name(tmp_path: Path) -> None:
    assert rows(tmp_path, "main;a 1 2\nmain;b 30\n") == ["main; a 1 = 2", "main; b = 30"]


def test_lines_without_a_count_are_reported_and_fractions_rounded(tmp_path: Path) -> None:
    head = "main;f 1\n" * 100
    profile = load_text(tmp_path, head + "main;f 2.75\n\nmain;g\nmain;g 1e3\n# a;b 1\nmain;g 4")
    assert drawn(profile) == ["0/0; main; f = 103", "0/0; main; g = 4"]
    assert [f"{each.line}: {each.message}" for each in profile.diagnostics] == [
        "101: A cost is not a whole number; rounded.",
        "103: Not a stack with a count; left out.",
        "104: Not a stack with a count; left out.",
    ]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("a;b 1\nc 2\n", True),
        ("a;b 1", True),
        ("a 1\nb 2\n", False),  # a list of numbers: no line has several functions
        ("a;b 1\nc\n", False),
        ("# austin: 3.6.0\n", True),
        ("x = 1; y = 2\nz;\n", False),
        ("", False),
    ],
)
def test_folded_stacks_are_recognised_by_their_first_lines(text: str, is_one: bool) -> None:
    assert is_folded(text.encode()) == is_one


def test_very_deep_stacks_and_very_long_lines_are_read(tmp_path: Path) -> None:
    profile = load_text(tmp_path, "a;b 1\n" + "f;" * 10**6 + "g 2\n" + "(;" * 10**5 + "g 3\n")
    assert profile.contexts is not None
    assert profile.contexts.values.sum() == 6


def test_stacks_of_py_spy(tmp_path: Path) -> None:
    """Costs and threads are those of the file's lines, counted without what is in them."""
    text = (DATA / "pyspy.folded").read_text()
    own = Counter[str]()
    for line in text.splitlines():
        stack, count = line.rsplit(" ", 1)
        _, *functions = stack.split(";")
        own[functions[-1].rsplit(" (", 1)[0] if functions else "(no function)"] += int(count)
    profile = load_text(tmp_path, text)
    assert {name: costs[0] for name, costs in inclusive(profile).items() if costs[0]} == own
    threads = [f"{part.description('Thread')} {part.thread}" for part in profile.parts]
    assert threads == ["MainThread 30299", "sheet 30302", " 30303"]


def test_stacks_of_austin(tmp_path: Path) -> None:
    """The costs are those that speedscope shows of the same file, without its comments."""
    profile = load_text(tmp_path, (DATA / "austin.folded").read_bytes())
    assert total(profile) == (3744545 - 1227903 - 20000) * 1000
    costs = inclusive(profile)
    assert {name: costs[name][0] // 1000 for name in ("sub", "_compile", "fib", "Sheet.value")} == {
        "sub": 525674 + 20073,
        "_compile": 251502 + 81562,
        "fib": 82778 + 62713,
        "Sheet.value": 88433,
    }
    assert {name: costs[name][1] // 1000 for name in ("Thread.run", "calculate", "main")} == {
        "Thread.run": 1269526,
        "calculate": 1186744,
        "main": 1206818,
    }
    assert [(part.pid, part.thread) for part in profile.parts] == [
        (30363, 30363),
        (30363, 30365),
        (30363, 30366),
    ]


@given(
    st.lists(
        st.text("ab;() \t:#/.[]_kP1T0,-\n\r\0", max_size=30).map(lambda text: text + " 1"),
        min_size=1,
        max_size=20,
    ).map("\n".join)
)
@settings(max_examples=300, deadline=None)
def test_no_text_leads_to_another_error(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    try:
        profile = load_text(tmp_path_factory.getbasetemp(), "a;b 1\n" * 100 + text)
    except ProfileError:
        return
    assert profile.contexts is not None
    assert profile.contexts.values.sum() >= 100
