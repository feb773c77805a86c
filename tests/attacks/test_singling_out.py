# SPDX-License-Identifier: Apache-2.0
"""Singling out: copies of the table single out, independent tables do not, k-anonymous quasi-identifiers cannot."""

import numpy as np
import pandas as pd
import pytest

import attack_twins as twins
import discreet.attacks.singling_out as attack
from discreet import KAnonymity, Mondrian, Roles
from discreet.attacks.case import Case
from discreet.attacks.label_meanings import read_columns
from discreet.attacks.published import Published
from discreet.attacks.registry import run, run_case
from discreet.data.table import Table
from instances import INSTANCES, PERSON_ROLES, ROLES, people

HERE = Roles(target="y", quasi=("a", "b"), other=("c",))


def sample(n, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "a": rng.normal(50, 20, n).round(1),
            "b": rng.choice(["x", "y", "z", "rare"], n, p=[0.5, 0.3, 0.19, 0.01]),
            "c": rng.integers(0, 60, n),
            "y": rng.integers(0, 2, n),
        }
    )


def attacked(released, known, absent=None, targets=300, **more):
    published = Published(Table.of(released), KAnonymity(2), HERE, **more)
    control = None if absent is None else Table.of(absent)
    case = Case(published, Table.of(known), HERE, control=control, targets=targets)
    return {finding.attack.split(", ")[1]: finding for finding in run_case(case, ["singling-out"])}


def test_a_copy_of_the_table_singles_out_and_people_outside_are_safe():
    people_in, others = sample(400, 1), sample(400, 2)
    found = attacked(people_in, people_in, others)
    assert set(found) == {"one column", "several columns", "several quasi-identifiers"}
    several = found["several columns"]
    assert several.success.value > 0.95
    assert several.control.value < 0.5
    assert several.risk.low > 0.5
    assert several.baseline < several.success.low
    assert several.units == "rows"
    one = found["one column"]
    assert one.detail.startswith(f"{round(one.success.value * one.targets)} of 300 statements are true of exactly one")
    assert one.success.low > one.control.high
    assert found["several quasi-identifiers"].breaks_promise


def test_an_independent_table_tells_no_more_of_those_in_it():
    """Releases that were drawn apart from the table: persons in it and not in it fare alike, but for luck."""
    risks = []
    for seed in range(6):
        several = attacked(sample(400, 30 + seed), sample(400, 10 + seed), sample(400, 20 + seed))["several columns"]
        risks.append(several.risk.value)
    assert abs(np.mean(risks)) < 0.05


@pytest.mark.parametrize("name", [n for n, instance in INSTANCES.items() if "table" in instance.shapes])
def test_quasi_identifiers_of_a_k_anonymous_release_single_nobody_out(name):
    frame = people(160)
    release = INSTANCES[name].make(4, 1).release(frame, ROLES)
    found = run(release, frame, attacks=["singling-out"], targets=200)
    published = Published.of(release)
    bounded = [finding for finding in found if finding.bound is not None]
    promised = any(isinstance(promise, KAnonymity) for promise in published.promises) and published.is_true
    assert bool(bounded) == (promised and len(published.roles.quasi) > 1)
    for finding in bounded:
        assert finding.attack.endswith("quasi-identifiers")
        assert finding.bound == 0
        assert finding.success.value == 0


