# SPDX-License-Identifier: Apache-2.0
"""Round places for many borders at a time."""

import numpy as np
import pytest

from discreet import Roles, Table, TreeLadder
from discreet.data.column import encode
from discreet.prepare.roundness import round_places


@pytest.mark.parametrize("huge", [1e308, -1e308, 1.7e308])
def test_one_huge_number_hinders_nobody(huge):
    pays = sorted([12.3, 14.9, 31.0, huge])
    column = encode("pay", Table.of({"pay": pays}).to_arrow().column("pay"))
    cut, level = round_places(column, np.array(pays[:-1]), np.array(pays[1:]))
    assert all(a < c <= b for a, c, b in zip(pays[:-1], cut.tolist(), pays[1:], strict=True))
    assert len(level) == 3


def test_a_release_of_a_table_with_a_huge_number():
    n = 60
    table = {"pay": [float(i % 30) for i in range(n - 1)] + [1e308], "y": [int(i % 30 > 14) for i in range(n)]}
    release = TreeLadder(5, random_state=1).release(table, Roles(target="y", quasi=["pay"]))
    assert release.verdict.holds
    assert release.detail.whole > 0.1
