# SPDX-License-Identifier: Apache-2.0
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.prepare.intervals import roundest
from discreet.prepare.whole_cuts import readable_whole_cuts

PAIRS = st.tuples(st.integers(-(10**9), 10**9), st.integers(1, 10**6)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(st.lists(PAIRS, max_size=20))
def test_many_cuts_are_those_made_one_by_one(pairs):
    low, high = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    assert readable_whole_cuts(low, high).tolist() == [roundest(a, b, fives=True) for a, b in pairs]
