# SPDX-License-Identifier: Apache-2.0
"""The study of TreeLadder's constants picks for a table by the others alone."""

import numpy as np
from benchmarks.frontier.constants import MEASURES, report


def test_a_table_has_no_say_in_what_is_picked_for_it():
    scores = np.array([[0.5, 0.4], [0.5, 0.4], [0.1, 0.9]])  # the last table prefers the other setting by far
    found = np.tile(scores[:, :, None, None], (1, 1, 2, len(MEASURES)))
    lines = list(report(found, ["a", "b", "c"], ["first", "other"]))
    picked = {cells[1]: cells[2:4] for cells in ([c.strip() for c in line.split("|")] for line in lines[-4:-1])}
    assert picked == {"a": ["other", "0.1000"], "b": ["other", "0.1000"], "c": ["first", "0.8000"]}
