"""Explanations as text: words, terms, and the lines of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import (
    CodePlace,
    EstimateKey,
    EstimateKind,
    Measure,
    NumberKey,
    NumberKind,
    PercentageRule,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import NO_NODE, NOT_ATTRIBUTED, OTHER_CALLERS, NodeId
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.reports.explanation.pieces import plain
from qcachegrind_py.reports.explanation.records import record_groups
from qcachegrind_py.reports.explanation.text import explanation_lines
from qcachegrind_py.reports.explanation.wording import Wording
from tests.analysis.named_queries import CYCLES, event_named, node_id, queries_from
from tests.profile_rows import RECURSIVE, text_bytes
from tests.profile_text import profile_text

NO_PLACE = CodePlace()
STYLE = NumberStyle(group_separator=",")
CALLED = """
    events: Ir Dr
    part: 1
    summary: 2000 3
    fl=/src/a.c
    fn=main
    1 10 1
    cfi=/src/b.c
    cfn=f
    calls=2 1
    2 1500
    fl=/src/b.c
    fn=f
    7 900 2
    fi=/src/in.h
    3 600
    part: 2
    events: Ir Dr
    fl=/src/b.c
    fn=f
    0 40
    """


def lines(
    path: Path,
    kind: NumberKind,
    name: str,
    callee: str = "",
    *,
    event: str = "Ir",
    limit: int = 100,
    place: CodePlace = NO_PLACE,
    scope: Scope = CYCLES,
) -> list[str]:
    """The text about a number."""
    queries = ProfileQueries(q.load(path))
    queries.set_user_events([UserEvent("Sum", "", "Ir + 10 Dr")])
    other = NodeId(node_id(queries, callee, scope)) if callee else NO_NODE
    key = NumberKey(kind, NodeId(node_id(queries, name, scope)), other, place)
    explained = explain(queries, key, event_named(queries, event), scope)
    groups = record_groups(queries, explained, NoProgress(), limit)
    return list(explanation_lines(Wording(queries, scope, STYLE), explained, groups))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(text_bytes(CALLED))
    return path


def test_an_inclusive_cost(path: Path) -> None:
    """Value and share, terms, then the lines of the file by part and source line."""
    assert lines(path, NumberKind.INCLUSIVE, "f") == [
        "Inclusive cost of f, Ir: 1,540",
        "  1,540 / 2,040 = 75.49 % of the total that the file records (summary:); all self costs "
        "add up to 1,550.",
        "",
        "What all calls to the function cost; in parts where nobody called it, its self cost and "
        "what its calls cost.",
        "     40  self cost",
        "  1,500  2 calls from main",
        "",
        "part 1, /src/a.c:2: 1,500",
        f"  in {path}:",
        "    line 10: calls=2 1 / 2 1500  → 1,500",
        "part 2, /src/b.c:unknown line: 40",
        "    line 20: 0 40  → 40",
        "Sum of 2 lines of the profile: 1,540",
    ]


def test_a_derived_event(path: Path) -> None:
    """Its formula and the sums put into it; lines have the events that it consists of."""
    found = lines(path, NumberKind.SELF, "f", event="Sum", limit=1)
    assert found == [
        "Self cost of f, Sum: 1,560",
        "  1,560 / 2,070 = 75.36 % of the total that the file records (summary:); all self costs "
        "add up to 1,580.",
        "  Sum = Ir + 10 Dr",
        "  Ir = 1,540",
        "  Dr = 2",
        "",
        "part 1, /src/b.c:7: 900, 2",
        f"  in {path}:",
        "    line 13: 7 900 2  → 900, 2",
        "… and 2 more lines",
        "Sum of 3 lines of the profile: 1,540, 2",
    ]


@pytest.mark.parametrize(
    ("summary", "of_recorded", "expected"),
    [
        ("", True, "sum of all self costs, as the file records no total (summary:)."),
        (
            "summary: 9\n",
            True,
            "total that the file records (summary:), to which all self costs add up.",
        ),
        (
            "summary: 12\n",
            True,
            "total that the file records (summary:); all self costs add up to 9.",
        ),
        (
            "summary: 8\n",
            True,
            "sum of all self costs, as the total that the file records (summary:), 8, is less.",
        ),
        (
            "summary: 12\n",
            False,
            "sum of all self costs, as the settings say; the file records a total (summary:) "
            "of 12.",
        ),
    ],
)
def test_what_percentages_are_of(
    tmp_path: Path, summary: str, of_recorded: bool, expected: str
) -> None:
    """The total that the file records if that is at least the sum, and is wanted."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(f"events: Ir\n{summary}fn=main\n1 9\n")
    queries = ProfileQueries(q.load(path))
    key = NumberKey(NumberKind.SELF, NodeId(0))
    rule = PercentageRule(of_recorded=of_recorded)
    found = explain(queries, key, event_named(queries, "Ir"), CYCLES, rule)
    (share,) = Wording(queries, CYCLES, STYLE).shares(found)
    assert plain(share).partition(" % of the ")[2] == expected


