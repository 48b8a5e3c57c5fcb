"""Which application opens a type of file, as the text of a `mimeapps.list`; no file is touched.

Rules: Association between MIME types and applications 1.0.1. A default is a list, the first that is
installed opens the file: we stand before what was the default, which follows again without us.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_DEFAULTS = "[Default Applications]"


def with_default(text: str, types: Iterable[str], application: str) -> str:
    """The text in which the application comes first for all these types."""
    for type_ in types:
        text = _with_first(text, type_, application)
    return text


def without(text: str, types: Iterable[str], application: str) -> str:
    """The text in which nothing is said of the application and these types."""
    lines, of_types = text.split("\n"), set(types)
    for number, _section, type_ in reversed(list(_entries(lines))):
        if type_ in of_types and application in _applications(lines[number]):
            left = [name for name in _applications(lines[number]) if name != application]
            lines[number : number + 1] = [_with_value(lines[number], left)] if any(left) else []
    return "\n".join(lines)


def _with_first(text: str, type_: str, application: str) -> str:
    lines = text.split("\n")
    places = [
        number
        for number, section, found in _entries(lines)
        if section == _DEFAULTS and found == type_
    ]
    for number in places:  # of several the desktops do not take the same one
        others = [name for name in _applications(lines[number]) if name != application]
        lines[number] = _with_value(lines[number], [application, *others])
    if not places:
        place = _end_of_defaults(lines)
        lines.insert(place, f"{type_}={application}")
    return "\n".join(lines)


def _end_of_defaults(lines: list[str]) -> int:
    """Where a new default is to stand; the section is made where there is none."""
    titles = [number for number, line in enumerate(lines) if line.strip() == _DEFAULTS]
    if titles:
        entries = [number for number, section, _ in _entries(lines) if section == _DEFAULTS]
        return max((titles[0], *(number for number in entries if number > titles[0]))) + 1
    has_end = lines[-1] == ""
    before = lines[:-1] if has_end else lines[:]
    lines[:] = [*before, *([""] if before else []), _DEFAULTS, ""]
    return len(lines) - 1


def _entries(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Number, section and type of the lines that say something of a type."""
    section = ""
    for number, line in enumerate(lines):
        text = line.strip()
        if text.startswith("["):
            section = text
        elif "=" in text and not text.startswith("#"):
            yield number, section, text.partition("=")[0].rstrip()


def _applications(line: str) -> list[str]:
    return [name.strip() for name in line.partition("=")[2].split(";")]


def _with_value(line: str, names: list[str]) -> str:
    end = "\r" if line.endswith("\r") else ""
    return f"{line.partition('=')[0]}={';'.join(names)}{end}"
