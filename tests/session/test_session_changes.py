"""Context changes made by the session: scope, groups, filter, events, the active path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.calls.call_graph import CallStack
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.context import (
    AnnotationStyle,
    Change,
    Context,
    CostUnit,
    Position,
)
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.session.context import SavedLocation
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.session.loading import Preparation
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule, SearchFolder
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


def queries_of(session: Session) -> ProfileQueries:
    """The queries of the open profile."""
    assert session.queries is not None
    return session.queries


def number(session: Session, name: str) -> int:
    """The number of the function with this name."""
    return queries_of(session).names.with_name(name)[0]


def named(session: Session, functions: tuple[int, ...], scope: Scope = WHOLE_SCOPE) -> list[str]:
    """The names of functions and cycles."""
    return [queries_of(session).labels(scope).name(function) for function in functions]


def process_turn() -> None:
    """Process one turn of the event loop."""
    QCoreApplication.processEvents()


def changes_of(navigation: Navigation) -> list[Change]:
    """The change bits of every signal from now on."""
    changes: list[Change] = []
    navigation.changed.connect(lambda _context, change: changes.append(change))
    return changes


@pytest.fixture
def set_scope(qtbot: QtBot, session: Session, navigation: Navigation) -> Callable[[Scope], None]:
    """Set another scope, and wait until all signals are delivered."""

    def set_scope(scope: Scope) -> None:
        process_turn()  # deliver earlier changes first
        with qtbot.waitSignal(navigation.changed):
            session.set_scope(scope)

    return set_scope


# ---------------------------------------------------------------- scope


def test_scope_changes_once_its_results_are_computed(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A part selection is computed in the background: the old picture stays until then."""
    draw("main 1", "callgrind.out.7.1")
    draw("main 2", "callgrind.out.7.2")
    open_profile(draw("main 4", "callgrind.out.7"))
    changes, scope = changes_of(navigation), Scope(frozenset({2}))

    with qtbot.waitSignal(navigation.changed):
        session.set_scope(scope)
        meanwhile = navigation.context.scope

    assert (meanwhile, navigation.context.scope) == (WHOLE_SCOPE, scope)
    assert changes == [Change.SCOPE]
    event = navigation.context.event
    assert event is not None
    assert queries_of(session).self_cost(event, navigation.context.scope).tolist() == [2]


