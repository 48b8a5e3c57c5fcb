# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Interner of the scanner: hash tables of texts, functions and ids, each stored once.

It is part of the scanner: compiled if there is a compiler (types in `interner.pxd`), interpreted
otherwise. It allocates nothing; `scanner_tables` provides its memory. A text is a range of an
arena; a function is a triple of name, file and object; an id is found by kind and number, so that
a file with `fn=(1000000000000000000)` takes no more memory than any other. Hashes begin with a
random number, so that no file can choose names or ids that all belong into the same slot.
"""

from __future__ import annotations

import os

try:
    import cython
except ImportError:  # an installation without a compiler has no Cython either
    from qcachegrind_py.profile import cython_shim as cython

if not cython.compiled:  # compiled, interner.pxd has it from C
    memcpy = None


_FACTOR = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)  # odd, with bits everywhere
_FUNCTION = cython.declare(cython.int, 2)  # among the kinds of ids: objects, files, functions


class Interner:
    """Texts, functions and ids; text 0 is the unknown name, which is empty or `???` in files."""

    def __init__(self) -> None:
        self.seed = int.from_bytes(os.urandom(8), "little")
        self.texts = 0
        self.functions = 0
        self.ids = 0

    def rehash(self) -> None:
        """Rebuild the slots after the tables of texts and functions have grown."""
        index: cython.int
        for index in range(self.texts):
            self.enter(self.text_slot, self.text_hash[index], index)
        for index in range(self.functions):
            self.enter(
                self.function_slot,
                self.hash_of_function(
                    self.function_name[index],
                    self.function_file[index],
                    self.function_object[index],
                ),
                index,
            )

    def take_ids(self, keys, values) -> None:
        """Copy the ids from the old tables into the larger ones."""
        kind: cython.int
        slot: cython.Py_ssize_t
        for kind in range(3):
            for slot in range(values.shape[1]):
                if values[kind, slot] != 0:
                    self.define(kind, keys[kind, slot], values[kind, slot] - 1)

    def are_full(self):
        """Return whether the next line, with up to eight names, may fill a table more than half."""
        return (
            2 * (self.texts + 8) > self.text_slot.shape[0]
            or 2 * (self.functions + 8) > self.function_slot.shape[0]
            or 2 * (self.ids + 8) > self.id_value.shape[1]
        )

    def text(self, bytes_, start, stop):
        """Return the number of the text `bytes_[start:stop]`, adding it if it is new."""
        at: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        mask: cython.Py_ssize_t
        begin: cython.Py_ssize_t
        index: cython.int
        hash: cython.ulonglong = self.seed
        word: cython.ulonglong = 0
        if stop == start:
            return 0
        if stop - start == 3 and bytes_[start] == bytes_[start + 1] == bytes_[start + 2] == 63:
            return 0
        at = start
        while at + 8 <= stop:
            if cython.compiled:
                memcpy(cython.address(word), bytes_ + at, 8)
            else:
                word = int.from_bytes(bytes_[at : at + 8], "little")
            hash = mixed(hash ^ word)
            at += 8
        while at < stop:
            hash = mixed(hash ^ bytes_[at])
            at += 1
        mask = self.text_slot.shape[0] - 1
        slot = hash & mask
        while self.text_slot[slot] != 0:
            index = self.text_slot[slot] - 1
            if self.text_hash[index] == hash and self.text_is(index, bytes_, start, stop):
                return index
            slot = (slot + 1) & mask
        index = self.texts
        begin = self.text_start[index] - start
        for at in range(start, stop):
            self.arena[begin + at] = bytes_[at]
        self.arena[begin + stop] = 10  # line feeds make the arena searchable as one text
        self.text_start[index + 1] = begin + stop + 1
        self.text_hash[index] = hash
        self.text_slot[slot] = index + 1
        self.texts = index + 1
        return index

    def text_is(self, index, bytes_, start, stop):
        """Return whether text number `index` equals `bytes_[start:stop]`."""
        at: cython.Py_ssize_t
        begin: cython.Py_ssize_t = self.text_start[index] - start
        if self.text_start[index + 1] != begin + stop + 1:
            return False
        for at in range(start, stop):
            if self.arena[begin + at] != bytes_[at]:
                return False
        return True

    def function(self, name, file, object_):
        """Return the number of the function, adding it if it is new."""
        mask: cython.Py_ssize_t = self.function_slot.shape[0] - 1
        slot: cython.Py_ssize_t = self.hash_of_function(name, file, object_) & mask
        index: cython.int
        while self.function_slot[slot] != 0:
            index = self.function_slot[slot] - 1
            if (
                self.function_name[index] == name
                and self.function_file[index] == file
                and self.function_object[index] == object_
            ):
                return index
            slot = (slot + 1) & mask
        index = self.functions
        self.function_name[index] = name
        self.function_file[index] = file
        self.function_object[index] = object_
        self.function_slot[slot] = index + 1
        self.functions = index + 1
        return index

    def bound_function(self, name, has_id, id, file, object_):
        """Return the function of a name that is used; it gets this file and object if it is new.

        The id, if there is one, stands for that function from here on (docs/design.md, reading
        rule 2).
        """
        known: cython.int = -1
        function: cython.int
        if has_id:
            known = self.meaning(_FUNCTION, id)
            if known >= 0 and self.function_name[known] == name:
                return known
        function = self.function(name, file, object_)
        if known == -2 - name:  # otherwise the id has been defined anew since
            self.define(_FUNCTION, id, function)
        return function

    def name_of(self, meaning):
        """Return the name that the id of a function stands for, bound or not; 0 if undefined."""
        if meaning >= 0:
            return self.function_name[meaning]
        return 0 if meaning == -1 else -2 - meaning

    def meaning(self, kind, key):
        """Return the object, file or function that an id stands for; -1: undefined.

        The id of a function that has not been used yet stands for -2 - NAME.
        """
        return self.id_value[kind, self.slot(kind, key)] - 1

    def define(self, kind, key, value):
        """Define an id as a text or function from here on."""
        slot: cython.Py_ssize_t = self.slot(kind, key)
        if self.id_value[kind, slot] == 0:
            self.ids += 1
        self.id_key[kind, slot] = key
        self.id_value[kind, slot] = value + 1  # 0 is a free slot: unused slots take no memory

    def slot(self, kind, key):
        """Return the slot of an id, or the free slot where it belongs."""
        mask: cython.Py_ssize_t = self.id_value.shape[1] - 1
        bits: cython.ulonglong = key
        slot: cython.Py_ssize_t
        bits = wrapped(bits)  # ids that follow each other share a line of the cache: 16 of them
        slot = ((mixed((bits >> 4) ^ self.seed) << 4) | (bits & 15)) & mask
        while self.id_value[kind, slot] != 0 and self.id_key[kind, slot] != key:
            slot = (slot + 1) & mask
        return slot

    def hash_of_function(self, name, file, object_):
        """Return a hash of three numbers."""
        bits: cython.ulonglong = mixed(self.seed ^ name)
        bits = mixed(bits ^ file)
        return mixed(bits ^ object_)

    def enter(self, slots, hash, index):
        """Store a number in the first free slot from its hash on."""
        mask: cython.Py_ssize_t = slots.shape[0] - 1
        slot: cython.Py_ssize_t = hash & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = index + 1


def wrapped(number):
    """Return the number modulo 2^64; compiled numbers have 64 bits already."""
    return number if cython.compiled else number & 0xFFFFFFFFFFFFFFFF


def mixed(bits):
    """Mix the bits, so that the lowest ones depend on all of them."""
    bits = wrapped((bits ^ (bits >> 32)) * _FACTOR)
    return bits ^ (bits >> 32)
