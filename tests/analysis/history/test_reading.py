"""Reading of a history: which functions are one row, and that all sums are exact."""

from __future__ import annotations

from pathlib import Path

import pytest

from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.comparison.sides import MatchingRules, substitution
from qcachegrind_py.analysis.history import History, Revision, read_history
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.errors import Cancelled, UnreadableFile
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

DATA = Path(__file__).resolve().parents[2] / "data"


class Files:
    """Drawn profiles by name; counts how often each is read."""

    def __init__(self, drawings: dict[str, str]) -> None:
        self.drawings = drawings
        self.reads: list[str] = []

    def load(self, file: str, progress: Progress) -> Profile:
        progress.check(0.5)
        self.reads.append(file)
        return profile_from(profile_text(self.drawings[file]).encode())


def history_of(*drawings: str, rules: MatchingRules | None = None) -> History:
    files = Files({str(number): drawing for number, drawing in enumerate(drawings)})
    revisions = [Revision(f"r{name}", name) for name in files.drawings]
    return read_history(revisions, files.load, None, rules or MatchingRules())


def self_costs(history: History, event: str = "Ir") -> dict[str, list[int]]:
    """The self costs of each function, by name."""
    return _by_name(history, history.self_cost(_event(history, event)))


def inclusive_costs(history: History) -> dict[str, list[int]]:
    return _by_name(history, history.inclusive(_event(history, "Ir")))


def _by_name(history: History, numbers: CostArray) -> dict[str, list[int]]:
    names = [name for name, _, _ in history.functions]
    return dict(zip(names, numbers.tolist(), strict=True))


def _event(history: History, name: str) -> EventType:
    event = history.event(name)
    assert event is not None
    return event


def test_each_revision_is_a_column() -> None:
    """Costs, counts and totals are those of each profile; the labels are as given."""
    history = history_of(
        "main@a.c@p 1 -> f 2x10\nf@a.c@p 10",
        "main@a.c@p 2 -> f 3x30\nf@a.c@p 30",
        "main@a.c@p 3 -> f 4x50\nf@a.c@p 50",
    )
    assert history.labels == ("r0", "r1", "r2")
    assert history.files == ("0", "1", "2")
    assert history.functions == (("main", "a.c", "p"), ("f", "a.c", "p"))
    assert self_costs(history) == {"main": [1, 2, 3], "f": [10, 30, 50]}
    assert inclusive_costs(history) == {"main": [11, 32, 53], "f": [10, 30, 50]}
    assert history.called.tolist() == [[0, 0, 0], [2, 3, 4]]
    assert history.present.all()
    assert history.totals(_event(history, "Ir")).tolist() == [11, 32, 53]


def test_a_function_that_comes_back_has_its_row() -> None:
    """While it is gone it costs nothing, and it is not present."""
    history = history_of("f@a.c 1\ng@a.c 5", "f@a.c 2", "f@a.c 3", "f@a.c 4\ng@a.c 6")
    assert self_costs(history) == {"f": [1, 2, 3, 4], "g": [5, 0, 0, 6]}
    assert history.present.tolist() == [[True] * 4, [True, False, False, True]]


def test_a_function_that_comes_back_beside_its_successor_is_another_one() -> None:
    """The row of a function that moved to another file belongs to the moved one."""
    history = history_of("f@a.c 1\nm 9", "f@b.c 2\nm 9", "f@b.c 3\nf@a.c 4\nm 9")
    costs = history.self_cost(_event(history, "Ir")).tolist()
    assert dict(zip(history.functions, costs, strict=True)) == {
        ("f", "b.c", "???"): [1, 2, 3],
        ("m", "???", "???"): [9, 9, 9],
        ("f", "a.c", "???"): [0, 0, 4],
    }


def test_the_newest_revision_names_a_function() -> None:
    """Each pair is with the revision before, so that a path may change at every step."""
    history = history_of("f@/b1/s/a.c@/b1/p 1", "f@/b2/s/a.c@/b2/p 2", "f@/b3/s/a.c@/b3/p 3")
    assert history.functions == (("f", "/b3/s/a.c", "/b3/p"),)
    assert self_costs(history) == {"f": [1, 2, 3]}


def test_clones_are_one_row_in_all_revisions() -> None:
    """Clones that one revision alone has are joined when the next one has others."""
    history = history_of(
        "main 1",
        "main 1\nf.constprop.0@a.c 5\nf.part.1@a.c 6",
        "main 1\nf.part.0@a.c 12",
    )
    assert self_costs(history) == {"main": [1, 1, 1], "f": [0, 11, 12]}


def test_a_family_keeps_its_name() -> None:
    """A row with costs of several functions is none of them, also in the revisions behind."""
    old, new = (
        "main@a.c@p 1\n0x10@@p 50\n0x20@@p 60",
        "main@a.c@p 1\n0x30@@p 55\n0x40@@p 56\n0x50@@p 2",
    )
    history = history_of(old, new, new, "main@a.c@p 1\n0x30@@p 70")
    assert self_costs(history) == {"main": [1, 1, 1, 1], "p, no symbols": [110, 113, 113, 70]}
    assert history.members.tolist() == [1, 3]


