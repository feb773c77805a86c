# SPDX-License-Identifier: Apache-2.0
"""The protocols do what they say: who sees which rows, and how an original row is read by who knows the release."""

from dataclasses import replace

import numpy as np
import pytest

from discreet import (
    Baskets,
    DataError,
    DeltaSketch,
    ExponentialSelector,
    GreedySelector,
    KActus2,
    KAdet,
    Mondrian,
    PrivateFwell,
    PrivateTable,
    RandomFlip,
    Table,
    TopDownSpecialization,
    TreeLadder,
)
from discreet.data.dataset import Dataset
from discreet.evaluate.folds import Folds
from discreet.evaluate.lessons import ModelLesson
from discreet.evaluate.protocols import as_published, held_out, original, read
from discreet.learning.cross_validation import cross_validate, kfold
from discreet.learning.naive_bayes import NaiveBayes
from discreet.recoding.labels import EVERYTHING, Meaning
from instances import DOMAIN, PERSON_ROLES, ROLES, baskets, people

TABLE_METHODS = [
    Mondrian(5, random_state=1),
    Mondrian(5, split="information", random_state=1),
    TreeLadder(5, random_state=1),
    KActus2(5, random_state=1),
    TopDownSpecialization(5, random_state=1),
    GreedySelector(5, random_state=1),
]


def split(source, seed=0):
    fold = Folds.of("4-fold", seed).split(source.labels, source.persons)[0]
    return source.take(fold.train), source.take(fold.test)


def covers(meaning: Meaning, value, named: set[str]) -> bool:
    """Whether a label stands for a value, by the definition of a meaning."""
    if value is None:
        return meaning.missing
    if meaning.interval is not None:
        return meaning.interval[0] <= value < meaning.interval[1]
    text = str(value)
    if meaning.but:
        return text not in meaning.texts
    return text in meaning.texts or (meaning.others and text not in named)


def read_slowly(release, rows: Table, name: str) -> list:
    """The narrowest published label of a column that covers each value, found by trying all."""
    (labelling,) = [one for one in release.plan.labellings if one.name == name]
    column = release.table.column(name)
    published = {*column.texts, *([None] if column.has_missing else [])}
    meaning_of = {}
    for label, meaning in zip(labelling.labels, labelling.meanings, strict=True):
        if label in published or (labelling.fallback == "0" and label == "1" and "1" in published):
            meaning_of[label] = meaning_of.get(label, meaning) | meaning
    tidied = replace(labelling, labels=tuple(meaning_of), meanings=tuple(meaning_of.values()))
    size = dict(zip(tidied.labels, tidied.sizes, strict=True))
    named = {text for meaning in meaning_of.values() for text in meaning.texts}
    found = []
    for value in rows.column(labelling.source).to_arrow().to_pylist():
        fitting = [label for label, meaning in meaning_of.items() if covers(meaning, value, named)]
        least = min((size[label] for label in fitting if meaning_of[label] != EVERYTHING), default=None)
        narrow = {label for label in fitting if size[label] == least} if least is not None else set(fitting)
        found.append(narrow or {labelling.fallback})
    return found


@pytest.mark.parametrize("method", TABLE_METHODS, ids=lambda method: f"{method.name}-{getattr(method, 'split', '')}")
def test_a_cell_is_read_as_the_narrowest_published_label_that_covers_it(method):
    train, test = split(Dataset.of(people(), ROLES))
    release = method.release(train.data, train.roles)
    tested = read(release, test.table)
    assert tested.names == release.columns
    for name in release.roles.quasi:
        written = [None if cell is None else str(cell) for cell in tested.column(name).to_arrow().to_pylist()]
        for cell, allowed in zip(written, read_slowly(release, test.table, name), strict=True):
            assert cell in allowed


def test_columns_that_are_not_recoded_are_read_as_they_are():
    train, test = split(Dataset.of(people(), ROLES))
    lesson = held_out(Mondrian(5).release(train.data, train.roles), train, test, "holdout")
    for name in ("ill", "stay", "again"):
        assert lesson.tested.column(name).equals(test.table.column(name))
    assert "name" not in lesson.learnt
    assert "hidden_column" not in lesson.tested


