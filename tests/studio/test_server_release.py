# SPDX-License-Identifier: Apache-2.0
"""Nothing leaves the studio unverified, against the policy, or unrecorded; what is sent to it is not trusted."""

import html
import io
import re
import time
import zipfile

import pytest

import discreet as ds
from discreet import Mondrian
from discreet.samples import load
from discreet.studio import server_verify

ROLES = {"age": "quasi", "sex": "quasi", "zip": "quasi", "readmitted": "target", "name": "identifier"}

RELEASED = ds.Roles(target="readmitted", quasi=["age", "sex", "zip"], identifiers=["name"])


@pytest.fixture
def chosen(at_home):
    """A project with a table and a release of it, as a finished comparison leaves it."""
    project = at_home.studio.project
    stored = project.place_for("clinic.csv")
    sample = load("clinic", rows=300, random_state=3)
    sample.data.write(stored, "csv", input_again=True)
    project.take("clinic.csv", stored)
    for column, role in ROLES.items():
        project.set_role(column, role)
    project.journal.decide(("chosen",), "mondrian-k5-median", "Chosen.")
    folder = project.runs.study(project.run_name()) / "releases" / "mondrian-k5-median"
    Mondrian(5, random_state=1).release(sample.data, RELEASED).save(folder)
    at_home.folder = folder
    return at_home


def checked(client):
    """The part of the page that comes when the files are checked."""
    for _ in range(300):
        text = client.get("/release/checked").text
        if "Counting" not in text:
            return text
        time.sleep(0.1)
    raise AssertionError("no answer")


def given(client, what):
    """The answer to asking for a download, and then to fetching it."""
    asked = client.post(f"/release/give/{what}")
    where = asked.headers.get("HX-Redirect")
    return asked, None if where is None else client.get(where)


def test_what_is_published_leaves_once_for_each_time_that_it_is_written_down(chosen):
    assert chosen.get("/release/given/published").status_code == 422
    assert chosen.get("/release/given/published?permit=x").status_code == 422
    asked, answer = given(chosen, "published")
    names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    assert {name.split("/")[0] for name in names} == {"release"}
    assert chosen.get(asked.headers["HX-Redirect"]).status_code == 422  # used
    assert len(chosen.studio.project.ledger().entries()) == 1
    assert "handed to somebody not named" in chosen.get("/ledger").text


def test_files_that_were_changed_do_not_leave(chosen):
    with (chosen.folder / "release" / "data.csv").open("a", encoding="utf-8", newline="") as file:
        file.write("1,2,3,4\n")
    asked, answer = given(chosen, "published")
    assert asked.status_code == 422
    assert answer is None
    assert "do not keep the promise" in asked.text
    assert chosen.studio.project.ledger() is None
    assert "The promise does not hold" in checked(chosen)


def test_what_the_policy_forbids_does_not_leave(chosen):
    assert chosen.put("/release/policy", content=b"format = 1\nleast_k = 100\n").status_code == 204
    asked, answer = given(chosen, "published")
    assert asked.status_code == 422
    assert answer is None
    assert "The policy forbids it" in asked.text
    assert chosen.put("/release/policy", content=b"format = 1\nleast_kk = 100\n").status_code == 422


def test_the_page_says_first_what_the_promise_leaves_open(chosen):
    assert "Somebody who knows the label" in checked(chosen)
    assert chosen.put("/release/policy", content=b"format = 1\nleast_k = 2\n").status_code == 204
    assert "passes" in checked(chosen)
    assert "certificate.json" in checked(chosen)


def test_the_python_that_is_shown_makes_the_release_again(chosen, tmp_path, monkeypatch):
    _, answer = given(chosen, "project")
    source = chosen.studio.project.source
    (tmp_path / source.name).write_bytes(source.path.read_bytes())
    (tmp_path / "project.toml").write_bytes(answer.content)
    shown = html.unescape(re.search(r"<pre>(from pathlib.*?)</pre>", chosen.get("/release").text, re.DOTALL)[1])
    monkeypatch.chdir(tmp_path)
    exec(shown, {})
    assert ds.verify(tmp_path / "out" / "release").holds


def test_a_second_table_is_another_run_with_roles_of_its_own(chosen):
    project = chosen.studio.project
    first = project.run_name()
    other = project.place_for("clinic.csv")
    load("clinic", rows=300, random_state=4).data.write(other, "csv", input_again=True)
    project.take("clinic.csv", other)
    assert project.roles == {}
    for column, role in ROLES.items():
        project.set_role(column, role)
    assert project.run_name() != first
    assert "Nothing to release yet" in chosen.get("/release").text
    project.handed_over("one", "a friend")
    assert len(project.ledger().entries()) == 1


def zipped(**files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def test_zips_that_were_sent_are_verified_or_refused_in_words(chosen):
    _, answer = given(chosen, "published")
    assert "The promise holds" in chosen.put("/verify/file", content=answer.content).text
    broken = bytearray(answer.content)
    broken[200:220] = bytes(20)
    for content, why in (
        (b"no zip", "not a zip"),
        (bytes(broken), ""),
        (zipped(**{"a/\u00e9": "{}"}).replace("\u00e9".encode(), b"\xff\xff"), "not a zip"),  # a name that is not UTF-8
        (zipped(**{"a" * 300: "{}"}), "not a zip"),
        (zipped(**{"../certificate.json": "{}"}), "lead out of its folder"),
        (zipped(**{"/certificate.json": "{}"}), "lead out of its folder"),
        (zipped(**{"a/certificate.json": "{}", "b/certificate.json": "{}"}), "2 certificates"),
    ):
        answer = chosen.put("/verify/file", content=content)
        assert answer.status_code in (200, 422)
        assert why in answer.text
        assert "The promise holds" not in answer.text


def test_a_zip_goes_to_the_disk_and_not_longer_than_it_may_be(at_home, monkeypatch):
    seen = []

    def verified(place):
        seen.append((place, place.read_bytes()))
        raise ds.DataError("seen")

    monkeypatch.setattr(server_verify, "_verified", verified)
    monkeypatch.setattr(server_verify, "_MOST_ZIPPED", 10)
    assert "seen" in at_home.put("/verify/file", content=b"0123456789").text
    larger = at_home.put("/verify/file", content=b"0123456789a")
    assert (larger.status_code, "larger than a gigabyte" in larger.text) == (422, True)
    ((place, content),) = seen
    assert content == b"0123456789"
    assert not place.exists()


def test_a_folder_is_verified_file_by_file(chosen):
    files = {path.name: path.read_bytes() for path in (chosen.folder / "release").iterdir()}

    def sent(*changed):
        parts = {f"out/{name}": content for name, content in files.items()} | dict(changed)
        return chosen.post("/verify/folder", files=[(name, ("part", content)) for name, content in parts.items()])

    assert "The promise holds" in sent().text
    assert "The promise holds" not in sent(("out/data.csv", files["data.csv"] + b"1,2,3,4\n")).text
    for name in ("../data.csv", "/etc/passwd", "out/../../x", "C:/x"):
        answer = sent((name, b"x"))
        assert answer.status_code == 422, name
        assert "lead out of its folder" in answer.text
    for wrong in ([("out/data.csv/b", b"x")], [("a" * 300, b"x")], [("out/" + "a" * 300 + "/b", b"x")]):
        answer = sent(*wrong)
        assert answer.status_code == 422
        assert "cannot be stored under their names" in answer.text
