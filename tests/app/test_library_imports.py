"""Imports of libraries without what they prepare for `help()`."""

from __future__ import annotations

import subprocess
import sys

_DESCRIPTIONS = """
import sys
from PySide6.QtCore import QObject, QPoint
try:
    QObject().setProperty(1, 2)
except TypeError as error:
    print(error)
from PySide6.support.signature import get_signature
print(get_signature(QPoint.manhattanLength), QPoint.manhattanLength.__doc__)
from shibokensupport.signature.lib import enum_sig
print(hasattr(enum_sig, "nothing"), enum_sig.HintingEnumerator)
print(hasattr(sys.modules["shibokensupport.signature.layout"], "create_signature"))
"""
_LATE = "from qcachegrind_py.app.library_imports import import_shiboken; import_shiboken()\n"
_COMPILED = """
import sys
from PySide6.QtWidgets import QApplication
for name, module in sorted(sys.modules.items()):
    if name.startswith("shibokensupport.signature.") and hasattr(module, "__getattr__"):
        print(name.removeprefix("shibokensupport.signature."))
"""


def _printed(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    ).stdout


def test_descriptions_of_functions_are_the_same() -> None:
    """What is compiled late answers as what is compiled at once does."""
    assert _printed(_LATE + _DESCRIPTIONS) == _printed(_DESCRIPTIONS)


def test_qt_is_imported_without_them() -> None:
    """A start compiles none of the modules that only describe functions."""
    late = "errorhandler layout lib.enum_sig lib.pyi_generator lib.tool parser"
    assert _printed(_LATE + _COMPILED).split() == late.split()


def test_numpy_is_imported_without_docstrings() -> None:
    """The module that has them is not read, and numpy does what it does otherwise."""
    skip = (
        "from qcachegrind_py.app.library_imports import skip_numpy_documentation as skip; skip()\n"
    )
    use = "import numpy; print(numpy.arange(3).sum(), numpy.array.__doc__ and True)"
    assert (_printed(use), _printed(skip + use)) == ("3 True\n", "3 None\n")
