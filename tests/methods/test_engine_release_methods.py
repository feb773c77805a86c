# SPDX-License-Identifier: Apache-2.0
"""Every method on an engine: it publishes what it publishes of a table in memory, or refuses before any work."""

import re
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet import (
    CannotRelease,
    DataError,
    ExponentialSelector,
    KActus2,
    LaplaceSelector,
    Ledger,
    PrivateFwell,
    PrivateTable,
    Roles,
    verify,
)
from discreet.counting.coded_rows import CodedRows
from discreet.counting.row_lookup import RowLookup
from discreet.data.cells import Cells
from discreet.data.column import from_labels
from discreet.data.table import Table
from discreet.engines import DuckDB
from discreet.engines.parts_sink import PartsSink
from discreet.foundation.randomness import Randomness
from discreet.methods import METHODS
from discreet.methods.apply_groups import ApplyGroups
from discreet.methods.noise.engine_levels import PersonNumbers, TextNumbers, counted_levels
from discreet.methods.noise.private_rows import persons_of
from discreet.methods.trees import kactus_ranks
from discreet.methods.trees.kactus_moves import KeyedMoves, allotted
from discreet.methods.trees.kactus_ranks import Alike, keys_of_cells
from discreet.methods.trees.kactus_rows import Stock
from discreet.methods.trees.kactus_walk import Moves
from discreet.privacy.noise import KEY
from discreet.recoding.public_domain import Domain
from engine_cases import assert_same_release
from instances import DOMAIN, INSTANCES, PERSON_ROLES, ROLES, people

PAGE = Path(__file__).parents[2] / "docs" / "scale-methods.md"
ARROW = pa.Table.from_pandas(people().reset_index(drop=True), preserve_index=False)
PRIVATE = (PrivateTable, LaplaceSelector, ExponentialSelector, PrivateFwell)


class Untouched:
    """An engine that must not be asked for anything but its columns."""

    names = tuple(ARROW.column_names)

    def __len__(self):
        raise AssertionError

    def tally(self, *_, **__):
        raise AssertionError

    values = coding = publish = cells = coded = histograms = likely_distinct = tally


def refusal(method, roles):
    """Why the method refuses an engine before any work; empty if it asks the engine for something."""
    try:
        method.release(Untouched(), roles)
    except AssertionError:
        return ""
    except DataError as error:
        return str(error)
    return ""


def test_every_method_has_an_instance_that_is_tried():
    assert {type(instance.make(3)) for instance in INSTANCES.values()} == {METHODS[name] for name in METHODS}


@pytest.mark.parametrize("name", INSTANCES)
def test_a_method_runs_on_an_engine_or_refuses_before_any_work(name):
    method = instance(name)
    why = refusal(method, ROLES)
    if why:
        assert re.search(r"Read them as a table|releases .*, not table", why), why
        return
    if isinstance(method, PRIVATE):
        assert method.release(DuckDB(ARROW), ROLES).verdict.holds
        return
    expected = method.release(ARROW, ROLES)
    with DuckDB(ARROW) as engine:
        release = method.release(engine, ROLES)
    assert_same_release(release, expected)


def instance(name):
    """The instance of a method; differential privacy has a domain, and no seed."""
    method = INSTANCES[name].make(3)
    if not isinstance(method, PRIVATE):
        return method.set_params(random_state=4)
    if isinstance(method, PrivateFwell):
        sample = np.arange(6 * len(ROLES.quasi)).reshape(6, -1) / 30  # public, as many columns as the table
        return method.set_params(reference=None if method.reference is None else (sample, ["yes", "no"] * 3))
    further = ("ill", "stay") if isinstance(method, PrivateTable) else ()
    return method.set_params(domain=domain_of((*ROLES.quasi, "again", *further)))


