"""Stacks as files for other viewers of flame graphs: folded stacks, and those of speedscope.

A profile of whole stacks is written with each of them. Speedscope's file has its threads as
profiles of their own then, and the lines that functions execute.

Other profiles prove what functions and single calls cost, and only some paths of several calls.
Where a path is no longer proven, the frame `≈ estimated` is put into it, so that every viewer shows
where estimates begin, and each function keeps one name. Functions whose frames are all too small to
be written stand alone below `(left out)`.

Folded stacks have a line for each stack, with the names from the outermost function to the
innermost, a semicolon between them, then a blank and the cost: `main;parse;read 1200`. Where these
are no samples, as readers expect, a comment before them says what they are. In a chain
of 10,000 calls that are 50 million names; estimated stacks beyond so many have their functions
below `(left out)`, too. Speedscope's file has no such limit: it says where each frame begins and
ends, as https://www.speedscope.app/file-format-schema.json describes. The format follows from the
name of a file, compression from its ending.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from pathlib import PurePath
from typing import Any, TextIO

import numpy as np

from qcachegrind_py.analysis.calls.frame_layout import exact_to_the_root
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, Stacks, divide_self_costs
from qcachegrind_py.analysis.costs.function_costs import values_of_parts
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import NO_FILTER, Filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.compression import atomic_write, compressing_stream
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.contexts import distinct_rows
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, STAND_INS, NodeId, PartId, is_function, node_at
from qcachegrind_py.profile.numbers import unit_of
from qcachegrind_py.profile.profile import Part
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import UNKNOWN, Int32Array
from qcachegrind_py.visible_text import visible_text

ESTIMATED = "≈ estimated"
LEFT_OUT = "(left out)"
_ESTIMATED_FRAME, _LEFT_OUT_FRAME = NodeId(-1 - STAND_INS), NodeId(-2 - STAND_INS)

_MAX_FRAMES = 50_000  # 25 MB of folded stacks for a profile of 18 MB
_MIN_SHARE = 1e-6
_MAX_NAMES = 10_000_000  # in all stacks that are written whole, some 200 MB


@frozen(eq=True, slots=False)
class StackReport:
    """The stacks of the functions of a profile in one event, ready to be written.

    Stacks with negative costs are left out, as no format has room for them.
    """

    queries: ProfileQueries
    event: EventType
    scope: Scope
    filter: Filter
    stacks: Stacks
    lines: _Lines | None = None  # what the nodes of the stacks are, if they are no functions

    @cached_property
    def total(self) -> int:
        return sum(cost for _, cost in self._costs() if cost > 0)

    @cached_property
    def left_out(self) -> int:
        """The sum of the negative costs, which are not in the stacks."""
        return sum(cost for _, cost in self._costs() if cost < 0)

    @cached_property
    def estimated(self) -> int:
        """The sum of the costs of stacks with estimates, and of those whose path is left out."""
        exact = self.stacks.tree.is_exact
        return sum(c for frame, c in self._costs() if c > 0 and (frame < 0 or not exact[frame]))

    def _costs(self) -> Iterator[tuple[int, int]]:
        """Yield frames with their self costs, and what has no frame as -1."""
        frames = self.stacks.frames
        yield from zip(frames.tolist(), self.stacks.self_cost[frames].tolist(), strict=True)
        yield from ((-1, cost) for cost in self.stacks.elsewhere.values())

    @cached_property
    def _whole(self) -> int:
        """How many frames, the first ones, have a path that is written whole."""
        tree = self.stacks.tree
        if self.queries.profile.contexts is not None:
            return len(tree)
        return int(np.searchsorted(np.cumsum(tree.depth + 1), _MAX_NAMES, "right"))

    @cached_property
    def too_deep(self) -> int:
        """The sum of the costs whose paths are too long to be written whole."""
        costs = self.stacks.self_cost[self._whole :].tolist()
        return sum(cost for cost in costs if cost > 0)

    def paths(self) -> Iterator[tuple[list[NodeId], int]]:
        """Yield the nodes along each path, outermost first, with the self cost at its end."""
        costs, alone = self.stacks.self_cost.tolist(), self._alone()
        marked = _marked_paths(self.stacks.tree)
        for cost, path in zip(costs[: self._whole], marked, strict=False):
            if cost > 0:
                yield path, cost
        nodes = self.stacks.tree.node[self._whole :].tolist()
        for node, cost in zip(nodes, costs[self._whole :], strict=True):
            if cost > 0:
                alone[node] = alone.get(node, 0) + cost
        for node, cost in alone.items():
            yield [_LEFT_OUT_FRAME, node], cost

    def _alone(self) -> dict[NodeId, int]:
        """Return what nodes without a frame cost."""
        return {node: cost for node, cost in self.stacks.elsewhere.items() if cost > 0}

    def frame_ends(self) -> Iterator[tuple[str, NodeId, int]]:
        """Yield where each frame begins, as `O`, and where it ends, as `C`: the cost before it.

        A frame begins with what it costs by itself. Frames that cost nothing are left out.
        """
        tree, at = self.stacks.tree, 0
        costs = np.maximum(self.stacks.self_cost, 0).tolist()
        nodes, parents = tree.node.tolist(), tree.parent.tolist()
        exact = exact_to_the_root(tree).tolist()
        within = list(costs)
        for frame in range(len(nodes) - 1, 0, -1):
            within[parents[frame]] += within[frame]
        waiting = _opened(exact, [0] if nodes and within[0] else [], True)
        while waiting:
            step, frame = waiting.pop()
            node = nodes[frame] if frame >= 0 else _ESTIMATED_FRAME
            if node != NO_NODE:
                yield step, node, at
            if step == "O" and frame >= 0:
                at += costs[frame]
                waiting.append(("C", frame))
                below = [child for child in tree.children_of(frame) if within[child]]
                waiting += _opened(exact, below, exact[frame])
        if alone := self._alone():
            yield "O", _LEFT_OUT_FRAME, at
            for node, cost in alone.items():
                yield "O", node, at
                at += cost
                yield "C", node, at
            yield "C", _LEFT_OUT_FRAME, at

    def name(self, node: NodeId) -> str:
        if node == _ESTIMATED_FRAME:
            return ESTIMATED
        if node == _LEFT_OUT_FRAME:
            return LEFT_OUT
        return self.queries.labels(self.scope).full_name(self.place(node)[0])

    def place(self, node: NodeId) -> tuple[NodeId, int]:
        """Return the function or cycle of a node, and the line that it executes; 0: unknown."""
        if self.lines is None or node < 0:
            return node, 0
        return node_at(self.lines.function, node), int(self.lines.line[node])


def _opened(exact: Sequence[bool], frames: Sequence[int], is_exact: bool) -> list[tuple[str, int]]:
    """Return the steps that open these frames, the first one last.

    Within what `is_exact`, estimates are in a frame of their own, which is -1 here.
    """
    estimated = [frame for frame in frames if is_exact and not exact[frame]]
    steps = [("O", frame) for frame in frames if exact[frame] or not is_exact]
    if estimated:
        steps += [("O", -1), *(("O", frame) for frame in estimated), ("C", -1)]
    return steps[::-1]


def _marked_paths(tree: FrameTree) -> Iterator[list[NodeId]]:
    """Yield the nodes on the path to each frame, with a mark before the first estimate.

    Frames are in the order of their levels: a path is that of the level above, and a node more.
    """
    above: dict[int, tuple[list[NodeId], bool]] = {-1: ([], True)}
    level, paths = 0, dict[int, tuple[list[NodeId], bool]]()
    for frame, (node, parent, depth, is_exact) in enumerate(
        zip(
            *map(np.ndarray.tolist, (tree.node, tree.parent, tree.depth, tree.is_exact)),
            strict=True,
        )
    ):
        if depth > level:
            above, paths, level = paths, {}, depth
        path, was_exact = above[parent]
        step = [NodeId(node)] if node != NO_NODE else []
        mark = [_ESTIMATED_FRAME] if was_exact and not is_exact else []
        paths[frame] = [*path, *mark, *step], was_exact and is_exact
        yield paths[frame][0]


def stack_report(
    queries: ProfileQueries,
    event: EventType,
    scope: Scope,
    filter_: Filter = NO_FILTER,
    progress: Progress | None = None,
) -> StackReport:
    """Find the stacks of the functions that pass a filter; the event is no ratio.

    Raises `Cancelled`.
    """
    progress = progress or NoProgress()
    if queries.profile.contexts is not None:
        return _context_report(queries, event, scope, filter_, progress)
    visible = queries.visible_nodes(filter_, event, scope)
    tree = queries.frame_tree(
        NO_NODE,
        event,
        scope,
        min_share=_MIN_SHARE,
        max_frames=_MAX_FRAMES,
        visible=visible,
        progress=progress,
    )
    self_cost = queries.self_cost(event, scope)[: queries.function_count]
    not_attributed = queries.program_calls(event, scope).not_attributed
    if visible is not None:
        self_cost, not_attributed = self_cost * visible[: queries.function_count], 0
    stacks = divide_self_costs(tree, self_cost, not_attributed)
    return StackReport(queries, event, scope, filter_, stacks)


@frozen
class _Lines:
    """Functions with a line that they execute: one row for each pair; line 0 is unknown."""

    function: Int32Array
    line: Int32Array


def _context_report(
    queries: ProfileQueries,
    event: EventType,
    scope: Scope,
    filter_: Filter,
    progress: Progress,
    *,
    with_lines: bool = False,
) -> StackReport:
    """Return all stacks of a profile with contexts, which end in functions that pass the filter."""
    from qcachegrind_py.analysis.calls.context_trees import ContextCosts

    contexts, lines = queries.profile.contexts, None
    assert contexts is not None
    own = queries.events.evaluate(event, values_of_parts(contexts, scope.parts))
    visible = queries.visible_nodes(filter_, event, scope)
    if visible is not None:
        own = np.where(visible[contexts.function], own, 0)
    if with_lines:
        number, first = distinct_rows([contexts.function, contexts.line])
        lines = _Lines(contexts.function[first], contexts.line[first])
        contexts = replace(contexts, function=number.astype(np.int32))
    drawn = np.maximum(own, 0)[np.newaxis]
    costs = ContextCosts(contexts, drawn, contexts.sums_below(drawn))
    tree = costs.frame_tree(NO_NODE, min_share=0, max_frames=len(contexts) + 1, progress=progress)
    self_cost = tree.cost.copy()
    np.subtract.at(self_cost, tree.parent[1:], tree.cost[1:])
    negative = sum(own[own < 0].tolist())
    elsewhere = {NO_NODE: negative} if negative else {}
    return StackReport(queries, event, scope, filter_, Stacks(tree, self_cost, elsewhere), lines)


_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_SECONDS = {
    Fraction(1): "seconds",
    Fraction(1, 10**3): "milliseconds",
    Fraction(1, 10**6): "microseconds",
    Fraction(1, 10**9): "nanoseconds",
}


def is_speedscope(path: str) -> bool:
    """Return whether a file of this name has speedscope's format: `x.json`, also compressed."""
    return ".json" in PurePath(path).suffixes


