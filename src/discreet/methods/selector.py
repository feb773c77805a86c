# SPDX-License-Identifier: Apache-2.0
"""Base class of feature selectors: the scikit-learn interface, and the conversion of tables to items and back.

To write a selector, implement `promise` and `_keep`, which works on baskets. Numbers of a table are first cut into
intervals and all values turned into 0/1 items; selected items are published under the column they came from.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.tally import persons_per_group
from discreet.data.baskets import Baskets
from discreet.data.counted_baskets import CountedBaskets
from discreet.data.item_rows import ItemRows
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.engines.memory import engine_of
from discreet.engines.protocol import Engine
from discreet.errors import CannotRelease, DataError
from discreet.foundation.estimators import SelectorFace, check_is_fitted, validate_data
from discreet.foundation.parameters import check_parameters
from discreet.foundation.randomness import Randomness
from discreet.methods.base import Changed, Method
from discreet.methods.engine_release import EngineDecision
from discreet.methods.grouping import Decision
from discreet.methods.published_rows import refuse_marks
from discreet.privacy.containment import Containment
from discreet.privacy.exclusive_items import one_hot_note
from discreet.privacy.km_anonymity import KmAnonymity
from discreet.privacy.promise import Promise
from discreet.recoding.plan import KeepItems

ONE_HOT = (
    "The items are values of columns: lacking one value of a column means having another. Of such absences the promise"
    " covers {}; the verdict's details count what is left open."
)


class Selector(SelectorFace, Method):
    """A method that keeps some features. Parameters `k`, `cuts` and `random_state` are the subclass's to declare."""

    takes = frozenset({"table", "baskets"})
    tries_items: ClassVar[bool] = False  # whether `_keep` takes rows of items that are brought into memory as needed

    @property
    def decides_on_counts(self) -> bool:
        """Whether what `_keep` keeps depends on how often each row occurs, and not on the order of the rows."""
        return False

    @property
    def most_alike(self) -> int | None:
        """How many equal rows of a class `_keep` has to see (data/counted_baskets.py); None for all of them."""
        return self.k

    @property
    def promise(self) -> Promise:
        return Containment(self.k)

    @property
    def keeps_items(self) -> bool:
        return True

    def _keep(self, baskets: Any, randomness: Randomness) -> tuple[list[int], list[dict[str, Any]]]:
        """The features to keep, in the order they were chosen; and the steps, each with feature, gain and kept."""
        raise NotImplementedError

    def _remarks(self) -> list[str]:
        """What the owner should know about the search that `_keep` made last."""
        return []

    # -- the scikit-learn selector -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any) -> Self:
        """Select features of a 0/1 matrix (scipy sparse or dense) for the labels y."""
        check_parameters(self, self._parameter_constraints)
        X, y = numeric(self, X, y, "0/1 cells", advice=" Binarise it first.")
        baskets = Baskets.of(X, y)
        baskets.check_for_release()
        self._enough(len(baskets))
        selected, self.trace_ = self._keep(baskets, Randomness(self.random_state))
        self.order_ = np.array(selected, dtype=np.intp)
        self.support_ = mask_of(self.order_, self.n_features_in_)
        self.scores_ = np.array([step["gain"] for step in self.trace_ if step["kept"]], dtype=float)
        return self

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.target_tags.required = True
        return tags

    # -- tables ----------------------------------------------------------------------------------------------------

    def _needs_rows(self) -> str:
        return "" if self.decides_on_counts else "it looks at the items of single rows"

    def _plan(self, table: Table, roles: Roles, randomness: Randomness) -> Decision:
        if self.decides_on_counts:
            rows = CodedRows.of(engine_of(table), roles.quasi, target=roles.target, person=roles.person)
            decision = self._plan_of_counts(rows, roles, randomness)
            assert decision.plan is not None
            return replace(decision, distinct=(rows, decision.plan.apply(Table(rows.columns)), rows.rows))
        # An item that fewer than k persons have can never be selected, so it is not created.
        everything = KeepItems.fit(table, roles, cuts=self.cuts, k=self.k)
        baskets = everything.baskets(table, target=roles.target, person=roles.person)
        return self._decided(everything, baskets, randomness)

    def _plan_of_counts(self, rows: CodedRows, roles: Roles, randomness: Randomness) -> Decision:
        """The same decision on distinct rows."""
        everything = KeepItems.fit(rows, roles, cuts=self.cuts, k=self.k)
        return self._decided(everything, _items_of(everything, rows, self.most_alike), randomness)

    def _decide_engine(self, engine: Engine, roles: Roles, randomness: Randomness) -> EngineDecision:
        rows = CodedRows.of(engine, roles.quasi, target=roles.target, person=roles.person)
        refuse_marks(rows, roles)
        self._enough(rows.n_persons)
        return EngineDecision.of_plan(self._plan_of_counts(rows, roles, randomness), rows, roles)

    def _decided(self, everything: KeepItems, baskets: Baskets, randomness: Randomness) -> Decision:
        selected, trace = self._keep(baskets, randomness)
        promise, notes = self.promise, []
        if isinstance(promise, (Containment, KmAnonymity)):
            absences = getattr(promise, "absences", 0)
            if all(item.flag for item in everything.binarisation.items):
                notes += one_hot_note(baskets, absences, selected)
            else:
                notes.append(ONE_HOT.format(f"up to {absences}" if absences else "none"))
        return Decision(replace(everything, kept=tuple(selected)), trace, notes + self._remarks())

    # -- baskets ---------------------------------------------------------------------------------------------------

    def _keep_stored(
        self, stored: ItemRows, randomness: Randomness
    ) -> tuple[list[int], list[dict[str, Any]], list[str]]:
        """With the items that enough rows have in memory, unless the selector tries items one by one."""
        if self.tries_items:
            selected, trace = self._keep(stored, randomness)
        else:
            fewest = self.k if stored.persons is None else 1
            common = np.flatnonzero(stored.support >= fewest)
            if not len(common):
                raise CannotRelease(f"No item can be kept at k = {self.k}: fewer than {self.k} rows have any one.")
            chosen, trace = self._keep(stored.keep(common), randomness)
            selected = common[chosen].tolist()
        notes = []
        if isinstance(self.promise, (Containment, KmAnonymity)):
            notes = one_hot_note(stored.keep(selected), getattr(self.promise, "absences", 0))
        return selected, trace, notes + self._remarks()

    def _change(self, baskets: Baskets, randomness: Randomness) -> Changed:
        changed = super()._change(baskets, randomness)
        changed.notes += self._remarks()
        return changed


