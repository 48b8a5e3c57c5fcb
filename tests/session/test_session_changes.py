"""Context changes made by the session: scope, groups, filter, events, the active path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from qcachegrind_py.analysis.calls.call_graph import CallStack
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.present.context import Change, Context, CostUnit, Position
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.session.context import SavedLocation
from qcachegrind_py.session.loading import Preparation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule, SearchFolder
from tests.profile_text import WHOLE_SCOPE
from tests.session.conftest import User

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
MANGLED = """
    main 1 -> _ZN3Foo3barEv 1x9
    _ZN3Foo3barEv 5 -> f 1x4
    f 2 -> f'2 1x2
    f'2 2
    """
NO_CYCLES = Scope(cycles=False)
ONE_CYCLE = Scope(cut=0.1)  # b's call of a costs 1 of 20: it is overlooked
TWICE = UserEvent("Twice", "", "2 Ir")
OVER_TEN = parse_filter("self>10")


# ---------------------------------------------------------------- scope, groups, filter


def test_scope_changes_once_its_results_are_computed(user: User) -> None:
    """A part selection is computed in the background: the old picture stays until then."""
    user.draw("main 1", "callgrind.out.7.1")
    user.draw("main 2", "callgrind.out.7.2")
    user.open(user.draw("main 4", "callgrind.out.7"))
    changes, scope = user.changes(), Scope(frozenset({2}))

    with user.qtbot.waitSignal(user.navigation.changed):
        user.session.set_scope(scope)
        meanwhile = user.context.scope

    assert (meanwhile, user.context.scope) == (WHOLE_SCOPE, scope)
    assert changes == [Change.SCOPE]
    assert user.queries.self_cost(user.event("Ir"), user.context.scope).tolist() == [2]


def test_groups_are_shown_once_computed(user: User) -> None:
    """Classes take long to compute: the old picture stays until then. Ungrouping is immediate."""
    user.open(WAYS)
    changes = user.changes()

    with user.qtbot.waitSignal(user.navigation.changed):
        user.session.set_grouping(Grouping.CLASS)
        meanwhile = user.context.grouping
    grouped = user.context.grouping
    user.session.set_grouping(Grouping.NONE)

    assert (meanwhile, grouped) == (Grouping.NONE, Grouping.CLASS)
    assert user.context.grouping is Grouping.NONE
    assert changes == [Change.GROUPING | Change.COLORS]


def test_filter_applies_once_matched(user: User) -> None:
    """A filter is matched in the background; the one typed last wins."""
    user.open(WAYS)
    changes = user.changes()

    with user.qtbot.waitSignal(user.navigation.changed):
        for text in ("a", "ab", "self>10"):
            user.session.set_filter(parse_filter(text))
        meanwhile = user.context.filter.text

    assert (meanwhile, user.context.filter) == ("", OVER_TEN)
    assert changes == [Change.FILTER]


@pytest.mark.parametrize("is_back", [False, True])
def test_the_last_choice_wins(user: User, is_back: bool) -> None:
    """A slider sets the scope at which it stops, and none in between, also where it began.

    The same holds for groups: the last choice may need no computation.
    """
    user.open(TWO_CYCLES)
    changes = user.changes()
    for cut in (0.01, 0.02, 0.03):
        user.session.set_scope(Scope(cut=cut))
    user.session.set_grouping(Grouping.CLASS)
    if is_back:
        user.session.set_scope(WHOLE_SCOPE)
        user.session.set_grouping(Grouping.NONE)
    user.settle()

    last = (WHOLE_SCOPE, Grouping.NONE) if is_back else (Scope(cut=0.03), Grouping.CLASS)
    assert (user.context.scope, user.context.grouping) == last
    assert sum(bool(change & Change.SCOPE) for change in changes) == (not is_back)


def test_choices_without_a_profile_apply_to_the_next(user: User) -> None:
    """Cycle detection, filter, events and names are chosen before anything is open."""
    begun: list[object] = []
    user.session.opening.connect(begun.append)
    user.session.set_scope(NO_CYCLES)
    user.session.set_filter(OVER_TEN)
    user.session.prepare_again(Preparation(False, fold_levels=True, user_events=(TWICE,)))
    before = list(begun)

    user.open(MANGLED)

    assert (before, user.context.scope, user.context.filter) == ([], NO_CYCLES, OVER_TEN)
    assert user.context.events.find("Twice") is not None
    assert all_names(user) == {"_ZN3Foo3barEv", "f", "main"}


def test_choices_during_loading_apply_to_what_is_loaded(user: User) -> None:
    """They apply even if the profile that they were made for gives way to the next one."""
    user.open(f"cmd: prog\n{WAYS}")
    user.session.open([user.draw(f"cmd: prog\n{WAYS}", "callgrind.out.2")])
    user.session.jobs._pool.waitForDone()  # the new profile is next to be taken

    with user.qtbot.waitSignal(user.session.opened):
        user.session.set_filter(OVER_TEN)
        user.session.set_grouping(Grouping.FILE)
        user.session.set_user_events([TWICE])
    user.settle()

    assert (user.context.filter, user.context.grouping) == (OVER_TEN, Grouping.FILE)
    assert user.context.events.find("Twice") is not None


def test_cycles_are_renumbered_with_the_scope(user: User) -> None:
    """Cycle 2 that became cycle 1 stays active; a cycle that disappears becomes its first member.

    The same applies to the selection and to both histories.
    """
    user.open(TWO_CYCLES)
    first, second = len(user.queries.names), len(user.queries.names) + 1
    for function in (first, second, user.number("d"), first):
        user.navigation.select_function(function)
    user.navigation.go_back(2)
    user.navigation.set(selected=first)
    before = user.named((user.context.function, *user.navigation.forward_history))

    user.set_scope(ONE_CYCLE)

    assert before == ["<cycle 2>", "d <cycle 2>", "<cycle 1>"]
    assert user.named((user.context.function, user.context.selected)) == ["<cycle 1>", "a"]
    assert user.named(user.navigation.back_history) == ["a", "main"]
    assert user.named(user.navigation.forward_history) == ["d <cycle 1>", "a"]


def test_disabled_cycles_become_their_first_members(user: User) -> None:
    """Without cycles the first member is active instead of its cycle, and stays so."""
    user.open(TWO_CYCLES)
    user.navigation.select_function(len(user.queries.names) + 1)

    user.set_scope(NO_CYCLES)
    without, path = user.active, user.named(user.context.stack.nodes)
    user.set_scope(WHOLE_SCOPE)

    assert (without, path) == ("c", ["main", "c", "d"])
    assert user.active == "c <cycle 2>"


# ---------------------------------------------------------------- the user's events


def test_user_events_are_listed_at_once_and_later(user: User) -> None:
    """A user event is listed in the open profile, and in the next one."""
    user.open(WAYS)
    changes = user.changes()

    user.session.set_user_events([TWICE])
    user.turn()
    offered = user.event("Twice")
    user.open(user.draw(WAYS, "callgrind.out.2"))

    assert changes[0] == Change.EVENTS
    assert user.context.events.find("Twice") == offered
    assert user.costs(offered) == [2, 40, 20, 90, 40, 10]


def test_redefined_event_stays_active(user: User) -> None:
    """The active event is found again by its name, and shown by its new formula."""
    user.session.set_user_events([UserEvent("Own", "", "2 Ir"), UserEvent("Rate", "", "Dr / Ir")])
    user.open(WAYS)
    user.navigation.set(event=user.event("Own"), second_event=user.event("Rate"))
    user.turn()
    changes = user.changes()

    user.session.set_user_events([UserEvent("Own", "", "3 Ir"), UserEvent("Rate", "", "Ir / Dr")])
    user.turn()

    own, rate = user.context.event, user.context.second_event
    assert (own, rate) == (user.event("Own"), user.event("Rate"))
    assert (user.costs(own)[:3], user.costs(rate)[1]) == ([3, 60, 30], 20.0)
    assert changes == [Change.EVENT | Change.EVENTS]


def test_removed_event_is_not_active(user: User) -> None:
    """The first event replaces a removed one; the second event is then none."""
    user.session.set_user_events([TWICE])
    user.open(WAYS)
    user.navigation.set(event=user.event("Twice"), second_event=user.event("Twice"))

    user.session.set_user_events([])

    context = user.context
    assert (context.event, context.second_event) == (user.event("Ir"), None)
    assert context.events.find("Twice") is None


# ---------------------------------------------------------------- the path to the active function


def path_of(user: User, context: Context | None = None) -> tuple[str, str]:
    """The stack and its active entry."""
    context = context or user.context
    names = user.named(context.stack.nodes, context.scope)
    return " ".join(names), names[context.stack.active_index]


def test_path_is_kept_as_far_as_possible(user: User) -> None:
    """Moving along a path keeps it; a call extends it; otherwise the costliest path is taken.

    So c is reached through b, which the user chose, although a calls it at a higher cost.
    """
    user.open(WAYS)
    paths = [path_of(user)]
    for name in ("c", "a", "b", "c", "e", "main", "a"):
        user.go(name)
        paths.append(path_of(user))
    user.navigation.go_back()
    paths.append(path_of(user))

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


def test_path_is_emitted_with_the_function(user: User) -> None:
    """Views receive a function and its path in one signal."""
    user.open(WAYS)
    changes: list[tuple[str, str]] = []
    user.navigation.changed.connect(lambda context, _: changes.append(path_of(user, context)))

    user.go("b")
    user.turn()
    user.turn()

    assert changes == [("main b c d", "b")]


def test_path_stays_when_the_event_changes(user: User) -> None:
    """Another event keeps the location; new paths follow its costs, even if it is a ratio."""
    user.session.set_user_events([UserEvent("Rate", "", "Dr / Ir")])
    user.open(WAYS)
    paths = []
    for event, name in (("Dr", "main"), ("Dr", "e"), ("Rate", "e"), ("Rate", "b")):
        user.navigation.set(event=user.event(event))
        user.go(name)
        paths.append(path_of(user))

    assert paths == [
        ("main a c d", "main"),
        ("main b c e", "e"),
        ("main b c e", "e"),
        ("main b c e", "b"),
    ]


def test_path_is_recomputed_in_another_scope(user: User) -> None:
    """With cycles the path contains them as nodes; without, it goes from function to function."""
    user.open(TWO_CYCLES)
    user.go("d")
    paths = [path_of(user)]
    for scope in (NO_CYCLES, ONE_CYCLE):
        user.set_scope(scope)
        paths.append(path_of(user))

    assert paths == [
        ("main <cycle 2> d <cycle 2>", "d <cycle 2>"),
        ("main c d", "d"),
        ("main <cycle 1> d <cycle 1>", "d <cycle 1>"),
    ]


def test_no_function_has_no_path(user: User) -> None:
    """Without an active function there is no path, and no error."""
    user.open(WAYS)
    user.navigation.set(function=-1)

    assert user.context.stack == CallStack()


# ---------------------------------------------------------------- preparing again


def active_after_preparing(user: User, **how: bool) -> str:
    """The name of the active function once the profile is prepared with these options."""
    signals = [user.session.opened, user.navigation.changed, user.session.ended]
    with user.qtbot.waitSignals(signals):
        user.session.prepare_again(Preparation(**how))
    return user.active


def all_names(user: User) -> set[str]:
    """The names of all functions."""
    return set(user.named(range(user.queries.function_count)))


def test_demangling_needs_no_second_reading(user: User) -> None:
    """The active function, the event and the unit stay; the file need not exist any more."""
    path = user.open(MANGLED)
    user.go("_ZN3Foo3barEv")
    readable = user.active
    path.unlink()

    shown = [active_after_preparing(user, demangle=demangle) for demangle in (False, True)]

    assert [readable, *shown] == ["Foo::bar()", "_ZN3Foo3barEv", "Foo::bar()"]
    assert user.session.paths == (path,)


@pytest.mark.parametrize("active", ["f", "f'2"])
def test_recursion_levels_are_folded_and_separated(user: User, active: str) -> None:
    """A function stays active when its levels are folded, and when they are separated.

    f'2 becomes f, and not main.
    """
    user.open(MANGLED)
    user.go(active)

    folded, names = active_after_preparing(user, fold_levels=True), all_names(user)
    parted = active_after_preparing(user)

    assert (folded, names, parted) == ("f", {"main", "Foo::bar()", "f"}, "f")
    assert user.queries.function_count == 4


def test_parts_stay_selected_when_the_profile_is_prepared_again(user: User) -> None:
    """It has the same parts; the selection ends with its profile, and cycle detection is kept."""
    user.draw("main 1", "callgrind.out.7.1")
    user.open(user.draw("main 2", "callgrind.out.7"))
    chosen = Scope(frozenset({1}), cycles=False)
    user.set_scope(chosen)

    active_after_preparing(user, demangle=False)
    prepared = user.context.scope
    user.open(user.draw("main 2", "callgrind.out.8"))

    assert (prepared, user.context.scope) == (chosen, NO_CYCLES)


def test_profile_opens_though_its_preparation_changes(user: User) -> None:
    """A setting changed while a file is being read applies to that file."""
    user.open(WAYS)
    path = user.draw(MANGLED, "callgrind.out.2")
    user.session.open([path])

    with user.qtbot.waitSignal(user.session.opened):
        user.session.prepare_again(Preparation(demangle=False))

    assert user.session.paths == (path,)
    assert "_ZN3Foo3barEv" in all_names(user)


# ---------------------------------------------------------------- locations


def test_location_is_where_the_user_is(user: User) -> None:
    """A location consists of recorded names: events, function, grouping; and of the file."""
    nowhere = user.session.current_location()
    path = user.open("cmd: /bin/prog -x\nevents: Ir Dr\nmain 1,1\n_Z1fv@a.c@/bin/prog 2,2")
    dr = user.event("Dr")
    user.navigation.set(event=dr, second_event=dr, function=user.number("_Z1fv"))
    user.change(lambda: user.session.set_grouping(Grouping.FILE))

    assert (nowhere, user.session.program) == (SavedLocation(grouping="none"), "/bin/prog")
    assert user.session.current_location() == SavedLocation(
        "Dr", "Dr", ("_Z1fv", "a.c", "/bin/prog"), "file", str(path)
    )


def test_location_in_a_cycle_is_its_first_member(user: User) -> None:
    """Cycle names do not hold for another run, but those of their functions do."""
    user.open(TWO_CYCLES)
    user.navigation.select_function(len(user.queries.names) + 1)

    assert user.session.current_location().function == ("c", "???", "???")


def opened_at(
    user: User, path: Path, location: SavedLocation
) -> tuple[list[str], tuple[str, str, str, Grouping]]:
    """Which programs' locations are loaded on opening, and the location that results."""
    programs: list[str] = []
    user.session._load_location = lambda program: programs.append(program) or location  # type: ignore[func-returns-value]
    with user.qtbot.waitSignals([user.session.opened, user.session.ended]):
        user.session.open([path])
    user.settle()
    event, second = user.context.event, user.context.second_event
    assert event is not None
    there = (event.name, second.name if second else "", user.active, user.context.grouping)
    return programs, there


