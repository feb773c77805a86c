# SPDX-License-Identifier: Apache-2.0
"""Records out of sketches: with the key, and the key out of known records (reconstruct.py), as findings.

Neither promise about sketches bounds these attacks: delta-anonymity and k-variance speak of the variance of one
estimator, over keys that nobody knows. So the findings have no bound. The baselines are what the commonest items would
give, and for signs a coin.
"""

from __future__ import annotations

from discreet.errors import DataError
from discreet.evaluate.attacks.base import Finding, rate
from discreet.reconstruct import TRIED, Attacks, attack
from discreet.release import Release

_NO_BOUND = "The promises about sketches do not speak of it."


def reconstruction(release: Release) -> list[Finding]:
    """What whoever has the key, or knows records, gets out of a release of sketches; it is the owner who can try it.

    >>> import numpy as np
    >>> from discreet import VarianceSketch
    >>> X = (np.random.default_rng(0).random((40, 12)) < 0.4).astype(int)
    >>> found = reconstruction(VarianceSketch(k=3, random_state=1).release(X))
    >>> [finding.attack for finding in found][:2]
    ['sketches, known key, records', 'sketches, known key, items']
    """
    records, sketches, signs = release.records, release.sketches, release.signs
    if records is None or sketches is None or signs is None:
        raise DataError("Reconstruction needs a release of sketches in memory, with its records and its key.")
    items = int(records.matrix[:TRIED].nnz)
    occurring = len(set(records.matrix.indices.tolist()))
    return findings(attack(records, sketches, signs), items, occurring)


def findings(found: Attacks, items: int, occurring: int) -> list[Finding]:
    """The attacks as findings; `items` are those of the records that were attacked, `occurring` all that some have."""
    key = found.with_key
    with_key = [
        Finding(
            attack="sketches, known key, records",
            question="Does whoever has the key get a record back exactly?",
            success=rate(key.exact, key.tried),
            targets=key.tried,
            baseline=0.0,
            note=f"{_NO_BOUND} {key.determined} sketches can carry all the bits of their records.",
            units="records",
        ),
        Finding(
            attack="sketches, known key, items",
            question="Is an item that whoever has the key names of a record one of its items?",
            success=rate(key.items * items, items),
            targets=items,
            baseline=key.baseline,
            note=_NO_BOUND,
            units="items",
        ),
    ]
    by_records = [
        Finding(
            attack=f"sketches, {known.known} known records, signs",
            question="Does whoever knows so many records and their sketches get the sign of an item right?",
            success=rate(known.signs * occurring, occurring),
            targets=occurring,
            baseline=0.5,
            note=f"{_NO_BOUND} With all signs known, what the key gives is given.",
            units="signs",
        )
        for known in found.with_records
    ]
    return [*with_key, *by_records]
