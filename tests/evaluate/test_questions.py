# SPDX-License-Identifier: Apache-2.0
"""Questions that nobody asked: tables, correlations and other targets, against slow twins in plain Python."""

from itertools import combinations, product

import numpy as np
import pytest

from discreet import GreedySelector, Mondrian, RandomFlip, Roles, TreeLadder
from discreet.data.baskets import Baskets
from discreet.data.dataset import Dataset
from discreet.evaluate import questions, soft_rows
from discreet.evaluate.questions import ask_tables, ask_targets, means
from discreet.evaluate.soft_rows import MOST_COLUMNS, Bins, read_softly, readable_names
from instances import ROLES, baskets, people

SMALL_ROLES = Roles(target="y", quasi=["age", "sex"])


def small(n=40, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 26, n)  # few enough to have a bin each
    return {"age": age, "sex": rng.choice(["f", "m"], n), "y": np.where(age + rng.integers(0, 3, n) > 23, "b", "a")}


def soft_twin(release, data):
    """Each released row as shares of the values of each column, by reading labels by hand: "< 23", "[21, 24)", "*"."""
    values = {name: sorted({str(v) for v in cells}) for name, cells in data.items()}

    def covers(label, value):
        if label in ("*", value):
            return True
        if label.startswith("< "):
            return float(value) < float(label[2:])
        if label.startswith(">= "):
            return float(value) >= float(label[3:])
        if label.startswith("["):
            low, high = label[1:-1].split(", ")
            return float(low) <= float(value) < float(high)
        return False

    rows = []
    for row in release.table.to_arrow().to_pylist():
        shares = {}
        for name in data:
            fitting = [v for v in values[name] if covers(str(row[name]), v)]
            shares[name] = {v: 1 / len(fitting) for v in fitting}
        rows.append(shares)
    return values, rows


def tables_twin(release, data, size):
    values, rows = soft_twin(release, data)
    n, found = len(rows), []
    for names in combinations(data, size):
        total = 0.0
        for cell in product(*(values[name] for name in names)):
            true = sum(all(str(data[m][i]) == v for m, v in zip(names, cell, strict=True)) for i in range(n)) / n
            read = sum(np.prod([row[m].get(v, 0) for m, v in zip(names, cell, strict=True)]) for row in rows) / n
            total += abs(true - read)
        found.append(total / 2)
    return float(np.mean(found))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [2, 8])
def test_tables_as_the_slow_twin_counts_them(seed, k):
    data = small(seed=seed)
    release = Mondrian(k=k, random_state=1).release(data, SMALL_ROLES)
    found = ask_tables(release, Dataset.of(data, SMALL_ROLES))
    for size, name in ((1, "one_way"), (2, "two_way"), (3, "three_way")):
        assert getattr(found, name) == pytest.approx(tables_twin(release, data, size)), name


def test_rows_published_as_they_are_have_no_error():
    data = {"a": ["x", "y"] * 20, "b": ["p", "p", "q", "q"] * 10, "y": ["n", "m"] * 20}
    release = Mondrian(k=2).release(data, Roles(target="y", quasi=["a", "b"]))
    found = ask_tables(release, Dataset.of(data, Roles(target="y", quasi=["a", "b"])))
    assert (found.one_way, found.two_way, found.three_way, found.correlations) == pytest.approx((0, 0, 0, 0))
    assert (found.columns, found.triples, found.of_triples, found.sampled) == (3, 1, 1, False)


def test_correlations_have_no_unit():
    """Squares of numbers this large are none any more."""
    small = {"a": list(range(20, 60)), "b": [7 * i % 40 for i in range(40)], "y": ["n", "m"] * 20}
    large = small | {"a": [a * 1e300 for a in small["a"]]}
    roles = Roles(target="y", quasi=["a", "b"])
    found = [ask_tables(Mondrian(k=8).release(data, roles), Dataset.of(data, roles)) for data in (small, large)]
    assert found[1].correlations == pytest.approx(found[0].correlations)


def test_less_detail_serves_tables_and_other_targets_less():
    data = Dataset.of(people(), ROLES)
    half = np.arange(len(data)) % 2 == 0
    train, test = data.take(np.flatnonzero(half)), data.take(np.flatnonzero(~half))
    errors, right = [], []
    for k in (2, 40):
        method = Mondrian(k=k, random_state=1)
        errors.append(ask_tables(method.release(data), data).two_way)
        right.append(means(ask_targets(method.release(train), train, test), "accuracy")[2])
    assert errors[0] < errors[1]
    assert right[0] >= right[1] - 0.05


