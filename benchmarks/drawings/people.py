# SPDX-License-Identifier: Apache-2.0
"""The made-up people of the pictures: a small table with two numbers, baskets of ten items, and rows to weigh."""

from __future__ import annotations

import re

import numpy as np

from benchmarks.drawings.svg import Box
from discreet import Roles

K = 6
AGES, DISTANCES = (18.0, 82.0), (0.0, 50.0)
ROLES = Roles(target="back", quasi=["age", "km"])
ITEMS = tuple("abcdefghij")


def table() -> dict[str, list]:
    """Ninety persons by age and distance to the clinic: old people came back, and young ones who live near."""
    random = np.random.default_rng(11)
    age, km = random.integers(20, 81, 90), random.integers(1, 50, 90)
    likely = (age >= 58) | ((age < 40) & (km < 20))
    back = np.where(random.random(90) < 0.06, ~likely, likely)
    return {"age": age.tolist(), "km": km.tolist(), "back": np.where(back, "yes", "no").tolist()}


def baskets() -> tuple[np.ndarray, np.ndarray]:
    """Eighteen persons and ten items; the first items tell the class, the last are rare."""
    random = np.random.default_rng(4)
    label = np.arange(18) % 2
    rates = np.array(
        [[0.85, 0.7, 0.2, 0.5, 0.45, 0.4, 0.35, 0.2, 0.12, 0.1], [0.15, 0.2, 0.75, 0.5, 0.4, 0.45, 0.3, 0.2, 0.1, 0.12]]
    )
    rows = (random.random((18, 10)) < rates[label]).astype(int)
    rows[:, 0] |= ~rows.any(axis=1)
    return rows, np.where(label, "yes", "no")


def rare_items() -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Forty persons and sixteen items, each of which few persons have; eight lean to each class."""
    random = np.random.default_rng(9)
    label = np.arange(40) % 2
    lean = np.where(np.arange(16) < 8, 0.2, 0.03)
    rates = np.where(label[:, None] == 0, lean, lean[::-1])
    return (random.random((40, 16)) < rates).astype(int), np.where(label, "yes", "no"), tuple("abcdefghijklmnop")


def box_of(age: str, km: str) -> Box:
    """The region of a published row: what its two labels cover."""
    return (*_span(age, *AGES), *_span(km, *DISTANCES))


def _span(label: str, low: float, high: float) -> tuple[float, float]:
    if label == "*":
        return low, high
    found = [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", label)]
    if label.startswith("<"):
        return low, found[0]
    if label.startswith(">"):
        return found[0], high
    return (found[0], found[1]) if len(found) > 1 else (found[0] - 0.5, found[0] + 0.5)
