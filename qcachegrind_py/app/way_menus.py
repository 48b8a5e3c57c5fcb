"""The menus of back, forward and up: functions with what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QMenu, QWidget

from qcachegrind_py.models.plain_text import cell_text
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings import Settings
from qcachegrind_py.views.formats import cost_format


class WayMenus:
    """Filled when they are opened."""

    def __init__(
        self, window: QWidget, session: Session, navigation: Navigation, settings: Settings
    ) -> None:
        self._session = session
        self._navigation = navigation
        self._settings = settings
        self.back, self.forward, self.up = (
            QMenu(title, window) for title in ("Back", "Forward", "Up")
        )
        self.back.aboutToShow.connect(lambda: self._fill_steps(self.back))
        self.forward.aboutToShow.connect(lambda: self._fill_steps(self.forward))
        self.up.aboutToShow.connect(self._fill_up)

    def _fill_steps(self, menu: QMenu) -> None:
        is_back = menu is self.back
        step = self._navigation.go_back if is_back else self._navigation.go_forward
        functions = self._navigation.behind if is_back else self._navigation.ahead
        self._fill(menu, functions, lambda place, _function: step(place + 1))

    def _fill_up(self) -> None:
        way = self._navigation.context.stack.way[-2::-1]
        select = self._navigation.select_function
        self._fill(self.up, way, lambda _place, function: select(function))

    def _fill(self, menu: QMenu, functions: Sequence[int], go: Callable[[int, int], None]) -> None:
        menu.clear()
        for place, function in enumerate(functions[: self._settings.menu_length]):
            action = menu.addAction(self._text(function))
            action.triggered.connect(lambda _checked=False, p=place, f=function: go(p, f))
        if not functions:
            menu.addAction("Nothing").setEnabled(False)

    def _text(self, function: int) -> str:
        """Name and inclusive cost, which stands on the right as a shortcut does."""
        questions, context = self._session.questions, self._navigation.context
        if questions is None or context.event is None:
            return ""
        name = cell_text(questions.labels(context.scope, short=context.short_names).name(function))
        longest = self._settings.menu_name_length
        name = name if len(name) <= longest else name[:longest] + "…"
        format_ = cost_format(questions, context, context.event)
        cost = format_.with_unit(
            as_number(questions.inclusive(context.event, context.scope)[function])
        )
        return f"{name.replace('&', '&&')}\t{cost}"
