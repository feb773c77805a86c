# SPDX-License-Identifier: Apache-2.0
"""Laws of linkage: raw rows are found, 1/k is never exceeded; and the chances equal those of all pairs."""

import numpy as np
import pandas as pd
import pytest

import attack_twins as twins
from discreet import Containment, DataError, KAnonymity, LDiversity, Mondrian, Roles
from discreet.attacks.case import Case
from discreet.attacks.linkage import knowledge, modelled_chance
from discreet.attacks.published import Published
from discreet.attacks.registry import run, run_case
from discreet.data.table import Table
from instances import INSTANCES, PERSON_ROLES, ROLES, people

LINKAGE = ["prosecutor", "journalist", "marketer"]
TABLES = [name for name, instance in INSTANCES.items() if {"table", "synthetic"} & {*instance.shapes}]


def publish(name, frame, roles=ROLES, k=4):
    return INSTANCES[name].make(k, None if name.startswith("private") else 1).release(frame, roles)


def by_name(findings):
    return {finding.attack: finding for finding in findings}


@pytest.mark.parametrize("roles", [ROLES, PERSON_ROLES], ids=["rows", "persons"])
@pytest.mark.parametrize("name", TABLES)
def test_quasi_identifiers_never_find_more_than_one_in_k(name, roles):
    """The law of the issue, for every method that gives a table, on average and for the easiest target."""
    frame = people(160)
    release = publish(name, frame, roles)
    found = run(release, frame, roles=roles, control=people(80, seed=9), attacks=LINKAGE)
    promised = [finding for finding in found if finding.bound is not None]
    if {promise.name for promise in Published.of(release).promises} & {"k-anonymity", "containment"}:
        assert promised
    for finding in promised:
        assert finding.bound == 1 / 4
        assert finding.success.value <= 1 / 4 + 1e-12
        assert not finding.breaks_promise
    for finding in found:
        most = 0.02 if promised else 1  # one of all published rows; noise may leave a single one
        assert 0 < finding.baseline <= most
        assert finding.success.low <= finding.success.value <= finding.success.high


@pytest.mark.parametrize("name", [name for name in TABLES if "flip" not in name])
def test_chances_are_those_of_all_pairs(name):
    frame, absent = people(80), people(40, seed=9)
    published, known = Published.of(publish(name, frame)), Table.of(frame[list(ROLES.quasi)])
    other = Table.of(absent[list(ROLES.quasi)])
    found = by_name(run_case(Case(published, known, ROLES, control=other, share=0.2), LINKAGE))
    pairs, absent_pairs = np.array(twins.pairs(published, known)), np.array(twins.pairs(published, other))
    chances = [1 / row.sum() if row.any() else 0.0 for row in pairs]
    assert found["prosecutor"].success.value == pytest.approx(sum(chances) / len(chances))
    assert found["prosecutor"].targets == 80
    assert found["prosecutor, worst target"].success.value == pytest.approx(max(chances))
    wrong = [1 / row.sum() if row.any() else 0.0 for row in absent_pairs]
    assert found["prosecutor"].control.value == pytest.approx(sum(wrong) / len(wrong))
    rows = list(zip(*(twins.cells(published.data, n) for n in published.roles.quasi), strict=True))
    alike = np.array([rows.count(row) for row in rows])
    fit = pairs.sum(axis=0) + absent_pairs.sum(axis=0)
    assert found["marketer"].success.value == pytest.approx((1 / np.maximum(fit, alike)).mean())
    assert found["marketer"].baseline == 1 / 120
    population = Table.of(pd.concat([frame, absent])[list(ROLES.quasi)])
    journalist = by_name(run_case(Case(published, known, ROLES, population=population), ["journalist", "marketer"]))
    assert journalist["journalist"].success.value == pytest.approx((1 / np.maximum(fit, alike)).mean())
    assert journalist["marketer"].success.value == pytest.approx(journalist["journalist"].success.value)
    modelled = found["journalist"].success.value
    assert modelled == pytest.approx(np.mean([modelled_chance(np.array([f]), 0.2)[0] for f in alike]))


