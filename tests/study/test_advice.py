# SPDX-License-Identifier: Apache-2.0
"""The decision guide as code: every answer leads to a method that takes such data and such parameters."""

from itertools import product

import pytest

from discreet import Dataset, samples
from discreet.methods import METHODS, parameters_of
from discreet.study.advice import CELLS, WANTS, Situation, advise
from discreet.study.advice_figures import figures, nearest, others_ahead
from discreet.study.tried_advice import trials

BOTH = (False, True)


@pytest.mark.parametrize("shape", ["table", "baskets", "texts"])
def test_whatever_is_answered_leads_to_methods_that_take_it(shape):
    for wants, cells, label, formal, known in product(WANTS, CELLS, BOTH, BOTH, (None, 2)):
        answers = Situation(shape, wants, cells, label, formal, known_items=known, rows=900, width=9)
        candidates = advise(answers).candidates
        assert candidates, answers
        assert len({one.method for one in candidates}) == len(candidates)
        for one in candidates:
            takes = METHODS[one.method].takes
            assert ("table" in takes) if shape == "table" else takes & {"baskets", "records"}, (one.method, answers)
            assert set(one.parameters) <= set(parameters_of(one.method))
            assert one.reasons
            assert one.is_private == formal or wants in ("columns", "model")
            METHODS[one.method](**one.parameters)


def test_a_formal_guarantee_is_never_answered_by_counting_alike_rows():
    for shape, wants in product(("table", "baskets", "texts"), WANTS):
        for one in advise(Situation(shape, wants, formal=True, rows=9000, width=9)).candidates:
            assert one.is_private


def test_a_known_label_is_covered_or_said_to_be_open():
    for shape, wants, cells in product(("table", "baskets"), WANTS, CELLS):
        for one in advise(Situation(shape, wants, cells, label_known=True, rows=900, width=9)).candidates:
            covered = one.parameters.get("label_known") or one.is_private or one.method == "delta-sketch"
            assert covered or any("known label" in text for text in one.against), one


def test_what_speaks_against_a_method_is_what_was_measured():
    """Every lead of another method that is more than chance is told of the method that it leads."""
    for size, rows in (("large", 30_000), ("small", 500)):
        for k, part in figures()["tables"][size].items():
            assert nearest(rows, int(k)) == (size, k)
            for lead in part["ahead"]:
                method, _, split = lead["of"].partition(", split=")
                told = " ".join(others_ahead(method, {"split": split} if split else {}, rows=rows, k=int(k)))
                same = [one for one in part["ahead"] if (one["of"], one["measure"]) == (lead["of"], lead["measure"])]
                best = max(same, key=lambda one: one["by"])
                assert f"{best['method']} is ahead by {best['by']:.3f} ± {best['give']:.3f}" in told
                assert lead["by"] > lead["give"] > 0


def test_several_releases_of_the_same_people_are_warned_of():
    assert any("add up" in text for text in advise(Situation(again=True, rows=900)).mind)
    assert not any("add up" in text for text in advise(Situation(rows=900)).mind)


def test_a_trial_goes_on_until_a_release_is_made_and_never_spends_a_budget():
    sample = samples.load("clinic", rows=200, random_state=3)
    dataset = Dataset.of(sample.data, sample.roles)
    (found,) = trials(advise(Situation(rows=200, width=9)).candidates, dataset)
    assert (found.method, found.holds) == ("tree-ladder", True)
    assert 0 < found.detail < 1
    failed = trials(advise(Situation(rows=200, width=9, k=500)).candidates, dataset)
    assert [one.method for one in failed] == ["tree-ladder", "tds", "mondrian"]
    assert not any(one.holds for one in failed)
    assert trials(advise(Situation(rows=200, formal=True)).candidates, dataset) == []
