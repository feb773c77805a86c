# SPDX-License-Identifier: Apache-2.0
"""Published content: a table, baskets, sketches or a document, each of which knows its columns and its file.

Release, certificate, verification and reports use this interface and never test which of the four it is. The shape is
its name in a certificate: "table", "baskets", "sketches", and for a document "model", "names" or "weights".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from discreet.data.column import Column
from discreet.errors import DataError

if TYPE_CHECKING:
    from discreet.data.roles import Roles

LABEL = "label"  # column of labels in published baskets and sketches


class PublishedColumn(NamedTuple):
    """A column as certificates state it; `sensitive` is set only for a target that is sensitive, too."""

    name: str
    role: str
    kind: str
    sensitive: bool = False


File = Path | BinaryIO  # a path, or an open file
Columns = Sequence[PublishedColumn]
LABELS = PublishedColumn(LABEL, "target", "category")


def columns_with_roles(kinds: Mapping[str, str], roles: Roles | None) -> tuple[PublishedColumn, ...]:
    """The columns of a table as certificates state them; `kinds` are those of its columns."""
    assert roles is not None
    role: dict[str | None, str] = {roles.target: "target"}
    for name in ("other", "sensitive", "quasi"):
        role = {**dict.fromkeys(getattr(roles, name), name), **role}
    both = {roles.target}.intersection(roles.sensitive)
    return tuple(PublishedColumn(name, role[name], kind, name in both) for name, kind in kinds.items())


class Content(ABC):
    """Base of everything that can be published.

    has_rows       whether it has rows; a document has none
    has_cells      whether its rows have quasi-identifier cells, which can be grouped and counted
    is_stored      whether its rows lie in files and are only read in blocks (stored_table.py)
    not_recodable  why new rows cannot be recoded to its form; empty if they can
    lists          columns of its Parquet file that hold lists
    """

    has_rows: ClassVar[bool] = True
    has_cells: ClassVar[bool] = False
    is_stored: ClassVar[bool] = False
    not_recodable: ClassVar[str] = ""
    lists: ClassVar[tuple[str, ...]] = ()

    if TYPE_CHECKING:  # a field of some contents, a property of others

        @property
        def names(self) -> tuple[str, ...]:
            """The published columns; for baskets, the items."""

    # -- what it is ------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def shape_name(self) -> str:
        """The name of its shape in certificates."""

    @property
    @abstractmethod
    def data(self) -> Any:
        """The data in the form that users work with: a frame, a matrix, a dictionary, sketches."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """The number of published rows; 0 for a document."""

    @property
    def label_values(self) -> np.ndarray | None:
        """The label of each row, if labels are published beside the rows."""
        return None

    @property
    def stated_noise(self) -> Any:
        """The noise that the content itself states, if any."""
        return None

    def to_arrow(self) -> pa.Table:
        """The published rows as an Arrow table, where they are one."""
        raise DataError(f"A release of {self.shape_name} is no table of rows. See `data`.")

    @abstractmethod
    def equals(self, other: Content) -> bool:
        """Whether the other content is the same, cell by cell."""

    # -- columns ---------------------------------------------------------------------------------------------------

    @abstractmethod
    def published_columns(self, roles: Roles | None) -> tuple[PublishedColumn, ...]:
        """The columns as a certificate states them."""

    @classmethod
    def fits(cls, columns: Columns) -> bool:
        """Whether content of this type may have these columns."""
        names = [column.name for column in columns]
        targets = [column for column in columns if column.role == "target"]
        odd = any(column.sensitive and column.role != "target" for column in columns)
        return len(set(names)) == len(names) and len(targets) <= 1 and not odd

    def value_columns(self, names: Sequence[str]) -> list[Column]:
        """The different values of these columns of a table, one row each; other contents have no columns of cells."""
        return []

    # -- counting --------------------------------------------------------------------------------------------------

    def with_persons(self, persons: Any, roles: Roles | None) -> tuple[Content, Roles | None]:
        """Content and roles with which promises count these persons."""
        return self, roles

    def quasi_codes(self, quasi: Sequence[str]) -> tuple[list[np.ndarray], list[int]]:
        """Arrays of codes of the quasi-identifiers, and the number of codes of each array.

        Rows have equal quasi-identifiers if and only if they have equal codes.
        """
        raise self._no_cells()

    def rows_of_items(self) -> Iterator[np.ndarray] | None:
        """The rows that have each 0/1 item, item by item, where rows are kept so; None where they have cells."""
        return None

    def class_codes(self) -> tuple[str | None, dict[str, np.ndarray]]:
        """The name of the labels of baskets, and the label of each row by that name."""
        raise self._no_cells()

    def n_items(self, quasi: Sequence[str]) -> int:
        """The number of quasi-identifiers if all of them are 0/1 items, else 0."""
        return 0

    def text_size(self) -> int:
        """Bytes of the texts of all cells."""
        return 0

    def _no_cells(self) -> DataError:
        return DataError(f"A release of {self.shape_name} has no cells that could be counted.")

    # -- files -----------------------------------------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def file_names(cls, shape: str) -> tuple[str, ...]:
        """The possible names of its file in a release of this shape."""

    def file_name(self, format: str) -> str:
        """The name of its file in this format, or in its only format."""
        allowed = self.file_names(self.shape_name)
        return next((name for name in allowed if name.endswith(f".{format}")), allowed[-1])

    @abstractmethod
    def write(self, target: File, format: str = "parquet") -> None:
        """Write the published file; `format` matters for tables only."""

    @classmethod
    @abstractmethod
    def read(cls, source: File, columns: Columns = (), *, shape: str = "", rows: int | None = None) -> Content:
        """Read a published file; DataError unless it has these columns and, if set, this number of rows, which are
        compared before cells are read.
        """


class LabelledRows(Content):
    """Labelled rows in a Parquet file, the common base of baskets and sketches."""

    if TYPE_CHECKING:

        @property
        def labels(self) -> np.ndarray | None:
            """Index of each row's label in `classes`."""

        @property
        def classes(self) -> np.ndarray | None: ...

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    def n_rows(self) -> int:
        return len(self)

    @property
    def label_values(self) -> np.ndarray | None:
        return None if self.labels is None or self.classes is None else self.classes[self.labels]

    @property
    def label_texts(self) -> pa.Array | None:
        """Labels as they are written to files."""
        if self.labels is None or self.classes is None:
            return None
        return pa.array([str(label) for label in self.classes.tolist()], pa.string()).take(pa.array(self.labels))

    @classmethod
    def file_names(cls, shape: str) -> tuple[str, ...]:
        return ("data.parquet",)
