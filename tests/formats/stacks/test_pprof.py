"""pprof's protobuf, drawn by a few lines, and by Go's and Node's runtimes."""

from __future__ import annotations

import gzip
import random
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import qcachegrind_py as q
from qcachegrind_py.analysis.facts import profile_facts
from qcachegrind_py.formats.stacks.pprof import is_pprof
from qcachegrind_py.profile.profile import Profile
from tests.formats.stacks.drawn_stacks import drawn, inclusive, load_text, total

DATA = Path(__file__).parents[2] / "data" / "stacks"

# ------------------------------------------------------------ protobuf messages

Value = int | bytes | list[int]


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(0x80 | number & 0x7F)
        number >>= 7
    return bytes([*encoded, number])


def message(*fields: tuple[int, Value]) -> bytes:
    """Encode a message; numbers in a list are packed."""
    encoded = b""
    for number, value in fields:
        if isinstance(value, list):
            value = b"".join(map(varint, value))
        if isinstance(value, int):
            encoded += varint(number << 3) + varint(value)
        else:
            encoded += varint(number << 3 | 2) + varint(len(value)) + value
    return encoded


class Drawing:
    """A profile whose texts are numbered as they are used."""

    def __init__(self) -> None:
        self.texts = [""]

    def text(self, text: str) -> int:
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)

    def type(self, name: str, unit: str) -> tuple[int, Value]:
        return 1, message((1, self.text(name)), (2, self.text(unit)))

    def mapping(self, id_: int, start: int, offset: int, file: str) -> tuple[int, Value]:
        return 3, message((1, id_), (2, start), (4, offset), (5, self.text(file)))

    def function(self, id_: int, name: str, file: str = "", system: str = "") -> tuple[int, Value]:
        name_, file_, system_ = map(self.text, (name, file, system))
        return 5, message((1, id_), (2, name_), (3, system_), (4, file_))

    def label(self, key: str, text: str = "", number: int = 0) -> tuple[int, Value]:
        return 3, message((1, self.text(key)), (2, self.text(text)), (3, number))

    def profile(self, *fields: tuple[int, Value]) -> bytes:
        texts: list[tuple[int, Value]] = [(6, text.encode()) for text in self.texts]
        return message(*fields, *texts)


def place(id_: int, mapping: int, address: int, *lines: tuple[int, int]) -> tuple[int, Value]:
    encoded: list[tuple[int, Value]] = [(4, message((1, each), (2, line))) for each, line in lines]
    return 4, message((1, id_), (2, mapping), (3, address), *encoded)


def sample(stack: list[int], values: list[int], *labels: tuple[int, Value]) -> tuple[int, Value]:
    return 2, message((1, stack), (2, values), *labels)


def small() -> bytes:
    """A profile with everything that is read."""
    draw = Drawing()
    return draw.profile(
        draw.type("samples", "count"),
        draw.type("cpu", "nanoseconds"),
        sample([1, 2, 3], [2, 20]),
        (2, message((1, 1), (1, 2), (1, 3), (2, 1), (2, 10))),  # not packed
        sample([2, 3], [3, -5], draw.label("thread", "worker"), draw.label("thread_id", number=9)),
        sample([4, 3], [1, 7], draw.label("thread", "worker"), draw.label("tid", "9")),
        sample([], [1, 1], draw.label("bytes", number=64)),
        draw.mapping(1, 0x7F0000001000, 0x1000, "/usr/lib/libm.so"),
        draw.mapping(2, 0x400000, 0, "/bin/program"),
        place(1, 1, 0x7F0000001234, (1, 10), (2, 20)),  # `inner` is inlined in `outer`
        place(2, 2, 0x400123, (3, 30)),
        place(3, 2, 0x400222, (4, 40)),
        place(4, 1, 0x7F0000001300),
        draw.function(1, "inner", "a.c"),
        draw.function(2, "outer", "a.c"),
        draw.function(3, "", "main.c", "_Z4workv"),
        draw.function(4, "main", "main.c"),
        (9, 1_700_000_000_000_000_000),
        (12, 10_000_000),
        (14, draw.text("samples")),
    )


# ------------------------------------------------------------------ what is read

_MAIN = "main main.c:40 0x400223 (/bin/program)"


def test_all_that_a_profile_has(tmp_path: Path) -> None:
    """Calls have the address behind them, as in all profiles; it was within the instruction."""
    profile = load_text(tmp_path, small())
    assert not profile.diagnostics
    assert [(each.name, each.long_name) for each in profile.events.measured] == [
        ("samples", ""),
        ("cpu", "cpu (nanoseconds)"),
    ]
    work, worker = "_Z4workv main.c:30", "worker 0/9"
    assert drawn(profile) == [
        f"{worker}; {_MAIN}; {work} 0x400123 (/bin/program) = 3 -5",
        f"{worker}; {_MAIN}; ??? 0x1300 (/usr/lib/libm.so) = 1 7",
        f"0/1; {_MAIN}; {work} 0x400124 (/bin/program)"
        "; outer a.c:20 0x1234 (/usr/lib/libm.so); inner a.c:10 0x1234 (/usr/lib/libm.so) = 3 30",
        "0/1; ??? = 1 1",
    ]


