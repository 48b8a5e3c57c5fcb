"""Bad input gives a named error, or a profile with diagnostics and line numbers.

Never a traceback, a hang, or a silent zero.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.formats.saved_views import views_text
from tests.formats.callgrind import reference_reader
from tests.profile_rows import (
    DATA,
    call_rows,
    cost_rows,
    cost_table,
    diagnostic_rows,
    profile_from,
    text_bytes,
)

HEAD = "events: Ir\nfn=f\n"
WHOLE = (DATA / "separate-threads" / "callgrind.out.22265-02").read_bytes()
REMEDY = re.escape(
    "Record one with valgrind --tool=callgrind; profiles of Python, pprof, perf script, "
    "speedscope, Firefox Profiler, .cpuprofile, DHAT and folded stacks open as well."
)


# ------------------------------------------------------------ no profile at all


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty."),
        (b"\n \n\t\n", "is empty."),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), "is a picture, not a profile."),
        (b"\xff\xd8\xff\xe0" + bytes(500), "is a picture, not a profile."),
        (b"\x7fELF\2\1\1" + bytes(5000), "is a program, not a profile."),
        (bytes(range(256)) * 500, "is binary data, not a profile."),
        (views_text(()).encode(), "is a file of saved views, not a profile."),
        (
            b"import time: self [us] | cumulative | imported package\nimport time:   132 |\n",
            "is a log of python -X importtime, not a profile.",
        ),
        (b'{"version": 1}', "is JSON, not a profile."),
        (b"hello\nworld\n", "is not a profile of a known format."),
        (b"an events: Ir in mid-line\n", "is not a profile of a known format."),
        ("events\n".encode("utf-16"), "is not a profile of a known format."),
    ],
)
def test_no_profile(content: bytes, reason: str) -> None:
    """A file that is no profile is named by its kind, with a remedy."""
    with pytest.raises(q.NotAProfile, match=re.escape(reason) + " " + REMEDY) as caught:
        profile_from(content)
    assert caught.value.reason == reason


def test_a_header_far_from_the_start() -> None:
    """Only the first 64 kB decide: `events:` behind them does not make a text a profile."""
    with pytest.raises(q.NotAProfile):
        profile_from(b"words\n" * 12_000 + b"events: Ir\nfn=f\n1 5\n")


# ------------------------------------------------------------ headers and costs


@pytest.mark.parametrize("header", ["# callgrind format\n", "version: 1\n", "events: Ir\n"])
def test_a_header_alone(header: str) -> None:
    """A header without costs is an empty profile, with a diagnostic."""
    profile = profile_from(header)
    assert (len(profile.costs), len(profile.calls)) == (0, 0)
    assert [(odd.line, odd.kind, odd.message) for odd in profile.diagnostics] == [
        (0, "no-costs", "The file has a header but no costs: nothing was collected.")
    ]


@pytest.mark.parametrize(
    "events", ["", "events:\n", "events: \t \n"], ids=["missing", "empty", "blank"]
)
def test_costs_before_events(events: str) -> None:
    """Costs before any events are an error with the line number."""
    with pytest.raises(q.InvalidProfile) as caught:
        profile_from(f"version: 1\n{events}fn=f\n16 20\nevents: Ir\n")
    line = 4 if events else 3
    assert caught.value.line == line
    assert str(caught.value).endswith(
        f"drawing.1:{line} has costs before any events: line (“16 20”). "
        "The events: line names what was counted."
    )


def test_costs_before_events_in_the_second_file() -> None:
    """The events of one file do not apply to another."""
    with pytest.raises(q.InvalidProfile) as caught:
        profile_from("events: Ir\nfn=f\n1 5\n", "version: 1\nfn=f\n1 5\n")
    assert (Path(caught.value.path).name, caught.value.line) == ("drawing.2", 3)


@pytest.mark.parametrize(
    ("drawing", "wanted", "odd"),
    [
        ("1 5 6 7\n", {"f": (5, 5, 0)}, [(3, "surplus-costs")]),
        ("1 5 x\n", {"f": (5, 5, 0)}, [(3, "text-after-costs")]),
        ("1 2.5\n", {"f": (2, 2, 0)}, [(3, "text-after-costs")]),
        ("1.5 3\n", {"f": (3, 3, 0)}, [(3, "bad-position")]),
        ("5 1\n-9 2\n", {"f": (3, 3, 0)}, [(4, "negative-line")]),
        ("+ 1\n", {"f": (1, 1, 0)}, [(3, "bad-position")]),
        ("hello world\n1 1\n", {"f": (1, 1, 0)}, [(3, "unknown-line")]),
        ("foo=bar\n1 1\n", {"f": (1, 1, 0)}, [(3, "unknown-line")]),
        ("key: value\n1 1\n", {"f": (1, 1, 0)}, [(3, "unknown-line")]),
        ("events\n1 1\n", {"f": (1, 1, 0)}, [(3, "unknown-line")]),
        ("cfn=g\ncalls=x\n1 5\n", {"f": (0, 5, 0), "g": (0, 0, 0)}, [(4, "bad-count")]),
        ("cfn=g\ncalls=\n1 5\n", {"f": (0, 5, 0), "g": (0, 0, 0)}, [(4, "bad-count")]),
        (
            "cfn=g\ncalls=1 1\ncalls=2 1\n1 5\n",
            {"f": (0, 5, 0), "g": (0, 5, 2)},
            [(5, "call-without-cost")],
        ),
        (
            "jump=1 2\ncfn=g\ncalls=1 1\n1 5\n",
            {"f": (0, 5, 0), "g": (0, 5, 1)},
            [(5, "jump-without-source")],
        ),
    ],
)
def test_invalid_lines(
    drawing: str, wanted: dict[str, tuple[int, int, int]], odd: list[tuple[int, str]]
) -> None:
    """An invalid line is a diagnostic with its number, and does not affect other lines."""
    profile = profile_from(HEAD + drawing)
    assert cost_table(profile) == wanted
    assert diagnostic_rows(profile) == odd


def test_costs_without_a_function() -> None:
    """Costs before any `fn=` belong to an unknown function."""
    profile = profile_from("events: Ir\n1 5\n2 6\nfn=f\n3 7\n")
    assert cost_table(profile) == {"": (11, 11, 0), "f": (7, 7, 0)}
    assert diagnostic_rows(profile) == [(2, "no-function")]


def test_many_diagnostics_are_counted_and_some_are_kept() -> None:
    """A hundred diagnostics of a kind are kept, with their lines; all are counted."""
    profile = profile_from(HEAD + "1 5 6\n" * 250 + "x\n" * 3)
    assert diagnostic_rows(profile) == [
        *((line, "surplus-costs") for line in range(3, 103)),
        *((line, "unknown-line") for line in (253, 254, 255)),
    ]
    assert profile.diagnostic_count == 253


def test_lines_between_unknown_ones_are_read() -> None:
    """Unknown lines, which are passed over together, end where any other line begins."""
    lines = (
        "junk",
        "more junk: here",
        "1 5",  # line 5
        "junk",
        " junk behind a blank",
        "fn=g",  # line 8
        "2 7",
        "Desc: junk",
        "descr: junk",
        "desc: a header line, which begins a part",  # line 12
        "junk",
        "fn=h",  # line 14
        "3 9",
    )
    profile = profile_from(HEAD + "\n".join(lines) + "\n")
    assert cost_table(profile) == {"f": (5, 5, 0), "g": (7, 7, 0), "h": (9, 9, 0)}
    assert [part.header for part in profile.parts][1] == (
        ("desc", "a header line, which begins a part"),
    )
    assert diagnostic_rows(profile) == [(line, "unknown-line") for line in (3, 4, 6, 7, 10, 11, 13)]


def test_messages_are_plain_and_short() -> None:
    """A message quotes the line: unprintable ones as escapes, and at most 80 characters."""
    profile = profile_from(b"events: Ir\nfn=f\n1 5\nbell\x07 \xff\x1b[31m\n" + b"y" * 5000 + b"\n")
    assert [odd.message for odd in profile.diagnostics] == [
        "Unknown line; ignored: “bell\\x07 \\xff\\x1b[31m”.",
        f"Unknown line; ignored: “{'y' * 80}…”.",
    ]


# ------------------------------------------------------------ bytes that are no text


def test_nul_bytes() -> None:
    """A NUL ends neither a line nor the reading; in a name it is an ordinary byte."""
    profile = profile_from(b"events: Ir\nfn=f\n1 5\0\n2 6\n\0\0\nfn=g\0h\n4 8\n1\0 7\n")
    assert cost_table(profile) == {"f": (11, 11, 0), "g\0h": (15, 15, 0)}
    assert diagnostic_rows(profile) == [
        (3, "text-after-costs"),
        (5, "unknown-line"),
        (8, "bad-position"),
    ]


def test_crlf() -> None:
    """Lines may end with CR LF: no name, key or number contains the CR."""
    profile = profile_from(
        b"version: 1\r\ncmd: a b\r\npositions: line\r\nevents: Ir Dr\r\nfl=(1) a.c\r\nfn=(1) f\r\n"
        b"1 5\r\n\r\n# x\r\ncfn=(2) g\r\ncalls=1 1\r\n2 6 7\r\njcnd=1/2 3\r\n4\r\n"
        b"fn=(2)\r\n5 1 \r\ntotals: 6 0\r\n"
    )
    assert cost_table(profile) == {"f": (5, 11, 0), "g": (1, 6, 1)}
    assert profile.parts[0].command == "a b"
    assert profile.events.names == ("Ir", "Dr")
    assert diagnostic_rows(profile) == []


@pytest.mark.slow
def test_a_line_of_ten_megabytes() -> None:
    """A name of 10 MB is valid; a number of 10 MB is too large, with a diagnostic."""
    name = "x" * 10_000_000
    profile = profile_from(
        f"{HEAD}1 5\nfn={name}\n2 6\nfn=f\n3 {'9' * 10_000_000}\n4 7\n# {name}\n"
    )
    assert profile.function_name(1) == name
    costs = [row.costs for row in cost_rows(profile)]
    assert costs[:2] + costs[3:] == [(5,), (6,), (7,)]
    assert (7, "huge-number") in diagnostic_rows(profile)
    assert all(len(odd.message) < 250 for odd in profile.diagnostics)


@pytest.mark.slow
def test_a_line_longer_than_sixteen_megabytes() -> None:
    """The rest of such a line is skipped, with a diagnostic; the next lines are read."""
    profile = profile_from(f"{HEAD}1 5\nfn={'x' * 40_000_000}\n2 6\nfn=g\n3 7\n")
    names = [profile.function_name(n) for n in range(3)]
    assert (names[0], names[1][:9], names[2]) == ("f", "xxxxxxxxx", "g")
    assert len(names[1]) < 20_000_000
    assert [row.costs for row in cost_rows(profile)] == [(5,), (6,), (7,)]
    assert diagnostic_rows(profile) == [(4, "long-line")]


# ------------------------------------------------------------ hostile numbers and names


def test_huge_ids_are_not_used_as_indexes() -> None:
    """An id of 10^18 takes no more memory than an id of 1."""
    profile = profile_from(
        f"events: Ir\nfl=({10**18}) a.c\nfn=({10**18}) f\n1 1\nfn=({2**64 - 1}) g\n1 2\n"
        f"fl=(0) b.c\nfn=({10**18})\n1 4\nfn=({2**64 - 1})\n1 8\nfn=({2**63}) h\n1 16\n"
    )
    assert cost_table(profile) == {"f": (5, 5, 0), "g": (10, 10, 0), "h": (16, 16, 0)}
    assert diagnostic_rows(profile) == []


def test_an_id_beyond_64_bits_is_reported() -> None:
    """An id that does not fit is reduced to its lowest bits, with a diagnostic."""
    profile = profile_from(f"events: Ir\nfn=({2**64 + 7}) f\n1 1\nfn=(7)\n1 2\n")
    assert cost_table(profile) == {"f": (3, 3, 0)}
    assert diagnostic_rows(profile) == [(2, "huge-number")]


@pytest.mark.parametrize("key", ["summary", "totals"])
def test_recorded_sums_beyond_64_bits_are_reported(key: str) -> None:
    """A recorded number that does not fit gives the same diagnostic as a counter."""
    profile = profile_from(f"events: Ir\n{key}: {2**64 + 5}\nfn=f\n1 5\n")
    assert cost_table(profile) == {"f": (5, 5, 0)}
    assert [line for line, _kind in diagnostic_rows(profile)] == [2]


@pytest.mark.parametrize(
    "line",
    [
        "summary: {}",
        "totals: {}",
        "pid: {}",
        "part: {}",
        "event: S = {} Ir",
        "event: S = 0.{} Ir",
        "event: S = Ir + {}.5 Dr",
    ],
)
def test_header_numbers_of_ten_thousand_digits(line: str) -> None:
    """A number too long for Python's parser is a bad header, not a traceback."""
    profile = profile_from(f"events: Ir\n{line.format('9' * 10_000)}\nfn=f\n1 5\n")
    assert cost_table(profile) == {"f": (5, 5, 0)}
    for event in profile.events.all:
        profile.events.evaluate(event, q.function_costs(profile).self_cost)


