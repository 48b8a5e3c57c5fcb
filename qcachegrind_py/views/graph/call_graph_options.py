"""The options of the call graph: subgraph limits, layout and costs, with KCachegrind's defaults."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.views.common.option_menu import Choice
from qcachegrind_py.views.graph.call_graph_scene import LayoutOptions
from qcachegrind_py.views.graph.overview import Corner

_GAPS = {"compact": (10.0, 24.0), "normal": (24.0, 40.0), "tall": (24.0, 90.0)}
_MIN_UNLIMITED_SHARE = 0.01  # used for "no minimum" if a depth is unlimited


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """The options as plain values that can be saved as JSON."""

    caller_depth: int | None = 2
    callee_depth: int | None = None
    least_node: float = 0.05  # share of the active function's inclusive cost
    least_call: float = 1.0  # share of the minimum for nodes
    skipped: bool = False
    inner_calls: bool = True
    groups: bool = False
    recorded: bool = False
    horizontal: bool = False
    compactness: str = "normal"
    corner: str = Corner.AUTOMATIC.value

    def limits(self, expanded_cycles: frozenset[NodeId]) -> SubgraphLimits:
        """Return the limits of the subgraph, with these cycles expanded."""
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
        """The layout options that follow from these options."""
        return LayoutOptions(self.horizontal, *_GAPS[self.compactness])


_DEPTHS: tuple[tuple[object, str], ...] = (
    (None, "&Unlimited"),
    (0, "&None"),
    *((depth, f"{depth} Levels") for depth in (1, 2, 5, 10, 15)),
)
CHOICES = {
    "caller_depth": Choice("C&aller Depth", "Number of calls up from the active function", _DEPTHS),
    "callee_depth": Choice(
        "Call&ee Depth", "Number of calls down from the active function", _DEPTHS
    ),
    "least_node": Choice(
        "Minimum &Function Cost",
        "Hide functions below this share of the active function's inclusive cost",
        (
            (0.0, "&None (1 % if depth is unlimited)"),
            *((share, f"{share * 100:g} %") for share in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01)),
        ),
    ),
    "least_call": Choice(
        "Minimum &Call Cost",
        "Hide calls below this cost",
        (
            (1.0, "&Same as Functions"),
            *((share, f"{share * 100:g} % of Function Minimum") for share in (0.5, 0.2, 0.1)),
        ),
    ),
    "compactness": Choice(
        "&Spacing",
        "The distance between functions",
        (("compact", "&Tight"), ("normal", "&Normal"), ("tall", "&Loose")),
    ),
    "horizontal": Choice(
        "&Direction", "Direction of calls", ((False, "&Top to Bottom"), (True, "&Left to Right"))
    ),
    "corner": Choice(
        "O&verview",
        "Position of the overview",
        tuple((corner.value, corner.value.capitalize()) for corner in Corner),
    ),
    "skipped": Choice(
        "&Stubs for Hidden Calls", "Draw short arrows at functions with hidden calls"
    ),
    "inner_calls": Choice(
        "Calls &Inside Cycles", "Show the calls between members of an expanded cycle"
    ),
    "groups": Choice(
        "Frame &Groups", "Draw a frame around the functions of each group or source file"
    ),
    "recorded": Choice(
        "&Full Costs",
        "Show costs as recorded, not only those of paths through the active function",
    ),
}