def test_program_opens_at_its_saved_location(user: User) -> None:
    """Events, function and grouping of a program are restored from its last session."""
    location = SavedLocation("Dr", "Ir", ("e", "???", "???"), "file")

    programs, there = opened_at(user, user.draw(f"cmd: p 1\n{WAYS}"), location)

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
def test_missing_location_is_the_start(user: User, location: SavedLocation) -> None:
    """Another version of a program may lack the saved function: it is shown at its start."""
    assert opened_at(user, user.draw(WAYS), location)[1] == ("Ir", "", "c", Grouping.NONE)


def test_another_run_keeps_the_location(user: User) -> None:
    """Two runs of one program share the location; saved locations are for other programs."""
    away = SavedLocation("Ir", "", ("main", "???", "???"), "none")
    opened_at(user, user.draw(f"cmd: p 1\n{WAYS}"), SavedLocation())
    user.navigation.set(event=user.event("Dr"), function=user.number("b"))

    same = opened_at(user, user.draw(f"cmd: p 2\n{WAYS}", "callgrind.out.2"), away)
    another = opened_at(user, user.draw(f"cmd: q 2\n{WAYS}", "callgrind.out.3"), away)

    assert same == ([], ("Dr", "", "b", Grouping.NONE))
    assert another == (["q"], ("Ir", "", "main", Grouping.NONE))


