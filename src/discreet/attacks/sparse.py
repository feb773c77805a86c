# SPDX-License-Identifier: Apache-2.0
"""Whose basket is it? The attacker knows a few items of a person, some of them wrong, and looks for the best match.

Paper: A. Narayanan and V. Shmatikov, "Robust De-anonymization of Large Sparse Datasets", 2008, the algorithm
Scoreboard-RH. Every published record is scored by the known items that it has. The best one is named if it stands out
from the second best by enough standard deviations (its eccentricity), or without that condition; among equals one is
picked by chance.

Scores: "count" of the known items that a record has; "weighted", each by 1/log(1 + its support), so that rare items
count more; "cosine", the count divided by the square root of the record's length. The first two look at presences only:
a record with more items never scores less, so under containment at least k records score as much as the target's.
The third takes a short record for a better match: it uses that the person lacks whatever the attacker did not name,
which containment does not hide.

Departures from the paper:

1. Items are had or not; ratings and dates, and the likeness of two values, have no place.
2. 1/log(1 + support) instead of 1/log(support), which has no value for items that one record has.
3. Success is the chance of naming the target's record, exactly: records with equal items are interchangeable, and each
   of the best is named as often as any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from discreet.attacks.case import Case
from discreet.attacks.finding import Finding, chance_of
from discreet.attacks.published import Published, with_groups
from discreet.counting.partition import Partition
from discreet.data.baskets import Baskets
from discreet.errors import DataError
from discreet.evaluate.confidence import mean_chance
from discreet.foundation.parameters import Interval, StrOptions, check_parameters
from discreet.foundation.randomness import RandomState, seed_of
from discreet.privacy.containment import Containment
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.km_anonymity import KmAnonymity

SCORES = ("count", "weighted", "cosine")
PRESENCES_ONLY = ("count", "weighted")
ECCENTRICITY = 1.5  # standard deviations, as in the paper's study of film ratings
_CELLS = 2**22  # scores that are in memory at a time
_SLACK = 1e-9  # of a score: sums of the same weights in another order are the same


@dataclass(frozen=True)
class SparseAttack:
    """What the attacker knows, and how records are scored.

    Parameters
    ----------
    known : int
        Items of the target that are known; all of them where it has fewer.
    wrong : int
        So many of the known ones are not the target's: others are named in their place.
    score : {"weighted", "count", "cosine"}
    items : {"random", "rare"}
        Which items are known: any, or those that the fewest records have.
    eccentricity : float or None
        Name a record only if it stands out by more than so many standard deviations; None names one always.
    targets : int
        Persons that are tried, drawn by chance; all where there are fewer.
    random_state : int, RandomState, Generator or None
        Which persons are tried; what is known of one is the same whatever others are tried.

    >>> baskets = Baskets.of([[1, 1, 0], [1, 0, 1], [0, 1, 1]])
    >>> SparseAttack(known=2).run(Published(baskets, Containment(2)), baskets).success.value
    1.0
    """

    known: int = 8
    wrong: int = 0
    score: str = "weighted"
    items: str = "random"
    eccentricity: float | None = None
    targets: int = 2000
    random_state: RandomState = 0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "known": [Interval(Integral, 1, None, closed="left")],
        "wrong": [Interval(Integral, 0, None, closed="left")],
        "score": [StrOptions(set(SCORES))],
        "items": [StrOptions({"random", "rare"})],
        "eccentricity": [None, Interval(Real, 0, None, closed="left")],
        "targets": [Interval(Integral, 1, None, closed="left")],
        "random_state": [None, Interval(Integral, 0, None, closed="left")],
    }

    def __post_init__(self) -> None:
        check_parameters(self, self._parameter_constraints)

    def run(self, published: Published, people: Baskets, absent: Baskets | None = None) -> Finding:
        """Try it on persons whose baskets are in the release, and with a threshold on some who are `absent` from it.

        Known are items that are published, since others would not help. The target's record is the one that has just
        its published items; where cells were changed there is none, and the attack misses.
        """
        records = _Records.of(published)
        rng = np.random.default_rng(seed_of(self.random_state))
        chances, named = self._tried(records, _on(records, with_groups(people, [published])), rng)
        control = None
        if absent is not None and self.eccentricity is not None:
            others = _on(records, with_groups(absent, [published]))
            control = mean_chance(self._tried(records, others, rng)[1].astype(float))
        bound = _bound(published, self.score, people, self.known)
        return Finding(
            attack=f"sparse overlap ({self.score}{self._condition})",
            question=f"Can an attacker who knows {self._knowledge} name the target's record?",
            success=mean_chance(chances, of=len(people)),
            targets=len(chances),
            baseline=1 / records.rows,
            control=control,
            bound=bound,
            note=self._note(named, chances, published),
        )

    def known_items(self, people: sp.csr_array, support: np.ndarray) -> sp.csr_array:
        """The items that the attacker names of each person: true ones, then wrong ones in the place of some."""
        n_items = people.shape[1]
        rows: list[np.ndarray] = []
        for person in range(people.shape[0]):
            mine = people.indices[people.indptr[person] : people.indptr[person + 1]]
            rng = chance_of(mine)
            order = rng.permutation(len(mine))
            if self.items == "rare":
                order = order[np.argsort(support[mine[order]], kind="stable")]
            named = mine[order[: self.known]]
            wrong = min(self.wrong, len(named), n_items - len(mine))
            rows.append(np.sort(np.concatenate([named[: len(named) - wrong], _others(mine, n_items, wrong, rng)])))
        indptr = np.cumsum([0, *map(len, rows)])
        indices = np.concatenate(rows) if rows else np.empty(0, np.int64)
        return sp.csr_array((np.ones(len(indices)), indices, indptr), shape=people.shape)

    def _tried(self, records: _Records, people: Baskets, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """For each target the chance of naming its record, and whether any record is named."""
        chosen = np.sort(rng.permutation(len(people))[: self.targets])
        targets = people.take(chosen).matrix
        own = records.places(targets)
        items = self.known_items(targets, records.support)
        chances, named = np.zeros(len(chosen)), np.ones(len(chosen), dtype=bool)
        for start, scores in records.scores(items, self.score):
            here = slice(start, start + len(scores))
            best = scores.max(axis=1)
            ties = scores >= (best - _SLACK * np.abs(best))[:, None]
            n_ties = ties @ records.sizes
            if self.eccentricity is not None:
                named[here] = (n_ties == 1) & (_eccentricity(scores, ties, records.sizes) > self.eccentricity)
            mine = np.maximum(own[here], 0)
            hit = (own[here] >= 0) & ties[np.arange(len(scores)), mine]
            chances[here] = np.where(hit & named[here], 1 / n_ties, 0.0)
        return chances, named

    @property
    def _condition(self) -> str:
        return "" if self.eccentricity is None else f", eccentricity above {self.eccentricity:g}"

    @property
    def _knowledge(self) -> str:
        which = "rarest " if self.items == "rare" else ""
        return f"{self.known} {which}items of a person" + (f", {self.wrong} of them wrong," if self.wrong else "")

    def _note(self, named: np.ndarray, chances: np.ndarray, published: Published) -> str:
        notes = []
        if self.eccentricity is not None:
            notes.append(f"A record stood out for {int(named.sum())} of {len(named)}: {chances.sum():.0f} rightly.")
        contained = any(isinstance(promise, (Containment, KmAnonymity)) for promise in published.promises)
        if contained and self.score not in PRESENCES_ONLY:
            notes.append("A score divided by length uses absences, which the promise does not hide.")
        return " ".join(notes)


@dataclass(frozen=True, eq=False)
class _Records:
    """The distinct published records, how many rows have each, and the support of each item."""

    matrix: sp.csr_array
    sizes: np.ndarray
    support: np.ndarray
    names: tuple[str, ...]

    @classmethod
    def of(cls, published: Published) -> _Records:
        baskets = published.baskets
        partition = Partition.of(baskets)
        return cls(baskets.matrix[partition.first_rows()], partition.sizes.copy(), baskets.support, baskets.names)

    @property
    def rows(self) -> int:
        return int(self.sizes.sum())

    def places(self, targets: sp.csr_array) -> np.ndarray:
        """For each target, the record with exactly its items, or -1."""
        place_of = {_items(self.matrix, place): place for place in range(self.matrix.shape[0])}
        return np.array([place_of.get(_items(targets, row), -1) for row in range(targets.shape[0])], dtype=np.int64)

    def scores(self, known: sp.csr_array, score: str) -> Iterator[tuple[int, np.ndarray]]:
        """Scores of all records for some targets at a time."""
        weights = 1 / np.log1p(np.maximum(self.support, 1)) if score == "weighted" else np.ones(len(self.support))
        lengths = np.diff(self.matrix.indptr)
        scale = 1 / np.sqrt(np.maximum(lengths, 1)) if score == "cosine" else None
        by_item = sp.csr_array(self.matrix.T.astype(np.float64))
        step = max(1, _CELLS // self.matrix.shape[0])
        for start in range(0, known.shape[0], step):
            block = known[start : start + step]
            weighted = sp.csr_array((weights[block.indices], block.indices, block.indptr), shape=block.shape)
            scores = (weighted @ by_item).toarray()
            yield start, scores if scale is None else scores * scale


def sparse_attacks(
    published: Published, people: Baskets, absent: Baskets | None = None, **settings: Any
) -> list[Finding]:
    """The attack with each score, and once with a threshold on how much a record must stand out."""
    ways: list[tuple[str, float | None]] = [*((score, None) for score in SCORES), ("weighted", ECCENTRICITY)]
    return [
        SparseAttack(score=score, eccentricity=least, **settings).run(published, people, absent)
        for score, least in ways
    ]


def sparse_overlap(case: Case) -> list[Finding]:
    """Whose basket is it? By items that an attacker knows of a person; by as many as a promise is about, too."""
    people, absent = case.baskets
    settings: dict[str, Any] = {"targets": case.targets, "random_state": case.random_state}
    findings = sparse_attacks(case.published, people, absent, known=case.aux_items, **settings)
    for promise in case.published.promises:
        if isinstance(promise, KmAnonymity) and promise.m != case.aux_items:
            few = SparseAttack(known=promise.m, items="rare", **settings).run(case.published, people, absent)
            findings.append(replace(few, attack=f"{few.attack}, {promise.m} known"))
    return findings


def _on(records: _Records, people: Baskets) -> Baskets:
    """The people's baskets on the published items, in their order."""
    place = {name: item for item, name in enumerate(people.names)}
    strange = sum(name not in place for name in records.names)
    if strange:
        raise DataError(
            f"{strange} of the {len(records.names)} published items are not among those of the people attacked."
            " Give the baskets that the release was made from."
        )
    return people.keep([place[name] for name in records.names])


