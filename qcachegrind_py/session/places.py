"""Where the user was in a program, to be found again tomorrow."""

from __future__ import annotations

from dataclasses import dataclass

Identity = tuple[str, str, str]  # name, file and object of a function, as they were recorded


@dataclass(frozen=True, slots=True)
class Place:
    """Names that hold for another run of the same program; empty where nothing is known."""

    event: str = ""
    second_event: str = ""
    function: Identity | None = None
    grouping: str = ""


def program_of(command: str, path: str) -> str:
    """The program that was profiled: the first word of the command, or else the file's name."""
    words = command.split()
    return words[0] if words else path.replace("\\", "/").rpartition("/")[2]
