"""The errors of the library. Each carries facts; its text is made from them, for people to read.

ProfileError
├── UnreadableFile      the system does not let us read it
│   └── FolderGiven     it is a folder, in which there may be profiles
├── NotAProfile         it was read, and is no profile
│   └── BrokenPacking   its packing (gzip, ...) is broken before any profile came out
├── InvalidProfile      a profile, but its meaning cannot be known
├── UnwritableFile      the system does not let us write it; what was there is as it was
├── FormulaError        a derived event's formula cannot be understood
│   └── EventNameError  nor can it be called what its user wants
├── FilterError         a filter cannot be understood
├── LayoutError         a picture of the calls cannot be laid out
├── AnnotationError     sources or instructions cannot be shown
│   ├── MissingFile     a source or binary that a profile names is found nowhere
│   ├── AmbiguousFile   several files are as likely to be it
│   ├── UnsuitableFile  it is found, and is no regular file, no text, no ELF file, …
│   ├── LargeFile       it is so large that it is read only where the user says so
│   ├── NoCode          the binary has no instructions at the addresses of the profile
│   └── PathRuleError   a rule for paths cannot be understood
└── Cancelled           the user said stop
"""

from __future__ import annotations

from pathlib import Path


class ProfileError(Exception):
    """Whatever keeps us from answering about a profile."""


class _FileError(ProfileError):
    """An error about one file: `path`, `reason` and, where known, `line` and `remedy`."""

    def __init__(self, path: str | Path, reason: str, *, line: int = 0, remedy: str = "") -> None:
        self.path = str(path)
        self.reason = reason
        self.line = line
        self.remedy = remedy
        super().__init__(path, reason)

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.reason}" + (f" {self.remedy}" if self.remedy else "")


class UnreadableFile(_FileError):
    """The system does not let us read the file."""


class IsADirectory(UnreadableFile):
    """The file is a folder; there may be profiles in it."""


class NotAProfile(_FileError):
    """The file was read, and is not a profile."""


class DecompressionError(NotAProfile):
    """The file is packed, and cannot be unpacked at all."""


class InvalidProfile(_FileError):
    """The file is a profile whose costs have no meaning, such as costs before `events:`."""


class UnwritableFile(_FileError):
    """The system does not let us write the file; what was there before is as it was."""


class FormulaError(ProfileError):
    """A derived event's formula cannot be understood: `formula`, `reason`."""

    def __init__(self, formula: str, reason: str) -> None:
        self.formula = formula
        self.reason = reason
        super().__init__(formula, reason)

    def __str__(self) -> str:
        return f"The formula “{self.formula}” {self.reason}"


class EventNameError(FormulaError):
    """A derived event cannot be called that: `name`, `formula`, `reason`."""

    def __init__(self, name: str, formula: str, reason: str) -> None:
        self.name = name
        super().__init__(formula, reason)

    def __str__(self) -> str:
        return f"The name “{self.name}” {self.reason}"


class FilterError(ProfileError):
    """A filter cannot be understood: `text`, the `term` at fault, and a `reason` with a remedy."""

    def __init__(self, text: str, term: str, reason: str) -> None:
        self.text = text
        self.term = term
        self.reason = reason
        super().__init__(text, term, reason)

    def __str__(self) -> str:
        return f"“{self.term}”: {self.reason}"


class LayoutError(ProfileError):
    """A picture of the calls cannot be laid out: `reason` and `remedy`, a sentence each."""

    def __init__(self, reason: str, remedy: str) -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(reason, remedy)

    def __str__(self) -> str:
        return f"{self.reason} {self.remedy}"


class AnnotationError(ProfileError):
    """Sources or instructions cannot be shown: `path` as recorded or found, `reason`, `remedy`."""

    def __init__(self, path: str | Path, reason: str, remedy: str = "") -> None:
        self.path = str(path)
        self.reason = reason
        self.remedy = remedy
        super().__init__(path, reason, remedy)

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" + (f" {self.remedy}" if self.remedy else "")


class MissingFile(AnnotationError):
    """A source or binary that a profile names is found nowhere: `tried` are the paths in order."""

    def __init__(self, path: str, tried: tuple[str, ...]) -> None:
        self.tried = tried
        super().__init__(path, "not found.", "Say where it is, or where its folder is.")


class AmbiguousFile(AnnotationError):
    """Several files are as likely to be the one that a profile names: `candidates`."""

    def __init__(self, path: str, candidates: tuple[Path, ...]) -> None:
        self.candidates = candidates
        super().__init__(path, f"{len(candidates)} files may be it.", "Choose one.")


class UnsuitableFile(AnnotationError):
    """The file is found, and is no regular file, no text, no ELF file, cut off, …"""


class FileTooLarge(AnnotationError):
    """The file has more than `limit` bytes: it is read only where the user says so."""

    def __init__(self, path: str | Path, size: int, limit: int) -> None:
        self.size = size
        self.limit = limit
        large = f"a file of {size / 1e6:,.0f} MB, more than {limit / 1e6:,.0f} MB."
        super().__init__(path, large)


class CodeNotFound(AnnotationError):
    """The binary has no instructions at the addresses of the profile, or nobody can decode them."""


class PathRuleError(AnnotationError):
    """A rule for paths cannot be understood."""


class Cancelled(ProfileError):
    """The user said stop."""
