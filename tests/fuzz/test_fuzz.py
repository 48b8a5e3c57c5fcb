"""A short round of the fuzzer, and the cases that longer rounds have found.

`python -m tests.fuzz --seconds 3600` runs a long one; tests/fuzz/README.md says more.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("the fuzzer limits its processes as Linux does", allow_module_level=True)

from tests.fuzz.campaign import Campaign
from tests.fuzz.cases import KINDS, Case, case_in, case_of
from tests.fuzz.minimising import minimised
from tests.fuzz.worker_process import Worker

pytestmark = pytest.mark.unmeasured  # the package is run in other processes
FOUND = sorted((Path(__file__).parent / "found").glob("*.case"))
SHORT_ROUND = {
    "callgrind": 40,
    "grammar": 20,
    "packed": 40,
    "python": 40,
    "stacks": 40,
    "elf": 40,
    "sources": 30,
    "settings": 40,
    "layouts": 20,
    "reports": 30,
}
"""Numbers of cases: a second or two of each kind, and as much again to start the processes."""


def problems(cases: list[Case]) -> list[str]:
    """What is wrong with these cases, and the name of each."""
    with Campaign() as campaign:
        found = list(campaign.findings(cases))
    return [f"{finding.case.name}: {finding.failure}\n{finding.detail}" for finding in found]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_short_round(kind: str) -> None:
    """No file crashes the program, and it is read alike in all ways; the seeds never change."""
    assert problems([case_of(kind, seed) for seed in range(SHORT_ROUND[kind])]) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted({case_in(path).kind for path in FOUND}))
def test_what_was_found_before(kind: str) -> None:
    """A case that once failed is read without a failure."""
    assert problems([case for case in map(case_in, FOUND) if case.kind == kind]) == []


# ---------------------------------------------------------------- the fuzzer itself


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "failure"),
    [
        (b"well", ""),
        (b"refused", ""),
        (b"exception", "KeyError in failing.py:check"),
        (b"difference", "one and two differ"),
        (b"crash", "died of SIGSEGV"),
        (b"exit", "died of exit code 7"),
        (b"memory", "took too much memory"),
        (b"addresses", "took too much memory"),
        (b"endless", "took too long"),
    ],
)
def test_failures(data: bytes, failure: str) -> None:
    """Each way to fail is noticed, and the next case is read by a new process if need be."""
    with Worker(seconds=3) as worker:
        assert worker.run(Case("failing", data, "")).failure == failure
        assert worker.run(Case("failing", b"well", "")).failure == ""


def test_an_interpreted_worker_imports_no_compiled_module() -> None:
    """Whether or not there are compiled modules, the second worker reads without them."""
    with Worker(interpreted=True) as worker:
        assert worker.run(Case("failing", b"compiled", "")).failure == ""


@pytest.mark.slow
def test_a_finding_is_made_small() -> None:
    """Lines and bytes that the failure does not need are left out; one failure is one finding."""
    data = b"a line\nand another\nwith a crash in it\nand more\n"
    with Campaign() as campaign:
        cases = [Case("failing", data, "one"), Case("failing", data * 2, "two")]
        (finding,) = campaign.findings(cases)
    assert (finding.case, finding.failure) == (Case("failing", b"crash", "one"), "died of SIGSEGV")
    assert campaign.failures == {("failing", "died of SIGSEGV"): 2}


def test_minimised() -> None:
    """What is left fails, and without any line or byte of it there is no failure."""
    data = b"".join(b"%d\n" % number for number in range(100))
    assert minimised(data, lambda part: b"7" in part and b"42" in part) == b"742"
    assert minimised(b"", lambda _part: True) == b""


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_is_a_case(kind: str) -> None:
    """The same seed makes the same case, and another seed another one."""
    assert case_of(kind, 3) == case_of(kind, 3) != case_of(kind, 4)
