"""The ids by which a profile's tables refer to each other, a type for each kind.

All are integers at run time; mypy tells the kinds apart. `NodeId` numbers the nodes of the call
graph: the n functions are 0 … n - 1, as in `Functions`, and the cycles of a scope follow them as n,
n + 1, … A `FunctionId` is therefore a `NodeId`, too. `TextId` numbers the strings of a
`StringTable`: the names of functions, files and objects. `PartId` is an index of `Profile.parts`;
the number that Callgrind gave to a part is `Part.part`.

Tables hold ids in integer columns. The functions here are where a number becomes an id: `node_at`,
`function_at` and `text_at` read one row of a column, `node_ids`, `function_ids` and `text_ids` all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NewType, TypeGuard

import numpy as np
import numpy.typing as npt

NodeId = NewType("NodeId", int)
FunctionId = NewType("FunctionId", NodeId)
TextId = NewType("TextId", int)
PartId = NewType("PartId", int)

NO_NODE = NodeId(-1)
NO_FUNCTION = FunctionId(NO_NODE)
UNKNOWN_TEXT = TextId(0)  # `???`: the name is not known
NO_TEXT = TextId(-1)

NodeMapping = Callable[[NodeId], NodeId]  # to the nodes of another profile or scope
IdColumn = npt.NDArray[np.integer[Any]]


def function_id(row: int) -> FunctionId:
    """The function in this row of `Functions`; -1 is `NO_FUNCTION`."""
    return FunctionId(NodeId(row))


def cycle_node(cycle: int, functions: int) -> NodeId:
    """The node of a cycle, which are numbered from 1, behind so many functions."""
    return NodeId(functions + cycle - 1)


def is_function(node: NodeId, functions: int) -> TypeGuard[FunctionId]:
    """Whether the node is one of so many functions, and no cycle."""
    return node < functions


def node_at(column: IdColumn, row: int) -> NodeId:
    """The function or cycle in a row of a column of nodes."""
    return NodeId(int(column[row]))


def function_at(column: IdColumn, row: int) -> FunctionId:
    """The function in a row of a column of functions."""
    return function_id(int(column[row]))


def text_at(column: IdColumn, row: int) -> TextId:
    """The text in a row of a column of names, files or objects."""
    return TextId(int(column[row]))


def node_ids(column: IdColumn) -> list[NodeId]:
    """All functions and cycles of a column of nodes."""
    nodes: list[NodeId] = column.tolist()
    return nodes


def function_ids(column: IdColumn) -> list[FunctionId]:
    """All functions of a column of functions."""
    functions: list[FunctionId] = column.tolist()
    return functions


def text_ids(column: IdColumn) -> list[TextId]:
    """All texts of a column of names, files or objects."""
    texts: list[TextId] = column.tolist()
    return texts
