"""What is written of stacks: the names along each path, and which paths are estimates.

A profile proves what functions and single calls cost, and only some paths of several calls. Where a
path is no longer proven, the frame `≈ estimated` is put into it, so that every viewer shows where
estimates begin, and each function keeps one name. Functions whose frames are all too small to be
written stand alone below `(left out)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from qcachegrind_py.analysis.calls.frame_tree import (
    FrameTree,
    Stacks,
    build_frame_tree,
    divide_self_costs,
)
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import NO_FILTER, Filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, STAND_INS, NodeId, node_at
from qcachegrind_py.profile.progress import NoProgress, Progress

ESTIMATED = "≈ estimated"
LEFT_OUT = "(left out)"
_ESTIMATED_FRAME, _LEFT_OUT_FRAME = NodeId(-1 - STAND_INS), NodeId(-2 - STAND_INS)

_MAX_FRAMES = 50_000  # 25 MB of folded stacks for a profile of 18 MB
_MIN_SHARE = 1e-6


@frozen(eq=True, slots=False)
class StackReport:
    """The stacks of the functions of a profile in one event, ready to be written.

    Stacks with negative costs are left out, as no format has room for them.
    """

    queries: ProfileQueries
    event: EventType
    scope: Scope
    stacks: Stacks

    @cached_property
    def total(self) -> int:
        """The sum of the costs of all stacks."""
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

    def paths(self) -> Iterator[tuple[list[NodeId], int]]:
        """Yield the nodes along each path, outermost first, with the self cost at its end."""
        tree = self.stacks.tree
        for frame, cost in self._costs():
            if frame >= 0 and cost > 0:
                yield _marked_path(tree, frame), cost
        for node, cost in self.stacks.elsewhere.items():
            if cost > 0:
                yield [_LEFT_OUT_FRAME, node], cost

    def name(self, node: NodeId) -> str:
        """Return the name of a node of a path."""
        if node == _ESTIMATED_FRAME:
            return ESTIMATED
        if node == _LEFT_OUT_FRAME:
            return LEFT_OUT
        return self.queries.labels(self.scope).full_name(node)


def _marked_path(tree: FrameTree, frame: int) -> list[NodeId]:
    """Return the nodes on the path to a frame, with a mark before the first estimate."""
    path: list[NodeId] = []
    is_exact = True
    for row in tree.path(frame):
        if is_exact and not tree.is_exact[row]:
            path.append(_ESTIMATED_FRAME)
            is_exact = False
        if (node := node_at(tree.node, row)) != NO_NODE:
            path.append(node)
    return path


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
    visible = queries.visible_nodes(filter_, event, scope)
    calls = queries.program_calls(event, scope)
    tree = build_frame_tree(
        calls,
        calls.program_roots(),
        min_share=_MIN_SHARE,
        max_frames=_MAX_FRAMES,
        visible=visible,
        progress=progress,
    )
    self_cost = queries.self_cost(event, scope)[: queries.function_count]
    not_attributed = calls.not_attributed
    if visible is not None:
        self_cost, not_attributed = self_cost * visible[: queries.function_count], 0
    stacks = divide_self_costs(tree, self_cost, not_attributed)
    return StackReport(queries, event, scope, stacks)
