"""The options of the control flow: visible blocks, their instructions, and the layout."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.analysis.code.visible_blocks import NEVER_EXECUTED
from qcachegrind_py.views.common.option_menu import Choice
from qcachegrind_py.views.graph.control_flow.style import ALL, COSTLY, NONE
from qcachegrind_py.views.graph.overview import Corner


@dataclass(frozen=True, slots=True)
class FlowOptions:
    """The options as plain values that can be saved as JSON."""

    least_block: float = 0.0  # share of the function's self cost; NEVER_EXECUTED for all blocks
    instructions: str = ALL
    addresses: bool = True
    horizontal: bool = False
    corner: str = Corner.AUTOMATIC.value


CHOICES = {
    "least_block": Choice(
        "Least &Block Cost",
        "Blocks that cost less of the function's self cost are left out",
        (
            (NEVER_EXECUTED, "&All, Never Executed Ones, Too"),
            (0.0, "All &Executed Ones"),
            *((share, f"{share * 100:g} %") for share in (0.001, 0.002, 0.005, 0.01, 0.02)),
            *((share, f"{share * 100:g} %") for share in (0.05, 0.1)),
        ),
    ),
    "instructions": Choice(
        "&Instructions",
        "Which instructions are written in the blocks",
        ((NONE, "&None"), (COSTLY, "&Costly Ones"), (ALL, "&All")),
    ),
    "addresses": Choice("A&ddresses", "Write the address before each instruction"),
    "horizontal": Choice(
        "&Direction", "Where control goes to", ((False, "&Top to Bottom"), (True, "&Left to Right"))
    ),
    "corner": Choice(
        "O&verview",
        "Where the small picture of the whole function is",
        tuple((corner.value, corner.value.capitalize()) for corner in Corner),
    ),
}
