"""Saved views: what one shows of a profile, by names, as values, as JSON text and as files.

    {"format": "qcachegrind_py saved views", "version": 1, "program": "…", "views": [{"name": "…"}]}

Only the name of a view is required. Keys that are not known are ignored.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.formats.compression import atomic_write
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import NotASavedView, ProfileError
from qcachegrind_py.profile.files import reading

# ------------------------------------------------------------------ values

MAX_VIEWS = 100  # of a program, and in a file


@frozen(eq=True)
class SavedFunction:
    """A function by name, file and object as recorded; a cycle by its first member."""

    name: str
    file: str
    object: str
    is_cycle: bool = False  # whether its cycle is meant


@frozen(eq=True)
class SavedParts:
    """The active parts of a profile by their positions, counted from 0, and how many it has."""

    active: tuple[int, ...]
    count: int


@frozen(eq=True)
class TabGroup:
    """Docks in tabs, or a single dock, and their place in thousandths of the area of all docks."""

    docks: tuple[str, ...]  # ids, in the order of the tabs
    front: str  # id of the dock that can be seen
    left: int
    top: int
    width: int
    height: int

    @property
    def place(self) -> tuple[int, int, int, int]:
        return self.left, self.top, self.width, self.height


@frozen(eq=True)
class SavedLayout:
    """The open docks: groups of tabs, and docks that are windows of their own."""

    groups: tuple[TabGroup, ...]
    floating: tuple[str, ...] = ()


@frozen(eq=True)
class SavedView:
    """What is shown of a profile; what a field leaves open stays as it is."""

    name: str
    note: str = ""
    function: SavedFunction | None = None  # None: the present one stays active
    event: str = ""  # empty: the present one stays
    second_event: str = ""  # empty: none
    filter: str = ""  # as typed, with folds
    only_own_code: bool = False
    grouping: Grouping = Grouping.NONE
    unit: str = ""  # of costs, as the settings name it; empty: the present one stays
    cycles: bool | None = None  # whether they are detected; None: as at present
    parts: SavedParts | None = None  # None: all
    layout: SavedLayout | None = None  # None: the present one stays


def with_view(views: Iterable[SavedView], view: SavedView) -> tuple[SavedView, ...]:
    """Return the views with one added at the end; it replaces another of the same name in place."""
    before = tuple(views)
    if any(each.name == view.name for each in before):
        return tuple(view if each.name == view.name else each for each in before)
    return (*before, view)


def with_imported(
    views: Iterable[SavedView], imported: Iterable[SavedView]
) -> tuple[SavedView, ...]:
    """Return the views with those of a file added, up to the highest number.

    One that is there already is not added again; a different one of a known name gets a number.
    """
    result = list(views)
    for view in imported:
        if view not in result and len(result) < MAX_VIEWS:
            result.append(replace(view, name=free_name(view.name, result)))
    return tuple(result)


def free_name(name: str, views: Iterable[SavedView]) -> str:
    """Return the name, followed by a number if a view has it: `parse`, `parse (2)`."""
    taken = {view.name for view in views}
    numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(each for each in numbered if each not in taken)


def renamed(views: Iterable[SavedView], name: str, new: str) -> tuple[SavedView, ...]:
    """Return the views with another name for one of them; followed by a number if it is taken."""
    before = tuple(views)
    others = [view for view in before if view.name != name]
    free = free_name(new, others)
    return tuple(replace(view, name=free) if view.name == name else view for view in before)


def with_note(views: Iterable[SavedView], name: str, note: str) -> tuple[SavedView, ...]:
    return tuple(replace(view, note=note) if view.name == name else view for view in views)


def without(views: Iterable[SavedView], names: Collection[str]) -> tuple[SavedView, ...]:
    return tuple(view for view in views if view.name not in names)


def moved(views: Iterable[SavedView], name: str, by: int) -> tuple[SavedView, ...]:
    """Return the views with one of them moved up (-1) or down (1); at either end it stays."""
    result = list(views)
    at = next((row for row, view in enumerate(result) if view.name == name), -1)
    if at >= 0 and 0 <= at + by < len(result):
        result.insert(at + by, result.pop(at))
    return tuple(result)


# ----------------------------------- fields of JSON objects from elsewhere

_MISSING: dict[type, Any] = {str: "", list: []}


class Malformed(Exception):
    """The text is no valid list of views; the message is a predicate, such as “is empty.”"""


class _NewerFormat(Malformed):
    """The text was written by a newer version of the program."""


class _Fields:
    """The fields of a JSON object; a missing field and `null` are empty."""

    def __init__(self, record: dict[str, Any], place: str) -> None:
        """`place` says in messages where the object is."""
        self._record, self.place = record, place

    def text(self, key: str, longest: int) -> str:
        """Return a text of at most this many characters."""
        text: str = self._value(key, str, "a text")
        return _bounded_text(text, longest, self._named(key))

    def flag(self, key: str) -> bool | None:
        """Return whether something holds; None if that is not said."""
        value = self._record.get(key)
        if value is not None and not isinstance(value, bool):
            raise Malformed(f"has a wrong value: {self._named(key)} must be true or false.")
        return value

    def number(self, key: str, lowest: int, highest: int) -> int:
        """Return an integer within these bounds."""
        return _bounded_number(self._record.get(key), lowest, highest, self._named(key))

    def list(self, key: str, most: int | None) -> list[Any]:
        """Return a list of at most this many elements; None: of any number."""
        values: list[Any] = self._value(key, list, "a list")
        if most is not None and len(values) > most:
            raise Malformed(f"has too many values: {self._named(key)} may have {most}.")
        return values

    def texts(self, key: str, longest: int, most: int) -> tuple[str, ...]:
        named, values = self._named(key), self.list(key, most)
        if not all(isinstance(value, str) for value in values):
            raise Malformed(f"has a wrong value: {named} must be texts.")
        return tuple(_bounded_text(value, longest, named) for value in values)

    def numbers(self, key: str, lowest: int, highest: int, most: int) -> tuple[int, ...]:
        """Return a list of integers within these bounds."""
        named, values = self._named(key), self.list(key, most)
        return tuple(_bounded_number(value, lowest, highest, named) for value in values)

    def object(self, key: str) -> _Fields | None:
        """Return an object; None if there is none."""
        value = self._record.get(key)
        return None if value is None else _object_of(value, self._named(key))

    def _value(self, key: str, kind: type, described: str) -> Any:
        value = self._record.get(key)
        if value is None:
            return _MISSING[kind]
        if not isinstance(value, kind):
            raise Malformed(f"has a wrong value: {self._named(key)} must be {described}.")
        return value

    def _named(self, key: str) -> str:
        return f"{self.place}, {key}" if self.place else key


def _object_of(value: object, place: str) -> _Fields:
    """Return the fields of a JSON value that must be an object."""
    if not isinstance(value, dict):
        raise Malformed(f"has a wrong value: {place} must be an object.")
    return _Fields(value, place)


def _bounded_text(text: str, longest: int, named: str) -> str:
    if len(text) > longest:
        raise Malformed(f"has too long a text: {named} may have {longest} characters.")
    return text


def _bounded_number(value: object, lowest: int, highest: int, named: str) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not is_number or not lowest <= value <= highest:  # type: ignore[operator]  # it is a number
        raise Malformed(
            f"has a wrong value: {named} must be a whole number from {lowest} to {highest}."
        )
    return value  # type: ignore[return-value]  # as above


FORMAT = "qcachegrind_py saved views"
VERSION = 1  # raised when a key changes its meaning
MAX_NAME, MAX_NOTE = 200, 4000  # characters
_MAX_TEXT = 100_000  # of a symbol, and of a filter
_MAX_ID = 100
_MAX_DOCKS = 100
_MAX_PARTS = 100_000
_WHOLE = 1000  # thousandths

_NOT_VIEWS = "is not a file of saved views."
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
        raise Malformed(_NOT_VIEWS)
    version = _Fields(content, "").number("version", 1, 10**6)
    if version > VERSION:
        raise _NewerFormat(_NEWER.format(version))
    records = _Fields(content, "").list("views", None)
    if len(records) > MAX_VIEWS:
        raise Malformed(_TOO_MANY.format(len(records), MAX_VIEWS))
    return tuple(_view(_object_of(each, f"view {n}")) for n, each in enumerate(records, start=1))


# -------------------------------------------------------------------- writing


def _record(view: SavedView) -> dict[str, Any]:
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
            "place": list(group.place),
        }
        for group in layout.groups
    ]
    return {"groups": groups, "floating": list(layout.floating)}


# -------------------------------------------------------------------- reading


def _view(fields: _Fields) -> SavedView:
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


def _function(fields: _Fields) -> SavedFunction:
    return SavedFunction(
        fields.text("name", _MAX_TEXT),
        fields.text("file", _MAX_TEXT),
        fields.text("object", _MAX_TEXT),
        fields.flag("is_cycle") or False,
    )


def _parts(fields: _Fields) -> SavedParts:
    count = fields.number("count", 1, _MAX_PARTS)
    return SavedParts(fields.numbers("active", 0, count - 1, _MAX_PARTS), count)


def _layout(fields: _Fields) -> SavedLayout:
    records = fields.list("groups", _MAX_DOCKS)
    groups = [_group(_object_of(each, f"{fields.place}, groups")) for each in records]
    return SavedLayout(tuple(groups), fields.texts("floating", _MAX_ID, _MAX_DOCKS))


def _group(fields: _Fields) -> TabGroup:
    docks = fields.texts("docks", _MAX_ID, _MAX_DOCKS)
    place = fields.numbers("place", 0, _WHOLE, 4)
    if not docks or len(place) != 4:
        raise Malformed(f"has a group of docks without docks or a place ({fields.place}).")
    return TabGroup(docks, fields.text("front", _MAX_ID), *place)


# ------------------------------------------------------------------- files

_MAX_BYTES = 8_000_000  # a hundred views whose functions have very long names
_HEAD_BYTES = 1000  # the name of the format is in front
_REMEDY = "Choose a file that “Export Saved Views” has written."
_UPDATE = "Update the program to open it."
_EMPTY = "has no saved views."
_TOO_LARGE = f"is too large for saved views: it has more than {_MAX_BYTES // 10**6} MB."


def write_views(
    path: str | os.PathLike[str], views: Sequence[SavedView], program: str = ""
) -> None:
    """Write the views of a program to a file; raises `UnwritableFile`."""
    with atomic_write(path) as stream:
        stream.write(views_text(views, program).encode("ascii"))


def read_views(path: str | os.PathLike[str]) -> tuple[SavedView, ...]:
    """Return the views in a file, at least one.

    Raises `NotASavedView`, `UnreadableFile`, and `UnsuitableFile` for a folder or a device.
    """
    path = Path(path)
    with reading(path, "a file of saved views") as (stream, _status):
        content = stream.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise NotASavedView(path, _TOO_LARGE, remedy=_REMEDY)
    try:
        views = parse_views(content.decode("utf-8-sig", "replace"))
    except Malformed as error:
        remedy = _UPDATE if isinstance(error, _NewerFormat) else _REMEDY
        raise NotASavedView(path, str(error), remedy=remedy) from error
    if not views:
        raise NotASavedView(path, _EMPTY, remedy=_REMEDY)
    return views


def is_view_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file has saved views, by its first bytes; False if it cannot be read."""
    try:
        with reading(Path(path), "a file of saved views") as (stream, _status):
            head = stream.read(_HEAD_BYTES)
    except ProfileError:
        return False
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and FORMAT.encode() in head
