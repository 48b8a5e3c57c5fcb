import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qcachegrind_py.formats.stacks.builder import MAX_DEPTH
from qcachegrind_py.formats.stacks.speedscope import is_speedscope
from qcachegrind_py.profile.errors import InvalidProfile, ProfileError
from qcachegrind_py.profile.profile import Profile
from tests.formats.stacks.drawn_stacks import drawn, load_text, total
from tests.formats.stacks.speedscope_figures import DATA, frame_costs, speedscope_figures

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
FRAMES = [
    {"name": "main", "file": "a.py", "line": 1},
    {"name": "read", "file": "a.py", "line": 7, "col": 3},
    {"name": "wait"},
]


def sampled(
    *samples: tuple[list[int], float], unit: str = "none", name: str = "x"
) -> dict[str, Any]:
    stacks, weights = zip(*samples, strict=True)
    return {"type": "sampled", "name": name, "unit": unit, "samples": stacks, "weights": weights}


def evented(events: str, unit: str = "none", name: str = "x") -> dict[str, Any]:
    """Return a profile of events such as `O0@1`: the frame 0 opens at 1."""
    rows = [(each[0], *each[1:].split("@")) for each in events.split()]
    return {
        "type": "evented",
        "name": name,
        "unit": unit,
        "events": [
            {"type": kind, "frame": int(frame), "at": float(at)} for kind, frame, at in rows
        ],
    }


def file_of(*profiles: Any, frames: Any = FRAMES, exporter: str = "test@1.2") -> str:
    return json.dumps(
        {
            "$schema": SCHEMA,
            "exporter": exporter,
            "name": "prog",
            "shared": {"frames": frames},
            "profiles": profiles,
        }
    )


def read(folder: Path, *profiles: Any, frames: Any = FRAMES, exporter: str = "test@1.2") -> Profile:
    return load_text(folder, file_of(*profiles, frames=frames, exporter=exporter))


def said(profile: Profile) -> list[str]:
    return [each.message for each in profile.diagnostics]


def test_samples_are_added_with_their_weights(tmp_path: Path) -> None:
    profile = read(
        tmp_path, sampled(([0, 1], 2), ([0], 3), ([0, 1], 1), ([0, 1, 2, 1], 5), ([], 7))
    )
    assert drawn(profile) == [
        "0/0; main a.py:1 = 3",
        "0/0; main a.py:1; read a.py:7 = 3",
        "0/0; main a.py:1; read a.py:7; wait; read a.py:7 = 5",
        "0/0; (no function) = 7",
    ]
    assert profile.events.names == ("samples",)
    assert profile.parts[0].creator == "test 1.2"
    assert not profile.diagnostics


def test_what_passes_between_events_is_the_cost_of_the_open_frames(tmp_path: Path) -> None:
    profile = read(tmp_path, evented("O0@10 O1@12 O2@12 C2@15 C1@15 C0@20 O0@30 C0@31"))
    assert drawn(profile) == [
        "0/0; main a.py:1 = 8",  # nothing ran from 20 to 30
        "0/0; main a.py:1; read a.py:7; wait = 3",
    ]
    assert profile.events.names == ("weight",)  # these are no samples, which are counted
    assert not profile.diagnostics


@pytest.mark.parametrize(
    ("unit", "event", "cost"),
    [
        ("none", "samples", 2),
        ("bytes", "bytes", 2),
        ("nanoseconds", "ns", 2),
        ("microseconds", "ns", 2_250),
        ("milliseconds", "ns", 2_250_000),
        ("seconds", "ns", 2_250_000_000),
        ("furlongs", "samples", 2),
    ],
)
def test_times_are_whole_nanoseconds(unit: str, event: str, cost: int, tmp_path: Path) -> None:
    profile = read(tmp_path, sampled(([0], 2.25), unit=unit))
    assert profile.events.names == (event,)
    assert total(profile) == cost
    assert bool(profile.diagnostics) == (cost == 2)


def test_times_of_events_add_up_to_the_last(tmp_path: Path) -> None:
    """Were their differences rounded, a thousand would be 500 too few."""
    events = " ".join(
        f"O0@{step + step / 3} C0@{step + (step + 1) / 3 + 1}" for step in range(1000)
    )
    profile = read(tmp_path, evented(events, unit="nanoseconds"))
    assert total(profile) == round(1000 * 4 / 3)


def test_profiles_are_threads(tmp_path: Path) -> None:
    one, two = ([0], 1), ([0], 2)
    profile = read(
        tmp_path,
        sampled(one, name='Thread 12 "Main "x""'),
        sampled(two, name='Process 3 Thread 13 "worker"'),
        sampled(one, name="worker"),
        sampled(two, name="worker"),  # another thread of this name
    )
    assert drawn(profile) == [
        'Main "x" 0/12; main a.py:1 = 1',
        "worker 3/13; main a.py:1 = 2",
        "worker 0/3; main a.py:1 = 1",
        "worker 0/4; main a.py:1 = 2",
    ]


