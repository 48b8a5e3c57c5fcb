"""The errors of the library. Their attributes hold the facts, from which the message is composed.

ProfileError
├── UnreadableFile          the system denies reading the file
│   ├── IsADirectory        the path is a folder, which may contain profiles
│   └── TooLargeForMemory   the file takes more memory than it may
├── NotAProfile             the file is no profile
│   ├── IsAnArchive         the file is an archive, which may contain profiles
│   └── DecompressionError  the file is compressed (gzip, …) and cannot be decompressed
├── InvalidProfile          the file is a profile, but its costs have no meaning
├── RecordsNotFound         the lines that numbers were read from cannot be found
├── NotASavedView           the file has no saved views that can be read
├── UnwritableFile          the system denies writing the file; its old content is unchanged
├── NotInProfile            the profile has no such part, file, event or id, or several
├── FormulaError            the formula of a derived event is invalid
│   └── EventNameError      the name of a derived event is invalid
├── FilterError             a filter or a rule is invalid, or cannot be checked
├── NotOneFunction          a text names no function, or several where one is meant
├── LayoutError             a graph cannot be laid out
├── AnnotationError         sources or instructions cannot be shown
│   ├── MissingFile         a source file or binary named by the profile is not found
│   ├── AmbiguousFile       several files match equally well
│   ├── UnsuitableFile      the file is not a regular file, not text, not ELF, …
│   ├── FileTooLarge        the file exceeds a limit and is read with the user's consent only
│   ├── WithheldFile        a source file is not copied into what others may read
│   ├── CodeNotFound        the binary has no instructions at the addresses of the profile
│   └── PathRuleError       a path rule is invalid
└── Cancelled               the user cancelled the work
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path


class ProfileError(Exception):
    """The base class of all errors of the library.

    What is not known of an error is empty: the `path` of the file it is about, the `line` there (0:
    none), the `reason`, and the `remedy`, a sentence on what to do. `str()` joins them.
    """

    path: str = ""
    line: int = 0
    reason: str = ""
    remedy: str = ""


class NotInProfile(ProfileError, LookupError):
    """A profile has no such part, file, event or id, or several: `what` was sought by `name`.

    `candidates` are those that may be meant.
    """

    def __init__(
        self, what: str, name: object, reason: str, candidates: Sequence[str] = ()
    ) -> None:
        self.what = what
        self.name = str(name)
        self.reason = reason
        self.candidates = tuple(candidates)
        super().__init__(what, name, reason)

    def __str__(self) -> str:
        return self.reason


def not_found(what: str, name: str, known: Iterable[str]) -> NotInProfile:
    """Return the error that nothing has this name, with known names that are spelled alike."""
    from difflib import get_close_matches  # rarely needed

    alike = get_close_matches(name, known, n=3)
    offered = f" Did you mean {' or '.join(f'“{each}”' for each in alike)}?" if alike else ""
    return NotInProfile(what, name, f"The profile has no {what} “{name}”.{offered}", alike)


class _FileError(ProfileError):
    """An error about one file: `path`, `reason` and, if known, `line` and `remedy`.

    The reason is a predicate, such as “is empty.”: the message begins with the path.
    """

    def __init__(self, path: str | Path, reason: str, *, line: int = 0, remedy: str = "") -> None:
        self.path = str(path)
        self.reason = reason
        self.line = line
        self.remedy = remedy
        super().__init__(path, reason)

    def __str__(self) -> str:
        location = f"{self.path}:{self.line}" if self.line else self.path
        return f"{location} {self.reason}" + (f" {self.remedy}" if self.remedy else "")


class UnreadableFile(_FileError):
    """The system denies reading the file."""


class IsADirectory(UnreadableFile):
    """The path is a folder, which may contain profiles."""


class TooLargeForMemory(UnreadableFile):
    """The file takes more memory than it may; it is read with the user's consent only."""


class NotAProfile(_FileError):
    """The file is not a profile."""


class IsAnArchive(NotAProfile):
    """The file is an archive, which may contain profiles."""


class DecompressionError(NotAProfile):
    """The file is compressed, and not even its beginning can be decompressed."""


class InvalidProfile(_FileError):
    """The file is a profile whose costs have no meaning, such as costs before any `events:`."""


class RecordsNotFound(_FileError):
    """The lines that numbers were read from cannot be found in the file."""


class NotASavedView(_FileError):
    """The file has no saved views, or those of a newer version."""


class UnwritableFile(_FileError):
    """The system denies writing the file; its old content is unchanged."""


class FormulaError(ProfileError):
    """The formula of a derived event is invalid: `formula`, `reason`."""

    def __init__(self, formula: str, reason: str) -> None:
        self.formula = formula
        self.reason = reason
        super().__init__(formula, reason)

    def __str__(self) -> str:
        return f"The formula “{self.formula}” {self.reason}"


class EventNameError(FormulaError):
    """The name of a derived event is invalid: `name`, `formula`, `reason`."""

    def __init__(self, name: str, formula: str, reason: str) -> None:
        self.name = name
        super().__init__(formula, reason)

    def __str__(self) -> str:
        return f"The name “{self.name}” {self.reason}"


