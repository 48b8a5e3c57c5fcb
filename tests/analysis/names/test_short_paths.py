"""Paths of files, as short as they can be distinguished."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.analysis.names.syntax import short_paths


@pytest.mark.parametrize(
    ("paths", "short"),
    [
        ([], []),
        (["/usr/src/a.c", "b.c", "./x/c.h"], ["a.c", "b.c", "c.h"]),
        (["lib1/work.cpp", "lib2/work.cpp", "main.cpp"],
         ["lib1/work.cpp", "lib2/work.cpp", "main.cpp"]),
        # of three, the two that share a folder need one more
        (["/p/x/io/a.c", "/p/y/io/a.c", "/p/net/a.c"], ["x/io/a.c", "y/io/a.c", "net/a.c"]),
        # where one is the end of another, it is all there is of it
        (["a.c", "src/a.c", "/a.c"], ["a.c", "src/a.c", "/a.c"]),
        (["C:\\one\\a.c", "C:\\two\\a.c", "D:\\b.c"], ["one/a.c", "two/a.c", "b.c"]),
        # the same throughout, however they are written
        (["x/a.c", "x/a.c", "y/a.c"], ["x/a.c", "x/a.c", "y/a.c"]),
        (["", "???", "/", "/usr/"], ["", "???", "/", "usr/"]),
    ],
)  # fmt: skip
def test_short_paths(paths: list[str], short: list[str]) -> None:
    """The base name of each path, with folders only for paths of the same base name."""
    assert short_paths(paths) == short


PATHS = st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join), max_size=8)


@given(PATHS)
def test_different_paths_stay_different(paths: list[str]) -> None:
    """Each short path is the end of its path, and no two are equal."""
    short = short_paths(paths)

    assert len(short) == len(paths)
    for path, text in zip(paths, short, strict=True):
        assert f"/{path}".endswith(f"/{text}")
    for one, other in combinations(range(len(paths)), 2):
        assert (short[one] == short[other]) == (paths[one] == paths[other])
    bases = [path.rpartition("/")[2] for path in paths]
    alone = [text for text, base in zip(short, bases, strict=True) if bases.count(base) == 1]
    assert "/" not in "".join(alone)


def test_order_of_paths_does_not_matter() -> None:
    """The same paths have the same short forms in any order."""
    paths = ["/p/x/io/a.c", "b.c", "/p/net/a.c", "/p/y/io/a.c", "q/b.c"]

    short = dict(zip(paths, short_paths(paths), strict=True))

    for turned in (paths[::-1], paths[2:] + paths[:2]):
        assert dict(zip(turned, short_paths(turned), strict=True)) == short