def test_profiles_of_one_name_in_different_units_are_one_thread(tmp_path: Path) -> None:
    profile = read(
        tmp_path,
        sampled(([0], 1), name="a", unit="seconds"),
        sampled(([0], 5), name="b", unit="seconds"),
        sampled(([0], 9), ([0, 2], 3), name="a", unit="bytes"),
    )
    assert profile.events.names == ("ns", "bytes")
    assert drawn(profile) == [
        "a 0/1; main a.py:1 = 1000000000 9",
        "a 0/1; main a.py:1; wait = 0 3",
        "b 0/2; main a.py:1 = 5000000000 0",
    ]


def test_profiles_of_this_program_are_events(tmp_path: Path) -> None:
    profile = read(
        tmp_path,
        evented("O0@0 O1@1 C1@5 C0@6", name="Ir"),
        evented("O0@0 C0@2", name="cpu", unit="milliseconds"),
        evented("O0@0 C0@3", name="wall_ns", unit="nanoseconds"),
        exporter="qcachegrind_py",
    )
    assert [(each.name, each.long_name) for each in profile.events.measured] == [
        ("Ir", "Instruction Fetch"),
        ("cpu", "cpu (ms)"),
        ("wall_ns", ""),
    ]
    assert drawn(profile) == ["0/0; main a.py:1 = 2 2 3", "0/0; main a.py:1; read a.py:7 = 4 0 0"]
    assert profile.parts[0].command == "prog"


def test_profiles_of_this_program_may_be_of_threads(tmp_path: Path) -> None:
    profile = read(
        tmp_path,
        evented("O0@0 C0@2", name='Ir in Process 7 Thread 8 "put in"'),
        evented("O0@0 C0@3", name="Ir in worker"),
        evented("O0@0 C0@4", name='Dr in Process 7 Thread 8 "put in"'),
        evented("O0@0 C0@5", name="Dr in worker"),
        exporter="qcachegrind_py",
    )
    assert profile.events.names == ("Ir", "Dr")
    assert drawn(profile) == ["put in 7/8; main a.py:1 = 2 4", "worker 0/2; main a.py:1 = 3 5"]


def test_frames_of_py_spy_that_state_threads_are_none(tmp_path: Path) -> None:
    frames = [{"name": "thread (12): Main", "file": "", "line": 0}, {"name": "main", "file": ""}]
    profile = read(tmp_path, sampled(([0, 1], 1), ([0], 2), name='Thread 12 "Main"'), frames=frames)
    assert drawn(profile) == ["Main 0/12; main = 1", "Main 0/12; (no function) = 2"]


NOT_OPEN = "A frame ends that is not open; left out."
EARLIER = "An event is earlier than the one before it."
TOO = "A frame ends before the frames that it called; they end too."
NO_END = "Frames do not end; they are counted as far as the last event."
NO_FRAME = "An event has no frame; left out."
NO_NUMBER = "A frame is not a number; left out."
LESS = "A profile has not as many weights as samples; those without are left out."


@pytest.mark.parametrize(
    ("profile", "rows", "messages"),
    [
        (evented("O0@0 C1@2 C0@3"), ["main a.py:1 = 3"], [NOT_OPEN]),
        (evented("O0@5 O2@3 C2@6 C0@7"), ["main a.py:1 = 1", "main a.py:1; wait = 1"], [EARLIER]),
        (
            evented("O0@0 O1@1 O2@1 C0@3"),
            ["main a.py:1 = 1", "main a.py:1; read a.py:7; wait = 2"],
            [TOO, TOO],
        ),
        (evented("O0@0 O2@1 C2@2"), ["main a.py:1 = 1", "main a.py:1; wait = 1"], [NO_END]),
        (
            {
                "type": "evented",
                "events": [7, {}, {"frame": [0]}, {"frame": 0, "type": "O"}, {"frame": 0, "at": 2}],
            },
            ["main a.py:1 = 2"],
            [NO_FRAME] * 3,
        ),
        (evented("O9@0 C9@1"), ["frame 9 = 1"], ["The file has no frame 9, which is on a stack."]),
        (
            {"samples": [[0, None, [1], 2], "x"], "weights": [1, 2]},
            ["main a.py:1; wait = 1", "(no function) = 2"],
            [NO_NUMBER] * 2,
        ),
        ({"samples": [[0], [1]], "weights": [1]}, ["main a.py:1 = 1"], [LESS]),
        (
            {"samples": [[0], [0], [0]], "weights": [2, "x", 1e308], "unit": "seconds"},
            ["main a.py:1 = 2000000000"],
            [],
        ),
    ],
)
def test_what_contradicts_itself_is_reported(
    profile: Any, rows: Sequence[str], messages: Sequence[str], tmp_path: Path
) -> None:
    found = read(tmp_path, profile)
    assert drawn(found) == [f"0/0; {row}" for row in rows]
    assert said(found) == messages


