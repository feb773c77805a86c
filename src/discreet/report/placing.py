# SPDX-License-Identifier: Apache-2.0
"""Label placement in plots: each name on the side of its point where it overlaps least.

A plot is as wide as the screen, and a name stays on its side, so overlaps are summed over a phone and a large screen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

ROOM = 24  # around the points
EDGE = 16  # to the right of a picture
SIDES = {  # dx, dy and alignment of a name; ties go to the first
    "above": (0, -12, "center"),
    "above, right": (8, -8, "left"),
    "above, left": (-8, -8, "right"),
    "right": (9, 4, "left"),
    "left": (-9, 4, "right"),
    "below": (0, 18, "center"),
}
_FRAMES = ((150, 300), (400, 300))  # a narrow plot and a wide one
_LETTER = 6.2  # average width

Box = tuple[float, float, float, float]  # left, top, right, bottom


def sides_of(values: Sequence[dict[str, Any]], first: str, second: str) -> dict[str, str]:
    """The side of each name, chosen to minimise the total overlap.

    Names marked `_if_room` get a side without overlap, or none.
    """
    frames = [_Frame(values, first, second, *size) for size in _FRAMES]
    always = [place for place, value in enumerate(values) if value["label"] and "_if_room" not in value]
    best = min(
        product(SIDES, repeat=len(always)),
        key=lambda sides: sum(frame.cost([*zip(always, sides, strict=True)], []) for frame in frames),
    )
    taken = [*zip(always, best, strict=True)]
    for place, value in reversed([*enumerate(values)]):  # the most important come last in `values`
        if value["label"] and "_if_room" in value:
            costs = {side: sum(frame.cost([(place, side)], taken) for frame in frames) for side in SIDES}
            side = min(costs, key=costs.__getitem__)
            if costs[side] == 0:
                taken.append((place, side))
    return {values[place]["name"]: side for place, side in taken}


class _Frame:
    """The points of a plot of a given size, and the overlap of names placed beside them."""

    def __init__(self, values: Sequence[dict[str, Any]], first: str, second: str, width: int, height: int) -> None:
        across, up = (
            _spread([value[measure] for value in values], _ends(values, measure), length)
            for measure, length in ((first, width), (second, height))
        )
        self.width = width
        self.labels = [value["label"] for value in values]
        self.centres = [(x, height - y) for x, y in zip(across, up, strict=True)]
        radii = [math.sqrt(value.get("_area", 90) / math.pi) for value in values]
        self.points: list[Box] = [(x - r, y - r, x + r, y + r) for (x, y), r in zip(self.centres, radii, strict=True)]

    def cost(self, names: Sequence[tuple[int, str]], beside: Sequence[tuple[int, str]]) -> float:
        """Area of overlap of names with points; overlaps with names, or beyond the edge, count more."""
        boxes = [self._box(*name) for name in names]
        beyond = sum(max(-start, 0) + max(right - self.width - EDGE, 0) for start, _, right, _ in boxes)
        points = sum(_common(one, other) for one, other in product(boxes, self.points))
        pairs = [*product(boxes, [self._box(*name) for name in beside]), *combinations(boxes, 2)]
        return points + 10 * sum(_common(one, other) for one, other in pairs) + 100 * beyond

    def _box(self, place: int, side: str) -> Box:
        dx, dy, align = SIDES[side]
        x, y = self.centres[place]
        width = _LETTER * len(self.labels[place])
        start = x + dx - width * {"left": 0, "center": 0.5, "right": 1}[align]
        return start, y + dy - 10, start + width, y + dy + 2


def _ends(values: Sequence[dict[str, Any]], measure: str) -> tuple[float, float]:
    """Range of the axis, intervals included."""
    drawn = [value.get(name) for value in values for name in (measure, f"{measure}_low", f"{measure}_high")]
    numbers = [number for number in drawn if number is not None]
    return min(numbers), max(numbers)


def _spread(numbers: Sequence[float], ends: tuple[float, float], length: int) -> list[float]:
    low, high = ends
    return [ROOM + (number - low) / ((high - low) or 1) * (length - 2 * ROOM) for number in numbers]


def _common(one: Box, other: Box) -> float:
    """Area of the intersection of two boxes."""
    across, down = (min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1))
    return max(across, 0.0) * max(down, 0.0)
