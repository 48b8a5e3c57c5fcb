# The types of interner.py where it is compiled.
cimport cython
from libc.string cimport memcpy

@cython.final
cdef class Interner:
    cdef unsigned long long seed
    cdef public Py_ssize_t texts
    cdef public Py_ssize_t functions
    cdef public Py_ssize_t ids
    cdef public unsigned char[::1] arena
    cdef public long long[::1] text_start
    cdef public unsigned long long[::1] text_hash
    cdef public int[::1] text_slot
    cdef public int[::1] function_name
    cdef public int[::1] function_file
    cdef public int[::1] function_object
    cdef public int[::1] function_slot
    cdef public int[::1] function_line  # of the target of its first call
    cdef public unsigned long long[::1] function_address
    cdef public unsigned char[::1] function_marks  # 1: called; 2: a call gave its file
    cdef public long long[:, ::1] id_key
    cdef public int[:, ::1] id_value

    cpdef void take_ids(self, long long[:, ::1] keys, int[:, ::1] values)
    cdef bint are_full(self) noexcept nogil
    cdef int text(self, const unsigned char* bytes_, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef bint text_is(self, int index, const unsigned char* bytes_, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef int function(self, int name, int file, int object_) noexcept nogil
    cdef int bound_function(self, int name, bint has_id, long long id, int file, int object_) noexcept nogil
    cdef int name_of(self, int meaning) noexcept nogil
    cdef int meaning(self, int kind, long long key) noexcept nogil
    cdef void define(self, int kind, long long key, int value) noexcept nogil
    cdef Py_ssize_t slot(self, int kind, long long key) noexcept nogil
    cdef unsigned long long hash_of_function(self, unsigned long long name, unsigned long long file, unsigned long long object_) noexcept nogil
    cdef void enter(self, int[::1] slots, unsigned long long hash, int index) noexcept nogil

cdef unsigned long long wrapped(unsigned long long number) noexcept nogil
cdef unsigned long long mixed(unsigned long long bits) noexcept nogil
