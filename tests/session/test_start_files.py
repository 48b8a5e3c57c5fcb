"""Files named on the command line are read in a thread of their own, before Qt is there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from qcachegrind_py.profile.errors import Cancelled, NotAProfile
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.session.start_files import EarlyReading
from tests.session.conftest import User


def test_errors_are_raised_in_the_job(tmp_path: Path) -> None:
    """A file that is no profile is reported by the job that opens it."""
    path = tmp_path / "diary"
    path.write_text("Dear diary,\n")

    with pytest.raises(NotAProfile, match="diary"):
        EarlyReading([path]).result(NoProgress())


def test_cancelling_the_job_cancels_the_reading(draw: Callable[..., Path]) -> None:
    """A reading that is cancelled ends as the job does, and has no result."""

    class CancelledProgress:
        def check(self, _fraction: float, _text: str = "") -> None:
            raise Cancelled

    reading = EarlyReading([draw("main 7")])
    reading.cancel()

    with pytest.raises(Cancelled):
        reading.result(CancelledProgress())


@pytest.mark.parametrize("is_named", [True, False])
def test_session_takes_over_what_was_read(user: User, is_named: bool) -> None:
    """The file may be gone by then; a reading of other files than those opened is cancelled."""
    named, other = user.draw("main 7", "callgrind.out.1"), user.draw("main 9", "callgrind.out.2")
    user.session.early_reading = EarlyReading([named])
    for thread in threading.enumerate():
        if thread.name == "early reading":
            thread.join()
    named.unlink()

    user.open(named if is_named else other)

    assert user.costs(user.event("Ir")) == [7 if is_named else 9]
