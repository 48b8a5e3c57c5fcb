"""Imports of libraries without what they prepare for `help()`.

Shiboken, PySide's own runtime, compiles its Python modules from text in every process. Most of them
describe functions for error messages and `help()`; they are compiled when they are first asked.
"""

from __future__ import annotations

import builtins
import sys
from types import ModuleType
from typing import Any, Final

_LATE: Final = tuple(  # shiboken itself looks into the dictionary of `mapping`, which stays
    f"shibokensupport/signature/{name}.py"
    for name in (
        "errorhandler",
        "layout",
        "lib/enum_sig",
        "lib/pyi_generator",
        "lib/tool",
        "parser",
    )
)
_LATE_MODULE: Final = """
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    globals().pop("__getattr__", None)
    exec(compile({text!r}, {name!r}, "exec", dont_inherit=True), globals())
    try:
        return globals()[name]
    except KeyError:
        raise AttributeError(name) from None
"""


_NUMPY_DOCUMENTATION: Final = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars")


def skip_numpy_documentation() -> None:
    """Keep numpy from giving its functions their docstrings when it is imported."""
    for name in _NUMPY_DOCUMENTATION:
        sys.modules.setdefault(name, ModuleType(name))


def import_shiboken() -> None:
    """Import shiboken, before any other thread imports something.

    Shiboken takes a finder out of sys.meta_path when it has been imported. An import of another
    thread that walks the list just then skips a finder, and misses its module.
    """
    ordinary = builtins.compile

    def compile_late(source: Any, filename: Any, *rest: Any, **named: Any) -> Any:
        if filename in _LATE:
            source = _LATE_MODULE.format(text=source, name=filename)
        return ordinary(source, filename, *rest, **named)

    setattr(builtins, "compile", compile_late)  # noqa: B010  # for a type checker, it is overloaded
    try:
        import shiboken6  # noqa: F401
    finally:
        setattr(builtins, "compile", ordinary)  # noqa: B010  # as above
    _skip_feature_search()


def _skip_feature_search() -> None:
    """Keep PySide from reading the source of each module that is imported after it.

    It searches the text for "PySide6", to switch on the optional features of PySide, such as names
    with underscores, in the right modules. No module here uses them, and the search takes a
    quarter of the time of all imports.
    """
    from shibokensupport import feature

    if hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = lambda _module: False
