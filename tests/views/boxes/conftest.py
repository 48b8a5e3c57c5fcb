"""Box views in a window, read as lines of text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

import pytest

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.boxes.view import BoxView
from qcachegrind_py.views.boxes.call_map_view import CALLEES, CALLERS, CallMapView
from qcachegrind_py.views.boxes.flame_view import FlameView
from tests.user_input import go_to

_KINDS: dict[str, Callable[[Session], BoxView]] = {
    "flame": FlameView,
    "callers": partial(CallMapView, title=CALLERS),
    "callees": partial(CallMapView, title=CALLEES),
}


class ShowBoxes(Protocol):
    def __call__(
        self, kind: str, drawing: str | Path, at: str = "", **options: object
    ) -> BoxView: ...


@pytest.fixture
def show_boxes(
    session: Session,
    navigation: Navigation,
    draw: Callable[..., Path],
    open_profile: Callable[..., None],
    show_view: Callable[[BoxView], BoxView],
    settle: Callable[[BoxView], None],
) -> ShowBoxes:
    """Show a view of a profile with absolute costs: `show_boxes("flame", …, "main")`."""

    def show_boxes(kind: str, drawing: str | Path, at: str = "", **options: object) -> BoxView:
        navigation.set(unit=CostUnit.ABSOLUTE)
        view = _KINDS[kind](session)
        for name, value in options.items():
            view.options.set(name, value)  # type: ignore[attr-defined]
        show_view(view)
        open_profile(drawing if isinstance(drawing, Path) else draw(drawing))
        if at:
            go_to(session, navigation, at)
        settle(view)
        return view

    return show_boxes
