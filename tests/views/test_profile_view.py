"""When views refresh: what they are told of, once they are seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

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


class _Layouts(QObject):
    """Counts how often a widget is told to lay out what is in it."""

    count = 0

    def eventFilter(self, _widget: QObject, event: QEvent) -> bool:  # noqa: N802
        self.count += event.type() is QEvent.Type.LayoutRequest
        return False


def test_texts_in_a_view_do_not_lay_out_the_window(
    session: Session, show_view: Callable[[_Listener], _Listener]
) -> None:
    """Each function has other texts, and laying out all docks takes longer than drawing them.

    A text that needs more room than any before is the exception, and a message in its place.
    """
    view, window, label, counts = _Listener(session), QWidget(), QLabel(), _Layouts()
    view.set_content(label)
    QVBoxLayout(window).addWidget(show_view(view))
    view.show_content()
    window.show()
    process_events()
    window.installEventFilter(counts)
    found = []
    for act in (
        lambda: label.setText("a long name, the longest of all"),
        lambda: label.setText("short"),
        lambda: label.setText("a long name"),
        view.show_content,
        lambda: view.show_message("nothing"),
    ):
        counts.count = 0
        act()
        process_events()
        found.append(counts.count > 0)
    window.removeEventFilter(counts)
    view.setParent(None)

    assert found == [True, False, False, False, True]
