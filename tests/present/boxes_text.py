"""Frame trees and their pictures from drawings, and a font of letters that are equally wide."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from qcachegrind_py.analysis.calls.frame_layout import BoxWidth, frames_by_width
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.numbers import exact_recording_command
from qcachegrind_py.analysis.names.group_colors import group_rgb
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.frames import Frames, FrameStyle
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.profile.ids import NodeId
from tests.analysis.named_queries import node_names, queries_from

PROGRAM = """
    main 10 -> f 1x60, g 1x30
    f 20 -> h 1x40
    g 30
    h 40
"""
SHARED = """
    main 20 -> f 1x50, g 1x30
    f 10 -> h 1x40
    g 10 -> h 1x20
    h 20 -> k 1x40
    k 40
"""  # the cost of h in f is recorded, that of k in it is not
PERCENT = "\N{THIN SPACE}%"


class Letters:
    """A font: letters are 7 pixels wide, lines 14 high."""

    height, ascent = 14.0, 11.0

    def width(self, text: str) -> float:
        return 7.0 * len(text)

    def elided(self, text: str, width: float, keep: str = "ends") -> str:
        most = max(0, int(width // 7) - 1)
        if len(text) <= most + 1:
            return text
        begin, end = {"start": (most, 0), "end": (0, most), "ends": (most // 2, most // 2)}[keep]
        return f"{text[:begin]}…{text[len(text) - end :]}"


def boxes_of(
    drawing: str | Path,
    *roots: str,
    percent: bool = True,
    cycles: bool = True,
    short: bool = False,
    **options: Any,
) -> Frames:
    """All boxes below these functions, main by default, each function in its own colour."""
    queries, scope = queries_of(drawing), Scope(cycles=cycles)
    names = node_names(queries, scope)
    tree = build_frame_tree(
        queries.accounted_calls(queries.events.measured[0], scope),
        [NodeId(names.index(root)) for root in roots or ("main",)],
        **{"min_share": 0, "max_frames": 100_000, **options},
    )
    up = options.get("up", False)
    return picture_of(queries, tree, scope, percent=percent, short=short, up=up)


def compared_boxes(
    base: str | Path, new: str | Path, root: str = "main", *, by: BoxWidth = BoxWidth.NEW
) -> Frames:
    """The boxes below a function in a comparison, with absolute costs."""
    compared = compare(*(queries_of(each).profile for each in (base, new)))
    queries, event, sides = compared.queries, compared.events[0], []
    node = NodeId(node_names(queries, compared.new).index(root))
    for scope in (compared.base, compared.new):
        calls = queries.accounted_calls(event, scope)
        sides.append((calls, calls.roots_at([node])))
    tree = build_frame_tree(*sides[1], base=sides[0], min_share=0)
    return picture_of(queries, frames_by_width(tree, by), compared.new, percent=False)


def queries_of(drawing: str | Path) -> ProfileQueries:
    return ProfileQueries(load(drawing)) if isinstance(drawing, Path) else queries_from(drawing)


def picture_of(
    queries: ProfileQueries,
    tree: FrameTree,
    scope: Scope,
    *,
    percent: bool,
    short: bool = False,
    up: bool = False,
) -> Frames:
    event, labels = queries.events.measured[0], queries.labels(scope, short=short)

    def color(node: NodeId) -> str:
        return "#" + "".join(f"{round(255 * part):02x}" for part in group_rgb(labels.name(node)))

    unit = Unit(event.name, queries.total(event, scope.parts).base, percent)
    advice = partial(exact_recording_command, queries.profile)
    return Frames(tree, FrameStyle(labels, unit, color, advice), up)


def names_of(picture: Frames) -> list[str]:
    return [picture.name(box) for box in range(len(picture))]


def path_of(picture: Frames, box: int) -> str:
    """The names of the boxes down to this one; empty for none."""
    return " ".join(map(picture.name, picture.tree.path(box))) if box >= 0 else ""
