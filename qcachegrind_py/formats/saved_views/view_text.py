"""Saved views as JSON text: an object with the name and version of the format and a list of views.

    {"format": "qcachegrind_py saved views", "version": 1, "program": "…", "views": [{"name": "…"}]}

Only the name of a view is required. Keys that are not known are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.formats.saved_views.fields import Fields, Malformed, NewerFormat, object_of
from qcachegrind_py.formats.saved_views.saved_view import (
    MAX_VIEWS,
    SavedFunction,
    SavedLayout,
    SavedParts,
    SavedView,
    TabGroup,
)

FORMAT = "qcachegrind_py saved views"
VERSION = 1  # raised when a key changes its meaning
MAX_NAME, MAX_NOTE = 200, 4000  # characters
_MAX_TEXT = 100_000  # of a symbol, and of a filter
_MAX_ID = 100
_MAX_DOCKS = 100
_MAX_PARTS = 100_000
_WHOLE = 1000  # thousandths

NOT_VIEWS = "is not a file of saved views."
_NO_JSON = "cannot be read as saved views: its text is not valid JSON."
_NEWER = "was saved by a newer version of the program, in version {} of the format."
_TOO_MANY = "has {} saved views, more than {}."


def views_text(views: Iterable[SavedView], program: str = "") -> str:
    """Return the views as ASCII text; `program` is what was profiled."""
    head = {"format": FORMAT, "version": VERSION, "program": program}
    return json.dumps(head | {"views": [_record(view) for view in views]}, indent=1) + "\n"


def parse_views(text: str) -> tuple[SavedView, ...]:
    """Return the views of such a text; raises `Malformed`."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:  # also of a number with too many digits
        raise Malformed(_NO_JSON) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise Malformed(NOT_VIEWS)
    version = Fields(content, "").number("version", 1, 10**6)
    if version > VERSION:
        raise NewerFormat(_NEWER.format(version))
    records = Fields(content, "").list("views", None)
    if len(records) > MAX_VIEWS:
        raise Malformed(_TOO_MANY.format(len(records), MAX_VIEWS))
    return tuple(_view(object_of(each, f"view {n}")) for n, each in enumerate(records, start=1))


# -------------------------------------------------------------------- writing


def _record(view: SavedView) -> dict[str, Any]:
    """Return a view as JSON has it."""
    return {
        "name": view.name,
        "note": view.note,
        "function": None if view.function is None else _function_record(view.function),
        "event": view.event,
        "second_event": view.second_event,
        "filter": view.filter,
        "only_own_code": view.only_own_code,
        "grouping": view.grouping.value,
        "unit": view.unit,
        "cycles": view.cycles,
        "parts": None if view.parts is None else _parts_record(view.parts),
        "layout": None if view.layout is None else _layout_record(view.layout),
    }


def _function_record(function: SavedFunction) -> dict[str, Any]:
    return {
        "name": function.name,
        "file": function.file,
        "object": function.object,
        "is_cycle": function.is_cycle,
    }


def _parts_record(parts: SavedParts) -> dict[str, Any]:
    return {"active": list(parts.active), "count": parts.count}


def _layout_record(layout: SavedLayout) -> dict[str, Any]:
    groups = [
        {
            "docks": list(group.docks),
            "front": group.front,
            "place": [group.left, group.top, group.width, group.height],
        }
        for group in layout.groups
    ]
    return {"groups": groups, "floating": list(layout.floating)}


# -------------------------------------------------------------------- reading


def _view(fields: Fields) -> SavedView:
    name = fields.text("name", MAX_NAME).strip()
    if not name:
        raise Malformed(f"has a view without a name ({fields.place}).")
    groupings = {grouping.value: grouping for grouping in Grouping}
    function, parts, layout = map(fields.object, ("function", "parts", "layout"))
    return SavedView(
        name,
        fields.text("note", MAX_NOTE),
        None if function is None else _function(function),
        fields.text("event", _MAX_TEXT),
        fields.text("second_event", _MAX_TEXT),
        fields.text("filter", _MAX_TEXT),
        fields.flag("only_own_code") or False,
        groupings.get(fields.text("grouping", _MAX_ID), Grouping.NONE),
        fields.text("unit", _MAX_ID),
        fields.flag("cycles"),
        None if parts is None else _parts(parts),
        None if layout is None else _layout(layout),
    )


def _function(fields: Fields) -> SavedFunction:
    return SavedFunction(
        fields.text("name", _MAX_TEXT),
        fields.text("file", _MAX_TEXT),
        fields.text("object", _MAX_TEXT),
        fields.flag("is_cycle") or False,
    )


def _parts(fields: Fields) -> SavedParts:
    count = fields.number("count", 1, _MAX_PARTS)
    return SavedParts(fields.numbers("active", 0, count - 1, _MAX_PARTS), count)


def _layout(fields: Fields) -> SavedLayout:
    records = fields.list("groups", _MAX_DOCKS)
    groups = [_group(object_of(each, f"{fields.place}, groups")) for each in records]
    return SavedLayout(tuple(groups), fields.texts("floating", _MAX_ID, _MAX_DOCKS))


def _group(fields: Fields) -> TabGroup:
    docks = fields.texts("docks", _MAX_ID, _MAX_DOCKS)
    place = fields.numbers("place", 0, _WHOLE, 4)
    if not docks or len(place) != 4:
        raise Malformed(f"has a group of docks without docks or a place ({fields.place}).")
    return TabGroup(docks, fields.text("front", _MAX_ID), *place)
