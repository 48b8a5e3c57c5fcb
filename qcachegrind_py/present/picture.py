"""What pictures show: boxes, and arrows between them, with their texts, colours and changes.

A picture alone and one of a comparison differ in data only: a box that is compared has a `Change`.
Boxes are known by their rows, -1 for none. Lengths are in logical pixels, colours are `#rrggbb`.
The layout engine gets no arrow from a box to itself: such a loop is drawn beside its box, whose
size in the layout includes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from math import ceil, log2
from typing import NamedTuple, Protocol

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import Figures
from qcachegrind_py.profile.events import Float64Array, as_number
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout, LayoutInput

PADDING = 8.0  # between the outline of a box and its texts
BAR_HEIGHT = 5.0  # of the cost bar
DETAIL_SEPARATOR = " · "


class Spot(NamedTuple):
    """What is at a place of a picture: a box or a line in it, an arrow, or nothing."""

    box: int = -1
    arrow: int = -1
    line: int = -1
    merged: tuple[int, int] | None = None  # first and end of the boxes that are drawn as one


NOWHERE = Spot()


@frozen(eq=True)
class Detail:
    """What the line below a picture says about a box or an arrow."""

    name: str
    numbers: tuple[str, ...] = ()  # cost, percentage, count
    color: str | None = None  # of its group

    @property
    def text(self) -> str:
        return DETAIL_SEPARATOR.join((self.name, *self.numbers))


class Picture(Protocol):
    """Boxes, and perhaps arrows, as canvases show them."""

    def __len__(self) -> int:
        """The number of boxes."""

    def key(self, box: int) -> int:
        """What a box is of, in all pictures: a function, a cycle, an address; below 0: nothing."""

    def tip(self, spot: Spot) -> tuple[str, ...]:
        """The lines of the tooltip of a box or an arrow."""

    def detail(self, spot: Spot) -> Detail:
        """The line below the picture about a box or an arrow."""

    def spoken(self, box: int) -> str:
        """A sentence about a box for screen readers."""


# -------------------------------------------------------------------- diagrams


class TextMeasure(Protocol):
    """The sizes of texts in a font."""

    @property
    def height(self) -> float:
        """The height of a line."""

    def width(self, text: str) -> float:
        """The width of a text."""

    def elided(self, text: str, width: float) -> str:
        """The text, with an ellipsis in the middle if it is wider."""


class Line(Enum):
    """What an arrow stands for, by which its line is drawn."""

    EXACT = "exact"
    ESTIMATED = "estimated"
    INNER = "inner"  # a call inside an expanded cycle
    JUMP = "jump"
    TAKEN = "taken"  # of a conditional jump
    NOT_TAKEN = "not taken"
    HIDDEN = "hidden"  # a path through boxes that are left out


@frozen(eq=True)
class Change:
    """How a box changed from the base to the new side."""

    strength: float  # part of the largest change, from -1 to 1
    smaller_part: float  # of the smaller cost in the larger one
    word: str = ""  # for what costs something on one side only: new or gone

    @classmethod
    def of(cls, figures: Figures, row: int) -> Change | None:
        """Return how a row changed; None if nothing is compared."""
        if not figures.is_compared:
            return None
        smaller, larger = sorted((as_number(figures.base[row]), as_number(figures.new[row])))
        part = smaller / larger if larger > 0 else 1.0
        return cls(figures.strength(row), part, figures.word(row))


@frozen(eq=True)
class BoxLine:
    """A line in a box, of code or of a chain; the key is an address or a function.

    The key is -1 in place of lines left out.
    """

    key: int
    text: str
    cost: str
    hidden: str = ""  # names of the functions that a line stands for

    @property
    def searched(self) -> str:
        """What is found by a search."""
        return self.hidden or self.text


@frozen(eq=True)
class Box:
    """A box of a diagram: a name, a cost with a bar, and perhaps lines of code.

    A chain stands for several boxes in a row. It has lines in place of the name and the cost.
    """

    key: int  # >= 0; identifies the box in the next diagram
    name: str  # elided to its room
    cost: str
    share: float  # length of the cost bar, 0 to 1
    width: float
    height: float
    color: str
    tip: Callable[[], tuple[str, ...]]  # made when it is asked for, as is the detail
    detail: Callable[[], Detail]
    count: str = ""  # on the right of the cost
    lines: tuple[BoxLine, ...] = ()
    head: float = 0.0  # height above the lines; all of it without lines
    is_active: bool = False  # the box that the diagram is about
    is_exact: bool = True  # an estimate has a dashed outline
    opacity: float = 1.0  # of the colour, where the box is too small for texts
    stubs: tuple[bool, bool] = (False, False)  # whether arrows to it, and from it, are left out
    has_button: bool = False  # which opens a cycle or a chain
    change: Change | None = None  # while profiles are compared
    parts: tuple[Box, ...] = ()  # of a chain, in the order of calls

    @property
    def head_height(self) -> float:
        return self.head if self.lines and not self.parts else self.height

    @property
    def keys(self) -> tuple[int, ...]:
        """The keys of all that the box stands for."""
        return tuple(part.key for part in self.parts) or (self.key,)

    def part(self, line: int) -> Box:
        """Return what a line of a chain is of; the box itself for lines left out, or of code."""
        key = self.lines[line].key if 0 <= line < len(self.lines) else -1
        return next((part for part in self.parts if part.key == key), self)


@frozen(eq=True)
class Arrow:
    """An arrow between two boxes, with the lines of its label."""

    source: int
    target: int
    labels: tuple[str, ...]
    thickness: float
    width: float  # of the label; 0 without one
    height: float
    line: Line
    tip: Callable[[], tuple[str, ...]]
    detail: Callable[[], Detail]
    strength: float = 0.0  # of its change, from -1 to 1


@frozen(eq=True)
class Frame:
    """A frame around boxes, with a title."""

    boxes: tuple[int, ...]
    name: str
    color: str
    is_active: bool = False


@frozen
class Diagram:
    """Boxes and arrows with their places."""

    boxes: Sequence[Box]
    arrows: Sequence[Arrow]  # heaviest first
    frames: Sequence[Frame]
    centers: Float64Array  # of boxes, shape (boxes, 2)
    paths: Sequence[Float64Array]  # of arrows: cubic Bézier curves, shape (3k + 1, 2)
    label_centers: Float64Array  # of arrows, shape (arrows, 2); NaN without a label
    frame_edges: Float64Array  # left, top, right, bottom; shape (frames, 4)
    is_horizontal: bool  # whether arrows point to the right
    anchor: int  # the box that keeps its place on the screen
    home: int  # the box where reading begins

    def __len__(self) -> int:
        return len(self.boxes)

    def key(self, box: int) -> int:
        return self.boxes[box].key

    def box_of(self, key: int) -> int:
        """Return the box with this key, or the chain that it is in; -1 if there is none."""
        return next((row for row, box in enumerate(self.boxes) if key in box.keys), -1)

    def spot_of(self, key: int) -> Spot:
        """Return the box with this key, or its line in a chain; nowhere if there is none."""
        box = self.box_of(key)
        if box < 0 or not self.boxes[box].parts:
            return Spot(box)
        keys = [line.key for line in self.boxes[box].lines]
        return Spot(box, line=keys.index(key if key in keys else -1))

    def tip(self, spot: Spot) -> tuple[str, ...]:
        return self._at(spot).tip()

    def detail(self, spot: Spot) -> Detail:
        return self._at(spot).detail()

    def spoken(self, box: int) -> str:
        return self.detail(Spot(box)).text

    def _at(self, spot: Spot) -> Box | Arrow:
        return self.boxes[spot.box].part(spot.line) if spot.box >= 0 else self.arrows[spot.arrow]

    def next_spot(self, spot: Spot, step: Step, origin: int) -> Spot:
        """Return where a step leads: from box to arrow to box, or to what is beside.

        Inside a chain it leads from line to line. `origin` is the box from which an arrow was
        reached: the other arrows of that box are beside it. The same spot if there is nothing.
        """
        if spot.arrow >= 0:
            arrow = self.arrows[spot.arrow]
            if step is Step.AHEAD:
                return self.entered(arrow.target)
            if step is Step.BACK:
                return self.entered(arrow.source, at_end=True)
            fan = self._fan(spot.arrow, origin)
            return Spot(arrow=_neighbour(fan, spot.arrow, step))
        box, line = self.boxes[spot.box], spot.line + (1 if step is Step.AHEAD else -1)
        if step in (Step.PREVIOUS, Step.NEXT):
            return self.entered(_neighbour(self._rank(spot.box), spot.box, step))
        if box.parts and 0 <= line < len(box.lines):
            return spot._replace(line=line)
        is_back = step is Step.BACK
        ends = ((arrow.target, arrow.source) for arrow in self.arrows)
        ways = (
            row
            for row, (target, source) in enumerate(ends)
            if target != source and spot.box == (target if is_back else source)
        )
        heaviest = next(ways, -1)
        return spot if heaviest < 0 else Spot(arrow=heaviest)

    def entered(self, box: int, *, at_end: bool = False) -> Spot:
        """Return the spot of a box, in a chain its first line, or the last one."""
        item = self.boxes[box]
        return Spot(box, line=(len(item.lines) - 1 if at_end else 0) if item.parts else -1)

    def _fan(self, arrow: int, origin: int) -> list[int]:
        """Return the arrows that leave a box, or lead to it, as this one does, side by side."""
        is_out = self.arrows[arrow].source == origin
        ends = [each.source if is_out else each.target for each in self.arrows]
        rows = [row for row, end in enumerate(ends) if end == ends[arrow]]
        across = 1 if self.is_horizontal else 0
        return sorted(rows, key=lambda row: float(self.paths[row][:, across].mean()))

    def _rank(self, box: int) -> list[int]:
        """Return the boxes whose centres are beside a box, in their order."""
        along, across = (0, 1) if self.is_horizontal else (1, 0)
        size = (self.boxes[box].width, self.boxes[box].height)[along]
        distance = abs(self.centers[:, along] - self.centers[box, along])
        rows: Int64Array = (distance <= size / 2).nonzero()[0]
        order = self.centers[rows, across].argsort(kind="stable")
        rank: list[int] = rows[order].tolist()
        return rank


def _neighbour(rows: Sequence[int], row: int, step: Step) -> int:
    """Return the row after or before another one; the same row at the end."""
    place = rows.index(row) + (1 if step is Step.NEXT else -1)
    return rows[place] if 0 <= place < len(rows) else row


class Step(Enum):
    """Where an arrow key leads in a diagram."""

    BACK = "back"  # against an arrow
    AHEAD = "ahead"  # along an arrow
    PREVIOUS = "previous"  # in the rank
    NEXT = "next"


_TITLE_GAP = 4.0  # above and below the title of a frame, in total
_MIN_THICKNESS, _MAX_THICKNESS = 1.0, 8.0  # of arrows
_LOOP_REACH = 40.0  # from the box to the control points of a loop
_LOOP_GAP = 5.0  # between a loop and its label
_MAX_LOOP_HALF_WIDTH = 18.0  # from the middle of the box's side to each end


@frozen(eq=True)
class Arrangement:
    """Direction and gaps of a layout."""

    is_horizontal: bool = False
    node_gap: float = 24.0
    rank_gap: float = 40.0
    is_circular: bool = False  # the anchor in the middle of the others


def lay_out(
    boxes: Sequence[Box],
    arrows: Sequence[Arrow],
    frames: Sequence[Frame],
    arrangement: Arrangement,
    titles: TextMeasure,
    layout: GraphLayout,
    progress: Progress,
    *,
    anchor: int = 0,
    home: int = 0,
) -> Diagram:
    """Place boxes and arrows; `titles` measures those of frames.

    Raises what `GraphLayout.layout` raises.
    """
    is_horizontal = arrangement.is_horizontal
    sizes = np.array([(box.width, box.height) for box in boxes], float).reshape(-1, 2)
    is_loop = np.array([arrow.source == arrow.target for arrow in arrows], bool)
    loops, others = (np.flatnonzero(found).tolist() for found in (is_loop, ~is_loop))
    spaces = sizes.copy()
    for row in loops:
        box = arrows[row].source
        spaces[box] = _size_with_loop(sizes[box], arrows[row], is_horizontal)
    title = ceil(titles.height) + _TITLE_GAP
    placed = layout.layout(
        LayoutInput(
            nodes=tuple(map(tuple, spaces.tolist())),
            calls=tuple(
                (arrow.source, arrow.target, arrow.width, arrow.height)
                for arrow in (arrows[row] for row in others)
            ),
            clusters=tuple(frame.boxes for frame in frames),
            centre=anchor if arrangement.is_circular else None,
            title_height=title,
            is_horizontal=is_horizontal,
            node_gap=arrangement.node_gap,
            # with frames, room for a title beside the label of an arrow
            rank_gap=arrangement.rank_gap + (title if frames and not is_horizontal else 0),
        ),
        progress,
    )
    centers = placed.nodes - (spaces - sizes) / 2
    paths: list[Float64Array] = [np.empty((0, 2))] * len(arrows)
    labels = np.full((len(arrows), 2), np.nan)
    labels[others] = placed.label_centres
    for row, path in zip(others, placed.paths, strict=True):
        paths[row] = _joined_to_boxes(path, arrows[row], centers, sizes) if loops else path
    for row in loops:
        box = arrows[row].source
        paths[row], labels[row] = _loop(centers[box], sizes[box], arrows[row], is_horizontal)
    return Diagram(
        boxes, arrows, frames, centers, paths, labels, placed.cluster_frames, is_horizontal,
        anchor, home,
    )  # fmt: skip


def arrow_thickness(share: float) -> float:
    """Return the thickness for a share from 0 to 1, on a logarithmic scale."""
    steps = log2(1 + 1000 * min(1.0, share)) / log2(1001)
    return _MIN_THICKNESS + (_MAX_THICKNESS - _MIN_THICKNESS) * steps**2


# -------------------------------------------------------------------- loops


def _size_with_loop(size: Float64Array, arrow: Arrow, is_horizontal: bool) -> Float64Array:
    """Return the size of a box with a loop to its right, or below in a horizontal diagram."""
    reach = _LOOP_REACH + _LOOP_GAP + (arrow.height if is_horizontal else arrow.width)
    if is_horizontal:
        return np.array([max(size[0], arrow.width), size[1] + reach])
    return np.array([size[0] + reach, max(size[1], arrow.height)])


def _joined_to_boxes(
    path: Float64Array, arrow: Arrow, centers: Float64Array, sizes: Float64Array
) -> Float64Array:
    """Return the path with its ends on the boxes where they lie in the space of a loop."""
    path = path.copy()
    for end, box in ((0, arrow.source), (-1, arrow.target)):
        low, high = centers[box] - sizes[box] / 2, centers[box] + sizes[box] / 2
        if (path[end] > high + 1).any():
            path[end] = np.clip(path[end], low, high)
    return path


def _loop(
    center: Float64Array, size: Float64Array, arrow: Arrow, is_horizontal: bool
) -> tuple[Float64Array, Float64Array]:
    """Return the path of a loop, shape (4, 2), and the centre of its label, shape (2,)."""
    along, out = (0, 1) if is_horizontal else (1, 0)
    half = min(_MAX_LOOP_HALF_WIDTH, size[along] / 4)
    side = center[out] + size[out] / 2
    path = np.empty((4, 2))
    path[:, along] = center[along] + np.array([half, half + 10, -half - 10, -half])
    path[:, out] = side + np.array([0, _LOOP_REACH, _LOOP_REACH, 0])
    label = np.full(2, np.nan)
    if arrow.width:
        label_size = arrow.height if is_horizontal else arrow.width
        label[along] = center[along]
        label[out] = side + _LOOP_REACH * 0.75 + _LOOP_GAP + label_size / 2
    return path, label
