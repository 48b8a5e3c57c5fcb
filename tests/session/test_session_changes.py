"""What the session does to the context besides opening: scope, groups, filter, events, the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.calls.call_stack import CallStack
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.session.context import (
    AnnotationStyle,
    Change,
    Context,
    CostUnit,
    Position,
)
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.loading import Preparation
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.profile_mapping import SavedLocation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.file_search import FileSearch, SearchFolder
from qcachegrind_py.tools.sources.path_rules import PathRule
from tests.profile_text import WHOLE_SCOPE, event_named

Draw = Callable[..., Path]
OpenProfile = Callable[..., None]
WAYS = """
    events: Ir Dr
    main 1,1 -> a 1x60,4, b 1x40,9
    a 20,1 -> c 1x40,3
    b 10,1 -> c 1x30,8
    c 45,2 -> d 1x20,1, e 1x5,8
    d 20,1
    e 5,8
    """
TWO_CYCLES = """
    main 1 -> a 1x30, c 1x70
    a 10 -> b 1x20
    b 20 -> a 1x1
    c 30 -> d 1x40
    d 40 -> c 1x39
    """
NO_CYCLES = Scope(cycles=False)
ONE_CYCLE = Scope(cut=0.1)  # b's call of a costs 1 of 20: it is overlooked


def asked(session: Session) -> ProfileQueries:
    """The questions to the open profile."""
    assert session.queries is not None
    return session.queries


def number(session: Session, name: str) -> int:
    """The function of this name."""
    return asked(session).names.with_name(name)[0]


def named(session: Session, functions: tuple[int, ...], scope: Scope = WHOLE_SCOPE) -> list[str]:
    """What functions and cycles are called."""
    return [asked(session).labels(scope).name(function) for function in functions]


def turn() -> None:
    """One turn of the event loop."""
    QCoreApplication.processEvents()


def heard(navigation: Navigation) -> list[Change]:
    """The change bits of everything said from now on."""
    said: list[Change] = []
    navigation.changed.connect(lambda _context, change: said.append(change))
    return said


@pytest.fixture
def set_scope(qtbot: QtBot, session: Session, navigation: Navigation) -> Callable[[Scope], None]:
    """Sets another scope, and waits until everybody has heard of it."""

    def set_scope(scope: Scope) -> None:
        turn()  # what changed before is said before
        with qtbot.waitSignal(navigation.changed):
            session.set_scope(scope)

    return set_scope


# ---------------------------------------------------------------- scope


def test_scope_is_another_once_the_answers_are_there(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """Other parts are looked at in the background: the old picture stays until then."""
    draw("main 1", "callgrind.out.7.1")
    draw("main 2", "callgrind.out.7.2")
    open_profile(draw("main 4", "callgrind.out.7"))
    said, scope = heard(navigation), Scope(frozenset({2}))

    with qtbot.waitSignal(navigation.changed):
        session.set_scope(scope)
        meanwhile = navigation.context.scope

    assert (meanwhile, navigation.context.scope) == (WHOLE_SCOPE, scope)
    assert said == [Change.SCOPE]
    event = navigation.context.event
    assert event is not None
    assert asked(session).self_cost(event, navigation.context.scope).tolist() == [2]


def test_last_scope_wins(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """Who moves a slider gets the scope where it stopped, and none between."""
    open_profile(draw(TWO_CYCLES))
    scopes: list[Scope] = []
    navigation.changed.connect(lambda context, _change: scopes.append(context.scope))

    with qtbot.waitSignal(navigation.changed):
        for cut in range(1, 6):
            session.set_scope(Scope(cut=cut / 100))

    assert scopes == [Scope(cut=0.05)]


def test_scope_that_is_taken_back_stays(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, jobs: JobRunner
) -> None:
    """Who changes the scope and returns before the answers are there is where they were."""
    open_profile(draw(TWO_CYCLES))
    said = heard(navigation)

    session.set_scope(NO_CYCLES)
    session.set_scope(WHOLE_SCOPE)
    jobs._pool.waitForDone()
    turn()

    assert (navigation.context.scope, said) == (WHOLE_SCOPE, [])


def test_scope_without_a_profile_is_that_of_the_next(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Whether cycles are found is a setting: it holds for the profile that is opened next."""
    session.set_scope(NO_CYCLES)

    open_profile(draw(TWO_CYCLES))

    assert navigation.context.scope == NO_CYCLES


