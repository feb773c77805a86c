# SPDX-License-Identifier: Apache-2.0
"""Meanings of published labels: the values of a column that each label stands for.

With the meanings, recipients can recode new rows like the release. So they are published, and name a category only if
at least as many persons have it as the promise requires; all other categories are `others`. The method that makes the
meanings is responsible for that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, count

import numpy as np

from discreet.data.column import KINDS, SUPPRESSED, Column, Kind
from discreet.errors import DataError, Setting, shown
from discreet.prepare.hierarchy import Hierarchy
from discreet.prepare.intervals import holds_text, read_interval

OTHER = "other"


def other_mark(named: Iterable[str], above: str = "") -> str:
    """The label of values that are not named, below the label `above` if there is one: one that no value is called.

    It depends on names that are published anyway. A value `other` that is not named is one of the others, and a mark
    that avoided it would tell that somebody has it.

    >>> other_mark(["clerk", "nurse"]), other_mark(["clerk", "other"]), other_mark(["clerk"], "office")
    ('other', 'other values', 'other office')
    """
    taken = frozenset(named)
    first, second = (f"{OTHER} {above}", f"{OTHER} values of {above}") if above else (OTHER, f"{OTHER} values")
    marks = chain((first, second), (f"{second} {number}" for number in count(2)))
    return next(mark for mark in marks if mark not in taken)


@dataclass(frozen=True)
class Meaning:
    """The values that a label stands for.

    An interval [low, high) of numbers or days, or a set of texts: those listed, and all that begin with one of
    `prefixes`, without what `less` covers. `but` means all values except these, `others` adds the categories that no
    label of the column names. `missing` means that missing cells are included.

    >>> Meaning.between(25, 38), Meaning.of(["nurse"], others=True), Meaning.of(["10115"], prefixes=["102"])
    (Meaning([25, 38)), Meaning({nurse} and others), Meaning({10115, 102*}))
    """

    interval: tuple[float, float] | None = None
    texts: frozenset[str] = frozenset()
    but: bool = False
    others: bool = False
    missing: bool = False
    prefixes: frozenset[str] = frozenset()
    less: Meaning | None = None  # texts and prefixes only

    @classmethod
    def between(cls, low: float | None, high: float | None, *, missing: bool = False) -> Meaning:
        """Numbers, or days since 1970-01-01, in [low, high); None leaves a side open."""
        return cls((-np.inf if low is None else float(low), np.inf if high is None else float(high)), missing=missing)

    @classmethod
    def of(
        cls, texts: Iterable[str], *, others: bool = False, missing: bool = False, prefixes: Iterable[str] = ()
    ) -> Meaning:
        """These categories, or numbers and dates as they are written, and all that begin with one of `prefixes`."""
        return cls(texts=frozenset(texts), others=others, missing=missing, prefixes=frozenset(prefixes))

    def __repr__(self) -> str:
        if self == EVERYTHING:
            return "Meaning(everything)"
        texts = "{" + ", ".join(sorted([*self.texts, *(f"{prefix}*" for prefix in self.prefixes)])) + "}"
        parts = [f"not {texts}"] if self.but else [texts] if self.texts or self.prefixes else []
        if self.interval is not None:
            parts = ["[{:g}, {:g})".format(*self.interval)]
        parts += [] if self.less is None else [f"not {repr(self.less)[8:-1]}"]
        parts += [word for word in ("others", "missing") if getattr(self, word)]
        return f"Meaning({' and '.join(parts) or 'nothing'})"

    @property
    def parts(self) -> tuple[Meaning, ...]:
        """The meaning, and what it leaves out, if that is said."""
        return (self,) if self.less is None else (self, self.less)

    def __or__(self, other: Meaning) -> Meaning:
        """The meaning of a label used for both."""
        if self == other:
            return self
        if self.interval is None or other.interval is None:
            return EVERYTHING
        low, high = min(self.interval[0], other.interval[0]), max(self.interval[1], other.interval[1])
        return Meaning((low, high), missing=self.missing or other.missing)

    def without_others(self, named: Iterable[str]) -> Meaning:
        """The same values without `others`: all values except those of `named` that are not included.

        >>> Meaning.of(["nurse"], others=True).without_others(["clerk", "nurse", "smith"])
        Meaning(not {clerk, smith})
        """
        if not self.others:
            return self
        return Meaning(texts=frozenset(named) - self.texts, but=True, missing=self.missing)


EVERYTHING = Meaning(but=True, missing=True)  # the meaning of "*"
MISSING = Meaning(missing=True)


@dataclass(frozen=True)
class Labelling:
    """The labels of one published column, each with its meaning. The label None is an empty cell.

    `kind` is that of the source column, which is `source`. Values that no label covers become `fallback`. A column of
    0/1 items has the label "1" and the fallback "0". `known` are categories that are not `others`, whether or not a
    label names them.
    """

    name: str
    kind: Kind
    labels: tuple[str | None, ...]
    meanings: tuple[Meaning, ...]
    fallback: str = SUPPRESSED
    made_from: str | None = None
    known: frozenset[str] = frozenset()
    written: str = ""  # the notation of texts in the source column; empty if they are plain

    def __post_init__(self) -> None:
        if self.kind not in KINDS or len(self.labels) != len(self.meanings):
            raise DataError(f"The labels of {shown(self.name)} are not a labelling.")

    # -- making ----------------------------------------------------------------------------------------------------

    @classmethod
    def of_hierarchy(
        cls, hierarchy: Hierarchy, kind: Kind, named: Iterable[str], labels: Iterable[str | None] | None = None
    ) -> Labelling:
        """The labels of a hierarchy, all or those in `labels`; `named` are the values that enough persons have.

        A label that is an interval, or a period of the calendar, and holds its leaves means just that. Any other label
        means those of its leaves that are `named`; all other values are covered by no label and become "*".
        """
        leaves_of: dict[str, list[int]] = {}
        for leaf, path in enumerate(hierarchy.paths):
            for label in dict.fromkeys(path):
                leaves_of.setdefault(label, []).append(leaf)
        chosen = dict.fromkeys([*leaves_of, None] if labels is None else labels)
        named = frozenset(named)
        meanings = [
            MISSING if label is None else _of_leaves(hierarchy, kind, label, leaves_of[label], named)
            for label in chosen
        ]
        return cls(hierarchy.name, kind, tuple(chosen), tuple(meanings))

    @property
    def source(self) -> str:
        return self.name if self.made_from is None else self.made_from

    def tidy(self, used: Iterable[int]) -> tuple[Labelling, np.ndarray]:
        """The labels in use, distinct and in canonical order, and the new index of each old label, or -1.

        If a category would no longer be named, and so be mistaken for one of the `others`, these are listed.
        """
        meaning_of: dict[str | None, Meaning] = {}
        for place in used:
            label, meaning = self.labels[place], self.meanings[place]
            meaning_of[label] = meaning_of.get(label, meaning) | meaning
        if set(self._named) - {text for meaning in meaning_of.values() for text in meaning.texts}:
            meaning_of = {label: meaning.without_others(self._named) for label, meaning in meaning_of.items()}
        ordered = sorted(meaning_of, key=lambda label: (label is None, meaning_of[label].interval or (), label or ""))
        place_of = {label: place for place, label in enumerate(ordered)}
        tidied = Labelling(
            self.name,
            self.kind,
            tuple(ordered),
            tuple(meaning_of[label] for label in ordered),
            self.fallback,
            self.made_from,
            written=self.written,
        )
        return tidied, np.array([place_of.get(label, -1) for label in self.labels], dtype=np.int32)

    def with_unlisted(self, texts: Iterable[str]) -> Labelling:
        """Add unlisted categories, which were too rare to be listed, to every label of more than one value.

        Where labels are prefixes, these cover what is not listed.

        >>> Labelling("ill", "category", ("{a, b}",), (Meaning.of(["a", "b"]),)).with_unlisted(["a", "c"]).meanings
        (Meaning({a, b, c}),)
        """
        if self.kind != "category" or self.fallback == "0" or any(one.others for one in self.meanings):
            return self
        if any(one.prefixes or (one.but and one != EVERYTHING) for one in self.meanings):
            return self
        listed = frozenset[str]().union(*(one.texts for one in self.meanings), self.known)
        unlisted = frozenset(texts) - listed
        wider = (
            one if one.but or label is None or one.texts == {label} else replace(one, texts=one.texts | unlisted)
            for label, one in zip(self.labels, self.meanings, strict=True)
        )
        return replace(self, meanings=tuple(wider)) if unlisted else self

    # -- reading values --------------------------------------------------------------------------------------------

    @property
    def has_truth_values(self) -> bool:
        """Whether the categories are true and false, which a column of True and FALSE is read as, unless declared."""
        return self.kind == "category" and {*self._named} in ({"true", "false"}, {"true"}, {"false"})

    @cached_property
    def _borders(self) -> np.ndarray:
        ends = {end for meaning in self.meanings if meaning.interval is not None for end in meaning.interval}
        return np.array(sorted(end for end in ends if np.isfinite(end)))

    @cached_property
    def _named(self) -> dict[str, int]:
        named = self.known.union(*(one.texts for meaning in self.meanings for one in meaning.parts))
        return {text: i for i, text in enumerate(sorted(named))}

    @cached_property
    def _prefixes(self) -> dict[str, int]:
        prefixes = frozenset[str]().union(*(one.prefixes for meaning in self.meanings for one in meaning.parts))
        return {prefix: i for i, prefix in enumerate(sorted(prefixes))}

    def _longest_prefix(self, text: str) -> int:
        """The longest of the prefixes that the text begins with, -1 for none."""
        ends = range(min(len(text), max(map(len, self._prefixes))), -1, -1)
        return next((self._prefixes[text[:end]] for end in ends if text[:end] in self._prefixes), -1)

    def _covered(self, meaning: Meaning) -> tuple[list[int], list[int]]:
        """The named texts, and the prefixes, that are listed or begin with a prefix of the meaning."""
        begins = tuple(meaning.prefixes)
        listed = meaning.texts if not begins else [t for t in self._named if t in meaning.texts or t.startswith(begins)]
        texts, prefixes = (
            [self._named[t] for t in listed],
            [i for p, i in self._prefixes.items() if p.startswith(begins)],
        )
        if meaning.less is None:
            return texts, prefixes
        less = tuple(map(set, self._covered(meaning.less)))
        return [t for t in texts if t not in less[0]], [p for p in prefixes if p not in less[1]]

    @cached_property
    def is_suppressed(self) -> np.ndarray:
        """Whether each label is "*"."""
        return np.array([label == SUPPRESSED for label in self.labels], dtype=bool)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The size of each label, in units of the smallest parts that the labels of the column tell apart."""
        part = len(self._named) + len(self._prefixes) + 1
        whole = (len(self._borders) + 1) * part
        return tuple(max(self._size(meaning, part, whole), 1) for meaning in self.meanings)

    def _size(self, meaning: Meaning, part: int, whole: int) -> int:
        if meaning.interval is not None:
            first, last = self._pieces(meaning.interval)
            return (last - first) * part + meaning.missing
        listed = sum(map(len, self._covered(meaning)))
        return (whole - listed if meaning.but else listed + meaning.others) + meaning.missing

    def _pieces(self, interval: tuple[float, float]) -> tuple[int, int]:
        """The pieces between borders that belong to the interval: the first, and the one after the last."""
        first = np.searchsorted(self._borders, interval[0], side="right") if interval[0] > -np.inf else 0
        return int(first), int(np.searchsorted(self._borders, interval[1], side="left")) + 1

    @cached_property
    def by_size(self) -> list[int]:
        """Indices of the labels, the smallest first, "*" last."""
        return sorted(range(len(self.labels)), key=lambda i: (self.is_suppressed[i], self.sizes[i], i))

    def classes(self, column: Column) -> Classes:
        """Group the values of a column into classes that no label tells apart."""
        if self.kind != "category" and len(column.values) and column.kind != self.kind:
            raise DataError(
                f"Column {shown(column.name)} was released as a {self.kind}, but here it is a {column.kind} with"
                f" {len(column.values)} different values. Declare it a {self.kind} when reading it: ",
                Setting("kinds", {column.name: self.kind}),
                ".",
            )
        n_values = len(column.values)
        pieces, texts = np.zeros(n_values + 1, dtype=np.int64), np.full(n_values + 1, -1, dtype=np.int64)
        if self.kind != "category" and n_values and len(self._borders):
            pieces[:-1] = np.searchsorted(self._borders, column.numbers, side="right")
        if self._named:
            texts[:-1] = [self._named.get(text, -1) for text in column.texts]
        begin = np.full(n_values + 1, -1, dtype=np.int64)
        if self._prefixes:
            begin[:-1] = [self._longest_prefix(text) for text in column.texts]
        pieces[-1] = -1
        keys = (pieces * (len(self._named) + 1) + texts + 1) * (len(self._prefixes) + 1) + begin + 1
        _, first, class_of_code = np.unique(keys, return_index=True, return_inverse=True)
        return Classes(self, class_of_code.ravel(), pieces[first], texts[first], begin[first])

    def covers(self, column: Column, written: Column) -> np.ndarray:
        """Whether each cell of the source column is among the values of the label that stands for it in `written`.

        >>> from discreet.data.table import Table
        >>> ages = Labelling("age", "number", ("< 40",), (Meaning.between(None, 40),))
        >>> rows = Table.of({"age": [31, 45], "label": ["< 40", "< 40"]})
        >>> ages.covers(rows.column("age"), rows.column("label")).tolist()
        [True, False]
        """
        tidied, _ = self.tidy(range(len(self.labels)))
        classes = tidied.classes(column)
        fits = {label: classes.fit(place) for place, label in enumerate(tidied.labels)}
        nothing = np.zeros(len(classes), dtype=bool)
        by_label = np.stack([fits.get(label, nothing) for label in (*written.texts, None)])
        return by_label[written.codes, classes.of_code[column.codes]]


