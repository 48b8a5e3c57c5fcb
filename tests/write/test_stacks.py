"""Stacks as files: folded, and for speedscope."""

from __future__ import annotations

import io
import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import qcachegrind_py as q
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.write import stacks
from qcachegrind_py.write.stacks import StackReport, stack_report, write_folded, write_speedscope
from tests.analysis.calls.known_stacks import Stack
from tests.analysis.calls.known_stacks import profile_of as stacks_profile
from tests.analysis.named_queries import CYCLES
from tests.hostile_names import HOSTILE_NAMES, profile_of
from tests.known_stacks import random_stacks
from tests.profile_rows import DATA, profile_from
from tests.profile_text import EXAMPLE, queries_for

TWO_PATHS = """
    events: Ir Dr
    main@m.c@prog 1,0 -> a 1x76,4, b 1x27,1
    a@a.c 1,0 -> leaf 3x75,4
    b@b.c 2,0 -> leaf 1x25,1
    leaf@l.c 10,0 -> deep 4x90,5
    deep@l.c 90,5
    """
REAL = [  # estimates, also below what is exact inside of one, recursion, several roots
    "recur-everything/callgrind.out.21921.xz",
    "programs/annotate/callgrind.out.inlined-O2.xz",
    "separate-threads/callgrind.out.22265-01",
    "nytprof/callgrind.out.nytprof",
]
SPEEDSCOPE = os.environ.get("SPEEDSCOPE_PACKAGE", "")  # the folder of the npm package


def folded(queries: ProfileQueries) -> list[str]:
    """The stacks of the first event, below the line that names it."""
    stream = io.StringIO()
    write_folded(stack_report(queries, queries.events.all[0], CYCLES), stream)
    first, *lines = stream.getvalue().splitlines()
    assert first.startswith("# event: ")
    return lines


def speedscope(queries: ProfileQueries) -> dict[str, Any]:
    """The file with all events."""
    stream = io.StringIO()
    reports = [stack_report(queries, event, CYCLES) for event in queries.events.measured]
    write_speedscope(reports, "prog", stream)
    parsed: dict[str, Any] = json.loads(stream.getvalue())
    return parsed


def test_a_mark_stands_before_what_is_estimated(tmp_path: Path) -> None:
    """That `leaf` was called by `a` and `b` is proven, what its calls cost for each is not."""
    assert sorted(folded(queries_for(tmp_path, TWO_PATHS))) == [
        "main 1",
        "main;a 1",
        "main;a;leaf 8",
        "main;a;leaf;≈ estimated;deep 68",
        "main;b 2",
        "main;b;leaf 2",
        "main;b;leaf;≈ estimated;deep 22",
    ]


def test_names_cannot_break_a_line() -> None:
    """A semicolon would begin another frame, and a line break another stack."""
    assert folded(ProfileQueries(profile_from("events: Ir\nfn=a;b\x0bc\n1 7"))) == ["a,b\\x0bc 7"]


def test_hostile_names_are_one_frame_each(tmp_path: Path) -> None:
    """Each name calls the next, so a script that reads the lines finds one frame more in each."""
    names = [name for name in HOSTILE_NAMES.values() if len(name) < 1000]
    path = tmp_path / "hostile.out"
    path.write_bytes(profile_of([b"a;b 5;c", *names]))
    lines = folded(ProfileQueries(q.load(path)))

    stacks = [line.rpartition(" ") for line in lines]
    assert sorted(len(stack.split(";")) for stack, _, _ in stacks) == [*range(1, len(names) + 2)]
    assert {cost for _, _, cost in stacks} == {"10"}
    assert all(line.startswith("a,b 5,c") for line in lines)


def test_negative_costs_are_left_out_and_counted(tmp_path: Path) -> None:
    """Viewers cannot draw them; what is left out and what is written make the total."""
    queries = queries_for(tmp_path, "main 5 -> f 1x9\nf 9\nfreed -3")
    report = stack_report(queries, queries.events.all[0], CYCLES)
    assert (report.total, report.left_out, folded(queries)) == (14, -3, ["main 5", "main;f 9"])


