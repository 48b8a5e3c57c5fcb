"""The flame graph of both sides of a comparison."""

from __future__ import annotations

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.present.flame_graph import FlameGraph, flame_graph
from qcachegrind_py.profile.progress import NoProgress
from tests.profile_rows import profile_from
from tests.profile_text import THIN, profile_text
from tests.write.drawn_comparisons import BASE, NEW

# b calls c as often as before, and only a does more: what c costs below b is an estimate
ESTIMATED = """
    main 0 -> a 1x{a}, b 1x100
    a {own} -> mid 1x50
    b 50 -> mid 1x50
    mid 20 -> c 2x80
    c 80
    """


def compared_of(base: str, new: str) -> Comparison:
    """The comparison of two drawings."""
    return compare(profile_from(profile_text(base)), profile_from(profile_text(new)))


def flame_of(compared: Comparison) -> FlameGraph:
    """The flame graph of both sides."""
    flame = flame_graph(
        compared.queries, compared.events[0], compared.new, None, NoProgress(), base=compared.base
    )
    assert flame is not None
    return flame


def boxes_of(compared: Comparison) -> dict[str, tuple[str, bool]]:
    """Base and new as they are told, and whether both are proven, of all boxes by their path."""
    flame, paths = flame_of(compared), list[str]()
    names = [tip.partition(":")[0] for tip in flame.tips]
    for name, parent in zip(names, flame.parent, strict=True):
        shown = "" if parent < 0 and name == "Whole program" else name
        paths.append(f"{paths[parent]}/{shown}" if parent >= 0 else shown)
    told = [tip.partition(": ")[2].partition(",")[0].replace(THIN, " ") for tip in flame.tips]
    return dict(zip(paths, zip(told, flame.is_exact, strict=True), strict=True))


def test_boxes_have_the_costs_of_both_sides() -> None:
    """What is gone has a box, too; a side without a call costs nothing there."""
    assert boxes_of(compared_of(BASE, NEW)) == {
        "main": ("2 450 → 3 607", True),
        "main/sort": ("2 000 → 3 450", True),
        "main/old": ("300 → 0", True),
        "main/same": ("50 → 50", True),
        "main/fresh": ("0 → 7", True),
        "main/sort/less": ("1 000 → 1 200", True),
    }


def test_estimates_are_not_proven() -> None:
    """Below a function with two callers, costs change by estimate although nothing did."""
    base, new = ESTIMATED.format(a=150, own=100), ESTIMATED.format(a=250, own=200)
    boxes = boxes_of(compared_of(base, new))
    assert boxes["main/a"] == ("150 → 250", True)
    assert boxes["main/b/mid"] == ("50 → 50", True)
    assert [proven for _, proven in (boxes["main/a/mid/c"], boxes["main/b/mid/c"])] == [False] * 2


def test_widths_by_new_by_base_and_by_change() -> None:
    """A box of the change has growth and shrinkage within it, and children are within parents."""
    flame = flame_of(compared_of(BASE, NEW))
    names = [tip.partition(":")[0] for tip in flame.tips]
    new, base, change = (
        dict(zip(names, [round(share, 4) for share in width.tolist()], strict=True))
        for _, width in flame.places
    )
    assert flame.widths == ("New", "Base", "Change")
    assert new["sort"] == round(3450 / 3607, 4)
    assert base["old"] == round(300 / 2450, 4)
    # sort grew by 1450, of which less 200; old shrank by 300 and fresh is 7: 1757 together
    assert [change[name] for name in ("sort", "less", "old", "fresh", "same")] == [
        round(part / 1757, 4) for part in (1450, 200, 300, 7, 0)
    ]
