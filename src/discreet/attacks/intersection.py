# SPDX-License-Identifier: Apache-2.0
"""Intersection: which rows still fit a person when several releases of the same persons are combined?

Paper: S. R. Ganta, S. P. Kasiviswanathan and A. Smith, "Composition Attacks and Auxiliary Information in Data Privacy",
2008. Each release leaves a person among k. But the columns that are published as they are (target, sensitive and other
columns; of baskets the label and the items in common) are the same in all of them. So a row of one release can be the
person's only if each other release has a row that fits the person too and has the same values in those columns. The
rows that are left may be fewer than k, down to one; the values that are left may be one.

Rows are shuffled, so nothing else pairs them. If they could be paired, anyone who shares the person's group in all
releases would be left: the note says how few that would be.

Departures from the paper:

1. The paper intersects the sensitive values; here whole rows of all common columns are, and the values among those.
2. The attacker picks one of the rows left, in the release that leaves the fewest. Frequencies are not weighed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from discreet.attacks.case import Case
from discreet.attacks.finding import Finding, rate_of_persons
from discreet.attacks.intersection_shapes import CELLS, BasketReleases, TableReleases, releases_of
from discreet.attacks.joining import joined_codes
from discreet.attacks.linkage import NOT_TRUE
from discreet.attacks.published import Published
from discreet.counting.tally import distinct_codes
from discreet.errors import listing
from discreet.evaluate.confidence import Share
from discreet.privacy.l_diversity import LDiversity

Releases = TableReleases | BasketReleases


def intersection(case: Case) -> list[Finding]:
    """Combine the releases: pick a person's row, the easiest person's row, and infer the value of a column."""
    releases = releases_of(case)
    known: Any = case.known
    columns = _common(releases)
    rng = np.random.default_rng(case.random_state)
    wanted = releases.wanted(columns)
    remaining = _Left.of(releases, _some(known, case.targets, rng), columns, wanted)
    control = None
    if case.control is not None and case.control.shape_name == case.known_shape:
        control = _Left.of(releases, _some(case.control, case.targets, rng), columns, wanted)
    picks = _identified(case, releases, remaining, columns)
    values = [
        _disclosed(releases.releases, name, remaining, control, everybody=len(known), who=releases.who)
        for name in wanted
    ]
    return [replace(one, knows=releases.knows) for one in (*picks, *values)]


# -- what the releases have in common ----------------------------------------------------------------------------------


def _common(releases: Releases) -> tuple[str, ...]:
    """Columns that all releases publish as they are."""
    first, *others = map(releases.as_they_are, releases.releases)
    return tuple(name for name in first if all(name in names for names in others))


@dataclass(frozen=True, eq=False)
class _Keys:
    """The rows of several sets, numbered by their values in the common columns."""

    of_set: list[np.ndarray]  # -1 for a set whose values are not all known
    values: dict[str, np.ndarray]  # of each common column, the code that a number has
    count: int

    @classmethod
    def of(cls, releases: Releases, targets: Any, columns: Sequence[str]) -> _Keys:
        sets = [*(release.data for release in releases.releases), targets]
        cells = [[releases.column(data, name) for name in columns] for data in sets]
        whole = [i for i, parts in enumerate(cells) if None not in parts]
        lengths = [len(sets[i]) for i in whole]
        codes = [joined_codes([cells[i][c] for i in whole]) for c in range(len(columns))]  # type: ignore[misc]
        rows, groups = distinct_codes(codes, sum(lengths))
        parts = dict(zip(whole, np.split(groups, np.cumsum(lengths)[:-1]), strict=True))
        of_set = [parts.get(i, np.full(len(data), -1)) for i, data in enumerate(sets)]
        return cls(of_set, dict(zip(columns, rows.T, strict=True)), len(rows))


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
    def of(cls, releases: Releases, targets: Any, columns: Sequence[str], wanted: Sequence[str]) -> _Left:
        keys = _Keys.of(releases, targets, columns)
        n, mine = len(targets), keys.of_set[-1]
        fits = releases.fits(targets)
        alone, together = (np.zeros((len(fits), n), dtype=np.int64) for _ in range(2))
        own = np.full(n, not len(mine) or mine[0] < 0)  # without known values, assume the target's row is there
        sizes = {name: int(keys.values[name].max()) + 1 for name in wanted}
        values = {name: np.zeros((n, size), dtype=bool) for name, size in sizes.items()}
        by_release = {name: [np.zeros((n, size), dtype=bool) for _ in fits] for name, size in sizes.items()}
        for start, stop in _blocks(keys.count, max(n, *(fit.width for fit in fits))):
            counts = [fit.counts(key, start, stop) for fit, key in zip(fits, keys.of_set, strict=False)]
            remains = np.logical_and.reduce([count > 0 for count in counts])
            for i, count in enumerate(counts):
                alone[i] += count.sum(axis=1)
                together[i] += np.where(remains, count, 0).sum(axis=1)
            here = np.flatnonzero((mine >= start) & (mine < stop))
            own[here] = remains[here, mine[here] - start]
            for name in wanted:
                ones = (np.ones(stop - start), (np.arange(stop - start), keys.values[name][start:stop]))
                one_hot = sp.csr_array(ones, shape=(stop - start, sizes[name]))
                values[name] |= (remains @ one_hot) > 0
                for i, count in enumerate(counts):
                    by_release[name][i] |= ((count > 0) @ one_hot) > 0
        true = {name: np.where(mine >= 0, keys.values[name][mine], -1) for name in wanted}
        return cls(alone, together, own, values, by_release, true)

    def __len__(self) -> int:
        return len(self.own)

    @property
    def chances(self) -> np.ndarray:
        """Chance of picking each target's row, in the release that leaves the fewest."""
        fewest = self.together.min(axis=0)
        return np.where(self.own & (fewest > 0), 1 / np.maximum(fewest, 1), 0.0)


