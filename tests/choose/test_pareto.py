# SPDX-License-Identifier: Apache-2.0
"""The Pareto front and its knee beside their definitions."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from discreet.choose import Criterion, knee_of, pareto_front

tables = st.integers(1, 4).flatmap(
    lambda d: st.lists(st.lists(st.integers(0, 4), min_size=d, max_size=d), min_size=1, max_size=12)
)


def criteria_of(rows, ways=None):
    ways = ways or [True] * len(rows[0])
    columns = zip(*rows, strict=True)
    return [Criterion(f"c{way}{i}", values, way) for i, (values, way) in enumerate(zip(columns, ways, strict=True))]


def beats(one, other):
    return all(a >= b for a, b in zip(one, other, strict=True)) and any(a > b for a, b in zip(one, other, strict=True))


@given(tables, st.data())
def test_the_front_is_whom_no_other_beats(rows, data):
    ways = data.draw(st.lists(st.booleans(), min_size=len(rows[0]), max_size=len(rows[0])))
    signed = [[value if way else -value for value, way in zip(row, ways, strict=True)] for row in rows]
    expected = [place for place, row in enumerate(signed) if not any(beats(other, row) for other in signed)]
    assert list(pareto_front(criteria_of(rows, ways))) == expected


@given(tables)
def test_everybody_outside_the_front_is_beaten_by_somebody_on_it(rows):
    front = pareto_front(criteria_of(rows))
    assert front
    for place in set(range(len(rows))) - set(front):
        assert any(beats(rows[member], rows[place]) for member in front)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_the_knee_is_farthest_beyond_the_line_between_the_ends(rows):
    criteria = criteria_of(rows)
    front = [rows[place] for place in pareto_front(criteria)]
    knee = knee_of(criteria)
    low, high = min(front), max(front)  # the ends: worst in the first, best in the first
    if low == high:
        assert rows[knee] == low
        return

    def beyond(point):  # twice the area of the triangle with the ends; positive on the better side
        return (high[0] - low[0]) * (point[1] - low[1]) - (high[1] - low[1]) * (point[0] - low[0])

    farthest = max(map(beyond, front))
    if farthest <= 0:
        assert knee is None
    else:
        assert knee in pareto_front(criteria)
        assert beyond(rows[knee]) == farthest


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_a_criterion_by_which_all_are_equal_makes_no_knee(rows):
    assert knee_of(criteria_of([(*row, 4) for row in rows])) == knee_of(criteria_of(rows))


def test_the_knee_does_not_depend_on_units():
    accuracy, columns = [Fraction(7, 10), Fraction(88, 100), Fraction(9, 10)], [1, 2, 9]
    for factor in (1, 1000, Fraction(1, 7)):
        scaled = Criterion("accuracy", [factor * value for value in accuracy])
        assert knee_of([scaled, Criterion("columns", columns, higher_is_better=False)]) == 1


def test_a_criterion_alone_has_its_best_as_front_and_knee():
    criteria = [Criterion("x", [1, 5, 5, 2])]
    assert pareto_front(criteria) == (1, 2)
    assert knee_of(criteria) == 1
    assert pareto_front([]) == ()
    assert knee_of([]) is None