@pytest.mark.parametrize("coefficient", [f"{10**20}", f"0.{'0' * 19}1", f"{2**63}"])
def test_hostile_coefficients(coefficient: str) -> None:
    """A coefficient beyond 64 bits is a bad header, or its event can be computed all the same."""
    profile = profile_from(f"events: Ir\nevent: S = {coefficient} Ir\nfn=f\n1 5\n")
    event = profile.events.find("S")
    if event is None:
        assert diagnostic_rows(profile) == [(2, "bad-header")]
    else:
        costs = profile.events.evaluate(event, q.function_costs(profile).self_cost)
        assert costs.tolist() == [0]


def test_a_hundred_thousand_events() -> None:
    """A hostile `events:` line cannot allocate 100,000 columns; omitted ones are reported."""
    names = " ".join(f"E{n}" for n in range(100_000))
    profile = profile_from(f"events: {names}\nfn=f\n" + "1 1 2 3\n" * 1000)
    assert profile.events.names == tuple(f"E{n}" for n in range(len(profile.events.names)))
    assert 200 <= len(profile.events.names) <= 1000
    assert q.function_costs(profile).totals.tolist()[:4] == [1000, 2000, 3000, 0]
    assert diagnostic_rows(profile) == [(1, "too-many-events")]


@pytest.mark.slow
def test_more_events_than_are_read_in_later_parts() -> None:
    """Nor can many parts with events of their own; known events keep their own costs."""
    parts = "".join(f"part: {n}\nevents: E{n} Ir\nfn=f\n1 {n} 2\n" for n in range(1, 1201))
    profile = profile_from(parts)
    totals = dict(zip(profile.events.names, q.function_costs(profile).totals.tolist(), strict=True))
    read = len(profile.events.names) - 1
    assert 200 <= read <= 1000
    assert totals == {f"E{n}": n for n in range(1, read + 1)} | {"Ir": 2400}
    assert len(profile.parts) == 1200
    assert {kind for _line, kind in diagnostic_rows(profile)} == {"too-many-events"}


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        (b"positions: \xef\nevents: Ir", "unknown-position"),
        (b"pid: \xef\nevents: Ir", "bad-header"),
        (b"summary: \xef\nevents: Ir", "bad-header"),
        (b"totals: 6\nevents: Ir\xef", "totals-differ"),
        (b"event: \xef = \xef +\nevents: Ir", "bad-header"),
        (b"\xef: x\nevents: Ir", "unknown-line"),
    ],
)
def test_header_lines_that_are_no_text(header: bytes, kind: str) -> None:
    """Whatever its bytes, a header line is quoted with an escape, and the file is read."""
    profile = profile_from(header + b"\nfn=f\n1 5\n")
    assert [row.costs for row in cost_rows(profile)] == [(5,)]
    assert diagnostic_rows(profile) == [(1, kind)]
    assert r"\xef" in profile.diagnostics[0].message