def save_stacks(
    path: str | os.PathLike[str], reports: Sequence[StackReport], progress: Progress | None = None
) -> None:
    """Write the stacks to a file; raises `UnwritableFile`, and `Cancelled`, which leave it as is.

    A file of folded stacks has one report.
    """
    progress = progress or NoProgress()
    name = os.fspath(path)
    with atomic_write(path) as file, compressing_stream(file, name) as stream:
        text = io.TextIOWrapper(stream, "utf-8", "replace", newline="\n")
        write_stacks(reports, name, text)
        text.detach()
        progress.check(1.0)


def write_stacks(reports: Sequence[StackReport], path: str, stream: TextIO) -> None:
    if is_speedscope(path):
        name = PurePath(reports[0].queries.profile.program_name).name if reports else ""
        write_speedscope(reports, name, stream)
        return
    for report in reports:
        write_folded(report, stream)


def write_folded(report: StackReport, stream: TextIO) -> None:
    """Write the stacks; semicolons in names become commas, and line breaks escapes."""
    names: dict[NodeId, str] = {}
    event = report.event
    if event.name != "samples":
        text = f" ({event.long_name})" if event.long_name else ""  # no number ends a comment
        stream.write(f"# event: {visible_text(event.name + text)}\n")
    for path, cost in report.paths():
        for node in path:
            if node not in names:
                names[node] = visible_text(report.name(node)).replace(";", ",")
        stream.write(f"{';'.join([names[node] for node in path])} {cost}\n")


