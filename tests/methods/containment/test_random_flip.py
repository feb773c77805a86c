# SPDX-License-Identifier: Apache-2.0
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from discreet import Baskets, CannotRelease, Containment, DataError, RandomFlip, Roles
from discreet.foundation.randomness import Randomness
from discreet.methods.containment.random_flip import _clusters, _Rows


@st.composite
def tables(draw):
    n, d, k = draw(st.integers(2, 12)), draw(st.integers(1, 6)), draw(st.integers(2, 4))
    matrix = np.array([[draw(st.integers(0, 1)) for _ in range(d)] for _ in range(n)])
    persons = draw(st.one_of(st.none(), st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    return matrix, persons, k


def enough(found) -> bool:
    matrix, persons, k = found
    return len(matrix if persons is None else set(persons)) >= k


# -- the slow twin of the clustering ----------------------------------------------------------------------------------


def flips(rows):
    """Cells to flip so that all rows are the majority of them."""
    return sum(min(sum(column), len(rows) - sum(column)) for column in zip(*rows, strict=True))


def slow_clusters(matrix, persons, k, first):
    """Greedy k-member on groups of equal rows, from the definition; {row: set of rows of its cluster}."""
    owner = range(len(matrix)) if persons is None else persons
    rows_of = defaultdict(list)
    for row, cells in enumerate(map(tuple, matrix.tolist())):
        rows_of[cells].append(row)
    units = [rows_of[cells] for cells in sorted(rows_of, key=lambda cells: [j for j, cell in enumerate(cells) if cell])]

    def people(unit):
        return {owner[row] for row in unit}

    def cells(unit):
        return matrix[unit].tolist()

    done = [unit for unit in units if len(people(unit)) >= k]
    left = [unit for unit in units if len(people(unit)) < k]
    seed = left[first % len(left)] if left else None
    while left:
        cluster, rest = list(seed), [unit for unit in left if unit is not seed]
        while len(people(cluster)) < k:
            useful = [unit for unit in rest if people(unit) - people(cluster)]
            if not useful:
                break
            now = flips(cells(cluster))
            best = min(useful, key=lambda unit: Fraction(flips(cells([*cluster, *unit])) - now, len(unit)))
            cluster += best
            rest.remove(best)
        if len(people(cluster)) < k:
            break
        done.append(cluster)
        left = rest
        if left:
            seed = max(left, key=lambda unit: np.abs(matrix[unit[0]] - matrix[seed[0]]).sum())
    joined = [list(cluster) for cluster in done]
    for unit in left:
        costs = [flips(cells([*cluster, *unit])) - flips(cells(cluster)) for cluster in done]
        joined[costs.index(min(costs))] += unit
    return {row: frozenset(cluster) for cluster in joined for row in cluster}


@given(tables().filter(enough))
def test_clusters_equal_the_slow_twin(found):
    matrix, persons, k = found
    rows = _Rows.of(Baskets.of(matrix, persons=persons))
    cluster = _clusters(rows, k, Randomness(3))[rows.of_row]
    ours = {row: frozenset(np.flatnonzero(cluster == cluster[row]).tolist()) for row in range(len(matrix))}
    first = int(Randomness(3).uint64(1)[0] % np.uint64(max((np.diff(rows.start) < k).sum(), 1)))
    assert ours == slow_clusters(matrix, persons, k, first)


# -- laws -------------------------------------------------------------------------------------------------------------


@given(tables().filter(enough), st.sampled_from(["majority", "member"]), st.integers(0, 9))
def test_rows_of_a_cluster_get_one_vector_and_flips_are_counted(found, vector, seed):
    matrix, persons, k = found
    method = RandomFlip(k, vector=vector, random_state=seed)
    try:
        changed = method._change(Baskets.of(matrix, persons=persons), Randomness(seed))
    except CannotRelease:
        return
    after = np.zeros_like(matrix)
    after[:, list(changed.features)] = changed.baskets.matrix.toarray()
    rows = [tuple(row) for row in after.tolist()]
    assert oracles.k_anonymity(rows, persons) >= k
    assert changed.changes.changed_cells == np.abs(after - matrix).sum()
    assert changed.changes.quasi_cells == matrix.size
    assert changed.baskets.support.min() >= 1
    assert sum(step["flipped"] for step in changed.trace) == changed.changes.changed_cells
    assert sum(step["rows"] for step in changed.trace) == len(matrix)
    members = defaultdict(list)
    for row, published in enumerate(rows):
        members[published].append(row)
    whose = range(len(matrix)) if persons is None else persons
    having = [len({p for p, cell in zip(whose, column, strict=True) if cell}) for column in matrix.T]
    common = np.array(having) >= k
    assert not after[:, ~common].any()
    for published, mine in members.items():
        if vector == "member":
            assert tuple(np.array(published)[common]) in set(map(tuple, matrix[mine][:, common].tolist()))
        else:
            assert (np.abs(matrix[mine] - published).mean(axis=0) <= 0.5)[common].all()
    assert len({(tuple(a), b) for a, b in zip(matrix.tolist(), rows, strict=True)}) == len(np.unique(matrix, axis=0))


def test_by_hand():
    """Two clusters of three; in each, one row differs from the other two in one cell."""
    X = np.array([[1, 1, 0], [1, 1, 1], [1, 1, 0], [0, 0, 1], [0, 1, 1], [0, 0, 1]])
    release = RandomFlip(3).release(X, [1, 0, 1, 0, 1, 0])
    assert Counter(map(tuple, release.data.toarray().tolist())) == {(1, 1, 0): 3, (0, 0, 1): 3}
    assert release.changes.changed_cells == 2
    assert release.certificate.changes.changed_cells == 2
    assert release.verdict.measured == 3
    assert Containment(3).check(release.baskets).holds


def test_a_tie_falls_by_lot_and_the_seed_repeats_it():
    X = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 1, 1]])  # of the first two, one has item 1
    releases = [RandomFlip(2, random_state=seed).release(X, [0, 1, 0, 1]).data.toarray() for seed in range(20)]
    assert {int(data[:, 1].sum()) for data in releases} == {2, 4}
    one, other = (RandomFlip(2, random_state=5).release(X, [0, 1, 0, 1]).data.toarray().tolist() for _ in "ab")
    assert one == other