def test_planted_targets_of_the_raw_table_are_found():
    """Three persons whose town nobody else has; the others hide in twenties."""
    frame = pd.DataFrame({"town": ["here", "there"] * 20 + ["A", "B", "C"], "y": [0, 1] * 21 + [0]})
    raw = Published(Table.of(frame), KAnonymity(2), Roles(target="y", quasi=("town",)))
    found = by_name(run_case(Case(raw, Table.of(frame), raw.roles), LINKAGE))
    assert found["prosecutor"].success.value == pytest.approx((3 + 40 / 20) / 43)
    assert found["prosecutor, worst target"].success.value == 1
    assert found["prosecutor, worst target"].breaks_promise
    assert "3 rows are as easy" in found["prosecutor, worst target"].detail
    assert found["marketer"].success.value == pytest.approx(5 / 43)
    planted = Table.of(frame.iloc[-3:])
    alone = by_name(run_case(Case(raw, planted, raw.roles), ["prosecutor"]))["prosecutor"]
    assert alone.success.value == 1
    assert alone.control is None


def test_persons_who_are_not_in_the_release_are_told_apart_from_those_who_are():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 1000, 200), "y": rng.integers(0, 2, 200)})
    absent = pd.DataFrame({"a": rng.integers(0, 1000, 200), "y": rng.integers(0, 2, 200)})
    raw = Published(Table.of(frame), KAnonymity(2), Roles(target="y", quasi=("a",)))
    found = run_case(Case(raw, Table.of(frame), raw.roles, control=Table.of(absent)), ["prosecutor"])[0]
    assert found.success.low > found.control.high
    assert found.advantage == pytest.approx(found.success.value - found.control.value)


def test_several_rows_of_a_person_count_once():
    """Person 1 has three rows in a group of two persons: the chance is one half, and the person weighs as one."""
    frame = pd.DataFrame({"a": ["x"] * 4 + ["y"] * 2, "who": [1, 1, 1, 2, 3, 4], "y": [0, 1] * 3})
    roles = Roles(target="y", quasi=("a",), person="who")
    raw = Published(Table.of(frame[["a", "y"]]), KAnonymity(2), Roles(target="y", quasi=("a",)),
                    persons=frame.who.to_numpy())  # fmt: skip
    found = by_name(run_case(Case(raw, Table.of(frame), roles), LINKAGE))
    assert found["prosecutor"].success.value == pytest.approx(0.5)
    assert found["prosecutor"].targets == 4
    assert found["prosecutor"].baseline == 1 / 4
    assert found["marketer"].success.value == pytest.approx(0.5)
    untold = Published(Table.of(frame[["a", "y"]]), KAnonymity(2), raw.roles)
    by_rows = run_case(Case(untold, Table.of(frame), roles), ["prosecutor"])[0]
    assert by_rows.success.value == pytest.approx((1 / 4 + 1 / 4 + 1 / 2 + 1 / 2) / 4)
    assert "rows are counted instead of persons" in by_rows.note


def test_what_the_promises_are_about_is_what_is_known():
    table = Table.of({"a": ["x"] * 4, "b": ["u", "u", "v", "v"], "y": [0, 1, 0, 1]})
    roles = Roles(target="y", quasi=("a", "b"))
    parts = KAnonymity(2, sets=(("a",), ("b",))) & LDiversity(2)

    def knowledge_of(promise):
        return knowledge(Case(Published(table, promise, roles), table, roles))

    found = knowledge_of(parts)
    assert [(one.columns, one.k) for one in found] == [(("a", "b"), None), (("a",), 2), (("b",), 2)]
    mixed = KAnonymity(3, columns=("a",)) & KAnonymity(2)
    assert [(one.columns, one.k) for one in knowledge_of(mixed)] == [(("a", "b"), 2), (("a",), 3)]
    contained = knowledge_of(Containment(3))
    assert [(one.k, one.presences) for one in contained] == [(None, False), (3, True)]


