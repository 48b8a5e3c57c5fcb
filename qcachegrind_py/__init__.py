"""Library to read, analyse and write profiles of Callgrind and others, without Qt.

    import qcachegrind_py as q

    profile = q.load("callgrind.out.1234")
    for row in q.function_costs(profile).top(10):
        print(row["self_Ir"], row["name"])

Read:     load, run_files, read_history; a `Profile` is a bundle of tables, all read-only
Ask:      function_costs, callers, callees, call_edges, function_lines, file_lines,
          instruction_costs, stacks, explain
Compare:  compare, compare_parts, compare_repeats, check; steps and trends of a history
Write:    save, save_stacks; read_sources and read_function_code read what lines are of

A function is given by its name, as for the command, or by its `FunctionId`, which is its row in
all arrays of functions; `Profile.find` lists those that have a text in their names. An event is
given by its name, parts by their indexes from 0. What a profile does not have raises `NotInProfile`
or `NotOneFunction`, in a sentence. Costs are exact integers of 64 bits. Each result has its numbers
as numpy arrays, of which the first axis of costs is the events, and the same as rows: iteration,
`top()`, `to_records()`, `to_pandas()`, and a table in notebooks. `docs/library.md` has examples.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qcachegrind_py.library import *  # noqa: F403  # all that it lists

_LIBRARY = f"{__name__}.library"


def __getattr__(name: str) -> object:
    """Import the library when its first name is used, so that `--version` needs no numpy."""
    if name == "__version__":
        return import_module(f"{__name__}.version").__version__
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    library = import_module(_LIBRARY)
    if name != "__all__" and name not in library.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(library, name)


def __dir__() -> list[str]:
    return sorted(import_module(_LIBRARY).__all__)