def test_other_targets_are_scored_on_rows_as_they_are():
    """A column that another one determines is predicted by the original, and by a release that keeps both."""
    rng = np.random.default_rng(0)
    a = rng.choice(list("pqr"), 400)
    data = {
        "a": a,
        "b": np.char.add(a, "!"),
        "x": np.where(a == "p", 1.0, 9.0) + rng.random(400),
        "y": rng.integers(0, 2, 400),
    }
    roles = Roles(target="y", quasi=["a", "b"], other=["x"], allow_unique=["x"])
    dataset = Dataset.of(data, roles)
    train, test = dataset.take(np.arange(300)), dataset.take(np.arange(300, 400))
    found = {(one.column, one.measure): one for one in ask_targets(Mondrian(k=2).release(train), train, test)}
    assert found["a", "accuracy"].original == found["a", "accuracy"].release == 1
    assert found["a", "accuracy"].guessing < 0.6
    assert found["x", "variance"].release > 0.9
    blank = {(one.column, one.measure): one for one in ask_targets(TreeLadder(k=290).release(train), train, test)}
    assert blank["b", "accuracy"].release < 1


def test_items_and_flips_are_read_too():
    dataset = Dataset.of(Baskets.of(*baskets()))
    for method in (GreedySelector(5), RandomFlip(5, random_state=1)):
        found = ask_tables(method.release(dataset), dataset)
        assert 0 <= found.one_way <= found.two_way <= found.three_way <= 1
    table = Dataset.of(people(), ROLES)
    for method in (GreedySelector(5), RandomFlip(5, random_state=1)):
        release = method.release(table)
        before, after = read_softly(release, table, readable_names(table))
        assert np.allclose(after.shares.sum(), len(after.columns))
        assert np.allclose(before.shares.sum(), len(before.columns))


def test_wide_tables_are_bounded_and_say_so():
    rng = np.random.default_rng(0)
    data = {f"c{i}": rng.integers(0, 3, 60) for i in range(40)} | {"y": rng.integers(0, 2, 60)}
    roles = Roles(target="y", quasi=[f"c{i}" for i in range(40)])
    dataset = Dataset.of(data, roles)
    found = ask_tables(Mondrian(k=5).release(dataset), dataset)
    assert (found.columns, found.of_columns, found.sampled) == (MOST_COLUMNS, 41, True)
    assert found.triples < found.of_triples
    assert "y" in readable_names(dataset)


def test_bins_cover_all_codes_and_are_few():
    table = Dataset.of(people(), ROLES).table
    for column in table.columns():
        bins = Bins.of(column)
        assert len(bins.of_code) == len(column.values) + 1
        assert bins.n <= 8
        assert bins.of_code.max() < bins.n


def test_tables_counted_on_distinct_rows_are_those_of_single_rows():
    """Against outer products of all rows, with soft shares and with so many labels that no array holds all triples."""
    rng = np.random.default_rng(8)
    for levels in (5, 160):
        columns = tuple(
            soft_rows.SoftColumn(rng.integers(0, levels, 900), rng.dirichlet(np.ones(4), levels), np.zeros(levels))
            for _ in range(3)
        )
        rows = soft_rows.SoftRows(("a", "b", "c"), columns)
        a, b, c = (column.shares[column.codes] for column in columns)
        whole = np.concatenate([a, b, c], axis=1)
        assert rows.shares == pytest.approx(whole.mean(axis=0))
        assert rows.pairs == pytest.approx(whole.T @ whole / 900)
        triple = np.einsum("ni,nj,nk->ijk", a, b, c).reshape(16, 4) / 900
        assert rows.triple((0, 1, 2)) == pytest.approx(triple)
    assert soft_rows._MOST_COUNTED < 160**3


def test_correlations_of_many_rows_are_summed_block_by_block(monkeypatch):
    random = np.random.default_rng(5)
    numbers, codes = random.normal(size=(2, 30)), random.integers(0, 30, size=(2, 400))
    numbers[0, 3] = np.nan
    columns = tuple(soft_rows.SoftColumn(code, np.eye(30), one) for code, one in zip(codes, numbers, strict=True))
    rows = soft_rows.SoftRows(("a", "b"), columns)
    expected = questions._pearson(rows, (0, 1))
    monkeypatch.setattr(questions, "_MANY", 70)
    assert questions._pearson(rows, (0, 1)) == pytest.approx(expected, abs=1e-12)
    assert questions._counted_pearson(rows, (0, 1)) is None
    nothing = soft_rows.SoftColumn(codes[1], np.eye(30), np.full(30, np.nan))
    assert questions._pearson_of_many(soft_rows.SoftRows(("a", "b"), (columns[0], nothing)), (0, 1)) == 0
