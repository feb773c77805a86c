# SPDX-License-Identifier: Apache-2.0
"""The ledger never lets more be spent than the limit: not in steps, not by two processes, not after a crash."""

import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import BudgetExceeded, DataError, ParameterError
from discreet.release.ledger import Ledger


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(tmp_path / "ledger.sqlite")
    made.set_limit("clinic", epsilon=1.0, delta=1e-6)
    return made


def test_ten_tenths_are_the_whole_and_an_eleventh_is_refused(ledger):
    for number in range(10):
        ledger.spend("clinic", epsilon=0.1, what=f"release {number}")
    assert ledger.left("clinic").epsilon == 0
    with pytest.raises(BudgetExceeded, match="limit of epsilon 1, delta 1e-06 and epsilon 0, delta 1e-06 left"):
        ledger.spend("clinic", epsilon=0.1, what="one too many")
    assert len(ledger.entries("clinic")) == 10


def test_delta_is_a_budget_too(ledger):
    ledger.spend("clinic", epsilon=0.1, delta=1e-6, what="noise with a delta")
    with pytest.raises(BudgetExceeded):
        ledger.spend("clinic", epsilon=0.1, delta=1e-9, what="another")
    ledger.spend("clinic", epsilon=0.1, what="without one")


def test_a_budget_belongs_to_a_name(ledger):
    ledger.set_limit("survey", epsilon=0.5)
    ledger.spend("clinic", epsilon=1.0, what="all")
    assert ledger.left("survey").epsilon == 0.5
    with pytest.raises(BudgetExceeded, match="Did you mean 'clinic'"):
        ledger.spend("clinik", epsilon=0.1, what="a slip of the pen")


def test_a_refused_run_spends_nothing_and_a_run_that_fails_has_spent(ledger):
    with pytest.raises(BudgetExceeded), ledger.spending("clinic", epsilon=1.5, what="too much"):
        pytest.fail("the work must not begin")
    assert ledger.entries() == []
    left = []
    with pytest.raises(IndexError), ledger.spending("clinic", epsilon=0.4, what="dies"):
        left.append(ledger.left("clinic").epsilon), [][0]
    assert left == [0.6]  # set aside before the work
    assert [entry.state for entry in ledger.entries()] == ["failed"]
    assert ledger.left("clinic").epsilon == 0.6
    with ledger.spending("clinic", epsilon=0.6, what="lives"):
        pass
    assert [entry.state for entry in ledger.entries()] == ["failed", "done"]


def run(code: str, path, **options):
    return subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True, **options)


def test_a_killed_process_has_spent(ledger):
    code = """
import sys, time
from discreet.release.ledger import Ledger
with Ledger(sys.argv[1]).spending("clinic", epsilon=0.7, what="killed"):
    print("working", flush=True)
    time.sleep(60)
"""
    process = run(code, ledger.path)
    assert process.stdout.readline() == "working\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert [(entry.what, entry.state) for entry in ledger.entries()] == [("killed", "open")]
    with pytest.raises(BudgetExceeded):
        ledger.spend("clinic", epsilon=0.4, what="what is not there any more")


def test_two_processes_cannot_overspend(ledger):
    code = """
import sys
from discreet.errors import BudgetExceeded
from discreet.release.ledger import Ledger
ledger, spent = Ledger(sys.argv[1]), 0
for _ in range(15):
    try:
        ledger.spend("clinic", epsilon=0.05, what="a little")
        spent += 1
    except BudgetExceeded:
        pass
print(spent)
"""
    processes = [run(code, ledger.path) for _ in range(2)]
    spent = [int(process.communicate()[0]) for process in processes]
    assert sum(spent) == 20
    assert ledger.left("clinic").epsilon == 0
    assert len(ledger.entries()) == 20


@settings(max_examples=15)
@given(st.lists(st.integers(1, 400), max_size=12))
def test_never_more_than_the_limit(tmp_path_factory, asked):
    ledger = Ledger(tmp_path_factory.mktemp("ledger") / "l.sqlite")
    ledger.set_limit("clinic", epsilon=1.0)
    spent = 0
    for thousandths in asked:
        try:
            ledger.spend("clinic", epsilon=thousandths / 1000, what="some")
            spent += thousandths
        except BudgetExceeded:
            assert spent + thousandths > 1000
    assert spent <= 1000
    assert ledger.left("clinic").epsilon == (1000 - spent) / 1000


def test_zcdp_allows_many_small_releases(tmp_path):
    ledger = Ledger(tmp_path / "l.sqlite")
    ledger.set_limit("clinic", epsilon=2.0, delta=1e-6, accounting="zcdp")
    for _ in range(30):
        ledger.spend("clinic", epsilon=0.05, what="small")
    assert ledger.left("clinic").epsilon > 0.3  # basic accounting would leave 0.5 and stop soon after
    with pytest.raises(BudgetExceeded):
        ledger.spend("clinic", epsilon=ledger.left("clinic").epsilon + 1e-6, what="more than is left")
    ledger.spend("clinic", epsilon=0.3, delta=1e-9, rho=0.0001, what="with a rho of its own")
    with pytest.raises(BudgetExceeded, match="rho of this release is not known"):
        ledger.spend("clinic", epsilon=0.01, delta=1e-9, what="without")
    with pytest.raises(ParameterError, match="delta above 0"):
        ledger.set_limit("other", epsilon=1.0, accounting="zcdp")


