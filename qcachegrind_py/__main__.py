"""Entry point of `python -m qcachegrind_py`."""

from __future__ import annotations

import sys

from qcachegrind_py.cli.main import main

sys.exit(main())
