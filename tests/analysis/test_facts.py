"""The facts of a profile: of one part, of several, and of a real file."""

from __future__ import annotations

from pathlib import Path

from qcachegrind_py.analysis.costs.totals import Total
from qcachegrind_py.analysis.facts import Counts, FileFacts, PartFacts, profile_facts
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import DATA
from tests.profile_text import EXAMPLE

TWO_PARTS = """\
# callgrind format
version: 1
creator: callgrind-3.19.0
cmd: ./prog -v
pid: 7
part: 1
desc: I1 cache: 32768 B, 64 B, 8-way associative
desc: Options: --cache-sim=yes
desc: just a note
desc: Timerange: Basic block 0 - 10
desc: Trigger: --dump-before=f
events: Ir Dr
summary: 12 3

ob=prog
fl=a.c
fn=main
1 10 2
cfn=f
calls=0 5
2 1 1

pid: 7
part: 2
desc: I1 cache: 32768 B, 64 B, 8-way associative
desc: Timerange: Basic block 10 - 20
desc: Trigger: Program termination
events: Ir Dr
summary: 20 4

ob=prog
fl=a.c
fn=main
3 20 5
cfi=b.c
cfn=f
calls=3 5
4 6 1
nonsense
"""


def read(folder: Path, text: str) -> Profile:
    path = folder / "callgrind.out.7"
    path.write_text(text)
    return load(path)


def part(profile: Profile, number: int, trigger: str, blocks: str, totals: list[int]) -> PartFacts:
    time_range = f"Basic block {blocks}"
    return PartFacts(profile.paths[0], 7, number, 0, trigger, time_range, tuple(totals), True)


def test_equal_statements_of_parts_are_given_once(tmp_path: Path) -> None:
    """What each part repeats is one fact; time range and trigger belong to the parts."""
    profile = read(tmp_path, TWO_PARTS)
    facts = profile_facts(profile)
    assert facts.creators == ("callgrind-3.19.0",)
    assert facts.commands == ("./prog -v",)
    assert facts.pids == (7,)
    assert facts.descriptions == (
        ("I1 cache", "32768 B, 64 B, 8-way associative"),
        ("Options", "--cache-sim=yes"),
        ("", "just a note"),
    )
    assert facts.parts == (
        part(profile, 1, "--dump-before=f", "0 - 10", [10, 2]),
        part(profile, 2, "Program termination", "10 - 20", [20, 5]),
    )


def test_counts_leave_out_unknown_names_and_active_calls(tmp_path: Path) -> None:
    """`???` is no file or object, and a call that had not returned is not among the calls."""
    facts = profile_facts(read(tmp_path, TWO_PARTS))
    assert facts.counts == Counts(functions=3, files=2, objects=1, calls=3, active_calls=1)
    assert facts.diagnostic_count == 2  # one is the summary of the second part, below its costs


def test_profile_that_counts_no_calls() -> None:
    """Where no call has a count, none is active."""
    counts = profile_facts(load(DATA / "pprof-heap/callgrind.out.heap-alloc")).counts
    assert (counts.calls, counts.active_calls) == (0, 0)


def test_totals_are_recorded_and_attributed(tmp_path: Path) -> None:
    """Each event, derived ones too, has the sum of self costs and the recorded total."""
    facts = profile_facts(read(tmp_path, f"event: Both = Ir + Dr\n{TWO_PARTS}"))
    assert {event.type.name: event.total for event in facts.events} == {
        "Ir": Total(30, 32),
        "Dr": Total(7, 7),
        "Both": Total(37, 39),
    }


def test_totals_of_some_parts_and_of_other_events(tmp_path: Path) -> None:
    """The totals are over the counted parts, for the events that are given."""
    queries = ProfileQueries(read(tmp_path, TWO_PARTS))
    queries.set_user_events((UserEvent("Both", "", "Ir + Dr"),))
    facts = profile_facts(queries.profile, frozenset({PartId(1)}), queries.events)
    totals = {event.type.name: event.total for event in facts.events}
    assert totals == {"Ir": Total(20, 20), "Dr": Total(5, 4), "Both": Total(25, 24)}
    assert [part.is_counted for part in facts.parts] == [False, True]


def test_sizes_are_those_of_the_files_that_were_read(tmp_path: Path) -> None:
    """Also once a file has grown; how long reading took comes from outside."""
    profile = read(tmp_path, TWO_PARTS)
    path, size = Path(profile.paths[0]), len(TWO_PARTS)
    path.write_text("another profile")
    assert profile_facts(profile).files == (FileFacts(str(path), size),)
    assert profile_facts(profile).reading_seconds is None
    assert profile_facts(profile, reading_seconds=0.5).reading_seconds == 0.5


def test_real_file() -> None:
    """The header of a file by Callgrind is complete, and no fact is there twice."""
    facts = profile_facts(load(EXAMPLE))
    assert facts.creators == ("callgrind-3.19.0",)
    assert facts.commands == ("/corpus/a-small/bin/templ-O2",)
    assert [kind for kind, _ in facts.descriptions] == ["I1 cache", "D1 cache", "LL cache"]
    (only,) = facts.parts
    assert (only.pid, only.part, only.thread) == (22006, 1, 0)
    assert only.trigger == "Program termination"
    assert only.time_range == "Basic block 0 - 338035"
    assert facts.events[0].total == Total(1866859, 1866861)


def test_profile_without_a_header(tmp_path: Path) -> None:
    """Events are all that a profile needs; the other facts are empty."""
    facts = profile_facts(read(tmp_path, "events: Ir\nfn=f\n1 2\n"))
    assert (facts.creators, facts.commands, facts.pids, facts.descriptions) == ((), (), (), ())
    assert facts.counts == Counts(functions=1, files=0, objects=0, calls=0, active_calls=0)
    assert facts.events[0].total == Total(2, None)
