# SPDX-License-Identifier: Apache-2.0
"""Which pairs and triples of columns are counted: those that the model so far describes worst, picked with noise.

The score of a group is by how much its true counts, with the label, differ from what the model says of them, less the
noise that counting them would bring. "No further group" is a candidate, too. Its score grows with the number of the
others: among many candidates some look good by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from discreet.foundation.randomness import Randomness
from discreet.mechanisms.selection import Selection
from discreet.methods.noise.engine_levels import counted

Group = tuple[int, ...]


def score(
    codes: Sequence[np.ndarray], group: Group, guess: np.ndarray, error: float, rows: np.ndarray | None = None
) -> int:
    """The score of a group. Given the model, it changes with the true counts of the group alone."""
    whole = np.rint(guess).astype(np.int64)
    return distance([codes[0], *(codes[column] for column in group)], whole, rows) - round(error * whole.size)


def distance(codes: Sequence[np.ndarray], guess: np.ndarray, rows: np.ndarray | None = None) -> int:
    """How far the true counts are from a guess that rests on noisy ones, in L1: it changes with them, row by row."""
    return int(np.abs(counted(codes, guess.shape, rows) - guess.ravel()).sum())


def stop_score(candidates: int, mechanism: Selection) -> int:
    """The score of "no further group" beside so many candidates: what the best of them reaches by chance."""
    return round(mechanism.scale * math.log(max(candidates, 1)))


def picked(
    scores: Mapping[Group, int],
    still: Callable[[Sequence[Group]], Sequence[Group]],
    picks: int,
    mechanism: Selection,
    randomness: Randomness,
) -> tuple[list[Group], int]:
    """Groups picked one after the other among those that `still` leaves, and how many picks were made for them.

    They end after `picks`, when "no further group" is picked, or when none is left.
    """
    groups: list[Group] = []
    for made in range(picks):
        left = still(groups)
        if not left:
            return groups, made
        values = np.array([*(scores[group] for group in left), stop_score(len(left), mechanism)])
        choice = int(mechanism.apply(values, randomness)[0])
        if choice == len(left):
            return groups, made + 1
        groups.append(left[choice])
    return groups, picks


def joining(possible: Sequence[Group], edges: Sequence[Group]) -> list[Group]:
    """Pairs that join two parts which the edges have not joined yet."""
    part_of = {column: column for pair in possible for column in pair}
    for a, b in edges:
        one, other = part_of[a], part_of[b]
        part_of = {column: one if part == other else part for column, part in part_of.items()}
    return [pair for pair in possible if part_of[pair[0]] != part_of[pair[1]]]


def other_children(possible: Sequence[Group], triples: Sequence[Group]) -> list[Group]:
    """Triples whose last column, the child, is not yet the child of a triple."""
    taken = {triple[-1] for triple in triples}
    return [triple for triple in possible if triple[-1] not in taken]
