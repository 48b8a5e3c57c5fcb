"""Where a part ends and the next begins, and the order of parts: docs/design.md, reading rule 5."""

from __future__ import annotations

import pytest

from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import call_rows, cost_rows, cost_table, diagnostic_rows, profile_from


def numbers(profile: Profile) -> list[tuple[int, int, int]]:
    """Process, part number and thread of each part."""
    return [(part.pid, part.part, part.thread) for part in profile.parts]


def costs_by_part(profile: Profile) -> list[tuple[int, str, tuple[int, ...]]]:
    """Part, name of the function and costs of each cost line, in the order of parts."""
    rows = ((row.part, row.function[0], row.costs) for row in cost_rows(profile))
    return sorted(rows, key=lambda row: row[0])


def summaries(profile: Profile) -> list[dict[str, int] | None]:
    return [part.summary for part in profile.parts]


# ------------------------------------------------------------ header lines behind a body


def test_a_thread_behind_a_body() -> None:
    """All lines of the header behind a body are of the second part, its first line included."""
    profile = profile_from(
        """
        pid: 7
        thread: 1
        events: Ir
        fn=f
        1 5

        thread: 2
        events: Dr
        fn=g
        2 7
        """
    )
    assert numbers(profile) == [(7, 0, 1), (7, 0, 2)]
    assert [part.events for part in profile.parts] == [("Ir",), ("Dr",)]
    assert costs_by_part(profile) == [(0, "f", (5, 0)), (1, "g", (0, 7))]
    assert diagnostic_rows(profile) == []


@pytest.mark.parametrize(
    "line",
    [
        "version: 1",
        "creator: drawn by hand",
        "pid: 3",
        "cmd: ./a.out",
        "part: 2",
        "thread: 2",
        "desc: Trigger: by hand",
        "event: Ir : Instructions",
        "positions: line",
        "events: Ir",
    ],
)
def test_a_header_line_behind_a_body_begins_a_part(line: str) -> None:
    """Each key of the format does so, also one that the part before it did not have."""
    profile = profile_from(f"events: Ir\nfn=f\n1 5\n{line}\nfn=g\n+2 7\n")
    assert costs_by_part(profile) == [(0, "f", (5,)), (1, "g", (7,))]
    assert [row.line for row in cost_rows(profile)] == [1, 2]  # the base is 0 again
    key, _, value = line.partition(": ")
    assert profile.parts[0].header == (("events", "Ir"),)
    assert profile.parts[1].header == ((key, value),)
    assert diagnostic_rows(profile) == []


def test_the_header_of_a_part_is_not_divided() -> None:
    """Each line of a second header is of that part, whatever the first one had."""
    profile = profile_from(
        """
        events: Ir
        fn=f
        1 5
        desc: Trigger: by hand
        cmd: ./a.out
        part: 2
        thread: 4
        events: Ir Dr
        summary: 7 8
        fn=f
        1 7 8
        """
    )
    assert numbers(profile) == [(0, 0, 0), (0, 2, 4)]
    assert [(part.trigger, part.command) for part in profile.parts] == [
        ("", ""),
        ("by hand", "./a.out"),
    ]
    assert summaries(profile) == [None, {"Ir": 7, "Dr": 8}]
    assert costs_by_part(profile) == [(0, "f", (5, 0)), (1, "f", (7, 8))]


def test_comments_and_empty_lines_begin_no_part() -> None:
    """They may stand anywhere in a body."""
    profile = profile_from("events: Ir\nfn=f\n1 5\n\n# part: 2\n\n2 7\n")
    assert costs_by_part(profile) == [(0, "f", (5,)), (0, "f", (7,))]


def test_header_lines_before_the_body_in_any_order() -> None:
    """A header is one, wherever `events:` stands in it."""
    profile = profile_from(
        "events: Ir\ndesc: a: 1\npid: 7\ndesc: b: 2\npart: 2\nthread: 3\nsummary: 5\nfn=f\n1 5\n"
    )
    assert numbers(profile) == [(7, 2, 3)]
    assert profile.parts[0].description("b") == "2"


