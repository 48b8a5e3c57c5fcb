"""The type of a row in the table of docks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Generic, Protocol, TypeVar, overload

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.protocol import GraphLayout
from qcachegrind_py.views.common.profile_view import ProfileView

ViewT = TypeVar("ViewT", bound=ProfileView)


class DockArea(Enum):
    """The place of a dock in the default layout."""

    LEFT = "left"
    UPPER = "upper"
    LOWER = "lower"


@dataclass(frozen=True, slots=True)
class ViewServices:
    """What the factories of views may use."""

    session: Session
    actions: Actions
    graph_layout: GraphLayout


class ViewSource(Protocol):
    """Holds one view for each dock."""

    def view(self, dock: DockSpec[ViewT]) -> ViewT:
        """The view of a dock."""


@dataclass(frozen=True)
class DockSpec(Generic[ViewT]):
    """Everything that is particular to one dock.

    It stands in the body of a class with a method `view`: as an attribute of the class it is the
    row itself, as an attribute of an instance it is the view.
    """

    id: str  # names the dock in code, saved layouts and settings; never changes
    title: str  # as the user reads it
    create_view: Callable[[ViewServices], ViewT]
    area: DockArea
    tab: int  # position among the tabs of the area, 0 in front
    shortcut: str  # goes to the dock
    help: str  # for What's This
    is_raised_when_wide: bool = False  # in front of its tabs where there are three columns

    @overload
    def __get__(self, source: None, owner: type[ViewSource]) -> DockSpec[ViewT]: ...

    @overload
    def __get__(self, source: ViewSource, owner: type[ViewSource]) -> ViewT: ...

    def __get__(
        self, source: ViewSource | None, owner: type[ViewSource]
    ) -> DockSpec[ViewT] | ViewT:
        return self if source is None else source.view(self)
