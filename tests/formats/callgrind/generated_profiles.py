"""Random profiles: valid, and in all the spellings that the format allows.

A file is generated line by line. The writer remembers only what validity requires: the base of
relative positions, the defined ids, and the header keys of the current part.
"""

from __future__ import annotations

from typing import TypeVar

from hypothesis import strategies as st

_Generated = TypeVar("_Drawn")

SUBPOSITIONS = ("instr", "bb", "line")
UNKNOWN_POSITIONS = ("index", "line2")  # columns that are skipped
PART_KEYS = (b"version", b"creator", b"pid", b"part", b"thread", b"cmd", b"positions", b"events")
REPEATED_KEYS = (b"part", b"thread", b"events")
HIGHEST_LINE = 2**31 - 1
HIGHEST_ADDRESS = 2**64 - 1

_ONE_IN_THREE = st.sampled_from([False, False, True])
_ONE_IN_TEN = st.sampled_from([False] * 9 + [True])
_NUMBER_FORMATS = st.sampled_from(["%d", "%d", "%d", "0x%x", "0x%X", "0%d"])
_GAPS = st.sampled_from([b" ", b" ", b" ", b"  ", b"\t", b" \t "])
_OPTIONAL_GAPS = st.sampled_from([b"", b"", b"", b"", b" ", b"  ", b"\t"])
_LINE_ENDS = st.sampled_from([[b"\n"], [b"\n"], [b"\r\n"], [b"\n", b"\r\n"]])

_SMALL_COUNTS = st.integers(0, 1000)
_COUNTS = st.one_of(
    _SMALL_COUNTS,
    _SMALL_COUNTS,
    st.sampled_from([2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 5, 2**64 - 1]),
)
_IDS = st.one_of(st.integers(0, 9), st.sampled_from([99, 100, 65536, 2**31, 2**40]))
_DISTANCES = st.one_of(st.integers(-20, 20), st.integers(-70000, 70000))
_LINES = st.one_of(st.integers(0, 200), st.integers(0, HIGHEST_LINE))
_ADDRESSES = st.one_of(st.integers(0x1000, 0x1100), st.integers(0, HIGHEST_ADDRESS))

_ORDINARY_NAMES = st.sampled_from(
    [
        b"main",
        b"(below main)",
        b"???",
        b"",
        b"fib'2",
        b"operator()(int, char)",
        b"std::vector<int, std::allocator<int> >::push_back",
        b'say "hello"',
        b"/usr/src/a folder/file.c",
        b"./file.c",
        b"./file.c:33 (discriminator 2)",
        b"class@anonymous\x00/srv/x.php:3",
        b"na\xc3\xafve",
        b"latin\xe9\xff",
        b"(x1) calls=1 2",
        b"events: Ir",
        b"# no comment",
        b"+1 *",
        b"trailing blank ",
    ]
)
_NAME_BYTES = st.sampled_from(
    [bytes([b]) for b in b"ab:_ ()'\"<>=#+-*/.,~\t\x00\x0b\x85\xe9\xff19"]
)
_ODD_NAMES = st.lists(_NAME_BYTES, max_size=8).map(b"".join).map(lambda name: name.lstrip(b" \t"))
# A real name never starts with a parenthesis and a digit: that would be an id.
_NAMES = st.one_of(_ORDINARY_NAMES, _ODD_NAMES).filter(
    lambda name: not (name.startswith(b"(") and name[1:2].isdigit())
)
_EVENT_NAMES = st.sampled_from(
    [b"Ir", b"Dr", b"Dw", b"I1mr", b"Cycles", b"cpu(ms)", b"Time_(10ns)", b"Memory_(bytes)", b"Ge"]
)
_DESCRIPTIONS = st.sampled_from(
    [
        b"Trigger: Program termination",
        b"Trigger:",
        b"I1 cache: 32768 B, 64 B, 8-way associative",
        b"Timerange: Basic block 0 - 1000",
        b"Option: --dump-instr=yes",
    ]
)
_EVENT_DETAILS = st.sampled_from(
    [b"Ir : Instruction Fetches", b"Sum = Ir + 2 Dr", b"Both=Dr+Dw: x"]
)
_COMMANDS = st.sampled_from([b"./a.out", b" prog events: fn=(1) x", b""])


