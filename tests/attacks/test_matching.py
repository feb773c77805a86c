# SPDX-License-Identifier: Apache-2.0
"""Matching equals a plain comparison of all pairs, on every method's tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attack_twins as twins
import discreet.attacks.matching as matching
from discreet import DataError, KAnonymity, Mondrian, Roles
from discreet.attacks.matching import Matching
from discreet.attacks.published import Published
from discreet.data.table import Table
from instances import INSTANCES, PERSON_ROLES, ROLES, people

TABLES = [name for name, instance in INSTANCES.items() if {"table", "synthetic"} & {*instance.shapes}]
FLIPS = {"random-flip", "random-flip-member"}


def publish(name, frame, roles=ROLES, k=4):
    seed = None if name.startswith("private") else 1
    return Published.of(INSTANCES[name].make(k, seed).release(frame, roles))


@pytest.mark.parametrize("name", [name for name in TABLES if name not in FLIPS])
def test_every_table_is_matched_as_all_pairs_are(name):
    frame = people(90)
    published, known = publish(name, frame), Table.of(frame[list(ROLES.quasi)])
    found, slow = Matching(published, known), np.array(twins.pairs(published, known))
    assert found.rows[found.target_of_row].tolist() == slow.sum(axis=1).tolist()
    assert found.fitting()[found.pattern_of_row].tolist() == slow.sum(axis=0).tolist()
    if published.is_true:
        assert slow.any(axis=1).all()  # everybody's own row fits them


def test_presences_leave_more_rows_than_presences_and_absences():
    frame = people(90)
    published, known = publish("greedy-hamdist", frame), Table.of(frame[list(ROLES.quasi)])
    both, some = Matching(published, known), Matching(published, known, presences=True)
    slow = np.array(twins.pairs(published, known, presences=True)).sum(axis=1)
    assert some.rows[some.target_of_row].tolist() == slow.tolist()
    assert (both.rows[both.target_of_row] <= slow).all()
    assert (both.rows[both.target_of_row] < slow).any()


def test_items_without_a_record_are_read_by_their_names():
    frame = people(90)
    published, known = publish("random-flip", frame), Table.of(frame[list(ROLES.quasi)])
    found = Matching(published, known)
    assert published.recoding is None
    assert not published.is_true
    assert found.columns == published.roles.quasi
    cells = [map(str, twins.cells(published.data, name)) for name in found.columns]
    rows = list(map(list, zip(*cells, strict=True)))
    for person, target in enumerate(found.target_of_row):
        mine = [str(int(has(name, frame.iloc[person]))) for name in found.columns]
        assert found.rows[target] == rows.count(mine)


def has(item, person):
    """Whether a person has an item such as town=North, job=missing, age=< 30 or age=[30, 50)."""
    name, text = item.split("=", 1)
    if text == "missing":
        return pd.isna(person[name])
    if name != "age":
        return person[name] == text
    if text.startswith("["):
        low, high = map(int, text[1:-1].split(","))
        return low <= person.age < high
    sign, number = text.split()
    return person.age < int(number) if sign == "<" else person.age >= int(number)


_rows = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from(["a", "b", None]), st.sampled_from(["x", "y"])),
    min_size=1,
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(_rows, _rows, st.lists(st.integers(0, 4), min_size=30, max_size=30), st.sampled_from([1, 2, 4096]))
def test_random_tables_and_persons(released, known, persons, block):
    """Labels as they look: equal values, "*", intervals; persons are counted once; any size of block."""
    labels = {0: "< 2", 1: "[1, 4)", 2: "*", 3: "3", 4: ">= 4", 5: None}
    table = Table.of(
        {"n": [labels[r[0]] for r in released], "t": ["*" if r[1] == "b" else r[1] for r in released],
         "u": [r[2] for r in released]},
        kinds=dict.fromkeys("ntu", "category"),
    )  # fmt: skip
    persons = np.array(persons[: len(released)])
    published = Published(table, KAnonymity(2), Roles(quasi=("n", "t", "u")), persons=persons)
    people_known = Table.of({"n": [r[0] for r in known], "t": [r[1] for r in known], "u": [r[2] for r in known]})
    means = {
        "< 2": lambda v: v < 2, "[1, 4)": lambda v: 1 <= v < 4, "*": lambda v: True, "3": lambda v: v == 3,
        ">= 4": lambda v: v >= 4, None: lambda v: False,
    }  # fmt: skip
    slow = np.array([
        [means[labels[r[0]]](p[0]) and (r[1] == "b" or r[1] == p[1]) and r[2] == p[2] for r in released] for p in known
    ])  # fmt: skip
    before, matching._BLOCK = matching._BLOCK, block * 64 if block < 64 else block
    try:
        found = Matching(published, people_known)
        assert found.rows[found.target_of_row].tolist() == slow.sum(axis=1).tolist()
        assert found.fitting()[found.pattern_of_row].tolist() == slow.sum(axis=0).tolist()
        assert found.persons[found.target_of_row].tolist() == [len({*persons[line]}) for line in slow]
        codes = np.arange(len(released)) % 3
        counted = found.counts(codes, 3)[found.target_of_row]
        assert counted.tolist() == [[int((codes[line] == c).sum()) for c in range(3)] for line in slow]
    finally:
        matching._BLOCK = before


def test_blocks_of_patterns_give_what_one_block_gives(monkeypatch):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.integers(0, 40, 500), "b": rng.integers(0, 9, 500), "who": rng.integers(0, 99, 500)})
    published = Published(Table.of(frame), KAnonymity(2), Roles(quasi=("a", "b")), persons=frame.who.to_numpy())
    whole = Matching(published, Table.of(frame))
    rows, persons, fitting = whole.rows, whole.persons, whole.fitting()
    monkeypatch.setattr(matching, "_BLOCK", 64)
    parts = Matching(published, Table.of(frame))
    assert whole.n_patterns > 200
    assert (parts.rows == rows).all()
    assert (parts.persons == persons).all()
    assert (parts.fitting() == fitting).all()


def test_persons_of_a_release_are_counted_once():
    frame = people(120)
    release = Mondrian(k=3, random_state=1).release(frame, PERSON_ROLES)
    published, known = Published.of(release), Table.of(frame)
    found, slow = Matching(published, known), np.array(twins.pairs(published, known))
    assert found.persons[found.target_of_row].tolist() == [len({*release.owner.persons[line]}) for line in slow]
    assert (found.persons < found.rows).any()


def test_a_folder_and_the_release_it_was_saved_from_are_the_same(tmp_path):
    frame = people(120)
    release = Mondrian(k=3, random_state=1).release(frame, PERSON_ROLES)
    release.save(tmp_path / "out")
    published = Published.of(tmp_path / "out" / "release", owner=tmp_path / "out" / "owner")
    here, there = Matching(published, Table.of(frame)), Matching(Published.of(release), Table.of(frame))
    assert (here.persons == there.persons).all()
    assert Published.of(tmp_path / "out" / "release").persons is None


def test_a_table_without_the_columns_of_the_release_is_refused():
    published = publish("mondrian-median", people(90))
    with pytest.raises(DataError, match="none of the columns behind the release: 'age', 'sex'"):
        Matching(published, Table.of({"shoe": [41, 42]}))


def test_numbers_that_were_read_as_texts_are_read_again():
    frame = people(90)
    published = publish("mondrian-median", frame)
    as_text = Table.of(frame[list(ROLES.quasi)], kinds={"age": "category"})
    found, again = Matching(published, Table.of(frame[list(ROLES.quasi)])), Matching(published, as_text)
    assert (found.rows[found.target_of_row] == again.rows[again.target_of_row]).all()