@pytest.mark.parametrize(
    "lines",
    [
        f"1 {2**62}\n2 {2**62}\n",
        f"1 1\ncfn=g\ncalls=1 1\n1 {2**62}\ncalls=1 1\n1 {2**62}\n",
        f"1 1\ncfn=g\ncalls={2**62} 1\n1 1\ncalls={2**62} 1\n1 1\n",
    ],
    ids=["self cost", "cost of calls", "count of calls"],
)
def test_sums_beyond_64_bits_are_reported(lines: str) -> None:
    """A sum that wraps is not exact, so there is a diagnostic."""
    assert diagnostic_rows(profile_from(HEAD + lines)) == [(0, "sums-overflow")]


def test_circular_formulas() -> None:
    """Circular definitions of events are evaluated without endless recursion or error."""
    profile = profile_from(
        "events: Ir\nevent: A = B + Ir\nevent: B = A\nevent: C = C + Ir\nfn=f\n1 5\n"
    )
    costs = q.function_costs(profile).self_cost
    found = {e.name: profile.events.evaluate(e, costs).tolist() for e in profile.events.derived}
    assert {name: found.get(name) for name in ("A", "B", "C")} == {"A": [5], "B": [5], "C": [5]}


# ------------------------------------------------------------ cut files


@pytest.mark.slow
def test_a_file_cut_at_any_byte() -> None:
    """A truncated file is read up to its end, with the costs of its lines and a diagnostic."""
    places = sorted(random.Random(20261).sample(range(1, len(WHOLE) - 1), 200))
    says = {"no-line-end", "cut", "no-totals", "no-costs"}
    for place in places:
        cut = WHOLE[:place]
        if b"\nevents:" not in cut and not cut.startswith(b"# callgrind format"):
            with pytest.raises(q.NotAProfile):
                profile_from(cut)
            continue
        wanted, got = reference_reader.read(cut), profile_from(cut)
        assert (place, wanted.costs, wanted.calls) == (place, cost_rows(got), call_rows(got))
        assert says & {kind for _line, kind in diagnostic_rows(got)}, place


