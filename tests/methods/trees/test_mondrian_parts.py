# SPDX-License-Identifier: Apache-2.0
"""Mondrian in parts: the tree, the labels and the published rows of all rows at once, wherever the parts are cut."""

import tempfile
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import DataError, Mondrian, Roles, verify
from discreet.counting.coded_rows import CodedRows
from discreet.counting.coding import ListedCells
from discreet.counting.router import Router
from discreet.data.table import Table
from discreet.engines import estimate, raw_cells
from discreet.engines.duckdb import DuckDB
from discreet.engines.memory import InMemory
from discreet.engines.parts_sink import PartsSink
from discreet.methods.trees import mondrian, mondrian_outgrown
from discreet.methods.trees.mondrian_least import stacked
from discreet.methods.trees.mondrian_levels import CutRule, router_of, top_of
from discreet.methods.trees.mondrian_parts import cut_in_parts

QUASI = ("age", "town", "pay", "job")
ROLES = Roles(target="ill", quasi=QUASI, sensitive=["drug"], other=["note"])
SETTINGS = [
    {},
    {"split": "information", "least": 4},
    {"labels": "cuts"},
    {"labels": "cuts", "split": "information", "least": 3},
    {"labels": "local"},
    {"labels": "hierarchy"},
    {"labels": "hierarchy", "split": "information", "least": 3},
]


def people(n, seed, ties=50):
    """Numbers with ties and with missing ones, categories with rare and missing ones."""
    random = np.random.default_rng(seed)
    rare = [f"job {place}" for place in range(30)]
    return pa.table(
        {
            "age": random.integers(0, ties, n),
            "town": [None if random.random() < 0.1 else f"t{place}" for place in random.integers(0, 6, n)],
            "pay": [None if random.random() < 0.1 else round(pay, 1) for pay in random.normal(0, 10, n).tolist()],
            "job": ["nurse" if random.random() < 0.9 else str(random.choice(rare)) for _ in range(n)],
            "ill": random.integers(0, 3, n),
            "drug": [f"d{place}" for place in random.integers(0, 4, n)],
            "note": [f"n{place % 40}" for place in range(n)],
        }
    )


def in_memory(arrow):
    return InMemory(Table.of(arrow))


ENGINES = pytest.mark.parametrize("engine_of", [in_memory, DuckDB])


@ENGINES
@pytest.mark.parametrize("asked", SETTINGS, ids=str)
@settings(max_examples=8)
@given(n=st.integers(4, 300), seed=st.integers(0, 10**6), k=st.integers(2, 4), most=st.integers(1, 80))
def test_the_tree_is_that_of_all_rows_at_once(asked, engine_of, n, seed, k, most):
    arrow, method = people(n, seed), Mondrian(k, **asked)
    rows = CodedRows.of(Table.of(arrow), QUASI, target="ill")
    whole = method._decide(rows, ROLES, None)
    axes = method._axes(rows, ROLES, k)
    rule = CutRule(
        max(k, asked.get("least", 0)),
        stacked([axis.position for axis in axes]),
        asked.get("split") == "information",
        asked.get("labels") == "cuts",
    )
    parted = cut_in_parts(engine_of(arrow), axes, rule, most=most, judged=["ill"])
    assert np.array_equal(parted.plan.column, whole.plan.column)
    assert np.array_equal(parted.plan.left, whole.plan.left)
    assert np.array_equal(parted.plan.cut, whole.plan.cut, equal_nan=True)
    for ours, theirs, own, other in zip(
        parted.plan.labels, whole.plan.labels, parted.plan.codes.T, whole.plan.codes.T, strict=True
    ):
        assert [ours[code] for code in own] == [theirs[code] for code in other]
    assert np.array_equal(parted.lookup.find(list(rows.codes.T)), whole.group)
    leaf, (ill,), n_rows = parted.judged
    counts = np.zeros((len(parted.plan.codes), rows.counts.shape[1]), dtype=int)
    np.add.at(counts, (leaf, ill), n_rows)
    expected = np.zeros_like(counts)
    np.add.at(expected, whole.group, rows.counts)
    assert np.array_equal(counts, expected)
    assert np.array_equal(parted.sizes, np.bincount(rows.rows))