def test_speedscope_has_a_profile_for_each_event(tmp_path: Path) -> None:
    """Frames are shared; each begins and ends at the cost of all before."""
    found = speedscope(queries_for(tmp_path, "events: Ir ns\nmain@m.c 3,0 -> f 1x4,20\nf 4,20"))
    assert found == {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "profiles": [
            {
                "type": "evented",
                "name": "Ir",
                "unit": "none",
                "startValue": 0,
                "endValue": 7,
                "events": [
                    {"type": "O", "frame": 0, "at": 0},
                    {"type": "O", "frame": 1, "at": 3},
                    {"type": "C", "frame": 1, "at": 7},
                    {"type": "C", "frame": 0, "at": 7},
                ],
            },
            {
                "type": "evented",
                "name": "ns",
                "unit": "nanoseconds",
                "startValue": 0,
                "endValue": 20,
                "events": [
                    {"type": "O", "frame": 0, "at": 0},
                    {"type": "O", "frame": 1, "at": 0},
                    {"type": "C", "frame": 1, "at": 20},
                    {"type": "C", "frame": 0, "at": 20},
                ],
            },
        ],
        "shared": {"frames": [{"name": "main", "file": "m.c"}, {"name": "f"}]},
        "name": "prog",
        "activeProfileIndex": 0,
        "exporter": "qcachegrind_py",
    }


def stacks_of(found: dict[str, Any]) -> Counter[str]:
    """What the first profile of a speedscope file costs, as folded stacks.

    Raises if frames do not end in the order that the format demands.
    """
    names = [frame["name"].replace(";", ",") for frame in found["shared"]["frames"]]
    costs, path, before = Counter[str](), list[int](), 0
    for event in found["profiles"][0]["events"]:
        assert event["at"] >= before
        if event["at"] > before:
            costs[";".join(names[frame] for frame in path)] += event["at"] - before
        before = event["at"]
        if event["type"] == "O":
            path.append(event["frame"])
        else:
            assert path.pop() == event["frame"]
    assert (path, before) == ([], found["profiles"][0]["endValue"])
    return costs


@pytest.mark.parametrize("name", REAL)
def test_both_formats_have_the_same_stacks(name: str) -> None:
    """What is read back from speedscope's file is what folded stacks say, path by path."""
    queries = ProfileQueries(q.load(DATA / name))
    lines = (line.rpartition(" ") for line in folded(queries))
    expected = Counter[str]()
    for stack, _, cost in lines:
        expected[stack] += int(cost)

    assert stacks_of(speedscope(queries)) == expected


def test_stacks_of_a_deep_chain_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths written whole grow with the square of their depth; the rest is below `(left out)`."""
    queries = queries_for(tmp_path, "a 1 -> b 1x9\nb 2 -> c 1x7\nc 3 -> d 1x4\nd 4")
    monkeypatch.setattr(stacks, "_MAX_NAMES", 5)  # of 1 + 2 + 3 + 4
    report = stack_report(queries, queries.events.all[0], CYCLES)

    assert folded(queries) == ["a 1", "a;b 2", "(left out);c 3", "(left out);d 4"]
    assert report.too_deep == 7
    assert stacks_of(speedscope(queries)) == {"a": 1, "a;b": 2, "a;b;c": 3, "a;b;c;d": 4}


@pytest.mark.skipif(not SPEEDSCOPE, reason="SPEEDSCOPE_PACKAGE is not set")
def test_speedscope_accepts_the_file() -> None:
    """The schema that speedscope's package contains allows the file of a real profile."""
    schema = next(Path(SPEEDSCOPE).rglob("file-format-schema.json"))
    Draft202012Validator(json.loads(schema.read_text("utf-8"))).validate(
        speedscope(ProfileQueries(q.load(EXAMPLE)))
    )


