"""Call maps: treemaps in which areas are proportional to costs, with frames and labels, without Qt.

With strips of self cost alone, nested boxes would look like siblings. So the contents of a box are
moved inwards and its strip becomes a frame. Areas stay the same, because the frame's area is taken
from the strip; boxes without self cost have no frame. Only a header, a strip for the name of a
large box, takes space from the contents if the self cost is less.

A box without self cost has no space for a label if its contents cover it. Its name then precedes
that of its first child, if both begin at the same corner: `main › run › parse`. With headers, the
active function is left out of these names. Without them, large boxes have tags over their contents:
functions high up in the program have little self cost, and their names are sought first.

All lengths are in logical pixels. A layout of 7,000 boxes takes 18 ms, so a job makes the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from qcachegrind_py.analysis.calls.frame_layout import (
    BoxWidth,
    SplitRule,
    TreemapLayout,
    layout_treemap,
)
from qcachegrind_py.analysis.calls.frame_tree import FrameTree
from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.frames import Frames
from qcachegrind_py.present.picture import TextMeasure
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_FRAME_WIDTH = 2.0  # around the contents of a box, in addition to its border
_MIN_AREA = 16.0  # square pixels: smaller boxes are invisible, and many
_MAX_FRAME_FRACTION = 1 / 8  # of a box's shorter side
_MIN_HEADED_LINES = 3  # height, in header heights, of boxes with a header
_MIN_HEADED_WIDTH = 4  # in header heights: some eight letters
_CHAIN_SHARE = 0.9  # of the parent's cost: from there on, a box counts as part of a chain
_ONE_SHARE = 0.98  # of the outermost box: smaller boxes are told from it
_TINY = 1e-300

_MARGIN = 3.0  # between a box's edge and text
_COST_GAP = 8.0  # between a name and its cost
_MIN_ELIDED_DIGITS = 9  # width in digits: shorter names would be meaningless
_MIN_DIGITS = 3  # width in digits of boxes with labels
_UPRIGHT_RATIO = 1.5  # minimum ratio of height to width for upright labels
_NAME_SEPARATOR = " › "
_NUMBER_SEPARATOR = " · "
_TURNED_ARROWS = str.maketrans("▲▼", "▶◀")  # which point up and down in upright labels

_MIN_TAG_SHARE = 0.05  # of the picture: tags of the many smaller boxes would cover too much
_MAX_TAG_SHARE = 0.9  # larger boxes are mostly the active function, which is named above the view
_MAX_TAG_WIDTH = 0.8  # of the box
_MIN_TAG_DIGITS = 14  # minimum width
_MIN_TAG_LINES = 3  # minimum height
_TAG_MARGIN = 4.0  # around the text


@frozen(eq=True)
class MapOptions:
    """The options of a call map as plain values that can be saved as JSON."""

    split: str = SplitRule.SQUARIFIED.value
    deepest: int | None = None
    least_area: int = 100  # square pixels of the smallest shown box
    border: int = 1  # pixels of the lines between boxes, 0 to 3
    headers: int = 2  # levels of boxes whose name always has a strip of its own
    names: bool = True
    costs: bool = True
    places: bool = False  # object and file of functions
    rotate: bool = True  # split along the longer side; use upright labels in narrow boxes
    shading: bool = True  # nested boxes alternate in brightness
    counts: bool = False  # numbers of calls
    width: str = BoxWidth.NEW.value

    @property
    def min_area(self) -> float:
        return max(_MIN_AREA, float(self.least_area))

    def of_layout(self) -> MapOptions:
        """Return the options without those that move no box."""
        return MapOptions(
            split=self.split,
            least_area=self.least_area,
            border=self.border,
            headers=self.headers,
            rotate=self.rotate,
        )


# ---------------------------------------------------------------- maps of one rectangle


def only_path(tree: FrameTree) -> list[int]:
    """Return the nodes of a map whose boxes are one inside the other, as large as each other.

    Such a map is one rectangle. The result is empty for all other maps.
    """
    is_chain = bool((tree.child_count <= 1).all()) and not tree.omitted_calls
    is_chain &= not tree.filtered_calls and bool((tree.width >= _ONE_SHARE * tree.width[0]).all())
    return tree.node.tolist() if is_chain and bool((tree.node >= 0).all()) else []


def path_sentence(function: str, names: list[str], *, up: bool) -> str:
    """Return what a map of one rectangle says; `names` are those of `only_path`."""
    if len(names) == 1:
        return f"{function} has no {'callers' if up else 'callees'} with cost."
    if up:
        return f"{function} is called on one path: {_NAME_SEPARATOR.join(reversed(names))}."
    return f"{function} calls on one path: {_NAME_SEPARATOR.join(names)}."


# ---------------------------------------------------------------- layout


@frozen(eq=True)
class MapSpace:
    """What the layout of a tree depends on."""

    width: float
    height: float
    line_height: float  # of the font
    root: int  # the box that fills the picture
    options: MapOptions  # those of `MapOptions.of_layout`


@frozen
class MapLayout:
    """The treemap of a tree in a space."""

    tree: FrameTree
    space: MapSpace
    treemap: TreemapLayout


def lay_out_map(space: MapSpace, tree: FrameTree) -> MapLayout:
    options, size = space.options, (space.width, space.height)
    treemap = layout_treemap(
        tree,
        *size,
        root=space.root,
        split=SplitRule(options.split),
        min_area=options.min_area,
        rotate=options.rotate,
    )
    if len(tree) and (options.border or options.headers):
        frame = _FRAME_WIDTH + options.border if options.border else 0.0
        strip = space.line_height + options.border
        treemap = inset_frames(treemap, tree, frame, strip, options.headers)
    return MapLayout(tree, space, treemap)


@frozen
class MapGeometry:
    """The shown boxes, outer ones first. Edges are left, top, right and bottom."""

    boxes: Int64Array  # rows of the frame tree
    edges: Float64Array  # shape (4, boxes)
    content_edges: Float64Array  # of the part below the self cost, shape (4, boxes); may be empty
    is_covered: BoolArray  # whether shown boxes cover the contents
    free_edges: Float64Array  # edges of uncovered parts, shape (parts, 4, boxes)


def compute_geometry(tree: FrameTree, treemap: TreemapLayout) -> MapGeometry:
    boxes = np.flatnonzero(treemap.is_shown)
    x, y = treemap.x[boxes], treemap.y[boxes]
    edges = np.stack((x, y, x + treemap.width[boxes], y + treemap.height[boxes]))
    content_edges = _content_edges(tree, treemap, boxes, edges)
    row = np.full(len(tree) + 1, -1)  # by box; the last one is for box 0's parent, -1
    row[boxes] = np.arange(len(boxes))
    parents = row[tree.parent[boxes]]
    children = np.flatnonzero(parents >= 0)
    covered_area = np.zeros(len(boxes))
    np.add.at(
        covered_area, parents[children], ((edges[2] - edges[0]) * (edges[3] - edges[1]))[children]
    )
    is_covered = (
        covered_area
        > (content_edges[2] - content_edges[0]) * (content_edges[3] - content_edges[1]) - 1.0
    )
    return MapGeometry(
        boxes,
        edges,
        content_edges,
        is_covered,
        _free_edges(edges, content_edges, children, parents[children]),
    )


def _content_edges(
    tree: FrameTree, treemap: TreemapLayout, boxes: Int64Array, edges: Float64Array
) -> Float64Array:
    """Return the edges of the contents, shape (4, boxes).

    The contents begin at the first child; the frame is equally wide on the right.
    """
    left, top, right, bottom = edges
    first = np.minimum(tree.first_child[boxes], len(tree) - 1)
    has_children = tree.child_count[boxes] > 0
    is_open = has_children & treemap.is_shown[first]
    frame = np.where(is_open, treemap.x[first] - left, 0.0)
    below = np.where(is_open, treemap.y[first], top + treemap.self_area[boxes])
    return np.stack(
        (left + frame, np.where(has_children, below, bottom), right - frame, bottom - frame)
    )


def _free_edges(
    edges: Float64Array, content_edges: Float64Array, children: Int64Array, parents: Int64Array
) -> Float64Array:
    """Return the free parts: the strip, and those below and beside all children or the last one.

    With all split rules, each child lies right of or below the previous ones. `children` are rows
    of boxes inside others, `parents` the rows of those others.
    """
    left, top, right, bottom = edges
    _, room_top, room_right, room_bottom = content_edges
    is_open = np.zeros(len(left), bool)
    is_open[parents] = True
    last = np.arange(len(left))
    last[parents] = children  # with several children, the last assignment wins
    far_right, far_bottom = content_edges[0].copy(), room_top.copy()
    np.maximum.at(far_right, parents, right[children])
    np.maximum.at(far_bottom, parents, bottom[children])
    strip = np.stack((left, top, right, np.where(is_open, room_top, bottom)))
    corners = (
        (content_edges[0], far_bottom),
        (far_right, room_top),
        (left[last], bottom[last]),
        (right[last], top[last]),
    )
    others = [is_open * np.stack((x, y, room_right, room_bottom)) for x, y in corners]
    return np.stack((strip, *others))


# ---------------------------------------------------------------- frames


def inset_frames(
    treemap: TreemapLayout, tree: FrameTree, frame: float, strip: float, headers: int = 0
) -> TreemapLayout:
    """Return the layout with the contents of boxes moved inwards by up to `frame` pixels.

    Areas stay the same. Strips keep at least `strip` pixels, the height of a line of text, if they
    have them. Level by level, the contents are scaled from their former area to the new one.

    With `headers`, large boxes inside the root always get such a strip, for their name: those of
    the first level, and `headers` levels of those much smaller than the box around them. So does
    a root inside the tree. Their contents become smaller for it, all by one factor.
    """
    x, y, width, height = (
        column.copy() for column in (treemap.x, treemap.y, treemap.width, treemap.height)
    )
    self_share = treemap.self_area / np.maximum(treemap.height, _TINY)  # share of the box
    shown = np.flatnonzero(treemap.is_shown)
    header_level = np.zeros(len(tree), np.int64)
    inside = np.arange(int(tree.depth[treemap.root]) + 1, tree.level_count + 1)
    levels = np.searchsorted(tree.depth[shown], inside).tolist()
    for level, (begin, end) in enumerate(pairwise(levels)):
        boxes = shown[begin:end]
        parents, parent_index = np.unique(tree.parent[boxes], return_inverse=True)
        thickness = _frame_thickness(
            width[parents], height[parents], self_share[parents], frame, strip
        )
        room = np.full(len(parents), np.inf)  # height left for the contents
        if headers:
            is_headed = _has_header(tree, parents, header_level, level, headers)
            is_headed &= height[parents] >= _MIN_HEADED_LINES * strip
            is_headed &= width[parents] >= _MIN_HEADED_WIDTH * strip
            thickness[is_headed] = frame
            room[is_headed] = (height[parents] - thickness - strip)[is_headed]
        new_width = width[parents] - 2 * thickness
        new_height = np.minimum(
            width[parents] * height[parents] * (1 - self_share[parents]) / new_width, room
        )
        left, top = x[parents] + thickness, y[parents] + height[parents] - thickness - new_height
        old_left, old_top = treemap.x[parents], treemap.y[parents] + treemap.self_area[parents]
        across = new_width / treemap.width[parents]
        down = new_height / (treemap.height[parents] - treemap.self_area[parents])
        x[boxes] = left[parent_index] + (x[boxes] - old_left[parent_index]) * across[parent_index]
        y[boxes] = top[parent_index] + (y[boxes] - old_top[parent_index]) * down[parent_index]
        width[boxes] *= across[parent_index]
        height[boxes] *= down[parent_index]
        self_share[parents] = (top - y[parents]) / height[parents]
    return replace(treemap, x=x, y=y, width=width, height=height, self_area=self_share * height)


def _has_header(
    tree: FrameTree, boxes: Int64Array, header_level: Int64Array, level: int, headers: int
) -> BoolArray:
    """Return which boxes of a level, counted from the root, have a header, shape (boxes,).

    Sets their `header_level`, which grows only where a box is much smaller than its parent: in a
    chain of calls, each with nearly the whole cost, headers would take the space of the contents.
    """
    if level == 0:
        return boxes > 0
    parents = tree.parent[boxes]
    is_smaller = tree.width[boxes] < _CHAIN_SHARE * tree.width[parents]
    header_level[boxes] = header_level[parents] + is_smaller
    has_header: BoolArray = (level == 1) | (is_smaller & (header_level[boxes] <= headers))
    return has_header


def _frame_thickness(
    width: Float64Array,
    height: Float64Array,
    self_share: Float64Array,
    max_thickness: float,
    strip: float,
) -> Float64Array:
    """Return the frame thickness of boxes, shape (boxes,), for these shares of self cost.

    The frame f takes 2f of the width, and f of the height below the strip s. So the contents keep
    their area if (width - 2f) (height - s - f) = (1 - self_share) width height. A strip too low for
    text becomes as thin as the frame: s = f.
    """
    area = self_share * width * height
    has_line = self_share * height >= strip
    sides = width + 2 * (height - strip)
    left = np.maximum(area - width * strip, 0.0)
    below_line = (sides - np.sqrt(np.maximum(sides**2 - 8 * left, 0.0))) / 4
    half = width + height
    all_round = (half - np.sqrt(np.maximum(half**2 - 4 * area, 0.0))) / 4
    max_thickness_of_box = np.minimum(
        max_thickness, _MAX_FRAME_FRACTION * np.minimum(width, height)
    )
    return np.minimum(np.where(has_line, below_line, all_round), max_thickness_of_box)


def rectangles(edges: Float64Array | Int64Array) -> Float64Array | Int64Array:
    left, top, right, bottom = edges
    return np.stack((left, top, right - left, bottom - top))


# ---------------------------------------------------------------- labels


class LabelFont(TextMeasure, Protocol):
    """The sizes of texts in the font of labels."""

    @property
    def ascent(self) -> float:
        """The height of letters above the base line."""

    def elided(self, text: str, width: float, keep: str = "ends") -> str:
        """The text with an ellipsis if it is wider; `keep` is "start", "end" or "ends" of it."""


class Area(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    def intersects(self, other: Area) -> bool:
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )


class TextLine(NamedTuple):
    """A text, where its base line begins, and the area that it may fill if letters are high."""

    x: float
    y: float
    text: str
    clip: Area | None = None


class MapLabel(NamedTuple):
    """The lines of a label; an upright one is turned to the left around a point."""

    lines: list[TextLine]
    turned_at: tuple[float, float] | None = None


class Tag(NamedTuple):
    """A text over a box, in the middle of it."""

    area: Area
    line: TextLine


class MapLabels:
    """Places labels into boxes one by one; parents must come before their children."""

    def __init__(self, picture: Frames, options: MapOptions, font: LabelFont) -> None:
        self._picture, self._tree, self._options, self._font = picture, picture.tree, options, font
        self._unlabeled: set[int] = set()  # boxes without a label so far
        self._taken: list[Area] = []  # areas of the labels placed so far
        digit = font.width("0")
        self._min_elided_width = _MIN_ELIDED_DIGITS * digit
        self._min_width = _MIN_DIGITS * digit + 2 * _MARGIN
        self._min_tag_width = _MIN_TAG_DIGITS * digit

    def candidates(self, geometry: MapGeometry) -> Int64Array:
        """Return the rows of the boxes that have an area large enough for a label."""
        areas, line = geometry.free_edges, self._font.height
        width, height = areas[:, 2] - areas[:, 0], areas[:, 3] - areas[:, 1]
        fits = (width >= self._min_width) & (height >= line)
        if self._options.rotate:
            fits |= (height >= self._min_width) & (width >= line)
        has_room: BoolArray = np.asarray(fits.any(axis=0))
        self._unlabeled.update(geometry.boxes[~has_room].tolist())
        return np.flatnonzero(has_room)

    def place(self, geometry: MapGeometry, rows: Int64Array) -> Iterator[MapLabel | None]:
        """Yield the label of each of these boxes in the first area that it fits into."""
        free = np.stack([rectangles(edges) for edges in geometry.free_edges[:, :, rows]])
        boxes = geometry.boxes[rows].tolist()
        for box, areas in zip(boxes, free.transpose(2, 0, 1).tolist(), strict=True):
            texts = self._texts(box)
            length = self._font.width(texts[0]) if texts else 0.0
            labels = (self._label(box, Area(*area), texts, length) for area in areas)
            label = next(filter(None, labels), None)
            if label is None:
                self._unlabeled.add(box)
            yield label

    def _texts(self, box: int) -> list[str]:
        """Return name and location, as far as the options show them."""
        texts = [self._picture.label(box)] if self._options.names else []
        node = NodeId(self._picture.key(box))
        if self._options.places and node >= 0:
            texts.append(cell_text(self._picture.style.labels.location(node)))
        return texts

    def _label(self, box: int, area: Area, texts: list[str], length: float) -> MapLabel | None:
        """Return the label, upright if that fits better and is enabled; None if it does not fit."""
        is_upright = (
            self._options.rotate
            and length > area.width - 2 * _MARGIN
            and area.height > _UPRIGHT_RATIO * area.width
        )
        across = area.height if is_upright else area.width
        room = Area(0, 0, across, area.width) if is_upright else area
        if is_upright:
            texts = [text.translate(_TURNED_ARROWS) for text in texts]
        lines = self._lines(box, room, texts, length)
        if not lines:
            return None
        high = max(1, len(texts)) * self._font.height
        size = (high, across) if is_upright else (across, high)
        self._taken.append(Area(area.x, area.y, *size))
        return MapLabel(lines, (area.x, area.y + area.height) if is_upright else None)

    def _lines(self, box: int, area: Area, texts: list[str], length: float) -> list[TextLine]:
        """Return cost, name and location as far as they fit; nothing if not even the name does."""
        line_height, width = self._font.height, area.width - 2 * _MARGIN
        min_width = min(length, self._min_elided_width)
        if width < min_width or area.height < line_height:
            return []
        lines, width_left = self._cost(box, area, min(length, 2 * min_width))
        if texts:
            text = texts[0]
            if self._options.names:
                text = self._with_unlabeled_parents(box, text, width_left)
            lines.append(self._line(area.x, area.y, text, width_left, "start"))
        if len(texts) > 1 and area.height >= 2 * line_height:
            # the end of a location is kept; of a cycle, the number of its members
            is_cycle = self._picture.style.labels.is_cycle(NodeId(self._picture.key(box)))
            keep = "start" if is_cycle else "end"
            lines.append(self._line(area.x, area.y + line_height, texts[1], width, keep))
        return lines

    def _cost(self, box: int, area: Area, beside: float) -> tuple[list[TextLine], float]:
        """Return the numbers on the right if `beside` pixels remain, and the width beside them.

        Where there is no room for cost and number of calls, only the first is there.
        """
        numbers, width = self._numbers(box), area.width - 2 * _MARGIN
        for shown in (_NUMBER_SEPARATOR.join(numbers), *numbers[:1]):
            length = self._font.width(shown)
            taken = length + (_COST_GAP if beside else 0.0)
            if shown and width >= taken + beside:
                x = area.x + area.width - (_MARGIN + length)
                return [TextLine(x, area.y + self._font.ascent + 1, shown)], width - taken
        return [], width

    def _numbers(self, box: int) -> list[str]:
        """Return cost and number of calls, as far as they are known and the options show them."""
        numbers = [self._picture.cost(box)] if self._options.costs else []
        if self._options.counts:
            numbers += filter(None, [self._picture.times(box)])
        return numbers

    def _with_unlabeled_parents(self, box: int, name: str, width: float) -> str:
        """Return the name, preceded by the names of unlabeled ancestors as far as they fit."""
        tree, text = self._tree, name
        while (parent := int(tree.parent[box])) in self._unlabeled:
            longer = f"{self._picture.name(parent)}{_NAME_SEPARATOR}{text}"
            if parent == 0 and self._options.headers:
                break  # the active function is named above the view: its callees come first
            if tree.first_child[parent] != box or self._font.width(longer) > width:
                break
            box, text = parent, longer
            self._unlabeled.discard(parent)
        return text

    def _line(self, x: float, y: float, text: str, width: float, keep: str) -> TextLine:
        """Return a line, elided if too long; letters higher than the line are clipped."""
        if keep == "start" and _NAME_SEPARATOR not in text:
            text = fitted_name(text, lambda part: self._font.width(part) <= width).text
        x, shown = x + _MARGIN, self._font.elided(text, width, keep)
        is_low = text.isascii() or text.replace(_NAME_SEPARATOR, "").isascii()  # others may be high
        clip = None if is_low else Area(x, y, width, self._font.height + 2)
        return TextLine(x, y + self._font.ascent + 1, shown, clip)

    # ------------------------------------------------------------ tags

    def tags(self, geometry: MapGeometry) -> Iterator[Tag]:
        """Yield tags of large boxes without a label: never over a label or another tag.

        There are none where headers name large boxes.
        """
        if not self._options.names or self._options.headers:
            return
        left, top, width, height = rectangles(geometry.edges)
        shares = width * height / max(1.0, float((width * height).max(initial=0.0)))
        line = self._font.height
        is_large = (shares >= _MIN_TAG_SHARE) & (shares <= _MAX_TAG_SHARE)
        is_large &= height >= _MIN_TAG_LINES * line
        is_large &= width * _MAX_TAG_WIDTH >= self._min_tag_width
        rows, (_, _, right, bottom) = np.flatnonzero(is_large), geometry.edges
        for row in rows[np.argsort(-shares[rows], kind="stable")].tolist():
            box = int(geometry.boxes[row])
            if box not in self._unlabeled:
                continue
            text = self._tag_text(box, float(width[row]))
            across = self._font.width(text) + 2 * _TAG_MARGIN
            x = float((left + right)[row]) / 2 - across / 2
            area = Area(x, float((top + bottom)[row]) / 2 - (line + 2) / 2, across, line + 2)
            if not any(map(area.intersects, self._taken)):
                self._taken.append(area)
                yield Tag(area, TextLine(x + _TAG_MARGIN, area.y + self._font.ascent + 1, text))

    def _tag_text(self, box: int, width: float) -> str:
        """Return the name, with the cost if both fit."""
        max_width = width * _MAX_TAG_WIDTH - 2 * _TAG_MARGIN
        name = self._picture.label(box)
        with_cost = f"{name}  {self._picture.cost(box)}"
        if self._font.width(with_cost) <= max_width:
            return with_cost
        return self._font.elided(name, max_width)
