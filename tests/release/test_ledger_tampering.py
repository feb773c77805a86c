# SPDX-License-Identifier: Apache-2.0
"""A ledger that something else changed is noticed at every opening: it can be read, says so, and spends nothing."""

import json
import os
import shutil
import sqlite3

import pytest

from discreet import GreedySelector, Ledger, LedgerTampered, PrivacyLeakWarning
from discreet.errors import DataError, ParameterError
from instances import baskets


@pytest.fixture
def ledger(tmp_path):
    made = Ledger(tmp_path / "ledger.sqlite")
    made.set_limit("clinic", epsilon=1.0)
    made.spend("clinic", epsilon=0.5, what="one")
    made.spend("clinic", epsilon=0.25, what="two")
    return made


def sql(*statements):
    def edit(path):
        file = sqlite3.connect(path, isolation_level=None)
        for statement in statements:
            file.execute(statement)
        file.close()

    return edit


UNGUARD = ("DROP TRIGGER unchanged", "DROP TRIGGER kept")
GUARD = (
    "CREATE TRIGGER unchanged BEFORE UPDATE ON lines BEGIN SELECT RAISE(ABORT, 'what was written stays'); END",
    "CREATE TRIGGER kept BEFORE DELETE ON lines BEGIN SELECT RAISE(ABORT, 'what was spent stays spent'); END",
)


def guarded(*statements):
    """An edit by somebody who knows the triggers and puts them back."""
    return sql(*UNGUARD, *statements, *GUARD)


def beside(name, act):
    return lambda path: act(path.with_name(path.name + name))


def forged(path):
    """The last release made cheaper, hashed as the file's own hashes look, without the key."""
    import hashlib

    body = '{"kind": "release", "number": 2, "data_set": "clinic", "epsilon": "0.0"}'
    mac = hashlib.sha256(body.encode()).hexdigest()
    guarded(f"UPDATE lines SET body = '{body}', mac = '{mac}' WHERE number = 4")(path)


def emptied(path):
    path.write_bytes(b"")


def of_an_older_format(path):
    path.unlink()
    sql(
        "CREATE TABLE limits (data_set TEXT PRIMARY KEY, epsilon TEXT, delta TEXT, accounting TEXT, neighbours TEXT)",
        "CREATE TABLE entries (number INTEGER PRIMARY KEY AUTOINCREMENT, data_set TEXT, epsilon TEXT, delta TEXT,"
        " rho TEXT, what TEXT, state TEXT, time TEXT, promise TEXT, columns TEXT)",
        "INSERT INTO limits VALUES ('clinic', '9.0', '0.0', 'basic', 'replace-one')",
        "PRAGMA user_version = 2",
    )(path)


def rewritten(path, **said):
    path.write_text(json.dumps({**json.loads(path.read_text()), **said}))


def of_another_ledger(path):
    other = Ledger(path.with_name("other.sqlite"))
    other.set_limit("clinic", epsilon=1.0)
    for _ in range(5):
        other.record("clinic", "nothing spent")
    other.path.replace(path)


