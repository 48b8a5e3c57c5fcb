"""Frozen dataclasses that are quick to define: the first window needs some two hundred of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import Any, TypeVar, dataclass_transform, overload

_T = TypeVar("_T")
_FIELDS = "__dataclass_fields__"  # what the standard library knows a dataclass by
_NO_FIELDS = ("ClassVar", "InitVar", "KW_ONLY")


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
    of `__init__` with all of as many fields, and are taken apart by `dataclass` only when something
    asks for their fields.
    With `eq`, objects are equal if their fields are, and have a hash. Without `slots`, they may
    have cached properties.
    """

    def define(cls: type[_T]) -> type[_T]:
        own = set(vars(cls))
        if cls.__doc__ is None:
            cls.__doc__ = cls.__name__  # `dataclass` would write its parameters, in 0.05 ms
        methods: dict[str, Any] = {}
        names = None if kw_only else _plain_fields(cls)
        if names is None:
            defined = dataclass(eq=False, repr=False, slots=slots, kw_only=kw_only)(cls)
            compared = _compared_fields(defined)
        else:
            defined = _with_slots(cls, names) if slots else cls
            setattr(defined, _FIELDS, _LateFields(cls, defined))
            methods |= {"__init__": _init(cls, names), "__match_args__": names}
            compared = list(names)
        if cls.__repr__ is object.__repr__:
            methods["__repr__"] = _repr
        if eq:
            methods |= _comparison(compared)
        for name in methods.keys() - own:
            setattr(defined, name, methods[name])
        return defined

    return define if cls is None else define(cls)


def _plain_fields(cls: type[Any]) -> tuple[str, ...] | None:
    """Return the names of the fields if all are parameters with or without a default value."""
    values = vars(cls)
    kinds: dict[str, str] = values.get("__annotations__", {})
    is_plain = (
        not any(hasattr(base, _FIELDS) for base in cls.__bases__)
        and "__post_init__" not in values
        and not any(isinstance(values.get(name), Field) for name in kinds)
        and not any(word in kind for kind in kinds.values() for word in _NO_FIELDS)
    )
    return tuple(kinds) if is_plain else None


def _compared_fields(cls: type[Any]) -> list[str]:
    return [row.name for row in fields(cls) if row.compare]


def _with_slots(cls: type[Any], names: Sequence[str]) -> Any:
    """Return the class with a slot for each field, which has to be another class."""
    metaclass: Any = type(cls)
    left_out = {*names, "__dict__", "__weakref__"}
    content = {name: value for name, value in vars(cls).items() if name not in left_out}
    return metaclass(cls.__name__, cls.__bases__, content | {"__slots__": tuple(names)})


class _LateFields:
    """What the standard library knows of the fields of a class, found when it first asks."""

    def __init__(self, written: type[Any], defined: type[Any]) -> None:
        self._written, self._defined = written, defined

    def __get__(self, _object: object, _owner: type[Any]) -> dict[str, Field[Any]]:
        dataclass(eq=False, repr=False, init=False)(self._written)
        for name in (_FIELDS, "__dataclass_params__"):
            setattr(self._defined, name, vars(self._written)[name])
        found: dict[str, Field[Any]] = vars(self._defined)[_FIELDS]
        return found


def _init(cls: type[Any], names: tuple[str, ...]) -> Any:
    """Return the method that `dataclass` would make: it sets all fields to its parameters."""
    code = _init_of_places(len(names)).replace(
        co_varnames=("self", *names), co_names=names, co_qualname=f"{cls.__qualname__}.__init__"
    )
    values = vars(cls)
    defaults = tuple(values[name] for name in names if name in values)
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


def _comparison(names: Sequence[str]) -> dict[str, Callable[..., Any]]:
    """Return the methods that compare objects by these fields."""
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
