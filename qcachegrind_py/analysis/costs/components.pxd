# The types of components.py where it is compiled.

cpdef void find_components(const int[::1] caller, const int[::1] callee, int[::1] first, int[::1] targets, int[:, ::1] scratch, int[::1] component)
cdef void sort_edges(const int[::1] caller, const int[::1] callee, int[::1] first, int[::1] targets) noexcept nogil
cdef void search(int[::1] first, int[::1] targets, int[:, ::1] scratch, int[::1] component) noexcept nogil
