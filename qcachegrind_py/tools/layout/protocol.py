"""The interface of graph layouts: input, result, and the protocol of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.progress import Progress


@dataclass(frozen=True, slots=True)
class LayoutInput:
    """A graph to lay out: sizes only, in pixels; without duplicate calls or self calls."""

    nodes: tuple[tuple[float, float], ...]  # width and height, above 0
    calls: tuple[tuple[int, int, float, float], ...]
    """Rows of caller and callee, width and height of the label (0, 0: none)."""
    # rows of the nodes of each cluster; a node is in one at most
    clusters: tuple[tuple[int, ...], ...] = ()
    title_height: float = 0.0  # space above the boxes of a cluster
    is_horizontal: bool = False  # callers on the left instead of on top
    # this node in the middle, and the others on rings around it by their number of calls from it;
    # frames of clusters may overlap then; None: in ranks
    centre: int | None = None
    node_gap: float = 24.0  # between nodes of a rank
    rank_gap: float = 40.0  # between ranks, without the space for labels


@dataclass(frozen=True, slots=True, eq=False)
class LayoutResult:
    """A laid out graph, in pixels; the origin is the top left corner, y grows downwards."""

    width: float
    height: float
    nodes: Float64Array  # shape (nodes, 2): centres
    paths: tuple[Float64Array, ...]
    """Of each call, shape (3k + 1, 2): cubic Béziers from the caller's outline to the callee's."""
    # shape (clusters, 4): left, top, right, bottom, including the title
    cluster_frames: Float64Array
    # shape (calls, 2): centres; NaN if there is no label, or no space for it
    label_centres: Float64Array


class GraphLayout(Protocol):
    """An engine that lays out call graphs."""

    def prepare(self) -> None:
        """Start up while the caller still collects the graph."""

    def layout(self, graph: LayoutInput, progress: Progress) -> LayoutResult:
        """Lay the graph out; blocks. Raises `LayoutError`, or what `progress.check` raises."""

    def close(self) -> None:
        """Release all resources; a layout in another thread ends as if it was cancelled."""