def test_names_before_events_begin_no_part() -> None:
    """Names may be defined anywhere: without events, they are no body yet."""
    profile = profile_from(
        "pid: 7\nfl=(1) a.c\nfn=(1) f\npart: 2\nevents: Ir\nfl=(1)\nfn=(1)\n1 5\n"
    )
    assert numbers(profile) == [(7, 2, 0)]
    assert [row.function for row in cost_rows(profile)] == [("f", "a.c", "")]


@pytest.mark.parametrize(
    "line", ["fn=f", "fl=a.c", "fi=a.c", "fe=a.c", "ob=p", "cob=p", "cfi=a.c", "cfl=a.c", "cfn=f"]
)
def test_a_name_behind_events_is_a_body(line: str) -> None:
    """A part with names only is one; the header line behind it begins the next."""
    profile = profile_from(f"part: 1\nevents: Ir\n{line}\npart: 2\nfn=g\n1 5\n")
    assert numbers(profile) == [(0, 1, 0), (0, 2, 0)]
    assert costs_by_part(profile) == [(1, "g", (5,))]


def test_a_part_keeps_ids_and_loses_names() -> None:
    """Ids hold to the end of the file; object, file, function and callee end with their part."""
    profile = profile_from(
        """
        events: Ir
        ob=prog
        fl=(1) a.c
        fn=(1) f
        cfn=(2) g
        thread: 2
        calls=1 1
        3 9
        cfn=(2)
        calls=2 1
        4 8
        fl=(1)
        fn=(1)
        5 7
        """
    )
    f, g, unknown = ("f", "a.c", ""), ("g", "", ""), ("", "", "")
    assert [(row.part, row.caller, row.callee, row.costs) for row in call_rows(profile)] == [
        (1, unknown, unknown, (9,)),
        (1, unknown, g, (8,)),
    ]
    assert [(row.part, row.function, row.costs) for row in cost_rows(profile)] == [(1, f, (7,))]


def test_positions_of_the_next_part() -> None:
    """`positions:` behind a body is of the next part only."""
    profile = profile_from(
        "positions: instr line\nevents: Ir\nfn=f\n0x10 1 5\npositions: line\nfn=f\n2 7\n"
    )
    assert [(row.part, row.address, row.line, row.costs) for row in cost_rows(profile)] == [
        (0, 0x10, 1, (5,)),
        (1, 0, 2, (7,)),
    ]


# ------------------------------------------------------------ totals and summary


def test_totals_close_their_part() -> None:
    """`totals:` behind a body is of that body."""
    profile = profile_from(
        """
        part: 1
        events: Ir
        fn=f
        1 5
        totals: 5
        part: 2
        events: Ir
        fn=f
        1 7
        totals: 7
        """
    )
    assert [part.totals for part in profile.parts] == [{"Ir": 5}, {"Ir": 7}]
    assert diagnostic_rows(profile) == []


def test_a_summary_behind_the_last_body() -> None:
    """At the end of a file, `summary:` is of the last part, whether equal to the sum or larger."""
    for summary in (5, 9):
        profile = profile_from(f"events: Ir\nfn=f\n1 5\nsummary: {summary}\n")
        assert summaries(profile) == [{"Ir": summary}]


def test_a_summary_that_is_the_sum_closes_its_part() -> None:
    """`summary:` with the sum of the costs before it is of these, also before another header."""
    profile = profile_from(
        """
        part: 1
        events: Ir Dr
        fn=f
        1 5
        cfn=g
        calls=1 1
        2 100 100
        fn=g
        3 2 4
        summary: 7 4
        part: 2
        fn=f
        1 9 1
        summary: 9 1
        """
    )
    assert summaries(profile) == [{"Ir": 7, "Dr": 4}, {"Ir": 9, "Dr": 1}]
    assert numbers(profile) == [(0, 1, 0), (0, 2, 0)]


