"""Which files and objects of two builds are the same."""

from __future__ import annotations

import pytest
from qcachegrind_py.analysis.comparison.stable_names import (
    file_counterparts,
    object_counterparts,
    object_name,
)

from tests.growth import assert_linear


@pytest.mark.parametrize(
    ("base", "new", "expected"),
    [
        (["/a/x.c", "/a/y.c"], ["/a/y.c", "/a/x.c"], {"/a/x.c": "/a/x.c", "/a/y.c": "/a/y.c"}),
        (["/old/src/x.c"], ["/new/src/x.c"], {"/old/src/x.c": "/new/src/x.c"}),
        (["/old/a/x.c", "/old/b/x.c"], ["/n/a/x.c", "/n/b/x.c"],
         {"/old/a/x.c": "/n/a/x.c", "/old/b/x.c": "/n/b/x.c"}),
        (["/old/x.c"], ["/n/a/x.c", "/n/b/x.c"], {}),  # no candidate is best
        (["/old/a/x.c", "/older/a/x.c"], ["/n/a/x.c"], {}),  # nor is a base path
        (["/rustc/1111/library/core/mod.rs", "/rustc/1111/library/std/mod.rs"],
         ["/rustc/22/library/core/mod.rs", "/rustc/22/library/std/mod.rs"],
         {"/rustc/1111/library/core/mod.rs": "/rustc/22/library/core/mod.rs",
          "/rustc/1111/library/std/mod.rs": "/rustc/22/library/std/mod.rs"}),
        (["x.c", "???"], ["y.c", "???"], {"???": "???"}),
        (["???"], ["/n/???"], {}),
        ([r"C:\old\x.c"], ["/n/x.c"], {r"C:\old\x.c": "/n/x.c"}),
    ],
    ids=["equal", "folder", "two folders", "two candidates", "two bases", "rust", "unknown",
         "unknown alone", "Windows"],
)  # fmt: skip
def test_files(base: list[str], new: list[str], expected: dict[str, str]) -> None:
    """The longest equal end of the path decides, if it decides."""
    assert file_counterparts(base, new) == expected


def test_objects() -> None:
    """Libraries pair without version, and the programs whatever they are called."""
    base = ["/old/prog-O2", "/lib/libc.so.6", "/lib/libfoo-1.2.so", "/lib/a/libx.so", "???"]
    new = [
        "/n/prog-O3",
        "/lib64/libc.so.7",
        "/lib/libfoo-1.3.so",
        "/b/libx.so",
        "/c/libx.so",
        "???",
    ]

    assert object_counterparts(base, new, ("/old/prog-O2", "/n/prog-O3")) == {
        "/old/prog-O2": "/n/prog-O3",
        "/lib/libc.so.6": "/lib64/libc.so.7",
        "/lib/libfoo-1.2.so": "/lib/libfoo-1.3.so",
        "???": "???",
    }


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/lib/libstdc++.so.6.0.30", "libstdc++.so"),
        ("/lib/ld-2.31.so", "ld.so"),
        ("/bin/prog", "prog"),
        ("???", "???"),
    ],
)
def test_object_names(path: str, name: str) -> None:
    """The version of a library is no part of its name."""
    assert object_name(path) == name


def test_many_files_of_one_name() -> None:
    """The time does not grow with the square of their number."""

    def pair(count: int) -> None:
        sides = [[f"/{side}/{number}/mod.rs" for number in range(count)] for side in ("a", "b")]
        assert len(file_counterparts(*sides)) == count

    assert_linear(pair, 2_000)
