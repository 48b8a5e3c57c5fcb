"""Explanations as text: what a number is, the terms that it is the sum of, and its lines.

The text says all that `analysis.explanation` finds: each rule is a drawing with its explanation.
"""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import (
    AnyKey,
    CodePlace,
    EstimateKey,
    EstimateKind,
    Measure,
    NumberKey,
    NumberKind,
    PercentageRule,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.explanation import Wording, plain, record_groups
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import NO_NODE, NOT_ATTRIBUTED, OTHER_CALLERS, NodeId, PartId
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.write.explanation import explanation_lines
from tests.analysis.named_queries import CYCLES, NO_CYCLES, event_named, node_id, queries_from
from tests.profile_rows import RECURSIVE, profile_from, text_bytes
from tests.profile_text import THIN

STYLE = NumberStyle(group_separator=",")
SELF, INCLUSIVE, CALLED_COUNT = NumberKind.SELF, NumberKind.INCLUSIVE, NumberKind.CALLED
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


def lines(path: Path, kind: NumberKind, *, event: str = "Ir", limit: int = 100) -> list[str]:
    """The text about a number of f, with the lines of the file."""
    queries = ProfileQueries(q.load(path))
    queries.set_user_events([UserEvent("Sum", "", "Ir + 10 Dr")])
    key = NumberKey(kind, NodeId(node_id(queries, "f")))
    explained = explain(queries, key, event_named(queries, event), CYCLES)
    groups = record_groups(queries, explained, NoProgress(), limit)
    return list(explanation_lines(Wording(queries, CYCLES, STYLE).sections(explained, groups)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(text_bytes(CALLED))
    return path


def test_an_inclusive_cost(path: Path) -> None:
    """Value and share, terms, then the lines of the file by part and source line."""
    assert lines(path, NumberKind.INCLUSIVE) == [
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
    found = lines(path, NumberKind.SELF, event="Sum", limit=1)
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


# ---------------------------------------------------------------- sums


def explanation(
    queries: ProfileQueries, key: AnyKey, scope: Scope = CYCLES, event: str = "Ir"
) -> str:
    """The text without percentages, and with the number of lines instead of these."""
    explained = explain(queries, key, event_named(queries, event), scope)
    told = explanation_lines(Wording(queries, scope, STYLE).sections(explained, []))
    left_out = " % of ", "more line"
    shown = [line for line in told if line and not any(words in line for words in left_out)]
    return "\n".join(shown).replace(THIN, "")


def text_of(
    queries: ProfileQueries,
    kind: NumberKind,
    *names: str,
    scope: Scope = CYCLES,
    place: CodePlace | None = None,
    event: str = "Ir",
) -> str:
    """The explanation of a number by names."""
    node, *callee = (NodeId(node_id(queries, name, scope)) for name in names)
    key = NumberKey(kind, node, *callee or (NO_NODE,), place or CodePlace())
    return explanation(queries, key, scope, event)


CYCLE = """
    main 1 -> f 2x20
    f 3 -> g 4x15, leaf 1x2
    g 5 -> f 1x9, leaf 2x4
    leaf 6
    """
RECURSION = "main 1 -> f 1x9\nf 9 -> f 2x6"
TWICE = "main 1 -> f 2x6, f 1x3\nf 9"


@pytest.mark.parametrize(
    ("drawing", "number", "scope", "expected"),
    [
        pytest.param(
            "main 1 -> a 1x5, leaf 2x6\na 1 -> leaf 1x4\nleaf 10", (INCLUSIVE, "leaf"), CYCLES,
            """
            Inclusive cost of leaf, Ir: 10
            What all calls to the function cost, as they were recorded.
              6  2 calls from main
              4  1 call from a
            Sum of 2 lines of the profile: 10
            """,
            id="a function that others call has the cost of these calls",
        ),
        pytest.param(
            "main 1 -> a 1x5, b 2x6\na 5\nb 6", (INCLUSIVE, "main"), CYCLES,
            """
            Inclusive cost of main, Ir: 12
            Its self cost, and what the calls from it cost.
              1  self cost
              6  2 calls to b
              5  1 call to a
            Sum of 3 lines of the profile: 12
            """,
            id="a function that nobody calls has its self cost and that of its calls",
        ),
        pytest.param(
            RECURSION, (INCLUSIVE, "f"), CYCLES,
            """
            Inclusive cost of f, Ir: 9
            What all calls to the function cost, as they were recorded.
              9  1 call from main
              2 calls of the function to itself are left out: its cost includes them.
            Sum of 1 line of the profile: 9
            """,
            id="recursive calls are left out of costs",
        ),
        pytest.param(
            RECURSION, (CALLED_COUNT, "f"), CYCLES,
            """
            Calls of f: 3
            All calls to it, as they were counted.
              2  from f
              1  from main
            Sum of 2 lines of the profile: 3
            """,
            id="recursive calls are counted as calls",
        ),
        pytest.param(
            CYCLE, (INCLUSIVE, "g"), CYCLES,
            """
            Inclusive cost of g, Ir: 9
            Its self cost, and what the calls from it cost.
              5  self cost
              4  2 calls to leaf
              1 call inside the cycle is left out: the self costs include them.
            Sum of 2 lines of the profile: 9
            """,
            id="a member of a cycle has what leaves the cycle",
        ),
        pytest.param(
            CYCLE, (INCLUSIVE, "<1>"), CYCLES,
            """
            Inclusive cost of <cycle 1>, Ir: 14
            The costs of all functions of the cycle.
              9  g
              5  f
              5 calls inside the cycle are left out: the self costs include them.
            Sum of 4 lines of the profile: 14
            """,
            id="a cycle is the sum of its members",
        ),
        pytest.param(
            CYCLE, (CALLED_COUNT, "<1>"), CYCLES,
            """
            Calls of <cycle 1>: 2
            All calls to it, as they were counted.
              2  from main
              5 calls inside the cycle are left out: the self costs include them.
            Sum of 1 line of the profile: 2
            """,
            id="a cycle is called from outside",
        ),
        pytest.param(
            CYCLE, (INCLUSIVE, "g"), NO_CYCLES,
            """
            Inclusive cost of g, Ir: 15
            What all calls to the function cost, as they were recorded.
              15  4 calls from f
            Sum of 1 line of the profile: 15
            """,
            id="without cycles, members are functions like others",
        ),
        pytest.param(
            TWICE, (NumberKind.CALL_COST, "main", "f"), CYCLES,
            """
            Inclusive cost of the calls from main to f, Ir: 9
            Sum of 2 lines of the profile: 9
            """,
            id="the cost of calls has lines and no terms",
        ),
        pytest.param(
            TWICE, (NumberKind.CALL_COUNT, "main", "f"), CYCLES,
            """
            Calls from main to f: 3
            Sum of 2 lines of the profile: 3
            """,
            id="the number of calls is the sum of the same lines",
        ),
        pytest.param(
            "a\x1bb 5", (SELF, "a\x1bb"), CYCLES,
            r"""
            Self cost of a\x1bb, Ir: 5
            Sum of 1 line of the profile: 5
            """,
            id="no name moves a cursor",
        ),
    ],
)  # fmt: skip
def test_sums(drawing: str, number: tuple[NumberKind, str], scope: Scope, expected: str) -> None:
    """What a number is the sum of, and what is left out."""
    kind, *names = number
    assert text_of(queries_from(drawing), kind, *names, scope=scope) == cleandoc(expected)


TWO_PARTS = """
    events: Ir
    part: 1
    fn=main
    1 10
    cfn=f
    calls=2 1
    2 7
    fn=f
    1 7
    part: 2
    events: Ir
    fn=f
    1 3
    cfn=leaf
    calls=1 9
    2 4
    fn=leaf
    9 4
    """


def test_each_part_follows_the_rule_on_its_own() -> None:
    """In part 1 `main` calls `f`, in part 2 nobody does."""
    queries, second = ProfileQueries(profile_from(TWO_PARTS)), Scope(frozenset({PartId(1)}))
    assert text_of(queries, INCLUSIVE, "f").splitlines() == [
        "Inclusive cost of f, Ir: 14",
        "What all calls to the function cost; in parts where nobody called it, its self cost and "
        "what its calls cost.",
        *("  3  self cost", "  7  2 calls from main", "  4  1 call to leaf"),
        "Sum of 3 lines of the profile: 14",
    ]
    assert text_of(queries, INCLUSIVE, "f", scope=second).startswith("Inclusive cost of f, Ir: 7\n")
    assert text_of(queries, SELF, "f", scope=second).startswith("Self cost of f, Ir: 3\n")


RECURSIVE_CALLS = "  2 calls of the function to itself are left out: its cost includes them."
INNER_CALLS = "  3 calls inside the cycle are left out: the self costs include them."


@pytest.mark.parametrize(
    ("kind", "line", "address", "expected"),
    [
        (NumberKind.LINE_SELF, 4, None, ["Self cost of a.c:4 in f, Ir: 7"]),
        (
            NumberKind.LINE_INCLUSIVE, 3, None,
            ["Inclusive cost of a.c:3 in f, Ir: 10", RECURSIVE_CALLS],
        ),
        (
            NumberKind.LINE_INCLUSIVE, 4, None,
            ["Inclusive cost of a.c:4 in f, Ir: 27", INNER_CALLS],
        ),
        (
            NumberKind.INSTRUCTION_SELF, 4, 0x24,
            ["Self cost of the instruction at 0x24 in f, Ir: 7"],
        ),
        (
            NumberKind.INSTRUCTION_INCLUSIVE, 4, 0x24,
            ["Inclusive cost of the instruction at 0x24 in f, Ir: 27", INNER_CALLS],
        ),
    ],
)  # fmt: skip
def test_places(kind: NumberKind, line: int, address: int | None, expected: list[str]) -> None:
    """A line or an instruction has its costs and the calls from there, but for recursive ones."""
    queries = ProfileQueries(profile_from(RECURSIVE))
    file = queries.profile.functions.file[node_id(queries, "f")]
    told = text_of(queries, kind, "f", place=CodePlace(file, line, address))
    assert told.splitlines()[:-1] == expected


def test_a_ratio() -> None:
    """Of a ratio, as of a sum, the sums of the measured events are given."""
    queries = queries_from("events: Ir Dr Dw\nmain 8,2,5", UserEvent("Rate", "", "Dr / Ir"))
    assert text_of(queries, SELF, "main", event="Rate") == cleandoc(
        """
        Self cost of main, Rate: 0.2500
          Rate = Dr / Ir
          Ir = 8
          Dr = 2
        Sum of 1 line of the profile: 8, 2
        """
    )


# ---------------------------------------------------------------- estimates

SHARED = """
    main 100 -> a 1x900, b 1x600
    a 300 -> leaf 3x600
    b 200 -> leaf 1x400
    leaf 500 -> deep 2x500
    deep 500
    """
FLOWS = """
    top 1 -> main 1x100, f 1x50
    main 20 -> f 1x50, g 1x30
    f 60 -> deep 1x40
    g 20 -> deep 1x10
    deep 50
    """
SMALL_FLOWS = """
    other 0 -> deep 1x9000
    main 80000 -> big 1x20000, tiny 1x5
    big 10000 -> deep 1x10000
    tiny 1 -> deep 1x4
    deep 19004
    """
FORWARDED = "main 1 -> a 1x6, b 1x4\na 0 -> f 1x6\nb 0 -> f 1x4\nf 0 -> g 1x10\ng 10"
INNER = "main 1 -> f 1x8\nf 3 -> g 4x5\ng 5 -> f 1x3"
CLONE = "main 10 -> clone 1x68\nclone 50 -> thread 1x3700\nthread 3700"
BEYOND = "30  (not attributed): 90 − 60, what it costs without its self cost and the calls that it"
FROM_MAIN = "1,600  main: its whole inclusive cost", "900  a: as recorded"
FRAME, BRANCH, REACHED = EstimateKind.FRAME, EstimateKind.BRANCH, EstimateKind.REACHED
STAND_INS = {"(other callers)": OTHER_CALLERS, "(not attributed)": NOT_ATTRIBUTED}


def shared_out(
    drawing: str | ProfileQueries, kind: EstimateKind, names: str, scope: Scope, **more: object
) -> list[str]:
    """The explanation of an estimate: heading, steps and remarks."""
    queries = queries_from(drawing) if isinstance(drawing, str) else drawing
    path = tuple(
        STAND_INS[name] if name in STAND_INS else NodeId(node_id(queries, name, scope))
        for name in names.split(" > ")
    )
    key = EstimateKey(kind, path, **more)  # type: ignore[arg-type]  # one of each
    return explanation(queries, key, scope).splitlines()


@pytest.mark.parametrize(
    ("drawing", "kind", "names", "more", "heading", "steps"),
    [
        pytest.param(
            SHARED, FRAME, "main > a > leaf > deep", {},
            "Cost of deep on this path down from main, Ir: ≈300",
            [*FROM_MAIN, "600  leaf: as recorded", "≈300  deep: 600 × 500 / 1,000"],
            id="a path is shared out call by call",
        ),
        pytest.param(
            SHARED, FRAME, "main > a > leaf", {},
            "Cost of leaf on this path down from main, Ir: 600",
            [*FROM_MAIN, "600  leaf: as recorded"],
            id="exact numbers have the lines of the call they equal",
        ),
        pytest.param(
            FORWARDED, FRAME, "a > f > g", {}, "Cost of g on this path down from a, Ir: 6",
            ["6  a: its whole inclusive cost", "6  f: as recorded",
             "6  g: all of it, as all that f costs is in these calls"],
            id="all goes on where one call has the whole cost",
        ),
        pytest.param(
            SHARED, FRAME, "deep > leaf > a", {"up": True},
            "Cost of a on this path up from deep, Ir: ≈300",
            ["500  deep: its whole inclusive cost", "500  leaf: as recorded",
             "≈300  a: 500 × 600 / 1,000"],
            id="callers have their part of a function",
        ),
        pytest.param(
            SHARED, BRANCH, "main > a > leaf", {"measure": Measure.SELF},
            "Self cost of leaf on this path down from main, Ir: ≈300",
            [*FROM_MAIN, "600  leaf: as recorded", "≈300  leaf, self cost: 600 × 500 / 1,000"],
            id="self costs have the share of the branch",
        ),
        pytest.param(
            SHARED, BRANCH, "main > a > leaf", {"measure": Measure.COUNT},
            "Calls of leaf on this path down from main: 3",
            [*FROM_MAIN, "3  leaf: as recorded"],
            id="calls have the share of the branch above",
        ),
        pytest.param(
            SHARED, BRANCH, "a > leaf > deep", {"measure": Measure.COUNT},
            "Calls of deep on this path down from a: ≈1",
            ["900  a: its whole inclusive cost", "600  leaf: as recorded",
             "≈1  deep, calls: 600 × 2 / 1,000"],
            id="calls that are shared out",
        ),
        pytest.param(
            FLOWS, REACHED, "main > deep", {}, "Cost of main on all paths through deep, Ir: ≈30",
            ["≈20  from f: 50 × 40 / 100", "≈10  from g: 30 × 10 / 30"],
            id="flows are added up",
        ),
        pytest.param(
            SMALL_FLOWS, REACHED, "main > deep", {},
            "Cost of main on all paths through deep, Ir: ≈10,000",
            ["≈10,000  from big: 20,000 × 10,000 / 20,000"],
            id="shares below 0.01 % are not passed on",
        ),
        pytest.param(
            SHARED, REACHED, "a > leaf", {}, "Cost of a on all paths through leaf, Ir: 600",
            ["600  from a: as recorded"],
            id="a function called directly alone is exact",
        ),
        pytest.param(
            INNER, FRAME, "main > <1> > g", {}, "Cost of g on this path down from main, Ir: 5",
            ["9  main: its whole inclusive cost", "8  <cycle 1>: as recorded", "5  g: as recorded"],
            id="a cycle passes on what its members cost",
        ),
        pytest.param(
            INNER, FRAME, "main > f > g", {"scope": NO_CYCLES},
            "Cost of g on this path down from main, Ir: ≈4",
            ["9  main: its whole inclusive cost", "8  f: as recorded", "≈4  g: 8 × 5 / 11"],
            id="without cycles, the calls between both count",
        ),
        pytest.param(
            CLONE, FRAME, "(other callers) > clone > thread", {"is_program": True},
            "Cost of thread on this path down from (other callers), Ir: ≈3,633",
            ["3,682  (other callers): all of it, added up",
             "3,682  clone: 3,750 − 68, its self cost and the calls that it makes without the "
             "calls to it",
             "≈3,633  thread: 3,682 × 3,700 / 3,750"],
            id="what nobody calls is below other callers",
        ),
        pytest.param(
            "main 10 -> exit 1x90\nexit 60", FRAME, "main > exit > (not attributed)", {},
            "Cost of (not attributed) on this path down from main, Ir: 30",
            ["100  main: its whole inclusive cost", "90  exit: as recorded", f"{BEYOND} makes"],
            id="exit ended the program, so what it was called for is not all its own",
        ),
        pytest.param(
            "main 10 -> wait 1x90\nwait 60", FRAME, "main > wait", {"is_program": True},
            "Cost of wait on this path down from main, Ir: ≈60",
            ["≈70  main: its self cost and the calls that it makes",
             "≈60  wait: all that accounts for the recorded 90"],
            id="a call is reduced to fit the program",
        ),
    ],
)  # fmt: skip
def test_estimates(
    drawing: str,
    kind: EstimateKind,
    names: str,
    more: dict[str, object],
    heading: str,
    steps: list[str],
) -> None:
    """How a number gets to a function; one that is exact has the lines of what it equals."""
    options = {"scope": CYCLES} | more
    told = shared_out(drawing, kind, names, **options)  # type: ignore[arg-type]  # and a scope
    how = "How it gets there, call by call:"
    if kind is REACHED:
        how = f"What reaches {names.rpartition(' > ')[2]}, added up:"
    assert told[:2] == [heading, how]
    assert [line.strip() for line in told[2 : 2 + len(steps)]] == steps
    rest = [line for line in told[2 + len(steps) :] if "a × b / c" not in line]
    number = heading.rpartition(": ")[2]
    estimate = ["  ≈ is an estimate: only direct calls are recorded."]
    exact = ["  The cost is exact: it follows from the recorded calls."]
    rows = [] if "(not attributed)" in names else [f"Sum of 1 line of the profile: {number}"]
    assert rest == (estimate if number.startswith("≈") else [*exact, *rows])


def test_a_program_begins_with_what_no_call_accounts_for() -> None:
    """*work* is called for 4 in one part, and begins another with 5."""
    drawn = "part: {}\nevents: Ir\nfn=main\n1 1\ncfn=work\ncalls=1 1\n1 4\nfn=work\n1 4\n".format
    queries = ProfileQueries(profile_from(f"{drawn(1)}part: 2\nevents: Ir\nfn=work\n1 5\n"))
    told = shared_out(queries, FRAME, "work", CYCLES, is_program=True)
    assert told[2] == "  5  work: 9 − 4, its inclusive cost without the calls to it"


def test_what_the_letters_of_a_formula_are() -> None:
    """The cost of the calls, or in the last line what is shared out; and how to record it."""
    drawn = f"creator: callgrind-3.19.0\ncmd: ./a\n{cleandoc(SHARED)}"
    between = "of c in all; b is the cost of the calls between both"
    (path, advice), (own, _), (counts, _), (flows, _) = (
        shared_out(drawn, kind, names, CYCLES, measure=measure)[-2:]
        for kind, names, measure in (
            (FRAME, "main > a > leaf > deep", Measure.COST),
            (BRANCH, "a > leaf", Measure.SELF),
            (BRANCH, "a > leaf > deep", Measure.COUNT),
            (REACHED, "a > deep", Measure.COST),
        )
    )
    assert path == f"  a × b / c: the function before has a here, {between}."
    assert own == f"{path[:-1]}, in the last line its self cost."
    assert counts == f"{path[:-1]}, in the last line the number of the calls between both."
    assert flows == f"  a × b / c: the function named has a here, {between}."
    assert advice.endswith("To record it: valgrind --tool=callgrind --separate-callers=3 ./a")
