# SPDX-License-Identifier: Apache-2.0
"""Arrow tables as frames, and what is said where a library is not installed."""

import sys

import pyarrow as pa
import pytest

from discreet import DataError, Table
from discreet.foundation.frame_output import FRAMES, as_frame


def test_all_kinds_have_the_same_cells():
    table = pa.table({"age": [31, None], "sex": ["f", "m"]})
    assert [len(as_frame(table, kind)) for kind in FRAMES] == [2] * 4
    assert as_frame(table, "polars")["sex"].to_list() == ["f", "m"]


def test_a_library_that_is_not_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(DataError, match="pip install polars"):
        Table.of({"age": [31]}).to_polars()
    with pytest.raises(DataError, match="not a kind of frame"):
        Table.of({"age": [31]}).to_frame("excel")
