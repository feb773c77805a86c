# SPDX-License-Identifier: Apache-2.0
"""Where the names of points stand in a picture: on the side of the point where they cover least."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

ROOM = 24  # around the points
_FRAME = (200, 300)  # a narrow picture, on which names are placed
EDGE = 16  # to the right of it
SIDES = {  # dx, dy and alignment of a name; the first that is as good as another is taken
    "above": (0, -12, "center"),
    "above, right": (8, -8, "left"),
    "above, left": (-8, -8, "right"),
    "right": (9, 4, "left"),
    "left": (-9, 4, "right"),
    "below": (0, 18, "center"),
}


def sides_of(values: Sequence[dict[str, Any]], first: str, second: str) -> dict[str, str]:
    """The side of each name, on a picture as wide as a phone's: all together cover as little as can be.

    Those that stand only where there is room have a side where they cover nothing, or none.
    """

    def spread(measure: str, length: int) -> list[float]:
        low, high = (end(value[measure] for value in values) for end in (min, max))
        return [ROOM + (value[measure] - low) / ((high - low) or 1) * (length - 2 * ROOM) for value in values]

    centres = [*zip(spread(first, _FRAME[0]), (_FRAME[1] - y for y in spread(second, _FRAME[1])), strict=True)]
    points = [(x - 5, y - 5, x + 5, y + 5) for x, y in centres]
    named = [(value, centre) for value, centre in zip(values, centres, strict=True) if value["label"]]

    def box(text: str, centre: tuple[float, float], side: str) -> tuple[float, ...]:
        dx, dy, align = SIDES[side]
        left = centre[0] + dx - 6.2 * len(text) * {"left": 0, "center": 0.5, "right": 1}[align]
        return left, centre[1] + dy - 9, left + 6.2 * len(text), centre[1] + dy + 1

    def cost(boxes: Sequence[tuple[float, ...]], beside: Sequence[tuple[float, ...]]) -> float:
        beyond = sum(max(-left, 0) + max(right - _FRAME[0] - EDGE, 0) for left, _, right, _ in boxes)
        pairs = [*product(boxes, beside), *combinations(boxes, 2)]
        return sum(_common(one, other) for one, other in pairs) + 100 * beyond

    always = [(value, centre) for value, centre in named if "if_room" not in value]
    best = min(
        product(SIDES, repeat=len(always)),
        key=lambda sides: cost([box(v["label"], c, s) for (v, c), s in zip(always, sides, strict=True)], points),
    )
    found = {value["name"]: side for (value, _), side in zip(always, best, strict=True)}
    taken = [box(value["label"], centre, found[value["name"]]) for value, centre in always]
    for value, centre in named:
        if "if_room" in value:
            costs = {side: cost([box(value["label"], centre, side)], [*points, *taken]) for side in SIDES}
            side = min(costs, key=costs.__getitem__)
            if costs[side] == 0:
                found[value["name"]] = side
                taken.append(box(value["label"], centre, side))
    return found


def _common(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """The area that two boxes have in common."""
    across, down = (min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1))
    return max(across, 0.0) * max(down, 0.0)
