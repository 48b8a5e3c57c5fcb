"""What `perf script` prints, with any fields, and what `perf report` says of the same samples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import qcachegrind_py as q
from qcachegrind_py.formats.stacks.perf_script import is_perf_script
from qcachegrind_py.profile.profile import Profile
from tests.formats.stacks.drawn_stacks import drawn, inclusive, load_text, total

DATA = Path(__file__).parents[2] / "data" / "stacks"

STACKS = """\
# ========
# captured on    : Sat Nov 28 06:28:39 2026
# perf version : 6.1.187
# cmdline : /usr/bin/perf record -g ./work 5
# ========
#
work 7/8 84421.003440:        250 cycles:u:
\t            1234 inner+0x4 (/opt/work)
\t            2010 main+0x10 (/opt/work)

work 7/8 [001] 84421.003441:         50 cycles:u:
\t            1234 inner+0x4 (/opt/work)
\t            2010 main+0x10 (/opt/work)

V8 Worker 12 7/9 84421.003442:          1 page-faults:
\t            2018 main+0x18 (/opt/work)

"""


def _stacks(folder: Path, text: str) -> list[str]:
    profile = load_text(folder, text)
    assert not profile.diagnostics
    return drawn(profile)


def test_samples_are_summed_by_thread_event_and_stack(tmp_path: Path) -> None:
    profile = load_text(tmp_path, STACKS)
    assert profile.events.names == ("cycles:u", "page-faults")
    assert (profile.creator, profile.command) == (
        "perf 6.1.187",
        "/usr/bin/perf record -g ./work 5",
    )
    assert drawn(profile) == [
        "work 7/8; main 0x2010 (/opt/work); inner 0x1234 (/opt/work) = 300 0",
        "V8 Worker 12 7/9; main 0x2018 (/opt/work) = 0 1",
    ]


@pytest.mark.parametrize(
    ("first_line", "stack"),
    [
        ("work 8 12.345678:        250 cycles: ", "work 0/8 cycles 250"),
        ("work     8 [000] 12.345678: cycles: ", "work 0/8 cycles 1"),
        ("work 7/8 [000] 12.345678901:  cpu/cycles,ppp/: ", "work 7/8 cpu/cycles,ppp/ 1"),
        (
            "work 8 12.3: sched:sched_switch: prev_comm=a prev_pid=7 ==> next",
            "work 0/8 sched:sched_switch 1",
        ),
        ("work 8 12.3: raw 0x1a2: ", "work 0/8 raw_0x1a2 1"),
        ("V8 Worker 12 8 12.3: 5 cycles: ", "V8 Worker 12 0/8 cycles 5"),
        ("nginx: worker 8 12.3: 5 cycles: ", "nginx: worker 0/8 cycles 5"),
        ("work 8        250 cycles: ", "work 0/8 cycles 250"),
        ("work        cycles:u: ", "work 0/0 cycles:u 1"),
        ("cycles: ", "0/0 cycles 1"),
        ("work 8", "work 0/8 samples 1"),
        ("", "0/0 samples 1"),
        ("swapper     0 [000] 12.3: 5 cycles: ", "swapper 0/0 cycles 5"),
        (":-1    -1 [000] 12.3: 5 cycles: ", ":-1 0/0 cycles 5"),
    ],
)
def test_fields_of_a_sample(first_line: str, stack: str, tmp_path: Path) -> None:
    """`-F` chooses the fields; names of threads may look like other fields."""
    profile = load_text(tmp_path, f"{first_line}\n\t            1234 f (/opt/work)\n\n")
    part = profile.parts[0]
    thread = f"{part.description('Thread')} {part.pid}/{part.thread}".strip()
    assert f"{thread} {profile.events.names[0]} {total(profile, 0)}" == stack
    assert not profile.diagnostics


@pytest.mark.parametrize(
    ("line", "frame"),
    [
        ("1234 f+0x4 (/opt/work)", "f 0x1234 (/opt/work)"),
        ("1234 f (/opt/work (deleted))", "f 0x1234 (/opt/work)"),
        (
            "1234 a<b (*)(int)>(c) const+0x4 (/opt/work)",
            "a<b (*)(int)>(c) const 0x1234 (/opt/work)",
        ),
        ("1234 [unknown] (/opt/work)", "??? 0x1234 (/opt/work)"),
        ("1234 [unknown] ([unknown])", "??? 0x1234"),
        (
            "ffffffff81000130 do_syscall_64+0x71 ([kernel.kallsyms])",
            "do_syscall_64 0xffffffff81000130 ([kernel.kallsyms])",
        ),
        ("1234 f", "f 0x1234"),
        ("1234 (/opt/work)", "??? 0x1234 (/opt/work)"),
        ("1234", "??? 0x1234"),
        ("1234 f+0x4 (/opt/work)\n  /src/work.c:16", "f /src/work.c:16 0x1234 (/opt/work)"),
        ("1234 f+0x4 (/opt/work)\n  work.c:16 (discriminator 3)", "f work.c:16 0x1234 (/opt/work)"),
        ("1234 f+0x4 (/opt/work)\n  ??:0", "f 0x1234 (/opt/work)"),
        ("1234 f+0x4 (/opt/work)\n  work[1234]", "f 0x1234 (/opt/work)"),
        ("1234 f+0x4 (/opt/work)\r", "f 0x1234 (/opt/work)"),
    ],
)
def test_frames(line: str, frame: str, tmp_path: Path) -> None:
    assert _stacks(tmp_path, f"work 8 12.3: 5 cycles: \n\t            {line}\n\n") == [
        f"work 0/8; {frame} = 5"
    ]


def test_inlined_functions_are_in_the_object_at_their_address(tmp_path: Path) -> None:
    """perf prints no object for them; those at another address are in one that is not known."""
    text = """\