@pytest.mark.parametrize("summary", ["8 0", "5 1", "0 0"])
def test_any_summary_behind_a_body_closes_it(summary: str) -> None:
    """Also one that is not the sum of the costs, and before another header."""
    profile = profile_from(
        f"part: 1\nevents: Ir Dr\nfn=f\n1 5 0\nsummary: {summary}\npart: 2\nfn=f\n1 5 1\n"
    )
    ir, _, dr = summary.partition(" ")
    assert summaries(profile) == [{"Ir": int(ir), "Dr": int(dr)}, None]
    assert numbers(profile) == [(0, 1, 0), (0, 2, 0)]
    assert costs_by_part(profile) == [(0, "f", (5, 0)), (1, "f", (5, 1))]


@pytest.mark.parametrize("sums", ["totals: 5", "summary: 9"])
@pytest.mark.parametrize("line", ["2 7", "fn=f\n2 7", "cfn=g\ncalls=1 0\n2 0\n2 7"])
def test_a_body_behind_its_sums(sums: str, line: str) -> None:
    """What follows the sums belongs to the same part, and is reported once for each of them."""
    profile = profile_from(f"part: 1\nevents: Ir\nfn=f\n1 5\n{sums}\n{line}\n\n3 1\npart: 2\n")
    assert costs_by_part(profile) == [(0, "f", (5,)), (0, "f", (7,)), (0, "f", (1,))]
    assert (6, "line-behind-totals") in diagnostic_rows(profile)
    assert [kind for _, kind in diagnostic_rows(profile)].count("line-behind-totals") == 1


def test_a_summary_behind_an_empty_line_of_positions() -> None:
    """A line without costs is a line of the body: the summary before it is of the same part."""
    profile = profile_from(b"events:D\nfn=\n-0\nsummary:9\n1\npositions:\nfn=\n7\n")
    assert summaries(profile) == [{"D": 9}, None]
    assert [part.positions for part in profile.parts] == [("line",), ("line",)]
    assert diagnostic_rows(profile) == [(0, "no-costs"), (6, "bad-header")]


def test_a_second_summary_is_of_the_next_part() -> None:
    """A part has one summary: one behind the body is of the next part, even with an equal value."""
    profile = profile_from(
        "part: 1\nevents: Ir\nsummary: 5\nfn=f\n1 5\nsummary: 5\npart: 2\nfn=g\n1 5\n"
    )
    assert summaries(profile) == [{"Ir": 5}, {"Ir": 5}]
    assert numbers(profile) == [(0, 1, 0), (0, 2, 0)]
    assert costs_by_part(profile) == [(0, "f", (5,)), (1, "g", (5,))]


def test_a_summary_with_totals_behind_it_closes_its_part() -> None:
    """`totals:` is no line of a header: the summary before it is of the same part."""
    profile = profile_from("events: Ir\nfn=f\n1 5\nsummary: 9\ntotals: 5\n")
    (part,) = profile.parts
    assert (part.summary, part.totals) == ({"Ir": 9}, {"Ir": 5})


def test_a_summary_with_totals_and_a_header_behind_it_closes_its_part() -> None:
    """`totals:` close the body: a `summary:` before them is not of the part behind them."""
    profile = profile_from(
        "part: 1\nevents: Ir\nfn=f\n1 5\nsummary: 9\ntotals: 5\npart: 2\nfn=f\n1 2\ntotals: 2\n"
    )
    assert [(part.summary, part.totals) for part in profile.parts] == [
        ({"Ir": 9}, {"Ir": 5}),
        (None, {"Ir": 2}),
    ]


def test_a_summary_before_further_costs_is_of_their_part() -> None:
    """Only header lines directly behind it make `summary:` a line of their header."""
    profile = profile_from("part: 1\nevents: Ir\nfn=f\nsummary: 40\n1 18\npart: 2\nfn=f\n1 2\n")
    assert summaries(profile) == [{"Ir": 40}, None]
    assert costs_by_part(profile) == [(0, "f", (18,)), (1, "f", (2,))]


