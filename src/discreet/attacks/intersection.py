# SPDX-License-Identifier: Apache-2.0
"""Several releases of the same persons, put together: who is left that fits a person in all of them?

Paper: S. R. Ganta, S. P. Kasiviswanathan and A. Smith, "Composition Attacks and Auxiliary Information in Data Privacy",
2008. Each release leaves a person among k. But the columns that are published as they are (target, sensitive and other
columns; of baskets the label and the items in common) are the same in all of them. So a row of one release can be the
person's only if each other release has a row that fits the person too and has the same values in those columns. The
rows that are left may be fewer than k, down to one; the values that are left may be one.

Rows are shuffled, so nothing else pairs them. If they could be paired, whoever shares the person's group in all
releases would be left: the note says how few that would be.

Departures from the paper:

1. The paper intersects the sensitive values; here whole rows of all common columns are, and the values among those.
2. The attacker picks one of the rows left, in the release that leaves the fewest. Frequencies are not weighed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from discreet.attacks.attack import CannotAttack, Finding, Published, chance_of, in_words, rate_of_persons
from discreet.attacks.joining import joined_codes
from discreet.attacks.linkage import NOT_TRUE
from discreet.attacks.linkage import promised_k as k_against
from discreet.attacks.matching import Matching
from discreet.attacks.reading import recode_known
from discreet.attacks.registry import Case
from discreet.counting.tally import group
from discreet.data.baskets import Baskets
from discreet.data.column import Column, from_labels
from discreet.data.table import Table
from discreet.errors import DataError, listing
from discreet.evaluate.confidence import Share
from discreet.privacy.containment import Containment, containment_anonymity
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.l_diversity import LDiversity

LABEL = "label"  # what the class of a basket is called
_CELLS = 2**22  # counts that are in memory at a time


def intersection(case: Case) -> list[Finding]:
    """Put the releases together: pick a person's row, the easiest person's, and tell the value of a column."""
    releases = (case.published, *case.others)
    known, absent = case.known, case.control
    if len({type(release.data) for release in releases} | {type(known)}) > 1 or known is None:
        raise CannotAttack("Releases that are put together, and what is known, are all tables or all baskets.")
    columns = _common(releases)
    rng = np.random.default_rng(case.seed)
    told = _told(case, columns)
    columns_of = [case.columns_in(release) for release in releases]
    found = _Left.of(releases, columns_of, _some(known, case.targets, rng), columns, told, case.aux_items)
    control = None
    if absent is not None and type(absent) is type(known):
        some = _some(absent, case.targets, rng)
        control = _Left.of(releases, columns_of, some, columns, told, case.aux_items)
    joint = _joint(releases, known)
    by_person = case.roles.person is not None or any(release.persons is not None for release in releases)
    ks = [None if by_person else promised_k(release, case.knows and case.columns_in(release)) for release in releases]
    named = {release.source(name): None for release, names in zip(releases, columns_of, strict=True) for name in names}
    who = in_words(named) if isinstance(known, Table) else f"{case.aux_items} items"
    picks = _identified(releases, found, columns, joint, ks, by_person=by_person, everybody=len(known), who=who)
    values = [_disclosed(releases, name, found, control, everybody=len(known), who=who) for name in told]
    return [replace(one, knows=tuple(named) if isinstance(known, Table) else None) for one in (*picks, *values)]


# -- what the releases have in common ----------------------------------------------------------------------------------


def _common(releases: Sequence[Published]) -> tuple[str, ...]:
    """Columns that all releases publish as they are."""
    names: list[tuple[str, ...]] = []
    for release in releases:
        if isinstance(release.data, Baskets):
            names.append((LABEL, *release.data.names) if release.data.labels is not None else release.data.names)
        elif isinstance(release.data, Table):
            quasi = () if release.roles is None else release.roles.quasi
            names.append(tuple(name for name in release.data.names if name not in quasi))
        else:
            raise DataError("Only releases of tables and of baskets can be put together.")
    return tuple(name for name in names[0] if all(name in others for others in names[1:]))


def _told(case: Case, columns: Sequence[str]) -> list[str]:
    """The common columns that an attacker wants to know."""
    if isinstance(case.known, Baskets):
        return [name for name in columns if name == LABEL]
    roles = case.published.roles
    wanted = {*case.roles.sensitive, case.roles.target}
    wanted |= set() if roles is None else {*roles.sensitive, roles.target}
    return [name for name in columns if name in wanted]


def _column(data: Table | Baskets, name: str) -> Column | None:
    """A common column of a release, or of what is known, as texts; None where it is not known."""
    if isinstance(data, Table):
        if name not in data:
            return None
        column = data.column(name)
        return from_labels(name, [*column.texts, None], column.codes)
    if name == LABEL:
        return None if data.labels is None else from_labels(name, [str(c) for c in data.classes], data.labels)  # type: ignore[union-attr]
    if name not in data.names:
        return None
    has = np.zeros(len(data), dtype=np.int64)
    item = data.names.index(name)
    has[data.columns.indices[data.columns.indptr[item] : data.columns.indptr[item + 1]]] = 1
    return from_labels(name, ["0", "1"], has)


@dataclass(frozen=True, eq=False)
class _Keys:
    """The rows of several sets, numbered by what they have in the common columns: equal numbers, equal values."""

    of_set: list[np.ndarray]  # -1 for a set whose values are not all known
    values: dict[str, np.ndarray]  # of each common column, the code that a number has
    count: int

    @classmethod
    def of(cls, sets: Sequence[Table | Baskets], columns: Sequence[str]) -> _Keys:
        found = [[_column(data, name) for name in columns] for data in sets]
        whole = [i for i, parts in enumerate(found) if None not in parts]
        lengths = [len(sets[i]) for i in whole]
        codes = [joined_codes([found[i][c] for i in whole]) for c in range(len(columns))]  # type: ignore[misc]
        groups, first = group(codes, sum(lengths)) if columns else (np.zeros(sum(lengths), np.int64), np.zeros(1, int))
        parts = dict(zip(whole, np.split(groups, np.cumsum(lengths)[:-1]), strict=True))
        of_set = [parts.get(i, np.full(len(data), -1)) for i, data in enumerate(sets)]
        return cls(of_set, {name: code[first] for name, code in zip(columns, codes, strict=True)}, len(first))


# -- who is left -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Left:
    """Of each target and release, the rows that fit by themselves and those left when all releases are put together;
    whether the target's own row is among these; of columns to be told the values left, and those of each release."""

    alone: np.ndarray
    together: np.ndarray
    own: np.ndarray
    values: dict[str, np.ndarray]
    values_alone: dict[str, list[np.ndarray]]
    true: dict[str, np.ndarray]  # the value of each target, -1 where it is not known

    @classmethod
    def of(
        cls,
        releases: Sequence[Published],
        known: Sequence[Sequence[str]],
        targets: Table | Baskets,
        columns: Sequence[str],
        told: Sequence[str],
        n_known: int,
    ) -> _Left:
        keys = _Keys.of([*(release.data for release in releases), targets], columns)  # type: ignore[list-item]
        n, mine = len(targets), keys.of_set[-1]
        fits: Sequence[_OfTable | _OfBaskets]
        if isinstance(targets, Table):
            fits = [_OfTable(release, targets, names) for release, names in zip(releases, known, strict=True)]
        else:
            named = _named(releases, targets, n_known)
            fits = [_OfBaskets(release, named) for release in releases]
        alone, together = (np.zeros((len(releases), n), dtype=np.int64) for _ in range(2))
        own = np.full(n, not len(mine) or mine[0] < 0)  # who cannot be told to be absent is taken to be there
        sizes = {name: int(keys.values[name].max()) + 1 for name in told}
        values = {name: np.zeros((n, size), dtype=bool) for name, size in sizes.items()}
        by_release = {name: [np.zeros((n, size), dtype=bool) for _ in releases] for name, size in sizes.items()}
        for start, stop in _blocks(keys.count, max(n, *(fit.width for fit in fits))):
            counts = [fit.counts(key, start, stop) for fit, key in zip(fits, keys.of_set, strict=False)]
            left = np.logical_and.reduce([count > 0 for count in counts])
            for i, count in enumerate(counts):
                alone[i] += count.sum(axis=1)
                together[i] += np.where(left, count, 0).sum(axis=1)
            here = np.flatnonzero((mine >= start) & (mine < stop))
            own[here] = left[here, mine[here] - start]
            for name in told:
                ones = (np.ones(stop - start), (np.arange(stop - start), keys.values[name][start:stop]))
                one_hot = sp.csr_array(ones, shape=(stop - start, sizes[name]))
                values[name] |= (left @ one_hot) > 0
                for i, count in enumerate(counts):
                    by_release[name][i] |= ((count > 0) @ one_hot) > 0
        true = {name: np.where(mine >= 0, keys.values[name][mine], -1) for name in told}
        return cls(alone, together, own, values, by_release, true)

    def __len__(self) -> int:
        return len(self.own)

    @property
    def chances(self) -> np.ndarray:
        """Of picking a row of each target, in the release that leaves the fewest."""
        fewest = self.together.min(axis=0)
        return np.where(self.own & (fewest > 0), 1 / np.maximum(fewest, 1), 0.0)


