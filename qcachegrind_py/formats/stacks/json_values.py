"""JSON of other profilers: its values, also of a file that is cut, and whatever is in them.

The accessors return nothing (an empty list, object or text, 0) for a value of the wrong type, so
that readers follow the format and a hostile file leads nowhere.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.formats.stacks.source import StackSource
from qcachegrind_py.profile.errors import InvalidProfile

_MEMORY_PER_BYTE = 8.0  # taken by the values: lists of small objects such as events take 7
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BRACKET = re.compile(rf'(?:{_STRING}|[^][{{}}"])*+([][{{}}])', re.DOTALL)
_COMMA = re.compile(rf'(?:{_STRING}|[^,"])*+,', re.DOTALL)


def read_json(source: StackSource, builder: StackBuilder) -> object:
    """Return the value of the whole file; of one that is cut, what is complete before the cut.

    Raises `InvalidProfile` if it cannot be read at all.
    """
    # names that are no UTF-8 stay as they are
    text = source.data(_MEMORY_PER_BYTE).decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    try:
        try:
            return _parsed(text)
        except json.JSONDecodeError as error:
            place = error.lineno, f"The JSON is cut or wrong at character {error.colno:,}"
            complete = _complete_part(text, error.pos)
        value = _parsed(complete)
    except RecursionError as error:
        raise InvalidProfile(source.path, "is JSON that is nested too deeply.") from error
    except ValueError as error:
        raise InvalidProfile(source.path, f"is JSON that cannot be read: {error}.") from error
    line, reason = place
    builder.damaged(line, f"{reason}; read up to here.")
    return value


def _parsed(text: str) -> object:
    value: object = json.loads(text, strict=False)  # line ends in names do no harm
    return value


def _complete_part(text: str, end: int) -> str:
    """Return what is complete of JSON that is valid up to an end, with open brackets closed.

    An unfinished object or list in a list is left out, unless it has others in it: half a sample
    would be another sample, but half of the threads are worth reading.
    """
    opened: list[int] = []  # where brackets are that are open
    position = 0  # behind the last bracket
    is_flat = False  # nothing is in the innermost open bracket but texts and numbers
    while match := _BRACKET.match(text, position, end):
        position = match.end()
        is_flat = match[1] in "[{"
        if is_flat:
            opened.append(match.start(1))
        else:
            opened.pop()
    if is_flat and len(opened) > 1 and text[opened[-2]] == "[":
        kept = text[: opened.pop()].rstrip().removesuffix(",")
    else:
        comma = 0
        while match := _COMMA.match(text, max(comma, position), end):
            comma = match.end()
        kept = text[: comma - 1 if comma else position]
    return kept + "".join("]" if text[each] == "[" else "}" for each in reversed(opened))


def items(value: object, key: str) -> list[Any]:
    """Return the list that an object has under a key."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def member(value: object, key: str) -> dict[str, Any]:
    """Return the object that an object has under a key."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def text(value: object) -> str:
    """Return a text that the builder takes, without halves of characters that JSON may have."""
    if not isinstance(value, str):
        return ""
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace").decode("utf-8")
    return value


def number(value: object) -> int | float:
    """Return a finite number."""
    if isinstance(value, float):
        return value if math.isfinite(value) else 0
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def integer(value: object) -> int:
    """Return a number rounded to a whole one."""
    if type(value) is int:  # nearly always, and there are many
        return value
    return round(number(value))


def index(value: object, length: int) -> int | None:
    """Return a row of a table of so many rows, or None if it has none such."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < length:
        return value
    return None
