# SPDX-License-Identifier: Apache-2.0
"""Generalisation hierarchies: for each value of a column, the coarser and coarser labels up to "*".

A hierarchy is a tree of uniform depth. Level 0 are the leaves, the values themselves (or small intervals of numbers);
the last level is the root, which reveals nothing.
"""

from __future__ import annotations

import csv
import glob
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from discreet.data.column import MISSING_MARKS, SUPPRESSED, Column, from_labels
from discreet.errors import DataError, listing, quietly, shown
from discreet.prepare.ranges import read_range
from discreet.prepare.written_leaves import match_written

_DELIMITERS = (";", "\t", "|", ",")  # the comma last: labels such as "[20, 30)" have one


@dataclass(frozen=True, eq=False)
class Node:
    """A label of the tree: its level, the leaf codes below it, its children (none for a leaf)."""

    label: str
    level: int
    leaves: np.ndarray
    children: tuple[Node, ...] = ()

    def __repr__(self) -> str:
        return f"Node(level {self.level}, {len(self.leaves)} leaves, {len(self.children)} children)"


@dataclass(frozen=True)
class Hierarchy:
    """The hierarchy of one column. `paths[leaf]` leads from the leaf's own text, level 0, to the root "*".

    The code of a value is its index in `values`. With `cuts` the leaves are intervals: leaf i holds the numbers in
    [cuts[i - 1], cuts[i]), and every number has a leaf.

    >>> h = Hierarchy("degree", ("BSc", "MSc", "A-levels"), (("BSc", "university", "*"), ("MSc", "university", "*"),
    ...               ("A-levels", "school", "*")))
    >>> h.levels, h.labels(1), h.codes(1).tolist()
    (3, ('university', 'school'), [0, 0, 1])
    >>> [child.label for child in h.root.children]
    ['university', 'school']
    """

    name: str
    values: tuple[str, ...]
    paths: tuple[tuple[str, ...], ...]
    how: str = "given"
    cuts: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        object.__setattr__(self, "paths", tuple(map(tuple, self.paths)))
        self._check_shape()
        self._check_parents()
        self._check_labels()

    # -- levels ----------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Hierarchy({shown(self.name)}, {len(self)} leaves, {self.levels} levels, {self.how})"

    @property
    def levels(self) -> int:
        """Number of levels, leaves and root included."""
        return len(self.paths[0])

    @cached_property
    def ancestors(self) -> np.ndarray:
        """`ancestors[leaf, level]` is the code of the leaf's ancestor among the labels of that level."""
        ancestors = np.empty((len(self), self.levels), dtype=np.int32)
        for level, labels in enumerate(self._labels):
            place = {label: code for code, label in enumerate(labels)}
            ancestors[:, level] = [place[path[level]] for path in self.paths]
        ancestors.flags.writeable = False
        return ancestors

    @cached_property
    def _labels(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(dict.fromkeys(path[level] for path in self.paths)) for level in range(self.levels))

    def labels(self, level: int) -> tuple[str, ...]:
        """The labels of a level, in the order of the leaves."""
        return self._labels[self._checked(level)]

    def codes(self, level: int) -> np.ndarray:
        """For each leaf the code of its ancestor: an index into `labels(level)`."""
        return self.ancestors[:, self._checked(level)]

    def parents(self, level: int) -> np.ndarray:
        """For each label of a level below the root the code of its parent on the next level."""
        if self._checked(level) == self.levels - 1:
            raise DataError(f"Level {level} of the hierarchy of {shown(self.name)} is the root, which has no parent.")
        parents = np.empty(len(self._labels[level]), dtype=np.int32)
        parents[self.ancestors[:, level]] = self.ancestors[:, level + 1]
        return parents

    @cached_property
    def root(self) -> Node:
        """The root node, for methods that walk the tree from the top."""
        children: list[list[Node]] = [[] for _ in self.values]
        for level, labels in enumerate(self._labels):
            order = np.argsort(self.ancestors[:, level], kind="stable").astype(np.int32)
            ends = np.cumsum(np.bincount(self.ancestors[:, level], minlength=len(labels)))
            nodes = [
                Node(label, level, leaves, tuple(below))
                for label, leaves, below in zip(labels, np.split(order, ends[:-1]), children, strict=True)
            ]
            if level == self.levels - 1:
                return nodes[0]
            children = [[] for _ in self._labels[level + 1]]
            for node, parent in zip(nodes, self.parents(level), strict=True):
                children[parent].append(node)
        raise AssertionError("the last level is the root")

    # -- generalisation --------------------------------------------------------------------------------------------

    def leaf_codes(self, column: Column) -> np.ndarray:
        """The leaf of each of the column's values, -1 for none; the last entry is for missing.

        A value belongs to the leaf that is written like it, blanks around it aside. Numbers are matched by value, so
        that "1.0" in a file covers the number 1, then by ranges such as "20-24", "[20, 25)" and "65+"; leaves may also
        be written 1.169,17 and 25.03.2024. All other values belong to the leaf "*", if there is one. Missing cells have
        a leaf only if the hierarchy has a mark of missing, such as "?", as a value.
        """
        missing = next((leaf for leaf, text in enumerate(self.values) if text in MISSING_MARKS), -1)
        if self.cuts is not None:
            numbers = column.numbers if len(column.values) else np.empty(0)
            return np.append(np.searchsorted(np.asarray(self.cuts), numbers, side="right"), missing).astype(np.int32)
        leaves = self._own_leaves(column)
        if SUPPRESSED in self.values:
            leaves[leaves < 0] = self.values.index(SUPPRESSED)
        return np.append(leaves, np.int32(missing))

    def _own_leaves(self, column: Column) -> np.ndarray:
        leaf_of = {text: leaf for leaf, text in enumerate(self.values) if text != SUPPRESSED}
        leaves = np.array([leaf_of.get(text, leaf_of.get(text.strip(), -1)) for text in column.texts], dtype=np.int32)
        if column.kind == "number" and (leaves < 0).any():
            self._match_numbers(column.numbers, leaves)
        if column.kind != "category" and (leaves < 0).any():
            match_written(column, self.values, leaves)
        return leaves

    def completed(self, column: Column) -> Hierarchy:
        """The hierarchy with a leaf for each value of the column, those without one below the labels of the leaf "*".

        >>> from discreet.data.table import Table
        >>> h = Hierarchy("town", ("Bonn", "*"), (("Bonn", "Rhine", "*"), ("*", "elsewhere", "*")))
        >>> h.completed(Table.of({"town": ["Bonn", "Ulm"]}).column("town")).paths[-1]
        ('Ulm', 'elsewhere', '*')
        """
        if self.cuts is not None or SUPPRESSED not in self.values:
            return self
        above = self.paths[self.values.index(SUPPRESSED)][1:]
        new = [column.texts[code] for code in np.flatnonzero(self._own_leaves(column) < 0)]
        return replace(self, values=(*self.values, *new), paths=(*self.paths, *((text, *above) for text in new)))

    def _match_numbers(self, numbers: np.ndarray, leaves: np.ndarray) -> None:
        """Find a leaf for the numbers that have none yet."""
        ranges = [read_range(text) for text in self.values]
        leaf_of = {found.low: leaf for leaf, found in enumerate(ranges) if found is not None and found.is_number}
        for code in np.flatnonzero(leaves < 0):
            leaves[code] = leaf_of.get(numbers[code], -1)
        for leaf, found in enumerate(ranges):
            if found is not None and not found.is_number:
                leaves[(leaves < 0) & found.holds(numbers)] = leaf

    def generalise(self, column: Column, level: int) -> Column:
        """The column with every value replaced by its ancestor on this level.

        A value that is not in the hierarchy becomes the root label "*" on every level, so that it is never more precise
        than the others. Missing stays missing below the root and is "*" at the root.

        >>> from discreet.data.table import Table
        >>> h = Hierarchy("n", ("1", "2", "3"), (("1", "< 3", "*"), ("2", "< 3", "*"), ("3", ">= 3", "*")))
        >>> h.generalise(Table.of({"n": [1, 3, 8, None]}).column("n"), 1).to_arrow().to_pylist()
        ['< 3', '>= 3', '*', None]
        """
        labels: list[str | None] = [*self.labels(level), SUPPRESSED, None]
        unseen, missing = len(labels) - 2, len(labels) - 1
        leaves = self.leaf_codes(column)
        codes = np.append(self.codes(level), unseen)[leaves]  # -1 takes the last
        if level < self.levels - 1 and (leaves[-1] < 0 or labels[codes[-1]] in MISSING_MARKS):
            codes[-1] = missing
        return from_labels(column.name, labels, codes[column.codes])

    def check_against(self, column: Column) -> None:
        """Raise DataError unless every value of the column has a leaf."""
        unknown = np.flatnonzero(self.leaf_codes(column)[:-1] < 0)
        if len(unknown):
            raise DataError(
                f"The hierarchy of {shown(self.name)} does not cover column {shown(column.name)}: {len(unknown)} of its"
                f" {len(column.values)} different values are not among the {len(self)} leaves. Add a line for"
                f" each of them, or one for '*', which all others then follow."
            )

    def veiled(self, hidden: Callable[[str], bool]) -> Hierarchy:
        """The hierarchy with each hidden label above the leaves replaced by the label above it.

        >>> h = Hierarchy("n", ("1", "2", "3"), (("1", "1 or 2", "*"), ("2", "1 or 2", "*"), ("3", "3", "*")))
        >>> h.veiled(lambda label: "1" in label).paths
        (('1', '*', '*'), ('2', '*', '*'), ('3', '3', '*'))
        """
        is_hidden = {label: hidden(label) for labels in self._labels[1:-1] for label in labels}
        if not any(is_hidden.values()):
            return self
        paths = []
        for leaf, *above in self.paths:
            for level in range(len(above) - 2, -1, -1):
                above[level] = above[level + 1] if is_hidden[above[level]] else above[level]
            paths.append((leaf, *above))
        return replace(self, paths=tuple(paths))

    # -- checks ----------------------------------------------------------------------------------------------------

    def _checked(self, level: int) -> int:
        if not 0 <= level < self.levels:
            raise DataError(
                f"The hierarchy of {shown(self.name)} has the levels 0 to {self.levels - 1}; there is no level {level}."
            )
        return level

    def _check_shape(self) -> None:
        what = f"The hierarchy of {shown(self.name)}"
        if not self.values or len(self.values) != len(self.paths):
            raise DataError(
                f"{what} has {len(self.values)} values and {len(self.paths)} paths; each value needs one path."
            )
        depths = Counter(map(len, self.paths))
        if len(depths) > 1:
            raise DataError(f"{what} is uneven: its paths have {', '.join(map(str, sorted(depths)))} levels.")
        if self.levels < 2:
            raise DataError(f"{what} has one level only; values and a root are needed.")
        repeated = len(self) - len(set(self.values))
        if repeated:
            raise DataError(
                f"{what} names {repeated} of its {len(self)} values more than once. Keep one line for each."
            )
        astray = sum(path[0] != value for path, value in zip(self.paths, self.values, strict=True))
        if astray:
            raise DataError(f"{what} has {astray} paths that do not begin with their own value.")
        if any(path[-1] != SUPPRESSED for path in self.paths):
            raise DataError(f"{what} must end in {SUPPRESSED!r} for every value.")
        if self.cuts is not None and len(self.cuts) != len(self) - 1:
            raise DataError(f"{what} has {len(self)} intervals and {len(self.cuts)} cuts; it needs {len(self) - 1}.")

    def _check_parents(self) -> None:
        for level in range(self.levels - 1):
            edges = {(path[level], path[level + 1]) for path in self.paths}
            torn = sum(times > 1 for times in Counter(child for child, _ in edges).values())
            if torn:
                raise DataError(
                    f"The hierarchy of {shown(self.name)} is no tree: {torn} labels of level {level} have more than one"
                    f" parent on level {level + 1}. Give labels that mean different things different names."
                )

    def _check_labels(self) -> None:
        """A label on several levels must denote the same branch, since it is published without its level."""
        first_leaf = [np.unique(self.ancestors[:, level], return_index=True)[1] for level in range(self.levels)]
        branches: dict[str, list[tuple[int, int]]] = {}
        for level, labels in enumerate(self._labels):
            for code, label in enumerate(labels):
                if label != SUPPRESSED:  # which tells nothing on any level
                    branches.setdefault(label, []).append((level, code))
        torn = 0
        for nodes in branches.values():
            for (below, code), (above, upper) in pairwise(nodes):
                torn += int(self.ancestors[first_leaf[below][code], above]) != upper
        if torn:
            raise DataError(
                f"The hierarchy of {shown(self.name)} uses {torn} labels for different branches on different levels."
                f" Give labels that mean different things different names."
            )


