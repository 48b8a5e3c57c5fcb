"""A history in a session: opened with its newest revision, with pins and comparisons."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from weakref import ref

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.history.history import Revision
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.history import MOST_PINNED, HistorySource
from qcachegrind_py.session.linked_session import LinkedSession
from qcachegrind_py.session.loading import Preparation
from qcachegrind_py.session.session import HistorySession, Session
from tests.patience import wait_until

Draw = Callable[..., Path]
OpenHistory = Callable[..., HistorySession]


@pytest.fixture
def open_history(session: Session, draw: Draw, qtbot: QtBot) -> OpenHistory:
    """Return a function that opens drawings as the revisions r0, r1, … of a history."""

    def open_history(*drawings: str) -> HistorySession:
        files = [draw(text, f"callgrind.out.{n}") for n, text in enumerate(drawings)]
        session.history.open([Revision(f"r{n}", str(file)) for n, file in enumerate(files)])
        qtbot.waitUntil(lambda: not session.is_opening)
        return session.history

    return open_history


def wait_for_files(session: Session, qtbot: QtBot, names: Sequence[str]) -> None:
    """Wait until the files of these names are the new side and, if there is one, the base."""

    def files() -> list[str]:
        sides = [] if session.loaded is None else [session.loaded.read, session.loaded.base]
        return [side.chosen.paths[0].name for side in sides if side is not None]

    qtbot.waitUntil(lambda: files() == list(names) and not session.is_opening)


def test_the_newest_revision_is_the_open_profile(
    open_history: OpenHistory, session: Session
) -> None:
    """All revisions are read, and the profile of the newest is shown."""
    history = open_history("main 1", "main 2", "main 4 -> f 1x3\nf 3")

    shown = history.state.history
    assert shown is not None
    event = shown.event("Ir")
    assert event is not None
    assert shown.labels == ("r0", "r1", "r2")
    assert shown.totals(event).tolist() == [1, 2, 7]
    assert [path.name for path in session.paths] == ["callgrind.out.2"]
    assert history.open_places() == (2, None)


def test_a_file_that_cannot_be_read_leaves_all_as_it_is(
    open_history: OpenHistory, session: Session, tmp_path: Path, qtbot: QtBot
) -> None:
    """The error names the file; the history and the profile that were open stay."""
    history = open_history("main 1", "main 2")
    before = history.state
    (tmp_path / "broken").write_text("no profile")
    errors: list[ProfileError] = []
    session.failed.connect(errors.append)
    files = [str(tmp_path / "broken"), str(tmp_path / "callgrind.out.0")]
    history.open([Revision(file, file) for file in files])
    qtbot.waitUntil(lambda: bool(errors))

    assert "broken" in str(errors[0])
    assert history.state is before
    assert [path.name for path in session.paths] == ["callgrind.out.1"]
    assert [revision.file for revision in history.reading] == files


def test_other_settings_read_the_history_again(draw: Draw, session: Session, qtbot: QtBot) -> None:
    """Settings that change while a history is read apply to it."""
    files = [draw("_ZN3foo3barEv 1", f"callgrind.out.{number}") for number in range(2)]
    session.history.open([Revision(file.name, str(file)) for file in files])
    session.prepare_again(Preparation(fold_levels=True))
    qtbot.waitUntil(lambda: not session.is_opening)

    assert session.history.state.history is not None
    assert session.history.reading == ()


def test_other_settings_keep_a_history_that_was_just_read(
    draw: Draw, session: Session, qtbot: QtBot
) -> None:
    """So they do once all files are read, while their profile is being prepared."""
    files = [draw("main 1", f"callgrind.out.{number}") for number in range(2)]
    session.history.open([Revision(file.name, str(file)) for file in files])
    source = session.pending_source
    assert isinstance(source, HistorySource)
    wait_until(lambda: source.read is not None, "the files were not read")  # without events
    session.prepare_again(Preparation(fold_levels=True))
    qtbot.waitUntil(lambda: not session.is_opening)

    assert session.history.state.history is not None
    assert session.history.reading == ()


def test_a_history_that_was_read_is_released_for_another_profile(
    draw: Draw, session: Session, qtbot: QtBot
) -> None:
    """Nothing remembers it, though its newest file is the one that is opened."""
    files = [draw("main 1", f"callgrind.out.{number}") for number in range(2)]
    session.history.open([Revision(file.name, str(file)) for file in files])
    source = session.pending_source
    assert isinstance(source, HistorySource)
    wait_until(lambda: source.read is not None, "the files were not read")
    session.open(files[1:], with_siblings=False)
    reading = session.history.reading
    qtbot.waitUntil(lambda: not session.is_opening)

    assert (reading, session.history.state.history) == ((), None)
    assert session.paths == (files[1],)


def test_a_history_that_was_closed_is_released(open_history: OpenHistory) -> None:
    """Nothing keeps the costs of all revisions in memory."""
    history = open_history("main 1", "main 2")
    assert history.state.opened is not None
    kept = ref(history.state.opened)
    history.close()
    gc.collect()

    assert kept() is None


def test_cancelling_leaves_all_as_it_is(
    open_history: OpenHistory, session: Session, tmp_path: Path
) -> None:
    """Stop ends the reading of a history."""
    history = open_history("main 1", "main 2")
    before = history.state
    history.open([Revision("x", str(tmp_path / "callgrind.out.0"))])
    session.cancel()

    assert not session.is_opening
    assert history.state is before


def test_two_chosen_revisions_are_compared(
    open_history: OpenHistory, session: Session, qtbot: QtBot
) -> None:
    """The first one chosen is the base; chosen twice, it is none."""
    history = open_history("main 1", "main 2", "main 3")
    history.choose(0)
    marked = history.state.base
    history.choose(0)
    unmarked = history.state.base
    history.choose(1)
    history.choose(0)
    wait_for_files(session, qtbot, ["callgrind.out.0", "callgrind.out.1"])

    assert (marked, unmarked) == (0, None)
    assert history.state.base is None
    assert history.open_places() == (0, 1)
    assert history.state.history is not None


def test_the_open_revision_is_compared_without_reading_it_again(
    open_history: OpenHistory, session: Session, qtbot: QtBot
) -> None:
    """Only the base is read if the new side is open."""
    history = open_history("main 1", "main 2")
    assert session.loaded is not None
    read = session.loaded.read
    history.open_revision(1, 0)
    wait_for_files(session, qtbot, ["callgrind.out.1", "callgrind.out.0"])

    assert session.loaded.read.seconds == read.seconds
    assert session.loaded.read.profile.fingerprints is read.profile.fingerprints


def test_a_revision_is_opened_alone(
    open_history: OpenHistory, session: Session, qtbot: QtBot
) -> None:
    """Without a base, the revision is the open profile, and the history stays."""
    history = open_history("main 1", "main 2")
    history.open_revision(0)
    wait_for_files(session, qtbot, ["callgrind.out.0"])

    assert history.open_places() == (0, None)


def test_pins_outlast_another_history_of_the_program(open_history: OpenHistory) -> None:
    """Functions that another history has stay pinned; the others are no longer."""
    history = open_history("main 1\nf 1\ng 1", "main 2\nf 1\ng 1")
    f, g = ("f", "???", "???"), ("g", "???", "???")
    history.toggle_pin(f)
    history.toggle_pin(g)
    both = history.state.pinned
    open_history("main 1\ng 2", "main 1\ng 1")
    left = history.state.pinned
    history.toggle_pin(g)

    assert (both, left, history.state.pinned) == ((f, g), (g,), ())


def test_the_oldest_pin_gives_way(open_history: OpenHistory) -> None:
    """There are no more pinned lines than can be told apart."""
    history = open_history("main 1")
    pins = [(f"f{number}", "", "") for number in range(MOST_PINNED + 1)]
    for pin in pins:
        history.toggle_pin(pin)

    assert history.state.pinned == tuple(pins[1:])


def test_closing_a_history_leaves_the_profile(open_history: OpenHistory, session: Session) -> None:
    """Nothing of the history is left, and the profile stays open."""
    history = open_history("main 1", "main 2")
    history.close()

    assert history.state.opened is None
    assert session.queries is not None


def test_both_panels_have_one_history(open_history: OpenHistory, session: Session) -> None:
    """The views of the split show the history that the window has open."""
    history = open_history("main 1", "main 2")
    linked = LinkedSession(session)

    assert linked.history is history


def test_names_are_shown_demangled(open_history: OpenHistory) -> None:
    """Mangled names are readable, in the list and in the chart; identities stay as recorded."""
    history = open_history("_ZN3foo3barEv@/src/a.c@/bin/prog 1")
    opened = history.state.opened

    assert opened is not None
    assert (opened.names, opened.locations) == (("foo::bar()",), ("prog: a.c",))
    assert opened.row_of(("_ZN3foo3barEv", "/src/a.c", "/bin/prog")) == 0
    assert opened.row_of(("_ZN3foo3barEv", "/other/a.c", "/bin/prog")) == 0
    assert opened.row_of(("other", "/src/a.c", "/bin/prog")) is None
    assert opened.row_of(None) is None
