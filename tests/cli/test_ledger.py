# SPDX-License-Identifier: Apache-2.0
"""The command line of budgets: the ledger, releases that are paid from it, audits."""

import json
import sqlite3

import pandas as pd
import pytest
from typer.testing import CliRunner

from discreet import Ledger
from discreet.cli.app import BROKEN, GOOD, WRONG, app
from discreet.mechanisms import MECHANISMS
from instances import baskets


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def answer(*arguments):
    done = run(*arguments, "--json")
    return done.exit_code, json.loads(done.stdout)


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch, patient):
    monkeypatch.chdir(tmp_path)
    X, y = baskets()
    pd.DataFrame(X, columns=[f"word {j}" for j in range(X.shape[1])]).assign(label=y).to_csv("words.csv", index=False)


WORDS = ["release", "words.csv", "--baskets", "columns", "--target", "label", "--method", "laplace-select"]
PAID = ["--ledger", "ledger.db", "--data-set", "clinic"]


# -- the ledger --------------------------------------------------------------------------------------------------------


def test_a_limit_is_set_and_shown():
    done = run("ledger", "set-limit", "ledger.db", "clinic", "--epsilon", 2, "--delta", 1e-6, "--accounting", "zcdp")
    assert done.exit_code == GOOD
    assert done.stdout.startswith("clinic: limit epsilon 2, delta 1e-06, left epsilon ")
    assert done.stdout.endswith(" (zcdp, replace-one)\n")
    status, said = answer("ledger", "show", "ledger.db")
    assert status == GOOD
    assert said["releases"] == []
    assert [(s["data_set"], s["budget"]["epsilon"], s["neighbours"]) for s in said["data_sets"]] == [
        ("clinic", 2.0, "replace-one")
    ]
    assert "Nothing was released." in run("ledger", "show", "ledger.db").stdout


def test_a_check_spends_nothing_and_says_why_not():
    run("ledger", "set-limit", "ledger.db", "clinic", "--epsilon", 1)
    status, said = answer("ledger", "check", "ledger.db", "clinic", "--epsilon", 1)
    assert (status, said["left"]["epsilon"]) == (GOOD, 1.0)
    refused = run("ledger", "check", "ledger.db", "clinic", "--epsilon", 1.1)
    assert refused.exit_code == WRONG
    assert "epsilon 1 left, too little for epsilon 1.1" in refused.stderr
    assert Ledger("ledger.db").entries() == []


@pytest.mark.parametrize("command", [["show"], ["check", "clinic", "--epsilon", 1]])
def test_without_a_ledger_nothing_is_made(command, tmp_path):
    done = run("ledger", command[0], "none.db", *command[1:])
    assert done.exit_code == WRONG
    assert "There is no ledger 'none.db'" in done.stderr
    assert not (tmp_path / "none.db").exists()


def test_an_unknown_data_set_is_named():
    run("ledger", "set-limit", "ledger.db", "clinic", "--epsilon", 1)
    for command in (["show", "ledger.db", "clinik"], ["check", "ledger.db", "clinik", "--epsilon", 1]):
        done = run("ledger", *command)
        assert done.exit_code == WRONG
        assert "Did you mean 'clinic'" in done.stderr


# -- releases ----------------------------------------------------------------------------------------------------------


def test_a_release_is_paid_and_one_too_many_is_refused_before_the_file_is_read(tmp_path):
    run("ledger", "set-limit", "ledger.db", "clinic", "--epsilon", 1)
    asked = [*WORDS, "--epsilon", 0.6, "--set", "n_features=2", *PAID]
    done = run(*asked, "-o", "one")
    assert done.exit_code == GOOD, done.output
    assert done.stdout.endswith("Left     epsilon 0.4 of clinic\n")
    (tmp_path / "words.csv").unlink()
    refused = run(*asked, "-o", "two")
    assert refused.exit_code == WRONG
    assert "epsilon 0.4 left, too little for epsilon 0.6" in refused.stderr
    assert not (tmp_path / "two").exists()
    _, said = answer("ledger", "show", "ledger.db", "clinic")
    (entry,) = said["releases"]
    assert json.loads((tmp_path / "one" / "owner" / "ledger.json").read_text())["receipts"][0]["entry"] == 1
    assert (entry["budget"]["epsilon"], entry["state"]) == (0.6, "done")
    assert entry["what"] == "laplace-select, names, 0.6-differential privacy"


