"""The files of saved views that people exchange: reading, writing and recognising them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.formats.saved_views.fields import Malformed, NewerFormat
from qcachegrind_py.formats.saved_views.saved_view import SavedView
from qcachegrind_py.formats.saved_views.view_text import FORMAT, parse_views, views_text
from qcachegrind_py.profile.errors import NotASavedView, ProfileError
from qcachegrind_py.profile.files import reading

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
        remedy = _UPDATE if isinstance(error, NewerFormat) else _REMEDY
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
