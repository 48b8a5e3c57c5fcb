"""What is said of a comparison: names of the sides, totals, and what differs besides costs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.comparison.comparability import Difference
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.selections import compare_parts
from qcachegrind_py.app.comparison.bar import DifferencesDialog, differences_text
from qcachegrind_py.app.comparison.summary import (
    Comparability,
    SideName,
    Summary,
    distinct_names,
    find_differences,
    side_names,
    summarize,
    total_texts,
)
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.session import Session
from tests.profile_rows import DATA, profile_from
from tests.profile_text import THIN, profile_text

PLAIN = NumberStyle(group_separator=",")


def drawn(base: str, new: str) -> Comparison:
    """The comparison of two drawn profiles."""
    return compare(profile_from(profile_text(base)), profile_from(profile_text(new)))


def summary(compared: Comparison, event: str = "Ir", **settings: bool) -> Summary:
    """The totals in an event, with commas between thousands."""
    found = compared.queries.events.find(event)
    assert found is not None
    return summarize(compared, found, PLAIN, **settings)


def test_totals_growth_and_shrinkage_of_two_builds() -> None:
    """Growth and shrinkage are summed apart, and say how many functions make most of them."""
    folder = DATA / "comparison"
    compared = compare(
        load(folder / "callgrind.out.sort-plain.xz"), load(folder / "callgrind.out.sort-digits.xz")
    )

    assert summary(compared) == Summary(
        "Ir",
        "1,022,985",
        "1,955,390",
        f"+932,405 (+91.15{THIN}%)",
        "+1,140,505",
        "−208,100",
        "3 of 4 functions make 95 % of it",
        "1 of 2 functions makes 95 % of it",
    )


def test_equal_totals_are_unchanged() -> None:
    """A profile compared with itself has no growth, and nothing to say of functions."""
    assert summary(drawn("main 5", "main 5")) == Summary("Ir", "5", "5", "unchanged", "0", "0")


def test_a_total_of_nothing_has_no_percentage() -> None:
    """Neither an empty base nor an empty new side is 100 % of anything."""
    grown = summary(drawn("events: Ir", "main 1500\nf 500"))
    shrunk = summary(drawn("main 1500\nf 500", "events: Ir"))

    assert (grown.base, grown.new, grown.change) == ("0", "2,000", "+2,000")
    assert (grown.grown, grown.grown_by) == ("+2,000", "2 functions")
    assert (shrunk.change, shrunk.shrunk, shrunk.grown_by) == ("−2,000", "−2,000", "")


def test_an_event_of_one_side() -> None:
    """Instead of a change from or to 0, the reason stands."""
    compared = drawn("events: Ir Dr\nmain 1,2", "events: Ir Dw\nmain 1,2")

    assert summary(compared, "Dr") == Summary("Dr", note="Dr was measured on one side only")
    assert summary(compared, "Ir").change == "unchanged"


def test_ratios_have_no_growth() -> None:
    """A ratio has a value on each side, but no sum over functions."""
    compared = drawn("events: Ir Dr\nmain 10,2", "events: Ir Dr\nmain 10,4")
    compared.queries.set_user_events([UserEvent("Rate", "", "Dr / Ir")])

    assert summary(compared, "Rate") == Summary(
        "Rate", "0.2000", "0.4000", "+0.2000 (+100.00\N{THIN SPACE}%)"
    )


def test_times_have_their_unit() -> None:
    """Totals are written as everywhere in the window."""
    compared = drawn("events: Time_(10ns)\nmain 100", "events: Time_(10ns)\nmain 300")
    found = compared.queries.events.all[0]

    assert total_texts(compared, found, PLAIN) == ("1.00 µs", "3.00 µs")


def test_recorded_totals_and_what_no_function_has() -> None:
    """With recorded totals, the change is that of the functions and of a remainder."""
    base = profile_from("events: Ir\nsummary: 30\nfn=main\n1 10\n")
    compared = compare(base, profile_from("events: Ir\nsummary: 45\nfn=main\n1 12\n"))

    assert summary(compared) == Summary(
        "Ir",
        "30",
        "45",
        f"+15 (+50.00{THIN}%)",
        "+2",
        "0",
        "1 function",
        "",
        "Not attributed to functions: 20 → 33",
    )
    assert summary(compared, of_recorded=False).new == "12"


Draw = Callable[..., Path]
OpenProfile = Callable[..., None]
THREADS = DATA / "separate-threads" / "callgrind.out.22265"


@pytest.mark.parametrize(
    ("base", "new", "names"),
    [
        (["/a/old.out"], ["/b/new.out"], ("old.out", "new.out")),
        (["/old/cg.out"], ["/new/cg.out"], ("old/cg.out", "new/cg.out")),
        (["/a/1/x/cg.out"], ["/a/2/x/cg.out"], ("1/x/cg.out", "2/x/cg.out")),
        (["cg.out"], ["run/cg.out"], ("cg.out", "run/cg.out")),
        (["/a/cg.out"], ["/a/cg.out"], ("cg.out", "cg.out")),
        (["/a/o.1", "/a/o.2", "/a/o.3"], ["/a/n"], ("o.1 +2", "n")),
        (["/a/\x1b[31m"], ["/a/n"], (r"\x1b[31m", "n")),
    ],
)
def test_files_are_named_with_as_many_folders_as_tell_them_apart(
    base: list[str], new: list[str], names: tuple[str, str]
) -> None:
    """The name of a file is short where that is enough; further files are counted."""
    assert distinct_names(list(map(Path, base)), list(map(Path, new))) == names


def names_in(session: Session) -> tuple[SideName, SideName]:
    """The names of the sides that a session compares."""
    loaded, compared = session.loaded, session.comparison
    assert loaded is not None
    assert compared is not None
    return side_names(loaded, compared)


def test_details_are_all_files_and_the_command(
    session: Session, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """The tip of a name says which file it is, and what was run."""
    base, new = draw("cmd: ./prog 1\nmain 1", "old"), draw("main 2", "new")
    open_profile(new)
    session.comparing.compare_with(ProfileFiles((base,)))
    qtbot.waitUntil(lambda: session.comparison is not None)

    assert names_in(session) == (
        SideName("old", (str(base), "Command: ./prog 1")),
        SideName("new", (str(new),)),
    )


def test_a_file_is_compared_with_what_it_was(
    session: Session, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """Of one file read twice, the older one is called so, also after the sides are swapped."""
    path = draw("main 1")
    os.utime(path, (1, 1))
    open_profile(path)
    assert session.loaded is not None
    before = session.loaded.read
    draw("main 2")
    open_profile(path)
    session.comparing.compare_with(before)
    qtbot.waitUntil(lambda: session.comparison is not None)
    names = [name.short for name in names_in(session)]
    with qtbot.waitSignal(session.ended):
        session.comparing.swap()

    assert names == ["callgrind.out.1 before", "callgrind.out.1"]
    assert [name.short for name in names_in(session)] == names[::-1]


def test_parts_are_named_as_in_the_list_of_parts(
    session: Session, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """One part has its name, several have their number; the details name each."""
    open_profile(THREADS)
    session.comparing.use_parts_as_base([PartId(0)])
    qtbot.waitUntil(lambda: session.comparison is not None)

    labels = [f"PID 22265, part 1, thread {thread}" for thread in (1, 2, 3)]
    assert names_in(session) == (
        SideName(labels[0], (labels[0],)),
        SideName("2 parts", (labels[1], labels[2])),
    )


CYCLE = "main 1 -> f 1x10\nf 5 -> g 1x5\ng 5 -> f 1x1"
NO_CYCLE = "main 1 -> f 1x10\nf 5 -> g 1x5\ng 5"


def found(base: str, new: str) -> Comparability:
    """What differs between two drawn profiles."""
    sides = (profile_from(profile_text(text)) for text in (base, new))
    return find_differences(NoProgress(), compare(*sides))


def test_equal_runs_are_comparable() -> None:
    """Other costs, and other functions, are no difference of the runs."""
    assert found("main 1", "main 2\nf 3") == Comparability()


def test_differences_of_the_runs() -> None:
    """Events of one side come first: they cannot be compared at all."""
    base = "cmd: ./prog 1\nevents: Ir Dr Dw\nmain 1,2,3"
    new = "cmd: ./prog 2\nevents: Ir Bc\nmain 1,2"

    assert found(base, new).differences == (
        Difference("Events", "Dr Dw (only here)", "Bc (only here)"),
        Difference("Command", "./prog 1", "./prog 2"),
    )
    assert found(base, new.replace("Ir Bc", "Dr Ir").replace("2", "1")).differences == (
        Difference("Events", "Dw (only here)", ""),
    )


def test_cycles_of_one_side_alone() -> None:
    """They are listed apart, as the runs are comparable all the same."""
    assert found(NO_CYCLE, CYCLE) == Comparability(
        cycles=(Difference("Cycle 1 of 2 functions", "no cycle", "a cycle of 2 functions"),),
        cycle_count=1,
    )


def test_long_lists_of_cycles_are_cut() -> None:
    """Twenty cycles are listed and all are counted, as are five parts of one of them."""
    base = "\n".join(f"a{n} 5 -> b{n} 1x5\nb{n} 5" for n in range(25))
    new = "\n".join(f"a{n} 5 -> b{n} 1x5\nb{n} 5 -> a{n} 1x1" for n in range(25))
    ring = "\n".join(
        f"a{n} 5 -> b{n} 1x5, a{(n + 1) % 25} 1x1\nb{n} 5 -> a{n} 1x1" for n in range(25)
    )

    many, (one,) = found(base, new), found(new, ring).cycles

    assert (len(many.cycles), many.cycle_count) == (20, 25)
    assert one == Difference(
        "Cycle 1 of 50 functions",
        "25 cycles of 2 + 2 + 2 + 2 + 2 + 20 more functions",
        "a cycle of 50 functions",
    )


def test_chosen_parts_and_threads_are_no_difference() -> None:
    """Parts of one profile are compared because they are different parts."""
    profile = load(*sorted((DATA / "separate-threads").glob("callgrind.out.22265-0[123]")))

    assert len(profile.parts) == 3
    assert find_differences(NoProgress(), compare_parts(profile, [0], [1, 2])).differences == ()


@pytest.fixture
def parent(qapp: QApplication) -> Iterator[QWidget]:
    """A window for dialogs."""
    parent = QWidget()
    yield parent
    parent.deleteLater()


def test_the_dialog_lists_runs_and_cycles(parent: QWidget, qtbot: QtBot) -> None:
    """It explains both, and copies what it shows."""
    both = found(f"cmd: <b>1</b>\n{NO_CYCLE}", f"cmd: 2\n{CYCLE}")
    dialog = DifferencesDialog(both, parent)
    text = dialog.page.toPlainText()

    assert text.splitlines()[:1] == differences_text(both).splitlines()[:1]
    for shown in ("<b>1</b>", "Base", "New", "1 Cycle", "no cycle"):
        assert shown in text
    dialog.copy_button.click()
    assert QApplication.clipboard().text() == differences_text(both)
    assert "Command\t<b>1</b>\t2" in differences_text(both).splitlines()


def test_comparable_runs_are_called_so(parent: QWidget) -> None:
    """Without differences, the dialog says what is equal."""
    dialog = DifferencesDialog(Comparability(), parent)

    assert dialog.page.toPlainText().startswith("Both were recorded alike")
