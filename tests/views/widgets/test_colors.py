"""Colours of groups: stable, visible on light and dark, and equally light."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations, pairwise

import pytest
from PySide6.QtGui import QColor

from qcachegrind_py.analysis.names.group_colors import HUE_COUNT, distinct_hues, hue_of_name
from qcachegrind_py.views.widgets.colors import GroupPalette, contrast
from tests.color_vision import distance

NAMES = [f"/usr/lib/lib{number}.so" for number in range(2000)]
LEAST_CONTRAST = 1.5
BASES = {"light": "#ffffff", "light, every other row": "#f5f5f5", "dark": "#1e1e1e"}


def lightness(color: QColor) -> float:
    """CIE L*, from 0 to 100: the perceived lightness of the colour."""
    y = 0.05 * contrast(color, QColor("black")) - 0.05
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("#000", "#fff", 21), ("#fff", "#000", 21), ("#777", "#fff", 4.48), ("#f00", "#fff", 4.0)],
)
def test_contrast_is_that_of_wcag(one: str, other: str, expected: float) -> None:
    """These ratios are published examples."""
    assert contrast(QColor(one), QColor(other)) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_squares_are_seen_on_every_base(base: str) -> None:
    """Every group's colour is distinct from the background of a list, in both palettes."""
    ratios = [contrast(GroupPalette().group(name), QColor(base)) for name in NAMES]

    assert min(ratios) >= LEAST_CONTRAST


def test_colours_are_even_in_lightness() -> None:
    """No group attracts more attention than another: they differ in hue, hardly in lightness."""
    light = [lightness(GroupPalette().group(name)) for name in NAMES]

    assert max(light) - min(light) < 12


def test_colours_use_the_whole_circle() -> None:
    """Many groups have many hues, without wide gaps in the circle, and none is grey."""
    colors = [GroupPalette().group(name) for name in NAMES]
    hues = sorted(color.hue() for color in colors)

    assert max(after - before for before, after in pairwise([*hues, hues[0] + 360])) < 30
    assert min(color.hsvSaturation() for color in colors) > 60


def test_color_follows_from_the_name_alone() -> None:
    """Any name has an opaque colour, the same in every view, and in every process."""
    script = (
        "from qcachegrind_py.views.widgets.colors import GroupPalette\n"
        "names = ('/lib/a.so', 'libä', '', 'x' * 100_000)\n"
        "print(*(GroupPalette().group(name).name() for name in names))"
    )
    names = ("/lib/a.so", "libä", "", "x" * 100_000)

    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()

    assert printed == [GroupPalette().group(name).name() for name in names]
    assert len(set(printed)) == len(printed)
    odd = [GroupPalette().group(name) for name in ("\udce9 not UTF-8", "\x00", "😀")]
    assert {(color.isValid(), color.alpha()) for color in odd} == {(True, 255)}


def test_functions_of_a_group_have_its_hue_and_differ_in_lightness() -> None:
    """They are seen as one group; no function attracts more attention than another."""
    group = GroupPalette().group("/usr/lib/libc.so")
    shades = [GroupPalette().shade("/usr/lib/libc.so", name) for name in NAMES]

    hues = [(color.hue() - group.hue() + 180) % 360 - 180 for color in shades]
    light = [lightness(color) for color in shades]
    assert max(map(abs, hues)) < 8
    assert len({color.name() for color in shades}) == 5
    assert 6 < max(light) - min(light) < 15


def test_the_costliest_groups_are_told_apart() -> None:
    """Names whose own hues are alike get others; the order of the groups does not matter."""
    alike = [name for name in NAMES if abs(hue_of_name(name) - 200) < 12][:HUE_COUNT]
    hues = distinct_hues(alike)
    colors = [GroupPalette((), hues).group(name) for name in alike]

    assert len(alike) == HUE_COUNT
    assert hues == distinct_hues(reversed(alike))
    assert min(distance(one, other) for one, other in combinations(colors, 2)) > 10
    assert distinct_hues(["???", "", "/lib/a.so"])[0][0] == "/lib/a.so"


def test_functions_of_no_group_are_grey() -> None:
    """Functions of unknown objects have no hue, in pictures as in lists."""
    saturation = [GroupPalette().shade("???", name).hsvSaturation() for name in NAMES]

    assert max(saturation) < 4


def test_chosen_colors_go_first() -> None:
    """A group has the chosen colour; its functions are shades of it; other groups are unchanged."""
    palette = GroupPalette((("/lib/a.so", "#804020"),))
    shades = {palette.shade("/lib/a.so", name).name() for name in NAMES}

    assert palette.group("/lib/a.so").name() == "#804020"
    assert len(shades) > 1
    assert {QColor(shade).hue() // 3 for shade in shades} == {QColor("#804020").hue() // 3}
    assert palette.group("/lib/b.so") == GroupPalette().group("/lib/b.so")
