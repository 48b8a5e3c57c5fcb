"""The lists of functions, calls and events, which have much in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtGui import QAction

from qcachegrind_py.session.session import Session
from qcachegrind_py.views.lists.call_lists import (
    CallList,
    CallStackList,
    Direction,
    TransitiveCallList,
)
from qcachegrind_py.views.lists.event_list import EventList
from qcachegrind_py.views.lists.function_list import FunctionList

Make = Callable[[Session], Any]
Show = Callable[[Make, str], Any]


def functions(session: Session) -> FunctionList:
    """The list of all functions."""
    return FunctionList(session, QAction("Regular Expression", session, checkable=True))


LISTS: dict[str, Make] = {
    "functions": functions,
    "callees": lambda s: CallList(s, Direction.CALLEES),
    "all callees": lambda s: TransitiveCallList(s, Direction.CALLEES),
    "call stack": CallStackList,
    "events": EventList,
}
every_list = pytest.mark.parametrize("make", LISTS.values(), ids=LISTS)
