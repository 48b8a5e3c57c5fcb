import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qcachegrind_py.formats.stacks.cpuprofile import is_cpuprofile
from qcachegrind_py.profile.errors import InvalidProfile, ProfileError
from qcachegrind_py.profile.profile import Profile
from tests.formats.stacks.drawn_stacks import drawn, inclusive, load_text, total
from tests.formats.stacks.speedscope_figures import DATA, speedscope_figures


def node(
    text: str, *children: int, ticks: dict[int, int] | None = None, **more: Any
) -> dict[str, Any]:
    """Return a node of a text such as `2 main a.js:4:0`, whose line and column count from 0."""
    id_, name, *place = text.split()
    frame: dict[str, Any] = {
        "functionName": name.replace("-", ""),
        "url": "",
        "lineNumber": -1,
        "columnNumber": -1,
    }
    if place:
        url, line, column = place[0].rsplit(":", 2)
        frame |= {"url": url, "lineNumber": int(line), "columnNumber": int(column)}
    row = {"id": int(id_), "callFrame": frame, "hitCount": 0, "children": list(children), **more}
    if ticks:
        row["positionTicks"] = [{"line": line, "ticks": count} for line, count in ticks.items()]
    return row


def read(folder: Path, nodes: Any, samples: Any = (), deltas: Any = (), end: Any = 0) -> Profile:
    profile = {
        "nodes": nodes,
        "startTime": 1000,
        "endTime": end,
        "samples": samples,
        "timeDeltas": deltas,
    }
    return load_text(folder, json.dumps(profile))


TREE = [
    node("1 (root)", 2, 4),
    node("2 main file:///home/me/a%20b.js:4:0", 3),
    node("3 read file:///home/me/a%20b.js:9:2"),
    node("4 (program)"),
]


def test_a_sample_lasts_until_the_next_and_the_last_one_to_the_end(tmp_path: Path) -> None:
    profile = read(tmp_path, TREE, [2, 3, 3, 4, 2], [5, 10, 20, 30, 40], end=1000 + 105 + 7)
    assert profile.events.names == ("ns", "samples")
    assert len(profile.functions) == 3  # none for the root, above all of them
    assert drawn(profile) == [
        "0/0; main /home/me/a b.js:5 = 17000 2",
        "0/0; main /home/me/a b.js:5; read /home/me/a b.js:10 = 50000 2",
        "0/0; (program) = 40000 1",
    ]
    assert not profile.diagnostics


def test_samples_that_are_out_of_order_add_up_to_the_end(tmp_path: Path) -> None:
    profile = read(tmp_path, TREE, [2, 3, 4, 2], [5, 30, -20, 40], end=1060)
    assert drawn(profile) == [
        "0/0; main /home/me/a b.js:5 = 35000 2",
        "0/0; main /home/me/a b.js:5; read /home/me/a b.js:10 = 0 1",
        "0/0; (program) = 20000 1",
    ]


def test_times_are_divided_among_lines_by_their_ticks(tmp_path: Path) -> None:
    """Lines of ticks count from 1. What has no tick is where the function begins."""
    nodes = [
        node("1 (root)", 2),
        node("2 main a.js:4:0", 3, ticks={7: 2, 8: 1}),
        node("3 f a.js:0:0", ticks={3: 5}),
    ]
    profile = read(tmp_path, nodes, [2, 2, 2, 2, 3], [0, 1, 1, 1, 8], end=1012)
    assert drawn(profile) == [
        "0/0; main a.js:5 = 2750 1",
        "0/0; main a.js:5; f a.js:3 = 1000 1",
        "0/0; main a.js:7 = 5500 2",
        "0/0; main a.js:8 = 2750 1",
    ]
    assert total(profile) == 12000


def test_without_samples_hits_are_counted(tmp_path: Path) -> None:
    nodes = [node("1 (root)", 2, hitCount=1), node("2 main a.js:4:0", hitCount=3, ticks={7: 2})]
    profile = read(tmp_path, nodes)
    assert profile.events.names == ("samples",)
    assert drawn(profile) == ["0/0; (root) = 1", "0/0; main a.js:7 = 2", "0/0; main a.js:5 = 1"]


