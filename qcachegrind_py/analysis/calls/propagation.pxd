# The types of propagation.py where it is compiled.

cpdef void propagate(const long long[::1] start, const long long[::1] order, const long long[::1] target, const double[::1] cost, const double[::1] count, const double[::1] inclusive, Py_ssize_t origin, const double[::1] limits, double[:, ::1] amounts, long long[:, ::1] steps)
cdef void spread(const long long[::1] start, const long long[::1] order, const long long[::1] target, const double[::1] cost, const double[::1] count, const double[::1] inclusive, Py_ssize_t origin, const double[::1] limits, double[:, ::1] amounts, long long[:, ::1] steps) noexcept nogil
