"""Figures of no rows, for tables that have nothing to show.

They are arrays: what the window shows before a profile is open imports `figures` without them, and
numpy is loaded later.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.present.figures import Counts, Figures, Reasons
from qcachegrind_py.present.unit import NO_UNIT
from qcachegrind_py.profile.tables import Int64Array

NO_NUMBERS: Int64Array = np.empty(0, np.int64)
NO_FIGURES = Figures.alone(NO_UNIT, NO_NUMBERS)
NO_COUNTS = Counts.alone(NO_NUMBERS)
NO_REASONS = Reasons(NO_FIGURES, NO_COUNTS, np.empty(0, bool))