def test_functions_of_one_name_in_a_file_differ(tmp_path: Path) -> None:
    """By their lines, and in code on one line by their columns."""
    places = [
        "put b.js:4:0",
        "put b.js:8:0",
        "put c.js:4:0",
        "t c.js:0:5",
        "t c.js:0:9",
        "- d/e.js:1:0",
        "- d/e.js:2:1",
        "- d/e.js:2:3",
        "-",
    ]
    nodes = [node(f"{row} {place}") for row, place in enumerate(places, 1)]
    assert drawn(read(tmp_path, nodes, list(range(1, 10)), [1] * 10)) == [
        f"0/0; {each} = 1000 1"
        for each in [
            "put:5 b.js:5",
            "put:9 b.js:9",
            "put c.js:5",
            "t:1:6 c.js:1",
            "t:1:10 c.js:1",
            "(anonymous e.js:2) d/e.js:2",
            "(anonymous e.js:3:2) d/e.js:3",
            "(anonymous e.js:3:4) d/e.js:3",
            "(anonymous)",
        ]
    ]


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("file:///home/me/caf%C3%A9.js", "/home/me/caf\u00e9.js"),
        ("file:///C:/me/a.js", "C:/me/a.js"),
        ("node:internal/util", "node:internal/util"),
        ("http://host/a%20.js?b", "http://host/a%20.js?b"),
    ],
)
def test_urls_of_files_are_their_paths(url: str, path: str, tmp_path: Path) -> None:
    assert drawn(read(tmp_path, [node(f"1 f {url}:0:0", hitCount=1)])) == [f"0/0; f {path}:1 = 1"]


def trace(*events: dict[str, Any]) -> str:
    return json.dumps({"traceEvents": events})


def test_profiles_of_a_trace_are_put_together_from_their_pieces(tmp_path: Path) -> None:
    def chunk(nodes: list[Any], samples: list[int], **data: Any) -> dict[str, Any]:
        data = {"cpuProfile": {"nodes": nodes, "samples": samples}, **data}
        return {"name": "ProfileChunk", "pid": 7, "tid": 9, "id": "0x1", "args": {"data": data}}

    main = node("2 main a.js:4:0", parent=1)
    text = trace(
        {"name": "thread_name", "pid": 7, "tid": 8, "args": {"name": "Renderer"}},
        {"name": "Profile", "pid": 7, "tid": 8, "id": "0x1", "args": {"data": {"startTime": 50}}},
        chunk([node("1 (root)"), main], [2, 2], timeDeltas=[1, 2], lines=[6, 7]),
        {"name": "other", "pid": 7, "args": 5},
        chunk([node("3 f a.js:8:0", parent=2)], [3, 2], timeDeltas=[3, 4]),
        {
            "name": "ProfileChunk",
            "pid": 8,
            "id": "0x1",
            "args": {
                "data": {
                    "cpuProfile": {"nodes": [node("1 g")], "samples": [1, 1]},
                    "timeDeltas": [1, 8],
                }
            },
        },
    )
    profile = load_text(tmp_path, text)
    assert drawn(profile) == [
        "Renderer 7/8; main a.js:5 = 0 1",
        "Renderer 7/8; main a.js:5; f a.js:9 = 4000 1",
        "Renderer 7/8; main a.js:6 = 2000 1",
        "Renderer 7/8; main a.js:7 = 3000 1",
        "8/2; g = 8000 2",
    ]


def test_a_trace_without_a_profile_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidProfile, match=r"without a CPU profile.*v8.cpu_profiler"):
        load_text(tmp_path, trace({"name": "thread_name", "pid": 7}))


@pytest.mark.parametrize(
    ("nodes", "samples", "deltas", "rows", "messages"),
    [
        (
            [node("1 a", 2), node("2 b", 1), node("3 c")],
            [1, 3],
            [0, 1],
            ["c = 0 1"],
            ["2 nodes are below themselves; left out.", "1 samples are of no node; left out."],
        ),
        (
            [node("1 a", 1), node("3 c")],
            [3],
            [0],
            ["c = 0 1"],
            ["1 nodes are below themselves; left out."],
        ),
        (
            [node("1 a", 2, 2, 9, None), node("1 x"), node("2 b", parent=1), 7, {}],
            [1, "x", 2, 8],
            [0, 1, 1, 1],
            ["a = 1000 1", "a; b = 1000 1"],
            ["2 samples are of no node; left out."],
        ),
        (
            TREE,
            [2, 2, 2],
            [0, 1],
            ["main /home/me/a b.js:5 = 1000 2"],
            ["A profile has not as many times as samples; those without are left out."],
        ),
        (
            [node("1 a", ticks={1: -5, 2: 3, 3: 5})],
            [1, 1],
            [0, 8],
            ["a ???:2 = 3000 0", "a ???:3 = 5000 2"],
            [],
        ),
    ],
)
def test_what_contradicts_itself_is_reported(
    nodes: Any, samples: Any, deltas: Any, rows: list[str], messages: list[str], tmp_path: Path
) -> None:
    profile = read(tmp_path, nodes, samples, deltas)
    assert drawn(profile) == [f"0/0; {row}" for row in rows]
    assert [each.message for each in profile.diagnostics] == messages


