# SPDX-License-Identifier: Apache-2.0
"""Coded rows say what the table holds, and the same whether they came from memory or from an engine."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import DataError, Mondrian, Roles, TopDownRefinement, TopDownSpecialization, TreeLadder
from discreet.counting.coded_rows import CodedRows
from discreet.data.table import Table
from discreet.engines import DuckDB, InMemory, engine_of
from discreet.foundation.randomness import Randomness
from discreet.prepare.hierarchy import from_paths
from discreet.samples import load

QUASI = ("age", "town")


@st.composite
def tables(draw):
    n = draw(st.integers(1, 30))

    def column(cells):
        return draw(st.lists(cells, min_size=n, max_size=n))

    return {
        "age": column(st.one_of(st.none(), st.integers(0, 3))),
        "town": column(st.one_of(st.none(), st.sampled_from("abc"))),
        "ill": column(st.sampled_from(["flu", "cold", None])),
        "who": column(st.integers(0, 8)),
        "y": column(st.sampled_from(["no", "yes"])),
    }


def texts(rows):
    """The distinct rows as the values that they stand for."""
    columns = [[*column.values.to_pylist(), None] for column in rows.columns]
    return [tuple(values[code] for values, code in zip(columns, line, strict=True)) for line in rows.codes]


@given(table=tables(), person=st.sampled_from([None, "who"]))
def test_counts_and_persons_are_those_of_the_rows(table, person):
    rows = CodedRows.of(Table.of(table, kinds={"age": "number", "town": "category"}), QUASI, target="y", person=person)
    cells = list(zip(*(table[name] for name in QUASI), strict=True))
    whose = table["who"] if person else range(len(cells))
    classes = rows.target.values.to_pylist()
    by_class = Counter(zip(cells, table["y"], strict=True))
    distinct = texts(rows)
    assert set(distinct) == set(cells)
    assert len(set(distinct)) == len(rows)
    assert rows.counts.tolist() == [[by_class[row, label] for label in classes] for row in distinct]
    assert rows.n_persons == len(set(whose))
    each = rows.sizes(np.arange(len(rows)), len(rows)).tolist()
    assert each == [len({w for w, cell in zip(whose, cells, strict=True) if cell == row}) for row in distinct]
    for name in QUASI:
        values = [*rows.column(name).values.to_pylist(), None]
        persons = [len({w for w, cell in zip(whose, table[name], strict=True) if cell == value}) for value in values]
        assert rows.persons_of(name).tolist() == persons
        found = Counter(zip(table[name], table["y"], strict=True))
        assert rows.class_counts(name).tolist() == [[found[value, label] for label in classes] for value in values]
    row, code = rows.beside("ill")
    ills = [*sorted({ill for ill in table["ill"] if ill is not None}), None]
    found = {(distinct[r], ills[c]) for r, c in zip(row, code, strict=True)}
    assert found == set(zip(cells, table["ill"], strict=True))
    assert len(found) == len(row)


@given(table=tables(), person=st.sampled_from([None, "who"]))
def test_coarser_rows_add_up(table, person):
    rows = CodedRows.of(Table.of(table, kinds={"age": "number"}), QUASI, target="y", person=person)
    halves = [column.codes // 2 for column in rows.columns]
    coarse, place = rows.merged(halves, [int(half.max()) + 1 for half in halves])
    assert (coarse.codes[place] == np.column_stack(halves)).all()
    for i in range(len(coarse)):
        assert (coarse.counts[i] == rows.counts[place == i].sum(axis=0)).all()
    assert coarse.n_persons == rows.n_persons
    n = len(coarse)
    assert (coarse.sizes(np.arange(n), n) == rows.sizes(place, n)).all()


def same_columns(a, b):
    return all(x.equals(y) for x, y in zip(a, b, strict=True))


@settings(max_examples=15)
@given(table=tables(), person=st.sampled_from([None, "who"]))
def test_an_engine_gives_the_coded_rows_of_the_table(table, person):
    arrow = pa.table(
        {name: pa.array(list(map(str, cells)) if name == "who" else cells) for name, cells in table.items()}
    )
    mine = CodedRows.of(InMemory(Table.of(arrow)), QUASI, target="y", person=person)
    with DuckDB(arrow) as engine:
        theirs = CodedRows.of(engine, QUASI, target="y", person=person)
        assert same_columns(mine.columns, theirs.columns)
        assert mine.target.equals(theirs.target)
        assert np.array_equal(mine.codes, theirs.codes)
        assert np.array_equal(mine.counts, theirs.counts)
        for part in ("row", "label", "rows", "person"):
            assert np.array_equal(getattr(mine.entries, part), getattr(theirs.entries, part))
        assert all(map(np.array_equal, mine.beside("ill"), theirs.beside("ill")))


# -- a method cannot tell where its rows came from ---------------------------------------------------------------------

CLINIC = load("clinic", rows=900, random_state=3)
ROLES = CLINIC.roles
TOWN = from_paths("marital", [(value, "any", "*") for value in CLINIC.data.column("marital").texts])
METHODS = {
    "mondrian": Mondrian(5),
    "mondrian-information": Mondrian(5, split="information"),
    "mondrian-hierarchy": Mondrian(5, labels="hierarchy"),
    "mondrian-cuts": Mondrian(5, labels="cuts"),
    "mondrian-diverse": Mondrian(5, l=2),
    "tree-ladder": TreeLadder(5),
    "tree-ladder-detail": TreeLadder(5, detail=2.0),
    "tds": TopDownSpecialization(5),
    "tds-given": TopDownSpecialization(5, hierarchies={"marital": TOWN}),
    "tdr": TopDownRefinement(5),
}


def same_grouping(a, b):
    return (
        np.array_equal(a.group, b.group)
        and np.array_equal(a.codes, b.codes)
        and tuple(a.labellings) == tuple(b.labellings)
        and (a.trace, a.notes) == (b.trace, b.notes)
    )


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("name", METHODS)
def test_a_method_decides_the_same_on_rows_from_memory_and_from_an_engine(name, person):
    arrow = CLINIC.data.to_arrow().append_column("who", pa.array([i // 2 for i in range(len(CLINIC.data))]))
    roles = Roles(target=ROLES.target, quasi=ROLES.quasi, sensitive=ROLES.sensitive, person=person)

    def decided(data):
        rows = CodedRows.of(engine_of(data), roles.quasi, target=roles.target, person=roles.person)
        return METHODS[name]._decide(rows, roles, Randomness(0))

    here = decided(Table.of(arrow))
    with DuckDB(arrow) as engine:
        there = decided(engine)
    assert same_grouping(here, there)
    assert len(here.codes) == int(here.group.max()) + 1 > 1


def test_single_rows_are_refused_where_an_engine_has_them():
    arrow = CLINIC.data.to_arrow()
    with DuckDB(arrow) as engine:
        rows = CodedRows.of(engine, ROLES.quasi, target=ROLES.target)
        with pytest.raises(DataError, match="single rows"):
            Mondrian(5, relaxed=True)._decide(rows, ROLES, Randomness(0))