def test_a_release_of_another_family_is_written_down():
    run("ledger", "set-limit", "ledger.db", "clinic", "--epsilon", 0)
    done = run(*WORDS[:-1], "greedy", "--k", 5, *PAID, "-o", "out")
    assert done.exit_code == GOOD, done.output
    shown = run("ledger", "show", "ledger.db").stdout
    assert shown.endswith("clinic: no epsilon, greedy, baskets, 5-anonymity by containment, 4 columns\n")
    Ledger("ledger.db").record("clinic", "by hand")
    assert len(run("ledger", "show", "ledger.db").stdout.splitlines()) == 4


def test_a_second_release_of_another_family_is_warned_of_once_and_marked():
    run("ledger", "set-limit", "ledger.db", "clinic", "--epsilon", 1)
    asked = [*WORDS[:-1], "greedy", "--k", 5, *PAID]
    first = run(*asked, "-o", "one")
    assert "Warning" not in first.stderr
    second = run(*asked, "-o", "two")
    assert second.exit_code == GOOD, second.output
    assert second.stderr.count("Warning: 'clinic' was released before, without differential privacy: 1 (greedy") == 1
    assert second.stderr.count("Warning") == 1
    private = run(*WORDS, "--epsilon", 0.5, "--set", "n_features=2", *PAID, "-o", "three")
    assert private.stderr.count("Warning") == 1
    assert "Together these releases are no longer differentially private" in private.stderr
    marked = [line for line in run("ledger", "show", "ledger.db").stdout.splitlines() if "!" in line]
    assert marked == [
        "     !  does not compose with 1: see discreet attack",
        "     !  does not compose with 1, 2: see discreet attack",
    ]
    _, said = answer("ledger", "show", "ledger.db")
    assert [entry["does_not_compose_with"] for entry in said["releases"]] == [[], [1], [1, 2]]
    assert [len(entry["warned"]) for entry in said["releases"]] == [0, 1, 1]
    assert [len(entry["columns"]) for entry in said["releases"]] == [4, 4, 2]
    assert said["releases"][0]["promise"] == "5-anonymity by containment"


def test_a_release_after_a_private_one_is_warned_of():
    run("ledger", "set-limit", "ledger.db", "clinic", "--epsilon", 1)
    run(*WORDS, "--epsilon", 0.5, "--set", "n_features=2", *PAID, "-o", "one")
    done = run(*WORDS[:-1], "greedy", "--k", 5, *PAID, "-o", "two")
    assert done.exit_code == GOOD, done.output
    assert done.stderr.count("Warning: 'clinic' was released before, under differential privacy: 1 (laplace") == 1


def test_the_same_people_under_another_name_are_warned_of_and_shown(tmp_path):
    for name in ("clinic", "ward"):
        run("ledger", "set-limit", "ledger.db", name, "--epsilon", 1)
    asked = [*WORDS, "--epsilon", 0.5, "--set", "n_features=2", "--ledger", "ledger.db"]
    first = run(*asked, "--data-set", "clinic", "-o", "one")
    assert "Warning" not in first.stderr
    second = run(*asked, "--data-set", "ward", "-o", "two")
    assert second.exit_code == GOOD, second.output
    assert "Warning: 'ward' seems to be about the same people as 'clinic': 100%" in second.stderr
    assert (
        "     !  'ward' seems to be about the same people as 'clinic': 100%"
        in run("ledger", "show", "ledger.db").stdout
    )
    for path in (tmp_path / "two" / "release").iterdir():
        assert b"hashes" not in path.read_bytes()


def test_changes_of_a_limit_are_shown():
    for epsilon in (1, 3, 0.5):
        run("ledger", "set-limit", "ledger.db", "clinic", "--epsilon", epsilon)
    done = run("ledger", "show", "ledger.db", "CLINIC ")
    lines = done.stdout.splitlines()
    assert lines[0] == "clinic: limit epsilon 0.5, left epsilon 0.5 (basic, replace-one)"
    assert lines[1].endswith("limit raised from epsilon 1 to epsilon 3")
    assert lines[2].endswith("limit lowered from epsilon 3 to epsilon 0.5")
    _, said = answer("ledger", "show", "ledger.db")
    assert [change["limit"]["budget"]["epsilon"] for change in said["data_sets"][0]["changes"]] == [1, 3, 0.5]


