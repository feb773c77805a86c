# SPDX-License-Identifier: Apache-2.0
"""Selectors on distinct rows select what they select on all rows, and containment measures the same."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Baskets, CannotRelease, Containment, GreedySelector, KAnonymity, KmSelector, Roles, Table
from discreet.methods.selector import Selector

ROLES = Roles(target="y", quasi=["age", "town", "flag", "job"], other=["pay"])
ASKED = [
    (GreedySelector, {}),
    (GreedySelector, {"utility": "distcnt", "on_infeasible": "stop"}),
    (GreedySelector, {"utility": "cm", "constraint": "k-anonymity"}),
    (GreedySelector, {"absences": 1, "label_known": True}),
    (KmSelector, {}),
    (KmSelector, {"m": 3, "utility": "hamdist"}),
]


def people(n, seed):
    rng = np.random.default_rng(seed)
    job = rng.choice(["nurse", "clerk", "smith"], n, p=[0.6, 0.3, 0.1])
    age = rng.integers(20, 60, n)
    return pa.table(
        {
            "age": age,
            "town": pa.array(rng.choice(["a", "b", "c"], n), mask=rng.random(n) < 0.1),
            "flag": rng.integers(0, 2, n),
            "job": job,
            "pay": rng.integers(0, 5, n),
            "y": np.where((age > 40) ^ (rng.random(n) < 0.2) | (job == "smith"), "yes", "no"),
        }
    )


@settings(max_examples=12)
@given(st.integers(60, 500), st.integers(0, 10**6), st.sampled_from(ASKED), st.integers(2, 12))
def test_the_same_release_as_on_all_rows(n, seed, asked, k):
    table, (cls, parameters) = people(n, seed), asked
    method = cls(k, random_state=1, **parameters)

    class OnRows(cls):
        decides_on_counts = Selector.decides_on_counts

    found, refused = outcome(method, table)
    expected, refusal = outcome(OnRows(k, random_state=1, **parameters), table)
    assert refused == refusal
    if not refusal:
        assert found.table.to_arrow().equals(expected.table.to_arrow())
        assert (found.certificate, found.losses) == (expected.certificate, expected.losses)
        assert (found.owner.trace, found.owner.notes) == (expected.owner.trace, expected.owner.notes)


def outcome(method, table):
    try:
        return method.release(table, ROLES), ""
    except CannotRelease as error:
        return None, str(error)


@pytest.mark.parametrize(
    "promise", [Containment(3), Containment(2, 1), Containment(2, 0, True), KAnonymity(2)], ids=str
)
def test_a_table_is_measured_as_the_baskets_of_its_rows(promise):
    rng = np.random.default_rng(2)
    items, labels = (rng.random((400, 5)) < 0.6).astype(int), rng.integers(0, 2, 400)
    table = Table.of({**{f"i{j}": items[:, j] for j in range(5)}, "y": labels})
    found = promise.check(table, Roles(target="y", quasi=[f"i{j}" for j in range(5)]))
    expected = promise.check(Baskets.of(items, labels, names=[f"i{j}" for j in range(5)]))
    assert (found.holds, found.measured, found.rows, found.rows_short, found.with_label) == (
        expected.holds, expected.measured, expected.rows, expected.rows_short, expected.with_label
    )  # fmt: skip
    assert found.details == expected.details
    assert found.notes == expected.notes
