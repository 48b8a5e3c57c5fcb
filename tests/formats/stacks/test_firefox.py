"""The Firefox profiler's JSON: drawn, by Firefox, and by a converter."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import qcachegrind_py as q
from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.formats.stacks.firefox import is_firefox
from qcachegrind_py.profile.profile import Profile
from tests.formats.stacks.drawn_stacks import drawn, inclusive, load_text, total

DATA = Path(__file__).parents[2] / "data" / "stacks"

# `main` calls `outer`, in which `inner` is inlined, and a function of a page without a symbol.
TABLES: dict[str, Any] = {
    "stackTable": {"prefix": [None, 0, 1, 0], "frame": [0, 1, 2, 3], "length": 4},
    "frameTable": {
        "func": [0, 1, 2, 3],
        "address": [0x10, 0x20, 0x20, -1],
        "inlineDepth": [0, 0, 1, 0],
        "line": [7, 8, 9, None],
        "nativeSymbol": [0, 0, 0, None],
    },
    "funcTable": {
        "name": [0, 1, 2, 3],
        "resource": [0, 0, 0, 1],
        "fileName": [4, 4, 4, 5],
    },
    "resourceTable": {"lib": [0, None], "name": [6, 7], "type": [1, 5]},
}
TEXTS = ["main", "outer", "inner", "0x4a", "a.c", "page.html", "program", "https://host"]
THREAD: dict[str, Any] = {
    "name": "main",
    "pid": "12.1",
    "tid": 34,
    "samples": {
        "stack": [2, 0, None, 3, 2],
        "weight": None,
        "weightType": "samples",
        "threadCPUDelta": [99, 5, 6, None, 7],
        "timeDeltas": [0, 1, 1, 1, 1],
    },
}
PROCESSED: dict[str, Any] = {
    "meta": {
        "preprocessedProfileVersion": 55,
        "product": "./program 1",
        "sampleUnits": {"threadCPUDelta": "µs"},
    },
    "libs": [{"name": "program", "path": "/bin/program"}],
    "threads": [{**THREAD, **TABLES, "stringArray": TEXTS}],
}
SHARED: dict[str, Any] = {
    **PROCESSED,
    "shared": {
        **TABLES,
        "funcTable": {**TABLES["funcTable"], "fileName": None, "source": [0, 0, 0, 1]},
        "sources": {"filename": [4, 5]},
        "stringArray": TEXTS,
    },
    "threads": [THREAD, {**THREAD, "name": "other", "tid": 35}],
}


def recorded(name: str, schema: str, rows: list[list[Any]]) -> dict[str, Any]:
    return {
        name: {"schema": {key: place for place, key in enumerate(schema.split())}, "data": rows}
    }


RECORDED: dict[str, Any] = {
    "meta": {"version": 24, "stackwalk": 1, "product": "Firefox"},
    "libs": [{"start": 0x1000, "end": 0x2000, "name": "a.so", "path": "/usr/lib/a.so"}],
    "threads": [
        {
            "name": "GeckoMain",
            "processName": "Parent",
            "pid": 5,
            "tid": 5,
            **recorded("samples", "stack time threadCPUDelta", [[1, 0], [2, 1, 8], [3, 2, 9]]),
            **recorded("stackTable", "prefix frame", [[None, 0], [0, 1], [0, 2], [2, 3]]),
            **recorded(
                "frameTable", "location line", [[0], [1], [2, 12], [3]]
            ),
            "stringTable": ["(root)", "0x1234", "f (file:///a.js:10:3)[1]", "g (in /b (1).so)"],
        }
    ],
    "processes": [
        {
            "libs": [],
            "threads": [
                {
                    "name": "worker",
                    "pid": 6,
                    "tid": 7,
                    **recorded("samples", "stack time", [[0, 0]]),
                    **recorded("stackTable", "prefix frame", [[None, 0]]),
                    **recorded("frameTable", "location", [[0]]),
                    "stringTable": ["0x1234"],
                }
            ],
        }
    ],
}  # fmt: skip


def load(folder: Path, document: Any) -> Profile:
    return load_text(folder, json.dumps(document))


def stacks(thread: str) -> list[str]:
    main, object_ = "main a.c:7", "(/bin/program)"
    return [
        f"{thread}; {main} 0x11 {object_}"
        f"; outer a.c:8 0x20 {object_}; inner a.c:9 0x20 {object_} = 2 7",
        f"{thread}; {main} 0x11 {object_}; ??? page.html:0 (https://host) = 1 0",
        f"{thread}; {main} 0x10 {object_} = 1 5",
    ]


def test_a_processed_profile_of_samples_with_processor_times(tmp_path: Path) -> None:
    """The first processor time has no sample before it; a sample without a stack is none."""
    profile = load(tmp_path, PROCESSED)
    assert not profile.diagnostics
    assert [(each.name, each.long_name) for each in profile.events.measured] == [
        ("samples", ""),
        ("cpu", "cpu (us)"),
    ]
    assert profile.command == "./program 1"
    assert drawn(profile) == stacks("main 12/34")


def test_threads_may_share_all_tables(tmp_path: Path) -> None:
    profile = load(tmp_path, SHARED)
    assert not profile.diagnostics
    assert drawn(profile) == stacks("main 12/34") + stacks("other 12/35")


def test_a_recorded_profile_of_several_processes(tmp_path: Path) -> None:
    profile = load(tmp_path, RECORDED)
    assert not profile.diagnostics
    thread = "GeckoMain (Parent) 5/5; (root)"
    assert drawn(profile) == [
        f"{thread}; ??? 0x234 (/usr/lib/a.so) = 1 0",
        f"{thread}; f file:///a.js:12 = 1 8",
        f"{thread}; f file:///a.js:12; g (/b (1).so) = 1 9",
        "worker 6/7; ??? 0x1234 = 1 0",
    ]


@pytest.mark.parametrize(
    ("kind", "event", "costs"),
    [
        ("tracing-ms", "ns", [1_500_000, 250_000]),
        ("bytes", "bytes", [2, 0]),
        ("samples", "samples", [2, 0]),
    ],
)
def test_weights_and_their_units(kind: str, event: str, costs: list[int], tmp_path: Path) -> None:
    samples = {"stack": [3, 0], "weight": [1.5, 0.25], "weightType": kind}
    thread = {**PROCESSED["threads"][0], "samples": samples}
    profile = load(tmp_path, {**PROCESSED, "threads": [thread]})
    assert profile.events.names == (event,)
    assert total(profile) == sum(costs)


def test_allocations_are_events_of_their_own(tmp_path: Path) -> None:
    allocations = {"stack": [0, 2], "weight": [16, -8], "weightType": "bytes"}
    thread = {**PROCESSED["threads"][0], "nativeAllocations": allocations}
    profile = load(tmp_path, {**PROCESSED, "threads": [thread]})
    assert profile.events.names == ("samples", "cpu", "native_allocations")
    assert [total(profile, event) for event in range(3)] == [4, 12, 8]


def test_functions_without_names_are_told(tmp_path: Path) -> None:
    """samply saves addresses only; the Firefox profiler finds the symbols later."""
    meta = {**PROCESSED["meta"], "symbolicated": False}
    profile = load(tmp_path, {**PROCESSED, "meta": meta})
    assert [each.kind for each in profile.diagnostics] == ["no-symbols"]


# ------------------------------------------------------------------- real files


def expected(thread: dict[str, Any]) -> dict[str, int]:
    """Return inclusive samples by function of a real file, stack by stack."""
    texts, costs = thread.get("stringTable") or thread["stringArray"], dict[str, int]()

    def column(table: str, name: str) -> list[Any]:
        found = thread[table]
        if "schema" not in found:
            return list(found[name])
        place = found["schema"][name]
        return [row[place] if place < len(row) else None for row in found["data"]]

    frames = column("stackTable", "frame")
    above = column("stackTable", "prefix")
    if "funcTable" in thread:
        functions = column("funcTable", "name")
        names = [texts[functions[each]] for each in column("frameTable", "func")]
    else:
        names = [texts[each] for each in column("frameTable", "location")]
        names = ["???" if each.startswith("0x") else each for each in names]
        names = [each.split(" (")[0] if ":/" in each and " (" in each else each for each in names]
    for stack in column("samples", "stack"):
        on_stack = set()
        while stack is not None:
            on_stack.add(names[frames[stack]])
            stack = above[stack]
        for name in on_stack:
            costs[name] = costs.get(name, 0) + 1
    return costs


@pytest.mark.parametrize("name", ["firefox.json.gz", "vmprof.json"])
def test_costs_of_real_files_are_those_of_their_stacks(name: str) -> None:
    profile = q.load(DATA / name)
    assert not profile.diagnostics
    with_all = open_profile(DATA / name)
    document = json.loads(with_all.head(1 << 22))
    with_all.close()
    costs: dict[str, int] = {}
    for process in [document, *document.get("processes", [])]:
        for thread in process["threads"]:
            for key, cost in expected(thread).items():
                costs[key] = costs.get(key, 0) + cost
    assert {key: cost for key, (_, cost) in inclusive(profile).items() if cost} == costs
    assert len(profile.parts) > 1


# --------------------------------------------------------- cut and hostile files


def test_a_cut_file_opens_as_far_as_it_goes(tmp_path: Path) -> None:
    text = (DATA / "vmprof.json").read_text()
    cut = load_text(tmp_path, text[: int(len(text) * 0.9)])
    assert [each.kind for each in cut.diagnostics] == ["cut"]
    assert 0 < total(cut) <= total(q.load(DATA / "vmprof.json"))


@pytest.mark.parametrize(
    "other", [b"", b"{}", b"[]", b'{"meta": {}}', b"a;b 1\n", b'{"nodes": [], "stackwalk": 1}']
)
def test_other_files_are_none(other: bytes) -> None:
    assert is_firefox(json.dumps(PROCESSED).encode())
    assert is_firefox(json.dumps(RECORDED).encode())
    assert not is_firefox(other)


@pytest.mark.parametrize("prefix", [[0, 1, 2, 3], [3, 0, 1, 2], [9, -1, "x", 1.5]])
def test_stacks_that_call_each_other_round_are_cut(prefix: list[Any], tmp_path: Path) -> None:
    table = {**TABLES["stackTable"], "prefix": prefix}
    profile = load(
        tmp_path, {**PROCESSED, "threads": [{**PROCESSED["threads"][0], "stackTable": table}]}
    )
    assert total(profile) == 4
    assert "no-caller" in {each.kind for each in profile.diagnostics}


def test_a_million_frames_on_one_another(tmp_path: Path) -> None:
    rows = 1_000_000
    table = {"prefix": [None, *range(rows - 1)], "frame": [0] * rows}
    samples = {"stack": [rows - 1, rows - 2, 5], "weight": None}
    thread = {**PROCESSED["threads"][0], "stackTable": table, "samples": samples}
    profile = load(tmp_path, {**PROCESSED, "threads": [thread]})
    assert total(profile) == 3
    assert {each.kind for each in profile.diagnostics} == {"too-deep"}


WRONG = st.sampled_from([None, -1, 2**70, 1.5, "x", [], {}, [[]], True, {"schema": {"x": 0}}])


@given(st.sampled_from([PROCESSED, SHARED, RECORDED]), st.data())
def test_wrong_values_raise_nothing_but_our_errors(
    tmp_path_factory: pytest.TempPathFactory, document: dict[str, Any], data: st.DataObject
) -> None:
    document = copy.deepcopy(document)
    for _ in range(data.draw(st.integers(1, 4))):
        owner: Any = document
        while True:
            keys = list(owner) if isinstance(owner, dict) else list(range(len(owner)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if not isinstance(owner[key], dict | list) or data.draw(st.integers(0, 3)) == 0:
                owner[key] = copy.deepcopy(data.draw(WRONG))
                break
            owner = owner[key]
    text = json.dumps(document)
    with suppress(q.ProfileError):
        load_text(tmp_path_factory.getbasetemp(), text[: data.draw(st.integers(0, len(text) * 2))])
