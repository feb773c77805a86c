# SPDX-License-Identifier: Apache-2.0
"""Releases are paid: looked up before data is touched, spent once they stand, and seen only then."""

import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from discreet import (
    BudgetExceeded,
    CannotRelease,
    DataError,
    DifferentialPrivacy,
    ExponentialSelector,
    GreedySelector,
    KAnonymity,
    LaplaceSelector,
    Ledger,
    Mondrian,
    PrivacyLeakWarning,
    PrivateTable,
    PromiseBroken,
    Roles,
    RolesError,
)
from discreet.data.document import Document
from discreet.foundation import atomic_files as atomic
from instances import ROLES, baskets, people


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(tmp_path / "ledger.sqlite")
    made.set_limit("clinic", epsilon=1.0)
    return made


def half():
    return LaplaceSelector(epsilon=0.5, n_features=2)


def entries(ledger):
    return [(entry.budget and entry.budget.epsilon, entry.what, entry.state) for entry in ledger.entries("clinic")]


def test_a_release_in_memory_is_paid_before_it_is_returned(ledger):
    account = ledger.account("clinic")
    for _ in range(2):
        assert half().release(*baskets(), account=account).verdict.holds
    with pytest.raises(BudgetExceeded, match=r"limit of epsilon 1 and epsilon 0 left, too little for epsilon 0\.5"):
        half().release(*baskets(), account=account)
    assert entries(ledger) == [(0.5, "laplace-select, names, 0.5-differential privacy", "done")] * 2


def test_a_saved_release_is_paid_before_it_appears(ledger, tmp_path):
    account = ledger.account("clinic")
    for name in ("one", "two"):
        half().release(*baskets()).save(tmp_path / name, account=account)
    with pytest.raises(BudgetExceeded):
        half().release(*baskets()).save(tmp_path / "three", account=account)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.sqlite", "ledger.sqlite.key", "one", "two"]
    assert ledger.left("clinic").epsilon == 0


def test_what_cannot_be_paid_is_refused_before_the_data_is_touched(ledger):
    class Untouchable:
        def __getattr__(self, name):
            pytest.fail("the data was touched")

    for method, name in ((LaplaceSelector(2.0, 2), "clinic"), (half(), "survey"), (Mondrian(k=5), "survey")):
        with pytest.raises(BudgetExceeded):
            method.release(Untouchable(), None, account=ledger.account(name))
    assert ledger.entries() == []


def test_a_release_that_fails_before_it_could_be_seen_costs_nothing(ledger, tmp_path):
    account = ledger.account("clinic")
    with pytest.raises(CannotRelease):
        half().release(np.array([["text"]]), ["a"], account=account)
    release = half().release(*baskets())
    (noise,) = release.data["noise"]
    broken = replace(release, content=Document("names", {**release.data, "noise": [{**noise, "scale": 1.0}]}))
    with pytest.raises(PromiseBroken):
        broken.save(tmp_path / "out", account=account)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine").touch()
    with pytest.raises(DataError, match="exists already"):
        release.save(tmp_path / "taken", account=account)
    assert ledger.entries() == []


def test_a_release_that_could_not_be_put_in_place_has_been_spent(ledger, tmp_path, monkeypatch):
    def full(partial, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic, "_put_in_place", full)
    with pytest.raises(DataError, match="No space"):
        half().release(*baskets()).save(tmp_path / "out", account=ledger.account("clinic"))
    assert [state for *_, state in entries(ledger)] == ["failed"]
    assert ledger.left("clinic").epsilon == 0.5
    assert not (tmp_path / "out").exists()


