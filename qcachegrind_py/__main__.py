"""Entry point of `python -m qcachegrind_py`."""

from __future__ import annotations

from qcachegrind_py.cli.main import program

program()
