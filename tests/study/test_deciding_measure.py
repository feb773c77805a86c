# SPDX-License-Identifier: Apache-2.0
"""Which measure decides where the recipe leaves it open: accuracy, unless it tells releases hardly apart."""

from types import SimpleNamespace

import pytest

from discreet import Roles, Table
from discreet.data.dataset import Dataset
from discreet.study import deciding_measure, recipe_from
from discreet.study.deciding_measure import decided

RECIPE = 'format = 1\n[roles]\ntarget = "ill"\nquasi = ["age"]\n'
EVEN = ["no"] * 50 + ["yes"] * 50


@pytest.fixture
def measure(monkeypatch):
    """The measure that decides among releases, each given by its least gains over guessing by accuracy and AUC."""

    def candidates(results, recipe, original):
        assert original["guess"] == {"accuracy": original["guess"], "auc": 0.5}[recipe.evaluation.measure]
        gains = [result[recipe.evaluation.measure] for result in results.values()]
        return [SimpleNamespace(measures={} if gain is None else {"above_guessing": gain}) for gain in gains]

    monkeypatch.setattr(deciding_measure, "candidates_of", candidates)

    def found(*gains, labels=EVEN, recipe=RECIPE):
        results = {str(j): {"accuracy": a, "auc": b} for j, (a, b) in enumerate(gains)}
        table = Table.of({"age": [*range(len(labels))], "ill": labels})
        parsed, why = decided(recipe_from(recipe), results, Dataset.of(table, Roles(target="ill", quasi="age")))
        return parsed.evaluation.measure, why

    return found


def test_accuracy_decides_where_it_tells_something(measure):
    assert measure((0.05, 0.1)) == ("accuracy", "")
    assert measure((0.05, 0.1), (-0.01, 0.1)) == ("accuracy", "")
    assert measure() == ("accuracy", "")


@pytest.mark.parametrize(("rare", "decides"), [(20, "auc"), (21, "accuracy")])
def test_where_four_fifths_are_of_one_class_auc_decides(rare, decides, measure):
    """To say the common class of everybody is as right as most classifiers are."""
    assert measure((0.05, 0.1), labels=["yes"] * rare + ["no"] * (100 - rare))[0] == decides


def test_where_no_release_is_better_than_guessing_by_accuracy_auc_decides(measure):
    why = "by accuracy no release is better than guessing by more than noise"
    assert measure((-0.01, 0.1), (0.0, -0.01)) == ("auc", why)


def test_auc_does_not_decide_where_it_tells_no_more(measure):
    assert measure((-0.01, 0.0), (0.0, -0.01)) == ("accuracy", "")
    assert measure((-0.01, None)) == ("accuracy", "")
    assert measure((None, 0.1)) == ("accuracy", "")


def test_a_measure_that_was_named_decides(measure):
    assert measure((-0.01, 0.1), recipe=RECIPE + '[evaluation]\nmeasure = "accuracy"\n') == ("accuracy", "")