def test_releases_of_other_families_are_written_down(ledger, tmp_path):
    account = ledger.account("clinic")
    rows = Mondrian(k=5).release(people(), ROLES)
    rows.save(tmp_path / "rows", account=account)
    with pytest.warns(PrivacyLeakWarning):
        items = GreedySelector(k=5).release(*baskets(), account=account)
    ledger.set_limit("clinic", epsilon=0.0)  # nothing may be spent; what costs nothing may still be written down
    with pytest.warns(PrivacyLeakWarning):
        GreedySelector(k=7).release(*baskets(), account=account)
    first, second, _ = ledger.entries()
    assert (first.promise, first.columns) == ("5-anonymity", rows.columns)
    assert (second.promise, second.columns) == ("5-anonymity by containment", items.columns)
    assert entries(ledger) == [
        (None, "mondrian, table, 5-anonymity", "done"),
        (None, "greedy, baskets, 5-anonymity by containment", "done"),
        (None, "greedy, baskets, 7-anonymity by containment", "done"),
    ]
    with pytest.raises(BudgetExceeded):
        half().release(*baskets(), account=account)


def test_a_second_release_that_does_not_compose_is_warned_of_before_it_is_made(ledger, tmp_path):
    Mondrian(k=5).release(people(), ROLES, account=ledger.account("clinic"))
    said = (
        r"'clinic' was released before, without differential privacy: 1 \(mondrian, table, 5-anonymity; columns 'age'"
    )
    with pytest.warns(PrivacyLeakWarning, match=said), pytest.raises(RolesError):
        Mondrian(k=7).release("no table", None, account=ledger.account("clinic"))
    release = GreedySelector(k=5).release(*baskets())
    with pytest.warns(PrivacyLeakWarning, match="do not compose: 5-anonymity by containment would hold"):
        release.save(tmp_path / "second", account=ledger.account("clinic"))
    with pytest.warns(PrivacyLeakWarning, match=r"1 \(mondrian.*, 2 \(greedy"):
        Mondrian(k=7).release(people(), ROLES, account=ledger.account("clinic"))
    assert ledger.book().not_composing == {2: (1,), 3: (1, 2)}


def test_an_account_warns_of_a_release_once(ledger):
    account = ledger.account("clinic")
    account.afford(KAnonymity(5))
    Mondrian(k=5).release(people(), ROLES, account=account)
    with pytest.warns(PrivacyLeakWarning):
        account.afford(KAnonymity(5))
    account.afford(KAnonymity(5))


def test_private_releases_compose_and_nobody_is_warned(ledger):
    account = ledger.account("clinic")
    half().release(*baskets(), account=account)
    half().release(*baskets(), account=account)
    assert ledger.book().not_composing == {}
    assert all(entry.columns for entry in ledger.entries())
    assert ledger.entries()[0].promise == "0.5-differential privacy"
    assert [entry.warned for entry in ledger.entries()] == [(), ()]


def test_rows_after_a_private_release_are_warned_of_and_that_is_kept(ledger, tmp_path):
    half().release(*baskets(), account=ledger.account("clinic"))
    said = r"'clinic' was released before, under differential privacy: 1 \(laplace.*no longer differentially private"
    with pytest.warns(PrivacyLeakWarning, match=said) as caught:
        Mondrian(k=5).release(people(), ROLES, account=ledger.account("clinic"))
    assert len(caught) == 1
    assert ledger.entries()[1].warned == (str(caught[0].message),)
    assert ledger.book().not_composing == {2: (1,)}


def test_a_private_release_after_rows_is_warned_of_and_that_is_kept(ledger, tmp_path):
    Mondrian(k=5).release(people(), ROLES, account=ledger.account("clinic"))
    said = r"'clinic' was released before, without differential privacy: 1 \(mondrian.*no longer differentially private"
    with pytest.warns(PrivacyLeakWarning, match=said) as caught:
        half().release(*baskets()).save(tmp_path / "names", account=ledger.account("clinic"))
    assert len(caught) == 1
    assert ledger.entries()[1].warned == (str(caught[0].message),)
    assert ledger.book().not_composing == {2: (1,)}
    assert ledger.left("clinic").epsilon == 0.5


