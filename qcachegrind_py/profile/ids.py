"""Types of the ids by which the tables of a profile refer to each other.

Ids are integers at run time; mypy tells the kinds apart. `NodeId` numbers the nodes of the call
graph: the n functions are 0 … n - 1, as in `Functions`, and the cycles of a scope follow as n,
n + 1, … A `FunctionId` is therefore also a `NodeId`. `TextId` numbers the strings of a
`StringTable`: the names of functions, files and objects; a demangled table keeps the ids. `PartId`
is an index of `Profile.parts`; the number that Callgrind gave to the part is `Part.part`. Where a
whole program is unfolded, negative ids stand for what is no function.

Tables hold ids in integer columns, and the functions here convert integers to ids: `node_at`,
`function_at` and `text_at` read one row of a column, `node_ids`, `function_ids` and `text_ids` all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NewType, TypeAlias, TypeGuard

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

NodeId = NewType("NodeId", int)
FunctionId = NewType("FunctionId", NodeId)
TextId = NewType("TextId", int)
PartId = NewType("PartId", int)

NO_NODE = NodeId(-1)
OTHER_CALLERS = NodeId(-2)  # stands for what calls a function beyond its recorded callers
NOT_ATTRIBUTED = NodeId(-3)  # stands for costs that no function has
FURTHER = NodeId(-4)  # stands for further branches of a call tree
STAND_INS = 3  # so many more elements, those of -3, -2 and -1, may follow those of nodes
NO_FUNCTION = FunctionId(NO_NODE)
UNKNOWN_TEXT = TextId(0)  # the unknown name `???`
NO_TEXT = TextId(-1)  # no name at all

NodeMapping = Callable[[NodeId], NodeId]  # from one profile or scope to another
IdColumn: TypeAlias = "npt.NDArray[np.integer[Any]]"


def function_id(row: int) -> FunctionId:
    """Return the id of the function in a row of `Functions`; -1 is `NO_FUNCTION`."""
    return FunctionId(NodeId(row))


def cycle_node(cycle: int, functions: int) -> NodeId:
    """Return the node of a cycle by its number from 1; `functions` is the number of functions."""
    return NodeId(functions + cycle - 1)


def is_function(node: NodeId, functions: int) -> TypeGuard[FunctionId]:
    """Return whether the node is a function and not a cycle; True for `NO_NODE` and its like."""
    return node < functions


def node_at(column: IdColumn, row: int) -> NodeId:
    """Return the function or cycle in one row of a column of nodes."""
    return NodeId(int(column[row]))


def function_at(column: IdColumn, row: int) -> FunctionId:
    return function_id(int(column[row]))


def text_at(column: IdColumn, row: int) -> TextId:
    """Return the text in one row of a column of names, files or objects."""
    return TextId(int(column[row]))


def node_ids(column: IdColumn) -> list[NodeId]:
    """Return all functions and cycles in a column of nodes."""
    nodes: list[NodeId] = column.tolist()
    return nodes


def function_ids(column: IdColumn) -> list[FunctionId]:
    functions: list[FunctionId] = column.tolist()
    return functions


def text_ids(column: IdColumn) -> list[TextId]:
    """Return all texts in a column of names, files or objects."""
    texts: list[TextId] = column.tolist()
    return texts