def test_an_item_that_no_row_has_any_more_is_not_named():
    X = np.array([[1, 0], [1, 0], [1, 1], [1, 0]])
    release = RandomFlip(4).release(Baskets.of(X, [0, 1, 0, 1], names=["tea", "secret"]))
    assert release.columns == ("tea",)
    assert release.changes.columns_dropped == 1
    assert "secret" not in release.certificate.model_dump_json()


@pytest.mark.parametrize("vector", ["majority", "member"])
def test_an_item_that_fewer_than_k_persons_have_is_not_named(vector):
    X = np.zeros((6, 3), dtype=int)
    X[:, 0], X[0, 1], X[3, 2] = 1, 1, 1  # items 1 and 2 have one row each, and would survive in clusters of two
    for seed in range(5):
        assert RandomFlip(k=2, vector=vector, random_state=seed).release(X, [0, 1] * 3).features == (0,)
    twice = np.array([[1, 1], [1, 1], [1, 0], [1, 0]])  # item 1 has two rows of one person
    people = Baskets.of(twice, [0, 1, 0, 1], persons=np.array([7, 7, 8, 9]))
    for seed in range(5):
        assert RandomFlip(k=2, vector=vector, random_state=seed).release(people).features == (0,)


def test_when_no_item_is_left_nothing_is_released():
    with pytest.raises(CannotRelease, match="No item is left at k = 4"):
        RandomFlip(4).release(np.eye(4, dtype=int), [0, 1, 0, 1])


def test_rows_that_k_have_already_are_not_touched():
    X = np.array([[1, 0, 1]] * 7 + [[0, 1, 0]] * 6)
    release = RandomFlip(5).release(X, [0, 1] * 6 + [0])
    assert release.changes.changed_cells == 0
    assert len(release.owner.trace) == 2


def test_one_person_s_rows_do_not_make_a_cluster():
    X = np.array([[1, 0, 1]] * 5 + [[0, 1, 1]] * 5)
    persons = [0, 0, 0, 0, 0, 1, 2, 3, 4, 5]
    release = RandomFlip(5).release(Baskets.of(X, [0, 1] * 5, persons=persons))
    assert release.verdict.measured >= 5
    assert len({tuple(row) for row in release.data.toarray().tolist()}) == 1


def test_tables_are_binned_and_binarised_and_do_not_recode():
    rng = np.random.default_rng(0)
    table = {"age": rng.integers(20, 80, 90), "sex": rng.choice(["f", "m"], 90), "y": rng.choice(["a", "b"], 90)}
    release = RandomFlip(4, cuts={"age": [40, 60]}).release(table, Roles(target="y", quasi=["age", "sex"]))
    assert set(release.columns) <= {"age=< 40", "age=[40, 60)", "age=>= 60", "sex=f", "sex=m", "y"}
    assert release.verdict.measured >= 4
    assert release.changes.quasi_cells == 90 * 5
    with pytest.raises(DataError, match="changes whole clusters of rows"):
        release.recode(table)


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="'vector' parameter of RandomFlip"):
        RandomFlip(vector="mean").release(np.eye(2), [0, 1])
