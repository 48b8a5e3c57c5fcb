"""What pictures show: boxes, and arrows between them, with their texts, colours and changes.

A picture alone and one of a comparison differ in data only: a box that is compared has a `Change`.
Boxes are known by their rows, -1 for none. Lengths are in logical pixels, colours are `#rrggbb`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import Figures
from qcachegrind_py.profile.events import Float64Array, as_number
from qcachegrind_py.profile.tables import Int64Array

PADDING = 8.0  # between the outline of a box and its texts
BAR_HEIGHT = 5.0  # of the cost bar
DETAIL_SEPARATOR = " · "


class Spot(NamedTuple):
    """What is at a place of a picture: a box or an arrow, or neither."""

    box: int = -1
    arrow: int = -1


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
    """One line of code in a box; the key is its address, -1 in place of lines left out."""

    key: int
    text: str
    cost: str


@frozen(eq=True)
class Box:
    """A box of a diagram: a name, a cost with a bar, and perhaps lines of code."""

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
    has_button: bool = False  # which opens a cycle
    change: Change | None = None  # while profiles are compared

    @property
    def head_height(self) -> float:
        """The height of name, cost and bar."""
        return self.head if self.lines else self.height


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
        """Return the box with this key; -1 if there is none."""
        return next((row for row, box in enumerate(self.boxes) if box.key == key), -1)

    def tip(self, spot: Spot) -> tuple[str, ...]:
        return self._at(spot).tip()

    def detail(self, spot: Spot) -> Detail:
        return self._at(spot).detail()

    def spoken(self, box: int) -> str:
        return self.boxes[box].detail().text

    def _at(self, spot: Spot) -> Box | Arrow:
        return self.boxes[spot.box] if spot.box >= 0 else self.arrows[spot.arrow]

    def next_box(self, box: int, key: Step) -> int:
        """Return the box that a step leads to: along the heaviest arrow, or inside the rank.

        The same box if there is none.
        """
        if key is Step.BACK:
            ways = (arrow.source for arrow in self.arrows if arrow.target == box != arrow.source)
            return next(ways, box)
        if key is Step.AHEAD:
            ways = (arrow.target for arrow in self.arrows if arrow.source == box != arrow.target)
            return next(ways, box)
        rank = self._rank(box)
        place = rank.index(box) + (1 if key is Step.NEXT else -1)
        return rank[place] if 0 <= place < len(rank) else box

    def _rank(self, box: int) -> list[int]:
        """Return the boxes whose centres are beside a box, in their order."""
        along, across = (0, 1) if self.is_horizontal else (1, 0)
        size = (self.boxes[box].width, self.boxes[box].height)[along]
        distance = abs(self.centers[:, along] - self.centers[box, along])
        rows: Int64Array = (distance <= size / 2).nonzero()[0]
        order = self.centers[rows, across].argsort(kind="stable")
        rank: list[int] = rows[order].tolist()
        return rank


class Step(Enum):
    """Where an arrow key leads in a diagram."""

    BACK = "back"  # against an arrow
    AHEAD = "ahead"  # along an arrow
    PREVIOUS = "previous"  # in the rank
    NEXT = "next"
