"""When views refresh: what they are told of, once they are seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from qcachegrind_py.present.context import Change, CostUnit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.profile_view import ProfileView
from tests.user_input import process_events


class _Listener(ProfileView):
    """A view that notes the profiles that it refreshed for, and whether they were new to it."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.refreshed: list[tuple[list[str], bool]] = []

    def refresh(self, query: ViewQuery, change: Change) -> None:
        names = [path.name for path in map(Path, query.profile.paths)]
        self.refreshed.append((names, bool(change & Change.PROFILE)))


def test_a_view_that_is_uncovered_knows_the_profile(
    session: Session,
    draw: Callable[..., Path],
    open_profile: Callable[..., None],
    show_view: Callable[[_Listener], _Listener],
) -> None:
    """Another view, told first of a new profile, closes its dock, and this view comes to sight.

    It would ask for functions of the profile before.
    """
    views: list[_Listener] = []
    session.navigation.changed.connect(lambda *_: [view.set_active(True) for view in views])
    view = show_view(_Listener(session))
    open_profile(draw("main 1", "one"))
    view.set_active(False)
    session.navigation.set(unit=CostUnit.ABSOLUTE)
    process_events()
    views.append(view)
    open_profile(draw("f 2", "two"))

    assert view.refreshed == [(["one"], True), (["two"], True)]