def test_another_program_starts_at_its_hottest_function(user: User) -> None:
    """A function that the user chose is not carried over to one of the same name elsewhere."""
    loader = "_start 1 -> b 1x4\nb 4"
    program = "_start 1 -> main 1x9\nmain 5 -> b 1x4\nb 4"
    names = []
    for index, text in enumerate([loader, program, loader, program]):
        path = user.draw(f"cmd: p{index}\n{text}", f"callgrind.out.{index}")
        names.append(opened_at(user, path, SavedLocation())[1][2])
        if index == 2:
            user.go("b")

    assert names == ["b", "main", "b", "main"]


def test_an_active_cycle_is_found_again(user: User) -> None:
    """A reloaded file keeps the active cycle, though the cycle's number changed."""
    cycle = "a 1 -> b 1x2\nb 1 -> a 1x1"
    user.open(f"main 1 -> a 1x3\n{cycle}")
    user.navigation.select_function(user.queries.function_count)
    before = user.active

    user.open(f"main 1 -> x 1x2, a 1x3\nx 1 -> y 1x1\ny 1 -> x 1x1\n{cycle}")

    costs = user.queries.costs(user.context.scope)
    active = user.context.function - user.queries.function_count + 1
    assert (before, active) == ("<cycle 1>", costs.cycle[user.number("a")])
    assert costs.cycle[user.number("x")] not in (0, active)