def test_what_is_said_of_the_whole_run(tmp_path: Path) -> None:
    """It is among the facts that reports and the window show; an empty comment is none."""
    draw = Drawing()
    comments = [draw.text(each) for each in ("built by\nme: 1", "", "twice")]
    period = message((1, draw.text("space")), (2, draw.text("bytes")))
    types = draw.type("alloc_space", "bytes")
    fields: list[tuple[int, Value]] = [(10, 5_715_943_579), (11, period), (12, 524_288)]
    data = draw.profile(types, sample([1], [1]), *fields, (13, comments[:2]), (13, comments[2]))
    profile = load_text(tmp_path, data)
    assert profile_facts(profile).descriptions == (
        ("Duration", "5.7 s"),
        ("Period", "524288 B of space"),
        ("Comment", "built by me: 1"),
        ("Comment", "twice"),
    )


def test_it_may_be_packed_with_gzip(tmp_path: Path) -> None:
    packed = load_text(tmp_path, gzip.compress(small()), "packed")
    assert drawn(packed) == drawn(load_text(tmp_path, small()))


@pytest.mark.parametrize(
    ("default", "names"),
    [
        ("", ("inuse_space", "alloc_objects", "alloc_space")),  # as go tool pprof, the last
        ("alloc_space", ("alloc_space", "alloc_objects", "inuse_space")),
    ],
)
def test_the_default_event_is_the_first(
    default: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    draw = Drawing()
    types = [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_space", "bytes")]
    profile = load_text(
        tmp_path,
        draw.profile(
            *(draw.type(*each) for each in types),
            sample([1], [1, 2, 3]),
            (14, draw.text(default)),
        ),
    )
    assert profile.events.names == names
    expected = {"alloc_objects": 1, "alloc_space": 2, "inuse_space": 3}
    assert [total(profile, event) for event in range(3)] == [expected[name] for name in names]


def test_events_of_equal_names_stay_apart(tmp_path: Path) -> None:
    draw = Drawing()
    types = [draw.type("a", "count"), draw.type("a", "bytes"), draw.type("", "")]
    profile = load_text(tmp_path, draw.profile(*types, sample([1], [1, 2, 3])))
    assert profile.events.names == ("event_3", "a", "a_2")
    assert drawn(profile) == ["0/0; ??? = 3 1 2"]


# ------------------------------------------------------------------- real files


def printed(name: str) -> tuple[int, dict[str, tuple[int, int]]]:
    """Return the total and the self and inclusive costs that `go tool pprof -top` prints."""
    text = (DATA / f"{name}.top").read_text()
    number = r"([\d.]+)\w*"
    all_ = re.search(rf"% of {number} total", text)
    assert all_
    rows = re.findall(rf"^ +{number} +\S+% +\S+% +{number} +\S+%  (.*)$", text, re.MULTILINE)
    costs = {
        re.sub(r" \((?:partial-)?inline\)$", "", function): (int(own), int(stack))
        for own, stack, function in rows
    }
    return int(all_[1]), costs


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("go-cpu.pb.gz", "samples"),
        ("go-heap.pb.gz", "alloc_space"),
        ("node-wall.pb.gz", "samples"),
    ],
)
def test_costs_of_real_files_are_those_that_go_prints(name: str, event: str) -> None:
    profile = q.load(DATA / name)
    assert not profile.diagnostics
    number = profile.events.names.index(event)
    all_, costs = printed(name)
    assert total(profile, number) == all_
    assert len(costs) > 10
    assert {key: cost for key, cost in inclusive(profile, number).items() if any(cost)} == costs


# --------------------------------------------------------- cut and hostile files


def test_a_file_cut_anywhere_opens_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = small()
    first_sample = whole.index(varint(2 << 3 | 2), 14)
    for end in range(first_sample + 2, len(whole)):
        with suppress(q.ProfileError):  # nothing but types of samples
            assert load_text(tmp_path, whole[:end], "cut").parts
    cut = load_text(tmp_path, whole[: whole.rindex(b"main")])
    assert [each.kind for each in cut.diagnostics] == ["cut"]
    assert total(cut) == total(load_text(tmp_path, whole))


def test_a_real_file_without_its_texts_keeps_its_stacks_apart(tmp_path: Path) -> None:
    """Go writes texts at the end: a cut file has no names."""
    data = gzip.decompress((DATA / "go-cpu.pb.gz").read_bytes())
    whole = q.load(DATA / "go-cpu.pb.gz")
    cut = load_text(tmp_path, data[: data.index(varint(6 << 3 | 2) + b"\x00")])
    assert len(cut.functions) == len(whole.functions)
    assert total(cut, 0) == total(whole, 0)
    packed = load_text(tmp_path, (DATA / "go-cpu.pb.gz").read_bytes()[:1500], "half.gz")
    assert {"cut", "broken-packing"} == {each.kind for each in packed.diagnostics}


