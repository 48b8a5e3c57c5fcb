"""The rules for header lines, parts, several files, and files of other writers."""

from __future__ import annotations

from fractions import Fraction

import pytest

import qcachegrind_py as q
from tests.profile_rows import DATA, cost_rows, cost_table, diagnostic_rows, profile_from


def test_every_header_line_is_kept() -> None:
    """All header keys are kept with their part, every `desc:` included."""
    profile = profile_from(
        """
        # callgrind format
        version: 1
        creator: callgrind-3.22.0
        pid: 42
        cmd:  ./a.out -x  y
        part: 3
        thread: 2


        desc: I1 cache: 32768 B, 64 B, 8-way associative
        desc: Timerange: Basic block 0 - 9
        desc: Trigger: Program termination
        event: Ir : Instructions
        positions: line
        events: Ir
        summary: 5
        fn=f
        1 5
        totals: 5
        """
    )
    (part,) = profile.parts
    assert part.header == (
        ("version", "1"),
        ("creator", "callgrind-3.22.0"),
        ("pid", "42"),
        ("cmd", "./a.out -x  y"),
        ("part", "3"),
        ("thread", "2"),
        ("desc", "I1 cache: 32768 B, 64 B, 8-way associative"),
        ("desc", "Timerange: Basic block 0 - 9"),
        ("desc", "Trigger: Program termination"),
        ("event", "Ir : Instructions"),
        ("positions", "line"),
        ("events", "Ir"),
        ("summary", "5"),
        ("totals", "5"),
    )
    assert (part.pid, part.part, part.thread) == (42, 3, 2)
    assert (part.creator, part.command) == ("callgrind-3.22.0", "./a.out -x  y")
    assert (profile.creator, profile.command) == (part.creator, part.command)
    assert part.trigger == "Program termination"
    assert part.description("Timerange") == "Basic block 0 - 9"
    assert part.description("D1 cache") == ""
    assert diagnostic_rows(profile) == []


@pytest.mark.parametrize(
    ("text", "samples"),
    [
        ("Samples: 3 4", {"Ir": 3, "Dr": 4}),
        ("Samples: 3", {"Ir": 3, "Dr": 0}),
        ("Samples: many", None),
        ("Samples: -3", None),
        ("Samples:", None),
        (f"Samples: {2**63}", None),
    ],
)
def test_numbers_of_samples(text: str, samples: dict[str, int] | None) -> None:
    """They are in the order of `events:`; a description of other words is one like any other."""
    (part,) = profile_from(f"desc: {text}\nevents: Ir Dr\nfn=f\n1 5 6\n").parts
    assert part.samples == samples
    assert (("desc", text) in part.header) == (samples is None)


def test_positions_and_events_hold_over_parts() -> None:
    """A part without positions or events of its own keeps those in force."""
    profile = profile_from(
        "positions: instr line\npart: 1\nevents: Ir Dr\nfn=f\n16 1 5 6\npart: 2\nfn=f\n32 2 7 8\n"
    )
    assert [(row.part, row.address, row.line, row.costs) for row in cost_rows(profile)] == [
        (0, 16, 1, (5, 6)),
        (1, 32, 2, (7, 8)),
    ]
    assert [part.events for part in profile.parts] == [("Ir", "Dr"), ("Ir", "Dr")]


def test_events_of_parts_are_united_by_name() -> None:
    """A column per event, whatever its order in each part; missing ones are 0."""
    profile = profile_from("events: Ir Dr\nfn=f\n1 10 20\nevents: Dw Ir\nfn=f\n1 30 40\n")
    assert profile.events.names == ("Ir", "Dr", "Dw")
    assert [row.costs for row in cost_rows(profile)] == [(10, 20, 0), (40, 0, 30)]
    assert [part.events for part in profile.parts] == [("Ir", "Dr"), ("Dw", "Ir")]


def test_events_of_files_are_united_by_name() -> None:
    """Several files become the parts of one profile; a part without pid has that before it."""
    profile = profile_from(
        "pid: 1\ncmd: a\nevents: Ir\nsummary: 5\nfn=f\n1 5\n",
        "pid: 2\npart: 1\nevents: Dr Ir\nfn=f\n1 7 8\npart: 2\nevents: Dr\nfn=g\n1 9\n",
    )
    assert profile.events.names == ("Ir", "Dr")
    assert [(row.part, row.function[0], row.costs) for row in cost_rows(profile)] == [
        (0, "f", (5, 0)),
        (1, "f", (8, 7)),
        (2, "g", (0, 9)),
    ]
    names = [(part.path.rpartition("/")[2], part.pid, part.part) for part in profile.parts]
    assert names == [("drawing.1", 1, 0), ("drawing.2", 2, 1), ("drawing.2", 2, 2)]
    assert [path.rpartition("/")[2] for path in profile.paths] == ["drawing.1", "drawing.2"]


