# What a type checker sees of scanner.py, whether it is compiled or not.
from qcachegrind_py.formats.callgrind.symbols import Symbols

COMPILED: bool
ALL_READ: int
HEADER: int
NAMES_FULL: int
COSTS_BEFORE_EVENTS: int
ODDITIES: tuple[str, ...]
ODDITIES_KEPT: int

class Scanner:
    symbols: Symbols
    costs: int
    runs: int
    calls: int
    jumps: int
    oddities: int
    odd_count: memoryview
    odd_line: memoryview
    odd_place: memoryview
    has_address: bool
    has_block: bool
    has_line: bool
    events: int
    events_repeat: bool
    event_column: object
    line_number: int
    awaited: int
    def __init__(self, symbols: Symbols) -> None: ...
    def begin_part(self, part: int) -> None: ...
    def scan(self, data: bytearray, start: int, stop: int) -> tuple[int, int]: ...
