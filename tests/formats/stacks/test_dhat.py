"""DHAT's JSON, by Valgrind and by the Rust library, against the totals that Valgrind prints."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import qcachegrind_py as q
from qcachegrind_py.profile.profile import Profile
from tests.formats.stacks.drawn_stacks import drawn, inclusive, load_text, total

DATA = Path(__file__).parents[2] / "data" / "stacks"
REAL = DATA / "alloc.dhat"

HEAP: dict[str, Any] = {
    "dhatFileVersion": 2,
    "mode": "heap",
    "verb": "Allocated",
    "bklt": True,
    "bkacc": True,
    "tu": "instrs",
    "cmd": "./a 1",
    "pid": 7,
    "pps": [
        {
            "tb": 100, "tbk": 2, "tl": 50, "mb": 60, "mbk": 1, "gb": 60, "gbk": 1, "eb": 10,
            "ebk": 1, "rb": 7, "wb": 8, "fs": [1, 2],
        },
        {"tb": 5, "tbk": 1, "fs": [1, 3, 2]},
        {"tb": 1, "tbk": 1, "fs": [0]},
    ],
    "ftbl": [
        "[root]",
        "0x48417B4: malloc (in /usr/lib/(x)/vgpreload.so)",
        "0x1091AC: main (a.c:11)",
        "0x10ae84b2a: Vec<T, (A)>::push (src/vec.rs:171:9)",
    ],
}  # fmt: skip


def _load(folder: Path, document: Any) -> Profile:
    return load_text(folder, json.dumps(document))


def test_costs_of_program_points(tmp_path: Path) -> None:
    """The largest sizes of points are left out: they were not at one time."""
    profile = _load(tmp_path, HEAP)
    assert not profile.diagnostics
    assert (profile.creator, profile.command) == ("DHAT", "./a 1")
    assert profile.parts[0].pid == 7
    assert [(each.name, each.long_name) for each in profile.events.measured] == [
        ("allocated_bytes", "Allocated (bytes)"),
        ("allocated_blocks", "Allocated (blocks)"),
        ("at_t_gmax_bytes", "At t-gmax (bytes)"),
        ("at_t_gmax_blocks", "At t-gmax (blocks)"),
        ("at_t_end_bytes", "At t-end (bytes)"),
        ("at_t_end_blocks", "At t-end (blocks)"),
        ("reads_bytes", "Reads (bytes)"),
        ("writes_bytes", "Writes (bytes)"),
        ("total_lifetimes_instrs", "Total lifetimes (instrs)"),
    ]
    main, malloc = "main a.c:11 0x1091ac", "malloc 0x48417b4 (/usr/lib/(x)/vgpreload.so)"
    push = "Vec<T, (A)>::push src/vec.rs:171 0x10ae84b2a"
    assert drawn(profile) == [
        f"7/0; {main}; {malloc} = 100 2 60 1 10 1 7 8 50",
        f"7/0; {main}; {push}; {malloc} = 5 1 0 0 0 0 0 0 0",
        "7/0; ??? = 1 1 0 0 0 0 0 0 0",
    ]


@pytest.mark.parametrize(
    ("header", "events", "creator"),
    [
        (
            {"mode": "copy", "verb": "Copied", "bklt": False, "bkacc": False},
            ("copied_bytes", "copied_blocks"),
            "DHAT",
        ),
        (
            {
                "mode": "rust-ad-hoc",
                "verb": "Occurred",
                "bklt": False,
                "bkacc": False,
                "bsu": "units",
                "bksu": "events",
            },
            ("occurred_units", "occurred_events"),
            "dhat-rs",
        ),
    ],
)
def test_events_and_units_of_modes(
    header: dict[str, Any], events: tuple[str, ...], creator: str, tmp_path: Path
) -> None:
    profile = _load(tmp_path, HEAP | header)
    assert (profile.events.names, profile.creator, total(profile)) == (events, creator, 106)


def test_totals_of_a_real_file_are_those_that_valgrind_prints() -> None:
    profile = q.load(REAL)
    assert not profile.diagnostics
    numbers = re.findall(r"[\d,]+", (DATA / "alloc.dhat-totals").read_text())
    printed = [int(number.replace(",", "")) for number in numbers if number.strip(",")]
    assert [total(profile, event) for event in range(8)] == printed


def test_costs_of_functions_of_a_real_file_are_those_of_its_points() -> None:
    profile = q.load(REAL)
    document = json.loads(REAL.read_text())
    names = [re.sub(r"^0x\w+: (.*) \(.*", r"\1", each) for each in document["ftbl"]]
    expected: dict[str, int] = {}
    for point in document["pps"]:
        for name in {names[row] for row in point["fs"]}:
            expected[name] = expected.get(name, 0) + point["gb"]
    event = profile.events.names.index("at_t_gmax_bytes")
    assert {name: cost for name, (_, cost) in inclusive(profile, event).items()} == expected


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.97])
def test_a_cut_file_opens_as_far_as_it_goes(share: float, tmp_path: Path) -> None:
    """The table of names is last: without it, costs and depths are known."""
    data = REAL.read_bytes()
    data = data[: int(share * len(data))]
    if share == 0.2:
        with pytest.raises(q.InvalidProfile):
            load_text(tmp_path, data)
        return
    profile = load_text(tmp_path, data)
    assert {each.kind for each in profile.diagnostics} >= {"cut"}
    assert 0 < total(profile) <= 33_852


@pytest.mark.parametrize(
    ("change", "diagnostics"),
    [
        ({"pps": [{"tb": 5, "fs": [99, -1, 2]}]}, ["no-function"] * 2),
        ({"pps": [{"tb": 5, "fs": ["x", None, True, [], 1e9]}]}, ["no-function"] * 5),
        ({"pps": [{"tb": 1 << 70, "fs": [1]}]}, ["number-too-large"]),
        ({"pps": [None, 5, [], {"tb": "5", "fs": {}}]}, []),
        ({"ftbl": None}, ["cut"]),
        ({"ftbl": [None, 5, [], {}]}, []),
        ({"ftbl": ["", "0x", "0xfffffffffffffffff: f (", "f (a:b)"]}, []),
        ({"cmd": 5, "pid": "x", "tu": [], "bsu": {}, "mode": None}, []),
        ({"pps": [{"tb": 5, "fs": [1] * 1_000_000}]}, ["too-deep"] * 100),
    ],
)
def test_hostile_values(change: dict[str, Any], diagnostics: list[str], tmp_path: Path) -> None:
    profile = _load(tmp_path, HEAP | change)
    assert [each.kind for each in profile.diagnostics] == diagnostics
    assert profile.contexts is not None
    assert len(profile.contexts) > 0


@pytest.mark.parametrize("text", ['{"dhatFileVersion": 2}', '{"dhatFileVersion": 2, "pps": 7}'])
def test_a_file_without_points_is_invalid(text: str, tmp_path: Path) -> None:
    with pytest.raises(q.InvalidProfile):
        load_text(tmp_path, text)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["tb", "tl", "fs", "gb", "x"]), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(sorted(HEAP)[1:]), _VALUES), st.integers(0, 400))
def test_any_values_open_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, Any], cut: int
) -> None:
    text = json.dumps(HEAP | changes)
    path = tmp_path_factory.getbasetemp() / "any.dhat"
    path.write_text(text[: max(30, len(text) - cut)])
    with suppress(q.InvalidProfile):
        q.load(path)
