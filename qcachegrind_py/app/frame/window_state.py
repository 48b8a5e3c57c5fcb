"""Remembers for each program how the window looked and where the user was, and finds it again."""

from __future__ import annotations

from qcachegrind_py.app.frame.docks import Docks
from qcachegrind_py.session.context import Change
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings

_DOCKS_KEY = "docks"


class WindowState:
    """A program that is new looks as the one before did."""

    def __init__(self, settings: Settings, session: Session, docks: Docks) -> None:
        self._settings = settings
        self._session = session
        self._docks = docks
        self._program = ""
        session.leaving_program.connect(self.save)

    def restore_last(self) -> None:
        """Look as at the last closing, whatever was open then."""
        self._restore("")

    def switch_program(self) -> None:
        """Look as the program did that is open now, where it is another one."""
        if self._session.program != self._program:
            self._program = self._session.program
            self._restore(self._program)

    def save(self) -> None:
        """Remember the program that is open, and the look for others."""
        for program in {self._program, ""}:
            settings = self._settings.program(program)
            settings.set_state(_DOCKS_KEY, self._docks.save_state())
            for title, view in self._docks.views.items():
                settings.set_look(title, view.save_state())
        if self._program and self._program == self._session.program:
            self._settings.program(self._program).place = self._session.current_location()

    def _restore(self, program: str) -> None:
        settings = self._settings.program(program)
        self._docks.restore_state(settings.state(_DOCKS_KEY))
        for title, view in self._docks.views.items():
            view.restore_state(settings.look(title))
            view.refresh_for(Change.EVENT)  # which columns there are is up to the events