def test_the_page_says_of_each_method_what_the_code_does():
    """The table in docs/scale-methods.md names every method; those that refuse are the ones that it says."""
    lines = [line.split("|")[1:4] for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    said = {line[0].strip().strip("`"): line[1].strip() for line in lines}
    assert set(said) == set(METHODS)
    for name in METHODS:
        instances = [instance(key) for key in INSTANCES if type(INSTANCES[key].make(3)) is METHODS[name]]
        runs = [not refusal(method, ROLES) for method in instances]
        assert said[name] == ("yes" if all(runs) else "partly" if any(runs) else "no"), name


# -- kACTUS ------------------------------------------------------------------------------------------------------------


@settings(max_examples=8, deadline=None)
@given(
    n=st.integers(60, 300),
    seed=st.integers(0, 1000),
    k=st.integers(5, 30),
    asked=st.sampled_from(
        [
            {},
            {"swap": 0.6},
            {"pool": True},
            {"swap": 0.4, "inducer": "sklearn"},
            {"l": 2},
            {"t": 0.6},
            {"label_known": True},
        ]
    ),
    roles=st.sampled_from([ROLES, PERSON_ROLES]),
)
def test_kactus2_moves_the_rows_that_it_moves_in_memory(n, seed, k, asked, roles):
    arrow = pa.Table.from_pandas(people(n, seed).reset_index(drop=True), preserve_index=False)
    method = KActus2(k, min_objects=1, confidence=0.5, random_state=seed, **asked)
    try:
        expected = method.release(arrow, roles)
    except CannotRelease as error:
        with pytest.raises(CannotRelease, match=re.escape(str(error))):
            method.release(DuckDB(arrow), roles)
        return
    assert_same_release(method.release(DuckDB(arrow), roles), expected)


@pytest.mark.parametrize(("swap", "given"), [(0, 18), (0.9, 0)])
def test_kactus2_moves_rows_of_an_engine(swap, given):
    """A table of which 18 rows have to move: to a group that shows less, or into the place of another value."""
    arrow = pa.Table.from_pandas(people(300, 0).reset_index(drop=True), preserve_index=False)
    method = KActus2(15, min_objects=1, confidence=0.5, swap=swap, random_state=2)
    release = method.release(DuckDB(arrow), ROLES)
    assert release.owner.trace[1]["rows given to fill up others"] == given
    assert release.changes.swapped_cells == 18 - given
    assert_same_release(release, method.release(arrow, ROLES))


def noted(n_other):
    """Two entries of 20 rows; what tells the rows of an entry apart is a note."""
    return pa.table({"x": [0] * 20 + [1] * 20, "y": [0] * 40, "note": [f"n{i % n_other}" for i in range(40)]})


@cache
def engine_of_notes(n_other):
    return DuckDB(noted(n_other))


def moving(n_other, seed):
    """Of the rows of two entries in one leaf, 40 in all, ten leave."""
    arrow, rows = noted(n_other), CodedRows.of(engine_of_notes(n_other), ["x"], target="y")
    alike = Alike.of(rows, ["y"], Randomness(seed))
    moves, parent = Moves(), np.array([-1, 0, 0])
    moves.publish(1, Stock([30]), 1)
    moves.given.append((1, moves.publish(2, Stock([10]), 2), [10]))
    moved = allotted(moves, parent, np.array([1, 1]), np.zeros(2, dtype=np.int64), alike)
    lookup = KeyedMoves(RowLookup(rows.codes), np.array([0, 0]), alike, moved, np.array([0, 1]))
    return arrow, alike, lookup


def found_in(engine, lookup, alike, batches, numbers=None):
    """The pattern of each row, asked for in batches."""
    listed, note = [engine.coding("x", listed=True), engine.coding("y", listed=True)], engine.coding("note")
    lookup.find_split(engine, listed, [note], alike.key, bytes(32))
    found = []
    for batch in batches:
        codes = [one.codes(batch.column(one.name)) for one in listed]
        found.append(
            lookup.find_moved(
                codes, lambda rows, batch=batch: keys_of_cells(alike.key, [note], batch.take(rows)), numbers
            )
        )
    return np.concatenate(found)


def test_rows_that_move_are_drawn_from_all_of_their_leaf_alike():
    """Ten of 40 rows leave, any ten as likely as any others, whether they are alike or not.

    A row leaves with probability 1/4: over 100 draws 25 times with a standard deviation of 4.3, below 3 or above 47 not
    once in a million. Of each entry of 20 rows a hypergeometric number leaves, with mean 5 and variance 1.92; rows that
    are alike and went one after the other would give 0 and 10 in turn, with variance 25.
    """
    times, of_first = np.zeros(40, dtype=int), []
    for seed in range(100):
        arrow, alike, lookup = moving(40, seed)
        found = found_in(engine_of_notes(40), lookup, alike, arrow.to_batches(max_chunksize=13))
        assert found.sum() == 10
        of_first.append(int(found[:20].sum()))
        times += found
    assert 3 <= times.min() <= times.max() <= 47
    assert 4.3 < np.mean(of_first) < 5.7
    assert 0.7 < np.var(of_first) < 3.5


def test_the_order_in_which_rows_go_does_not_depend_on_how_many_are_looked_at_together(monkeypatch):
    _, alike, _ = moving(3, 1)
    entries, whole = np.arange(2), [alike.first(np.arange(2), n).tolist() for n in range(41)]
    monkeypatch.setattr(kactus_ranks, "_SLOTS", 7)
    assert [alike.first(entries, n).tolist() for n in range(41)] == whole
    assert all(whole[n] == whole[40][:n] for n in range(41))
    assert alike.first(entries[:0], 3).tolist() == []


@pytest.mark.parametrize("n_other", [1, 3, 40])
def test_moved_rows_are_published_twice_alike(tmp_path, n_other):
    """Equal rows move in turn, and begin anew: the second publication moves as many as the first."""
    arrow, alike, lookup = moving(n_other, 1)
    with DuckDB(arrow) as engine:
        found_in(engine, lookup, alike, arrow.to_batches())
        listed, note = [engine.coding(name, listed=True) for name in ("x", "y")], engine.coding("note")
        shown = from_labels("x", ["stays", "moved"], np.array([0, 1]))
        apply = ApplyGroups.found_by(
            lookup, {"x": [shown]}, listed[:1], kept=[note, listed[1]], beside=listed[1:],
            keys=partial(keys_of_cells, alike.key, [note]),
        )  # fmt: skip
        for place in ("one", "two"):
            with PartsSink(tmp_path / place) as sink:
                assert engine.publish(apply.columns, apply, bytes(32), sink) == 40
    one, two = (sorted(map(str, pq.read_table(tmp_path / place).to_pylist())) for place in ("one", "two"))
    assert one == two
    assert sum("moved" in row for row in one) == 10


@pytest.mark.parametrize("n_other", [1, 3, 40])
def test_as_many_rows_leave_as_were_asked_for_however_many_are_equal(n_other):
    arrow, alike, lookup = moving(n_other, 1)
    found = found_in(DuckDB(arrow), lookup, alike, arrow.to_batches(max_chunksize=7))
    assert np.bincount(found).tolist() == [30, 10]


def test_rows_that_were_not_counted_are_noticed():
    arrow, alike, lookup = moving(3, 1)
    with pytest.raises(DataError, match="changed"):
        found_in(DuckDB(arrow.slice(0, 9)), lookup, alike, [])
    assert found_in(DuckDB(arrow), lookup, alike, arrow.to_batches()).sum() == 10
    codes = [np.array([0, -1]), np.array([0, 0])]
    assert -1 in lookup.find_moved(codes, lambda rows: np.zeros(len(rows), dtype=np.uint64), None)


def test_kactus_leaves_out_the_same_number_of_rows_and_saves(tmp_path):
    arrow = pa.Table.from_pandas(people(900).reset_index(drop=True), preserve_index=False)
    method = KActus2(4, swap=0.6, inducer="sklearn", random_state=3)
    with DuckDB(arrow) as engine:
        release = method.release(engine, ROLES)
    assert release.changes.rows_dropped == method.release(arrow, ROLES).changes.rows_dropped > 0
    release.save(tmp_path / "out")
    assert verify(tmp_path / "out/release").holds


# -- differential privacy ----------------------------------------------------------------------------------------------


def domain_of(names):
    return {name: DOMAIN[name] for name in names}


@pytest.mark.filterwarnings("ignore::discreet.PrivacyLeakWarning")
@pytest.mark.parametrize("roles", [ROLES, PERSON_ROLES], ids=["rows", "persons"])
@pytest.mark.parametrize(
    "asked",
    [{"model": "cells"}, {"model": "marginals"}, {"neighbours": "add-remove"}, {"delta": 1e-6}, {"numbers": True}],
    ids=str,
)
def test_private_tables_are_those_of_memory_for_the_same_seed(roles, asked):
    names = ["again", "age", "sex", "town", "job", "ill", "stay"]
    method = PrivateTable(1.0, domain_of(names), rows_per_person=2, random_state=5, **asked)
    ours, theirs = method.simulate(DuckDB(ARROW), roles), method.simulate(ARROW, roles)
    assert ours.table.to_arrow().equals(theirs.table.to_arrow())
    assert ours.noise == theirs.noise


@pytest.mark.filterwarnings("ignore::discreet.PrivacyLeakWarning")
@pytest.mark.parametrize("roles", [ROLES, PERSON_ROLES], ids=["rows", "persons"])
@pytest.mark.parametrize("cls", [LaplaceSelector, ExponentialSelector])
def test_private_picks_are_those_of_memory_for_the_same_seed(cls, roles):
    for seed in range(8):
        method = cls(1.0, 4, domain=domain_of(ROLES.quasi), random_state=seed)
        assert method.simulate(DuckDB(ARROW), roles) == method.simulate(ARROW, roles)


@pytest.mark.parametrize("roles", [ROLES, PERSON_ROLES], ids=["rows", "persons"])
def test_private_weights_are_those_of_the_same_rows_in_memory(roles, monkeypatch):
    """With the same randomness, which a release never has."""
    monkeypatch.setattr(PrivateFwell, "_leaks", lambda *_: [])
    for seed in range(3):
        method = PrivateFwell(2.0, n_features=2, random_state=seed)
        with DuckDB(ARROW) as engine:
            assert method.release(engine, roles).content.content == method.release(ARROW, roles).content.content


def test_rows_of_an_engine_are_weighed_in_an_order_that_does_not_depend_on_them(monkeypatch):
    """Blocks go by the number of a row; an engine may hand sorted rows out."""
    seen = []
    weigh = PrivateFwell._release_weights
    monkeypatch.setattr(
        PrivateFwell, "_release_weights", lambda self, *data: (seen.append(data[:2]), weigh(self, *data))[1]
    )
    for source in (DuckDB(ARROW), DuckDB(ARROW), ARROW):
        PrivateFwell(2.0, n_features=2).release(source, ROLES)
    one, two, memory = ([(*map(str, row), label) for row, label in zip(*data, strict=True)] for data in seen)
    assert sorted(one, key=str) == sorted(two, key=str) == sorted(memory, key=str)
    assert one != memory  # the same order by chance: once in the factorial of the number of different rows
    assert one != two


@pytest.mark.parametrize(
    ("method", "roles", "error", "message"),
    [
        (PrivateFwell(1.0, random_state=1), ROLES, CannotRelease, "seed"),
        (PrivateTable(1.0), ROLES, CannotRelease, "domain"),
        (PrivateTable(1.0, domain_of(["again"])), ROLES, DataError, "domain"),
        (PrivateTable(1.0, DOMAIN, random_state=1), ROLES, CannotRelease, "seed"),
        (LaplaceSelector(1.0), ROLES, CannotRelease, "domain"),
        (PrivateTable(1.0, DOMAIN), Roles(target="nobody", quasi=["age"]), discreet.RolesError, "nobody"),
    ],
)
def test_nothing_is_counted_or_spent_before_a_refusal(method, roles, error, message, tmp_path):
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_limit("clinic", epsilon=2.0)
    engine = DuckDB(ARROW)
    engine.cells = engine.tally = engine.coded = None  # nothing of it can be called
    with pytest.raises(error, match=message):
        method.release(engine, roles, account=ledger.account("clinic"))
    assert ledger.left("clinic").epsilon == 2.0


def grown(path, n):
    path.write_text("a,y,id\n" + "".join(f"{i % 2},{i % 3},{i}\n" for i in range(n)))
    return path


@pytest.mark.parametrize("person", [None, "id"])
def test_noise_is_for_the_rows_that_are_read_not_for_those_counted_before(tmp_path, person):
    engine = DuckDB(grown(tmp_path / "rows.csv", 10))
    assert len(engine) == 10
    grown(tmp_path / "rows.csv", 1000)
    roles = Roles(target="y", quasi=["a"], person=person)
    release = LaplaceSelector(1.0, 1, domain={"a": ["0", "1"]}).release(engine, roles)
    alone = LaplaceSelector(1.0, 1, domain={"a": ["0", "1"]}).release(DuckDB(tmp_path / "rows.csv"), roles)
    assert release.content.content[KEY] == alone.content.content[KEY]
    assert PrivateTable(1.0, {"a": ["0", "1"], "y": ["0", "1", "2"]}).release(engine, roles).verdict.holds


@pytest.mark.parametrize("person", [None, "id"])
@pytest.mark.parametrize("n", [9, 1000])
def test_rows_that_change_before_they_are_read_are_refused(tmp_path, person, n):
    class Growing(DuckDB):
        def cells(self, columns):
            grown(tmp_path / "rows.csv", n)
            return super().cells(columns)

    engine = Growing(grown(tmp_path / "rows.csv", 10))
    with pytest.raises(DataError, match="changed"):
        LaplaceSelector(1.0, 1, domain={"a": ["0", "1"]}).release(engine, Roles(target="y", quasi=["a"], person=person))


def test_a_release_is_paid_once(tmp_path):
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_limit("clinic", epsilon=2.0)
    with DuckDB(ARROW) as engine:
        PrivateTable(0.5, DOMAIN).release(engine, ROLES, account=ledger.account("clinic"))
    assert ledger.left("clinic").epsilon == 1.5


def test_texts_and_persons_are_numbered_over_batches():
    numbers, persons = TextNumbers(), PersonNumbers()
    assert numbers(Cells.of(["b", None, "a"])).tolist()[0] == numbers(Cells.of(["a", "b"])).tolist()[1]
    first, second = persons(Cells.of(["x", None, None])), persons(Cells.of([None, "x"]))
    assert first[0] == second[1]
    assert len({*first[1:], second[0]}) == 3


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("ids", [list, lambda ids: [*map(str, ids)], lambda ids: pa.array(ids).dictionary_encode()])
def test_no_two_persons_are_taken_for_one(ids):
    table = pa.table({"id": ids([1234567890123456789 + i for i in range(100)]), "age": ["x"] * 50 + ["z"] * 50})
    levels = [("age", Domain.of({"age": ["x", "z"]}, Roles(quasi=["age"])).columns[0].codes)]
    of_engine = counted_levels(DuckDB(table), levels, person="id", most=1, randomness=Randomness(0))
    assert of_engine.n_rows == len(np.unique(persons_of(Table.by_cells(table).cells("id")))) == 100


def test_a_release_of_an_engine_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert PrivateTable(1.0, DOMAIN).release(DuckDB(ARROW), ROLES).verdict.holds
