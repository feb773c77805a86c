# SPDX-License-Identifier: Apache-2.0
"""Releases of an engine's rows beside those of the same table in memory, for every method that decides on counts."""

from collections import Counter
from functools import cache

import numpy as np
import pyarrow as pa

from discreet import (
    GreedySelector,
    KActus,
    KActus2,
    KAdet,
    KmSelector,
    LaplaceSelector,
    MaximalSelector,
    Mondrian,
    OptimalSelector,
    PrivateTable,
    Roles,
    Table,
    TopDownRefinement,
    TopDownSpecialization,
    TreeLadder,
)
from discreet.data.stored_table import StoredTable
from discreet.samples import load

METHODS = {
    "ladder": (TreeLadder, {}),
    "ladder l": (TreeLadder, {"l": 2}),
    "ladder label": (TreeLadder, {"label_known": True}),
    "mondrian": (Mondrian, {}),
    "mondrian information": (Mondrian, {"split": "information"}),
    "mondrian l": (Mondrian, {"l": 2}),
    "mondrian t": (Mondrian, {"t": 0.6}),
    "mondrian cuts": (Mondrian, {"labels": "cuts"}),
    "tds": (TopDownSpecialization, {}),
    "tds global": (TopDownSpecialization, {"recoding": "global"}),
    "tdr": (TopDownRefinement, {}),
    "greedy": (GreedySelector, {}),
    "greedy distcnt": (GreedySelector, {"utility": "distcnt", "constraint": "k-anonymity"}),
    "km": (KmSelector, {}),
    "maximal": (MaximalSelector, {}),
    "optimal": (OptimalSelector, {"utility": "information"}),
    "kactus": (KActus, {"min_objects": 1, "confidence": 0.5}),
    "kactus2": (KActus2, {"swap": 0.5, "min_objects": 1, "confidence": 0.5}),
    "kactus2 l": (KActus2, {"l": 2, "min_objects": 1, "confidence": 0.5}),
    "kadet": (KAdet, {}),
}
EACH = {  # every method once, quick enough for large tables
    "ladder": {},
    "mondrian": {},
    "tds": {},
    "tdr": {},
    "greedy": {},
    "km": {},
    "maximal": {},
    "optimal": {"utility": "hamdist"},
    "kactus": {"min_objects": 2, "confidence": 0.25},
    "kactus2": {"min_objects": 2, "confidence": 0.25},
    "kadet": {},
}
DOMAIN = {
    "y": ["no", "yes"],
    "age": {"cuts": [25, 30, 35]},
    "job": ["nurse", "clerk", "smith", "baker"],
    "born": {"cuts": ["1970-01-10", "1970-01-20"]},
    "ill": ["flu", "gout", "cold"],
    "pay": {"cuts": [2, 4]},
}
QUASI = ["age", "job", "born"]
ROLES = Roles(target="y", quasi=QUASI, sensitive=["ill"], other=["pay"], identifiers=["name"])
BY_PERSON = Roles(target="y", quasi=QUASI, sensitive=["ill"], other=["pay"], person="who")