def _items_of(plan: KeepItems, rows: CodedRows, most: int | None) -> CountedBaskets:
    """All items of distinct rows; of equal ones at most so many."""
    target = rows.target
    assert target is not None
    n_classes = len(target.values)
    if rows.counts.shape[1] > n_classes and rows.counts[:, n_classes:].any():
        missing = int(rows.counts[:, n_classes:].sum())
        raise DataError(f"{missing} of {rows.n_rows} labels are missing. Drop those rows first.")
    cells = [plan.items_of(column)[column.codes] + 1 for column in rows.columns]
    width = len(plan.binarisation.items) + 1
    merged, _ = rows.merged(cells, [width] * len(cells))
    entries, items = merged.entries, plan.binarisation
    return CountedBaskets.of_counts(
        merged.codes - 1,
        entries.row,
        entries.label,
        entries.rows,
        entries.person,
        most=most,
        names=items.names,
        classes=target.values.to_pylist(),
        sources=items.sources,
    )


def check_labels(baskets: ItemRows, k: int) -> None:
    """Refuse to hide persons among k of their label where a label has fewer."""
    labels = np.asarray(baskets.labels, dtype=np.int64)
    persons = persons_per_group(labels, baskets.n_classes, baskets.persons)
    short = int(((persons > 0) & (persons < k)).sum())
    if short:
        raise CannotRelease(
            f"k = {k} with known labels was asked, but {short} of {baskets.n_classes} labels have fewer than {k}"
            " persons. Lower k, or leave out these rows."
        )


def mask_of(places: np.ndarray, n: int) -> np.ndarray:
    """True at these of n places: `support_`, as scikit-learn's selectors have it.

    >>> mask_of(np.array([2, 0]), 4).tolist()
    [True, False, True, False]
    """
    mask = np.zeros(n, dtype=bool)
    mask[places] = True
    return mask


def numeric(
    estimator: Any, X: Any, y: Any, needs: str, *, dtype: object = "numeric", advice: str = ""
) -> tuple[Any, np.ndarray]:
    """scikit-learn's checks of X and y; its message about text quotes a cell, so ours takes its place."""
    text = False
    try:
        return validate_data(estimator, X, y, accept_sparse="csr", ensure_min_samples=2, dtype=dtype)
    except ValueError as error:
        text = "could not convert" in str(error)
        if not text:
            raise
    raise DataError(f"{type(estimator).__name__} needs {needs}; the matrix holds text.{advice}")
