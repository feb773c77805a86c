# SPDX-License-Identifier: Apache-2.0
"""Base class of both sketch methods: caps, public size classes, suppression, the key, the attacks.

Paper: C. C. Aggarwal, P. S. Yu, "On Privacy-Preservation of Text and Sparse Binary Data with Sketches".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.data.records import Records
from discreet.errors import CannotRelease, DataError, ParameterError, Setting
from discreet.foundation.lazy_list import LazyList
from discreet.foundation.parameters import Interval, StrOptions, check_parameters
from discreet.foundation.randomness import Randomness
from discreet.methods.base import Method
from discreet.release.release import Changes, Release
from discreet.sketching.component_limits import determined, information_limits, quarters, rounded, variance_limits
from discreet.sketching.reconstruction import attack
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import Sketches, sketch


class SketchMethod(Method):
    """Base class of both sketch methods. A subclass decides the numbers of components.

    Parameters
    ----------
    max_components : the most components of a record.
    information : the share of a record's bits that its sketch may carry; None for no cap.
    count_classes : the public numbers of components; "quarters" are four to an octave, None publishes each number.
    allow_determined : whether sketches may be published that can carry all the bits of their records.
    key : the `Signs` to use; None draws a fresh key. Only records of one key can be compared.
    """

    takes = frozenset({"baskets"})
    gives = "sketches"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_components": [Interval(Integral, 1, 2**20, closed="both")],
        "information": [None, Interval(Real, 0, None, closed="neither")],
        "count_classes": [None, StrOptions({"quarters"}), tuple, list],
        "allow_determined": [bool],
        "key": [None, Signs],
        "random_state": [None, Interval(Integral, 0, None, closed="left")],
    }

    max_components: int
    information: float | None
    count_classes: str | Sequence[int] | None
    allow_determined: bool
    key: Signs | None

    def components(self, X: Any) -> np.ndarray:
        """How many components the sketch of each record gets; 0 for those that are suppressed."""
        check_parameters(self, self._parameter_constraints)
        return self._counted(Records.of(X))[0]

    def sketch(self, X: Any, signs: Signs) -> Sketches:
        """The sketches of all records in their order, empty for suppressed ones. For the owner: nothing is checked,
        shuffled or left out."""
        records = Records.of(X)
        return sketch(records, signs, self.components(records))

    def _counted(self, records: Records) -> tuple[np.ndarray, Records, list[str]]:
        """The number of components of each record; the records, with neighbours when an index was used; notes."""
        return self._capped(records, None), records, []

    def _capped(self, records: Records, delta: float | None) -> np.ndarray:
        """The numbers that depend on no other record, in classes."""
        counts = np.where(records.ones > 0, self.max_components, 0)
        if delta is not None:
            counts = np.minimum(counts, variance_limits(records, delta))
        if self.information is not None:
            counts = np.minimum(counts, information_limits(records, self.information))
        return rounded(counts, self._classes)

    @property
    def _classes(self) -> Sequence[int] | None:
        if isinstance(self.count_classes, str):
            return quarters(self.max_components)
        return self.count_classes

    def _public_parameters(self) -> dict[str, Any]:
        return {name: value for name, value in super()._public_parameters().items() if name != "key"}

    def _release_matrix(self, data: Any, labels: Any, randomness: Randomness) -> Release:
        records = Records.of(data, labels)
        _one_each(records)
        counts, records, notes = self._counted(records)
        published = np.flatnonzero(counts)
        if not len(published):
            raise CannotRelease(
                f"None of the {len(records)} records may have a component: all would be suppressed. Lower delta, or"
                " allow a larger share of information."
            )
        suppressed, n_items = len(records) - len(published), records.shape[1]
        records, counts = records.take(published), counts[published]
        self._refuse_determined(records, counts)
        if self.key is not None and self.key.n_items != n_items:
            raise ParameterError(f"The key is for {self.key.n_items} items; the records have {n_items}.")
        signs = Signs.fresh(n_items, randomness) if self.key is None else self.key
        sketches = sketch(records, signs, counts)
        order = sketches.content_order()[randomness.permutation(len(sketches))]
        records, sketches = records.take(order), sketches.take(order)
        attacked = cache(lambda: attack(records, sketches, signs))
        sizes, times = np.unique(sketches.counts, return_counts=True)
        trace = [
            {"suppressed": suppressed, "published": len(sketches)},
            *({"components": m, "records": n} for m, n in zip(sizes.tolist(), times.tolist(), strict=True)),
        ]
        if self.key is not None:
            notes = [*notes, "The key was given: sketches of other releases with this key can be compared with these."]
        middle = int(np.median(sketches.counts))
        notes = [*notes, f"The sketches have {sizes[0]} to {sizes[-1]} components, median {middle}."]
        if suppressed:
            notes = [*notes, f"{suppressed} of {suppressed + len(sketches)} records were suppressed."]
        return self._checked(
            Release(
                content=sketches,
                owner=self._owner_files(
                    evidence=replace(records, labels=None, classes=None),
                    signs=signs,
                    trace=LazyList(lambda: [*trace, *attacked().trace()]),
                    notes=LazyList(lambda: [*notes, *attacked().sentences()]),
                ),
                promise=self.promise,
                method=self.name,
                parameters=self._public_parameters(),
                changes=Changes(quasi_cells=0, rows_dropped=suppressed),
            )
        )

    def _refuse_determined(self, records: Records, counts: np.ndarray) -> None:
        full = int(determined(records, counts).sum())
        if full and not self.allow_determined:
            raise CannotRelease(
                f"{full} of {len(records)} sketches can carry all the bits of their records: anyone who has the key, or"
                " computes the signs from known records, may recover the records. Set information below 1, ask for"
                " more blur, or say ",
                Setting("allow_determined", True),
                ".",
            )


def _one_each(records: Records) -> None:
    if records.persons is not None and len(np.unique(records.persons)) < len(records):
        raise DataError(
            "Some persons have several rows. The promise is about single records: bring the rows of a person together"
            " first."
        )
