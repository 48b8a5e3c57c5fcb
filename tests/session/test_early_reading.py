"""Files named on the command line are read in a thread of their own, before Qt is there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.profile.errors import Cancelled, NotAProfile
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.session.session import Session
from qcachegrind_py.session.start_files import EarlyReading

Draw = Callable[..., Path]


class _CancelledProgress:
    """The progress of a job that the user has cancelled."""

    def check(self, _fraction: float, _text: str = "") -> None:
        """Stop the job."""
        raise Cancelled


def test_result_is_the_profile_of_the_files(draw: Draw) -> None:
    """The job gets what reading the same files itself would give."""
    path = draw("main 7")
    read = EarlyReading([path]).result(NoProgress())

    assert read.profile.paths == (str(path),)
    assert [values.tolist() for values in read.profile.costs.values] == [[7]]


def test_errors_are_raised_in_the_job(tmp_path: Path) -> None:
    """A file that is no profile is reported by the job that opens it."""
    path = tmp_path / "diary"
    path.write_text("Dear diary,\n")
    reading = EarlyReading([path])

    with pytest.raises(NotAProfile, match="diary"):
        reading.result(NoProgress())


def test_cancelling_the_job_cancels_the_reading(draw: Draw) -> None:
    """A reading that is cancelled ends as the job does, and has no result."""
    reading = EarlyReading([draw("main 7")])
    reading.cancel()

    with pytest.raises(Cancelled):
        reading.result(_CancelledProgress())


def _opened_totals(session: Session, path: Path, qtbot: QtBot) -> list[list[int]]:
    with qtbot.waitSignals([session.opened, session.ended]):
        session.open([path])
    assert session.loaded is not None
    return [values.tolist() for values in session.loaded.profile.costs.values]


def test_session_does_not_read_the_files_again(session: Session, draw: Draw, qtbot: QtBot) -> None:
    """The session takes over the profile: the file may be gone by then."""
    path = draw("main 7")
    session.early_reading = EarlyReading([path])
    for thread in threading.enumerate():
        if thread.name == "early reading":
            thread.join()
    path.unlink()

    assert _opened_totals(session, path, qtbot) == [[7]]


def test_other_files_are_read_by_the_session(session: Session, draw: Draw, qtbot: QtBot) -> None:
    """A reading of other files than those that are opened is cancelled."""
    named, other = draw("main 7", "callgrind.out.1"), draw("main 9", "callgrind.out.2")
    session.early_reading = EarlyReading([named])

    assert _opened_totals(session, other, qtbot) == [[9]]
