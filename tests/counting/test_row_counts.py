# SPDX-License-Identifier: Apache-2.0
"""Counts of rows in memory and in parts, beside plain tallies."""

import numpy as np
import pytest

from discreet import Roles, Table
from discreet.counting import block_tally
from discreet.counting.row_counts import count_once, counted_alike, n_unique, row_counts
from discreet.counting.tally import tally
from discreet.data.table import PERSON
from stored import stored

ROLES = Roles(target="y", quasi=["a", "b"], sensitive=["s"], other=["o"])


def random_table(seed, rows=200):
    rng = np.random.default_rng(seed)

    def cells(levels, missing=0.1):
        texts = np.array([f"t{place}" for place in range(levels)], dtype=object)[rng.integers(levels, size=rows)]
        texts[rng.random(rows) < missing] = None
        return texts.tolist()

    other = np.round(rng.random(rows) * rows, rng.integers(0, 3)).tolist()
    return Table.of({"a": cells(4), "b": cells(5), "y": cells(2, 0), "s": cells(6), "o": other})


def same(one, other):
    assert one.columns == other.columns
    assert np.array_equal(one.codes, other.codes)
    assert np.array_equal(one.counts, other.counts)
    assert np.array_equal(one.sizes, other.sizes)
    assert all(mine.equals(theirs) for mine, theirs in zip(one.values, other.values, strict=True))


@pytest.mark.parametrize("seed", range(12))
def test_counts_are_those_of_a_tally(tmp_path, seed):
    table = random_table(seed)
    parts, _ = stored(table, tmp_path / "p", parts=1 + seed % 4)
    for content in (table, parts):
        counts = row_counts(content, ROLES)
        asked = [(["a", "b"], "y"), (["b"], None), (["s", "a"], "y"), (["a", "b", "s"], None), ([], "y")]
        for columns, target in asked:
            same(counts.tally(columns, target=target), tally(table, columns, target=target))
        same(counts.tally(["o"]), tally(table, ["o"]))  # not counted before
        assert counts.distinct(["a", "b"]).names == ("a", "b")
        assert n_unique(content, ["a"]) >= int((tally(table, ["a"]).sizes == 1).sum())


@pytest.mark.parametrize("seed", range(6))
def test_persons_in_parts_are_counted_in_passes(tmp_path, monkeypatch, seed):
    monkeypatch.setattr(block_tally, "MOST_PAIRS", 40)
    table, rng = random_table(seed), np.random.default_rng(seed)
    persons = rng.integers(60, size=len(table))
    parts, files = stored(table, tmp_path / "p", parts=3, persons=persons)
    content, roles = parts.with_persons(files, ROLES)
    by_person, with_person = table.with_persons(persons, ROLES)
    for columns in (["a", "b"], ["s"], ["a", "b", "y"]):
        found = row_counts(content, roles).tally(columns, person=PERSON)
        same(found, tally(by_person, columns, person=with_person.person))


def test_unique_rows_of_parts_are_counted_where_they_are_many(tmp_path, monkeypatch):
    monkeypatch.setattr(block_tally, "MOST_PAIRS", 100)  # several passes
    table = Table.of({"a": ["x"] * 300, "o": [*range(290), *[5.5] * 10], "t": [f"n{i % 290}" for i in range(300)]})
    parts, _ = stored(table, tmp_path / "p")
    assert n_unique(parts, ["o"]) == n_unique(table, ["o"]) == 290
    assert n_unique(parts, ["t"]) == n_unique(table, ["t"]) == 280
    assert n_unique(parts, ["a"]) <= 150
    assert n_unique(parts, ["o", "t"]) == n_unique(table, ["o", "t"])


def test_distinct_rows_are_merged_while_blocks_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(block_tally, "_FEW", 3)
    table = random_table(3)
    parts, _ = stored(table, tmp_path / "p", parts=9)
    same(row_counts(parts, ROLES).tally(["a", "b"], target="y"), tally(table, ["a", "b"], target="y"))


@pytest.mark.parametrize("seed", range(3))
def test_rows_are_counted_by_the_tally_they_should_have_or_without_it(tmp_path, seed):
    """As expected the result is the same; with other rows, or without some of them, all are counted anew."""
    table = random_table(seed)
    fewer = table.take(np.arange(120))
    for place, written in enumerate((table, random_table(seed + 7), fewer)):
        for content in (written, stored(written, tmp_path / str(place))[0]):
            count_once(table, ROLES)
            count_once(content, ROLES, like=table)
            found = row_counts(content, ROLES).tally(["a", "b"], target="y")
            same(found, tally(written, ["a", "b"], target="y"))


def test_rows_are_counted_alike_only_if_they_are_the_same(tmp_path):
    """Equally many distinct rows are not the same rows; order and the values that do not occur say nothing."""
    rows = {"a": ["u", "u", "v", "w", None], "y": ["0", "1", "1", "0", "0"]}
    roles = Roles(target="y", quasi=["a"])

    def counted(cells):
        table = Table.of(cells)
        count_once(table, roles)
        return table

    here = counted(rows)
    assert counted_alike(here, counted(rows))
    assert counted_alike(here, counted({name: cells[::-1] for name, cells in rows.items()}))
    in_parts, _ = stored(Table.of(rows), tmp_path / "parts")
    count_once(in_parts, roles)
    assert counted_alike(in_parts, here)
    assert not counted_alike(here, counted(rows | {"a": ["u", "u", "v", "x", None]}))
    assert not counted_alike(here, counted(rows | {"a": ["u", "v", "v", "w", None]}))
    assert not counted_alike(here, counted(rows | {"y": ["0", "1", "0", "0", "0"]}))
    assert not counted_alike(here, counted(rows | {"a": ["u", "u", "v", "w", "w"]}))
