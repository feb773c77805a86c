# SPDX-License-Identifier: Apache-2.0
from itertools import product
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from checks import published_bytes
from discreet import CannotRelease, Ledger, ParameterError, PrivacyLeakWarning, PrivateTable, Roles, Table, verify
from discreet.cli.app import app
from discreet.evaluate.audit import audit
from discreet.evaluate.utility import holdout
from discreet.foundation.randomness import Randomness
from discreet.methods.noise import private_table
from discreet.methods.noise.engine_levels import counted
from discreet.methods.noise.private_rows import some_rows
from discreet.methods.noise.private_table_cells import consistent, rows_of, simplex
from discreet.methods.noise.private_table_numbers import drawn_numbers
from discreet.prepare.intervals import reach
from discreet.recoding.public_domain import Domain
from discreet.release.verify_recount import domain_problems
from instances import people

ROLES = Roles(target="y", quasi=("a", "b"))
DOMAIN = {"y": [0, 1], "a": {"values": [0, 1], "missing": False}, "b": {"values": [0, 1, 2], "missing": False}}
FALSE_ALARM = 1e-8


def table_of(rows):
    y, a, b = zip(*rows, strict=True)
    return Table.of({"y": list(y), "a": list(a), "b": list(b)})


# -- cells -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_the_sensitivity_of_the_cells_is_exact(neighbours):
    """Every table of two rows of 12 kinds, and every neighbour of it."""
    kinds = list(product(range(2), range(2), range(3)))
    sizes = (2, 2, 3)

    def cells(rows):
        return counted([np.array(line) for line in zip(*rows, strict=True)], sizes)

    largest = 0
    for rows in product(kinds, repeat=2):
        others = (
            [(kind, rows[1]) for kind in kinds] if neighbours == "replace-one" else [(*rows, kind) for kind in kinds]
        )
        largest = max(largest, *(int(np.abs(cells(rows) - cells(other)).sum()) for other in others))
    release = PrivateTable(1.0, DOMAIN, neighbours=neighbours).release(table_of(kinds), ROLES)
    assert release.noise[0].sensitivity == largest
    assert release.noise[0].scale == largest


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=30))
def test_cells_are_counted_and_rows_are_made_of_them(rows):
    counts = counted([np.array(line) for line in zip(*rows, strict=True)], (3, 4))
    assert counts.tolist() == [rows.count(cell) for cell in product(range(3), range(4))]
    assert sorted(map(tuple, rows_of(counts, (3, 4)).T.tolist())) == sorted(rows)


@given(st.lists(st.integers(-20, 30), min_size=1, max_size=12), st.integers(0, 60), st.integers(0, 99))
def test_consistent_counts_are_whole_not_negative_and_nearest(counts, total, seed):
    found = consistent(np.array(counts), total, Randomness(seed))
    assert found.sum() == total
    assert (found >= 0).all()
    assert np.abs(found - nearest(counts, total)).max() < 1


@given(st.lists(st.floats(-20, 30), min_size=1, max_size=8), st.floats(0, 60))
def test_simplex_is_the_nearest_point(values, total):
    assert simplex(np.array([values]), total)[0] == pytest.approx(nearest(values, total), abs=1e-6)


def nearest(values, total):
    """The slow twin: the number that is taken off every value is found by halving."""
    low, high = min(values) - total - 1, max(values)
    for _ in range(200):
        off = (low + high) / 2
        low, high = (off, high) if sum(max(v - off, 0) for v in values) > total else (low, off)
    return np.maximum(np.array(values, dtype=float) - high, 0)


def test_a_large_budget_gives_the_table_back():
    rows = [(y, a, b) for y, a, b in product(range(2), range(2), range(3)) for _ in range(5 + y + 2 * b)]
    release = PrivateTable(1000.0, DOMAIN).release(table_of(rows), ROLES)
    found = release.table.to_arrow().to_pandas().astype(int)[["y", "a", "b"]]
    assert sorted(map(tuple, found.to_numpy().tolist())) == sorted(rows)


