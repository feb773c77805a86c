# SPDX-License-Identifier: Apache-2.0
"""Distributions before and after: they sum to one, stay where nothing changed, and name published labels only."""

import numpy as np
import pyarrow as pa
import pytest

from discreet import (
    Baskets,
    GreedySelector,
    KActus2,
    Mondrian,
    Roles,
    Table,
    TopDownSpecialization,
    TreeLadder,
    samples,
)
from discreet.data.column import encode, from_labels
from discreet.data.dataset import Dataset
from discreet.evaluate.distributions import MOST, _bins, _quantile, distributions

CLINIC = samples.load("clinic", rows=400, random_state=3)


def sides(one, side):
    return [line[side] for line in one["labels"]]


@pytest.mark.parametrize(
    "method", [Mondrian(5), TreeLadder(5), KActus2(5), TopDownSpecialization(5)], ids=lambda m: m.name
)
def test_shares_sum_to_one_and_name_only_what_is_published(method):
    release = method.release(CLINIC.data, CLINIC.roles)
    found = distributions(release, Dataset.of(CLINIC.data, CLINIC.roles))
    assert [one["name"] for one in found] == list(release.roles.quasi)
    borders = {
        part for name in release.roles.quasi for text in release.table.column(name).texts for part in text.split()
    }
    for one in found:
        assert sum(sides(one, "after")) == pytest.approx(1)
        assert sum(sides(one, "before")) <= 1 + 1e-9  # a value that no label covers is in none of them
        assert len(one["labels"]) <= MOST + 1
        for line in one["labels"]:
            if not line["label"].endswith((" other", " others")):
                assert set(line["label"].replace("[", "").replace(")", "").replace(",", "").split()) <= {
                    part.strip("[),") for part in borders
                }


def test_a_column_that_is_published_as_it_was_is_spread_as_it_was():
    table = Table.of({"sex": ["f", "m"] * 20, "age": [30, 40] * 20, "y": ["a", "b", "b", "a"] * 10})
    roles = Roles(target="y", quasi=["sex", "age"])
    for one in distributions(Mondrian(5).release(table, roles), Dataset.of(table, roles)):
        assert sides(one, "before") == pytest.approx(sides(one, "after"))


def test_a_label_that_covers_several_bins_is_spread_evenly():
    """By hand: ages 1 to 8, released as < 3, [3, 5) and >= 3: the third covers two bins."""
    before = Table.of({"age": [1, 2, 3, 4, 5, 6, 7, 8]}).column("age")
    texts = ["< 3", "[3, 5)", ">= 3"]
    after = from_labels("age", texts, np.array([0, 0, 1, 2, 2, 2, 2, 2], dtype=np.int32))
    found = _bins(before, after)
    assert [line["label"] for line in found["labels"]] == ["< 3", "[3, 5)", ">= 5"]
    assert sides(found, "before") == pytest.approx([2 / 8, 2 / 8, 4 / 8])
    assert sides(found, "after") == pytest.approx([2 / 8, 1 / 8 + 2.5 / 8, 2.5 / 8])


def test_items_are_counted_in_both():
    rng = np.random.default_rng(0)
    X = (rng.random((60, 8)) < 0.5).astype(int)
    baskets = Baskets.of(X, np.arange(60) % 2)
    release = GreedySelector(3).release(baskets)
    (found,) = distributions(release, Dataset.of(baskets))
    for line in found["labels"]:
        share = X[:, baskets.names.index(line["label"])].mean()
        assert (line["before"], line["after"]) == pytest.approx((share, share))


def test_years_and_months_among_the_borders_of_dates_are_days():
    days = encode("born", pa.array(["1984-02-10", "1985-07-01", "1991-03-04"]))
    labels = from_labels("born", ["[1984-02-10, 1990)", ">= 1990"], np.array([0, 0, 1]))
    shown = _bins(days, labels)
    assert [(line["after"], line["before"]) for line in shown["labels"]] == [(0.0, 0.0), (2 / 3, 2 / 3), (1 / 3, 1 / 3)]


def test_quantiles_of_counted_numbers_are_those_of_all_rows():
    random = np.random.default_rng(2)
    for n in (1, 2, 7, 500):
        rows = random.integers(0, 40, n) * 1.7
        numbers, counts = np.unique(rows, return_counts=True)
        for share in (0.1, 0.5, 0.77):
            assert _quantile(numbers, np.cumsum(counts), share) == pytest.approx(np.quantile(rows, share), rel=1e-12)