def test_a_file_cut_in_a_line() -> None:
    """A last line without line end may be truncated: it is read as it is, and quoted."""
    profile = profile_from(f"{HEAD}1 5\n2 123")
    assert cost_table(profile) == {"f": (128, 128, 0)}
    assert [(odd.line, odd.kind) for odd in profile.diagnostics] == [(4, "no-line-end")]
    assert "“2 123”" in profile.diagnostics[0].message


def test_a_real_file_of_a_program_that_exited_in_the_middle() -> None:
    """Xdebug leaves calls without their functions: the file opens."""
    profile = q.load(DATA / "xdebug-exit" / "cachegrind.out.5192")
    reading = reference_reader.read(Path(profile.paths[0]).read_bytes())
    assert (reading.costs, reading.calls) == (cost_rows(profile), call_rows(profile))


@pytest.mark.parametrize("kind", ["bytes", "lines"])
def test_random_damage(kind: str) -> None:
    """Whatever is overwritten or shuffled in a real file, it opens or gives a named error."""
    chance = random.Random(7)
    for _ in range(150):
        if kind == "bytes":
            damaged = bytearray(WHOLE)
            for _ in range(chance.randrange(1, 40)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            content = bytes(damaged)
        else:
            lines = WHOLE.splitlines(keepends=True)
            chance.shuffle(lines)
            content = text_bytes("# callgrind format\n") + b"".join(lines)
        try:
            profile = profile_from(content)
        except (q.InvalidProfile, q.NotAProfile):
            continue
        wanted = [
            sum(costs) for costs in zip(*(row.costs for row in cost_rows(profile)), strict=True)
        ]
        assert wanted == q.function_costs(profile).totals.tolist() or not wanted
