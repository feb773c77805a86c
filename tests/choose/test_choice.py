# SPDX-License-Identifier: Apache-2.0
"""Candidates of any kind, chosen among by any measures; what cannot be compared is refused."""

import pytest

from discreet.choose import Candidate, Measure, choose, evaluation
from discreet.errors import DataError, ParameterError

FEW = Candidate("few", {"utility": 0.81, "privacy": 20, "size": 3})
MANY = Candidate("many", {"utility": 0.84, "privacy": 5, "size": 9})
POOR = Candidate("poor", {"utility": 0.60, "privacy": 5, "size": 9})
THIRD = {"utility": 0.333, "privacy": 0.333, "size": 0.333}


def test_a_choice_names_best_second_front_and_knee():
    found = choose([MANY, FEW, POOR], THIRD)
    assert (found.best, found.second) == (FEW, MANY)
    assert found.ranking == (FEW, MANY, POOR)
    assert found.front == (FEW, MANY)
    assert found.knee is FEW
    assert found.scores == {"few": 2.664, "many": 1.665, "poor": 0.999}
    assert list(found.scores) == ["few", "many", "poor"]


def test_it_is_the_paper_s_evaluation_when_the_measures_are_the_paper_s():
    table = ([7, 6, 6, 3], [7, 1, 5, 6], [5, 3, 2, 2])
    candidates = [
        Candidate(str(place), {"performance": p, "pbi": b, "size": s})
        for place, (p, b, s) in enumerate(zip(*table, strict=True))
    ]
    weights = (0.5, 0.25, 0.25)
    found = choose(candidates, dict(zip(("performance", "pbi", "size"), weights, strict=True)))
    expected = evaluation(*table, weights)
    assert found.evaluation.order == expected.order
    assert found.evaluation.scores == expected.scores


def test_equal_scores_go_to_the_smaller_even_when_size_has_no_weight():
    large, small = (Candidate(f"size {size}", {"utility": 1, "size": size}) for size in (9, 3))
    assert choose([large, small], {"utility": 1}).best is small
    bare = [Candidate("a", {"utility": 1}), Candidate("b", {"utility": 1, "size": 1})]
    assert choose(bare, {"utility": 1}).best.name == "a"


def test_by_value_small_differences_weigh_little():
    near = [
        Candidate("a", {"utility": 0.8412, "risk": 0.90}),
        Candidate("b", {"utility": 0.8411, "risk": 0.02}),
        Candidate("c", {"utility": 0.5000, "risk": 0.01}),
    ]
    weights = {"utility": 0.7, "risk": 0.3}
    assert choose(near, weights).best.name == "a"
    assert choose(near, weights, by="value").best.name == "b"


def test_a_measure_whose_name_does_not_tell_needs_a_meaning():
    seconds = [Candidate("slow", {"seconds": 9}), Candidate("quick", {"seconds": 1})]
    with pytest.raises(ParameterError, match="more or less of 'seconds'"):
        choose(seconds, {"seconds": 1})
    lower = Measure(higher_is_better=False)
    assert choose(seconds, {"seconds": 1}, measures={"seconds": lower}).best.name == "quick"
    said = [Candidate(c.name, c.measures, meanings={"seconds": lower}) for c in seconds]
    assert choose(said, {"seconds": 1}).best.name == "quick"
    assert choose(said, {"seconds": 1}, measures={"seconds": Measure()}).best.name == "slow"


def test_what_cannot_be_compared_is_refused():
    one, other = (
        Candidate(name, {"privacy": 3}, meanings={"privacy": Measure(title=title)})
        for name, title in (("a", "k-anonymity"), ("b", "t-closeness"))
    )
    with pytest.raises(DataError, match="'k-anonymity' for 'a' and 't-closeness' for 'b'"):
        choose([one, other], {"privacy": 1})


def test_candidates_on_scales_of_their_own_are_judged_on_a_common_one():
    far, near = (
        Candidate(name, {"utility": value}, meanings={"utility": Measure(scale=(0.0, end))})
        for name, value, end in (("a", 0.5, 1.0), ("b", 0.6, 2.0))
    )
    found = choose([far, near], {"utility": 1}, by="value")
    assert found.scores == {"b": 1.0, "a": 0.0}
    assert choose([far], {"utility": 1}, by="value").scores == {"a": 0.5}


