# SPDX-License-Identifier: Apache-2.0
"""Breach increase: the formulas against slow twins, the verdict's words, who may check it."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet import BreachIncrease, DataError, KAnonymity, ParameterError, Roles, RolesError, Table
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.learning.cross_validation import kfold
from discreet.privacy import promise_from
from discreet.privacy.breach_increase import BELOW, EMPIRICAL, SAME
from discreet.privacy.predictability import (
    Breach,
    Inference,
    content_folds,
    content_order,
    difference_error,
    ratio_error,
)


def patients(n=80, seed=0):
    rng = np.random.default_rng(seed)
    ill = rng.choice(["flu", "gout", "cold"], n, p=[0.5, 0.3, 0.2])
    job = np.where(rng.random(n) < 0.8, np.where(ill == "gout", "smith", "nurse"), "clerk")
    sex = rng.choice(["f", "m"], n)
    again = np.where(rng.random(n) < 0.7, sex == "f", sex == "m")
    return Table.of({"job": job.tolist(), "sex": sex.tolist(), "ill": ill.tolist(), "again": again.tolist()})


ROLES = Roles(target="again", quasi=("sex",), sensitive=("ill",))


def by_hand(table, attributes, sensitive, folds, learner):
    """Rows that a classifier gets right, row by row, without any of the shared machinery."""
    label = table.column(sensitive)
    right = {}
    for fold in folds:
        model = CLASSIFIERS[learner]()
        model.fit(examples_for(model, table.take(fold.train), list(attributes), sensitive))
        for row, said in zip(fold.test, model.predict(table.take(fold.test)), strict=True):
            right[int(row)] = said == label.texts[label.codes[row]]
    return right


# -- formulas ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_every_figure_is_that_of_the_definitions(seed):
    table, attackers = patients(seed=seed), ("c45", "naive-bayes")
    folds = kfold(len(table), 4, seed)
    found = Inference(table, ["job", "sex"], "ill", attackers=attackers, folds=folds).of(["sex"])
    kept = {name: sum(by_hand(table, ["sex"], "ill", folds, name).values()) for name in attackers}
    full = {name: sum(by_hand(table, ["job", "sex"], "ill", folds, name).values()) for name in attackers}
    values = table.column("ill").to_arrow().to_pylist()
    commonest = max(values.count(value) for value in set(values))
    assert found.right == max(kept.values())
    assert found.baseline_right == max(full.values())
    assert (found.attacker, found.baseline_attacker) == (max(kept, key=kept.get), max(full, key=full.get))
    assert found.pbi == pytest.approx((max(kept.values()) / 80) / (max(full.values()) / 80) - 1)
    assert found.dist_pbi == pytest.approx((commonest / 80) / (max(full.values()) / 80) - 1)
    assert found.advantage == pytest.approx(max(kept.values()) / 80 - commonest / 80)


BITS = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), min_size=3, max_size=40)


@settings(max_examples=60, deadline=None)
@given(BITS, st.booleans())
def test_errors_are_those_of_the_linear_approximation(bits, by_person):
    """Slow twin: the sample variance of the residuals of whole persons."""
    above, below, person = (np.array(part) for part in zip(*bits, strict=True))
    assume(below.any())
    units = person.tolist() if by_person else list(range(len(bits)))
    whose = person if by_person else None
    assume(len(set(units)) > 1)
    ratio, error = ratio_error(above, below, whose)
    rest = dict.fromkeys(units, 0.0)
    for unit, (a, b, _) in zip(units, bits, strict=True):
        rest[unit] += a - ratio * b
    m = len(rest)
    expected = math.sqrt(m / (m - 1) * sum(r * r for r in rest.values())) / sum(b for _, b, _ in bits)
    assert ratio == pytest.approx(sum(a for a, _, _ in bits) / sum(b for _, b, _ in bits))
    assert error == pytest.approx(expected, abs=1e-12)
    gain, spread = difference_error(above, below, whose)
    rest = dict.fromkeys(units, 0.0)
    for unit, (a, b, _) in zip(units, bits, strict=True):
        rest[unit] += a - b - gain
    assert gain == pytest.approx(sum(int(a) - int(b) for a, b, _ in bits) / len(bits))
    assert spread == pytest.approx(math.sqrt(m / (m - 1) * sum(r * r for r in rest.values())) / len(bits), abs=1e-12)


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Two attackers of known accuracy, many draws of rows."""
    rng, inside, draws = np.random.default_rng(0), 0, 400
    for _ in range(draws):
        both = rng.random(300)
        below, above = both < 0.8, (both < 0.5) | (both > 0.9)  # 0.8 and 0.6
        ratio, error = ratio_error(above, below)
        inside += abs(ratio - 0.75) <= 1.96 * error
    assert 0.92 <= inside / draws <= 0.98


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("by_person", [False, True])
def test_errors_do_not_depend_on_the_order_of_the_rows_nor_on_how_persons_are_numbered(by_person, seed):
    """To the last digit: the certificate's figures are compared with those of the shuffled rows."""
    rng = np.random.default_rng(seed)
    above, below, whose = rng.random(700) < 0.3, rng.random(700) < 0.4, rng.integers(0, 300, 700)
    expected = [error(above, below, whose if by_person else None) for error in (ratio_error, difference_error)]
    for _ in range(30):
        rows, numbers = rng.permutation(700), rng.permutation(300)
        moved = (above[rows], below[rows], numbers[whose[rows]] if by_person else None)
        assert [error(*moved) for error in (ratio_error, difference_error)] == expected


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_folds_depend_on_the_content_of_the_rows_alone(seed, by_person):
    table, rng = patients(40), np.random.default_rng(seed)
    whose = rng.integers(0, 25, 40) if by_person else None
    moved = rng.permutation(40)
    again = table.take(moved)

    def held(table, whose, moved):
        folds = content_folds(table, "ill", 4, whose)
        rows = list(zip(*(table.column(name).to_arrow().to_pylist() for name in table.names), strict=True))
        return [sorted((rows[row], -1 if whose is None else int(whose[row])) for row in fold.test) for fold in folds]

    assert held(table, whose, None) == held(again, None if whose is None else whose[moved], moved)
    if by_person:
        for fold in content_folds(table, "ill", 4, whose):
            assert set(whose[fold.train]).isdisjoint(whose[fold.test])
    assert sorted(content_order(table).tolist()) == list(range(40))


