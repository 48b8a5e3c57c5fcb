"""Functions by object, file or class, and what the groups cost.

A group's self cost is the sum of its functions'. Its inclusive cost would count nested calls again
and again, so there is none. The class of a function is the scope that its name stands in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

import numpy as np

from qcachegrind_py.analysis.function_costs import FunctionCosts
from qcachegrind_py.analysis.segments import sums_by_group
from qcachegrind_py.profile.names import clean
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array

GLOBAL = "(global)"
_OPERATOR = re.compile(r"operator(?!\w)")
_KEPT_BRACKETS = re.compile(r"\(anonymous namespace\)|decltype ?\([^)]*\)")
_OPENING, _CLOSING = "(<[{", ")>]}"


class Grouping(Enum):
    """What functions are grouped by."""

    OBJECT = "object"
    FILE = "file"
    CLASS = "class"


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """A row a group, in order of the first function in it."""

    names: tuple[str, ...]
    of_function: Int64Array  # row of the group of each function
    self_cost: Int64Array  # shape (events, groups)


def groups(profile: Profile, costs: FunctionCosts, grouping: Grouping) -> Groups:
    """All functions grouped."""
    functions, texts = profile.functions, profile.texts
    if grouping is Grouping.CLASS:
        names = [clean(texts[text]) for text in range(len(texts))]
        keys = [class_of(names[text]) for text in functions.name.tolist()]
    else:
        column = functions.object if grouping is Grouping.OBJECT else functions.file
        keys = [clean(texts[text]) for text in column.tolist()]
    rows = {key: row for row, key in enumerate(dict.fromkeys(keys))}
    of_function = np.fromiter((rows[key] for key in keys), np.int64, len(keys))
    return Groups(tuple(rows), of_function, sums_by_group(costs.self_cost, of_function, len(rows)))


def class_of(name: str) -> str:
    """The scope a name stands in: what is before the last `::` outside of all brackets.

    `std::map<A::B, C>::find(D::E)` is of the class `std::map<A::B, C>`; arguments, and the return
    type of a template's instance, are left out.
    """
    depth, start, scope, at = 0, 0, -1, 0
    while at < len(name):
        character = name[at]
        if depth == 0 and _OPERATOR.match(name, at) and name[at - 1 : at] in ("", ":", " "):
            break
        if depth == 0 and (kept := _KEPT_BRACKETS.match(name, at)):
            at = kept.end()
            continue
        if character == "(" and depth == 0:
            break
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif depth == 0 and character == " ":
            start, scope = at + 1, -1
        elif depth == 0 and name.startswith("::", at):
            scope = at
            at += 1
        at += 1
    return name[start:scope] if scope > start else GLOBAL
