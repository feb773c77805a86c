# SPDX-License-Identifier: Apache-2.0
"""What `recode` writes for rows that kACTUS-2 released: the lowest published node on their way down the tree."""

import numpy as np
import pytest

import discreet as ds
from discreet import KActus2
from discreet.counting.coded_rows import CodedRows
from discreet.foundation.randomness import Randomness
from discreet.methods.trees import kactus


def texts(columns, names):
    return list(zip(*(columns[name][0].to_arrow().to_pylist() for name in names), strict=True))


@pytest.mark.parametrize("pool", [False, True])
@pytest.mark.parametrize("name", ["tic_tac_toe", "clinic"])
def test_rows_are_recoded_as_the_lowest_published_node_on_their_way(name, pool, monkeypatch):
    seen, grouping_of = {}, kactus._grouping

    def spied(rows, coded, nodes, moves, batch, swapped):
        seen.update(coded=coded, nodes=nodes, moves=moves, batch=batch)
        return grouping_of(rows, coded, nodes, moves, batch, swapped)

    monkeypatch.setattr(kactus, "_grouping", spied)
    sample = ds.samples.load(name)
    rows = CodedRows.of(sample.data, sample.roles.quasi, target=sample.roles.target)
    grouping = KActus2(5, pool=pool)._decide(rows, sample.roles, Randomness(0))
    nodes, released = seen["nodes"], np.flatnonzero(grouping.group >= 0)
    node_of_batch = [batch.node for batch in seen["moves"].batches]
    published = set(node_of_batch)
    names = sample.roles.quasi
    written = texts(grouping.plan_for_new_rows.apply(sample.data), names)
    shown = texts(grouping.columns(np.maximum(grouping.group, 0)), names)
    ends = nodes.ends(seen["coded"].rows.codes)[seen["coded"].place[rows.group_of_row]]
    pattern = {}
    for row in released:
        pattern[node_of_batch[seen["batch"][row]]] = shown[row]
    higher = 0
    for row in released:
        way = [int(ends[row])]
        while way[-1] > 0:
            way.append(int(nodes.parent[way[-1]]))
        lowest = next(node for node in way if node in published)
        at = node_of_batch[seen["batch"][row]]
        assert written[row] == pattern[lowest]
        assert at in way  # a released row stands there, or higher: it shows the same, or less
        higher += lowest != at
    given = sum(sum(counts) for _, _, counts in seen["moves"].given)
    assert given <= higher < 0.1 * len(released)
    assert (higher > 0) == (name == "tic_tac_toe")
