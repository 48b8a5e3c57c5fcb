"""Frozen dataclasses that are quick to define: the first window needs some two hundred of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import Any, TypeVar, dataclass_transform, overload

_T = TypeVar("_T")


@overload
def frozen(cls: type[_T], /) -> type[_T]: ...


@overload
def frozen(
    *, eq: bool = False, slots: bool = True, kw_only: bool = False
) -> Callable[[type[_T]], type[_T]]: ...


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def frozen(
    cls: type[_T] | None = None, /, *, eq: bool = False, slots: bool = True, kw_only: bool = False
) -> type[_T] | Callable[[type[_T]], type[_T]]:
    """Make a class a dataclass whose fields are never assigned, by default compared by identity.

    The type checker keeps fields from being assigned. `dataclass(frozen=True)` does so at run time
    as well, and compiles five methods for each class, in 0.5 ms. Most classes here share the code
    of `__init__` with all of as many fields.
    With `eq`, objects are equal if their fields are, and have a hash. Without `slots`, they may
    have cached properties.
    """

    def define(cls: type[_T]) -> type[_T]:
        if cls.__repr__ is object.__repr__:
            setattr(cls, "__repr__", _repr)  # noqa: B010  # for a type checker, it is a method
        if cls.__doc__ is None:
            cls.__doc__ = cls.__name__  # `dataclass` would write its parameters, in 0.05 ms
        own = set(vars(cls))
        defined = dataclass(eq=False, repr=False, init=False, slots=slots, kw_only=kw_only)(cls)
        methods = _comparison(defined) if eq else {}
        if "__init__" not in own:
            methods["__init__"] = _init(defined)
        for name in methods.keys() - own:
            setattr(defined, name, methods[name])
        return defined

    return define if cls is None else define(cls)


def _init(cls: type[Any]) -> Any:
    """Return the method that `dataclass` would make: it sets all fields to its parameters."""
    rows = fields(cls)
    is_plain = not any(row.kw_only or row.default_factory is not MISSING for row in rows)
    if not is_plain or not all(row.init for row in rows) or hasattr(cls, "__post_init__"):
        return _compiled_init(cls)
    names = tuple(row.name for row in rows)
    code = _init_of_places(len(names)).replace(
        co_varnames=("self", *names), co_names=names, co_qualname=f"{cls.__qualname__}.__init__"
    )
    defaults = tuple(row.default for row in rows if row.default is not MISSING)
    return FunctionType(code, {}, "__init__", defaults)


@cache
def _init_of_places(count: int) -> CodeType:
    """Return the code of an `__init__` of so many fields, whose names are to be replaced.

    Compiling one for each class takes 0.1 ms.
    """
    names = [f"field{place}" for place in range(count)]
    values: dict[str, Any] = {}
    lines = "; ".join(f"self.{name} = {name}" for name in names)
    exec(f"def __init__({', '.join(['self', *names])}): {lines or 'pass'}", values)
    method: FunctionType = values["__init__"]
    return method.__code__


def _compiled_init(cls: type[Any]) -> Any:
    """Return the method of a class with other fields than parameters with or without defaults."""
    values: dict[str, Any] = {"MISSING": MISSING}
    positional, named, lines = ["self"], ["*"], ["pass"]
    for row in fields(cls):
        name, default, value = row.name, f"DEFAULT_{row.name}", row.name
        parameter = name
        if row.default_factory is not MISSING:
            values[default], parameter = row.default_factory, f"{name}=MISSING"
            value = f"{default}() if {name} is MISSING else {name}" if row.init else f"{default}()"
        elif row.default is not MISSING:
            values[default], parameter = row.default, f"{name}={default}"
        if row.init:
            (named if row.kw_only else positional).append(parameter)
        lines.append(f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    head = ", ".join(positional + (named if len(named) > 1 else []))
    exec(f"def __init__({head}): " + "; ".join(lines), values)
    method = values["__init__"]
    method.__qualname__ = f"{cls.__qualname__}.__init__"  # for errors
    return method


def _comparison(cls: type[Any]) -> dict[str, Callable[..., Any]]:
    """Return the methods that compare objects by their fields."""
    names = [row.name for row in fields(cls) if row.compare]
    values: Callable[[Any], object]
    if len(names) > 1:
        values = attrgetter(*names)
    else:  # `attrgetter` returns no tuple for a single name

        def values(each: Any) -> object:
            return tuple(getattr(each, name) for name in names)

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _repr(self: Any) -> str:
    shown = ", ".join(f"{each.name}={_shown(getattr(self, each.name))}" for each in fields(self))
    return f"{type(self).__qualname__}({shown})"


def _shown(value: Any) -> str:
    """Return a value as in a `repr`, but of an array its type and shape alone: `int64(13, 430)`."""
    if getattr(value, "shape", None):
        return f"{value.dtype}{value.shape}"
    return repr(value)
