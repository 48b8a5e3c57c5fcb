"""What compiled modules need of `cython` where Cython is not installed: next to nothing.

Types of local variables stand in annotations, which are never evaluated; those of attributes and
parameters in `.pxd` files, which only the compiler reads.
"""

from __future__ import annotations

from contextlib import nullcontext

compiled = False
nogil = nullcontext()
int = object


def declare(_type: object, value: object) -> object:
    """A module's variable: here its value."""
    return value