def test_recoded_rows_are_what_the_release_writes():
    train, test = split(Dataset.of(people(), ROLES))
    release = TreeLadder(5, trust=20).release(train.data, train.roles)
    lesson = held_out(release, train, test, "recoded")
    theirs = release.recode(test.table)
    assert all(lesson.tested.column(name).equals(theirs.column(name)) for name in theirs.names if name != "again")
    cellwise = held_out(release, train, test, "holdout").tested
    assert any(not cellwise.column(name).equals(theirs.column(name)) for name in release.roles.quasi)


def test_both_coincide_where_columns_are_kept():
    train, test = split(Dataset.of(people(), ROLES))
    release = GreedySelector(5).release(train.data, train.roles)
    mine, theirs = (held_out(release, train, test, protocol).tested for protocol in ("holdout", "recoded"))
    assert all(mine.column(name).texts == theirs.column(name).texts for name in mine.names)
    assert all(np.array_equal(mine.column(name).codes, theirs.column(name).codes) for name in mine.names)


def test_synthetic_rows_are_read_by_their_domain():
    train, test = split(Dataset.of(people(), ROLES))
    release = PrivateTable(5.0, DOMAIN).release(train.data, train.roles)
    mine, theirs = (held_out(release, train, test, protocol) for protocol in ("holdout", "recoded"))
    assert all(mine.tested.column(name).equals(theirs.tested.column(name)) for name in mine.tested.names)
    assert {text[0] for text in mine.tested.column("age").texts} <= {"<", "[", ">"}


def test_classes_of_test_rows_are_never_recoded():
    """A class that the synthetic rows lack stays what it is, and is simply not predicted."""
    table = Table.of(people()).with_columns([])
    domain = DOMAIN | {"again": {"values": ["no"], "missing": False}}
    train, test = split(Dataset.of(table, ROLES))
    release = PrivateTable(5.0, domain).release(train.data, train.roles)
    lesson = held_out(release, train, test, "holdout")
    assert lesson.tested.column("again").texts == ["no", "yes"]
    score = lesson.score("naive-bayes")
    assert score.accuracy == pytest.approx((test.labels == 0).mean())


def test_a_model_answers_by_itself():
    train, test = split(Dataset.of(people(), ROLES))
    method = KAdet(5)
    lesson = held_out(method.release(train.data, train.roles), train, test, "holdout")
    by_hand = method.fit(train.data, ROLES).score(test.table)
    assert lesson.score("c45").accuracy == lesson.score("logistic").accuracy == by_hand
    assert 0 <= lesson.score("c45").brier <= 1


def test_a_leaf_without_shares_says_its_class_for_certain():
    train, test = split(Dataset.of(people(), ROLES))
    lesson = held_out(KAdet(5).release(train.data, train.roles), train, test, "holdout")
    nodes = tuple(node | {"counts": None} if "class" in node else node for node in lesson.model.nodes)
    hidden = ModelLesson(lesson.learnt, lesson.tested, lesson.target, replace(lesson.model, nodes=nodes))
    shown, certain = lesson.score("c45"), hidden.score("c45")
    assert certain.accuracy == shown.accuracy
    assert certain.brier == pytest.approx(1 - certain.accuracy)


@pytest.mark.parametrize("method", [ExponentialSelector(50.0, 3), PrivateFwell(50.0, n_features=3)])
def test_of_released_names_the_selection_is_measured(method):
    X, y = baskets()
    train, test = split(Dataset.of(Baskets.of(X, y)))
    release = method.release(train.data, train.roles)
    lesson = held_out(release, train, test, "holdout")
    if release.shape == "names":
        names = list(release.document.content["names"])
    else:
        weights = dict(zip(release.columns, release.document.content["weights"], strict=True))
        names = sorted(weights, key=weights.get, reverse=True)[:3]
    assert set(lesson.learnt.names) == set(lesson.tested.names) == {*names, "label"}
    for name in names:
        assert lesson.learnt.column(name).equals(train.table.column(name))


