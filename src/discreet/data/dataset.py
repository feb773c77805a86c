# SPDX-License-Identifier: Apache-2.0
"""Labelled rows, validated once: a table with its roles, or labelled baskets.

Commands, studies, evaluations and reports pass a `Dataset` on. It always has a target, and hides the differences
between the two shapes.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from discreet.data.baskets import Baskets
from discreet.data.column import Column, from_labels, text_of
from discreet.data.content import LABEL
from discreet.data.item_rows import ItemRows
from discreet.data.labelled_rows import labelled_rows
from discreet.data.records import Records
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, LeftOutWarning, RolesError, shown
from discreet.foundation.displayed import Displayed


class Dataset(Displayed, ABC):
    """Data, roles, target and persons.

    data     a `Table` with the columns that have a role, or `Baskets`
    roles    of the columns; None for baskets
    target   name of the column that a classifier predicts
    quasi    names of the columns or items that an attacker may know
    persons  number of the person behind each row; None if every row is a different person
    labels   class of each row, as an index into `classes`
    table    the rows as classifiers see them: the published columns, including the target

    >>> dataset = Dataset.of(Baskets.of([[1, 0], [0, 1]], ["ham", "spam"]))
    >>> dataset.shape, dataset.target, dataset.table.names, dataset.labels.tolist(), dataset.classes
    ('baskets', 'label', ('x0', 'x1', 'label'), [0, 1], ('ham', 'spam'))
    """

    shape: ClassVar[str]
    data: Any
    roles: Roles | None = None
    target: str

    @staticmethod
    def of(data: object, roles: Roles | None = None, y: object = None) -> Dataset:
        """A table with its roles, or baskets with their own labels or `y`, validated as for a release."""
        if isinstance(data, Dataset):
            return data
        if roles is None and y is not None:
            data = data.labelled(y) if isinstance(data, Baskets) else Baskets.of(data, y)
        return Dataset.unchecked(data, roles).checked()

    @staticmethod
    def unchecked(data: object, roles: Roles | None = None) -> Dataset:
        """As `of`, without validation, for data that a method checks itself or has already released."""
        if isinstance(data, Dataset):
            return data
        if roles is not None:
            table = Table.of(data)
            labelled = labelled_rows(table, roles)
            return TableDataset(labelled, roles, len(table) - len(labelled))
        if not isinstance(data, Baskets):
            raise RolesError("A table needs roles: pass discreet.Roles. Baskets have none: pass discreet.Baskets.")
        return BasketDataset(data)

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"Dataset({self.data!r}, target {self.target!r}, {len(self.quasi)} quasi-identifiers)"

    @property
    def n_persons(self) -> int:
        """Number of persons behind the rows."""
        return len(self) if self.persons is None else len(np.unique(self.persons))

    @property
    def has_target(self) -> bool:
        """Whether there is a column to predict; some methods release tables without one."""
        return True

    @property
    def labels(self) -> np.ndarray:
        return self._label.codes

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(self._label.texts)

    @abstractmethod
    def checked(self) -> Dataset:
        """This dataset; RolesError unless it has several classes and something to protect."""

    @property
    @abstractmethod
    def quasi(self) -> tuple[str, ...]: ...

    @property
    @abstractmethod
    def persons(self) -> np.ndarray | None: ...

    @property
    @abstractmethod
    def _label(self) -> Column: ...

    @property
    @abstractmethod
    def table(self) -> Table: ...

    @property
    @abstractmethod
    def not_quasi(self) -> tuple[str, ...]:
        """Published columns other than quasi-identifiers and the target."""

    @property
    def notes(self) -> list[str]:
        """What the owner should know about the rows, in words."""
        return []

    def handed_out(self, *, by_cells: bool) -> Any:
        """The data for a method; RolesError if it is private by reading each cell by itself and rows were left out."""
        return self.data

    def with_warnings(self) -> Any:
        """The data, after the notes were given as warnings."""
        for note in self.notes:
            warnings.warn(note, LeftOutWarning, stacklevel=6)
        return self.data

    def labelled(self) -> Dataset:
        """This dataset without the rows that have no label, to be measured on."""
        return self

    def readable(self) -> Dataset:
        """This dataset with the columns that can be read; see `Table.readable`."""
        return self

    def named(self) -> Dataset:
        """This dataset without columns that have no role."""
        return self

    @abstractmethod
    def take(self, rows: np.ndarray) -> Dataset:
        """Some of the rows."""


class TableDataset(Dataset):
    """A table with its roles."""

    shape = "table"
    roles: Roles

    def __init__(self, table: Table, roles: Roles, left_out: int = 0):
        self.data, self.roles, self.target = table, roles, str(roles.target)
        self.left_out = left_out  # rows that had no label

    @property
    def has_target(self) -> bool:
        return self.roles.target is not None

    def checked(self) -> TableDataset:
        self.roles.check_for_release(self.data)
        return self.named()

    def named(self) -> TableDataset:
        return TableDataset(self.data.select(self.roles.named), self.roles, self.left_out)

    @property
    def notes(self) -> list[str]:
        n_rows = len(self) + self.left_out
        text = f"{self.left_out:,} of {n_rows:,} rows have no {shown(self.target)} and are left out."
        return [text] if self.left_out else []

    def handed_out(self, *, by_cells: bool) -> Table:
        if by_cells and self.left_out:
            raise RolesError(
                f"The target {shown(self.target)} is missing in {self.left_out} rows. Differential privacy would not"
                f" cover who has a label if these rows were left out: give them a class of their own, such as"
                f" 'unknown'."
            )
        return self.data

    def labelled(self) -> TableDataset:
        return TableDataset(labelled_rows(self.data, self.roles), self.roles)

    def readable(self) -> TableDataset:
        return TableDataset(self.data.readable(self.roles.named), self.roles, self.left_out)

    @property
    def quasi(self) -> tuple[str, ...]:
        return self.roles.quasi

    @property
    def persons(self) -> np.ndarray | None:
        return None if self.roles.person is None else self.data.column(self.roles.person).codes

    @property
    def _label(self) -> Column:
        return self.data.column(self.target)

    @cached_property
    def table(self) -> Table:
        return self.data.select(self.roles.published)

    @property
    def not_quasi(self) -> tuple[str, ...]:
        return tuple(name for name in self.roles.published if name not in (*self.quasi, self.target))

    def take(self, rows: np.ndarray) -> TableDataset:
        return TableDataset(self.data.take(rows), self.roles.for_part(), self.left_out)


class BasketDataset(Dataset):
    """Baskets with their labels."""

    shape = "baskets"

    def __init__(self, baskets: Baskets):
        self.data, self.target = baskets, LABEL  # labels have no name of their own
        while self.target in baskets.names:
            self.target += "'"

    def checked(self) -> BasketDataset:
        self.data.check_for_release()
        return self

    @property
    def quasi(self) -> tuple[str, ...]:
        return self.data.names

    @property
    def persons(self) -> np.ndarray | None:
        return self.data.persons

    @cached_property
    def _label(self) -> Column:
        return label_column(self.target, self.data.label_values)

    @cached_property
    def table(self) -> Table:
        return item_table(self.data, self.target)

    @property
    def not_quasi(self) -> tuple[str, ...]:
        return ()

    def take(self, rows: np.ndarray) -> BasketDataset:
        return BasketDataset(self.data.take(rows))


# -- baskets as tables -------------------------------------------------------------------------------------------------


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
    return Table([*columns, label_column(target, baskets.label_values)])


def rows_with_items(rows: Any) -> Baskets:
    """Baskets as they are, or transactions: a file with a row per line, or lists of items."""
    return rows if isinstance(rows, Baskets) else Baskets.from_transactions(rows)


def keep_items(baskets: Baskets, names: Sequence[str]) -> Baskets:
    """The baskets with these items only, in this order."""
    place = {name: item for item, name in enumerate(baskets.names)}
    return baskets.keep([place[name] for name in names])


def label_column(name: str, labels: Iterable[object] | None) -> Column:
    """Labels as a column of categories, in the order of their texts."""
    if labels is None:
        raise DataError("Nothing can be learnt from rows without labels.")
    texts = [text_of(label) for label in np.asarray(labels).tolist()]
    classes = sorted(set(texts))
    place = {text: code for code, text in enumerate(classes)}
    return from_labels(name, classes, np.array([place[text] for text in texts], dtype=np.int32))


def is_matrix(data: object) -> bool:
    """Whether these are baskets or records, or a sparse or dense matrix of them: what comes without roles."""
    return isinstance(data, (ItemRows, Records, np.ndarray)) or hasattr(data, "tocsr")


def as_baskets(data: object, *, bare: bool = False) -> Baskets | None:
    """Baskets when the data are baskets, or with `bare` a matrix or lists; None when they are something else."""
    if isinstance(data, Baskets):
        return data
    if bare and (hasattr(data, "tocsr") or type(data).__module__ == "numpy" or isinstance(data, list)):
        return Baskets.of(data)
    return None


def rows_of(data: object) -> Table | Baskets:
    """Baskets as they are; any other frame, file or mapping as a table."""
    return data if isinstance(data, Baskets) else Table.of(data)
