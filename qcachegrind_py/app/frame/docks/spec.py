"""The row type of the table of docks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, overload

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.session.session import Session

if TYPE_CHECKING:  # the window is painted before it imports any view
    from qcachegrind_py.tools.layout.graphviz_engine import GraphvizLayout
    from qcachegrind_py.views.profile_view import ProfileView

ViewT = TypeVar("ViewT", bound="ProfileView")


class ViewServices:
    """The objects that factories of views may use."""

    def __init__(self, session: Session, actions: Actions) -> None:
        self.session = session
        self.actions = actions

    @cached_property
    def graph_layout(self) -> GraphvizLayout:
        """The layout engine, shared by the graphs; its process starts with the first layout."""
        from qcachegrind_py.tools.layout.graphviz_engine import GraphvizLayout

        return GraphvizLayout()

    def close(self) -> None:
        """Stop the process that lays out graphs, if there is one."""
        if "graph_layout" in vars(self):
            self.graph_layout.close()


class ViewSource(Protocol):
    """An object with one view for each dock."""

    def view(self, dock: DockSpec[ViewT]) -> ViewT:
        """The view of a dock."""


@dataclass(frozen=True)
class DockSpec(Generic[ViewT]):
    """All properties of one dock.

    It is a descriptor for classes with a method `view`: the attribute of the class is the row
    itself, the attribute of an instance is the view.
    """

    id: str  # names the dock in code, saved layouts and settings; never changes
    title: str  # shown to the user
    create_view: Callable[[ViewServices], ViewT]
    shortcut: str  # key that goes to the dock
    help: str  # text for What's This
    # the docks that it joins as a tab, in built-in layouts that have it closed: the first that is
    # there, by default the first dock of the layout
    joins: tuple[str, ...] = ()

    @overload
    def __get__(self, source: None, owner: type[ViewSource]) -> DockSpec[ViewT]: ...

    @overload
    def __get__(self, source: ViewSource, owner: type[ViewSource]) -> ViewT: ...

    def __get__(
        self, source: ViewSource | None, owner: type[ViewSource]
    ) -> DockSpec[ViewT] | ViewT:
        return self if source is None else source.view(self)
