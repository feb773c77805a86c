# SPDX-License-Identifier: Apache-2.0
"""Where the names of points stand in a picture: on the side of the point where they cover least.

A picture is as wide as the screen allows, and a name stays on its side: what counts is what it covers on a phone and on
a large screen together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

ROOM = 24  # around the points
EDGE = 16  # to the right of a picture
SIDES = {  # dx, dy and alignment of a name; the first that is as good as another is taken
    "above": (0, -12, "center"),
    "above, right": (8, -8, "left"),
    "above, left": (-8, -8, "right"),
    "right": (9, 4, "left"),
    "left": (-9, 4, "right"),
    "below": (0, 18, "center"),
}
_FRAMES = ((150, 300), (400, 300))  # a narrow picture and a wide one
_LETTER = 6.2  # the width of one, on average

Box = tuple[float, float, float, float]  # left, top, right, bottom


def sides_of(values: Sequence[dict[str, Any]], first: str, second: str) -> dict[str, str]:
    """The side of each name: all together cover as little as can be.

    Those that stand only where there is room have a side where they cover nothing, or none.
    """
    frames = [_Frame(values, first, second, *size) for size in _FRAMES]
    always = [place for place, value in enumerate(values) if value["label"] and "_if_room" not in value]
    best = min(
        product(SIDES, repeat=len(always)),
        key=lambda sides: sum(frame.cost([*zip(always, sides, strict=True)], []) for frame in frames),
    )
    taken = [*zip(always, best, strict=True)]
    for place, value in reversed([*enumerate(values)]):  # what counts most comes last
        if value["label"] and "_if_room" in value:
            costs = {side: sum(frame.cost([(place, side)], taken) for frame in frames) for side in SIDES}
            side = min(costs, key=costs.__getitem__)
            if costs[side] == 0:
                taken.append((place, side))
    return {values[place]["name"]: side for place, side in taken}


class _Frame:
    """The points of a picture of a given size, and what names beside them cover."""

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
        """The area that names have in common with points; a name over a name, or beyond the edge, counts more."""
        boxes = [self._box(*name) for name in names]
        beyond = sum(max(-left, 0) + max(right - self.width - EDGE, 0) for left, _, right, _ in boxes)
        points = sum(_common(one, other) for one, other in product(boxes, self.points))
        pairs = [*product(boxes, [self._box(*name) for name in beside]), *combinations(boxes, 2)]
        return points + 10 * sum(_common(one, other) for one, other in pairs) + 100 * beyond

    def _box(self, place: int, side: str) -> Box:
        dx, dy, align = SIDES[side]
        x, y = self.centres[place]
        width = _LETTER * len(self.labels[place])
        left = x + dx - width * {"left": 0, "center": 0.5, "right": 1}[align]
        return left, y + dy - 10, left + width, y + dy + 2


def _ends(values: Sequence[dict[str, Any]], measure: str) -> tuple[float, float]:
    """Where the axis begins and ends: intervals are drawn too."""
    drawn = [value.get(name) for value in values for name in (measure, f"{measure}_low", f"{measure}_high")]
    found = [number for number in drawn if number is not None]
    return min(found), max(found)


def _spread(numbers: Sequence[float], ends: tuple[float, float], length: int) -> list[float]:
    low, high = ends
    return [ROOM + (number - low) / ((high - low) or 1) * (length - 2 * ROOM) for number in numbers]


def _common(one: Box, other: Box) -> float:
    """The area that two boxes have in common."""
    across, down = (min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1))
    return max(across, 0.0) * max(down, 0.0)
