# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The scanner: the inner loop over the lines of a profile, compiled or interpreted from one source.

It scans chunks of whole lines, fills preallocated columns, allocates nothing and releases the GIL.
It reads the lines of the body (format specification, 3.2.3): costs, positions, calls and jumps,
with name and sub-position compression. Header lines are returned to the reader (`HEADER`). Odd
lines are counted by kind, with line number and offset of the first hundred of each kind.

The module is longer than others because the C compiler inlines small functions only within one
module.

Compiled (types in `scanner.pxd`), `text` is a pointer into the bytes; interpreted, it is the object
itself. Columns are memoryviews in both cases: interpreted, indexing them gives Python integers,
where numpy arrays would give scalars of fixed width that overflow silently.
"""

from __future__ import annotations

import sys

try:
    import cython
except ImportError:  # an installation without a compiler has no Cython either
    from qcachegrind_py.profile import cython_shim as cython

COMPILED = cython.compiled
if not cython.compiled:  # compiled, scanner.pxd defines it as a pointer
    Text = bytearray
    memchr = memcpy = None

# the reasons why `scan` returns
END_OF_DATA, HEADER, NAMES_FULL, COSTS_BEFORE_EVENTS = 0, 1, 2, 3

# the kinds of diagnostics, by number
DIAGNOSTIC_KINDS = (
    "text-after-costs",
    "surplus-costs",
    "negative-cost",
    "wrapped-number",
    "huge-number",
    "bad-position",
    "negative-line",
    "huge-line",
    "undefined-id",
    "redefined-id",
    "no-function",
    "call-without-callee",
    "call-without-cost",
    "jump-without-source",
    "bad-count",
    "jump-with-cost",
    "no-position",
    "unknown-count",
    "line-behind-totals",
)
DIAGNOSTICS_KEPT = 100

# the same numbers, and the kinds of ids, as C constants, which need no GIL
_TEXT_AFTER_COSTS = cython.declare(cython.int, 0)
_SURPLUS_COSTS = cython.declare(cython.int, 1)
_NEGATIVE_COST = cython.declare(cython.int, 2)
_WRAPPED_NUMBER = cython.declare(cython.int, 3)
_HUGE_NUMBER = cython.declare(cython.int, 4)
_BAD_POSITION = cython.declare(cython.int, 5)
_NEGATIVE_LINE = cython.declare(cython.int, 6)
_HUGE_LINE = cython.declare(cython.int, 7)
_UNDEFINED_ID = cython.declare(cython.int, 8)
_REDEFINED_ID = cython.declare(cython.int, 9)
_NO_FUNCTION = cython.declare(cython.int, 10)
_CALL_WITHOUT_CALLEE = cython.declare(cython.int, 11)
_CALL_WITHOUT_COST = cython.declare(cython.int, 12)
_JUMP_WITHOUT_SOURCE = cython.declare(cython.int, 13)
_BAD_COUNT = cython.declare(cython.int, 14)
_JUMP_WITH_COST = cython.declare(cython.int, 15)
_NO_POSITION = cython.declare(cython.int, 16)
_UNKNOWN_COUNT = cython.declare(cython.int, 17)
_LINE_BEHIND_TOTALS = cython.declare(cython.int, 18)

_MOST = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
_LOW_HALF = cython.declare(cython.ulonglong, 0xFFFFFFFF)
_NO_LIMIT = cython.declare(cython.Py_ssize_t, 0x7FFFFFFFFFFFFFFF)

_OBJECT = cython.declare(cython.int, 0)
_FILE = cython.declare(cython.int, 1)
_FUNCTION = cython.declare(cython.int, 2)

# the meaning of the next position line
_SELF_COST = cython.declare(cython.int, 0)
_CALL_COST = cython.declare(cython.int, 1)
_JUMP_SOURCE = cython.declare(cython.int, 2)


# ---------------------------------------------------------------- usual lines of cost
# Nine of ten lines of cost have short numbers with one blank between them. Where the scanner is
# compiled, they are read without a branch for each digit, which takes a third less time.

_SHORT = cython.declare(cython.int, 8)  # bytes that are looked at together
_ZEROS = cython.declare(cython.ulonglong, 0x3030303030303030)
_SIXES = cython.declare(cython.ulonglong, 0x0606060606060606)
_UPPER = cython.declare(cython.ulonglong, 0xF0F0F0F0F0F0F0F0)
_ONES = cython.declare(cython.ulonglong, 0x0101010101010101)
_PAIRS = cython.declare(cython.ulonglong, 0x000000FF000000FF)
_OUTER = cython.declare(cython.ulonglong, 0x000F424000000064)  # 1,000,000 and 100
_INNER = cython.declare(cython.ulonglong, 0x0000271000000001)  # 10,000 and 1
_CAN_READ_SHORT = cython.declare(cython.bint, cython.compiled and sys.byteorder == "little")


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def short_length(text: Text, at: cython.Py_ssize_t) -> cython.int:
    """Return how many digits there are, from one to seven; 0 if there are none or more.

    What follows in the line waits for this, and not for the number.
    """
    word: cython.ulonglong = 0
    first: cython.uint = text[at] - 48
    second: cython.uint = text[at + 1] - 48
    if first > 9:
        return 0
    if second > 9:  # mostly, and guessed: then nothing waits
        return 1
    memcpy(cython.address(word), text + at, 8)
    word ^= _ZEROS
    word = ((word + _SIXES) | word) & _UPPER  # not 0 in the bytes that are no digits
    if word == 0:
        return 0
    return ((((word - 1) & ~word & _ONES) * _ONES) >> 56) - 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def short_number(text: Text, at: cython.Py_ssize_t, length: cython.int) -> cython.ulonglong:
    """Return the number of one to seven digits."""
    word: cython.ulonglong = 0
    if length == 1:
        return text[at] - 48
    memcpy(cython.address(word), text + at, 8)
    word = (word ^ _ZEROS) << (64 - 8 * length)  # its digits are the last of eight, behind zeros
    word = word * 10 + (word >> 8)
    return ((word & _PAIRS) * _OUTER + ((word >> 16) & _PAIRS) * _INNER) >> 32


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def short_position(
    text: Text, at: cython.Py_ssize_t, position: cython.p_ulonglong
) -> cython.Py_ssize_t:
    """Move a position by +n, -n or *, or to n; return the offset behind the blank, otherwise -1."""
    number: cython.ulonglong
    length: cython.int
    c: cython.int = text[at]
    at += 1
    if c != 42:
        at -= c != 43 and c != 45
        length = short_length(text, at)
        if length == 0:
            return -1
        number = short_number(text, at, length)
        at += length
        if c == 43:
            position[0] += number
        elif c == 45:
            position[0] -= number
        else:
            position[0] = number
    return at + 1 if text[at] == 32 else -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def short_positions(
    scanner: Scanner,
    text: Text,
    at: cython.Py_ssize_t,
    address: cython.p_ulonglong,
    line: cython.p_ulonglong,
) -> cython.Py_ssize_t:
    """Move address and line by the positions of a usual line; return the offset behind them.

    It is -1 if they are anything else, and then address and line may have changed.
    """
    if scanner.has_address:
        at = short_position(text, at, address)
    if at >= 0 and scanner.has_line:
        at = short_position(text, at, line)
    return at if line[0] <= 2147483647 else -1


# ---------------------------------------------------------------- the numbers of a line
# The innermost steps are functions and not methods, since only functions can be declared inline:
# 62 ms for 18 MB became 56.


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def read_number(scanner: Scanner, text: Text, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Read a decimal number, or a hexadecimal one with 0x, into `scanner.number`."""
    start: cython.Py_ssize_t = at
    value: cython.ulonglong = 0
    c: cython.int
    length: cython.int = short_length(text, at) if scanner.reads_short else 0
    if length != 0 and text[at + length] <= 57:
        scanner.number = short_number(text, at, length)
        return at + length
    c = text[at]
    while 48 <= c <= 57:
        if cython.compiled or at - start < 20:  # interpreted integers would grow without limit
            value = value * 10 + (c - 48)
        at += 1
        c = text[at]
    scanner.number = value
    if c > 57 or at - start > 19:
        return scanner.read_unusual_number(text, start, at)
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def one_position(
    scanner: Scanner,
    text: Text,
    at: cython.Py_ssize_t,
    base: cython.ulonglong,
) -> cython.Py_ssize_t:
    """Read a sub-position (format specification, 3.1.6): absolute, +n, -n or *.

    The result is in `scanner.position`.
    """
    c: cython.int
    c = text[at]
    while c == 32 or c == 9:
        at += 1
        c = text[at]
    scanner.below_zero = False
    scanner.position = base
    if c == 42:
        at += 1
    else:
        if c == 43 or c == 45:
            at += 1
        if not 48 <= text[at] <= 57:
            return scanner.no_position(text, at)
        at = read_number(scanner, text, at)
        if c == 43:
            scanner.position = wrapped(base + scanner.number)
        elif c == 45:
            scanner.below_zero = scanner.number > base
            scanner.position = wrapped(base - scanner.number)
        else:
            scanner.position = scanner.number
    if text[at] != 32 and text[at] != 10:
        at = scanner.end_of_number(text, at, _BAD_POSITION)
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def positions(scanner: Scanner, text: Text, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Move the base to the positions of this line (docs/design.md, reading rule 4)."""
    address: cython.ulonglong = scanner.base_address
    line: cython.ulonglong = scanner.base_line
    after: cython.Py_ssize_t
    if scanner.skips_columns:
        return scanner.chosen_positions(text, at)
    if scanner.reads_short:
        after = short_positions(scanner, text, at, cython.address(address), cython.address(line))
        if after >= 0:
            scanner.base_address, scanner.base_line = address, line
            scanner.line = line if scanner.has_line else 0
            return after
    if scanner.has_address:
        at = one_position(scanner, text, at, scanner.base_address)
        scanner.base_address = scanner.position
    scanner.line = 0
    if scanner.has_line:
        at = one_position(scanner, text, at, scanner.base_line)
        check_line(scanner, at)
        scanner.base_line = scanner.position
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def cost_numbers(
    scanner: Scanner,
    text: Text,
    at: cython.Py_ssize_t,
    row: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Read the costs of a line into a row of the cost table, which is zero for omitted costs."""
    event: cython.int = 0
    column: cython.int = 0
    c: cython.int
    bits: cython.ulonglong
    scanner.row_has_high = False
    while True:
        c = text[at]
        while c == 32 or c == 9:
            at += 1
            c = text[at]
        if event == scanner.events:
            break
        if c == 45:
            at += 1
        if not 48 <= text[at] <= 57:
            break
        at = read_number(scanner, text, at)
        bits = scanner.number
        if c == 45:
            bits = wrapped(0 - bits)
            scanner.report(_NEGATIVE_COST, at)
        elif bits >> 63:
            scanner.signed_number(at)
        column = scanner.event_column[event]
        if bits != 0 and column >= 0:
            if scanner.events_repeat:  # reading memory not yet written costs a page fault
                bits = wrapped(bits + cost_bits(scanner, column, row))
            scanner.cost_values[column, row] = bits & _LOW_HALF
            if bits >> 32 or scanner.events_repeat:
                scanner.cost_values_high[column, row] = bits >> 32
                scanner.row_has_high = True
        event += 1
        c = text[at]
        if c != 32 and c != 10:
            at = scanner.end_of_number(text, at, _TEXT_AFTER_COSTS)
    scanner.costs_read = event
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def check_line(scanner: Scanner, at: cython.Py_ssize_t) -> cython.void:
    """Convert the position to a line number, limited to 0 … 2^31 - 1."""
    if scanner.below_zero:
        scanner.report(_NEGATIVE_LINE, at)
        scanner.position = 0
    if scanner.position > 2147483647:
        scanner.report(_HUGE_LINE, at)
        scanner.line = 2147483647
    else:
        scanner.line = scanner.position


# ---------------------------------------------------------------- the lines


class Scanner:
    """The state between two lines, and the columns to fill.

    The caller sets the columns and the meaning of the numbers, reserves a free row in each table
    for every second byte scanned, and reads the number of rows filled.
    """

    def __init__(self, interner) -> None:
        self.interner = interner
        self.costs = self.runs = self.calls = self.jumps = self.diagnostics = 0
        self.other_targets = 0
        self.line_number = 0
        self.events = -1
        self.id = self.own_id = self.callee_id = self.called_id = 0
        self.target_id = self.jumped_id = 0
        self.own_has_id = self.callee_has_id = self.called_has_id = False
        self.target_has_id = self.jumped_has_id = False
        self.events_repeat = self.has_address = False
        self.has_values_high = self.has_address_high = self.row_has_high = False
        self.skips_columns = False
        self.skipped_first = self.skipped_between = self.skipped_last = 0
        self.has_line = True
        self.names_callee_files = self.names_callee_objects = False
        self.begin_part()

    def begin_part(self) -> None:
        """Reset the state for a new part, except for ids and the meaning of the numbers.

        See docs/design.md, reading rules 2 and 5.
        """
        self.object = self.own_file = self.file = 0
        self.function = self.own_name = -1
        self.run_is_open = self.has_body = self.has_own_file = self.is_closed = False
        self.base_address = self.base_line = 0
        self.awaited = _SELF_COST
        self.last_callee = self.called_name = -1
        self.forget_callee()
        self.forget_target()
        self.later_file = self.later_own_file = self.later_object = -1

    def scan(self, data, start, stop) -> tuple[int, int]:
        """Scan the lines of `data[start:stop]`; return the reason for stopping and the offset.

        The last line must end with a line feed. A header line, and a line for which the tables of
        names are too small, is left unread.
        """
        text: Text
        text = cython.address(data[0]) if cython.compiled else data
        self.reads_short = (
            _CAN_READ_SHORT
            and stop + _SHORT <= len(data)
            and self.events > 0
            and not self.events_repeat
            and not self.skips_columns
        )
        with cython.nogil:
            start = self.lines(text, start, stop)
        return self.status, start

    def lines(self, text, at, stop):
        """Scan lines up to the first one for the reader; return its offset."""
        start: cython.Py_ssize_t
        c: cython.int
        self.status = 0
        while at < stop:
            if self.reads_short and self.awaited == _SELF_COST and self.run_is_open:
                at = self.usual_cost_lines(text, at, stop)
                if at == stop:
                    break
            start = at
            self.line_number += 1
            c = text[at]
            while c == 32 or c == 9:
                at += 1
                c = text[at]
            if 48 <= c <= 57 or c == 43 or c == 42 or (c == 45 and 48 <= text[at + 1] <= 57):
                if self.events < 0:
                    self.status = 3
                    return start
                at = self.position_line(text, at)
            elif c == 10:  # an empty line; some files have nothing but these
                at += 1
                while at < stop and text[at] == 10:
                    self.line_number += 1
                    at += 1
            elif c == 35 or c == 13:  # a comment
                at = next_line(text, at)
            elif c == 63 and self.events >= 0 and begins_unknown_position(text, at):
                at = self.position_line(text, at)
            else:
                at = self.named_line(text, at)
                if self.status != 0:
                    self.line_number -= 1
                    return start
                if self.is_closed:
                    self.reopen(start)
        return at

    def usual_cost_lines(self, text, at, stop):
        """Add the next lines of self cost up to an unusual line; return the offset of that.

        What of an unusual line was read here, `position_line` reads again. Four of five lines of
        instructions end as the line before, since they are of the same basic block.
        """
        row: cython.Py_ssize_t = self.costs
        start: cython.Py_ssize_t = at
        address: cython.ulonglong = self.base_address
        line: cython.ulonglong = self.base_line
        column: cython.int
        event: cython.int
        length: cython.int
        number: cython.ulonglong
        ending: cython.ulonglong = 0  # eight bytes behind the positions
        last_ending: cython.ulonglong = 0x0A30  # a single cost with its line feed, here 0
        last_mask: cython.ulonglong = 0xFFFF
        last_length: cython.int = 2
        last_number: cython.ulonglong = 0
        while True:
            self.base_address, self.base_line = address, line
            start = at
            if at == stop:
                break
            at = short_positions(self, text, at, cython.address(address), cython.address(line))
            if at < 0:
                break
            memcpy(cython.address(ending), text + at, 8)
            if (ending ^ last_ending) & last_mask == 0:
                at += last_length
                if last_number != 0:
                    column = self.event_column[0]
                    if column >= 0:
                        self.cost_values[column, row] = last_number
            else:
                event = 0
                while event < self.events:
                    length = short_length(text, at)
                    if length == 0:
                        break
                    number = short_number(text, at, length)
                    at += length
                    column = self.event_column[event]
                    if number != 0 and column >= 0:
                        self.cost_values[column, row] = number
                    event += 1
                    if text[at] != 32:
                        break
                    at += 1
                if event == 0 or text[at] != 10:
                    break
                at += 1
                if event == 1 and text[at - 2] != 32:
                    last_ending, last_number = ending, number
                    last_length = length + 1
                    last_mask = _MOST >> (64 - 8 * last_length)
            if self.has_line and line != 0:
                self.cost_line[row] = line
            if self.has_address:
                self.cost_address[row] = address & _LOW_HALF
                if address >> 32:
                    self.cost_address_high[row] = address >> 32
                    self.has_address_high = True
            row += 1
        self.line_number += row - self.costs
        self.costs = row
        return start

    def position_line(self, text, at):
        """Read positions and costs: a self cost, the cost of a call, or the source of a jump.

        Costs of all kinds are read into the row of the next cost line: with a single call site, the
        compiler inlines the small steps into one loop.
        """
        row: cython.Py_ssize_t = self.costs
        at = positions(self, text, at)
        at = cost_numbers(self, text, at, row)
        if self.awaited == _SELF_COST:
            if self.costs_read > 0:
                self.add_costs(at)
            elif self.own_name >= 0:  # a line without costs also binds its function
                self.function_of_costs(at)
        elif self.awaited == _CALL_COST:
            self.end_call(at)
        else:
            self.end_jump(at)
        if text[at] == 10:
            return at + 1
        return self.text_after_costs(text, at)

    def text_after_costs(self, text, at):
        """Skip the rest of the line and report it."""
        if 48 <= text[at] <= 57:
            self.report(_SURPLUS_COSTS, at)
        elif not (text[at] == 13 and text[at + 1] == 10):
            self.report(_TEXT_AFTER_COSTS, at)
        return next_line(text, at)

    def reopen(self, at) -> None:
        """Report a line of the body behind the sums that close it; it belongs to the same part."""
        self.report(_LINE_BEHIND_TOTALS, at)
        self.is_closed = False

    def skip_columns(self, text, at, columns):
        """Skip the columns of basic blocks, and of positions of unknown kinds."""
        while columns > 0 and text[at] != 10:
            at = one_position(self, text, at, 0)
            columns -= 1
        return at

    def chosen_positions(self, text, at):
        """Move the base to the positions of a line of which some columns are skipped."""
        at = self.skip_columns(text, at, self.skipped_first)
        if self.has_address:
            at = one_position(self, text, at, self.base_address)
            self.base_address = self.position
        at = self.skip_columns(text, at, self.skipped_between)
        self.line = 0
        if self.has_line:
            at = one_position(self, text, at, self.base_line)
            check_line(self, at)
            self.base_line = self.position
        return self.skip_columns(text, at, self.skipped_last)

    def no_position(self, text, at):
        """Read ?, which some writers have for a position that they do not know, as 0."""
        if text[at] != 63:
            self.report(_BAD_POSITION, at)
            return at
        self.report(_NO_POSITION, at)
        while text[at] == 63:
            at += 1
        self.position = 0
        return at

    def end_of_number(self, text, at, kind):
        """Skip and report characters right behind a number, such as the fraction of 3.5."""
        c: cython.int = text[at]
        if c == 9 or (c == 13 and text[at + 1] == 10):
            return at
        if kind == _BAD_POSITION and (c == 42 or c == 43 or c == 45):  # the next one, as in +3*
            return at
        self.report(kind, at)
        while text[at] != 32 and text[at] != 9 and text[at] != 10:
            at += 1
        return at

    def signed_number(self, at):
        """Return the last number; from 2^63 on it wrapped (docs/design.md, reading rule 11)."""
        if self.number >> 63:
            self.report(_WRAPPED_NUMBER, at)
            return signed_bits(self.number)
        return self.number

    def read_unusual_number(self, text, start, at):
        """Read a number followed by a letter, or with more digits than surely fit 64 bits."""
        c: cython.int
        if at == start + 1 and text[start] == 48 and (text[at] | 32) == 120:
            c = text[at + 1] | 32  # lower case; digits are not changed
            if 48 <= c <= 57 or 97 <= c <= 102:
                return self.read_hexadecimal(text, at + 1)
        if at - start > 19:
            return self.read_long_number(text, start)
        return at

    def read_hexadecimal(self, text, at):
        """Read digits behind 0x; from 2^64 on the lowest 64 bits are retained."""
        value: cython.ulonglong = 0
        lost: cython.ulonglong = 0
        c: cython.int
        while True:
            c = text[at]
            # no branch for letters, which would be guessed wrong for every second digit
            if not ((((c - 48) & 255) < 10) | ((((c | 32) - 97) & 255) < 6)):
                break
            lost |= value >> 60
            value = wrapped(value << 4) | ((c & 15) + 9 * (c >> 6))
            at += 1
        if lost != 0:
            self.report(_HUGE_NUMBER, at)
        self.number = value
        return at

    def read_long_number(self, text, at):
        """Read decimal digits; from 2^64 on the lowest 64 bits are retained."""
        value: cython.ulonglong = 0
        digit: cython.ulonglong
        huge: cython.bint = False
        while 48 <= text[at] <= 57:
            digit = text[at] - 48
            huge = huge or value > (_MOST - digit) // 10
            value = wrapped(value * 10 + digit)
            at += 1
        if huge:
            self.report(_HUGE_NUMBER, at)
        self.number = value
        return at

    # -------------------------------------------------------------- lines of names

    def named_line(self, text, at):
        """Read a line of the form keyword=value; leave any other line to the reader."""
        a: cython.int
        b: cython.int
        c: cython.int
        a = text[at]
        b = text[at + 1]
        if a == 99 and begins(text, at, b"calls=", 6):
            return self.begin_call(text, at + 6)
        if a == 106 and b == 99 and begins(text, at, b"jcnd=", 5):
            return self.begin_jump(text, at + 5, True)
        if a == 106 and begins(text, at, b"jump=", 5):
            return self.begin_jump(text, at + 5, False)
        if self.interner.are_full():  # the lines above add no name
            self.status = 2
            return at
        c = 10 if b == 10 else text[at + 2]
        if c == 61:
            return self.own_specification(text, at, a, b)
        if c != 10 and text[at + 3] == 61:
            return self.other_specification(text, at, a, b, c)
        if begins(text, at, b"rcalls=", 7):
            return self.begin_call(text, at + 7)
        if begins(text, at, b"frfn=", 5):  # the caller is ignored, but the line may define an id
            self.has_body = True
            at = self.read_name(text, at + 5)
            self.function_named(text)
            return at
        self.status = 1
        return at

    def own_specification(self, text, at, a, b):
        """Read fn= fl= fi= fe= ob=: the function, file or object of the next costs.

        All but fn= take effect behind the second line of a call or jump, if one is awaited
        (docs/design.md, reading rule 5).
        """
        after: cython.Py_ssize_t
        is_object: cython.bint = a == 111 and b == 98
        if not is_object and (a != 102 or not (b == 110 or b == 108 or b == 105 or b == 101)):
            self.status = 1
            return at
        self.has_body = True
        if b == 110:
            self.abandon(at)
        after = self.read_name(text, at + 3)
        if is_object:
            self.later_object = self.text_named(text, _OBJECT)
        elif b == 110:
            if self.has_own_file:
                self.file = self.own_file
            self.own_file = self.file  # without any fl=, that of fi= before fn=
            self.function = self.function_named(text)
            self.own_name, self.own_id, self.own_has_id = self.name, self.id, self.has_id
        else:
            self.later_file = self.text_named(text, _FILE)
            if b == 108:
                self.later_own_file = self.later_file
        if self.awaited == _SELF_COST:
            self.move()
        return after

    def move(self) -> None:
        """Let the specifications read last take effect."""
        if self.later_object >= 0:
            self.object = self.later_object
        if self.later_file >= 0:
            self.file = self.later_file
        if self.later_own_file >= 0:
            self.own_file, self.has_own_file = self.later_own_file, True
        self.later_file = self.later_own_file = self.later_object = -1
        self.run_is_open = False

    def other_specification(self, text, at, a, b, c):
        """Read cfn= cfi= cfl= cob= jfi= jfn=: the target of the next call or jump."""
        after: cython.Py_ssize_t
        is_file: cython.bint = b == 102 and (c == 105 or c == 108)
        is_function: cython.bint = b == 102 and c == 110
        is_object: cython.bint = a == 99 and b == 111 and c == 98
        if (a != 99 and a != 106) or not (is_file or is_function or is_object):
            self.status = 1
            return at
        self.has_body = True
        after = self.read_name(text, at + 4)
        if is_object:
            self.callee_object = self.text_named(text, _OBJECT)
            self.callee_object_is_new = self.names_callee_objects = True
        elif is_file and a == 99:
            self.callee_file = self.text_named(text, _FILE)
            self.callee_file_is_new = self.names_callee_files = True
        elif is_file:
            self.target_file = self.text_named(text, _FILE)
        elif a == 99:
            self.forget_uncalled()
            self.function_named(text)
            self.callee_name, self.callee_id, self.callee_has_id = self.name, self.id, self.has_id
        else:
            self.function_named(text)
            self.target_name, self.target_id, self.target_has_id = self.name, self.id, self.has_id
        return after

    def abandon(self, at) -> None:
        """Report a call or jump whose second line is missing, and forget it."""
        if self.awaited != _SELF_COST:
            self.report(
                _CALL_WITHOUT_COST if self.awaited == _CALL_COST else _JUMP_WITHOUT_SOURCE, at
            )
            self.forget()

    def forget(self) -> None:
        """Forget the call or jump whose second line is awaited."""
        self.awaited = _SELF_COST
        self.move()

    def read_name(self, text, at):
        """Read the id and the range of `(ID)`, `(ID) name` or `name` (specification, 3.1.5)."""
        after: cython.Py_ssize_t
        while text[at] == 32 or text[at] == 9:
            at += 1
        self.has_id = False
        if text[at] == 40 and 48 <= text[at + 1] <= 57:
            after = read_number(self, text, at + 1)
            if text[after] == 41:
                self.has_id = True
                self.id = signed_bits(self.number)
                at = after + 1
                while text[at] == 32 or text[at] == 9:
                    at += 1
        self.name_start = at
        while text[at] != 10:
            at += 1
        self.name_stop = at
        if at > self.name_start and text[at - 1] == 13:
            self.name_stop = at - 1
        return at + 1

    def text_named(self, text, kind):
        """Return the object or file of the name just read."""
        known: cython.int
        name: cython.int
        if kind == _FILE and self.name_stop > self.name_start and text[self.name_stop - 1] == 41:
            self.name_stop = without_discriminator(text, self.name_start, self.name_stop)
        if not self.has_id:
            return self.interner.text(text, self.name_start, self.name_stop)
        known = self.interner.meaning(kind, self.id)
        if self.name_start == self.name_stop:
            if known < 0:
                self.report(_UNDEFINED_ID, self.name_start)
                return 0
            return known
        name = self.interner.text(text, self.name_start, self.name_stop)
        if known >= 0 and known != name:
            self.report(_REDEFINED_ID, self.name_start)
        self.interner.define(kind, self.id, name)
        return name

    def function_named(self, text):
        """Store the name just read in `self.name`; return the function bound to its id, or -1.

        A definition binds no function; `Interner.bound_function` does, where the name is used.
        """
        known: cython.int
        if not self.has_id:
            self.name = self.interner.text(text, self.name_start, self.name_stop)
            return -1
        known = self.interner.meaning(_FUNCTION, self.id)
        if self.name_start < self.name_stop:
            self.name = self.interner.text(text, self.name_start, self.name_stop)
            if known != -1 and self.interner.name_of(known) != self.name:
                self.report(_REDEFINED_ID, self.name_start)
            self.interner.define(_FUNCTION, self.id, -2 - self.name)
            return -1
        if known == -1:
            self.report(_UNDEFINED_ID, self.name_start)
            self.has_id = False
        self.name = self.interner.name_of(known)
        return known if known >= 0 else -1

    # -------------------------------------------------------------- calls and jumps

    def begin_call(self, text, at):
        """Read calls=COUNT TARGET, and set the callee; without cfn= it is the last one.

        Its names are those in force here, and are spent (docs/design.md, reading rule 3).
        """
        object_: cython.int
        self.has_body = True
        self.abandon(at)  # of a jump or call whose second line is missing: object and file change
        object_ = self.object
        if self.own_name >= 0:
            object_ = self.interner.function_object[self.function_of_costs(at)]
        at = self.read_count(text, at)
        self.count = self.signed_number(at)
        if self.callee_name < 0 and self.called_name < 0 and self.last_callee < 0:
            self.report(_CALL_WITHOUT_CALLEE, at)
            self.callee_name, self.callee_has_id = 0, False
        if self.callee_name >= 0:
            self.called_name = self.callee_name
            self.called_id, self.called_has_id = self.callee_id, self.callee_has_id
            self.called_file = self.callee_file if self.callee_file >= 0 else self.file
            self.called_object = self.callee_object if self.callee_object >= 0 else object_
            self.called_file_is_given = self.callee_file >= 0
        self.forget_callee()
        self.awaited = _CALL_COST
        return self.call_target(text, at)

    def call_target(self, text, at):
        """Read the position of the callee, which no number depends on, without diagnostics."""
        column: cython.int
        c: cython.int
        base: cython.ulonglong
        self.called_address, self.called_line = 0, 0
        for column in range(
            self.skipped_first + self.has_address + self.skipped_between + self.has_line
        ):
            while text[at] == 32 or text[at] == 9:
                at += 1
            base = 0
            if self.has_address and column == self.skipped_first:
                base = self.base_address
            elif column == self.skipped_first + self.has_address + self.skipped_between:
                base = self.base_line
            c = text[at]
            at += c == 42 or c == 43 or c == 45
            self.number = 0
            if 48 <= text[at] <= 57 and c != 42:
                at = read_number(self, text, at)
            elif c != 42:
                break
            if c == 45:
                self.number = wrapped(base - self.number)
            elif c == 42 or c == 43:
                self.number = wrapped(base + self.number)
            if self.has_address and column == self.skipped_first:
                self.called_address = self.number
            elif column == self.skipped_first + self.has_address + self.skipped_between:
                self.called_line = self.number if self.number <= 2147483647 else 0
        return next_line(text, at)

    def add_target(self, row) -> None:
        """Keep the target of a call: that of its function, or in a row of its own."""
        function: cython.int = self.last_callee
        if not self.interner.function_marks[function] & 1:
            self.interner.function_marks[function] |= 1
            self.interner.function_line[function] = self.called_line
            self.interner.function_address[function] = self.called_address
        elif (
            self.interner.function_line[function] != self.called_line
            or self.interner.function_address[function] != self.called_address
        ):
            self.other_call[self.other_targets] = row
            self.other_line[self.other_targets] = self.called_line
            self.other_address[self.other_targets] = self.called_address
            self.other_targets += 1

    def end_call(self, at) -> None:
        """Add the call whose costs were just read into the row of the next cost line."""
        row: cython.Py_ssize_t = self.calls
        column: cython.int
        bits: cython.ulonglong
        self.function_of_costs(at)
        if self.called_name >= 0:
            self.last_callee = self.interner.bound_function(
                self.called_name,
                self.called_has_id,
                self.called_id,
                self.called_file,
                self.called_object,
            )
            self.called_name = -1
            if self.called_file_is_given:
                self.interner.function_marks[self.last_callee] |= 2
        self.add_target(row)
        for column in range(self.call_values.shape[0]):
            bits = cost_bits(self, column, self.costs)
            if bits != 0:  # pages of zeros take no memory until they are written
                self.cost_values[column, self.costs] = 0
                if self.row_has_high:
                    self.cost_values_high[column, self.costs] = 0
                self.call_values[column, row] = signed_bits(bits)
        self.call_caller[row] = self.function
        self.call_callee[row] = self.last_callee
        self.call_file[row] = self.file
        self.call_line[row] = self.line
        if self.has_address:
            self.call_address[row] = self.base_address
        self.call_count[row] = self.count
        self.calls = row + 1
        self.end_pair()

    def begin_jump(self, text, at, conditional):
        """Read jump=COUNT TARGET or jcnd=FOLLOWED/EXECUTED (or EXECUTED FOLLOWED) TARGET."""
        base_address: cython.ulonglong = self.base_address
        base_line: cython.ulonglong = self.base_line
        self.has_body = True
        self.abandon(at)
        if self.own_name >= 0:
            self.function_of_costs(at)
        at = self.read_count(text, at)
        self.executed = self.followed = self.signed_number(at)
        self.conditional = conditional
        if conditional and text[at] == 47:
            at = self.read_count(text, at + 1)
            self.executed = self.signed_number(at)
        elif conditional:
            at = self.read_count(text, at)
            self.followed = self.signed_number(at)
        if text[at] == 32:
            at += 1
        positions(self, text, at)
        self.target_address, self.target_line = self.base_address, self.line
        self.base_address, self.base_line = base_address, base_line  # targets do not move the base
        self.jumped_file, self.jumped_name = self.target_file, self.target_name
        self.jumped_id, self.jumped_has_id = self.target_id, self.target_has_id
        self.forget_target()
        self.awaited = _JUMP_SOURCE
        return next_line(text, at)

    def end_jump(self, at) -> None:
        """Add the jump whose source was just read; costs on that line are those of a cost line."""
        row: cython.Py_ssize_t = self.jumps
        function: cython.int = self.function_of_costs(at)
        file: cython.int = self.jumped_file if self.jumped_file >= 0 else self.file
        self.jump_function[row] = function
        self.jump_file[row] = self.file
        self.jump_line[row] = self.line
        self.jump_target_file[row] = file
        if self.jumped_name >= 0:
            function = self.interner.bound_function(
                self.jumped_name,
                self.jumped_has_id,
                self.jumped_id,
                file,
                self.interner.function_object[function],
            )
        self.jump_target_function[row] = function
        self.jump_target_line[row] = self.target_line
        if self.has_address:
            self.jump_address[row] = self.base_address
            self.jump_target_address[row] = self.target_address
        self.jump_executed[row] = self.executed
        self.jump_followed[row] = self.followed
        self.jump_conditional[row] = self.conditional
        self.jumps = row + 1
        if self.costs_read > 0:
            self.report(_JUMP_WITH_COST, at)
            self.add_costs(at)
        self.end_pair()

    def end_pair(self) -> None:
        """Await a line of self cost again, behind the second line of a call or jump."""
        self.awaited = _SELF_COST
        if self.later_file >= 0 or self.later_object >= 0:
            self.move()

    def read_count(self, text, at):
        """Read the count of a call or jump into `self.number`."""
        while text[at] == 32 or text[at] == 9:
            at += 1
        if text[at] == 45 and 48 <= text[at + 1] <= 57:
            self.report(_UNKNOWN_COUNT, at)
            at = read_number(self, text, at + 1)
            self.number = 0
            return at
        if not 48 <= text[at] <= 57:
            self.report(_BAD_COUNT, at)
        return read_number(self, text, at)

    def forget_callee(self) -> None:
        """Reset the target of calls behind calls= (docs/design.md, reading rule 3)."""
        self.callee_name = self.callee_object = self.callee_file = -1
        self.callee_object_is_new = self.callee_file_is_new = False

    def forget_uncalled(self) -> None:
        """Forget file and object of a callee that no calls= follows, before another cfn=."""
        self.callee_file = self.callee_file if self.callee_file_is_new else -1
        self.callee_object = self.callee_object if self.callee_object_is_new else -1
        self.callee_object_is_new = self.callee_file_is_new = False

    def forget_target(self) -> None:
        """Reset the target of jumps behind jump= or jcnd=."""
        self.target_file = self.target_name = -1

    # -------------------------------------------------------------- functions, files and objects

    def add_costs(self, at) -> None:
        """Add the line of self cost whose costs were just read."""
        row: cython.Py_ssize_t = self.costs
        if not self.run_is_open:
            self.open_run(at)
        if self.line != 0:  # programs without line numbers need no memory for them
            self.cost_line[row] = self.line
        if self.has_address:
            self.cost_address[row] = self.base_address & _LOW_HALF
            if self.base_address >> 32:
                self.cost_address_high[row] = self.base_address >> 32
                self.has_address_high = True
        self.has_values_high = self.has_values_high or self.row_has_high
        self.costs = row + 1

    def open_run(self, at) -> None:
        """Begin a run of cost lines with the same part, function and file."""
        row: cython.Py_ssize_t = self.runs
        if self.is_closed:
            self.reopen(at)
        self.has_body = True
        self.run_start[row] = self.costs
        self.run_function[row] = self.function_of_costs(at)
        self.run_file[row] = self.file
        self.runs = row + 1
        self.run_is_open = True

    def function_of_costs(self, at):
        """Return the current function, which is bound here at the latest; without fn= it is ???."""
        if self.function < 0:
            if self.own_name < 0:
                self.report(_NO_FUNCTION, at)
                self.own_name, self.own_has_id = 0, False
            self.function = self.interner.bound_function(
                self.own_name, self.own_has_id, self.own_id, self.own_file, self.object
            )
        return self.function

    def report(self, kind, at) -> None:
        """Count a diagnostic of this kind; retain line and offset of the first ones."""
        seen: cython.Py_ssize_t = self.diagnostic_count[kind]
        if seen < self.diagnostic_line.shape[1]:
            self.diagnostic_line[kind, seen] = self.line_number
            self.diagnostic_offset[kind, seen] = at
        self.diagnostic_count[kind] = seen + 1
        self.diagnostics += 1


def cost_bits(scanner, column, row):
    """Return the two halves of a cost as 64 bits."""
    bits: cython.ulonglong = scanner.cost_values[column, row]
    if scanner.row_has_high:
        bits |= cython.cast(cython.ulonglong, scanner.cost_values_high[column, row]) << 32
    return bits


def next_line(text, at):
    """Return the offset of the next line, which is there: the last line ends with a line feed."""
    if text[at] == 10:
        return at + 1
    if cython.compiled:
        return cython.cast(Text, memchr(text + at, 10, _NO_LIMIT)) - text + 1
    return text.index(b"\n", at) + 1


def begins_unknown_position(text, at):
    """Return whether a line begins with ? as a position, and not with some other text."""
    while text[at] == 63:
        at += 1
    return text[at] == 32 or text[at] == 9


def without_discriminator(text, start, stop):
    """Return the end of a file name before a line with a discriminator.

    `addr2line` adds them, as in `a.c:33 (discriminator 2)`, and some writers take all for the name.
    """
    at: cython.Py_ssize_t = stop - 2
    while at > start and 48 <= text[at] <= 57:
        at -= 1
    if at == stop - 2 or at - start < 15 or not begins(text, at - 15, b" (discriminator ", 16):
        return stop
    at -= 15
    stop = at
    while at > start and 48 <= text[at - 1] <= 57:
        at -= 1
    return at - 1 if start + 1 < at < stop and text[at - 1] == 58 else stop


def begins(text, at, word, length):
    """Return whether the text at an offset begins with a word that contains no line feed."""
    index: cython.int
    for index in range(length):
        if text[at + index] != word[index]:
            return False
    return True


def wrapped(number):
    """Return the number modulo 2^64; compiled numbers have 64 bits already."""
    return number if cython.compiled else number & 0xFFFFFFFFFFFFFFFF


def signed_bits(bits):
    """Return 64 bits as a signed number."""
    return bits if cython.compiled or not bits >> 63 else bits - (1 << 64)