def test_values_that_are_numbers_come_in_their_order_and_stay_what_they_are():
    """Listed in disorder: the model counts them in order, and the rows have them as often as the table."""
    rng = np.random.default_rng(0)
    visits, sick = rng.choice([0, 1, 2, 5, 10, 20], 600, p=[0.3, 0.05, 0.25, 0.1, 0.2, 0.1]), rng.integers(0, 2, 600)
    domain = {"y": [0, 1], "visits": ["10", "0", "20", "5", "1", "2"], "place": ["b", "a"]}
    table = Table.of({"y": sick.tolist(), "visits": visits.tolist(), "place": ["a", "b"] * 300})
    method = PrivateTable(1e3, domain, model="marginals", random_state=0)
    with pytest.warns(PrivacyLeakWarning), mock.patch.object(private_table, "fit", wraps=private_table.fit) as fitted:
        drawn = method.simulate(table, Roles(target="y", quasi=("visits", "place"))).data
    codes, *_, ordered, _, _ = fitted.call_args.args
    assert ordered == [2, 6, 0]
    assert np.array_equal(codes[1], np.searchsorted([0, 1, 2, 5, 10, 20], visits))
    assert np.array_equal(np.sort(np.asarray(drawn["visits"], dtype=int)), np.sort(visits))


def test_empty_cells_that_nobody_has_are_not_made_up_by_a_small_budget():
    """Each column has an empty cell, as domains have by default; drawn towards equal shares, a fifth would be empty."""
    rng = np.random.default_rng(0)
    names = [f"c{place}" for place in range(12)]
    domain = {"y": [0, 1]} | {name: ["a", "b", "c", "d"] for name in names}
    rows = {"y": rng.integers(0, 2, 1000)} | {name: rng.choice(list("abcd"), 1000) for name in names}
    empty = []
    for seed in range(4):
        with pytest.warns(PrivacyLeakWarning):
            drawn = PrivateTable(0.1, domain, random_state=seed).simulate(Table.of(rows), Roles("y", quasi=names)).table
        empty.append(
            np.mean([drawn.column(name).has_missing * (drawn.column(name).codes == 4).mean() for name in names])
        )
    assert np.mean(empty) < 0.15


def test_more_cells_than_can_be_counted_are_refused_with_advice():
    domain = DOMAIN | {"a": list(range(2999)), "b": {"cuts": list(range(2998))}}
    with pytest.raises(CannotRelease, match=r"18,000,000 cells.*marginals.*wider intervals"):
        PrivateTable(1.0, domain, model="cells").release(table_of([(0, 1, 2)] * 5), ROLES)


# -- audits of the whole release ---------------------------------------------------------------------------------------

SMALL = {"y": [0, 1], "a": {"values": [0, 1], "missing": False}}
SMALL_ROLES = Roles(target="y", quasi="a")


def outcomes(method):
    """The published rows as counts of the four cells, for many runs."""

    def sample(rows, runs):
        table = Table.of({"y": [y for y, _ in rows], "a": [a for _, a in rows]})
        domain, found = Domain.of(SMALL, SMALL_ROLES), np.empty((runs, 4), dtype=int)
        for run in range(runs):
            made = method._draw(table, SMALL_ROLES, domain, Randomness()).table
            cells = [np.array(made.column(n).texts).astype(int)[made.column(n).codes] for n in ("y", "a")]
            found[run] = np.bincount(2 * cells[0] + cells[1], minlength=4)
        return found

    return sample


ONE = [(0, 0)] * 4 + [(1, 1)] * 3
OTHER = {"replace-one": [(1, 0), *ONE[1:]], "add-remove": [(1, 0), *ONE]}


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_an_audit_of_the_release_does_not_refute_the_claim(neighbours):
    """That the same audit, with as many runs, finds what is broken, the next test shows."""
    method = PrivateTable(2.0, SMALL, neighbours=neighbours)
    found = audit(outcomes(method), ONE, OTHER[neighbours], runs=1500, false_alarm=FALSE_ALARM)
    assert found.epsilon <= 2.0


