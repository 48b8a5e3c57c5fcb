"""Which version this is, and whether its scanner is compiled. Imports next to nothing."""

from __future__ import annotations

from qcachegrind_py.formats.callgrind.scanner import COMPILED

__version__ = "0.1.0"


def version_text() -> str:
    """The version and how files are scanned, in one line."""
    return f"qcachegrind_py {__version__} ({'compiled' if COMPILED else 'interpreted'} scanner)"
