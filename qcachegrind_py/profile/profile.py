"""The profile: what was read from one or several files, complete and unchanging."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.profile.diagnostics import Diagnostic
from qcachegrind_py.profile.events import EventTypes
from qcachegrind_py.profile.ids import FunctionId, text_at
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.profile.tables import Calls, Costs, Functions, Jumps, Runs


@dataclass(frozen=True, slots=True)
class Part:
    """One header with its body: a dump, a thread. Numbers are 0 and texts empty where not given."""

    path: str
    pid: int
    part: int
    thread: int
    creator: str
    command: str
    events: tuple[str, ...]  # as its `events:` line has them
    summary: dict[str, int] | None  # recorded cost by event
    totals: dict[str, int] | None  # total of the cost lines by event, as written at the end
    header: tuple[tuple[str, str], ...]  # every header line, in order

    def description(self, kind: str) -> str:
        """The text of `desc: KIND: text`, the last of several."""
        texts = [text for key, text in self.header if key == "desc"]
        found = [text.partition(":")[2].strip() for text in texts if text.startswith(f"{kind}:")]
        return found[-1] if found else ""

    @property
    def trigger(self) -> str:
        """Why this part was written, such as the end of the program."""
        return self.description("Trigger")


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """All that was read. Compares by identity; any thread may read it."""

    paths: tuple[str, ...]
    events: EventTypes
    parts: tuple[Part, ...]
    texts: StringTable
    functions: Functions
    runs: Runs
    costs: Costs
    calls: Calls
    jumps: Jumps
    diagnostics: tuple[Diagnostic, ...]
    diagnostic_count: int  # more than are kept, where there are very many

    @property
    def creator(self) -> str:
        """The program that wrote the profile."""
        return next((part.creator for part in self.parts if part.creator), "")

    @property
    def command(self) -> str:
        """The command line that was profiled."""
        return next((part.command for part in self.parts if part.command), "")

    @property
    def program_name(self) -> str:
        """The program that was profiled."""
        return program_name(self.command, self.paths[0])

    def function_name(self, function: FunctionId) -> str:
        """The name of a function."""
        return self.texts[text_at(self.functions.name, function)]

    def __repr__(self) -> str:
        return (
            f"<Profile {', '.join(self.paths)}: {len(self.functions)} functions, "
            f"{len(self.costs)} cost lines, {len(self.calls)} calls, {len(self.parts)} parts>"
        )


def program_name(command: str, path: str) -> str:
    """The first word of the command, or else the name of the profile's file."""
    words = command.split()
    return words[0] if words else path.replace("\\", "/").rpartition("/")[2]


def process_ids(parts: tuple[Part, ...]) -> list[int]:
    """The process of each part: one that names none is of that of the part before in its file."""
    processes: list[int] = []
    for number, part in enumerate(parts):
        is_same = number > 0 and part.path == parts[number - 1].path
        processes.append(part.pid or (processes[-1] if is_same else 0))
    return processes
