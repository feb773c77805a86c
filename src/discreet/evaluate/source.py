# SPDX-License-Identifier: Apache-2.0
"""The rows under study, be they a table with its roles or labelled baskets, and how classifiers see them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from discreet.data.baskets import Baskets
from discreet.data.column import Column, encode, from_labels, text_of
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, RolesError
from discreet.methods.base import Method
from discreet.release.release import Release


@dataclass(frozen=True, eq=False)
class Source:
    """Rows with a class each, and persons where rows say whose they are.

    >>> source = Source.of(Baskets.of([[1, 0], [0, 1]], ["ham", "spam"]))
    >>> source.target, source.table.names, source.labels.tolist()
    ('label', ('x0', 'x1', 'label'), [0, 1])
    """

    data: Table | Baskets
    roles: Roles | None
    target: str

    @classmethod
    def of(cls, data: object, roles: Roles | None = None) -> Source:
        """Checked as for a release: a table with roles, or baskets without."""
        if roles is not None:
            table = Table.of(data)
            roles.check_for_release(table)
            return cls(table.select(roles.named), roles, str(roles.target))
        if not isinstance(data, Baskets):
            raise RolesError(
                "A table is evaluated with its roles. Baskets have none: pass discreet.Baskets with labels."
            )
        data.check_for_release()
        target = "label"
        while target in data.names:
            target += "'"
        return cls(data, None, target)

    def __len__(self) -> int:
        return len(self.data)

    @property
    def labels(self) -> np.ndarray:
        """The class of each row, as a code."""
        return self.table.column(self.target).codes

    @property
    def persons(self) -> np.ndarray | None:
        """Whose each row is, where that is said."""
        if isinstance(self.data, Baskets):
            return self.data.persons
        person = None if self.roles is None else self.roles.person
        return None if person is None else self.data.column(person).codes

    @cached_property
    def table(self) -> Table:
        """The original as classifiers see it: the columns that have a published role, the target among them."""
        if isinstance(self.data, Baskets):
            return item_table(self.data, self.target)
        assert self.roles is not None
        return self.data.select(self.roles.published)

    def take(self, rows: np.ndarray) -> Source:
        return Source(self.data.take(rows), self.roles, self.target)

    def released_by(self, method: Method) -> Release:
        return method.release(self.data, self.roles)


def item_table(baskets: Baskets, target: str) -> Table:
    """Baskets as classifiers see them: a category "0" or "1" for each item, and the label."""
    by_item, columns = baskets.columns, []
    both, texts = pa.array(["0", "1"]), [pa.array([text]) for text in ("0", "1")]
    for item, (name, support) in enumerate(zip(baskets.names, baskets.support.tolist(), strict=True)):
        codes = np.zeros(len(baskets), dtype=np.int32)
        if 0 < support < len(baskets):
            codes[by_item.indices[by_item.indptr[item] : by_item.indptr[item + 1]]] = 1
        values = both if 0 < support < len(baskets) else texts[support > 0]
        columns.append(Column(name, "category", values, codes))
    return Table([*columns, _label_column(_labels(baskets), target)])


def number_table(matrix: np.ndarray, labels: Iterable[object] | None, target: str) -> Table:
    """Rows of numbers, NaN where there is none, as classifiers see them, with their labels."""
    columns = [encode(f"component {j}", pa.array(column, from_pandas=True)) for j, column in enumerate(matrix.T)]
    return Table([*columns, _label_column(labels, target)])


def _labels(baskets: Baskets) -> np.ndarray:
    if baskets.labels is None or baskets.classes is None:
        raise DataError("Baskets without labels teach nothing.")
    return baskets.classes[baskets.labels]


def _label_column(labels: Iterable[object] | None, target: str) -> Column:
    texts = [text_of(label) for label in np.asarray(labels).tolist()]
    known = sorted(set(texts))
    place = {text: code for code, text in enumerate(known)}
    return from_labels(target, known, np.array([place[text] for text in texts], dtype=np.int32))