def test_percentages_of_the_base(tmp_path: Path) -> None:
    """In a comparison they are of the base's total."""
    path = tmp_path / "callgrind.out.1"
    path.write_text("events: Ir\nsummary: 12\nfn=main\n1 9\n")
    queries, key = ProfileQueries(q.load(path)), NumberKey(NumberKind.SELF, NodeId(0))
    found = explain(
        queries, key, event_named(queries, "Ir"), CYCLES, PercentageRule(is_of_base=True)
    )
    (share,) = Wording(queries, CYCLES, STYLE).shares(found)
    assert plain(share) == (
        "9 / 12 = 75.00 % of the total that the base's file records (summary:); all self costs add "
        "up to 9."
    )


@pytest.mark.parametrize(
    ("threads", "expected"),
    [((1, 2), ["part 1, thread 1", "part 1, thread 2"]), ((1, 1), ["part 1", "part 2"])],
)
def test_names_of_parts(tmp_path: Path, threads: tuple[int, int], expected: list[str]) -> None:
    """As the file numbers them, and by their order where that would not tell them apart."""
    path = tmp_path / "callgrind.out.1"
    part = "version: 1\npid: 7\npart: 1\nthread: {}\n\nevents: Ir\nfn=main\n1 9\n"
    path.write_text("".join(map(part.format, threads)))
    words = Wording(ProfileQueries(q.load(path)), CYCLES, STYLE)
    assert [words.part(0), words.part(1)] == expected


def estimate_lines(drawing: str, kind: EstimateKind, *names: str, **options: object) -> list[str]:
    """The text about a number that is shared out, without percentages."""
    queries = queries_from(drawing)
    key = EstimateKey(kind, tuple(NodeId(node_id(queries, name)) for name in names), **options)  # type: ignore[arg-type]  # one of each
    explained = explain(queries, key, event_named(queries, "Ir"), CYCLES)
    found = [*explanation_lines(Wording(queries, CYCLES, STYLE), explained, [])]
    return [found[0], *found[3:]]


SHARED_OUT = """
    main 100 -> a 1x900, b 1x600
    a 300 -> leaf 3x600
    b 200 -> leaf 1x400
    leaf 500 -> deep 2x500
    deep 500
    """


def test_a_cost_on_a_path() -> None:
    """Call by call, with the formula of what is shared out, and how to record it."""
    assert estimate_lines(SHARED_OUT, EstimateKind.FRAME, "main", "a", "leaf", "deep") == [
        "Cost of deep on this path down from main, Ir: ≈\N{THIN SPACE}300",
        "How it gets there, call by call:",
        "  1,600  main: its whole inclusive cost",
        "    900  a: as recorded",
        "    600  leaf: as recorded",
        "  ≈\N{THIN SPACE}300  deep: 600 × 500 / 1,000",
        "  a × b / c: the function before has a here, of c in all; b is the cost of the calls "
        "between both.",
        "  ≈ is an estimate: only direct calls are recorded.",
    ]


def test_self_cost_and_calls_on_a_path() -> None:
    """The last line shares out something else than a cost."""
    self_cost = estimate_lines(SHARED_OUT, EstimateKind.BRANCH, "a", "leaf", measure=Measure.SELF)
    calls = estimate_lines(
        SHARED_OUT, EstimateKind.BRANCH, "a", "leaf", "deep", measure=Measure.COUNT
    )
    assert self_cost[4:6] == [
        "  ≈\N{THIN SPACE}300  leaf, self cost: 600 × 500 / 1,000",
        "  a × b / c: the function before has a here, of c in all; b is the cost of the calls "
        "between both, in the last line its self cost.",
    ]
    assert calls[3] == "  ≈\N{THIN SPACE}1  deep, calls: 600 × 2 / 1,000"


def test_a_cost_on_all_paths() -> None:
    """What each caller passes on."""
    assert estimate_lines(SHARED_OUT, EstimateKind.REACHED, "a", "deep")[1:] == [
        "What reaches deep, added up:",
        "  ≈\N{THIN SPACE}300  from leaf: 600 × 500 / 1,000",
        "  a × b / c: the function named has a here, of c in all; b is the cost of the calls "
        "between both.",
        "  ≈ is an estimate: only direct calls are recorded.",
    ]


def test_a_count(path: Path) -> None:
    """Counts have neither an event nor a share of its total."""
    assert lines(path, NumberKind.CALLED, "f")[:4] == [
        "Calls of f: 2",
        "",
        "All calls to it, as they were counted.",
        "  2  from main",
    ]


