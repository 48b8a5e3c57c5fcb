"""A view whose content is worked out in a job; what was there before stays, greyed, until then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QTimer

from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.profile_view import ProfileView

BUSY_TEXT = "One moment…"
_STALE_DELAY = 120  # ms: what is faster needs no notice


class JobView(ProfileView):
    """Subclasses `start` jobs in `refresh`, and show what comes of them; one at a time."""

    invalidated_by = Change.PROFILE | Change.SCOPE  # after these, functions and cycles are others

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(session)
        self.title = title
        self._stale_timer = QTimer(self, singleShot=True, interval=_STALE_DELAY)
        self._stale_timer.timeout.connect(self._show_busy)

    # ---------------------------------------------------------------- for the subclasses

    def content_inputs(self, context: Context) -> object:
        """What the content depends on: one of anything else is not shown any more."""
        raise NotImplementedError

    def clear(self) -> None:
        """Show nothing, and keep nothing of the profile."""
        raise NotImplementedError

    def set_stale(self, stale: bool) -> None:
        """Grey what is shown: it is about to be replaced."""
        raise NotImplementedError

    def show_result(self, result: Any, show: Callable[[Any], None]) -> None:
        """Show what the job gave, by `take`."""
        self.show_content()
        show(result)

    def show_error(self, error: ProfileError) -> None:
        """Show why the job gave nothing."""
        self.show_placeholder(cell_text(str(error)))

    # ---------------------------------------------------------------- jobs

    def start_job(self, work: Callable[..., object], show: Callable[[Any], None]) -> None:
        """Work out other content; that of before is greyed where this takes long."""
        asked = self.content_inputs(self.navigation.context)
        job = self.session.jobs.start(self.title, work)
        job.finished.connect(lambda result: self._on_finished(result, show, asked))
        job.failed.connect(self.show_error)
        if not self._stale_timer.isActive():
            self._stale_timer.start()

    def _show_busy(self) -> None:
        """Grey the content of before; a message of before holds no longer."""
        if self.message:
            self.show_message(BUSY_TEXT)
        else:
            self.set_stale(True)

    def cancel_job(self) -> None:
        """Forget what is being worked out."""
        self.session.jobs.cancel(self.title)
        self._stale_timer.stop()

    def show_placeholder(self, message: str) -> None:
        """Show a message instead of any content."""
        self.cancel_job()
        self.clear()
        self.show_message(message)

    def invalidate(self) -> None:
        """Forget what has numbers of functions and cycles."""
        self.cancel_job()
        self.clear()

    def _on_changed(self, context: Context, change: Change) -> None:
        """Forget at once, asleep or not, what has the numbers and names of another profile."""
        if change & self.invalidated_by:
            self.invalidate()
        super()._on_changed(context, change)

    def _on_finished(self, result: object, show: Callable[[Any], None], inputs: object) -> None:
        self._stale_timer.stop()
        if inputs != self.content_inputs(self.navigation.context):
            return  # asleep meanwhile: it will be asked for again
        self.set_stale(False)
        self.show_result(result, show)