def test_a_release_that_failed_and_one_of_another_data_set_are_not_warned_of(ledger):
    with pytest.raises(IndexError), ledger.account("clinic").paying(KAnonymity(5), what="dies"):
        [][0]
    ledger.set_limit("survey", epsilon=1.0)
    ledger.record("survey", "by hand")
    ledger.account("clinic").afford(KAnonymity(5))
    assert [entry.state for entry in ledger.entries("clinic")] == ["failed"]


def test_a_part_of_a_promise_that_is_private_is_paid(ledger):
    with ledger.account("clinic").paying(KAnonymity(5) & DifferentialPrivacy(0.25), what="both"):
        pass
    assert entries(ledger) == [(0.25, "both", "done")]
    with pytest.raises(BudgetExceeded, match="neighbours"):
        ledger.account("clinic").afford(KAnonymity(5) & DifferentialPrivacy(0.25, neighbours="add-remove"))


def test_by_zcdp_the_noise_that_was_drawn_counts(tmp_path):
    """Ten picks by the exponential mechanism at epsilon 1 have rho 1/80; epsilon 1 alone would say 1/2."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_limit("clinic", epsilon=2.0, delta=1e-6, accounting="zcdp")
    for _ in range(5):
        ExponentialSelector(1.0, 10).release(*baskets(), account=ledger.account("clinic"))
    assert [entry.budget.rho for entry in ledger.entries()] == [pytest.approx(1 / 80)] * 5
    with pytest.raises(BudgetExceeded):
        LaplaceSelector(1.0, 10).release(*baskets(), account=ledger.account("clinic"))


def test_synthetic_rows_are_paid_by_the_noise_behind_them(tmp_path):
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_limit("clinic", epsilon=1.0)
    rows = {"sex": ["f", "m"] * 20, "ill": ["no", "yes"] * 20}
    method = PrivateTable(epsilon=0.75, domain={"sex": ["f", "m"], "ill": ["no", "yes"]})
    release = method.release(rows, Roles(target="ill", quasi="sex"))
    release.save(tmp_path / "out", account=ledger.account("clinic"))
    assert entries(ledger) == [(0.75, "private-table, table, 0.75-differential privacy", "done")]
    with pytest.raises(BudgetExceeded):
        method.release(rows, Roles(target="ill", quasi="sex"), account=ledger.account("clinic"))


# -- processes ---------------------------------------------------------------------------------------------------------

RELEASE = """
import sys
from pathlib import Path
import numpy as np
from discreet import BudgetExceeded, LaplaceSelector, Ledger

here, name, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(times):
    release = LaplaceSelector(epsilon=0.3, n_features=2).release(np.eye(4, dtype=int), [0, 1, 0, 1])
    try:
        release.save(here / f"{name}-{number}", account=Ledger(here / "ledger.sqlite").account("clinic"))
    except BudgetExceeded:
        pass
"""
DIES = """
import os, signal
from discreet.foundation import atomic_files as atomic
atomic._put_in_place = lambda partial, target: os.kill(os.getpid(), signal.SIGKILL)
"""


def start(code, folder, name, times):
    return subprocess.Popen([sys.executable, "-c", code, str(folder), name, str(times)])


def folders(path):
    return [inner.name for inner in path.iterdir() if inner.is_dir() and not inner.name.startswith(".")]


def test_two_processes_that_save_cannot_overspend(ledger, tmp_path):
    processes = [start(RELEASE, tmp_path, name, 3) for name in ("one", "two")]
    assert [process.wait() for process in processes] == [0, 0]
    assert len(folders(tmp_path)) == 3
    assert [(epsilon, state) for epsilon, _, state in entries(ledger)] == [(0.3, "done")] * 3
    assert ledger.left("clinic").epsilon == 0.1


def test_a_process_that_is_killed_between_spending_and_appearing_has_spent(ledger, tmp_path):
    assert start(DIES + RELEASE, tmp_path, "killed", 1).wait() == -signal.SIGKILL
    assert folders(tmp_path) == []
    assert [(epsilon, state) for epsilon, _, state in entries(ledger)] == [(0.3, "open")]
    assert ledger.left("clinic").epsilon == 0.7
