"""What differs between base and new besides their costs, and the dialog that lists it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.comparison.comparison import Difference, compare
from qcachegrind_py.analysis.comparison.selections import compare_parts
from qcachegrind_py.app.comparison.bar import DifferencesDialog, differences_text
from qcachegrind_py.app.comparison.summary import Comparability, find_differences
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.progress import NoProgress
from tests.profile_rows import DATA, profile_from
from tests.profile_text import profile_text

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