def _blocks(n_keys: int, width: int) -> Iterator[tuple[int, int]]:
    step = max(1, _CELLS // width)
    for start in range(0, n_keys, step):
        yield start, min(start + step, n_keys)


class _OfTable:
    """The rows of a published table that fit what is known of a person's quasi-identifiers."""

    def __init__(self, release: Published, targets: Table, known: Sequence[str]):
        presences = any(isinstance(promise, Containment) for promise in release.promises)
        self._matched = Matching(release, targets, known, presences=presences)
        self.width = self._matched.n_patterns  # counts of a key that are in memory

    def counts(self, keys: np.ndarray, start: int, stop: int) -> np.ndarray:
        """How many of the rows that fit each target have each of these keys."""
        inside = (keys >= start) & (keys < stop)
        cells = self._matched.pattern_of_row[inside] * (stop - start) + keys[inside] - start
        counted = np.bincount(cells, minlength=self._matched.n_patterns * (stop - start))
        found = self._matched.sums(counted.reshape(self._matched.n_patterns, stop - start))
        return found[self._matched.target_of_row].astype(np.int64)


class _OfBaskets:
    """The published baskets that have all the items that are known of a person."""

    def __init__(self, release: Published, named: Baskets):
        assert isinstance(release.data, Baskets)
        place = {name: item for item, name in enumerate(named.names)}
        self._named = named.keep([place[name] for name in release.data.names]).matrix.astype(np.float64)
        self._sizes = np.diff(self._named.indptr)
        self.width = len(self._sizes)
        self._rows = release.data.matrix

    def counts(self, keys: np.ndarray, start: int, stop: int) -> np.ndarray:
        """How many of the rows that fit each target have each of these keys."""
        found = np.zeros((len(self._sizes), stop - start), dtype=np.int64)
        inside = np.flatnonzero((keys >= start) & (keys < stop))
        for rows in np.array_split(inside, max(1, len(inside) * len(self._sizes) // _CELLS)):
            both = (self._named @ self._rows[rows].T.astype(np.float64)).toarray()
            fit = (both == self._sizes[:, None]).astype(np.int64)
            ones = (np.ones(len(rows), np.int64), (np.arange(len(rows)), keys[rows] - start))
            found += fit @ sp.csr_array(ones, shape=(len(rows), stop - start))
        return found


def _named(releases: Sequence[Published], targets: Baskets, n_known: int) -> Baskets:
    """The targets with the items that are known of them: some of those that are published."""
    place = {name: item for item, name in enumerate(targets.names)}
    published = dict.fromkeys(name for release in releases for name in release.data.names)  # type: ignore[union-attr]
    if strange := sum(name not in place for name in published):
        raise CannotAttack(
            f"{strange} of the {len(published)} published items are not among those of the people attacked."
            " Give the baskets that the releases were made from."
        )
    mine = targets.keep([place[name] for name in published]).matrix
    rows = [mine.indices[start:stop] for start, stop in zip(mine.indptr[:-1], mine.indptr[1:], strict=True)]
    known = [np.sort(chance_of(row).permutation(row)[:n_known]) for row in rows]
    items = np.concatenate([*known, np.empty(0, np.int32)])
    indptr = np.cumsum([0, *map(len, known)])
    return Baskets(sp.csr_array((np.ones(len(items), np.uint8), items, indptr), shape=mine.shape), tuple(published))


def _some(people: Table | Baskets, n: int, rng: np.random.Generator) -> Table | Baskets:
    return people if len(people) <= n else people.take(np.sort(rng.permutation(len(people))[:n]))


# -- findings ----------------------------------------------------------------------------------------------------------


def promised_k(release: Published, known: Sequence[str] | None = None) -> int | None:
    """What the release promises against those who know these columns, its quasi-identifiers if none are named, or of
    items the presences.
    """
    if isinstance(release.data, Baskets):
        ks = [promise.k for promise in release.promises if isinstance(promise, (Containment, KAnonymity))]
        return max(ks, default=None)
    if release.roles is None:
        return None
    contained = [promise.k for promise in release.promises if isinstance(promise, Containment)]
    sets = [promise.k for promise in release.promises if isinstance(promise, KAnonymity)]
    if known is None:
        return max((*contained, *sets), default=None)
    contained = contained if {*known} <= {*release.roles.quasi} else []
    return max((k for k in (k_against(release, known), *contained) if k is not None), default=None)


def _identified(
    releases: Sequence[Published],
    found: _Left,
    columns: Sequence[str],
    joint: int | None,
    ks: Sequence[int | None],
    *,
    by_person: bool,
    everybody: int,
    who: str,
) -> list[Finding]:
    bound = max((1 / k for k in ks if k is not None), default=None)
    chances, n = found.chances, len(found)
    rows = max(len(release.data) for release in releases)  # type: ignore[arg-type]
    short = sum(found.own & (left < k) for left, k in zip(found.together, ks, strict=True) if k is not None)
    notes = [
        f"Joined on {listing(columns)}." if columns else "No column is published as it is in all: nothing joins them.",
        f"{int((np.asarray(short) > 0).sum())} of {n} are left among fewer than promised." if bound is not None else "",
        f"Rows that fit: {found.alone.min(axis=0).mean():.1f} on average in the better release by itself,"
        f" {found.together.min(axis=0).mean():.1f} in both together.",
        "" if joint is None else f"Could rows be paired, the smallest group would have {joint}.",
        "Rows are counted, and several may be one person's: the promise, about persons, says nothing of them."
        if by_person
        else "",
        "" if all(release.is_true for release in releases) else NOT_TRUE,
    ]
    mean = Finding(
        attack=f"intersection of {len(releases)} releases",
        question=f"Does whoever knows {who} pick the person's row, with all releases at hand?",
        success=rate_of_persons(chances, None, of=everybody)[0],
        targets=n,
        baseline=1 / rows,
        bound=bound,
        note=" ".join(filter(None, notes)),
    )
    worst = float(chances.max(initial=0.0))
    easiest = Finding(
        attack=f"{mean.attack}, worst target",
        question=f"Knowing {who}, with what chance is the row of the person picked who is easiest to find?",
        success=Share(worst, worst, worst),
        targets=n,
        baseline=1 / rows,
        bound=bound,
        kind="easiest row",
        detail=f"{int((chances == worst).sum())} rows are as easy to find." if worst else "",
    )
    return [mean, easiest]


def _disclosed(
    releases: Sequence[Published], name: str, found: _Left, control: _Left | None, *, everybody: int, who: str
) -> Finding:
    """Whether one value of the column is left, and the right one."""

    def told(left: np.ndarray, who: _Left) -> np.ndarray:
        at = np.maximum(who.true[name], 0)
        right = left[np.arange(len(who)), at] | (who.true[name] < 0)
        return (left.sum(axis=1) == 1) & right

    by_itself = max(float(told(left, found).mean()) for left in found.values_alone[name])
    diverse = all(any(isinstance(promise, LDiversity) for promise in release.promises) for release in releases)
    hits = told(found.values[name], found)
    return Finding(
        attack=f"intersection of {len(releases)} releases, {name}",
        question=f"Is one value of {name!r} left to whoever knows {who} of the person, and the right one?",
        success=rate_of_persons(hits.astype(float), None, of=everybody)[0],
        targets=len(found),
        baseline=by_itself,
        control=None
        if control is None
        else rate_of_persons(told(control.values[name], control).astype(float), None)[0],
        bound=0.0 if diverse else None,
        note="The baseline is what the best of the releases tells by itself.",
        kind="value",
        column=name,
    )


def _joint(releases: Sequence[Published], known: Table | Baskets) -> int | None:
    """Persons in the smallest group, if each person's rows in all releases could be paired."""
    if isinstance(known, Baskets):
        names = {name: item for item, name in enumerate(known.names)}
        items = dict.fromkeys(names[name] for release in releases for name in release.data.names)  # type: ignore[union-attr]
        return containment_anonymity(known.keep(list(items)))
    codes: list[np.ndarray] = []
    for release in releases:
        quasi = () if release.roles is None else release.roles.quasi
        written = recode_known(release, known)
        codes += [written.column(name).codes for name in quasi if name in written]
    groups, _ = group(codes, len(known)) if codes else (np.zeros(len(known), np.int64), None)
    return int(np.bincount(groups).min())
