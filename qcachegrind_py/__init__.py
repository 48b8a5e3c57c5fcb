"""Read and question profiles in the Callgrind format; the README shows how.

Names are imported when they are first used, so that `--version` needs no numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qcachegrind_py.analysis.call_pairs import CallPairs, call_pairs
    from qcachegrind_py.analysis.function_costs import FunctionCosts, function_costs
    from qcachegrind_py.formats.loading import load
    from qcachegrind_py.profile.errors import (
        BrokenPacking,
        Cancelled,
        FormulaError,
        InvalidProfile,
        NotAProfile,
        ProfileError,
        UnreadableFile,
    )
    from qcachegrind_py.profile.profile import Part, Profile
    from qcachegrind_py.version import __version__

__all__ = [
    "BrokenPacking",
    "CallPairs",
    "Cancelled",
    "FormulaError",
    "FunctionCosts",
    "InvalidProfile",
    "NotAProfile",
    "Part",
    "Profile",
    "ProfileError",
    "UnreadableFile",
    "__version__",
    "call_pairs",
    "function_costs",
    "load",
]

_HOME = {
    "CallPairs": "analysis.call_pairs",
    "call_pairs": "analysis.call_pairs",
    "FunctionCosts": "analysis.function_costs",
    "function_costs": "analysis.function_costs",
    "load": "formats.loading",
    "Part": "profile.profile",
    "Profile": "profile.profile",
    "__version__": "version",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME.get(name, 'profile.errors')}"), name)
