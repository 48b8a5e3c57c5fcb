"""A view whose content is worked out in a job; what was there before stays, greyed, until then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QTimer

from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.profile_view import ProfileView

BUSY = "One moment…"
_GREYED_AFTER = 120  # ms: what is faster needs no notice


class JobView(ProfileView):
    """Subclasses `start` jobs in `refresh`, and show what comes of them; one at a time."""

    numbered_by = Change.PROFILE | Change.SCOPE  # after these, functions and cycles are others

    def __init__(self, session: Session, navigation: Navigation, title: str) -> None:
        super().__init__(session, navigation)
        self.title = title
        self._greying = QTimer(self, singleShot=True, interval=_GREYED_AFTER)
        self._greying.timeout.connect(self._say_busy)

    # ---------------------------------------------------------------- for the subclasses

    def asked_for(self, context: Context) -> object:
        """What the content depends on: one of anything else is not shown any more."""
        raise NotImplementedError

    def forget(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        raise NotImplementedError

    def set_stale(self, stale: bool) -> None:
        """Grey what is shown: it is about to be replaced."""
        raise NotImplementedError

    def finish(self, result: Any, take: Callable[[Any], None]) -> None:
        """Show what the job gave, by `take`."""
        self.show_content()
        take(result)

    def fail(self, error: ProfileError) -> None:
        """Show why the job gave nothing."""
        self.say_instead(cell_text(str(error)))

    # ---------------------------------------------------------------- jobs

    def start(self, work: Callable[..., object], take: Callable[[Any], None]) -> None:
        """Work out other content; that of before is greyed where this takes long."""
        asked = self.asked_for(self.navigation.context)
        job = self.session.jobs.start(self.title, work)
        job.finished.connect(lambda result: self._finish(result, take, asked))
        job.failed.connect(self.fail)
        if not self._greying.isActive():
            self._greying.start()

    def _say_busy(self) -> None:
        """Grey the content of before; a message of before holds no longer."""
        if self.message:
            self.show_message(BUSY)
        else:
            self.set_stale(True)

    def stop(self) -> None:
        """Forget what is being worked out."""
        self.session.jobs.cancel(self.title)
        self._greying.stop()

    def say_instead(self, message: str) -> None:
        """Show a message instead of any content."""
        self.stop()
        self.forget()
        self.show_message(message)

    def renumber(self) -> None:
        """Forget what has numbers of functions and cycles."""
        self.stop()
        self.forget()

    def _on_changed(self, context: Context, change: Change) -> None:
        """Forget at once, asleep or not, what has the numbers and names of another profile."""
        if change & self.numbered_by:
            self.renumber()
        super()._on_changed(context, change)

    def _finish(self, result: object, take: Callable[[Any], None], asked: object) -> None:
        self._greying.stop()
        if asked != self.asked_for(self.navigation.context):
            return  # asleep meanwhile: it will be asked for again
        self.set_stale(False)
        self.finish(result, take)
