"""A history in a session: opened with its newest revision, with pins and comparisons."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from weakref import ref

import pytest

from qcachegrind_py.analysis.history import Revision
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.history import MOST_PINNED, by_name, by_time, labelled
from qcachegrind_py.session.linked_session import LinkedSession
from qcachegrind_py.session.loading import Preparation
from qcachegrind_py.session.session import HistorySession
from tests.session.conftest import User

OpenHistory = Callable[..., HistorySession]


def revisions_of(user: User, *drawings: str) -> list[Revision]:
    """Drawings as the revisions r0, r1, … of a history, in files of these numbers."""
    files = [user.draw(text, f"callgrind.out.{n}") for n, text in enumerate(drawings)]
    return [Revision(f"r{n}", str(file)) for n, file in enumerate(files)]


@pytest.fixture
def open_history(user: User) -> OpenHistory:
    """Return a function that opens drawings as a history."""

    def open_history(*drawings: str) -> HistorySession:
        user.session.history.open(revisions_of(user, *drawings))
        user.qtbot.waitUntil(lambda: not user.session.is_opening)
        return user.session.history

    return open_history


def wait_for_files(user: User, names: Sequence[str]) -> None:
    """Wait until the files of these names are the new side and, if there is one, the base."""
    user.qtbot.waitUntil(
        lambda: (
            [side.chosen.paths[0].name[-1] for side in user.loaded.sides] == list(names)
            and not user.session.is_opening
        )
    )


def test_the_newest_revision_is_the_open_profile(open_history: OpenHistory, user: User) -> None:
    """All revisions are read, and the profile of the newest is shown."""
    history = open_history("main 1", "main 2", "main 4 -> f 1x3\nf 3")

    shown = history.state.history
    assert shown is not None
    event = shown.event("Ir")
    assert event is not None
    assert (shown.labels, shown.totals(event).tolist()) == (("r0", "r1", "r2"), [1, 2, 7])
    assert [path.name for path in user.session.paths] == ["callgrind.out.2"]
    assert history.open_places() == (2, None)


def test_what_is_not_read_leaves_all_as_it_is(open_history: OpenHistory, user: User) -> None:
    """The error names the file; history and profile stay, also when reading is stopped."""
    history = open_history("main 1", "main 2")
    before, errors = history.state, list[ProfileError]()
    (user.folder / "broken").write_text("no profile")
    user.session.failed.connect(errors.append)
    files = [str(user.folder / "broken"), str(user.folder / "callgrind.out.0")]
    revisions = [Revision(file, file) for file in files]
    history.open(revisions)
    user.qtbot.waitUntil(lambda: bool(errors))
    reading = history.reading
    history.open(revisions[1:])
    user.session.cancel()

    assert "broken" in str(errors[0])
    assert list(reading) == revisions
    assert (history.state, user.session.is_opening) == (before, False)
    assert [path.name for path in user.session.paths] == ["callgrind.out.1"]


def test_other_settings_read_the_history_again(user: User) -> None:
    """Settings that change while a history is read apply to it."""
    user.session.history.open(revisions_of(user, "_ZN3foo3barEv 1", "_ZN3foo3barEv 2"))
    user.session.prepare_again(Preparation(fold_levels=True))
    user.qtbot.waitUntil(lambda: not user.session.is_opening)

    assert user.session.history.state.history is not None
    assert user.session.history.reading == ()


def test_another_profile_takes_the_place_of_a_history(user: User) -> None:
    """Nothing remembers a history that was being read, though its newest file is opened."""
    history, revisions = user.session.history, revisions_of(user, "main 1", "main 2")
    history.open(revisions)
    user.session.open([Path(revisions[1].file)], with_siblings=False)
    reading = history.reading
    user.qtbot.waitUntil(lambda: not user.session.is_opening)

    assert (reading, history.state.history) == ((), None)
    assert user.session.paths == (Path(revisions[1].file),)


def test_a_history_that_was_closed_is_released(open_history: OpenHistory, user: User) -> None:
    """Nothing keeps the costs of all revisions in memory; the profile stays open."""
    history = open_history("main 1", "main 2")
    assert history.state.opened is not None
    kept = ref(history.state.opened)
    history.close()
    gc.collect()

    assert (kept(), history.state.opened) == (None, None)
    assert user.session.queries is not None


def test_two_chosen_revisions_are_compared(open_history: OpenHistory, user: User) -> None:
    """The first one chosen is the base; chosen twice, it is none."""
    history, marked = open_history("main 1", "main 2", "main 3"), []
    for revision in (0, 0, 1):
        history.choose(revision)
        marked.append(history.state.base)
    history.choose(0)
    wait_for_files(user, "01")

    assert (marked, history.state.base) == ([0, None, 1], None)
    assert history.open_places() == (0, 1)
    assert history.state.history is not None


def test_the_open_revision_is_compared_without_reading_it_again(
    open_history: OpenHistory, user: User
) -> None:
    """Only the base is read if the new side is open."""
    history = open_history("main 1", "main 2")
    read = user.loaded.read
    history.open_revision(1, 0)
    wait_for_files(user, "10")

    assert user.loaded.read.seconds == read.seconds
    assert user.loaded.profile.fingerprints is read.profile.fingerprints


def test_a_revision_is_opened_alone(open_history: OpenHistory, user: User) -> None:
    """Without a base, the revision is the open profile, and the history stays."""
    history = open_history("main 1", "main 2")
    history.open_revision(0)
    wait_for_files(user, "0")

    assert history.open_places() == (0, None)


def test_pins_outlast_another_history_of_the_program(open_history: OpenHistory) -> None:
    """Functions that another history has stay pinned; the others are no longer.

    There are no more pins than can be told apart: the oldest gives way.
    """
    history = open_history("main 1\nf 1\ng 1", "main 2\nf 1\ng 1")
    f, g = ("f", "???", "???"), ("g", "???", "???")
    history.toggle_pin(f)
    history.toggle_pin(g)
    both = history.state.pinned
    open_history("main 1\ng 2", "main 1\ng 1")
    left = history.state.pinned
    history.toggle_pin(g)
    none = history.state.pinned
    pins = [(f"f{number}", "", "") for number in range(MOST_PINNED + 1)]
    for pin in pins:
        history.toggle_pin(pin)

    assert (both, left, none) == ((f, g), (g,), ())
    assert history.state.pinned == tuple(pins[1:])


def test_both_panels_have_one_history(open_history: OpenHistory, user: User) -> None:
    """The views of the split show the history that the window has open."""
    history = open_history("main 1", "main 2")

    assert LinkedSession(user.session, user.session).history is history


def test_names_are_shown_demangled(open_history: OpenHistory) -> None:
    """Mangled names are readable, in the list and in the chart; identities stay as recorded."""
    opened = open_history("_ZN3foo3barEv@/src/a.c@/bin/prog 1").state.opened

    assert opened is not None
    assert (opened.names, opened.locations) == (("foo::bar()",), ("prog: a.c",))
    assert opened.row_of(("_ZN3foo3barEv", "/src/a.c", "/bin/prog")) == 0
    assert opened.row_of(("_ZN3foo3barEv", "/other/a.c", "/bin/prog")) == 0
    assert opened.row_of(("other", "/src/a.c", "/bin/prog")) is None
    assert opened.row_of(None) is None


# ---------------------------------------------------------------- the order of files


def test_numbers_in_names_are_counted() -> None:
    """v9 comes before v10, wherever the number is, and a name without one has its place."""
    names = ["run/v10.out", "run/v9.out", "a2/x", "a10/x", "run/v.out", "run/v09b.out"]

    ordered = [str(path) for path in by_name(map(Path, names))]

    assert ordered == ["a2/x", "a10/x", "run/v9.out", "run/v09b.out", "run/v10.out", "run/v.out"]


def test_files_are_ordered_by_time(tmp_path: Path) -> None:
    """The earliest is first; files of one moment are ordered by name, missing ones come first."""
    for name, moment in (("b", 50), ("a10", 100), ("a9", 100), ("c", 20)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (moment, moment))

    ordered = by_time(tmp_path / name for name in ("a10", "b", "gone", "c", "a9"))

    assert [path.name for path in ordered] == ["gone", "c", "b", "a9", "a10"]


def test_files_are_called_by_what_distinguishes_them() -> None:
    """The labels are those of the command."""
    revisions = labelled([Path("/x/callgrind.out.v9"), Path("/x/callgrind.out.v10")])

    assert revisions == [
        Revision("v9", "/x/callgrind.out.v9"),
        Revision("v10", "/x/callgrind.out.v10"),
    ]
