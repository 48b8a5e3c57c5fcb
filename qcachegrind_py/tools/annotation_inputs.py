"""Find and read the source and the machine code of a function, and check them against its profile.

The window and the command share this module. `analysis` computes the costs; a `FileSearch` finds
the files.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qcachegrind_py.analysis.code.instructions import NO_CODE, Code, Syntax
from qcachegrind_py.analysis.code.location_costs import InstructionCosts, LineCosts
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import (
    AmbiguousFile,
    AnnotationError,
    Cancelled,
    CodeNotFound,
    FileTooLarge,
    MissingFile,
    ProfileError,
    WithheldFile,
)
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at, text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, Progress, WeightedCache
from qcachegrind_py.profile.tables import UNKNOWN, Int32Array, UInt64Array, to_display
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
# File names recorded by Python and PHP for built-in functions.
_INTERNAL_FILE_NAMES = ("~", "php:internal")
_NO_SOURCE = "has no source: its functions are built into the language."
_TIME_TOLERANCE = 60.0  # seconds: files unpacked or checked out together are about equally old
_NO_FILE = ("The profile", "does not name the source file.")
_NO_DEBUG_INFORMATION = "Compile with -g, then record again."
_IF_COMPILED = "If the program is a compiled one, compile with -g, then record again."
_MAX_NAMED = 5
# Bytes of memory for source files: in the cache, and for one function. A profile can name any
# number of files.
_MAX_CACHE_BYTES = 300_000_000
_MAX_FUNCTION_BYTES = 500_000_000
_LINE_OVERHEAD = 60  # bytes per line in addition to its text


@frozen
class Sources:
    """The requested source files; each is in one of the mappings, by its recorded name."""

    texts: Mapping[str, SourceText]
    problems: Mapping[str, ProfileError]
    withheld: Mapping[str, WithheldFile] = field(default_factory=dict)
    """Why texts are shown only, and not written into other files."""


def read_sources(
    recorded: Iterable[str],
    object_: str,
    search: FileSearch,
    progress: Progress | None = None,
    *,
    accepted_large: Container[Path] = (),
) -> Sources:
    """Read the source files of these names, recorded for code of an object.

    Relative names may also be relative to the object's folder, its parent, or `src` in that.
    `accepted_large` are files over the limit that the user agreed to read. All others together are
    bounded, too, and are read in the given order: a function's own file comes first. A text stays
    cached until its file changes. Raises only `Cancelled`.
    """
    progress = progress or NoProgress()
    texts: dict[str, SourceText] = {}
    problems: dict[str, ProfileError] = {}
    withheld: dict[str, WithheldFile] = {}
    names = list(dict.fromkeys(recorded))
    search = _with_object_folders(search, object_, progress)
    loader = _SourceLoader(accepted_large, progress)
    for done, name in enumerate(names):
        progress.check(done / len(names), "Reading sources")
        try:
            if name in _INTERNAL_FILE_NAMES:
                raise AnnotationError(name, _NO_SOURCE)
            if _is_unknown_name(name):
                remedy = _IF_COMPILED if _is_unknown_name(object_) else _NO_DEBUG_INFORMATION
                raise AnnotationError(*_NO_FILE, remedy)
            path = search.find_source(name, object_, progress)
            texts[name] = loader.read(path)
            if (reason := search.withheld(path)) is not None:
                withheld[name] = reason
        except Cancelled:
            raise
        except ProfileError as error:
            problems[name] = error
    return Sources(texts, problems, withheld)


def texts_by_file(
    profile: Profile, files: Iterable[TextId], sources: Sources
) -> dict[TextId, SourceText]:
    """Return the texts of the files that were found, by the ids of their recorded names."""
    texts = ((file, sources.texts.get(profile.texts[file])) for file in files)
    return {file: text for file, text in texts if text is not None}


def withheld_by_file(
    profile: Profile, files: Iterable[TextId], *sides: Sources
) -> dict[TextId, WithheldFile]:
    """Return why texts of the files are not written, on any side, by the ids of their names."""
    reasons = ((file, side.withheld.get(profile.texts[file])) for file in files for side in sides)
    return {file: reason for file, reason in reasons if reason is not None}


class _SourceLoader:
    """Reads the files of one function, within a common memory limit."""

    def __init__(self, accepted_large: Container[Path], progress: Progress) -> None:
        self._accepted_large = accepted_large
        self._progress = progress
        self._bytes_left = _MAX_FUNCTION_BYTES
        self._read: dict[Path, SourceText] = {}

    def read(self, path: Path) -> SourceText:
        """Return the text of the file; raises like `read_source`."""
        if path in self._read:
            return self._read[path]
        is_accepted = path in self._accepted_large
        size = _size_of(path)
        if self._bytes_left < size <= MAX_BYTES and not is_accepted:
            error = FileTooLarge(path, size, self._bytes_left)
            error.reason = (
                f"has {size / 1e6:,.0f} MB, too much together with the files already read."
            )
            raise error
        text = _cached_text(path, None if is_accepted else MAX_BYTES, self._progress)
        if not is_accepted:
            self._bytes_left = max(self._bytes_left - _memory_of(text, size), 0)
        self._read[path] = text
        return text


def _size_of(path: Path) -> int:
    """Return the file's size in bytes; 0 if it has none, which reading it reports."""
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0