def profiles() -> st.SearchStrategy[bytes]:
    """Whole profile files, each with at least one part."""
    return _profiles()


@st.composite
def _profiles(draw: st.DrawFn) -> bytes:
    writer = _Writer(draw)
    writer.write_preamble()
    parts = draw(st.integers(1, 3))
    for part in range(1, parts + 1):
        writer.write_part(first=part == 1, last=part == parts)
    return writer.finish()


class _Writer:
    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.lines: list[bytes] = []
        self.names = {
            kind: draw(st.lists(_NAMES, min_size=1, max_size=4)) for kind in ("o", "f", "n")
        }
        self.defined: dict[str, set[int]] = {"o": set(), "f": set(), "n": set()}
        self.positions: tuple[str, ...] = ("line",)
        self.event_count = 0
        self.own_keys: set[bytes] = set()
        self.start_part()

    def start_part(self) -> None:
        self.own_keys.clear()
        self.has_body = self.is_closed = False
        self.base = dict.fromkeys(SUBPOSITIONS, 0)
        # A call may omit cfn= after an earlier call, unless an unused callee was named since.
        self.callee_known = False

    def finish(self) -> bytes:
        ends = self.draw(_LINE_ENDS)
        lines = [line + self.draw(st.sampled_from(ends)) for line in self.lines]
        if lines and self.one_in_ten():
            lines[-1] = lines[-1].rstrip(b"\r\n")
        return b"".join(lines)

    def one_in_three(self) -> bool:
        return self.draw(_ONE_IN_THREE)

    def one_in_ten(self) -> bool:
        return self.draw(_ONE_IN_TEN)

    def one_of(self, *choices: _Generated) -> _Generated:
        return self.draw(st.sampled_from(choices))

    # --- lines

    def write(self, line: bytes) -> None:
        """Write a line, sometimes after a comment or an empty line, sometimes indented."""
        if self.one_in_ten():
            self.lines.append(self.one_of(b"", b"# fn=comment", b"#", b"  ", b"# 1 2 3"))
        self.lines.append(self.draw(_OPTIONAL_GAPS) + line if self.one_in_ten() else line)

    def write_words(self, start: bytes, words: list[bytes]) -> None:
        line = start
        for word in words:
            line += (self.draw(_GAPS) if line != start else b"") + word
        self.write(line + self.draw(_OPTIONAL_GAPS))

    def number(self, value: int) -> bytes:
        return (self.draw(_NUMBER_FORMATS) % value).encode()

    # --- headers

    def write_preamble(self) -> None:
        if self.one_in_three():
            self.lines.append(b"# callgrind format")
        for key in (b"version", b"creator"):
            if self.one_in_three():
                self.write_header_of_part(key)

    def write_header(self, key: bytes, value: bytes) -> None:
        kept = key == b"totals" or (key == b"summary" and key not in self.own_keys)
        repeats = key in REPEATED_KEYS and key in self.own_keys and b"events" in self.own_keys
        if self.event_count and not kept and (self.has_body or self.is_closed or repeats):
            self.start_part()
        self.own_keys.add(key)
        self.is_closed |= key == b"totals" and b"events" in self.own_keys
        self.write(key + b":" + self.one_of(b" ", b" ", b"", b"  ", b"\t") + value)

    def write_part(self, *, first: bool, last: bool) -> None:
        for key in self.keys_of_part(first=first, last=last):
            self.write_header_of_part(key)
            if self.one_in_ten():
                self.write_specification()
        self.write_named(b"fn", "n")
        for _ in range(self.draw(st.integers(0, 14))):
            self.write_body_item()

    def keys_of_part(self, *, first: bool, last: bool) -> list[bytes]:
        """Header keys in any order; behind a part without a body, a repeated one comes first."""
        # A first part that repeated a key of the preamble after its events would be two.
        free = [key for key in PART_KEYS if not (first and key in self.own_keys)]
        keys = set(self.draw(st.lists(st.sampled_from([*free, b"desc", b"event"]))))
        # Without events of its own a part could not be told from the one that follows.
        if first or not last or not keys & self.own_keys:
            keys.add(b"events")
        keys_in_order = self.draw(st.permutations(sorted(keys)))
        repeated = sorted(keys & self.own_keys)
        if first or self.has_body or not repeated:
            return keys_in_order
        start = self.draw(st.sampled_from(repeated))
        return [start, *(key for key in keys_in_order if key != start)]

    def write_header_of_part(self, key: bytes) -> None:
        match key:
            case b"version":
                self.write_header(key, b"1")
            case b"creator":
                self.write_header(key, b"callgrind-3.22.0")
            case b"pid" | b"part" | b"thread":
                self.write_header(key, self.number(self.draw(st.integers(0, 99999))))
            case b"cmd":
                self.write_header(key, self.draw(_COMMANDS))
            case b"desc":
                self.write_header(key, self.draw(_DESCRIPTIONS))
            case b"event":
                self.write_header(key, self.draw(_EVENT_DETAILS))
            case b"positions":
                chosen = st.lists(st.sampled_from(SUBPOSITIONS), unique=True, min_size=1)
                words = self.draw(chosen)
                known = iter([p for p in SUBPOSITIONS if p in words])
                if self.one_in_ten():
                    words.insert(
                        self.draw(st.integers(0, len(words))), self.one_of(*UNKNOWN_POSITIONS)
                    )
                self.write_header(key, b" ".join(word.encode() for word in words))
                self.positions = tuple(next(known) if p in SUBPOSITIONS else p for p in words)
            case b"events":
                names = self.draw(st.lists(_EVENT_NAMES, min_size=1, max_size=4))
                self.write_header(key, self.draw(_GAPS).join(names) + self.draw(_OPTIONAL_GAPS))
                self.event_count = len(names)
                if b"positions" not in self.own_keys:
                    self.positions = ("line",)

    def write_header_in_body(self) -> None:
        """A summary at the end, or any other key, which starts a part."""
        kept = [key for key in (b"pid", b"cmd", b"thread") if key not in self.own_keys]
        key = self.one_of(b"summary", b"totals", b"desc", b"event", *kept)
        if key in (b"summary", b"totals"):
            self.write_header(key, self.draw(_GAPS).join(self.costs() or [b"0"]))
        else:
            self.write_header_of_part(key)

    # --- bodies

    def write_body_item(self) -> None:
        write = self.one_of(
            self.write_cost,
            self.write_cost,
            self.write_cost,
            self.write_specification,
            self.write_specification,
            self.write_call,
            self.write_call,
            self.write_unused_callee,
            self.write_jump,
            self.write_header_in_body,
        )
        write()

    def write_specification(self) -> None:
        word, kind = self.one_of(
            (b"fn", "n"), (b"fl", "f"), (b"fi", "f"), (b"fe", "f"), (b"ob", "o")
        )
        self.write_named(word, kind)

    def write_named_otherwise(self) -> None:
        """Any name but that of a function."""
        files = (b"fl", b"fi", b"fe", b"cfi", b"cfl", b"jfi")
        word, kind = self.one_of(
            (b"ob", "o"), (b"cob", "o"), *((file, "f") for file in files), (b"jfn", "n")
        )
        self.write_named(word, kind)

    def write_named(self, word: bytes, kind: str) -> None:
        """A plain name, the definition of an id (perhaps not its first), or a reference."""
        self.has_body = True
        name = self.draw(st.sampled_from(self.names[kind]))
        known = sorted(self.defined[kind])
        if known and self.one_in_three():
            number = self.draw(st.sampled_from(known))
            value = b"(" + self.number(number) + b")" + self.draw(_OPTIONAL_GAPS)
        elif name and self.one_in_three():
            number = self.draw(_IDS)
            self.defined[kind].add(number)
            value = b"(" + self.number(number) + b")" + self.one_of(b" ", b" ", b"", b"\t") + name
        else:
            value = name
        self.write(word + b"=" + (self.draw(_OPTIONAL_GAPS) if self.one_in_ten() else b"") + value)

    def write_cost(self) -> None:
        self.write_words(b"", self.slot(moves_base=True) + self.costs())

    def write_callee(self) -> None:
        given = [(b"cob", "o")] * self.one_in_three()
        given += [(self.one_of(b"cfi", b"cfl"), "f")] * self.one_in_three()
        callee = [(b"cfn", "n")]
        # One writer gives the file of a callee after its name.
        for word, kind in (
            callee + given if self.one_in_ten() else [*self.draw(st.permutations(given)), *callee]
        ):
            self.write_named(word, kind)

    def write_unused_callee(self) -> None:
        """Callgrind names the callee of a call without cost, and leaves the call out."""
        self.write_callee()
        self.callee_known = False

    def write_call(self) -> None:
        if not (self.callee_known and self.one_in_three()):
            self.write_callee()
        count = self.one_of(0, 1, self.draw(_COUNTS))
        target = self.slot() + [b"0"] * self.one_in_ten()
        word = b"rcalls=" if self.one_in_ten() else b"calls="
        self.write_words(word, [self.number(count), *target])
        if self.one_in_ten():  # what is named between the two lines is of later costs
            self.write_named_otherwise()
        self.write_cost()
        self.callee_known = True

    def write_jump(self) -> None:
        if self.one_in_three():
            self.write_named(b"jfi", "f")
        if self.one_in_three():
            self.write_named(b"jfn", "n")
        executed, followed = self.number(self.draw(_COUNTS)), self.number(self.draw(_COUNTS))
        word, counts = self.one_of(
            (b"jump=", [executed]),
            (b"jcnd=", [followed + b"/" + executed]),
            (b"jcnd=", [executed, followed]),
        )
        self.write_words(word, counts + self.slot())
        if self.one_in_ten():
            self.write_named_otherwise()
        self.write_words(b"", self.slot(moves_base=True) + self.costs() * self.one_in_ten())

    # --- positions and costs

    def costs(self) -> list[bytes]:
        """As many costs as events, or fewer; rarely more or negative, as irregular writers do."""
        fewest = 0 if self.one_in_three() else self.event_count
        number = self.draw(st.integers(fewest, self.event_count)) + self.one_in_ten()
        return [b"-" * self.one_in_ten() + self.number(self.draw(_COUNTS)) for _ in range(number)]

    def slot(self, *, moves_base: bool = False) -> list[bytes]:
        spelled = {name: self.subposition(name) for name in self.positions}
        if moves_base:
            values = {name: value for name, (value, _word) in spelled.items()}
            self.base |= {name: values[name] for name in SUBPOSITIONS if name in values}
        return [word for _value, word in spelled.values()]

    def subposition(self, name: str) -> tuple[int, bytes]:
        """A line or an address, in one of its notations."""
        base = self.base.get(name, 0)
        highest = HIGHEST_LINE if name == "line" else HIGHEST_ADDRESS
        if self.one_in_three():
            value = self.draw(_LINES if name == "line" else _ADDRESSES)
        else:
            value = min(max(base + self.draw(_DISTANCES), 0), highest)
        if value == base and self.one_in_three():
            return value, b"*"
        if name == "line" and self.one_in_ten():
            return 0, b"?"
        if self.one_in_three():
            return value, self.number(value)
        return value, self.distance(base, value, wraps=name != "line")

    def distance(self, base: int, value: int, *, wraps: bool) -> bytes:
        forward = value - base
        if wraps and self.one_in_ten():
            # Wrapping around the address space leads to the same address.
            forward += 2**64 if forward < 0 else -(2**64)
        elif value == 0 and not wraps and self.one_in_ten():
            # A line cannot go below zero, however far back the distance.
            forward -= self.draw(_SMALL_COUNTS)
        return (b"-" if forward < 0 else b"+") + self.number(abs(forward))
