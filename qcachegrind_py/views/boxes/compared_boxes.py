"""What box views do while profiles are compared: trees of both sides, their width, notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from qcachegrind_py.analysis.calls.accounted_calls import AccountedCalls, FrameRoots
from qcachegrind_py.analysis.calls.frame_sides import (
    BoxWidth,
    build_compared_frames,
    frames_by_width,
    undrawn_frames,
)
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.models.base.columns import ESTIMATE
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.former.quotient_format import QuotientChangeFormat
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.views.boxes.compared_style import CHANGE_LEGEND, ComparedBoxStyle
from qcachegrind_py.views.boxes.painting_style import BoxStyle
from qcachegrind_py.views.common.option_menu import Choice

# the calls to unfold in a scope, and where to begin
BeginningIn = Callable[[Scope], tuple[AccountedCalls, FrameRoots]]
WIDTH_KEY = "W"
WIDTH_CHOICE = Choice(
    "&Width of Boxes",
    f"What boxes are as wide, or as large, as; {WIDTH_KEY} goes to the next one",
    (
        (BoxWidth.NEW.value, "&New Cost"),
        (BoxWidth.BASE.value, "&Base Cost"),
        (BoxWidth.CHANGE.value, "&Change: Growth and Shrinkage Inside"),
    ),
)
_NEXT_WIDTH = {
    BoxWidth.NEW: BoxWidth.BASE,
    BoxWidth.BASE: BoxWidth.CHANGE,
    BoxWidth.CHANGE: BoxWidth.NEW,
}
_WIDTH_TEXTS = {
    BoxWidth.NEW: "new cost",
    BoxWidth.BASE: "base cost",
    BoxWidth.CHANGE: "growth and shrinkage inside",
}
_UNDRAWN_TEXTS = {
    BoxWidth.NEW: "gone",
    BoxWidth.BASE: "new",
    BoxWidth.CHANGE: "without a proven change",
}
_NOTHING_TEXTS = {
    BoxWidth.NEW: "Only the base has cost here.",
    BoxWidth.BASE: "Only the new side has cost here.",
    BoxWidth.CHANGE: "There is no proven change here.",
}
_PALE = "pale, ≈: change not proven"
_NET = "line: net change"  # of growth and shrinkage
# changes are small beside the costs around them
_MIN_SHARE_OF_CHANGES = 1e-6


def compares_boxes(query: ViewQuery) -> bool:
    """Whether boxes have two sides: of an event that both sides have."""
    event = query.context.event
    return query.context.base is not None and event is not None and query.is_comparable(event)


def next_width(width: str) -> str:
    """Return the width that follows when the key is pressed."""
    return _NEXT_WIDTH[BoxWidth(width)].value


def build_boxes(
    query: ViewQuery, beginning: BeginningIn, width: BoxWidth, progress: Progress, **options: Any
) -> FrameTree:
    """Build the frame tree of the event, over both sides if there is a base.

    `options` are those of `build_frame_tree`.
    """
    context, visible = query.context, query.visible_nodes()
    base, new = context.base, beginning(context.scope)
    if base is None or not compares_boxes(query):
        return build_frame_tree(*new, visible=visible, progress=progress, **options)
    if width is BoxWidth.CHANGE:
        options["min_share"] = _MIN_SHARE_OF_CHANGES
    tree = build_compared_frames(
        beginning(base), new, visible=visible, progress=progress, **options
    )
    return frames_by_width(tree, width)


def same_box(old: FrameTree | None, box: int, tree: FrameTree) -> int:
    """Return the box of a tree that has the path of a box of another one; -1 without one."""
    if old is None or not 0 <= box < len(old) or not len(tree):
        return -1
    nodes = old.node[old.path(box)].tolist()
    if nodes[0] != tree.node[0]:
        return -1
    found = 0
    for node in nodes[1:]:
        children = tree.children_of(found)
        found = next((child for child in children if tree.node[child] == node), -1)
        if found < 0:
            break
    return found


def compared_style(query: ViewQuery, style: BoxStyle) -> BoxStyle:
    """Return the style with the changes of a comparison; the same if nothing is compared."""
    event, series = query.context.event, query.series
    if event is None or series is None or not compares_boxes(query):
        return style
    return ComparedBoxStyle(
        style.labels,
        style.format,
        style.color,
        style.recording_advice,
        style.passing,
        query.base_format(event),
        query.format(series),
        partial(query.change, series),
    )


def comparison_notes(
    trees: Sequence[FrameTree], width: BoxWidth, style: BoxStyle, size: str
) -> list[str]:
    """Return what the line below the boxes says about width, colours, and what is not drawn.

    `size` is the word for what costs are drawn as: width or area.
    """
    if not isinstance(style, ComparedBoxStyle) or not all(tree.sides for tree in trees):
        return []
    undrawn = [_undrawn_text(tree, width, style) for tree in trees]
    has_estimates = not all(tree.is_exact.all() for tree in trees)
    return [
        *dict.fromkeys(filter(None, undrawn)),
        f"{size}: {_width_text(width, style)}",
        *([_NET] if width is BoxWidth.CHANGE else []),
        CHANGE_LEGEND,
        *([_PALE] if has_estimates else []),
    ]


def _width_text(width: BoxWidth, style: ComparedBoxStyle) -> str:
    """Return what makes boxes wide: changes are summed up in counts, in whatever unit.

    Costs of one side are divided by one number, which leaves their proportions.
    """
    text = _WIDTH_TEXTS[width]
    is_divided = isinstance(style.change_format, QuotientChangeFormat)
    return f"{text}, in counts" if is_divided and width is BoxWidth.CHANGE else text


def no_boxes_text(width: BoxWidth) -> str:
    """Return why a comparison shows no boxes by this width, and what to do."""
    return f"{_NOTHING_TEXTS[width]}\nPress {WIDTH_KEY}, or choose another width of boxes."


def _undrawn_text(tree: FrameTree, width: BoxWidth, style: ComparedBoxStyle) -> str:
    """Return how many boxes have no width, and their change: 31 gone, −3.1 M."""
    undrawn = undrawn_frames(tree)
    if not undrawn.count:
        return ""
    text = f"{style.format.count_text(undrawn.count)} {_UNDRAWN_TEXTS[width]}"
    if width is BoxWidth.CHANGE:
        return text
    return f"{text}, {'' if undrawn.is_exact else ESTIMATE}{_absolute(style, undrawn.change)}"


def _absolute(style: ComparedBoxStyle, change: int) -> str:
    """Return a change in counts, which sums of boxes are in, in whatever unit."""
    format_: CostFormat = style.change_format
    return format_.absolute_text(change)
