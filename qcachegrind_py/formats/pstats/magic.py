"""Recognition of files of Python's profilers by their first bytes."""

from __future__ import annotations

import re

# a dictionary whose first key is a triple; the high bit marks objects that are referenced later
_MAGIC = rb"[{\xfb](?:[(\xa8]\x03\0\0\0|[)\xa9]\x03|0\Z)"


def is_python_profile(head: bytes) -> bool:
    """Return whether a file with these first bytes comes from Python's profilers, even if empty."""
    return re.match(_MAGIC, head) is not None
