# SPDX-License-Identifier: Apache-2.0
"""SUDA: sdcMicro's published examples, a search by trying everything, and the limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import risk_twins
from discreet import Roles, Table, risk_of
from discreet.errors import ParameterError, RolesError
from discreet.report.risk_page import to_risk_page
from discreet.risk.sampled_groups import SampledGroups
from discreet.risk.special_uniques import dis_scores, intrusion_chance, special_uniques
from practice_guide import GUIDELINE

# sdcMicro 5, tests/testthat/test_suda2.R: "suda2 simple example", "suda2 book example", "suda2 sdc guideline"
SIMPLE = {"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]}
BOOK = {
    "age": ["20s"] * 7 + ["60s"],
    "gender": ["male"] * 4 + ["female"] * 3 + ["male"],
    "income": ["50k+"] * 2 + ["50k-"] * 6,
    "education": ["highschool"] * 4 + ["university", "highschool", "middleschool", "university"],
}


def test_the_scores_of_sdcmicro():
    book = special_uniques(Table.of(BOOK), list(BOOK))
    assert book.scores.tolist() == [0, 0, 0, 0, 4, 2, 6, 8]
    guideline = special_uniques(Table.of(GUIDELINE), list(GUIDELINE))
    assert guideline.scores.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]


def test_the_dis_suda_scores_of_the_practice_guide():
    """T. Benschop, C. Machingauta and M. Welch, "Statistical disclosure control: a practice guide", Table 4.5.

    Computed with a sampling fraction of 0.01 and the older scores of sdcMicro (original_scores = FALSE), in which a set
    of s of n columns counts (2^(n - s) - 1) s! (n - s)! / n!: 1.75 for one of these four columns, 0.5 for two.
    """
    groups = SampledGroups.of(Table.of(GUIDELINE), list(GUIDELINE))
    older = np.array([0, 0, 1.75, 0, 1.75 + 3 * 0.5, 0, 1.75, 1.75 + 2 * 0.5, 0, 0])
    published = [0, 0, 0.0051, 0, 0.0107, 0, 0.0051, 0.0088, 0, 0]
    assert dis_scores(older, groups, 4, 0.01) == pytest.approx(published, abs=5e-5)


@pytest.mark.parametrize("order", ["abc", "acb", "cab", "cba"])
def test_the_contributions_of_sdcmicro(order):
    found = special_uniques(Table.of({name: SIMPLE[name] for name in order}), list(order))
    assert found.contributions == {"a": 0.5, "b": 0.375, "c": 0.375}


def test_the_sets_of_a_row_by_name():
    found = special_uniques(Table.of(GUIDELINE), list(GUIDELINE))
    assert found.of_row(4)[0] == ("Residence",)
    assert found.of_row(0) == []
    assert found.by_size[1] == 4


cells = st.integers(0, 2) | st.none()
rows = st.integers(2, 5).flatmap(lambda n: st.lists(st.tuples(*[cells] * n), min_size=1, max_size=14))


@given(rows, st.integers(1, 5), st.data())
def test_the_search_finds_what_trying_everything_finds(drawn, max_size, data):
    n = len(drawn[0])
    persons = data.draw(st.lists(st.integers(0, 8), min_size=len(drawn), max_size=len(drawn)))
    persons = list(range(len(drawn))) if data.draw(st.booleans()) else persons
    names = [f"c{place}" for place in range(n)]
    table = Table.of({name: [row[place] for row in drawn] for place, name in enumerate(names)})
    found = special_uniques(table, names, persons=np.array(persons), max_size=max_size)
    size = min(max_size, n)
    expected = risk_twins.minimal_sample_uniques(drawn, persons, size)
    for row, sets in enumerate(expected):
        assert {frozenset(one) for one in found.of_row(row)} == {frozenset(f"c{c}" for c in one) for one in sets}
        assert len(found.of_row(row)) == len(sets)
    scores = risk_twins.suda_scores(expected, n, size)
    assert found.scores == pytest.approx(scores)
    total = sum(scores)
    for place, name in enumerate(names):
        holding = [[one for one in sets if place in one] for sets in expected]
        share = sum(risk_twins.suda_scores(holding, n, size)) / total if total else 0
        assert found.contributions[name] == pytest.approx(share)


def test_the_chance_of_an_intruder_by_hand():
    # three groups of one, one of two, a tenth sampled: 3 * .1 / (3 * .1 + 2 * .9)
    groups = SampledGroups.of(Table.of({"x": [1, 2, 3, 4, 4]}), ["x"])
    assert intrusion_chance(groups, 0.1) == pytest.approx(0.3 / 2.1)
    assert intrusion_chance(groups, 1.0) == 1


def test_rows_with_equal_scores_have_the_chance_of_the_file():
    table = {"x": [1, 2, 3, 4, 4], "y": [0, 0, 0, 0, 0]}
    found = special_uniques(Table.of(table), ["x", "y"], fraction=0.1)
    assert found.dis[:3] == pytest.approx([0.3 / 2.1] * 3)
    assert found.dis[3:].tolist() == [0, 0]


def test_a_higher_score_has_a_higher_chance():
    found = special_uniques(Table.of(GUIDELINE), list(GUIDELINE), fraction=0.05)
    by_score = sorted(zip(found.scores, found.dis, strict=True))
    assert [dis for _, dis in by_score] == sorted(found.dis)
    assert 0 < found.dis.max() < 1


def test_many_columns_are_looked_at_in_small_sets():
    rng = np.random.default_rng(0)
    table = {f"c{place}": rng.integers(0, 3, 60) for place in range(20)}
    found = risk_of(table, Roles(quasi=list(table)))
    assert found.special_uniques.max_size == 3
    assert any("at most 3 columns" in note for note in found.notes)


def test_what_cannot_be_sought_is_refused():
    wide = Table.of({f"c{place}": [1, 2] for place in range(63)})
    with pytest.raises(RolesError, match="at most 62 columns; 63"):
        special_uniques(wide, wide.names)
    found = risk_of(wide, wide.names)
    assert found.special_uniques is None
    assert any("more than 62" in note for note in found.notes)
    assert "SUDA" not in repr(found)
    assert "Special uniques</h2>" not in to_risk_page(found.to_dict(), name="wide")
    with pytest.raises(ParameterError, match="whole number from 1 on"):
        special_uniques(wide, ["c0"], max_size=0)
