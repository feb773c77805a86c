# SPDX-License-Identifier: Apache-2.0
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from discreet import KAnonymity, LDiversity, Roles, RolesError
from practice_guide import GUIDELINE, HEALTH


@st.composite
def tables(draw):
    n = draw(st.integers(1, 25))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    return {
        "x": column(["a", "b", None]),
        "ill": column(["flu", "flu", "gout", "cold", None]),
        "who": column([1, 2, 3, 4]),
        "y": column([0, 1]),
    }


def roles(**more):
    return Roles(target="y", quasi=["x"], sensitive=["ill"], **more)


@given(tables(), st.sampled_from([None, "who"]))
def test_distinct_equals_the_definition(table, person):
    rows, persons = table["x"], table["who"] if person else None
    verdict = LDiversity(2).check(table, roles(person=person))
    assert verdict.measured == oracles.distinct_l(rows, table["ill"], persons)
    labelled = list(zip(rows, table["y"], strict=True))
    assert verdict.with_label == oracles.distinct_l(labelled, table["ill"], persons)
    assert verdict.holds == (verdict.measured >= 2) == (verdict.rows_short == 0)


@given(tables(), st.sampled_from([None, "who"]))
def test_entropy_equals_the_definition(table, person):
    persons = table["who"] if person else None
    verdict = LDiversity(2, measure="entropy").check(table, roles(person=person))
    assert verdict.measured == pytest.approx(oracles.entropy_l(table["x"], table["ill"], persons))


@given(tables(), st.sampled_from([None, "who"]), st.sampled_from([0.5, 1, 1.5, 3]))
def test_recursive_equals_the_definition(table, person, c):
    persons = table["who"] if person else None
    verdict = LDiversity(2, measure="recursive", c=c).check(table, roles(person=person))
    assert verdict.measured == oracles.recursive_l(table["x"], table["ill"], c, persons)


def test_the_figures_of_the_practice_guide():
    """Table 4.3: the distinct values of "health" in the group of each of ten persons."""
    published = [1, 1, 1, 2, 1, 2, 1, 1, 2, 2]
    quasi = list(GUIDELINE)
    for row, diversity in enumerate(published):
        alike = [i for i in range(10) if all(GUIDELINE[name][i] == GUIDELINE[name][row] for name in quasi)]
        group = {name: [GUIDELINE[name][i] for i in alike] for name in quasi} | {"health": [HEALTH[i] for i in alike]}
        assert LDiversity(2).check(group, Roles(quasi=quasi, sensitive=["health"])).measured == diversity


def test_recursive_takes_the_largest_count_first():
    """Counts 3, 1, 1: r1 = 3 and r2 + r3 = 2, so (c, 2) holds for c = 2 (3 < 4) and not for c = 1.5 (3 < 3)."""
    table = {"x": ["a"] * 5, "ill": ["flu", "flu", "flu", "gout", "cold"], "y": [0, 1, 0, 1, 0]}
    assert LDiversity(2, measure="recursive", c=2).check(table, roles()).holds
    assert not LDiversity(2, measure="recursive", c=1.5).check(table, roles()).holds


def test_recursive_does_not_overflow():
    """1500 < c * 10 is false for c = 1/3, whose written form has a denominator of 10^16."""
    table = {"x": ["a"] * 1510, "ill": ["flu"] * 1500 + ["gout"] * 10, "y": [0, 1] * 755}
    assert not LDiversity(2, measure="recursive", c=1 / 3).check(table, roles()).holds
    assert not LDiversity(2, measure="recursive", c=1e-30).check(table, roles()).holds
    assert LDiversity(2, measure="recursive", c=150.1).check(table, roles()).holds
    assert not LDiversity(2, measure="recursive", c=150).check(table, roles()).holds


@pytest.mark.parametrize("times", range(1, 10))
def test_uniform_entropy_reaches_a_whole_l(times):
    table = {"x": ["a"] * 3 * times, "ill": ["flu", "gout", "cold"] * times, "y": [0, 1, 0] * times}
    verdict = LDiversity(3, measure="entropy").check(table, roles())
    assert verdict.holds
    assert verdict.measured >= 3


def test_many_visits_of_one_patient_are_not_diverse():
    table = {"x": ["a"] * 3, "ill": ["flu", "gout", "cold"], "y": [0, 1, 0], "who": [1, 1, 1]}
    assert LDiversity(2).check(table, roles()).holds
    assert LDiversity(2).check(table, roles(person="who")).measured == 1


@pytest.mark.parametrize("asked", [{}, {"measure": "entropy"}, {"measure": "recursive", "c": 2}])
def test_what_everybody_in_a_group_has_is_known_of_each(asked):
    """Three patients with four illnesses, but each of them has the flu."""
    ill = ["flu", "flu", "flu", "gout", "cold", "mumps"]
    table = {"x": ["a"] * 6, "ill": ill, "who": [1, 2, 3, 1, 2, 3], "y": [0, 1] * 3}
    assert LDiversity(2, **asked).check(table, roles()).holds
    assert LDiversity(2, **asked).check(table, roles(person="who")).measured == 1
    without = {name: cells[1:] for name, cells in table.items()}  # 1 has gout only
    assert LDiversity(2, **asked).check(without, roles(person="who")).holds


def test_every_sensitive_column_is_looked_at():
    table = {"x": ["a", "a"], "ill": ["flu", "gout"], "drug": ["d", "d"], "y": [0, 1]}
    verdict = LDiversity(2).check(table, Roles(target="y", quasi=["x"], sensitive=["ill", "drug"]))
    assert not verdict.holds
    assert verdict.measured == 1


def test_joined_with_k_anonymity_both_must_hold():
    table = {"x": ["a", "a"], "ill": ["flu", "flu"], "y": [0, 1]}
    both = KAnonymity(2) & LDiversity(2)
    verdict = both.check(table, roles())
    assert str(both) == "2-anonymity and distinct 2-diversity"
    assert not verdict.holds
    assert [part.holds for part in verdict.parts] == [True, False]
    assert "distinct 2-diversity is broken: 2 required, 1 measured; 2 of 2 rows fall short" in verdict.sentence()


def test_wrong_parameters_and_roles():
    with pytest.raises(ValueError, match="'l' parameter of LDiversity"):
        LDiversity(1)
    with pytest.raises(RolesError, match="l-diversity needs 'c' if it is recursive, and only then"):
        LDiversity(2, measure="recursive")
    with pytest.raises(RolesError, match="whole number"):
        LDiversity(2.5)
    with pytest.raises(RolesError, match="sensitive columns; the roles name none"):
        LDiversity(2).check({"x": [1]}, Roles(quasi=["x"]))
