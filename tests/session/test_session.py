"""Opening profiles in the background; the old one stays until the new one is loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from tests.profile_text import EXAMPLE, write_slow_file

DRAWING = """
    events: Ir Dr
    start 1,1 -> main 1x9,9
    main 5,3 -> f 1x4,6
    f 4,6
    """
Draw = Callable[..., Path]
OpenProfile = Callable[..., None]


def location(session: Session, navigation: Navigation) -> tuple[str, str]:
    """The event and the name of the active function."""
    context = navigation.context
    assert session.queries is not None
    assert context.event is not None
    return context.event.name, session.queries.names.name(context.function)


def all_signals(session: Session) -> list[object]:
    """All signals of the session from now on, in order."""
    signals: list[object] = []
    session.opening.connect(
        lambda paths: signals.append(("opening", [path.name for path in paths]))
    )
    session.opened.connect(lambda _queries: signals.append("opened"))
    session.failed.connect(lambda error: signals.append(("failed", error.reason)))
    session.ended.connect(lambda: signals.append("ended"))
    return signals


def test_open_enters_the_profile_at_main(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """An opened profile is shown at main, by its first event."""
    signals = all_signals(session)
    path = draw(DRAWING)

    open_profile(path)

    assert signals == [("opening", ["callgrind.out.1"]), "opened", "ended"]
    assert location(session, navigation) == ("Ir", "main")
    assert ((path,), False) == (session.paths, session.is_opening)


def test_open_without_main_begins_at_the_costliest(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Without main, the function of the highest inclusive cost comes first."""
    open_profile(draw("a 1\nb 2 -> c 1x7\nc 7"))

    assert location(session, navigation) == ("Ir", "b")


