"""The version, and whether the scanner is compiled. It imports almost nothing."""

from __future__ import annotations

from qcachegrind_py.formats.callgrind.scanner import COMPILED

__version__ = "0.1.0"


def version_text() -> str:
    """Return one line with the version and the kind of scanner."""
    return f"qcachegrind_py {__version__} ({'compiled' if COMPILED else 'interpreted'} scanner)"
