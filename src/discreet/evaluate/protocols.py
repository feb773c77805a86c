# SPDX-License-Identifier: Apache-2.0
"""Three ways to measure what a release is worth to someone who learns a classifier from it.

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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from discreet.data.baskets import Baskets
from discreet.data.column import text_of
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.evaluate.folds import Folds
from discreet.evaluate.source import Source, item_table, number_table
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.learning.cross_validation import Score, score, score_on
from discreet.learning.published_tree import PublishedTree
from discreet.methods.noise.private_select import items_of
from discreet.methods.noise.weighting import heaviest
from discreet.recoding.patterns import EachColumn, recoded
from discreet.recoding.public_domain import Domain
from discreet.release.release import Release
from discreet.sketching.mining.ragged import as_matrix
from discreet.sketching.sketches import sketch

Protocol = Literal["holdout", "recoded", "as-published"]
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)


@dataclass(frozen=True, eq=False)
class Lesson:
    """A table to learn from and a table to be asked about, with the same columns. A model has learnt already."""

    learnt: Table
    asked: Table
    target: str
    model: PublishedTree | None = None

    def score(self, classifier: str, random_state: int = 0) -> Score:
        """How well the classifier of that name answers; a model answers in its place."""
        if self.model is not None:
            return _score_of_model(self.model, self.asked, self.target)
        learner = CLASSIFIERS[classifier](random_state=random_state)
        features = [name for name in self.learnt.names if name != self.target]
        learner.fit(examples_for(learner, self.learnt, features, self.target))
        return score_on(learner, self.asked, self.target)


def original(train: Source, test: Source) -> Lesson:
    """What there was to learn before anything was released."""
    return Lesson(train.table, test.table, train.target)


def held_out(release: Release, train: Source, test: Source, protocol: Protocol) -> Lesson:
    """What is learnt from the release of the training rows, and the test rows as its recipient reads them.

    `protocol` is "holdout" or "recoded". DataError where rows cannot be brought to the form of the release.
    """
    target = train.target
    if release.document is not None:
        if release.shape == "model":
            return Lesson(train.table, test.table, target, PublishedTree.of(release.document))
        return Lesson(_selected(release, train), _selected(release, test), target)
    if release.sketches is not None:
        assert release.signs is not None
        assert isinstance(test.data, Baskets)
        sketched = sketch(test.data, release.signs, int(release.sketches.counts.max()))
        labels = test.data.classes[test.data.labels]  # type: ignore[index]
        return Lesson(_rows(release, target), number_table(as_matrix(sketched), labels, target), target)
    if release.baskets is not None:
        assert isinstance(test.data, Baskets)
        kept = _kept(test.data, release.baskets.names)
        return Lesson(_rows(release, target), item_table(kept, target), target)
    known = protocol == "recoded" or isinstance(release.plan, Domain)
    asked = release.recode(test.table) if known else read(release, test.table)
    return Lesson(_rows(release, target), asked.with_columns([test.table.column(target)]), target)


def as_published(release: Release, source: Source, folds: Folds) -> Iterator[Lesson]:
    """The folds of the released rows, one lesson each; where no rows are released, of the rows behind them."""
    model, persons = None, release.persons
    if release.document is None:
        rows = _rows(release, source.target)
    elif release.shape == "model":
        rows, persons, model = source.table, source.persons, PublishedTree.of(release.document)
    else:
        rows, persons = _selected(release, source), source.persons
    for fold in folds.split(rows.column(source.target).codes, persons):
        yield Lesson(rows.take(fold.train), rows.take(fold.test), source.target, model)


def read(release: Release, rows: Table) -> Table:
    """Original rows as someone reads them who knows the released rows and what their labels mean, and no more.

    Each cell by itself: the published label of its column that covers least of those that cover the value. Columns
    without labels of their own are read as they are.
    """
    assert release.table is not None
    labellings = () if release.plan is None else release.plan.labellings
    known = tuple(labelling for labelling in labellings if labelling.name in release.table)
    strange = [name for name in release.columns if name not in rows and name not in {one.name for one in known}]
    if strange:
        raise DataError(
            f"The release by {release.method!r} has {len(strange)} columns that the original rows have not, and it does"
            " not say what they mean. No classifier that learnt from it can be asked about such rows."
        )
    return recoded(EachColumn(known).within(release.table), rows, release.columns)


# -- shapes of releases --------------------------------------------------------------------------------------------


def _rows(release: Release, target: str) -> Table:
    """The released rows as classifiers see them."""
    if release.baskets is not None:
        return item_table(release.baskets, target)
    if release.sketches is not None:
        return number_table(as_matrix(release.sketches), release.labels, target)
    assert release.table is not None
    return release.table


def _selected(release: Release, source: Source) -> Table:
    """The original rows in the columns that a document names, beside those that are no quasi-identifiers."""
    assert release.document is not None
    said = release.document.content
    if release.shape not in ("names", "weights"):
        raise DataError(f"A release of {release.shape} says nothing of rows by itself: no accuracy can be measured.")
    if release.shape == "names":
        names: Sequence[str] = said["names"]
    else:
        places = heaviest(np.array(said["weights"]), release.parameters.get("n_features"))
        names = [release.columns[place] for place in places]
    if isinstance(source.data, Baskets):
        return item_table(_kept(source.data, names), source.target)
    assert source.roles is not None
    plain = source.table.select([name for name in source.roles.published if name not in source.roles.quasi])
    if all(name in source.table for name in names):
        return plain.with_columns(source.table.columns(names))
    domain = Domain.of(release.parameters["domain"], Roles(quasi=source.roles.quasi))
    levels = Table([column for columns in domain.apply(source.data).values() for column in columns])
    items = item_table(_kept(items_of(domain).apply(levels), names).labelled(source.labels), source.target)
    return plain.with_columns([items.column(name) for name in names])


def _kept(baskets: Baskets, names: Sequence[str]) -> Baskets:
    place = {name: item for item, name in enumerate(baskets.names)}
    return baskets.keep([place[name] for name in names])


def _score_of_model(model: PublishedTree, asked: Table, target: str) -> Score:
    """Of a released model; a leaf that shows no shares says its class for certain."""
    label = asked.column(target)
    said = [text_of(label) for label in model.classes]
    classes = sorted({*said, *label.texts})
    place = {text: c for c, text in enumerate(classes)}
    shares = model.predict_proba(asked)
    hidden = np.flatnonzero(np.isnan(shares).any(axis=1))
    answers = [text_of(answer) for answer in model.predict(asked).tolist()]
    proba = np.zeros((len(asked), len(classes)))
    proba[:, [place[text] for text in said]] = np.nan_to_num(shares)
    proba[hidden, [place[answers[row]] for row in hidden]] = 1.0
    return score(np.array([place[text] for text in label.texts], dtype=np.int64)[label.codes], proba)