def test_the_same_file_twice_counts_twice() -> None:
    """Nothing is guessed about files: each one named is read."""
    drawing = "events: Ir\nfn=f\n1 5\n"
    assert cost_table(profile_from(drawing, drawing)) == {"f": (10, 10, 0)}


def test_an_event_named_twice_adds_up() -> None:
    """Two columns of one name are one event."""
    profile = profile_from("events: Ir Dr Ir\nsummary: 1 2 3\nfn=f\n1 5 6 7\n")
    assert profile.events.names == ("Ir", "Dr")
    assert [row.costs for row in cost_rows(profile)] == [(12, 6)]
    assert profile.parts[0].summary == {"Ir": 4, "Dr": 2}


@pytest.mark.parametrize("name", ["cpu(ms)", "Time_(10ns)", "Memory_(bytes)", "wall_time", "Ä"])
def test_event_names_outside_the_grammar(name: str) -> None:
    """Other writers name events freely; only tabs and spaces separate the names."""
    profile = profile_from(f"events:\t{name}  Ir \t\nfn=f\n1 5 6\n")
    assert profile.events.names == (name, "Ir")
    assert diagnostic_rows(profile) == []


def test_long_names_and_formulas() -> None:
    """`event: NAME = FORMULA : LONG NAME` in all its forms, before or after `events:`."""
    profile = profile_from(
        """
        event: Ir : Instruction Fetches
        event: Sum = Ir + 2 Dr : Weighted Sum
        events: Ir Dr
        event: Both=Ir+Dr
        event: Less = Ir - 0.5*Dr
        event:Dr:Reads: of data
        event: Sum3 = Sum + 3*Both
        fn=f
        1 100 10
        """
    )
    events = profile.events
    named = {event.name: event.title for event in events.measured}
    assert named == {"Ir": "Instruction Fetches", "Dr": "Reads: of data"}
    own = {name: events.find(name) for name in ("Sum", "Both", "Less", "Sum3")}
    costs = q.function_costs(profile).self_cost
    assert {
        name: (event.title, event.formula, events.evaluate(event, costs).tolist())
        for name, event in own.items()
        if event is not None
    } == {
        "Sum": ("Weighted Sum", ((Fraction(1), "Ir"), (Fraction(2), "Dr")), [120]),
        "Both": ("Both", ((Fraction(1), "Ir"), (Fraction(1), "Dr")), [110]),
        "Less": ("Less", ((Fraction(1), "Ir"), (Fraction(-1, 2), "Dr")), [95]),
        "Sum3": ("Sum3", ((Fraction(1), "Sum"), (Fraction(3), "Both")), [450]),
    }
    assert diagnostic_rows(profile) == []


def test_a_long_name_without_that_event() -> None:
    """A long name for an event that was not measured adds no event."""
    profile = profile_from("event: Dr : Reads\nevents: Ir\nfn=f\n1 1\n")
    assert profile.events.names == ("Ir",)
    assert profile.events.find("Dr") is None


@pytest.mark.parametrize("formula", ["Ir +", "Ir Dr", "+ + Ir", "3", "Ir + 3"])
def test_an_invalid_formula(formula: str) -> None:
    """Its diagnostic has the line number, and the profile is read without that event."""
    profile = profile_from(f"events: Ir Dr\nevent: Sum = {formula}\nfn=f\n1 1 2\n")
    assert diagnostic_rows(profile) == [(2, "bad-header")]
    assert profile.events.find("Sum") is None


@pytest.mark.parametrize(
    ("version", "kinds"),
    [
        ("0", []),
        ("1", []),
        ("1.1", []),
        ("2", ["newer-version"]),
        ("0x10", ["newer-version"]),
        ("2.0 beta", ["newer-version"]),
        ("", ["bad-header"]),
        ("new", ["bad-header"]),
    ],
)
def test_versions_of_the_format(version: str, kinds: list[str]) -> None:
    """A version above 1 is read as far as it is understood, and reported."""
    profile = profile_from(f"version: {version}\nevents: Ir\nfn=f\n1 5\n")
    assert cost_table(profile) == {"f": (5, 5, 0)}
    assert diagnostic_rows(profile) == [(1, kind) for kind in kinds]