# -- reading -------------------------------------------------------------------------------------------------------


def read_hierarchy(path: str | Path, name: str, *, delimiter: str | None = None) -> Hierarchy:
    """A hierarchy from a file: on each line a value, then its labels from fine to coarse.

    The delimiter (semicolon, tab, bar or comma) is detected, and so is a line of headings: the first, if it begins with
    the column's name, or if it alone does not end like the others. The last label should be "*". If the last level has
    several labels, "*" is added on top; a single other label is replaced by "*", as it reveals no more. A line for "*"
    is for all values that have no line of their own.
    """
    path = Path(path)
    lines = _without_heading(_lines(path, delimiter), name)
    width = Counter(len(cells) for _, cells in lines).most_common(1)[0][0]
    if width == 1:
        raise DataError(
            f"{shown(path.name)} has one cell on most lines; each line needs a value and its labels. Specify the"
            f" delimiter if it is none of semicolon, tab, bar and comma."
        )
    ragged = [(number, len(cells)) for number, cells in lines if len(cells) != width]
    if ragged:
        raise DataError(
            f"{shown(path.name)} is ragged: {len(ragged)} of {len(lines)} lines differ from the others;"
            f" line {ragged[0][0]} has {ragged[0][1]} cells where {width} are expected. Where a branch has fewer levels"
            " than others, repeat a label on its lines."
        )
    if width > 2 and not any(cells[-1] for _, cells in lines):  # every line ends with a delimiter
        lines = [(number, cells[:-1]) for number, cells in lines]
    empty = sum(not cell for _, cells in lines for cell in cells[1:])
    if empty:
        raise DataError(f"{shown(path.name)} has {empty} empty labels. Repeat the label of the level below instead.")
    one_top = len({cells[-1] for _, cells in lines}) == 1
    paths = [[*(cells[:-1] if one_top else cells), SUPPRESSED] for _, cells in lines]
    return from_paths(name, paths, how=f"read from {path.name}")