class FilterError(ProfileError):
    """A filter or a rule is invalid, or cannot be checked.

    `text` is all of it, `term` the invalid term, `reason` says why, with a remedy. `word` is the
    wrong part of the term, by default all of it, and begins at `position` in the text. `suggestion`
    is the known word that is spelled most alike; empty if there is none.
    """

    def __init__(
        self, text: str, term: str, reason: str, *, word: str = "", suggestion: str = ""
    ) -> None:
        self.text = text
        self.term = term
        self.reason = reason
        self.word = word or term
        self.position = max(0, text.find(self.word, max(0, text.find(term))))
        self.suggestion = suggestion
        super().__init__(text, term, reason)

    def __str__(self) -> str:
        return f"“{self.term}”: {self.reason}"


class NotOneFunction(ProfileError, LookupError):
    """A text names no function, or several where one is meant: `text` and `reason`.

    `functions` are the ids of those that may be meant, in the order of their numbers, and
    `candidates` their names, files and objects. `lines` are the message: several functions of one
    name are a list, others, whose `relation` to the text is said, a line.
    """

    def __init__(
        self,
        text: str,
        reason: str,
        functions: Sequence[int] = (),
        candidates: Sequence[tuple[str, str, str]] = (),
        relation: str = "",
    ) -> None:
        self.text = text
        self.reason = reason
        self.functions = tuple(functions)
        self.candidates = tuple(candidates)
        self.relation = relation
        super().__init__(text, reason)

    @property
    def lines(self) -> tuple[str, ...]:
        """The reason, and the first candidates with their numbers."""
        most = 3 if self.relation else 10
        shown = [f"{name} ({object_}: {file})" for name, file, object_ in self.candidates[:most]]
        more = len(self.candidates) - len(shown)
        ending = [f"and {more:,} more"] if more > 0 else []
        if not shown:
            return (self.reason,)
        if self.relation:
            numbered = [f"{self.text}#{number} {each}" for number, each in enumerate(shown, 1)]
            return self.reason, f"{self.relation}: {'; '.join((*numbered, *ending))}."
        return (
            self.reason,
            *(f"{number:3}  {each}" for number, each in enumerate(shown, 1)),
            *ending,
        )

    def __str__(self) -> str:
        return "\n".join(self.lines)


class LayoutError(ProfileError):
    """A graph cannot be laid out: `reason` and `remedy`, one sentence each."""

    def __init__(self, reason: str, remedy: str) -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(reason, remedy)

    def __str__(self) -> str:
        return f"{self.reason} {self.remedy}"


class AnnotationError(ProfileError):
    """Sources or instructions cannot be shown: `path` as recorded or found, `reason`, `remedy`.

    The reason is a predicate, such as “was not found.”: the message begins with the path.
    """

    def __init__(self, path: str | Path, reason: str, remedy: str = "") -> None:
        self.path = str(path)
        self.reason = reason
        self.remedy = remedy
        super().__init__(path, reason, remedy)

    def __str__(self) -> str:
        return f"{self.path} {self.reason}" + (f" {self.remedy}" if self.remedy else "")


class MissingFile(AnnotationError):
    """A source file or binary named by a profile is not found: `tried` are the paths in order."""

    def __init__(self, path: str, tried: tuple[str, ...]) -> None:
        self.tried = tried
        super().__init__(path, "was not found.", "Choose the file or its folder.")


class AmbiguousFile(AnnotationError):
    """Several files match the one named by a profile equally well: `candidates`."""

    def __init__(self, path: str, candidates: tuple[Path, ...]) -> None:
        self.candidates = candidates
        super().__init__(path, f"matches {len(candidates)} files.", "Choose one.")


class UnsuitableFile(AnnotationError):
    """The file is not a regular file, not text, not ELF, truncated, …"""


class FileTooLarge(AnnotationError):
    """The file has more than `limit` bytes and is read with the user's consent only."""

    def __init__(self, path: str | Path, size: int, limit: int) -> None:
        self.size = size
        self.limit = limit
        large = f"has {size / 1e6:,.0f} MB, more than the limit of {limit / 1e6:,.0f} MB."
        super().__init__(path, large)


class WithheldFile(AnnotationError):
    """A source file is not written into a report: the `cause`, and the `folder` to permit.

    The remedy names the options; a window shows the file all the same.
    """

    def __init__(self, path: str | Path, cause: str, folder: Path) -> None:
        self.cause = cause
        self.folder = folder
        option = f"-I {shlex.quote(str(folder))}"
        remedy = f"Permit that with {option}, or in the window with View ▸ Code ▸ Source Paths."
        super().__init__(path, f"is left out: {cause}.", remedy)


class CodeNotFound(AnnotationError):
    """The binary has no instructions at the profile's addresses, or they cannot be decoded."""


class PathRuleError(AnnotationError):
    """A path rule is invalid."""


class Cancelled(ProfileError):
    """The user cancelled the work."""
