"""Stand-in for `cython`, so that compiled modules run interpreted without Cython installed.

Types of local variables and functions are annotations, which are never evaluated; those of
attributes and methods are in `.pxd` files, which only the compiler reads.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

_Function = TypeVar("_Function")


class _NoGil(nullcontext[None]):
    """Does nothing, in `with nogil:` and as a decorator."""

    def __call__(self, function: _Function) -> _Function:
        return function


def cfunc(function: _Function) -> _Function:
    return function


def exceptval(*, check: bool) -> Callable[[_Function], _Function]:
    """Return a decorator that leaves the function unchanged."""
    return cfunc


def declare(_type: object, value: object) -> object:
    """Return the value of a module variable."""
    return value


def cast(_type: object, value: float) -> builtins.int:
    """Return the value as the 64-bit integer that it is where the module is compiled."""
    return (builtins.int(value) + (1 << 63)) % (1 << 64) - (1 << 63)


compiled = False
nogil = _NoGil()
inline = cfunc
int = Py_ssize_t = longlong = ulonglong = bint = object
