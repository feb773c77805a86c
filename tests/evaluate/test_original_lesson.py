# SPDX-License-Identifier: Apache-2.0
"""The original is judged in the best preparation, so that no release is ahead of it by intervals alone."""

import numpy as np
import pytest

from discreet import Mondrian, Roles, evaluate_utility
from discreet.data.table import Table
from discreet.evaluate.lessons import Lesson
from discreet.evaluate.original_lesson import OriginalLesson


def hilly(n, seed):
    """A class that depends on a number, but not along a line."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 10, n).round(2)
    return {
        "x": x,
        "z": rng.integers(0, 5, n),
        "y": np.where((np.abs(x - 5) < 2) ^ (rng.random(n) < 0.05), "in", "out"),
    }


def test_a_linear_learner_gets_intervals_where_a_line_would_not_do():
    train, test = Table.of(hilly(900, 0)), Table.of(hilly(600, 1))
    plain = Lesson(train, test, "y").score("logistic")
    fair = OriginalLesson(train, test, "y").score("logistic")
    assert plain.accuracy < 0.7
    assert fair.accuracy > 0.9


def test_the_test_rows_take_no_part_in_the_choice():
    train, test = Table.of(hilly(900, 0)), hilly(600, 1)
    whole = OriginalLesson(train, Table.of(test), "y").score("logistic")
    first = {name: cells[:300] for name, cells in test.items()}
    second = {name: cells[300:] for name, cells in test.items()}
    halves = [OriginalLesson(train, Table.of(part), "y").score("logistic") for part in (first, second)]
    assert np.mean([half.accuracy for half in halves]) == pytest.approx(whole.accuracy)


def towns(n, seed):
    """Three hundred towns, which tell nothing, beside a sign that tells a little."""
    rng = np.random.default_rng(seed)
    sign = rng.integers(0, 2, n)
    y = np.where(rng.random(n) < 0.35 + 0.3 * sign, "yes", "no")
    return {"town": [f"town {i}" for i in rng.integers(0, 300, n)], "sign": np.where(sign, "a", "b"), "y": y}


def test_hundreds_of_rare_categories_do_not_make_the_original_worse():
    train, test = Table.of(towns(1500, 0)), Table.of(towns(3000, 1))
    without = [table.select(["sign", "y"]) for table in (train, test)]
    best, plain = (Lesson(*pair, "y").score("logistic") for pair in (without, (train, test)))
    fair = OriginalLesson(train, test, "y").score("logistic")
    assert plain.auc < best.auc - 0.01
    assert fair.auc == pytest.approx(best.auc, abs=0.001)


def test_without_numbers_there_is_nothing_to_prepare():
    data = {"a": ["p", "q", "r"] * 40, "y": ["n", "m"] * 60}
    table = Table.of(data)
    assert OriginalLesson(table, table, "y").score("naive-bayes") == Lesson(table, table, "y").score("naive-bayes")


def test_a_release_is_not_ahead_of_the_original_by_its_intervals():
    data, roles = hilly(900, 3), Roles(target="y", quasi=["x", "z"])
    method = Mondrian(5, split="information", random_state=1)
    found = evaluate_utility(method, data, roles, protocol="recoded", folds="5-fold", classifiers=["logistic"])
    apart = found.difference(found.methods[1], "logistic")
    assert apart.low <= 0
    text = found.table()
    assert "guessing" in text
    assert ("within noise" in text.split("Within noise")[0]) == (apart.low <= 0 <= apart.high)
    assert found.mean("guessing", "logistic").value == pytest.approx(np.mean(data["y"] == "out"), abs=0.05)