CHEAPER = 'UPDATE lines SET body = replace(body, \'"epsilon": "0.5"\', \'"epsilon": "0.0"\')'
EDITS = {
    "a cost made smaller": guarded(CHEAPER),
    "the same, triggers left out": sql(*UNGUARD, CHEAPER),
    "a limit raised": guarded("UPDATE lines SET body = replace(body, '\"1.0\"', '\"9.0\"') WHERE number = 1"),
    "a state": guarded("UPDATE lines SET body = replace(body, 'done', 'failed') WHERE number = 3"),
    "a time": guarded("UPDATE lines SET body = replace(body, '20', '19') WHERE number = 2"),
    "a hash": guarded("UPDATE lines SET mac = upper(mac) WHERE number = 2"),
    "a first line taken out": guarded("DELETE FROM lines WHERE number = 1"),
    "a line in the middle taken out": guarded("DELETE FROM lines WHERE number = 3"),
    "a line taken out, the others renumbered": guarded(
        "DELETE FROM lines WHERE number = 2", "UPDATE lines SET number = number - 1 WHERE number > 2"
    ),
    "the end cut off": guarded("DELETE FROM lines WHERE number > 3"),
    "all taken out": guarded("DELETE FROM lines"),
    "a line written twice": guarded("INSERT INTO lines SELECT 6, body, mac FROM lines WHERE number = 1"),
    "a line inserted": sql("INSERT INTO lines VALUES (6, '{\"kind\": \"remark\"}', 'abc')"),
    "a line before the first": sql("INSERT INTO lines VALUES (0, '{}', '')"),
    "two lines exchanged": guarded(
        "UPDATE lines SET number = 99 WHERE number = 2",
        "UPDATE lines SET number = 2 WHERE number = 4",
        "UPDATE lines SET number = 4 WHERE number = 99",
    ),
    "a line replaced in passing": sql("INSERT OR REPLACE INTO lines VALUES (2, '{}', '')"),
    "a body that is no text": guarded("UPDATE lines SET body = x'00ff' WHERE number = 2"),
    "a body that is no JSON": guarded("UPDATE lines SET body = '{' WHERE number = 2"),
    "hashes without a key": forged,
    "a trigger dropped": sql("DROP TRIGGER kept"),
    "a trigger that does nothing": sql(
        "DROP TRIGGER kept", "CREATE TRIGGER kept BEFORE DELETE ON lines BEGIN SELECT 1; END"
    ),
    "a trigger added": sql(
        "CREATE TRIGGER more AFTER INSERT ON lines BEGIN DELETE FROM lines WHERE number = new.number; END"
    ),
    "a table added": sql("CREATE TABLE more (x)"),
    "the table dropped": sql("DROP TABLE lines"),
    "a view in the place of the table": sql(
        "ALTER TABLE lines RENAME TO kept_lines", "CREATE VIEW lines AS SELECT * FROM kept_lines WHERE number < 2"
    ),
    "another format": sql("PRAGMA user_version = 2"),
    "the file emptied": emptied,
    "a ledger of an older format": of_an_older_format,
    "another ledger": of_another_ledger,
    "no key": beside(".key", lambda path: path.unlink()),
    "another key": beside(
        ".key", lambda path: path.write_text(path.read_text().replace('"key": "', '"key": "00')[:9] + "}")
    ),
    "a key that others may read": beside(".key", lambda path: path.chmod(0o644)),
    "a key that is a pipe": beside(".key", lambda path: (path.unlink(), os.mkfifo(path))),
    "a fresh key": beside(
        ".key",
        lambda path: path.write_text(json.dumps({"format": 1, "key": "ab" * 32, "lines": 0, "last": ""})),
    ),
    "a head that knows another line": beside(".key", lambda path: rewritten(path, last="00" * 32)),
    "the end cut off, the head moved back by hand": lambda path: (
        guarded("DELETE FROM lines WHERE number > 1")(path),
        rewritten(path.with_name(path.name + ".key"), lines=0, last=""),
    ),
    "a cost changed in the bytes of the file": lambda path: path.write_bytes(
        path.read_bytes().replace(b'"epsilon": "0.5"', b'"epsilon": "0.0"')
    ),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_tampering_is_said_and_nothing_is_spent(ledger, edit):
    edit(ledger.path)
    assert ledger.problems()
    for spend in (
        lambda: ledger.spend("clinic", epsilon=0.01, what="more"),
        lambda: ledger.record("clinic", "by hand"),
        lambda: ledger.set_limit("clinic", epsilon=9.0),
        lambda: ledger.set_limit("survey", epsilon=9.0),
        lambda: ledger.check("clinic", epsilon=0.01),
        lambda: GreedySelector(k=5).release(*baskets(), account=ledger.account("clinic")),
    ):
        with pytest.raises(LedgerTampered, match=r"changed by something else than discreet: .*Nothing can be spent"):
            spend()
    with pytest.warns(PrivacyLeakWarning, match="changed by something else"):
        assert isinstance(ledger.entries(), list)
    assert ledger.problems()  # looking repairs nothing


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_ledger_can_be_accepted_as_it_is_and_that_stays(ledger, edit):
    edit(ledger.path)
    with pytest.raises(ParameterError):
        ledger.accept(" ")
    if edit is EDITS["a key that others may read"]:
        (ledger.path.parent / "ledger.sqlite.key").chmod(0o600)
        assert ledger.accept("it was the wrong mode") == []
        return
    if "key" in str(ledger.problems()) and not ledger._chain._read_key()[0]:
        ledger._chain.key_file.unlink(missing_ok=True)
    found = ledger.accept("the disk was repaired")
    assert found
    assert ledger.problems() == []
    (*_, remark) = ledger.book().remarks
    assert "although it was tampered with" in remark
    assert remark.endswith("because: the disk was repaired")
    ledger.set_limit("clinic", epsilon=2.0)
    ledger.spend("clinic", epsilon=0.01, what="more")
    assert ledger.problems() == []


def test_an_untouched_ledger_has_no_problems(ledger):
    assert ledger.problems() == []
    assert ledger.accept("nothing to accept") == []
    assert ledger.book().remarks == []
    assert ledger._chain.key_file.stat().st_mode & 0o777 == 0o600


def test_an_older_copy_of_the_file_is_noticed(ledger, tmp_path):
    shutil.copy(ledger.path, tmp_path / "copy")
    ledger.spend("clinic", epsilon=0.25, what="three")
    shutil.copy(tmp_path / "copy", ledger.path)
    assert "it holds 5 lines and not the last of the 7 that were written" in ledger.problems()[0]


def test_an_older_copy_of_file_and_key_is_told_by_a_receipt_alone(ledger, tmp_path):
    key = ledger._chain.key_file
    shutil.copy(ledger.path, tmp_path / "copy")
    shutil.copy(key, tmp_path / "copy.key")
    with ledger.spending("clinic", epsilon=0.25, what="three") as number:
        receipt = ledger.receipt(number)
    assert ledger.holds(receipt)
    shutil.copy(tmp_path / "copy", ledger.path)
    shutil.copy(tmp_path / "copy.key", key)
    assert ledger.problems() == []  # nothing in the two files tells
    assert not ledger.holds(receipt)
    ledger.spend("clinic", epsilon=0.01, what="another third")
    assert not ledger.holds(receipt)
    for odd in ({}, {"line": "6", "hash": None}, {"line": 10**30, "hash": ""}, {"line": [], "hash": "x"}):
        assert not ledger.holds(odd)


def test_a_ledger_that_is_gone_is_not_begun_anew(ledger):
    ledger.path.unlink()
    with pytest.raises(DataError, match=r"is gone: its key 'ledger\.sqlite\.key' knows of 5 lines"):
        ledger.set_limit("clinic", epsilon=9.0)
    assert not ledger.path.exists()


def test_the_key_may_be_elsewhere(tmp_path):
    (tmp_path / "safe").mkdir()
    ledger = Ledger(tmp_path / "ledger.sqlite", key=tmp_path / "safe" / "mine.key")
    ledger.set_limit("clinic", epsilon=1.0)
    ledger.spend("clinic", epsilon=0.5, what="one")
    assert {path.name for path in tmp_path.iterdir()} == {"ledger.sqlite", "safe"}
    assert ledger.problems() == []
    assert Ledger(ledger.path).problems() == ["its key 'ledger.sqlite.key' is not there"]


def test_a_run_that_was_killed_before_the_head_moved_is_no_tampering(ledger, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(type(ledger._chain), "_move_head", lambda chain, file: None)
        ledger.spend("clinic", epsilon=0.1, what="killed")
    assert ledger.problems() == []
    ledger.spend("clinic", epsilon=0.1, what="next")
    assert ledger.problems() == []
    assert json.loads(ledger._chain.key_file.read_text())["lines"] == 9


# -- limits and names --------------------------------------------------------------------------------------------------


def test_a_changed_limit_is_a_line_of_its_own(ledger):
    ledger.set_limit("clinic", epsilon=3.0)
    ledger.set_limit("clinic", epsilon=3.0)  # as it was
    ledger.set_limit("clinic", epsilon=0.5)
    assert [change.limit.budget.epsilon for change in ledger.changes("clinic")] == [1.0, 3.0, 0.5]
    assert ledger.limits()["clinic"].budget.epsilon == 0.5


@pytest.mark.parametrize("name", ["Clinic", "clinic ", " CLINIC", "cli\u200bnic", "\uff43linic", "clinic\t"])
def test_a_name_is_one_however_it_is_spelt(ledger, name):
    assert ledger.left(name).epsilon == 0.25
    ledger.set_limit(name, epsilon=2.0)
    ledger.spend(name, epsilon=1.0, what="three")
    assert list(ledger.limits()) == ["clinic"]
    assert [entry.data_set for entry in ledger.entries(name)] == ["clinic"] * 3
    assert ledger.left("clinic").epsilon == 0.25


def test_names_that_were_several_are_joined_and_that_is_said(tmp_path):
    old = tmp_path / "old.sqlite"
    of = "INSERT INTO limits VALUES ('{}', '{}', '0.0', 'basic', '{}')"
    spent = "INSERT INTO entries VALUES ({}, '{}', '0.5', '0.0', '0.125', 'names', 'done', '2026', '', '')"
    (tmp_path / "old.sqlite").touch()
    of_an_older_format(old)
    sql(
        "DELETE FROM limits",
        of.format("d", "2.0", "replace-one"),
        of.format("D", "3.0", "replace-one"),
        of.format("d ", "4.0", "add-remove"),
        of.format("other", "1.0", "replace-one"),
        *(spent.format(number, name) for number, name in ((1, "d"), (2, "D"), (5, "d "), (6, "other"))),
    )(old)
    ledger = Ledger(old)
    with pytest.warns(PrivacyLeakWarning, match="are one data set, 'd', and were joined: what they spent adds up"):
        assert [entry.number for entry in ledger.entries("D ")] == [1, 2, 5]
    # 0.5 and 0.5, and 1 for the release that was about one row more or less: replacing a row is two such steps
    assert ledger.left("d").epsilon == 0
    assert [change.limit.budget.epsilon for change in ledger.changes("d")] == [3.0, 2.0, 4.0, 2.0]
    assert ledger.left("other").epsilon == 0.5
    assert any("were joined" in remark for remark in ledger.book().remarks)
    assert ledger.problems() == []