def people(n, seed=0):
    """A table with missing cells, several spellings, dates, persons with several rows, a column without a role."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 40, n)
    return pa.table(
        {
            "name": pa.array([f"name {i}" for i in range(n)]),
            "pay": pa.array(rng.integers(0, 12, n) / 2, mask=rng.random(n) < 0.1),
            "age": pa.array([str(a) if a % 3 else f"{a}.0" for a in age]),
            "job": pa.array(rng.choice(["nurse", "clerk", "smith", "?", "baker"], n)),
            "y": pa.array(np.where(rng.random(n) < np.where(age < 27, 0.1, 0.6), "yes", "no")),
            "born": pa.array(rng.integers(0, 30, n).astype("datetime64[D]"), mask=rng.random(n) < 0.05),
            "ill": pa.array(rng.choice(["flu", "gout", "cold"], n)),
            "who": pa.array([f"p{p}" for p in rng.integers(0, max(2 * n // 3, 1), n)]),
            "unused": pa.array(rng.random(n)),
        }
    )


@cache
def adult():
    return load("adult")


@cache
def release_of_adult(name):
    """What a method releases of Adult in memory, made once for all engines."""
    return method_of_adult(name).release(adult().data, adult().roles)


def method_of_adult(name):
    return method_of(name, k=20, **EACH[name])


def method_of(name, k=3, **other):
    cls, parameters = METHODS[name]
    return cls(k=k, random_state=1, **parameters | other)


def rows_of(content):
    """The published rows with their persons, as a multiset."""
    if isinstance(content, Table):
        return Counter(tuple(row.values()) for row in content.to_arrow().to_pylist())
    assert isinstance(content, StoredTable)
    return Counter(tuple(row.values()) for block, _ in content.blocks() for row in block.to_arrow().to_pylist())


def with_persons(release):
    """How many persons have which published rows; their numbers mean nothing."""
    content, persons = release.content, release.owner.persons
    if isinstance(content, Table):
        blocks = [(content, persons)]
    else:
        blocks = content.with_persons(persons, release.roles)[0].blocks()
    rows_of_person = {}
    for block, whose in blocks:
        for row, person in zip(block.to_arrow().to_pylist(), whose.tolist(), strict=True):
            rows_of_person.setdefault(person, Counter())[tuple(row.values())] += 1
    return Counter(frozenset(rows.items()) for rows in rows_of_person.values())


def assert_same_release(of_engine, of_table):
    """The same published rows, as a multiset, and the same statements about them."""
    assert of_engine.columns == of_table.columns
    if not of_table.content.has_cells:  # a model
        assert of_engine.data == of_table.data
        assert of_engine.certificate == of_table.certificate
        assert of_engine.owner.trace == of_table.owner.trace
        return
    assert rows_of(of_engine.content) == rows_of(of_table.content)
    assert of_engine.certificate == of_table.certificate
    assert of_engine.changes == of_table.changes
    assert of_engine.column_changes == of_table.column_changes
    assert of_engine.losses == of_table.losses
    assert of_engine.record == of_table.record
    assert of_engine.owner.trace == [step for step in of_table.owner.trace if "swapped rows" not in step]
    if not of_table.changes.swapped_cells:  # in memory the trace says which rows were swapped, and a note says so
        assert of_engine.owner.notes == of_table.owner.notes
    if of_table.owner.persons is not None:
        assert with_persons(of_engine) == with_persons(of_table)


def assert_private(engine, table):
    """Private methods on an engine: a seed gives what it gives in memory; what is released has none."""
    drawn = PrivateTable(1.0, DOMAIN, random_state=5)
    found, expected = drawn.simulate(engine, ROLES), drawn.simulate(table, ROLES)
    assert found.table.to_arrow().equals(expected.table.to_arrow())
    assert found.noise == expected.noise
    picks = LaplaceSelector(1.0, 4, domain={name: DOMAIN[name] for name in QUASI}, random_state=5)
    assert picks.simulate(engine, ROLES) == picks.simulate(table, ROLES)
    for method in (drawn, picks):
        assert method.set_params(random_state=None).release(engine, ROLES).verdict.holds


def assert_same_tally(found, expected):
    """The tally of an engine, which knows no single rows, is that of the table in memory."""
    assert found.columns == expected.columns
    assert found.codes.tolist() == expected.codes.tolist()
    assert found.counts.tolist() == expected.counts.tolist()
    assert found.sizes.tolist() == expected.sizes.tolist()
    assert [found.column(name).texts for name in found.columns] == [
        expected.column(name).texts for name in found.columns
    ]
    assert found.group_of_row is None
    assert (found.codes.dtype, found.counts.dtype, found.sizes.dtype) == (np.int32, np.int64, np.int64)
