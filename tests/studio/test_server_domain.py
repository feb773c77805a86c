# SPDX-License-Identifier: Apache-2.0
"""The public domain is stated column by column or in a file, never from the rows; noise is offered once it is whole."""

import time

import pytest

from discreet import PrivateTable, Roles
from discreet.data.table import Table

CSV = "age,sex,y\n" + "".join(f"{20 + i % 9},{'fmF'[i % 3]},{'no' if i % 2 else 'yes'}\n" for i in range(60))


@pytest.fixture
def own(at_home):
    project = at_home.studio.project
    stored = project.place_for("people.csv")
    stored.write_text(CSV)
    project.take("people.csv", stored)
    project.set_roles({"age": "quasi", "sex": "quasi", "y": "target"}, "Roles.")
    project.journal.decide(("promise", "epsilon"), 1.0, "epsilon")
    at_home.project = project
    return at_home


def state(own, column, listed, **form):
    return own.post("/domain/column", data={"column": column, "listed": listed} | form)


def is_offered(own):
    return "private-table" in [one.section["name"] for one in own.project.methods()]


def outside(own, column):
    for _ in range(300):
        text = own.get("/domain/outside", params={"column": column}).text
        if "Counting" not in text:
            return " ".join(text.split())
        time.sleep(0.1)
    raise AssertionError("no answer")


def test_nothing_is_filled_in_from_the_rows(own):
    text = own.get("/domain").text
    assert text.count("not stated") == 3
    assert "<textarea" in text
    assert ">20<" not in text
    assert "0 of 3 columns stated" in own.get("/promise").text


def test_a_form_in_which_nothing_is_listed_yet_is_not_replaced(own):
    """Somebody who chose the kind goes on to write; what is written then must not be lost."""
    before = own.project.journal.revision
    assert state(own, "age", "", kind="cuts").status_code == 204
    assert own.project.journal.revision == before
    state(own, "age", "25; 28", kind="cuts")
    taken_back = state(own, "age", "", kind="cuts")
    assert "not stated" in taken_back.text
    assert own.project.domain == {}


def test_each_column_is_stated_and_the_whole_is_what_a_release_takes(own, tmp_path):
    assert "&lt; 25" in state(own, "age", "25; 28", kind="cuts", missing="yes").text
    assert state(own, "sex", "f\nm\n", missing="yes").status_code == 200
    assert not is_offered(own)
    assert state(own, "y", "no;yes").status_code == 200
    assert is_offered(own)
    assert "20 of 60 rows hold something else, which counts as an empty cell" in outside(own, "sex")
    assert "No row holds anything else" in outside(own, "age")
    (section,) = [one for one in own.project.recipe()["methods"] if one["name"] == "private-table"]
    roles = Roles(target="y", quasi=["age", "sex"])
    method = PrivateTable(epsilon=1, domain=section["domain"])
    assert method.release(Table.of(own.project.source.path), roles).verdict.holds
    own.post("/undo")
    assert not is_offered(own)


def test_what_is_stated_goes_out_as_a_file_and_comes_in_again(own):
    state(own, "age", "25\n28", kind="cuts")
    state(own, "y", "no\nyes")
    text = own.get("/domain/file").text
    assert text.splitlines() == [
        '"y" = {"values" = ["no", "yes"], "missing" = false}',
        '"age" = {"cuts" = [25, 28], "missing" = false}',
    ]
    for column in ("age", "y"):
        state(own, column, "")
    assert own.project.domain == {}
    assert own.put("/domain/file", content=text.encode()).status_code == 204
    assert own.get("/domain/file").text == text


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ({"column": "age", "listed": "9; 5", "kind": "cuts"}, "increasing"),
        ({"column": "sex", "listed": "f; f"}, "must differ"),
        ({"column": "sex", "listed": "f", "kind": "guess"}, "values, or cuts"),
        ({"column": "sexx", "listed": "f"}, "Did you mean 'sex'?"),
    ],
)
def test_what_no_domain_can_be_is_refused(own, form, why):
    before = own.project.journal.revision
    answer = own.post("/domain/column", data=form)
    assert (answer.status_code, why in answer.text) == (422, True), answer.text
    assert own.project.journal.revision == before


@pytest.mark.parametrize("content", [b"\xff", b"sex = [", b"sex = " + b"[" * 100_000, b"a." * 90_000 + b"a = 1"])
def test_files_that_are_no_toml_are_refused(own, content):
    answer = own.put("/domain/file", content=content)
    assert (answer.status_code, answer.text[:22]) == (422, "A domain is a TOML fil")
    assert "states nothing" in own.put("/domain/file", content=b"# nothing").text
