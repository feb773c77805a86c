# SPDX-License-Identifier: Apache-2.0
"""Records out of sketches: with the key, and the key out of known records (reconstruction.py), as findings; and whose
sketch it is.

Whose sketch is it? The attacker has the key and knows some items of a person, as on baskets (sparse.py). They have a
sketch of their own. If a record has them, what its sketch has besides is the sketch of the rest of it, which is shorter
by their length; if it has not, its sketch has nothing to do with theirs. Components are nearly normal with the squared
length of a record as their variance, which is estimated from the sketch itself, so the attacker names the sketch with
the largest ratio of the two likelihoods. Among equals one is picked by chance, and the chance is computed.

Neither promise about sketches bounds these attacks: delta-anonymity and k-variance speak of the variance of one
estimator, over keys that nobody knows. So the findings have no bound. The baselines are what the commonest items would
give, for signs a coin, and for sketches any one of them.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from discreet.attacks.case import Case
from discreet.attacks.finding import CannotAttack, Finding, chance_of, rate
from discreet.data.records import Records
from discreet.evaluate.confidence import Share, mean_chance
from discreet.foundation.randomness import RandomState, seed_of
from discreet.sketching.reconstruction import TRIED, Attacks, attack
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import Sketches

_CELLS = 2**22  # scores that are in memory at a time
_SLACK = 1e-9  # of a score: sums in another order are the same
_NO_BOUND = "The promises about sketches do not cover this attack."


def reconstruction(case: Case) -> list[Finding]:
    """What anyone who has the key, or knows records, gets out of a release of sketches. The owner can try it.

    >>> import numpy as np
    >>> from discreet import VarianceSketch, attack
    >>> X = (np.random.default_rng(0).random((40, 12)) < 0.4).astype(int)
    >>> [found.attack for found in attack(VarianceSketch(k=3, random_state=1).release(X))][:2]
    ['sketches, known key, records', 'sketches, known key, items']
    """
    records, signs, sketches = case.published.records, case.published.signs, case.published.sketches
    if records is None or signs is None:
        raise CannotAttack("Attacks on sketches need their records and key: give the owner's folder.")
    items = int(records.matrix[:TRIED].nnz)
    occurring = len(set(records.matrix.indices.tolist()))
    found = findings(attack(records, sketches, signs), items, occurring)
    chances = named(
        records, sketches, signs, known=case.aux_items, targets=case.targets, random_state=case.random_state
    )
    whose = Finding(
        attack=f"sketches, known key and {case.aux_items} items",
        question=f"Can an attacker who has the key and knows {case.aux_items} items of a person find their sketch?",
        success=mean_chance(chances, of=len(records)),
        targets=len(chances),
        baseline=1 / len(sketches),
        note=_NO_BOUND,
    )
    return [*found, whose]


def named(
    records: Records,
    sketches: Sketches,
    signs: Signs,
    *,
    known: int = 8,
    targets: int = 2000,
    random_state: RandomState = 0,
) -> np.ndarray:
    """Of each target, drawn by chance, the chance that its sketch is named by the key and some items of its record.

    >>> from discreet.sketching.sketches import sketch
    >>> X, signs = np.eye(6, dtype=int) + np.eye(6, k=1, dtype=int), Signs(bytes(32), 6)
    >>> named(Records.of(X), sketch(X, signs, 40), signs, known=2).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    rng = np.random.default_rng(seed_of(random_state))
    chosen = np.sort(rng.permutation(len(records))[:targets])
    matrix = records.matrix
    rows = []
    for i in chosen:
        mine = np.arange(*matrix.indptr[i : i + 2])
        rows.append(chance_of(matrix.indices[mine]).permutation(mine)[:known])
    cells = np.concatenate(rows)
    indptr = np.cumsum([0, *map(len, rows)])
    values = matrix.data[cells].astype(np.float64)
    parts = sp.csr_array((values, matrix.indices[cells], indptr), (len(rows), signs.n_items))
    results = []
    step = max(1, _CELLS // (len(sketches) + sketches.padded.shape[1]))
    for start in range(0, len(rows), step):
        ratios = _likelihoods(parts[start : start + step], sketches, signs)
        best = ratios.max(axis=1, keepdims=True)
        ties = ratios >= best - _SLACK * np.abs(best)
        own = chosen[start : start + step]
        results.append(ties[np.arange(len(own)), own] / ties.sum(axis=1))
    return np.concatenate(results)


def _likelihoods(parts: sp.csr_array, sketches: Sketches, signs: Signs) -> np.ndarray:
    """For each part of a record, and each sketch, the logarithm of how much likelier it is of a record that has it."""
    width, m = sketches.padded.shape[1], sketches.counts
    items, places = np.unique(parts.indices, return_inverse=True)
    part = sp.csr_array((parts.data, places, parts.indptr), (parts.shape[0], len(items)))
    theirs = part @ signs.of(items, width).astype(np.float64)  # the sketches of the parts
    squares = np.concatenate([np.zeros((len(theirs), 1)), np.cumsum(theirs**2, axis=1)], axis=1)[:, m]
    whole = (sketches.padded**2).sum(axis=1)
    rest = whole - 2 * theirs @ sketches.padded.T + squares  # of the sketch without the part
    energy = np.bincount(np.repeat(np.arange(len(theirs)), np.diff(parts.indptr)), parts.data**2, len(theirs))[:, None]
    least = energy / np.maximum(np.diff(parts.indptr), 1)[:, None] + (energy == 0)  # as if one more such cell were left
    with_it = np.maximum(whole / np.maximum(m, 1) - energy, least)
    without = np.maximum(whole / np.maximum(m, 1), least)
    return whole / (2 * without) - rest / (2 * with_it) - m / 2 * np.log(with_it / without)


def findings(found: Attacks, items: int, occurring: int) -> list[Finding]:
    """The attacks as findings; `items` are those of the records that were attacked, `occurring` all that some have."""
    key = found.with_key
    with_key = [
        Finding(
            attack="sketches, known key, records",
            question="Can an attacker who has the key recover a record exactly?",
            success=rate(key.exact, key.tried),
            targets=key.tried,
            baseline=0.0,
            note=f"{_NO_BOUND} {key.determined} sketches can carry all the bits of their records.",
            units="records",
            kind="record",
        ),
        Finding(
            attack="sketches, known key, items",
            question="Does an item that an attacker with the key infers belong to the record?",
            success=Share(key.items, key.items, key.items),
            targets=items,
            baseline=key.baseline,
            note=f"{_NO_BOUND} Counted in {key.tried} records.",
            units="items",
            kind="item",
        ),
    ]
    by_records = [
        Finding(
            attack=f"sketches, {known.known} known records, signs",
            question="Can an attacker who knows so many records and their sketches get the sign of an item right?",
            success=Share(known.signs, known.signs, known.signs),
            targets=occurring,
            baseline=0.5,
            note=f"{_NO_BOUND} Counted in the first components. All signs are worth as much as the key.",
            units="signs",
            kind="sign",
        )
        for known in found.with_records
    ]
    return [*with_key, *by_records]
