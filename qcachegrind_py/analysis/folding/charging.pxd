# The types of charging.py where it is compiled.

cpdef Py_ssize_t pass_up(const long long[::1] first, const long long[::1] source, const long long[::1] callee, const long long[:, ::1] weight, const long long[::1] back_first, const long long[::1] back_callee, const long long[:, ::1] back_weight, long long[:, ::1] amount, long long[:, ::1] charge, long long[::1] exact, long long[:, ::1] state, long long[:, ::1] merged, long long[:, ::1] passed, const long long[::1] limits) except -1
cdef Py_ssize_t pass_all(const long long[::1] first, const long long[::1] source, const long long[::1] callee, const long long[:, ::1] weight, const long long[::1] back_first, const long long[::1] back_callee, const long long[:, ::1] back_weight, long long[:, ::1] amount, long long[:, ::1] charge, long long[::1] exact, long long[:, ::1] state, long long[:, ::1] merged, long long[:, ::1] passed, const long long[::1] limits) noexcept nogil
cdef Py_ssize_t leave(Py_ssize_t region, Py_ssize_t used, const long long[::1] first, const long long[::1] source, const long long[::1] callee, const long long[:, ::1] weight, long long[:, ::1] state, long long[:, ::1] passed) noexcept nogil
cdef Py_ssize_t merge(Py_ssize_t region, const long long[::1] back_first, const long long[::1] back_callee, const long long[:, ::1] back_weight, long long[:, ::1] state, long long[:, ::1] merged, long long[:, ::1] passed) noexcept nogil
cdef Py_ssize_t begin(Py_ssize_t function, Py_ssize_t found, Py_ssize_t region, Py_ssize_t rows, long long[:, ::1] merged) noexcept nogil
cdef Py_ssize_t pass_callback(Py_ssize_t there, Py_ssize_t used, Py_ssize_t region, const long long[::1] first, const long long[::1] source, const long long[:, ::1] weight, long long[:, ::1] state, long long[:, ::1] merged, long long[:, ::1] passed) noexcept nogil
cdef Py_ssize_t push(Py_ssize_t used, Py_ssize_t entry, Py_ssize_t function, Py_ssize_t proven, Py_ssize_t region, long long[:, ::1] state, long long[:, ::1] passed) noexcept nogil
cdef bint adds_up(Py_ssize_t region, const long long[::1] first, const long long[:, ::1] weight, long long[:, ::1] amount) noexcept nogil
cdef void divide(long long total, Py_ssize_t row, Py_ssize_t region, const long long[::1] first, const long long[:, ::1] weight, long long[:, ::1] result, Py_ssize_t line, Py_ssize_t place) noexcept nogil
cdef bint is_sum(long long total, Py_ssize_t row, Py_ssize_t start, Py_ssize_t stop, const long long[:, ::1] weight) noexcept nogil
cdef double sum_of(Py_ssize_t row, Py_ssize_t start, Py_ssize_t stop, const long long[:, ::1] weight) noexcept nogil
