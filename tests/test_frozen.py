"""Frozen classes are dataclasses: made, compared, shown and replaced by their fields."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

import numpy as np
import pytest

from qcachegrind_py.frozen import frozen


@frozen(eq=True)
class Point:
    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False)


@frozen(eq=True)
class Named(Point):
    title: str = field(kw_only=True)
    made: list[int] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.made.append(self.x)


@frozen(eq=True)
class Single:
    value: Any


@frozen
class Plain:
    x: int


class Inheriting(Plain):
    pass


def test_fields_are_set_from_positions_names_and_defaults() -> None:
    """Each object has its own list; only keywords set what is for keywords alone."""
    first, second = Point(1), Point(1, y=3, names=["a"])
    first.names.append("b")

    assert (repr(first), repr(second), repr(Point(1))) == (
        "Point(x=1, y=2, names=['b'], note='')",
        "Point(x=1, y=3, names=['a'], note='')",
        "Point(x=1, y=2, names=[], note='')",
    )
    assert repr(Named(1, 2, title="t")) == "Named(x=1, y=2, names=[], note='', title='t', made=[1])"
    assert (Inheriting(4).x, Plain(5).x) == (4, 5)
    assert replace(second, x=7) == Point(7, 3, ["a"])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Point(), r"Point.__init__\(\) missing 1 required positional argument: 'x'"),
        (lambda: Point(1, 2, [], "", 5), "takes from 2 to 5 positional arguments but 6"),
        (lambda: Named(1), "missing 1 required keyword-only argument: 'title'"),
        (lambda: Plain(1, z=1), "unexpected keyword argument 'z'"),
    ],
)
def test_wrong_arguments_are_told(make: Any, said: str) -> None:
    """As by a dataclass, at the first object of a class and at any other."""
    for _ in range(2):
        with pytest.raises(TypeError, match=said):
            make()


def test_objects_are_compared_by_their_fields_or_by_identity() -> None:
    """Fields may be left out, and objects of other classes are never equal."""
    array = np.arange(3)

    assert Point(1) == Point(1, note="other") != Point(2)
    assert Point(1) != Named(1, title="")
    assert (Single(array) == Single(array), Single(1) == Single(2)) == (True, False)
    assert len({Single(1), Single(1), Single(2)}) == 2
    assert Plain(1) != Plain(1)


def test_slots_refuse_what_is_no_field() -> None:
    """A misspelled field is an error."""
    with pytest.raises(AttributeError):
        Plain(1).y = 2  # type: ignore[attr-defined]  # the mistake
