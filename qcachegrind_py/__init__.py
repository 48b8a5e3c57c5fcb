"""Library to read, analyse and write profiles in the Callgrind format; see `docs/library.md`.

Names are imported on first use, so that `--version` does not load numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qcachegrind_py.analysis.code.location_costs import (
        InstructionCosts,
        LineCosts,
        function_lines,
        instruction_costs,
    )
    from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
    from qcachegrind_py.analysis.comparison.selections import (
        RepeatedComparison,
        compare_parts,
        compare_repeats,
    )
    from qcachegrind_py.analysis.comparison.sides import MatchingRules
    from qcachegrind_py.analysis.costs.call_edges import CallEdges, call_edges
    from qcachegrind_py.analysis.costs.function_costs import FunctionCosts, function_costs
    from qcachegrind_py.analysis.history.history import History
    from qcachegrind_py.analysis.history.trends import Steps, Trends, steps, trends
    from qcachegrind_py.formats.callgrind.writing.profile_writer import save
    from qcachegrind_py.formats.callgrind.writing.selection import Selection
    from qcachegrind_py.formats.history_files import read_history
    from qcachegrind_py.formats.loading import load
    from qcachegrind_py.formats.run_files import run_files
    from qcachegrind_py.profile.errors import (
        AnnotationError,
        Cancelled,
        DecompressionError,
        FormulaError,
        InvalidProfile,
        NotAProfile,
        ProfileError,
        UnreadableFile,
        UnwritableFile,
    )
    from qcachegrind_py.profile.profile import Part, Profile
    from qcachegrind_py.tools.annotation_inputs import read_function_code, read_sources
    from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule
    from qcachegrind_py.version import __version__

__all__ = [
    "AnnotationError",
    "CallEdges",
    "Cancelled",
    "Comparison",
    "DecompressionError",
    "FileSearch",
    "FormulaError",
    "FunctionCosts",
    "History",
    "InstructionCosts",
    "InvalidProfile",
    "LineCosts",
    "MatchingRules",
    "NotAProfile",
    "Part",
    "PathRule",
    "Profile",
    "ProfileError",
    "RepeatedComparison",
    "Selection",
    "Steps",
    "Trends",
    "UnreadableFile",
    "UnwritableFile",
    "__version__",
    "call_edges",
    "compare",
    "compare_parts",
    "compare_repeats",
    "function_costs",
    "function_lines",
    "instruction_costs",
    "load",
    "read_function_code",
    "read_history",
    "read_sources",
    "run_files",
    "save",
    "steps",
    "trends",
]

_HOME = {
    "Comparison": "analysis.comparison.comparison",
    "compare": "analysis.comparison.comparison",
    "compare_parts": "analysis.comparison.selections",
    "RepeatedComparison": "analysis.comparison.selections",
    "compare_repeats": "analysis.comparison.selections",
    "MatchingRules": "analysis.comparison.sides",
    "CallEdges": "analysis.costs.call_edges",
    "call_edges": "analysis.costs.call_edges",
    "FunctionCosts": "analysis.costs.function_costs",
    "function_costs": "analysis.costs.function_costs",
    "InstructionCosts": "analysis.code.location_costs",
    "instruction_costs": "analysis.code.location_costs",
    "LineCosts": "analysis.code.location_costs",
    "function_lines": "analysis.code.location_costs",
    "History": "analysis.history.history",
    "Steps": "analysis.history.trends",
    "steps": "analysis.history.trends",
    "Trends": "analysis.history.trends",
    "trends": "analysis.history.trends",
    "read_history": "formats.history_files",
    "load": "formats.loading",
    "run_files": "formats.run_files",
    "Part": "profile.profile",
    "Profile": "profile.profile",
    "read_function_code": "tools.annotation_inputs",
    "read_sources": "tools.annotation_inputs",
    "FileSearch": "tools.sources.file_search",
    "PathRule": "tools.sources.file_search",
    "save": "formats.callgrind.writing.profile_writer",
    "Selection": "formats.callgrind.writing.selection",
    "__version__": "version",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME.get(name, 'profile.errors')}"), name)
