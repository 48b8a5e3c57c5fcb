"""The part of YAML in which workflows are written, read without a library for tests alone.

Mappings, lists, `|` blocks, texts in quotes or without, and `[a, b]`. Anything else is an error, so
that a document that is read here means the same to every other reader.
"""

from __future__ import annotations

import re

_KEY = re.compile(r"([\w-]+):(?: (.*))?")
_COMMENT = re.compile(r"(?:^| )#.*")


class NotPlain(ValueError):
    """A line that is outside of this part of YAML, or no YAML at all."""


def read_yaml(text: str) -> object:
    """Return the dictionaries, lists and texts of a document; numbers and `true` are texts, too."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    value, rest = _value(lines, 0)
    if rest:
        raise NotPlain(rest[0])
    return value


def _value(lines: list[str], depth: int) -> tuple[object, list[str]]:
    """Return what is indented by `depth`, and the lines behind it."""
    lines = _without_blank(lines)
    if lines and lines[0][depth:].startswith("- "):
        return _list(lines, depth)
    return _mapping(lines, depth)


def _list(lines: list[str], depth: int) -> tuple[list[object], list[str]]:
    items: list[object] = []
    while lines and _indent(lines[0]) == depth and lines[0][depth:].startswith("- "):
        first = lines[0][depth + 2 :]
        if _KEY.fullmatch(first):
            lines = [" " * (depth + 2) + first, *lines[1:]]
            item, lines = _mapping(lines, depth + 2)
        elif first == "|":
            item, lines = _block(lines[1:], depth)
        else:
            item, lines = _scalar(first), lines[1:]
        items.append(item)
        lines = _without_blank(lines)
    return items, lines


def _mapping(lines: list[str], depth: int) -> tuple[dict[str, object], list[str]]:
    items: dict[str, object] = {}
    while lines and _indent(lines[0]) == depth:
        found = _KEY.fullmatch(lines[0][depth:])
        if found is None or found[1] in items:
            raise NotPlain(lines[0])
        key, rest = found[1], _COMMENT.sub("", found[2] or "")
        item: object = ""
        lines = lines[1:]
        if rest == "|":
            item, lines = _block(lines, depth)
        elif rest:
            item = _scalar(rest)
        elif (following := _without_blank(lines)) and _indent(following[0]) > depth:
            item, lines = _value(following, _indent(following[0]))
        items[key] = item
        lines = _without_blank(lines)
    if not items or (lines and _indent(lines[0]) > depth):
        raise NotPlain(lines[0] if lines else "nothing")
    return items, lines


def _block(lines: list[str], depth: int) -> tuple[str, list[str]]:
    """Return the text of a `|` block, whose lines are deeper than its key."""
    count = next((i for i, line in enumerate(lines) if line and _indent(line) <= depth), len(lines))
    block = lines[:count]
    cut = min(_indent(line) for line in block if line)
    return "\n".join(line[cut:] for line in block).rstrip("\n") + "\n", lines[count:]


def _scalar(text: str) -> object:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return [_scalar(item) for item in text[1:-1].split(",")]
    if text[0] in "\"'":
        if len(text) < 2 or text[-1] != text[0] or text[0] in text[1:-1]:
            raise NotPlain(text)
        return text[1:-1]
    if text == "{}":
        return {}
    if text[0] in "[]{}&*!|>%@`," or ": " in text or text.endswith(":"):
        raise NotPlain(text)
    return text


def _indent(line: str) -> int:
    if line.lstrip(" ").startswith("\t"):
        raise NotPlain(line)
    return len(line) - len(line.lstrip(" "))


def _without_blank(lines: list[str]) -> list[str]:
    count = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    return lines[count:]
