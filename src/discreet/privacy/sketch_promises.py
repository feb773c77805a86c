# SPDX-License-Identifier: Apache-2.0
"""Delta-anonymity and k-variance: how blurred a sketch shows a record's cells and its similarity to its neighbours.

Paper: C. C. Aggarwal, P. S. Yu, "On Privacy-Preservation of Text and Sparse Binary Data with Sketches", Definitions 1
to 3. Both are statements about the variance of one estimator over secret random keys. Neither bounds what all
components together reveal to someone who has the key; see docs/privacy/sketch_promises.md.

Departures from the paper:

1. The paper says "variance larger than delta" in words and ">= delta" in the formula; >= is used.
2. The variance of the dot product is the exact one; the printed one is too small for non-negative records.
3. Definition 3 prints a square root over the whole difference. The sentence after it, and the units, require the
   difference itself: the standard deviation is at least |x||y| - |x.y|.
4. Neighbours are nearest by cosine, among the published records, ties broken by content (similar_records.py).

The published files cannot show whether they hold, so the verdict's kind is "owner".
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.data.records import Records
from discreet.data.roles import Roles
from discreet.errors import DataError
from discreet.foundation.parameters import Interval, StrOptions
from discreet.privacy.promise import Promise, Verdict, VerdictKind
from discreet.sketching.component_limits import pair_limits, variance_limits
from discreet.sketching.similar_records import nearest

_NO_GUARANTEE = (
    "A variance is not a guarantee. With the key, a sketch is a set of linear equations in a sparse record: enough"
    " components determine it. Whoever knows as many records as there are items, with their sketches, finds all signs"
    " and needs no key; sketches must not go to anyone who may own records. The label is published as it is, and the"
    " number of components tells roughly how long a record is."
)


class _OwnersPromise(Promise):
    """A promise about sketches and the records they were made from."""

    kind: ClassVar[VerdictKind] = "owner"

    @property
    def needs_source(self) -> bool:
        return True

    def check(self, data: object, roles: Roles | None = None) -> Verdict:
        raise DataError(
            f"{self} compares sketches with the records they were made from, which only the owner has: use"
            " check_with_source(sketches, None, records), or verify with the owner's folder."
        )

    def check_with_source(self, data: Any, roles: Roles | None, source: object) -> Verdict:
        """Check sketches against the owner's records, in the same order."""
        if getattr(data, "shape_name", None) != "sketches" or not isinstance(source, Records):
            raise DataError(f"{self} needs sketches and the records they were made from; got something else.")
        if len(data) != len(source):
            raise DataError(
                f"There must be as many records as sketches; got {len(source)} records, {len(data)} sketches."
            )
        return self._check(data.counts, source)

    def _check(self, counts: np.ndarray, records: Records) -> Verdict:
        raise NotImplementedError


@dataclass(frozen=True)
class DeltaAnonymity(_OwnersPromise):
    """Each cell of a record can be estimated from its sketch only with a variance of at least delta.

    Promise
    -------
    Over all keys, for the estimate by the mean of the components times the item's signs. The key is secret, and fresh.

    >>> from discreet.sketching.signs import Signs
    >>> from discreet.sketching.sketches import sketch
    >>> records = Records.of([[1, 1, 1, 0], [0, 2, 1, 1]])
    >>> DeltaAnonymity(0.5).check_with_source(sketch(records, Signs(bytes(32), 4), 4), None, records).sentence()
    '0.5-anonymity of sketches holds: 0.5 required, 0.5 measured.'
    """

    name: ClassVar[str] = "delta-anonymity"
    does_not_protect: ClassVar[str] = _NO_GUARANTEE
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"delta": [Interval(Real, 0, None, closed="neither")]}

    delta: float = 0.5

    def __str__(self) -> str:
        return f"{self.delta:g}-anonymity of sketches"

    def _check(self, counts: np.ndarray, records: Records) -> Verdict:
        short = (counts > 0) & (counts > variance_limits(records, self.delta))
        least = float(np.min(records.spread[short] / counts[short], initial=self.delta))
        return Verdict(
            promise=str(self),
            holds=not short.any(),
            required=self.delta,
            measured=least,  # any excess depends on single records and is not published
            rows=len(records),
            rows_short=int(short.sum()),
            kind="owner",
        )


def _are_others(of: np.ndarray, n: int, k: int) -> bool:
    """Whether each record has k different others as neighbours."""
    if of.shape != (n, k) or not ((of >= 0) & (of < n) & (of != np.arange(n)[:, None])).all():
        return False
    return bool((np.diff(np.sort(of, axis=1), axis=1) > 0).all())


@dataclass(frozen=True)
class KVariance(_OwnersPromise):
    """The similarity of a record to each of its k nearest neighbours can be estimated only with a standard deviation at
    least as large as the gap to the greatest possible similarity.

    `neighbour_search="approximate"` covers the neighbours found by an index, which the owner keeps: the condition is
    checked exactly for these pairs, and says nothing about neighbours that the index missed.

    Promise
    -------
    Over all keys, for the estimate of x.y by the mean of the products of components. The key is secret, and fresh.

    >>> from discreet.sketching.signs import Signs
    >>> from discreet.sketching.sketches import sketch
    >>> records = Records.of([[1, 1, 1, 0], [0, 1, 1, 1], [1, 1, 0, 0]])
    >>> KVariance(2).check_with_source(sketch(records, Signs(bytes(32), 4), [5, 1, 8]), None, records).sentence()
    '2-variance of sketches holds: 2 required, 2 measured.'
    """

    name: ClassVar[str] = "k-variance"
    does_not_protect: ClassVar[str] = (
        f"{_NO_GUARANTEE} Equal and parallel records have no limit from each other: k-variance alone may publish as"
        " many components of them as asked."
    )
    older_names: ClassVar[dict[str, str]] = {"neighbours": "neighbour_search"}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 1, None, closed="left")],
        "neighbour_search": [StrOptions({"exact", "approximate"})],
    }

    k: int = 5
    neighbour_search: str = "exact"

    def __str__(self) -> str:
        neighbours = "" if self.neighbour_search == "exact" else ", of neighbours that were found"
        return f"{self.k}-variance of sketches{neighbours}"

    def _check(self, counts: np.ndarray, records: Records) -> Verdict:
        of = nearest(records, self.k).of if self.neighbour_search == "exact" else records.neighbours
        if of is None or not _are_others(of, len(records), self.k):
            raise DataError(
                f"The owner's records do not each have {self.k} other records as neighbours found by the index."
            )
        rows = np.repeat(np.arange(len(records)), self.k)
        within = np.minimum(counts[rows], counts[of.ravel()]) <= pair_limits(records, rows, of.ravel())
        n_blurred = np.cumprod(within.reshape(of.shape), axis=1).sum(axis=1)
        return Verdict(
            promise=str(self),
            holds=bool(within.all()),
            required=self.k,
            measured=int(n_blurred.min()),
            rows=len(records),
            rows_short=int((n_blurred < self.k).sum()),
            kind="owner",
        )
