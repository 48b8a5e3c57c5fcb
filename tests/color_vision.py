"""How colours look to people who lack a kind of cone, and how far apart two colours are.

The matrices are those of Machado, Oliveira and Fernandes (2009) for a complete lack of long,
middle and short cones; they apply to linear RGB. Distances are CIEDE2000, in which 1 is just
noticeable side by side, and 10 is seen at a glance.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtGui import QColor

_Floats = NDArray[np.float64]
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175],
     [0.0193339, 0.119192, 0.9503041]]
)  # fmt: skip
_WHITE = np.array([0.95047, 1.0, 1.08883])
_FAR = 25.0**7


class Vision(Enum):
    """A kind of colour vision."""

    FULL = "full"
    PROTAN = "protan"
    DEUTAN = "deutan"
    TRITAN = "tritan"


_MATRIX = {
    Vision.FULL: np.eye(3),
    Vision.PROTAN: np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    Vision.DEUTAN: np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.01182, 0.04294, 0.968881]]
    ),
    Vision.TRITAN: np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
         [0.004733, 0.691367, 0.3039]]
    ),
}  # fmt: skip


def seen_rgb(rgb: ArrayLike, vision: Vision) -> _Floats:
    """Return the sRGB colours, shape (…, 3), from 0 to 1, that look alike to full vision."""
    values = np.asarray(rgb, np.float64)
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ _MATRIX[vision].T, 0, 1)
    result: _Floats = np.where(seen <= 0.0031308, 12.92 * seen, 1.055 * seen ** (1 / 2.4) - 0.055)
    return result


def seen(color: QColor, vision: Vision) -> QColor:
    """Return the colour that looks to full vision as this one does to another."""
    red, green, blue = seen_rgb((color.redF(), color.greenF(), color.blueF()), vision).tolist()
    return QColor.fromRgbF(red, green, blue)


def lab(color: QColor) -> _Floats:
    """Return lightness, and position on the axes from green to red and from blue to yellow."""
    values = np.array([color.redF(), color.greenF(), color.blueF()])
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    ratio = _XYZ @ linear / _WHITE
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: QColor, other: QColor, vision: Vision = Vision.FULL) -> float:
    """Return how far apart two colours are to a kind of vision, as CIEDE2000 defines it."""
    return ciede2000(lab(seen(one, vision)), lab(seen(other, vision)))


def ciede2000(one: _Floats, other: _Floats) -> float:
    """Return the difference of two colours in Lab; the names are those of the standard."""
    mean_chroma = (np.hypot(*one[1:]) + np.hypot(*other[1:])) / 2
    stretch = 1.5 - np.sqrt(mean_chroma**7 / (mean_chroma**7 + _FAR)) / 2
    a, b = np.array([one[1], other[1]]) * stretch, np.array([one[2], other[2]])
    chroma, hue = np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360
    turn = (hue[1] - hue[0] + 180) % 360 - 180 if chroma.all() else 0.0
    mean_hue = np.radians(hue[0] + turn / 2 if chroma.all() else hue.sum())
    light, mean = (one[0] + other[0]) / 2, chroma.mean()
    t = (
        1
        - 0.17 * np.cos(mean_hue - np.radians(30))
        + 0.24 * np.cos(2 * mean_hue)
        + 0.32 * np.cos(3 * mean_hue + np.radians(6))
        - 0.2 * np.cos(4 * mean_hue - np.radians(63))
    )
    delta_light = (other[0] - one[0]) / (
        1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2)
    )
    delta_chroma = (chroma[1] - chroma[0]) / (1 + 0.045 * mean)
    delta_hue = 2 * np.sqrt(chroma.prod()) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * mean * t)
    bend = np.radians(30 * np.exp(-(((np.degrees(mean_hue) % 360 - 275) / 25) ** 2)))
    rotation = -2 * np.sqrt(mean**7 / (mean**7 + _FAR)) * np.sin(2 * bend)
    return float(
        np.sqrt(
            delta_light**2 + delta_chroma**2 + delta_hue**2 + rotation * delta_chroma * delta_hue
        )
    )