def test_names_of_items_of_a_table_are_made_from_its_domain():
    public = {name: DOMAIN[name] for name in ROLES.quasi}
    train, test = split(Dataset.of(people(), ROLES))
    lesson = held_out(
        ExponentialSelector(50.0, 4, domain=public).release(train.data, train.roles), train, test, "holdout"
    )
    items = [name for name in lesson.learnt.names if name not in ("ill", "stay", "again")]
    assert len(items) == 4
    assert lesson.tested.names == lesson.learnt.names
    for name in items:
        column, _, value = name.partition("=")
        if column != "age":
            mine = [cell == "1" for cell in lesson.tested.column(name).to_arrow().to_pylist()]
            cells = test.table.column(column).to_arrow().to_pylist()
            assert mine == [(cell is None and value == "missing") or cell == value for cell in cells]


def test_sketches_of_test_rows_are_made_with_the_key():
    X, y = baskets()
    train, test = split(Dataset.of(Baskets.of(X, y)))
    release = DeltaSketch(0.3).release(train.data, train.roles)
    lesson = held_out(release, train, test, "holdout")
    assert lesson.tested.names == lesson.learnt.names
    assert len(lesson.tested) == len(test)
    assert 0 <= lesson.score("logistic").auc <= 1


def test_baskets_are_read_as_the_released_items():
    X, y = baskets()
    source = Dataset.of(Baskets.of(X, y, names=["label", *(f"i{j}" for j in range(13))]))
    assert source.target == "label'"
    train, test = split(source)
    release = GreedySelector(5).release(train.data, train.roles)
    for protocol in ("holdout", "recoded"):
        lesson = held_out(release, train, test, protocol)
        assert set(lesson.tested.names) == {*release.columns, "label'"}
        for name in release.columns:
            assert lesson.tested.column(name).equals(test.table.column(name))


def test_columns_that_nobody_can_read_are_named():
    train, test = split(Dataset.of(people(), ROLES))
    release = RandomFlip(5).release(train.data, train.roles)
    with pytest.raises(DataError, match="not say what they mean") as said:
        held_out(release, train, test, "holdout")
    assert "Rare-7731" not in str(said.value)
    with pytest.raises(DataError, match="cannot be recoded"):
        held_out(release, train, test, "recoded")


# -- as published ------------------------------------------------------------------------------------------------------


def test_as_published_is_cross_validation_on_the_release():
    source, folds = Dataset.of(people(), ROLES), Folds.of("2x3-fold", 5)
    release = Mondrian(5, random_state=2).release(source.data, source.roles)
    mine = [lesson.score("naive-bayes") for lesson in as_published(release, source, folds)]
    rows = release.table
    features = [name for name in rows.names if name != "again"]
    divided = kfold(len(rows), 3, 5, labels=rows.column("again").codes, repeats=2)
    assert tuple(mine) == cross_validate(NaiveBayes, rows, features, "again", divided).folds


def test_as_published_keeps_persons_whole():
    source = Dataset.of(people(), PERSON_ROLES)
    release = Mondrian(5).release(source.data, source.roles)
    marked = replace(release, content=release.table.with_columns(Table.of({"stay": release.owner.persons}).columns()))
    for lesson in as_published(marked, source, Folds.of("4-fold")):
        taught, tested = (set(table.column("stay").texts) for table in (lesson.learnt, lesson.tested))
        assert taught.isdisjoint(tested)
        assert taught | tested == set(Table.of({"stay": release.owner.persons}).column("stay").texts)


def test_as_published_a_model_is_asked_about_its_own_rows_and_names_about_theirs():
    source = Dataset.of(people(), ROLES)
    lessons = [*as_published(KAdet(5).release(source.data, source.roles), source, Folds.of("3-fold"))]
    assert sum(len(lesson.tested) for lesson in lessons) == len(source)
    assert all(isinstance(lesson, ModelLesson) for lesson in lessons)
    of_baskets = Dataset.of(Baskets.of(*baskets()))
    for method in (ExponentialSelector(5.0, 2), DeltaSketch(0.3), GreedySelector(5)):
        (first, *_) = as_published(method.release(of_baskets.data, of_baskets.roles), of_baskets, Folds.of("3-fold"))
        assert 0 <= first.score("naive-bayes").accuracy <= 1


def test_the_original_is_learnt_from_its_published_columns():
    train, test = split(Dataset.of(people(), ROLES))
    lesson = original(train, test)
    assert set(lesson.learnt.names) == set(ROLES.published)
    assert len(lesson.learnt) == len(train)