def test_open_keeps_the_event_if_the_new_profile_has_it(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Another run is shown in the selected event if it has that event, or else in its first."""
    open_profile(draw(f"cmd: prog 1\n{DRAWING}"))
    event = session.queries.profile.events.find("Dr")  # type: ignore[union-attr]
    assert event is not None
    navigation.set(event=event)

    open_profile(draw("cmd: prog 2\nevents: Bc Dr\nmain 1,2", "callgrind.out.2"))
    kept = navigation.context.event
    open_profile(draw("cmd: prog 3\nevents: Bc Ir\nmain 1,2", "callgrind.out.3"))
    first = navigation.context.event

    assert [event.name for event in (kept, first) if event] == ["Dr", "Bc"]


def test_open_several_files_as_one_profile(
    session: Session, draw: Draw, open_profile: OpenProfile
) -> None:
    """Several files are the parts of one profile, in the order in which they were selected."""
    paths = [draw("main 1", "callgrind.out.8"), draw("main 2", "b.out"), draw("main 4", "a.out")]

    open_profile(*paths)

    assert session.queries.profile.paths == tuple(map(str, paths))  # type: ignore[union-attr]
    assert session.queries.profile.costs.values.sum(axis=1).tolist() == [7]  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["no profile at all", "", None])
def test_failure_keeps_the_old_profile(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    qtbot: QtBot,
    tmp_path: Path,
    text: str | None,
) -> None:
    """A read error is reported, and leaves profile, location and paths as they were."""
    open_profile(draw(DRAWING))
    before = (session.queries, session.paths, navigation.context)
    path = tmp_path / "bad"
    if text is not None:
        path.write_text(text)
    signals = all_signals(session)

    with qtbot.waitSignal(session.ended):
        session.open([path])

    assert [s if isinstance(s, str) else s[0] for s in signals] == ["opening", "failed", "ended"]
    assert (session.queries, session.paths, navigation.context) == before


def test_reloading_a_removed_file_says_so(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    qtbot: QtBot,
) -> None:
    """What was read stays open; a file that was never there is another matter."""
    path = draw(DRAWING)
    open_profile(path)
    before = (session.queries, session.paths, navigation.context)
    path.unlink()
    errors: list[ProfileError] = []
    session.failed.connect(errors.append)
    for begin in (session.reload, lambda: session.open([path.with_name("missing")])):
        with qtbot.waitSignal(session.ended):
            begin()

    assert list(map(str, errors)) == [
        f"{path} was removed. What was read from it stays open.",
        f"{path.with_name('missing')} cannot be read: No such file or directory. "
        "Check whether it was moved or misspelled.",
    ]
    assert (session.queries, session.paths, navigation.context) == before


def test_cancel_keeps_the_old_profile(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    qtbot: QtBot,
    tmp_path: Path,
) -> None:
    """Cancelled opening signals only its end, and leaves everything as it was."""
    open_profile(draw(DRAWING))
    before = (session.queries, session.paths, navigation.context)
    signals = all_signals(session)
    with qtbot.waitSignal(session.progressed):
        session.open([write_slow_file(tmp_path / "slow.gz", 300)])

    opening = session.is_opening
    session.cancel()

    assert (opening, session.is_opening) == (True, False)
    assert signals == [("opening", ["slow.gz"]), "ended"]
    assert (session.queries, session.paths, navigation.context) == before


def test_last_chosen_file_wins(session: Session, draw: Draw, qtbot: QtBot, tmp_path: Path) -> None:
    """A second file opened while the first is being read replaces it."""
    slow, quick = write_slow_file(tmp_path / "slow.gz", 300), draw(DRAWING)
    opened: list[object] = []
    session.opened.connect(lambda _queries: opened.append(session.paths))

    session.open([slow])
    with qtbot.waitSignal(session.opened):
        session.open([quick])

    assert opened == [(quick,)]


def names_read(session: Session) -> list[str]:
    """The names of the files of the open profile."""
    assert session.queries is not None
    return [Path(path).name for path in session.queries.profile.paths]


def test_sibling_parts_are_opened_and_no_others(
    session: Session, draw: Draw, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """A run is opened with its dumps and threads, in numeric order, and no other run's."""
    run = "callgrind.out.77"
    own = [run, f"{run}-01", f"{run}-02", f"{run}.1", f"{run}.1-01", f"{run}.2", f"{run}.10"]
    for name in (*own, f"{run}1", f"{run}1.1", f"{run}.1.2", f"{run}.old", f"{run}.1.gz", "x.77.1"):
        draw("main 1", name)

    open_profile(tmp_path / run)

    assert set(names_read(session)) == set(own)
    dumps = [name for name in names_read(session) if "-" not in name]
    assert dumps == [run, f"{run}.1", f"{run}.2", f"{run}.10"]


def test_only_the_file_itself_is_read_on_request(
    session: Session, draw: Draw, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """Without sibling parts, and for several selected files, exactly those files are read."""
    for name in ("callgrind.out.7", "callgrind.out.7.1", "callgrind.out.9"):
        draw("main 1", name)
    run = tmp_path / "callgrind.out.7"

    open_profile(run, own_parts=False)
    alone = names_read(session)
    open_profile(run, tmp_path / "callgrind.out.9")

    assert alone == ["callgrind.out.7"]
    assert names_read(session) == ["callgrind.out.7", "callgrind.out.9"]


def test_empty_main_file_of_a_run_is_left_out(
    session: Session, draw: Draw, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """Callgrind leaves an empty file for a run that wrote dumps only: the dumps are the profile."""
    draw("main 1", "callgrind.out.7.1")
    draw("main 2", "callgrind.out.7.2")
    (tmp_path / "callgrind.out.7").write_bytes(b"")

    open_profile(tmp_path / "callgrind.out.7")

    assert names_read(session) == ["callgrind.out.7.1", "callgrind.out.7.2"]
    assert session.paths == (tmp_path / "callgrind.out.7",)


def test_selected_dump_is_opened_alone(
    session: Session, draw: Draw, open_profile: OpenProfile, tmp_path: Path
) -> None:
    """A single dump selected from a run is opened alone."""
    for name in ("callgrind.out.7", "callgrind.out.7.1", "callgrind.out.7.2"):
        draw("main 1", name)

    open_profile(tmp_path / "callgrind.out.7.1")

    assert names_read(session) == ["callgrind.out.7.1"]


def test_example_is_opened(
    session: Session, navigation: Navigation, open_profile: OpenProfile
) -> None:
    """The bundled example opens at main, without diagnostics."""
    open_profile(EXAMPLE)

    assert location(session, navigation) == ("Ir", "main")
    assert session.queries.profile.diagnostic_count == 0  # type: ignore[union-attr]