@pytest.mark.parametrize(
    ("drawing", "kind", "names", "expected"),
    [
        (
            "main 1 -> f 1x9\nf 9 -> f 2x6",
            NumberKind.INCLUSIVE,
            ["f"],
            "  2 calls of the function to itself are left out: its cost includes them.",
        ),
        (
            "main 1 -> f 1x9\nf 4 -> g 1x5\ng 5 -> f 1x3",
            NumberKind.INCLUSIVE,
            ["<1>"],
            "  2 calls inside the cycle are left out: the self costs include them.",
        ),
        (
            "main 1 -> f 1x9\nf 9",
            NumberKind.CALL_COST,
            ["main", "f"],
            "Inclusive cost of the calls from main to f, Ir: 9",
        ),
        ("main 1 -> f 3x9\nf 9", NumberKind.CALL_COUNT, ["main", "f"], "Calls from main to f: 3"),
        ("a\x1bb 5", NumberKind.SELF, ["a\x1bb"], "Self cost of a\\x1bb, Ir: 5"),
    ],
)
def test_sentences(
    tmp_path: Path, drawing: str, kind: NumberKind, names: list[str], expected: str
) -> None:
    """What is left out, what calls are about, and names that could move a cursor."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(profile_text(drawing))
    assert expected in lines(path, kind, *names)


def test_places(tmp_path: Path) -> None:
    """A source line by file and number, an instruction by address."""
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(text_bytes(RECURSIVE))
    file = next(number for number, text in enumerate(q.load(path).texts) if text == "a.c")
    line = lines(path, NumberKind.LINE_INCLUSIVE, "f", place=CodePlace(file, 4))
    instruction = lines(path, NumberKind.INSTRUCTION_SELF, "f", place=CodePlace(file, 4, 0x24))
    assert line[0] == "Inclusive cost of a.c:4 in f, Ir: 27"
    assert instruction[0] == "Self cost of the instruction at 0x24 in f, Ir: 7"


def test_a_cost_below_other_callers() -> None:
    """clone costs 68 for its caller and 3,750 with what it calls; the rest has no caller."""
    drawing = "main 10 -> clone 1x68\nclone 50 -> thread 1x3700\nthread 3700"
    queries = queries_from(drawing)
    path = (OTHER_CALLERS, *(NodeId(node_id(queries, name)) for name in ("clone", "thread")))
    key = EstimateKey(EstimateKind.FRAME, path, is_program=True)
    explained = explain(queries, key, event_named(queries, "Ir"), CYCLES)
    found = [*explanation_lines(Wording(queries, CYCLES, STYLE), explained, [])]

    assert found[0] == (
        "Cost of thread on this path down from (other callers), Ir: ≈\N{THIN SPACE}3,633"
    )
    assert found[3:7] == [
        "How it gets there, call by call:",
        "    3,682  (other callers): all of it, added up",
        "    3,682  clone: 3,750 − 68, its self cost and the calls that it makes without the calls "
        "to it",
        "  ≈\N{THIN SPACE}3,633  thread: 3,682 × 3,700 / 3,750",
    ]


def test_a_cost_that_is_not_attributed() -> None:
    """exit was called for 90 and has 60 itself, as the program ended there."""
    queries = queries_from("main 10 -> exit 1x90\nexit 60")
    path = (*(NodeId(node_id(queries, name)) for name in ("main", "exit")), NOT_ATTRIBUTED)
    key = EstimateKey(EstimateKind.FRAME, path)
    explained = explain(queries, key, event_named(queries, "Ir"), CYCLES)
    lines_ = [*explanation_lines(Wording(queries, CYCLES, STYLE), explained, [])]
    assert lines_[-2].strip() == (
        "30  (not attributed): 90 − 60, what it costs without its self cost and the calls that it "
        "makes"
    )


def test_a_call_that_is_reduced_to_fit_the_program() -> None:
    """Of the 90 of wait only 60 can have been spent, as the program costs 70."""
    queries = queries_from("main 10 -> wait 1x90\nwait 60")
    path = tuple(NodeId(node_id(queries, name)) for name in ("main", "wait"))
    key = EstimateKey(EstimateKind.FRAME, path, is_program=True)
    explained = explain(queries, key, event_named(queries, "Ir"), CYCLES)
    found = [*explanation_lines(Wording(queries, CYCLES, STYLE), explained, [])]

    assert [line.strip() for line in found[4:6]] == [
        "≈\N{THIN SPACE}70  main: its self cost and the calls that it makes",
        "≈\N{THIN SPACE}60  wait: all that accounts for the recorded 90",
    ]
