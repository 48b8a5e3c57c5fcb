# What a type checker sees of scanner.py, whether it is compiled or not.
from qcachegrind_py.formats.callgrind.interner import Interner

COMPILED: bool
END_OF_DATA: int
HEADER: int
NAMES_FULL: int
COSTS_BEFORE_EVENTS: int
DIAGNOSTIC_KINDS: tuple[str, ...]
DIAGNOSTICS_KEPT: int

class Scanner:
    interner: Interner
    costs: int
    runs: int
    calls: int
    jumps: int
    diagnostics: int
    other_targets: int
    diagnostic_count: memoryview
    diagnostic_line: memoryview
    diagnostic_offset: memoryview
    has_address: bool
    has_line: bool
    skips_columns: bool
    skipped_first: int
    skipped_between: int
    skipped_last: int
    has_body: bool
    run_is_open: bool
    is_closed: bool
    events: int
    events_repeat: bool
    event_column: object
    line_number: int
    awaited: int
    names_callee_files: bool
    names_callee_objects: bool
    def __init__(self, interner: Interner) -> None: ...
    has_values_high: bool
    has_address_high: bool
    def begin_part(self) -> None: ...
    def forget(self) -> None: ...
    def scan(self, data: bytearray, start: int, stop: int) -> tuple[int, int]: ...
