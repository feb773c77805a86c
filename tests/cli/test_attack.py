# SPDX-License-Identifier: Apache-2.0
"""discreet attack: findings for a person and for a machine, status 1 when a promise is broken, no cell anywhere."""

import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest
from typer.testing import CliRunner

from discreet import Baskets, GreedySelector, Mondrian, PromiseBroken, VarianceSketch, attack
from discreet.cli.app import BROKEN, GOOD, WRONG, app
from discreet.release.certificate import CERTIFICATE, Certificate, file_record
from instances import MARKERS, PERSON_ROLES, ROLES, baskets, people

QUICK = "prosecutor,journalist,marketer,homogeneity"


pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release of 4-anonymous rows, the table it was made from, and people who are not in it."""
    folder = tmp_path_factory.mktemp("attack")
    frame = people(160)
    frame.to_csv(folder / "known.csv", index=False)
    people(80, seed=9).to_csv(folder / "control.csv", index=False)
    Mondrian(k=4, random_state=1).release(frame, ROLES).save(folder / "out")
    Mondrian(k=4, random_state=1).release(frame, PERSON_ROLES).save(folder / "persons")
    return folder


def run(*arguments):
    return CliRunner().invoke(app, ["attack", *(str(argument) for argument in arguments)])


def fails(*arguments):
    done = run(*arguments)
    assert done.exit_code == WRONG, (done.stdout, done.stderr, done.exception)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


def found(*arguments, status=GOOD):
    done = run(*arguments, "--json")
    assert done.exit_code == status, (done.stdout, done.stderr, done.exception)
    return json.loads(done.stdout)


def test_all_attacks_that_apply_are_made_and_explained(made):
    done = run(made / "out/release", "--known", made / "known.csv", "--control", made / "control.csv", "--targets", 100)
    assert done.exit_code == GOOD, done.output
    words = " ".join(done.stdout.split())
    for name in (
        *("(prosecutor)", "finds a person's row", "(journalist)", "(marketer)", "reads ill off"),
        *("(homogeneity)", "guesses ill,", "(inference)", "singling out"),
    ):
        assert name in words
    assert "≤ 25.0 %" in words
    assert words.startswith("An attacker knowing age, ")
    assert "Not tried: intersection, " in words
    assert "sparse" not in words  # that is about baskets
    assert "Kept: 4-anonymity of age" in words
    assert "results that it limits is above its limit. It says nothing about the other" in words
    assert "Anyone who also knows " in words
    assert "of 100 persons" in words
    assert not [marker for marker in MARKERS if marker in done.output]


def test_the_table_is_printed_once_and_explained_on_request(made):
    arguments = made / "out/release", "--known", made / "known.csv", "--attacks", QUICK
    short, long = run(*arguments).stdout, run(*arguments, "--explain").stdout
    table = short[: short.index("\nKept: ")]
    assert long.startswith(table)
    after = short[len(table) :].strip().split("\n")
    assert len(after) <= 5  # a conclusion, not the table again
    assert "Can an attacker who knows age, sex, town and job pick the row" not in short
    assert "Can an attacker who knows age, sex, town and job pick the row" in long
    assert "The population is modelled" not in short
    assert "The population is modelled" in long


@pytest.mark.parametrize(
    ("options", "option"),
    [
        (["--aux-items", 3], "--aux-items"),
        (["--attacks", "prosecutor", "--targets", 5], "--targets"),
        (["--attacks", "prosecutor", "--seed", 0], "--seed"),
        (["--attacks", "prosecutor", "--share", 0.1], "--share"),
        (["--attacks", "journalist", "--share", 0.1, "--population", "known.csv"], "--share"),
        (["--attacks", "journalist", "--control", "control.csv"], "--control"),
        (["--attacks", "prosecutor", "--sensitive", "ill"], "--sensitive"),
        (["--attacks", "prosecutor", "--population", "known.csv"], "--population"),
        (["--attacks", "prosecutor", "--other", "persons/release"], "--other"),
        (["--attacks", "prosecutor", "--hierarchies", "x"], "--hierarchies"),
        (["--attacks", "prosecutor", "--gone", "known.csv"], "--gone"),
        (["--attacks", "prosecutor", "--explain", "--json"], "--explain"),
    ],
)
def test_an_option_that_no_attack_looks_at_is_refused(made, monkeypatch, options, option):
    monkeypatch.chdir(made)
    done = run("out/release", "--known", "known.csv", *options)
    assert done.exit_code == WRONG, done.output
    assert f"{option} has no effect" in done.stderr


def test_json_says_the_same_to_a_machine(made):
    arguments = made / "out/release", "--known", made / "known.csv", "--control", made / "control.csv"
    answer = found(*arguments, "--attacks", QUICK)
    assert answer["format"] == 1
    assert answer["promise"] == "4-anonymity"
    assert answer["broken"] is False
    assert answer["not_made"] == {}
    first = answer["findings"][0]
    assert first["attack"] == "prosecutor"
    assert first["success"]["low"] <= first["success"]["value"] <= first["success"]["high"]
    assert first["bound"] == 0.25
    assert first["breaks_promise"] is False
    control = first["control"]["value"]
    assert first["risk"]["value"] == pytest.approx((first["success"]["value"] - control) / (1 - control))
    assert found(*arguments, "--attacks", QUICK) == answer  # the same seed, the same figures


@pytest.fixture
def altered(made, tmp_path):
    """Rows are taken out of the published file, until some pattern stands alone."""
    release = tmp_path / "release"
    shutil.copytree(made / "out/release", release)
    rows = pd.read_csv(release / "data.csv", dtype=str, keep_default_na=False)
    rows.drop_duplicates(list(ROLES.quasi)).to_csv(release / "data.csv", index=False)
    return release


def sealed_again(release):
    """As a forger would do it: the certificate states the hashes of the files as they are now."""
    certificate = Certificate.read(release)
    certificate = certificate.sealed({name: file_record(release / name) for name in certificate.files})
    (release / CERTIFICATE).write_bytes(certificate.to_bytes())
    return release


def test_an_altered_release_is_not_attacked_and_ends_as_verify_does(made, altered):
    for arguments in ((altered,), (made / "out/release", "--other", altered)):
        done = run(*arguments, "--known", made / "known.csv", "--attacks", QUICK)
        verified = CliRunner().invoke(app, ["verify", str(altered)])
        assert done.exit_code == verified.exit_code == BROKEN, done.output
        assert done.stdout == ""
        assert "Files were changed after they were certified: 'data.csv'" in done.stderr
        assert not [marker for marker in MARKERS if marker in done.output]
    with pytest.raises(PromiseBroken, match="is not as it was certified"):
        attack(altered, made / "known.csv")


def test_a_certificate_that_was_changed_or_a_file_too_many_is_refused(made, tmp_path):
    for number, (name, change) in enumerate(
        [
            ("certificate.json", lambda text: text.replace('"holds": true', '"holds": false')),
            ("certificate.json", lambda text: text[:100]),
            ("recoding.json", lambda text: text + " "),
            ("further.json", lambda text: "{}"),
        ]
    ):
        release = tmp_path / str(number)
        shutil.copytree(made / "out/release", release)
        place = release / name
        place.write_text(change(place.read_text(encoding="utf-8") if place.exists() else ""), encoding="utf-8")
        done = run(release, "--known", made / "known.csv", "--attacks", "prosecutor")
        assert done.exit_code == BROKEN, (name, done.output)
        assert "is not as it was certified" in done.stderr


def test_a_release_that_says_too_much_ends_with_status_1(made, altered):
    broken = sealed_again(altered)
    done = run(broken, "--known", made / "known.csv", "--attacks", "prosecutor")
    assert done.exit_code == BROKEN, done.output
    assert "BROKEN" in done.stdout
    assert (
        "Broken. These attacks found more than 4-anonymity of age, sex, town and job allows: prosecutor" in done.stdout
    )
    assert found(broken, "--known", made / "known.csv", "--attacks", "prosecutor", status=BROKEN)["broken"] is True


def test_persons_are_counted_with_the_owners_folder(made):
    arguments = made / "persons/release", "--known", made / "known.csv", "--person", "who", "--attacks", "prosecutor"
    by_rows, by_person = found(*arguments), found(*arguments, "--owner", made / "persons/owner")
    assert by_rows["findings"][0]["targets"] == by_person["findings"][0]["targets"] == people(160).who.nunique()
    assert by_rows["findings"][0]["success"]["value"] < by_person["findings"][0]["success"]["value"] <= 0.25
    assert "rows are counted" in by_rows["findings"][0]["note"]


def test_a_population_and_a_share_of_one(made):
    arguments = made / "out/release", "--known", made / "known.csv", "--attacks", "journalist"
    tenth, half = found(*arguments), found(*arguments, "--share", 0.5)
    assert tenth["findings"][0]["success"]["value"] < half["findings"][0]["success"]["value"]
    given = found(*arguments, "--population", made / "known.csv")["findings"][0]
    assert given["success"]["value"] <= 0.25
    assert "modelled" not in given["note"]


def test_another_release_of_the_same_persons(made):
    answer = found(
        made / "out/release", "--known", made / "known.csv", "--other", made / "persons/release",
        "--attacks", "intersection", status=BROKEN
    )  # fmt: skip
    assert answer["findings"]


@pytest.mark.parametrize("suffix", ["dat", "csv"])
def test_baskets_are_attacked_with_baskets(tmp_path, suffix):
    X, y = baskets()
    given = Baskets.of(X, y)
    GreedySelector(k=5, random_state=1).release(given).save(tmp_path / "out")
    if suffix == "dat":
        lines = [" ".join(given.items(row)) for row in range(len(given))]
        (tmp_path / "known.dat").write_text("\n".join(lines) + "\n")
    else:
        pd.DataFrame(X, columns=list(given.names)).assign(label=y).to_csv(tmp_path / "known.csv", index=False)
    answer = found(tmp_path / "out/release", "--known", tmp_path / f"known.{suffix}", "--aux-items", 3)
    assert any("3 items" in finding["question"] for finding in answer["findings"])


def test_sketches_are_attacked_with_what_the_owner_has(tmp_path):
    VarianceSketch(k=4, random_state=1).release(baskets()[0]).save(tmp_path / "out")
    answer = found(tmp_path / "out/release", "--owner", tmp_path / "out/owner")
    assert answer["findings"][0]["units"] == "records"
    message = fails(tmp_path / "out/release")
    assert "it needs the owner's folder, which holds the records. Give --owner." in message


def test_quiet_says_one_line(made):
    done = run(made / "out/release", "--known", made / "known.csv", "--attacks", "prosecutor", "--quiet")
    assert done.stdout.count("\n") == 1
    assert done.stdout.startswith("Kept: 4-anonymity of age")
    assert (
        "None of the 2 results that it limits is above its limit. It says nothing about anyone who knows" in done.stdout
    )
    assert "Anyone who also knows" in done.stdout


def test_what_is_known_can_be_said(made):
    arguments = made / "out/release", "--known", made / "known.csv", "--attacks", "prosecutor"
    plain, stay = found(*arguments), found(*arguments, "--knows", "age,sex,town,job,stay")
    assert plain["knows"] == list(ROLES.quasi)
    assert [one["beyond"] for one in plain["findings"]] == [False, False, True, True]
    assert stay["knows"] == ["age", "sex", "town", "job", "stay"]
    assert [one["bound"] for one in stay["findings"]] == [None, None]
    assert stay["findings"][0]["success"]["value"] > plain["findings"][0]["success"]["value"]
    assert "an attacker who knows age, sex, town, job and stay" in stay["findings"][0]["question"]
    everything = found(*arguments, "--knows", "all")
    assert everything["findings"][0]["success"] == plain["findings"][2]["success"]
    (said,) = everything["conclusions"]
    assert said == "Not tested: 4-anonymity of age, sex, town and job limits none of these results."
    assert "Did you mean 'stay'?" in fails(*arguments, "--knows", "age,stai")


def test_columns_that_the_roles_call_other_are_attacked_all_the_same(tmp_path):
    """Four columns that tell who it is, given the role `other`: the promise holds, and everybody is found."""
    frame = people(160).assign(**{f"mark{i}": [(row * (i + 3)) % 37 for row in range(160)] for i in range(4)})
    frame.to_csv(tmp_path / "known.csv", index=False)
    other = tuple(f"mark{i}" for i in range(4))
    roles = replace(ROLES, other=(*ROLES.other, *other))
    Mondrian(k=4, random_state=1).release(frame, roles).save(tmp_path / "out")
    done = run(tmp_path / "out/release", "--known", tmp_path / "known.csv", "--attacks", "prosecutor")
    assert done.exit_code == GOOD
    words = " ".join(done.stdout.split())
    assert "of 100 persons, not" in words
    assert float(words.split(" finds ")[-1].split(" ")[0].replace("more", "99")) > 90
    assert "mark0" in words
    assert "It says nothing about anyone who knows more." in words


def test_what_is_wrong_is_said(made):
    known = ("--known", made / "known.csv")
    message = fails(made / "out/release")
    assert "No attack applies to this release of table: prosecutor is the nearest, and it needs a table of" in message
    assert message.endswith("Give --known.")
    assert "Did you mean 'prosecutor'? They are 'prosecutor', 'journalist'" in fails(
        made / "out/release", *known, "--attacks", "prosecuter"
    )
    assert "is not a release folder: it has no certificate.json. Did you mean" in fails(made / "out", *known)
    assert "applies to baskets" in fails(made / "out/release", *known, "--attacks", "sparse")
    assert "another release of the same persons. Give --other." in fails(
        made / "out/release", *known, "--attacks", "intersection"
    )
    assert "has no column 'whom'. Did you mean 'who'?" in fails(made / "out/release", *known, "--person", "whom")
    assert "--sensitive names columns that the release does not hold: 'il'. Did you mean 'ill'?" in fails(
        made / "out/release", *known, "--sensitive", "il", "--attacks", "homogeneity"
    )
    assert "--targets must be a whole number of at least 1. Got 0." in fails(
        made / "out/release", *known, "--targets", 0
    )
    assert "above 0 and at most 1" in fails(made / "out/release", *known, "--share", 0, "--attacks", "journalist")
    (made / "else.csv").write_text("shoe,hat\n41,7\n42,8\n")
    assert "none of the columns behind the release" in fails(
        made / "out/release", "--known", made / "else.csv", "--attacks", QUICK
    )