def test_a_summary_within_a_body() -> None:
    """Xdebug 2 writes it after `fn={main}`, and another run behind it in append mode."""
    run = "version: 0.9.6\ncmd: a.php\nevents: Time\nfl=a.php\nfn=f\n2 9\nfn={{main}}\n\n"
    run += "summary: {}\n\n1 {}\ncfn=f\ncalls=1 0 0\n3 9\n"
    profile = profile_from(run.format(40, 18) + "\n" + run.format(50, 27))
    assert summaries(profile) == [{"Time": 40}, {"Time": 50}]
    assert costs_by_part(profile) == [
        (0, "f", (9,)),
        (0, "{main}", (18,)),
        (1, "f", (9,)),
        (1, "{main}", (27,)),
    ]
    assert cost_table(profile) == {"f": (18, 18, 2), "{main}": (45, 63, 0)}


# ------------------------------------------------------------ parts without a body


def test_a_header_with_events_is_a_part() -> None:
    """`--instr-atstart=no` writes headers without a body: no thread is lost."""
    part = "part: 1\nthread: {}\n\ndesc: Trigger: end\n\npositions: line\nevents: Ir\n"
    sums = "summary: 0\n\ntotals: 0\n"
    profile = profile_from("pid: 7\n" + "".join(part.format(n) + sums for n in (1, 2, 3)))
    assert numbers(profile) == [(7, 1, 1), (7, 1, 2), (7, 1, 3)]
    assert [part.trigger for part in profile.parts] == ["end"] * 3
    assert summaries(profile) == [{"Ir": 0}] * 3
    assert diagnostic_rows(profile) == [(0, "no-costs")]
    assert "nothing was collected" in profile.diagnostics[0].message


@pytest.mark.parametrize("line", ["part: 2", "thread: 2", "events: Ir", "totals: 0\ncmd: x"])
def test_what_ends_a_header_without_a_body(line: str) -> None:
    """A second `part:`, `thread:` or `events:`, and `totals:`."""
    profile = profile_from(f"part: 1\nthread: 1\nevents: Ir\n{line}\nfn=f\n1 5\n")
    assert [part.events for part in profile.parts] == [("Ir",), ("Ir",)]
    assert len(costs_by_part(profile)) == 1


@pytest.mark.parametrize("line", ["pid: 2", "cmd: x", "positions: line", "desc: x", "creator: x"])
def test_what_ends_no_header(line: str) -> None:
    """Other lines may be repeated before the body."""
    profile = profile_from(f"{line}\nevents: Ir\n{line}\nfn=f\n1 5\n")
    assert len(profile.parts) == 1


@pytest.mark.parametrize(
    "line", ["event: Ir : Instructions", "desc: Timerange: 1 - 2", "part: 9", "total: 5", "cmd: x"]
)
def test_header_lines_behind_the_last_body(line: str) -> None:
    """Without `events:` they are of the part before, whose own numbers and texts hold."""
    profile = profile_from(f"part: 1\ncmd: a\nevents: Ir\nfn=f\n1 5\ntotals: 5\n{line}\n")
    (part,) = profile.parts
    assert (part.part, part.command, part.totals) == (1, "a", {"Ir": 5})
    key, _, value = line.partition(": ")
    is_kept = key not in ("part", "cmd")
    assert ((key, value) in part.header) == is_kept
    title = profile.events.measured[0].title
    assert title == ("Instructions" if key == "event" else "Instruction Fetch")
    assert diagnostic_rows(profile) == []


def test_a_last_header_with_events_is_a_part() -> None:
    """A thread that collected nothing is one, too."""
    profile = profile_from("part: 1\nevents: Ir\nfn=f\n1 5\npart: 2\nevents: Ir\n")
    assert numbers(profile) == [(0, 1, 0), (0, 2, 0)]


# ------------------------------------------------------------ positions of later parts

INSTR = "part: 1\npositions: instr line\nevents: Ir\nfn=f\n0x10 1 5\n"