def test_a_node_that_cannot_be_cut_is_a_part_however_large():
    """1,000 rows with one age and two towns, one of them of three persons: no cut leaves five on both sides."""
    arrow = pa.table({"age": [40] * 1000, "town": ["a"] * 997 + ["b"] * 3})
    engine, method = DuckDB(arrow), Mondrian(5, labels="local")
    roles = Roles(quasi=["age", "town"])
    rows = CodedRows.of(engine, roles.quasi)
    axes = method._axes(rows, roles, 5)
    rule = CutRule(5, stacked([axis.position for axis in axes]))
    parted = cut_in_parts(engine, axes, rule, most=10)
    assert parted.plan.column.tolist() == [-1]
    assert parted.sizes.tolist()[3] == 1
    assert parted.sizes.tolist()[997] == 1


def test_no_part_that_can_be_cut_has_more_rows_than_asked(monkeypatch):
    arrow = people(2000, seed=1, ties=2000)
    engine = DuckDB(arrow)
    rows = CodedRows.of(engine, QUASI)
    axes = Mondrian(5)._axes(rows, Roles(quasi=QUASI), 5)
    ranks = [axis.rank_of_code[: axis.column.levels] for axis in axes]
    top = top_of(engine, QUASI, ranks, CutRule(5, stacked([axis.position for axis in axes])), most=100)
    sizes = np.bincount(router_of(top, ranks).find([rows.codes[:, c] for c in range(4)]), rows.rows)
    assert [node.rows for node in top.parts] == sizes.tolist()
    assert sizes.min() >= 5
    assert sizes.max() <= 100


# -- releases ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def outgrown(monkeypatch):
    monkeypatch.setattr(estimate, "FEW", 10)
    monkeypatch.setattr(mondrian, "decided_in_parts", partial(mondrian.decided_in_parts, most=60))


OF_VALUES = [
    {"l": 2},
    {"l": 3, "split": "information", "least": 4},
    {"l": 1.8, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive", "c": 1.5},
    {"t": 0.3},
    {"t": 0.25, "distance": "equal", "split": "information", "least": 5},
    {"label_known": True},
    {"l": 2, "t": 0.4, "label_known": True, "labels": "cuts"},
]


@pytest.mark.parametrize("asked", [*SETTINGS, *OF_VALUES], ids=str)
def test_the_published_rows_are_those_of_a_table_in_memory(asked, outgrown, tmp_path):
    arrow = people(500, seed=3)
    expected = Mondrian(3, **asked).release(arrow, ROLES)
    with DuckDB(arrow) as engine:
        release = Mondrian(3, **asked).release(engine, ROLES)
        release.save(tmp_path / "out")
    assert release.owner.trace == expected.owner.trace
    assert release.column_changes == expected.column_changes
    assert release.changes == expected.changes
    assert release.losses.groups == expected.losses.groups
    assert release.losses.certainty_penalty == pytest.approx(expected.losses.certainty_penalty, abs=1e-12)
    assert verify(tmp_path / "out" / "release").holds
    rows = pq.read_table(tmp_path / "out" / "release" / "table")
    names = list(expected.columns)
    assert Counter(map(tuple, zip(*(rows.column(name).to_pylist() for name in names), strict=True))) == Counter(
        zip(*(expected.data.column(name).to_pylist() for name in names), strict=True)
    )


@pytest.mark.parametrize(
    ("asked", "roles", "why"),
    [
        ({}, Roles(target="ill", quasi=QUASI, person="note"), "persons are counted"),
        ({"population": 0.5}, ROLES, "a population is asked"),
        ({"split": "information"}, ROLES, "least is to be chosen"),
    ],
)
def test_what_needs_all_distinct_rows_is_refused_where_they_are_too_many(asked, roles, why, outgrown):
    with DuckDB(people(500, seed=3)) as engine, pytest.raises(DataError, match=f"{why}.*Round or leave out"):
        Mondrian(3, **asked).release(engine, roles)


def test_few_distinct_rows_are_counted_at_once(outgrown):
    arrow = pa.table({"age": [30, 40] * 500, "ill": [0, 1, 1, 0] * 250})
    assert not mondrian_outgrown.outgrow_memory(DuckDB(arrow), ["age"])
    assert mondrian_outgrown.outgrow_memory(DuckDB(people(500, seed=3)), QUASI)


# -- histograms -------------------------------------------------------------------------------------------------------


@ENGINES
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 200))
def test_histograms_are_counts_by_node_rank_and_class(engine_of, seed, n):
    arrow = people(n, seed)
    engine, names = engine_of(arrow), ("age", "town")
    codings = [engine.coding(name) for name in names]
    assert all(isinstance(coding, ListedCells) for coding in codings)
    ranks = [np.arange(len(coding.values) + 1) for coding in codings]
    nodes = np.array([[0, 20, 1], [-1, 0, 0], [1, 2, 3], [-1, 0, 1], [-1, 0, 2]], dtype=np.int32)
    counted = engine.histograms(Router(ranks, nodes), names, opened=[2, 0], by="ill")
    age, town, ill = (Table.of(arrow).column(name).codes for name in (*names, "ill"))
    ends = np.where(age < 20, 0, np.where(town < 2, 1, 2))
    for place, end in enumerate((2, 0)):
        for c, codes in enumerate((age, town)):
            expected = Counter(zip(codes[ends == end].tolist(), ill[ends == end].tolist(), strict=True))
            found = counted.of[c][place]
            assert {(r, y): found[r, y] for r, y in zip(*found.nonzero(), strict=True)} == expected


