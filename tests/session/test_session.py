"""Opening profiles in the background; the old one stays until the new one is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from qcachegrind_py.profile.errors import ProfileError
from tests.profile_text import EXAMPLE, write_slow_file
from tests.session.conftest import User

DRAWING = """
    events: Ir Dr
    start 1,1 -> main 1x9,9
    main 5,3 -> f 1x4,6
    f 4,6
    """


def all_signals(user: User) -> list[object]:
    """All signals of the session from now on, in order."""
    signals: list[object] = []
    session = user.session
    session.opening.connect(lambda paths: signals.append(("opening", [p.name for p in paths])))
    session.opened.connect(lambda _queries: signals.append("opened"))
    session.failed.connect(lambda error: signals.append(("failed", error.reason)))
    session.ended.connect(lambda: signals.append("ended"))
    return signals


def state(user: User) -> object:
    """What must stay while another profile cannot be opened."""
    return user.session.queries, user.session.paths, user.context


def read(user: User) -> list[str]:
    """The names of the files of the open profile."""
    return [Path(path).name for path in user.queries.profile.paths]


@pytest.mark.parametrize(
    ("text", "start"),
    [(DRAWING, "main"), ("a 1\nb 2 -> c 1x7\nc 7", "c"), (EXAMPLE, "_dl_lookup_symbol_x")],
)
def test_a_profile_is_entered_at_its_start(user: User, text: str, start: str) -> None:
    """It is shown at the function of highest self cost, by its first event."""
    signals = all_signals(user)

    path = user.open(text, at_main=False)

    assert signals == [("opening", [path.name]), "opened", "ended"]
    assert (user.context.event, user.active) == (user.event("Ir"), start)
    assert (user.session.paths, user.session.is_opening) == ((path,), False)
    assert user.queries.profile.diagnostic_count == 0


def test_open_keeps_the_event_if_the_new_profile_has_it(user: User) -> None:
    """Another run is shown in the selected event if it has that event, or else in its first."""
    user.open(f"cmd: prog 1\n{DRAWING}")
    user.navigation.set(event=user.event("Dr"))
    shown = []
    for events in ("Bc Dr", "Bc Ir"):
        user.open(f"cmd: prog 2\nevents: {events}\nmain 1,2")
        shown.append(user.context.event)

    assert [event.name for event in shown if event] == ["Dr", "Bc"]


def test_open_several_files_as_one_profile(user: User) -> None:
    """Several files are the parts of one profile, in the order in which they were selected."""
    names = "callgrind.out.8", "b.out", "a.out"
    user.open(*(user.draw(f"main {2**n}", name) for n, name in enumerate(names)))

    assert read(user) == list(names)
    assert user.costs(user.event("Ir")) == [7]


@pytest.mark.parametrize("text", ["no profile at all", "", None])
def test_failure_keeps_the_old_profile(user: User, text: str | None) -> None:
    """A read error is reported, and leaves profile, location and paths as they were."""
    user.open(DRAWING)
    before, path = state(user), user.folder / "bad"
    if text is not None:
        path.write_text(text)
    signals = all_signals(user)

    with user.qtbot.waitSignal(user.session.ended):
        user.session.open([path])

    assert [s if isinstance(s, str) else s[0] for s in signals] == ["opening", "failed", "ended"]
    assert state(user) == before


def test_reloading_a_removed_file_says_so(user: User) -> None:
    """What was read stays open; a file that was never there is another matter."""
    path = user.open(DRAWING)
    before, missing = state(user), path.with_name("missing")
    path.unlink()
    errors: list[ProfileError] = []
    user.session.failed.connect(errors.append)
    for begin in (user.session.reload, lambda: user.session.open([missing])):
        with user.qtbot.waitSignal(user.session.ended):
            begin()

    assert list(map(str, errors)) == [
        f"{path} was removed. What was read from it stays open.",
        f"{missing} cannot be read: No such file or directory. "
        "Check whether it was moved or misspelled.",
    ]
    assert state(user) == before


def test_cancel_keeps_the_old_profile(user: User) -> None:
    """Cancelled opening signals only its end, and leaves everything as it was."""
    user.open(DRAWING)
    before, signals = state(user), all_signals(user)
    with user.qtbot.waitSignal(user.session.progressed):
        user.session.open([write_slow_file(user.folder / "slow.gz", 300)])

    opening = user.session.is_opening
    user.session.cancel()

    assert (opening, user.session.is_opening) == (True, False)
    assert signals == [("opening", ["slow.gz"]), "ended"]
    assert state(user) == before


def test_last_chosen_file_wins(user: User) -> None:
    """A second file opened while the first is being read replaces it."""
    opened: list[object] = []
    user.session.opened.connect(lambda _queries: opened.append(user.session.paths))

    user.session.open([write_slow_file(user.folder / "slow.gz", 300)])
    quick = user.open(DRAWING)

    assert opened == [(quick,)]


def test_nothing_remembers_a_profile_that_was_replaced(user: User) -> None:
    """Neither the request that loaded another one nor the one of before."""
    path = user.open(DRAWING)
    user.open(path)

    assert user.session.pending is None


# ---------------------------------------------------------------- files of one run

RUN = "callgrind.out.77"
OWN = [RUN, f"{RUN}.1", f"{RUN}.2", f"{RUN}.10", f"{RUN}-01", f"{RUN}-02", f"{RUN}.1-01"]
OTHERS = [f"{RUN}1", f"{RUN}1.1", f"{RUN}.1.2", f"{RUN}.old", f"{RUN}.1.gz", "x.77.1"]


@pytest.mark.parametrize(
    ("chosen", "own_parts", "opened"),
    [
        ([RUN], True, OWN),
        ([RUN], False, [RUN]),
        ([RUN, f"{RUN}1"], True, [RUN, f"{RUN}1"]),
        ([f"{RUN}.2"], True, [f"{RUN}.2"]),
    ],
    ids=["the run", "the file alone", "several files", "one dump"],
)
def test_which_files_are_read(
    user: User, chosen: list[str], own_parts: bool, opened: list[str]
) -> None:
    """A run is opened with its dumps and threads in numeric order, and no other run's.

    Where that is not wanted, for several files, and for one dump, exactly those files are read.
    """
    for name in (*OWN, *OTHERS):
        user.draw("main 1", name)

    user.open(*(user.folder / name for name in chosen), own_parts=own_parts)

    assert set(read(user)) == set(opened)
    assert [name for name in read(user) if "-" not in name] == [n for n in opened if "-" not in n]


def test_empty_main_file_of_a_run_is_left_out(user: User) -> None:
    """Callgrind leaves an empty file for a run that wrote dumps only: the dumps are the profile."""
    dumps = [f"{RUN}.1", f"{RUN}.2"]
    for name in dumps:
        user.draw("main 1", name)
    (user.folder / RUN).write_bytes(b"")

    user.open(user.folder / RUN)

    assert (read(user), user.session.paths) == (dumps, (user.folder / RUN,))
