"""The noise of samples: what chance alone changes from one run to the next is no change."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.selections import compare_parts, compare_repeats
from qcachegrind_py.analysis.costs.noise import Sampling
from qcachegrind_py.analysis.costs.scope import BothSides
from qcachegrind_py.formats.loading import load
from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.profile.ids import function_id
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import DATA, profile_from
from tests.profile_text import profile_text


def sampled(folder: Path, **samples: int) -> Profile:
    """A profile of 10,000 samples: of functions that main calls, and the others of main alone."""
    rest = 10_000 - sum(samples.values())
    stacks = [f"main;{name} {count}\n" for name, count in samples.items()]
    path = folder / f"{'-'.join(map(str, samples.values()))}.folded"
    path.write_text("".join([*stacks, f"main {rest}\n"]))
    return load(path)


def changed(comparison: Comparison) -> set[str]:
    """The functions that changed by more than chance."""
    is_changed = comparison.is_changed(comparison.events[0])
    assert is_changed is not None
    names = comparison.queries.names
    rows = np.flatnonzero(is_changed[: len(comparison.pairing)]).tolist()
    return {names.name(function_id(row)) for row in rows}


def test_noise_is_that_of_both_binomial_numbers_of_samples() -> None:
    """340 of 10,000 samples: √(340·0.966) = 18.12; 360: √(360·0.964) = 18.63; both: 25.99."""
    sampling = Sampling((10_000, 10_000), (10_000, 10_000))
    noise = sampling.noise(BothSides(np.array([340]), np.array([360])))
    assert noise.tolist() == pytest.approx([2 * sqrt(340 * 0.966 + 360 * 0.964)])
    assert noise.round(1).tolist() == [52.0]


def test_costs_scale_with_the_cost_of_a_sample() -> None:
    """Samples of 10 ms each: 100 of 1,000 samples are 1,000 ms, and have a noise of 2·9.49·10."""
    sampling = Sampling((1000, 1000), (10_000, 10_000))
    costs = np.array([1000])
    assert sampling.noise(BothSides(np.zeros(1), costs)).tolist() == pytest.approx(
        [2 * sqrt(100 * 0.9) * 10]
    )
    assert sampling.seen(1000, 1) == 100


def test_shares_have_the_noise_of_each_run_by_its_own_length() -> None:
    """Twice as many samples with equal shares: √(0.1·0.9/1000) and √(0.1·0.9/2000), in percent."""
    sampling = Sampling((1000, 2000), (1000, 2000))
    sides = BothSides(np.array([100]), np.array([200]))
    percent = sampling.noise(sides, (100 / 1000, 100 / 2000))
    assert percent.tolist() == pytest.approx([200 * sqrt(0.09 / 1000 + 0.09 / 2000)])


def test_what_all_samples_have_has_no_noise() -> None:
    sampling = Sampling((1000, 1000), (1000, 1000))
    everything = BothSides(np.array([1000]), np.array([1000]))
    assert sampling.noise(everything).tolist() == [0]


def test_a_change_counts_beyond_two_deviations(tmp_path: Path) -> None:
    """From 340 samples, 392 are within 2·√(340·0.966 + 392·0.9608) = 53.1; 394 are not."""
    base = sampled(tmp_path, read=340)
    assert "read" not in changed(compare(base, sampled(tmp_path, read=392)))
    assert "read" in changed(compare(base, sampled(tmp_path, read=394)))


def test_a_function_that_appears_in_few_samples_may_have_been_there_before(tmp_path: Path) -> None:
    """None and 3 are within 2·√3 = 3.5; 5 are more than 2·√5 = 4.5."""
    base = sampled(tmp_path, read=340)
    assert "log" not in changed(compare(base, sampled(tmp_path, read=340, log=3)))
    assert "log" in changed(compare(base, sampled(tmp_path, read=340, log=5)))


def test_exact_costs_have_no_noise(tmp_path: Path) -> None:
    exact = profile_from(profile_text("main 10\n"))
    compared = compare(exact, exact)
    assert compared.is_changed(compared.events[0]) is None
    one_exact = compare(exact, sampled(tmp_path, read=1))
    assert [one_exact.sampling(event) for event in one_exact.queries.events.all] == [None, None]


def test_repeated_runs_show_the_noise_themselves(tmp_path: Path) -> None:
    """3 → 4 samples are within binomial noise, but all runs of one side are below the other's."""
    base, new = (sampled(tmp_path, read=count) for count in (3, 4))
    repeated = compare_repeats([base, base], [new, new])
    event = repeated.events[0]
    assert repeated.sampling(event) is None
    assert "read" in changed(repeated)


def test_threads_are_compared_by_their_own_samples() -> None:
    builder = StackBuilder("threads", "test")
    builder.event("cpu")
    work = builder.frame(builder.function("work"))
    for thread, count in enumerate((3, 5), 1):
        part = builder.part(f"worker {thread}", thread=thread)
        for _ in range(count):
            builder.add(builder.child(part, work), 10)
    profile = builder.profile()
    compared = compare_parts(profile, [0], [1])
    assert compared.sampling(compared.events[0]) == Sampling((3, 5), (30, 50))


def test_samples_are_counted_by_event_unless_an_event_counts_them() -> None:
    """Counters of hardware are sampled each for itself; a profiler may add many samples at once."""
    builder = StackBuilder("counters", "test")
    builder.event("cycles")
    builder.event("misses")
    work = builder.child(builder.part(), builder.frame(builder.function("work")))
    for costs in ((1000, 0), (1000, 0), (0, 7)):
        builder.add(work, *costs)
    assert builder.profile().parts[0].samples == {"cycles": 2, "misses": 1}

    builder.event("samples")
    builder.add(work, 0, 0, 40)
    assert builder.profile().parts[0].samples == {"cycles": 40, "misses": 40, "samples": 40}


def test_stacks_with_exact_costs_are_no_samples() -> None:
    builder = StackBuilder("heap", "test")
    builder.adds_samples = False
    builder.event("bytes")
    builder.add(builder.child(builder.part(), builder.frame(builder.function("work"))), 64)
    assert builder.profile().parts[0].samples is None


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("pyspy.folded", {"samples": 98}),
        ("pyspy.speedscope.json", {"ns": 100}),
        ("austin.folded", {"ns": 119}),
        ("work.perf", {"page-faults": 15, "cpu-clock": 58}),
        ("go-cpu.pb.gz", {"cpu": 185, "samples": 185}),
        ("node-main.cpuprofile", {"ns": 40, "samples": 40}),
        ("go-heap.pb.gz", {}),  # samples of bytes, of any number
        ("pyinstrument.speedscope.json", {}),  # the times of calls, of any number of samples
        ("alloc.dhat", {}),  # each allocation
    ],
)
def test_files_of_samplers_tell_how_many_samples_they_have(
    file: str, expected: dict[str, int]
) -> None:
    counts = Counter[str]()
    for part in load(DATA / "stacks" / file).parts:
        counts.update(part.samples or {})
    assert counts == expected
