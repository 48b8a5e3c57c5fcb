"""Writer of the body of a part: lines of costs, names, calls and jumps (specification, 3.2.3).

Where the format leaves a choice, these rules make every reader get the same numbers:

- Each name has an id, defined at its first use in each part. KCachegrind forgets ids at a new part,
  other readers keep them to the end of the file; therefore ids never change.
- A function is used first where its file and object are in force: at `fn=`, or at `cfn=` with
  `cfi=` and `cob=`, which are written with every call whose callee has another file than the line
  of the call, or another object than the caller (callgrind_annotate considers each of them), or
  only a name in common with the one that has costs. For that, a function without costs and calls
  has a line without costs.
- A position has the shortest form that all readers understand: absolute, relative to the last one
  (below 2^31, KCachegrind's limit) or `*`. The target of a jump does not move the base.
- Trailing costs of 0 are omitted, except for the first cost. A negative cost is written as the
  unsigned number that it wraps to, like a counter, since the grammar has no minus there.
- The target of a call is absolute unless it is near, as Callgrind writes it; an unknown one is 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from qcachegrind_py.formats.callgrind.writing.selection import (
    BLOCK,
    CALL,
    COST,
    EMPTY_BLOCK,
    JUMP,
    BodyItems,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.ids import TextId, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array, UInt64Array

# --------------------------------------------------------- tokens as bytes
# They are rendered with numpy only, one step for each digit of all numbers, so that it is fast
# without a compiler.

_TokenCodes = npt.NDArray[np.uint8]

_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)
_POWERS = {
    base: np.array([base**power for power in range(1, most)], np.uint64)
    for base, most in ((10, 20), (16, 16))
}
_NAME_END = ord(")")


@frozen(eq=True)
class _TokenShape:
    """The syntax of all tokens with one code."""

    prefix: bytes
    base: int = 10  # of the number; 0: no number
    names: str = ""  # kind of name it refers to, if any; adds a closing parenthesis


class _TokenRenderer:
    """Renders tokens by the shape of their code; code 0 is no token."""

    def __init__(self, shapes: tuple[_TokenShape, ...]) -> None:
        self._shapes = shapes
        self._prefix = np.array([len(shape.prefix) for shape in shapes], np.int64)
        self._base = np.array([shape.base for shape in shapes], np.uint8)
        self._closes_parenthesis = np.array([bool(shape.names) for shape in shapes])

    def render(self, codes: _TokenCodes, numbers: UInt64Array, names: Mapping[int, bytes]) -> bytes:
        """Return the bytes of the tokens.

        `names` maps the index of a token to the text that follows its closing parenthesis.
        """
        digits = _digit_counts(self._base[codes], numbers)
        lengths = self._prefix[codes] + digits + self._closes_parenthesis[codes]
        tokens = np.fromiter(names.keys(), np.int64, len(names))
        lengths[tokens] += np.fromiter(map(len, names.values()), np.int64, len(names))
        ends = np.cumsum(lengths)
        starts = ends - lengths
        text = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
        self._write_prefixes(text, codes, starts)
        starts += self._prefix[codes]
        for base in (10, 16):
            which = np.flatnonzero(self._base[codes] == base)
            _write_digits(text, numbers[which], starts[which] + digits[which] - 1, base)
        starts += digits
        text[starts[self._closes_parenthesis[codes]]] = _NAME_END
        for start, name in zip((starts[tokens] + 1).tolist(), names.values(), strict=True):
            text[start : start + len(name)] = np.frombuffer(name, np.uint8)
        return text.tobytes()

    def _write_prefixes(self, text: _TokenCodes, codes: _TokenCodes, starts: Int64Array) -> None:
        for code in np.flatnonzero(np.bincount(codes)).tolist():
            offsets = starts[codes == code]
            for offset, byte in enumerate(self._shapes[code].prefix):
                text[offsets + offset] = byte


def digit_counts(numbers: UInt64Array, base: int) -> Int64Array:
    return np.searchsorted(_POWERS[base], numbers, side="right") + 1


def _digit_counts(bases: _TokenCodes, numbers: UInt64Array) -> Int64Array:
    counts = np.zeros(len(numbers), np.int64)
    for base in (10, 16):
        which = np.flatnonzero(bases == base)
        counts[which] = digit_counts(numbers[which], base)
    return counts


def _write_digits(
    text: _TokenCodes, numbers: UInt64Array, end_offsets: Int64Array, base: int
) -> None:
    divisor = np.uint64(base)
    while len(numbers):
        rest = numbers // divisor
        text[end_offsets] = _DIGITS[(numbers - rest * divisor).astype(np.intp)]
        more = np.flatnonzero(rest)
        numbers, end_offsets = rest[more], end_offsets[more] - 1


# ------------------------------------------------------------ ids of names
# They are assigned at first use and valid in all parts (format specification, 3.1.5).
#
# Characters that would end a line are replaced by symbols: a line feed, a zero byte (at which
# KCachegrind ends a line and stops) and a trailing carriage return. The only such names in
# practice are those of PHP's anonymous classes, which contain zero bytes.

_LINE_ENDS = {b"\n": "␊".encode(), b"\0": "␀".encode()}


class NameIds:
    """The id of each object, file and function of a profile in the output file."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        sizes = {
            "object": len(profile.texts),
            "file": len(profile.texts),
            "function": len(profile.functions),
        }
        self._id = {kind: np.zeros(size, np.int64) for kind, size in sizes.items()}
        self._defined = {kind: np.zeros(size, bool) for kind, size in sizes.items()}
        self._next_id = dict.fromkeys(sizes, 0)

    def start_part(self) -> None:
        """Require all names to be defined again in the new part, with the same ids."""
        for defined in self._defined.values():
            defined[:] = False

    def put_references(
        self, codes: _TokenCodes, numbers: UInt64Array, kinds: Mapping[str, Sequence[int]]
    ) -> dict[int, bytes]:
        """Replace the numbers of names by ids, in place, and return the texts of definitions.

        The result maps the index of a token to the text that follows its parenthesis.
        """
        definitions: dict[int, bytes] = {}
        for kind, of_kind in kinds.items():
            tokens = np.flatnonzero((codes >= of_kind[0]) & (codes <= of_kind[-1]))
            names, first = np.unique(numbers[tokens].astype(np.int64), return_index=True)
            order = np.argsort(first)
            self._define(kind, names[order], tokens[first[order]], definitions)
            numbers[tokens] = self._id[kind][numbers[tokens].astype(np.int64)].astype(np.uint64)
        return definitions

    def _define(
        self, kind: str, names: Int64Array, tokens: Int64Array, definitions: dict[int, bytes]
    ) -> None:
        new = names[self._id[kind][names] == 0]
        self._id[kind][new] = self._next_id[kind] + 1 + np.arange(len(new))
        self._next_id[kind] += len(new)
        undefined = ~self._defined[kind][names]
        self._defined[kind][names] = True
        for name, token in zip(names[undefined].tolist(), tokens[undefined].tolist(), strict=True):
            definitions[token] = b" " + encode_line(
                self._profile.texts[self._text(kind, name)], UNKNOWN
            )

    def _text(self, kind: str, name: int) -> TextId:
        """Return the text of a name; numbers of objects and files are texts already."""
        return text_at(self._profile.functions.name, name) if kind == "function" else TextId(name)


