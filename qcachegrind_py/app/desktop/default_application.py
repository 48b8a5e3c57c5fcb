"""Edit the text of a `mimeapps.list`: which application opens a type of file.

Follows the freedesktop.org "Association between MIME types and applications" 1.0.1. The value of a
default is a list, of which the first installed application opens the file. Ours goes to the front,
so that the previous default takes over again without us.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_DEFAULTS = "[Default Applications]"


def with_default(text: str, types: Iterable[str], application: str) -> str:
    """Return the text with the application as the first default of all these types."""
    lines = text.split("\n")
    for type_ in types:
        _put_first(lines, type_, application)
    return "\n".join(lines)


def without(text: str, types: Iterable[str], application: str) -> str:
    """Return the text without any mention of the application for these types."""
    lines, wanted = text.split("\n"), set(types)
    for number, _section, type_ in reversed(list(_entries(lines))):
        names = _applications(lines[number])
        if type_ in wanted and application in names:
            others = [name for name in names if name != application]
            lines[number : number + 1] = [_with_value(lines[number], others)] if any(others) else []
    return "\n".join(lines)


def _put_first(lines: list[str], type_: str, application: str) -> None:
    wanted = (_DEFAULTS, type_)
    numbers = [number for number, *entry in _entries(lines) if tuple(entry) == wanted]
    for number in numbers:  # of duplicates, desktops differ in which one they read
        others = [name for name in _applications(lines[number]) if name != application]
        lines[number] = _with_value(lines[number], [application, *others])
    if not numbers:
        lines.insert(_end_of_defaults(lines), f"{type_}={application}")


def _end_of_defaults(lines: list[str]) -> int:
    """Return the line number for a new default; append the section if it is missing."""
    titles = [number for number, line in enumerate(lines) if line.strip() == _DEFAULTS]
    if titles:
        entries = [number for number, section, _ in _entries(lines) if section == _DEFAULTS]
        return max((titles[0], *(number for number in entries if number > titles[0]))) + 1
    before = lines[:-1] if lines[-1] == "" else lines[:]
    lines[:] = [*before, *([""] if before else []), _DEFAULTS, ""]
    return len(lines) - 1


def _entries(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield line number, section and type of each entry."""
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