def test_stacks_account_for_the_whole_program(tmp_path: Path) -> None:
    """What exceeds its callers and what no function has are stacks, too, and all add up."""
    text = (
        "events: Ir\nsummary: 200\n\nfn=main\n1 10\ncfn=exit\ncalls=1 1\n1 90\n"
        "\nfn=exit\n1 60\ncfn=thread\ncalls=1 1\n1 80\n\nfn=thread\n1 70\n"
    )
    lines = folded(ProfileQueries(profile_from(text)))

    assert sum(int(line.rpartition(" ")[2]) for line in lines) == 200
    assert sorted(line for line in lines if "estimated" not in line) == [
        "(not attributed) 50",
        "(other callers);exit 21",
        "main 10",
        "main;exit 39",
    ]


# ---------------------------------------------------------------- recorded stacks


def reports_of(known: Iterable[Stack], text: str = "") -> list[StackReport]:
    queries, passing = ProfileQueries(stacks_profile(known)), parse_filter(text)
    events = queries.events.measured
    return [stack_report(queries, event, Scope(), passing) for event in events]


@pytest.mark.parametrize("seed", range(8))
def test_recorded_stacks_are_written_whole(seed: int, tmp_path: Path) -> None:
    """Folded stacks have those of all threads, each once; nothing is estimated or left out."""
    known = random_stacks(seed, 3)
    reports = reports_of(known)
    assert [report.estimated + report.too_deep + report.left_out for report in reports] == [0, 0]
    for event, report in enumerate(reports):
        expected = Counter[str]()
        for _, names, costs in known:
            expected[";".join(names)] += costs[event]
        stream = io.StringIO()
        write_folded(report, stream)
        lines = [f"{names} {cost}" for names, cost in expected.items() if cost]
        head = ["# event: bytes"] if event else []
        assert sorted(stream.getvalue().splitlines()) == sorted([*head, *lines])


@pytest.mark.parametrize("seed", range(8))
def test_stacks_in_speedscopes_format_open_as_they_were(seed: int, tmp_path: Path) -> None:
    """Threads, events and executed lines are those of before, stack by stack."""
    known, path = random_stacks(seed, 3), tmp_path / "stacks.json"
    stacks.save_stacks(path, reports_of(known))
    read = q.load(path)
    assert read.diagnostics == ()
    assert [part.thread_name for part in read.parts] == ["thread 0", "thread 1", "thread 2"]
    assert costs_by_stack(read) == costs_by_stack(stacks_profile(known))


def costs_by_stack(profile: q.Profile) -> dict[tuple[object, ...], list[int]]:
    """The self costs of each context by part, functions and lines, if there are any."""
    contexts = profile.contexts
    assert contexts is not None
    names = [profile.texts[name] for name in profile.functions.name.tolist()]
    places, costs = list[tuple[object, ...]](), dict[tuple[object, ...], list[int]]()
    for row, above in enumerate(contexts.parent.tolist()):
        around = places[above] if above >= 0 else (int(contexts.part[row]),)
        place = names[contexts.function[row]], int(contexts.line[row])
        places.append((*around, place))
        assert places[-1] not in costs
        costs[places[-1]] = contexts.values[:, row].tolist()
    return {place: cost for place, cost in costs.items() if any(cost)}


def test_recorded_stacks_that_pass_the_filter_keep_their_callers() -> None:
    stream = io.StringIO()
    known: list[Stack] = [(0, ("a", "b"), (3, 0)), (0, ("a",), (2, 0)), (0, ("a", "c"), (1, 0))]
    write_folded(reports_of(known, "b")[0], stream)
    assert stream.getvalue() == "a;b 3\n"


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("ending", ["folded", "json"])
def test_what_is_exported_opens_with_the_same_stacks(
    name: str, ending: str, tmp_path: Path
) -> None:
    """Frames that mark estimates, and what is left out, open as functions.

    The event is the same, and nothing is taken for samples.
    """
    profile, path = q.load(DATA / name), tmp_path / f"stacks.{ending}"
    q.save_stacks(profile, path)
    again = q.load(path)
    assert again.events.names[0] == profile.events.names[0]
    assert [part.samples for part in again.parts] == [None] * len(again.parts)
    before, now = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for counts, of in ((before, profile), (now, again)):
        found = q.stacks(of)
        for names, cost in zip(found.paths, found.costs, strict=True):
            counts[names] += cost
    assert now == before