def encode_line(text: str, default: str = "") -> bytes:
    """Encode a text for a line, with its original bytes; `default` replaces an empty one."""
    written = text.encode("utf-8", "surrogateescape").lstrip(b" \t")
    for byte, symbol in _LINE_ENDS.items():
        written = written.replace(byte, symbol)
    if written.endswith(b"\r"):
        written = written[:-1] + "␍".encode()
    return written or default.encode()


# ------------------------------------------------------------------- lines

_Number = TypeVar("_Number", np.int64, np.uint64)

_CELLS_PER_CHUNK = 1 << 17  # of the token table; 9 bytes each, plus temporary arrays
_MAX_OFFSET = np.uint64((1 << 31) - 1)

_SHAPES = (
    _TokenShape(b"", 0),
    _TokenShape(b"\n", 0),
    *(
        _TokenShape(b"\n%s=(" % keyword, names=names)
        for names, keywords in (
            ("object", (b"ob", b"cob")),
            ("file", (b"fl", b"fi", b"fe", b"cfi", b"jfi")),
            ("function", (b"fn", b"cfn", b"jfn")),
        )
        for keyword in keywords
    ),
    _TokenShape(b"\ncalls="),
    _TokenShape(b"\njump="),
    _TokenShape(b"\njcnd="),
    _TokenShape(b"/"),
    _TokenShape(b" "),
    *(
        _TokenShape(before + sign, base)
        for before in (b"\n", b" ")
        for sign, base in ((b"0x", 16), (b"", 10), (b"+", 10), (b"-", 10), (b"*", 0))
    ),
)
(
    _NO_TOKEN,
    _EMPTY_LINE,
    *_NAMES,
    _CALLS,
    _JUMPS,
    _CONDITIONAL,
    _EXECUTED,
    _NUMBER,
    _FIRST,
) = range(len(_SHAPES) - 9)
_OB, _COB, _FL, _FI, _FE, _CFI, _JFI, _FN, _CFN, _JFN = _NAMES
_NEXT = _FIRST + 5  # codes of positions that are not the first in their line
_HEXADECIMAL, _DECIMAL, _PLUS, _MINUS, _SAME = range(5)

