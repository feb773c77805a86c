# SPDX-License-Identifier: Apache-2.0
import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import chi2, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

import oracles
from discreet import Baskets, CannotRelease, DataError, GreedySelector, OptimalSelector, samples
from discreet.counting.class_separation import ham_dist
from discreet.foundation.randomness import Randomness
from discreet.methods.containment import optimal
from discreet.methods.containment.optimal_best import Best
from discreet.methods.containment.optimal_broad import sets_of_rows
from discreet.methods.containment.optimal_measures import UTILITIES, guides, worth_of
from discreet.methods.containment.optimal_search import CommonItems
from discreet.privacy import containment_anonymity
from medians import Medians
from paper_example import TABLE_1, TABLE_1_LABELS


@st.composite
def labelled(draw):
    n, d = draw(st.integers(4, 10)), draw(st.integers(1, 8))
    rows = [draw(st.sets(st.integers(0, d - 1))) for _ in range(n)]
    labels = draw(st.lists(st.sampled_from("pqr"), min_size=n, max_size=n))
    persons = draw(st.one_of(st.none(), st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    assume(len(set(labels)) > 1)
    return rows, labels, persons, d


def to_baskets(rows, labels, persons, d):
    matrix = np.array([[item in row for item in range(d)] for row in rows], dtype=int)
    return Baskets.of(matrix, labels, persons=persons)


def feasible_sets(rows, persons, d, k):
    """Every feasible set of columns that somebody has and somebody lacks, by brute force."""
    there = sorted(set().union(*rows) - set.intersection(*map(set, rows)))
    return [
        set(chosen)
        for size in range(1, len(there) + 1)
        for chosen in combinations(there, size)
        if oracles.is_feasible(rows, chosen, k, "containment", persons)
    ]


def best_by_brute_force(rows, labels, persons, d, k, utility, most=99):
    if utility == "hamdist":
        value = lambda s: sum(oracles.ham_pairs(rows, labels, j) for j in s)  # noqa: E731
    else:
        value = lambda s: oracles.dist_pairs(rows, labels, s)  # noqa: E731
    return max((value(s) for s in feasible_sets(rows, persons, d, k) if len(s) <= most), default=None)


def enough(rows, persons, k):
    return len(set(range(len(rows)) if persons is None else persons)) >= k


@pytest.mark.parametrize("utility", ["hamdist", "distcnt"])
@given(found=labelled(), k=st.integers(2, 4))
@example(found=([set()] * 4, list("pppq"), [0, 0, 0, 1], 1), k=2)  # nobody has anything
def test_the_exact_search_equals_brute_force(utility, found, k):
    rows, labels, persons, d = found
    assume(enough(rows, persons, k))
    method = OptimalSelector(k, utility=utility)
    best = best_by_brute_force(rows, labels, persons, d, k, utility)
    if best is None:
        with pytest.raises(CannotRelease):
            method.release(to_baskets(*found))
        return
    method.release(to_baskets(*found))
    assert method.value_ == pytest.approx(best / len(oracles.unlike_pairs(labels)))
    assert method.proven_
    assert method.bound_ == method.value_


@given(found=labelled(), k=st.integers(2, 4), most=st.integers(1, 4))
def test_with_a_limit_on_features_hamdist_stays_exact(found, k, most):
    rows, labels, persons, d = found
    assume(enough(rows, persons, k))
    best = best_by_brute_force(rows, labels, persons, d, k, "hamdist", most)
    assume(best is not None)
    method = OptimalSelector(k, utility="hamdist", max_features=most)
    assert len(method.release(to_baskets(*found)).features) <= most
    assert method.value_ == pytest.approx(best / len(oracles.unlike_pairs(labels)))
    assert method.proven_


@pytest.mark.parametrize("utility", sorted(UTILITIES))
@settings(max_examples=15)
@given(found=labelled(), k=st.integers(2, 3))
def test_the_broad_search_is_feasible_and_below_its_bound(utility, found, k):
    rows, _, persons, d = found
    assume(enough(rows, persons, k))
    assume(feasible_sets(rows, persons, d, k))
    method = OptimalSelector(k, utility=utility)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimal, "_FEW", 0)
        features = method.release(to_baskets(*found)).features
    assert oracles.is_feasible(rows, features, k, "containment", persons)
    assert method.proven_ == (method.bound_ is not None and method.value_ >= method.bound_)
    value = worth_of(utility, to_baskets(*found)).value
    best = max(value(sorted(chosen)) for chosen in feasible_sets(rows, persons, d, k))
    assert method.bound_ >= best - 1e-9
    assert all(method.value_ >= start - 1e-12 for start in method.starts_.values())


def scores_by_hand(X, y):
    """Simple scores of single columns in plain Python: chi-squared (two forms), mutual information, HamDist."""
    n, classes = len(X), sorted(set(y))
    scores = {"ones": [], "both": [], "information": [], "hamdist": []}
    for column in X.T.tolist():
        both = ones = 0.0
        information = 0.0
        for c in classes:
            of_class = sum(label == c for label in y)
            for cell in (0, 1):
                seen = sum(label == c and x == cell for label, x in zip(y, column, strict=True))
                expected = of_class * sum(x == cell for x in column) / n
                part = (seen - expected) ** 2 / expected if expected else 0.0
                both += part
                ones += part if cell else 0.0
                information += seen / n * np.log2(seen / expected) if seen else 0.0
        scores["ones"].append(ones)
        scores["both"].append(both)
        scores["information"].append(information)
        scores["hamdist"].append(oracles.ham_pairs([{0} if x else set() for x in column], list(y), 0))
    return {name: np.array(values) for name, values in scores.items()}


@pytest.mark.parametrize("utility", ["auc", "hamdist", "information", "cmi", "linear"])
def test_never_below_a_simple_order_by_its_own_measure(utility):
    """Columns in the order of a score, each that leaves the set feasible; all by hand but the measure."""
    rng = np.random.default_rng(7)
    X = (rng.random((70, 90)) < rng.uniform(0.05, 0.5, 90)).astype(int)
    y = np.where(X[:, 0] + X[:, 1] + X[:, 2] + rng.random(70) > 1.3, "p", "q")
    rows = [set(np.flatnonzero(row)) for row in X]
    value = worth_of(utility, Baskets.of(X, y)).value
    picked = OptimalSelector(4, utility=utility).fit(X, y)
    for name, scores in scores_by_hand(X, y).items():
        chosen = []
        for column in np.argsort(-scores, kind="stable").tolist():
            if 4 <= X[:, column].sum() < 70 and oracles.is_feasible(rows, [*chosen, column], 4, "containment", None):
                chosen.append(column)
        assert picked.value_ >= value(sorted(chosen)) - 1e-12, name
    assert picked.starts_
    assert picked.value_ >= max(picked.starts_.values())


@pytest.mark.parametrize("persons", [None, np.arange(160) // 2])
@pytest.mark.parametrize("utility", ["auc", "distcnt"])
def test_known_labels_are_known_in_every_simple_order(utility, persons):
    """The order of DistCnt too: what fits only where labels are unknown must not shape what comes after it."""
    baskets = samples.quest(160, 120, patterns=30, random_state=1, classes=2).data
    baskets = Baskets.of(baskets, persons=persons)
    picked = OptimalSelector(3, utility=utility, label_known=True)
    picked.release(baskets)
    greedy = GreedySelector(3, utility="distcnt", label_known=True).release(baskets)
    assert picked.starts_["distcnt"] == worth_of(utility, baskets).value(sorted(greedy.features))
    assert all(np.isfinite(value) for value in picked.starts_.values())
    assert picked.value_ >= max(picked.starts_.values())


@pytest.mark.parametrize("utility", sorted(UTILITIES))
@pytest.mark.parametrize("d", [20, 80])
def test_the_measure_of_a_set_does_not_depend_on_the_order_of_rows(utility, d):
    """Whoever measures the selected set again finds its value, though folds go by the places of rows."""
    rng = np.random.default_rng(3)
    X, y = (rng.random((120, d)) < 0.2).astype(int), rng.integers(0, 3, 120)
    picked = OptimalSelector(5, utility=utility).fit(X, y)
    for order in (np.arange(120), rng.permutation(120)):
        value = worth_of(utility, Baskets.of(X[order], y[order])).value(sorted(picked.order_.tolist()))
        assert value == pytest.approx(picked.value_, abs=1e-12)


def test_of_equally_good_sets_the_one_with_most_features_is_published():
    """The first column tells the class by itself; of the others, those that k rows have fit beside it."""
    rng = np.random.default_rng(1)
    y = np.arange(200) % 2
    X = np.column_stack([y, np.zeros((200, 99), dtype=int)])
    X[np.arange(200), 1 + np.arange(200) // 20] = 1  # ten blocks of rows
    X[:, 50:] = rng.random((200, 50)) < 0.02
    picked = OptimalSelector(3).fit(X, y)
    assert picked.value_ == picked.bound_ == 1
    assert set(range(11)) <= set(picked.order_.tolist())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_never_below_a_simple_order_with_ties_in_any_order(seed):
    """Columns of the same chi-squared, the last first: which of them fit together differs."""
    rng = np.random.default_rng(seed)
    X = (rng.random((60, 90)) < 0.15).astype(int)
    y = rng.integers(0, 2, 60)
    rows, scores = [set(np.flatnonzero(row)) for row in X], np.round(chi2(X, y)[0], 9)
    picked, value = OptimalSelector(3).fit(X, y), worth_of("auc", Baskets.of(X, y)).value
    for columns in (np.arange(90), np.arange(90)[::-1]):
        chosen = []
        for column in columns[np.argsort(-scores[columns], kind="stable")].tolist():
            if 3 <= X[:, column].sum() < 60 and oracles.is_feasible(rows, [*chosen, column], 3, "containment", None):
                chosen.append(column)
        assert picked.value_ >= value(sorted(chosen)) - 1e-12


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_never_below_a_simple_order_on_sparse_samples(seed):
    """Weights, chi-squared, mutual information, HamDist and DistCnt, by scikit-learn and by GreedySelector."""
    baskets = samples.quest(160, 120, patterns=30, random_state=seed, classes=2).data
    X, y = baskets.matrix.toarray(), baskets.labels
    value = worth_of("auc", baskets).value
    picked = OptimalSelector(5).fit(X, y)
    assert {"weight", "chi-squared", "mutual information", "hamdist", "distcnt"} <= set(picked.starts_)
    assert picked.value_ >= max(picked.starts_.values())
    rows = [set(np.flatnonzero(row)) for row in X]
    orders = {
        "weights": np.abs(LogisticRegression(max_iter=500).fit(X, y).coef_).max(axis=0),
        "chi-squared": chi2(X, y)[0],
        "mutual information": mutual_info_classif(X, y, discrete_features=True),
    }
    chosen = {name: [] for name in orders}
    for name, scores in orders.items():
        for column in np.argsort(-np.nan_to_num(scores), kind="stable").tolist():
            if 5 <= X[:, column].sum() < len(X) and oracles.is_feasible(
                rows, [*chosen[name], column], 5, "containment", None
            ):
                chosen[name].append(column)
    for utility in ("hamdist", "distcnt"):
        chosen[utility] = GreedySelector(5, utility=utility).fit(X, y).order_.tolist()
    for name, features in chosen.items():
        assert picked.value_ >= value(sorted(features)) - 1e-12, name


def test_conflicts_make_the_bound_of_hamdist_smaller_than_all_columns_together():
    rng = np.random.default_rng(2)
    X = (rng.random((120, 100)) < 0.08).astype(int)
    y = rng.integers(0, 2, 120)
    picked = OptimalSelector(4, utility="hamdist").fit(X, y)
    together = ham_dist(X[:, X.sum(axis=0) >= 4], y)
    assert picked.value_ <= picked.bound_ < 0.8 * together


@pytest.mark.parametrize("utility", sorted(UTILITIES))
def test_every_utility_on_more_columns_than_are_searched_exactly(utility):
    rng = np.random.default_rng(0)
    X = (rng.random((200, 90)) < 0.3).astype(int)
    y = np.array(["a", "b", "c"])[X[:, 0] + X[:, 1]]
    picked = OptimalSelector(4, utility=utility, max_features=12).fit(X, y)
    assert containment_anonymity(X[:, picked.order_]) >= 4
    assert len(picked.order_) <= 12
    assert picked.proven_ == (picked.bound_ is not None and picked.value_ >= picked.bound_)
    again = OptimalSelector(4, utility=utility, max_features=12).fit(X[::-1], y[::-1])
    assert again.order_.tolist() == picked.order_.tolist()


def test_at_least_as_good_as_greedy():
    rng = np.random.default_rng(3)
    for _ in range(5):
        X = (rng.random((60, 12)) < rng.random(12)).astype(int)
        y = (X[:, 0] + X[:, 3] + rng.random(60) > 1.2).astype(int)
        greedy = GreedySelector(3).fit(X, y).order_
        assert OptimalSelector(3, utility="hamdist").fit(X, y).value_ >= ham_dist(X[:, greedy], y) - 1e-12


def test_the_paper_s_table():
    """By HamDist {x1, x3, x4, x5} is best; by DistCnt the best is no worse than x1x2x5 (6/9).

    Everybody has x1 and x5; they are left out.
    """
    picked = OptimalSelector(2, utility="hamdist").fit(TABLE_1, TABLE_1_LABELS)
    assert sorted(picked.order_) == [2, 3]
    assert picked.value_ == pytest.approx(8 / 9)
    assert OptimalSelector(2, utility="distcnt").fit(TABLE_1, TABLE_1_LABELS).value_ >= 6 / 9


@pytest.mark.parametrize("most", [None, 3])
@pytest.mark.parametrize("utility", sorted(UTILITIES))
def test_where_subsets_are_few_the_best_of_all_is_found(utility, most):
    rng = np.random.default_rng(4)
    for _ in range(3):
        X = (rng.random((40, 9)) < rng.uniform(0.2, 0.7, 9)).astype(int)
        y = (X[:, :3].sum(axis=1) + rng.normal(0, 0.8, 40) > 1).astype(int)
        rows = [set(np.flatnonzero(row)) for row in X]
        value = worth_of(utility, Baskets.of(X, y)).value
        best = max(value(sorted(s)) for s in feasible_sets(rows, None, 9, 4) if len(s) <= (most or 9))
        picked = OptimalSelector(4, utility=utility, max_features=most).fit(X, y)
        assert picked.value_ == pytest.approx(best)
        assert picked.proven_


def misfits(baskets):
    rows = [set(np.flatnonzero(row)) for row in baskets.matrix.toarray()]
    return oracles.misfits(rows, baskets.labels.tolist(), range(baskets.shape[1]))


def test_a_callable_and_a_set_that_is_not_maximal():
    """A utility that punishes features finds the one that is enough, and knows it is best when sets are few."""
    X = np.array([[1, 0, 1], [1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]])
    y = [1, 1, 1, 0, 0, 0]
    method = OptimalSelector(2, utility=lambda b: -misfits(b) - b.shape[1] / 10)
    method.fit(X, y)
    assert method.order_.tolist() == [0]
    assert method.proven_


def test_a_time_limit_that_is_over_at_once_still_gives_a_feasible_set():
    rng = np.random.default_rng(0)
    X = (rng.random((100, 80)) < 0.3).astype(int)
    y = X[:, 0]
    picked = OptimalSelector(4, time_limit=1e-9).fit(X, y)
    assert containment_anonymity(X[:, picked.order_]) >= 4
    few = OptimalSelector(4, utility="hamdist", time_limit=1e-9).fit(X[:, :20], y)
    assert containment_anonymity(X[:, few.order_]) >= 4
    assert few.bound_ >= few.value_
    assert picked.stopped_
    assert few.stopped_
    notes = OptimalSelector(4, time_limit=1e-9).release(X, y).owner.notes
    assert any("The time limit of 1e-09 s ended the search" in note for note in notes)


def test_the_notes_state_the_bound_the_proof_or_that_there_is_none():
    rng = np.random.default_rng(0)
    X = (rng.random((100, 80)) < 0.3).astype(int)
    y = X[:, 0] | X[:, 5]
    chance = rng.integers(0, 2, 100)

    def note(d, utility, y=y):
        method = OptimalSelector(4, utility=utility)
        (found,) = (n for n in method.release(X[:, :d], y).owner.notes if n.startswith("The selected set"))
        assert not method.stopped_
        return found

    assert "proven that no feasible set has more" in note(10, "hamdist")
    assert "No feasible set has more than" in note(80, "hamdist")
    assert "proven that no feasible set has more" in note(80, "auc")  # it is 1, and so it is
    assert "No feasible set has more than 1;" in note(80, "auc", chance)
    assert "No feasible set has more than" in note(80, "cmi")
    assert "There is no bound" in note(80, lambda baskets: 1 / (1 + baskets.shape[1]))
    assert "No add or swap of one feature improves the set" in note(80, "hamdist")
    assert "proven that no feasible set has more" in note(
        80, "distcnt"
    )  # it reaches its bound: all pairs are separated


@given(found=labelled(), k=st.integers(2, 3))
def test_a_wide_beam_finds_the_rows_with_the_heaviest_common_items(found, k):
    rows, _, persons, d = found
    assume(enough(rows, persons, k))
    weights = np.arange(1.0, d + 1)
    common = CommonItems(to_baskets(*found), k, Randomness(0))
    whose = list(range(len(rows))) if persons is None else persons
    everybody = set.intersection(*rows)
    best = max(
        weights[sorted(set.intersection(*(rows[i] for i in chosen)) - everybody)].sum()
        for chosen in combinations(range(len(rows)), k)
        if len({whose[i] for i in chosen}) == k
    )
    assert weights[common.common(common.beam(weights, 1000)[0])].sum() == best


def test_rows_are_searched_for_a_large_k_too():
    """80 rows share 30 columns: what 70 rows have in common are these."""
    rng = np.random.default_rng(1)
    X = (rng.random((240, 120)) < 0.35).astype(int)
    X[:80, :30] = 1
    found = Baskets.of(X, rng.integers(0, 2, 240))
    best = Best(found, 70, list(range(120)), worth_of("hamdist", found), None, None)
    sets = sets_of_rows(best, CommonItems(found, 70, Randomness(0)), guides(found))
    assert any(set(features) == set(range(30)) for features, _ in sets)


def test_nothing_to_keep():
    with pytest.raises(CannotRelease, match="each of the 4 is held by fewer than 2 persons"):
        OptimalSelector(2).fit(np.eye(4, dtype=int), [0, 1, 0, 1])
    with pytest.raises(CannotRelease, match="or is the same in all rows"):
        OptimalSelector(2).fit(np.ones((6, 2), dtype=int), [0, 1] * 3)


@pytest.mark.parametrize("utility", sorted(UTILITIES))
def test_a_feature_that_everybody_has_is_not_kept(utility):
    X = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1], [1, 0, 1], [1, 0, 0]])
    picked = OptimalSelector(2, utility=utility).fit(X, [1, 1, 1, 0, 0, 0])
    assert 0 not in picked.order_
    assert 1 in picked.order_


@pytest.mark.parametrize("utility", sorted(UTILITIES))
def test_nor_is_it_among_many_columns(utility):
    rng = np.random.default_rng(3)
    X = (rng.random((60, 80)) < 0.3).astype(int)
    X[:, 0] = 1
    assert 0 not in OptimalSelector(4, utility=utility).fit(X, X[:, 1] | X[:, 2]).order_


@pytest.mark.parametrize("method", [GreedySelector, OptimalSelector])
def test_a_callable_must_return_finite_numbers(method):
    with pytest.raises(DataError, match="one that is not finite"):
        method(2, utility=lambda baskets: float("nan")).fit(np.eye(2, dtype=int)[[0, 0, 1, 1]], [0, 0, 1, 1])


class Binarised(Medians, OptimalSelector):
    """Cuts what scikit-learn's checks fit on at its medians."""

    name = ""


@parametrize_with_checks([Binarised(k=2), Binarised(k=2, utility="distcnt")])
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