def test_parts_are_not_those_of_the_next_profile(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    set_scope: Callable[[Scope], None],
) -> None:
    """Part 1 of a profile is none of another; whether cycles are found stays."""
    draw("main 1", "callgrind.out.7.1")
    open_profile(draw("main 2", "callgrind.out.7"))
    set_scope(Scope(frozenset({1}), cycles=False))

    open_profile(draw("main 2", "callgrind.out.8"))

    assert navigation.context.scope == NO_CYCLES


def test_cycles_are_renumbered_with_the_scope(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    set_scope: Callable[[Scope], None],
) -> None:
    """Cycle 2 that became cycle 1 stays active; one that is gone is its first member.

    So it is with what is selected, and on the ways back and forward.
    """
    open_profile(draw(TWO_CYCLES))
    first, second = len(asked(session).names), len(asked(session).names) + 1
    for function in (first, second, number(session, "d"), first):
        navigation.select_function(function)
    navigation.go_back(2)
    navigation.set(selected=first)
    turn()
    before = named(session, (navigation.context.function, *navigation.forward_history))

    set_scope(ONE_CYCLE)

    context = navigation.context
    assert before == ["<cycle 2>", "d <cycle 2>", "<cycle 1>"]
    assert named(session, (context.function, context.selected), ONE_CYCLE) == ["<cycle 1>", "a"]
    assert named(session, navigation.back_history, ONE_CYCLE) == ["a", "main"]
    assert named(session, navigation.forward_history, ONE_CYCLE) == ["d <cycle 1>", "a"]


def test_cycles_that_are_switched_off_are_members(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    set_scope: Callable[[Scope], None],
) -> None:
    """Without cycles the first member is active in the place of its cycle, and stays so."""
    open_profile(draw(TWO_CYCLES))
    navigation.select_function(len(asked(session).names) + 1)

    set_scope(NO_CYCLES)
    without = named(session, (navigation.context.function,), NO_CYCLES)
    way = named(session, navigation.context.stack.nodes, NO_CYCLES)
    set_scope(WHOLE_SCOPE)

    assert (without, way) == (["c"], ["main", "c", "d"])
    assert named(session, (navigation.context.function,)) == ["c <cycle 2>"]


# ---------------------------------------------------------------- groups and filter