@pytest.mark.parametrize(
    ("candidates", "weights", "message"),
    [
        ([], {"utility": 1}, "no candidate to choose from"),
        ([FEW, FEW], {"utility": 1}, "same name: 'few'"),
        ([FEW, MANY], {"utilty": 1}, "No candidate has a measure 'utilty'. Did you mean 'utility'.*'privacy', 'size'"),
        (
            [FEW, Candidate("bare", {"size": 1})],
            {"utility": 1},
            "1 of 2 candidates have no measure 'utility': 'bare'. Leave",
        ),
        ([Candidate("bare", {})], {"utility": 1}, "no measures at all"),
    ],
)
def test_what_is_missing_is_named(candidates, weights, message):
    with pytest.raises(DataError, match=message):
        choose(candidates, weights)


def test_what_is_measured_differently_is_not_compared_and_what_all_have_is_named():
    ways = {"privacy": Measure(title="k-anonymity")}, {"privacy": Measure(title="t-closeness", higher_is_better=False)}
    some = [
        Candidate(name, {"privacy": 1, "size": 2, name: 3}, meanings=way) for name, way in zip("ab", ways, strict=True)
    ]
    with pytest.raises(
        DataError, match=r"'k-anonymity' for 'a' and 't-closeness' for 'b'.* All of them have 'size'\.$"
    ):
        choose(some, {"privacy": 1})


def test_a_weight_of_0_asks_nobody_for_the_measure():
    bare = Candidate("bare", {"size": 1})
    assert choose([FEW, bare], {"utility": 0, "size": 1}).best is bare
    assert list(choose([FEW, bare], {"utility": 0, "size": 1}).meanings) == ["size"]
    assert list(choose([FEW, MANY], {"utility": 0, "size": 1}).meanings) == ["utility", "size"]
    with pytest.raises(DataError, match="Did you mean 'utility'"):
        choose([FEW, bare], {"utilty": 0, "size": 1})


def test_weights_must_sum_to_one():
    with pytest.raises(ParameterError, match=r"In the same proportion: utility=0.6667, size=0.3333"):
        choose([FEW, MANY], {"utility": 2, "size": 1})
    with pytest.raises(ParameterError, match="At least one criterion"):
        choose([FEW, MANY], {})


def measured(name, utility, privacy, detail, error=None):
    known = {"utility": utility, "privacy": privacy, "detail": detail}
    means = {
        "utility": Measure(scale=(0.70, 0.76)),
        "privacy": Measure(scale=(0, 100)),
        "detail": Measure(scale=(0, 1)),
    }
    return Candidate(name, known if error is None else known | {"utility_error": error}, meanings=means)


def test_a_difference_within_noise_does_not_outweigh_detail():
    empty, full = measured("empty", 0.757, 99, 0.10, 0.0136), measured("full", 0.744, 99, 0.38, 0.0138)
    found = choose([empty, full], by="value")
    assert found.best is full
    levels = found.evaluation.criteria[0].levels
    assert levels[0] == levels[1]
    without = [measured("empty", 0.757, 99, 0.10), measured("full", 0.744, 99, 0.38)]
    assert choose(without, by="value").best.name == "empty"  # as if they were exact


def test_what_is_lacking_beyond_noise_counts_in_full_without_a_step():
    utilities = [0.757, 0.744, 0.743, 0.742, 0.720]
    candidates = [measured(str(utility), utility, 99, 0.1, 0.0135) for utility in utilities]
    levels = choose(candidates, by="value").evaluation.criteria[0].levels
    expected = [(min(utility + 0.0135, 0.757) - 0.70) / 0.06 for utility in utilities]
    assert [float(level) for level in levels] == pytest.approx(expected)
    assert sorted(levels, reverse=True) == list(levels)


def test_noise_is_that_of_the_most_useful_and_leaves_ranks_and_the_front_alone():
    vague, sharp = measured("vague", 0.71, 99, 0.3, 0.5), measured("sharp", 0.757, 98, 0.2, 0.001)
    found = choose([vague, sharp], by="value")
    assert found.best is sharp
    assert found.evaluation.ranks["utility"] == (1, 2)
    assert found.front == (sharp, vague)


def test_noise_of_a_measure_that_is_better_if_lower():
    lower = {"utility": Measure(higher_is_better=False, scale=(0.25, 0.15))}
    brier = [
        Candidate("a", {"utility": 0.160, "detail": 0.1, "utility_error": 0.005}),
        Candidate("b", {"utility": 0.164, "detail": 0.2, "utility_error": 0.005}),
    ]
    weights = {"utility": 0.9, "detail": 0.1}
    assert choose(brier, weights, "value", measures=lower).best.name == "b"
