# SPDX-License-Identifier: Apache-2.0
"""Records out of sketches: with the key, and the key out of known records (reconstruct.py), as findings.

Neither promise about sketches bounds these attacks: delta-anonymity and k-variance speak of the variance of one
estimator, over keys that nobody knows. So the findings have no bound. The baselines are what the commonest items would
give, and for signs a coin.
"""

from __future__ import annotations

from discreet.evaluate.attacks.base import CannotAttack, Finding, rate
from discreet.evaluate.attacks.registry import Case
from discreet.reconstruct import TRIED, Attacks, attack
from discreet.sketches import Sketches

_NO_BOUND = "The promises about sketches do not speak of it."


def reconstruction(case: Case) -> list[Finding]:
    """What whoever has the key, or knows records, gets out of a release of sketches. The owner can try it.

    >>> import numpy as np
    >>> from discreet import VarianceSketch, attack
    >>> X = (np.random.default_rng(0).random((40, 12)) < 0.4).astype(int)
    >>> [found.attack for found in attack(VarianceSketch(k=3, random_state=1).release(X))][:2]
    ['sketches, known key, records', 'sketches, known key, items']
    """
    records, signs, sketches = case.published.records, case.published.signs, case.published.data
    assert isinstance(sketches, Sketches)
    if records is None or signs is None:
        raise CannotAttack("Sketches are attacked with the records and the key behind them: give the owner's folder.")
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
