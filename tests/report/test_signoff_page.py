# SPDX-License-Identifier: Apache-2.0
"""The sign-off edition: who, when, what for, the hashes of what is handed out, and first what is left open."""

import datetime
import hashlib
import json
import re
import shutil
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from discreet import DataError, Mondrian, Roles, samples
from discreet.cli.app import app
from discreet.report.policy import Policy
from discreet.report.signoff_page import SignOff, summarise_signoff, to_signoff_page
from parsed import Page

HOSTILE = "<script>alert(1)</script>"
WHO = ("--target", "readmitted", "--quasi", "age,sex", "--sensitive", "diagnosis", "--identifiers", "patient_id,name")


def command(*words):
    return CliRunner().invoke(app, [*map(str, words)])


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("signoff")
    samples.load("clinic", rows=400, random_state=7).data.write(folder / "clinic.csv", "csv")
    done = command("release", folder / "clinic.csv", *WHO, "--method", "mondrian", "--k", 5, "-o", folder / "out", "-q")
    assert done.exit_code == 0, done.output
    return folder / "out"


def test_the_page_has_fields_hashes_and_what_is_open_first(out):
    fields = SignOff(prepared_by="A. Preparer", recipient=HOSTILE, date="2026-03-31")
    summary = summarise_signoff(out, fields, Policy(format=1, least_k=5, signed=True))
    text = to_signoff_page(summary)
    page = Page(text)
    assert "<script" not in text
    for said in ("A. Preparer", HOSTILE, "2026-03-31", "clinic.csv", "Not to be approved: the policy is broken"):
        assert said in page.text
    for path in (out / "release").iterdir():
        assert hashlib.sha256(path.read_bytes()).hexdigest() in page.text
    assert summary["id"] in page.text
    places = [
        page.text.index(said) for said in ("What this release leaves open", "The policy: not", "What is promised")
    ]
    assert places == sorted(places)
    assert "The owner's files were checked too." in page.text
    assert "patient_id" in page.text  # what each column is for, also of those that are not published
    assert text.count('class="blankline"') == 8  # purpose and approver, twice; three dates, three signatures


def test_where_nothing_is_given_there_are_lines_and_the_date_is_today(out):
    summary = summarise_signoff(out, SignOff())
    assert summary["fields"]["date"] == datetime.date.today().isoformat()
    text = to_signoff_page(summary)
    assert "No policy was given" in text
    assert summary["approvable"]
    assert text.count('class="blankline"') == 12
    with pytest.raises(DataError, match="The date must be a day"):
        SignOff(date="31.3.2026")
    with pytest.raises(DataError, match="at most 400"):
        SignOff(purpose="x" * 401)


def test_the_published_folder_alone_is_enough(out):
    summary = summarise_signoff(out / "release", SignOff(date="2026-03-31"))
    assert summary["owner"] is None
    assert not summary["with_owner"]
    page = Page(to_signoff_page(summary)).text
    assert "A wrong role makes the promise worthless." in page
    assert "patient_id" not in page