def test_codes_are_kept_where_only_this_user_can_read_and_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    engine = DuckDB(people(50, seed=1), temp_directory=tmp_path)
    first = [batch[0].tolist() for batch in engine.coded(["age"])]
    files = list(tmp_path.rglob("codes"))
    assert len(files) == 1
    assert all(path.stat().st_mode & 0o077 == 0 for path in (files[0].parent, files[0].parent.parent))
    assert [batch[0].tolist() for batch in engine.coded(["age"])] == first
    del engine
    assert not list(tmp_path.rglob("codes"))


def test_rows_are_read_once_and_their_codes_are_gone_when_parts_are_written(outgrown, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    read, left, batches, write = [], [], DuckDB._batches, PartsSink.write

    def reading(self, names):
        read.append(set(names))
        return batches(self, names)

    def writing(self, rows):
        left.extend([*tmp_path.rglob("codes"), *tmp_path.rglob("found")])
        write(self, rows)

    monkeypatch.setattr(DuckDB, "_batches", reading)
    monkeypatch.setattr(PartsSink, "write", writing)
    with DuckDB(people(500, seed=3), temp_directory=tmp_path) as engine:
        release = Mondrian(3).release(engine, ROLES)
    assert len(release.content) == 500
    assert read == [{*QUASI}, {*QUASI, "ill", "drug", "note"}]  # for the estimate, and all else
    assert left == []


def test_rows_with_a_column_of_too_many_cells_are_read_again(outgrown, monkeypatch):
    """Their cells have no codes, which could be kept beside the leaf."""
    monkeypatch.setattr(raw_cells, "MOST_LISTED", 10)
    arrow = people(300, seed=3).append_column("number", pa.array(np.arange(300) // 2))
    roles = replace(ROLES, other=("note", "number"))
    expected = Mondrian(3, random_state=0).release(arrow, roles)
    with DuckDB(arrow) as engine:
        release = Mondrian(3, random_state=0).release(engine, roles)
        assert sorted(map(str, release.content.to_arrow().to_pylist())) == sorted(
            map(str, expected.table.to_arrow().to_pylist())
        )


def test_the_estimate_of_histograms_needs_no_files():
    assert 400 <= DuckDB(people(500, seed=3)).likely_distinct(QUASI) <= 500