def write_speedscope(reports: Sequence[StackReport], name: str, stream: TextIO) -> None:
    """Write a file with the stacks of each event; the reports are of one profile."""
    frames = _Frames()
    stream.write(f'{{"$schema": {json.dumps(_SCHEMA)}, "profiles": [')
    comma = ""
    for title, report in chain.from_iterable(map(_by_thread, reports)):
        stream.write(comma)
        _write_profile(title, report, frames, stream)
        comma = ", "
    ending = {
        "shared": {"frames": frames.rows},
        "name": visible_text(name),
        "activeProfileIndex": 0,
        "exporter": "qcachegrind_py",
    }
    stream.write("], " + json.dumps(ending)[1:] + "\n")


def _by_thread(report: StackReport) -> Iterator[tuple[str, StackReport]]:
    """Yield the profiles that speedscope shows of an event, with their titles.

    Contexts have one for each part.
    """
    queries, event = report.queries, report.event
    if queries.profile.contexts is None:
        yield event.name, report
        return
    parts = queries.profile.parts
    counted = range(len(parts)) if report.scope.parts is None else sorted(report.scope.parts)
    for number in counted:
        title = " in ".join(filter(None, (event.name, _thread_title(parts[number]))))
        scope = replace(report.scope, parts=frozenset([PartId(number)]))
        yield (
            title if len(parts) > 1 else event.name,
            _context_report(queries, event, scope, report.filter, NoProgress(), with_lines=True),
        )


