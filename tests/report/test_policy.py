# SPDX-License-Identifier: Apache-2.0
"""A policy passes and fails line by line, on a release in memory and on its files alike, and is read with care."""

import json
import os

import numpy as np
import pytest
from typer.testing import CliRunner

from discreet import Baskets, DataError, GreedySelector, KAdet, Mondrian, Roles, Table, verify
from discreet.cli.app import app
from discreet.errors import PolicyBroken
from discreet.privacy import PROMISES, DifferentialPrivacy
from discreet.release.signature import new_key, public_key_of
from discreet.report.policy import Policy
from discreet.report.policy_figures import Figures
from discreet.report.policy_lines import LINES
from discreet.report.policy_reader import policy_from
from parsed import Page

ROLES = Roles(target="y", quasi=["age", "sex"], sensitive=["ill"])


def people(n=240):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, n)
    return Table.of(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], n),
            "ill": rng.choice(["flu", "gout", "asthma", "none"], n),
            "blank": ["same"] * n,
            "y": np.where(age > 50, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def release():
    return Mondrian(k=5, random_state=1).release(people(), ROLES)


@pytest.fixture(scope="module")
def saved(release, tmp_path_factory):
    return release.save(tmp_path_factory.mktemp("policy") / "out")


def lines(policy, release, **more):
    return {line.key: line for line in Policy(format=1, **policy).check(release, **more)}


def test_by_hand():
    """Two groups of three: {31, 34, 38} all flu, {52, 55, 59} gout, flu, gout; with the label 1 person is left."""
    table = {"age": [31, 34, 38, 52, 55, 59], "y": ["flu", "flu", "flu", "gout", "flu", "gout"]}
    made = Mondrian(k=3).release(table, Roles(target="y", quasi=["age"]))
    asked = {"least_k": 4, "largest_risk": 0.34, "largest_average_risk": 1 / 3, "largest_one_class_share": 0.4}
    found = lines(asked | {"label_protected": True, "least_rows": 6, "largest_epsilon": 1.0}, made)
    assert {key: line.passed for key, line in found.items()} == {
        "least_k": False,  # 3
        "largest_epsilon": True,  # there is no noise to limit
        "label_protected": False,  # one flu in the second group
        "largest_risk": True,  # 1/3
        "largest_average_risk": True,  # 2 groups of 6 rows
        "largest_one_class_share": False,  # 3 of 6
        "least_rows": True,
    }
    assert found["least_k"].sentence == "k of at least 4: 3 found."
    assert found["largest_one_class_share"].sentence.endswith("50.0 % found.")
    assert not found["largest_epsilon"].applies


def test_every_limit_has_a_line_that_can_fail(release, tmp_path):
    broken = {
        "least_k": 1000,
        "least_l": 1000,
        "largest_t": 0.0,
        "label_protected": True,
        "largest_risk": 0.0,
        "largest_average_risk": 0.0,
        "largest_one_class_share": 0.0,
        "most_blank_columns": 0,
        "largest_suppressed_share": 0.0,
        "least_rows": 1000,
        "never_published": ("AGE",),
        "signed": True,
        "signers": ("0" * 64,),
        "promises": ("containment",),
    }
    blank = Mondrian(k=5, random_state=1).release(
        people(), Roles(target="y", quasi=["age", "sex"], sensitive=["ill"], other=["blank"])
    )
    found = lines(broken, blank)
    assert set(broken) == set(found)
    passing = [key for key, line in found.items() if line.passed]
    assert passing == ["largest_suppressed_share"]  # Mondrian suppresses nothing here
    persons = Mondrian(k=2).release(
        {"who": [1, 2, 3, 4], "age": [1, 1, 2, 2], "y": [0, 1, 0, 1]}, Roles(target="y", quasi=["age"], person="who")
    )
    assert not lines({"repeatable": True, "least_k": 2}, persons)["repeatable"].passed
    assert set(LINES) | {"promises"} == set(Policy.model_fields) - {"format", "name"}
    assert {"epsilon", "delta"} & set(vars(Figures)) == {"epsilon", "delta"}


def test_memory_and_files_give_the_same_lines(release, saved):
    policy = Policy(
        format=1, least_k=5, least_l=3, largest_t=0.5, label_protected=True, largest_risk=0.1, most_blank_columns=0
    )
    here = policy.check(release)
    assert here == policy.check(verify(saved / "release")) == policy.check(saved / "release")
    with pytest.raises(PolicyBroken, match="breaks 4 of 6 lines of the policy:\n  least_l: l of at least 3: "):
        policy.enforce(release)


def test_a_promise_of_a_kind_without_a_limit_fails(release):
    (line,) = [one for one in Policy(format=1, largest_epsilon=1.0).check(release) if not one.passed]
    assert line.key == "promises"
    assert "for which the policy sets no limit ('least_k', 'largest_risk')" in line.found
    assert all(one.passed for one in Policy(format=1, promises=("k-anonymity",)).check(release))


def test_noise_is_limited_by_epsilon_and_by_nothing_about_groups(release):
    certificate = release.certificate.model_copy(
        update={"promise": DifferentialPrivacy(2.0).to_dict(), "noise": ({"mechanism": "any"},)}
    )
    noisy = type("Noisy", (), {"certificate": certificate, "content": release.content})
    found = lines({"largest_epsilon": 1.0, "least_k": 5, "label_protected": True}, noisy)
    assert not found["largest_epsilon"].passed
    assert found["least_k"].passed
    assert not found["least_k"].applies
    assert lines({"largest_epsilon": 2.0}, noisy)["largest_epsilon"].passed
    assert not lines({"least_k": 5}, noisy)["promises"].passed


def test_baskets_and_models_have_a_k_too():
    rng = np.random.default_rng(1)
    baskets = Baskets.of((rng.random((300, 12)) < 0.4).astype(int), rng.integers(0, 2, 300))
    made = GreedySelector(k=5).release(baskets)
    found = lines({"least_k": 5, "largest_average_risk": 0.1, "most_blank_columns": 0, "never_published": ["x"]}, made)
    assert found["least_k"].passed
    assert not found["largest_average_risk"].applies
    model = KAdet(k=10).release(people(), Roles(target="y", quasi=["age", "sex"]))
    assert lines({"least_k": 10}, model)["least_k"].passed
    assert not lines({"least_k": 500}, model)["least_k"].passed


def test_signatures_are_asked_for(release, tmp_path):
    private, _ = new_key(tmp_path / "keys")
    signer = public_key_of(private)
    assert lines({"signed": True, "signers": [signer.upper()], "least_k": 5}, release, signer=signer)["signers"].passed
    release.save(tmp_path / "out", sign_with=private)
    found = lines({"signed": True, "signers": [signer], "least_k": 5}, tmp_path / "out" / "release")
    assert found["signed"].passed
    assert found["signers"].passed


# -- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "format: write format = 1"),
        ("format = 1", "it sets no limit. Write one, such as least_k = 5."),
        ("format = 2\nleast_k = 5", "line 1: format: write format = 1"),
        ("format = 1\n\nleast_kk = 5", "line 3: least_kk: there is no such limit. Did you mean 'least_k'?"),
        ("format = 1\nleast_k = 1", "line 2: least_k: must be 2 or more. Got 1 instead."),
        ("format = 1\nleast_k = 5.5", "line 2: least_k: must be a whole number. Got 5.5 instead."),
        ("format = 1\nleast_k = true", "line 2: least_k: must be a whole number. Got true instead."),
        ("format = 1\nlargest_risk = 20", "a share of 20 % is written 0.2. Got 20.0 instead."),
        ("format = 1\nlargest_risk = nan", "largest_risk: must be a finite number"),
        ("format = 1\nlargest_epsilon = 0", "largest_epsilon: must be more than 0"),
        ("format = 1\nsigned = 'yes'", "signed: must be true or false. Got 'yes' instead."),
        ("format = 1\nsigners = ['x']", "signers: must be a public key of 64 hexadecimal digits"),
        ("format = 1\nnever_published = 'name'", "never_published: must be a list in brackets"),
        ("format = 1\npromises = ['k-anonimity']", "'k-anonimity' is not a promise. Did you mean 'k-anonymity'?"),
        ("format = 1\nleast_k = 5\nleast_k = 6", "line 3: this is not TOML"),
        ("format = 1\n[least_k]\nx = 1", "least_k: must be a whole number"),
        ("format = 1\nname = 5\nleast_k = '5'", "has 2 errors:\n  line 2: name: must be a text"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, said):
    with pytest.raises(DataError) as error:
        policy_from(text, name="policy.toml")
    assert said in str(error.value)
    assert str(error.value).startswith("'policy.toml'")


def test_a_policy_file_may_be_hostile(tmp_path):
    cases = {
        "large.toml": b"format = 1\n#" + b"x" * 70_000,
        "binary.toml": b"\xff\xfe\x00",
        "deep.toml": b"format = 1\nsigners = " + b"[" * 5000 + b"]" * 5000,
        "wide.toml": b"format = 1\n" + b"".join(b"k%d = 1\n" % place for place in range(3000)),
    }
    for name, content in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError) as error:
            Policy.read(tmp_path / name)
        assert len(str(error.value)) < 20_000
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(DataError, match="not a plain file"):
        Policy.read(tmp_path / "pipe.toml")
    with pytest.raises(DataError, match="There is no file"):
        Policy.read(tmp_path / "none.toml")