@pytest.mark.parametrize(
    "line",
    [
        "desc: Trigger: by hand : x",
        "desc:Trigger : by hand : x",
        "desc:\tTrigger\t:by hand : x",
        "desc: Trigger:old\ndesc: Trigger : by hand : x",
    ],
)
def test_the_trigger_of_a_part(line: str) -> None:
    """Blanks may stand before the colon (`Space*` in the grammar); the text may have colons."""
    profile = profile_from(f"desc: Triggers: no\n{line}\nevents: Ir\nfn=f\n1 5\n")
    assert profile.parts[0].trigger == "by hand : x"
    assert diagnostic_rows(profile) == []


def test_summary_and_totals() -> None:
    """They are kept by event; wrapped numbers are negative, missing ones were not recorded."""
    profile = profile_from(
        f"events: Ir Dr\nsummary: {2**64 - 9}\nfn=f\n1 5 6\n2 1 1\ntotals: 6 7\n"
    )
    (part,) = profile.parts
    assert part.summary == {"Ir": -9}
    assert part.totals == {"Ir": 6, "Dr": 7}
    assert diagnostic_rows(profile) == [(2, "summary-too-small")]


def test_old_keys_are_known() -> None:
    """arch:, timeframe, rangetype: and total: of old and other writers give no diagnostics."""
    profile = profile_from(
        """
        arch: arm
        timeframe (BB): 0 - 100
        rangetype: x
        events: Ir
        fn=f
        1 5
        total: 5
        """
    )
    assert diagnostic_rows(profile) == []
    assert ("timeframe (BB)", "0 - 100") in profile.parts[0].header


def test_separators_between_profiles_in_one_file() -> None:
    """Xdebug's append mode writes a line of words between two profiles, which is accepted."""
    profile = profile_from(
        """
        version: 1
        events: Time
        fl=(1) a.php
        fn=(1) f
        1 5

        ==== NEW PROFILING FILE ==============================================
        version: 1
        events: Time
        fl=(1)
        fn=(1)
        2 7
        """
    )
    assert [(row.part, row.function[:2], row.line) for row in cost_rows(profile)] == [
        (0, ("f", "a.php"), 1),
        (1, ("f", "a.php"), 2),
    ]
    assert diagnostic_rows(profile) == []


@pytest.mark.parametrize("between", ["\n" * 9, "\r\n" * 9, "\n" * 300_008, " \n" * 9])
def test_a_run_of_empty_lines_is_counted(between: str) -> None:
    """Each is a line, also across the chunks in which a file is read."""
    profile = profile_from(f"events: Ir\nfn=f\n1 5{between}\nodd line\n+1 7\n")
    assert [line for line, _kind in diagnostic_rows(profile)] == [3 + between.count("\n") + 1]
    assert cost_table(profile) == {"f": (12, 12, 0)}


def test_a_cachegrind_file() -> None:
    """A profile without calls: inclusive cost is self cost; missing costs are zero."""
    profile = profile_from(
        """
        desc: I1 cache:         32768 B, 64 B, 8-way associative
        cmd: ./a.out
        events: Ir Dr Dw
        fl=a.c
        fn=main
        3 5 1 1
        4 2
        fl=b.h
        fn=main
        7 4 4
        summary: 11 5 1
        """
    )
    assert [row.costs for row in cost_rows(profile)] == [(5, 1, 1), (2, 0, 0), (4, 4, 0)]
    costs = q.function_costs(profile)
    assert costs.inclusive.tolist() == costs.self_cost.tolist() == [[7, 4], [1, 4], [1, 0]]
    assert diagnostic_rows(profile) == []


def test_a_real_cachegrind_file() -> None:
    """The totals of a real file are those of its `summary:` line."""
    profile = q.load(DATA / "cachegrind" / "cachegrind.out.templ-O2.xz")
    (part,) = profile.parts
    totals = q.function_costs(profile).totals.tolist()
    assert part.summary == dict(zip(profile.events.names, totals, strict=True))
    assert totals[:4] == [1869243, 2021, 1904, 469342]
    assert (len(profile.calls), len(profile.jumps)) == (0, 0)


def test_a_real_xdebug_file_of_append_mode() -> None:
    """Each run is a part; the separators between them give the only diagnostics."""
    profile = q.load(DATA / "xdebug-append" / "cachegrind.out.append.xz")
    assert profile.creator.startswith("xdebug 3.2.0")
    assert [part.events for part in profile.parts] == [("Time_(10ns)", "Memory_(bytes)")] * len(
        profile.parts
    )
    assert len(profile.parts) == 2
    assert {kind for _line, kind in diagnostic_rows(profile)} <= {"unknown-line", "negative-cost"}