def test_an_audit_finds_noise_on_cells_that_are_not_empty_only(monkeypatch):
    """A row alone in its cell: it is published now and then, and never where the cell is empty."""
    real = private_table.noisy
    monkeypatch.setattr(private_table, "noisy", lambda c, *more: np.where(c > 0, real(c, *more), 0))
    method = PrivateTable(2.0, SMALL, neighbours="add-remove")
    assert audit(outcomes(method), ONE, OTHER["add-remove"], runs=1500, false_alarm=FALSE_ALARM).refutes(2.0)


# -- persons -----------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 4), max_size=20), st.integers(1, 3), st.integers(0, 9))
def test_of_each_person_at_most_so_many_rows_are_taken(persons, most, seed):
    kept = some_rows(np.array(persons, dtype=int), most, Randomness(seed))
    assert sorted(set(kept)) == kept.tolist()
    for person in set(persons):
        assert sum(persons[row] == person for row in kept) == min(most, persons.count(person))


def test_every_row_of_a_person_is_taken_now_and_then():
    taken = {int(some_rows(np.zeros(4, dtype=int), 1, Randomness())[0]) for _ in range(200)}
    assert taken == {0, 1, 2, 3}


def test_persons_make_the_number_of_rows_private():
    rows = Table.of({"y": [0, 1] * 30, "a": [0, 1] * 30, "b": [2] * 60, "who": [0] * 50 + list(range(10))})
    roles = Roles(target="y", quasi=("a", "b"), person="who")
    for neighbours, sensitivity in (("replace-one", 6), ("add-remove", 3)):
        method = PrivateTable(1.0, DOMAIN, neighbours=neighbours, rows_per_person=3)
        releases = [method.release(rows, roles) for _ in range(24)]  # one of three has a single row, by noise alone
        assert releases[0].noise[0].sensitivity == sensitivity
        assert len({release.rows for release in releases}) > 1
    exact = PrivateTable(1000.0, DOMAIN, rows_per_person=3).release(rows, roles)
    assert exact.rows == 3 + 9