def test_groups_are_shown_once_they_are_known(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """Classes take long to find: the old picture stays until then. No groups are there at once."""
    open_profile(draw(WAYS))
    said = heard(navigation)

    with qtbot.waitSignal(navigation.changed):
        session.set_grouping(Grouping.CLASS)
        meanwhile = navigation.context.grouping
    grouped = navigation.context.grouping
    session.set_grouping(Grouping.NONE)

    assert (meanwhile, grouped) == (Grouping.NONE, Grouping.CLASS)
    assert navigation.context.grouping is Grouping.NONE
    assert said == [Change.GROUPING]


def test_no_groups_are_no_groups_though_others_are_looked_for(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, jobs: JobRunner
) -> None:
    """The last choice wins, the one that takes no time, too."""
    open_profile(draw(WAYS))

    session.set_grouping(Grouping.CLASS)
    session.set_grouping(Grouping.NONE)
    jobs._pool.waitForDone()
    turn()

    assert navigation.context.grouping is Grouping.NONE


def test_filter_is_obeyed_once_it_was_matched(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A filter is matched in the background; the last one that was typed wins."""
    open_profile(draw(WAYS))
    said = heard(navigation)

    with qtbot.waitSignal(navigation.changed):
        for text in ("a", "ab", "self>10"):
            session.set_filter(parse_filter(text))
        meanwhile = navigation.context.filter.text

    assert (meanwhile, navigation.context.filter.text) == ("", "self>10")
    assert said == [Change.FILTER]


def test_filter_without_a_profile_is_that_of_the_next(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """A filter that was typed before a profile was opened is obeyed in it."""
    session.set_filter(parse_filter("self>10"))

    open_profile(draw(WAYS))

    assert navigation.context.filter == parse_filter("self>10")


def test_filter_that_is_matched_while_another_profile_comes_is_not_lost(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    jobs: JobRunner,
    qtbot: QtBot,
) -> None:
    """What was typed last is obeyed, though the profile it was typed for is gone."""
    open_profile(draw(WAYS))
    session.open([draw(WAYS, "callgrind.out.2")])
    jobs._pool.waitForDone()  # the new profile is next to be taken

    with qtbot.waitSignal(session.opened):
        session.set_filter(parse_filter("self>10"))
    jobs._pool.waitForDone()
    turn()

    assert navigation.context.filter == parse_filter("self>10")


def test_groups_that_are_looked_for_while_another_profile_comes_are_not_lost(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    jobs: JobRunner,
    qtbot: QtBot,
) -> None:
    """What was chosen last is shown, though the profile it was chosen for is gone."""
    open_profile(draw(f"cmd: prog\n{WAYS}"))
    session.open([draw(f"cmd: prog\n{WAYS}", "callgrind.out.2")])
    jobs._pool.waitForDone()

    with qtbot.waitSignal(session.opened):
        session.set_grouping(Grouping.FILE)
    jobs._pool.waitForDone()
    turn()

    assert navigation.context.grouping is Grouping.FILE


# ---------------------------------------------------------------- the user's events


def test_defined_events_are_offered_at_once_and_later(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """An event of the user's is in the list of the open profile, and of the next one."""
    open_profile(draw(WAYS))
    said = heard(navigation)

    session.set_user_events([UserEvent("Twice", "", "2 Ir")])
    turn()
    offered = navigation.context.events.find("Twice")
    open_profile(draw(WAYS, "callgrind.out.2"))

    assert offered is not None
    assert said[0] == Change.EVENTS
    assert navigation.context.events.find("Twice") == offered
    costs = asked(session).self_cost(offered, WHOLE_SCOPE).tolist()
    assert costs == [2, 40, 20, 90, 40, 10]


def test_defined_events_wait_for_a_profile(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """What is defined while nothing is open is there in the first profile."""
    session.set_user_events([UserEvent("Twice", "", "2 Ir")])

    open_profile(draw(WAYS))

    assert navigation.context.events.find("Twice") is not None


def test_events_that_are_defined_while_a_profile_comes_are_offered_in_it(
    session: Session, navigation: Navigation, draw: Draw, qtbot: QtBot
) -> None:
    """What is defined while a profile is being read is in its list, too."""
    with qtbot.waitSignals([session.opened, session.ended]):
        session.open([draw(WAYS)])
        session.set_user_events([UserEvent("Twice", "", "2 Ir")])

    assert navigation.context.events.find("Twice") is not None


def test_event_that_is_defined_otherwise_stays_chosen(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """The chosen event is found again by its name, and shown by its new formula."""
    session.set_user_events([UserEvent("Own", "", "2 Ir"), UserEvent("Rate", "", "Dr / Ir")])
    open_profile(draw(WAYS))
    own, rate = (event_named(asked(session), name) for name in ("Own", "Rate"))
    navigation.set(event=own, second_event=rate)
    turn()
    said = heard(navigation)

    session.set_user_events([UserEvent("Own", "", "3 Ir"), UserEvent("Rate", "", "Ir / Dr")])
    turn()

    context = navigation.context
    assert context.event is not None
    assert context.second_event is not None
    assert (context.event.name, context.second_event.name) == ("Own", "Rate")
    assert asked(session).self_cost(context.event, WHOLE_SCOPE).tolist() == [3, 60, 30, 135, 60, 15]
    assert asked(session).self_cost(context.second_event, WHOLE_SCOPE)[1] == 20.0
    assert said == [Change.EVENT | Change.EVENTS]


def test_event_that_is_removed_is_chosen_no_more(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """The first event takes the place of a removed one; of the second event none does."""
    session.set_user_events([UserEvent("Own", "", "2 Ir")])
    open_profile(draw(WAYS))
    own = event_named(asked(session), "Own")
    navigation.set(event=own, second_event=own)

    session.set_user_events([])

    context = navigation.context
    assert context.event == event_named(asked(session), "Ir")
    assert (context.second_event, context.events.find("Own")) == (None, None)


# ---------------------------------------------------------------- the way to the active function


def way(session: Session, context: Context) -> tuple[str, str]:
    """The stack and its active entry."""
    names = named(session, context.stack.nodes, context.scope)
    return " ".join(names), names[context.stack.active_index]


def test_way_is_kept_as_far_as_it_can_be(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Going up and down a way keeps it; a call leads on from it; else the costliest way is taken.

    So c is reached through b, which the user chose, though a calls it at a higher cost.
    """
    open_profile(draw(WAYS))
    ways = [way(session, navigation.context)]
    for name in ("c", "a", "b", "c", "e", "main", "a"):
        navigation.select_function(number(session, name))
        ways.append(way(session, navigation.context))
    navigation.go_back()
    ways.append(way(session, navigation.context))

    assert ways == [
        ("main a c d", "main"),
        ("main a c d", "c"),
        ("main a c d", "a"),
        ("main b c d", "b"),
        ("main b c d", "c"),
        ("main b c e", "e"),
        ("main b c e", "main"),
        ("main a c d", "a"),
        ("main a c d", "main"),
    ]


def test_way_is_said_with_the_function(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Views hear of a function and of the way to it at once."""
    open_profile(draw(WAYS))
    said: list[tuple[str, str]] = []
    navigation.changed.connect(lambda context, _change: said.append(way(session, context)))

    navigation.select_function(number(session, "b"))
    turn()
    turn()

    assert said == [("main b c d", "b")]


def test_way_stays_when_the_event_changes(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """In another event the user is where they were; new ways are by its costs, of ratios too."""
    session.set_user_events([UserEvent("Rate", "", "Dr / Ir")])
    open_profile(draw(WAYS))
    ways = []
    for event, name in (("Dr", "main"), ("Dr", "e"), ("Rate", "e"), ("Rate", "b")):
        navigation.set(event=event_named(asked(session), event))
        navigation.select_function(number(session, name))
        ways.append(way(session, navigation.context))

    assert ways == [
        ("main a c d", "main"),
        ("main b c e", "e"),
        ("main b c e", "e"),
        ("main b c e", "b"),
    ]


def test_way_is_found_anew_in_another_scope(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    set_scope: Callable[[Scope], None],
) -> None:
    """With cycles the way leads through them as entries; without, from function to function."""
    open_profile(draw(TWO_CYCLES))
    navigation.select_function(number(session, "d"))
    ways = [way(session, navigation.context)]
    for scope in (NO_CYCLES, ONE_CYCLE):
        set_scope(scope)
        ways.append(way(session, navigation.context))

    assert ways == [
        ("main <cycle 2> d <cycle 2>", "d <cycle 2>"),
        ("main c d", "d"),
        ("main <cycle 1> d <cycle 1>", "d <cycle 1>"),
    ]


def test_no_function_has_no_way(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Where no function is active, there is no way, and no error."""
    open_profile(draw(WAYS))

    navigation.set(function=-1)

    assert navigation.context.stack == CallStack()


# ---------------------------------------------------------------- preparing anew

MANGLED = """
    main 1 -> _ZN3Foo3barEv 1x9
    _ZN3Foo3barEv 5 -> f 1x4
    f 2 -> f'2 1x2
    f'2 2
    """


def prepared(session: Session, navigation: Navigation, qtbot: QtBot, how: Preparation) -> str:
    """The name of the active function once the profile is prepared like this."""
    with qtbot.waitSignals([session.opened, navigation.changed, session.ended]):
        session.prepare_again(how)
    return asked(session).names.name(navigation.context.function)


def test_names_are_made_readable_or_not_without_reading_again(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """The active function, the event and the unit stay; the file need not be there any more."""
    path = draw(MANGLED)
    open_profile(path)
    navigation.select_function(number(session, "_ZN3Foo3barEv"))
    readable = asked(session).names.name(navigation.context.function)
    path.unlink()

    shown = [
        prepared(session, navigation, qtbot, Preparation(demangle=demangle))
        for demangle in (False, True)
    ]

    assert [readable, *shown] == ["Foo::bar()", "_ZN3Foo3barEv", "Foo::bar()"]
    assert session.paths == (path,)


def test_levels_are_folded_or_not(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A function stays active when its levels become one with it, and when they part again."""
    open_profile(draw(MANGLED))
    navigation.select_function(number(session, "f"))

    folded = prepared(session, navigation, qtbot, Preparation(fold_levels=True))
    names = {asked(session).names.name(f) for f in range(asked(session).function_count)}
    parted = prepared(session, navigation, qtbot, Preparation())

    assert (folded, names, parted) == ("f", {"main", "Foo::bar()", "f"}, "f")
    assert asked(session).function_count == 4


def test_level_that_is_folded_is_its_function(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """Who looks at f'2 looks at f when levels are folded, not at main."""
    open_profile(draw(MANGLED))
    navigation.select_function(number(session, "f'2"))

    assert prepared(session, navigation, qtbot, Preparation(fold_levels=True)) == "f"


def test_parts_stay_chosen_when_the_profile_is_prepared_anew(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    set_scope: Callable[[Scope], None],
    qtbot: QtBot,
) -> None:
    """The profile is the same, and so are its parts: the choice of them stays."""
    draw("main 1", "callgrind.out.7.1")
    open_profile(draw("main 2", "callgrind.out.7"))
    set_scope(Scope(frozenset({1})))

    prepared(session, navigation, qtbot, Preparation(demangle=False))

    assert navigation.context.scope == Scope(frozenset({1}))


def test_preparation_without_a_profile_is_that_of_the_next(
    session: Session, draw: Draw, open_profile: OpenProfile
) -> None:
    """Where nothing is open, nothing is prepared; the next profile is prepared like this."""
    begun: list[object] = []
    session.opening.connect(begun.append)

    session.prepare_again(Preparation(demangle=False, fold_levels=True))
    before = list(begun)
    open_profile(draw(MANGLED))

    names = [asked(session).names.name(f) for f in range(asked(session).function_count)]
    assert (before, sorted(names)) == ([], ["_ZN3Foo3barEv", "f", "main"])


def test_profile_that_comes_while_the_preparation_changes_is_opened(
    session: Session, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """Who changes a setting while a file is read gets the file, prepared as is wanted now."""
    open_profile(draw(WAYS))
    path = draw(MANGLED, "callgrind.out.2")
    session.open([path])

    with qtbot.waitSignal(session.opened):
        session.prepare_again(Preparation(demangle=False))

    assert session.paths == (path,)
    assert number(session, "_ZN3Foo3barEv") >= 0
    assert "_ZN3Foo3barEv" in named(session, tuple(range(asked(session).function_count)))


# ---------------------------------------------------------------- places


def test_place_is_where_the_user_is(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A place is named as it was recorded: events, function, grouping."""
    nowhere = session.current_location()
    open_profile(draw("cmd: /bin/prog -x\nevents: Ir Dr\nmain 1,1\n_Z1fv@a.c@/bin/prog 2,2"))
    dr = event_named(asked(session), "Dr")
    navigation.set(event=dr, second_event=dr, function=number(session, "_Z1fv"))
    turn()
    with qtbot.waitSignal(navigation.changed):
        session.set_grouping(Grouping.FILE)

    assert (nowhere, session.program) == (SavedLocation(grouping="none"), "/bin/prog")
    assert session.current_location() == SavedLocation(
        "Dr", "Dr", ("_Z1fv", "a.c", "/bin/prog"), "file"
    )


def test_place_in_a_cycle_is_its_first_member(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Cycles have no names that hold for another run, but their functions have."""
    open_profile(draw(TWO_CYCLES))
    navigation.select_function(len(asked(session).names) + 1)

    assert session.current_location().function == ("c", "???", "???")


def recalled(
    session: Session, navigation: Navigation, qtbot: QtBot, path: Path, place: SavedLocation
) -> tuple[list[str], tuple[str, str, str, Grouping]]:
    """Which programs are recalled on opening, and where the user is then."""
    programs: list[str] = []
    session._load_location = lambda program: programs.append(program) or place  # type: ignore[func-returns-value]
    with qtbot.waitSignals([session.opened, session.ended]):
        session.open([path])
    session.jobs._pool.waitForDone()
    turn()
    context = navigation.context
    assert context.event is not None
    return programs, (
        context.event.name,
        context.second_event.name if context.second_event else "",
        asked(session).names.name(context.function),
        context.grouping,
    )


def test_program_is_opened_where_it_was_left(
    session: Session, navigation: Navigation, draw: Draw, qtbot: QtBot
) -> None:
    """Events, function and grouping of a program are those of its last time."""
    place = SavedLocation("Dr", "Ir", ("e", "???", "???"), "file")

    programs, there = recalled(session, navigation, qtbot, draw(f"cmd: p 1\n{WAYS}"), place)

    assert (programs, there) == (["p"], ("Dr", "Ir", "e", Grouping.FILE))


@pytest.mark.parametrize(
    "place",
    [
        SavedLocation(),
        SavedLocation("Bc", "Bim", ("e", "e.c", "???"), "none"),
        SavedLocation("", "", ("", "", "")),
        SavedLocation("Ir", grouping="no grouping of ours"),
        SavedLocation("Ir", grouping="Grouping.FILE"),
    ],
)
def test_place_that_is_not_there_is_the_beginning(
    session: Session, navigation: Navigation, draw: Draw, qtbot: QtBot, place: SavedLocation
) -> None:
    """Another version of a program may lack what was looked at: it is shown from its main."""
    _, there = recalled(session, navigation, qtbot, draw(WAYS), place)

    assert there == ("Ir", "", "main", Grouping.NONE)


def test_another_run_is_opened_where_the_user_is(
    session: Session, navigation: Navigation, draw: Draw, qtbot: QtBot
) -> None:
    """Between two runs of one program the user stays where they are; memory is for others."""
    away = SavedLocation("Ir", "", ("main", "???", "???"), "none")
    recalled(session, navigation, qtbot, draw(f"cmd: p 1\n{WAYS}"), SavedLocation())
    dr = event_named(asked(session), "Dr")
    navigation.set(event=dr, function=number(session, "b"))

    second = draw(f"cmd: p 2\n{WAYS}", "callgrind.out.2")
    other = draw(f"cmd: q 2\n{WAYS}", "callgrind.out.3")
    same = recalled(session, navigation, qtbot, second, away)
    another = recalled(session, navigation, qtbot, other, away)

    assert same == ([], ("Dr", "", "b", Grouping.NONE))
    assert another == (["q"], ("Ir", "", "main", Grouping.NONE))


def test_another_program_begins_at_its_main_where_nobody_went_elsewhere(
    session: Session, navigation: Navigation, draw: Draw, qtbot: QtBot
) -> None:
    """What a profile without `main` began at is no choice; one that the user made is kept."""
    loader = "_start 1 -> b 1x4\nb 4"
    program = "_start 1 -> main 1x8\nmain 4 -> b 1x4\nb 4"
    names = []
    for index, text in enumerate([loader, program, loader, program]):
        path = draw(f"cmd: p{index}\n{text}", f"callgrind.out.{index}")
        _, there = recalled(session, navigation, qtbot, path, SavedLocation())
        names.append(there[2])
        if index == 2:
            navigation.select_function(number(session, "b"))

    assert names == ["_start", "main", "_start", "b"]


# ---------------------------------------------------------------- code: position and files


def test_position_is_of_one_function(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A line stays selected until another function, or profile, is looked at; not when Back is."""
    open_profile(draw(WAYS))
    line = Position(1, 7)
    kept = {}
    steps: dict[str, Callable[[], object]] = {
        "event": lambda: navigation.set(event=event_named(asked(session), "Dr")),
        "unit": lambda: navigation.set(unit=CostUnit.ABSOLUTE),
        "selection": lambda: navigation.set(selected=number(session, "c")),
        "cycles": lambda: session.set_scope(NO_CYCLES),
        "filter": lambda: session.set_filter(parse_filter("self>1")),
        "same function": lambda: navigation.select_function(navigation.context.function),
        "function": lambda: navigation.select_function(number(session, "c")),
        "back": navigation.go_back,
        "forward": navigation.go_forward,
        "levels": lambda: prepared(session, navigation, qtbot, Preparation(fold_levels=True)),
        "profile": lambda: open_profile(draw(WAYS, "callgrind.out.2")),
    }
    for name, step in steps.items():
        navigation.set(position=line)
        step()
        session.jobs._pool.waitForDone()
        turn()
        kept[name] = navigation.context.position == line

    gone = ("function", "back", "forward", "profile")
    assert kept == {name: name not in gone for name in steps}
    assert navigation.context.position is None


def test_position_concerns_those_who_show_code(navigation: Navigation) -> None:
    """Selecting a line is a change of its own, and so is where files are, and how code is shown."""
    said = heard(navigation)
    for settings in (
        {"position": Position(1, 7)},
        {"position": Position(1, 7, 0x10)},
        {"position": Position(1, 7, 0x10)},
        {"files": FileSearch(bases=("/",))},
        {"annotation": AnnotationStyle(fold_source=True)},
        {"position": None, "annotation": AnnotationStyle()},
    ):
        navigation.set(**settings)
        turn()

    both = Change.POSITION | Change.ANNOTATION
    assert said == [Change.POSITION] * 2 + [Change.ANNOTATION] * 2 + [both]
    assert Change.code_changes() == both


def test_rules_that_are_not_whole_are_left_out(session: Session, navigation: Navigation) -> None:
    """What is still being written, from or to nothing, would find anything: it is no rule yet."""
    whole = PathRule("/build", "/src"), PathRule(".", "/here", "lib*")
    halves = PathRule("/build", ""), PathRule("", "/src"), PathRule("", "", "lib*")
    folders = SearchFolder("/src"), SearchFolder(""), SearchFolder("", "lib*")
    session.set_file_search((halves[0], whole[0], *halves[1:], whole[1]), folders)

    files = navigation.context.files
    assert (files.rules, files.folders) == (whole, folders[:1])


def test_files_are_looked_for_from_the_profile_and_from_here(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Relative names are those of the profile's folder, then of ours; rules stay with each profile.

    A folder of ours that was removed is none.
    """
    one, two, here = (tmp_path / name for name in ("one", "two", "here"))
    for folder in (one, two, here):
        folder.mkdir()
    monkeypatch.chdir(here)
    rules = (PathRule("/build", "/src"),)
    bases = []
    session.set_file_search(rules, ())
    bases.append(session.files.bases)
    for path in (draw("main 1", "one/callgrind.out.1"), draw("main 1", "two/callgrind.out.1")):
        open_profile(path)
        bases.append(session.files.bases)
    here.rmdir()
    session.set_file_search((), ())
    bases.append(session.files.bases)
    kept = navigation.context.files.rules
    session.set_file_search(rules, ())
    open_profile(one / "callgrind.out.1")

    assert bases == [
        (str(here),),
        (str(one), str(here)),
        (str(two), str(here)),
        (str(two),),
    ]
    assert (kept, session.files) == ((), FileSearch(rules, (), (str(one),)))


def test_an_active_cycle_is_found_again(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Where the file is read again, the cycle that was active is, though it has another number."""
    cycle = "a 1 -> b 1x2\nb 1 -> a 1x1"
    path = draw(f"main 1 -> a 1x3\n{cycle}")
    open_profile(path)
    navigation.select_function(asked(session).function_count)
    turn()
    before = named(session, (navigation.context.function,), navigation.context.scope)

    draw(f"main 1 -> x 1x2, a 1x3\nx 1 -> y 1x1\ny 1 -> x 1x1\n{cycle}")
    open_profile(path)

    costs = asked(session).costs(navigation.context.scope)
    active = navigation.context.function - asked(session).function_count + 1
    assert before == ["<cycle 1>"]
    assert active == costs.cycle[number(session, "a")]
    assert costs.cycle[number(session, "x")] not in (0, active)