def _thread_title(part: Part) -> str:
    """Return how py-spy titles a thread; its name, which may be empty, if it has no number."""
    if not part.thread:
        return part.thread_name
    process = f"Process {part.pid} " if part.pid else ""
    name = f' "{part.thread_name}"' if part.thread_name else ""
    return f"{process}Thread {part.thread}{name}"


class _Frames:
    """The frames of all stacks, numbered as they occur."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self._numbers: dict[NodeId, int] = {}

    def number(self, report: StackReport, node: NodeId) -> int:
        known = self._numbers.get(node)
        if known is None:
            known = self._numbers[node] = len(self.rows)
            self.rows.append(_frame(report, node))
        return known


def _frame(report: StackReport, node: NodeId) -> dict[str, Any]:
    frame: dict[str, Any] = {"name": visible_text(report.name(node))}
    function, line = report.place(node)
    if function >= 0 and is_function(function, report.queries.function_count):
        file = report.queries.names.file(function)
        if file != UNKNOWN:
            frame["file"] = visible_text(file)
        if line:
            frame["line"] = line
    return frame


def _write_profile(title: str, report: StackReport, frames: _Frames, stream: TextIO) -> None:
    head = {
        "type": "evented",
        "name": visible_text(title),
        "unit": _unit(report),
        "startValue": 0,
        "endValue": report.total,
    }
    stream.write(json.dumps(head)[:-1] + ', "events": [')
    comma = ""
    for kind, node, at in report.frame_ends():
        frame = frames.number(report, node)
        stream.write(f'{comma}{{"type": "{kind}", "frame": {frame}, "at": {at}}}')
        comma = ", "
    stream.write("]}")


def _unit(report: StackReport) -> str:
    """Return the format's name of the event's unit: `none` for counts and for other units."""
    unit = unit_of(report.event.name, report.event.long_name)
    if unit is None:
        return "none"
    if unit.symbol == "B":
        return "bytes" if unit.factor == 1 else "none"
    return _SECONDS.get(unit.factor, "none") if unit.symbol == "s" else "none"
