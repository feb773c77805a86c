# SPDX-License-Identifier: Apache-2.0
"""Classifiers and scorers of scikit-learn in evaluations, judged as in scikit-learn."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import accuracy_score, f1_score, make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline

import discreet as ds
from discreet.evaluate.lessons import Lesson, ModelLesson, Questions
from discreet.evaluate.protocols import held_out
from discreet.learning.own_classifiers import OwnClassifier, checked_classifiers, checked_scorers
from old_or_young import ROLES, people, pipeline


def lesson(**options):
    return Lesson(ds.Table.of(people(seed=1, **options)), ds.Table.of(people(seed=2, **options)), "y")


def test_a_pipeline_gets_the_cells_and_scores_as_in_scikit_learn():
    train, test = people(seed=1), people(seed=2)
    model = pipeline().fit(train[["age", "sex"]], train["y"])
    found = lesson().score(OwnClassifier("mine", pipeline()))
    assert found.accuracy == accuracy_score(test["y"], model.predict(test[["age", "sex"]]))
    chances = model.predict_proba(test[["age", "sex"]])[:, 1]
    assert found.auc == pytest.approx(roc_auc_score(test["y"] == "yes", chances))
    assert found.brier == pytest.approx(((test["y"] == "yes") - chances).pow(2).mean())


def test_other_classifiers_get_numbers():
    found = lesson().score(OwnClassifier("mine", BernoulliNB()))
    assert found.accuracy > 0.7
    assert "one-hot" in OwnClassifier("mine", BernoulliNB()).reading
    search = GridSearchCV(pipeline(), {"logisticregression__C": [1, 2]}, cv=2)
    assert OwnClassifier("mine", search).takes_frames
    assert not OwnClassifier("mine", GridSearchCV(BernoulliNB(), {"alpha": [1]})).takes_frames


def test_a_classifier_without_probabilities_has_no_brier_score():
    found = lesson().score(OwnClassifier("mine", RidgeClassifier()))
    assert np.isnan(found.brier)
    assert found.auc > 0.7

    class Constant(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.repeat(self.classes_[:1], X.shape[0])

    blunt = lesson().score(OwnClassifier("mine", Constant()))
    assert np.isnan(blunt.auc)
    assert 0.3 < blunt.accuracy < 0.7


def test_the_classifier_that_was_passed_is_never_fitted_and_its_seed_is_set():
    forest = RandomForestClassifier(5)
    first, second = (lesson().score(OwnClassifier("mine", forest), random_state=3) for _ in range(2))
    assert first == second
    assert not hasattr(forest, "classes_")
    assert forest.random_state is None
    own = RandomForestClassifier(5, random_state=8)
    judged = OwnClassifier("mine", own).learnt(ds.Table.of(people()), ds.Table.of(people()), "y", 3)
    assert judged.model.random_state == 8


def test_scorers_agree_with_scikit_learn_for_every_kind_of_classifier():
    scorers = checked_scorers(
        {"auc again": "roc_auc", "f1": make_scorer(f1_score, pos_label="yes"), "loss": "neg_log_loss"}
    )
    for learner in ("c45", "naive-bayes", OwnClassifier("mine", pipeline())):
        (found,) = lesson().scores(learner, Questions(scorers=scorers))
        assert found.of("auc again") == pytest.approx(found.auc, abs=0.002)  # chances that round alike are ties
        assert 0 < found.of("f1") <= 1
        assert found.of("loss") < 0
    (guess,) = lesson().guesses(Questions(scorers=checked_scorers("balanced_accuracy") | scorers))
    assert guess.of("auc again") == 0.5
    assert guess.of("loss") == pytest.approx(-np.log(2), abs=0.05)


def test_labels_are_what_they_are_in_the_data():
    """Labels 0 and 1 are numbers to a scorer, so that `f1` knows the positive class."""
    found = lesson(labels=(0, 1)).scores("naive-bayes", Questions(scorers=checked_scorers("f1")))[0]
    assert found.of("f1") > 0.5
    seen = []

    def spy(model, rows, labels):
        kinds = (array.dtype.kind for array in (model.classes_, labels, model.predict(rows)))
        seen.append((*kinds, len(rows) == len(labels)))
        return 1.0

    for learner in ("c45", OwnClassifier("mine", pipeline())):
        lesson(labels=(0, 1)).scores(learner, Questions(scorers={"spy": spy}))
    assert set(seen) == {("i", "i", "i", True)}


def test_a_published_model_is_scored_too():
    train, test = ds.Dataset.of(people(seed=1), ROLES), ds.Dataset.of(people(seed=2), ROLES)
    release = ds.KAdet(k=5).release(train)
    asked = held_out(release, train, test, "holdout")
    assert isinstance(asked, ModelLesson)
    (found,) = asked.scores("c45", Questions(scorers=checked_scorers("roc_auc")))
    assert found.of("roc_auc") == pytest.approx(found.auc)


def test_parts_of_the_test_rows_are_judged_by_one_model():
    whole = lesson()
    halves = (np.arange(60), np.arange(60, 120))
    for learner in ("naive-bayes", OwnClassifier("mine", pipeline()), OwnClassifier("other", BernoulliNB())):
        first, second = whole.scores(learner, Questions(parts=halves))
        assert whole.score(learner).accuracy == pytest.approx((first.accuracy + second.accuracy) / 2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([], "must be among"),
        ("c54", "Did you mean 'c45'"),
        ([LinearRegression()], "Got a LinearRegression"),
        ([LogisticRegression], "make an instance"),
        ([3], "Got a int"),
    ],
)
def test_wrong_classifiers(wrong, message):
    with pytest.raises(ds.ParameterError, match=message):
        checked_classifiers(wrong)


def test_names_of_classifiers_do_not_clash():
    named = checked_classifiers([BernoulliNB(), BernoulliNB(), "c45", pipeline()])
    assert list(named) == ["BernoulliNB", "BernoulliNB (2)", "c45", "LogisticRegression"]
    assert checked_classifiers({"bayes": "naive-bayes"}) == {"bayes": "naive-bayes"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [("f2", "names no scorer"), (3, "not iterable"), ([3], "Got a int"), ({"auc": "f1"}, "always measured")],
)
def test_wrong_scorers(wrong, message):
    with pytest.raises((ds.ParameterError, TypeError), match=message):
        checked_scorers(wrong)


def test_what_fails_inside_quotes_no_cell():
    """scikit-learn's messages quote cells and classes; ours name the classifier or the scorer."""
    alone = make_pipeline(LogisticRegression())  # meets texts
    with pytest.raises(ds.DataError, match=r"'mine' could not learn from the rows \(ValueError\)") as caught:
        lesson().score(OwnClassifier("mine", alone))
    assert caught.value.__context__ is None
    with pytest.raises(ds.DataError, match=r"scorer 'f1' failed.*pos_label") as caught:
        lesson().scores("c45", Questions(scorers=checked_scorers("f1")))
    assert "yes" not in str(caught.value)