def test_promises_are_named_as_certificates_name_them():
    assert policy_from("format = 1\npromises = ['(k, m)-anonymity', 'breach increase']").promises
    assert {"k-anonymity", "differential privacy"} <= set(PROMISES)


# -- commands ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_arrow().to_pandas().to_csv("people.csv", index=False)
    return tmp_path


def command(*words):
    return CliRunner().invoke(app, [*map(str, words)])


def test_a_release_that_breaks_the_policy_is_not_written(here):
    (here / "policy.toml").write_text("format = 1\nname = 'Open data'\nleast_k = 5\nlabel_protected = true")
    asked = [
        "release",
        "people.csv",
        "--target",
        "y",
        "--quasi",
        "age,sex",
        "--method",
        "mondrian",
        "--k",
        "5",
        "-o",
        "out",
    ]
    done = command(*asked, "--policy", "policy.toml")
    assert done.exit_code == 1
    assert "breaks 1 of 2 lines of the policy 'Open data'" in done.output
    assert not (here / "out").exists()
    (here / "policy.toml").write_text("format = 1\nname = 'Open data'\nleast_k = 5")
    done = command(*asked, "--policy", "policy.toml")
    assert done.exit_code == 0, done.output
    assert "Policy 'Open data': all 1 lines pass." in done.output
    assert "every line passes" in Page((here / "out/owner/report.html").read_text()).text
    (here / "policy.toml").write_text("format = 1\nleast_k = 6")
    done = command("verify", "out/release", "--policy", "policy.toml")
    assert done.exit_code == 1
    assert "fails   k of at least 6: 5 found" in done.output
    answer = json.loads(command("verify", "out/release", "--policy", "policy.toml", "--json").stdout)
    assert (answer["holds"], answer["policy"]["passed"]) == (True, False)
    done = command("report", "out", "--policy", "policy.toml", "-o", "again.html")
    assert done.exit_code == 1
    assert "not every line passes" in Page((here / "again.html").read_text()).text
    (here / "policy.toml").write_text("format = 1\nleast_kk = 6")
    done = command(*asked[:-1], "out2", "--policy", "policy.toml")
    assert done.exit_code == 2
    assert "Did you mean 'least_k'?" in done.output