def _without_heading(lines: list[tuple[int, list[str]]], name: str) -> list[tuple[int, list[str]]]:
    (_, first), *others = lines
    ends = {cells[-1] for _, cells in others}
    by_name = first[0].casefold() == name.casefold() and name not in {cells[0] for _, cells in others}
    by_end = len(others) > 1 and ends == {SUPPRESSED} and first[-1] != SUPPRESSED
    return others if others and (by_name or by_end) else lines


def from_paths(name: str, paths: Iterable[Iterable[str]], *, how: str = "given") -> Hierarchy:
    """A hierarchy from its paths, each from the value to "*"."""
    whole = tuple(tuple(path) for path in paths)
    return Hierarchy(name, tuple(path[0] for path in whole), whole, how)


def read_hierarchies(where: str | Path, *, delimiter: str | None = None) -> dict[str, Hierarchy]:
    """All hierarchies of a folder, or of a pattern such as "trees/*.csv", by column.

    The column is the file's name without extension, "_hierarchy", and everything up to "hierarchy_":
    `adult_hierarchy_age.csv` is for `age`. If some CSV files of a folder have such a name, the others are ignored.
    """
    if Path(where).is_dir():
        files = sorted(Path(where).glob("*.csv"))
        files = [file for file in files if "hierarchy" in file.stem.lower()] or files
    else:
        files = sorted(map(Path, glob.glob(str(where))))
    if not files:
        raise DataError(f"There is no hierarchy file in {shown(Path(where).name)}. Check the folder or the pattern.")
    columns = [_column_of(file) for file in files]
    repeated = [column for column, times in Counter(columns).items() if times > 1]
    if repeated:
        raise DataError(f"There is more than one hierarchy file for the columns {listing(repeated)}.")
    return {c: read_hierarchy(file, c, delimiter=delimiter) for c, file in zip(columns, files, strict=True)}