# the columns of the token table in the order of output; each item is a row
(
    _GAP,
    _OBJECT,
    _FILE,
    _FUNCTION,
    _INLINED,
    _TARGET_OBJECT,
    _TARGET_FILE,
    _TARGET_FUNCTION,
    _COUNT,
    _SECOND_COUNT,
    _TARGET_ADDRESS,
    _TARGET_LINE,
    _ADDRESS,
    _LINE,
    _COSTS,
) = range(15)


class BodyWriter:
    """Renders the items of one part as lines, each preceded by its line feed."""

    def __init__(
        self,
        profile: Profile,
        names: NameIds,
        columns: list[int],
        positions: tuple[str, ...],
        needs_file: BoolArray,
    ) -> None:
        """`columns` are the rows of `values` of the events in the part's `events:` line.

        `needs_file` are the functions whose file is written with every call of them.
        """
        self._profile = profile
        self._names = names
        self._columns = columns
        self._needs_file = needs_file
        self._has_address = "instr" in positions and profile.costs.address is not None
        self._has_line = "line" in positions
        self._last_function = -1
        self._last_file = 0
        self._address, self._line = np.uint64(0), np.int64(0)
        self._has_written = False
        self._text = _TokenRenderer(_SHAPES)

    def render(self, items: BodyItems) -> Iterator[bytes]:
        """Yield the lines of the items in chunks."""
        chunk_size = max(1, _CELLS_PER_CHUNK // (_COSTS + len(self._columns)))
        for start in range(0, len(items), chunk_size):
            yield self._lines(items.slice(start, start + chunk_size))

    def _lines(self, items: BodyItems) -> bytes:
        tokens = _TokenTable(len(items), _COSTS + len(self._columns))
        self._write_names(tokens, items)
        self._write_positions(tokens, items)
        self._write_costs(tokens, items)
        self._last_function = int(items.function[-1])
        self._last_file = int(items.file[-1])
        codes, numbers = tokens.filled()
        named = self._names.put_references(
            codes, numbers, {"object": _NAMES[:2], "file": _NAMES[2:7], "function": _NAMES[7:]}
        )
        return self._text.render(codes, numbers, named)

    # ------------------------------------------------------------ names

    def _write_names(self, tokens: _TokenTable, items: BodyItems) -> None:
        functions = self._profile.functions
        file_before = _previous_values(items.file, self._last_file)
        self._write_block_headers(tokens, items, file_before)
        has_moved = (items.file != file_before) & (items.kind != BLOCK)
        returns = items.file == functions.file[items.function]
        tokens.put(_INLINED, has_moved & returns, _FE, items.file)
        tokens.put(_INLINED, has_moved & ~returns, _FI, items.file)
        self._write_callees(tokens, items)
        self._write_targets(tokens, items)

    def _write_block_headers(
        self, tokens: _TokenTable, items: BodyItems, file_before: Int64Array
    ) -> None:
        """Write the object, file and function of each block, omitting those in force."""
        functions = self._profile.functions
        heads = np.flatnonzero(items.kind == BLOCK)
        function = items.function[heads]
        before = _previous_values(items.function, self._last_function)[heads]
        is_first = before < 0
        file, object_ = functions.file[function], functions.object[function]
        needs_object = (object_ != functions.object[before]) | is_first
        needs_object &= bool(functions.object.any())  # Cachegrind records no objects
        needs_file = (file != functions.file[before]) | (file != file_before[heads]) | is_first
        tokens.put_rows(_GAP, heads[~is_first], _EMPTY_LINE, file[~is_first])
        tokens.put_rows(_OBJECT, heads[needs_object], _OB, object_[needs_object])
        tokens.put_rows(_FILE, heads[needs_file], _FL, file[needs_file])
        tokens.put_rows(_FUNCTION, heads, _FN, function)

    def _write_callees(self, tokens: _TokenTable, items: BodyItems) -> None:
        functions, calls = self._profile.functions, self._profile.calls
        lines = np.flatnonzero(items.kind == CALL)
        callee = calls.callee[items.row[lines]]
        file, object_ = functions.file[callee], functions.object[callee]
        other = object_ != functions.object[items.function[lines]]
        tokens.put_rows(_TARGET_OBJECT, lines[other], _COB, object_[other])
        other = (file != items.file[lines]) | self._needs_file[callee]
        tokens.put_rows(_TARGET_FILE, lines[other], _CFI, file[other])
        tokens.put_rows(_TARGET_FUNCTION, lines, _CFN, callee)
        tokens.put_rows(_COUNT, lines, _CALLS, calls.count[items.row[lines]])

    def _write_targets(self, tokens: _TokenTable, items: BodyItems) -> None:
        jumps = self._profile.jumps
        lines = np.flatnonzero(items.kind == JUMP)
        rows = items.row[lines]
        file, function = jumps.target_file[rows], jumps.target_function[rows]
        other = file != items.file[lines]
        tokens.put_rows(_TARGET_FILE, lines[other], _JFI, file[other])
        other = function != items.function[lines]
        tokens.put_rows(_TARGET_FUNCTION, lines[other], _JFN, function[other])
        conditional = jumps.conditional[rows]
        unconditional_rows, conditional_rows = rows[~conditional], rows[conditional]
        tokens.put_rows(_COUNT, lines[~conditional], _JUMPS, jumps.executed[unconditional_rows])
        tokens.put_rows(_COUNT, lines[conditional], _CONDITIONAL, jumps.followed[conditional_rows])
        tokens.put_rows(
            _SECOND_COUNT, lines[conditional], _EXECUTED, jumps.executed[conditional_rows]
        )

    # ------------------------------------------------------------ positions and costs

    def _write_positions(self, tokens: _TokenTable, items: BodyItems) -> None:
        """Write the position of each line and the targets of jumps, relative to the line before."""
        lines = np.flatnonzero((items.kind != BLOCK) | (items.row == EMPTY_BLOCK))
        is_jump = items.kind[lines] == JUMP
        jumps, rows = self._profile.jumps, items.row[lines[is_jump]]
        is_call = items.kind[lines] == CALL
        called_line, called_address = self._call_targets(items.row[lines[is_call]])
        code = _FIRST
        if self._has_address:
            address = items.address[lines]
            before = _previous_values(address, self._address)
            codes, numbers = _shortest_position(address, before, code, is_address=True)
            if not self._has_written:  # absolute at first, for readability
                codes[:1], numbers[:1] = code + _HEXADECIMAL, address[:1]
            tokens.put_rows(_ADDRESS, lines, codes, numbers)
            if jumps.target_address is not None:
                target = jumps.target_address[rows]
                near = _shortest_position(target, before[is_jump], _NEXT, is_address=True)
                tokens.put_rows(_TARGET_ADDRESS, lines[is_jump], *near)
            near = _near_position(called_address, before[is_call], is_address=True)
            tokens.put_rows(_TARGET_ADDRESS, lines[is_call], *near)
            self._address = _last_value(address, self._address)
            code = _NEXT
        if self._has_line:
            line = items.line[lines]
            above = _previous_values(line, self._line)
            tokens.put_rows(_LINE, lines, *_shortest_position(line, above, code))
            target = jumps.target_line[rows].astype(np.int64)
            tokens.put_rows(
                _TARGET_LINE, lines[is_jump], *_shortest_position(target, above[is_jump], _NEXT)
            )
            near = _near_position(called_line, above[is_call])
            tokens.put_rows(_TARGET_LINE, lines[is_call], *near)
            self._line = _last_value(line, self._line)
        self._has_written |= len(lines) > 0

    def _call_targets(self, calls: Int64Array) -> tuple[Int64Array, UInt64Array]:
        """Return the line and address of the callee of each call; 0 if it is unknown."""
        targets, callee = self._profile.call_targets, self._profile.calls.callee[calls]
        unknown = np.zeros(len(calls), np.uint64)
        if targets is None:
            return np.zeros(len(calls), np.int64), unknown
        line, address = targets.positions(callee, calls)
        return line, unknown if address is None else address

    def _write_costs(self, tokens: _TokenTable, items: BodyItems) -> None:
        for kind, values in (
            (COST, self._profile.costs.values),
            (CALL, self._profile.calls.values),
        ):
            lines = np.flatnonzero(items.kind == kind)
            costs = np.empty((len(lines), len(self._columns)), np.int64)
            for index, column in enumerate(self._columns):
                costs[:, index] = values[column, items.row[lines]]
            is_written = np.logical_or.accumulate(costs[:, ::-1] != 0, axis=1)[:, ::-1]
            is_written[:, :1] = True
            tokens.codes[lines, _COSTS:] = is_written * np.uint8(_NUMBER)
            tokens.numbers[lines, _COSTS:] = costs.view(np.uint64)


class _TokenTable:
    """A table of tokens, one row for each item; cells without a token are not written."""

    def __init__(self, rows: int, columns: int) -> None:
        self.codes: _TokenCodes = np.zeros((rows, columns), np.uint8)
        self.numbers: UInt64Array = np.zeros((rows, columns), np.uint64)

    def put(self, column: int, where: BoolArray, code: int, numbers: Int64Array) -> None:
        """Put a token into the rows of a mask; `numbers` has a number for every row."""
        rows = np.flatnonzero(where)
        self.put_rows(column, rows, code, numbers[rows])

    def put_rows(
        self,
        column: int,
        rows: Int64Array,
        code: int | _TokenCodes,
        numbers: npt.NDArray[np.integer],
    ) -> None:
        self.codes[rows, column] = code
        self.numbers[rows, column] = numbers.astype(np.uint64)

    def filled(self) -> tuple[_TokenCodes, UInt64Array]:
        """Return the codes and numbers of all tokens in order of output."""
        codes = self.codes.ravel()
        cells = np.flatnonzero(codes)
        return codes[cells], self.numbers.ravel()[cells]


def _shortest_position(
    positions: npt.NDArray[np.integer],
    before: npt.NDArray[np.integer],
    code: int,
    *,
    is_address: bool = False,
) -> tuple[_TokenCodes, UInt64Array]:
    """Return the shortest token for each position, relative to the one in `before`."""
    absolute, base = positions.astype(np.uint64), before.astype(np.uint64)
    distance = np.where(absolute < base, base - absolute, absolute - base)
    sign = np.where(absolute < base, _MINUS, np.where(absolute > base, _PLUS, _SAME))
    length = digit_counts(absolute, 16) + 2 if is_address else digit_counts(absolute, 10)
    is_relative = (digit_counts(distance, 10) + 1 < length) & (distance <= _MAX_OFFSET) | (
        distance == 0
    )
    plain = _HEXADECIMAL if is_address else _DECIMAL
    codes = (np.where(is_relative, sign, plain) + code).astype(np.uint8)
    return codes, np.where(is_relative, distance, absolute)


def _near_position(
    positions: npt.NDArray[np.integer],
    before: npt.NDArray[np.integer],
    *,
    is_address: bool = False,
) -> tuple[_TokenCodes, UInt64Array]:
    """Return the shortest token for each target, absolute from a distance of 100 on; 0 as it is."""
    codes, numbers = _shortest_position(positions, before, _NEXT, is_address=is_address)
    absolute, base = positions.astype(np.uint64), before.astype(np.uint64)
    is_far = np.where(absolute < base, base - absolute, absolute - base) >= np.uint64(100)
    codes[is_far] = _NEXT + (_HEXADECIMAL if is_address else _DECIMAL)
    codes[absolute == 0] = _NUMBER
    return codes, np.where(is_far | (absolute == 0), absolute, numbers)


def _previous_values(column: npt.NDArray[_Number], first: _Number | int) -> npt.NDArray[_Number]:
    """Return the value in the previous row; `first` for the first row."""
    shifted = np.empty_like(column)
    shifted[:1] = first
    shifted[1:] = column[:-1]
    return shifted


def _last_value(column: npt.NDArray[_Number], before: _Number) -> _Number:
    last: _Number = column[-1] if len(column) else before
    return last
