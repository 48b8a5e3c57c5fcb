"""Imports of libraries when they are used, and without what they prepare for `help()`.

Numpy is imported by most modules of this package, and used once there is a profile.
Shiboken, PySide's own runtime, compiles its Python modules from text in every process. Most of them
describe functions for error messages and `help()`; they are compiled when they are first asked.
"""

from __future__ import annotations

import builtins
import enum
import sys
import threading
from importlib.util import find_spec, module_from_spec
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


_NUMPY_DOCUMENTATION: Final = (
    "numpy._core._add_newdocs",
    "numpy._core._add_newdocs_scalars",
    "numpy.core._add_newdocs",  # before numpy 2
    "numpy.core._add_newdocs_scalars",
)


class _LateModule(ModuleType):
    """A module that is loaded when something in it is first asked for, by whichever thread.

    `importlib.util.LazyLoader` shows a second thread a module that is half loaded.
    """

    _lock = threading.RLock()

    def __getattribute__(self, name: str) -> Any:
        if name not in ("__spec__", "__name__"):  # each `import` looks at them
            with _LateModule._lock:
                spec = ModuleType.__getattribute__(self, "__spec__")
                if spec.loader_state is None:
                    spec.loader_state = "loading"  # what is loaded asks for what is there so far
                    try:
                        spec.loader.exec_module(self)
                    except BaseException:
                        spec.loader_state = None  # who asks next shall see the reason, too
                        raise
                    object.__setattr__(self, "__class__", ModuleType)
        return ModuleType.__getattribute__(self, name)


def import_numpy_late() -> None:
    """Let numpy be loaded when it is first used, without docstrings: a bare window needs none."""
    if "numpy" in sys.modules or (spec := find_spec("numpy")) is None:
        return  # or the first import says that it is missing
    for name in _NUMPY_DOCUMENTATION:
        sys.modules.setdefault(name, ModuleType(name))
    sys.modules["numpy"] = module = module_from_spec(spec)
    module.__class__ = _LateModule


def create_enums_simply() -> None:
    """Let enums of a list of members be created as the standard library creates its own.

    That leaves out checks which find no fault in names and integers. The window has 4,000 members
    of 370 enums of Qt; they take 30 ms then, in place of 50.
    """
    ordinary = vars(enum.EnumMeta).get("_create_")
    simple = getattr(enum, "_simple_enum", None)
    if ordinary is None or simple is None or sys.version_info >= (3, 14):  # not tried there
        return
    reserved = {*dir(enum.IntEnum), *dir(enum.IntFlag), "name", "value"}

    def create(cls: Any, class_name: str, names: Any, **named: Any) -> Any:
        is_list = isinstance(names, list) and all(type(one) is tuple for one in names)
        members = dict(names) if is_list else {}
        is_plain = len(members) == len(names or ()) and reserved.isdisjoint(members)
        if not is_plain or named.get("type") is not None:
            return ordinary(cls, class_name, names, **named)
        module = named.get("module") or sys._getframe(2).f_globals.get("__name__", "")
        qualified = named.get("qualname") or class_name
        body = {"__module__": module, "__qualname__": qualified, **members}
        created = simple(cls, boundary=named.get("boundary"))(type(class_name, (), body))
        created.__doc__ = None
        for member_name, member in created._member_map_.items():
            type.__setattr__(created, member_name, member)  # without a property, which is slower
        return created

    setattr(enum.EnumMeta, "_create_", create)  # noqa: B010  # for a type checker, it is a method


def import_shiboken() -> None:
    """Import shiboken, and keep it from slowing the imports that follow.

    Its modules that describe functions are compiled when they are asked. Its own `__import__` reads
    the source of each module that is imported later, to switch on optional features of PySide, such
    as names with underscores. No module here uses them, and that takes a quarter of all imports.
    """
    compiling, importing = builtins.compile, builtins.__import__

    def compile_late(source: Any, filename: Any, *rest: Any, **named: Any) -> Any:
        if filename in _LATE:
            source = _LATE_MODULE.format(text=source, name=filename)
        return compiling(source, filename, *rest, **named)

    setattr(builtins, "compile", compile_late)  # noqa: B010  # for a type checker, it is overloaded
    try:
        import shiboken6  # noqa: F401
    finally:
        setattr(builtins, "compile", compiling)  # noqa: B010  # as above
        builtins.__import__ = importing
