"""CPU profiles of V8 and other engines of JavaScript, alone or in the traces of Chrome and Node.

    {"nodes": [
       {"id": 1, "callFrame": {"functionName": "(root)", "lineNumber": -1}, "children": [2]},
       {"id": 2, "callFrame": {"functionName": "main", "url": "file:///home/me/a.js",
                               "lineNumber": 4, "columnNumber": 0},
        "hitCount": 3, "positionTicks": [{"line": 7, "ticks": 2}]}],
     "startTime": 0, "endTime": 900, "samples": [2, 2, 2], "timeDeltas": [100, 200, 300]}

Each node is a stack, whose time are the samples of it: each lasts until the next one. Lines of
functions count from 0 and are those where they begin, lines of ticks count from 1 and are those
that were executed; a trace has the latter for each sample. Calls are at the beginning of the
caller. Written by Node, Deno, Bun and Hermes as .cpuprofile, and by the developer tools of Chrome,
whose traces have profiles in pieces among their `traceEvents`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, pairwise, repeat
from typing import Any, NamedTuple
from urllib.parse import unquote

from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.formats.stacks.json_values import integer, items, member, read_json, text
from qcachegrind_py.formats.stacks.source import StackSource
from qcachegrind_py.profile.errors import InvalidProfile

_MICROSECOND = 1000  # ns
_REMEDY = "Record it with the category disabled-by-default-v8.cpu_profiler."
_ROOT = "(root)"  # above all functions
_Costs = dict[int, tuple[int, int]]  # time in nanoseconds and number of samples, by line


def is_cpuprofile(head: bytes) -> bool:
    """Return whether the first bytes are those of a CPU profile, or of a trace."""
    if not head.lstrip().startswith((b"{", b"[")):
        return False
    return (b'"nodes"' in head and b'"callFrame"' in head) or b'"traceEvents"' in head


def read_cpuprofile(source: StackSource, builder: StackBuilder) -> None:
    """Read a profile, or all profiles of a trace."""
    file = read_json(source, builder)
    trace = items(file, "traceEvents")
    profiles = list(_profiles_of_trace(trace)) if trace else [_profile_of_file(file)]
    if not profiles:
        raise InvalidProfile(source.path, "is a trace without a CPU profile.", remedy=_REMEDY)
    has_times = any(profile.deltas for profile in profiles)
    if has_times:
        builder.event("ns", "Time")
    builder.event("samples")
    functions = _Functions(builder, [node for each in profiles for node in each.nodes])
    for place, profile in enumerate(profiles):
        source.check(place / len(profiles))
        part = builder.part(profile.thread, profile.pid, profile.tid)
        _add_profile(builder, part, profile, functions, has_times=has_times)


# ------------------------------------------------------------ what is in a file


class _Profile:
    """The profile of one thread: its nodes, and for each sample its node, time and maybe line."""

    def __init__(self, thread: str, pid: int, tid: int) -> None:
        self.thread, self.pid, self.tid = thread, pid, tid
        self.start = self.end = 0
        self.nodes: list[_Node] = []
        self.samples: list[Any] = []
        self.deltas: list[Any] = []
        self.lines: list[Any] = []


class _Node(NamedTuple):
    """A function called by the functions above it."""

    id: int
    parent: int | None
    children: list[Any]
    name: str
    file: str
    line: int  # where the function begins, from 1; 0: unknown
    column: int
    hits: int
    ticks: list[Any]


def _profile_of_file(file: object) -> _Profile:
    profile = _Profile("", 0, 0)
    profile.nodes = _nodes(items(file, "nodes"))
    profile.samples, profile.deltas = items(file, "samples"), items(file, "timeDeltas")
    if isinstance(file, dict):
        profile.start, profile.end = integer(file.get("startTime")), integer(file.get("endTime"))
    return profile


def _profiles_of_trace(events: list[Any]) -> Iterator[_Profile]:
    """Yield the profiles of a trace, whose pieces have the process and a number in common."""
    threads: dict[tuple[int, int], str] = {}
    profiles: dict[tuple[int, str], _Profile] = {}
    for event in events:
        if not isinstance(event, dict):
            continue
        pid, tid, name = integer(event.get("pid")), integer(event.get("tid")), event.get("name")
        if name == "thread_name":
            threads[pid, tid] = text(member(event, "args").get("name"))
        elif name in ("Profile", "ProfileChunk"):
            data = member(member(event, "args"), "data")
            profile = profiles.setdefault((pid, text(event.get("id"))), _Profile("", pid, tid))
            if name == "Profile":  # by the thread itself, but pieces by a helper
                profile.start, profile.tid = integer(data.get("startTime")), tid
            else:
                samples = items(member(data, "cpuProfile"), "samples")
                profile.nodes += _nodes(items(member(data, "cpuProfile"), "nodes"))
                profile.samples += samples
                profile.deltas += items(data, "timeDeltas")
                profile.lines += items(data, "lines") or [0] * len(samples)
                profile.end = integer(data.get("endTime")) or profile.end
    for profile in profiles.values():
        profile.thread = threads.get((profile.pid, profile.tid), "")
        yield profile


def _nodes(rows: list[Any]) -> list[_Node]:
    nodes = []
    for row in rows:
        if isinstance(row, dict):
            frame, parent = member(row, "callFrame"), row.get("parent")
            node = _Node(
                id=integer(row.get("id")),
                parent=None if parent is None else integer(parent),
                children=items(row, "children"),
                name=text(frame.get("functionName")),
                file=_path(text(frame.get("url"))),
                line=integer(frame.get("lineNumber", -1)) + 1,
                column=integer(frame.get("columnNumber", -1)) + 1,
                hits=integer(row.get("hitCount")),
                ticks=items(row, "positionTicks"),
            )
            nodes.append(node)
    return nodes


@lru_cache(1000)
def _path(url: str) -> str:
    """Return the path of a URL of a file, and other URLs as they are."""
    if not url.startswith("file://"):
        return url
    path = unquote(url.removeprefix("file://"), "utf-8", "surrogateescape")
    return path[1:] if path[2:3] == ":" else path  # /C:/a.js


class _Functions:
    """Names functions such that those of one file differ, by lines and columns if need be."""

    def __init__(self, builder: StackBuilder, nodes: list[_Node]) -> None:
        self._builder = builder
        self._numbers = dict.fromkeys(map(self._key, nodes), -1)
        self._lines = defaultdict[tuple[str, str], set[int]](set)
        self._columns = defaultdict[tuple[str, str, int], set[int]](set)
        for name, file, line, column in self._numbers:
            self._lines[name, file].add(line)
            self._columns[name, file, line].add(column)

    def frame(self, node: _Node, line: int) -> int:
        """Return the frame of a line of a node's function."""
        key = self._key(node)
        if self._numbers[key] < 0:
            self._numbers[key] = self._builder.function(self._name(*key), node.file)
        return self._builder.frame(self._numbers[key], line)

    @staticmethod
    def _key(node: _Node) -> tuple[str, str, int, int]:
        return node.name, node.file, node.line, node.column

    def _name(self, name: str, file: str, line: int, column: int) -> str:
        place = ""
        if len(self._columns[name, file, line]) > 1:
            place = f":{line}:{column}"
        elif line and (not name or len(self._lines[name, file]) > 1):
            place = f":{line}"
        if name:
            return f"{name}{place}"
        short = file.replace("\\", "/").rpartition("/")[2]
        return f"(anonymous {short}{place})" if short else "(anonymous)"


