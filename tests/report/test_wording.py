# SPDX-License-Identifier: Apache-2.0
"""Numbers in reports never claim more than is true."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.privacy.promise import Verdict
from discreet.release.certificate import EVIDENCE
from discreet.report.wording import interval, percent, short, unsure


@given(st.floats(0, 1))
def test_nothing_and_everything_are_written_only_when_exact(share):
    text = percent(share)
    assert (text == "0 %") == (share == 0)
    assert (text == "100 %") == (share == 1)


@given(st.text(max_size=50), st.integers(2, 20))
def test_a_short_name_fits(name, most):
    assert len(short(name, most)) <= most


def test_a_difference_whose_interval_holds_nought_is_unsure():
    assert unsure({"value": -0.01, "low": -0.03, "high": 0.01})
    assert not unsure({"value": -0.02, "low": -0.03, "high": -0.01})


@pytest.mark.parametrize("kind", ["recomputed", "proved", "owner"])
def test_every_kind_of_verdict_is_explained(kind):
    assert EVIDENCE[kind].endswith(".")
    assert kind in str(Verdict.__annotations__["kind"]) or kind in str(Verdict.__doc__)


def test_an_interval_has_its_unit_once():
    assert interval({"value": 0.5, "low": 0.4, "high": 0.6}) == "40.0 to 60.0 %"
