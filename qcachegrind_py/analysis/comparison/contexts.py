"""Names with their callers in them, `f'a'b`, as callgrind writes them with --separate-callers."""

from __future__ import annotations

import re

from qcachegrind_py.profile.profile import Profile

_CONTEXT = re.compile(rb"'(?!\d+\n)[^\n]*\n")  # a number alone is a recursion level


def has_contexts(profile: Profile) -> bool:
    """Return whether callgrind separated functions by callers: then most names have them."""
    if not profile.creator.startswith("callgrind"):
        return False
    arena, needed = profile.texts.arena, len(profile.functions) // 2
    if arena.count(b"'") <= needed:  # without a scan of all names: usual profiles have none
        return False
    return sum(1 for _ in _CONTEXT.finditer(arena)) > needed


def without_context(name: str) -> str:
    """Return the name of the function itself."""
    return name.partition("'")[0] or name