def _memory_of(text: SourceText, size: int) -> int:
    """Estimate the bytes of memory that the text of a file of `size` bytes takes."""
    return size + _LINE_OVERHEAD * len(text.lines)


def _with_object_folders(search: FileSearch, object_: str, progress: Progress) -> FileSearch:
    """Return the search extended by the folders around a program, as it is mostly built there."""
    if _is_unknown_name(object_):
        return search
    try:
        folder = search.find(object_, object_, progress).parent
    except (MissingFile, AmbiguousFile):
        return search
    folders = folder, folder.parent, folder.parent / "src"
    return replace(search, object_bases=tuple(map(str, folders)))


def clear_caches() -> None:
    """Search for files again on the next request, as they may have appeared or gone."""
    clear_folder_listings()
    machine_code = sys.modules.get("qcachegrind_py.tools.disassembly.machine_code")
    clear_code_cache = getattr(machine_code, "clear_code_cache", None)
    # otherwise another thread may still be importing it, and nothing is cached
    if clear_code_cache is not None:
        clear_code_cache()


def preload() -> None:
    """Import the disassembler before it is first needed."""
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
    """Return the decoded instructions of a function, around the addresses in its costs.

    Raises like `FileSearch.find`, and CodeNotFound and UnsuitableFile.
    """
    # 60 ms, which a start can do without
    from qcachegrind_py.tools.disassembly.machine_code import read_code

    object_ = profile.texts[text_at(profile.functions.object, function)]
    if _is_unknown_name(object_):
        reason = "is not a known object: the profile does not name the program or library."
        raise CodeNotFound(UNKNOWN, reason, "Instructions cannot be shown.")
    path = search.find(object_, object_, progress)
    if profile.contexts is None:
        return read_code(path, _nonzero(costs.address), syntax, progress)
    return _read_sampled_code(path, profile, function, costs, syntax, progress)


def _read_sampled_code(
    path: Path,
    profile: Profile,
    function: FunctionId,
    costs: InstructionCosts,
    syntax: Syntax,
    progress: Progress | None,
) -> MachineCode:
    """Decode a function around where it executed, or was to return to, in a process or in a file.

    An address to return to is none of an instruction that ran; it tells which function it is.
    """
    from qcachegrind_py.tools.disassembly.machine_code import moved, read_code, read_image
    from qcachegrind_py.tools.disassembly.recorded_addresses import distance_of_addresses

    recorded = _nonzero(costs.address)
    if not len(recorded):
        raise CodeNotFound(path, "has no recorded address of this function.")
    image = read_image(path, progress)
    distance = distance_of_addresses(image, profile, function, recorded)
    executed = _executed(costs)
    called = moved(np.setdiff1d(recorded, executed), -distance) - np.uint64(1)
    row = image.functions.containing(called)
    starts = moved(image.functions.start[row[row >= 0]], distance)
    return read_code(path, np.union1d(executed, starts), syntax, progress, distance)


@frozen
class CodeResult:
    """The code of a function, or why it is missing; with code, why it may not match."""

    machine_code: MachineCode | None
    problem: ProfileError | str | None

    @property
    def code(self) -> Code:
        """The instructions; empty if the code was not found."""
        return self.machine_code.code if self.machine_code else NO_CODE


def find_function_code(
    profile: Profile,
    function: FunctionId,
    costs: InstructionCosts,
    search: FileSearch,
    syntax: Syntax = Syntax.ATT,
    progress: Progress | None = None,
) -> CodeResult:
    """Like `read_function_code`, but return a problem with the result; raises only `Cancelled`."""
    try:
        machine = read_function_code(profile, function, costs, search, syntax, progress)
    except Cancelled:
        raise
    except ProfileError as error:
        return CodeResult(None, error)
    is_sampled = profile.contexts is not None
    return CodeResult(machine, code_mismatch(machine, costs, is_sampled=is_sampled) or None)