# ---------------------------------------------------------------- code: position and files


def test_position_belongs_to_one_function(user: User) -> None:
    """A line stays selected until the function or the profile changes; Back does not restore it."""
    user.open(WAYS)
    line, session, navigation = Position(1, 7), user.session, user.navigation
    kept = {}
    steps: dict[str, Callable[[], object]] = {
        "event": lambda: navigation.set(event=user.event("Dr")),
        "unit": lambda: navigation.set(unit=CostUnit.ABSOLUTE),
        "selection": lambda: navigation.set(selected=user.number("c")),
        "cycles": lambda: session.set_scope(NO_CYCLES),
        "filter": lambda: session.set_filter(parse_filter("self>1")),
        "same function": lambda: navigation.select_function(user.context.function),
        "function": lambda: user.go("c"),
        "back": navigation.go_back,
        "forward": navigation.go_forward,
        "levels": lambda: active_after_preparing(user, fold_levels=True),
        "profile": lambda: user.open(user.draw(WAYS, "callgrind.out.2")),
    }
    for name, step in steps.items():
        navigation.set(position=line)
        step()
        user.settle()
        kept[name] = user.context.position == line

    gone = ("function", "back", "forward", "profile")
    assert kept == {name: name not in gone for name in steps}
    assert user.context.position is None


