"""What a graph layout is given and what it returns, whichever program computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.progress import Progress


@dataclass(frozen=True, slots=True)
class LayoutInput:
    """A graph to lay out: sizes only, in pixels. No call twice, none from a node to itself."""

    nodes: tuple[tuple[float, float], ...]  # width and height, above 0
    calls: tuple[tuple[int, int, float, float], ...]
    """Row of the caller and of the callee, width and height of its label (0, 0: none)."""
    clusters: tuple[tuple[int, ...], ...] = ()  # rows of nodes that stand together, each in one
    title_height: float = 0.0  # the room above the boxes of a cluster
    is_horizontal: bool = False  # callers on the left instead of on top
    node_gap: float = 24.0  # between nodes of a rank
    rank_gap: float = 40.0  # between ranks, the room of labels not counted


@dataclass(frozen=True, slots=True, eq=False)
class LayoutResult:
    """A graph laid out, in pixels; y grows downwards from the top left corner of the whole."""

    width: float
    height: float
    nodes: Float64Array  # shape (nodes, 2): centres
    paths: tuple[Float64Array, ...]
    """Of each call, shape (3k + 1, 2): cubic Béziers from the caller's outline to the callee's."""
    cluster_frames: (
        Float64Array  # shape (clusters, 4): left, top, right, bottom, with the title's room
    )
    label_centres: Float64Array  # shape (calls, 2): centres; NaN: it has none, or it finds no room


class GraphLayout(Protocol):
    """What lays out call graphs."""

    def prepare(self) -> None:
        """Get ready while others work out what is to be laid out."""

    def layout(self, graph: LayoutInput, progress: Progress) -> LayoutResult:
        """Lay the graph out; blocks. Raises `LayoutError`, or what `progress.check` raises."""

    def close(self) -> None:
        """Leave nothing behind; a layout in another thread ends as if it was cancelled."""