def source_doubts(profile: Profile, lines: LineCosts, sources: Sources) -> tuple[str, ...]:
    """Return why texts of recorded lines do not match them, in a sentence each."""
    problems = list[str]()
    for file in sorted(set(text_ids(lines.file))):
        name = profile.texts[file]
        if text := sources.texts.get(name):
            file_lines = lines.line[lines.file == file]
            if (file_lines < 1).any():
                reason = "has costs without a line number in the profile."
                problems.append(to_display(f"{name} {reason}"))
            if mismatch := source_mismatch(text, file_lines):
                problems.append(mismatch)
    return tuple(problems)


def source_mismatch(text: SourceText, lines: Int32Array) -> str:
    """Return why a text may not be the profiled one; empty if it has all `lines`: int32."""
    beyond = int((lines > len(text.lines)).sum())
    if not beyond:
        return ""
    ends = f"ends before {beyond:,} of {len(lines):,} lines of the profile."
    return to_display(f"{text.path} {ends} It may be a different version.")


def problem_texts(problems: Mapping[str, ProfileError]) -> list[str]:
    """Return one text per problem, but a single one for all files that were not found.

    So have files that are left out for one reason.
    """
    groups: dict[tuple[str, str], list[ProfileError]] = {}
    for name, error in problems.items():
        shared = name, ""
        if isinstance(error, MissingFile):
            shared = "not found", "Choose the files or their folder."
        elif isinstance(error, WithheldFile):
            shared = f"left out, as {error.cause}", error.remedy
        groups.setdefault(shared, []).append(error)
    return [to_display(_group_text(*shared, errors)) for shared, errors in groups.items()]


def _group_text(reason: str, remedy: str, errors: Sequence[ProfileError]) -> str:
    if len(errors) == 1:
        return str(errors[0])
    paths = [error.path for error in errors if isinstance(error, AnnotationError)]
    names = ", ".join(paths[:_MAX_NAMED]) + (", …" if len(paths) > _MAX_NAMED else "")
    return f"{len(paths):,} source files {reason}: {names}. {remedy}"


def missing_instructions_reason(profile: Profile) -> str:
    """Return why the profile has no instructions: not recorded, or unsupported by its producer."""
    creator = to_display(profile.creator)
    if creator and not any(tool in creator.lower() for tool in ("callgrind", "cachegrind")):
        return f"Profiles of {creator} have no instructions."
    return _NO_INSTRUCTIONS


def code_mismatch(code: MachineCode, costs: InstructionCosts, *, is_sampled: bool = False) -> str:
    """Return why a binary may not be the profiled one; empty if it matches the costs.

    Calls of samples are at the address that they return to, which may be between instructions.
    """
    from qcachegrind_py.tools.disassembly.machine_code import is_misplaced

    addresses = _executed(costs) if is_sampled else _nonzero(costs.address)
    wrong = int(is_misplaced(code.code, addresses).sum())
    if not wrong:
        return ""
    counts = f"{wrong:,} of {len(addresses):,} addresses of the profile"
    return to_display(f"{code.path} has no instruction at {counts}. It may be a different build.")


def is_newer_than_profile(modified: float, profile: Profile) -> bool:
    """Whether a file, modified at that time (seconds since 1970), is newer than the profile.

    A minute's difference is tolerated: a checkout writes its files one after another.
    """
    try:
        return modified > Path(profile.paths[0]).stat().st_mtime + _TIME_TOLERANCE
    except (OSError, ValueError):
        return False


def _is_unknown_name(recorded: str) -> bool:
    return recorded in ("", UNKNOWN)


def _executed(costs: InstructionCosts) -> UInt64Array:
    """Return the addresses with costs of their own, without 0."""
    return _nonzero(costs.address[costs.self_cost.any(axis=0)])


def _nonzero(addresses: UInt64Array) -> UInt64Array:
    """Return the addresses without 0, which parts recorded without instructions have."""
    known: UInt64Array = addresses[addresses > 0]
    return known


def _cached_text(path: Path, limit: int | None, progress: Progress) -> SourceText:
    """Return the text of the file, from the cache if it is unchanged; raises like `read_source`."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return read_source(path, limit=limit, progress=progress)  # which raises the reason
    key = path, status.st_mtime_ns, status.st_size
    return _text_cache.get(key, lambda: read_source(path, limit=limit, progress=progress), progress)


_text_cache = WeightedCache[tuple[Path, int, int], SourceText](
    _MAX_CACHE_BYTES, lambda key, text: _memory_of(text, key[-1])
)