def test_last_scope_wins(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A slider being moved sets the scope at which it stops, and none in between."""
    open_profile(draw(TWO_CYCLES))
    scopes: list[Scope] = []
    navigation.changed.connect(lambda context, _change: scopes.append(context.scope))

    with qtbot.waitSignal(navigation.changed):
        for cut in range(1, 6):
            session.set_scope(Scope(cut=cut / 100))

    assert scopes == [Scope(cut=0.05)]


def test_scope_changed_back_stays(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, jobs: JobRunner
) -> None:
    """A scope that is changed back before its results are computed stays as it was."""
    open_profile(draw(TWO_CYCLES))
    changes = changes_of(navigation)

    session.set_scope(NO_CYCLES)
    session.set_scope(WHOLE_SCOPE)
    jobs._pool.waitForDone()
    process_turn()

    assert (navigation.context.scope, changes) == (WHOLE_SCOPE, [])


def test_scope_without_a_profile_applies_to_the_next(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Whether cycles are detected is a setting: it applies to the profile opened next."""
    session.set_scope(NO_CYCLES)

    open_profile(draw(TWO_CYCLES))

    assert navigation.context.scope == NO_CYCLES


def test_part_selection_ends_with_its_profile(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    set_scope: Callable[[Scope], None],
) -> None:
    """The part selection ends with its profile; whether cycles are detected is kept."""
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
    """Cycle 2 that became cycle 1 stays active; a cycle that disappears becomes its first member.

    The same applies to the selection and to both histories.
    """
    open_profile(draw(TWO_CYCLES))
    first, second = len(queries_of(session).names), len(queries_of(session).names) + 1
    for function in (first, second, number(session, "d"), first):
        navigation.select_function(function)
    navigation.go_back(2)
    navigation.set(selected=first)
    process_turn()
    before = named(session, (navigation.context.function, *navigation.forward_history))

    set_scope(ONE_CYCLE)

    context = navigation.context
    assert before == ["<cycle 2>", "d <cycle 2>", "<cycle 1>"]
    assert named(session, (context.function, context.selected), ONE_CYCLE) == ["<cycle 1>", "a"]
    assert named(session, navigation.back_history, ONE_CYCLE) == ["a", "main"]
    assert named(session, navigation.forward_history, ONE_CYCLE) == ["d <cycle 1>", "a"]


def test_disabled_cycles_become_their_first_members(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    set_scope: Callable[[Scope], None],
) -> None:
    """Without cycles the first member is active instead of its cycle, and stays so."""
    open_profile(draw(TWO_CYCLES))
    navigation.select_function(len(queries_of(session).names) + 1)

    set_scope(NO_CYCLES)
    without = named(session, (navigation.context.function,), NO_CYCLES)
    path = named(session, navigation.context.stack.nodes, NO_CYCLES)
    set_scope(WHOLE_SCOPE)

    assert (without, path) == (["c"], ["main", "c", "d"])
    assert named(session, (navigation.context.function,)) == ["c <cycle 2>"]


# ---------------------------------------------------------------- groups and filter


def test_groups_are_shown_once_computed(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """Classes take long to compute: the old picture stays until then. Ungrouping is immediate."""
    open_profile(draw(WAYS))
    changes = changes_of(navigation)

    with qtbot.waitSignal(navigation.changed):
        session.set_grouping(Grouping.CLASS)
        meanwhile = navigation.context.grouping
    grouped = navigation.context.grouping
    session.set_grouping(Grouping.NONE)

    assert (meanwhile, grouped) == (Grouping.NONE, Grouping.CLASS)
    assert navigation.context.grouping is Grouping.NONE
    assert changes == [Change.GROUPING | Change.COLORS]


def test_ungrouping_wins_over_pending_groups(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, jobs: JobRunner
) -> None:
    """The last choice wins, even the one that needs no computation."""
    open_profile(draw(WAYS))

    session.set_grouping(Grouping.CLASS)
    session.set_grouping(Grouping.NONE)
    jobs._pool.waitForDone()
    process_turn()

    assert navigation.context.grouping is Grouping.NONE


def test_filter_applies_once_matched(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A filter is matched in the background; the one typed last wins."""
    open_profile(draw(WAYS))
    changes = changes_of(navigation)

    with qtbot.waitSignal(navigation.changed):
        for text in ("a", "ab", "self>10"):
            session.set_filter(parse_filter(text))
        meanwhile = navigation.context.filter.text

    assert (meanwhile, navigation.context.filter.text) == ("", "self>10")
    assert changes == [Change.FILTER]


def test_filter_without_a_profile_applies_to_the_next(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """A filter typed before a profile was opened applies to it."""
    session.set_filter(parse_filter("self>10"))

    open_profile(draw(WAYS))

    assert navigation.context.filter == parse_filter("self>10")


def test_pending_filter_survives_another_profile(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    jobs: JobRunner,
    qtbot: QtBot,
) -> None:
    """The filter typed last applies, even if the profile it was typed for was replaced."""
    open_profile(draw(WAYS))
    session.open([draw(WAYS, "callgrind.out.2")])
    jobs._pool.waitForDone()  # the new profile is next to be taken

    with qtbot.waitSignal(session.opened):
        session.set_filter(parse_filter("self>10"))
    jobs._pool.waitForDone()
    process_turn()

    assert navigation.context.filter == parse_filter("self>10")


def test_pending_groups_survive_another_profile(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    jobs: JobRunner,
    qtbot: QtBot,
) -> None:
    """The grouping chosen last is shown, even if the profile it was chosen for was replaced."""
    open_profile(draw(f"cmd: prog\n{WAYS}"))
    session.open([draw(f"cmd: prog\n{WAYS}", "callgrind.out.2")])
    jobs._pool.waitForDone()

    with qtbot.waitSignal(session.opened):
        session.set_grouping(Grouping.FILE)
    jobs._pool.waitForDone()
    process_turn()

    assert navigation.context.grouping is Grouping.FILE


# ---------------------------------------------------------------- the user's events


def test_user_events_are_listed_at_once_and_later(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """A user event is listed in the open profile, and in the next one."""
    open_profile(draw(WAYS))
    changes = changes_of(navigation)

    session.set_user_events([UserEvent("Twice", "", "2 Ir")])
    process_turn()
    offered = navigation.context.events.find("Twice")
    open_profile(draw(WAYS, "callgrind.out.2"))

    assert offered is not None
    assert changes[0] == Change.EVENTS
    assert navigation.context.events.find("Twice") == offered
    costs = queries_of(session).self_cost(offered, WHOLE_SCOPE).tolist()
    assert costs == [2, 40, 20, 90, 40, 10]


def test_user_events_wait_for_a_profile(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Events defined while nothing is open are listed in the first profile."""
    session.set_user_events([UserEvent("Twice", "", "2 Ir")])

    open_profile(draw(WAYS))

    assert navigation.context.events.find("Twice") is not None


def test_events_defined_during_loading_are_listed(
    session: Session, navigation: Navigation, draw: Draw, qtbot: QtBot
) -> None:
    """Events defined while a profile is being read are listed in it, too."""
    with qtbot.waitSignals([session.opened, session.ended]):
        session.open([draw(WAYS)])
        session.set_user_events([UserEvent("Twice", "", "2 Ir")])

    assert navigation.context.events.find("Twice") is not None


def test_redefined_event_stays_active(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """The active event is found again by its name, and shown by its new formula."""
    session.set_user_events([UserEvent("Own", "", "2 Ir"), UserEvent("Rate", "", "Dr / Ir")])
    open_profile(draw(WAYS))
    own, rate = (event_named(queries_of(session), name) for name in ("Own", "Rate"))
    navigation.set(event=own, second_event=rate)
    process_turn()
    changes = changes_of(navigation)

    session.set_user_events([UserEvent("Own", "", "3 Ir"), UserEvent("Rate", "", "Ir / Dr")])
    process_turn()

    context = navigation.context
    assert context.event is not None
    assert context.second_event is not None
    assert (context.event.name, context.second_event.name) == ("Own", "Rate")
    assert queries_of(session).self_cost(context.event, WHOLE_SCOPE).tolist() == [
        3,
        60,
        30,
        135,
        60,
        15,
    ]
    assert queries_of(session).self_cost(context.second_event, WHOLE_SCOPE)[1] == 20.0
    assert changes == [Change.EVENT | Change.EVENTS]


def test_removed_event_is_not_active(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """The first event replaces a removed one; the second event is then none."""
    session.set_user_events([UserEvent("Own", "", "2 Ir")])
    open_profile(draw(WAYS))
    own = event_named(queries_of(session), "Own")
    navigation.set(event=own, second_event=own)

    session.set_user_events([])

    context = navigation.context
    assert context.event == event_named(queries_of(session), "Ir")
    assert (context.second_event, context.events.find("Own")) == (None, None)


# ---------------------------------------------------------------- the path to the active function


def path_of(session: Session, context: Context) -> tuple[str, str]:
    """The stack and its active entry."""
    names = named(session, context.stack.nodes, context.scope)
    return " ".join(names), names[context.stack.active_index]


def test_path_is_kept_as_far_as_possible(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Moving along a path keeps it; a call extends it; otherwise the costliest path is taken.

    So c is reached through b, which the user chose, although a calls it at a higher cost.
    """
    open_profile(draw(WAYS))
    paths = [path_of(session, navigation.context)]
    for name in ("c", "a", "b", "c", "e", "main", "a"):
        navigation.select_function(number(session, name))
        paths.append(path_of(session, navigation.context))
    navigation.go_back()
    paths.append(path_of(session, navigation.context))

    assert paths == [
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


def test_path_is_emitted_with_the_function(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Views receive a function and its path in one signal."""
    open_profile(draw(WAYS))
    changes: list[tuple[str, str]] = []
    navigation.changed.connect(lambda context, _change: changes.append(path_of(session, context)))

    navigation.select_function(number(session, "b"))
    process_turn()
    process_turn()

    assert changes == [("main b c d", "b")]


def test_path_stays_when_the_event_changes(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Another event keeps the location; new paths follow its costs, even if it is a ratio."""
    session.set_user_events([UserEvent("Rate", "", "Dr / Ir")])
    open_profile(draw(WAYS))
    paths = []
    for event, name in (("Dr", "main"), ("Dr", "e"), ("Rate", "e"), ("Rate", "b")):
        navigation.set(event=event_named(queries_of(session), event))
        navigation.select_function(number(session, name))
        paths.append(path_of(session, navigation.context))

    assert paths == [
        ("main a c d", "main"),
        ("main b c e", "e"),
        ("main b c e", "e"),
        ("main b c e", "b"),
    ]


def test_path_is_recomputed_in_another_scope(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    set_scope: Callable[[Scope], None],
) -> None:
    """With cycles the path contains them as nodes; without, it goes from function to function."""
    open_profile(draw(TWO_CYCLES))
    navigation.select_function(number(session, "d"))
    paths = [path_of(session, navigation.context)]
    for scope in (NO_CYCLES, ONE_CYCLE):
        set_scope(scope)
        paths.append(path_of(session, navigation.context))

    assert paths == [
        ("main <cycle 2> d <cycle 2>", "d <cycle 2>"),
        ("main c d", "d"),
        ("main <cycle 1> d <cycle 1>", "d <cycle 1>"),
    ]


def test_no_function_has_no_path(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Without an active function there is no path, and no error."""
    open_profile(draw(WAYS))

    navigation.set(function=-1)

    assert navigation.context.stack == CallStack()


# ---------------------------------------------------------------- preparing again

MANGLED = """
    main 1 -> _ZN3Foo3barEv 1x9
    _ZN3Foo3barEv 5 -> f 1x4
    f 2 -> f'2 1x2
    f'2 2
    """


def active_after_loading(
    session: Session, navigation: Navigation, qtbot: QtBot, how: Preparation
) -> str:
    """The name of the active function once the profile is loaded with these options."""
    with qtbot.waitSignals([session.opened, navigation.changed, session.ended]):
        session.prepare_again(how)
    return queries_of(session).names.name(navigation.context.function)


def test_demangling_needs_no_second_reading(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """The active function, the event and the unit stay; the file need not exist any more."""
    path = draw(MANGLED)
    open_profile(path)
    navigation.select_function(number(session, "_ZN3Foo3barEv"))
    readable = queries_of(session).names.name(navigation.context.function)
    path.unlink()

    shown = [
        active_after_loading(session, navigation, qtbot, Preparation(demangle=demangle))
        for demangle in (False, True)
    ]

    assert [readable, *shown] == ["Foo::bar()", "_ZN3Foo3barEv", "Foo::bar()"]
    assert session.paths == (path,)


def test_recursion_levels_are_folded_and_separated(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A function stays active when its recursion levels are folded, and when they are separated."""
    open_profile(draw(MANGLED))
    navigation.select_function(number(session, "f"))

    folded = active_after_loading(session, navigation, qtbot, Preparation(fold_levels=True))
    names = {queries_of(session).names.name(f) for f in range(queries_of(session).function_count)}
    parted = active_after_loading(session, navigation, qtbot, Preparation())

    assert (folded, names, parted) == ("f", {"main", "Foo::bar()", "f"}, "f")
    assert queries_of(session).function_count == 4


def test_folded_level_is_its_function(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """When levels are folded, f'2 becomes f, not main."""
    open_profile(draw(MANGLED))
    navigation.select_function(number(session, "f'2"))

    assert active_after_loading(session, navigation, qtbot, Preparation(fold_levels=True)) == "f"


def test_parts_stay_selected_when_the_profile_is_prepared_again(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    set_scope: Callable[[Scope], None],
    qtbot: QtBot,
) -> None:
    """The profile has the same parts, so their selection stays."""
    draw("main 1", "callgrind.out.7.1")
    open_profile(draw("main 2", "callgrind.out.7"))
    set_scope(Scope(frozenset({1})))

    active_after_loading(session, navigation, qtbot, Preparation(demangle=False))

    assert navigation.context.scope == Scope(frozenset({1}))


def test_preparation_without_a_profile_applies_to_the_next(
    session: Session, draw: Draw, open_profile: OpenProfile
) -> None:
    """Without an open profile the options apply to the next one."""
    begun: list[object] = []
    session.opening.connect(begun.append)

    session.prepare_again(Preparation(demangle=False, fold_levels=True))
    before = list(begun)
    open_profile(draw(MANGLED))

    names = [queries_of(session).names.name(f) for f in range(queries_of(session).function_count)]
    assert (before, sorted(names)) == ([], ["_ZN3Foo3barEv", "f", "main"])


def test_profile_opens_though_its_preparation_changes(
    session: Session, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A setting changed while a file is being read applies to that file."""
    open_profile(draw(WAYS))
    path = draw(MANGLED, "callgrind.out.2")
    session.open([path])

    with qtbot.waitSignal(session.opened):
        session.prepare_again(Preparation(demangle=False))

    assert session.paths == (path,)
    assert number(session, "_ZN3Foo3barEv") >= 0
    assert "_ZN3Foo3barEv" in named(session, tuple(range(queries_of(session).function_count)))


# ---------------------------------------------------------------- locations


def test_location_is_where_the_user_is(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A location consists of recorded names: events, function, grouping; and of the file."""
    nowhere = session.current_location()
    path = draw("cmd: /bin/prog -x\nevents: Ir Dr\nmain 1,1\n_Z1fv@a.c@/bin/prog 2,2")
    open_profile(path)
    dr = event_named(queries_of(session), "Dr")
    navigation.set(event=dr, second_event=dr, function=number(session, "_Z1fv"))
    process_turn()
    with qtbot.waitSignal(navigation.changed):
        session.set_grouping(Grouping.FILE)

    assert (nowhere, session.program) == (SavedLocation(grouping="none"), "/bin/prog")
    assert session.current_location() == SavedLocation(
        "Dr", "Dr", ("_Z1fv", "a.c", "/bin/prog"), "file", str(path)
    )


def test_location_in_a_cycle_is_its_first_member(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile
) -> None:
    """Cycle names do not hold for another run, but those of their functions do."""
    open_profile(draw(TWO_CYCLES))
    navigation.select_function(len(queries_of(session).names) + 1)

    assert session.current_location().function == ("c", "???", "???")


def locations_loaded(
    session: Session, navigation: Navigation, qtbot: QtBot, path: Path, location: SavedLocation
) -> tuple[list[str], tuple[str, str, str, Grouping]]:
    """Which programs' locations are loaded on opening, and the location that results."""
    programs: list[str] = []
    session._load_location = lambda program: programs.append(program) or location  # type: ignore[func-returns-value]
    with qtbot.waitSignals([session.opened, session.ended]):
        session.open([path])
    session.jobs._pool.waitForDone()
    process_turn()
    context = navigation.context
    assert context.event is not None
    return programs, (
        context.event.name,
        context.second_event.name if context.second_event else "",
        queries_of(session).names.name(context.function),
        context.grouping,
    )


def test_program_opens_at_its_saved_location(
    session: Session, navigation: Navigation, draw: Draw, qtbot: QtBot
) -> None:
    """Events, function and grouping of a program are restored from its last session."""
    location = SavedLocation("Dr", "Ir", ("e", "???", "???"), "file")

    programs, there = locations_loaded(
        session, navigation, qtbot, draw(f"cmd: p 1\n{WAYS}"), location
    )

    assert (programs, there) == (["p"], ("Dr", "Ir", "e", Grouping.FILE))


@pytest.mark.parametrize(
    "location",
    [
        SavedLocation(),
        SavedLocation("Bc", "Bim", ("e", "e.c", "???"), "none"),
        SavedLocation("", "", ("", "", "")),
        SavedLocation("Ir", grouping="no grouping of ours"),
        SavedLocation("Ir", grouping="Grouping.FILE"),
    ],
)
def test_missing_location_is_the_start(
    session: Session, navigation: Navigation, draw: Draw, qtbot: QtBot, location: SavedLocation
) -> None:
    """Another version of a program may lack the saved function: it is shown from its main."""
    _, there = locations_loaded(session, navigation, qtbot, draw(WAYS), location)

    assert there == ("Ir", "", "main", Grouping.NONE)


def test_another_run_keeps_the_location(
    session: Session, navigation: Navigation, draw: Draw, qtbot: QtBot
) -> None:
    """Two runs of one program share the location; saved locations are for other programs."""
    away = SavedLocation("Ir", "", ("main", "???", "???"), "none")
    locations_loaded(session, navigation, qtbot, draw(f"cmd: p 1\n{WAYS}"), SavedLocation())
    dr = event_named(queries_of(session), "Dr")
    navigation.set(event=dr, function=number(session, "b"))

    second = draw(f"cmd: p 2\n{WAYS}", "callgrind.out.2")
    other = draw(f"cmd: q 2\n{WAYS}", "callgrind.out.3")
    same = locations_loaded(session, navigation, qtbot, second, away)
    another = locations_loaded(session, navigation, qtbot, other, away)

    assert same == ([], ("Dr", "", "b", Grouping.NONE))
    assert another == (["q"], ("Ir", "", "main", Grouping.NONE))


def test_another_program_starts_at_its_main_unless_the_user_chose_a_function(
    session: Session, navigation: Navigation, draw: Draw, qtbot: QtBot
) -> None:
    """The start of a profile without `main` is not carried over; a function the user chose is."""
    loader = "_start 1 -> b 1x4\nb 4"
    program = "_start 1 -> main 1x8\nmain 4 -> b 1x4\nb 4"
    names = []
    for index, text in enumerate([loader, program, loader, program]):
        path = draw(f"cmd: p{index}\n{text}", f"callgrind.out.{index}")
        _, there = locations_loaded(session, navigation, qtbot, path, SavedLocation())
        names.append(there[2])
        if index == 2:
            navigation.select_function(number(session, "b"))

    assert names == ["_start", "main", "_start", "b"]


# ---------------------------------------------------------------- code: position and files


def test_position_belongs_to_one_function(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A line stays selected until the function or the profile changes; Back does not restore it."""
    open_profile(draw(WAYS))
    line = Position(1, 7)
    kept = {}
    steps: dict[str, Callable[[], object]] = {
        "event": lambda: navigation.set(event=event_named(queries_of(session), "Dr")),
        "unit": lambda: navigation.set(unit=CostUnit.ABSOLUTE),
        "selection": lambda: navigation.set(selected=number(session, "c")),
        "cycles": lambda: session.set_scope(NO_CYCLES),
        "filter": lambda: session.set_filter(parse_filter("self>1")),
        "same function": lambda: navigation.select_function(navigation.context.function),
        "function": lambda: navigation.select_function(number(session, "c")),
        "back": navigation.go_back,
        "forward": navigation.go_forward,
        "levels": lambda: active_after_loading(
            session, navigation, qtbot, Preparation(fold_levels=True)
        ),
        "profile": lambda: open_profile(draw(WAYS, "callgrind.out.2")),
    }
    for name, step in steps.items():
        navigation.set(position=line)
        step()
        session.jobs._pool.waitForDone()
        process_turn()
        kept[name] = navigation.context.position == line

    gone = ("function", "back", "forward", "profile")
    assert kept == {name: name not in gone for name in steps}
    assert navigation.context.position is None


def test_position_has_change_bits_of_its_own(navigation: Navigation) -> None:
    """Selecting a line has a change bit of its own, as have path rules and code display."""
    changes = changes_of(navigation)
    for settings in (
        {"position": Position(1, 7)},
        {"position": Position(1, 7, 0x10)},
        {"position": Position(1, 7, 0x10)},
        {"files": FileSearch(bases=("/",))},
        {"annotation": AnnotationStyle(fold_source=True)},
        {"position": None, "annotation": AnnotationStyle()},
    ):
        navigation.set(**settings)
        process_turn()

    both = Change.POSITION | Change.ANNOTATION
    assert changes == [Change.POSITION] * 2 + [Change.ANNOTATION] * 2 + [both]
    assert Change.code_changes() == both


def test_incomplete_rules_are_ignored(session: Session, navigation: Navigation) -> None:
    """An incomplete rule, from or to nothing, would match anything: it is ignored."""
    whole = PathRule("/build", "/src"), PathRule(".", "/here", "lib*")
    halves = PathRule("/build", ""), PathRule("", "/src"), PathRule("", "", "lib*")
    folders = SearchFolder("/src"), SearchFolder(""), SearchFolder("", "lib*")
    session.set_file_search((halves[0], whole[0], *halves[1:], whole[1]), folders)

    files = navigation.context.files
    assert (files.rules, files.folders) == (whole, folders[:1])


def test_relative_paths_start_at_the_profile_then_here(
    session: Session,
    navigation: Navigation,
    draw: Draw,
    open_profile: OpenProfile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Relative names are resolved in the profile's folder, then in the current one.

    Path rules stay with their profile, and a removed current folder is skipped.
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
    """A reloaded file keeps the active cycle, though the cycle's number changed."""
    cycle = "a 1 -> b 1x2\nb 1 -> a 1x1"
    path = draw(f"main 1 -> a 1x3\n{cycle}")
    open_profile(path)
    navigation.select_function(queries_of(session).function_count)
    process_turn()
    before = named(session, (navigation.context.function,), navigation.context.scope)

    draw(f"main 1 -> x 1x2, a 1x3\nx 1 -> y 1x1\ny 1 -> x 1x1\n{cycle}")
    open_profile(path)

    costs = queries_of(session).costs(navigation.context.scope)
    active = navigation.context.function - queries_of(session).function_count + 1
    assert before == ["<cycle 1>"]
    assert active == costs.cycle[number(session, "a")]
    assert costs.cycle[number(session, "x")] not in (0, active)
