"""Sources and instructions of a function: found, read, and checked against what was recorded.

The window and the command share this. What lines and instructions cost is the business of
`analysis`; where files are is said by a `FileSearch`.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qcachegrind_py.analysis.code.instruction_costs import InstructionCosts
from qcachegrind_py.analysis.code.instructions import NO_CODE, Code, Syntax
from qcachegrind_py.analysis.code.line_costs import LineCosts, has_lines
from qcachegrind_py.profile.errors import (
    AmbiguousFile,
    AnnotationError,
    Cancelled,
    CodeNotFound,
    FileTooLarge,
    MissingFile,
    ProfileError,
)
from qcachegrind_py.profile.ids import FunctionId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.string_table import UNKNOWN, to_display
from qcachegrind_py.profile.tables import Int32Array, UInt64Array
from qcachegrind_py.profile.weighted_cache import WeightedCache
from qcachegrind_py.tools.sources.file_search import FileSearch, clear_folder_listings
from qcachegrind_py.tools.sources.text_file import MAX_BYTES, SourceText, read_source

if TYPE_CHECKING:
    from qcachegrind_py.tools.disassembly.machine_code import MachineCode

_NO_INSTRUCTIONS = (
    "The profile has no instructions. "
    "Record with valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes."
)
NO_LINES = (
    "The profile has no source lines. "
    "Record with valgrind --tool=callgrind --dump-line=yes, and compile with -g."
)
_INTERNAL_FILE_NAMES = (
    "~",
    "php:internal",
)  # what Python and PHP call the file of their own functions
_NO_SOURCE = "functions of the language itself have no source here."
_TIME_TOLERANCE = 60.0  # seconds: what was unpacked or checked out together is about as old
_NO_FILE = "the profile does not say in which file it is."
_NO_DEBUG_INFORMATION = "Compile with -g, then record again."
_IF_COMPILED = "If the program is a compiled one, compile with -g, then record again."
_MAX_NAMED = 5
# Bytes of memory of source files: that are kept, and that one function may bring along. A profile
# can name any number of files.
_MAX_CACHE_BYTES = 300_000_000
_MAX_FUNCTION_BYTES = 500_000_000
_LINE_OVERHEAD = 60  # bytes that a line takes beside its text


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """The source files that were asked for, each in one of the two, by its name as recorded."""

    texts: Mapping[str, SourceText]
    problems: Mapping[str, ProfileError]


def read_sources(
    recorded: Iterable[str],
    object_: str,
    search: FileSearch,
    progress: Progress | None = None,
    *,
    accepted_large: Container[Path] = (),
) -> Sources:
    """The texts of the files that are called like this, in code of the object.

    Relative names may be relative to the object's folder, that above it, or `src` in that, too.
    `large` are files over the limit that the user agreed to read. All others together are bounded,
    too, and are read in the order in which they are named: a function's own file comes first. A
    text is kept as long as its file does not change. Raises only `Cancelled`.
    """
    progress = progress or NoProgress()
    texts: dict[str, SourceText] = {}
    problems: dict[str, ProfileError] = {}
    names = list(dict.fromkeys(recorded))
    search = _with_object_folders(search, object_, progress)
    reading = _SourceLoader(accepted_large, progress)
    for done, name in enumerate(names):
        progress.check(done / len(names), "Reading sources")
        try:
            if name in _INTERNAL_FILE_NAMES:
                raise AnnotationError(name, _NO_SOURCE)
            if _is_unknown_name(name):
                how = _IF_COMPILED if _is_unknown_name(object_) else _NO_DEBUG_INFORMATION
                raise AnnotationError(UNKNOWN, _NO_FILE, how)
            texts[name] = reading.read(search.find(name, object_, progress))
        except Cancelled:
            raise
        except ProfileError as error:
            problems[name] = error
    return Sources(texts, problems)


class _SourceLoader:
    """The files of one function, as many as go into memory together."""

    def __init__(self, large: Container[Path], progress: Progress) -> None:
        self._accepted_large = large
        self._progress = progress
        self._bytes_left = _MAX_FUNCTION_BYTES
        self._read: dict[Path, SourceText] = {}

    def read(self, path: Path) -> SourceText:
        """The text of the file; raises what `read_source` raises."""
        if path in self._read:
            return self._read[path]
        is_agreed = path in self._accepted_large
        size = _size_of(path)
        if self._bytes_left < size <= MAX_BYTES and not is_agreed:
            error = FileTooLarge(path, size, self._bytes_left)
            error.reason = f"a file of {size / 1e6:,.0f} MB, too much together with those read."
            raise error
        text = _cached_text(path, None if is_agreed else MAX_BYTES, self._progress)
        if not is_agreed:
            self._bytes_left = max(self._bytes_left - _memory_of(text, size), 0)
        self._read[path] = text
        return text


def _size_of(path: Path) -> int:
    """Bytes of the file; 0 where it cannot be told, which reading it will say."""
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0


def _memory_of(text: SourceText, size: int) -> int:
    """About how many bytes of memory the text of a file of this size takes."""
    return size + _LINE_OVERHEAD * len(text.lines)


def _with_object_folders(search: FileSearch, object_: str, progress: Progress) -> FileSearch:
    """The search with the folders around a program: it is mostly built beside its sources."""
    if _is_unknown_name(object_):
        return search
    try:
        folder = search.find(object_, object_, progress).parent
    except (MissingFile, AmbiguousFile):
        return search
    around = folder, folder.parent, folder.parent / "src"
    return replace(search, bases=(*search.bases, *map(str, around)))


def clear_caches() -> None:
    """Look for files anew: since they were found or missed, others may have come or gone."""
    clear_folder_listings()
    machine_code = sys.modules.get("qcachegrind_py.tools.disassembly.machine_code")
    forget_code = getattr(machine_code, "clear_code_cache", None)
    if forget_code is not None:  # else it keeps nothing: another thread may just be importing it
        forget_code()


def preload() -> None:
    """Load what reading code takes, ahead of the first time."""
    import_module("qcachegrind_py.tools.disassembly.machine_code")
    import_module("capstone")


def read_function_code(
    profile: Profile,
    function: FunctionId,
    costs: InstructionCosts,
    search: FileSearch,
    syntax: Syntax = Syntax.ATT,
    progress: Progress | None = None,
) -> MachineCode:
    """The instructions of a function, around the addresses that its costs have.

    Raises what the search raises, NoCode and UnsuitableFile.
    """
    from qcachegrind_py.tools.disassembly.machine_code import (
        read_code,  # 60 ms, which a start can do without
    )

    object_ = profile.texts[text_at(profile.functions.object, function)]
    if _is_unknown_name(object_):
        reason = "the profile does not say in which program or library it is."
        raise CodeNotFound(UNKNOWN, reason, "Instructions cannot be shown.")
    path = search.find(object_, object_, progress)
    return read_code(path, _nonzero(costs.address), syntax, progress)


@dataclass(frozen=True, slots=True, eq=False)
class CodeResult:
    """The code of a function, or why there is none; with code, why it may not fit."""

    machine_code: MachineCode | None
    problem: ProfileError | str | None

    @property
    def code(self) -> Code:
        """The instructions; none where they were not found."""
        return self.machine_code.code if self.machine_code else NO_CODE


def find_function_code(
    profile: Profile,
    function: FunctionId,
    costs: InstructionCosts,
    search: FileSearch,
    syntax: Syntax = Syntax.ATT,
    progress: Progress | None = None,
) -> CodeResult:
    """As `read_function_code`, but what is wrong is told with what is there; raises `Cancelled`."""
    try:
        machine = read_function_code(profile, function, costs, search, syntax, progress)
    except Cancelled:
        raise
    except ProfileError as error:
        return CodeResult(None, error)
    return CodeResult(machine, code_mismatch(machine, costs) or None)


def source_problems(profile: Profile, lines: LineCosts, sources: Sources) -> tuple[str, ...]:
    """Why texts of lines are missing, a sentence or two each."""
    if not has_lines(profile):
        return (NO_LINES,)
    found = _problem_texts(sources.problems)
    for file in text_ids(np.unique(lines.file)):
        name = profile.texts[file]
        of_file = lines.line[lines.file == file]
        if text := sources.texts.get(name):
            if (of_file < 1).any():
                reason = "the profile does not say at which line some of its cost is."
                found.append(to_display(f"{name}: {reason}"))
            if misfit := source_mismatch(text, of_file):
                found.append(misfit)
    return tuple(found)


def source_mismatch(text: SourceText, lines: Int32Array) -> str:
    """Why a text does not seem to be the one that was profiled; empty where it fits the lines."""
    beyond = int((lines > len(text.lines)).sum())
    if not beyond:
        return ""
    ends = f"ends before {beyond:,} of {len(lines):,} lines of the profile."
    return to_display(f"{text.path}: {ends} It may be another version.")


def _problem_texts(problems: Mapping[str, ProfileError]) -> list[str]:
    """Each problem, but one sentence for all files that are found nowhere."""
    missing = [name for name, error in problems.items() if isinstance(error, MissingFile)]
    others = [error for name, error in problems.items() if name not in missing]
    if len(missing) < 2:
        return [to_display(str(error)) for error in problems.values()]
    names = ", ".join(missing[:_MAX_NAMED]) + (", …" if len(missing) > _MAX_NAMED else "")
    reason = f"{len(missing):,} source files are found nowhere: {names}."
    remedy = "Say where they are, or where their folder is."
    return [to_display(f"{reason} {remedy}"), *(to_display(str(error)) for error in others)]


def missing_instructions_reason(profile: Profile) -> str:
    """Why the profile has no instructions: how to record them, or that its writer has none."""
    creator = to_display(profile.creator)
    if creator and not any(tool in creator.lower() for tool in ("callgrind", "cachegrind")):
        return f"Profiles of {creator} have no instructions."
    return _NO_INSTRUCTIONS


def code_mismatch(code: MachineCode, costs: InstructionCosts) -> str:
    """Why a binary does not seem to be the one that was profiled; empty where it fits."""
    from qcachegrind_py.tools.disassembly.machine_code import is_misplaced

    addresses = _nonzero(costs.address)
    wrong = int(is_misplaced(code.code, addresses).sum())
    if not wrong:
        return ""
    begins = f"no instruction begins at {wrong:,} of {len(addresses):,} addresses of the profile."
    return to_display(f"{code.path}: {begins} It may be another build of the program.")


def is_newer_than_profile(modified: float, profile: Profile) -> bool:
    """Whether a source or binary was changed (seconds since 1970) after the profile was written.

    By more than a minute: a checkout gives all files its own time, one after the other.
    """
    try:
        return modified > Path(profile.paths[0]).stat().st_mtime + _TIME_TOLERANCE
    except (OSError, ValueError):
        return False


def _is_unknown_name(recorded: str) -> bool:
    return recorded in ("", UNKNOWN)


def _nonzero(addresses: UInt64Array) -> UInt64Array:
    """Without 0, at which is what a part without instructions recorded."""
    known: UInt64Array = addresses[addresses > 0]
    return known


def _cached_text(path: Path, limit: int | None, progress: Progress) -> SourceText:
    """The text of the file, read where it is not kept; raises what `read_source` raises."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return read_source(path, limit=limit, progress=progress)  # which says why
    key = path, status.st_mtime_ns, status.st_size
    return _text_cache.get(key, lambda: read_source(path, limit=limit, progress=progress), progress)


_text_cache = WeightedCache[tuple[Path, int, int], SourceText](
    _MAX_CACHE_BYTES, lambda key, text: _memory_of(text, key[-1])
)