def test_sets_of_columns_are_attacked_one_by_one():
    frame = pd.DataFrame({"a": ["x", "z"] * 6, "b": ["u", "v", "w"] * 4, "y": [0, 1] * 6})
    roles = Roles(target="y", quasi=("a", "b"))
    published = Published(Table.of(frame), KAnonymity(4, sets=(("a",), ("b",))), roles)
    found = by_name(run_case(Case(published, Table.of(frame), roles), ["prosecutor"]))
    assert found["prosecutor"].success.value == pytest.approx(1 / 2)
    assert found["prosecutor"].bound is None
    assert found["prosecutor of a"].success.value == pytest.approx(1 / 6)
    assert found["prosecutor of b"].success.value == pytest.approx(1 / 4)
    assert not any(finding.breaks_promise for finding in found.values())


def test_a_known_label_finds_no_more_than_one_in_k_where_that_is_promised():
    frame = people()
    cases = {"mondrian-known-labels": " and the label", "greedy-known-labels": ", presences and the label"}
    for name, what in cases.items():
        found = by_name(run(publish(name, frame), frame, roles=ROLES, attacks=["prosecutor"]))
        assert found[f"prosecutor{what}, worst target"].success.value <= 1 / 4
        assert found[f"prosecutor{what}, worst target"].bound == 1 / 4
    knows = (*ROLES.quasi, ROLES.target)
    plain = by_name(run(publish("mondrian-median", frame), frame, roles=ROLES, attacks=["prosecutor"], knows=knows))
    assert plain["prosecutor, worst target"].success.value > 1 / 4


def test_absences_break_containment_and_presences_do_not():
    """Three have both items, two have one alone: lacking the other singles these out below k."""
    frame = pd.DataFrame({"p": [1, 1, 1, 1, 1], "q": [1, 1, 1, 0, 0], "y": [0, 1, 0, 1, 0]})
    release = INSTANCES["greedy-hamdist"].make(3, 1).release(frame, Roles(target="y", quasi=("p", "q")))
    found = by_name(run(release, frame, attacks=["prosecutor"]))
    assert found["prosecutor, worst target"].success.value > 1 / 3
    assert found["prosecutor, worst target"].bound is None
    assert found["prosecutor, presences only, worst target"].success.value <= 1 / 3


def test_rows_that_say_something_false_are_said_to():
    frame = people(160)
    for name in ("kactus2-swap", "random-flip", "private-table"):
        found = run(publish(name, frame), frame, attacks=LINKAGE)
        assert all("upper bound" in finding.note for finding in found if "worst" not in finding.attack), name
    honest = run(Mondrian(k=4, random_state=1).release(frame, ROLES), frame, attacks=["prosecutor"])
    assert honest[0].note == ""


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
@pytest.mark.parametrize("alike", [1, 3, 20])
def test_the_modelled_population_is_what_drawing_it_gives(share, alike):
    rng = np.random.default_rng(1)
    drawn = alike + rng.negative_binomial(alike, share, 200_000)
    spread = (1 / drawn).std() / np.sqrt(len(drawn))
    assert modelled_chance(np.array([alike]), share)[0] == pytest.approx((1 / drawn).mean(), abs=5 * spread + 1e-9)


def test_a_whole_population_is_the_release_itself():
    assert modelled_chance(np.array([1, 4]), 1.0).tolist() == [1.0, 0.25]
    with pytest.raises(DataError, match="above 0 and at most 1"):
        modelled_chance(np.array([1]), 0.0)


def test_a_population_that_lacks_the_persons_is_noted():
    frame = people(80)
    release = Mondrian(k=4, random_state=1).release(frame, ROLES)
    found = run(release, frame, population=frame.iloc[:10], attacks=["journalist"])[0]
    assert "too few persons" in found.note
    assert found.success.value <= 1 / 4
