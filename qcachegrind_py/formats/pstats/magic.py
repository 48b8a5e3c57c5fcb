"""Recognition of files of Python's profilers by their first bytes."""

from __future__ import annotations

import re

DAMAGED = "looks like a Python profile, but is truncated or damaged."
RECORD_AGAIN = "Record it again, and wait for the program to end before opening it."

# a dictionary whose first key is a triple; the high bit marks objects that are referenced later
_MAGIC = rb"[{\xfb](?:[(\xa8]\x03\0\0\0|[)\xa9]\x03|0\Z)"
_BEGINNING = rb"[{\xfb][()\xa8\xa9]"  # neither JSON nor any text goes on like this


def is_damaged_python_profile(head: bytes) -> bool:
    """Return whether a file with these first bytes, which cannot be read, may have been one."""
    is_dictionary = head[:1] in (b"{", b"\xfb")
    return re.match(_BEGINNING, head) is not None or (is_dictionary and b"\0" in head)


def is_python_profile(head: bytes) -> bool:
    """Return whether a file with these first bytes comes from Python's profilers, even if empty."""
    return re.match(_MAGIC, head) is not None