# -- the verdict -------------------------------------------------------------------------------------------------------


def checked(promise, kept=("sex",), table=None, roles=None):
    table = table or patients()
    roles = roles or Roles(target="again", quasi=kept, sensitive=("ill",))
    return promise.check_with_source(table, roles, table.select(["job", "sex"]))


def test_the_verdict_says_what_was_measured_and_that_it_is_no_guarantee():
    table = patients()
    promise = BreachIncrease(-0.1, attackers=("c45", "naive-bayes"), folds=5)
    found = checked(promise)
    breach = promise.inference(table, ["job", "sex"], "ill").of(["sex"])
    assert found.holds == (breach.pbi <= -0.1)
    assert found.holds
    assert (found.required, found.measured, found.kind, found.rows) == (-0.1, breach.pbi, "owner", 80)
    assert EMPIRICAL in found.notes
    assert SAME not in found.notes
    assert found.details["advantage over the commonest value"] == breach.advantage
    low, high = (found.details[f"breach increase, 95 % {end}"] for end in ("from", "to"))
    assert low < found.measured < high
    assert "empirical" in EMPIRICAL
    assert "not a guarantee" in EMPIRICAL


def test_a_baseline_below_the_guess_is_said():
    figures = {
        "attacker": "c45",
        "baseline_attacker": "tree",
        "pbi_interval": (-0.1, 0.3),
        "advantage_interval": (0, 0),
    }
    weak, fair = (
        Breach("ill", rows=100, right=55, baseline_right=baseline, majority=60, **figures) for baseline in (50, 60)
    )
    notes = BreachIncrease(0.2).verdict(weak).notes
    assert BELOW in notes
    assert notes[0] == (
        "The strongest attacker of 'ill', 'c45', is right in 55.0 % of the rows; with all attributes 'tree' in 50.0 %;"
        " whoever guesses the commonest value in 60.0 %. Breach increase 10.0 % (95 %: -10.0 to 30.0), advantage over"
        " the commonest value -5.0 points (0.0 to 0.0)."
    )
    assert BELOW not in BreachIncrease(0.2).verdict(fair).notes


def test_a_broken_promise_counts_the_rows_that_are_too_many():
    promise = BreachIncrease(-0.5, attackers=("c45",), folds=5)
    breach = promise.inference(patients(), ["job", "sex"], "ill").of(["job"])
    found = checked(promise, kept=("job",))
    assert not found.holds
    assert found.rows_short == breach.right - math.floor(0.5 * breach.baseline_right)


def test_all_the_attributes_never_increase_anything():
    found = checked(BreachIncrease(0.0, attackers=("c45",), folds=5), kept=("job", "sex"))
    assert found.holds
    assert found.measured == 0.0


def test_alpha_may_be_the_guess_that_needs_no_attribute():
    promise = BreachIncrease("majority", attackers=("c45",), folds=5)
    breach = promise.inference(patients(), ["job", "sex"], "ill").of(["sex"])
    found = checked(promise)
    assert found.required == breach.dist_pbi
    assert found.holds == (breach.right <= breach.majority)
    assert not checked(promise, kept=("job",)).holds
    assert "commonest value" in str(promise)