# ------------------------------------------------------------ costs and contexts


def _add_profile(
    builder: StackBuilder, part: int, profile: _Profile, functions: _Functions, *, has_times: bool
) -> None:
    """Add all nodes, from the outermost inwards."""
    nodes: dict[int, _Node] = {}
    for node in profile.nodes:
        nodes.setdefault(node.id, node)
    below, outermost = _tree(nodes)
    costs = _costs(builder, profile, nodes)
    remaining = [(number, part) for number in reversed(outermost)]
    reached = 0
    while remaining:
        number, above = remaining.pop()
        reached += 1
        node, spent = nodes[number], costs.pop(number, {})
        context = above
        if below[number] and not (above == part and node.name == _ROOT):
            context = builder.child(above, functions.frame(node, node.line))
        for line, cost in spent.items():
            place = builder.child(above, functions.frame(node, line or node.line))
            builder.add(place, *(cost if has_times else cost[1:]))
        remaining += [(each, context) for each in reversed(below[number])]
    if reached < len(nodes):
        message = f"{len(nodes) - reached:,} nodes are below themselves; left out."
        builder.diagnostic(0, "cycle", message)
    if lost := sum(samples for spent in costs.values() for _, samples in spent.values()):
        builder.diagnostic(0, "no-node", f"{lost:,} samples are of no node; left out.")


