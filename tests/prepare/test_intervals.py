# SPDX-License-Identifier: Apache-2.0
import datetime
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.data.column import SUPPRESSED, encode
from discreet.prepare.intervals import column_cut, cut_between, interval_label, is_whole, roundest, roundest_cut

finite = st.floats(allow_nan=False, allow_infinity=False)
short = st.decimals(-1000, 1000, places=3).map(float)


def decimals(x: float) -> int:
    return max(0, -Decimal(repr(x)).normalize().as_tuple().exponent)


def test_both_sides_open_is_suppressed():
    assert interval_label(None, None, "number") == interval_label(None, None, "date") == SUPPRESSED


def test_labels_are_plain_numbers_whatever_type_the_border_has():
    assert interval_label(np.float64(0.5), np.int64(2), "number") == "[0.5, 2)"
    assert interval_label(-0.0, None, "number") == ">= 0"


def test_dates_are_written_as_columns_write_them():
    days = encode("d", pa.array([datetime.date(2020, 2, 29), datetime.date(1969, 12, 31)]))
    low, high = days.numbers
    assert interval_label(low, high, "date") == f"[{days.texts[0]}, {days.texts[1]})" == "[1969-12-31, 2020-02-29)"
    moments = encode("m", pa.array([datetime.datetime(2020, 1, 1, 8, 30), datetime.datetime(2020, 1, 1, 8, 30, 0, 7)]))
    assert interval_label(*moments.numbers, "date") == f"[{moments.texts[0]}, {moments.texts[1]})"


def test_whole_columns_are_whole_numbers_and_whole_days():
    assert is_whole(encode("a", pa.array(["1.0", "2"])))
    assert is_whole(encode("a", pa.array(["2020-01-01"])))
    assert not is_whole(encode("a", pa.array(["1.5", "2"])))
    assert not is_whole(encode("a", pa.array(["2020-01-01 10:00"])))
    assert not is_whole(encode("a", pa.array(["x"])))


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**9))
def test_a_whole_cut_is_the_whole_number_nearest_the_middle(a, width):
    b = a + width
    cut = cut_between(a, b, whole=True)
    assert a < cut <= b
    assert cut == int(cut)
    assert abs(2 * cut - a - b) <= 1


@given(finite, finite)
def test_a_cut_separates_any_two_numbers(a, b):
    assume(a < b)
    for cut in (cut_between(a, b, whole=False), roundest(a, b)):
        assert a < cut <= b
        assert math.copysign(1, cut) == 1 or cut < 0


@given(short, short)
def test_no_number_between_has_fewer_decimals_or_lies_nearer_the_middle(a, b):
    assume(a < b)
    cut, middle = cut_between(a, b, whole=False), (Decimal(repr(a)) + Decimal(repr(b))) / 2
    digits, step = decimals(cut), Decimal(1).scaleb(-decimals(cut))
    if digits:
        coarser = step * 10
        assert math.floor(Decimal(repr(b)) / coarser) * coarser <= Decimal(repr(a))  # none of its multiples in (a, b]
    nearest = abs(Decimal(repr(cut)) - middle)
    for other in (Decimal(repr(cut)) - step, Decimal(repr(cut)) + step):
        if a < float(other) <= b:
            assert nearest <= abs(other - middle)
            assert nearest < abs(other - middle) or Decimal(repr(cut)) < other


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_the_roundest_number_has_no_rounder_one_beside_it(a, width):
    b = a + width
    assume(a < b)
    cut = Decimal(repr(roundest(a, b))).normalize()
    if cut:
        coarser = Decimal(1).scaleb(cut.as_tuple().exponent + 1)
        assert math.floor(Decimal(repr(b)) / coarser) * coarser <= Decimal(repr(a))


@pytest.mark.parametrize(
    ("a", "b", "cut"),
    [(-math.inf, math.inf, 0.0), (-math.inf, 2.5, 2.0), (2.5, math.inf, 3.0), (1e300, math.inf, math.inf)],
)
def test_infinite_numbers_can_be_cut_off(a, b, cut):
    assert cut_between(a, b, whole=False) == roundest(a, b) == cut


def test_equal_numbers_have_no_cut_between_them():
    with pytest.raises(ValueError, match="different"):
        cut_between(1, 1, whole=True)


def test_moments_are_cut_on_the_clock():
    day = datetime.datetime(2020, 1, 1)
    for first, second, expected in [
        (day.replace(hour=7), day.replace(hour=9), "2020-01-01 08:00:00"),
        (day.replace(hour=7, minute=1), day.replace(hour=7, minute=4), "2020-01-01 07:02:00"),
        (day.replace(hour=20), day.replace(day=3, hour=2), "2020-01-02"),
        (day.replace(microsecond=1), day.replace(microsecond=2), "2020-01-01 00:00:00.000002"),
    ]:
        column = encode("m", pa.array([first, second, day.replace(hour=23, second=1)]))
        a, b = column.numbers[column.codes[0]], column.numbers[column.codes[1]]
        cut = column_cut(column, a, b)
        assert a < cut <= b
        assert interval_label(None, cut, "date") == f"< {expected}"


@given(st.integers(-(2**55), 2**57), st.integers(1, 10**12))
def test_moments_of_any_distance_are_separated(start, width):
    a, b = start / 86_400e6, (start + width) / 86_400e6
    assume(a < b)
    assert a < cut_between(a, b, whole=False, clock=True) <= b


def test_a_cut_avoids_numbers_where_others_are_near():
    assert cut_between(1.8, 2, whole=False, avoid=frozenset({2.0, 1.9})) == 1.91
    assert cut_between(18262, 18262.5, whole=False, clock=True, avoid=frozenset({18262.25})) == 18262 + 7 / 24
    ages, pay = encode("age", pa.array([30, 31])), encode("pay", pa.array([1.8, 1.9]))
    assert column_cut(ages, 30, 31, avoid=frozenset({31.0})) == 31  # there is no other whole number
    assert 1.8 < column_cut(pay, 1.8, 1.9, avoid=frozenset({1.9})) < 1.9


def test_the_roundest_date_is_the_first_of_a_period():
    days = encode("day", pa.array([0, 20000], pa.date32()))
    told = [((-40, 40), 0), ((18200, 18300), 18262), ((18263, 18300), 18293), ((18263, 18266), 18264)]
    for (a, b), cut in told:  # 1970-01-01, 2020-01-01, 2020-02-01, between two days of one month
        assert roundest_cut(days, a, b) == cut