work 8 12.3: 5 cycles:
\t            1234 inner+0x4
  inner.h:7 (inlined)
\t            1234 outer+0x4 (/opt/work)
  work.c:16
\t            3000 far+0x4 (inlined)
\t            2010 main+0x10 (/opt/work)
  work.c:30

"""
    assert _stacks(tmp_path, text) == [
        "work 0/8; main work.c:30 0x2010 (/opt/work); far 0x3000; "
        "outer work.c:16 0x1234 (/opt/work); inner inner.h:7 0x1234 (/opt/work) = 5"
    ]


def test_a_line_of_another_file_than_the_functions_is_unknown(tmp_path: Path) -> None:
    text = "".join(
        f"work 8 12.3: 5 cycles:\n\t            {address} f (/opt/work)\n  {place}\n\n"
        for address, place in (("1234", "work.c:16"), ("1238", "inner.h:7"))
    )
    assert _stacks(tmp_path, text) == [
        "work 0/8; f work.c:16 0x1234 (/opt/work) = 5",
        "work 0/8; f work.c:0 0x1238 (/opt/work) = 5",
    ]


def test_a_function_of_a_library_has_one_address_in_all_processes(tmp_path: Path) -> None:
    """Two of a name, whose addresses in their pages differ, keep their own."""
    text = """\
           dd 1 1.0: 5 cycles:  7f1000001234 f+0x4 (/lib/c.so)
            b 2 1.1: 5 cycles:  7f2000001238 f+0x8 (/lib/c.so)
            b 2 1.2: 5 cycles:  7f2000005678 f+0x8 (/lib/c.so)
"""
    assert _stacks(tmp_path, text) == [
        "dd 0/1; f 0x7f1000001234 (/lib/c.so) = 5",
        "b 0/2; f 0x7f1000001238 (/lib/c.so) = 5",
        "b 0/2; f 0x7f2000005678 (/lib/c.so) = 5",
    ]


@pytest.mark.parametrize("time", ["12.3: ", ""])
def test_samples_without_stacks_have_their_function_in_their_line(
    time: str, tmp_path: Path
) -> None:
    text = f"""\
            work 8 {time}5 cycles:      1234 f+0x4 (/opt/work)
  work.c:16
            work 8 {time}7 cycles:      1234 f+0x4 (/opt/work)
  work.c:16
            work 8 {time}2 cycles:      1300 g (/opt/work)