TYPES = message((1, message((1, 1), (2, 2))))


def test_labels_of_threads_may_be_anything(tmp_path: Path) -> None:
    draw = Drawing()
    ids = ["9" * 5000, "x", "-1", ""]
    samples = [sample([1], [1], draw.label("thread id", each, 2**64 - 2)) for each in ids]
    profile = load_text(tmp_path, draw.profile(draw.type("samples", "count"), *samples))
    assert drawn(profile) == ["0/-2; ??? = 4"]


@pytest.mark.parametrize(
    "hostile",
    [
        sample([7], [1]),  # a location that is missing
        (2, b"\x08" + b"\xff" * 20 + b"\x01"),
        (2, b"\x0a" + b"\x14" + b"\xff" * 20),
        (2, b"\x0a\x7f\x01"),  # longer than the sample
        (2, b"\x0b\x0c"),  # groups
        sample([1] * 1_000_000, [5] * 1000),
        (4, message((1, 1), (4, b"\xff" * 11))),
        (4, message((1, 1), (4, 5), (2, b"text"))),
        place(1, 99, 2**63, (99, 2**63), *[(1, 1)] * 10_000),
        (5, message((1, 1), (2, 2**63), (4, b"file"))),
        (1, message((1, 2**62), (2, 2**62))),
        (6, b"\xff\xfe\x00"),
        (14, 2**64 - 1),
    ],
)
def test_hostile_fields_leave_the_others_as_they_are(
    hostile: tuple[int, Value], tmp_path: Path
) -> None:
    fields = [(6, b""), (6, b"samples"), (6, b"count"), place(1, 0, 0, (1, 5)), sample([1], [4])]
    profile = load_text(tmp_path, TYPES + message(hostile, *fields))
    assert max(total(profile, each) for each in range(len(profile.events.measured))) >= 4


@pytest.mark.parametrize(
    "end", [b"\x0b", b"\x12\xff\xff\xff\xff\x0f", b"\x80" * 20, b"\x09123", b"\x16\x00"]
)
def test_reading_ends_where_the_file_is_broken(end: bytes, tmp_path: Path) -> None:
    profile = load_text(tmp_path, TYPES + message((6, b""), (6, b"a"), sample([1], [4])) + end)
    assert total(profile) == 4
    assert profile.diagnostics[0].kind == "cut"


def test_many_types_of_samples_are_bounded(tmp_path: Path) -> None:
    profile = load_text(tmp_path, TYPES * 10_000 + message(sample([1], list(range(100)))))
    assert len(profile.events.measured) == 20
    assert "many-events" in {each.kind for each in profile.diagnostics}


def test_functions_inlined_at_one_place_are_bounded(tmp_path: Path) -> None:
    """Else 100 kB of them would take minutes, in each of 100 kB of samples."""
    place_ = place(1, 0, 0, *[(number, 1) for number in range(5000)])
    profile = load_text(tmp_path, TYPES + message(place_, *[sample([1] * 9, [1])] * 5000))
    assert total(profile) == 5000
    assert profile.contexts is not None
    assert len(profile.contexts) == 9 * 200


@pytest.mark.parametrize(
    "other",
    [
        b"",
        b"\n",
        b"\n\n\n\n",
        b"\n\x00\x00\x00\x00",
        b"\n some text\n in lines\n",
        b"2024-01-01 text",
        b"\x12\x02\x08\x01",  # a sample, but no type of samples
        b"\x0a\x04\x18\x01\x20\x02",  # another message
        b"\x0a\x04\x08\x01\x10\x02\x9a\x06\x00",  # with a field 99
    ],
)
def test_other_files_are_none(other: bytes) -> None:
    assert is_pprof(small())
    assert not is_pprof(other)


@given(st.lists(st.tuples(st.integers(0, 1000), st.binary(max_size=4)), max_size=6), st.binary())
def test_random_bytes_in_a_profile_raise_nothing_but_our_errors(
    changes: list[tuple[int, bytes]], end: bytes
) -> None:
    data = bytearray(small())
    for place_, new in changes:
        place_ %= len(data)
        data[place_ : place_ + len(new)] = new
    _read_in_memory(bytes(data) + end)


@given(st.integers(0, 2**32))
def test_random_messages_raise_nothing_but_our_errors(seed: int) -> None:
    chance = random.Random(seed)

    def field(depth: int) -> tuple[int, Value]:
        number = chance.choice([1, 2, 3, 4, 5, 6, 14])
        if depth and chance.random() < 0.7:
            return number, message(*(field(depth - 1) for _ in range(chance.randrange(4))))
        sizes = [3, 3, 3, 200, 2**40, 2**64]
        if chance.random() < 0.3:
            return number, [chance.randrange(chance.choice(sizes)) for _ in range(3)]
        return number, chance.randrange(chance.choice(sizes))

    _read_in_memory(TYPES + message(*(field(2) for _ in range(20))))


def _read_in_memory(data: bytes) -> Profile | None:
    with suppress(q.ProfileError):
        return load_text(Path("/dev/shm"), data, "fuzz-pprof")
    return None
