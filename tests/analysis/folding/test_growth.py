"""Folding takes as long as there are calls, whatever their shape."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.folding.fold import fold_functions
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from tests.bench.folding import CASES, profile_of
from tests.growth import assert_linear

_PART = 2 if COMPILED else 25  # of the functions that are measured


@pytest.mark.parametrize("title", CASES)
def test_every_shape_is_folded_in_linear_time(title: str) -> None:
    """Chains, rings, hubs and callbacks that pile up, of tens of thousands of functions."""
    lines, mask, rows = CASES[title]
    size = rows // _PART
    profiles = {rows: profile_of(lines(rows)) for rows in (size, size // 8)}
    masks = {rows: mask(len(profile.functions)) for rows, profile in profiles.items()}
    assert_linear(lambda rows: fold_functions(profiles[rows], masks[rows]), size)
