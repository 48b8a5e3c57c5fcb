"""The texts, shades and notes of boxes, of a profile alone and of a comparison."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from qcachegrind_py.analysis.calls.frame_layout import BoxWidth
from qcachegrind_py.present.frames import (
    IS_ESTIMATE,
    IS_FADED,
    Frames,
    Shade,
    frame_notes,
    frame_reasons,
)
from qcachegrind_py.present.picture import Spot
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from tests.present.boxes_text import boxes_of, compared_boxes, names_of, path_of, queries_of
from tests.profile_rows import DATA, call_rows

ABOUT, MINUS, THIN = "≈\N{THIN SPACE}", "\N{MINUS SIGN}", "\N{THIN SPACE}"
CALLGRIND = "creator: callgrind-3.19.0\ncmd: ./prog --fast <in>\n"
EXACT = "The cost is exact: it follows from the recorded calls."
ESTIMATE = "≈ is an estimate: only direct calls are recorded."
COMMAND = "To record it: valgrind --tool=callgrind --separate-callers="
PROGRAM = """
    main 10 -> walk 2x60, scan 1x30
    walk@/src/w.c@/lib/w.so 20 -> hash 4x40
    scan 10 -> hash 1x20
    exit 5 -> hash 1x20
    hash 40 -> mix 8x40
    mix 40
    """
BASE = "main 10 -> a 1x30, old 1x5, b 1x20\na 10 -> leaf 2x20\nold 5\nleaf 20\nb 20"
NEW = "main 11 -> a 1x34, fresh 1x9, b 1x20\na 10 -> leaf 3x24\nfresh 9\nleaf 24\nb 20"


def box(picture: Frames, path: str) -> int:
    """The box with this path of names from box 0."""
    (found,) = [row for row in range(len(picture)) if path_of(picture, row) == path]
    return found


def tip(picture: Frames, path: str) -> list[str]:
    return list(picture.tip(Spot(box(picture, path))))


# ---------------------------------------------------------------- a profile alone


def test_tip_of_a_recorded_cost() -> None:
    """Name, cost, calls and location: so short that it covers little."""
    picture = boxes_of(CALLGRIND + PROGRAM, "main", "exit", percent=False)

    assert tip(picture, "Whole program main walk hash") == ["hash", "40", "4 calls"]
    located = ["walk", "60", "2 calls", "w.so: w.c"]
    assert tip(picture, "Whole program main walk") == located


@pytest.mark.parametrize(
    ("header", "advice"),
    [
        (CALLGRIND, f" {COMMAND}3 ./prog --fast <in>"),
        ("", ""),
        ("creator: xdebug 3.2\ncmd: index.php\n", ""),
    ],
)
def test_an_estimate_is_marked_and_explained_below(header: str, advice: str) -> None:
    """The command to record it has the profiled program, and as many callers as boxes enclose it.

    Only Callgrind profiles come with such advice.
    """
    picture = boxes_of(header + PROGRAM, percent=False)

    assert tip(picture, "main walk hash mix") == ["mix", f"{ABOUT}20", f"{ABOUT}4 calls"]
    assert frame_reasons([picture]) == [f"{ESTIMATE}{advice}"]


def test_small_boxes_are_counted_in_the_note_and_summed_up_in_its_reasons() -> None:
    """The note has a rounded number; who asks why is told the size and the cost together."""
    rows = "\n".join(["main 1 -> " + ", ".join(f"f{n} 1x1" for n in range(9)), "f0 1"])
    picture = boxes_of(rows, min_share=0.2, percent=False)

    assert frame_notes([picture], BoxWidth.NEW, "width", [])[0] == "1 box, 9 too small"
    assert frame_reasons([picture])[0] == ("9 boxes are smaller than 2 and not drawn, together 9.")


def test_slivers_are_described_together() -> None:
    """How many functions they are of, what they cost, and the largest ones."""
    picture = boxes_of("main 4 -> a 1x9, b 1x8, c 1x7, d 1x6\na 9\nb 8\nc 7\nd 6", percent=False)
    spot = Spot(merged=(1, 5))

    assert picture.tip(spot) == (
        "4 functions, 30", "a: 9", "b: 8", "c: 7", "Click to zoom in."
    )  # fmt: skip
    assert picture.detail(spot).text == "4 functions · 30"
    assert picture.detail(Spot(merged=(2, 3))).text == "b · 8"


def test_recursion_and_callers_in_tips() -> None:
    """A recursive call says so; a caller has what it costs on this path."""
    recursive = boxes_of("f 40 -> g 9x30\ng 10 -> f 2x20\nmain 10 -> f 1x50", cycles=False)
    above = boxes_of(PROGRAM, "hash", up=True, percent=False)

    assert tip(recursive, "main f g f")[2].endswith("call, recursion, not expanded again")
    assert tip(above, "hash walk main")[1:] == ["40", f"{ABOUT}1 call"]


def test_callers_in_names_are_left_out_in_their_boxes() -> None:
    """`f'main` inside the box of main is labelled f; elsewhere its callers are shown."""
    picture = boxes_of(
        """
        main 10 -> f'main 1x60, g'main 1x30
        f'main 20 -> h'f'main 1x40
        g'main 30 -> f'main 0x0
        h'f'main 40
        other 5 -> h'f'main 1x0
        """
    )
    elsewhere = boxes_of(
        "main 10 -> f'mai 1x5, f'main2 1x4, '' 1x3, f' 1x2\nf'mai 5\nf'main2 4\n'' 3\nf' 2"
    )

    paths = [path_of(picture, row) for row in range(len(picture))]
    assert paths == ["main", "main f", "main g", "main f h"]
    assert (tip(picture, "main f h")[0], picture.tree.is_exact.all()) == ("h'f'main", True)
    assert [elsewhere.name(row) for row in range(1, 5)] == ["f'mai", "f'main2", "''", "f'"]


def test_profile_with_contexts_is_exact() -> None:
    """If names contain callers, so that each function has one, costs are exact.

    The label is the function's name, which precedes its callers.
    """
    path = DATA / "templ-callers/callgrind.out.21991.xz"
    main = "main'(below main)'__libc_start_main@@GLIBC_2.34'(below main)"
    picture, queries = boxes_of(path, main), queries_of(path)
    tree = picture.tree
    calls: Counter[tuple[str, str]] = Counter()
    for call in call_rows(queries.profile):
        calls[call.caller[0], call.callee[0]] += call.costs[0]
    callers = Counter(callee for _, callee in calls)
    found, recorded, labels, expected = [], [], [], []
    for inner in range(1, len(tree)):
        names = [queries.names.name(int(tree.node[row])) for row in tree.path(inner)]
        if all(callers[name] == 1 for name in names[1:-1]):
            found.append((int(tree.cost[inner]), bool(tree.is_exact[inner])))
            recorded.append((calls[names[-2], names[-1]], True))
        if names[-2].startswith(names[-1].partition("'")[2]):
            labels.append(picture.name(inner))
            expected.append(cell_text(names[-1].partition("'")[0]))

    assert (found, labels) == (recorded, expected)
    assert min(len(found), len(labels)) > 100


def test_numbers_of_calls() -> None:
    """The line below has the number in any case, estimates marked; roots have none."""
    picture = boxes_of(PROGRAM)
    counts = [picture.detail(Spot(row)).numbers[2:] for row in range(len(picture))]

    assert counts == [
        (), ("2 calls",), ("1 call",), ("4 calls",), ("1 call",),
        (f"{ABOUT}4 calls",), (f"{ABOUT}2 calls",),
    ]  # fmt: skip


def test_a_box_alone_is_explained() -> None:
    """If the picture is a single box, the note says that nothing was left out."""
    alone = boxes_of("main 10 -> f 1x60\nf 60", "main", up=True), boxes_of("f 60", "f")

    assert [frame_notes([each], BoxWidth.NEW, "width", []) for each in alone] == [
        ["1 box", "no callers with cost"],
        ["1 box", "no callees with cost"],
    ]


def test_shades_are_those_of_functions() -> None:
    """Recorded, estimated, and faded by a search or filter, over the background; none is grey."""
    picture = boxes_of(PROGRAM, "main", "exit")
    keys = picture.color_keys(None)
    names = names_of(picture)
    mix, walk = names.index("mix"), names.index("walk")
    color = picture.style.color(NodeId(picture.key(mix)))
    matches = np.arange(len(picture.style.labels)) == picture.key(walk)
    faded = picture.color_keys(matches)

    assert picture.shade(int(keys[0])) == Shade(None, None, 1.0)
    assert picture.shade(int(keys[mix])) == Shade(color, None, 0.42)
    assert picture.shade(int(keys[mix]) - IS_ESTIMATE) == Shade(color, None, 1.0)
    assert picture.shade(int(faded[mix])) == Shade(color, None, 0.16)
    assert picture.shade(int(keys[mix]) - IS_ESTIMATE + IS_FADED) == Shade(color, None, 0.16)
    assert np.flatnonzero(faded == keys).tolist() == [walk]


# ---------------------------------------------------------------- a comparison


def drawn_texts(picture: Frames) -> dict[str, str]:
    """The label and the numbers of each box that is drawn, by its path."""
    return {
        path_of(picture, row): f"{picture.label(row)} {picture.cost(row)}"
        for row in np.flatnonzero(picture.is_drawn).tolist()
    }


def kinds(picture: Frames) -> dict[str, int]:
    """Which boxes that are drawn have the shade of growth, 1, of shrinkage, -1, or of neither."""
    keys = picture.color_keys(None)
    levels = {row: picture.shade(int(keys[row])).level for row in np.flatnonzero(picture.is_drawn)}
    return {path_of(picture, int(row)): int(np.sign(level)) for row, level in levels.items()}


NOTES = {
    BoxWidth.NEW: f"5 boxes · 1 gone, {MINUS}5 · width: new cost",
    BoxWidth.BASE: "5 boxes · 1 new, +9 · width: base cost",
    BoxWidth.CHANGE: "5 boxes · 1 without a certain change · width: growth and shrinkage inside"
    " · line: net change",
}


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (BoxWidth.NEW, ["▲ a 34 (+4)", "▲ leaf 24 (+4)", "b 20", "▲ fresh 9 (new)"]),
        (BoxWidth.BASE, ["▲ a 34 (+4)", "▲ leaf 24 (+4)", "b 20", f"▼ old gone ({MINUS}5)"]),
        (
            BoxWidth.CHANGE,
            [f"▼ old gone ({MINUS}5)", "▲ fresh 9 (new)", "▲ a 34 (+4)", "▲ leaf 24 (+4)"],
        ),
    ],
)
def test_boxes_show_the_new_cost_and_its_change(by: BoxWidth, expected: list[str]) -> None:
    """Growth is orange, shrinkage blue; a note says what widths mean, and what has none."""
    picture = compared_boxes(BASE, NEW, by=by)
    signs = {"▲": 1, "▼": -1}

    texts = drawn_texts(picture)
    assert texts.pop("main") == "▲ main 74 (+9)"
    assert sorted(texts.values()) == sorted(expected)
    shown = drawn_texts(picture)
    assert kinds(picture) == {path: signs.get(text[0], 0) for path, text in shown.items()}
    assert " · ".join(frame_notes([picture], by, "width", [])) == NOTES[by]


def test_the_line_below_and_screen_readers_say_both_sides() -> None:
    """Base, new, the change, what part of the base it is, and the calls of both sides."""
    picture = compared_boxes(BASE, NEW)
    rows = [box(picture, f"main {path}") for path in ("a leaf", "fresh", "b", "old")]

    assert [picture.detail(Spot(row)).text for row in rows] == [
        f"leaf · 20 → 24 · +4 Ir · +20.00{THIN}% of its base cost · 2 → 3 calls",
        "fresh · 0 → 9 · +9 Ir · new · 0 → 1 call",
        "b · 20 · 1 call",
        f"old · 5 → 0 · {MINUS}5 Ir · gone · 1 → 0 calls",
    ]
    assert [picture.spoken(row) for row in rows] == [
        "leaf, 20 → 24, grew by 4",
        "fresh, 0 → 9, grew by 9",
        "b, 20, did not change",
        "old, 5 → 0, shrank by 5",
    ]


PATHS = DATA / "call-paths"


def test_an_estimate_tells_how_to_prove_it() -> None:
    """The tip says that a change is not proven; the reasons below name the option to record it."""
    sides = (PATHS / f"callgrind.out.shared-{side}.xz" for side in ("base", "new"))
    picture = compared_boxes(*sides)
    change = next(line for line in tip(picture, "main b mid x") if line.startswith("Change"))
    why = " ".join(frame_reasons([picture]))

    assert change.startswith(f"Change: {ABOUT}")
    assert change.endswith(", uncertain")
    assert "The cost is an estimate" in why
    assert "--separate-callers=3" in why


@pytest.mark.parametrize("by", BoxWidth)
@pytest.mark.parametrize("program", ["shared", "callbacks", "cache"])
def test_no_estimate_has_a_colour(program: str, by: BoxWidth) -> None:
    """What is not proven on both sides is pale and grey, in every width; the rest is not."""
    sides = (PATHS / f"callgrind.out.{program}-{side}.xz" for side in ("base", "new"))
    picture = compared_boxes(*sides, by=by)
    keys = picture.color_keys(None)
    shades = {
        (bool(picture.tree.is_exact[row]), picture.shade(int(keys[row])))
        for row in np.flatnonzero(picture.is_drawn).tolist()
    }

    estimates = {shade for is_exact, shade in shades if not is_exact}
    assert estimates <= {Shade(None, 0, 0.35)}
    assert any(shade.level for is_exact, shade in shades if is_exact)


def test_the_box_like_another() -> None:
    """A box of another picture is found by its path, whatever boxes are as wide as."""
    new, base = (compared_boxes(BASE, NEW, by=by) for by in (BoxWidth.NEW, BoxWidth.BASE))

    for path in ("main", "main a leaf", "main old"):
        assert path_of(base, base.box_like(new, box(new, path))) == path
    assert base.box_like(new, -1) == -1
    leaf = boxes_of(NEW, "leaf")
    assert (leaf.box_like(new, 0), leaf.box_like(new, 1)) == (-1, -1)
    assert new.key(box(new, "main")) != NO_NODE
