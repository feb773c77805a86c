# SPDX-License-Identifier: Apache-2.0
"""Several releases of one shape: which rows match what is known about persons, and what the releases share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from discreet.attacks.case import Case
from discreet.attacks.finding import CannotAttack, chance_of, in_words
from discreet.attacks.label_meanings import recode_known
from discreet.attacks.linkage import promised_k as k_against
from discreet.attacks.matching import Matching
from discreet.attacks.published import Published, with_groups
from discreet.counting.tally import group_sizes
from discreet.data.baskets import Baskets
from discreet.data.column import Column, from_labels
from discreet.data.content import LABEL
from discreet.data.dataset import keep_items
from discreet.data.table import Table
from discreet.privacy.containment import Containment, containment_anonymity
from discreet.privacy.k_anonymity import KAnonymity

CELLS = 2**22  # counts in memory at a time


class Fits(Protocol):
    """The rows of a release that fit what is known of each target."""

    width: int  # counts of a key that are in memory

    def counts(self, keys: np.ndarray, start: int, stop: int) -> np.ndarray:
        """How many of the rows that fit each target have each of these keys."""
        ...


def releases_of(case: Case) -> TableReleases | BasketReleases:
    """The releases of a case, which all have the shape of what is known."""
    releases = (case.published, *case.others)
    shapes = {release.shape for release in releases} | {case.known_shape}
    if len(shapes) > 1 or case.known_shape is None:
        raise CannotAttack("To combine releases, they and the known data must be all tables or all baskets.")
    return _RELEASES[case.known_shape](case)


class TableReleases:
    """Releases of tables: quasi-identifiers are known, the other columns are published as they are.

    who, knows  what is known of a person, in words, and as names of columns
    """

    def __init__(self, case: Case):
        self._case, self.releases = case, (case.published, *case.others)
        self._known = [case.columns_in(release) for release in self.releases]
        pairs = zip(self.releases, self._known, strict=True)
        self.knows: tuple[str, ...] | None = tuple(
            dict.fromkeys(release.source(name) for release, names in pairs for name in names)
        )
        self.who = in_words(self.knows)

    def as_they_are(self, release: Published) -> tuple[str, ...]:
        """Columns that are published as they are."""
        return tuple(name for name in release.table.names if name not in release.quasi)

    def wanted(self, columns: Sequence[str]) -> list[str]:
        """Those of the columns that an attacker wants to know."""
        roles = [roles for roles in (self._case.roles, self._case.published.roles) if roles is not None]
        sought = {name for one in roles for name in (*one.sensitive, one.target)}
        return [name for name in columns if name in sought]

    def column(self, data: Table, name: str) -> Column | None:
        """A column as texts; None where it is not known."""
        if name not in data:
            return None
        column = data.column(name)
        return from_labels(name, [*column.texts, None], column.codes)

    def fits(self, targets: Table) -> list[Fits]:
        return [_OfTable(release, targets, names) for release, names in zip(self.releases, self._known, strict=True)]

    def promised_k(self, release: Published) -> int | None:
        """What the release promises against those who know these columns, or of items the presences."""
        if release.roles is None:
            return None
        contained = [promise.k for promise in release.promises if isinstance(promise, Containment)]
        if self._case.knows is None:
            sets = [promise.k for promise in release.promises if isinstance(promise, KAnonymity)]
            return max((*contained, *sets), default=None)
        known = self._case.columns_in(release)
        contained = contained if {*known} <= {*release.quasi} else []
        return max((k for k in (k_against(release, known), *contained) if k is not None), default=None)

    def smallest_group(self, known: Table) -> int:
        """Persons in the smallest group, if each person's rows in all releases could be paired."""
        codes: list[np.ndarray] = []
        for release in self.releases:
            written = recode_known(release, known)
            codes += [written.column(name).codes for name in release.quasi if name in written]
        return int(group_sizes(codes, len(known)).min())


