"""Remembers for each program how the window looked and where the user was, and finds it again."""

from __future__ import annotations

from qcachegrind_py.app.frame.docks import Docks
from qcachegrind_py.session.context import Change
from qcachegrind_py.session.profile_mapping import Place
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.settings.store import Settings

_DOCKS = "docks"


class Memory:
    """A program that is new looks as the one before did."""

    def __init__(self, settings: Settings, session: Session, docks: Docks) -> None:
        self._settings = settings
        self._session = session
        self._docks = docks
        self._program = ""
        session.recall = self._place

    def _place(self, program: str) -> Place:
        """Where the user was in a program; that of the one before is kept by the way."""
        self.keep()
        return self._settings.program(program).place

    def begin(self) -> None:
        """Look as at the last closing, whatever was open then."""
        self._restore("")

    def enter(self) -> None:
        """Look as the program did that is open now, where it is another one."""
        if self._session.program != self._program:
            self._program = self._session.program
            self._restore(self._program)

    def keep(self) -> None:
        """Remember the program that is open, and the look for others."""
        for program in {self._program, ""}:
            settings = self._settings.program(program)
            settings.set_state(_DOCKS, self._docks.saved())
            for title, view in self._docks.views.items():
                settings.set_look(title, view.saved_look())
        if self._program and self._program == self._session.program:
            self._settings.program(self._program).place = self._session.place()

    def _restore(self, program: str) -> None:
        settings = self._settings.program(program)
        self._docks.restore(settings.state(_DOCKS))
        for title, view in self._docks.views.items():
            view.restore_look(settings.look(title))
            view.show_again(Change.EVENT)  # which columns there are is up to the events