def test_a_row_with_one_function_has_its_newest_name() -> None:
    """A function that was paired as a family with another one is itself again later."""
    history = history_of("f.isra.0@a.c 1", "f.isra.1@a.c 2", "f.isra.1@a.c 3")
    assert self_costs(history) == {"f.isra.1": [1, 2, 3]}
    assert history.members.tolist() == [1]


def test_a_revision_is_read_again_if_its_functions_are_joined_later() -> None:
    """Calls between the members of a family are recursive, and its inclusive cost excludes them.

    Lambdas with equal numbers are pairs between the first two revisions; the third one has others,
    so that all are one family.
    """
    two = "main@a.c 1 -> h::{lambda#1} 1x30\nh::{lambda#1}@a.c 10 -> h::{lambda#2} 1x20\n"
    two += "h::{lambda#2}@a.c 20"
    other = "main@a.c 1 -> h::{lambda#3} 1x7\nh::{lambda#3}@a.c 7"
    files = Files({"a": two, "b": two, "c": other})
    history = read_history([Revision(name, name) for name in "abc"], files.load)
    assert files.reads == ["a", "b", "c", "a"]
    assert inclusive_costs(history) == {"main": [31, 31, 8], "h::{lambda#…}": [30, 30, 7]}
    assert self_costs(history) == {"main": [1, 1, 1], "h::{lambda#…}": [30, 30, 7]}


def test_a_file_that_changes_in_between_is_an_error() -> None:
    """A revision that is read again must have the same functions."""

    class ChangingFiles(Files):
        def load(self, file: str, progress: Progress) -> Profile:
            profile = super().load(file, progress)
            self.drawings["a"] = "main 1"
            return profile

    two = "h::{lambda#1}@a.c 10\nh::{lambda#2}@a.c 20"
    files = ChangingFiles({"a": two, "b": two, "c": "h::{lambda#3}@a.c 7"})
    with pytest.raises(UnreadableFile, match="changed while the history was read"):
        read_history([Revision(name, name) for name in "abc"], files.load)


def test_events_that_all_revisions_have() -> None:
    """A derived event is there if all revisions have measured all that it consists of."""
    history = history_of(
        "events: Ir I1mr D1mr D1mw Bcm\nf 1,2,3,4,5",
        "events: I1mr D1mr D1mw Ir Bim Bcm\nf 20,30,40,10,50,60",
    )
    assert [event.name for event in history.events] == [
        "I1mr", "D1mr", "D1mw", "Ir", "Bcm", "L1m",
    ]  # fmt: skip
    assert self_costs(history, "L1m") == {"f": [9, 90]}
    assert self_costs(history, "Ir") == {"f": [1, 10]}


def test_recorded_totals() -> None:
    """As in the window, the recorded total counts where it is at least the sum."""
    history = history_of("summary: 100\nf 10", "f 20", "summary: 5\nf 30")
    assert history.totals(_event(history, "Ir")).tolist() == [100, 20, 30]


def test_sums_are_exact() -> None:
    """Costs above 2^53 are not rounded."""
    history = history_of(f"f@a.c {2**62 + 1}", f"f@a.c {2**62 + 3}")
    assert self_costs(history) == {"f": [2**62 + 1, 2**62 + 3]}


def test_rules_hold_at_each_step() -> None:
    """A rule of the user is for all revisions."""
    rules = MatchingRules(name_rules=(substitution("s/_v[0-9]+$//"),))
    history = history_of("f_v1@a.c 1", "f_v2@a.c 2", "f_v3@a.c 3", rules=rules)
    assert self_costs(history) == {"f_v3": [1, 2, 3]}


def test_two_revisions_have_the_numbers_of_a_comparison() -> None:
    """On a real pair of builds, rows and self costs are those of the two sides."""
    files = [DATA / f"comparison/callgrind.out.clones-{level}.xz" for level in ("O2", "O3")]
    history = read_history(
        [Revision(file.name, str(file)) for file in files],
        lambda file, progress: load(file, progress=progress),
    )
    base, new = (load(file) for file in files)
    compared = compare(base, new)
    ir = compared.events[0]
    sides = compared.self_cost(ir)
    rows = len(compared.pairing)
    expected = sorted(zip(sides.base[:rows].tolist(), sides.new[:rows].tolist(), strict=True))
    assert sorted(map(tuple, history.self_cost(_event(history, ir.name)).tolist())) == expected
    totals = [compared.total(ir)[side].base for side in (0, 1)]
    assert history.totals(_event(history, ir.name)).tolist() == totals


def test_reading_reports_progress_and_stops() -> None:
    """The progress never goes back, ends at 1, and cancels between and within files."""

    class Recording:
        def __init__(self, limit: float) -> None:
            self.fractions: list[float] = []
            self.limit = limit

        def check(self, fraction: float, text: str = "") -> None:
            self.fractions.append(fraction)
            if fraction > self.limit:
                raise Cancelled

    files = Files({"a": "f 1", "b": "f 2", "c": "f 3"})
    revisions = [Revision(name, name) for name in "abc"]
    whole = Recording(2)
    read_history(revisions, files.load, whole)
    assert whole.fractions == sorted(whole.fractions)
    assert whole.fractions[-1] == 1
    files.reads.clear()
    with pytest.raises(Cancelled):
        read_history(revisions, files.load, Recording(0.35))
    assert files.reads == ["a"]


def test_a_history_needs_a_revision() -> None:
    with pytest.raises(ValueError, match="needs a revision"):
        read_history([], Files({}).load)