def test_a_very_long_chain_of_nodes_is_read(tmp_path: Path) -> None:
    nodes = [
        {"id": row, "callFrame": {"functionName": "f"}, "children": [row + 1]}
        for row in range(10**5)
    ]
    profile = read(tmp_path, nodes, [10**5 - 1, 5], [1, 1])
    assert total(profile, 1) == 2


@pytest.mark.parametrize(
    "name",
    ["node-main.cpuprofile", "node-worker.cpuprofile", "chrome.cpuprofile", "chrome-trace.json"],
)
def test_profiles_of_node_and_chromium(name: str, tmp_path: Path) -> None:
    """Self costs are those of speedscope.

    It shows no idle time, and collection of garbage within the stack before it, or other programs.
    """
    profile = load_text(tmp_path, (DATA / name).read_bytes())
    assert not profile.diagnostics
    whole, frames = speedscope_figures(name)
    costs = inclusive(profile)
    assert total(profile) == whole + costs.pop("(idle)")[1]
    theirs: dict[str, tuple[int, int]] = {}
    for frame, (own, all_) in frames.items():
        function = frame.split("|")[0].replace(":undefined)", ")").replace("html:0)", "html)")
        before = theirs.get(function, (0, 0))
        theirs[function] = before[0] + own, before[1] + all_
    assert {function: own for function, (own, _) in costs.items() if own} == {
        function: own for function, (own, _) in theirs.items() if own
    }
    moved = costs["(garbage collector)"][0] + costs["(program)"][0]
    for function, (_, all_) in costs.items():
        if function in theirs:
            assert theirs[function][1] - moved <= all_ <= theirs[function][1]


def test_all_time_is_counted_but_that_before_the_first_sample(tmp_path: Path) -> None:
    data = (DATA / "node-main.cpuprofile").read_bytes()
    file = json.loads(data)
    measured = file["endTime"] - file["startTime"] - file["timeDeltas"][0]
    assert total(load_text(tmp_path, data)) == 1000 * measured


def test_a_cut_file_opens_as_far_as_it_goes(tmp_path: Path) -> None:
    """Where samples follow the nodes, hits are counted until there are samples."""
    data = (DATA / "node-main.cpuprofile").read_bytes()
    hits = json.loads(data)["nodes"]
    for end in range(300, len(data) - 2, len(data) // 20):
        profile = load_text(tmp_path, data[:end])
        assert "The JSON is cut or wrong" in profile.diagnostics[0].message
        event = profile.events.names.index("samples")
        assert 0 < total(profile, event) <= sum(each["hitCount"] for each in hits)


def test_profiles_are_recognised_by_their_keys() -> None:
    assert is_cpuprofile(b'{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"')
    assert is_cpuprofile(b'{"metadata": {}, "traceEvents": [')
    assert not is_cpuprofile(b'{"nodes": [1, 2], "edges": []}')
    assert not is_cpuprofile(b'"nodes" "callFrame"')


values = st.recursive(
    st.none() | st.integers(-2, 4) | st.floats() | st.sampled_from(["", "f", "(root)"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "parent",
                    "children",
                    "callFrame",
                    "functionName",
                    "url",
                    "lineNumber",
                    "columnNumber",
                    "hitCount",
                    "positionTicks",
                    "line",
                    "ticks",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(
    st.lists(values, max_size=4), st.lists(values, max_size=4), st.lists(values, max_size=4), values
)
@settings(max_examples=300, deadline=None)
def test_no_json_leads_to_another_error(
    tmp_path_factory: pytest.TempPathFactory, nodes: Any, samples: Any, deltas: Any, odd: Any
) -> None:
    data = {"cpuProfile": {"nodes": nodes, "samples": samples}, "timeDeltas": deltas, "lines": odd}
    chunk = {"name": "ProfileChunk", "pid": odd, "id": odd, "args": {"data": data}}
    folder = tmp_path_factory.getbasetemp()
    for text in (
        json.dumps(
            {
                "nodes": [node("1 f", hitCount=1), *nodes],
                "samples": samples,
                "timeDeltas": deltas,
                "endTime": odd,
            }
        ),
        trace(chunk, {"name": "Profile", "args": odd}, odd),
    ):
        try:
            load_text(folder, text)
        except ProfileError:
            continue