def test_no_chance_is_stated_where_persons_are_counted(tmp_path):
    """Ten persons with four rows each: a group of 20 rows may be of five persons, a chance of 20 %, not 5 %."""
    rows = {
        "id": [place // 4 for place in range(40)],
        "age": [place // 20 for place in range(40)],
        "y": ["no", "yes"] * 20,
    }
    release = Mondrian(k=5, random_state=1).release(rows, Roles(target="y", quasi=["age"], person="id"))
    release.save(tmp_path / "out")
    summary = summarise_signoff(tmp_path / "out" / "release", SignOff(date="2026-03-31"))
    assert summary["certificate"]["counted"] == "persons"
    assert summary["risk"]["k"] >= 20
    assert (summary["risk"]["largest"], summary["risk"]["average"]) == (None, None)
    assert "chance to pick the right row" not in Page(to_signoff_page(summary)).text


def test_a_release_with_copies_has_its_sign_off_edition(tmp_path):
    samples.load("clinic", rows=400, random_state=7).data.write(tmp_path / "clinic.csv", "csv")
    how = ("--method", "mondrian", "--k", 5, "--as", "csv,csv-de", "-q")
    done = command("release", tmp_path / "clinic.csv", *WHO, *how, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    summary = summarise_signoff(tmp_path / "out", SignOff(date="2026-03-31"))
    assert "data-de.csv" in summary["certificate"]["copies"]
    assert summary["owner"]["source"]["rows"] == 400


def test_headings_are_in_order_and_tables_have_headers(out):
    summary = summarise_signoff(out, SignOff(date="2026-03-31"), Policy(format=1, least_k=5))
    page = Page(to_signoff_page(summary))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all("scope" in attrs for tag, attrs in page.tags if tag == "th")


def test_commands_write_every_edition_and_refuse_options_that_they_would_ignore(out, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = ("--prepared-by", "A", "--approver", "B", "--recipient", "C", "--purpose", "D", "--date", "2026-03-31")
    done = command("report", out, "--edition", "signoff", *said)
    assert done.exit_code == 0, done.output
    assert "do not publish it" in done.output
    written = tmp_path / "signoff.html"
    assert written.stat().st_mode & 0o777 == 0o600
    assert all(f">{name}<" in written.read_text() for name in "ABCD")
    names = {"public": "public-report.html", "dictionary": "dictionary.md", "json": "public-report.json"}
    names |= {"croissant": "croissant.json", "dcat": "dcat.json"}
    for edition, name in names.items():
        done = command("report", out, "--edition", edition)
        assert done.exit_code == 0, done.output
        assert f"{name}   (may be published)" in done.output
    assert command("report", out, "--public", "-o", "again.html").exit_code == 0
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "public-report.html").read_bytes()
    for name in ("d.csv", "d.html"):
        assert command("report", out, "--edition", "dictionary", "-o", name).exit_code == 0
    wrong = {
        ("--prepared-by", "A"): "--prepared-by stands on the sign-off edition",
        ("--title", "A"): "--title stands on the metadata",
        ("--public", "--edition", "signoff"): "it contradicts --edition signoff",
        ("--edition", "json", "--pdf"): "--pdf prints the editions owner, public and signoff",
        ("--edition", "dictionary", "-o", "d.docx"): "written as .md, .csv or .html",
        ("--release", "x"): "--release names a release of a study",
        ("--public", "--release", "x"): "--release names a release of a study",
        ("--plots", "svg", "--public"): "leave the other options out",
    }
    for words, why in wrong.items():
        done = command("report", out, *words)
        assert done.exit_code == 2, (words, done.output)
        assert why in done.output


def test_a_summary_of_another_release_or_an_edited_one_is_refused(out, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(out, copy)
    summary = json.loads((copy / "owner" / "summary.json").read_text())
    edited = summary | {"releases": [{"certificate": summary["releases"][0]["certificate"]}]}
    other = summary["releases"][0]["certificate"] | {"rows": 1}
    cases = {
        "was edited": edited,
        "about another release": summary | {"releases": [summary["releases"][0] | {"certificate": other}]},
    }
    for said, content in cases.items():
        (copy / "owner" / "summary.json").write_text(json.dumps(content))
        for edition in ("owner", "signoff"):
            done = command("report", copy, "--edition", edition, "-o", tmp_path / "page.html")
            assert done.exit_code == 2, done.output
            assert said in done.output
    (copy / "owner" / "summary.json").unlink()  # as earlier versions of discreet left it
    assert command("report", copy, "-o", tmp_path / "page.html").exit_code == 0
    assert command("report", copy, "--edition", "signoff", "-o", tmp_path / "sign.html").exit_code == 0
    assert command("report", copy, "--policy", "none.toml", "-o", tmp_path / "again.html").exit_code == 2


def test_the_owners_report_is_made_again_from_its_summary(out, tmp_path):
    done = command("report", out, "-o", tmp_path / "report.html")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "report.html").read_bytes() == (out / "owner" / "report.html").read_bytes()