def _column_of(file: Path) -> str:
    name = re.sub(r"^.*hierarchy[_-]", "", file.stem, flags=re.IGNORECASE)
    return re.sub(r"[_-]hierarchy$", "", name, flags=re.IGNORECASE)


def _lines(path: Path, delimiter: str | None) -> list[tuple[int, list[str]]]:
    """Line numbers and cells, by the delimiter that splits most lines into equally many cells."""
    text = _text(path)
    best: list[tuple[int, list[str]]] = []
    best_share = -1.0
    for candidate in _DELIMITERS if delimiter is None else (delimiter,):
        lines, failure = quietly(lambda candidate=candidate: _cells(text, candidate))
        if lines is None:
            raise DataError(f"{shown(path.name)} cannot be read as lines of cells ({failure}).")
        width, times = Counter(len(cells) for _, cells in lines).most_common(1)[0] if lines else (0, 0)
        share = times / len(lines) if width > 1 else 0.0
        if share > best_share:
            best, best_share = lines, share
    if not best:
        raise DataError(f"{shown(path.name)} is empty. A hierarchy has a line for each value.")
    return best


def _text(path: Path) -> str:
    if not path.is_file():
        raise DataError(f"There is no file {shown(path.name)}. Check the path.")
    raw, failure = quietly(path.read_bytes)
    if raw is None:
        raise DataError(f"{shown(path.name)} cannot be read ({failure}).")
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text, _ = quietly(lambda: raw.decode(encoding))
    return raw.decode("cp1252", errors="replace") if text is None else text


def _cells(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    lines = ((reader.line_num, [cell.strip() for cell in cells]) for cells in reader)
    return [(number, cells) for number, cells in lines if any(cells)]