def test_tampering_is_said_and_can_be_accepted(tmp_path):
    run("ledger", "set-limit", "ledger.db", "clinic", "--epsilon", 1)
    run(*WORDS, "--epsilon", 0.6, "--set", "n_features=2", *PAID, "-o", "one")
    receipt = tmp_path / "one" / "owner" / "ledger.json"
    fine = run("ledger", "check", "ledger.db", "--receipt", receipt)
    assert (fine.exit_code, fine.stdout) == (GOOD, "ledger.db is as discreet wrote it: 1 release.\n")
    with sqlite3.connect("ledger.db") as file:
        file.execute("DROP TRIGGER kept")
        file.execute("DELETE FROM lines WHERE number > 1")
    file.close()
    for command in (["check"], ["show"]):
        done = run("ledger", command[0], "ledger.db", *command[1:])
        assert done.exit_code == BROKEN
        assert "was changed by something else than discreet" in done.stderr
        assert "1 of the 3 parts of its schema are gone or changed" in done.stderr
        assert "not the last of the 3 that were written" in done.stderr
    refused = run(*WORDS, "--epsilon", 0.6, "--set", "n_features=2", *PAID, "-o", "two")
    assert refused.exit_code == WRONG
    assert "Nothing can be spent from it." in refused.stderr
    assert not (tmp_path / "two").exists()
    assert "Accepted" in run("ledger", "accept", "ledger.db", "--because", "a test of copies").stdout
    assert "because: a test of copies" in run("ledger", "show", "ledger.db").stdout
    lost = run("ledger", "check", "ledger.db", "--receipt", receipt)
    assert (lost.exit_code, "does not hold entry 1 of the receipt 'ledger.json'" in lost.stderr) == (BROKEN, True)
    odd = run("ledger", "check", "ledger.db", "--receipt", "words.csv")
    assert (odd.exit_code, "is not a receipt" in odd.stderr) == (WRONG, True)


def test_the_key_may_be_elsewhere(tmp_path, monkeypatch):
    (tmp_path / "safe").mkdir()
    monkeypatch.setenv("DISCREET_LEDGER_KEY", "safe/key")
    run("ledger", "set-limit", "ledger.db", "clinic", "--epsilon", 1)
    done = run(*WORDS, "--epsilon", 0.6, "--set", "n_features=2", *PAID, "-o", "one")
    assert done.exit_code == GOOD, done.output
    assert not (tmp_path / "ledger.db.key").exists()
    monkeypatch.delenv("DISCREET_LEDGER_KEY")
    assert "its key 'ledger.db.key' is not there" in run("ledger", "check", "ledger.db").stderr
    assert run("ledger", "check", "ledger.db", "--key", "safe/key").exit_code == GOOD


@pytest.mark.parametrize("half", [PAID[:2], PAID[2:]])
def test_a_ledger_and_a_name_go_together(half, tmp_path):
    done = run(*WORDS, *half, "-o", "out")
    assert done.exit_code == WRONG
    assert "go together" in done.stderr
    assert not (tmp_path / "out").exists()


# -- audits ------------------------------------------------------------------------------------------------------------


def test_an_audit_prints_bound_claim_confidence_and_verdict():
    done = run("audit", "geometric", "--epsilon", 2, "--runs", 4000, "--seed", 1)
    assert done.exit_code == GOOD, done.output
    words = [line.split()[0] for line in done.stdout.splitlines()]
    assert words == ["geometric:", "bound", "claim", "confidence", "event", "noise", "Not"]
    assert done.stdout == run("audit", "geometric", "--epsilon", 2, "--runs", 4000, "--seed", 1).stdout


def test_a_claim_below_the_bound_is_refuted():
    status, said = answer("audit", "geometric", "--epsilon", 2, "--claim", 1, "--runs", 4000, "--seed", 1)
    assert (status, said["refuted"]) == (BROKEN, True)
    assert 1 < said["epsilon"] <= 2
    assert (said["claim"], said["confidence"], said["simulation"]) == (1.0, 1 - 1e-6, True)
    done = run("audit", "geometric", "--epsilon", 2, "--claim", 1, "--runs", 4000, "--seed", 1)
    assert done.stdout.endswith("Refuted: the claim is wrong.\n")


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_can_be_audited(name):
    """Odds of a false alarm: 1e-8 each."""
    more = {"gaussian": ["--delta", 1e-5]}.get(name, [])
    status, said = answer("audit", name, "--epsilon", 3, "--runs", 300, "--false-alarm", 1e-8, *more)
    assert status == GOOD, said
    assert said["noise"]["mechanism"] == name
    assert said["simulation"] is False


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (["geometrik"], "Did you mean 'geometric'"),
        (["geometric", "--picks", 2], "does not take --picks: it is for laplace-top"),
        (["gaussian"], "needs a delta"),
        (["geometric", "--epsilon", 0], "epsilon"),
        (["geometric", "--runs", 3], "100 runs"),
    ],
)
def test_what_cannot_be_audited_is_refused(wrong, why):
    done = run("audit", *wrong)
    assert done.exit_code == WRONG, done.output
    assert why in done.stderr
