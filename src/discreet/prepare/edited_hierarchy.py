# SPDX-License-Identifier: Apache-2.0
"""Changing a hierarchy by hand: groups of a level are merged, split, renamed, or get values from others.

A group is named by its level and label. Every edit gives a whole hierarchy again, in which each group lies in one group
of the next level. Files are in ARX's form: a line for each value, with its labels from fine to coarse.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import isfinite
from typing import Literal

from discreet.data.column import SUPPRESSED
from discreet.errors import DataError, shown
from discreet.prepare.hierarchy import Hierarchy
from discreet.prepare.intervals import interval_label, read_interval

_LONGEST = 200  # letters of a label


def merged(tree: Hierarchy, level: int, labels: Sequence[str], name: str) -> Hierarchy:
    """The groups become one, below the parent of the first; groups above that are left without values are gone.

    >>> h = Hierarchy("town", ("a", "b", "c"), (("a", "A", "*"), ("b", "B", "*"), ("c", "C", "*")))
    >>> merged(h, 1, ["A", "B"], "AB").labels(1)
    ('AB', 'C')
    """
    _check_level(tree, level)
    if len(set(labels)) < 2:
        raise DataError("Choose two groups or more to merge.")
    above = _path_of(tree, level, labels[0])[level + 1 :]
    name = _new_label(tree, level, name, besides=labels)
    return _edited(tree, lambda path: (*path[:level], name, *above) if path[level] in labels else path)


def joined_label(labels: Sequence[str]) -> str:
    """A label for several groups together: one interval if they are intervals that follow each other.

    >>> joined_label(["[30, 40)", "< 20", "[20, 30)"]), joined_label(["[20, 30)", "[40, 50)"]), joined_label(["a", "b"])
    ('< 40', '[20, 30) or [40, 50)', 'a or b')
    """
    kinds: tuple[Literal["number", "date"], ...] = ("number", "date")
    for kind in kinds:
        found = sorted(one for one in (read_interval(label, kind) for label in labels) if one is not None)
        if labels and len(found) == len(labels) and all(one[1] == next_[0] for one, next_ in pairwise(found)):
            low, high = (border if isfinite(border) else None for border in (found[0][0], found[-1][1]))
            if low is not None or high is not None:
                return interval_label(low, high, kind, periods=True)
    return " or ".join(labels)


def split(tree: Hierarchy, level: int, label: str) -> Hierarchy:
    """Each of the groups (or values) directly below becomes a group of this level, under its own label.

    >>> h = Hierarchy("town", ("a", "b", "c"), (("a", "AB", "*"), ("b", "AB", "*"), ("c", "C", "*")))
    >>> split(h, 1, "AB").labels(1)
    ('a', 'b', 'C')
    """
    _check_level(tree, level)
    _path_of(tree, level, label)
    return _edited(
        tree, lambda path: (*path[:level], path[level - 1], *path[level + 1 :]) if path[level] == label else path
    )


def renamed(tree: Hierarchy, level: int, label: str, name: str) -> Hierarchy:
    """A group under another label."""
    _check_level(tree, level)
    _path_of(tree, level, label)
    name = _new_label(tree, level, name, besides=[label])
    return _edited(tree, lambda path: (*path[:level], name, *path[level + 1 :]) if path[level] == label else path)


def moved(tree: Hierarchy, level: int, label: str, to: str) -> Hierarchy:
    """A group of the level below, or a value if that is level 0, into another group of this level.

    >>> h = Hierarchy("town", ("a", "b", "c"), (("a", "AB", "*"), ("b", "AB", "*"), ("c", "C", "*")))
    >>> moved(h, 1, "b", "C").paths[1]
    ('b', 'C', '*')
    """
    _check_level(tree, level)
    _path_of(tree, level - 1, label)
    above = _path_of(tree, level, to)[level:]
    return _edited(tree, lambda path: (*path[:level], *above) if path[level - 1] == label else path)


def with_level(tree: Hierarchy, level: int) -> Hierarchy:
    """A further level below this one, at first the same as the one below it: to be merged by hand."""
    if not 1 <= level <= tree.levels - 1:
        raise DataError("A level can be added between the values and the top.")
    return _edited(tree, lambda path: (*path[:level], path[level - 1], *path[level:]))


def without_level(tree: Hierarchy, level: int) -> Hierarchy:
    """Without a level between values and top."""
    _check_level(tree, level)
    return _edited(tree, lambda path: (*path[:level], *path[level + 1 :]))


def arx_csv(tree: Hierarchy) -> str:
    """The hierarchy as ARX writes it: separated by semicolons, a line for each value."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(tree.paths)
    return text.getvalue()


def _edited(tree: Hierarchy, edit: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Hierarchy:
    """With each path edited; the leaves stay, so intervals keep their cuts."""
    return Hierarchy(tree.name, tree.values, tuple(map(edit, tree.paths)), "given", tree.cuts)


def _check_level(tree: Hierarchy, level: int) -> None:
    if not 1 <= level < tree.levels - 1:
        raise DataError("Groups between the values and the top can be changed; add a level first if there is none.")


def _path_of(tree: Hierarchy, level: int, label: str) -> tuple[str, ...]:
    found = next((path for path in tree.paths if path[level] == label), None)
    if found is None:
        raise DataError(f"There is no group {shown(label)} on level {level}.")
    return found


def _new_label(tree: Hierarchy, level: int, name: str, *, besides: Sequence[str]) -> str:
    name = " ".join(name.split())
    if not name or name == SUPPRESSED or len(name) > _LONGEST:
        raise DataError(f"A label has 1 to {_LONGEST} letters, and is not {SUPPRESSED}.")
    if name in set(tree.labels(level)) - set(besides):
        raise DataError(f"Another group of this level is called {shown(name)} already.")
    return name
