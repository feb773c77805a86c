# SPDX-License-Identifier: Apache-2.0
"""What is never recommended: worse by all three measures, or hardly better than guessing."""

from itertools import product

import numpy as np
import pytest

from discreet.choose import Candidate, Measure, choose
from discreet.choose.weights import E_WEIGHTS, WEIGHTS, in_words
from discreet.study.recipe import Recipe


def candidate(name, utility, privacy, detail, **more):
    return Candidate(name, {"utility": utility, "privacy": privacy, "detail": detail, "size": 3} | more)


def test_one_set_of_weights():
    assert sum(WEIGHTS.values()) == sum(E_WEIGHTS.values()) == 1
    assert Recipe(format=1).weights == {name: float(weight) for name, weight in WEIGHTS.items()}
    assert in_words() == "utility=0.5,privacy=0.25,detail=0.25"


def test_worse_by_all_three_is_never_recommended_whatever_the_weights():
    few = Candidate("few", {"utility": 0.6, "privacy": 80, "detail": 0.1, "size": 1})
    many = Candidate("many", {"utility": 0.7, "privacy": 90, "detail": 0.2, "size": 9})
    for by in ("rank", "value"):
        found = choose([few, many], {"size": 1}, by)
        assert found.ranking[0] is few
        assert found.best is many
        assert found.passed_over == {"few": "worse than many by utility, privacy and detail"}
        assert found.second is None


def test_equal_by_one_of_them_may_be_recommended():
    few, many = candidate("few", 0.7, 80, 0.1, size=1), candidate("many", 0.7, 90, 0.2, size=9)
    assert choose([few, many], {"size": 1}).best is few


def test_hardly_better_than_guessing():
    poor, good = (
        candidate("poor", 0.5, 99, 0.9, above_guessing=0.0),
        candidate("good", 0.6, 50, 0.1, above_guessing=0.01),
    )
    assert choose([poor, good]).best is good
    found = choose([poor])
    assert found.best is None
    assert found.second is None
    assert repr(found) == "Choice(best=none, 1 candidates by rank)"


def test_less_may_be_better():
    lower = {"utility": Measure(title="Brier score", higher_is_better=False)}
    one, other = candidate("one", 0.2, 80, 0.1), candidate("other", 0.1, 90, 0.2)
    assert choose([one, other], measures=lower).passed_over.keys() == {"one"}


def test_ties_go_to_more_detail():
    one, other = candidate("one", 0.7, 90, 0.1, size=1), candidate("other", 0.7, 90, 0.2, size=9)
    assert choose([one, other], {"utility": 1}).best is other


@pytest.mark.parametrize("seed", range(5))
def test_the_recommended_is_beaten_by_none_on_all_three(seed):
    rng = np.random.default_rng(seed)
    some = [
        candidate(f"c{i}", *(float(v) for v in rng.integers(0, 6, 3)), size=int(rng.integers(1, 9))) for i in range(9)
    ]
    for name, by in product(("utility", "privacy", "detail", "size"), ("rank", "value")):
        best = choose(some, {name: 1}, by).best
        for rival in some:
            assert not all(rival.measures[m] > best.measures[m] for m in ("utility", "privacy", "detail"))
