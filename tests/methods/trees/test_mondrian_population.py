# SPDX-License-Identifier: Apache-2.0
"""Persons of a population in Mondrian's cuts: who counts, and what labels then stand for."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet import CannotRelease, Mondrian, Roles
from discreet.counting.coded_rows import CodedRows
from discreet.data.table import Table
from discreet.methods.trees.mondrian_population import PopulationRows
from discreet.recoding.axis import Axis

QUASI = ["age", "town"]


@st.composite
def samples_of_populations(draw):
    n = draw(st.integers(8, 60))
    ages = draw(st.lists(st.integers(20, 32) | st.none(), min_size=n, max_size=n))
    towns = draw(st.lists(st.sampled_from("abcdef"), min_size=n, max_size=n))
    people = list(zip(ages, towns, strict=True))
    rows = people[: draw(st.integers(4, n))]
    return rows, people


def columns(rows, **more):
    return {"age": [age for age, _ in rows], "town": [town for _, town in rows], **more}


@settings(max_examples=60, deadline=None)
@given(
    drawn=samples_of_populations(),
    k=st.integers(2, 9),
    options=st.sampled_from([{}, {"split": "information"}, {"labels": "cuts"}, {"l": 2}]),
)
def test_every_group_fits_k_persons_who_are_written_so(drawn, k, options):
    rows, people = drawn
    table = columns(rows, y=[i % 2 for i in range(len(rows))], ill=["abc"[i % 3] for i in range(len(rows))])
    assume(any(age is not None for age, _ in rows))
    roles = Roles(target="y", quasi=QUASI, sensitive=["ill"])
    try:
        release = Mondrian(k, population=columns(people), random_state=1, **options).release(table, roles)
    except CannotRelease:
        ages, towns = ({row[place] for row in rows} for place in (0, 1))
        known = sum(age in ages and town in towns for age, town in people)
        assert known < k
        return
    recoded = release.recode(columns(people))
    written = list(zip(*(recoded.column(name).to_arrow().to_pylist() for name in QUASI), strict=True))
    published = set(zip(*(release.content.column(name).to_arrow().to_pylist() for name in QUASI), strict=True))
    verdict = release.verdict.parts[0] if release.verdict.parts else release.verdict
    assert verdict.measured >= k
    assert min(map(written.count, published)) >= k


@pytest.mark.parametrize(("k", "is_c_named"), [(2, False), (3, False), (4, True)])
def test_labels_name_more_only_where_k_persons_need_it(k, is_c_named):
    """The leaf of the young has towns a and b in the table, which three persons of the population fit, and c beside."""
    rows = CodedRows.of(Table.of(columns([(20, "a"), (20, "b"), (60, "c")])), QUASI)
    people = columns(
        [(20, "a"), (20, "a"), (20, "b"), (60, "c"), (60, "c"), (60, "c"), (60, "c"), (20, "c"), (20, "c")]
    )
    outside = PopulationRows.of(people, rows, Roles(quasi=QUASI), k)
    axes = [Axis.of(rows, name, rarest=1) for name in QUASI]
    codes, leaf_of = np.concatenate([rows.codes, outside.codes]), np.array([0, 0, 1, 0])
    assert outside.named(axes, codes, leaf_of).tolist() == [True, True, True, is_c_named]


def test_who_is_like_nobody_in_a_column_is_not_counted():
    table = columns([(20, "a"), (30, "b"), (None, "b")])
    rows = CodedRows.of(Table.of(table), QUASI)
    roles = Roles(quasi=QUASI)
    people = columns([(20, "a"), (20, "b"), (30, "a"), (20, "b"), (25, "a"), (None, "a"), (30, "new")])
    found = PopulationRows.of(people, rows, roles, 2)
    assert found.row_of.tolist() == [0, 3, 4, 3, -1, 5, -1]
    assert len(found.codes) == 3
    with pytest.raises(CannotRelease, match="only 5 of it have values that the table has"):
        PopulationRows.of(people, rows, roles, 6)
    assert PopulationRows.of(0.1, rows, roles, 6) is None