@pytest.mark.parametrize(
    "wrong", [{"epsilon": 0}, {"domain": 3}, {"neighbours": "near"}, {"rows_per_person": 0}, {"random_state": "x"}]
)
def test_parameters_are_checked(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        PrivateTable(**({"epsilon": 1.0, "domain": DOMAIN} | wrong)).release(table_of([(0, 1, 2)] * 5), ROLES)


# -- whole releases ----------------------------------------------------------------------------------------------------

TOML = """
again = ["no", "yes"]
age.cuts = [30, 50, 70]
sex = ["f", "m"]
"""


def test_at_the_command_line(tmp_path):
    people().to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "public.toml").write_text(TOML, encoding="utf-8")
    out = tmp_path / "out"
    roles = ["--target", "again", "--quasi", "age,sex", "--identifier", "name"]
    how = ["--method", "private-table", "--set", "epsilon=2", "--set", f"domain={tmp_path / 'public.toml'}"]
    done = CliRunner().invoke(app, ["release", str(tmp_path / "people.csv"), *roles, *how, "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "2-differential privacy holds" in done.output
    assert b"public.toml" not in published_bytes(out / "release")
    printed = CliRunner().invoke(app, ["verify", str(out / "release")]).output
    assert "geometric: scale 1, L1 sensitivity 2" in printed
    refused = CliRunner().invoke(
        app, ["release", str(tmp_path / "people.csv"), *roles, *how[:2], "-o", str(tmp_path / "no")]
    )
    assert refused.exit_code != 0
    assert not (tmp_path / "no").exists()


def test_a_release_is_paid_for_by_its_concentrated_loss_where_there_is_a_delta(tmp_path):
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_limit("clinic", epsilon=2.0, delta=1e-6, accounting="zcdp")
    method = PrivateTable(0.8, DOMAIN, delta=1e-6, model="marginals")
    rows = table_of([(0, 1, 2), (1, 0, 0)] * 20)
    for _ in range(2):
        method.release(rows, ROLES, account=ledger.account("clinic"))
    spent = [entry.budget for entry in ledger.entries("clinic")]
    assert [budget.rho < 0.8**2 / 2 for budget in spent] == [True, True]


def test_classifiers_learn_from_the_rows_what_they_would_have_learnt():
    """The label follows age and sex; a release of 4,000 rows tells."""
    roles = Roles(target="again", quasi=("age", "sex"))
    domain = {"again": ["no", "yes"], "age": {"cuts": list(range(25, 90, 10))}, "sex": ["f", "m"]}
    for model in ("cells", "marginals"):
        found = holdout(PrivateTable(1.0, domain, model=model), people(4000), roles)
        assert found.difference.value > -0.04
        assert found.accuracy_after.low > found.majority.value + 0.1


@pytest.mark.parametrize("odd", ["inf", "text", "\0", "1e999", ",", "é", '"a\nb"', "2020-01-31"])
def test_no_cell_of_a_file_keeps_the_command_from_a_release(tmp_path, odd):
    """Of the file only its form is public: columns, lines, the first of them."""
    rows = people(30)[["age", "sex", "again", "who"]].astype(object)
    rows.iloc[3, 0] = rows.iloc[4, 2] = rows.iloc[5, 3] = odd
    rows.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "public.toml").write_text(TOML, encoding="utf-8")
    roles = ["--target", "again", "--quasi", "age,sex", "--person", "who"]
    how = ["--method", "private-table", "--set", "epsilon=2", "--set", f"domain={tmp_path / 'public.toml'}"]
    command = ["release", str(tmp_path / "people.csv"), *roles, *how, "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("rows", ["", "31,f,no\n"])
def test_a_file_without_rows_is_released_like_one_with_a_row_where_their_number_is_private(tmp_path, rows):
    (tmp_path / "people.csv").write_text(f"age,sex,again\n{rows}", encoding="utf-8")
    (tmp_path / "public.toml").write_text(TOML, encoding="utf-8")
    command = ["release", str(tmp_path / "people.csv"), "--target", "again", "--quasi", "age,sex"]
    how = ["--method", "private-table", "--set", f"domain={tmp_path / 'public.toml'}", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*command, *how, "--set", "neighbours=add-remove"])
    assert done.exit_code == 0, done.output
    assert CliRunner().invoke(app, [*command, *how[:-1], str(tmp_path / "no")]).exit_code == (0 if rows else 2)


# -- rows without a person's id ----------------------------------------------------------------------------------------


def test_a_row_without_an_id_is_a_person_of_its_own():
    roles = Roles(target="y", quasi=("a", "b"), person="who")
    rows = {"y": [0, 1] * 100, "a": [0, 1] * 100, "b": [2] * 200, "who": [None] * 200}
    assert PrivateTable(1000.0, DOMAIN).release(rows, roles).rows == 200
    rows["who"] = ["", "NA", float("inf"), 7] * 50
    assert PrivateTable(1000.0, DOMAIN).release(rows, roles).rows == 151


class Fixed(Randomness):
    """Priorities that are known."""

    def __init__(self, priorities):
        super().__init__(0)
        self.priorities = priorities

    def uint64(self, n):
        return np.array(self.priorities[:n], dtype=np.uint64)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=9),
    st.permutations(range(10)),
    st.integers(0, 8),
    st.integers(0, 4),
    st.integers(1, 3),
)
def test_with_the_priorities_fixed_one_id_moves_one_row_and_a_person_no_others(persons, priorities, row, other, most):
    """At most one row leaves and one comes where a row changes its person; a new person's rows touch no others."""
    row %= len(persons)
    changed = [*persons[:row], other, *persons[row + 1 :]]
    kept, after = (set(some_rows(np.array(who), most, Fixed(priorities)).tolist()) for who in (persons, changed))
    assert len(kept - after) <= 1
    assert len(after - kept) <= 1
    joined = set(some_rows(np.array([*persons, 9]), most, Fixed(priorities)).tolist())
    assert joined - {len(persons)} == kept
    assert len(joined - kept) == 1


