# SPDX-License-Identifier: Apache-2.0
"""One row more tells its value where counts are exact, whatever k is; noise holds that to a bound."""

import numpy as np
import pandas as pd
import pytest

from discreet import (
    DataError,
    DifferentialPrivacy,
    Mondrian,
    PrivateTable,
    Roles,
    RolesError,
    TopDownSpecialization,
)
from discreet.evaluate.attacks.differencing import _counts, differencing
from discreet.evaluate.attacks.membership import accuracy_bound, simulated

ROLES = Roles(target="again", quasi=["age", "sex"], sensitive=["ill"])
DOMAIN = {
    "age": {"cuts": [40, 60]},
    "sex": ["f", "m"],
    "ill": {"values": ["flu", "gout", "cold"], "missing": False},
    "again": {"values": ["no", "yes"], "missing": False},
}


def people(n=60, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "sex": rng.choice(["f", "m"], n),
            "ill": rng.choice(["flu", "gout", "cold"], n),
            "again": rng.choice(["no", "yes"], n),
        }
    )


@pytest.mark.parametrize("method", [Mondrian(10), TopDownSpecialization(10)], ids=lambda m: m.name)
def test_k_does_not_help_against_one_row_more(method):
    found = differencing(method, people(), ROLES, targets=6)
    assert found.success.value == 1.0
    assert found.baseline == 1 / 3
    assert found.bound is None
    assert "'ill'" in found.question


@pytest.mark.slow
def test_noise_keeps_the_bound_and_none_does_not():
    found = differencing(PrivateTable(1.0, DOMAIN), people(), ROLES, targets=60)
    assert found.bound == accuracy_bound(1.0, choices=3)
    assert not found.breaks_promise
    exact = differencing(PrivateTable(900.0, DOMAIN), people(), ROLES, targets=30, promise=DifferentialPrivacy(1.0))
    assert exact.success.value > 0.9
    assert exact.breaks_promise


def test_counts_equal_their_slow_twin():
    rows = people(40)
    person = rows.iloc[[3]]
    from discreet import Table

    drawn = simulated(PrivateTable(50.0, DOMAIN), Table.of(rows), ROLES, 2)
    written = drawn.recode(Table.of(person)).to_arrow().to_pylist()[0]
    released = drawn.table.to_arrow().to_pylist()
    texts = ["cold", "flu", "gout"]
    near = [row for row in released if all(row[name] == written[name] for name in ("age", "sex", "again"))]
    expected = [[sum(row["ill"] == text for row in some) for text in texts] for some in (near, released)]
    found = [_counts(drawn, Table.of(person), "ill", texts, whole).tolist() for whole in (True, False)]
    assert found == expected
    assert 0 < sum(expected[0]) < sum(expected[1]) == 40


def test_the_same_seed_gives_the_same_finding():
    method = PrivateTable(2.0, DOMAIN)
    one, again = (differencing(method, people(), ROLES, column="again", targets=8, seed=4) for _ in range(2))
    assert one == again
    assert one.baseline == 0.5


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(RolesError, match="no quasi-identifier"):
        differencing(Mondrian(5), people(), ROLES, column="age")
    with pytest.raises(DataError, match="two values"):
        differencing(Mondrian(5), people().assign(ill="flu"), ROLES)