@pytest.mark.parametrize("profiles", [(), (None,), ({},), (evented("O0@0")["events"],)])
def test_a_file_without_stacks_is_refused(profiles: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidProfile, match="has no stacks"):
        read(tmp_path, *profiles)


def test_stacks_of_a_million_frames_are_read_once(tmp_path: Path) -> None:
    deep = [{"type": "O", "frame": 0, "at": 0}] * 10**5 + [
        {"type": "C", "frame": 0, "at": 1}
    ] * 10**5
    profile = read(tmp_path, sampled(([0] * 10**6, 2)), {"type": "evented", "events": deep})
    assert profile.contexts is not None
    assert len(profile.contexts) == 2 * MAX_DEPTH
    assert [total(profile, event) for event in (0, 1)] == [2, 1]


def test_py_spy(tmp_path: Path) -> None:
    """The costs are those that speedscope shows of the same file."""
    profile = load_text(tmp_path, (DATA / "pyspy.speedscope.json").read_bytes())
    assert not profile.diagnostics
    assert [(part.thread, part.description("Thread")) for part in profile.parts] == [
        (30288, "MainThread"),
        (30290, "sheet"),
        (30292, ""),
    ]
    assert profile.parts[0].creator == "py-spy 0.4.3"
    whole, frames = speedscope_figures("pyspy.speedscope.json")
    assert total(profile) == whole == 10**9
    threads = {frame for frame in frames if frame.startswith("thread (")}
    assert frame_costs(profile) == {each: frames[each] for each in frames.keys() - threads}


def test_pyinstrument(tmp_path: Path) -> None:
    """The costs are those that speedscope shows of the same file, to a few nanoseconds."""
    profile = load_text(tmp_path, (DATA / "pyinstrument.speedscope.json").read_bytes())
    assert not profile.diagnostics
    whole, frames = speedscope_figures("pyinstrument.speedscope.json")
    assert total(profile) == whole
    found = frame_costs(profile)
    assert found.keys() == frames.keys()
    for frame, costs in frames.items():
        assert found[frame] == pytest.approx(costs, abs=5)


@pytest.mark.parametrize("name", ["pyspy.speedscope.json", "pyinstrument.speedscope.json"])
def test_a_cut_file_opens_as_far_as_it_goes(name: str, tmp_path: Path) -> None:
    data = (DATA / name).read_bytes()
    whole = total(load_text(tmp_path, data))
    found = 0
    for end in range(len(data) // 2, len(data) - 2, len(data) // 20):
        profile = load_text(tmp_path, data[:end])
        assert "The JSON is cut or wrong" in said(profile)[0]
        assert found <= total(profile) <= whole
        found = total(profile)


def test_a_file_is_recognised_by_its_schema_or_its_profiles() -> None:
    assert is_speedscope(
        b'{"a": 1, "$schema": "https://www.speedscope.app/file-format-schema.json"'
    )
    assert is_speedscope(b'\n{"profiles": [{"type": "evented", "startValue": 0')
    assert not is_speedscope(b'{"type": "evented"}')
    assert not is_speedscope(b"www.speedscope.app/file-format-schema.json")


values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 4) | st.floats() | st.sampled_from("OCx"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "frame",
                    "at",
                    "name",
                    "file",
                    "line",
                    "samples",
                    "weights",
                    "events",
                    "unit",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    st.lists(values, max_size=2),
    st.lists(values, max_size=5),
    st.lists(values, max_size=5),
    values,
    st.sampled_from(["qcachegrind_py", "py-spy@1"]),
)
@settings(max_examples=300, deadline=None)
def test_no_json_leads_to_another_error(
    tmp_path_factory: pytest.TempPathFactory,
    frames: Any,
    one: Any,
    two: Any,
    odd: Any,
    exporter: str,
) -> None:
    profiles = [
        {"type": "evented", "events": [*one, {"type": "O", "frame": 0, "at": odd}, *two]},
        {"type": "sampled", "samples": [*one, [0], *two], "weights": two, "unit": "seconds"},
        {"samples": two, "weights": one, "name": odd, "unit": odd},
        odd,
    ]
    folder = tmp_path_factory.getbasetemp()
    try:
        read(folder, *profiles, frames=frames, exporter=exporter)
    except ProfileError:
        return