# -- numbers in place of intervals -------------------------------------------------------------------------------------


@given(
    st.lists(
        st.one_of(st.integers(-50, 50), st.floats(-50, 50).map(lambda x: round(x, 2))),
        min_size=1,
        max_size=5,
        unique=True,
    ),
    st.integers(0, 99),
)
@settings(max_examples=60)
def test_a_number_is_drawn_within_its_interval(cuts, seed):
    cuts = tuple(float(cut) for cut in sorted(set(map(float, cuts))))
    codes = np.random.default_rng(seed).integers(0, len(cuts) + 2, 200)
    drawn = drawn_numbers(cuts, codes, Randomness(seed))
    missing = codes > len(cuts)
    assert np.isnan(drawn[missing]).all()
    assert (np.searchsorted(cuts, drawn[~missing], side="right") == codes[~missing]).all()
    low, high = reach(cuts)
    assert ((low <= drawn[~missing]) & (drawn[~missing] < high)).all()
    if all(cut.is_integer() for cut in cuts):
        assert (drawn[~missing] % 1 == 0).all()


def test_numbers_follow_the_heights_of_the_intervals_beside_them():
    """In the middle one of three intervals with 0, 1,000 and 2,000 rows the upper half has more: the line rises from
    500 to 1,500, so the lower half has 3/8 of its rows."""
    codes = np.repeat([1, 2], [1000, 2000])
    drawn = drawn_numbers((0.5, 10.5, 20.5), codes, Randomness(1))[:1000]
    assert 320 < np.count_nonzero(drawn < 5.5) < 430  # 375 +- 15


def test_numbers_are_released_verified_and_recoded_as_numbers(tmp_path):
    rows = Table.of({"age": [31, 47, 58, 72] * 50, "sex": ["f", "m"] * 100, "ill": ["no", "no", "yes", "yes"] * 50})
    domain = {"age": {"cuts": [40, 65], "missing": False}, "sex": ["f", "m"], "ill": ["no", "yes"]}
    release = PrivateTable(5.0, domain, numbers=True).release(rows, Roles(target="ill", quasi=("age", "sex")))
    assert release.table.column("age").kind == "number"
    found = verify(release.save(tmp_path / "out") / "release")
    assert found.certificate.method.parameters["numbers"] is True
    again = release.recode(Table.of({"age": [33, 99], "sex": ["f", "x"], "ill": ["no", "yes"]}))
    assert again.column("age").to_arrow().to_pylist() == [33, 99]
    assert again.column("sex").to_arrow().to_pylist() == ["f", None]


@pytest.mark.parametrize("cell", ["90", "14", "47.5", "[40, 65)"])
def test_a_number_that_no_draw_gives_is_found(cell):
    """Cuts at 40 and 65: from 15 to 90, whole."""
    column = Table.of({"age": [cell, "50"]}, kinds={} if cell[0] != "[" else {"age": "category"}).column("age")
    content = SimpleNamespace(names=("age",), value_columns=lambda names: [column])
    domain = {"age": {"cuts": [40, 65], "missing": False}}
    assert domain_problems(content, domain, numbers=True)
    fine = SimpleNamespace(names=("age",), value_columns=lambda names: [Table.of({"age": [15, 89]}).column("age")])
    assert not domain_problems(fine, domain, numbers=True)
    assert domain_problems(fine, domain)
