"""The content of a box view as text, and the positions of its boxes."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage

from qcachegrind_py.views.pictures.box_canvas import BoxCanvas
from qcachegrind_py.views.pictures.box_view import BoxView

# most of the cost of hash, and all of mix, is reached by several paths from the top functions
PROGRAM = """
    main 10 -> walk 2x60, scan 1x30
    walk 20 -> hash 4x40
    scan 10 -> hash 1x20
    exit 5 -> hash 1x20
    hash 40 -> mix 8x40
    mix 40
    """
ABOUT = "≈\N{THIN SPACE}"


def canvas_of(view: BoxView) -> BoxCanvas:
    """The visible canvas; the upper one of two."""
    return view.shown_pairs()[0][0]


def canvas_lines(canvas: BoxCanvas) -> list[str]:
    """One line a box, indented by level: name and cost as written; ↻ marks a recursion."""
    tree = canvas.tree
    if tree is None:
        return ["nothing"]

    def walk(box: int) -> Iterator[str]:
        again = " ↻" if tree.is_recursion[box] else ""
        yield "  " * int(tree.depth[box]) + f"{_text(canvas, box)}{again}"
        for child in tree.children_of(box):
            yield from walk(child)

    return list(walk(0)) if len(tree) else []


def _text(canvas: BoxCanvas, box: int) -> str:
    return f"{canvas.picture.name(box)} {canvas.picture.cost(box)}"


def view_lines(view: BoxView) -> list[str]:
    """All boxes of a view; a blank-separated line between two canvases."""
    first, *rest = (canvas_lines(canvas) for canvas, _ in view.shown_pairs())
    return first + [line for part in rest for line in ("---", *part)]


def box_path(canvas: BoxCanvas, box: int) -> str:
    """The names of the boxes down to this one."""
    picture = canvas.picture
    if picture is None or box < 0:
        return ""
    return " ".join(map(picture.name, picture.tree.path(box)))


def box(canvas: BoxCanvas, *names: str) -> int:
    """The box with this path of names from box 0."""
    wanted = " ".join(names)
    (found,) = [b for b in range(len(canvas.tree)) if box_path(canvas, b) == wanted]
    return found


def box_position(canvas: BoxCanvas, *names: str) -> QPoint:
    """A point on a box near its edge, outside of all inner boxes."""
    return canvas.box_rect(box(canvas, *names)).topLeft().toPoint() + QPoint(4, 3)


def changed_paths(canvas: BoxCanvas, before: QImage, after: QImage) -> list[str]:
    """The paths of the boxes that differ between two pictures of a flame graph."""
    areas = [canvas.box_rect(box).toRect() for box in range(len(canvas.tree))]
    return [
        box_path(canvas, box)
        for box, area in enumerate(areas)
        if before.copy(area) != after.copy(area)
    ]