class BasketReleases:
    """Releases of baskets: some items of a person are known, all that is published is so as it is."""

    def __init__(self, case: Case):
        self._n_known, self.releases = case.aux_items, (case.published, *case.others)
        self.who, self.knows = f"{case.aux_items} items", None

    def as_they_are(self, release: Published) -> tuple[str, ...]:
        names = release.baskets.names
        return names if release.baskets.labels is None else (LABEL, *names)

    def wanted(self, columns: Sequence[str]) -> list[str]:
        return [name for name in columns if name == LABEL]

    def column(self, data: Baskets, name: str) -> Column | None:
        if name == LABEL:
            return None if data.labels is None else from_labels(name, [str(c) for c in data.classes], data.labels)  # type: ignore[union-attr]
        if name not in data.names:
            return None
        has = np.zeros(len(data), dtype=np.int64)
        item = data.names.index(name)
        has[data.columns.indices[data.columns.indptr[item] : data.columns.indptr[item + 1]]] = 1
        return from_labels(name, ["0", "1"], has)

    def fits(self, targets: Baskets) -> list[Fits]:
        known = _known_items(self.releases, with_groups(targets, self.releases), self._n_known)
        return [_OfBaskets(release.baskets, known) for release in self.releases]

    def promised_k(self, release: Published) -> int | None:
        ks = [promise.k for promise in release.promises if isinstance(promise, (Containment, KAnonymity))]
        return max(ks, default=None)

    def smallest_group(self, known: Baskets) -> int:
        known = with_groups(known, self.releases)
        names = {name: item for item, name in enumerate(known.names)}
        items = dict.fromkeys(names[name] for release in self.releases for name in release.baskets.names)
        return containment_anonymity(known.keep(list(items)))


_RELEASES: dict[str, type[TableReleases] | type[BasketReleases]] = {"table": TableReleases, "baskets": BasketReleases}


class _OfTable:
    """The rows of a published table that fit what is known of a person's quasi-identifiers."""

    def __init__(self, release: Published, targets: Table, known: Sequence[str]):
        presences = any(isinstance(promise, Containment) for promise in release.promises)
        self._matched = Matching(release, targets, known, presences=presences)
        self.width = self._matched.n_patterns

    def counts(self, keys: np.ndarray, start: int, stop: int) -> np.ndarray:
        inside = (keys >= start) & (keys < stop)
        cells = self._matched.pattern_of_row[inside] * (stop - start) + keys[inside] - start
        counted = np.bincount(cells, minlength=self._matched.n_patterns * (stop - start))
        sums = self._matched.sums(counted.reshape(self._matched.n_patterns, stop - start))
        return sums[self._matched.target_of_row].astype(np.int64)


class _OfBaskets:
    """The published baskets that have all the items that are known of a person."""

    def __init__(self, published: Baskets, known: Baskets):
        self._named = keep_items(known, published.names).matrix.astype(np.float64)
        self._sizes = np.diff(self._named.indptr)
        self.width = len(self._sizes)
        self._rows = published.matrix

    def counts(self, keys: np.ndarray, start: int, stop: int) -> np.ndarray:
        totals = np.zeros((len(self._sizes), stop - start), dtype=np.int64)
        inside = np.flatnonzero((keys >= start) & (keys < stop))
        for rows in np.array_split(inside, max(1, len(inside) * len(self._sizes) // CELLS)):
            both = (self._named @ self._rows[rows].T.astype(np.float64)).toarray()
            fit = (both == self._sizes[:, None]).astype(np.int64)
            ones = (np.ones(len(rows), np.int64), (np.arange(len(rows)), keys[rows] - start))
            totals += fit @ sp.csr_array(ones, shape=(len(rows), stop - start))
        return totals


def _known_items(releases: Sequence[Published], targets: Baskets, n_known: int) -> Baskets:
    """The targets with the items that are known of them: some of those that are published."""
    published = dict.fromkeys(name for release in releases for name in release.baskets.names)
    if strange := len({*published} - {*targets.names}):
        raise CannotAttack(
            f"{strange} of the {len(published)} published items do not occur in the known baskets."
            " Give the baskets that the releases were made from."
        )
    mine = keep_items(targets, [*published]).matrix
    rows = [mine.indices[start:stop] for start, stop in zip(mine.indptr[:-1], mine.indptr[1:], strict=True)]
    known = [np.sort(chance_of(row).permutation(row)[:n_known]) for row in rows]
    items = np.concatenate([*known, np.empty(0, np.int32)])
    indptr = np.cumsum([0, *map(len, known)])
    return Baskets(sp.csr_array((np.ones(len(items), np.uint8), items, indptr), shape=mine.shape), tuple(published))
