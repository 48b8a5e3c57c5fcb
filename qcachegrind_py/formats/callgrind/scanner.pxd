# The types of scanner.py where it is compiled.
cimport cython
from libc.string cimport memchr, memcpy
from qcachegrind_py.formats.callgrind.interner cimport Interner

ctypedef const unsigned char* Text

@cython.final
cdef class Scanner:
    cdef public Interner interner
    # columns, and how many of their rows are filled
    cdef public Py_ssize_t costs, runs, calls, jumps, diagnostics
    cdef public int[::1] cost_line
    # costs and their addresses have 64 bits in two halves; the upper ones are mostly 0
    cdef public unsigned int[::1] cost_address, cost_address_high
    cdef public unsigned int[:, ::1] cost_values, cost_values_high
    cdef public bint has_address_high, has_values_high
    cdef public long long[::1] run_start
    cdef public int[::1] run_function, run_file
    cdef public int[::1] call_caller, call_callee, call_file, call_line
    cdef public unsigned long long[::1] call_address
    cdef public long long[::1] call_count
    cdef public long long[:, ::1] call_values
    cdef public int[::1] jump_function, jump_file, jump_line
    cdef public int[::1] jump_target_function, jump_target_file, jump_target_line
    cdef public unsigned long long[::1] jump_address, jump_target_address
    cdef public long long[::1] jump_executed, jump_followed
    cdef public unsigned char[::1] jump_conditional
    cdef public Py_ssize_t other_targets  # of calls whose target is not that of their function
    cdef public long long[::1] other_call
    cdef public int[::1] other_line
    cdef public unsigned long long[::1] other_address
    cdef public long long[::1] diagnostic_count
    cdef public long long[:, ::1] diagnostic_line, diagnostic_offset
    # what the numbers of a cost line mean; before events: there are -1 events
    cdef public bint has_address, has_line
    cdef public bint skips_columns
    cdef public int skipped_first, skipped_between, skipped_last  # columns of positions
    cdef public int events
    cdef public bint events_repeat
    cdef public int[::1] event_column
    # where the next costs belong; no function yet is -1
    cdef public long long line_number
    cdef int object, own_file, file, function, own_name
    cdef public bint run_is_open, is_closed
    cdef bint has_own_file, own_has_id
    cdef long long own_id
    cdef public bint has_body
    cdef unsigned long long base_address, base_line
    # the call or jump whose second line is awaited; what is not given is -1
    cdef public int awaited
    cdef long long count
    cdef int called_name, called_file, called_object, last_callee
    cdef bint called_has_id, called_file_is_given
    cdef long long called_id
    cdef int called_line
    cdef unsigned long long called_address
    cdef int jumped_file, jumped_name, target_line
    cdef bint jumped_has_id
    cdef long long jumped_id
    cdef unsigned long long target_address
    cdef long long executed, followed
    cdef bint conditional
    # what has been named for the next call and jump, and for the costs behind the second line
    cdef int callee_name, callee_file, callee_object
    cdef bint callee_file_is_new, callee_object_is_new, callee_has_id
    cdef long long callee_id
    cdef int target_file, target_name
    cdef bint target_has_id
    cdef long long target_id
    cdef int later_file, later_own_file, later_object
    cdef public bint names_callee_files, names_callee_objects
    # what the last small step read
    cdef bint reads_short  # usual lines of cost
    cdef bint row_has_high  # costs of the last line
    cdef int status, line, costs_read, name
    cdef unsigned long long number, position
    cdef bint below_zero, has_id
    cdef long long id
    cdef Py_ssize_t name_start, name_stop

    cpdef void begin_part(self)
    cpdef tuple scan(self, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t stop)
    cdef Py_ssize_t lines(self, Text text, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
    cdef Py_ssize_t usual_cost_lines(self, Text text, Py_ssize_t at, Py_ssize_t stop) noexcept nogil
    cdef Py_ssize_t position_line(self, Text text, Py_ssize_t at) noexcept nogil
    cdef Py_ssize_t text_after_costs(self, Text text, Py_ssize_t at) noexcept nogil
    cdef void reopen(self, Py_ssize_t at) noexcept nogil
    cdef Py_ssize_t skip_columns(self, Text text, Py_ssize_t at, int columns) noexcept nogil
    cdef Py_ssize_t chosen_positions(self, Text text, Py_ssize_t at) noexcept nogil
    cdef Py_ssize_t no_position(self, Text text, Py_ssize_t at) noexcept nogil
    cdef Py_ssize_t end_of_number(self, Text text, Py_ssize_t at, int kind) noexcept nogil
    cdef long long signed_number(self, Py_ssize_t at) noexcept nogil
    cdef Py_ssize_t read_unusual_number(self, Text text, Py_ssize_t start, Py_ssize_t at) noexcept nogil
    cdef Py_ssize_t read_hexadecimal(self, Text text, Py_ssize_t at) noexcept nogil
    cdef Py_ssize_t read_long_number(self, Text text, Py_ssize_t at) noexcept nogil
    cdef Py_ssize_t named_line(self, Text text, Py_ssize_t at) noexcept nogil
    cdef Py_ssize_t own_specification(self, Text text, Py_ssize_t at, int a, int b) noexcept nogil
    cdef Py_ssize_t other_specification(self, Text text, Py_ssize_t at, int a, int b, int c) noexcept nogil
    cdef Py_ssize_t read_name(self, Text text, Py_ssize_t at) noexcept nogil
    cdef int text_named(self, Text text, int kind) noexcept nogil
    cdef int function_named(self, Text text) noexcept nogil
    cdef void move(self) noexcept nogil
    cdef void abandon(self, Py_ssize_t at) noexcept nogil
    cpdef void forget(self) noexcept nogil
    cdef Py_ssize_t begin_call(self, Text text, Py_ssize_t at) noexcept nogil
    cdef Py_ssize_t call_target(self, Text text, Py_ssize_t at) noexcept nogil
    cdef void add_target(self, Py_ssize_t row) noexcept nogil
    cdef void end_call(self, Py_ssize_t at) noexcept nogil
    cdef Py_ssize_t begin_jump(self, Text text, Py_ssize_t at, bint conditional) noexcept nogil
    cdef void end_jump(self, Py_ssize_t at) noexcept nogil
    cdef void end_pair(self) noexcept nogil
    cdef Py_ssize_t read_count(self, Text text, Py_ssize_t at) noexcept nogil
    cdef void forget_callee(self) noexcept nogil
    cdef void forget_uncalled(self) noexcept nogil
    cdef void forget_target(self) noexcept nogil
    cdef void add_costs(self, Py_ssize_t at) noexcept nogil
    cdef void open_run(self, Py_ssize_t at) noexcept nogil
    cdef int function_of_costs(self, Py_ssize_t at) noexcept nogil
    cdef void report(self, int kind, Py_ssize_t at) noexcept nogil

cdef unsigned long long cost_bits(Scanner scanner, int column, Py_ssize_t row) noexcept nogil
cdef Py_ssize_t next_line(Text text, Py_ssize_t at) noexcept nogil
cdef bint begins_unknown_position(Text text, Py_ssize_t at) noexcept nogil
cdef Py_ssize_t without_discriminator(Text text, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
cdef bint begins(Text text, Py_ssize_t at, const char* word, int length) noexcept nogil
cdef unsigned long long wrapped(unsigned long long number) noexcept nogil
cdef long long signed_bits(unsigned long long bits) noexcept nogil
