"""A session without a window, as a user drives it: profiles are text, functions have names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.session.loading import LoadedProfile
from qcachegrind_py.session.session import Session
from tests.profile_text import write_profile_text
from tests.user_input import begin_at_main


class User:
    """The session with what tests ask of it."""

    def __init__(self, session: Session, qtbot: QtBot, folder: Path) -> None:
        self.session, self.navigation, self.qtbot = session, session.navigation, qtbot
        self.folder = folder

    def draw(self, text: str, name: str = "callgrind.out.1") -> Path:
        """Write profile text to a file."""
        return write_profile_text(self.folder, text, name)

    def open(self, *profiles: str | Path, own_parts: bool = True, at_main: bool = True) -> Path:
        """Open files, or profile text in callgrind.out.1; return the path of the first."""
        paths = [p if isinstance(p, Path) else self.draw(p) for p in profiles]
        signals = [self.session.opened, self.navigation.changed, self.session.ended]
        with self.qtbot.waitSignals(signals):
            self.session.open(paths, with_siblings=own_parts)
        if at_main:
            begin_at_main(self.session)
        return paths[0]

    def settle(self) -> None:
        """Wait until all jobs have ended, and all changes are announced."""
        self.qtbot.waitUntil(lambda: self.session.jobs.is_idle)
        self.turn()

    def turn(self) -> None:
        """Process one turn of the event loop."""
        QCoreApplication.processEvents()

    def change(self, act: Callable[[], object]) -> None:
        """Act, and wait until the change is announced; earlier ones are announced before."""
        self.turn()
        with self.qtbot.waitSignal(self.navigation.changed):
            act()

    def set_scope(self, scope: Scope) -> None:
        """Set another scope, and wait until it is shown."""
        self.change(lambda: self.session.set_scope(scope))

    def changes(self) -> list[Change]:
        """The change bits of every signal from now on."""
        changes: list[Change] = []
        self.navigation.changed.connect(lambda _context, change: changes.append(change))
        return changes

    def go(self, name: str) -> None:
        """Make the function of this name active."""
        self.navigation.select_function(self.number(name))

    @property
    def context(self) -> Context:
        return self.navigation.context

    @property
    def loaded(self) -> LoadedProfile:
        assert self.session.loaded is not None
        return self.session.loaded

    @property
    def queries(self) -> ProfileQueries:
        return self.loaded.queries

    def number(self, name: str) -> Any:
        """The number of the function with this name."""
        return self.queries.names.with_name(name)[0]

    def named(self, nodes: Sequence[Any], scope: Scope | None = None) -> list[str]:
        """The names of functions and cycles."""
        labels = self.queries.labels(self.context.scope if scope is None else scope)
        return [labels.name(node) for node in nodes]

    @property
    def active(self) -> str:
        """The name of the active function or cycle."""
        return self.named([self.context.function])[0]

    def event(self, name: str) -> Any:
        """The event of this name."""
        event = self.queries.events.find(name)
        assert event is not None
        return event

    def costs(self, event: object) -> list[int]:
        """The self costs of all functions in all parts."""
        return self.queries.self_cost(event, Scope()).tolist()  # type: ignore[arg-type]


@pytest.fixture
def user(session: Session, qtbot: QtBot, tmp_path: Path) -> User:
    """A user of the session, before the first profile."""
    return User(session, qtbot, tmp_path)
