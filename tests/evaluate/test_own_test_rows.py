# SPDX-License-Identifier: Apache-2.0
"""Test rows of one's own: all rows of the data teach, nothing of the test rows does."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score

import discreet as ds
from discreet.data.baskets import Baskets
from discreet.data.dataset import Dataset
from discreet.evaluate.own_test_rows import OwnTestRows, read_own_rows
from old_or_young import ROLES, people, pipeline


def test_one_release_of_all_rows_is_tested_on_the_rows_that_were_held_out():
    train, test = people(seed=1), people(80, seed=2)
    method = ds.Mondrian(k=5, random_state=1)
    found = ds.evaluate_utility(method, train, ROLES, test=test, classifiers={"mine": pipeline()}, protocol="recoded")
    release = method.release(train, ROLES)
    published = release.to_pandas()
    model = pipeline().fit(published[["age", "sex"]], published["y"])
    expected = accuracy_score(test["y"], model.predict(release.recode(test)[["age", "sex"]]))
    assert found.mean("mondrian(k=5)", "mine").value == pytest.approx(expected)  # ten parts of eight rows each
    assert found.n_test == 80
    assert len(found.folds) == 10
    assert "own test rows" in found.heading()
    assert "Student's t-test over 10 parts" in found.heading()
    assert found.to_dict()["test_rows"] == 80
    share = found.mean("mondrian(k=5)", "mine")
    assert share.low < share.value < share.high


def test_nothing_of_the_test_rows_is_learnt():
    """With other classes and other values in the test rows, what is said of the others stays the same."""
    train, test = people(seed=1), people(40, seed=2)
    seen = []

    def spy(model, rows, labels):
        seen.append(model.predict_proba(rows))
        return 0.0

    def answers(rows):
        seen.clear()
        options = {"classifiers": {"mine": pipeline()}, "scoring": {"spy": spy}, "random_state": 4}
        ds.evaluate_utility(ds.Mondrian(k=5, random_state=1), train, ROLES, test=rows, **options)
        return np.concatenate(seen)

    first = answers(test)
    odd = pd.DataFrame({"age": [900] * 10, "sex": ["x"] * 10, "y": ["maybe"] * 10})
    assert not Counter(map(tuple, first)) - Counter(map(tuple, answers(pd.concat([test, odd]))))
    swapped = test.assign(y=test["y"].map({"no": "yes", "yes": "no"}))
    assert sorted(map(tuple, answers(swapped))) == sorted(map(tuple, first))  # other labels, the same answers


def test_texts_are_read_in_the_notation_of_the_data():
    """By itself, a test row with 1.023 would be read as about one, where the data write about a thousand so."""
    roles = ds.Roles(target="y", quasi=["pay", "day"])
    data = {"pay": ["1.023,5", "2.500,25"], "day": ["25/03/2020", "26/03/2020"], "y": ["no", "yes"]}
    dataset = Dataset.unchecked(data, roles)
    rows = read_own_rows({"pay": ["1.023", "2.500"], "day": ["03/04/2020", "04/04/2020"], "y": ["no", "yes"]}, dataset)
    assert rows.data.column("pay").to_arrow().to_pylist() == [1023, 2500]
    assert [str(day) for day in rows.data.column("day").to_arrow().to_pylist()] == ["2020-04-03", "2020-04-04"]
    with pytest.raises(ds.DataError, match="pay"):
        read_own_rows({"pay": ["1,023.5"], "day": ["03/04/2020"], "y": ["no"]}, dataset)


def test_generators_and_threads_give_the_same_figures():
    train, test = people(seed=1), people(40, seed=2)
    method = ds.Mondrian(k=5, random_state=np.random.RandomState(1))
    options = {"test": test, "classifiers": "naive-bayes"}
    one = ds.evaluate_utility(method, train, ROLES, random_state=np.random.default_rng(2), **options)
    method = ds.Mondrian(k=5, random_state=np.random.RandomState(1))
    two = ds.evaluate_utility(method, train, ROLES, random_state=np.random.default_rng(2), n_jobs=2, **options)
    assert one.to_dict() == two.to_dict()


def test_baskets():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (90, 6))
    train = Baskets.of(X[:60], X[:60, 0], names="abcdef")
    test = Baskets.of(X[60:, ::-1], X[60:, 0], names="fedcba")
    found = ds.evaluate_utility(ds.GreedySelector(k=3), train, test=test, classifiers="naive-bayes")
    assert found.mean("original", "naive-bayes").value > 0.9
    with pytest.raises(ds.DataError, match="lack 1 items"):
        ds.evaluate_utility(ds.GreedySelector(k=3), train, test=test.keep([0, 1, 2, 3, 4]), classifiers="naive-bayes")


def test_scores_are_kept_by_what_was_asked(tmp_path):
    train, test = people(60, seed=1), people(40, seed=2)
    method = ds.Mondrian(k=5, random_state=1)
    options = {"classifiers": {"a": "naive-bayes", "mine": pipeline()}, "cache": tmp_path / "cache"}
    first = ds.evaluate_utility(method, train, ROLES, test=test, **options)
    assert ds.evaluate_utility(method, train, ROLES, test=test, **options).to_dict() == first.to_dict()
    other = ds.evaluate_utility(method, train, ROLES, test=people(40, seed=3), **options)
    assert other.to_dict() != first.to_dict()
    renamed = options | {"classifiers": {"a": "c45"}}  # another classifier under the same name
    found = ds.evaluate_utility(method, train, ROLES, test=test, **renamed)
    fresh = ds.evaluate_utility(method, train, ROLES, test=test, classifiers={"a": "c45"})
    assert found.to_dict() == fresh.to_dict()


@pytest.mark.parametrize(
    ("test", "message"),
    [
        (people(20).drop(columns="sex"), "lack 1 columns of the data: 'sex'"),
        (people(20).assign(y=None), "20 of 20 do not"),
        (people(20).assign(age="old"), "'age' was declared a number"),
        (people(1), "two persons at least"),
    ],
)
def test_wrong_test_rows(test, message):
    with pytest.raises(ds.DataError, match=message):
        ds.evaluate_utility(ds.Mondrian(k=5), people(60), ROLES, test=test, classifiers="naive-bayes")


def test_wrong_protocols_and_measures():
    with pytest.raises(ds.ParameterError, match="'as-published' tests on released rows"):
        ds.evaluate_utility(ds.Mondrian(k=5), people(60), ROLES, test=people(20), protocol="as-published")
    found = ds.evaluate_utility(
        ds.Mondrian(k=5), people(60), ROLES, folds="2-fold", classifiers="naive-bayes", scoring="f1_macro"
    )
    assert found.measures[-1] == "f1_macro"
    assert "f1_macro" in found.table()
    assert found.best_classifier("original", "f1_macro") == "naive-bayes"
    assert found.to_pandas()["f1_macro"].notna().all()
    with pytest.raises(ds.DataError, match="no measure 'f1'"):
        found.mean("original", "naive-bayes", "f1")


def test_persons_stay_together():
    frame = people(60).assign(who=np.repeat(np.arange(20), 3))
    roles = ds.Roles(target="y", quasi=["age", "sex"], person="who")
    test = ds.Dataset.unchecked(frame, roles)
    rows = OwnTestRows.of(test, 1)
    assert sorted(np.concatenate(rows.parts).tolist()) == list(range(60))
    for part in rows.parts:
        assert len(part) == 3 * len(set(frame["who"].iloc[part]))