def _tree(nodes: dict[int, _Node]) -> tuple[dict[int, list[int]], list[int]]:
    """Return the nodes below each node, and those below none; each is below one at most."""
    parent = {number: node.parent for number, node in nodes.items() if node.parent in nodes}
    for number, node in nodes.items():
        for child in node.children:
            if type(child) is int and child in nodes:
                parent.setdefault(child, number)
    below: dict[int, list[int]] = {number: [] for number in nodes}
    for number in nodes:
        if (above := parent.get(number)) is not None:
            below[above].append(number)
    return below, [number for number in nodes if number not in parent]


def _costs(builder: StackBuilder, profile: _Profile, nodes: dict[int, _Node]) -> dict[int, _Costs]:
    """Return the costs of each node by line; line 0 is where the function begins."""
    if not profile.deltas:  # maybe cut off, behind the samples
        return {number: _by_lines(node, 0, node.hits) for number, node in nodes.items()}
    if len(profile.samples) != len(profile.deltas):
        message = "A profile has not as many times as samples; those without are left out."
        builder.diagnostic(0, "no-time", message)
    numbers = [number if type(number) is int else -1 for number in profile.samples]
    lines = map(integer, profile.lines) if profile.lines else repeat(0)
    places = list(zip(numbers, lines, strict=False))[: len(profile.deltas)]
    times: dict[tuple[int, int], int] = {}
    for place, time in zip(places, _durations(profile), strict=False):
        times[place] = times.get(place, 0) + time
    costs: dict[int, _Costs] = {}
    for place, samples in Counter(places).items():
        number, line = place
        cost = {line: (times[place], samples)}
        if not line and number in nodes:
            cost = _by_lines(nodes[number], *cost[0])
        costs.setdefault(number, {}).update(cost)
    return costs


def _durations(profile: _Profile) -> Iterator[int]:
    """Yield the time in nanoseconds from each sample until the next one, or the end."""
    times = list(accumulate(map(integer, profile.deltas), initial=profile.start))[1:]
    times.append(max([profile.end, *times[-1:]]))
    # samples are not always written in order
    return (_MICROSECOND * (end - begin) for begin, end in pairwise(accumulate(times, max)))


def _by_lines(node: _Node, time: int, samples: int) -> _Costs:
    """Divide what a node costs among the lines of its ticks, and the beginning for the rest."""
    ticks: dict[int, int] = {}
    for tick in node.ticks:
        if isinstance(tick, dict) and (count := integer(tick.get("ticks"))) > 0:
            line = integer(tick.get("line"))
            ticks[line] = ticks.get(line, 0) + count
    rest = samples - sum(ticks.values())
    if rest > 0:
        ticks[0] = ticks.get(0, 0) + rest
    if not ticks:
        return {}
    ends = list(accumulate(ticks.values(), initial=0))
    times, counts = ([cost * end // ends[-1] for end in ends] for cost in (time, samples))
    return {
        line: (time_end - time_begin, count_end - count_begin)
        for line, (time_begin, time_end), (count_begin, count_end) in zip(
            ticks, pairwise(times), pairwise(counts), strict=True
        )
    }