"""
    assert _stacks(tmp_path, text) == [
        "work 0/8; f work.c:16 0x1234 (/opt/work) = 12",
        "work 0/8; g 0x1300 (/opt/work) = 2",
    ]


def test_an_event_without_a_stack_counts(tmp_path: Path) -> None:
    text = STACKS + "work 8 12.3: 7 cycles:u:\n\nwork 7/8 12.4: PERF_RECORD_COMM: work:7/8\n"
    assert _stacks(tmp_path, text)[-1] == "work 0/8; ??? = 7 0"


def test_blanks_in_place_of_tabs_and_no_empty_lines_between_samples(tmp_path: Path) -> None:
    text = STACKS.replace("\t", " " * 8).replace("\n\n", "\n")
    assert _stacks(tmp_path, text) == _stacks(tmp_path, STACKS)


def test_events_are_in_the_order_of_the_header(tmp_path: Path) -> None:
    """The one that was recorded first is the first to be seen, whichever has the first sample."""
    assert q.load(DATA / "work.perf").events.names == ("cpu-clock", "page-faults")
    names = ("cpu/cycles,name=a/", "page-faults", "cycles:u")
    header = "".join(f"# event : name = {each}, , id = {{ 1 }}\n" for each in (*names, "dummy:HG"))
    assert (
        load_text(tmp_path, STACKS.replace("# cmdline", header + "# cmdline")).events.names == names
    )


def test_periods_of_clocks_are_nanoseconds(tmp_path: Path) -> None:
    units = []
    for period in ("", "1001001 "):
        text = f"work 8 12.3: {period}cpu-clock:u:\n\t            1234 f (/opt/work)\n\n"
        event = load_text(tmp_path, text).events.measured[0]
        units.append((event.name, event.long_name))
    assert units == [("cpu-clock:u", ""), ("cpu-clock:u", "cpu-clock:u (ns)")]


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_of_a_cut_file_the_last_sample_is_left_out(cut: int, tmp_path: Path) -> None:
    profile = load_text(tmp_path, STACKS[: -1 - cut])
    assert drawn(profile) == [
        "work 7/8; main 0x2010 (/opt/work); inner 0x1234 (/opt/work) = "
        + ("300 0" if len(profile.events.names) > 1 else "300")
    ]
    assert [(each.kind, each.message) for each in profile.diagnostics] == [
        ("cut", "The file ends in a sample, which is left out.")
    ]


def test_odd_lines_are_reported(tmp_path: Path) -> None:
    profile = load_text(tmp_path, STACKS + "x" * 20_000 + "\nhello\n\n" + STACKS)
    assert total(profile, 0) == 600
    assert [(each.line, each.kind) for each in profile.diagnostics] == [
        (18, "no-sample"),
        (19, "no-sample"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "main;f 12\n",
        "hello\n\nworld\n",
        "fn: main\n  add (x)\n",
        "# perf\n",
        '{"a": 1}\n\t1\n',
        "fn: x\n  add x (y)\n",
        "12:30 start: ok\n\t- item (1)\n",
    ],
)
def test_other_text_is_none(text: str) -> None:
    assert not is_perf_script(text.encode())


def test_a_stack_of_a_million_functions_and_a_source_of_a_million_lines(tmp_path: Path) -> None:
    """Both are bounded, and read in linear time."""
    deep = "".join(f"\t{number:16x} f (/opt/work)\n" for number in range(1_000_000))
    profile = load_text(tmp_path, f"work 8 1.0: 5 cycles:\n{deep}\n")
    assert profile.contexts is not None
    assert (len(profile.contexts), total(profile, 0)) == (10_000, 5)
    sources = "  work.c:1\n" * 1_000_000
    profile = load_text(tmp_path, f"work 8 1.0: 5 cycles:\n\t{1:16x} f (/a)\n{sources}\n")
    assert total(profile, 0) >= 5


_ROW = re.compile(r" *(?:(?P<share>[\d.]+)% )? *(?P<period>\d+)  \[(?:\.|k)\] (?P<name>.+?) *")
_EVENT = re.compile(r"# Samples: \d+  of event '(.*)'\n# Event count \(approx.\): (\d+)\n")


def _reported(name: str) -> dict[str, tuple[int, list[tuple[str, str, int]]]]:
    """Return what perf reports of each event: its total, and names with shares and self costs.

    Names that were found in several ways, and addresses without a name, are left out.
    """
    pieces = _EVENT.split((DATA / f"{name}.perf-report").read_text())[1:]
    result = {}
    for event, event_total, table in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        rows = [row for line in table.splitlines() if (row := _ROW.fullmatch(line))]
        names = [row["name"].removesuffix(" (inlined)") for row in rows]
        result[event] = (
            int(event_total),
            [
                (each, row["share"] or "", int(row["period"]))
                for each, row in zip(names, rows, strict=True)
                if names.count(each) == 1 and not re.fullmatch("(0x)?[0-9a-f]{16}", each)
            ],
        )
    return result


@pytest.mark.parametrize("name", ["work", "work-flat"])
def test_costs_are_those_that_perf_reports(name: str) -> None:
    profile = q.load(DATA / f"{name}.perf")
    assert not profile.diagnostics
    reported = _reported(name)
    assert set(profile.events.names) == set(reported)
    for number, event in enumerate(profile.events.names):
        event_total, rows = reported[event]
        assert total(profile, number) == event_total
        costs = inclusive(profile, number)
        assert {each: cost for each, _, cost in rows if cost} == {
            each: cost for each, (cost, _) in costs.items() if cost
        }
        if name == "work":  # without stacks, perf reports no shares
            assert {each: share for each, share, _ in rows} == {
                each: f"{100 * cost / event_total:.2f}"
                for each, (_, cost) in costs.items()
                if cost and each != "???"
            }


def test_shares_of_inlined_functions_are_those_that_perf_reports() -> None:
    """A part of a function, whose name perf prints without its suffix, is left out."""
    profile = q.load(DATA / "work-inlined.perf")
    assert not profile.diagnostics
    event_total, rows = _reported("work-inlined")["cpu-clock"]
    assert total(profile) == event_total
    costs = inclusive(profile)
    expected = {each: share for each, share, _ in rows if not each.endswith(".part.0")}
    assert expected == {each: f"{100 * costs[each][1] / event_total:.2f}" for each in expected}
    assert (expected["mix"], expected["hash_words"]) == ("42.86", "52.38")


def test_inlined_functions_and_lines_of_a_real_file() -> None:
    profile = q.load(DATA / "work-inlined.perf")
    stacks = "\n".join(drawn(profile))
    assert (
        "hash_words work.c:16 0x124e (/tmp/work/work); mix work.c:8 0x124e (/tmp/work/work)"
        in stacks
    )


_WORDS = st.sampled_from(
    [
        "work 8 12.3: 5 cycles:",
        "work 8",
        "\n",
        "\n\n",
        "\t",
        " " * 12,
        "1234",
        " f+0x4",
        " (/opt/work)",
        " (inlined)",
        "\n  work.c:16",
        "99999999999999999999",
        ":",
        "+0xffffffffffffffff",
        "# cmdline : x\n",
        "# perf version :",
        "PERF_RECORD_COMM: x",
        "[unknown]",
        "\udcff",
        "\r",
    ]
)


@given(st.lists(_WORDS, max_size=40).map("".join))
def test_any_text_opens_or_is_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.perf"
    path.write_bytes(STACKS.encode() + text.encode("utf-8", "surrogateescape"))
    profile: Profile = q.load(path)
    assert total(profile, 0) >= 300