def _others(mine: np.ndarray, n_items: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Some items that the person lacks."""
    return rng.choice(np.setdiff1d(np.arange(n_items), mine), n, replace=False) if n else np.empty(0, np.int64)


def _items(matrix: sp.csr_array, row: int) -> bytes:
    return matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].astype(np.int64).tobytes()


def _eccentricity(scores: np.ndarray, ties: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Of each line with one best record: how far the second best is behind it, in standard deviations of all scores."""
    best = scores.max(axis=1)
    second = np.where(ties, -np.inf, scores).max(axis=1)
    mean = scores @ sizes / sizes.sum()
    spread = np.sqrt(np.maximum((scores**2) @ sizes / sizes.sum() - mean**2, 0.0))
    behind = np.where(np.isfinite(second), best - second, 0.0)
    return np.divide(behind, spread, out=np.zeros_like(behind), where=spread > 0)


def _bound(published: Published, score: str, people: Baskets, known: int) -> float | None:
    """What the promise allows, counted in rows: 1/k, for containment if the score looks at presences only, and for
    (k, m)-anonymity if no more than m items are known besides.
    """
    if people.persons is not None or published.persons is not None:  # of several rows of a person any one would do
        return None
    kinds = (KAnonymity, Containment) if score in PRESENCES_ONLY else (KAnonymity,)
    ks = [promise.k for promise in published.promises if isinstance(promise, kinds)]
    if score in PRESENCES_ONLY:
        ks += [one.k for one in published.promises if isinstance(one, KmAnonymity) and known <= one.m]
    return 1 / max(ks) if ks else None
