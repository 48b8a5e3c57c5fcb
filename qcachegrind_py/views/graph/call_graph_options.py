"""The options of the call graph, with KCachegrind's defaults: how much is drawn, and how."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.views.common.option_menu import Choice
from qcachegrind_py.views.graph.call_graph_scene import LayoutOptions
from qcachegrind_py.views.graph.overview import Corner

_GAPS = {"compact": (10.0, 24.0), "normal": (24.0, 40.0), "tall": (24.0, 90.0)}
_MIN_UNLIMITED_SHARE = 0.01  # no minimum is for graphs that are limited both ways


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """All of them; their fields are plain values, to be remembered."""

    caller_depth: int | None = 2
    callee_depth: int | None = None
    least_node: float = 0.05  # of the active function's inclusive cost
    least_call: float = 1.0  # of the least node's
    skipped: bool = False
    inner_calls: bool = True
    groups: bool = False
    recorded: bool = False
    horizontal: bool = False
    compactness: str = "normal"
    corner: str = Corner.AUTOMATIC.value

    def limits(self, expanded_cycles: frozenset[NodeId]) -> SubgraphLimits:
        """What of the graph is wanted, with these cycles opened."""
        is_limited = self.caller_depth is not None and self.callee_depth is not None
        return SubgraphLimits(
            caller_depth=self.caller_depth,
            callee_depth=self.callee_depth,
            min_node_share=self.least_node
            if self.least_node or is_limited
            else _MIN_UNLIMITED_SHARE,
            min_call_share=self.least_call,
            include_inner_calls=self.inner_calls,
            expanded_cycles=expanded_cycles,
        )

    @property
    def layout_options(self) -> LayoutOptions:
        """How it is laid out."""
        return LayoutOptions(self.horizontal, *_GAPS[self.compactness])


_DEPTHS: tuple[tuple[object, str], ...] = (
    (None, "&Unlimited"),
    (0, "&None"),
    *((depth, f"At Most {depth}") for depth in (1, 2, 5, 10, 15)),
)
CHOICES = {
    "caller_depth": Choice("C&aller Depth", "How many calls up from the active function", _DEPTHS),
    "callee_depth": Choice(
        "Call&ee Depth", "How many calls down from the active function", _DEPTHS
    ),
    "least_node": Choice(
        "Least &Function Cost",
        "Functions that cost less of the active one's inclusive cost are left out",
        (
            (0.0, "&No Minimum (1 % where a Depth Is Unlimited)"),
            *((share, f"{share * 100:g} %") for share in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)),
        ),
    ),
    "least_call": Choice(
        "Least &Call Cost",
        "Arrows that cost less are left out",
        (
            (1.0, "As for &Functions"),
            *((share, f"{share * 100:g} % of That") for share in (0.5, 0.2, 0.1)),
        ),
    ),
    "compactness": Choice(
        "C&ompactness",
        "How much room is between functions",
        (("compact", "&Compact"), ("normal", "&Normal"), ("tall", "&Tall")),
    ),
    "horizontal": Choice(
        "&Direction", "Where calls lead to", ((False, "&Top to Bottom"), (True, "&Left to Right"))
    ),
    "corner": Choice(
        "O&verview",
        "Where the small picture of the whole graph is",
        tuple((corner.value, corner.value.capitalize()) for corner in Corner),
    ),
    "skipped": Choice(
        "&Arrows for Skipped Calls", "Short arrows at functions whose calls are left out"
    ),
    "inner_calls": Choice(
        "Calls &Inside Cycles", "Show the calls between the members of an opened cycle"
    ),
    "groups": Choice(
        "&Groups in Frames", "Put functions of one group, or of one source file, into a frame"
    ),
    "recorded": Choice(
        "&Recorded Costs",
        "Show whole costs, not the shares spent on ways through the active function",
    ),
}
