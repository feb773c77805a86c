# SPDX-License-Identifier: Apache-2.0
"""E(S): the paper's tables to the last digit, exact ties, slow twins of ranks and scores."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from benchmarks.choice.protocol import published
from hypothesis import given
from hypothesis import strategies as st

from discreet.choose import Criterion, evaluate, evaluation
from discreet.errors import DataError, ParameterError

PUBLISHED = published()
PIMA = PUBLISHED["pima_c45"]
ROWS = PIMA["candidates"]
NAMES = [row["name"] for row in ROWS]
PERF, PBI, SIZE = ([row[key] for row in ROWS] for key in ("perf", "pbi", "size"))


def pima(weights, **options):
    return evaluation(PERF, PBI, SIZE, weights, **options)


# -- what the paper prints ---------------------------------------------------------------------------------------------


def test_all_42_ranks_of_table_5():
    found = pima((0.5, 0.25, 0.25)).ranks
    assert [(s, b, p) for s, b, p in zip(found["size"], found["pbi"], found["performance"], strict=True)] == [
        (row["ranks"]["size"], row["ranks"]["pbi"], row["ranks"]["perf"]) for row in ROWS
    ]
    assert sum(map(len, found.values())) == 42


@pytest.mark.parametrize("number", range(3))
def test_all_42_values_of_table_6_and_the_three_chosen_subsets(number):
    case = PIMA["cases"][number]
    found = pima(case["weights"])
    assert list(found.scores) == [row["e"][number] for row in ROWS]
    assert NAMES[found.best] == case["best"]


def test_the_categories_of_tables_3_and_4():
    def category(row):
        best = [row["perf"] == max(PERF), row["pbi"] == min(PBI), row["size"] == min(SIZE)]
        return next(letter for letter, flags in PUBLISHED["categories"].items() if flags == best)

    assert [category(row) for row in ROWS] == [row["category"] for row in ROWS]


def test_a_tie_goes_to_the_smallest_candidate():
    """Section 6: three subsets share E(S) = 9.8; the one with the fewest attributes is taken."""
    tie = PUBLISHED["pima_nb_tie"]
    sizes = [len(subset) for subset in tie["subsets"]]
    # ranks by performance that make up for the ranks by size: 0.2 prf + 0.2 num is the same for all three
    found = evaluation([3, 2, 1], [0, 0, 0], sizes, (0.2, 0.6, 0.2))
    assert len(set(found.scores)) == 1
    assert tie["subsets"][found.best] == tie["best"]
    assert found.order == (2, 1, 0)


@pytest.mark.parametrize("row", PUBLISHED["zero_weights"]["rows"], ids=lambda row: "+".join(row["factors"]))
def test_table_8_a_zero_weight_ignores_a_factor(row):
    given = {"x": 0.3, "y": 0.7} if "z" not in row["weights"] else {"x": 0.2, "y": 0.3, "z": 0.5}
    weights = [given.get(weight, weight) for weight in row["weights"]]
    found = pima(weights)
    by_name = dict(zip(("performance", "pbi", "size"), weights, strict=True))
    expected = [
        sum(Fraction(str(by_name[factor])) * found.ranks[factor][place] for factor in row["factors"])
        for place in range(len(ROWS))
    ]
    assert list(found.exact_scores) == expected
    assert [criterion.name for criterion in found.weighed] == row["factors"]


def test_only_the_number_of_attributes_decides_when_the_class_is_the_sensitive_attribute():
    """Then PBI is performance rescaled, so that prf + prv is the same for all but for ties."""
    found = pima((0.25, 0.25, 0.5))
    sums = {p + b for p, b in zip(found.ranks["performance"], found.ranks["pbi"], strict=True)}
    assert sums == {14, 15}
    for perf, breach in zip(PERF, PBI, strict=True):
        assert abs(100 * (perf / 73.835 - 1) - breach) < 0.0014


# -- irrelevant candidates ---------------------------------------------------------------------------------------------

FOUR = ([7, 6, 6, 3], [7, 1, 5, 6], [5, 3, 2, 2])
HALF = (0.5, 0.25, 0.25)


def test_ranks_depend_on_candidates_that_nobody_would_take():
    assert evaluation(*FOUR, HALF).best == 2
    assert evaluation(*(values[:3] for values in FOUR), HALF).best == 0
    assert 3 not in evaluation(*FOUR, HALF).front  # the one left out was beaten


def test_values_on_a_fixed_scale_do_not():
    scales = {"performance": (0, 10), "pbi": (10, 0), "size": (8, 0)}

    def judged(count):
        criteria = [
            Criterion(name, values[:count], name == "performance", weight, scale=scales[name])
            for name, values, weight in zip(scales, FOUR, HALF, strict=True)
        ]
        return evaluate(criteria, by="value")

    assert judged(4).best == judged(3).best == 1
    assert judged(4).scores[:3] == judged(3).scores


def test_values_on_the_candidates_own_scale_depend_on_its_ends_alone():
    ends = evaluation([0, 10, 6, 5], [10, 0, 4, 4], [1, 9, 3, 3], HALF, by="value")
    assert ends.scores[:3] == evaluation([0, 10, 6], [10, 0, 4], [1, 9, 3], HALF, by="value").scores


numbers = st.one_of(st.integers(-4, 4), st.sampled_from([0.1, 0.2, 0.30000000000000004, 0.3, -1.5]))
tables = st.integers(1, 8).flatmap(lambda n: st.tuples(*(st.lists(numbers, min_size=n, max_size=n) for _ in range(3))))


@given(tables, st.data())
def test_the_order_of_two_by_fixed_values_does_not_depend_on_a_third(table, data):
    n = len(table[0])
    left = data.draw(st.integers(0, n - 1))
    kept = [place for place in range(n) if place != left]

    def order(places):
        criteria = [
            Criterion(name, [values[place] for place in places], weight=weight, scale=(-10, 10))
            for name, values, weight in zip("abc", table, HALF, strict=True)
        ]
        return [places[place] for place in evaluate(criteria, by="value").order] if places else []

    assert [place for place in order(list(range(n))) if place != left] == order(kept)


# -- slow twins --------------------------------------------------------------------------------------------------------


@given(st.lists(numbers, min_size=1, max_size=9), st.booleans())
def test_a_rank_is_one_and_the_number_of_worse_candidates(values, higher):
    found = Criterion("x", values, higher).ranks
    worse = [sum(other < value if higher else other > value for other in values) for value in values]
    assert list(found) == [1 + count for count in worse]


@given(tables, st.sampled_from([(0.5, 0.25, 0.25), (0.333, 0.333, 0.333), (0, 0.1, 0.9), (1, 0, 0)]))
def test_scores_and_order_beside_their_definition(table, weights):
    found = evaluation(*table, weights)
    n = len(table[0])
    e = [
        sum(Fraction(str(w)) * r[place] for w, r in zip(weights, found.ranks.values(), strict=True))
        for place in range(n)
    ]
    assert list(found.exact_scores) == e
    left, order = set(range(n)), []
    while left:  # the largest E(S), then the fewest attributes, then the first
        best = min(left, key=lambda place: (-e[place], table[2][place], place))
        order.append(best)
        left.remove(best)
    assert list(found.order) == order
    assert found.best == order[0]
    assert found.second == (order[1] if n > 1 else None)


@given(st.lists(numbers, min_size=1, max_size=9), st.booleans())
def test_levels_go_from_the_worst_to_the_best(values, higher):
    levels = Criterion("x", values, higher).levels
    assert max(levels) == 1
    assert min(levels) == (0 if len(set(values)) > 1 else 1)
    for a, la in zip(values, levels, strict=True):
        for b, lb in zip(values, levels, strict=True):
            assert (la < lb) == (a < b if higher else a > b)


# -- exact -------------------------------------------------------------------------------------------------------------


def test_equal_on_paper_is_equal_here():
    assert 0.1 + 0.2 != 0.3
    found = evaluate(
        [
            Criterion("a", [2, 1], weight=0.1),
            Criterion("b", [2, 1], weight=0.2),
            Criterion("c", [1, 2], weight=0.3),
            Criterion("d", [1, 1], weight=0.4),
        ]
    )
    assert len(set(found.exact_scores)) == 1
    assert found.order == (0, 1)


def test_kinds_of_numbers_mix():
    found = Criterion("x", [np.float64(0.1), Fraction(1, 10), Decimal("0.1"), 0.1, np.int64(2), 2])
    assert found.ranks == (1, 1, 1, 1, 5, 5)


def test_digits_make_ties_of_what_differs_by_less():
    noisy = [73.0430001, 73.0429999, 74.2]
    assert Criterion("x", noisy).ranks == (2, 1, 3)
    assert Criterion("x", noisy, digits=3).ranks == (1, 1, 3)
    counts = [Fraction(561, 768), Fraction(561, 768), Fraction(572, 768)]
    assert Criterion("x", counts).ranks == (1, 1, 3)


# -- further criteria, and what is refused -----------------------------------------------------------------------------


def test_further_criteria_count():
    cost = Criterion("seconds", list(range(14)), higher_is_better=False, weight=0.4)
    found = pima((0.2, 0.2, 0.2), further=[cost])
    assert found.ranks["seconds"] == tuple(range(14, 0, -1))
    assert found.exact_scores[0] == Fraction(1, 5) * (8 + 7 + 1) + Fraction(2, 5) * 14


def test_the_knee_of_equals_is_the_one_ahead():
    """By performance alone the first two are equal; the second is smaller, and so it is the best."""
    found = evaluation([0.8, 0.8, 0.7], [0.1, 0.3, 0.0], [5, 2, 1], (1, 0, 0))
    assert (found.best, found.front, found.knee) == (1, (0, 1), 1)


def test_one_candidate_is_the_best_and_has_no_second():
    found = evaluation([1], [1], [1])
    assert (found.best, found.second, found.front, found.knee) == (0, None, (0,), 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": (0.5, 0.5, 0.5)}, "sum to 1.5.*performance=0.3333"),
        ({"weights": (0, 0, 0)}, "sum to 0"),
        ({"weights": (1.5, -0.5, 0)}, "'pbi' is below 0"),
        ({"weights": (0.5, 0.5)}, "three.*Got 2"),
        ({"weights": (1, 0, 0), "by": "values"}, "Did you mean 'value'"),
        ({"weights": (1, 0, 0), "further": [Criterion("size", SIZE, weight=0)]}, "twice: 'size'"),
    ],
)
def test_wrong_parameters_are_named(arguments, message):
    with pytest.raises(ParameterError, match=message):
        pima(**arguments)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), None, "7"])
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(ParameterError, match=r"Value 2 of 2 of 'performance'.* no finite number"):
        evaluation([1, value], [1, 2], [1, 2])
    with pytest.raises(ParameterError, match=r"The weight of 'pbi'.* no finite number"):
        evaluation([1, 2], [1, 2], [1, 2], (0.5, value, 0.5))


@pytest.mark.parametrize("scale", [(1, 1), (5, 1)])
def test_a_scale_ends_with_the_best(scale):
    with pytest.raises(ParameterError, match="above the worst"):
        Criterion("x", [1, 2], scale=scale)
    with pytest.raises(ParameterError, match="below the worst"):
        Criterion("x", [1, 2], higher_is_better=False, scale=(1, 5))


def test_every_criterion_needs_one_value_for_each_candidate():
    with pytest.raises(DataError, match=r"performance: 2, pbi: 2, size: 1\.$"):
        evaluation([1, 2], [1, 2], [1])
    with pytest.raises(DataError, match="no candidate"):
        evaluation([], [], [])
    with pytest.raises(ParameterError, match="At least one criterion"):
        evaluate([])
