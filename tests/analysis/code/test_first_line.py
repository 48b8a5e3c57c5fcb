"""The line at which a function's code begins."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.code.location_costs import first_line
from qcachegrind_py.profile.ids import FunctionId, NodeId
from tests.profile_rows import profile_from

HEADER = "# callgrind format\nevents: Ir\n"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("fl=a.c\nfn=f\n9 1\n3 1\n", 9),  # entered at 9; 3 may be inlined
        ("fl=a.c\nfn=f\nfi=b.h\n2 1\nfe=a.c\n7 1\n", 7),  # begins with inlined code
        ("fl=a.c\nfn=f\n0 1\n5 1\n", 5),  # code of no line
        ("fl=a.c\nfn=f\n0 1\n", 0),
        ("fl=a.c\nfn=f\nfi=b.h\n2 1\n", 0),  # all of it is inlined
    ],
)
def test_first_line_is_that_of_the_entry(body: str, line: int) -> None:
    """The first line of the function's own file counts, in the order of the profile."""
    assert first_line(profile_from(HEADER + body), FunctionId(NodeId(0))) == line