def test_incomplete_rules_are_ignored(session: Session) -> None:
    """An incomplete rule, from or to nothing, would match anything: it is ignored."""
    whole = PathRule("/build", "/src"), PathRule(".", "/here", "lib*")
    halves = PathRule("/build", ""), PathRule("", "/src"), PathRule("", "", "lib*")
    folders = SearchFolder("/src"), SearchFolder(""), SearchFolder("", "lib*")
    session.set_file_search((halves[0], whole[0], *halves[1:], whole[1]), folders)

    assert (session.navigation.context.files.rules, session.navigation.context.files.folders) == (
        whole,
        folders[:1],
    )


def test_relative_paths_start_at_the_profile_then_here(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relative names are resolved in the profile's folder, then in the current one.

    Path rules stay with their profile, and a removed current folder is skipped.
    """
    one, two, here = (user.folder / name for name in ("one", "two", "here"))
    for folder in (one, two, here):
        folder.mkdir()
    monkeypatch.chdir(here)
    session, rules = user.session, (PathRule("/build", "/src"),)
    bases = []
    session.set_file_search(rules, ())
    bases.append(user.context.files.bases)
    for name in ("one", "two"):
        user.open(user.draw("main 1", f"{name}/callgrind.out.1"))
        bases.append(user.context.files.bases)
    here.rmdir()
    session.set_file_search((), ())
    bases.append(user.context.files.bases)
    kept = user.context.files.rules
    session.set_file_search(rules, ())
    user.open(one / "callgrind.out.1")

    assert bases == [(str(here),), (str(one), str(here)), (str(two), str(here)), (str(two),)]
    assert (kept, user.context.files) == ((), FileSearch(rules, (), (str(one),)))
