# SPDX-License-Identifier: Apache-2.0
"""Nobody tells who is in a differentially private release more often than its bound allows; without noise, anyone."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from discreet import DataError, DifferentialPrivacy, KAnonymity, Mondrian, ParameterError, PrivateTable, Roles, Table
from discreet.attacks.membership import (
    _excess,
    accuracy_bound,
    membership_of_row,
    replacement_bound,
    simulated,
    tell_apart,
)
from discreet.attacks.published import Published
from discreet.attacks.registry import run
from discreet.foundation.randomness import Randomness
from discreet.mechanisms import Geometric

DOMAIN = {"sex": ["f", "m", "x"], "ill": {"values": ["no", "yes"], "missing": False}}
ROLES = Roles(target="ill", quasi="sex")
ROWS = {"sex": ["f", "m"] * 6 + ["x"], "ill": ["no", "yes"] * 6 + ["yes"]}


# -- the bound ---------------------------------------------------------------------------------------------------------


def best_accuracy(epsilon, delta, choices):
    """The slow twin: the best that any mechanism and attacker could do, by linear programming over all of them.

    p[v, g] is the probability that the attacker names g when v is true. For every two values u and v and every set of
    names G, Pr[G | u] <= e^epsilon Pr[G | v] + delta.
    """
    cells, rows = choices * choices, []
    for u in range(choices):
        for v in range(choices):
            for names in range(1, 2**choices - 1):
                chosen = [g for g in range(choices) if names >> g & 1]
                line = np.zeros((choices, choices))
                line[u, chosen] += 1
                line[v, chosen] -= math.exp(epsilon)
                rows.append(line.ravel())
    sums = np.kron(np.eye(choices), np.ones(choices))
    found = linprog(
        -np.eye(choices).ravel() / choices, np.array(rows), np.full(len(rows), delta), sums, np.ones(choices), (0, 1)
    )
    assert len(found.x) == cells
    return -found.fun


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.5])
@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize("choices", [2, 3, 4])
def test_the_bound_is_one_and_is_the_best_there_is(epsilon, delta, choices):
    best, bound = best_accuracy(epsilon, delta, choices), accuracy_bound(epsilon, delta, choices)
    assert best <= bound + 1e-9
    if delta == 0 or choices == 2:
        assert best == pytest.approx(bound)


def test_a_replaced_row_is_two_changes_where_rows_are_added_and_removed():
    assert replacement_bound(DifferentialPrivacy(1.0)) == accuracy_bound(1.0)
    assert replacement_bound(DifferentialPrivacy(1.0, neighbours="add-remove")) == accuracy_bound(2.0)
    assert replacement_bound(KAnonymity(5)) is None
    large = DifferentialPrivacy(5.0, 0.5, neighbours="add-remove")
    assert replacement_bound(large) == 1.0


# -- the strong game ---------------------------------------------------------------------------------------------------


def noisy_count(epsilon, seed=1):
    """A count with noise: the mechanism that meets the bound."""
    mechanism, randomness = Geometric(sensitivity=1, epsilon=epsilon), Randomness(seed)
    return lambda value, runs: mechanism.simulate(np.full(runs, value), randomness)


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 3.0])
def test_a_noisy_count_is_told_as_often_as_the_bound_allows_and_no_more(epsilon):
    found = tell_apart(noisy_count(epsilon), 0, 1, DifferentialPrivacy(epsilon), runs=6000)
    assert not found.breaks_promise
    assert found.success.low <= found.bound <= found.success.high
    assert found.targets == 4000


def test_too_little_noise_is_caught():
    assert tell_apart(noisy_count(3.0), 0, 1, DifferentialPrivacy(1.0), runs=600).breaks_promise


def test_all_numbers_together_are_looked_at():
    """Each number is a coin; their sum, which no threshold on one of them sees, tells."""

    def sample(bit, runs):
        rng = np.random.default_rng(bit)
        return rng.normal(0.4 * bit, 1, (runs, 20))

    assert tell_apart(sample, 0, 1, runs=900).success.low > 0.7


def test_equal_inputs_are_not_told_apart():
    rng = np.random.default_rng(3)
    found = tell_apart(lambda _, runs: rng.integers(0, 9, (runs, 4)), 0, 1, runs=900)
    assert found.success.low < 0.5 < found.success.high
    assert found.bound is None
    with pytest.raises(ParameterError, match="30 runs"):
        tell_apart(lambda _, runs: np.zeros(runs), 0, 1, runs=5)


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize(("model", "delta"), [("cells", 0.0), ("marginals", 0.0), ("marginals", 1e-3)])
def test_synthetic_rows_keep_the_bound(neighbours, model, delta):
    private = PrivateTable(1.5, DOMAIN, delta=delta, neighbours=neighbours, model=model)
    found = membership_of_row(private, ROWS, ROLES, runs=100)
    assert found.bound == accuracy_bound(1.5, delta)
    assert not found.breaks_promise


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_rows_without_noise_do_not(neighbours):
    exact, claim = PrivateTable(500.0, DOMAIN, neighbours=neighbours), DifferentialPrivacy(1.5, neighbours=neighbours)
    caught = membership_of_row(exact, ROWS, ROLES, runs=40, promise=claim)
    assert caught.success.value == 1.0
    assert caught.breaks_promise


def test_identifiers_do_not_make_rows_differ():
    """Names are in the table and never published: the row that fewest share is the one of the sex that one has."""
    named = {**ROWS, "name": [f"p{i}" for i in range(13)]}
    roles = Roles(target="ill", quasi="sex", identifiers="name")
    method = PrivateTable(1.0, DOMAIN)
    assert membership_of_row(method, named, roles, runs=30) == membership_of_row(method, ROWS, ROLES, runs=30)


def test_the_same_seed_gives_the_same_finding_and_rows_are_needed():
    method = PrivateTable(1.0, DOMAIN)
    one, again, other = (
        membership_of_row(method, ROWS, ROLES, row=0, runs=30, random_state=seed) for seed in (5, 5, 6)
    )
    assert one == again
    assert one.success != other.success
    with pytest.raises(DataError, match="All rows are equal"):
        membership_of_row(method, {"sex": ["f"] * 5, "ill": ["no"] * 5}, ROLES)
    from discreet import LaplaceSelector

    with pytest.raises(DataError, match="publishes no rows"):
        simulated(LaplaceSelector(1.0, 1, domain={"sex": DOMAIN["sex"]}), Table.of(ROWS), ROLES, 0)


# -- the weak game -----------------------------------------------------------------------------------------------------


def excess(released, person, pool):
    """The slow twin: for each view of the row, how often the release has it for once that the pool has it."""
    names = list(released[0])
    views = [names, *([a, b] for i, a in enumerate(names) for b in names[i + 1 :] if len(names) > 2)]

    def times(rows, view):
        return sum(all(row[name] == person[name] for name in view) for row in rows)

    return sum(times(released, view) / times(pool, view) for view in views) / len(views)


@given(st.integers(0, 10**6), st.integers(2, 4))
def test_the_score_equals_its_slow_twin(seed, n_columns):
    rng = np.random.default_rng(seed)
    names = "abcd"[:n_columns]
    everyone = [{name: str(rng.integers(0, 3)) for name in names} for _ in range(20)]
    members, others, released = everyone[:12], everyone[12:], everyone[4:16]
    as_table = {name: [[row[name] for row in rows] for rows in (members, others, released)] for name in names}
    tables = [Table.of({name: as_table[name][i] for name in names}) for i in range(3)]
    published = Published(tables[2], KAnonymity(2), Roles(quasi=list(names)))
    found = _excess(published, tables[1], tables[:2], list(names))
    assert found.tolist() == pytest.approx([excess(released, person, everyone) for person in others])


def two_groups(n=400, seed=2):
    rng = np.random.default_rng(seed)
    rows = {name: rng.integers(0, 6, 2 * n).astype(str) for name in ("a", "b", "c", "d")}
    rows["again"] = rng.choice(["no", "yes"], 2 * n)
    everyone = Table.of(rows)
    return everyone.take(np.arange(n)), everyone.take(np.arange(n, 2 * n))


def test_a_table_as_it_is_tells_who_is_in_it_and_a_private_one_does_not():
    members, others = two_groups()
    roles = Roles(target="again", quasi=["a", "b", "c", "d"])
    (told,) = run(Mondrian(2).release(members, roles), members, control=others, attacks=["membership"])
    assert told.success.low > 0.5
    assert told.bound is None
    domain = {name: [str(i) for i in range(6)] for name in "abcd"} | {"again": ["no", "yes"]}
    exact = PrivateTable(900.0, domain, model="cells")
    claimed = PrivateTable(1.0, domain, model="cells", random_state=4)
    for method, caught in ((exact, True), (claimed, False)):
        drawn = simulated(method, members, roles, 3)
        published = Published(drawn.table, claimed.promise, drawn.roles)
        (found,) = run_on(published, members, others)
        assert found.bound == accuracy_bound(1.0)
        assert found.breaks_promise is caught
        assert found.targets == 400


def run_on(published, members, others):
    from discreet.attacks.case import Case
    from discreet.attacks.membership import membership

    return membership(Case(published, members, Roles(), control=others))


def test_a_control_group_is_needed():
    members, _ = two_groups(20)
    published = Published(members, DifferentialPrivacy(1.0), Roles(target="again", quasi=["a", "b"]))
    with pytest.raises(DataError, match="control group"):
        run_on(published, members, None)
