"""Imports of libraries when they are used, and without what they prepare for `help()`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
_LATE_NUMPY = "from qcachegrind_py.app.library_imports import import_numpy_late as late; late()\n"
_THREADS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import numpy as np
print("numpy.lib" in sys.modules)
barrier = Barrier(4)
def use(_number):
    barrier.wait()
    return int(np.arange(4).sum())
with ThreadPoolExecutor(4) as threads:
    sums = list(threads.map(use, range(4)))
import numpy.typing
print(sums, type(np).__name__, np.typing.NDArray is not None)
"""
_DAMAGED = """
import numpy
for _ in range(2):
    try:
        numpy.arange(3)
    except ImportError as error:
        print(error)
"""

_ENUMS = """
import enum, inspect
from PySide6 import QtCore, QtGui, QtWidgets
def described(kind):
    members = kind.__members__
    values = [(name, repr(member), str(member), member._sort_order_)
              for name, member in members.items()]
    known = [of(list, kind), kind.__doc__, kind.__module__, kind.__qualname__, kind.__mro__]
    known += [of(kind, number) for number in (0, 1, 3, -1, 1 << 40)]
    if issubclass(kind, enum.Flag):
        some = list(members.values())[:6]
        known += [(one | other, one & other, one ^ other, ~one) for one in some for other in some]
        known += [kind._flag_mask_, kind._all_bits_, kind._boundary_]
        known += [of(list, one) for one in some]
    return values, known
def of(what, *values):
    try:
        return what(*values)
    except (AttributeError, TypeError, ValueError) as error:
        return error
def enums(owner):
    for _, inner in sorted(inspect.getmembers(owner, inspect.isclass)):
        if issubclass(inner, enum.Enum):
            yield inner
        elif inspect.ismodule(owner):
            yield from enums(inner)
for module in (QtCore, QtGui, QtWidgets):
    for kind in enums(module):
        print(sorted(vars(kind)), described(kind))
"""
_SIMPLE = "from qcachegrind_py.app.library_imports import create_enums_simply as c; c()\n"


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


def test_enums_are_the_same() -> None:
    """Qt's enums have the same members, aliases, texts and operators, however they are created."""
    simply = _printed(_SIMPLE + _ENUMS)

    assert simply.count("\n") > 500
    assert simply == _printed(_ENUMS)


def test_numpy_is_imported_without_docstrings() -> None:
    """The module that has them is not read, and numpy does what it does otherwise."""
    use = "import numpy; print(numpy.arange(3).sum(), numpy.array.__doc__ and True)"
    assert (_printed(use), _printed(_LATE_NUMPY + use)) == ("3 True\n", "3 None\n")


def test_numpy_is_loaded_by_its_first_use() -> None:
    """Importing it is not a use; two threads that use it at once both see all of it."""
    assert _printed(_LATE_NUMPY + _THREADS) == "False\n[6, 6, 6, 6] module True\n"


def test_types_of_numpy_are_loaded_by_their_first_use() -> None:
    """Numpy itself does not need them; whoever does gets the real ones."""
    types = "import numpy, numpy.typing as npt; print(npt.NDArray, npt.ArrayLike is not None)\n"
    use = "import sys, numpy; numpy.arange(3); print('numpy._typing._array_like' in sys.modules)\n"

    assert _printed(_LATE_NUMPY + use + types) == "False\n" + _printed(types)


def test_damaged_numpy_says_so_each_time(tmp_path: Path) -> None:
    """The first use need not be the one that tells the user."""
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").write_text("raise ImportError('damaged')\n")
    path = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"

    assert _printed(path + _LATE_NUMPY + _DAMAGED) == "damaged\ndamaged\n"
