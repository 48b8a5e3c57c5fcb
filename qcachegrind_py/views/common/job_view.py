"""Base of views whose content is computed in a background job."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QTimer

from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.profile_view import ProfileView

BUSY_TEXT = "One moment…"
_STALE_DELAY = 120  # ms: faster jobs finish without the content turning grey


class JobView(ProfileView):
    """A view with one background job at a time; subclasses call `start_job` in `refresh`.

    While a job runs, the previous content stays visible and turns grey.
    """

    invalidated_by = Change.PROFILE | Change.SCOPE  # these renumber functions and cycles

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(session)
        self.title = title
        self._stale_timer = QTimer(self, singleShot=True, interval=_STALE_DELAY)
        self._stale_timer.timeout.connect(self._show_busy)

    # ---------------------------------------------------------------- for the subclasses

    def content_inputs(self, context: Context) -> object:
        """Return the inputs of the content; a result computed from other inputs is discarded."""
        raise NotImplementedError

    def clear(self) -> None:
        """Remove the content and every reference to the profile."""
        raise NotImplementedError

    def set_stale(self, stale: bool) -> None:
        """Grey the content while its replacement is being computed."""
        raise NotImplementedError

    def show_result(self, result: Any, show: Callable[[Any], None]) -> None:
        """Show the job's result by calling `show`."""
        self.show_content()
        show(result)

    def show_error(self, error: ProfileError) -> None:
        """Show why the job failed."""
        self.show_placeholder(cell_text(str(error)))

    # ---------------------------------------------------------------- jobs

    def start_job(self, work: Callable[..., object], show: Callable[[Any], None]) -> None:
        """Start computing new content; grey the old if that is slow."""
        inputs = self.content_inputs(self.navigation.context)
        job = self.session.jobs.start(self.title, work)
        job.finished.connect(lambda result: self._on_finished(result, show, inputs))
        job.failed.connect(self.show_error)
        if not self._stale_timer.isActive():
            self._stale_timer.start()

    def _show_busy(self) -> None:
        """Grey the old content, or replace an outdated message."""
        if self.message:
            self.show_message(BUSY_TEXT)
        else:
            self.set_stale(True)

    def cancel_job(self) -> None:
        """Cancel the running job."""
        self.session.jobs.cancel(self.title)
        self._stale_timer.stop()

    def show_placeholder(self, message: str) -> None:
        """Show a message instead of any content."""
        self.cancel_job()
        self.clear()
        self.show_message(message)

    def invalidate(self) -> None:
        """Discard content that refers to functions and cycles by number."""
        self.cancel_job()
        self.clear()

    def _on_changed(self, context: Context, change: Change) -> None:
        """Discard the content of another profile at once, even in an inactive view."""
        if change & self.invalidated_by:
            self.invalidate()
        super()._on_changed(context, change)

    def _on_finished(self, result: object, show: Callable[[Any], None], inputs: object) -> None:
        self._stale_timer.stop()
        if inputs != self.content_inputs(self.navigation.context):
            return  # the view was inactive when the inputs changed; it starts a new job once shown
        self.set_stale(False)
        self.show_result(result, show)