def _blocks(n_keys: int, width: int) -> Iterator[tuple[int, int]]:
    step = max(1, CELLS // width)
    for start in range(0, n_keys, step):
        yield start, min(start + step, n_keys)


def _some(people: Any, n: int, rng: np.random.Generator) -> Any:
    return people if len(people) <= n else people.take(np.sort(rng.permutation(len(people))[:n]))


# -- findings ----------------------------------------------------------------------------------------------------------


def _identified(case: Case, together: Releases, remaining: _Left, columns: Sequence[str]) -> list[Finding]:
    known: Any = case.known
    releases, who, joint = together.releases, together.who, together.smallest_group(known)
    by_person = case.roles.person is not None or any(release.persons is not None for release in releases)
    ks = [None if by_person else together.promised_k(release) for release in releases]
    bound = max((1 / k for k in ks if k is not None), default=None)
    chances, n = remaining.chances, len(remaining)
    rows = max(len(release.data) for release in releases)  # type: ignore[arg-type]
    short = sum(
        remaining.own & (rows_left < k) for rows_left, k in zip(remaining.together, ks, strict=True) if k is not None
    )
    notes = [
        f"Joined on {listing(columns)}." if columns else "No column is published unchanged in all: nothing joins them.",
        f"{int((np.asarray(short) > 0).sum())} of {n} are left among fewer than promised." if bound is not None else "",
        f"Matching rows: {remaining.alone.min(axis=0).mean():.1f} on average in the better release alone,"
        f" {remaining.together.min(axis=0).mean():.1f} in both together.",
        f"If rows could be paired, the smallest group would have {joint}.",
        "Rows are counted, and several may belong to one person: the promise counts persons and does not apply."
        if by_person
        else "",
        "" if all(release.is_true for release in releases) else NOT_TRUE,
    ]
    mean = Finding(
        attack=f"intersection of {len(releases)} releases",
        question=f"Can an attacker who knows {who} pick the person's row from all releases together?",
        success=rate_of_persons(chances, None, of=len(known))[0],
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
    releases: Sequence[Published], name: str, remaining: _Left, control: _Left | None, *, everybody: int, who: str
) -> Finding:
    """Whether exactly one value of the column remains possible, and it is the right one."""

    def is_right(values: np.ndarray, who: _Left) -> np.ndarray:
        at = np.maximum(who.true[name], 0)
        right = values[np.arange(len(who)), at] | (who.true[name] < 0)
        return (values.sum(axis=1) == 1) & right

    by_itself = max(float(is_right(values, remaining).mean()) for values in remaining.values_alone[name])
    diverse = all(any(isinstance(promise, LDiversity) for promise in release.promises) for release in releases)
    hits = is_right(remaining.values[name], remaining)
    return Finding(
        attack=f"intersection of {len(releases)} releases, {name}",
        question=f"Can an attacker who knows {who} rule out all values of {name!r} but the right one?",
        success=rate_of_persons(hits.astype(float), None, of=everybody)[0],
        targets=len(remaining),
        baseline=by_itself,
        control=None
        if control is None
        else rate_of_persons(is_right(control.values[name], control).astype(float), None)[0],
        bound=0.0 if diverse else None,
        note="The baseline is what the best single release reveals.",
        kind="value",
        column=name,
    )
