"""Comparing in a session: with another profile, and parts of one profile with each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.sums import GrossChange
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.tables import HalvedColumn
from qcachegrind_py.session.loading import Preparation, ProfileFiles
from qcachegrind_py.session.session import Session
from tests.session.conftest import User

BASE = "main 10 -> work 3x30\nwork 30"
NEW = "main 10 -> work 4x44, extra 1x5\nwork 44\nextra 5"


def gross(base: int, new: int) -> GrossChange:
    """A change in which all functions grow, or all shrink."""
    return GrossChange(base, new, max(new - base, 0), min(new - base, 0))


def change(user: User) -> GrossChange:
    """The change of the total that the session shows."""
    compared, event = user.session.comparison, user.context.event
    assert compared is not None
    assert event is not None
    return compared.gross_change(event)


def sides(user: User) -> tuple[object, object]:
    """The parts of the base and of the new side."""
    return user.context.base_parts, user.context.scope.parts


def compare_files(user: User, new: str = NEW, base: str = BASE) -> tuple[Path, Path]:
    """Open a profile, and compare it with a base; return the files of both."""
    old, path = user.draw(base, "old"), user.open(user.draw(new, "new"))
    user.session.comparing.compare_with(ProfileFiles((old,)))
    user.settle()
    return path, old


def test_the_open_profile_is_compared_with_another_one(user: User) -> None:
    """The open profile becomes the new side; it stays the open file, at the same function."""
    new, base = compare_files(user)

    assert user.session.paths == (new,)
    assert user.session.comparing.base is user.loaded.base
    assert [side.chosen.paths for side in user.loaded.sides] == [(new,), (base,)]
    assert (sides(user), change(user)) == (({1}, {0}), gross(40, 59))
    assert user.active == "main"


def test_swapped_sides_change_the_sign(user: User) -> None:
    """After a swap the base is the open file, and all changes have the other sign."""
    _new, base = compare_files(user)

    user.session.comparing.swap()
    user.settle()

    assert (user.session.paths, change(user)) == ((base,), gross(59, 40))


def test_a_profile_stands_alone_again(user: User) -> None:
    """Once nothing is compared, all parts count without a frame, and the merged rows are free."""
    user.open(NEW)
    before = user.queries.profile.costs.values
    compare_files(user)

    user.session.comparing.stop()
    user.settle()

    assert (user.session.comparison, user.session.comparing.base) == (None, None)
    assert (sides(user), user.context.scope.frame) == ((None, None), None)
    values = user.queries.profile.costs.values
    assert np.array_equal(values, before)
    assert isinstance(values, HalvedColumn)
    assert values.low.base is None


def test_a_reload_keeps_the_base(user: User) -> None:
    """A reload reads the new side again, and the base if it has changed."""
    compare_files(user)
    user.draw("main 10", "new")
    user.draw("main 7", "old")

    user.session.reload()
    user.settle()

    assert change(user) == gross(7, 10)


def test_a_base_that_cannot_be_read_changes_nothing(user: User) -> None:
    """What is open stays, and the error is told: at a reload, that the base was removed."""
    _new, base = compare_files(user)
    compared, errors = user.loaded, list[ProfileError]()
    user.session.failed.connect(errors.append)
    base.unlink()
    user.session.reload()
    user.settle()
    user.session.comparing.compare_with(ProfileFiles((Path("/nowhere"),)))
    user.settle()

    removed, missing = map(str, errors)
    assert removed == f"{base} was removed. What was read from it stays open."
    assert missing.startswith("/nowhere cannot be read")
    assert user.loaded is compared


def test_a_reload_hands_over_what_was_before(user: User) -> None:
    """What was read before a reload can be the base of what is read now."""
    user.open("main 10")
    user.session.replaced.connect(user.session.comparing.compare_with)
    user.draw("main 12")

    user.session.reload()
    user.settle()

    assert change(user) == gross(10, 12)


@pytest.fixture
def parts(user: User) -> User:
    """A user who has opened a profile of three parts, which cost 1, 10 and 100."""
    text = "".join(f"part: {n}\nfn=main\n1 {10 ** (n - 1)}\n" for n in (1, 2, 3))
    path = user.folder / "callgrind.out.3"
    path.write_text(f"events: Ir\n{text}")
    user.open(path)
    return user


def compare_parts(user: User) -> None:
    """Make the first part the base of the others."""
    user.session.comparing.use_parts_as_base([PartId(0)])
    user.settle()


def choose(user: User, *parts: int) -> None:
    user.session.choose_parts(lambda choice, count: choice.choosing(map(PartId, parts), count))
    user.settle()


def test_parts_are_compared_with_each_other(parts: User) -> None:
    """Chosen parts become the base of all others; it is the same profile, with the same rows."""
    queries, comparing = parts.queries, parts.session.comparing
    compare_parts(parts)

    assert (sides(parts), change(parts)) == (({0}, {1, 2}), gross(1, 110))
    comparing.swap()
    parts.settle()
    assert sides(parts) == ({1, 2}, {0})
    comparing.stop()
    parts.settle()
    assert (parts.queries, sides(parts)) == (queries, (None, None))


def test_other_parts_are_compared_with_the_same_base(parts: User) -> None:
    """Parts chosen while parts are compared are the new side; all of them end the comparison."""
    compare_parts(parts)
    choose(parts, 2)
    assert sides(parts) == ({0}, {2})
    choose(parts, 0)
    assert sides(parts) == (None, None)


def test_the_last_command_about_parts_wins(parts: User) -> None:
    """A comparison that is being computed does not come back once comparing was stopped."""
    compare_parts(parts)
    parts.session.comparing.swap()
    parts.session.comparing.stop()
    parts.settle()

    assert sides(parts) == (None, None)


@pytest.mark.parametrize("again", [Session.reload, lambda s: s.prepare_again(Preparation(False))])
def test_compared_parts_stay_compared(again: Callable[[Session], None], parts: User) -> None:
    """After a reload, and with other names, the same parts are compared, without a step between."""
    compare_parts(parts)
    shown: list[tuple[object, object]] = []
    parts.navigation.changed.connect(lambda *_: shown.append(sides(parts)))

    again(parts.session)
    parts.settle()

    assert set(shown) == {(frozenset({0}), frozenset({1, 2}))}
    assert change(parts) == gross(1, 110)


def test_a_comparison_of_parts_gives_way_to_one_of_files(parts: User) -> None:
    """All parts of the open profile are then the new side."""
    compare_parts(parts)
    parts.session.comparing.compare_with(ProfileFiles((parts.draw("main 5", "old"),)))
    parts.settle()

    assert (sides(parts), change(parts)) == (({3}, {0, 1, 2}), gross(5, 111))


def test_parts_are_compared_and_folded_at_the_same_time(parts: User) -> None:
    """Whichever job ends first, the other one is done again for what is open then."""
    folds = parse_filter("fold:name:=main")
    parts.session.comparing.use_parts_as_base([PartId(0)])
    parts.session.set_filter(folds)
    parts.settle()
    parts.settle()

    assert (sides(parts), parts.loaded.folds) == (({0}, {1, 2}), folds.folds)
    assert parts.session.comparison is not None
    assert parts.session.comparison.queries is parts.queries


def test_parts_of_the_new_side_are_chosen_while_files_are_compared(parts: User) -> None:
    """Only parts of the new side can be chosen; all of them are never those of the base."""
    parts.session.comparing.compare_with(ProfileFiles((parts.draw("main 5", "old"),)))
    parts.settle()

    choose(parts, 1)
    some = change(parts)
    choose(parts)

    assert (some, change(parts)) == (gross(5, 10), gross(5, 111))


def test_nothing_to_compare_is_no_error(session: Session) -> None:
    """Without a profile, no command does anything."""
    comparing = session.comparing

    comparing.swap()
    comparing.stop()
    comparing.use_parts_as_base([])

    state = session.comparison, comparing.is_of_files, comparing.is_of_parts
    assert state == (None, False, False)


def test_the_path_to_a_function_that_is_gone_is_that_in_the_base(user: User) -> None:
    """The call stack of a function that the base alone has leads to it from the start."""
    base = "main 10 -> old 1x9, work 1x30\nold 2 -> deep 1x7\ndeep 7\nwork 30"
    compare_files(user, "main 10 -> work 1x40\nwork 40", base)

    user.go("work")
    user.go("old")

    stack = user.context.stack
    assert (user.named(stack.nodes), stack.active_index) == (["main", "old", "deep"], 1)


def test_programs_chosen_for_a_base_are_forgotten_with_it(user: User) -> None:
    """Another base was recorded with another build; the same one, read again, was not."""
    chosen = (("", "/old/work"),)
    user.navigation.set(base_programs=chosen)
    base = ProfileFiles((user.draw(BASE, "old"),))
    user.session.open([user.draw(NEW, "new")], base=base)
    programs = []
    for step in (lambda: None, user.session.reload, user.session.comparing.swap):
        step()
        user.settle()
        programs.append(user.context.base_programs)

    assert programs == [chosen, chosen, ()]