@dataclass(frozen=True)
class Classes:
    """Classes of values that no label tells apart: `of_code[code]` is the class of a value; missing is class 0."""

    labelling: Labelling
    of_code: np.ndarray
    pieces: np.ndarray = field(repr=False)
    texts: np.ndarray = field(repr=False)
    prefixes: np.ndarray = field(repr=False)  # the longest one that each class begins with, -1 for none

    def __len__(self) -> int:
        return len(self.pieces)

    def fit(self, label: int) -> np.ndarray:
        """Whether the label covers each class."""
        meaning = self.labelling.meanings[label]
        if meaning.interval is not None:
            first, last = self.labelling._pieces(meaning.interval)
            fits = (self.pieces >= first) & (self.pieces < last)
        else:
            texts, prefixes = self.labelling._covered(meaning)
            listed = np.zeros(len(self.labelling._named) + 1, dtype=bool)  # the last one is for what is not named
            begins = np.zeros(len(self.labelling._prefixes) + 1, dtype=bool)
            listed[texts], begins[prefixes] = True, True
            fits = np.where(self.texts < 0, begins[self.prefixes], listed[self.texts])
            if meaning.others and not meaning.but:
                fits |= (self.texts < 0) & (self.prefixes < 0)
            fits = fits != meaning.but
        fits[0] = meaning.missing
        return fits

    @cached_property
    def spans(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each label that is an interval without missing cells, the first class that it covers and the one after the
        last, as `fit` says; -1 of all others.
        """
        borders = self.labelling._borders
        first, stop = np.full((2, len(self.labelling.meanings)), -1, dtype=np.int64)
        plain = [
            (place, *one.interval)
            for place, one in enumerate(self.labelling.meanings)
            if one.interval is not None and not one.missing
        ]
        if plain:
            places, low, high = (np.array(part) for part in zip(*plain, strict=True))
            begin = np.where(low > -np.inf, np.searchsorted(borders, low, side="right"), 0)
            first[places] = np.searchsorted(self.pieces, begin)
            stop[places] = np.searchsorted(self.pieces, np.searchsorted(borders, high, side="left") + 1)
        return first, stop


# -- labels of value trees -----------------------------------------------------------------------------------------


def _of_leaves(hierarchy: Hierarchy, kind: Kind, label: str, leaves: list[int], named: frozenset[str]) -> Meaning:
    if label == SUPPRESSED:
        return EVERYTHING
    if hierarchy.cuts is not None:  # leaves are intervals, adjacent below each label
        ends = (None, *hierarchy.cuts, None)
        return Meaning.between(ends[leaves[0]], ends[leaves[-1] + 1])
    values = [hierarchy.values[i] for i in leaves]
    interval = None if kind == "category" else read_interval(label, kind)
    if interval is not None and all(holds_text(interval, value, kind) for value in values):
        return Meaning(interval)
    return Meaning.of(value for value in values if value in named)