@pytest.mark.parametrize("name", ["mondrian-median", "tdr", "greedy-hamdist", "breach-aware", "kactus2-swap"])
def test_statements_are_true_of_whom_they_are(name):
    """Counts in the release and among known persons, against plain comparisons of cells."""
    frame = people(70)
    published, known = Published.of(INSTANCES[name].make(4, 1).release(frame, ROLES)), Table.of(frame)
    names = [*published.roles.quasi, "ill", "stay", "again"]
    readings, rng = read_columns(published, known, names), np.random.default_rng(0)
    released = attack._Rows(readings, None, are_published=True)
    originals = attack._Rows(readings, None, are_published=False)
    medians = [int(np.median(reading.published.codes)) for reading in readings]
    statements = [one for row in range(8) for one in attack._of_one(readings, medians, row)]
    statements += [one for row in range(3) for one in attack._of_several(readings, medians, row)]
    statements += [attack._by_chance(readings, statement, rng) for statement in statements]
    rows = list(zip(*(twins.cells(published.data, name) for name in names), strict=True))
    persons = [
        dict(zip(known.names, r, strict=True)) for r in zip(*(twins.cells(known, n) for n in known.names), strict=True)
    ]
    for statement in statements:
        assert released.count(statement) == sum(_true_of_row(readings, statement, row) for row in rows)
        mine = sum(_true_of_person(published, readings, statement, person) for person in persons)
        assert originals.count(statement) == mine


def _value(readings, condition):
    column = readings[condition[0]].published
    return [*column.values.to_pylist(), None][condition[1]]


def _compared(cell, value, sign):
    if cell is None or value is None:
        return False
    return cell >= value if sign == "at least" else cell <= value


def _true_of_row(readings, statement, row):
    return all(
        row[c] == _value(readings, (c, code, sign))
        if sign == "is"
        else _compared(row[c], _value(readings, (c, code)), sign)
        for c, code, sign in statement
    )


def _true_of_person(published, readings, statement, person):
    for c, code, sign in statement:
        name, value = readings[c].published.name, _value(readings, (c, code))
        if sign != "is":
            if not _compared(person[readings[c].labelling.source], value, sign):
                return False
        elif not twins.fits(published, {name: value}, person):
            return False
    return True


def test_the_rows_of_one_person_are_one():
    frame = pd.DataFrame({"a": ["x", "x", "y", "y"], "who": [1, 1, 2, 3], "y": [0, 1, 0, 1]})
    roles = Roles(target="y", quasi=("a",), person="who")
    published = Published(Table.of(frame[["a"]]), KAnonymity(2), Roles(quasi=("a",)), persons=frame.who.to_numpy())
    found = run_case(Case(published, Table.of(frame), roles), ["singling-out"])
    assert [finding.attack for finding in found] == ["singling out, one column"]
    assert found[0].success.value == 1 / 3  # x is one person, y is two
    assert "1 of 3 statements" in found[0].detail


def test_persons_of_a_release_are_counted():
    frame = people(160)
    release = Mondrian(k=4, random_state=1).release(frame, PERSON_ROLES)
    found = run(release, frame, roles=PERSON_ROLES, attacks=["singling-out"], targets=100)[-1]
    assert found.bound == 0
    assert found.success.value == 0


def test_control_groups_of_another_size_are_brought_to_the_same():
    """Shares that are exponentially distributed: twice and half as many persons, against drawing them."""
    rng = np.random.default_rng(0)
    shares = rng.exponential(1 / 500, 200_000)
    counts = {n: rng.poisson(n * shares) for n in (250, 500, 1000, 2000)}
    for times in (0.5, 2.0, 4.0):
        wanted = (counts[int(500 * times)] == 1).sum() / (counts[500] == 1).sum()
        assert attack._scale(counts[500], times) == pytest.approx(wanted, rel=0.03)
    assert attack._scale(counts[500], 1.0) == 1
    assert attack._scale(np.array([0, 0, 3]), 2.0) == 1
    assert attack._scale(np.array([1, 1, 0]), 2.0) == pytest.approx(2)  # none is true of two: they are all rare


def test_fewer_and_more_persons_set_aside_give_about_the_same():
    people_in = sample(400, 1)
    found = {n: attacked(people_in, people_in, sample(n, 2))["several columns"].control.value for n in (200, 400, 4000)}
    assert found[200] == pytest.approx(found[400], abs=0.08)
    assert found[4000] == pytest.approx(found[400], abs=0.08)


def test_a_control_group_without_the_columns_is_none():
    people_in = sample(100, 1)
    found = attacked(people_in, people_in, sample(100, 2).drop(columns="c"), targets=50)
    assert found["several columns"].control is None
    assert found["several quasi-identifiers"].control is not None
