# SPDX-License-Identifier: Apache-2.0
"""The order of first use, by the kernel and by NumPy, is that of a dictionary which the rows are put into."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.data import storage_first_uses
from discreet.data.storage_first_uses import first_uses


@pytest.mark.parametrize("by_kernel", [True, False])
@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 4000), n_texts=st.integers(1, 3000), seed=st.integers(0, 10**6), share=st.floats(0, 1))
def test_texts_are_ordered_by_first_use(n, n_texts, seed, share, by_kernel):
    codes = np.random.default_rng(seed).integers(0, n_texts, n).astype(np.int32)
    early = int(share * n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage_first_uses, "_FEW", -1 if by_kernel else 10**9)
        patch.setattr(storage_first_uses, "kernels_are_loaded", lambda: False)
        order, n_early = first_uses(codes, n_texts, early)
    assert order.tolist() == list(dict.fromkeys(codes.tolist()))
    assert n_early == len(set(codes[:early].tolist()))
