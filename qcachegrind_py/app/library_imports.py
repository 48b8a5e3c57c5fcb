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
from collections.abc import Mapping
from functools import cache, reduce
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from operator import or_
from pathlib import Path
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


_CONTAINERS: Final = (  # of the members of an enum
    "_member_names_",
    "_member_map_",
    "_value2member_map_",
    "_unhashable_values_",
)


class _LateModule(ModuleType):
    """A module that is loaded when something in it is first asked for, by whichever thread.

    `importlib.util.LazyLoader` shows a second thread a module that is half loaded.
    """

    _lock = threading.RLock()

    def __getattribute__(self, name: str) -> Any:
        if name not in ("__spec__", "__name__", "__path__"):  # each `import` looks at them
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


class _LateTypes(_LateModule):
    """Numpy's types for type checkers, whose import takes a fifth of numpy's.

    `numpy.linalg` writes one of them in annotations that nobody reads.
    """

    def __getattribute__(self, name: str) -> Any:
        return list if name == "NDArray" else super().__getattribute__(name)


def import_numpy_late() -> None:
    """Let numpy be loaded when it is first used, without docstrings: a bare window needs none."""
    if "numpy" in sys.modules or (spec := find_spec("numpy")) is None:
        return  # or the first import says that it is missing
    for name in _NUMPY_DOCUMENTATION:
        sys.modules.setdefault(name, ModuleType(name))
    types = Path(spec.origin or "").with_name("_typing") / "__init__.py"
    if types.exists() and (spec_of_types := spec_from_file_location("numpy._typing", types)):
        sys.modules["numpy._typing"] = module = module_from_spec(spec_of_types)
        module.__class__ = _LateTypes
    sys.modules["numpy"] = module = module_from_spec(spec)
    module.__class__ = _LateModule


def create_enums_simply() -> None:
    """Let enums of integers be created without the checks of the standard library.

    They find no fault in the 4,000 members of 370 enums of Qt that the window has.
    """
    ordinary = vars(enum.EnumMeta).get("_create_")
    if ordinary is None or not _knows_enums():
        return
    reserved = {*dir(enum.IntEnum), *dir(enum.IntFlag), "name", "value"}

    def create(cls: Any, class_name: str, names: Any, **named: Any) -> Any:
        is_list = isinstance(names, list) and all(type(one) is tuple for one in names)
        values = dict(names) if is_list else {}
        is_plain = len(values) == len(names or ()) and reserved.isdisjoint(values)
        if not is_plain or named.get("type") is not None:
            return ordinary(cls, class_name, names, **named)
        content = _enum_content(cls, named.get("boundary")) | {
            "__module__": named.get("module") or sys._getframe(2).f_globals.get("__name__", ""),
            "__qualname__": named.get("qualname") or class_name,
        }
        return _create_enum(cls, class_name, content, values)

    setattr(enum.EnumMeta, "_create_", create)  # noqa: B010  # for a type checker, it is a method


def _knows_enums() -> bool:
    """Return whether enums of this Python are made of what `_create_enum` makes them of."""
    if not hasattr(enum, "_simple_enum"):
        return False
    content = _enum_content(enum.Flag, None)
    containers = {name for name, value in content.items() if isinstance(value, list | dict)}
    sample = enum.Flag("sample", [("one", 1)])
    attributes = {"_value_", "_name_", "__objclass__", "_sort_order_"}
    return containers == set(_CONTAINERS) and vars(sample["one"]).keys() == attributes


@cache
def _enum_content(base: Any, boundary: Any) -> dict[str, Any]:
    """Return what the standard library gives an enum that has no members."""
    empty = enum._simple_enum(base, boundary=boundary)(type("empty", (), {}))  # type: ignore[attr-defined]  # private
    return {**vars(empty), "__doc__": None}


def _create_enum(base: Any, name: str, content: dict[str, Any], values: Mapping[str, int]) -> Any:
    """Return an enum of these values; the members of flags are those of a single bit."""
    is_flag = issubclass(base, enum.Flag)
    member_names, by_name, by_value = list[str](), dict[str, Any](), dict[int, Any]()
    content |= zip(_CONTAINERS, (member_names, by_name, by_value, []), strict=True)
    if is_flag:
        bits = reduce(or_, values.values(), 0)
        content["_flag_mask_"], content["_all_bits_"] = bits, 2 ** bits.bit_length() - 1
    created: Any = type.__new__(enum.EnumMeta, name, (base,), content)
    new, takes_value = created._new_member_, created._use_args_
    for member_name, value in values.items():
        member = by_value.get(value)
        if member is None:  # otherwise the name is an alias
            member = new(created, value) if takes_value else new(created)
            member._value_, member._name_ = value, member_name
            member.__objclass__, member._sort_order_ = created, len(member_names)
            by_value[value] = member
            if not is_flag or (value > 0 and value.bit_count() == 1):
                member_names.append(member_name)
        by_name[member_name] = member
        type.__setattr__(created, member_name, member)  # not a property, which is slower
    if is_flag:
        singles = [by_name[each]._value_ for each in member_names]
        created._singles_mask_ = sum(singles)
        if singles != sorted(singles):
            created._iter_member_ = created._iter_member_by_def_
    return created


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
