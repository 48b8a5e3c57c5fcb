"""The options of the control flow: visible blocks, their instructions, and the layout."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.analysis.code.visible_blocks import NEVER_EXECUTED
from qcachegrind_py.present.control_flow import ALL, COSTLY, NONE
from qcachegrind_py.views.pictures.overview import Corner
from qcachegrind_py.views.widgets.buttons import Choice


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
    "corner": Choice(
        "O&verview",
        "Position of the overview",
        tuple((corner.value, corner.value.capitalize()) for corner in Corner),
    ),
}
