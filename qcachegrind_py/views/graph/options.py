"""The options of the call graph and of the control flow, with KCachegrind's defaults.

They are plain values that can be saved as JSON.
"""

from __future__ import annotations

from enum import Enum

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.code.visible_blocks import NEVER_EXECUTED
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.control_flow import ALL, COSTLY, NONE
from qcachegrind_py.present.diagram import Arrangement
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.views.pictures.overview import Corner
from qcachegrind_py.views.widgets.buttons import Choice

_CORNERS = Choice(
    "O&verview",
    "Position of the overview",
    tuple((corner.value, corner.value.capitalize()) for corner in Corner),
)

# -------------------------------------------------------------------- of the call graph

_GAPS = {"compact": (10.0, 24.0), "normal": (24.0, 40.0), "tall": (24.0, 90.0)}
_MIN_UNLIMITED_SHARE = 0.01  # used for "no minimum" if a depth is unlimited

# Panes at least this many times as wide as high get graphs from left to right. Graphs around 300
# hot functions of eight programs are 0.6 times as wide as high from top to bottom and 9 times from
# left to right (medians); in a pane of this shape, both can be shown about equally large.
_WIDE_PANE = 2.2
_PANE_TOLERANCE = 1.1  # factor by which a pane's shape passes the limit before the graph turns


class Direction(Enum):
    """How the functions of the graph are arranged."""

    AUTOMATIC = "automatic"  # by the shape of the pane
    DOWN = "down"
    RIGHT = "right"
    CIRCULAR = "circular"


def is_wide_pane(aspect: float, was_wide: bool) -> bool:
    """Return whether a graph in a pane with this ratio of width to height goes left to right.

    A pane near the limit stays what it was, so that the graph does not turn back and forth.
    """
    return aspect >= (_WIDE_PANE / _PANE_TOLERANCE if was_wide else _WIDE_PANE * _PANE_TOLERANCE)


@frozen(eq=True)
class GraphOptions:
    """What the call graph shows, and how it is laid out."""

    caller_depth: int | None = 2
    callee_depth: int | None = None
    least_node: float = 0.05  # share of the active function's inclusive cost
    least_call: float = 1.0  # share of the minimum for nodes
    skipped: bool = False
    inner_calls: bool = True
    groups: bool = False
    recorded: bool = False
    counts: bool = False
    direction: str = Direction.AUTOMATIC.value
    compactness: str = "normal"
    corner: str = Corner.AUTOMATIC.value

    @property
    def has_group_frames(self) -> bool:
        """Whether groups have frames: in a circular layout they would surround other boxes, too."""
        return self.groups and Direction(self.direction) is not Direction.CIRCULAR

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

    def arrangement(self, is_wide: bool) -> Arrangement:
        """Return the arrangement that follows in a wide or in another pane."""
        direction = Direction(self.direction)
        is_horizontal = direction is Direction.RIGHT or (
            direction is Direction.AUTOMATIC and is_wide
        )
        is_circular = direction is Direction.CIRCULAR
        return Arrangement(is_horizontal, *_GAPS[self.compactness], is_circular)


_DEPTHS: tuple[tuple[object, str], ...] = (
    (None, "&Unlimited"),
    (0, "&None"),
    *((depth, f"{depth} Levels") for depth in (1, 2, 5, 10, 15)),
)
GRAPH_CHOICES = {
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
    "direction": Choice(
        "&Layout",
        "Direction of calls",
        (
            (Direction.AUTOMATIC.value, "&Automatic"),
            (Direction.DOWN.value, "&Top to Bottom"),
            (Direction.RIGHT.value, "&Left to Right"),
            (Direction.CIRCULAR.value, "&Circular"),
        ),
    ),
    "corner": _CORNERS,
    "counts": Choice(
        "Call &Counts in Boxes", "Show how often each function was called on the shown paths"
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

# -------------------------------------------------------------------- of the control flow

_FLOW_GAPS = (26.0, 34.0)


@frozen(eq=True)
class FlowOptions:
    """Which blocks and instructions the control flow shows, and how it is laid out."""

    least_block: float = 0.0  # share of the function's self cost; NEVER_EXECUTED for all blocks
    instructions: str = ALL
    addresses: bool = True
    horizontal: bool = False
    corner: str = Corner.AUTOMATIC.value

    @property
    def arrangement(self) -> Arrangement:
        """The direction and the gaps."""
        return Arrangement(self.horizontal, *_FLOW_GAPS)


FLOW_CHOICES = {
    "least_block": Choice(
        "Minimum &Block Cost",
        "Hide blocks below this share of the function's self cost",
        (
            (NEVER_EXECUTED, "&All, Including Never Executed"),
            (0.0, "All &Executed"),
            *((share, f"{share * 100:g} %") for share in (0.001, 0.002, 0.005, 0.01, 0.02)),
            *((share, f"{share * 100:g} %") for share in (0.05, 0.1)),
        ),
    ),
    "instructions": Choice(
        "&Instructions",
        "Which instructions the blocks show",
        ((NONE, "&None"), (COSTLY, "&Costly"), (ALL, "&All")),
    ),
    "addresses": Choice("A&ddresses", "Show the address of each instruction"),
    "horizontal": Choice(
        "&Direction",
        "Direction of control flow",
        ((False, "&Top to Bottom"), (True, "&Left to Right")),
    ),
    "corner": _CORNERS,
}
