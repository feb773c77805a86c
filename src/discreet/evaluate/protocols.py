# SPDX-License-Identifier: Apache-2.0
"""Three protocols for measuring how useful a release is for training a classifier.

holdout       The method sees the training rows only. The classifier learns from their release and is asked about the
              other rows as they are. It reads them cell by cell: a value as the narrowest published label of its column
              that covers it, by the published meanings of the labels, which needs no knowledge of how rows were
              divided; a value that no label covers as a category that it never met. The honest one.
recoded       The same, but the other rows pass through the recoding of the release, record by record: a row is written
              as the group that it would have been put into.
as-published  The method sees all rows. Classifiers are cross-validated on the released rows. A method that is guided by
              the labels has then seen those of the test rows: this flatters it, the more the fewer rows there are.

Releases that are no recoded rows:

baskets    `holdout` and `recoded` are one: of a test row the released items are kept.
synthetic  rows likewise: values and intervals of the public domain.
sketches   likewise: test rows are sketched with the owner's key, which nobody else can do.
names      of columns, and weights (the largest ones, as `n_features` says): classifiers learn from the original
           training rows in these columns. Nobody was given such rows; what is measured is the selection.
model      answers by itself. As published it is asked about rows that it was made from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, get_args

import numpy as np
import pyarrow as pa

from discreet.data.column import encode
from discreet.data.dataset import Dataset, item_table, keep_items, label_column
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.evaluate.folds import Folds
from discreet.evaluate.lessons import BasketLesson, Lesson, ModelLesson
from discreet.evaluate.original_lesson import OriginalLesson
from discreet.methods import heaviest
from discreet.recoding.patterns import EachColumn, recoded
from discreet.recoding.public_domain import Domain
from discreet.recoding.published_tree import PublishedTree
from discreet.release.release import Release
from discreet.sketching.sketches import Sketches, sketch

Protocol = Literal["holdout", "recoded", "as-published"]
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)


def original(train: Dataset, test: Dataset) -> Lesson:
    """What there was to learn before anything was released, prepared as well as a release (original_lesson.py)."""
    return _ORIGINALS[train.shape](train, test)


def unlearnt(train: Dataset, test: Dataset) -> Lesson:
    """Rows whose classes are to be guessed."""
    return _ORIGINALS[train.shape](train, test)


def without_quasi(train: Dataset, test: Dataset) -> Lesson:
    """What the published columns teach that are no quasi-identifiers; there are some."""
    names = [*train.not_quasi, train.target]
    return OriginalLesson(train.table.select(names), test.table.select(names), train.target)


def held_out(release: Release, train: Dataset, test: Dataset, protocol: Protocol) -> Lesson:
    """What is learnt from the release of the training rows, and the test rows as its recipient reads them.

    `protocol` is "holdout" or "recoded". DataError where rows cannot be brought to the form of the release.
    """
    return _form_of(release).lesson(train, test, protocol)


def as_published(release: Release, dataset: Dataset, folds: Folds) -> Iterator[Lesson]:
    """The folds of the released rows, one lesson each; where no rows are released, of the rows behind them."""
    form = _form_of(release)
    rows, persons = form.rows(dataset)
    for fold in folds.split(rows.column(dataset.target).codes, persons):
        yield form.of_rows(rows.take(fold.train), rows.take(fold.test), dataset.target)


def read(release: Release, rows: Table) -> Table:
    """Original rows as someone reads them who knows the released rows and what their labels mean, and no more.

    Each cell by itself: the published label of its column that covers least of those that cover the value. Columns
    without labels of their own are read as they are.
    """
    labellings = () if release.plan is None else release.plan.labellings
    published = tuple(labelling for labelling in labellings if labelling.name in release.columns)
    unknown = [name for name in release.columns if name not in rows and name not in {one.name for one in published}]
    if unknown:
        raise DataError(
            f"The release by {release.method!r} has {len(unknown)} columns that the original rows have not, and it does"
            " not say what they mean. A classifier that learnt from it cannot be tested on such rows."
        )
    return recoded(EachColumn(published).within(release.table), rows, release.columns)


# -- the form of a release: what is learnt from it, and how rows are brought to it ------------------------------------


class _Form:
    """A release of recoded or synthetic rows; other shapes differ from it."""

    def __init__(self, release: Release):
        self.release = release

    def lesson(self, train: Dataset, test: Dataset, protocol: Protocol) -> Lesson:
        """The lesson of the release of the training rows."""
        return self.of_rows(self.rows(train)[0], self.tested(test, protocol), train.target)

    def rows(self, dataset: Dataset) -> tuple[Table, np.ndarray | None]:
        """The rows to learn from, as classifiers see them, and whose they are."""
        return self.release.table, self.release.owner.persons

    def tested(self, test: Dataset, protocol: Protocol) -> Table:
        """Test rows in the form of those to learn from."""
        recodable = protocol == "recoded" or isinstance(self.release.plan, Domain)
        written = self.release.recode(test.table) if recodable else read(self.release, test.table)
        return written.with_columns([test.table.column(test.target)])

    def of_rows(self, learnt: Table, tested: Table, target: str) -> Lesson:
        return Lesson(learnt, tested, target)


class _Items(_Form):
    """Released baskets."""

    def lesson(self, train: Dataset, test: Dataset, protocol: Protocol) -> Lesson:
        grouped = self.release.groups
        selected = keep_items(test.data, self.release.columns) if grouped is None else grouped.apply(test.data)
        return BasketLesson(self.release.baskets, selected, train.target)

    def rows(self, dataset: Dataset) -> tuple[Table, np.ndarray | None]:
        return item_table(self.release.baskets, dataset.target), self.release.owner.persons


class _Components(_Form):
    """Released sketches."""

    def rows(self, dataset: Dataset) -> tuple[Table, np.ndarray | None]:
        return _component_table(self.release.sketches, self.release.labels, dataset.target), self.release.owner.persons

    def tested(self, test: Dataset, protocol: Protocol) -> Table:
        most = int(self.release.sketches.counts.max())
        sketched = sketch(test.data, self.release.owner.signs, most)  # type: ignore[arg-type]
        return _component_table(sketched, test.data.label_values, test.target)


class _Selection(_Form):
    """Released names or weights of columns: the original rows in the columns selected."""

    def rows(self, dataset: Dataset) -> tuple[Table, np.ndarray | None]:
        return _SELECTED[dataset.shape](dataset, self._names, self.release), dataset.persons

    def tested(self, test: Dataset, protocol: Protocol) -> Table:
        return self.rows(test)[0]

    @property
    def _names(self) -> Sequence[str]:
        return self.release.document.content["names"]


class _Weights(_Selection):
    @property
    def _names(self) -> Sequence[str]:
        weights = np.array(self.release.document.content["weights"])
        return [self.release.columns[place] for place in heaviest(weights, self.release.parameters.get("n_features"))]


class _Model(_Form):
    """A released model, which is asked about rows as they are."""

    def rows(self, dataset: Dataset) -> tuple[Table, np.ndarray | None]:
        return dataset.table, dataset.persons

    def tested(self, test: Dataset, protocol: Protocol) -> Table:
        return test.table

    def of_rows(self, learnt: Table, tested: Table, target: str) -> Lesson:
        return ModelLesson(learnt, tested, target, PublishedTree.of(self.release.document))


_FORMS: dict[str, type[_Form]] = {
    "table": _Form,
    "baskets": _Items,
    "sketches": _Components,
    "names": _Selection,
    "weights": _Weights,
    "model": _Model,
}


def _form_of(release: Release) -> _Form:
    if release.shape not in _FORMS:
        raise DataError(NOTHING_OF_ROWS.format(release.shape))
    return _FORMS[release.shape](release)


NOTHING_OF_ROWS = "A release of {} says nothing of rows by itself: no accuracy can be measured."


# -- the shape of the original rows ------------------------------------------------------------------------------------


def _selected_columns(dataset: Dataset, names: Sequence[str], release: Release) -> Table:
    """Columns of a table, or items made of their values, beside those that are no quasi-identifiers."""
    plain = dataset.table.select([name for name in dataset.table.names if name not in dataset.quasi])
    if all(name in dataset.table for name in names):
        return plain.with_columns(dataset.table.columns(names))
    domain = Domain.of(release.parameters["domain"], Roles(quasi=dataset.quasi))
    levels = Table([column for columns in domain.apply(dataset.data).values() for column in columns])
    items = item_table(keep_items(domain.items.apply(levels), names).labelled(dataset.labels), dataset.target)
    return plain.with_columns([items.column(name) for name in names])


def _selected_items(dataset: Dataset, names: Sequence[str], release: Release) -> Table:
    return item_table(keep_items(dataset.data, names), dataset.target)


_SELECTED = {"table": _selected_columns, "baskets": _selected_items}
_ORIGINALS: dict[str, Callable[[Dataset, Dataset], Lesson]] = {
    "table": lambda train, test: OriginalLesson(train.table, test.table, train.target),
    "baskets": lambda train, test: BasketLesson(train.data, test.data, train.target),
}


def _component_table(sketches: Sketches, labels: np.ndarray | None, target: str) -> Table:
    """Sketches as classifiers see them: columns of numbers, missing where a sketch has no such component."""
    from discreet.sketching.mining.ragged import as_matrix

    matrix = as_matrix(sketches)
    columns = [encode(f"component {j}", pa.array(column, from_pandas=True)) for j, column in enumerate(matrix.T)]
    return Table([*columns, label_column(target, labels)])