def test_where_the_class_is_sensitive_the_verdict_warns():
    table = patients()
    roles = Roles(target="again", quasi=("sex",), sensitive=("again",))
    promise = BreachIncrease(0.5, attackers=("c45",), folds=5)
    found = promise.check_with_source(table, roles, table.select(["job", "sex"]))
    assert SAME in found.notes
    scores = promise.inference(table, ["job", "sex"], "again")
    assert found.measured == pytest.approx(scores.of(["sex"]).accuracy / scores.of(["job", "sex"]).accuracy - 1)


def test_several_sensitive_columns_are_each_looked_at():
    roles = Roles(quasi=("sex",), sensitive=("ill", "again"))
    found = checked(BreachIncrease(-0.05, attackers=("c45",), folds=5), roles=roles)
    assert len(found.parts) == 2
    assert found.measured == max(part.measured for part in found.parts)
    assert found.holds == all(part.holds for part in found.parts)
    assert "'ill'" in found.parts[0].notes[0]
    assert [part.promise.rpartition(" of ")[2] for part in found.parts] == ["'ill'", "'again'"]
    assert EMPIRICAL in found.notes
    assert found.notes.count(EMPIRICAL) == 1
    turned = Roles(quasi=("sex",), sensitive=("again", "ill"))  # in another order it is the same promise
    assert checked(BreachIncrease(-0.05, attackers=("c45",), folds=5), roles=turned) == found


def test_a_sensitive_number_is_cut_or_refused():
    table = patients().with_columns([Table.of({"ill": [float(i % 37) for i in range(80)]}).column("ill")])
    with pytest.raises(DataError, match="Give the cut points that matter"):
        checked(BreachIncrease(0.0, attackers=("c45",), folds=5), table=table)
    cut = BreachIncrease(0.5, attackers=("c45",), folds=5, cuts={"ill": [20]})
    assert checked(cut, table=table).details["share of the commonest value"] == 46 / 80
    with pytest.raises(ParameterError, match="'cuts' names 'il', which is not a sensitive column"):
        checked(BreachIncrease(0.5, attackers=("c45",), folds=5, cuts={"il": [20]}), table=table)
    with pytest.raises(ParameterError, match="The cuts of 'ill' must be a list of cut points"):
        checked(BreachIncrease(0.5, attackers=("c45",), folds=5, cuts={"ill": 20}), table=table)
    assert promise_from(cut.to_dict()) == BreachIncrease(0.5, attackers=["c45"], folds=5, cuts={"ill": [20]})


def test_it_joins_with_other_promises():
    table = patients()
    both = KAnonymity(2) & BreachIncrease(0.0, attackers=("c45",), folds=5)
    found = both.check_with_source(table, ROLES, table.select(["job", "sex"]))
    assert both.needs_source
    assert found.kind == "owner"
    assert [part.kind for part in found.parts] == ["recomputed", "owner"]


def test_only_the_owner_can_check_it():
    table, promise = patients(), BreachIncrease(0.0, attackers=("c45",))
    with pytest.raises(DataError, match="which only the owner has"):
        promise.check(table, ROLES)
    with pytest.raises(DataError, match="The owner has 79 rows, but 80 are published"):
        promise.check_with_source(table, ROLES, table.select(["job", "sex"]).take(np.arange(79)))
    with pytest.raises(DataError, match="'sex' differs from the owner's"):
        promise.check_with_source(table, ROLES, table.select(["job", "sex"]).take(np.arange(80)[::-1]))
    with pytest.raises(DataError, match="'sex' is not among the owner's attributes"):
        promise.check_with_source(table, ROLES, table.select(["job"]))
    with pytest.raises(RolesError, match="needs a sensitive column"):
        promise.check_with_source(table, Roles(quasi=("sex",)), table.select(["job", "sex"]))


def test_parameters_have_ranges():
    for wrong in (-1.5, "most", True):
        with pytest.raises(ParameterError, match="'alpha' parameter of BreachIncrease"):
            BreachIncrease(wrong)
    with pytest.raises(ParameterError, match="Did you mean 'c45'"):
        BreachIncrease(0.0, attackers=("c46",))
    with pytest.raises(ParameterError, match="'attackers' must be one or more of"):
        BreachIncrease(0.0, attackers=())


def test_a_sensitive_value_that_nobody_can_predict_is_not_compared():
    table = Table.of({"x": [0, 1] * 10, "ill": [f"kind {i}" for i in range(20)]})
    with pytest.raises(DataError, match="nothing to compare with"):
        Inference(table, ["x"], "ill", attackers=["c45"], folds=5).of(["x"])


def test_beside_another_promise_it_is_still_said_to_be_empirical():
    both = KAnonymity(2) & BreachIncrease(5.0, attackers=("naive-bayes",), folds=3)
    found = checked(both)
    assert EMPIRICAL in found.notes
    assert len(found.notes) == len(set(found.notes))