@pytest.mark.parametrize(
    ("header", "line", "address", "number", "kinds"),
    [
        ("events: Ir", "6 8", 0, 6, [(7, "no-positions")]),
        ("desc: x", "6 8 9", 6, 8, []),
        ("positions: instr line\nevents: Ir", "6 8 9", 6, 8, []),
        ("events: Ir\npositions: instr line", "6 8 9", 6, 8, []),
        ("events: Ir\ndesc: x\npositions: instr", "6 9", 6, 0, []),
        ("positions: line", "8 9", 0, 8, []),
    ],
)
def test_positions_are_decided_at_the_end_of_a_header(
    header: str, line: str, address: int, number: int, kinds: list[tuple[int, str]]
) -> None:
    """Stated anywhere, they hold; with `events:` alone they are `line`; else those before."""
    profile = profile_from(f"{INSTR}part: 2\n{header}\nfn=f\n{line}\n")
    cost = int(line.split()[-1])
    assert [(row.part, row.address, row.line, row.costs) for row in cost_rows(profile)] == [
        (0, 0x10, 1, (5,)),
        (1, address, number, (cost,)),
    ]
    assert diagnostic_rows(profile) == kinds


# ------------------------------------------------------------ the order of parts

THREE_RUNS = (
    "pid: 9\npart: 1\nthread: 2\nevents: Ir\nfn=f\n1 1\n",
    "pid: 9\npart: 1\nthread: 1\nevents: Ir\nfn=f\n1 2\n",
    "pid: 9\npart: 10\nthread: 1\nevents: Ir\nfn=f\n1 4\n",
    "pid: 9\npart: 2\nthread: 3\nevents: Ir\nfn=f\n1 8\n",
    "pid: 8\npart: 30\nthread: 1\nevents: Ir\nfn=f\n1 16\n",
    "pid: 10\npart: 1\nthread: 1\nevents: Ir\nfn=f\n1 32\n",
)
IN_ORDER = [
    ((8, 30, 1), 16),
    ((9, 1, 1), 2),
    ((9, 1, 2), 1),
    ((9, 2, 3), 8),
    ((9, 10, 1), 4),
    ((10, 1, 1), 32),
]


@pytest.mark.parametrize("texts", [THREE_RUNS, THREE_RUNS[::-1], ("".join(THREE_RUNS),)])
def test_parts_are_in_order_of_process_part_and_thread(texts: tuple[str, ...]) -> None:
    """By number, whatever the order of files, or of headers within one."""
    profile = profile_from(*texts)
    costs = [row[2][0] for row in costs_by_part(profile)]
    assert list(zip(numbers(profile), costs, strict=True)) == IN_ORDER


def test_calls_follow_the_order_of_parts() -> None:
    """A call keeps its part when the parts change their order."""
    body = "events: Ir\nfn=f\ncfn=g\ncalls={0} 1\n1 {0}\n"
    profile = profile_from("part: 2\n" + body.format(7), "part: 1\n" + body.format(5))
    assert sorted((row.part, row.call_count, row.costs) for row in call_rows(profile)) == [
        (0, 5, (5,)),
        (1, 7, (7,)),
    ]


def test_parts_without_numbers_keep_their_order() -> None:
    """Parts of equal numbers are in the order of files, and of their headers within a file."""
    profile = profile_from(
        "cmd: z\nevents: Ir\nfn=f\n1 1\ncmd: b\nfn=f\n1 2\n", "cmd: a\nevents: Ir\nfn=f\n1 4\n"
    )
    assert [part.command for part in profile.parts] == ["z", "b", "a"]
    assert costs_by_part(profile) == [(0, "f", (1,)), (1, "f", (2,)), (2, "f", (4,))]


def test_a_part_without_pid_has_that_of_its_file() -> None:
    """Later parts of a file do not repeat the `pid:` of its first part."""
    profile = profile_from(
        "pid: 7\npart: 1\nevents: Ir\nfn=f\n1 1\npart: 2\nfn=f\n1 2\npart: 3\nfn=f\n1 4\n"
    )
    assert numbers(profile) == [(7, 1, 0), (7, 2, 0), (7, 3, 0)]
    assert diagnostic_rows(profile) == []


def test_the_pid_of_another_file_is_not_taken() -> None:
    """A file without `pid:` has none, whatever files are read before it."""
    profile = profile_from(
        "pid: 7\nevents: Ir\nfn=f\n1 1\n", "part: 2\nevents: Ir\nfn=f\n1 2\npart: 3\nfn=f\n1 4\n"
    )
    assert numbers(profile) == [(0, 2, 0), (0, 3, 0), (7, 0, 0)]
