"""The explanation of estimates, and the command that would record exact costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from qcachegrind_py.analysis.explanation.numbers import exact_recording_command, exactness_text
from qcachegrind_py.formats.loading import load
from tests.profile_rows import DATA, profile_from

TOOL = "To record it: valgrind --tool=callgrind --separate-callers="


def test_text_about_a_cost() -> None:
    """A cost is called exact, or an estimate with its reason and, if there is one, its remedy."""
    estimate = "≈ is an estimate: only direct calls are recorded."
    assert exactness_text(True) == exactness_text(True, "Do this.")
    assert exactness_text(True) == "The cost is exact: it follows from the recorded calls."
    assert (exactness_text(False), exactness_text(False, "Do this.")) == (
        estimate,
        f"{estimate} Do this.",
    )


def profile_text(creator: str, command: str) -> str:
    return f"creator: {creator}\ncmd: {command}\nevents: Ir\n\nfn=main\n1 5\n"


@pytest.mark.parametrize(
    ("creator", "command", "callers", "proof"),
    [
        ("callgrind-3.19.0", "./a.out -x 'a b'", 3, f"{TOOL}3 ./a.out -x 'a b'"),
        ("callgrind-3.19.0", "", 3, f"{TOOL}3 PROGRAM"),
        ("callgrind-3.19.0", "./a", 0, f"{TOOL}1 ./a"),
        ("callgrind-3.19.0", "./a", -7, f"{TOOL}1 ./a"),
        ("callgrind-3.19.0", "./a", 5000, f"{TOOL}100 ./a"),
        ("callgrind-3.19.0", "./a\x01\x7f", 2, rf"{TOOL}2 ./a\x01\x7f"),
        ("callgrind-3.19.0", "x" * 5000, 2, f"{TOOL}2 {'x' * 400}…"),
        ("xdebug 3.2.0 (PHP 8.2)", "a.php", 3, ""),
        ("cachegrind-3.19.0", "./a", 3, ""),
        ("", "./a", 3, ""),
    ],
)
def test_only_callgrind_profiles_get_a_command(
    creator: str, command: str, callers: int, proof: str
) -> None:
    """Callgrind profiles can be recorded with 1 to 100 callers; others get no advice."""
    assert exact_recording_command(profile_from(profile_text(creator, command)), callers) == proof


def test_real_profiles() -> None:
    """The command runs the profiled program; profiles of other tools get none."""
    told = exact_recording_command(load(DATA / "control/callgrind.out.control.2"), 10)
    assert told.startswith(f"{TOOL}10 ")
    assert told.removeprefix(f"{TOOL}10 ") == load(DATA / "control/callgrind.out.control.2").command
    assert exact_recording_command(load(DATA / "yappi/callgrind.out.yappi"), 10) == ""
    assert (
        exact_recording_command(load(Path(DATA, "pprof-heap/callgrind.out.heap-alloc")), 10) == ""
    )
