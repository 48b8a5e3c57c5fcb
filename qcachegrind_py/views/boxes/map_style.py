"""How a call map is drawn, as one value: for the view that is asked for it, and all that draws."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.analysis.calls.treemap import SplitRule


@dataclass(frozen=True, slots=True)
class MapStyle:
    """How a call map is drawn."""

    split: SplitRule = SplitRule.SQUARIFIED
    least_area: float = 100.0  # square pixels of the smallest box
    rotate: bool = True  # begin at a box's longer side; names stand upright in narrow boxes
    show_names: bool = True
    show_costs: bool = True
    show_places: bool = False  # where functions are: object and file
    shading: bool = True  # boxes in each other differ in brightness
    border: int = 1  # pixels of the lines between boxes, 0 to 3
