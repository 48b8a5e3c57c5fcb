"""What compiled modules need of `cython` where Cython is not installed: next to nothing.

Types of local variables and functions stand in annotations, which are never evaluated; those of
attributes and methods in `.pxd` files, which only the compiler reads.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

_Function = TypeVar("_Function")


class _NoGil(nullcontext[None]):
    """Nothing, be it for `with nogil:` or as a decorator."""

    def __call__(self, function: _Function) -> _Function:
        return function


def cfunc(function: _Function) -> _Function:
    """A decorator that leaves the function as it is."""
    return function


def exceptval(*, check: bool) -> Callable[[_Function], _Function]:
    """A decorator that leaves the function as it is."""
    return cfunc


def declare(_type: object, value: object) -> object:
    """A module's variable: here its value."""
    return value


compiled = False
nogil = _NoGil()
inline = cfunc
int = object