def test_limits_change_and_what_was_spent_stays(ledger):
    ledger.spend("clinic", epsilon=0.8, what="much")
    ledger.set_limit("clinic", epsilon=0.5)
    assert ledger.left("clinic").epsilon == 0
    ledger.set_limit("clinic", epsilon=3.0)
    assert ledger.left("clinic").epsilon == 2.2
    with pytest.raises(DataError, match="Only epsilon and delta can be changed"):
        ledger.set_limit("clinic", epsilon=3.0, neighbours="add-remove")
    assert ledger.limits()["clinic"].budget.epsilon == 3.0


def test_neighbours_of_another_kind_are_refused(ledger):
    with (
        pytest.raises(BudgetExceeded, match="neighbours"),
        ledger.spending("clinic", epsilon=0.1, neighbours="add-remove", what="of another kind"),
    ):
        pytest.fail("the work must not begin")


def test_other_releases_are_written_down_at_no_cost(ledger):
    ledger.record("clinic", "GreedySelector, k = 5")
    assert ledger.entries()[0].budget is None
    assert ledger.left("clinic").epsilon == 1.0


def test_what_was_spent_cannot_be_deleted(ledger):
    ledger.spend("clinic", epsilon=0.1, what="some")
    with sqlite3.connect(ledger.path) as file, pytest.raises(sqlite3.IntegrityError, match="stays spent"):
        file.execute("DELETE FROM lines")
    file.close()


def test_check_looks_and_spends_nothing(ledger):
    ledger.check("clinic", epsilon=1.0)
    with pytest.raises(BudgetExceeded):
        ledger.check("clinic", epsilon=1.1)
    assert ledger.entries() == []


def test_a_file_that_is_no_ledger_is_left_alone(tmp_path):
    with pytest.raises(DataError, match="Set a limit first"):
        Ledger(tmp_path / "none.sqlite").entries()
    assert not (tmp_path / "none.sqlite").exists()
    text = tmp_path / "text"
    text.write_text("not a data base at all, but long enough to be read as one\n" * 50)
    with pytest.raises(DataError, match="cannot be used"):
        Ledger(text).set_limit("clinic", epsilon=1)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as file:
        file.execute("CREATE TABLE mine (x)")
    file.close()
    with pytest.raises(DataError, match="not a ledger"):
        Ledger(other).set_limit("clinic", epsilon=1)
    with pytest.raises(DataError, match="cannot be used"):
        Ledger(tmp_path / "no folder" / "l.sqlite").set_limit("clinic", epsilon=1)


FORMAT_1 = """
CREATE TABLE limits (data_set TEXT PRIMARY KEY, epsilon TEXT NOT NULL, delta TEXT NOT NULL, accounting TEXT NOT NULL,
    neighbours TEXT NOT NULL);
CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, data_set TEXT NOT NULL REFERENCES limits, epsilon TEXT,
    delta TEXT, rho TEXT, what TEXT NOT NULL, state TEXT NOT NULL, time TEXT NOT NULL);
CREATE TRIGGER kept BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'what was spent stays spent'); END;
INSERT INTO limits VALUES ('clinic', '1.0', '0.0', 'basic', 'replace-one');
INSERT INTO entries VALUES (7, 'clinic', '0.25', '0.0', '0.03125', 'names', 'done', '2026-01-01T00:00:00+00:00');
INSERT INTO entries VALUES (8, 'clinic', NULL, NULL, NULL, 'mondrian, table', 'done', '2026-01-02T00:00:00+00:00');
PRAGMA user_version = 1;
"""


def test_a_ledger_of_the_first_format_still_opens(tmp_path):
    old = tmp_path / "old.sqlite"
    with sqlite3.connect(old) as file:
        file.executescript(FORMAT_1)
    file.close()
    ledger = Ledger(old)
    assert [(entry.number, entry.what, entry.promise, entry.columns) for entry in ledger.entries()] == [
        (7, "names", "", ()),
        (8, "mondrian, table", "", ()),
    ]
    assert ledger.left("clinic").epsilon == 0.75
    with ledger.spending("clinic", epsilon=0.5, what="new", promise="half", columns=["age", "sex"]) as number:
        assert number == 9
    assert (ledger.entries()[-1].promise, ledger.entries()[-1].columns) == ("half", ("age", "sex"))
    assert ledger.left("clinic").epsilon == 0.25


@pytest.mark.parametrize("wrong", [{"epsilon": -1}, {"epsilon": 1, "delta": 1}, {"epsilon": 1, "accounting": "none"}])
def test_limits_are_checked(tmp_path, wrong):
    ledger = Ledger(tmp_path / "l.sqlite")
    with pytest.raises(ParameterError):
        ledger.set_limit("clinic", **wrong)
    with pytest.raises(ParameterError, match="name"):
        ledger.set_limit(" ", epsilon=1)
    assert not ledger.path.exists()


def test_only_the_owner_reads_it_and_the_time_is_of_today(ledger):
    assert ledger.path.stat().st_mode & 0o077 == 0
    ledger.spend("clinic", epsilon=0.1, what="some")
    assert ledger.entries()[0].time[:4] == time.strftime("%Y", time.gmtime())
