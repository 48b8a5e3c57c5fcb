"""Comparing in a session: with another profile, and parts of one profile with each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.costs.sums import GrossChange
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.loading import Preparation, ProfileFiles
from qcachegrind_py.session.session import Comparing, Session

Draw = Callable[..., Path]
OpenProfile = Callable[..., None]
BASE = "main 10 -> work 3x30\nwork 30"
NEW = "main 10 -> work 4x44, extra 1x5\nwork 44\nextra 5"


@pytest.fixture
def settled(qtbot: QtBot, session: Session) -> Callable[[], None]:
    """Wait until no job of the session runs, and all changes are announced."""

    def settled() -> None:
        slots = ("open", "scope", "filter", "groups")
        qtbot.waitUntil(lambda: not any(map(session.jobs.is_running, slots)))
        qtbot.wait(0)

    return settled


def change(session: Session) -> GrossChange:
    """The change of the total that the session shows."""
    compared, event = session.comparison, session.navigation.context.event
    assert compared is not None
    assert event is not None
    return compared.gross_change(event)


def sides(session: Session) -> tuple[object, object]:
    """The parts of the base and of the new side."""
    context = session.navigation.context
    return context.base_parts, context.scope.parts


def test_the_open_profile_is_compared_with_another_one(
    session: Session, draw: Draw, open_profile: OpenProfile, settled: Callable[[], None]
) -> None:
    """The open profile becomes the new side; it stays the open file, at the same function."""
    base, new = draw(BASE, "old"), draw(NEW, "new")
    open_profile(new)

    session.comparing.compare_with(ProfileFiles((base,)))
    settled()

    assert session.paths == (new,)
    assert session.comparing.base is not None
    assert session.comparing.base.chosen == ProfileFiles((base,))
    assert sides(session) == ({1}, {0})
    assert change(session) == GrossChange(base=40, new=59, grown=19, shrunk=0)
    assert session.queries is not None
    labels = session.queries.labels(session.navigation.context.scope)
    assert labels.name(session.navigation.context.function) == "main"


def test_swapped_sides_change_the_sign(
    session: Session, draw: Draw, open_profile: OpenProfile, settled: Callable[[], None]
) -> None:
    """After a swap the base is the open file, and all changes have the other sign."""
    base, new = draw(BASE, "old"), draw(NEW, "new")
    open_profile(new)
    session.comparing.compare_with(ProfileFiles((base,)))
    settled()

    session.comparing.swap()
    settled()

    assert session.paths == (base,)
    assert change(session) == GrossChange(base=59, new=40, grown=0, shrunk=-19)


def test_a_profile_stands_alone_again(
    session: Session, draw: Draw, open_profile: OpenProfile, settled: Callable[[], None]
) -> None:
    """Once nothing is compared, all parts count without a frame, and the merged rows are free."""
    base, new = draw(BASE, "old"), draw(NEW, "new")
    open_profile(new)
    before = session.queries
    session.comparing.compare_with(ProfileFiles((base,)))
    settled()

    session.comparing.stop()
    settled()

    assert (session.comparison, session.comparing.base, sides(session)) == (None, None, (None,) * 2)
    assert session.navigation.context.scope.frame is None
    assert before is not None
    assert session.queries is not None
    profile = session.queries.profile
    assert np.array_equal(profile.costs.values, before.profile.costs.values)
    assert profile.costs.values.base is None


def test_a_reload_keeps_the_base(
    session: Session, draw: Draw, open_profile: OpenProfile, settled: Callable[[], None]
) -> None:
    """A reload reads the new side again, and the base if it has changed."""
    base, new = draw(BASE, "old"), draw(NEW, "new")
    open_profile(new)
    session.comparing.compare_with(ProfileFiles((base,)))
    settled()
    draw("main 10", "new")
    draw("main 7", "old")

    session.reload()
    settled()

    assert change(session) == GrossChange(base=7, new=10, grown=3, shrunk=0)


def test_a_reload_says_that_the_base_was_removed(
    session: Session, draw: Draw, open_profile: OpenProfile, settled: Callable[[], None]
) -> None:
    """The base that was read stays open, too."""
    base, new = draw(BASE, "old"), draw(NEW, "new")
    open_profile(new)
    session.comparing.compare_with(ProfileFiles((base,)))
    settled()
    compared = session.loaded
    base.unlink()
    errors: list[ProfileError] = []
    session.failed.connect(errors.append)
    session.reload()
    settled()

    assert list(map(str, errors)) == [f"{base} was removed. What was read from it stays open."]
    assert session.loaded is compared


def test_a_reload_hands_over_what_was_before(
    session: Session, draw: Draw, open_profile: OpenProfile, settled: Callable[[], None]
) -> None:
    """What was read before a reload can be the base of what is read now."""
    open_profile(draw("main 10"))
    session.replaced.connect(session.comparing.compare_with)
    draw("main 12")

    session.reload()
    settled()

    assert change(session) == GrossChange(base=10, new=12, grown=2, shrunk=0)


def test_an_unreadable_base_changes_nothing(
    session: Session, draw: Draw, open_profile: OpenProfile, settled: Callable[[], None]
) -> None:
    """If the base cannot be read, the open profile stays as it is, and the error is told."""
    open_profile(draw(NEW, "new"))
    before, errors = session.queries, list[object]()
    session.failed.connect(errors.append)

    session.comparing.compare_with(ProfileFiles((Path("/nowhere"),)))
    settled()

    assert len(errors) == 1
    assert (session.queries, session.comparison) == (before, None)


PARTS = """events: Ir
part: 1
fn=main
1 1
part: 2
fn=main
1 10
part: 3
fn=main
1 100
"""


@pytest.fixture
def three_parts(tmp_path: Path) -> Path:
    """A profile of three parts, which cost 1, 10 and 100."""
    path = tmp_path / "callgrind.out.3"
    path.write_text(PARTS, encoding="utf-8")
    return path


def test_parts_are_compared_with_each_other(
    session: Session, three_parts: Path, open_profile: OpenProfile, settled: Callable[[], None]
) -> None:
    """Chosen parts become the base of all others; it is the same profile, with the same rows."""
    open_profile(three_parts)
    queries = session.queries

    session.comparing.use_parts_as_base([0])  # type: ignore[list-item]
    settled()

    assert sides(session) == ({0}, {1, 2})
    assert change(session) == GrossChange(base=1, new=110, grown=109, shrunk=0)
    session.comparing.swap()
    settled()
    assert sides(session) == ({1, 2}, {0})
    session.comparing.stop()
    settled()
    assert (session.queries, sides(session)) == (queries, (None, None))


def test_other_parts_are_compared_with_the_same_base(
    session: Session, three_parts: Path, open_profile: OpenProfile, settled: Callable[[], None]
) -> None:
    """Parts chosen while parts are compared are the new side."""
    open_profile(three_parts)
    session.comparing.use_parts_as_base([0])  # type: ignore[list-item]
    settled()

    session.choose_parts(lambda choice, count: choice.choosing([2], count))  # type: ignore[list-item]
    settled()

    assert sides(session) == ({0}, {2})


@pytest.mark.parametrize("again", [Session.reload, lambda s: s.prepare_again(Preparation(False))])
def test_compared_parts_stay_compared(
    again: Callable[[Session], None],
    session: Session,
    three_parts: Path,
    open_profile: OpenProfile,
    settled: Callable[[], None],
) -> None:
    """After a reload, and with other names, the same parts are compared."""
    open_profile(three_parts)
    session.comparing.use_parts_as_base([0])  # type: ignore[list-item]
    settled()

    again(session)
    settled()
    settled()

    assert sides(session) == ({0}, {1, 2})


def test_parts_of_the_new_side_are_chosen_while_files_are_compared(
    session: Session,
    draw: Draw,
    three_parts: Path,
    open_profile: OpenProfile,
    settled: Callable[[], None],
) -> None:
    """Only parts of the new side can be chosen; all of them are never those of the base."""
    open_profile(three_parts)
    session.comparing.compare_with(ProfileFiles((draw("main 5", "old"),)))
    settled()

    session.choose_parts(lambda choice, count: choice.choosing([1], count))  # type: ignore[list-item]
    settled()
    some = change(session)
    session.choose_parts(lambda choice, count: choice.choosing([], count))
    settled()

    assert some == GrossChange(base=5, new=10, grown=5, shrunk=0)
    assert change(session) == GrossChange(base=5, new=111, grown=106, shrunk=0)


def test_nothing_to_compare_is_no_error(session: Session) -> None:
    """Without a profile, no command does anything."""
    comparing = Comparing(session)

    comparing.swap()
    comparing.stop()
    comparing.use_parts_as_base([])

    assert (session.comparison, comparing.is_of_files, comparing.is_of_parts) == (
        None,
        False,
        False,
    )


def test_the_path_to_a_function_that_is_gone_is_that_in_the_base(
    session: Session, draw: Draw, open_profile: OpenProfile, settled: Callable[[], None]
) -> None:
    """The call stack of a function that the base alone has leads to it from the start."""
    base = draw("main 10 -> old 1x9, work 1x30\nold 2 -> deep 1x7\ndeep 7\nwork 30", "old")
    open_profile(draw("main 10 -> work 1x40\nwork 40", "new"))
    session.comparing.compare_with(ProfileFiles((base,)))
    settled()
    assert session.queries is not None
    names = session.queries.names

    session.navigation.select_function(names.with_name("work")[0])
    settled()
    session.navigation.select_function(names.with_name("old")[0])
    settled()

    stack = session.navigation.context.stack
    labels = session.queries.labels(session.navigation.context.scope)
    assert ([labels.name(node) for node in stack.nodes], stack.active_index) == (
        ["main", "old", "deep"],
        1,
    )


def test_programs_chosen_for_a_base_are_forgotten_with_it(
    session: Session, draw: Draw, settled: Callable[[], None]
) -> None:
    """Another base was recorded with another build; the same one, read again, was not."""
    chosen = (("", "/old/work"),)
    session.navigation.set(base_programs=chosen)
    session.open([draw(NEW, "new")], base=ProfileFiles((draw(BASE, "old"),)))
    settled()
    assert session.navigation.context.base_programs == chosen
    session.reload()
    settled()
    assert session.navigation.context.base_programs == chosen
    session.comparing.swap()
    settled()
    assert session.navigation.context.base_programs == ()
