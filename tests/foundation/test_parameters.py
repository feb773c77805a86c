# SPDX-License-Identifier: Apache-2.0
from numbers import Integral, Real
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import _param_validation as theirs

from discreet import ParameterError
from discreet.errors import DiscreetError
from discreet.foundation.parameters import Interval, StrOptions, check_parameters

values = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.floats(-5, 5), st.just(float("nan")), st.sampled_from("ab")
)
ends = st.one_of(st.none(), st.integers(-3, 3))


@given(values, st.sampled_from([Integral, Real]), ends, ends, st.sampled_from(["left", "right", "both", "neither"]))
def test_ranges_are_those_of_scikit_learn(value, kind, left, right, closed):
    if left is not None and right is not None and left > right:
        left, right = right, left
    if isinstance(value, bool):
        return  # scikit-learn takes True for 1; a count that is True is a mistake
    try:
        reference = theirs.Interval(kind, left, right, closed=closed).is_satisfied_by(value)
    except ValueError:  # an empty range, or closed at infinity: scikit-learn does not make these
        return
    assert Interval(kind, left, right, closed).allows(value) == reference


@pytest.mark.parametrize(
    ("ranges", "value", "words"),
    [
        ([Interval(Integral, 2, None, closed="left")], 1, "must be an int in the range [2, inf). Got 1 instead."),
        ([Interval(Real, 0, 1, closed="both"), None], 2, "must be a float in the range [0, 1] or None. Got 2 instead."),
        ([StrOptions({"b", "a"}), callable], "c", "must be a str among {'a', 'b'} or a callable. Got 'c' instead."),
        ([Integral, dict, None], "x", "must be an int, an instance of 'dict' or None. Got 'x' instead."),
        ([Interval(Integral, 2, None, closed="left")], True, "Got True instead."),
        ([Integral, None], True, "Got True instead."),
    ],
)
def test_words(ranges, value, words):
    class Method(SimpleNamespace):
        pass

    with pytest.raises(ParameterError) as caught:
        check_parameters(Method(k=value), {"k": ranges})
    assert str(caught.value).startswith("The 'k' parameter of Method must be")
    assert words in str(caught.value)
    assert isinstance(caught.value, (DiscreetError, ValueError, TypeError))


def test_what_is_allowed_passes():
    check_parameters(
        SimpleNamespace(k=np.int64(3), f=len, n=None),
        {
            "k": [Interval(Integral, 2, None, closed="left")],
            "f": [callable],
            "n": [None, dict],
        },
    )
